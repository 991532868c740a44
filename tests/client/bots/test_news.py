"""What is said of a bot that does well or waits."""

from __future__ import annotations

from typing import Any, cast

from msgspec.structs import replace

from client.test_bot import VIEW
from dalmuti.client.bots.news import News
from dalmuti.client.model import LinkChanged
from dalmuti.client.session import Held, Session
from dalmuti.core.events import HandStarted, MatchEnded, Score
from dalmuti.protocol.messages import Enlisted, Ladder, ListLadder, Rank, Seated, Unseated


class Enlisting:
    """A session that is only asked for its name, and for the ladder."""

    name = "Alpha"
    seated: Held | None = None

    def __init__(self) -> None:
        self.asked = 0

    def request(self, kind: type[Any], **fields: Any) -> int:
        assert kind is ListLadder and fields == {"most": 100}
        self.asked += 1
        return 1


def standings(*here: str) -> Ladder:
    row = Rank(name="Gone", mu=25_000, sigma=8_000, matches=1, hands=6, points=9, firsts=0)
    ranks = [replace(row, name=name, here=True) for name in here]
    return Ladder(ranks=(row, *ranks), total=4, seats=6, hands=1)


def test_waiting_in_the_ladder_and_each_match() -> None:
    said: list[str] = []
    session = Enlisting()
    news = News(cast(Session, session), said.append)
    news.hear(Enlisted(name="Alpha"))
    assert said == ["Alpha is enlisted in the ladder, and waits for a match."]
    news.hear(standings("Alpha", "Zeno", "Bea"))
    news.hear(standings("Alpha", "Bea", "Zeno"))
    assert said[1:] == ["In the ladder now (6 seats, 1 hand a match): Bea and Zeno."]
    news.hear(Seated(table="Ladder 12", player=1, token="x"))
    started = HandStarted(1, (2, 1), "")
    news.event(VIEW, started)
    news.event(VIEW, replace(started, hand=2))
    points = replace(VIEW, options=replace(VIEW.options, scoring="points"))
    news.event(points, MatchEnded((Score(2, 9), Score(1, 1)), (2,)))
    news.hear(Unseated(table="Ladder 12", reason="closed"))
    news.hear(standings("Alpha"))
    assert said[2:] == [
        "Alpha sits at table Ladder 12.",
        "Alpha: a match begins, with Ada.",
        "Alpha: the match is over, place 2 of 2 with 1 point.",
        "Alpha waits for the next match.",
        "Nobody else of the standings is there now (6 seats, 1 hand a match).",
    ]
    assert session.asked == 2


def test_elsewhere_nobody_waits_for_a_match() -> None:
    said: list[str] = []
    session = Enlisting()
    news = News(cast(Session, session), said.append)
    news.hear(Unseated(table="Kitchen", reason="closed"))
    assert said == [] and session.asked == 0
    scores = (Score(2, 0, 3), Score(3, 0, 2), Score(1, 0, 2))
    news.event(VIEW, MatchEnded(scores, (2,)))  # by titles, as the table has it
    assert said == ["Alpha: the match is over, place 2 of 3 with 2 hands won."]


def test_a_lost_connection_is_told_once_until_it_is_back() -> None:
    said: list[str] = []
    news = News(cast(Session, Enlisting()), said.append)
    for state in ("connecting", "open", "lost", "lost", "open", "lost"):
        news.hear(LinkChanged(state, f"now {state}."))
    again = "Alpha is connected again."
    assert said == ["Alpha: now lost.", again, "Alpha: now lost."]
