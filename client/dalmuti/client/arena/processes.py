"""The processes of strangers, on leashes: pipes whose other end this process holds.

When it is gone, by whatever signal, they are killed by the kernel, with all that they have started.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress

import msgspec
import trio

from dalmuti.client.arena import leash
from dalmuti.client.arena.program import LINE, Match, Report
from dalmuti.client.arena.workers import LOAD_SECONDS
from dalmuti.client.bots.load import BotError


class Process:
    """A process that leads a group, and ends with us."""

    def __init__(self, process: trio.Process, end: int) -> None:
        self._process, self._leash = process, end

    @classmethod
    async def start(cls, command: Sequence[str], *, with_leash: bool = False) -> Process:
        """Starts a command, whose input is its leash, a pipe that never says a word.

        With `with_leash` the pipe is its last argument, to `leash.hold` it, and input and output
        are ours. Raises OSError.
        """
        pipe, end = os.pipe()
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
                leash.tie(pipe, process.pid)  # programs keep their standard input
        except BaseException:
            os.close(end)
            raise
        finally:
            os.close(pipe)
        return cls(process, end)

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
        leash.kill_group(self._process.pid)
        os.close(self._leash)
        self._leash = -1
        with trio.CancelScope(shield=True):
            await self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    await stream.aclose()


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
        """Lets it play this match. If it has ended, `report` says so."""
        with suppress(trio.BrokenResourceError):
            await self.process.input.send_all(msgspec.json.encode(match) + b"\n")

    async def report(self) -> Report | None:
        """What it says next; None when it has ended, or says what no program would."""
        while (end := self._data.find(b"\n")) < 0:
            data: bytes | bytearray = b""
            with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
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
