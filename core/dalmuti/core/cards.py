"""Ranks, the deck, and sets of cards (rules.md D1, S1 to S5).

Two naturals of one rank are the same card (S4), so nothing here knows single cards: what a player
holds is a number per rank, and a set is (rank, count, jesters). On the wire and in text, cards are
a sorted tuple of ranks, so that they never show the order of the deal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Final

from msgspec import Meta, Struct

DALMUTI: Final = 1
"""The best rank: there is one card of it."""
PEASANT: Final = 12
"""The worst natural rank: there are twelve cards of it."""
JESTER: Final = 13
"""The rank of a Jester that stands alone."""
DECK_SIZE: Final = 80
RANK_SUM: Final = 676
"""What all ranks of the deck add up to, Jesters as 13 (D1)."""
LARGEST_SET: Final = 14
"""Twelve 12s and both Jesters (S5)."""

Counts = list[int]
"""How many cards of each rank: entry r is the number of rank r, entry 0 is always 0."""
Cards = tuple[Annotated[int, Meta(ge=1, le=13)], ...]
"""Cards as sorted ranks, 13 for a Jester."""

DECK: Final[Cards] = (
    *(rank for rank in range(1, 13) for _ in range(rank)),
    JESTER,
    JESTER,
)
"""All 80 cards, sorted (D1)."""


def counts_of(cards: Iterable[int]) -> Counts:
    """The number of cards of each rank among `cards`."""
    counts = [0] * 14
    for rank in cards:
        counts[rank] += 1
    return counts


_RUNS: Final = tuple(tuple((rank,) * number for number in range(15)) for rank in range(14))
"""By rank and number: so many cards of it."""


def cards_of(counts: Sequence[int]) -> Cards:
    """The sorted ranks behind `counts`."""
    cards: Cards = ()
    for rank, number in enumerate(counts):
        if number:
            cards += _RUNS[rank][number]
    return cards


def deal(deck: Sequence[int], seats: int) -> list[Cards]:
    """Deals the whole deck one card at a time, clockwise from seat 0 (rules.md D2).

    Returns one sorted tuple a seat; the extra cards are with the top seats.
    """
    return [tuple(sorted(deck[seat::seats])) for seat in range(seats)]


class Play(Struct, frozen=True, gc=False, tag_field="do", tag="play"):
    """A set of cards that is led or follows: `count` cards that count as `rank`.

    `count` includes the Jesters: `rank` 9, `count` 3, `jesters` 1 are two 9s and a Jester. Jesters
    alone are rank 13 and are counted as such: `rank` 13, `count` 2, `jesters` 2 (rules.md S1, S2).
    """

    rank: Annotated[int, Meta(ge=1, le=13, description="The rank it counts as; 13: Jesters only.")]
    count: Annotated[int, Meta(ge=1, le=LARGEST_SET, description="Cards in all, Jesters included.")]
    jesters: Annotated[int, Meta(ge=0, le=2, description="How many of them are Jesters.")] = 0

    @property
    def naturals(self) -> int:
        """How many cards of the rank itself are in the set."""
        return self.count - self.jesters

    def cards(self) -> Cards:
        """The cards that leave the hand with this play."""
        if self.rank == JESTER:
            return (JESTER,) * self.count
        return (self.rank,) * self.naturals + (JESTER,) * self.jesters

    def __str__(self) -> str:
        if self.rank == JESTER:
            return f"{self.count}xJ"
        return f"{self.count}x{self.rank}" + (f"+{self.jesters}J" if self.jesters else "")


_PLAY_TEXT = re.compile(r"([0-9]{1,2})[x*]([0-9]{1,2}|[jJ])(?:\+([0-9]?)[jJ])?")


def parse_play(text: str) -> Play:
    """Reads `3x9`, `3x9+1J`, `3x9+J` or `2xJ`; the opposite of `str(play)`.

    Raises ValueError, with what was expected, for anything else. Whether somebody holds
    the cards, or may play them now, is not asked here.
    """
    match = _PLAY_TEXT.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"expected a set such as 3x9, 3x9+1J or 2xJ, found {text!r}")
    count, rank = int(match[1]), JESTER if match[2] in "jJ" else int(match[2])
    jesters = 0 if match[3] is None else int(match[3] or 1)
    if rank == JESTER and not jesters:
        jesters = count
    if not (1 <= rank <= JESTER and 1 <= count <= LARGEST_SET and jesters <= 2):
        raise ValueError(f"no set of cards is {text!r}: ranks go from 1 to 12, or J, Jesters to 2")
    if (jesters >= count) != (rank == JESTER) or jesters > count:
        raise ValueError(f"no set of cards is {text!r}: it needs a natural card, or Jesters alone")
    return Play(rank, count, jesters)
