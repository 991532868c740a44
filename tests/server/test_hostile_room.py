"""A hostile room: what strangers throw at a server over TCP while honest tables go on playing.

The attackers come from 127.0.0.2, as somebody else; the honest from 127.0.0.1. Nothing here asserts
times: an attack is over when it has done its work, and the tables must have finished hands since.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count

import pytest
import trio

from dalmuti.core import events as ev
from dalmuti.core.moves import DECLINE
from dalmuti.protocol import messages as msg
from dalmuti.protocol.connection import Connection
from dalmuti.protocol.framing import frame
from dalmuti.server.config import Config
from dalmuti.server.limits import Limits
from dalmuti.server.system import descriptors
from protocol.test_codec import HOSTILE
from server.wire import Client, MemoryServer, TcpServer, running

ELSEWHERE = "127.0.0.2"
LIMITS = Limits(
    hello_seconds=0.5, frame_seconds=0.5, connect_burst=5000, connect_per_second=5000, listed=200
)
OPTIONS: dict[str, str | int] = {"revolution": "off", "seats": 4}


class Room:
    """Two honest tables of three, and who attacks them."""

    def __init__(self, server: TcpServer) -> None:
        self.server = server
        self.hands: Counter[str] = Counter()
        self.foul: list[object] = []
        """What must not happen at an honest table."""

    async def table(self, nursery: trio.Nursery, name: str) -> None:
        people = [await self.server.person(f"{who} of {name}") for who in ("Ada", "Bob", "Cleo")]
        assert await people[0].ask(msg.CreateTable, table=name, options=OPTIONS) == "ok"
        for person in people[1:]:
            assert await person.ask(msg.JoinTable, table=name) == "ok"
        for person in people:
            nursery.start_soon(self._play, name, person, person is people[0])
        await people[0].send(msg.Deal(id=1))

    async def _play(self, name: str, client: Client, host: bool) -> None:
        number = count(1000)
        while (message := await client.receive()) is not None:
            client.seen.clear()
            match message:
                case msg.Decision():
                    act = msg.Act(
                        id=next(number), decision=message.decision, choice=message.default
                    )
                    await client.send(act)
                case msg.EventMessage(event=ev.HandPrepared()) if host:
                    self.hands[name] += 1
                    await trio.sleep(0.001)
                    await client.send(msg.Deal(id=next(number)))
                case msg.EventMessage(event=ev.Played(by=by) | ev.Passed(by=by)):
                    if by != "player":
                        self.foul.append(message)
                case msg.EventMessage(event=ev.PresenceChanged()) | msg.Bye():
                    self.foul.append(message)
                case msg.Error(code=code) if code != "too_few_players":
                    self.foul.append(message)

    async def go_on(self, hands: int = 2) -> None:
        """Until every honest table has finished so many more hands."""
        goal = {name: done + hands for name, done in self.hands.items()}
        with trio.fail_after(60):
            while any(self.hands[name] < number for name, number in goal.items()):  # noqa: ASYNC110  # bots count
                await trio.sleep(0.01)

    async def stranger(self) -> trio.SocketStream:
        """A connection from elsewhere."""
        host, _, port = self.server.app.addresses[0].rpartition(":")
        return await trio.open_tcp_stream(host, int(port), local_address=ELSEWHERE)

    def lines(self) -> Counter[str]:
        """How many lines the log has of each incident of the strangers."""
        lines = map(json.loads, self.server.log_text.getvalue().splitlines())
        return Counter(
            line["event"]
            for line in lines
            if line.get("address") == ELSEWHERE and "more" not in line
        )


@asynccontextmanager
async def hostile_room(limits: Limits = LIMITS) -> AsyncIterator[Room]:
    async with running(limits=limits) as server:
        room = Room(server)
        async with trio.open_nursery() as nursery:
            for name in ("Kitchen", "Parlour"):
                await room.table(nursery, name)
            with trio.fail_after(60):
                while len(room.hands) < 2:  # noqa: ASYNC110  # bots count
                    await trio.sleep(0.01)
            yield room
            await room.go_on()
            assert room.foul == []
            assert "crashed" not in server.log_text.getvalue()
            nursery.cancel_scope.cancel()


async def end_of(stream: trio.SocketStream) -> bytes:
    """All that comes until the server hangs up."""
    data = b""
    try:
        with trio.fail_after(60):
            while more := await stream.receive_some(65536):
                data += more
    except trio.BrokenResourceError:
        pass
    await trio.aclose_forcefully(stream)
    return data


async def greeted(room: Room, name: str = "Eve") -> Client:
    client = Client(await room.stranger())
    await client.hello(name)
    return client


# -- the attacks ------------------------------------------------------------------------------


async def idle_connections(room: Room) -> None:
    """A thousand that say nothing: their place is soon somebody else's (I-71)."""
    silent = [await room.stranger() for _ in range(min(1000, descriptors() - 300))]
    friend = await greeted(room, "Friend")
    assert await friend.ask(msg.ListTables) == "ok"
    await friend.stream.aclose()
    for stream in silent:
        await trio.aclose_forcefully(stream)


