"""One connection: one reader, one writer, one bounded outbox.

The reader takes one message after the other and waits until each is answered, so a client that
asks too fast holds up itself. The writer alone writes, and has an eye on how long the client has
been silent. Nobody ever waits for a client: `post` puts a message into the outbox or, when that is
full, gives the client up (`slow_consumer`); its seat stays and can be resumed. Nothing that goes
wrong here leaves `Peer.run`.
"""

from __future__ import annotations

import math
import os
from collections import deque
from typing import Protocol, TypeGuard

import trio

from dalmuti.core.events import Passed, Played, TrickEnded, Turn, WentOut
from dalmuti.protocol.connection import NEED_DATA, Connection, State, bye_for, error_for
from dalmuti.protocol.errors import (
    BadRequest,
    ByeReason,
    ErrorCode,
    LocalProtocolError,
    ProtocolError,
)
from dalmuti.protocol.messages import (
    Bye,
    ClientMessage,
    Error,
    EventMessage,
    Hello,
    Leave,
    Ok,
    Ping,
    Pong,
    Request,
    ServerMessage,
    Unseated,
    Welcome,
)
from dalmuti.server.doors import Place
from dalmuti.server.gate import Rates
from dalmuti.server.incidents import Incidents
from dalmuti.server.ladder.entrants import Entrant
from dalmuti.server.limits import Bucket, Limits
from dalmuti.server.log import Log, Value
from dalmuti.server.metrics import Metrics
from dalmuti.server.passwords import Wrong
from dalmuti.server.sessions import Caller
from dalmuti.server.strict import Strict
from dalmuti.server.table.room import Room

RECEIVE_SIZE = 8192
SEND_SIZE = 65536
MAY_WAIT = frozenset({Turn, Played, Passed, WentOut, TrickEnded})
"""What happens so often that some of it may come together, where the server is told so."""
LAST_WORDS = 1.0
"""Seconds in which the last messages to a client must be gone."""


class House(Protocol):
    """What a connection needs of the server."""

    incidents: Incidents
    metrics: Metrics

    def greet(self, peer: Peer, hello: Hello) -> Welcome:
        """Lets a client in. Raises RemoteProtocolError with the reason when it may not."""

    async def request(self, peer: Peer, request: Request) -> None:
        """Has a request done and answered."""

    def gone(self, peer: Peer) -> None:
        """The connection is over."""


