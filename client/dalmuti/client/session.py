"""The client's one connection: hello, enter, resume, back-off, nonces; typed messages in and out.

anyio, so that the same class runs on asyncio under the full screen and on Trio under bots and
tests. What the bytes mean is `protocol.connection`; what the messages mean is `client.model`; what
is here is when to connect, how long to wait, and what to say first. The clock is that of
`anyio.current_time()`.

    session = Session(connect, name="Ada", entry=JoinTable(id=0, table="Kitchen"))
    ended = await session.run(on_message)     # until closed, kicked, refused or lost for good
    session.request(Chat, text="hello")       # from anywhere in the loop: never blocks

`on_message` gets what the server says, `LinkChanged` about the link, `DealChecked` behind each
revealed deal, and each `Act` of our own as it is sent.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib.metadata import version
from typing import Any, Final, Literal, Protocol

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from msgspec import Struct
from msgspec.structs import replace

from dalmuti.client import words
from dalmuti.client.model import DealChecked, Input, LinkChanged
from dalmuti.core.events import HandPrepared
from dalmuti.core.witness import Witness
from dalmuti.protocol.codec import Unknown, UnknownEvent
from dalmuti.protocol.connection import NEED_DATA, ClientConnection, Connection, State, bye_for
from dalmuti.protocol.errors import LocalProtocolError, RemoteProtocolError
from dalmuti.protocol.messages import (
    VERSIONS,
    Act,
    Bye,
    ClientMessage,
    CreateTable,
    Error,
    EventMessage,
    Hello,
    JoinTable,
    Leave,
    ListTables,
    Lobby,
    Nonce,
    Ok,
    Ping,
    Pong,
    Request,
    Resume,
    Seated,
    ServerMessage,
    Snapshot,
    Unseated,
    Welcome,
)
from dalmuti.protocol.text import cut

CONNECT_SECONDS: Final = 5.0
PING_SECONDS: Final = 15.0
"""Silence after which we ask whether the server is there."""
DEAD_SECONDS: Final = 45.0
"""Silence after which the connection counts as lost."""
FIRST_DELAY, LAST_DELAY = 0.5, 8.0
"""Seconds before the first new attempt, and at most; each is twice the last, give or take."""
GIVE_UP_SECONDS: Final = 180.0
"""How long a lost connection is tried again."""
GOODBYE_SECONDS: Final = 2.0
"""How long we wait for the server to close after our bye."""
OUTBOX: Final = 256
FINAL_BYES = ("version_unsupported", "wrong_password", "bad_name", "bad_hello")

End = Literal["left", "closed", "kicked", "refused", "lost", "unreachable"]
EXIT_CODES: Final[dict[End, int]] = {
    "left": 0,
    "closed": 0,
    "kicked": 4,
    "refused": 4,
    "lost": 3,
    "unreachable": 3,
}
"""What the commands exit with (cli.md)."""


class Ended(Struct, frozen=True):
    """Why a session is over, as a sentence, and as the exit code of a command."""

    why: End
    text: str = ""

    @property
    def code(self) -> int:
        """The exit code that cli.md gives it."""
        return EXIT_CODES[self.why]


class Held(Struct, frozen=True):
    """A seat that is ours: what a later connection needs to have it back."""

    table: str
    token: str
    name: str = ""
    """Under which name we sit there."""


class SeatStore(Protocol):
    """Where the token of our seat outlives this process (`seats.SeatFile`)."""

    def save(self, table: str, token: str, name: str) -> None:
        """Keeps the newest token, and the name that sits there."""

    def forget(self) -> None:
        """The seat is not ours any more."""


class Stream(Protocol):
    """What is needed of a byte stream; anyio's TCP streams have it."""

    async def send(self, item: bytes, /) -> None:
        """Sends all of it."""

    async def receive(self, max_bytes: int = 65536, /) -> bytes:
        """Some bytes, or EndOfStream."""

    async def aclose(self) -> None:
        """Closes it."""


class _Lost(Exception):
    """The connection is gone, and may be tried again."""


class _Again(Exception):
    """Connect again at once, under another name."""


class _End(Exception):
    """The session is over."""

    def __init__(self, ended: Ended) -> None:
        super().__init__(ended.text)
        self.ended = ended


def tcp(host: str, port: int) -> Callable[[], Awaitable[Stream]]:
    """Opens TCP connections to this address. The opener raises OSError or TimeoutError."""

    async def connect() -> Stream:
        with anyio.fail_after(CONNECT_SECONDS):
            return await anyio.connect_tcp(host, port)

    return connect


