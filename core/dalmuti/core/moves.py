"""What a player may answer: the kinds of move, what is legal, the default (rules.md S, P, X1).

The functions here know the cards of one player and the set to beat, nothing else; whose turn it is
and which phase the hand is in is decided in `hand`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from itertools import combinations_with_replacement
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import force_setattr

from dalmuti.core.cards import JESTER, LARGEST_SET, PEASANT, Cards, Play, cards_of, parse_play


class MoveCode(StrEnum):
    """Why a move was refused; part of the protocol's closed list of error codes."""

    NOT_YOUR_TURN = "not_your_turn"
    WRONG_PHASE = "wrong_phase"
    NOT_A_SET = "not_a_set"
    NOT_HELD = "not_held"
    WRONG_COUNT = "wrong_count"
    NOT_LOWER = "not_lower"
    MUST_LEAD = "must_lead"
    WRONG_RETURN = "wrong_return"
    NO_REVOLUTION = "no_revolution"


class IllegalMove(ValueError):
    """A move that the rules refuse. The state is as it was before."""

    def __init__(self, code: MoveCode, message: str) -> None:
        super().__init__(message)
        self.code = code


class Pass(Struct, frozen=True, gc=False, tag_field="do", tag="pass"):
    """Plays nothing this time round (rules.md P2, P3)."""

    def __str__(self) -> str:
        return "pass"


class Give(Struct, frozen=True, gc=False, tag_field="do", tag="give"):
    """What a Dalmuti returns to the Peon who pays: any cards of the hand as dealt (T2, T3).

    The same cards in another order are the same choice, so they are kept sorted.
    """

    cards: Annotated[Cards, Meta(min_length=1, max_length=2, description="Sorted ranks.")]

    def __post_init__(self) -> None:
        force_setattr(self, "cards", tuple(sorted(self.cards)))

    def __str__(self) -> str:
        return "give " + ",".join("J" if rank == JESTER else str(rank) for rank in self.cards)


class Call(Struct, frozen=True, gc=False, tag_field="do", tag="call"):
    """Calls a revolution with both Jesters in the hand that was dealt (R1 to R5)."""

    greater: Annotated[
        bool, Meta(description="A Greater Revolution, which turns the seats round (R4).")
    ] = False

    def __str__(self) -> str:
        return "call greater" if self.greater else "call"


class Decline(Struct, frozen=True, gc=False, tag_field="do", tag="decline"):
    """Calls no revolution; nobody is ever told (R2)."""

    def __str__(self) -> str:
        return "decline"


Move = Play | Pass | Give | Call | Decline
PASS, DECLINE = Pass(), Decline()


def parse_move(text: str) -> Move:
    """Reads what `str(move)` writes. Raises ValueError with what was expected."""
    words = text.strip().lower().split(maxsplit=1)
    match words:
        case ["pass"]:
            return PASS
        case ["decline"]:
            return DECLINE
        case ["call"]:
            return Call()
        case ["call", "greater"]:
            return Call(greater=True)
        case ["give", cards]:
            ranks = [word.strip() for word in cards.split(",")]
            if not all(re.fullmatch("j|[0-9]{1,2}", word) for word in ranks):
                raise ValueError(f"expected ranks such as 9,12 or 12,J, found {cards!r}")
            return Give(tuple(JESTER if word == "j" else int(word) for word in ranks))
        case _:
            return parse_play(text)


_SETS = tuple(
    tuple(
        tuple(Play(rank, naturals + jesters, jesters) for naturals in range(1, LARGEST_SET + 1))
        for rank in range(JESTER)
    )
    for jesters in range(3)
)
"""By Jesters, rank, and natural cards less one. Plays never change, so that each is made once."""
_FOLLOWS = tuple(
    tuple(
        tuple((rank, _SETS[0][rank][size - 1]) for rank in range(top - 1, 0, -1))
        for top in range(JESTER + 1)
    )
    for size in range(LARGEST_SET + 1)
)
"""By the size and the rank to beat: the ranks that do, and their sets without Jesters."""


def legal_leads(counts: Sequence[int]) -> list[Play]:
    """Every set in this hand, weakest first (rules.md S1, S2, S5, P1)."""
    held = counts[JESTER]
    plays = [Play(JESTER, count, count) for count in range(1, held + 1)]
    for rank in range(PEASANT, 0, -1):
        if naturals := counts[rank]:
            for jesters in range(held + 1):
                plays += _SETS[jesters][rank][:naturals]
    return plays