class Peer:
    """A client's connection. `caller` is None until it has said hello."""

    def __init__(
        self,
        conn: int,
        stream: trio.abc.Stream,
        house: House,
        limits: Limits,
        log: Log,
        place: Place | None = None,
    ) -> None:
        """`place` is what the doors gave it, where the server has doors."""
        self.conn = conn
        self.address = "" if place is None else place.address
        self.caller: Caller | None = None
        self.room: Room | None = None
        """The table it is at."""
        self.entrant: Entrant | None = None
        """As whom it is enlisted in the ladder."""
        self.listing = False
        """Whether it wants to hear of changes in the lobby."""
        self.rates = Rates(limits)
        self._noise = Bucket(limits.noise_burst, limits.noise_per_second)
        self._place = place
        if place is not None:
            place.shut = self._make_room
        self._stream, self._house, self._limits, self._log = stream, house, limits, log
        self._connection = Connection("server")
        self._strict: Strict | None = None
        self._frame_began: float | None = None
        """When the frame began that is not complete yet."""
        self._silent_since: float | None = None
        """Since when the reader waits for bytes."""
        self._pinged = 0.0
        self._looking = trio.CancelScope()
        """Where the writer waits until it is time to `_look`."""
        self._at_end = False
        """Whether the client has closed its side."""
        self._outbox: deque[bytes] = deque()
        self._outbox_bytes = 0
        self._begun = False
        """Whether the system has taken a part of what is first in the outbox."""
        self._is_writing = False
        """Whether the writer has data in its hands."""
        self.may_wait = True
        """Whether nothing is in the outbox but the news of tricks, and that requests are done."""
        self._socket = stream.socket if _is_plain(stream) else None
        self._wake = trio.Event()
        self._ending = False
        self._reading = trio.CancelScope()
        self._writing = trio.CancelScope()

    # -- for the rest of the server ------------------------------------------------------------

    def post(self, message: ServerMessage) -> None:
        """Sends a message, without waiting. After a `bye` nothing more is sent."""
        self.put((message,))
        self._house.metrics.outbox(len(self._outbox), self._outbox_bytes)
        self._wake.set()

    def put(self, messages: tuple[ServerMessage, ...]) -> None:
        """Puts messages into the outbox. Call `flush` when there is no more to say for now.

        Several connections are best given the same tuple: its frames are made once.
        """
        if self._strict is not None and len(messages) > 1:  # what it reports comes in between
            for message in messages:
                self.put((message,))
            return
        if self._ending:
            return
        last = False
        for message in messages:
            if type(message) is EventMessage:
                self.may_wait = self.may_wait and type(message.event) in MAY_WAIT
            else:
                self._note_words(message)
                last = isinstance(message, Bye)
        try:
            frames, size = self._connection.send_all(messages)
        except LocalProtocolError:
            self._log.crash("cannot_send")
            self.end(ByeReason.ERROR, "the server cannot say what it should")
            return
        over = self._outbox_bytes + size > self._limits.outbox_bytes
        if over or len(self._outbox) + len(frames) > self._limits.outbox_items:
            self._empty()
            self._note("slow_consumer")
            self._house.metrics.slow_consumers += 1
            if last:
                self._finish()
            else:
                self.end(ByeReason.SLOW_CONSUMER, "you do not read what is sent to you")
            return
        self._outbox += frames
        self._outbox_bytes += size
        if last:
            self._finish()
        elif self._strict is not None:
            self._strict.sent(messages[0])

    def _empty(self) -> None:
        """Forgets the outbox. The rest of what was begun stays: half a frame and a `bye` behind it
        cannot be read."""
        begun = self._outbox.popleft() if self._begun else b""
        self._outbox_bytes -= sum(map(len, self._outbox))
        self._outbox.clear()
        if begun:
            self._outbox.append(begun)

    def _note_words(self, message: ServerMessage) -> None:
        """What is to be known of a message that is no event."""
        self.may_wait = self.may_wait and isinstance(message, Ok)
        if isinstance(message, Unseated):
            self.room = None
        elif isinstance(message, Error):
            self._house.metrics.errors[message.code] += 1
        elif isinstance(message, Bye):
            self._house.metrics.byes[message.reason] += 1

    def flush(self) -> None:
        """Writes what the system takes at once; the rest is the writer's.

        On a plain socket whose writer has nothing to do this saves waking a task for each frame,
        which is most of what a play costs.
        """
        self.may_wait = True
        self._house.metrics.outbox(len(self._outbox), self._outbox_bytes)
        if self._socket is None or self._is_writing or self._ending:
            self._wake.set()
            return
        while self._outbox:
            begun, data = self._begun, self._some()
            try:
                sent = os.write(self._socket.fileno(), data)
            except OSError:
                sent = 0  # it is full, or gone: the writer finds out
            self._outbox_bytes -= sent
            if sent < len(data):
                self._outbox.appendleft(data[sent:])
                self._begun = begun or sent > 0
                self._wake.set()
                return

    @property
    def behind(self) -> bool:
        """Whether something waits that the client has not taken yet."""
        return self._outbox_bytes > 0

    def end(self, reason: ByeReason, text: str) -> None:
        """Says `bye` and closes the connection."""
        self.post(Bye(reason=reason.value, message=text))

    def _make_room(self) -> None:
        """Somebody else wants the place of one who has not said hello."""
        self._note("made_room")
        self.end(ByeReason.TOO_MANY, "you said no hello, and others wait to come in")

    def _finish(self) -> None:
        """What is in the outbox is still sent, in a moment or never."""
        self._ending = True
        self._wake.set()
        self._reading.cancel()
        self._writing.deadline = min(self._writing.deadline, trio.current_time() + LAST_WORDS)

    # -- its life ------------------------------------------------------------------------------

    async def run(self) -> None:
        """Serves the client until the connection is over, and closes it."""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._write)
                try:
                    with self._reading:
                        await self._read()
                finally:
                    self._house.gone(self)
                    self._finish()
        except* Exception:
            self._log.crash("connection_crashed")
        finally:
            await trio.aclose_forcefully(self._stream)

    async def _read(self) -> None:
        try:
            hello = None
            with trio.move_on_after(self._limits.hello_seconds):
                hello = await self._next()
            if isinstance(hello, Hello):
                self.post(self._house.greet(self, hello))
                if hello.strict:
                    self._strict = Strict(self._say_strictly)
                    self._strict.heard(hello, self._connection.remark)
                if self._place is not None:
                    self._place.greeted()
                await self._serve()
            elif self._connection.state is State.START and hello is None and not self._at_end:
                self._note("hello_timeout")
                self.end(ByeReason.HELLO_TIMEOUT, "you said no hello in time")
        except ProtocolError as error:
            self._note(error.reason.value, during=self._connection.state.value)
            if isinstance(error, Wrong):
                await trio.sleep(error.seconds)
            self.post(bye_for(error))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return

    async def _serve(self) -> None:
        while True:
            message = await self._next()
            match message:
                case None | Bye():
                    return
                case Ping():
                    await self._not_too_often()
                    self.post(Pong(n=message.n))
                case Pong():
                    await self._not_too_often()
                case Leave():
                    await self._not_too_often()
                    await self._house.request(self, message)
                case Request():
                    await self._house.request(self, message)

    def _give_up(self, reason: ByeReason, text: str) -> None:
        """Ends the connection because of what the client does not do."""
        self._note(reason.value, during=self._connection.state.value)
        self.end(reason, text)

    def _say_strictly(self, text: str) -> None:
        self.post(Error(code=ErrorCode.STRICT.value, message=text))

    async def _not_too_often(self) -> None:
        """For what is always answered: who asks too often waits, and nobody else."""
        if seconds := self._noise.wait(trio.current_time()):
            await trio.sleep(seconds)
            self._noise.wait(trio.current_time())

    def _note(self, kind: str, **values: Value) -> None:
        self._house.incidents.note(
            self._log.warning, kind, self.address, trio.current_time(), **values
        )

    async def _next(self) -> ClientMessage | None:
        """The next valid message; None when the client has closed the connection."""
        while True:
            try:
                message = self._connection.next_message()
            except BadRequest as error:
                self._note("bad_request", code=error.code.value)
                await self._not_too_often()
                self.post(error_for(error))
                await trio.lowlevel.checkpoint()
                continue
            if message is not NEED_DATA:
                self._frame_began = None
                if self._strict is not None and self._strict.heard(
                    message, self._connection.remark
                ):
                    await self._not_too_often()
                return message
            self._silent_since = now = trio.current_time()
            if not self._connection.in_frame:
                self._frame_began = None
            elif self._frame_began is None:
                self._frame_began = now
                complete = now + self._limits.frame_seconds
                self._looking.deadline = min(self._looking.deadline, complete)
            data = await self._receive()
            self._silent_since = None
            if not data:
                self._at_end = True
                return None
            self._connection.receive_data(data)

    async def _receive(self) -> bytes:
        """What the stream has; empty at the end. On a plain socket it waits first and reads then:
        a client answers what it was told just now, so a look before that finds nothing, and an
        error is dear."""
        if self._socket is None:
            return bytes(await self._stream.receive_some(RECEIVE_SIZE))
        while True:
            await trio.lowlevel.wait_readable(self._socket)
            try:
                return os.read(self._socket.fileno(), RECEIVE_SIZE)
            except BlockingIOError:
                continue
            except OSError as error:
                raise trio.BrokenResourceError(str(error)) from error

    def _look(self) -> float:
        """Pings a silent client, and gives up a dead one. Returns when to look again.

        A frame that was begun has to be complete in time, however lively its bytes drip in. The
        writer does this when it has nothing else to do: a scope for each read costs much more.
        """
        limits, now, since = self._limits, trio.current_time(), self._silent_since
        if since is None or self._ending:
            return now + limits.ping_seconds
        complete, dead = math.inf, since + limits.dead_seconds
        if self._frame_began is not None:
            complete = self._frame_began + limits.frame_seconds
        if now >= complete:
            text = f"a frame must be complete after {limits.frame_seconds:g} seconds"
            self._give_up(ByeReason.FRAME_TIMEOUT, text)
        elif now >= dead:
            self._give_up(ByeReason.IDLE, "nothing was heard from you")
        elif now >= max(since, self._pinged) + limits.ping_seconds:
            self._pinged = now
            if self._connection.state is State.OPEN:
                self.post(Ping())
        return min(max(since, self._pinged) + limits.ping_seconds, dead, complete)

    async def _write(self) -> None:
        try:
            with self._writing:
                while self._outbox or not self._ending:
                    if not self._outbox:
                        self._wake = trio.Event()
                        with trio.CancelScope(deadline=self._look()) as self._looking:
                            await self._wake.wait()
                        continue
                    self._is_writing = True
                    if not await self._send(self._some()):
                        break
                    self._is_writing = False
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # the reader notices it as well, or is told below
        self._ending = True
        self._reading.cancel()

    def _some(self) -> bytes:
        """Takes as much out of the outbox as goes well into one write."""
        self._begun = False
        if self._outbox_bytes <= SEND_SIZE:
            data = b"".join(self._outbox)
            self._outbox.clear()
            return data
        parts = [self._outbox.popleft()]
        size = len(parts[0])
        while self._outbox and size + len(self._outbox[0]) <= SEND_SIZE:
            parts.append(self._outbox.popleft())
            size += len(parts[-1])
        return b"".join(parts)

    async def _send(self, data: bytes) -> bool:
        """False if the client did not take it in time; nothing can be sent after that."""
        with trio.move_on_after(self._limits.write_seconds) as scope:
            await self._stream.send_all(data)
        self._outbox_bytes -= len(data)
        if scope.cancelled_caught:
            self._note("slow_consumer")
            self._house.metrics.slow_consumers += 1
        return not scope.cancelled_caught


def _is_plain(stream: trio.abc.Stream) -> TypeGuard[trio.SocketStream]:
    """Whether bytes written to its descriptor are what the other side reads."""
    return isinstance(stream, trio.SocketStream) and os.name == "posix"
