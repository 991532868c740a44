"""The door through which a stranger's client plays: to the client a server, to the server a chair.

The chair belongs to the arena, and so does the seat. What the client says is read here, message by
message, and only its answers to decisions go on to the server. So nothing that a client does
reaches the table but its moves: when it is late, says what is no choice, floods, never reads or
goes away, the default is taken for it, and that is counted in its tally.
"""

from __future__ import annotations

import math
from time import perf_counter
from typing import Final

import trio
from msgspec.structs import replace

from dalmuti.client.arena.chair import Chair
from dalmuti.client.arena.plan import STRIKES, Tally
from dalmuti.client.model import Input
from dalmuti.core.events import MatchEnded
from dalmuti.core.options import TableOptions
from dalmuti.protocol.connection import NEED_DATA, Connection, bye_for, error_for
from dalmuti.protocol.errors import (
    BadRequest,
    ByeReason,
    ErrorCode,
    LocalProtocolError,
    RemoteProtocolError,
)
from dalmuti.protocol.messages import (
    Act,
    Bye,
    Decision,
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
    Seated,
    ServerMessage,
    Snapshot,
    TableInfo,
    Unseated,
    Welcome,
)
from dalmuti.protocol.text import skeleton

MOST_NOISE: Final = 1000
"""So many messages in one match that are no answer to a decision; a client has no use for ten."""
MOST_BYTES: Final = 1_000_000
"""So much may wait for a client that does not read."""
LONGEST: Final = 200
RECEIVE_SIZE: Final = 8192
LAST_WORDS: Final = 0.5
"""Seconds in which the last words to a client must be gone."""