class Session:
    """One client at one server, over as many connections as it takes."""

    def __init__(
        self,
        connect: Callable[[], Awaitable[Stream]],
        *,
        name: str,
        address: str = "the server",
        number_name: bool = False,
        kind: Literal["human", "bot"] = "human",
        password: str | None = None,
        entry: JoinTable | CreateTable | None = None,
        join_only: JoinTable | None = None,
        lobby: bool = False,
        stay: bool = False,
        held: Held | None = None,
        store: SeatStore | None = None,
        chance: random.Random | None = None,
    ) -> None:
        """Nothing happens before `run`.

        `entry` is asked once we are greeted, unless `held` gives a seat back; without one the
        lobby is asked for. With `join_only` (its table's name does not matter) the only table is
        joined; where there are none or several it is the end, unless `lobby` lets us wait there.
        `stay` goes back to the lobby when a table is left or cannot be joined; else that is
        the end. `number_name` makes `ada-2` of a name that is taken.
        """
        self.connect = connect
        self.address = address
        self.name = name
        self.seated: Held | None = held
        """The seat that is ours, with its newest token."""
        self._base, self._number_name, self._number = name, number_name, 1
        self._kind: Literal["human", "bot"] = kind
        self._password = password
        self._entry = entry
        self._join_only = join_only
        self._lobby, self.stay = lobby or stay, stay
        self._store = store
        self._chance = chance or random.Random()
        self._was_seated = False
        self._was_open = False
        self._seq: int | None = None
        self._instance: str | None = None
        self._seq_instance: str | None = None
        self._next_id = 1
        self._enter_id: int | None = None
        self._nonces: dict[int, Nonce] = {}
        self._nonce_for = ""
        self._witness: Witness | None = None
        self._connection: ClientConnection = Connection("client")
        self._outbox: MemoryObjectSendStream[bytes | None] | None = None
        self._scope: anyio.CancelScope | None = None
        self._closing: Ended | None = None
        self._on_message: Callable[[Input], None] = lambda message: None

    # -- what screens and bots call -----------------------------------------------------------

    def request(self, message_type: type[Request], **fields: Any) -> int:
        """Sends a request and returns its id; never blocks.

        Where it cannot be sent, an `error` comes back as if the server had said it.
        """
        request: Any = message_type(id=self._next_id, **fields)
        self._next_id += 1
        if isinstance(request, Act):
            self._on_message(request)
        try:
            if self._outbox is None or self._connection.version is None:
                raise LocalProtocolError("you are not connected at the moment")
            self._post(request)
        except LocalProtocolError as error:
            self._on_message(Error(re=request.id, code="refused", message=str(error)))
            return int(request.id)
        if isinstance(request, JoinTable | CreateTable):
            self._entry = request
        return int(request.id)

    def close(self, leave: bool = True, ended: Ended | None = None) -> None:
        """Ends the session: gets up from the table if `leave`, else the seat is held for us."""
        if self._closing is not None:
            return
        self._closing = ended or Ended("left")
        if self._outbox is not None and self._connection.version is not None:
            with suppress(LocalProtocolError):
                if leave and (self.seated or self._entry):
                    self._post(Leave(id=self._next_id))
                self._post(Bye(reason="leaving"))
                self._outbox.send_nowait(None)
                if leave:
                    self._forget()
                return
        if self._scope is not None:
            self._scope.cancel()

    async def run(self, on_message: Callable[[Input], None]) -> Ended:
        """Connects and stays connected; returns when all is over. Cancel it to drop everything."""
        self._on_message = on_message
        delay, lost_at = FIRST_DELAY, 0.0
        while self._closing is None:
            self._was_open = False
            if self._instance is None:
                self._say(LinkChanged("connecting"))
            try:
                await self._one_connection()
            except _End as end:
                return self._finish(end.ended)
            except _Again:
                continue
            except _Lost as lost:
                now = anyio.current_time()
                if self._was_open:
                    delay, lost_at = FIRST_DELAY, now
                elif self._instance is None:
                    return self._finish(Ended("unreachable", str(lost)))
                elif now - lost_at > GIVE_UP_SECONDS:
                    return self._finish(Ended("lost", f"{lost} Giving up."))
                await self._back_off(str(lost), delay)
                delay = min(LAST_DELAY, delay * 2)
        return self._finish(self._closing)

    def _finish(self, ended: Ended) -> Ended:
        """What was asked for by `close` goes before what came of it."""
        ended = self._closing or ended
        self._closing = ended
        self._say(LinkChanged("ended", ended.text))
        return ended

    async def _back_off(self, why: str, delay: float) -> None:
        if self._closing is not None:
            return
        seconds = delay * self._chance.uniform(0.75, 1.25)
        retry_at = anyio.current_time() + seconds
        self._say(LinkChanged("lost", words.reconnecting(why, seconds), retry_at))
        with anyio.CancelScope() as self._scope:
            await anyio.sleep(seconds)

    # -- one connection -----------------------------------------------------------------------

    async def _one_connection(self) -> None:
        """From connecting to the end of it, which is always _Lost, _Again or _End."""
        stream = await self._open()
        outbox, mail = anyio.create_memory_object_stream[bytes | None](OUTBOX)
        self._connection = Connection("client")
        self._outbox = outbox
        reason: _Lost | _Again | _End = _Lost("The server closed the connection.")
        try:
            async with anyio.create_task_group() as tasks:
                self._scope = tasks.cancel_scope
                tasks.start_soon(self._write, stream, mail)
                self._post(
                    Hello(
                        versions=VERSIONS,
                        name=self.name,
                        kind=self._kind,
                        client=f"dalmuti {version('dalmuti')}",
                        password=self._password,
                    )
                )
                try:
                    await self._read(stream)
                except (_Lost, _Again, _End) as error:
                    reason = error
                tasks.cancel_scope.cancel()
        finally:
            self._outbox = self._scope = None
            outbox.close()
            mail.close()
            with anyio.move_on_after(1, shield=True):
                await stream.aclose()
        raise reason

    async def _open(self) -> Stream:
        with anyio.CancelScope() as self._scope:
            try:
                return await self.connect()
            except TimeoutError:
                raise _Lost(f"{self.address} does not answer.") from None
            except OSError as error:
                raise _Lost(words.unreachable(self.address, error)) from None
        raise _Lost("Closed while connecting.")

    async def _write(self, stream: Stream, mail: MemoryObjectReceiveStream[bytes | None]) -> None:
        """One frame after the other; None is the end, after which the server closes."""
        async for data in mail:
            if data is None:
                if self._scope is not None:
                    self._scope.deadline = anyio.current_time() + GOODBYE_SECONDS
                return
            try:
                await stream.send(data)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return  # the reader finds out why

    async def _read(self, stream: Stream) -> None:
        """Every message, until the connection is gone. A silent server is asked, then given up."""
        silence = 0.0
        while True:
            data = None
            with anyio.move_on_after(PING_SECONDS):
                try:
                    data = await stream.receive()
                except anyio.EndOfStream:
                    raise _Lost("The server closed the connection.") from None
                except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                    raise _Lost("The connection is lost.") from None
            if data is None:
                silence += PING_SECONDS
                if silence >= DEAD_SECONDS:
                    raise _Lost("The server has been silent for too long.")
                if self._connection.version is not None:
                    self._post(Ping())
                continue
            silence = 0.0
            self._connection.receive_data(data)
            try:
                while (message := self._connection.next_message()) is not NEED_DATA:
                    self._take(message)
            except RemoteProtocolError as error:
                with suppress(LocalProtocolError):
                    self._post(bye_for(error))
                if self._instance is None:
                    raise _End(
                        Ended("refused", f"{self.address} is no Dalmuti server: {error}.")
                    ) from None
                raise _Lost("The server sent something that cannot be read.") from None

    def _post(self, message: ClientMessage) -> None:
        """Queues a message; after our own bye it is dropped. Raises LocalProtocolError.

        A server that takes nothing for so long that the queue is full is given up.
        """
        if self._closing is not None and self._connection.state is State.CLOSED:
            return
        if self._outbox is None:
            raise LocalProtocolError("you are not connected at the moment")
        data = self._connection.send(message)
        try:
            self._outbox.send_nowait(data)
        except anyio.WouldBlock:
            if self._scope is not None:
                self._scope.cancel()
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            raise LocalProtocolError("you are not connected at the moment") from None

    def _say(self, message: Input) -> None:
        self._on_message(message)

    # -- messages -----------------------------------------------------------------------------

    def _take(self, message: ServerMessage | Unknown | UnknownEvent) -> None:
        """What concerns the session itself; all else is passed on."""
        match message:
            case Ping(n=n):
                self._post(Pong(n=n))
                return
            case Pong():
                return
            case Ok(re=re) | Error(re=re) if re in self._nonces:
                nonce = self._nonces.pop(re)
                if isinstance(message, Ok) and self._witness is not None:
                    self._witness.gave_nonce(nonce.hand, nonce.nonce)
                return
            case Bye():
                self._bye(message)
            case Error() if message.re is not None and message.re == self._enter_id:
                if self._refused_entry(message):
                    return
            case EventMessage() | UnknownEvent():
                if not self._in_order(message.seq):
                    return
            case Snapshot():
                self._seq, self._seq_instance = message.seq, self._instance
                self._witness = Witness(message.table, self._witness)
            case Seated():
                name = self.seated.name if self.seated is not None else self.name
                self.seated = Held(message.table, message.token, name)
                self._was_seated = True
                if self._store is not None:
                    self._store.save(message.table, message.token, name)
            case Welcome():
                self._welcome(message)
                return
            case _:
                pass
        if isinstance(message, EventMessage) and isinstance(message.event, HandPrepared):
            self._add_nonce(message.event.hand, message.event.commitment)  # before a host deals
        elif isinstance(message, Snapshot) and message.table.next_commitment:
            self._add_nonce(message.table.next_hand, message.table.next_commitment)
        self._say(message)
        if isinstance(message, EventMessage) and self._witness is not None:
            verdict = self._witness.watch(message.event)
            if verdict is not None:
                self._say(DealChecked(verdict.hand, () if verdict.ok else verdict.reasons))
        match message:
            case Unseated():
                self._unseated(message)
            case Lobby():
                self._pick(message)
            case _:
                pass

    def _welcome(self, message: Welcome) -> None:
        """The link is open: enter where we want to be."""
        again = self._instance is not None and self._number == 1
        self._was_open = True
        self._instance = message.instance
        text = words.reconnected() if again else ""
        if message.name != self._base and self.seated is None:
            text = words.renamed(message.name)
        self.name = message.name
        self._say(LinkChanged("open", text))
        self._say(message)
        self._enter()

    def _enter(self) -> None:
        request: Resume | JoinTable | CreateTable | ListTables
        number = self._next_id
        if self.seated is not None:
            request = Resume(
                id=number,
                table=self.seated.table,
                token=self.seated.token,
                seq=self._seq,
                instance=self._seq_instance if self._seq is not None else None,
            )
        elif self._entry is not None:
            request = replace(self._entry, id=number)
        else:
            request = ListTables(id=number)
        self._next_id += 1
        self._enter_id = number
        self._post(request)

    def _refused_entry(self, message: Error) -> bool:
        """The way in is closed: try another, or it is the end. True if it was dealt with."""
        self._enter_id = None
        if self.seated is not None:
            self._forget()
            if self._was_seated and not self.stay:
                raise _End(Ended("lost", words.error(message.code, message.message)))
            if self._was_seated:
                self._entry = None
                self._say(Unseated(table="", reason="lost"))
            self._enter()
            return True
        if message.code == "name_taken" and self._number_name:
            self._next_name()
        text = words.error(message.code, message.message)
        if not self.stay:
            raise _End(Ended("refused", text))
        self._entry = None
        self._say(message)
        self._enter()
        return True

    def _next_name(self) -> None:
        """`ada` is taken: come again as `ada-2`."""
        self._number += 1
        if self._number > 20:
            return
        end = f"-{self._number}"
        self.name = cut(self._base, 20 - len(end), "") + end
        raise _Again

    def _bye(self, message: Bye) -> None:
        text = words.bye(message.reason, message.message)
        if message.reason == "bad_name" and self._number_name and "taken" in message.message:
            self._next_name()
        if message.reason in FINAL_BYES or (
            message.reason == "too_many_connections" and self._instance is None
        ):
            raise _End(Ended("refused", text))
        if message.reason == "replaced":
            self._store = None  # the file is the newer one's
            raise _End(Ended("lost", text))
        raise _Lost(text)

    def _in_order(self, seq: int) -> bool:
        """Whether an event is the next one; after a gap the connection is made anew to resume."""
        if self._seq is None or seq <= self._seq:
            return False
        if seq != self._seq + 1:
            self._seq = None
            raise _Lost("An event was missed.")
        self._seq, self._seq_instance = seq, self._instance
        return True

    def _unseated(self, message: Unseated) -> None:
        if message.reason != "replaced":
            self._forget()
        self._seq, self._entry, self._was_seated = None, None, False
        self._witness = None
        if not self.stay or message.reason == "replaced":
            why: End = {"kicked": "kicked", "closed": "closed", "left": "left"}.get(
                message.reason, "lost"
            )  # type: ignore[assignment]
            raise _End(Ended(why, words.unseated(message.reason)))
        self._enter()

    def _forget(self) -> None:
        self.seated = None
        if self._store is not None:
            self._store.forget()

    def _pick(self, lobby: Lobby) -> None:
        """Joins the only table there is, once, where that was asked for."""
        if self._join_only is None:
            return
        tables = [each.table for each in lobby.tables if not each.solo]
        if len(tables) == 1:
            self._entry = replace(self._join_only, table=tables[0])
            self._join_only = None
            self._enter()
        elif not self._lobby:
            raise _End(Ended("refused", words.which_table(tables)))
        elif tables:
            self._join_only = None

    def _add_nonce(self, hand: int, commitment: str) -> None:
        """Our own randomness for the next deal, once for each commitment."""
        if self.seated is None or commitment == self._nonce_for:
            return
        self._nonce_for = commitment
        nonce = Nonce(id=self._next_id, hand=hand, nonce=secrets.token_hex(16))
        self._next_id += 1
        self._nonces[nonce.id] = nonce
        self._post(nonce)
