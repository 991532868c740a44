"""What a check of a client stands on: a listener, the client's program, one connection, one table.

A check says only what is special about it, and plays on: everything else is held to the protocol
by the connection (`guest`), by what is answered (`entrance`), and by how a hand is played (here).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgspec
import trio

from dalmuti.client.conform import entrance, program, wire
from dalmuti.client.conform.checks import Evidence, Failed
from dalmuti.client.conform.entrance import NAME, SETTLE_SECONDS, TABLE, Entrance, tag
from dalmuti.client.conform.guest import Gone, Guest
from dalmuti.client.conform.table import Table
from dalmuti.protocol import messages as msg


class Stand(Entrance):
    """The surroundings of one check of a client."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the client sent that every server ignores."""
        return tuple(dict.fromkeys(text for guest in self._guests for text in guest.remarks))

    async def evidence(self) -> Evidence:
        """What was sent last, and what became of the client."""
        code = await self.client.ended(SETTLE_SECONDS)
        sent = next((guest.sent for guest in reversed(self._guests) if guest.sent), ())
        words = () if code is None else self.client.last_words
        return Evidence(wire.last_of(tuple(sent)), f"the client {self.client.describe()}", words)

    async def begin(self, **how: Any) -> Table:
        """A table as `set_table` makes it, with the client at it, and a hand that is dealt."""
        table = self.set_table(**how)
        await self.enter()
        table.deal()
        return table

    async def act(self) -> msg.Act:
        """The client's answer to what it is asked, which must be right; it is not yet answered."""
        decision = self.table.pending
        assert decision is not None
        self.waits_for = f"an answer to decision {decision.decision} ({decision.kind})"
        await self.flush()
        ends = trio.current_time() + entrance.ANSWER_SECONDS
        while True:
            message = await self.read(max(0.01, ends - trio.current_time()))
            if isinstance(message, msg.Act) and message.decision == decision.decision:
                return self._judge(message)
            await self.serve(message)

    def _judge(self, act: msg.Act) -> msg.Act:
        decision = self.table.pending
        if decision is None or act.decision != decision.decision:
            raise Failed(
                f"expected no answer to decision {act.decision} now, found one", "decisions"
            )
        if act.choice not in decision.choices:
            raise Failed(
                f"expected one of the {len(decision.choices)} choices of decision"
                f" {decision.decision}, found {msgspec.to_builtins(act.choice)}",
                "decisions",
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

    async def play_to_question(self, answers: int = 0) -> None:
        """Plays until the client is asked something, and has given so many answers before."""
        await self.play(
            until=lambda: self.table.pending is not None and len(self.answered) >= answers
        )

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
                    raise Failed(
                        f"expected `pong` with the 77 of the `ping`, found {message.n}", "pong"
                    )
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
        found = await self.client.ended(entrance.HELLO_SECONDS)
        if found is None:
            raise Failed(f"expected the client to end {why}, found that it still runs")
        if code and found == 0:
            raise Failed(f"expected an exit code other than 0 {why}, found 0")
        if code and not self.client.last_words:
            raise Failed(f"expected the client to say in a sentence that it ends {why}, found none")


@asynccontextmanager
async def standing(command: str) -> AsyncIterator[Stand]:
    """A listener on a free port of this machine, and the client that was told of it."""
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    listener = listeners[0]
    try:
        port = listener.socket.getsockname()[1]
        words = program.command_of(command, "127.0.0.1", port, TABLE, NAME)
        async with program.running(words) as client:
            stand = Stand(client, listener)
            try:
                yield stand
            finally:
                await stand.close()
    finally:
        await listener.aclose()
