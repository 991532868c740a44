"""Strangers: bots of which anything may be expected, each seat a process of its own.

A Python bot's process (`program`) plays one match after the other. A command line is started anew
for each match, with its group of processes, which is killed at the end of it. All hang on leashes,
pipes whose other end this process holds: when it is gone, by whatever signal, so are they.
"""

from __future__ import annotations

import fcntl
import math
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import Final

import msgspec
import trio

from dalmuti.client.arena.chair import Chair
from dalmuti.client.arena.gate import Gate
from dalmuti.client.arena.plan import Item, Setup
from dalmuti.client.arena.program import LINE, Match, Report
from dalmuti.client.arena.seats import START_SECONDS
from dalmuti.client.arena.workers import GRACE_SECONDS, LOAD_SECONDS
from dalmuti.client.bot import BotError
from dalmuti.client.model import Input

SIT_SECONDS: Final = 30.0
"""What a program may take to connect and ask for its seat."""
END_SECONDS: Final = 2.0
"""What it may take to end when the match is over."""
LAST_WORDS: Final = 0.5
"""How long we wait for the end of a process whose connection is at its end."""
LOOK_SECONDS: Final = 0.05
NOT_STOPPED: Final = "did not stop when its time was up"


class Process:
    """A process that leads a group, and ends with us."""

    def __init__(self, process: trio.Process, leash: int) -> None:
        self._process, self._leash = process, leash

    @classmethod
    async def start(cls, command: Sequence[str], *, with_leash: bool = False) -> Process:
        """Starts a command, whose input is its leash, a pipe that never says a word.

        With `with_leash` the pipe is its last argument, to `leash.hold` it, and input and output
        are ours. Raises OSError.
        """
        pipe, leash = os.pipe()
        try:
            if with_leash:
                process = await trio.lowlevel.open_process(
                    [*command, str(pipe)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    pass_fds=[pipe],
                    start_new_session=True,
                )
            else:
                process = await trio.lowlevel.open_process(
                    command, stdin=pipe, stdout=2, start_new_session=True
                )
                _tie(pipe, process.pid)
        except BaseException:
            os.close(leash)
            raise
        finally:
            os.close(pipe)
        return cls(process, leash)

    @property
    def input(self) -> trio.abc.SendStream:
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def output(self) -> trio.abc.ReceiveStream:
        assert self._process.stdout is not None
        return self._process.stdout

    async def wait(self) -> str:
        """Returns when it has ended, with how it did."""
        code = await self._process.wait()
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    async def kill(self) -> None:
        """Ends it and all that it has started. May be called again."""
        if self._leash < 0:
            return
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass  # all of them are gone; macOS says the latter of zombies
        os.close(self._leash)
        self._leash = -1
        with trio.CancelScope(shield=True):
            await self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    await stream.aclose()


def _tie(pipe: int, group: int) -> None:
    """Lets the kernel kill a group of processes when the other end of its pipe is closed (Linux).

    The pipe does that as long as one of them has it open, and programs keep their standard input.
    """
    if sys.platform == "linux":
        fcntl.fcntl(pipe, fcntl.F_SETOWN, -group)
        fcntl.fcntl(pipe, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)


class Stranger:
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

    async def _start(self, port: int, nursery: trio.Nursery) -> None:
        raise NotImplementedError

    async def _wait(self) -> str:
        """Returns when the process has ended, with how."""
        raise NotImplementedError

    async def _end(self) -> None:
        """Lets go of the process."""
        raise NotImplementedError


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


class Program:
    """A process that plays one match of a Python bot after the other (`program`)."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self._data = bytearray()

    @classmethod
    async def start(cls, bot: str, seconds: float) -> Program:
        """Starts it, and waits until the bot is loaded. Raises BotError."""
        module = "dalmuti.client.arena.program"
        process = await Process.start(
            [sys.executable, "-m", module, bot, str(seconds)], with_leash=True
        )
        program, report = cls(process), None
        try:
            with trio.move_on_after(LOAD_SECONDS):
                report = await program.report()
                if report is None:
                    raise BotError(f"{bot} cannot be loaded: its process ended")
            if report is None:
                raise BotError(f"{bot} cannot be loaded within {LOAD_SECONDS:.0f} seconds")
            if report.refusal:
                raise BotError(report.refusal)
        except BaseException:
            await process.kill()
            raise
        return program

    async def give(self, match: Match) -> None:
        """Lets it play this match."""
        await self.process.input.send_all(msgspec.json.encode(match) + b"\n")

    async def report(self) -> Report | None:
        """What it says next; None when it has ended, or says what no program would."""
        while (end := self._data.find(b"\n")) < 0:
            data = await self.process.output.receive_some()
            if not data or len(self._data) > LINE:
                return None
            self._data += data
        line = bytes(self._data[:end])
        del self._data[: end + 1]
        try:
            return msgspec.json.decode(line, type=Report)
        except msgspec.DecodeError:
            return None


class Programs:
    """The programs that have nothing to play at the moment."""

    def __init__(self, seconds: float) -> None:
        """`seconds` are for each decision of their bots."""
        self._seconds = seconds
        self._idle: dict[str, list[Program]] = {}

    async def take(self, bot: str) -> Program:
        """One for this bot. Raises BotError."""
        idle = self._idle.get(bot)
        return idle.pop() if idle else await Program.start(bot, self._seconds)

    def put(self, bot: str, program: Program) -> None:
        """It may play again."""
        self._idle.setdefault(bot, []).append(program)

    async def close(self) -> None:
        """Ends them all."""
        for idle in self._idle.values():
            for program in idle:
                await program.process.kill()
        self._idle.clear()


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
