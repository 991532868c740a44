"""Strict sessions: what is ignored otherwise is told, within bounds, and nothing else changes."""

from __future__ import annotations

from typing import Any

import msgpack
import trio

from dalmuti.core import events as ev
from dalmuti.protocol import messages as msg
from dalmuti.protocol.framing import frame
from dalmuti.server.config import Config
from dalmuti.server.limits import Limits
from dalmuti.server.strict import MOST_REPORTS
from server.wire import Client, MemoryServer

Nursery = trio.Nursery
Clock = trio.testing.MockClock


async def say(client: Client, **message: Any) -> None:
    await client.stream.send_all(frame(msgpack.packb(message)))


def reports(client: Client) -> list[str]:
    """All that a client was told as one who is strict."""
    errors = [message for message in client.seen if isinstance(message, msg.Error)]
    assert all(error.re is None for error in errors if error.code == "strict")
    return [error.message for error in errors if error.code == "strict"]


async def in_step(client: Client) -> None:
    """Everything that was said before was answered."""
    assert await client.ask(msg.Leave) == "ok"


async def test_unknown_fields_are_named_and_what_was_asked_is_done(
    nursery: Nursery, autojump_clock: Clock
) -> None:
    ada = await MemoryServer(nursery).person("Ada", strict=True)
    await say(ada, t="create", id=7, table="Kitchen", mood="good", **{"x" * 99: 1})
    ok = await ada.next(msg.Ok)
    assert ok.re == 7 and await ada.next(msg.Seated)
    names = f"'mood', '{'x' * 30}...'"
    assert reports(ada) == [f"create 7: no field of it is called {names}"]
    await say(ada, t="act", id=8, decision=1, choice={"do": "pass", "colour": "red"})
    assert (await ada.next(msg.Error)).message == "act 8: no field of it is called 'choice.colour'"
    assert (await ada.next(msg.Error)).code == "no_decision"
    await say(ada, t="ping", n=1, **{f"f{n}": n for n in range(60)})
    assert (await ada.next(msg.Error)).message.endswith("'f0', 'f1', 'f2', 'f3', 'f4' and 55 more")
    assert (await ada.next(msg.Pong)).n == 1


async def test_a_hello_may_be_wrong_as_well(nursery: Nursery, autojump_clock: Clock) -> None:
    client = MemoryServer(nursery).connect()
    client.connection.send(msg.Hello(versions=(1, 1), name="Ada"))
    await say(client, t="hello", versions=[1, 1], name="Ada", strict=True, nick="A")
    assert await client.next(msg.Welcome)
    assert (await client.next(msg.Error)).message == "hello: no field of it is called 'nick'"


async def test_others_are_told_nothing(nursery: Nursery, autojump_clock: Clock) -> None:
    ada = await MemoryServer(nursery).person("Ada")
    await say(ada, t="list", id=1, mood="good")
    await say(ada, t="pong")
    await in_step(ada)
    assert not [message for message in ada.seen if isinstance(message, msg.Error)]


TWICE = b"\x83\xa1t\xa5leave\xa2id\x01\xa2id\x02"


async def test_a_key_that_is_there_twice_does_not_end_a_strict_session(
    nursery: Nursery, autojump_clock: Clock
) -> None:
    server = MemoryServer(nursery)
    ada, bob = await server.person("Ada", strict=True), await server.person("Bob")
    for client in (ada, bob):
        await client.stream.send_all(frame(TWICE))
    error = await ada.next(msg.Error)
    assert (error.re, error.code) == (None, "bad_request")
    assert "the same key twice: 'id'" in error.message and "was not read" in error.message
    await in_step(ada)
    assert (await bob.rest())[-1].reason == "bad_frame"
    await ada.stream.send_all(frame(b"\x81\xa1t\xcb" + b"\0" * 7))  # any other nonsense does
    assert (await ada.rest())[-1].reason == "bad_frame"


