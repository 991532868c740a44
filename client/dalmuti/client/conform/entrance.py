"""How a client comes in, sits down and comes back, and what it is answered meanwhile.

The other side of every connection is held to the protocol as it comes: each frame must be one that
a server understands, each answer must be one of the choices and come once. `stand.Stand` adds how
a hand is played.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final, TypeVar

import trio
from msgspec import Struct

from dalmuti.client.conform import program, wire
from dalmuti.client.conform.checks import Failed, Hopeless, Skipped
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
SECTIONS: Final = {
    "a connection": "hello-and-versions",
    "`hello`": "hello-and-versions",
    "`join`": "join",
    "`pong`": "limits-and-time",
    "`resume`": "when-you-disconnect",
}
"""Where it is written that somebody has to send what is waited for; else it is an answer."""
MOST_LISTS: Final = 30
"""`list` on one connection: each `lobby` is complete, and the next one comes by itself."""
M = TypeVar("M", bound=msg.Message)


class Entrance:
    """The surroundings of one check of a client, as far as its connections go."""

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
        self._guests: list[Guest] = []
        self._said_hello = False
        self._table: Table | None = None

    @property
    def guest(self) -> Guest:
        """The connection there is."""
        return self._guests[-1]

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
            kind = Gone if self._guests else Hopeless
            raise kind("expected a connection, found none", "hello-and-versions")
        guest = Guest(found[0])
        guest.shape, guest.cut = self.shape, self.cut
        self._guests.append(guest)
        return guest

    async def close(self) -> None:
        """Closes the connection there is."""
        for guest in self._guests[-1:]:
            await guest.close()

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
                    f" that it does neither within {HELLO_SECONDS:g} s",
                    "when-you-disconnect",
                ) from None
            raise Skipped(
                "the client does not come back after a lost connection; that is allowed, and the"
                " stand-in plays for it"
            ) from None
        await self.expect(msg.Hello)
        await guest.send(self.welcome)
        self.waits_for = "`resume`"
        first = await self.read()
        if not isinstance(first, msg.Resume):
            raise Failed(
                f"expected `resume` after a lost connection, found `{tag(first)}`",
                "when-you-disconnect",
            )
        table = self.table
        if first.table != TABLE or first.token != self.tokens[-1]:
            which = "an older one" if first.token in self.tokens else "another"
            raise Failed(
                f"expected `resume` with the newest token and its table, found {which}",
                "when-you-disconnect",
            )
        last = table.seq if events is None else events
        if first.seq is not None and not 0 < first.seq <= last:
            raise Failed(
                f"expected `resume` with a `seq` of 1 to {last}, found {first.seq}", "resume"
            )
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

    async def connects(self, seconds: float) -> bool:
        """Whether the client connects in this time; the connection is closed at once."""
        with trio.move_on_after(seconds):
            stream = await self._listener.accept()
            await trio.aclose_forcefully(stream)
            return True
        return False

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
        anchor = SECTIONS.get(self.waits_for, "decisions")
        if await self.connects(0.1):
            raise Failed(
                f"expected {self.waits_for}, found a new connection instead, with the old one still"
                " open"
            )
        raise Failed(
            f"expected {self.waits_for} within {seconds:.3g} s, found {self.guest.found}", anchor
        )

    async def expect(self, kind: type[M]) -> M:
        """The next message, which must be of this class."""
        self.waits_for = f"`{kind.__struct_config__.tag}`"
        try:
            message = await self.read()
        except Failed as failed:
            if kind is not msg.Hello or self._said_hello:
                raise
            raise Hopeless(str(failed), failed.anchor or SECTIONS["`hello`"]) from None
        if not isinstance(message, kind):
            anchor = SECTIONS.get(self.waits_for, "")
            raise Failed(f"expected {self.waits_for}, found `{tag(message)}`", anchor)
        self._said_hello = self._said_hello or kind is msg.Hello
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
                self._count_lists()
                await guest.send(msg.Ok(re=id), self._lobby(table))
            case msg.JoinTable(id=id) if table is not None and not table.connected:
                if message.table.casefold() != TABLE.casefold() or message.watch:
                    raise Failed(
                        f"expected `join` of the table {TABLE!r} to play, found {message.table!r}"
                        f"{' to watch' if message.watch else ''}",
                        "join",
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
                raise Failed("expected the client to stay at the table, found `leave`", "leave")
            case msg.Request(id=id):
                await guest.send(_error(id, "refused", "not in this play"))
            case _:
                raise Failed(f"expected requests, found `{tag(message)}`", "requests-and-answers")

    def _count_lists(self) -> None:
        lists = sum(isinstance(each, msg.ListTables) for each in self.guest.heard)
        if lists > MOST_LISTS:
            raise Failed(
                "expected `list` once, since a `lobby` comes by itself with every change, found a"
                f" flood of {lists} `list` requests on one connection",
                "lobby-and-tables",
            )

    async def _stray_act(self, act: msg.Act) -> None:
        """An answer to nothing that is asked now."""
        if act.decision not in self.table.excused:
            if act.decision in self.answered:
                raise Failed(
                    f"expected one answer a decision, found two to {act.decision}", "decisions"
                )
            raise Failed(
                f"expected no answer now, found one to decision {act.decision}, which is not asked",
                "decisions",
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


def tag(message: Struct) -> str:
    """The name of a message's type."""
    return str(message.__struct_config__.tag)


def _error(request: int, code: str, text: str) -> msg.Error:
    return msg.Error(re=request, code=code, message=text)
