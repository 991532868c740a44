"""A seat at a real server: the connection to it, and the bot that decides there.

`Chair` is a session that goes from table to table, since to connect anew costs as much as a third
of a hand. `Sitter` plays one match with it: what `client.bot.Player` does, without a model of all
that a screen shows, which is most of the work of a client. It asks the bot through `seats.Seated`,
so that what counts as illegal, late or crashed is the same as over core.
"""

from __future__ import annotations

import random
import socket
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, Protocol

import anyio
import msgspec
import trio

from dalmuti.client.arena.plan import Tally
from dalmuti.client.arena.seats import Seated
from dalmuti.client.fold import fold, fold_all
from dalmuti.client.link import Link, Message, Stream
from dalmuti.client.model import Input
from dalmuti.client.session import Session
from dalmuti.core.events import Seen
from dalmuti.core.views import TableView
from dalmuti.protocol.connection import NEED_DATA
from dalmuti.protocol.framing import HEADER
from dalmuti.protocol.messages import (
    Act,
    Choice,
    ClientMessage,
    Decision,
    EventMessage,
    ServerMessage,
    Snapshot,
    Welcome,
)


class Wire:
    """A connection on Trio without what anyio adds to each call. A `link.Stream`."""

    def __init__(self, sock: socket.socket) -> None:
        """`sock` is connected. It is this object's from now on."""
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = sock

    def send_now(self, data: bytes) -> bytes:
        """Sends what the system takes at once; returns the rest."""
        try:
            return data[self._socket.send(data) :]
        except OSError:
            return data  # it is full, or gone: `send` finds out

    async def send(self, item: bytes, /) -> None:
        """Sends all of it."""
        while item:
            try:
                item = item[self._socket.send(item) :]
            except BlockingIOError:
                await self._wait(trio.lowlevel.wait_writable)
            except OSError as error:
                raise anyio.BrokenResourceError from error

    async def receive(self, max_bytes: int = 65536, /) -> bytes:
        """Some bytes, or EndOfStream. It waits first, since a look before that finds nothing."""
        while True:
            await self._wait(trio.lowlevel.wait_readable)
            try:
                data = self._socket.recv(max_bytes)
            except BlockingIOError:
                continue
            except OSError as error:
                raise anyio.BrokenResourceError from error
            if not data:
                raise anyio.EndOfStream
            return data

    async def _wait(self, wait: Callable[[socket.socket], Awaitable[None]]) -> None:
        try:
            await wait(self._socket)
        except (trio.ClosedResourceError, OSError) as error:
            raise anyio.ClosedResourceError from error

    async def aclose(self) -> None:
        """Closes it."""
        if self._socket.fileno() >= 0:
            trio.lowlevel.notify_closing(self._socket)
            self._socket.close()


class Line(Link):
    """A connection to our own server, which need not be mistrusted, and answers or is gone.

    So what it says is decoded by msgspec alone, without limits, in a fifth of the time; and nobody
    watches its silence. The handshake is that of every client. Events come many at once, and each
    comes to everyone at a table, so they are decoded once, and handed on together.
    """

    def __init__(
        self,
        stream: Stream,
        take: Callable[[Message], None],
        *,
        take_events: Callable[[list[EventMessage]], None],
    ) -> None:
        super().__init__(stream, take)
        self._take_events = take_events
        self._wire = stream if isinstance(stream, Wire) else None
        self._is_behind = False
        """Whether something had to wait in the outbox; from then on everything does."""

    def send(self, message: ClientMessage) -> None:
        """Sends at once what the system takes at once, without a task between."""
        if self._wire is None or self._is_behind or not self.is_open:
            super().send(message)
            return
        data = self._wire.send_now(self._connection.send(message))
        if data:
            self._is_behind = True
            self._outbox.send_nowait(data)

    async def _read(self) -> None:
        """Takes message after message, as fast as can be."""
        while not self.is_open:
            self._connection.receive_data(await self._receive())
            while (greeting := self._connection.next_message()) is not NEED_DATA:
                self._sort(greeting)
        data = b""
        while True:
            data += await self._receive()
            at, size = 0, len(data)
            events: list[EventMessage] = []
            while (start := at + HEADER) <= size:
                end = start + int.from_bytes(data[at:start], "big")
                if end > size:
                    break
                body = data[start:end]
                message = EVENTS.get(body) or decode(body)
                if type(message) is EventMessage:
                    events.append(message)
                else:
                    if events:
                        self._take_events(events)
                        events = []
                    self._sort(message)
                at = end
            if events:
                self._take_events(events)
            data = data[at:]


