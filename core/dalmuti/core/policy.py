"""The plain greedy player: the stand-in, and the house bot `greedy`.

It sees what a player sees, no more: his cards and the legal moves. It leads the whole group of its
worst rank, follows with the worst rank that has enough natural cards (splitting allowed), else with
the fewest Jesters, never passes by choice, and adds its Jesters where that empties the hand.
It gives back its worst cards, and calls a revolution only when that makes a Peon a Dalmuti.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalmuti.core.cards import Cards, Play
from dalmuti.core.moves import Call, Move


def greedy(cards: Cards, choices: Sequence[Move]) -> Move:
    """Picks one of `choices`, which are legal and in the order of `Hand.legal`."""
    first, last = choices[0], choices[-1]
    if isinstance(last, Play):  # the last lead is the whole hand, if that is one set
        return last if last.count == len(cards) else _lead(choices, last)
    if isinstance(first, Play):  # all that follow are of one size
        return first if first.count == len(cards) else _follow(choices, first)
    return last if isinstance(last, Call) and last.greater else first


def _lead(choices: Sequence[Move], found: Play) -> Play:
    """The worst rank without Jesters, as many as there are; it comes next to Jesters alone."""
    rank = 0
    for play in choices:
        if not isinstance(play, Play) or play.jesters or play.rank != (rank or play.rank):
            if rank:
                break
        else:
            found, rank = play, play.rank
    return found


def _follow(choices: Sequence[Move], found: Play) -> Play:
    """The fewest Jesters, then the worst rank; the worst rank comes first."""
    for play in choices:
        if not found.jesters:
            break
        if isinstance(play, Play) and play.jesters < found.jesters:
            found = play
    return found
