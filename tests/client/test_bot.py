"""The bot SDK: loading, playing, and what happens to bots that do wrong."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
import trio

from dalmuti.client.bot import Bot, BotError, Player, load_bot, pause
from dalmuti.client.bots.simple import HOUSE_BOTS, GreedyBot, RandomBot
from dalmuti.client.model import Input
from dalmuti.client.session import Ended, Held, Session
from dalmuti.core.cards import Play, counts_of
from dalmuti.core.events import HandEnded, Passed, PlayerInfo, Result, Seen
from dalmuti.core.moves import PASS, legal_leads
from dalmuti.core.options import TableOptions
from dalmuti.core.views import HandView, TableView
from dalmuti.protocol.messages import Act, Choice, Decision, EventMessage, Seated, Snapshot

CARDS = (1, 12, 12, 12, 13)
VIEW = TableView(
    table="Kitchen",
    options=TableOptions(),
    state="hand",
    you=1,
    players=(PlayerInfo(player=1, name="bot"), PlayerInfo(player=2, name="Ada")),
    order=(1, 2),
    hand=HandView(number=1, order=(1, 2), sizes=(5, 5), seat=0, cards=CARDS, dealt=CARDS),
)
DECISION = Decision(
    decision=3, kind="lead", choices=tuple(legal_leads(counts_of(CARDS))), default=Play(12, 1)
)


class Scripted:
    """A session that says these messages and then ends."""

    name = "bot"
    seated: Held | None = None

    def __init__(self, *messages: Input) -> None:
        self.messages = messages
        self.sent: list[Act] = []
        self.when: list[float] = []

    def request(self, message_type: type[Act], **fields: Any) -> int:
        self.sent.append(Act(id=1, **fields))
        self.when.append(trio.current_time())
        return 1

    async def run(self, on_message: Callable[[Input], None]) -> Ended:
        for message in self.messages:
            on_message(message)
        await trio.sleep(10)
        return Ended("closed")


async def played(bot: Bot, *messages: Input, **options: Any) -> tuple[Scripted, Player, list[str]]:
    session = Scripted(Snapshot(seq=1, table=VIEW), *messages)
    reports: list[str] = []
    player = Player(session, bot, report=reports.append, **options)  # type: ignore[arg-type]
    await player.run()
    return session, player, reports


class Says(Bot):
    """Chooses what it is told to, and counts what it hears."""

    def __init__(self, choice: object) -> None:
        self.choice = choice
        self.heard: list[tuple[TableView, Seen]] = []

    def decide(self, view: TableView, decision: Decision) -> Choice:
        assert view.hand is not None and view.hand.cards == CARDS
        if isinstance(self.choice, Exception):
            raise self.choice
        return self.choice  # type: ignore[return-value]

    def on_event(self, view: TableView, event: Seen) -> None:
        self.heard.append((view, event))


async def test_a_choice_is_sent(autojump_clock: trio.testing.MockClock) -> None:
    session, player, reports = await played(Says(Play(12, 3)), DECISION)
    assert session.sent == [Act(id=1, decision=3, choice=Play(12, 3))]
    assert player.faults == 0 and reports == []


@pytest.mark.parametrize("choice", [Play(11, 1), None, "3x9", ValueError("boom")])
async def test_wrong_choices_mean_the_default(
    choice: object, autojump_clock: trio.testing.MockClock
) -> None:
    session, player, reports = await played(Says(choice), DECISION)
    assert [act.choice for act in session.sent] == [Play(12, 1)]
    assert player.faults == 1
    assert "the default was taken" in reports[0] and '"cards":[1,12,12,12,13]' in reports[0]


async def test_a_bot_without_decide_says_so(autojump_clock: trio.testing.MockClock) -> None:
    session, _, reports = await played(Bot(), DECISION)
    assert [act.choice for act in session.sent] == [Play(12, 1)]
    assert "Bot has no method `decide`" in reports[0]


async def test_events_are_heard_with_the_table_after_them(
    autojump_clock: trio.testing.MockClock,
) -> None:
    bot = Says(PASS)
    await played(bot, EventMessage(seq=2, event=Passed(1)), EventMessage(seq=2, event=Passed(1)))
    assert len(bot.heard) == 1
    view, event = bot.heard[0]
    assert event == Passed(1) and view.hand is not None and view.hand.trick.passed == (1,)


async def test_its_author_hears_where_it_sits_and_how_a_hand_ends(
    autojump_clock: trio.testing.MockClock,
) -> None:
    news: list[str] = []
    seated = Seated(table="Kitchen", player=1, token="x")
    places = (Result(seat=1, player=2, points=0), Result(seat=0, player=1, points=0))
    ended = EventMessage(seq=2, event=HandEnded(1, places))
    await played(Says(PASS), seated, ended, news=news.append)
    assert news == ["bot sits at table Kitchen.", "bot: hand 1, place 2 of 2."]


async def test_a_bot_that_is_back_is_called_what_its_seat_is_called(
    autojump_clock: trio.testing.MockClock,
) -> None:
    news: list[str] = []
    session = Scripted(Seated(table="Kitchen", player=1, token="x"))
    session.name = "bot-2"
    session.seated = Held("Kitchen", "x", "bot")
    player = Player(cast(Session, session), Says(PASS), news=news.append)
    await player.run()
    assert news == ["bot sits at table Kitchen."]


async def test_the_pause_is_kept_and_a_late_answer_is_none(
    autojump_clock: trio.testing.MockClock,
) -> None:
    session, _, _ = await played(Says(PASS), delay=1.0, chance=random.Random(1))
    assert session.sent == []
    begun = trio.current_time()
    session, _, _ = await played(Says(Play(1, 1)), DECISION, delay=1.0, chance=random.Random(1))
    assert 0.3 <= session.when[0] - begun <= 1.9
    moved_on = EventMessage(seq=2, event=Passed(0))
    session, _, _ = await played(Says(Play(1, 1)), DECISION, moved_on, delay=1.0)
    assert session.sent == []


def test_pauses_have_the_mean_that_was_asked_for() -> None:
    chance = random.Random(1)
    drawn = [pause(0.8, chance) for _ in range(4000)]
    assert 0.75 < sum(drawn) / len(drawn) < 0.85
    assert min(drawn) > 0.2 and pause(0.0, chance) == 0.0


def test_house_bots_choose_what_they_may() -> None:
    random_bot = RandomBot()
    random_bot.begin(1)
    assert {random_bot.decide(VIEW, DECISION) for _ in range(200)} == set(DECISION.choices)
    assert GreedyBot().decide(VIEW, DECISION) == Play(12, 3)
    assert [make() for make in HOUSE_BOTS.values()]


# -- loading ----------------------------------------------------------------------------------

ONE = """
from dalmuti.client.bot import Bot
from dalmuti.client.bots.simple import GreedyBot