DECODER: Final = msgspec.msgpack.Decoder(ServerMessage)
EVENTS: Final[dict[bytes, EventMessage]] = {}
"""Events as they came of late, so that who hears the same need not decode it again."""
MOST_EVENTS: Final = 4096


def decode(body: bytes) -> ServerMessage:
    """What our own server says."""
    message = DECODER.decode(body)
    if type(message) is EventMessage:
        if len(EVENTS) >= MOST_EVENTS:
            EVENTS.clear()
        EVENTS[body] = message
    return message


def wire(port: int) -> Callable[[], Awaitable[Stream]]:
    """Opens connections to this port of this machine, where they are there at once."""

    async def connect() -> Stream:
        return Wire(socket.create_connection(("127.0.0.1", port), timeout=5))

    return connect


class Decider(Protocol):
    """Who decides in a chair."""

    tally: Tally
    """Complete once the sitting is `done`."""

    def hear(self, message: Input) -> None:
        """What the server says to this chair, and what the chair itself does."""

    def hear_events(self, messages: list[EventMessage]) -> None:
        """The same for events that came together."""

    async def ready(self) -> None:
        """Returns when it may be seated."""

    async def done(self) -> None:
        """Returns when it has nothing more to do with this item."""


class Chair(Session):
    """A connection that sits at one table after another, and does nothing in between."""

    def __init__(self, port: int, name: str, *, kind: str = "bot") -> None:
        super().__init__(
            wire(port),
            name=name,
            address=f"127.0.0.1:{port}",
            kind="human" if kind == "human" else "bot",
            stay=True,
            chance=random.Random(0),
        )
        self.link_type = partial(Line, take_events=self._take_events)
        self.hear: Callable[[Input], None] = lambda message: None
        """Who listens now."""
        self.hear_events: Callable[[list[EventMessage]], None] = lambda messages: None
        """The same, for events that came together."""
        self.ready = trio.Event()
        """Set as soon as the server has greeted us."""
        self.welcome: Welcome
        """How it did."""

    async def live(self) -> None:
        """Stays connected until it is cancelled; raises ConnectionError if the server is gone."""
        ended = await self.run(self._pass_on)
        raise ConnectionError(ended.text)

    async def _back_off(self, lost: str, delay: float) -> None:
        """Our own server does not come back."""
        raise ConnectionError(lost)

    def _pass_on(self, message: Input) -> None:
        if isinstance(message, Welcome):
            self.welcome = message
        self.hear(message)

    def _take_events(self, messages: list[EventMessage]) -> None:
        """As in every session, but that nobody verifies the deals of these tables."""
        if self._in_order(messages[0].seq):  # and so are those behind it
            self._seq = messages[-1].seq
            self.hear_events(messages)

    def _take(self, message: Message) -> None:
        super()._take(message)
        if isinstance(message, Snapshot):
            self._witness = None  # the deals are known, and the moves are held against the engine

    def _enter(self) -> None:
        self.ready.set()
        if self.seated is not None or self._entry is not None:
            super()._enter()

    def _add_nonce(self, hand: int, commitment: str) -> None:
        """Known deals take none."""


class Sitter:
    """Plays one match in a chair with a bot that runs in this process. A `Decider`."""

    def __init__(self, session: Session, seated: Seated) -> None:
        self.tally = seated.tally
        self._session, self._seated = session, seated
        self._table: TableView | None = None
        self._events: list[Seen] = []
        """What happened since, where the bot is told of no events."""

    def hear_events(self, messages: list[EventMessage]) -> None:
        """What happened."""
        if self._seated.listens:
            for message in messages:
                self.hear(message)
        else:
            self._events += [message.event for message in messages]

    def hear(self, message: Input) -> None:
        """Answers every decision; where there is one choice, without the bot."""
        if type(message) is EventMessage:
            if not self._seated.listens:
                self._events.append(message.event)
            elif self._table is not None:
                table = self._table
                self._table = after = fold(table, message.event)
                if after is not table:
                    self._seated.tell(after, message.event)
        elif isinstance(message, Decision):
            self._answer(message)
        elif isinstance(message, Snapshot):
            self._table = message.table
            self._events.clear()

    async def ready(self) -> None:
        """At once."""

    async def done(self) -> None:
        """At once, and the tally has its times."""
        self._seated.close()

    def _answer(self, decision: Decision) -> None:
        choice: Choice = decision.choices[0]
        if len(decision.choices) > 1 and self._table is not None:
            if self._events:
                self._table = fold_all(self._table, self._events)
                self._events.clear()
            choice = self._seated.choose(self._table, decision)
        self._session.request(Act, decision=decision.decision, choice=choice)
