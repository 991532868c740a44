"""The arena over TCP: real servers, a client for every seat, and the same moves as over core.

Each job is a process (`tcpjob`) with a server of its own, so that jobs share nothing. Here they are
started, supplied with items, listened to, and ended. A job hangs on a leash, and whatever it
starts hangs on it: nothing is left even if all of this is killed.
"""

from __future__ import annotations

import os
import selectors
import shlex
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import suppress
from typing import Final

import msgspec

from dalmuti.client.arena.leash import Leashed
from dalmuti.client.arena.plan import Contestant, Item, Outcome, Setup
from dalmuti.client.arena.tcpjob import Answer, Done, Refused, tables_of
from dalmuti.client.commands.parts import BUG, WRONG_USE
from dalmuti.client.start import Refusal

AHEAD: Final = 2
"""Items that a job has beside those that it plays."""
STOP_SECONDS: Final = 10.0
"""What a job may take to end all that it has started."""


def play(setup: Setup, items: Iterator[Item], jobs: int) -> Generator[Outcome, None, None]:
    """A `plan.Runner`. Raises Refusal, for a bot that cannot be loaded, too."""
    for contestant in setup.contestants:
        check(contestant)
    pool = Pool(setup, items)
    try:
        yield from pool.play(jobs)
    finally:
        pool.close()


def check(contestant: Contestant) -> None:
    """Raises Refusal for a command line that cannot be one."""
    command = contestant.command
    if command is None:
        return
    try:
        words = shlex.split(command)
    except ValueError as error:
        text = f"{contestant.name!r} is no command line: {str(error).lower()}"
        raise Refusal(text, WRONG_USE) from None
    if not any("{port}" in word for word in words):
        raise Refusal(
            f"expected {{port}} in {contestant.name!r}, where the program is to connect to,"
            " such as 'cmd:node bot.js {host} {port} {table} {name}'",
            WRONG_USE,
        )


class Job:
    """One process, and how many items it has."""

    def __init__(self, setup: Setup) -> None:
        self._leashed = Leashed(
            [sys.executable, "-m", "dalmuti.client.arena.tcpjob"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        process = self._leashed.process
        assert process.stdin is not None and process.stdout is not None
        self._input, self.output = process.stdin, process.stdout.fileno()
        self._data = bytearray()
        self.items = 0
        self._write(setup)

    def give(self, item: Item) -> None:
        """Lets it play this one as well."""
        self.items += 1
        self._write(item)

    def _write(self, message: Setup | Item) -> None:
        with suppress(BrokenPipeError):  # it has ended, which is found out where it is read from
            self._input.write(msgspec.json.encode(message) + b"\n")
            self._input.flush()

    def read(self) -> list[Answer] | None:
        """What it has said; None when it has ended."""
        data = os.read(self.output, 1 << 20)
        if not data:
            return None
        *lines, rest = (self._data + data).split(b"\n")
        self._data = rest
        return [msgspec.json.decode(line, type=Answer) for line in lines]

    def stop(self) -> None:
        """Lets it end all that it has started."""
        with suppress(OSError):
            self._input.close()

    def close(self) -> None:
        """Returns when it is gone. May be called again."""
        with suppress(subprocess.TimeoutExpired):
            self._leashed.process.wait(STOP_SECONDS)
        self._leashed.kill()


class Pool:
    """The jobs of one arena."""

    def __init__(self, setup: Setup, items: Iterator[Item]) -> None:
        self._setup, self._items = setup, items
        self._most = tables_of(setup) + AHEAD
        self._jobs: list[Job] = []

    def play(self, jobs: int) -> Iterator[Outcome]:
        """Plays until no item is left."""
        with selectors.DefaultSelector() as selector:
            for _ in range(jobs):
                self._jobs.append(job := Job(self._setup))
                selector.register(job.output, selectors.EVENT_READ, job)
            self._supply()
            while any(job.items for job in self._jobs):
                for key, _ in selector.select():
                    yield from self._hear(key.data)

    def _hear(self, job: Job) -> Iterator[Outcome]:
        answers = job.read()
        if answers is None:
            text = "a process of the arena ended by itself; the lines above may say why"
            raise Refusal(text, BUG)
        for answer in answers:
            match answer:
                case Refused(text):
                    raise Refusal(text, WRONG_USE)
                case Done(outcome):
                    job.items -= 1
                    yield outcome
                    self._supply()

    def _supply(self) -> None:
        """Gives the next items to who has the fewest."""
        while (job := min(self._jobs, key=lambda job: job.items)).items < self._most:
            item = next(self._items, None)
            if item is None:
                return
            job.give(item)

    def close(self) -> None:
        """Ends them all."""
        for job in self._jobs:
            job.stop()
        for job in self._jobs:
            job.close()
        self._jobs.clear()
