"""The house bot `careful`: greedy with its cards where they are bad, thrifty where they are good.

It leads as `greedy` does. It follows with a whole group of the right size where it has one, keeps
its 1 and 2s and its Jesters for the end, breaks up nothing better than an 8, and passes otherwise.
A Dalmuti gives back whole small groups of bad ranks, so that fewer leads are needed to go out; a
revolution is called by those who gain when no taxes are paid.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dalmuti.client.bot import Bot
from dalmuti.core.cards import JESTER, Cards, Counts, Play, counts_of
from dalmuti.core.hand import taxes_due
from dalmuti.core.moves import PASS, Call, Give, Move
from dalmuti.core.policy import greedy
from dalmuti.core.views import TableView
from dalmuti.protocol.messages import Choice, Decision

SPARED: Final = 2
"""Whole groups of this rank or better are kept for the end."""
SPLIT_FROM: Final = 8
"""Groups of this rank or worse are broken up to follow."""
FEW: Final = 5
"""With so many cards or fewer, everything but the Jesters is played where it can be."""
JESTERS_WITH: Final = 8
"""With so many cards or fewer, Jesters are played as well."""
BAD: Final = 5
"""From this rank on, a card is one to give back."""


class CarefulBot(Bot):
    """Saves its good cards for the end of the hand."""

    def decide(self, view: TableView, decision: Decision) -> Choice:
        cards = (view.hand.cards if view.hand is not None else None) or ()
        if decision.kind == "follow":
            return follow(cards, decision.choices)
        if decision.kind == "tax":
            return give_back(counts_of(cards), [c for c in decision.choices if type(c) is Give])
        if decision.kind == "revolution":
            return rise(view, decision.choices)
        return greedy(cards, decision.choices)


def follow(cards: Cards, choices: Sequence[Move]) -> Move:
    """One of `choices`, which are the legal follows of a player with these cards, and passing."""
    plays = [choice for choice in choices if isinstance(choice, Play)]
    counts, left = counts_of(cards), len(cards)

    def usual(play: Play) -> tuple[int, int] | None:
        """How early a play comes in the order of preference; None: it is not made at all."""
        if play.count == left:
            return (0, 0)
        if play.jesters:
            return (2 + play.jesters, -play.rank) if left <= JESTERS_WITH else None
        if counts[play.rank] == play.count:
            return (1, -play.rank) if play.rank > SPARED or left <= FEW else None
        return (2, -play.rank) if play.rank >= SPLIT_FROM or left <= FEW else None

    ranked = [(cost, n) for n, play in enumerate(plays) if (cost := usual(play)) is not None]
    return plays[min(ranked)[1]] if ranked else PASS


def give_back(counts: Counts, gives: Sequence[Give]) -> Give:
    """The return that leaves the best hand: the most bad groups gone, and no good card given."""

    def cost(give: Give) -> tuple[int, int, int]:
        ranks = set(give.cards)
        bad = [rank for rank in ranks if BAD <= rank <= 12]
        gone = sum(give.cards.count(rank) == counts[rank] for rank in bad)
        good = sum(not BAD <= rank <= 12 for rank in give.cards)
        return (good, -gone, -sum(rank for rank in give.cards if rank != JESTER))

    return min(gives, key=cost)


def rise(view: TableView, choices: Sequence[Move]) -> Move:
    """Calls where that spares a tax, its own or one that makes those above stronger.

    The Greater Peon always does who becomes Greater Dalmuti by it. Otherwise nothing is won in a
    hand without taxes, and those to whom taxes are paid would lose them.
    """
    calls = [choice for choice in choices if isinstance(choice, Call)]
    greater = [call for call in calls if call.greater]
    if greater:
        return greater[0]
    assert view.hand is not None
    paid = view.hands_played > 0 or view.options.first_hand_taxes == "on"
    receivers = [due.receiver for due in taxes_due(len(view.hand.order))]
    return calls[0] if calls and paid and view.hand.seat not in receivers else choices[0]
