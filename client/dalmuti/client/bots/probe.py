"""One connection to a server, one message at a time: what `dalmuti bot doctor` examines with.

A `Session` hides what goes wrong, and comes back by itself; here everything that is not as it
should be is a `Trouble` with a sentence that says what to do. Asking costs one round trip, which is
measured. What the server says about the table is followed as any client does (`model.reduce`), and
each deal is checked.
"""

from __future__ import annotations

import errno
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

import anyio

from dalmuti.client import words
from dalmuti.client.commands.parts import NO_CONNECTION, REFUSED
from dalmuti.client.link import CONNECT_SECONDS, PASSWORD_SECONDS, Lost, Stream, Untrusted
from dalmuti.client.model import Model, reduce
from dalmuti.client.trust import Trust
from dalmuti.core.record import Verdict
from dalmuti.core.witness import Witness
from dalmuti.protocol.codec import UnknownEvent
from dalmuti.protocol.connection import NEED_DATA, ClientConnection, Connection
from dalmuti.protocol.errors import RemoteProtocolError
from dalmuti.protocol.messages import (
    VERSIONS,
    Bye,
    Error,
    EventMessage,
    Hello,
    Message,
    Ok,
    Ping,
    Pong,
    Request,
    Snapshot,
    Welcome,
)
from dalmuti.protocol.text import safe_text

PATIENCE = 10.0
"""Seconds until an answer of the server is missed."""
M = TypeVar("M", bound=Message)


class Trouble(Exception):
    """Something is wrong; the text is sentences, `code` what the command exits with."""

    def __init__(self, text: str, code: int = NO_CONNECTION) -> None:
        super().__init__(text)
        self.code = code


class Probe:
    """A connection that has been opened."""

    def __init__(self, stream: Stream, where: str) -> None:
        """`where` the server is, for people."""
        self._where = where
        self.model = Model()
        self.seq: int | None = None
        self.verdicts: list[Verdict] = []
        """What became of each deal."""
        self.witness: Witness | None = None
        self._stream = stream
        self._connection: ClientConnection = Connection("client")
        self._first = b""
        self._ids = 0

    async def say(self, message: Any) -> None:
        """Sends a message. Raises Trouble."""
        try:
            await self._stream.send(self._connection.send(message))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            raise Trouble("The connection broke while something was sent.") from None

    async def hear(self, what: str, patience: float | None = None) -> Any:
        """The next message, while `what` is waited for. Raises Trouble; pings stay here."""
        patience = PATIENCE if patience is None else patience
        with anyio.move_on_after(patience):
            while True:
                message = await self._next(what)
                if isinstance(message, Bye):
                    raise Trouble(words.bye(message.reason, safe_text(message.message)), REFUSED)
                self._follow(message)
                if not isinstance(message, Ping):
                    return message
                await self.say(Pong(n=message.n))
        if self._connection.version is None:
            raise Trouble(words.silent(self._where, patience, with_password=patience > PATIENCE))
        raise Trouble(
            f"The server said nothing for {patience:g} s while {what} was due. It hangs, or"
            " something between here and there swallows what it says."
        )

    async def until(self, kind: type[M], patience: float | None = None) -> M:
        """The next message of this class."""
        while True:
            message = await self.hear(f"`{kind.__struct_config__.tag}`", patience)
            if isinstance(message, kind):
                return message

    async def ask(self, kind: type[Request], **fields: Any) -> float:
        """Makes a request; the seconds until its answer. Raises Trouble if it is refused."""
        self._ids += 1
        began, number = anyio.current_time(), self._ids
        await self.say(kind(id=number, **fields))
        while True:
            message = await self.hear("an answer")
            if isinstance(message, Error) and message.re == number:
                text = words.error(message.code, safe_text(message.message))
                tag = kind.__struct_config__.tag
                raise Trouble(f"The server refused `{tag}`: {text}", REFUSED)
            if isinstance(message, Ok) and message.re == number:
                return anyio.current_time() - began

    async def greet(self, name: str, password: str | None) -> Welcome:
        """Says hello. Raises Trouble with what is at the other end, if it is no such server."""
        await self.say(Hello(versions=VERSIONS, name=name, kind="bot", password=password))
        patience = PATIENCE if password is None else max(PATIENCE, PASSWORD_SECONDS)
        with anyio.move_on_after(patience):  # also for who says something, and never that
            return await self.until(Welcome, patience)
        raise Trouble(words.silent(self._where, patience, with_password=password is not None))

    async def close(self, politely: bool = True) -> None:
        """Ends the connection, with a word or without."""
        with suppress(Trouble, Exception), anyio.move_on_after(1):
            if politely:
                await self.say(Bye(reason="leaving"))
        await anyio.aclose_forcefully(self._stream)  # type: ignore[arg-type]  # anyio's have it

    async def _next(self, what: str) -> Any:
        try:
            while (message := self._connection.next_message()) is NEED_DATA:
                data = await self._stream.receive()
                self._first = self._first or data[:80]
                self._connection.receive_data(data)
            return message
        except RemoteProtocolError as error:
            raise Trouble(words.no_server(self._where, self._first, str(error))) from None
        except (anyio.EndOfStream, anyio.BrokenResourceError, ssl.SSLError):
            raise Silent(f"The server hung up without a word while {what} was due.") from None

    def _follow(self, message: Any) -> None:
        """Holds the table, the numbers of its events, and the witness of its deals."""
        if isinstance(message, EventMessage | UnknownEvent):
            if self.seq is not None and message.seq > self.seq + 1:
                raise Trouble(f"Event {self.seq + 1} never came: {message.seq} was the next.", 1)
            self.seq = message.seq
        elif isinstance(message, Snapshot):
            self.seq = message.seq
            self.witness = Witness(message.table, self.witness)
        self.model = reduce(self.model, message, anyio.current_time())
        if isinstance(message, EventMessage) and self.witness is not None:
            verdict = self.witness.watch(message.event)
            self.verdicts += [verdict] if verdict is not None else []