async def test_decisions_that_run_out_are_told(nursery: Nursery, autojump_clock: Clock) -> None:
    """Each once; not those that were answered, and none where somebody else was faster."""
    server = MemoryServer(nursery, Config(bot_delay=0))
    ada = await server.person("Ada", strict=True)
    bob = await server.person("Bob")
    options = {"turn_seconds": 5, "revolution": "off", "first_hand_taxes": "off", "seats": 2}
    assert await ada.ask(msg.CreateTable, table="Kitchen", options=options) == "ok"
    assert await bob.ask(msg.JoinTable, table="Kitchen") == "ok"
    assert await ada.ask(msg.Deal) == "ok"
    nursery.start_soon(bob.play_until, ev.HandEnded)
    missed: list[int] = []
    answered = 0
    while True:
        message = await ada.next(msg.Message)
        if isinstance(message, msg.Decision):
            if message.decision % 3:
                answered += 1
                wrong = {"do": "play", "rank": 1, "count": 9}
                await say(ada, t="act", id=50, decision=message.decision, choice=wrong)
                act = msg.Act(id=51, decision=message.decision, choice=message.default)
                await ada.send(act)
            else:
                missed.append(message.decision)
                await say(ada, t="act", id=50, decision=message.decision, choice=wrong)
        elif isinstance(message, msg.EventMessage) and isinstance(message.event, ev.HandEnded):
            break
        elif isinstance(message, msg.Ping):
            await ada.send(msg.Pong(n=message.n))
    assert missed and answered
    assert reports(ada) == [
        f"decision {number} had 5000 ms and got no answer in time: the default was taken"
        for number in missed
    ]
    last = [message for message in ada.seen if isinstance(message, msg.Error | msg.EventMessage)]
    for at, message in enumerate(last):
        if isinstance(message, msg.Error) and message.code == "strict":
            before = last[at - 1]
            assert isinstance(before, msg.EventMessage)
            assert isinstance(before.event, ev.Played | ev.Passed) and before.event.by == "clock"


async def test_who_is_away_or_interrupted_has_missed_nothing(
    nursery: Nursery, autojump_clock: Clock
) -> None:
    server = MemoryServer(nursery)
    ada = await server.person("Ada", strict=True)
    bob = await server.person("Bob")
    assert await ada.ask(msg.CreateTable, table="Kitchen", options={"seats": 2}) == "ok"
    assert await bob.ask(msg.JoinTable, table="Kitchen") == "ok"
    assert await ada.ask(msg.Away) == "ok"
    assert await ada.ask(msg.Deal) == "ok"
    nursery.start_soon(bob.play_until, ev.HandEnded)
    while not (
        isinstance(message := await ada.next(msg.Message), msg.EventMessage)
        and isinstance(message.event, ev.HandEnded)
    ):
        if isinstance(message, msg.Ping):
            await ada.send(msg.Pong(n=message.n))
    await trio.sleep(14)
    await in_step(ada)
    assert any(isinstance(message, msg.Decision) for message in ada.seen)
    assert reports(ada) == []


async def test_pings_and_pongs(nursery: Nursery, autojump_clock: Clock) -> None:
    ada = await MemoryServer(nursery).person("Ada", strict=True)
    await ada.send(msg.Pong())
    assert (await ada.next(msg.Error)).message == "a pong came without a ping"
    ping = await ada.next(msg.Ping)
    await ada.send(msg.Pong(n=ping.n))
    await ada.next(msg.Ping)
    await trio.sleep(14)
    await ada.send(msg.Ping())  # it lives, and has not answered
    await ada.next(msg.Ping)
    assert "got no pong" in (await ada.next(msg.Error)).message
    assert len(reports(ada)) == 2


async def test_reports_are_no_way_to_make_a_server_talk(
    nursery: Nursery, autojump_clock: Clock
) -> None:
    """Who provokes them waits for them, and at some number there are no more."""
    limits = Limits(noise_burst=10, noise_per_second=10)
    ada = await MemoryServer(nursery, Config(limits=limits)).person("Ada", strict=True)
    began = trio.current_time()

    async def provoke() -> None:
        for number in range(MOST_REPORTS + 100):
            await say(ada, t="away", id=number, mood="bad")

    nursery.start_soon(provoke)
    answers = 0
    while answers < MOST_REPORTS + 100:
        message = await ada.next(msg.Message)
        answers += isinstance(message, msg.Error) and message.re is not None
    told = reports(ada)
    assert len(told) == MOST_REPORTS
    assert told[-1].endswith("(there are no more reports after this one)")
    assert all(len(text) < 300 for text in told)
    assert trio.current_time() - began > MOST_REPORTS / 20