async def drip(room: Room) -> None:
    """One byte at a time, before the hello and after it."""

    async def dripping(stream: trio.abc.Stream, data: bytes) -> None:
        try:
            for byte in data:
                await stream.send_all(bytes([byte]))
                await trio.sleep(0.05)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return

    early = await room.stranger()
    late = await greeted(room)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(dripping, early, frame(b"x" * 900))
        nursery.start_soon(dripping, late.stream, frame(b"x" * 3000))
        assert b"hello_timeout" in await end_of(early)
        assert (await late.rest())[-1].reason == "frame_timeout"
        await trio.aclose_forcefully(late.stream)
        nursery.cancel_scope.cancel()


async def connects(room: Room) -> None:
    """Hundreds that come, say hello, and go (I-77)."""
    hello = Connection("client").send(msg.Hello(versions=(1, 1), name="Eve"))
    for number in range(400):
        stream = await room.stranger()
        if number % 2:
            await stream.send_all(hello)
        await trio.aclose_forcefully(stream)


async def corpus(room: Room) -> None:
    """Every kind of bytes that are no message, before and after the hello (I-75, I-78)."""
    for body in HOSTILE.values():
        for welcome in (False, True):
            stream: trio.abc.Stream = (
                (await greeted(room)).stream if welcome else await room.stranger()
            )
            assert isinstance(stream, trio.SocketStream)
            try:
                await stream.send_all(len(body).to_bytes(4, "big") + body)
            except trio.BrokenResourceError:
                pass
            assert b"bad_frame" in await end_of(stream)


