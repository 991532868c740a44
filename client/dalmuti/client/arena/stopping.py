"""Ctrl-C and SIGTERM while an arena plays: what was played so far is not thrown away.

A signal ends the waiting for the next outcome, wherever that is, and nothing else: figures are
never left half added up. Whoever sends a second one does not want to wait, and this process ends at
once; those of its bots end with it (`leash`).
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from types import FrameType
from typing import Any, Final, TypeVar

T = TypeVar("T")
SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class Stopped(BaseException):
    """A signal came. No `except Exception` on the way takes it for something else."""


class Stops:
    """Listens to the signals, as a context manager, in the main thread."""

    def __init__(self) -> None:
        self.caught = 0
        """The number of the signal that came, or 0."""
        self._waits = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Stops:
        for number in SIGNALS:
            self._before[number] = signal.signal(number, self._hear)
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self.caught:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        self.caught = number
        if self._waits:
            self._waits = False
            raise Stopped

    def next(self, iterator: Iterator[T]) -> T | None:
        """The next of an iterator; None at its end. Raises Stopped once a signal has come."""
        self._waits = True
        try:
            if self.caught:
                raise Stopped
            return next(iterator, None)
        finally:
            self._waits = False
