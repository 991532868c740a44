"""A connection that is cut after every byte: the seat always resumes, and nobody else notices.

Bob's first connection is cut after one byte, the next after two, and so on through a whole session
of hello, resume, decisions and answers, in either direction, while a match goes on. Ada and Cleo
hear that he is lost and here again; his cards are never played by anybody else, and every state
they fold is the server's (server.md I-20, I-23; CVE-2010-4168).
"""

from __future__ import annotations

import pytest
import trio

from dalmuti.client.fold import fold
from dalmuti.core import events as ev
from dalmuti.core.views import TableView
from dalmuti.protocol import messages as msg
from dalmuti.server.config import Config
from dalmuti.server.limits import Limits
from server.wire import Client, MemoryServer

BYTES = {"to the server": 600, "to the client": 3500}
"""The bytes of a hello, a resume and eight answers; of a welcome, a resume and some tricks."""


class Cut(trio.abc.Stream):
    """A stream that ends after so many bytes in one direction."""

    def __init__(self, stream: trio.abc.Stream, direction: str, after: int) -> None:
        self._stream = stream
        self._sends = after if direction == "to the server" else 10**9
        self._receives = after if direction == "to the client" else 10**9

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        given = bytes(data)[: self._sends]
        self._sends -= len(given)
        if given:
            await self._stream.send_all(given)
        if not self._sends:
            await self._stream.aclose()
            raise trio.BrokenResourceError

    async def wait_send_all_might_not_block(self) -> None:
        await self._stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        if not self._receives:
            await self._stream.aclose()
            return b""
        data = bytes(await self._stream.receive_some(min(max_bytes or 4096, self._receives)))
        self._receives -= len(data)
        return data

    async def aclose(self) -> None:
        await self._stream.aclose()


class Person:
    """Somebody who plays by defaults, deals if he is host, and folds what he hears."""

    def __init__(self, client: Client, deals: bool = False) -> None:
        self.client, self.deals = client, deals
        self.view: TableView | None = None
        self.seq = 0
        self.hands = 0
        self.moves: list[ev.Played | ev.Passed] = []
        self.refused: list[str] = []
        self.token = ""
        for message in client.seen:
            self.note(message)

    def note(self, message: object) -> None:
        match message:
            case msg.Seated():
                self.token = message.token
            case msg.Snapshot():
                self.view, self.seq = message.table, message.seq
            case msg.EventMessage():
                assert self.view is not None and message.seq == self.seq + 1
                assert not isinstance(message.event, msg.Message)
                self.view, self.seq = fold(self.view, message.event), message.seq
                if isinstance(message.event, ev.Played | ev.Passed):
                    self.moves.append(message.event)
                if isinstance(message.event, ev.HandEnded):
                    self.hands += 1
            case msg.Error():
                self.refused.append(message.code)

    async def play(self) -> None:
        """Until the connection is over."""
        number = 1000
        while (message := await self.client.receive()) is not None:
            self.note(message)
            number += 1
            try:
                if isinstance(message, msg.Decision):
                    choice, decision = message.default, message.decision
                    await self.client.send(msg.Act(id=number, decision=decision, choice=choice))
                elif self.deals and isinstance(message, msg.EventMessage):
                    if isinstance(message.event, ev.HandPrepared):
                        await self.client.send(msg.Deal(id=number))
                elif isinstance(message, msg.Ping):
                    await self.client.send(msg.Pong(n=message.n))
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return


async def come_back(person: Person, server: MemoryServer, direction: str, after: int) -> bool:
    """One connection with a cut. Returns whether the seat was given back before it."""
    client = server.connect()
    client.stream = Cut(client.stream, direction, after)
    person.client = client
    try:
        await client.send(msg.Hello(versions=(1, 1), name="Bob"))
        welcome = await client.receive()
        if not isinstance(welcome, msg.Welcome):
            return False
        seq, instance = person.seq, welcome.instance
        await client.send(
            msg.Resume(id=1, table="Kitchen", token=person.token, seq=seq, instance=instance)
        )
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        return False
    await person.play()
    return any(isinstance(message, msg.Seated) for message in client.seen)


@pytest.mark.parametrize("direction", BYTES)
async def test_I20_I23_a_cut_after_every_byte_loses_nothing(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock, direction: str
) -> None:
    config = Config(bot_delay=0, limits=Limits(resume_events=64, listed=500))
    server = MemoryServer(nursery, config)
    options: dict[str, str | int] = {"revolution": "off", "turn_seconds": 0}
    clients = await server.table("Ada", "Bob", "Cleo", options=options)
    ada, bob, cleo = Person(clients[0], deals=True), Person(clients[1]), Person(clients[2])
    await bob.client.stream.aclose()
    nursery.start_soon(ada.play)
    nursery.start_soon(cleo.play)
    await clients[0].send(msg.Deal(id=1))
    came_back = 0
    for after in range(1, BYTES[direction]):
        came_back += await come_back(bob, server, direction, after)
    assert bob.refused == [], "the seat was always given back"
    assert came_back > BYTES[direction] // 4
    await come_back(bob, server, "to the client", 100_000)
    await trio.testing.wait_all_tasks_blocked()
    (room,) = server.lobby.rooms.values()
    for person, number in ((ada, 1), (cleo, 3)):
        assert person.refused == [] and person.hands > 3
        assert all(move.by == "player" for move in person.moves), "nobody played for him"
        snapshot = room.table.seating.snapshot(number, trio.current_time())
        assert (person.view, person.seq) == (snapshot.table, snapshot.seq)
    assert "crash" not in server.log_text.getvalue()
    nursery.cancel_scope.cancel()
