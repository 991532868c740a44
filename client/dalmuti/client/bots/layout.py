"""What the expert's networks are told: a row of small whole numbers, and how each is written out.

A position is described by some ninety *traits*, each a small number: how many 7s are held, how
many cards the next player has. A network does not take a trait as a number but as several inputs,
its *code*: one for each step that the number has reached, or one for each value, and perhaps the
number itself, in parts of 1/16 so that all arithmetic stays exact. As the first layer is linear, a
value of a trait is a fixed row of that layer; the networks therefore add up rows, one a trait.

The trainer and the bot share this module, so that they cannot disagree about the order of traits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

UNIT: Final = 16
"""An input of 1 is written as 16, so that quarters, eighths and sixteenths are whole."""
MOST_OTHERS: Final = 9
"""At a table of ten."""


class Trait(NamedTuple):
    """One number of a description, from 0 to `top`; larger ones count as `top`."""

    name: str
    top: int
    steps: tuple[int, ...] = ()
    """One input for each: whether the number is at least so much."""
    each: tuple[int, ...] = ()
    """One input for each: whether it is this number."""
    slope: int = 0
    """How many sixteenths of one further input a count of one is worth; 0: there is no such."""

    @property
    def width(self) -> int:
        """The number of inputs."""
        return len(self.steps) + len(self.each) + (self.slope > 0)

    def code(self, value: int) -> list[int]:
        """The inputs for a value, in units of 1/16."""
        value = min(value, self.top)
        return [
            *(UNIT * (value >= step) for step in self.steps),
            *(UNIT * (value == one) for one in self.each),
            *((self.slope * value,) if self.slope else ()),
        ]


def held(rank: int) -> Trait:
    """How many cards of a rank a player holds."""
    return Trait(f"held {rank}", rank, tuple(range(1, min(rank, 4) + 1)), (), 4 if rank > 4 else 0)


def unseen(rank: int) -> Trait:
    """How many cards of a rank the others hold."""
    if rank == 1:
        return Trait("unseen 1", 1, (1,))
    return Trait(f"unseen {rank}", rank, (1,) if rank < 4 else (1, 2), (), 2 if rank > 4 else 4)


def size(name: str) -> Trait:
    """How many cards a set has; 0: there is none."""
    return Trait(name, 14, (1, 2, 3, 4, 5, 7), (), 4)


RANKS: Final = tuple(range(1, 13))
SPANS: Final = (1, 2, 3, 4, 5)
"""Sizes of sets for which the best rank that others may have is told."""

TRICKS: Final[tuple[Trait, ...]] = (
    # What stays the same whatever is chosen now.
    *(unseen(rank) for rank in RANKS),
    Trait("unseen Jesters", 2, (1, 2)),
    *(Trait(f"reach {span}", 13, (13,), (), 1) for span in SPANS),
    *(Trait(f"cards {n}", 20, (1, 2, 3, 4, 6, 9), (), 2) for n in range(1, MOST_OTHERS + 1)),
    *(Trait(f"act {n}", 2, (), (1, 2)) for n in range(1, MOST_OTHERS + 1)),
    Trait("others", 9, (), tuple(range(1, 10))),
    Trait("locked", 1, (1,)),
    # What depends on whether one plays or passes.
    *(Trait(f"role {n}", 3, (), (1, 2, 3)) for n in range(1, MOST_OTHERS + 1)),
    # The cards after the choice.
    *(held(rank) for rank in RANKS),
    Trait("held Jesters", 2, (1, 2)),
    *(Trait(f"safe {rank}", 1, (1,)) for rank in RANKS[1:]),
    Trait("left", 20, (2, 3, 4, 5, 6, 7, 9, 11, 14), (), 2),
    Trait("groups", 12, (2, 3, 4, 5, 6), (), 4),
    Trait("winners", 8, (1, 2, 3), (), 4),
    Trait("losers", 12, (1, 2, 3, 4), (), 4),
    # The set on the table after the choice: one's own, or that of somebody else.
    Trait("own rank", 13, (), tuple(range(1, 14))),
    size("own size"),
    Trait("own how", 2, (), (1, 2)),
    Trait("beaters", 13, (1, 2, 3, 4, 6), (), 2),
    Trait("firm beaters", 13, (1, 2, 3, 4, 6), (), 2),
    Trait("holders", 10, (2, 3), (), 4),
    Trait("sure", 1, (1,)),
    Trait("their rank", 13, (), tuple(range(1, 14))),
    size("their size"),
    Trait("to come", 9, (2, 3, 4), (), 4),
    Trait("heir", 1, (1,)),
    Trait("owner out", 1, (1,)),
)
"""A position of the trick phase as one player sees it, right after a choice of his."""

DEAL: Final[tuple[Trait, ...]] = (
    *(held(rank) for rank in RANKS),
    Trait("held Jesters", 2, (1, 2)),
    Trait("from the top", 9, (), tuple(range(10))),
    Trait("from the bottom", 9, (), tuple(range(10))),
    Trait("seats", 10, (), tuple(range(2, 11))),
    Trait("stage", 2, (), (0, 1, 2)),
)
"""A hand before the tricks. Stage 0: no taxes are due; 1: they are, and these are the cards as
dealt; 2: they are, and these are the cards that a Dalmuti keeps, without those that come."""

NO_TAXES, TAXES, KEPT = range(3)


def place(traits: Sequence[Trait], name: str) -> int:
    """Where a trait is in a description."""
    return [trait.name for trait in traits].index(name)


def width(traits: Sequence[Trait]) -> int:
    """How many inputs a description is written out to."""
    return sum(trait.width for trait in traits)


def codes(traits: Sequence[Trait]) -> Iterator[list[int]]:
    """For each value of each trait, in order, all inputs it sets, in units of 1/16."""
    before, whole = 0, width(traits)
    for trait in traits:
        for value in range(trait.top + 1):
            yield [0] * before + trait.code(value) + [0] * (whole - before - trait.width)
        before += trait.width


def starts(traits: Sequence[Trait]) -> list[int]:
    """Where the rows of each trait begin in the order of `codes`."""
    found, row = [], 0
    for trait in traits:
        found.append(row)
        row += trait.top + 1
    return found
