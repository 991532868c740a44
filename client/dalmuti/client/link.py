"""One connection to a server: frames in and out, pings, the goodbye (anyio).

It knows the state machine of the protocol and the clock, and nothing of tables and seats. What
comes in goes to `take`; what goes out waits in a bounded queue, so that sending never blocks. The
end is always an exception, an `Over`: one of the link's own, or what `take` raised.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, Protocol

import anyio

from dalmuti.client import words
from dalmuti.client.i18n import tr
from dalmuti.protocol.codec import Unknown, UnknownEvent
from dalmuti.protocol.connection import NEED_DATA, ClientConnection, Connection, State, bye_for
from dalmuti.protocol.errors import LocalProtocolError, RemoteProtocolError
from dalmuti.protocol.messages import Bye, ClientMessage, Hello, Ping, Pong, ServerMessage

CONNECT_SECONDS: Final = 5.0
PING_SECONDS: Final = 15.0
"""Silence after which we ask whether the server is there."""
DEAD_SECONDS: Final = 45.0
"""Silence after which the connection counts as lost."""
GOODBYE_SECONDS: Final = 2.0
"""How long we wait for the server to close after our bye."""
WELCOME_SECONDS: Final = 10.0
"""How long a server may take to greet us. It has nothing else to do for it than to look us up."""
PASSWORD_SECONDS: Final = 35.0
"""The same where we give a password: a wrong one is answered late on purpose, after half a minute
at most."""
OUTBOX: Final = 256
"""Frames that wait to be sent; a server that takes none of so many is given up."""

Message = ServerMessage | Unknown | UnknownEvent


def patience_for(password: str | None) -> float:
    """How long the first welcome is waited for, in seconds."""
    return WELCOME_SECONDS if password is None else PASSWORD_SECONDS


class Over(Exception):
    """This connection is at its end."""


class Lost(Over):
    """The connection is gone, and may be tried again; the text is a sentence."""


class Nonsense(Lost):
    """The other side does not speak our protocol; `first` is how what it says begins."""

    def __init__(self, text: str, first: bytes = b"") -> None:
        super().__init__(text)
        self.first = first


class Unanswered(Lost):
    """The other side took the connection, and did not greet us within `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(words.no_welcome(seconds))
        self.seconds = seconds


class Untrusted(Over):
    """The other side is not the server it should be; the text is a sentence."""


class Stream(Protocol):
    """What is needed of a byte stream; anyio's TCP streams have it."""

    async def send(self, item: bytes, /) -> None:
        """Sends all of it."""

    async def receive(self, max_bytes: int = 65536, /) -> bytes:
        """Some bytes, or EndOfStream."""

    async def aclose(self) -> None:
        """Closes it."""


def tcp(host: str, port: int) -> Callable[[], Awaitable[Stream]]:
    """Opens TCP connections to this address. The opener raises OSError or TimeoutError."""

    async def connect() -> Stream:
        with anyio.fail_after(CONNECT_SECONDS):
            return await anyio.connect_tcp(host, port)

    return connect


class Link:
    """One connection, from its stream to its end."""

    def __init__(self, stream: Stream, take: Callable[[Message], None]) -> None:
        self._stream = stream
        self._take = take
        self._connection: ClientConnection = Connection("client")
        self._outbox, self._mail = anyio.create_memory_object_stream[bytes | None](OUTBOX)
        self._scope = anyio.CancelScope()
        self._first = b""
        self._patience, self._greeted_by = WELCOME_SECONDS, 0.0

    @property
    def is_open(self) -> bool:
        """Whether the server has greeted us and nobody has said goodbye."""
        return self._connection.state is State.OPEN

    def send(self, message: ClientMessage) -> None:
        """Queues a message. Raises LocalProtocolError if it cannot be sent, now or ever."""
        data = self._connection.send(message)
        try:
            self._outbox.send_nowait(data)
        except anyio.WouldBlock:
            self.drop()
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            raise LocalProtocolError(tr("you are not connected at the moment")) from None

    def goodbye(self) -> None:
        """Says bye behind all that is queued, and then gives the server a moment to close."""
        self.send(Bye(reason="leaving"))
        try:
            self._outbox.send_nowait(None)
        except anyio.WouldBlock:
            self.drop()

    def drop(self) -> None:
        """Ends the connection at once."""
        self._scope.cancel()

    async def run(self, hello: Hello, patience: float = WELCOME_SECONDS) -> None:
        """Says hello, then takes every message until the end. Always raises an Over.

        The welcome has to be there after `patience` seconds, whatever else comes.
        """
        reason: Over = Lost(tr("The server closed the connection."))
        self._patience, self._greeted_by = patience, anyio.current_time() + patience
        try:
            async with anyio.create_task_group() as tasks:
                with self._scope:
                    tasks.start_soon(self._write)
                    self.send(hello)
                    try:
                        await self._read()
                    except Over as over:
                        reason = over
                tasks.cancel_scope.cancel()
        finally:
            self._outbox.close()
            self._mail.close()
            with anyio.move_on_after(1, shield=True):
                await self._stream.aclose()
        raise reason

    async def _write(self) -> None:
        """One frame after the other; None is the end."""
        async for data in self._mail:
            if data is None:
                self._scope.deadline = anyio.current_time() + GOODBYE_SECONDS
                return
            try:
                await self._stream.send(data)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return  # the reader finds out why

    async def _read(self) -> None:
        """A silent server is asked whether it is there, then given up."""
        silence = 0.0
        while True:
            data = None
            seconds = PING_SECONDS
            if self._connection.version is None:
                seconds = self._greeted_by - anyio.current_time()
                if seconds <= 0:
                    raise Unanswered(self._patience)
            with anyio.move_on_after(seconds):
                data = await self._receive()
            if data is None:
                if self._connection.version is None:
                    continue
                silence += PING_SECONDS
                if silence >= DEAD_SECONDS:
                    raise Lost(tr("The server has been silent for too long."))
                if self.is_open:
                    self.send(Ping())
                continue
            silence = 0.0
            self._first = self._first or data[:80]
            self._connection.receive_data(data)
            try:
                while (message := self._connection.next_message()) is not NEED_DATA:
                    self._sort(message)
            except RemoteProtocolError as error:
                with suppress(LocalProtocolError):
                    self.send(bye_for(error))
                raise Nonsense(str(error), self._first) from None

    async def _receive(self) -> bytes:
        try:
            return await self._stream.receive()
        except anyio.EndOfStream:
            raise Lost(tr("The server closed the connection.")) from None
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            raise Lost(tr("The connection is lost.")) from None

    def _sort(self, message: Message) -> None:
        """Pings stay here."""
        if isinstance(message, Ping):
            if self.is_open:
                self.send(Pong(n=message.n))
        elif not isinstance(message, Pong):
            self._take(message)
