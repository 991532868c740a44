"""Sentences: one for every event class, or none on purpose."""

from __future__ import annotations

from typing import get_args

import pytest
from msgspec.structs import replace

from dalmuti.client import words
from dalmuti.client.fold import fold
from dalmuti.core import events as ev
from dalmuti.core.cards import Play
from dalmuti.core.events import Due, Exchange, PlayerInfo, Result, Score, Seen
from dalmuti.core.options import TableOptions
from dalmuti.core.record import Verdict
from dalmuti.core.titles import Draw, DrawRound, Title
from dalmuti.core.views import HandView, TableView, TrickView
from dalmuti.protocol.errors import ByeReason, ErrorCode

VIEW = TableView(
    table="Kitchen",
    options=TableOptions(seats=4),
    state="hand",
    you=1,
    host=1,
    players=tuple(
        PlayerInfo(player=number, name=name)
        for number, name in enumerate(("Ada", "Bea", "Cem", "Dan"), start=1)
    ),
    order=(2, 1, 3, 4),
    hand=HandView(number=1, order=(2, 1, 3, 4), sizes=(20, 20, 20, 20), seat=1),
)
LED = replace(VIEW, hand=replace(VIEW.hand, trick=TrickView(top=Play(9, 2), owner=0)))  # type: ignore[type-var]
POINTS = replace(VIEW, options=TableOptions(seats=4, scoring="points"))
DRAWN = ev.TitlesDrawn(
    (
        DrawRound((Draw(1, 12), Draw(2, 6), Draw(3, 1), Draw(4, 12))),
        DrawRound((Draw(1, 13), Draw(4, 5))),
    ),
    (3, 2, 4, 1),
)

