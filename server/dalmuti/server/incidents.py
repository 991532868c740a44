"""What goes wrong with strangers, told in the log without letting them fill it.

One line per kind of incident, address and period; the ones that follow are counted, and the count
is told when the period is over (server.md I-92: a log that fills the disk). What is kept is
bounded: a flood from very many addresses pushes out the oldest counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from dalmuti.server.log import Value

Write = Callable[..., None]
"""`Log.info` or `Log.warning` of a log that may be bound to a connection or table."""

LINES: Final = {"connected": 30, "disconnected": 30}
"""Kinds of which there may be more lines than one: they are nothing bad."""
MOST: Final = 4096
"""Kinds and addresses that are counted at once."""


class _Count(Struct):
    """What was seen of one kind and address since `began`."""

    began: float
    write: Write
    lines: int = 0
    more: int = 0


class Incidents:
    """Counts incidents. Times are in seconds on the clock of the caller."""

    def __init__(self, period: float) -> None:
        self._period = period
        self._counts: dict[tuple[str, str], _Count] = {}

    def note(self, write: Write, kind: str, address: str, now: float, /, **values: Value) -> None:
        """Writes a line, unless there was one of this kind from this address in this period."""
        self._sweep(now)
        count = self._counts.get((kind, address))
        if count is None:
            count = self._counts[kind, address] = _Count(now, write)
        if count.lines < LINES.get(kind, 1):
            count.lines += 1
            write(kind, address=address, **values)
        else:
            count.more += 1

    def _sweep(self, now: float) -> None:
        """Tells the counts of periods that are over; the oldest come first."""
        while self._counts:
            (kind, address), count = next(iter(self._counts.items()))
            if now - count.began < self._period and len(self._counts) < MOST:
                return
            del self._counts[kind, address]
            if count.more:
                count.write(kind, address=address, more=count.more)
