"""`dalmuti bot doctor`: whether a bot can play at a server, in sentences.

It goes the way of a bot, one step after the other: name, connection, hello, clock, a seat at a
table of its own, a whole hand with house bots, a lost connection in the middle of it. Where a step
fails the next ones make no sense, and what it says is what to do. Nobody else can sit down at its
table. Somebody else's table is only tried where its name was given: the doctor sits down there for
a moment, and those at it see him come and go.
"""

from __future__ import annotations

import argparse
import secrets
from contextlib import suppress
from functools import partial
from importlib.metadata import version
from statistics import median
from typing import Any, Final

import anyio
import trio

from dalmuti.client import out, start, words
from dalmuti.client.bots.probe import (
    Probe,
    Silent,
    Trouble,
    address_of,
    open_to,
    speaks_tls,
)
from dalmuti.client.bots.simple import GreedyBot
from dalmuti.client.commands.parts import NO_CONNECTION, OK, REFUSED
from dalmuti.client.trust import Trust
from dalmuti.core.events import DealRevealed, HandEnded, PlayerJoined
from dalmuti.protocol.messages import (
    VERSIONS,
    Act,
    AddBot,
    Close,
    CreateTable,
    Deal,
    Decision,
    EventMessage,
    JoinTable,
    Leave,
    ListTables,
    Lobby,
    Nonce,
    Ping,
    Pong,
    Resume,
    Seated,
    Snapshot,
    Welcome,
)
from dalmuti.protocol.text import safe_text

WRONG: Final = 1
"""The exit code when the server is there, and does not do what it should."""
PINGS: Final = 10
BOTS: Final = 2
SLOW_SECONDS: Final = 1.0
"""A round trip that takes a bot something of its time to think."""
SHORTEST_CLOCK: Final = 5.0
"""Seconds of the shortest clock that a table can have (rules.md X1)."""
CLOCKS_AGREE: Final = 0.5
"""Seconds by which the server's clock and ours may differ over a pause of a second."""
PAUSE: Final = 1.0
BOT_PATIENCE: Final = 30.0
"""Seconds that house bots may take to come, or to move."""


def command(given: argparse.Namespace) -> int:
    """`dalmuti bot doctor HOST`: examines a server, and prints what it finds. Raises Refusal."""
    host, port = start.address_of(given.address)
    trust = start.trust_of(given, host, port)
    doctor = Doctor(host, port, trust, given.password, given.table)
    code: int = trio.run(doctor.run)
    return code


