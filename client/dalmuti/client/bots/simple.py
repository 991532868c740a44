"""The simplest house bots, and the list of all of them."""

from __future__ import annotations

import random
from typing import Final

from dalmuti.client.bot import Bot
from dalmuti.client.bots.careful import CarefulBot
from dalmuti.client.bots.expert import ExpertBot
from dalmuti.core.policy import greedy
from dalmuti.core.views import TableView
from dalmuti.protocol.messages import Choice, Decision

SLIPS: Final = 0.1
"""The share of its choices that the easy bot leaves to chance."""


class RandomBot(Bot):
    """Any legal choice, each as likely as the other."""

    def __init__(self) -> None:
        self.chance = random.Random()

    def begin(self, seed: int) -> None:
        self.chance.seed(seed)

    def decide(self, view: TableView, decision: Decision) -> Choice:
        return self.chance.choice(decision.choices)


class GreedyBot(Bot):
    """Gets rid of its worst cards whenever it can; the policy of the stand-in."""

    def decide(self, view: TableView, decision: Decision) -> Choice:
        cards = view.hand.cards if view.hand is not None else None
        return greedy(cards or (), decision.choices)


class EasyBot(RandomBot):
    """Greedy, but for one choice in ten, which is any."""

    def decide(self, view: TableView, decision: Decision) -> Choice:
        if self.chance.random() < SLIPS:
            return super().decide(view, decision)
        cards = view.hand.cards if view.hand is not None else None
        return greedy(cards or (), decision.choices)


HOUSE_BOTS: dict[str, type[Bot]] = {
    "random": RandomBot,
    "easy": EasyBot,
    "greedy": GreedyBot,
    "careful": CarefulBot,
    "expert": ExpertBot,
}
"""The bots that `dalmuti bot` and a server's house know by name, the weakest first."""