class Gate:
    """One client at one table. A `Decider`, but for what concerns its process (`stranger`).

    `asked` is set when the client wants to sit down, `over` when it is not asked any more.
    """

    def __init__(
        self,
        chair: Chair,
        table: str,
        name: str,
        options: TableOptions,
        *,
        seconds: float,
        hard: bool,
    ) -> None:
        """`seconds` are for each decision, 0: no limit. With `hard` who exceeds them is given up at
        once: a client that minds the time itself must hang. Else he may be late `STRIKES` times."""
        self.tally = Tally()
        self.asked, self.over = trio.Event(), trio.Event()
        self.finished = False
        """Whether the match is over, so that nothing more is expected of the client."""
        self._chair, self._table, self._name, self._options = chair, table, name, options
        self._seconds = seconds or math.inf
        self._hard = hard
        self._connection = Connection("server")
        self._outbox: list[bytes] = []
        self._outbox_bytes = 0
        self._wake = trio.Event()
        self._reading = trio.CancelScope()
        self._ending = False
        """Whether the writer is to write what there is, and no more."""
        self._pending: Decision | None = None
        self._since = 0.0
        self._join: int | None = None
        """The number of the client's request to sit down."""
        self._requests: dict[int, int] = {}
        """The client's numbers of what was passed on, by the chair's."""
        self._noise = self._lates = 0

    # -- what the arena says ----------------------------------------------------------------------

    def hear(self, message: Input) -> None:
        """Passes on what the server says to the chair."""
        if isinstance(message, Decision):
            if self._pending is not None:
                self._count_late()  # the table's own clock was faster than ours
            self._pending, self._since = message, perf_counter()
            if self.over.is_set():
                self._not_asked()
                return
            self._post(message)
        elif isinstance(message, EventMessage | Snapshot | Unseated):
            if _is_last(message):
                self.finished = True
            self._post(message)
        elif isinstance(message, Seated):
            if self._join is not None:
                self._post(Ok(re=self._join))
            self._post(message)
        elif isinstance(message, Ok | Error) and message.re in self._requests:
            self._post(replace(message, re=self._requests.pop(message.re)))

    def check(self) -> None:
        """To be called now and then: looks at the clock."""
        if self._pending is None or perf_counter() - self._since <= self._seconds:
            return
        if self._hard:
            self.give_up("did not stop when its time was up", late=1)
        else:
            self._late()

    def give_up(self, why: str, *, late: int = 0, crashed: int = 0) -> None:
        """From now on the default is taken. Counted once."""
        if self.over.is_set():
            return
        self._post(Bye(reason=ByeReason.REFUSED.value, message=f"the arena gave you up: you {why}"))
        self.tally.given_up = why
        self.tally.late += late
        self.tally.crashed += crashed
        self._fault(why)
        self.over.set()
        self.asked.set()
        self._reading.cancel()
        if self._pending is not None:
            self._not_asked()

    def _not_asked(self) -> None:
        """Takes the default for one who is given up."""
        assert self._pending is not None
        self.tally.defaults += len(self._pending.choices) > 1
        self._default()

    def _default(self) -> None:
        pending, self._pending = self._pending, None
        assert pending is not None
        self._chair.request(Act, decision=pending.decision, choice=pending.default)

    def _count_late(self) -> None:
        self.tally.late += 1
        self._lates += 1
        self._fault("took too long")

    def _late(self) -> None:
        self._count_late()
        self._default()
        if self._lates >= STRIKES:
            self.give_up(f"took too long {STRIKES} times")

    def _fault(self, text: str) -> None:
        self.tally.first_fault = self.tally.first_fault or text[:LONGEST]

    # -- the client's connection ------------------------------------------------------------------

    async def serve(self, stream: trio.SocketStream) -> str:
        """Serves the client until it is gone, or given up; says how it went."""
        why = "closed its connection"
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._write, stream)
            try:
                with self._reading:
                    await self._read(stream)
            except RemoteProtocolError as error:
                self._post(bye_for(error))
                why = f"sent what is no message: {error}"
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                pass
            except Gone as gone:
                why = str(gone)
            self._ending = True
            self._wake.set()
            nursery.cancel_scope.deadline = trio.current_time() + LAST_WORDS
        return why

    async def _read(self, stream: trio.SocketStream) -> None:
        connection = self._connection
        while True:
            try:
                message = connection.next_message()
            except BadRequest as error:
                self._nonsense(error)
                continue
            if message is NEED_DATA:
                data = await stream.receive_some(RECEIVE_SIZE)
                if not data:
                    return
                connection.receive_data(data)
            elif isinstance(message, Act):
                self._act(message)
            else:
                self._count_noise()
                self._answer(message)

    async def _write(self, stream: trio.SocketStream) -> None:
        while self._outbox or not self._ending:
            if not self._outbox:
                self._wake = trio.Event()
                await self._wake.wait()
                continue
            data = b"".join(self._outbox)
            self._outbox.clear()
            try:
                await stream.send_all(data)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return  # the reader finds out
            self._outbox_bytes -= len(data)

    def _post(self, message: ServerMessage) -> None:
        """Sends a message to the client, if there is one that can hear it."""
        if self.over.is_set():
            return
        try:
            data = self._connection.send(message)
        except LocalProtocolError:
            return  # it has not said hello, or it has gone
        self._outbox.append(data)
        self._outbox_bytes += len(data)
        self._wake.set()
        if self._outbox_bytes > MOST_BYTES:
            self._outbox.clear()
            self._outbox_bytes = 0
            self.give_up("did not read what it was sent", crashed=1)

    def _count_noise(self) -> None:
        self._noise += 1
        if self._noise > MOST_NOISE:
            raise Gone(f"flooded its connection: more than {MOST_NOISE} messages to no purpose")

    # -- what the client says ---------------------------------------------------------------------

    def _nonsense(self, error: BadRequest) -> None:
        """What is no valid message answers no decision; the default does, if one is due."""
        self._count_noise()
        self._post(error_for(error))
        if self._pending is not None and error.code is ErrorCode.BAD_REQUEST:
            self._illegal(f"sent what is no message: {error}")

    def _illegal(self, text: str) -> None:
        self.tally.illegal += 1
        self._fault(text)
        self._default()

    def _act(self, act: Act) -> None:
        """Passes a choice on; for what is none the server has the words, and the default counts."""
        pending = self._pending
        if pending is None or act.decision != pending.decision:
            self._count_noise()
            self._pass_on(act)
            return
        seconds = perf_counter() - self._since
        if not self._hard and len(pending.choices) > 1:
            self.tally.times.add(seconds)
        if seconds > self._seconds:
            self.check()
            self._pass_on(act)
        elif act.choice in pending.choices:
            self._pending = None
            self._pass_on(act)
        else:
            self._pass_on(act)
            self._illegal(f"chose {act.choice}, which is not one of its choices")

    def _pass_on(self, act: Act) -> None:
        number = self._chair.request(Act, decision=act.decision, choice=act.choice)
        self._requests[number] = act.id

    def _answer(self, message: object) -> None:
        """What is answered here."""
        match message:
            case Hello():
                welcome: Welcome = self._chair.welcome
                self._post(replace(welcome, name=self._name, message=""))
            case Ping(n=n):
                self._post(Pong(n=n))
            case Bye():
                raise Gone("closed its connection")
            case ListTables(id=number):
                table = TableInfo(table=self._table, options=self._options, state="waiting")
                self._post(Ok(re=number))
                self._post(Lobby(tables=(table,)))
            case JoinTable(id=number) if skeleton(message.table) != skeleton(self._table):
                text = f"the only table here is {self._table!r}"
                self._post(Error(re=number, code="no_such_table", message=text))
            case JoinTable(id=number) if self._join is None and not message.watch:
                self._join = number
                self.asked.set()
            case Leave(id=number):
                self._post(Ok(re=number))
                raise Gone("left the table")
            case Nonce(id=number):
                text = "this table plays known deals"
                self._post(Error(re=number, code="no_nonce_now", message=text))
            case Request(id=number):
                text = "in an arena a player sits down and decides, and does nothing else"
                self._post(Error(re=number, code="refused", message=text))
            case _:
                pass  # a pong


def _is_last(message: EventMessage | Snapshot | Unseated) -> bool:
    """Whether no decision can follow."""
    if isinstance(message, EventMessage):
        return isinstance(message.event, MatchEnded)
    return isinstance(message, Unseated)


class Gone(Exception):
    """The client is not served any more; the text says what it did."""
