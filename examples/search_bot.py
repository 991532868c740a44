"""A bot that looks ahead: it tries its choices in many worlds that fit what it sees.

    dalmuti bot examples/search_bot.py HOST
    dalmuti arena examples/search_bot.py greedy

An example of what `dalmuti.core.simulator` is for (flat Monte Carlo). For each decision it guesses
the cards of the others, again and again, makes each of its choices in each of these worlds, and
lets everybody play on greedily to the end of the hand. It takes the choice with the most points in
the mean. Half of the choices, those that do worst, are dropped now and then, so that most playouts
are spent on the best ("sequential halving"). 100 playouts take some milliseconds; more make it
stronger, up to about 1,000.

Revolution and taxes it leaves to the greedy policy. Yours to make better: the guesses know nothing
of who passed on what, and nobody plays quite as greedily as the playouts do.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import ceil, log2

from dalmuti.client.bot import Bot
from dalmuti.core.cards import Play, counts_of
from dalmuti.core.moves import PASS, Move
from dalmuti.core.policy import greedy
from dalmuti.core.simulator import Position, guess
from dalmuti.core.views import HandView, TableView
from dalmuti.protocol.messages import Choice, Decision


class SearchBot(Bot):
    """Flat Monte Carlo with common worlds and sequential halving."""

    playouts = 100
    """For one decision, about."""

    def __init__(self) -> None:
        self.chance = random.Random()

    def begin(self, seed: int) -> None:
        self.chance.seed(seed)

    def decide(self, view: TableView, decision: Decision) -> Choice:
        hand = view.hand
        assert hand is not None and hand.cards is not None
        if decision.kind not in ("lead", "follow"):
            return greedy(hand.cards, decision.choices)
        choices = worth_trying(hand.cards, decision)
        points = [0] * len(choices)
        alive = list(range(len(choices)))
        rounds = max(1, ceil(log2(len(choices))))
        while len(alive) > 1:
            for _ in range(max(1, self.playouts // rounds // len(alive))):
                world = self.imagine(view, hand)
                for each in alive:
                    points[each] += value(world, choices[each])
            # All that are alive were tried in the same worlds, so that their sums compare.
            alive.sort(key=lambda each: -points[each])
            del alive[ceil(len(alive) / 2) :]
        return choices[alive[0]]

    def imagine(self, view: TableView, hand: HandView) -> Position:
        """The position as it may be: what is seen, with guessed cards for the others."""
        return Position.seen(hand, guess(hand, self.chance.random), view.options)


def value(world: Position, choice: Move) -> int:
    """How many players are ranked below whoever makes this choice, if all go on greedily."""
    seat, tried = world.turn, world.copy()
    tried.step(choice)
    return world.seats - 1 - tried.greedy_playout().index(seat)


def worth_trying(cards: Sequence[int], decision: Decision) -> list[Choice]:
    """Fewer choices are searched better, and some are hardly ever the best.

    A lead is a whole group, with Jesters or without, or any number of the three best ranks; to
    follow, a rank takes as few Jesters as it can.
    """
    if decision.kind == "lead":
        counts = counts_of(cards)
        return [
            choice
            for choice in decision.choices
            if isinstance(choice, Play)
            and (choice.rank <= 3 or len(choice.cards()) - choice.jesters == counts[choice.rank])
        ] or list(decision.choices)
    fewest = {
        choice.rank: choice for choice in reversed(decision.choices) if isinstance(choice, Play)
    }
    return [*fewest.values(), PASS]
