"""One question that a hand asks: who must decide, until when, and what was answered under seal.

The revolution window is special (rules.md R2, I3): everyone is asked, answers stay sealed, and it
closes no earlier than a minimum, so that neither a message nor the time tells who could have
called. The declined answers reach the hand together, when it closes.
"""

from __future__ import annotations

from msgspec import Struct, field

from dalmuti.core.events import By, Question
from dalmuti.core.hand import Hand, Phase
from dalmuti.core.moves import Move


class Asking(Struct, eq=False):
    """A question to one or more seats. All times are on the table's clock."""

    decision: int
    phase: Phase
    kind: Question
    seats: tuple[int, ...]
    ends: float | None
    """When the clock is up; None without one."""
    lag: float = 0.0
    """How long after that the defaults are done."""
    earliest: float = 0.0
    """The window does not close before."""
    sealed: dict[int, tuple[Move, By]] = field(default_factory=dict)
    standins: dict[int, float] = field(default_factory=dict)
    """When the stand-in moves, for seats that it plays."""

    def waits_for(self, hand: Hand) -> tuple[int, ...]:
        """The seats that have not answered yet."""
        return tuple(seat for seat in hand.to_act if seat not in self.sealed)

    def ms_left(self, now: float) -> int | None:
        """What is left of the clock."""
        return None if self.ends is None else max(0, round((self.ends - now) * 1000))

    def is_up(self, now: float) -> bool:
        """Whether the defaults are due."""
        return self.ends is not None and self.ends + self.lag <= now

    def next_deadline(self, hand: Hand) -> float | None:
        """When something happens by itself."""
        times = list(self.standins.values())
        waiting = self.waits_for(hand)
        if self.ends is not None and waiting:
            times.append(self.ends + self.lag)
        if not waiting:
            times.append(self.earliest)
        return min(times, default=None)
