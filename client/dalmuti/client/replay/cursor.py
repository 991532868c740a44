"""A place in a record, and whose eyes look at it: the pure machine behind every replay.

Moving gives another cursor; where there is nothing further it gives the same one. The moments of a
hand are folded once, from the beginning of that hand, and kept while it is looked at, so that a
step back costs no more than a step on, and a jump over a hundred hands no more than one over one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from dalmuti.client.replay.reel import Moment, unroll
from dalmuti.client.replay.script import Chapter
from dalmuti.core.events import PlayerInfo

KEPT: Final = 6
"""Reels that are kept: a few hands, or a hand seen by several."""


class Source(Protocol):
    """What a cursor goes through: a `script.Script`, or one hand of our own (`own.OwnTape`)."""

    table: str
    players: dict[int, PlayerInfo]
    problem: str
    """Why it goes no further; empty where it simply ends."""
    has_all_cards: bool
    """Whether it knows everybody's cards, so that others can be looked at."""

    @property
    def hands(self) -> int:
        """How many hands there are."""

    def __len__(self) -> int:
        """How many chapters: one more, for what was before the first hand."""

    def chapter(self, index: int) -> Chapter:
        """A chapter by its place."""


class Reels:
    """The moments that were looked at last, by hand and viewer."""

    def __init__(self, script: Source) -> None:
        self.script = script
        self._kept: dict[tuple[int, int | None], list[Moment]] = {}

    def get(self, index: int, you: int | None) -> list[Moment]:
        """All moments of a chapter; without a viewer with open cards."""
        key = index, you
        if key not in self._kept:
            opened = you is None and self.script.has_all_cards
            made = list(unroll(self.script.chapter(index), you, opened=opened))
            while len(self._kept) >= KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = made
        return self._kept[key]


class Cursor:
    """Where we are. Never changes: every method that moves returns a cursor."""

    def __init__(self, reels: Reels, index: int = 0, step: int = 0, you: int | None = None) -> None:
        self._reels = reels
        self.index = index
        """Which chapter; 0 is before the first hand."""
        self.step = step
        """How many steps of it are done."""
        self.you = you
        """With whose eyes; None: all cards are open."""

    @classmethod
    def at_start(cls, script: Source, you: int | None = None) -> Cursor:
        """At the beginning of the first hand, or of all if there is none."""
        first = cls(Reels(script), 0, 0, you)
        return first.to_hand(1) if script.hands else first

    # -- what is here -------------------------------------------------------------------------

    @property
    def script(self) -> Source:
        return self._reels.script

    @property
    def chapter(self) -> Chapter:
        return self.script.chapter(self.index)

    @property
    def steps(self) -> int:
        """How many steps this chapter has."""
        return len(self.chapter.steps)

    @property
    def trick(self) -> int:
        """Which trick it is, from 1; 0 before the first."""
        return sum(lead <= self.step for lead in self.chapter.leads)

    @property
    def moment(self) -> Moment:
        """The table here."""
        return self._reels.get(self.index, self.you)[self.step]

    @property
    def rows(self) -> Sequence[int]:
        """The players as a screen lists them now: by seat, by place, or as they sit down."""
        table = self.moment.table
        if table.hand is not None:
            return table.hand.order
        if table.result is not None:
            return tuple(line.player for line in table.result.places)
        return table.order or tuple(info.player for info in table.players)

    @property
    def at_end(self) -> bool:
        """Whether nothing comes after this."""
        return self.step == self.steps and self.index == len(self.script) - 1

    # -- moving -------------------------------------------------------------------------------

    def _to(self, index: int, step: int) -> Cursor:
        return Cursor(self._reels, index, step, self.you)

    def next(self, moves: int = 1) -> Cursor:
        """So many steps on."""
        index, step = self.index, self.step + moves
        while step > (steps := len(self.script.chapter(index).steps)):
            if index + 1 == len(self.script):
                return self._to(index, steps)
            index, step = index + 1, step - steps
        return self._to(index, step)

    def back(self, moves: int = 1) -> Cursor:
        """So many steps back. A hand begins with its first step, not before it."""
        index, step = self.index, self.step - moves
        while index and step < 1:
            index -= 1
            step += len(self.script.chapter(index).steps)
        return self._to(index, max(0, step))

    def to_step(self, step: int) -> Cursor:
        """To a step of this hand, from 1; or the nearest there is."""
        return self._to(self.index, min(self.steps, max(1 if self.index else 0, step)))

    def to_end(self) -> Cursor:
        """To the end of this hand, with all that happened before the next."""
        return self._to(self.index, self.steps)

    def to_trick(self, number: int) -> Cursor:
        """To the lead of a trick of this hand, from 1; or the nearest there is."""
        leads = self.chapter.leads
        if not leads:
            return self
        return self._to(self.index, leads[min(len(leads), max(1, number)) - 1])

    def next_trick(self) -> Cursor:
        """To the next lead; after the last one to the end of the hand, and then to the next."""
        for lead in self.chapter.leads:
            if lead > self.step:
                return self._to(self.index, lead)
        return self.to_end() if self.step < self.steps else self.next()

    def last_trick(self) -> Cursor:
        """Back to the lead of this trick, or from there to the one before."""
        for lead in reversed(self.chapter.leads):
            if lead < self.step:
                return self._to(self.index, lead)
        return self.to_step(1) if self.step > 1 else self.back()

    def to_hand(self, number: int) -> Cursor:
        """To the beginning of a hand by its place among those that can be seen, from 1."""
        index = min(self.script.hands, max(0, number))
        return self._to(index, 1 if index and self.script.chapter(index).steps else 0)

    def next_hand(self) -> Cursor:
        """To the next hand; in the last one to its end."""
        return self.to_hand(self.index + 1) if self.index < self.script.hands else self.to_end()

    def last_hand(self) -> Cursor:
        """Back to the beginning of this hand, or from there to the one before."""
        return self.to_hand(self.index if self.step > 1 else self.index - 1)

    # -- whose eyes ---------------------------------------------------------------------------

    def seen_by(self, player: int | None) -> Cursor:
        """The same place with other eyes; None opens all cards."""
        return Cursor(self._reels, self.index, self.step, player)


def same_place(one: Cursor, other: Cursor) -> bool:
    """Whether two cursors show the same."""
    return (one.index, one.step, one.you) == (other.index, other.step, other.you)
