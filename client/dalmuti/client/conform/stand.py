"""What a check of a client stands on: a listener, the client's program, one connection, one table.

The other side of every connection is held to the protocol as it comes: each frame must be one that
a server understands, each answer must be one of the choices and come once. So a check says only
what is special about it, and plays on.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, TypeVar

import msgspec
import trio
from msgspec import Struct

from dalmuti.client.conform import program, wire
from dalmuti.client.conform.checks import Failed, Skipped
from dalmuti.client.conform.guest import Gone, Guest
from dalmuti.client.conform.table import GRACE_MS, Table
from dalmuti.core.options import options_from
from dalmuti.protocol import messages as msg

TABLE: Final = "Conformance"
NAME: Final = "Candidate"
HELLO_SECONDS: Final = 20.0
"""A program may take its time to start, and to come back."""
ANSWER_SECONDS: Final = 12.0
"""How long a decision, or an answer to a `ping`, may take."""
SETTLE_SECONDS: Final = 0.3
"""How long we listen where nothing has to come."""
LIMITS: Final = msg.Limits(
    frame_to_server=4096,
    frame_to_client=262144,
    chat_length=200,
    name_width=20,
    ping_after_ms=15000,
    dead_after_ms=45000,
    grace_ms=GRACE_MS,
    resume_events=512,
    rates={
        "chat": msg.Rate(limit=10, window_ms=10000),
        "lobby": msg.Rate(limit=40, window_ms=8000),
        "game": msg.Rate(limit=100, window_ms=5000),
        "nonce": msg.Rate(limit=100, window_ms=5000),
    },
)
M = TypeVar("M", bound=msg.Message)


class Stand:
    """The surroundings of one check of a client."""

    def __init__(self, client: program.Program, listener: trio.SocketListener) -> None:
        self.client = client
        self.waits_for = ""
        self.welcome = msg.Welcome(
            version=1, server="conformance", instance="FIRST", name=NAME, limits=LIMITS
        )
        self.hello: msg.Hello | None = None
        self.shape: wire.Shape = wire.usual
        self.cut: wire.Cut = wire.whole
        self.tokens: list[str] = []
        """All that were given, the newest last."""
        self.answered: dict[int, msg.Choice] = {}
        """The decisions that the client has made."""
        self.left = False
        """Whether the client got up when the match was over, as it may."""
        self._listener = listener
        self._guest: Guest | None = None
        self._table: Table | None = None

    @property
    def guest(self) -> Guest:
        """The connection there is."""
        assert self._guest is not None
        return self._guest

    @property
    def table(self) -> Table:
        """The table there is."""
        assert self._table is not None
        return self._table

    def set_table(self, *, wanted: Any = None, **given: Any) -> Table:
        """Opens the table. `given` are options by name, and what `Table` takes."""
        own = {key: given.pop(key) for key in ("others", "place", "fair") if key in given}
        options = options_from({"seats": 4, "turn_seconds": 60, **given})
        self._table = Table(TABLE, options, wanted=wanted, **own)
        return self._table

    # -- connections --------------------------------------------------------------------------

    async def accept(self) -> Guest:
        """The next connection of the client. Raises Gone when its program ends instead."""
        self.waits_for = "a connection"
        found: list[trio.SocketStream] = []

        async def ended(scope: trio.CancelScope) -> None:
            await self.client.process.wait()
            await trio.sleep(0.2)
            scope.cancel()

        with trio.move_on_after(HELLO_SECONDS) as scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(ended, scope)
                found.append(await self._listener.accept())
                nursery.cancel_scope.cancel()
        if not found:
            raise Gone(f"expected a connection, found none: {self.client.describe()}")
        self._guest = Guest(found[0])
        self._guest.shape, self._guest.cut = self.shape, self.cut
        return self._guest

    async def greet(self) -> Guest:
        """A connection whose `hello` is read and answered."""
        guest = await self.accept()
        self.hello = await self.expect(msg.Hello)
        await guest.send(self.welcome)
        return guest

    async def enter(self) -> Guest:
        """The client connects and sits down at the table."""
        guest = await self.greet()
        while not self.table.connected:
            self.waits_for = "`join`"
            await self.serve(await self.read())
        await self.flush()
        return guest

    async def cut_off(self) -> None:
        """The connection is lost. What the client had sent before is forgotten."""
        self.table.connected = False
        self.table.out.clear()
        await self.guest.close()
        if self.table.client is not None:
            self.table.presence(self.table.client, "lost", GRACE_MS)

    async def come_back(self, *, snapshot: bool = False, events: int | None = None) -> msg.Resume:
        """The client connects again and takes its seat back. Raises Skipped when it ends instead.

        `snapshot` lets the server have forgotten the events; `events` is the last that was sent.
        """
        try:
            guest = await self.accept()
        except Gone:
            if self.client.code is None:
                raise Failed(
                    "expected the client to come back after a lost connection or to end, found"
                    f" that it does neither within {HELLO_SECONDS:g} s"
                ) from None
            raise Skipped(
                "the client does not come back after a lost connection; that is allowed, and the"
                " stand-in plays for it"
            ) from None
        await self.expect(msg.Hello)
        await guest.send(self.welcome)
        first = await self.read()
        if not isinstance(first, msg.Resume):
            raise Failed(f"expected `resume` after a lost connection, found `{tag(first)}`")
        table = self.table
        if first.table != TABLE or first.token != self.tokens[-1]:
            which = "an older one" if first.token in self.tokens else "another"
            raise Failed(f"expected `resume` with the newest token and its table, found {which}")
        last = table.seq if events is None else events
        if first.seq is not None and not 0 < first.seq <= last:
            raise Failed(f"expected `resume` with a `seq` of 1 to {last}, found {first.seq}")
        table.connected = True
        self.table.excused |= self.answered.keys()  # an answer whose `ok` was lost may be repeated
        known = first.seq is not None and first.instance == self.welcome.instance
        missed = table.since(first.seq or 0) if known and not snapshot else [table.snapshot()]
        await guest.send(msg.Ok(re=first.id), self._seated(), *missed)
        assert table.client is not None
        table.presence(table.client, "here")
        if table.pending is not None:
            self.table.excused.add(table.pending.decision)
            table.say(table.pending)
        return first

    def _seated(self) -> msg.Seated:
        self.tokens.append(f"TOKEN{len(self.tokens) + 1:020d}")
        assert self.table.client is not None
        return msg.Seated(table=TABLE, player=self.table.client, token=self.tokens[-1])

    # -- messages -----------------------------------------------------------------------------

    async def flush(self) -> None:
        """Sends what the table has to say. When a match is over the client may be gone already."""
        try:
            await self.guest.send(*self.table.take())
        except Gone:
            if self.table.match.state != "over":
                raise
            self.left = True

    async def read_or_end(self, seconds: float) -> msg.ClientMessage | None:
        """The next message; None if none comes in this time, or the client closes."""
        with trio.move_on_after(max(0.0, seconds)), suppress(Gone):
            return await self.guest.read()
        return None

    async def read(self, seconds: float | None = None) -> msg.ClientMessage:
        """The next message, which has to come within this time."""
        seconds = ANSWER_SECONDS if seconds is None else seconds
        with trio.move_on_after(seconds):
            return await self.guest.read()
        if await self.connects(0.1):
            raise Failed(
                f"expected {self.waits_for}, found a new connection instead, with the old one still"
                f" open; {self.client.describe()}"
            )
        raise Failed(
            f"expected {self.waits_for} within {seconds:.3g} s, found nothing;"
            f" {self.client.describe()}"
        )

    async def expect(self, kind: type[M]) -> M:
        """The next message, which must be of this class."""
        self.waits_for = f"`{kind.__struct_config__.tag}`"
        message = await self.read()
        if not isinstance(message, kind):
            raise Failed(f"expected {self.waits_for}, found `{tag(message)}`")
        return message

    async def serve(self, message: msg.ClientMessage) -> None:
        """Answers everything but an answer to a decision, as a server would."""
        guest, table = self.guest, self._table
        match message:
            case msg.Ping(n=n):
                await guest.send(msg.Pong(n=n))
            case msg.Pong():
                pass
            case msg.Bye():
                self.left = True
            case msg.ListTables(id=id) if table is not None:
                await guest.send(msg.Ok(re=id), self._lobby(table))
            case msg.JoinTable(id=id) if table is not None and not table.connected:
                if message.table.casefold() != TABLE.casefold() or message.watch:
                    raise Failed(
                        f"expected `join` of the table {TABLE!r} to play, found {message.table!r}"
                        f"{' to watch' if message.watch else ''}"
                    )
                assert self.hello is not None
                table.sit_client(self.welcome.name, self.hello.kind)
                table.out.clear()
                await guest.send(msg.Ok(re=id), self._seated(), table.snapshot())
            case msg.Nonce(id=id) if table is not None and table.connected:
                if table.add_nonce(message.hand, bytes.fromhex(message.nonce)):
                    await guest.send(msg.Ok(re=id))
                else:
                    await guest.send(_error(id, "no_nonce_now", "no hand is being prepared"))
            case msg.Chat(id=id) if table is not None and table.connected:
                await guest.send(msg.Ok(re=id))
            case msg.Act():
                await self._stray_act(message)
            case msg.Leave(id=id) if table is not None and table.match.state == "over":
                await guest.send(msg.Ok(re=id))
                self.left = True
            case msg.Leave(id=id):
                await guest.send(msg.Ok(re=id))
                raise Failed("expected the client to stay at the table, found `leave`")
            case msg.Request(id=id):
                await guest.send(_error(id, "refused", "not in this play"))
            case _:
                raise Failed(f"expected requests, found `{tag(message)}`")

    async def _stray_act(self, act: msg.Act) -> None:
        """An answer to nothing that is asked now."""
        if act.decision not in self.table.excused:
            if act.decision in self.answered:
                raise Failed(f"expected one answer a decision, found two to {act.decision}")
            raise Failed(
                f"expected no answer now, found one to decision {act.decision}, which is not asked"
            )
        if self.answered.get(act.decision) == act.choice:
            await self.guest.send(msg.Ok(re=act.id))
        else:
            await self.guest.send(_error(act.id, "stale_decision", "it is over, too late"))

    def _lobby(self, table: Table) -> msg.Lobby:
        info = msg.TableInfo(
            table=TABLE,
            options=table.options,
            state=table.match.state,
            people=len(table.players),
            host="Ada",
        )
        return msg.Lobby(tables=(info,), people=(self.welcome.name,))

    # -- playing ------------------------------------------------------------------------------

    async def act(self) -> msg.Act:
        """The client's answer to what it is asked, which must be right; it is not yet answered."""
        decision = self.table.pending
        assert decision is not None
        self.waits_for = f"an answer to decision {decision.decision} ({decision.kind})"
        await self.flush()
        ends = trio.current_time() + ANSWER_SECONDS
        while True:
            message = await self.read(max(0.01, ends - trio.current_time()))
            if isinstance(message, msg.Act) and message.decision == decision.decision:
                return self._judge(message)
            await self.serve(message)

    def _judge(self, act: msg.Act) -> msg.Act:
        decision = self.table.pending
        if decision is None or act.decision != decision.decision:
            raise Failed(f"expected no answer to decision {act.decision} now, found one")
        if act.choice not in decision.choices:
            raise Failed(
                f"expected one of the {len(decision.choices)} choices of decision"
                f" {decision.decision}, found {msgspec.to_builtins(act.choice)}"
            )
        return act

    async def answer(self) -> None:
        """Waits for the client's answer, and takes it."""
        await self.take_act(await self.act())

    async def take_act(self, act: msg.Act) -> None:
        """Takes an answer of the client."""
        self._judge(act)
        self.answered[act.decision] = act.choice
        await self.guest.send(msg.Ok(re=act.id))
        self.table.answer(act.choice)

    async def step(self) -> None:
        """One decision of somebody, the client's last where several are asked."""
        if not self.table.play_other():
            await self.answer()

    async def play(self, until: Callable[[], bool] = lambda: False) -> None:
        """Plays the hand to its end, or `until`."""
        while self.table.hand is not None and not until():
            await self.step()
        await self.flush()

    async def play_hand(self) -> None:
        """Deals and plays a whole hand."""
        self.table.deal()
        await self.play()

    async def settle(self) -> None:
        """Asks `ping` and takes everything up to the `pong`: what came twice is found here."""
        await self.guest.send(msg.Ping(n=77))
        self.waits_for = "`pong`"
        while True:
            message = await self.read()
            if isinstance(message, msg.Pong):
                if message.n != 77:
                    raise Failed(f"expected `pong` with the 77 of the `ping`, found {message.n}")
                return
            await self.serve(message)

    async def listen(self, seconds: float = SETTLE_SECONDS) -> bool:
        """Serves what comes in this time. True if the client has gone instead."""
        with trio.move_on_after(seconds):
            with suppress(Gone):
                while True:
                    await self.serve(await self.guest.read())
            return True
        return False

    async def stays(self) -> bool:
        """Whether the client is still here a moment later; it may go when a match is over."""
        await self.flush()
        return not (self.left or await self.listen() or self.left)

    async def connects(self, seconds: float) -> bool:
        """Whether the client connects in this time; the connection is closed at once."""
        with trio.move_on_after(seconds):
            stream = await self._listener.accept()
            await trio.aclose_forcefully(stream)
            return True
        return False

    async def goodbye(self, guest: Guest) -> None:
        """Takes what the client says last; it may ask for nothing more but to leave."""
        self.waits_for = "the client to end"
        ends = trio.current_time() + 2
        while (message := await self.read_or_end(ends - trio.current_time())) is not None:
            if isinstance(message, msg.JoinTable | msg.Resume | msg.Act):
                raise Failed(f"expected no more requests, found `{tag(message)}`")
            if isinstance(message, msg.Leave):
                await guest.send(msg.Ok(re=message.id))
            elif isinstance(message, msg.Ping):
                await guest.send(msg.Pong(n=message.n))
            elif self.client.code is not None:
                break

    async def must_end(self, why: str, *, code: bool = False) -> None:
        """The client must end by itself; with `code` it must say that it could not play."""
        self.waits_for = f"the client to end {why}"
        found = await self.client.ended(HELLO_SECONDS)
        if found is None:
            raise Failed(f"expected the client to end {why}, found that it still runs")
        if code and found == 0:
            raise Failed(
                f"expected an exit code other than 0 {why}, found 0; {self.client.describe()}"
            )
        if code and not self.client.last_words:
            raise Failed(f"expected the client to say in a sentence that it ends {why}, found none")


def tag(message: Struct) -> str:
    """The name of a message's type."""
    return str(message.__struct_config__.tag)


def _error(request: int, code: str, text: str) -> msg.Error:
    return msg.Error(re=request, code=code, message=text)


@asynccontextmanager
async def standing(command: str) -> AsyncIterator[Stand]:
    """A listener on a free port of this machine, and the client that was told of it."""
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    listener = listeners[0]
    stand: Stand | None = None
    try:
        port = listener.socket.getsockname()[1]
        words = program.command_of(command, "127.0.0.1", port, TABLE, NAME)
        async with program.running(words) as client:
            stand = Stand(client, listener)
            try:
                yield stand
            except Gone as gone:
                raise Failed(f"{gone} ({await _obituary(client)})") from None
            finally:
                if stand._guest is not None:
                    await stand._guest.close()
    finally:
        await listener.aclose()


async def _obituary(client: program.Program) -> str:
    await client.ended(SETTLE_SECONDS)
    return client.describe()
