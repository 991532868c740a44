"""Somebody's client as a program: how it is started, what it said, and how it is ended for sure.

It gets a process group of its own and folders of its own for what it keeps between two runs, so
that checks that run side by side do not find each other's seats. Whatever it starts is ended with
it: a client that hangs, ignores SIGTERM or forks costs its own check and nothing else.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

import trio

from dalmuti.client.conform.checks import Failed
from dalmuti.protocol.text import cut, safe_text

PLACES: Final = ("{host}", "{port}", "{table}", "{name}")
"""What may stand in the command; without any of them all four are added, in this order."""
MOST_OUTPUT: Final = 4000
"""Bytes of what a client printed on one output that are kept: the newest."""
LAST_LINES: Final = 3
GENTLE_SECONDS: Final = 1.0
"""Between asking a client to end and ending it."""


class CommandError(Exception):
    """The command cannot be a client's; the text says why."""


def command_of(text: str, host: str, port: int, table: str, name: str) -> list[str]:
    """The words of a command with the places filled. Raises CommandError."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise CommandError(f"the command cannot be read: {error}") from None
    if not words:
        raise CommandError("expected a command that starts a client, found nothing")
    values = dict(zip(PLACES, (host, str(port), table, name), strict=True))
    if not any(place in word for word in words for place in PLACES):
        words += PLACES
    for place, value in values.items():
        words = [word.replace(place, value) for word in words]
    if shutil.which(words[0]) is None:
        raise CommandError(f"there is no program {words[0]!r} that could be started")
    return words


class Program:
    """One running client."""

    def __init__(self, process: trio.Process) -> None:
        self.process = process
        self._outputs = {"stderr": b"", "stdout": b""}

    @property
    def code(self) -> int | None:
        """Its exit code, None while it runs; negative: the signal that ended it."""
        return self.process.poll()

    @property
    def last_words(self) -> tuple[str, ...]:
        """The last lines that it printed on standard error, else on standard output, as they may
        be shown."""
        for output in self._outputs.values():
            lines = output.decode(errors="replace").rstrip().splitlines()[-LAST_LINES:]
            if lines:
                return tuple(cut(safe_text(line), 150) for line in lines)
        return ()

    async def ended(self, seconds: float) -> int | None:
        """Its exit code, None if it still runs after so long."""
        with trio.move_on_after(seconds):
            await self.process.wait()
        await trio.lowlevel.checkpoint()
        return self.code

    async def listen(self) -> None:
        """Takes all that it prints, so that it never waits for us."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._listen, "stdout", self.process.stdout)
            nursery.start_soon(self._listen, "stderr", self.process.stderr)

    async def _listen(self, which: str, stream: trio.abc.ReceiveStream | None) -> None:
        assert stream is not None
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            async for data in stream:
                self._outputs[which] = (self._outputs[which] + data)[-MOST_OUTPUT:]

    def describe(self) -> str:
        """Whether it runs."""
        return "still runs" if self.code is None else f"ended with exit code {self.code}"


@asynccontextmanager
async def running(command: list[str]) -> AsyncIterator[Program]:
    """Starts a client, and ends its whole process group. Raises Failed if it cannot be started."""
    with tempfile.TemporaryDirectory(prefix="dalmuti-conform-") as folder:
        kept = {name: folder for name in ("XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
        try:
            process = await trio.lowlevel.open_process(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                env={**os.environ, **kept},
            )
        except OSError as error:
            raise Failed(f"expected a client, found that it cannot be started: {error}") from None
        program = Program(process)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(program.listen)
                yield program
                nursery.cancel_scope.cancel()
        finally:
            with trio.CancelScope(shield=True):
                await _end(process)


async def _end(process: trio.Process) -> None:
    """Ends the group: gently, and then for sure. It may be there although its leader has gone."""
    if process.returncode is None:
        _signal(process.pid, signal.SIGTERM)
        with trio.move_on_after(GENTLE_SECONDS):
            await process.wait()
    _signal(process.pid, signal.SIGKILL)
    await process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            await stream.aclose()


def _signal(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
