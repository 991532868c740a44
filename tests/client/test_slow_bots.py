"""Bots that think in a thread: the connection goes on, and nobody is called twice at once."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest
import trio
from msgspec.structs import replace

from client.test_bot import DECISION, VIEW, Scripted
from dalmuti.client.bot import Bot
from dalmuti.client.bots.player import Player
from dalmuti.client.model import Input, LinkChanged
from dalmuti.client.session import Ended, Session
from dalmuti.core.cards import Play, counts_of
from dalmuti.core.events import Chatted, Passed, Played, RevolutionCalled, Seen, Turn
from dalmuti.core.moves import legal_leads
from dalmuti.core.views import TableView
from dalmuti.protocol.messages import Choice, Decision, Error, EventMessage, Ok, Snapshot

FIRST = replace(DECISION, ms=5000)
LEFT = tuple(legal_leads(counts_of((1, 12, 12, 13))))
SECOND = replace(DECISION, decision=4, ms=5000, choices=LEFT)
"""After a 12 was played."""
Step = Input | Callable[[], Awaitable[Any] | None]


class Slow(Bot):
    """Thinks until it is let go, and notes what it is called for, in order."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.entered, self.go = threading.Event(), threading.Event()
        self._busy = threading.Lock()

    @property
    def is_busy(self) -> bool:
        """Whether it is in a call."""
        return self._busy.locked()

    def decide(self, view: TableView, decision: Decision) -> Choice:
        assert self._busy.acquire(blocking=False), "it was called twice at once"
        self.calls.append(f"decide {decision.decision}")
        self.entered.set()
        self.go.wait(60)
        self._busy.release()
        return Play(12, 2)

    def on_event(self, view: TableView, event: Seen) -> None:
        assert self._busy.acquire(blocking=False), "it was called twice at once"
        self.calls.append(type(event).__name__)
        self._busy.release()


class Steps(Scripted):
    """A session of messages, and of things that are done or waited for between them."""

    def __init__(self, *steps: Step) -> None:
        super().__init__()
        self.steps = steps

    async def run(self, on_message: Callable[[Input], None]) -> Ended:
        for step in (LinkChanged("open"), Snapshot(seq=1, table=VIEW), *self.steps):
            if callable(step):
                waited = step()
                if waited is not None:
                    await waited
            else:
                on_message(step)
        return Ended("closed")

    async def until_sent(self) -> None:
        while not self.sent:
            await trio.lowlevel.checkpoint()


def waits_for(event: threading.Event) -> Step:
    return lambda: trio.to_thread.run_sync(event.wait, 60)


def later(clock: trio.testing.MockClock, seconds: float) -> Step:
    return lambda: clock.jump(seconds)


async def run(bot: Slow, session: Steps) -> tuple[Player, list[str]]:
    reports: list[str] = []
    player = Player(cast(Session, session), bot, report=reports.append, threaded=True)
    with trio.fail_after(1000):
        await player.run()
    bot.go.set()
    return player, reports


async def test_the_game_goes_on_while_a_bot_thinks(mock_clock: trio.testing.MockClock) -> None:
    """Decision 3 runs out; what comes meanwhile is told after it; decision 4 is answered."""
    bot = Slow()
    session = Steps(
        FIRST,
        waits_for(bot.entered),
        EventMessage(seq=2, event=Chatted("Ada", "well?")),
        later(mock_clock, 6),
        EventMessage(seq=3, event=Played(0, Play(12, 1), 4, "clock")),
        EventMessage(seq=4, event=Passed(1)),
        EventMessage(seq=5, event=Turn("lead", (0,), 4, 5000)),
        SECOND,
        bot.go.set,
        lambda: session.until_sent(),
    )
    player, reports = await run(bot, session)
    assert bot.calls == ["decide 3", "Chatted", "Played", "Passed", "Turn", "decide 4"]
    assert [(act.decision, act.choice) for act in session.sent] == [(4, Play(12, 2))]
    assert (player.illegal, player.late, player.crashed) == (0, 1, 0)
    late, took = reports
    assert "Slow is late: 6.0 s went by over decision 3, for which it had 5.0 s" in late
    assert "the default was taken" in late and '"cards":[1,12,12,12,13]' in late
    assert took == "Slow took 6.0 s over decision 3."


async def test_a_decision_that_runs_out_before_the_bot_is_free_is_late_too(
    mock_clock: trio.testing.MockClock,
) -> None:
    bot = Slow()
    session = Steps(
        FIRST,
        waits_for(bot.entered),
        later(mock_clock, 6),
        EventMessage(seq=2, event=Passed(0, "clock")),
        SECOND,
        later(mock_clock, 6),
        EventMessage(seq=3, event=Passed(0, "clock")),
    )
    player, reports = await run(bot, session)
    assert player.late == 2 and bot.calls == ["decide 3"] and session.sent == []
    (late,) = reports  # the second is the same, and counted
    assert "over decision 3" in late
    assert player.faults.summary() == [f"2 times: {late.partition('. It saw')[0]}."]


