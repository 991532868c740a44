"""One scripted client at somebody's server: it says what a check wants, and holds the server to it.

Whatever a check is about, every message is read as a client of version 1 reads it, an error has a
code of the list and a sentence, the numbers of events have no gap, and nothing comes behind a
`bye`. The fold and the witness of the deal are those of our own clients.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Sequence
from itertools import count
from typing import Any, Final, TypeVar

import msgspec
import trio
from msgspec import Struct

from dalmuti.client.conform.checks import Failed, Skipped, nonsense
from dalmuti.client.fold import fold
from dalmuti.core import events as ev
from dalmuti.core.events import Event
from dalmuti.core.moves import Move
from dalmuti.core.policy import greedy
from dalmuti.core.record import Verdict
from dalmuti.core.views import TableView
from dalmuti.core.witness import Witness
from dalmuti.protocol import messages as msg
from dalmuti.protocol.codec import UnknownEvent
from dalmuti.protocol.connection import NEED_DATA, Connection
from dalmuti.protocol.errors import ErrorCode, RemoteProtocolError
from dalmuti.protocol.text import safe_text

CODES: Final = frozenset(code.value for code in ErrorCode)
ANSWER_SECONDS: Final = 12.0
"""How long an answer, or something that has to come, may take."""
CROWDED: Final = "too_many_connections"
LAST: Final = 3
"""So many messages are remembered as what was sent last."""
M = TypeVar("M", bound=msg.Message)
E = TypeVar("E", bound=Event)


class Caller:
    """A connection to the server, and what a client knows of a table."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream = stream
        self.sent: deque[tuple[float, Any]] = deque(maxlen=LAST)
        """What was sent last, and when."""
        self.connection = Connection("client")
        self.welcome: msg.Welcome | None = None
        self.name = ""
        self.seen: list[Any] = []
        """Everything received, in order."""
        self.view: TableView | None = None
        self.view_name = ""
        """The name of the table that it is at, or was."""
        self.seq = 0
        self.token = ""
        self.player = 0
        self.decision: msg.Decision | None = None
        """What is asked and not answered yet."""
        self.verdicts: list[Verdict] = []
        self.ended = False
        """Whether the server has closed the connection."""
        self.first = b""
        """How what the server says begins."""
        self.waits_for = ""
        self.is_mute = False
        """Whether `ping` is left unanswered."""
        self.ids = count(1)
        self._witness: Witness | None = None
        self.bye: msg.Bye | None = None
        """What the server said last."""

    # -- sending ------------------------------------------------------------------------------

    async def send(self, *messages: Any) -> None:
        """Sends messages in one write."""
        await self._send(b"".join(map(self.connection.send, messages)), messages)

    async def send_bytes(self, data: bytes) -> None:
        """Sends whatever bytes; that the server has hung up is found when reading."""
        await self._send(data, (data,))

    async def _send(self, data: bytes, what: Sequence[Any]) -> None:
        self.sent.extend((trio.current_time(), each) for each in what)
        try:
            await self.stream.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            self.ended = True

    async def greet_with(self, data: bytes) -> None:
        """Sends a `hello` of a form of its own, and perhaps more behind it."""
        self.connection.send(msg.Hello(versions=(1, 1), name="x"))  # for its state
        await self.send_bytes(data)

    async def hello(self, name: str, **fields: Any) -> msg.Welcome:
        """Says hello and is welcomed."""
        await self.send(msg.Hello(versions=(1, 1), name=name, client="conform", **fields))
        return await self.hear(msg.Welcome)

    async def is_welcome(self, name: str, **fields: Any) -> bool:
        """Says hello; False if the server has too many connections now."""
        await self.send(msg.Hello(versions=(1, 1), name=name, client="conform", **fields))
        message = await self.receive("`welcome`")
        if isinstance(message, msg.Bye) and message.reason == CROWDED:
            return False
        if not isinstance(message, msg.Welcome):
            raise Failed(f"expected `welcome`, found `{tag(type(message))}`: {plain(message)}")
        return True

    async def request(self, kind: type[msg.Request], **fields: Any) -> int:
        """Asks for something and does not wait; returns the number of the request."""
        number = next(self.ids)
        await self.send(kind(id=number, **fields))
        return number

    async def ask(self, kind: type[msg.Request], **fields: Any) -> msg.Ok | msg.Error:
        """Asks for something and reads up to the answer. Who asks too fast waits and asks again."""
        while True:
            answer = await self.answer_to(await self.request(kind, **fields))
            if not isinstance(answer, msg.Error) or answer.code != "rate_limited":
                return answer
            if answer.bucket == "secret":
                raise Skipped(
                    "the server counts wrong passwords and tokens for each address, and there were"
                    " too many; try again later"
                )
            await trio.sleep((answer.retry_after_ms or 1000) / 1000)

    async def answer_to(self, number: int) -> msg.Ok | msg.Error:
        """Reads up to the answer to a request."""
        while True:
            message = await self.receive(f"the answer to request {number}")
            if isinstance(message, msg.Ok | msg.Error) and message.re == number:
                return message

    async def must(self, kind: type[msg.Request], **fields: Any) -> None:
        """Asks for something that has to be done."""
        answer = await self.ask(kind, **fields)
        if isinstance(answer, msg.Error):
            if answer.code == "draining":
                raise Skipped("the server is draining: it opens no more tables")
            raise Failed(
                f"expected `ok` to `{tag(kind)}`, found `{answer.code}`: {answer.message}",
                tag(kind),
            )

    async def must_not(
        self, codes: str | tuple[str, ...], kind: type[msg.Request], **fields: Any
    ) -> msg.Error:
        """Asks for something that has to be refused with this code, or one of these."""
        wanted = (codes,) if isinstance(codes, str) else codes
        answer = await self.ask(kind, **fields)
        found = answer.code if isinstance(answer, msg.Error) else "ok"
        if found not in wanted:
            raise Failed(f"expected `{'` or `'.join(wanted)}` to `{tag(kind)}`, found `{found}`")
        assert isinstance(answer, msg.Error)
        return answer

    # -- receiving ----------------------------------------------------------------------------

    async def receive(self, what: str, seconds: float | None = None) -> Any:
        """The next message. Raises Failed at the end of the connection, or when none comes."""
        message = await self.receive_or_end(what, seconds)
        if message is None:
            bye = self.bye
            why = f", after `bye` with `{bye.reason}`: {safe_text(bye.message)}" if bye else ""
            raise Failed(f"expected {what}, found the end of the connection{why}")
        return message

    async def receive_or_end(self, what: str, seconds: float | None = None) -> Any:
        """The next message, None when the server closes the connection."""
        self.waits_for = what
        seconds = ANSWER_SECONDS if seconds is None else seconds
        with trio.move_on_after(seconds):
            message = await self._next()
            if message is not None:
                self._take(message)
            if isinstance(message, msg.Ping) and not self.is_mute:
                await self.send(msg.Pong(n=message.n))
            return message
        raise Failed(f"expected {what} within {seconds:.3g} s, found nothing")

    async def _next(self) -> Any:
        try:
            while (message := self.connection.next_message()) is NEED_DATA:
                data = b"" if self.ended and self.bye else await self._some()
                if not data:
                    self.ended = True
                    return None
                if self.bye is not None:
                    raise Failed("expected nothing behind `bye`, found more", "reasons-of-a-bye")
                self.connection.receive_data(data)
            return message
        except RemoteProtocolError as error:
            raise nonsense(error) from None

    async def _some(self) -> bytes:
        try:
            data = bytes(await self.stream.receive_some(65536))
            self.first = self.first or data[:80]
            return data
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return b""

    def _take(self, message: Any) -> None:
        self.seen.append(message)
        match message:
            case msg.Welcome():
                self.welcome, self.name = message, message.name
            case msg.Bye():
                self.bye = message
            case msg.Error():
                if message.code not in CODES or not message.message.strip():
                    raise Failed(
                        "expected an error with a code of the list and a sentence, found"
                        f" {message.code!r}: {message.message!r}",
                        "error-codes",
                    )
            case msg.Seated():
                self.token, self.player = message.token, message.player
            case msg.Snapshot():
                self.view, self.seq, self.decision = message.table, message.seq, None
                self.view_name = message.table.table
                self._witness = Witness(message.table, self._witness)
            case msg.Decision():
                self.decision = message
            case msg.Unseated():
                self.view = self.decision = None
            case msg.EventMessage() | UnknownEvent():
                self._event(message)

    def _event(self, message: msg.EventMessage | UnknownEvent) -> None:
        if message.seq != self.seq + 1:
            raise Failed(
                f"expected event {self.seq + 1} as the next, found {message.seq}",
                "events-and-snapshots",
            )
        self.seq = message.seq
        if isinstance(message, UnknownEvent) or self.view is None:
            return
        self.view = fold(self.view, message.event)
        if self._witness is not None and (verdict := self._witness.watch(message.event)):
            self.verdicts.append(verdict)

    async def hear(self, kind: type[M], seconds: float | None = None) -> M:
        """The next message of one class; others are passed over."""
        while True:
            message = await self.receive(f"`{tag(kind)}`", seconds)
            if isinstance(message, kind):
                return message

    async def event(self, kind: type[E], seconds: float | None = None) -> E:
        """The next event of one class; everything else is passed over."""
        ends = trio.current_time() + (ANSWER_SECONDS if seconds is None else seconds)
        while True:
            left = max(0.0, ends - trio.current_time())
            message = await self.receive(f"the event `{tag(kind)}`", left)
            if isinstance(message, msg.EventMessage) and isinstance(message.event, kind):
                return message.event

    async def hear_bye(self, *reasons: str, seconds: float | None = None) -> msg.Bye:
        """The goodbye, and the end of the connection behind it."""
        named = f"`bye` with `{'` or `'.join(reasons)}`"
        ends = trio.current_time() + (ANSWER_SECONDS if seconds is None else seconds)
        while not isinstance(
            message := await self.receive(named, max(0.0, ends - trio.current_time())), msg.Bye
        ):
            pass
        if message.reason == CROWDED not in reasons:
            raise Skipped(f"the server takes no more connections now: {message.message}")
        if message.reason not in reasons:
            raise Failed(f"expected {named}, found `{message.reason}`: {message.message}")
        if await self.receive_or_end("the end of the connection behind `bye`") is not None:
            raise Failed(
                "expected the end of the connection behind `bye`, found more", "reasons-of-a-bye"
            )
        return message

    async def settle(self) -> None:
        """Asks `ping` and takes everything up to the `pong`."""
        number = secrets.randbelow(2**31)
        await self.send(msg.Ping(n=number))
        pong = await self.hear(msg.Pong)
        if pong.n != number:
            raise Failed(f"expected `pong` with the {number} of the `ping`, found {pong.n}", "pong")

    def events(self, kind: type[E]) -> list[E]:
        """All events of one class that it heard of."""
        return [
            each.event
            for each in self.seen
            if isinstance(each, msg.EventMessage) and isinstance(each.event, kind)
        ]

    # -- playing ------------------------------------------------------------------------------

    async def act(self, choice: Move | None = None) -> None:
        """Answers what is asked: as told, or as the greedy policy does."""
        decision = self.decision
        assert decision is not None
        cards = self.view.hand.cards if self.view and self.view.hand else None
        chosen = greedy(cards or (), decision.choices) if choice is None else choice
        self.decision = None
        await self.must(msg.Act, decision=decision.decision, choice=chosen)

    async def asked(self) -> msg.Decision:
        """Reads until something is to be decided."""
        while self.decision is None:
            await self.receive("`decision`")
        return self.decision

    async def play(self, until: type[Event] = ev.HandEnded) -> Event:
        """Plays until something happens."""
        while True:
            if self.decision is not None:
                await self._act_at_once()
            message = await self.receive(f"the event `{tag(until)}`")
            if isinstance(message, msg.EventMessage) and isinstance(message.event, until):
                return message.event

    async def _act_at_once(self) -> None:
        """Answers without waiting for the `ok`, so that nothing that comes before it is lost."""
        decision, self.decision = self.decision, None
        assert decision is not None
        cards = self.view.hand.cards if self.view and self.view.hand else None
        choice = greedy(cards or (), decision.choices)
        await self.request(msg.Act, decision=decision.decision, choice=choice)

    async def close(self) -> None:
        """Closes the connection without a word."""
        self.ended = True
        await trio.aclose_forcefully(self.stream)


def tag(kind: type[Struct]) -> str:
    """The name of a message's or an event's type."""
    return str(kind.__struct_config__.tag)


def plain(value: Any) -> Any:
    """A value as it is on the wire, to compare it or to show it."""
    return msgspec.to_builtins(value)