SAID: list[tuple[TableView, Seen, str | None]] = [
    (VIEW, ev.HandPrepared(2, "aa"), None),
    (VIEW, ev.DealRevealed(1, "aa"), None),
    (VIEW, ev.Turn("lead", (0,), 1), None),
    (VIEW, ev.TitlesChanged((1, 2, 3, 4)), None),
    (
        VIEW,
        DRAWN,
        "Everyone draws a card: you 12, Bea 6, Cem 1, Dan 12. You and Dan tie and draw again:"
        " you Jester, Dan 5. The order is Cem, Bea, Dan, you.",
    ),
    (VIEW, ev.HandStarted(2, (1, 2, 3, 4)), "Hand 2 begins. You are the Greater Dalmuti."),
    (VIEW, ev.HandStarted(2, (2, 3, 4)), "Hand 2 begins. You play from the next hand on."),
    (VIEW, ev.Dealt((2, 2), (1, 13)), "You are dealt 2 cards: 1x1, 1xJ."),
    (VIEW, ev.Dealt((2, 2)), "Everybody is dealt 2 cards."),
    (VIEW, ev.Dealt((3, 2)), "Everybody is dealt 2 or 3 cards."),
    (replace(VIEW, you=None), ev.HandStarted(2, (1, 2, 3, 4)), "Hand 2 begins."),
    (VIEW, ev.RevolutionOpened(), "Whoever was dealt both Jesters may call a revolution now."),
    (VIEW, ev.RevolutionClosed(), "Nobody calls a revolution."),
    (
        VIEW,
        ev.RevolutionCalled(1),
        "You show both Jesters and call a revolution: no taxes in this hand.",
    ),
    (
        VIEW,
        ev.RevolutionCalled(3, True),
        "Dan shows both Jesters and calls a Greater Revolution: all titles turn round,"
        " and no taxes. You are the Lesser Peon now.",
    ),
    (
        VIEW,
        ev.TaxesDue((Due(3, 0, 2), Due(2, 1, 1))),
        "Taxes: Dan owes Bea 2 cards, Cem owes you 1 card.",
    ),
    (
        VIEW,
        ev.TaxesPaid((Exchange(3, 0, 2), Exchange(2, 1, 1, (1,), (12,)))),
        "Dan pays Bea 2 cards and gets 2 back. Cem pays you 1x1 and gets 1x12 back.",
    ),
    (VIEW, ev.Played(0, Play(9, 2), 18), "Bea leads 2x9 Cooks."),
    (LED, ev.Played(1, Play(8, 2, 1), 2), "You play 2x8+1J (1 Mason, 1 Jester), 2 left."),
    (LED, ev.Played(2, Play(1, 1), 0, "standin"), "Cem plays 1x1 Dalmuti (stand-in)."),
    (LED, ev.Passed(1), "You pass."),
    (LED, ev.Passed(2, "clock"), "Cem passes (time was up)."),
    (VIEW, ev.WentOut(1, 1), "You are out, first!"),
    (VIEW, ev.WentOut(3, 4), "Dan is the last with cards."),
    (VIEW, ev.TrickEnded(0, 0), "The trick is Bea's."),
    (VIEW, ev.TrickEnded(1, 1), "The trick is yours; you lead."),
    (VIEW, ev.TrickEnded(0, 1), "The trick is Bea's, who is out; you lead."),
    (VIEW, ev.TrickEnded(1, 2), "The trick is yours, and you are out; Cem leads."),
    (VIEW, ev.HandEnded(1, ()), "Hand 1 is over."),
    (VIEW, ev.HandAbandoned(1), "Hand 1 is given up and scores nothing."),
    (VIEW, ev.Scored((Score(2, 0, 1), Score(1, 0, 0))), "Hands won: Bea 1."),
    (POINTS, ev.Scored((Score(2, 3, 1), Score(1, 2, 0))), "Points: Bea 3, you 2."),
    (VIEW, ev.MatchEnded((), (2,)), "The match is over. Bea wins."),
    (VIEW, ev.MatchEnded((), (1,)), "The match is over. You win."),
    (VIEW, ev.MatchEnded((), (1, 2)), "The match is over. You and Bea win."),
    (VIEW, ev.MatchRestarted(), "A new match begins."),
    (
        VIEW,
        ev.PlayerJoined(PlayerInfo(player=5, name="Eve", kind="bot")),
        "Eve (bot) sits down and will play from the next hand on.",
    ),
    (
        replace(VIEW, state="waiting"),
        ev.PlayerJoined(PlayerInfo(player=5, name="Eve")),
        "Eve sits down.",
    ),
    (VIEW, ev.PlayerLeft(2), "Bea leaves the table."),
    (VIEW, ev.PlayerLeft(2, "kicked"), "Bea is sent away."),
    (VIEW, ev.PlayerLeft(2, "lost"), "Bea is gone for good; the seat is free."),
    (VIEW, ev.PlayerLeft(2, "closed"), "Bea gets up: the table is closed."),
    (VIEW, ev.PresenceChanged(2, "here"), "Bea is back."),
    (
        VIEW,
        ev.PresenceChanged(2, "lost", 20_000),
        "Bea has lost the connection; the stand-in plays in 20 s.",
    ),
    (VIEW, ev.PresenceChanged(1, "away"), "You are away; the stand-in plays."),
    (VIEW, ev.PresenceChanged(2, "standin"), "The stand-in plays for Bea now."),
    (
        VIEW,
        ev.PresenceChanged(2, "left"),
        "Bea has left; the stand-in plays to the end of the hand.",
    ),
    (VIEW, ev.HostChanged(2), "Bea is the host now."),
    (VIEW, ev.WatchersChanged(("Zoe",)), "Zoe watches."),
    (
        replace(VIEW, watchers=("Zoe", "Yan")),
        ev.WatchersChanged(()),
        "Zoe and Yan no longer watch.",
    ),
    (VIEW, ev.WatchersChanged(()), None),
    (VIEW, ev.Chatted("Bea", "hello", 2), "Bea says: hello"),
    (VIEW, ev.TableClosed("host"), "The host has closed the table."),
    (VIEW, ev.TableClosed("shutdown"), "The table is closed: the server stops."),
    (
        VIEW,
        ev.TableOpened("Attic", TableOptions(seats=3, turn_seconds=0)),
        "Table Attic is open, 3 seats, outside the classic 4 to 8, no clock.",
    ),
]


