"""A client that says what a test wants, over any stream, and a server over memory streams."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import count
from typing import Any, TypeVar

import trio
import trio.testing

from dalmuti.core.events import Event
from dalmuti.protocol import messages as msg
from dalmuti.protocol.connection import NEED_DATA, ClientConnection, Connection
from dalmuti.server.app import App, Stops
from dalmuti.server.config import Config
from dalmuti.server.lobby import Lobby
from dalmuti.server.log import Log
from dalmuti.server.peer import Peer
from dalmuti.server.store.keeping import Keeping
from dalmuti.server.store.store import Store
from dalmuti.server.table.house import BotJob
from dalmuti.server.table.table import Table

M = TypeVar("M", bound=msg.Message)
E = TypeVar("E", bound=Event)


class Client:
    """One end of a connection. Every method that waits fails the test after a while."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream = stream
        self.connection: ClientConnection = Connection("client")
        self.seen: list[Any] = []
        """Everything received, in order."""
        self._ids = count(1)
        self._at = 0

    async def send(self, message: Any) -> None:
        """Sends one message."""
        await self.stream.send_all(self.connection.send(message))

    async def hello(self, name: str, **fields: Any) -> msg.Welcome:
        """Says hello and is welcomed."""
        await self.send(msg.Hello(versions=(1, 1), name=name, **fields))
        return await self.next(msg.Welcome)

    async def ask(self, kind: type[msg.Request], **fields: Any) -> str:
        """Asks for something; "ok" or the code of the error."""
        number = next(self._ids)
        await self.send(kind(id=number, **fields))
        while True:
            answer = await self.receive()
            assert answer is not None, "no answer, but the end"
            if isinstance(answer, msg.Ok | msg.Error) and answer.re == number:
                return answer.code if isinstance(answer, msg.Error) else "ok"

    async def receive(self) -> Any:
        """The next message, None at the end."""
        with trio.fail_after(1000):
            while (message := self.connection.next_message()) is NEED_DATA:
                try:
                    data = await self.stream.receive_some(65536)
                except (trio.BrokenResourceError, trio.ClosedResourceError):
                    return None
                if not data:
                    return None
                self.connection.receive_data(data)
        self.seen.append(message)
        return message

    async def next(self, kind: type[M]) -> M:
        """The next message of one class; others are passed over."""
        while True:
            message = await self.receive()
            assert message is not None, f"waited for {kind.__name__}, found the end"
            if isinstance(message, kind):
                return message

    async def event(self, kind: type[E]) -> E:
        """The next event of one class; everything else is passed over."""
        while True:
            message = await self.next(msg.EventMessage)
            if isinstance(message.event, kind):
                return message.event

    async def play_until(self, kind: type[E]) -> E:
        """Takes every default until something happens."""
        while True:
            message = await self.next(msg.Message)
            if isinstance(message, msg.Decision):
                choice, number = message.default, message.decision
                await self.send(msg.Act(id=next(self._ids), decision=number, choice=choice))
            elif isinstance(message, msg.EventMessage) and isinstance(message.event, kind):
                return message.event

    async def rest(self) -> list[Any]:
        """Everything up to the end of the connection."""
        at = len(self.seen)
        while await self.receive() is not None:
            pass
        return self.seen[at:]

    def last(self, kind: type[M]) -> M:
        """The newest message of one class among those that were received."""
        return next(message for message in reversed(self.seen) if isinstance(message, kind))


class MemoryServer:
    """Everything of the server but its sockets."""

    def __init__(
        self,
        nursery: trio.Nursery,
        config: Config | None = None,
        make_table: Callable[..., Table] = Table,
        store: Store | None = None,
    ) -> None:
        self.config = config or Config()
        self.jobs: list[BotJob] = []
        self.log_text = io.StringIO()
        self.log = Log("json", self.log_text)
        self.keeping = Keeping(self.config, self.log, store)
        self.lobby = Lobby(
            self.config, self.log, nursery, self.jobs.append, make_table, self.keeping
        )
        nursery.start_soon(self.lobby.board.push_changes)
        self._nursery = nursery
        self._conns = count(1)

    def connect(self, *, lockstep: bool = False) -> Client:
        """A new connection; `lockstep` makes the server wait until the client reads."""
        pair = trio.testing.lockstep_stream_pair if lockstep else trio.testing.memory_stream_pair
        ours, theirs = pair()
        peer = Peer(next(self._conns), theirs, self.lobby, self.config.limits, self.log)
        self._nursery.start_soon(peer.run)
        return Client(ours)

    async def person(self, name: str, **fields: Any) -> Client:
        """Somebody who is welcome."""
        client = self.connect()
        await client.hello(name, **fields)
        return client

    async def table(self, *names: str, table: str = "Kitchen", **fields: Any) -> list[Client]:
        """A table with these people, the first as host."""
        people = [await self.person(name) for name in names]
        assert await people[0].ask(msg.CreateTable, table=table, **fields) == "ok"
        for person in people[1:]:
            assert await person.ask(msg.JoinTable, table=table) == "ok"
        for person in people:
            await person.next(msg.Snapshot)
        return people


class TcpServer:
    """A whole server on a free port of this machine; its clients are closed with it."""

    def __init__(self, app: App, log_text: io.StringIO) -> None:
        self.app = app
        self.log_text = log_text
        self._clients: list[Client] = []

    async def connect(self) -> Client:
        """A new connection."""
        host, _, port = self.app.addresses[0].rpartition(":")
        client = Client(await trio.open_tcp_stream(host, int(port)))
        self._clients.append(client)
        return client

    async def person(self, name: str) -> Client:
        """Somebody who is welcome."""
        client = await self.connect()
        await client.hello(name)
        return client

    async def close_clients(self) -> None:
        for client in self._clients:
            await trio.aclose_forcefully(client.stream)


@asynccontextmanager
async def running(
    stops: Stops | None = None,
    make_table: Callable[..., Table] = Table,
    **config: Any,
) -> AsyncIterator[TcpServer]:
    """A server that is stopped in an orderly way at the end. Its bots take no time."""
    text = io.StringIO()
    given: dict[str, Any] = {"listen": ("127.0.0.1:0",), "bot_delay": 0, **config}
    app = App(Config(**given), Log("json", text), make_table=make_table)
    async with trio.open_nursery() as nursery:
        await nursery.start(app.run, stops)
        server = TcpServer(app, text)
        try:
            yield server
        finally:
            app.stopping.set()
            await server.close_clients()
