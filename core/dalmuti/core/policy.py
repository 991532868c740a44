"""The plain greedy player: the stand-in, and the house bot `greedy`.

It sees what a player sees, no more: his cards and the legal moves. It leads the whole group of its
worst rank, follows with the worst rank that has enough natural cards (splitting allowed), else with
the fewest Jesters, never passes by choice, and adds its Jesters where that empties the hand.
It gives back its worst cards, and calls a revolution only when that makes a Peon a Dalmuti.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalmuti.core.cards import Cards, Play
from dalmuti.core.moves import PASS, Call, Move


def greedy(cards: Cards, choices: Sequence[Move]) -> Move:
    """Picks one of `choices`, which are legal and in the order of `Hand.legal`."""
    plays = [move for move in choices if isinstance(move, Play)]
    if plays:
        last = [play for play in plays if play.count == len(cards)]
        leads = PASS not in choices
        return last[0] if last else min(plays, key=_lead_cost if leads else _follow_cost)
    greater = [move for move in choices if isinstance(move, Call) and move.greater]
    return greater[0] if greater else choices[0]


def _lead_cost(play: Play) -> tuple[bool, int, int]:
    """No Jesters, then the worst rank, then as many as there are; Jesters alone come last."""
    return (play.jesters > 0, -play.rank, -play.count)


def _follow_cost(play: Play) -> tuple[int, int]:
    """The fewest Jesters, then the worst rank."""
    return (play.jesters, -play.rank)
