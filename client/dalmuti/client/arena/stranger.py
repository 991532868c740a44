"""Strangers: bots of which anything may be expected, each seat a process of its own.

A Python bot's process (`program`) plays one match after the other. A command line is started anew
for each match, with its group of processes, which is killed at the end of it.
"""

from __future__ import annotations

import math
import shlex
from abc import ABC, abstractmethod
from typing import Final

import trio

from dalmuti.client.arena.chair import Chair
from dalmuti.client.arena.gate import Gate
from dalmuti.client.arena.plan import Item, Setup
from dalmuti.client.arena.processes import Process, Program, Programs
from dalmuti.client.arena.program import Match, Report
from dalmuti.client.arena.seats import START_SECONDS
from dalmuti.client.arena.workers import GRACE_SECONDS
from dalmuti.client.model import Input
from dalmuti.protocol.messages import EventMessage

SIT_SECONDS: Final = 30.0
"""What a program may take to connect and ask for its seat."""
END_SECONDS: Final = 2.0
"""What it may take to end when the match is over."""
LAST_WORDS: Final = 0.5
"""How long we wait for the end of a process whose connection is at its end."""
LOOK_SECONDS: Final = 0.05
NOT_STOPPED: Final = "did not stop when its time was up"


class Stranger(ABC):
    """One stranger in one seat for one item: a gate, and behind it his process. A `Decider`."""

    sit_seconds = SIT_SECONDS

    def __init__(self, setup: Setup, item: Item, place: int, chair: Chair, *, hard: bool) -> None:
        self._setup, self._item, self._place = setup, item, place
        self._name = item.players()[place].name
        self._contestant = setup.contestants[item.lineup[place]]
        self.gate = Gate(
            chair,
            item.table,
            self._name,
            setup.options,
            seconds=setup.turn_seconds + GRACE_SECONDS * hard if setup.turn_seconds else 0,
            hard=hard,
        )
        self.tally = self.gate.tally
        self._scope = trio.CancelScope()
        self._finished = trio.Event()
        self._served = trio.Event()
        """Set when no client is served any more."""

    def hear(self, message: Input) -> None:
        """What the server says to the chair."""
        self.gate.hear(message)

    def hear_events(self, messages: list[EventMessage]) -> None:
        """What happened at its table."""
        for message in messages:
            self.gate.hear(message)

    async def ready(self) -> None:
        """Waits until the client asks for its seat, or will not."""
        await self.gate.asked.wait()

    async def done(self) -> None:
        """Waits until the match is over for the client as well."""
        with trio.move_on_after(END_SECONDS):
            await self._served.wait()
        self._scope.cancel()
        await self._finished.wait()

    async def run(self) -> None:
        """Lets the client in, and looks after it until `done`."""
        try:
            with self._scope:
                listener, *_ = await trio.open_tcp_listeners(0, host="127.0.0.1")
                async with listener, trio.open_nursery() as nursery:
                    nursery.start_soon(self._look)
                    port: int = listener.socket.getsockname()[1]
                    await self._start(port, nursery)
                    await self._let_in(listener)
                    self._served.set()
                    if self.gate.over.is_set():
                        await self._end()  # a busy one would take time from the others
        finally:
            self._served.set()
            with trio.CancelScope(shield=True):
                await self._end()
            self._finished.set()

    async def _let_in(self, listener: trio.SocketListener) -> None:
        gate = self.gate
        stream = None
        with trio.move_on_after(self.sit_seconds) as limit:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._unless_over, nursery.cancel_scope)
                stream = await listener.accept()
                nursery.cancel_scope.cancel()
        await listener.aclose()
        if stream is None:
            self._absent("connect")
            return
        async with stream, trio.open_nursery() as nursery:
            nursery.start_soon(self._must_sit, limit.deadline)
            why = await gate.serve(stream)
            self._served.set()
            if not gate.finished and not gate.over.is_set():
                with trio.move_on_after(LAST_WORDS):
                    why = f"ended its process ({await self._wait()})"
                gate.give_up(why, crashed=1)
            nursery.cancel_scope.cancel()

    async def _unless_over(self, scope: trio.CancelScope) -> None:
        await self.gate.over.wait()
        scope.cancel()

    async def _must_sit(self, deadline: float) -> None:
        with trio.move_on_at(deadline):
            await self.gate.asked.wait()
            return
        self._absent("sit down")

    def _absent(self, what: str) -> None:
        text = f"did not {what} within {self.sit_seconds:.0f} seconds"
        self.gate.give_up(text, crashed=1)

    async def _look(self) -> None:
        while True:
            await trio.sleep(LOOK_SECONDS)
            self.gate.check()

    # -- its process ------------------------------------------------------------------------------

    @abstractmethod
    async def _start(self, port: int, nursery: trio.Nursery) -> None:
        """Starts it, to connect to this port."""

    @abstractmethod
    async def _wait(self) -> str:
        """Returns when the process has ended, with how."""

    @abstractmethod
    async def _end(self) -> None:
        """Lets go of the process."""