class First(Bot):
    def decide(self, view, decision):
        return decision.default
"""


def test_house_bots_by_name() -> None:
    assert load_bot("greedy") is GreedyBot


def test_a_file_with_one_bot(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(ONE)
    assert load_bot(str(file))().decide(VIEW, DECISION) == DECISION.default
    assert load_bot(f"{file}:First")().decide(VIEW, DECISION) == DECISION.default


@pytest.mark.parametrize(
    ("text", "file", "why"),
    [
        (
            "clever",
            "",
            "expected a house bot (random, easy, greedy, careful, expert) or a file such as",
        ),
        ("nowhere.py", "", "there is no file nowhere.py"),
        ("FILE:Second", ONE, "has no bot 'Second'; its bots are: First"),
        ("FILE", ONE + "class Second(First): pass\n", "expected one bot in"),
        ("FILE", "x = 1\n", "found none"),
        ("FILE", "1/0\n", "cannot be loaded: ZeroDivisionError"),
        ("FILE", "class\n", "cannot be loaded: SyntaxError"),
    ],
)
def test_bots_that_cannot_be_loaded(text: str, file: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(file)
    with pytest.raises(BotError) as caught:
        load_bot(text.replace("FILE", str(path)))
    assert why in str(caught.value)


async def test_a_session_is_what_a_player_needs() -> None:
    """`Scripted` stands for this class."""
    assert callable(Session.run) and callable(Session.request)