async def garbage(room: Room) -> None:
    """Other protocols."""
    for data in (b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01" + b"\0" * 60, b"\xff" * 5000):
        stream = await room.stranger()
        await stream.send_all(data)
        assert b"bad_frame" in await end_of(stream)


async def wrong_fields(room: Room) -> None:
    """Sound maps that are no valid request, a few hundred of them: answered, slower and slower."""
    eve = await greeted(room)
    bad = (
        b"\x83\xa1t\xa3act\xa2id\x01\xa8decision\xcb\x7f\xf8\0\0\0\0\0\0",  # NaN
        b"\x83\xa1t\xa3act\xa2id\x01\xa8decision\xcf\xff\xff\xff\xff\xff\xff\xff\xff",
        b"\x83\xa1t\xa3act\xa2id\x01\xa8decision\xc3",
        b"\x83\xa1t\xa4chat\xa2id\x01\xa4text\x05",
        b"\x82\xa1t\xa5dance\xa2id\x01",
    )
    for _ in range(10):
        for body in bad:
            await eve.stream.send_all(frame(body))
            assert (await eve.next(msg.Error)).code in ("bad_request", "unknown_type")
    await eve.stream.aclose()


async def forged_tokens(room: Room) -> None:
    """Ten guesses, and then none for a while; the rightful owner is not shut out (I-10, I-11)."""
    eve = await greeted(room)
    answers = [
        await eve.ask(msg.Resume, table="Kitchen", token=f"FORGED{number}") for number in range(30)
    ]
    assert answers == ["bad_token"] * 10 + ["rate_limited"] * 20
    refused = eve.last(msg.Error)
    assert refused.bucket == "secret" and refused.retry_after_ms
    await eve.stream.aclose()


async def others_decisions(room: Room) -> None:
    """Answers for other seats, and requests of a host, from outside and from a chair behind."""
    eve = await greeted(room)
    for watching in (False, True):
        if watching:
            assert await eve.ask(msg.JoinTable, table="Kitchen", watch=True) == "ok"
        for decision in range(20):
            act = await eve.ask(msg.Act, decision=decision, choice=DECLINE)
            assert act in ("not_seated", "rate_limited")
        for kind in (msg.Deal, msg.Close):
            assert await eve.ask(kind) in ("not_seated", "not_host")
        assert await eve.ask(msg.Kick, player=1) in ("not_seated", "not_host")
    await eve.stream.aclose()


async def floods(room: Room) -> None:
    """Requests as fast as they go, answers unread."""
    eve = await greeted(room)
    number = count(1)
    try:
        with trio.move_on_after(2):
            while True:
                for message in (
                    msg.ListTables(id=next(number)),
                    msg.Chat(id=next(number), text="spam"),
                    msg.Ping(n=1),
                    msg.Leave(id=next(number)),
                    msg.Act(id=next(number), decision=1, choice=DECLINE),
                ):
                    await eve.send(message)
    except trio.BrokenResourceError:
        pass
    await trio.aclose_forcefully(eve.stream)


ATTACKS: list[Callable[[Room], Awaitable[None]]] = [
    idle_connections,
    drip,
    connects,
    corpus,
    garbage,
    wrong_fields,
    forged_tokens,
    others_decisions,
    floods,
]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
async def test_I71_I75_I77_I78_honest_tables_play_on(
    attack: Callable[[Room], Awaitable[None]],
) -> None:
    async with hostile_room() as room:
        await attack(room)
        lines = room.lines()
        lines.pop("connected", None), lines.pop("disconnected", None)
        assert all(number == 1 for number in lines.values()), lines


async def test_I71_seats_are_for_those_who_join(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    """A connection, and a hello too, takes no seat."""
    server = MemoryServer(nursery)
    (ada,) = await server.table("Ada", options={"seats": 4})
    crowd = [server.connect() for _ in range(50)]
    for number in range(50):
        crowd.append(await server.person(f"Guest {number}"))
    for name in ("Bob", "Cleo", "Dora"):
        friend = await server.person(name)
        assert await friend.ask(msg.JoinTable, table="Kitchen") == "ok"
    assert await ada.ask(msg.Deal) == "ok"
    nursery.cancel_scope.cancel()


async def test_I53_a_bot_at_full_speed_is_never_limited(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    """With buckets of next to nothing, and no time that passes: only refusals count."""
    limits = Limits(game_burst=2, game_per_second=0.001, standin_hands=0)
    server = MemoryServer(nursery, Config(bot_delay=0, limits=limits))
    ada, bob = await server.table("Ada", "Bob", options={"revolution": "off"})
    hands, number = 0, count(1)

    async def play(client: Client, host: bool) -> None:
        nonlocal hands
        while (message := await client.receive()) is not None:
            client.seen.clear()
            assert not isinstance(message, msg.Error), message
            if isinstance(message, msg.Decision):
                choice, decision = message.default, message.decision
                await client.send(msg.Act(id=next(number), decision=decision, choice=choice))
            elif isinstance(message, msg.EventMessage) and host:
                if isinstance(message.event, ev.HandPrepared):
                    hands += 1
                    if hands == 60:
                        nursery.cancel_scope.cancel()
                    await client.send(msg.Deal(id=next(number)))

    nursery.start_soon(play, bob, False)
    await ada.send(msg.Deal(id=next(number)))
    await play(ada, True)


async def test_a_frame_that_was_begun_has_to_be_completed(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    server = MemoryServer(nursery)
    ada, bob = await server.table("Ada", "Bob")
    began = trio.current_time()
    data = frame(b"x" * 3000)
    with pytest.raises(trio.BrokenResourceError):
        for byte in data:
            await ada.stream.send_all(bytes([byte]))
            await trio.sleep(1)
    assert trio.current_time() - began == pytest.approx(10, abs=1.01)
    assert (await ada.rest())[-1].reason == "frame_timeout"
    assert (await bob.event(ev.PresenceChanged)).presence == "lost"
    nursery.cancel_scope.cancel()