class Commanded(Stranger):
    """A command line, in any language."""

    _process: Process | None = None

    async def _start(self, port: int, nursery: trio.Nursery) -> None:
        values = {
            "host": "127.0.0.1",
            "port": str(port),
            "table": self._item.table,
            "name": self._name,
        }
        command = filled(self._contestant.command or "", values)
        try:
            self._process = await Process.start(command)
        except OSError as error:
            self.gate.give_up(f"cannot be started: {error.strerror}: {command[0]}", crashed=1)
        else:
            nursery.start_soon(self._watch, self._process)

    async def _watch(self, process: Process) -> None:
        """A program that ends before it has connected is not waited for."""
        how = await process.wait()
        await trio.sleep(LAST_WORDS)
        if not self.gate.finished:
            self.gate.give_up(f"ended its process ({how})", crashed=1)

    async def _wait(self) -> str:
        return "not started" if self._process is None else await self._process.wait()

    async def _end(self) -> None:
        if self._process is not None:
            await self._process.kill()


class Scripted(Stranger):
    """A Python bot. Its own process counts what it does wrong, as over core."""

    def __init__(
        self, setup: Setup, item: Item, place: int, chair: Chair, programs: Programs
    ) -> None:
        super().__init__(setup, item, place, chair, hard=True)
        limit = START_SECONDS + GRACE_SECONDS
        self.sit_seconds = limit if setup.turn_seconds else math.inf
        self._programs = programs
        self._program: Program | None = None
        self._report = Report()
        self._said_all = trio.Event()

    async def done(self) -> None:
        """The last report comes behind the end of the connection."""
        seconds = self._setup.turn_seconds
        with trio.move_on_after(seconds + GRACE_SECONDS if seconds else math.inf):
            await self._said_all.wait()
        if not self._said_all.is_set():
            self.gate.give_up(NOT_STOPPED, late=1)
        await super().done()
        found, own = self._report.tally, self.gate.tally
        found.late += own.late
        found.crashed += own.crashed
        found.defaults += own.defaults
        found.given_up = found.given_up or own.given_up
        found.first_fault = found.first_fault or own.first_fault
        self.tally = found

    def _absent(self, what: str) -> None:
        self.gate.give_up(NOT_STOPPED, late=1)

    async def _start(self, port: int, nursery: trio.Nursery) -> None:
        bot = self._contestant.bot
        self._program = program = await self._programs.take(bot)
        nursery.start_soon(self._hear, program)
        await program.give(Match(port, self._item.table, self._name, self._item.seeds[self._place]))

    async def _hear(self, program: Program) -> None:
        while (report := await program.report()) is not None:
            self._report = report
            if report.is_over:
                self._said_all.set()
                return
        await program.process.kill()
        self.gate.give_up(f"ended its process ({await program.process.wait()})", crashed=1)
        self._said_all.set()

    async def _wait(self) -> str:
        await trio.sleep_forever()  # `_hear` knows first
        raise AssertionError

    async def _end(self) -> None:
        program = self._program
        if program is None:
            return
        if self._report.is_over and not self.gate.over.is_set():
            self._programs.put(self._contestant.bot, program)
        else:
            await program.process.kill()
            self._said_all.set()


def filled(command: str, values: dict[str, str]) -> list[str]:
    """The words of a command line, each with the {names} in it replaced. Raises ValueError."""
    words = shlex.split(command)
    for name, value in values.items():
        words = [word.replace("{" + name + "}", value) for word in words]
    return words