class Silent(Trouble):
    """The other end said nothing, or nothing to the purpose, and hung up."""


# -- opening one ------------------------------------------------------------------------------


async def address_of(host: str, port: int) -> list[str]:
    """The numbers of a name. Raises Trouble."""
    try:
        found = await anyio.getaddrinfo(host, port, type=1)  # a stream
    except (OSError, UnicodeError):
        raise Trouble(
            f"No computer is known here as {safe_text(host)!r}. Check how it is spelt, or take the"
            " number that the host's screen shows, such as 192.168.1.20."
        ) from None
    return list(dict.fromkeys(str(each[4][0]) for each in found))


async def open_to(host: str, port: int, trust: Trust | None) -> Probe:
    """A connection, with TLS where there is a `trust`. Raises Trouble."""
    where = f"{host} port {port}"
    connect: Callable[[], Awaitable[Stream]]
    connect = trust.connect if trust is not None else lambda: anyio.connect_tcp(host, port)
    try:
        with anyio.fail_after(2 * CONNECT_SECONDS if trust is not None else CONNECT_SECONDS):
            return Probe(await connect(), where)
    except TimeoutError:
        raise Trouble(
            f"Nothing at {where} answers within {CONNECT_SECONDS:g} s. The address is wrong, the"
            " machine is off, or a firewall lets nobody in: open TCP port"
            f" {port} on the server's machine."
        ) from None
    except Untrusted as error:
        raise Trouble(await _instead_of_tls(host, port) or str(error), REFUSED) from None
    except Lost as error:
        raise Trouble(await _instead_of_tls(host, port) or str(error)) from None
    except OSError as error:
        raise Trouble(_cannot_connect(where, port, error)) from None


def _cannot_connect(where: str, port: int, error: OSError) -> str:
    causes: list[BaseException | None] = [error, error.__cause__]
    if isinstance(error.__cause__, BaseExceptionGroup):
        causes += error.__cause__.exceptions
    numbers = {cause.errno for cause in causes if isinstance(cause, OSError)}
    if errno.ECONNREFUSED in numbers:
        return (
            f"The machine is there, but nothing listens at {where}. Start the server on it"
            " (`dalmuti host`, or `dalmuti-server --listen`), or give the port that its screen"
            " shows: HOST:PORT. A server that listens on 127.0.0.1 is for its own machine only."
        )
    if numbers & {errno.ENETUNREACH, errno.EHOSTUNREACH}:
        return f"There is no way from here to {where}. Are both on the same network?"
    return words.unreachable(where, error)


async def _instead_of_tls(host: str, port: int) -> str:
    """What to do about a server that speaks no TLS; "" if it does not speak without it either."""
    with suppress(Trouble):
        probe = await open_to(host, port, None)
        try:
            await probe.greet("doctor", None)
        except Silent:
            return ""
        except Trouble as trouble:
            if trouble.code != REFUSED:
                return str(trouble)
            if "TLS" in str(trouble):
                return ""
        finally:
            await probe.close()
        return "This server speaks without TLS: leave --tls and --fingerprint away."
    return ""


async def speaks_tls(host: str, port: int) -> bool:
    """Whether a server makes a TLS handshake, whatever its certificate."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with suppress(OSError, TimeoutError, anyio.EndOfStream, anyio.BrokenResourceError):
        with anyio.fail_after(CONNECT_SECONDS):
            stream = await anyio.connect_tcp(host, port, ssl_context=context)
        await anyio.aclose_forcefully(stream)
        return True
    return False
