"""The bot SDK: loading, playing, and what happens to bots that do wrong."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
import trio

from dalmuti.client.bot import Bot, choice_of
from dalmuti.client.bots.load import BotError, load_bot, made
from dalmuti.client.bots.player import Player, pause
from dalmuti.client.bots.simple import HOUSE_BOTS, GreedyBot, RandomBot
from dalmuti.client.model import Input
from dalmuti.client.session import Ended, Held, Session
from dalmuti.core.cards import Play, counts_of
from dalmuti.core.events import HandEnded, Passed, PlayerInfo, Result, Seen
from dalmuti.core.moves import PASS, legal_leads
from dalmuti.core.options import TableOptions
from dalmuti.core.views import HandView, TableView
from dalmuti.protocol.messages import (
    Act,
    Choice,
    Decision,
    Error,
    EventMessage,
    Seated,
    Snapshot,
)

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
        if isinstance(self.choice, BaseException):
            raise self.choice
        return self.choice  # type: ignore[return-value]

    def on_event(self, view: TableView, event: Seen) -> None:
        self.heard.append((view, event))


async def test_a_choice_is_sent(autojump_clock: trio.testing.MockClock) -> None:
    session, player, reports = await played(Says(Play(12, 3)), DECISION)
    assert session.sent == [Act(id=1, decision=3, choice=Play(12, 3))]
    assert player.wrong == 0 and reports == []


class Odd:
    """Equal to everything, and cannot be shown."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1

    def __repr__(self) -> str:
        raise SystemExit(3)


@pytest.mark.parametrize(
    ("choice", "why"),
    [
        (Play(11, 1), "chose Play("),
        (None, "chose None"),
        ("3x9", "chose '3x9'"),
        (Odd(), "chose a Odd that cannot be shown"),
        (["x" * 10_000] * 10_000, "chose ['xxx"),
        (ValueError("boom"), "raised ValueError: boom"),
        (ValueError(Odd()), "raised a ValueError that cannot be shown"),
        (SystemExit(1), "raised SystemExit: 1"),
        (RecursionError("deep" * 1000), "raised RecursionError: deepdeep"),
    ],
)
async def test_wrong_choices_mean_the_default(
    choice: object, why: str, autojump_clock: trio.testing.MockClock
) -> None:
    session, player, reports = await played(Says(choice), DECISION)
    assert [act.choice for act in session.sent] == [Play(12, 1)]
    assert player.wrong == 1
    raises = isinstance(choice, BaseException)
    assert (player.illegal, player.late, player.crashed) == (not raises, 0, raises)
    assert why in reports[0] and len(reports[0]) < 2000
    assert "the default was taken" in reports[0] and '"cards":[1,12,12,12,13]' in reports[0]


def test_an_exception_is_told_with_the_line_of_the_bots_own_file() -> None:
    class Careless(Bot):
        def decide(self, view: TableView, decision: Decision) -> Choice:
            return random.choice(decision.choices[:0])

    line = Careless.decide.__code__.co_firstlineno + 1
    _, fault = choice_of(Careless(), VIEW, DECISION)
    assert fault is not None and fault.kind == "crashed"
    assert fault.text.startswith("raised IndexError: ")  # raised deeper, in random.py
    assert fault.text.endswith(f" (test_bot.py, line {line})")


def test_an_exception_of_ours_has_no_line() -> None:
    _, fault = choice_of(Bot(), VIEW, DECISION)
    assert fault is not None
    assert fault.text == "raised NotImplementedError: Bot has no method `decide`"


def test_an_async_decide_is_explained() -> None:
    class Awaits(Bot):
        async def decide(self, view: TableView, decision: Decision) -> Choice:  # type: ignore[override]  # the fault
            return decision.default

    choice, fault = choice_of(Awaits(), VIEW, DECISION)
    assert choice == DECISION.default
    assert fault is not None and fault.kind == "illegal" and "plain `def`" in fault.text


async def test_faults_in_on_event_and_begin_are_told(
    autojump_clock: trio.testing.MockClock,
) -> None:
    class Fails(Says):
        def begin(self, seed: int) -> None:
            raise SystemExit(seed)

        def on_event(self, view: TableView, event: Seen) -> None:
            raise KeyError("no such card")

    bot = Fails(Play(12, 3))
    session, player, reports = await played(
        bot, EventMessage(seq=2, event=Passed(1)), DECISION, seed=5
    )
    line = Fails.begin.__code__.co_firstlineno + 1
    assert reports[0] == f"Fails raised SystemExit: 5 (test_bot.py, line {line}) in begin."
    assert reports[1].startswith("Fails raised KeyError: 'no such card' (test_bot.py, line ")
    assert ") in on_event. It saw {" in reports[1]
    assert player.crashed == 2 and [act.choice for act in session.sent] == [Play(12, 3)]


async def test_a_bot_begins_with_the_seed_it_is_given(
    autojump_clock: trio.testing.MockClock,
) -> None:
    begun: list[int] = []

    class Begins(Says):
        def begin(self, seed: int) -> None:
            begun.append(seed)

    await played(Begins(PASS), seed=7)
    await played(Begins(PASS), chance=random.Random(1))
    await played(Begins(PASS), chance=random.Random(1))
    assert begun[0] == 7 and begun[1] == begun[2] and 0 <= begun[1] < 2**53