class Doctor:
    """One examination."""

    def __init__(
        self,
        host: str,
        port: int,
        trust: Trust | None,
        password: str | None,
        table: str | None = None,
    ) -> None:
        """`table` is tried as well; `password` is for it, too."""
        self._host, self._port, self._trust, self._password = host, port, trust, password
        self._wanted = table
        self._table = f"doctor {secrets.token_hex(3)}"
        self._notes = 0
        self._trips: list[float] = []

    async def run(self) -> int:
        """All steps, up to the first that fails."""
        try:
            addresses = await address_of(self._host, self._port)
            if addresses != [self._host]:
                _good(f"{self._host} is {', '.join(addresses)}.")
            self._probe, welcome = await self._enter()
            try:
                self._about(welcome)
                await self._clock()
                await self._play(welcome)
            finally:
                await self._go()
            if self._wanted is not None:
                await self._visit(self._wanted)
        except Trouble as trouble:
            out.say(f"WRONG  {trouble}")
            return trouble.code
        if self._notes:
            out.say("A bot can play here. Read the lines that begin with `note`.")
        else:
            out.say("All is well: a bot can play here.")
        return OK

    # -- the steps

    async def _enter(self) -> tuple[Probe, Welcome]:
        """A connection that has been greeted."""
        began = anyio.current_time()
        probe = await open_to(self._host, self._port, self._trust)
        seconds = anyio.current_time() - began
        try:
            welcome = await probe.greet("doctor", self._password)
        except Trouble as trouble:
            await probe.close()
            tls = self._trust is None and trouble.code == NO_CONNECTION
            if tls and await speaks_tls(self._host, self._port):
                raise Trouble("This server speaks TLS: add --tls.") from None
            if isinstance(trouble, Silent):
                raise Trouble(f"{trouble} It may be no Dalmuti server.") from None
            raise
        how = "with TLS" if self._trust is not None else "without TLS"
        _good(f"{self._host} port {self._port} answers {how}; connecting took {_ms(seconds)}.")
        if self._trust is not None and (note := self._trust.note()):
            self._note(note)
        return probe, welcome

    def _about(self, welcome: Welcome) -> None:
        ours = f"dalmuti {version('dalmuti')}"
        low, high = VERSIONS
        spoken = f"{low}" if low == high else f"{low} to {high}"
        _good(
            f"The server is {safe_text(welcome.server)} and speaks version {welcome.version} of the"
            f" protocol; this is {ours}, which speaks {spoken}."
        )
        if welcome.message:
            _good(f"It says: {safe_text(welcome.message)}")
        limits = welcome.limits
        _good(
            f"It pings who is silent for {limits.ping_after_ms / 1000:g} s, takes him for dead"
            f" after {limits.dead_after_ms / 1000:g} s, and holds his seat for"
            f" {limits.grace_ms / 1000:g} s before the stand-in plays."
        )

    async def _go(self) -> None:
        """Gets up from the table, so that it is closed, and leaves."""
        with suppress(Trouble), anyio.move_on_after(2):
            await self._probe.ask(Leave)
        await self._probe.close()

    async def _clock(self) -> None:
        """Round trips, and what they leave of the time for a decision."""
        probe = self._probe
        for number in range(1, PINGS + 1):
            began = anyio.current_time()
            await probe.say(Ping(n=number))
            if (await probe.until(Pong)).n != number:
                raise Trouble("The server answers a ping with the number of another one.", WRONG)
            self._trips.append(anyio.current_time() - began)
        most = max(self._trips)
        text = (
            f"A message goes there and back in {_ms(median(self._trips))} ({_ms(most)} at most of"
            f" {PINGS})"
        )
        left = (
            f"of the shortest clock, {SHORTEST_CLOCK:g} s, a bot has {SHORTEST_CLOCK - most:.1f} s"
        )
        if most < SLOW_SECONDS:
            _good(f"{text}: {left} to think.")
        else:
            self._note(
                f"{text}. That is slow: {left} to think. Sit down at tables with a longer"
                " `turn_seconds`, or run the bot nearer to the server."
            )

    async def _play(self, welcome: Welcome) -> None:
        """A table, a hand, and a lost connection."""
        probe = self._probe
        await probe.ask(
            CreateTable,
            table=self._table,
            solo=True,
            options={"seats": BOTS + 1, "revolution": "off", "first_hand_taxes": "off"},
        )
        seated = await probe.until(Seated)
        snapshot = await probe.until(Snapshot)
        _good("A table of its own is open, and the doctor sits at it.")
        if not welcome.bots:
            self._note("The server has no house bots, so no hand was played.")
            return
        await self._invite(welcome.bots)
        nonce = secrets.token_hex(16)
        await probe.ask(Nonce, hand=snapshot.table.next_hand, nonce=nonce)
        if probe.witness is not None:
            probe.witness.gave_nonce(snapshot.table.next_hand, nonce)
        out.say(f"       Playing a hand with {BOTS} house bots; that may take a minute.")
        await probe.ask(Deal)
        await self._hand(seated, welcome)

    async def _visit(self, table: str) -> None:
        """A seat at somebody's table, for a moment."""
        self._probe = probe = await open_to(self._host, self._port, self._trust)
        try:
            await probe.greet("doctor", self._password)
            await probe.ask(ListTables)
            open_tables = [each.table for each in (await probe.until(Lobby)).tables]
            if table not in open_tables:
                others = f"; the tables here: {words.listed(map(safe_text, open_tables))}."
                others = others if open_tables else ", and no other."
                raise Trouble(f"There is no table {safe_text(table)!r} here{others}", REFUSED)
            await probe.ask(JoinTable, table=table, password=self._password)
            await probe.until(Seated)
            view = (await probe.until(Snapshot)).table
        finally:
            await self._go()
        seconds = view.options.turn_seconds
        clock = f"has {seconds} s for a decision" if seconds else "may think as long as it likes"
        _good(
            f"Table {safe_text(table)} takes a bot, which {clock} there; the doctor sat down and"
            " got up again."
        )

    async def _invite(self, bots: tuple[str, ...]) -> None:
        probe = self._probe
        kind = "greedy" if "greedy" in bots else bots[0]
        for _ in range(BOTS):
            await probe.ask(AddBot, bot=kind)
        came = 0
        while came < BOTS:
            try:
                message = await probe.hear("`player_joined`", BOT_PATIENCE)
            except Trouble as trouble:
                raise Trouble(
                    f"The house bots do not come ({trouble}) The log of the server says why.", WRONG
                ) from None
            came += isinstance(message, EventMessage) and isinstance(message.event, PlayerJoined)

    async def _hand(self, seated: Seated, welcome: Welcome) -> None:
        """Plays until the deal is revealed; at the second decision the connection is lost."""
        greedy, decisions, acts = GreedyBot(), 0, [0.0]
        while not self._probe.verdicts:
            message = await self._probe.hear("the next move", BOT_PATIENCE)
            if isinstance(message, Decision):
                decisions += 1
                if decisions == 2:
                    message = await self._lose(seated, welcome, message)
                table = self._probe.model.table
                assert table is not None
                act = partial(self._probe.ask, Act, decision=message.decision)
                acts.append(await act(choice=greedy.decide(table, message)))
            elif isinstance(message, EventMessage) and isinstance(message.event, HandEnded):
                places = [each.player for each in message.event.places]
                place = places.index(seated.player) + 1
                asked = out.counted(decisions, "decision")
                _good(
                    f"A whole hand: {asked}, {_ms(max(acts))} at most until one was taken; place"
                    f" {place} of {len(places)}."
                )
            elif isinstance(message, EventMessage) and isinstance(message.event, DealRevealed):
                break
        for verdict in self._probe.verdicts:
            if not verdict.ok:
                raise Trouble(
                    f"The deal is not what the server was bound to: {'; '.join(verdict.reasons)}."
                    " Do not play for anything there.",
                    WRONG,
                )
        if self._probe.verdicts:
            _good("The deal is what the server was bound to before.")
        await self._probe.ask(Close)

    async def _lose(self, seated: Seated, welcome: Welcome, pending: Decision) -> Decision:
        """Breaks the connection, comes back, and has the same question again."""
        asked, probe = anyio.current_time(), self._probe
        await probe.close(politely=False)
        await anyio.sleep(PAUSE)
        try:
            self._probe = again = await open_to(self._host, self._port, self._trust)
            await again.greet("doctor", self._password)
            again.model, again.seq, again.witness = probe.model, probe.seq, probe.witness
            request = partial(again.ask, Resume, table=self._table, token=seated.token)
            await request(seq=probe.seq, instance=welcome.instance)
            await again.until(Seated)
            decision = await again.until(Decision)
        except Trouble as trouble:
            raise Trouble(f"A lost seat cannot be had back: {trouble}", WRONG) from None
        if decision.decision != pending.decision:
            raise Trouble("After a resume another decision was asked than before.", WRONG)
        _good("A connection that broke in the middle of the hand was resumed; nothing was missed.")
        self._compare(pending, decision, anyio.current_time() - asked)
        return decision

    def _compare(self, before: Decision, after: Decision, ours: float) -> None:
        """Whether the server's clock for decisions runs as fast as ours."""
        if before.ms is None or after.ms is None:
            return
        theirs = (before.ms - after.ms) / 1000
        if abs(theirs - ours) > CLOCKS_AGREE:
            self._note(
                f"The clock of a decision fell by {theirs:.1f} s while {ours:.1f} s passed here:"
                " the server is very busy, or messages are held up. Leave yourself time."
            )
        else:
            _good(f"The server's clock and this one agree: {theirs:.1f} s and {ours:.1f} s.")

    def _note(self, text: str) -> None:
        self._notes += 1
        out.say(f"note   {text}")


def _good(text: Any) -> None:
    out.say(f"ok     {text}")


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"
