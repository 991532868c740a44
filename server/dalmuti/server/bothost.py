"""The house bots: one child process that connects over TCP like any stranger's client.

The child is a program of the client side, started by its command line, so that nothing of it is
imported here. It reads one JSON line a job from its standard input, seats a bot for each, and ends
when that closes: even a killed server leaves no bots behind. If the child dies, its bots are lost
like anyone who loses the connection, and their tables send for them again, with new tickets.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys

import trio

from dalmuti.protocol.text import safe_text
from dalmuti.server.log import Log
from dalmuti.server.table.house import BotJob

COMMAND = (sys.executable, "-m", "dalmuti.client.bots.house")
RESTART_SECONDS = 1.0
"""After a death no child is started for so long: a broken one must not keep us busy."""

LAST_WORDS = 0.2
"""Seconds in which a dead child's last lines are read."""

LINE = 1000
"""Bytes of the longest line that is taken from the child."""

LAST_SECONDS = 1.0
"""Jobs that a child got in so many seconds before it died count as not begun."""


class BotHost:
    """Starts the child when the first bot is wanted, and again whenever one is and it is dead."""

    def __init__(self, delay: float, password: str | None, log: Log) -> None:
        self.address = ""
        """Where the bots find this server; set when it listens."""
        self.password = password
        """That of the server, which may change."""
        self._delay, self._log = delay, log
        self._send, self._jobs = trio.open_memory_channel[BotJob](math.inf)
        self._handed: list[tuple[float, BotJob]] = []
        """Jobs that the child was given, and when. What a dying child is given can still be
        written to its pipe, so the last ones go to the next child as well; a ticket that was
        used after all is refused."""

    def send_for(self, job: BotJob) -> None:
        """Has a bot come. The queue is bounded by the seats of all tables."""
        self._send.send_nowait(job)

    async def run(self) -> None:
        """Does the jobs as they come. The child dies with this task."""
        async for job in self._jobs:
            await self._serve_child(job)
            died = trio.current_time()
            for given, lost in self._handed:
                if died - given < LAST_SECONDS:
                    self._send.send_nowait(lost)
            self._handed.clear()
            await trio.sleep(RESTART_SECONDS)

    async def _serve_child(self, first: BotJob) -> None:
        """One child's life, from its first job to its end."""
        try:
            child = await trio.lowlevel.open_process(
                COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
        except OSError as error:
            self._log.warning("bots_cannot_start", error=error.strerror)
            return
        try:
            self._log.info("bots_started", pid=child.pid)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._feed, child, first)
                nursery.start_soon(self._hear, child)
                code = await child.wait()
                self._log.warning("bots_died", pid=child.pid, code=code)
                nursery.cancel_scope.deadline = trio.current_time() + LAST_WORDS
        finally:
            with trio.CancelScope(shield=True):
                await self._end(child)

    async def _feed(self, child: trio.Process, job: BotJob) -> None:
        assert child.stdin is not None
        while True:
            now = trio.current_time()
            self._handed = [each for each in self._handed if now - each[0] < LAST_SECONDS]
            self._handed.append((now, job))
            try:
                await child.stdin.send_all(self._line(job))
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return
            job = await self._jobs.receive()

    async def _hear(self, child: trio.Process) -> None:
        """Puts each line that the child complains with into the log; without an end it is cut."""
        assert child.stderr is not None
        rest = b""
        async for data in child.stderr:
            *lines, rest = (rest + data).split(b"\n")
            if len(rest) > LINE:
                lines, rest = [*lines, rest], b""
            for line in lines:
                text = safe_text(line[:LINE].decode("utf-8", "replace"))
                self._log.warning("bots_say", text=text)

    def _line(self, job: BotJob) -> bytes:
        values: dict[str, str | float] = {
            "address": self.address,
            "table": job.table,
            "bot": job.bot,
            "name": job.name,
            "ticket": job.ticket,
            "delay": self._delay if job.delay is None else job.delay,
        }
        if self.password is not None:
            values["password"] = self.password
        return json.dumps(values).encode() + b"\n"

    @staticmethod
    async def _end(child: trio.Process) -> None:
        """Closes its input, which is the sign to end; a child that goes on is killed."""
        if child.stdin is not None:
            await child.stdin.aclose()
        with trio.move_on_after(1):
            await child.wait()
        if child.returncode is None:
            child.kill()
            await child.wait()
        if child.stderr is not None:
            await child.stderr.aclose()
