"""The clock of the tables: Trio's, but it goes on where that of the last run stood.

A deadline is kept in the journal as a time on this clock. While the server is down the clock
stands still, so what was left of a turn is left of it afterwards, whatever wall clocks say.
"""

from __future__ import annotations

import trio


class Clock:
    """Seconds. Without a base it is Trio's own clock."""

    def __init__(self, base: float | None = None) -> None:
        """`base` is the time it shows now. Made inside of the Trio run."""
        self._shift = 0.0 if base is None else base - trio.current_time()

    def now(self) -> float:
        """The time at the tables."""
        return trio.current_time() + self._shift

    def in_trio(self, moment: float) -> float:
        """The same moment on Trio's clock."""
        return moment - self._shift
