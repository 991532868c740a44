"""Faults of bots: the first of each kind in full, then how often."""

from __future__ import annotations

from typing import cast

import trio.testing
from msgspec.structs import replace

from client.test_bot import DECISION, VIEW, Scripted
from dalmuti.client.bot import Bot
from dalmuti.client.bots.faults import EVERY, KINDS, Faults
from dalmuti.client.bots.player import Player
from dalmuti.client.session import Session
from dalmuti.core.views import TableView
from dalmuti.protocol.messages import Choice, Decision, Snapshot


def test_the_first_of_each_kind_and_every_hundredth_are_told() -> None:
    told: list[str] = []
    faults = Faults(told.append)
    for number in range(2 * EVERY + 50):
        faults.tell("late", f"Slow is late: {number}.5 s went by", " It saw {}")
    faults.tell("illegal", "Slow chose None", " It saw {}")
    assert told == [
        "Slow is late: 0.5 s went by. It saw {}",
        f"so far {EVERY} times: Slow is late: 0.5 s went by.",
        f"so far {2 * EVERY} times: Slow is late: 0.5 s went by.",
        "Slow chose None. It saw {}",
    ]
    assert faults.summary() == [f"{2 * EVERY + 50} times: Slow is late: 0.5 s went by."]


def test_a_bot_that_says_something_else_each_time_is_told_of_so_often_and_no_more() -> None:
    told: list[str] = []
    faults = Faults(told.append)
    for number in range(1000):
        faults.tell("illegal", f"Odd chose '{'x' * number}'", " It saw {}")
    in_full = [line for line in told if line.endswith("It saw {}")]
    assert len(in_full) == KINDS + 1 and len(told) < KINDS + 1 + 1000 // EVERY
    assert faults.summary() == [f"{1000 - KINDS:,} times: otherwise illegal."]


async def test_a_bot_that_fails_in_every_decision_shows_one_view(
    autojump_clock: trio.testing.MockClock,
) -> None:
    class Careless(Bot):
        def decide(self, view: TableView, decision: Decision) -> Choice:
            raise ZeroDivisionError("division by zero")

    reports: list[str] = []
    decisions = [replace(DECISION, decision=number) for number in range(1, EVERY + 1)]
    session = Scripted(Snapshot(seq=1, table=VIEW), *decisions)
    player = Player(cast(Session, session), Careless(), report=reports.append)
    await player.run()
    assert player.crashed == player.asked == EVERY == len(session.sent)
    assert len(reports) == 2 and sum("It saw" in line for line in reports) == 1
    assert reports[1].startswith("so far 100 times: Careless raised ZeroDivisionError")
    (line,) = player.faults.summary()
    assert line.startswith("100 times: Careless raised ZeroDivisionError: division by zero (")
