"""Watches the event loop: a task that computes for too long holds up everybody.

Trio calls `after_task_step` after each step of each task, and one step begins where another or the
wait for the system ended: one call a step, which costs half a microsecond. A step over 50 ms is
told with the name of the task (server.md I-93).
"""

from __future__ import annotations

import time
from typing import Final

import trio

from dalmuti.server.log import Log
from dalmuti.server.metrics import Metrics

SLOW_SECONDS: Final = 0.05
QUIET_SECONDS: Final = 10.0
"""A line in the log at most so often; the others are counted."""


class Watchdog(trio.abc.Instrument):
    """Measures every step of every task."""

    def __init__(self, metrics: Metrics, log: Log) -> None:
        self._metrics, self._log = metrics, log
        self._began = time.perf_counter()
        self._said = -QUIET_SECONDS
        self._more = 0

    def after_io_wait(self, timeout: float) -> None:
        """Steps begin."""
        self._began = time.perf_counter()

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        """One is over."""
        ended = time.perf_counter()
        seconds, self._began = ended - self._began, ended
        if seconds > self._metrics.longest_step:
            self._metrics.longest_step = seconds
        if seconds > SLOW_SECONDS:
            self._slow(task.name, seconds, ended)

    def _slow(self, name: str, seconds: float, now: float) -> None:
        self._metrics.slow_steps += 1
        if now - self._said < QUIET_SECONDS:
            self._more += 1
            return
        more = self._more or None
        self._said, self._more = now, 0
        self._log.warning("slow_step", task=name, ms=round(seconds * 1000), more=more)