@pytest.mark.parametrize(("view", "event", "text"), SAID)
def test_sentences(view: TableView, event: Seen, text: str | None) -> None:
    assert words.sentence(event, view, fold(view, event)) == text


def test_every_event_class_is_in_the_table() -> None:
    assert {type(event) for _, event, _ in SAID} == set(get_args(Seen))


def test_places_name_the_title_that_was_reached() -> None:
    event = ev.HandEnded(
        1, tuple(Result(seat, player, 0, seat == 2) for seat, player in enumerate((3, 1, 2, 4)))
    )
    assert words.places(event, VIEW) == [
        "1. Cem, Greater Dalmuti",
        "2. Ada, Lesser Dalmuti",
        "3. Bea, Lesser Peon (stand-in)",
        "4. Dan, Greater Peon",
    ]


def test_titles_and_ranks_have_names() -> None:
    assert [words.short_title(each) for each in Title] == [
        "G.Dalmuti", "L.Dalmuti", "Merchant", "L.Peon", "G.Peon",
    ]  # fmt: skip
    assert all(words.title(each) for each in Title)
    assert words.rank(3) == "Earl Marshal" and words.rank(13) == "Jester"
    assert words.ranks(5) == "Abbesses" and words.ranks(12) == "Peasants"
    assert words.play(Play(13, 2, 2)) == "2xJ Jesters"


def test_every_code_is_a_sentence() -> None:
    for code in ErrorCode:
        text = words.error(code.value, "some more about it")
        assert text[0].isupper() and text.endswith(".")
    for reason in ByeReason:
        text = words.bye(reason.value, "some more about it")
        assert text[0].isupper() and text.endswith(".")
    assert set(words.ERRORS) <= {code.value for code in ErrorCode}
    assert set(words.BYES) <= {reason.value for reason in ByeReason}
    assert words.error("new_code", "") == "The server refused."


def test_house_rules_in_words() -> None:
    assert words.rules(TableOptions()) == "8 seats, classic rules"
    options = TableOptions(
        passing="locked", scoring="points", match_end="points:20", turn_seconds=30, revolution="off"
    )
    assert words.rules(options) == (
        "8 seats, no revolutions, who passes is out of the trick, points, match to 20 points,"
        " 30 s a turn"
    )
    assert words.option("match_end", "hands:1") == "match of 1 hand"


def test_how_to_play_fits_the_house_rules() -> None:
    def told(**changed: str) -> str:
        return " ".join(words.how_to_play(TableOptions(**changed)))  # type: ignore[arg-type]

    assert words.how_to_play(None) == words.how_to_play(TableOptions()) == words.HOW_TO_PLAY
    assert "who passes is out until the trick ends" in told(passing="locked")
    assert "calls a revolution without being asked" in told(revolution="automatic")
    assert "revolution" not in told(revolution="off")
    assert "is out of the trick" in words.rules_short(TableOptions(passing="locked"))[0]
    assert "not for good" in words.rules_short(None)[0]


def test_a_false_deal_is_a_loud_warning() -> None:
    text = words.verified(2, ("the seed is another", "you were dealt other cards"))
    assert text.startswith("WARNING: the deal of hand 2 is NOT")
    assert "the seed is another; you were dealt other cards" in text
    assert words.verified(2, ()) == "Hand 2: deal verified."


@pytest.mark.parametrize(
    "found",
    [
        Verdict(1, True, True),
        Verdict(2, True, False, ("it is not over, so its deal is unproved",)),
        Verdict(3, False, False, ("its places are missing", "without a seed its deal is unproved")),
        Verdict(0, False, False, ("the last lines have no sum",)),
    ],
)
def test_a_verdict_is_said_as_the_rules_say_it(found: Verdict) -> None:
    assert words.verdict(found) == found.text
