"""The advisor: the expert bot in the place of a player, told what the player sees and no more."""

from __future__ import annotations

from typing import Final

from dalmuti.client.advice import Worth, fits
from dalmuti.client.bots.expert import ExpertBot, Sight
from dalmuti.client.bots.layout import KEPT, NO_TAXES, TAXES
from dalmuti.core.cards import Play, counts_of
from dalmuti.core.moves import Call, Give
from dalmuti.core.views import HandView, TableView
from dalmuti.protocol.messages import Decision

SHOWN: Final = 3
"""How many choices are told."""


class Advisor:
    """The expert bot, asked. Raises `WeightsError` when its weights are damaged."""

    def __init__(self) -> None:
        self._expert = ExpertBot()

    def __call__(self, table: TableView, decision: Decision) -> tuple[Worth, ...]:
        hand = table.hand
        if hand is None or hand.cards is None or hand.seat is None or not fits(table):
            return ()
        match decision.kind:
            case "tax":
                found = self._gives(hand, decision)
            case "revolution":
                found = self._calls(table, hand, decision)
            case _:
                found = self._plays(table, hand, decision)
        best = self._expert.decide(table, decision)
        found.sort(key=lambda worth: (worth.choice != best, -worth.points))
        return tuple(found[:SHOWN])

    def _plays(self, table: TableView, hand: HandView, decision: Decision) -> list[Worth]:
        assert hand.cards is not None
        sight = Sight(hand, table.options)
        below = len(sight.others)
        out = [c for c in decision.choices if isinstance(c, Play) and c.count == len(hand.cards)]
        if out:
            return [Worth(choice, below) for choice in out]
        scale = self._expert.tricks.scale
        values = self._expert.values(sight, decision.choices)
        return [Worth(choice, below * value / scale) for choice, value in values]

    def _gives(self, hand: HandView, decision: Decision) -> list[Worth]:
        found = []
        for choice in decision.choices:
            if isinstance(choice, Give):
                kept = counts_of(hand.cards or ())
                for rank in choice.cards:
                    kept[rank] -= 1
                assert hand.seat is not None
                found.append(Worth(choice, self._worth(hand, kept, hand.seat, KEPT)))
        return found

    def _calls(self, table: TableView, hand: HandView, decision: Decision) -> list[Worth]:
        assert hand.seat is not None
        counts, seats = counts_of(hand.cards or ()), len(hand.order)
        taxed = table.hands_played > 0 or table.options.first_hand_taxes == "on"
        found = []
        for choice in decision.choices:
            seat, stage = hand.seat, TAXES if taxed else NO_TAXES
            if isinstance(choice, Call):
                seat, stage = seats - 1 - seat if choice.greater else seat, NO_TAXES
            found.append(Worth(choice, self._worth(hand, counts, seat, stage)))
        return found

    def _worth(self, hand: HandView, counts: list[int], seat: int, stage: int) -> float:
        seats = len(hand.order)
        value = self._expert.worth(counts, seat, seats, stage)
        return (seats - 1) * value / self._expert.deal.scale
