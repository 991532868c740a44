"""A `dalmuti` command in plain mode on pipes: what it says, and answers typed to it."""

from __future__ import annotations

import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

PATIENCE = 60.0
"""Seconds after which a line that does not come is a failure; generous, machines are busy."""


class Spoken:
    """One command; a context manager that leaves nothing running."""

    def __init__(self, arguments: Sequence[str], env: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "dalmuti.client.cli", *arguments],
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.raw = bytearray()
        self.said: list[str] = []
        self._coming: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.raw += line
            self._coming.put(line.decode().rstrip("\n"))
        self._coming.put(None)

    def __enter__(self) -> Spoken:
        return self

    def __exit__(self, *_: object) -> None:
        """Leaves the table, as the end of the input does, so that no server waits for us."""
        assert self.process.stdin is not None and self.process.stdout is not None
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.process.wait()
        self._reader.join()
        self.process.stdout.close()

    def next(self) -> str | None:
        """The next line, or None at the end."""
        try:
            line = self._coming.get(timeout=PATIENCE)
        except queue.Empty:
            raise AssertionError(f"it fell silent after {self.said[-20:]}") from None
        if line is not None:
            self.said.append(line)
        return line

    def until(self, beginning: str) -> str:
        """The next line that begins like this."""
        while (line := self.next()) is not None:
            if line.startswith(beginning):
                return line
        raise AssertionError(f"ended without {beginning!r}: {self.said[-20:]}")

    def answer(self, text: str) -> None:
        """Types a line. A command that has ended meanwhile does not mind."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(text.encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def play_on(self, answers: Sequence[str], beginning: str = "\0") -> str | None:
        """Answers each `Your turn`, in turn, until a line begins like that, or all is over."""
        turns = 0
        while (line := self.next()) is not None:
            if line.startswith("Your turn: "):
                self.answer(answers[turns % len(answers)])
                turns += 1
            if line.startswith(beginning):
                return line
        return None

    def kill(self) -> None:
        """As a crash of the machine would: no goodbye."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def wait(self) -> int:
        """Its exit code."""
        deadline = time.monotonic() + PATIENCE
        while self.next() is not None:
            assert time.monotonic() < deadline, self.said[-20:]
        return self.process.wait(PATIENCE)