def legal_follows(counts: Sequence[int], top: Play) -> list[Play]:
    """Every set in this hand that beats `top`, weakest first; passing comes beside (S3)."""
    plays = []
    held, size = counts[JESTER], top.count
    for rank, play in _FOLLOWS[size][top.rank]:
        naturals = counts[rank]
        if naturals >= size:
            plays.append(play)
        if held and naturals:
            for jesters in range(max(1, size - naturals), min(held, size - 1) + 1):
                plays.append(_SETS[jesters][rank][size - jesters - 1])
    return plays


def check_play(counts: Sequence[int], top: Play | None, play: Play) -> None:
    """Raises IllegalMove unless this hand holds `play` and it may be led, or beats `top` (S1-S5).

    It trusts nothing about `play`: ranks and numbers of any size and type are refused.
    """
    rank, count, jesters = play.rank, play.count, play.jesters
    if not (type(rank) is type(count) is type(jesters) is int and 1 <= rank <= JESTER):
        raise IllegalMove(MoveCode.NOT_A_SET, f"{_short(play)} is not a set: ranks go from 1 to 13")
    if count < 1 or jesters < 0 or (jesters != count if rank == JESTER else jesters >= count):
        raise IllegalMove(
            MoveCode.NOT_A_SET,
            f"{_short(play)} is not a set: it needs a card of its own rank, or Jesters alone",
        )
    if counts[JESTER] < jesters or (rank != JESTER and counts[rank] < count - jesters):
        raise IllegalMove(MoveCode.NOT_HELD, f"you do not hold {_short(play)}")
    if top is None:
        return
    if count != top.count:
        raise IllegalMove(
            MoveCode.WRONG_COUNT,
            f"{play} has {_cards(count)}; to follow {top} you need exactly {top.count}",
        )
    if rank >= top.rank:
        raise IllegalMove(
            MoveCode.NOT_LOWER, f"{play} does not beat {top}: it needs a rank lower than {top.rank}"
        )


def check_give(counts: Sequence[int], due: int, give: Give) -> None:
    """Raises IllegalMove unless `give` is exactly `due` cards of this hand (T2)."""
    if len(give.cards) != due:
        raise IllegalMove(
            MoveCode.WRONG_RETURN, f"give back exactly {_cards(due)}, not {len(give.cards)}"
        )
    for rank in give.cards:
        known = type(rank) is int and 1 <= rank <= JESTER
        if not known or counts[rank] < give.cards.count(rank):
            raise IllegalMove(MoveCode.NOT_HELD, "you do not hold the cards that you want to give")


def legal_gives(counts: Sequence[int], due: int) -> list[Give]:
    """Every different return of `due` cards, 1 or 2: high numbers first, Jesters last (T2)."""
    ranks = dict.fromkeys(_worst_first(counts))
    return [
        _give(cards)
        for cards in combinations_with_replacement(ranks, due)
        if cards[0] != cards[-1] or counts[cards[0]] >= due
    ]


_give = cache(Give)
"""There are but 104 of them, and a table needs most of them in every hand."""


def best_cards(counts: Sequence[int], due: int) -> Cards:
    """The cards a Peon pays: the lowest ranks; a Jester counts as the worst card (T1)."""
    return cards_of(counts)[:due]


def default_lead(counts: Sequence[int]) -> Play:
    """One natural card of the highest-numbered rank; a Jester only if nothing else (X1)."""
    for rank in range(PEASANT, 0, -1):
        if counts[rank]:
            return Play(rank, 1, 0)
    return Play(JESTER, 1, 1)


def default_give(counts: Sequence[int], due: int) -> Give:
    """The highest-numbered cards that are no Jesters, as far as there are any (X1)."""
    return Give(tuple(_worst_first(counts)[:due]))


def _worst_first(counts: Sequence[int]) -> list[int]:
    """The highest numbers first, and the Jesters, which are good to keep, at the end."""
    naturals = cards_of(counts)[: sum(counts) - counts[JESTER]]
    return [*naturals[::-1], *(JESTER,) * counts[JESTER]]


def _cards(number: int) -> str:
    return "1 card" if number == 1 else f"{number} cards"


def _short(play: Play) -> str:
    """The play for an error text; what a stranger sent may be a number of any length."""
    numbers = (play.rank, play.count, play.jesters)
    return str(play) if all(type(n) is int and abs(n) < 1000 for n in numbers) else "that"