async def test_who_is_interrupted_is_not_late(mock_clock: trio.testing.MockClock) -> None:
    """Somebody called a revolution, or the stand-in was faster: no fault of the bot."""
    for event in (RevolutionCalled(1), Passed(0, "standin")):
        bot = Slow()
        session = Steps(
            FIRST,
            waits_for(bot.entered),
            later(mock_clock, 2),
            EventMessage(seq=2, event=event),
            bot.go.set,
        )
        player, reports = await run(bot, session)
        assert player.wrong == 0 and session.sent == [] and reports == []


async def test_an_answer_waits_for_a_lost_connection(mock_clock: trio.testing.MockClock) -> None:
    """It is given when the question comes again; the bot is not asked a second time."""
    bot = Slow()
    session = Steps(
        FIRST,
        waits_for(bot.entered),
        LinkChanged("lost"),
        bot.go.set,
        lambda: answered(player),
        LinkChanged("open"),
        replace(FIRST, ms=3000),
        Ok(re=1),
        later(mock_clock, 9),
        EventMessage(seq=2, event=Passed(0)),
    )
    reports: list[str] = []
    player = Player(cast(Session, session), bot, report=reports.append, threaded=True)
    with trio.fail_after(1000):
        await player.run()
    assert bot.calls == ["decide 3"] and player.wrong == 0 and reports == []
    assert [act.decision for act in session.sent] == [3]


async def answered(player: Player) -> None:
    while player._asked is None or player._asked.choice is None:
        await trio.lowlevel.checkpoint()


async def test_an_answer_that_crosses_the_clock_is_late(
    mock_clock: trio.testing.MockClock,
) -> None:
    """The server's word decides: refused as stale after the time, it is late; before, it is not."""
    for seconds, late in ((6, 1), (1, 0)):
        bot = Slow()
        bot.go.set()
        session = Steps(FIRST)
        stale = Error(re=1, code="stale_decision", message="too late")
        session.steps += (session.until_sent, later(mock_clock, seconds), stale)
        player, _ = await run(bot, session)
        assert player.late == late and len(session.sent) == 1


async def test_bots_beside_a_slow_one_play_on(mock_clock: trio.testing.MockClock) -> None:
    slow, quick = Slow(), Slow()
    quick.go.set()
    there = trio.Event()
    waits = Steps(FIRST, waits_for(slow.entered), there.wait)
    plays = Steps(waits_for(slow.entered), FIRST)
    plays.steps += (plays.until_sent, there.set)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run, slow, waits)
        nursery.start_soon(run, quick, plays)
    assert len(plays.sent) == 1 and waits.sent == [] and slow.calls == ["decide 3"]


async def test_a_bot_that_never_returns_is_left_behind(
    mock_clock: trio.testing.MockClock,
) -> None:
    bot = Slow()
    session = Steps(FIRST, waits_for(bot.entered))
    player = Player(cast(Session, session), bot, threaded=True)
    await player.run()
    assert bot.is_busy and player.wrong == 0
    bot.go.set()


async def test_a_thread_that_raises_ctrl_c_is_a_crash_like_any_other(
    mock_clock: trio.testing.MockClock,
) -> None:
    class Quits(Slow):
        def decide(self, view: TableView, decision: Decision) -> Choice:
            raise KeyboardInterrupt

    session = Steps(FIRST, lambda: session.until_sent())
    player, reports = await run(Quits(), session)
    assert player.crashed == 1 and session.sent[0].choice == DECISION.default
    assert reports[0].startswith("Quits raised KeyboardInterrupt (test_slow_bots.py, line ")


async def test_a_bot_that_is_busy_for_ever_is_told_of_what_is_new_and_its_author_of_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A decision is not among what is dropped, however much comes after it."""
    monkeypatch.setattr("dalmuti.client.bots.player.MOST_WAITING", 5)
    bot = Slow()
    chats = [EventMessage(seq=seq, event=Chatted("Ada", "?")) for seq in range(4, 12)]
    session = Steps(
        FIRST,
        waits_for(bot.entered),
        EventMessage(seq=2, event=Played(0, Play(12, 1), 4, "standin")),
        EventMessage(seq=3, event=Turn("lead", (0,), 4, 5000)),
        SECOND,
        *chats,
        bot.go.set,
        lambda: session.until_sent(),
    )
    _, reports = await run(bot, session)
    assert bot.calls[:2] == ["decide 3", "decide 4"]
    assert [act.decision for act in session.sent] == [4]
    assert reports == [
        "Slow is behind: 5 events wait while it is busy; it does not hear of the oldest any more.",
        "Slow goes on; it did not hear of 6 events.",
    ]
    assert bot.calls.count("Chatted") <= 4
