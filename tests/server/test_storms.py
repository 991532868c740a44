"""Storms: what a few busy or hostile connections may not do to everybody else (server.md I-77)."""

from __future__ import annotations

import trio

from dalmuti.core import events as ev
from dalmuti.protocol import messages as msg
from dalmuti.server.config import Config
from dalmuti.server.limits import Limits
from server.sim import NAME, Sim
from server.wire import MemoryServer

Nursery = trio.Nursery
Clock = trio.testing.MockClock


async def test_I34_leaving_and_coming_back_in_a_hand_is_limited(
    nursery: Nursery, autojump_clock: Clock
) -> None:
    """Everyone hears of each time: thousands a second would make them slow consumers."""
    server = MemoryServer(nursery)
    ada, bob = await server.table("Ada", "Bob")
    assert await ada.ask(msg.Deal) == "ok"
    answers: list[str] = []
    for _ in range(100):
        assert await bob.ask(msg.Leave) == "ok", "leaving always works"
        token = bob.last(msg.Seated).token
        answers.append(await bob.ask(msg.Resume, table="Kitchen", token=token))
        if answers[-1] != "ok":
            break
        await bob.next(msg.Seated)
    assert len(answers) < 60 and answers[-1] == "rate_limited"
    await trio.sleep(1)
    assert await bob.ask(msg.Resume, table="Kitchen", token=token) == "ok"


def test_I77_a_crowd_that_comes_and_goes_to_watch_is_limited_and_the_seats_are_not() -> None:
    """Each event has the names of all who watch: the table limits them, whoever they are."""
    sim = Sim(limits=Limits(watchers=50))
    answers: list[str] = []
    for number in range(300):
        conn = sim.connect(f"Guest{number}")
        answers.append(sim.ask(conn, msg.JoinTable, table=NAME, watch=True))
        if answers[-1] == "ok":
            assert sim.ask(conn, msg.Leave) == "ok"
    assert answers.count("ok") < 100 and set(answers) == {"ok", "rate_limited"}
    error = sim.viewers[conn].messages[-1]
    assert isinstance(error, msg.Error) and error.retry_after_ms
    sim.join("Bob")
    assert sim.ask(sim.host, msg.Deal) == "ok"
    sim.advance(error.retry_after_ms / 1000)
    assert sim.ask(conn, msg.JoinTable, table=NAME, watch=True) == "ok"


async def test_I77_who_has_not_read_the_last_lobby_gets_no_further_one(
    nursery: Nursery, autojump_clock: Clock
) -> None:
    """A lobby is complete and may be large, so the last one is enough for a slow line."""
    config = Config(limits=Limits(write_seconds=600, ping_seconds=500, dead_seconds=600))
    server = MemoryServer(nursery, config)
    slow = server.connect(lockstep=True)
    await slow.hello("Slow")
    assert await slow.ask(msg.ListTables) == "ok"
    await slow.next(msg.Lobby)
    ada = await server.person("Ada")
    for number in range(50):
        assert await ada.ask(msg.CreateTable, table=f"Table {number}") == "ok"
        await trio.sleep(1)
        assert await ada.ask(msg.Leave) == "ok"
        await trio.sleep(1)
    assert await ada.ask(msg.CreateTable, table="The last") == "ok"
    await trio.sleep(1)
    heard = 1
    while [info.table for info in (await slow.next(msg.Lobby)).tables] != ["The last"]:
        heard += 1
    assert heard < 5


async def test_a_slow_consumer_is_told_why(nursery: Nursery, autojump_clock: Clock) -> None:
    """Also when it is the bytes that are too many: nothing is left in the outbox but the bye."""
    limits = Limits(outbox_bytes=300_000, outbox_items=100_000, chat_burst=10_000)
    server = MemoryServer(nursery, Config(limits=limits))
    (ada,) = await server.table("Ada")
    slow = server.connect(lockstep=True)
    await slow.hello("Slow")
    assert await slow.ask(msg.JoinTable, table="Kitchen") == "ok"
    await slow.next(msg.Snapshot)
    while "slow_consumer" not in server.log_text.getvalue():
        assert await ada.ask(msg.Chat, text="x") == "ok"
    assert server.log_text.getvalue().count("slow_consumer") == 1
    *_, bye = await slow.rest()
    assert isinstance(bye, msg.Bye) and bye.reason == "slow_consumer"
    assert (await ada.event(ev.PresenceChanged)).presence == "lost"