async def test_the_server_is_heard_where_it_speaks_of_no_request(
    autojump_clock: trio.testing.MockClock,
) -> None:
    told = Error(code="strict", message="act 3: no field of it is called 'mood'")
    _, player, reports = await played(Says(PASS), told, Error(re=9, code="refused", message="x"))
    assert reports == ["the server says: act 3: no field of it is called 'mood'."]
    assert player.wrong == 0


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
        ("FILE", ONE + "class Second(First): pass\n", "found First, Second; name one: "),
        ("FILE", "x = 1\n", "found none; a bot is a class such as `class Cautious(Bot):`"),
        ("FILE", "1/0\n", "cannot be loaded: ZeroDivisionError"),
        ("FILE", "class\n", "cannot be loaded: SyntaxError"),
        ("FILE", "raise SystemExit(2)\n", "cannot be loaded: SystemExit: 2"),
    ],
)
def test_bots_that_cannot_be_loaded(text: str, file: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(file)
    with pytest.raises(BotError) as caught:
        load_bot(text.replace("FILE", str(path)))
    assert why in str(caught.value)


HEAD = "from abc import ABC, abstractmethod\nfrom dalmuti.client.bot import Bot\nclass Mine(Bot):\n"
DECIDES = HEAD + "    def decide(self, view, decision): return decision.default\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (HEAD + "    pass\n", "has no method `decide`; write `def decide(self, view, decision):`"),
        (HEAD + "    def Decide(self, view, decision): pass\n", "has no method `decide`"),
        (HEAD + "    decide = 3\n", "`decide` of Mine in FILE is no method; write"),
        (
            HEAD + "    def decide(self, view): pass\n",
            "expected `decide(view, decision)`, found `decide(view)`; write `def decide(self,",
        ),
        (HEAD + "    def decide(view, decision): pass\n", "found `decide(decision)`; write"),
        (
            HEAD + "    def decide(self, view, decision, extra, *more, **kw): pass\n",
            "found `decide(view, decision, extra, *more, **kw)`",
        ),
        (
            HEAD + "    @staticmethod\n    def decide(self, view, decision): pass\n",
            "found `decide(self, view, decision)`",
        ),
        (HEAD + "    async def decide(self, view, decision): pass\n", "is async, and a bot is"),
        (HEAD + "    def decide(self, view, decision): yield 1\n", "has a `yield`"),
        (
            HEAD.replace("(Bot)", "(Bot, ABC)") + "    @abstractmethod\n"
            "    def decide(self, view, decision): pass\n",
            "is abstract, and cannot be made: it lacks decide",
        ),
        (DECIDES + "    def __init__(self, level): pass\n", "wants arguments to be made"),
        (DECIDES + "    def on_event(self, event): pass\n", "found `on_event(event)`"),
        (DECIDES + "    def begin(self): pass\n", "expected `begin(seed)`, found `begin()`"),
    ],
)
def test_what_cannot_be_called_is_found_when_it_is_loaded(
    text: str, why: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(text)
    for name in ("", ":Mine"):
        with pytest.raises(BotError) as caught:
            load_bot(f"{path}{name}")
        said = str(caught.value)
        assert why.replace("FILE", str(path)) in said and said.count("\n") == 0


@pytest.mark.parametrize(
    "body",
    [
        "    def decide(self, *args): return args[1].default\n",
        "    def decide(self, view, decision, depth=3): return decision.default\n",
        "    @staticmethod\n    def decide(view, decision): return decision.default\n",
        "    @classmethod\n    def decide(cls, view, decision): return decision.default\n",
        "    decide = staticmethod(operator.itemgetter(0))\n",
        "    pass\n\nclass Own(Mine):\n    def decide(self, v, d): return d.default\n",
        "    level: int = 3\n    def decide(self, v, d): return d.default\n"
        "Mine = dataclasses.dataclass(Mine)\n",
    ],
)
def test_whatever_can_be_called_is_a_bot(body: str, tmp_path: Path) -> None:
    path = tmp_path / "random.py"  # which is not taken for the library's
    path.write_text(
        "from __future__ import annotations\nimport dataclasses, operator\n" + HEAD + body
    )
    assert isinstance(made(load_bot(str(path))), Bot)
    assert sys.modules["random"] is random


def test_a_bot_that_cannot_be_made(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(ONE + "    def __init__(self): raise SystemExit('no weights')\n")
    with pytest.raises(BotError) as caught:
        made(load_bot(str(path)))
    assert str(caught.value) == "First cannot be made: SystemExit: no weights (mine.py, line 8)"


def test_a_bot_of_several_files(tmp_path: Path) -> None:
    (tmp_path / "my_parts.py").write_text("WEAKEST = 0\n")
    path = tmp_path / "mine.py"
    path.write_text(
        "import my_parts\n" + ONE.replace("decision.default", "decision.choices[my_parts.WEAKEST]")
    )
    try:
        assert load_bot(str(path))().decide(VIEW, DECISION) == DECISION.choices[0]
    finally:
        sys.path.remove(str(tmp_path.resolve()))
        del sys.modules["my_parts"]


async def test_a_session_is_what_a_player_needs() -> None:
    """`Scripted` stands for this class."""
    assert callable(Session.run) and callable(Session.request)


async def test_a_single_choice_is_made_for_the_bot_after_the_same_pause(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """So that the time does not tell how many choices there were (rules.md I3)."""
    single = Decision(decision=3, kind="follow", choices=(PASS,), default=PASS)
    begun = trio.current_time()
    session, player, _ = await played(Bot(), single, delay=1.0, chance=random.Random(1))
    assert [act.choice for act in session.sent] == [PASS] and player.wrong == 0
    assert 0.3 <= session.when[0] - begun <= 1.9
    session, player, _ = await played(Bot(), single, threaded=True)
    assert [act.choice for act in session.sent] == [PASS] and player.wrong == 0
