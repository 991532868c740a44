"""The two simplest house bots."""

from __future__ import annotations

import random

from dalmuti.client.bot import Bot
from dalmuti.core.policy import greedy
from dalmuti.core.views import TableView
from dalmuti.protocol.messages import Choice, Decision


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


HOUSE_BOTS: dict[str, type[Bot]] = {"random": RandomBot, "greedy": GreedyBot}
"""The bots that `dalmuti bot` and a server's house know by name, the weakest first."""
