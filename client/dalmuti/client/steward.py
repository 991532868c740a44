"""What `play` and `host` do by themselves: seat house bots, deal, stop after so many hands (pure).

The steward looks at each new model and says what to request; it sees no more than its player and
may no more than a host may.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from dalmuti.client.model import Model
from dalmuti.core.views import TableView
from dalmuti.protocol.messages import AddBot, Deal, Request

Wish = tuple[type[Request], dict[str, Any]]
USUAL_BOT: Final = "careful"
"""Who is seated where nobody says which house bot: the normal level of `dalmuti play`."""


def usual_bot(known: Sequence[str]) -> str:
    """The usual house bot, or what a server has that does not know it; `known` as it says."""
    return known[0] if known and USUAL_BOT not in known else USUAL_BOT


class Steward:
    """Does the host's chores.

    It seats `bots`, one after the other, so that they sit in this order. It deals the first hand
    when they all sit if `deal_first`, or else, with a number of `hands`, when the table is full;
    the host may deal earlier by hand. With `hands` it deals the later hands as well, and is done
    when so many were finished or given up.
    """

    def __init__(
        self, bots: tuple[str, ...] = (), *, hands: int | None = None, deal_first: bool = False
    ) -> None:
        self.bots = bots
        self.hands = hands
        self.deal_first = deal_first
        self._asked = 0
        """How many bots have been asked for."""
        self._dealt = 0
        self._begun: set[int] = set()

    def react(self, model: Model) -> list[Wish]:
        """The requests that are due now; each is asked for once."""
        table = model.table
        if table is None:
            return []
        if table.hand is not None:
            self._begun.add(table.hand.number)
        if table.you is None or table.host != table.you or table.state == "hand":
            return []
        wishes: list[Wish] = []
        sat = sum(info.kind == "house" for info in table.players)
        if self._asked < len(self.bots) and sat >= self._asked:
            wishes.append((AddBot, {"bot": self.bots[self._asked]}))
            self._asked += 1
        if not self.done(model) and self._may_deal(table):
            self._dealt = table.next_hand
            wishes.append((Deal, {}))
        return wishes

    def _may_deal(self, table: TableView) -> bool:
        if self._dealt == table.next_hand or not table.next_commitment or len(table.order) < 2:
            return False
        if self._begun:
            return self.hands is not None
        everybody = len(table.order)
        if self.deal_first:
            return everybody > len(self.bots)
        return self.hands is not None and everybody == table.options.seats

    def done(self, model: Model) -> bool:
        """Whether the agreed number of hands is over, with all there is to say about them."""
        table = model.table
        if self.hands is None or table is None or table.state == "hand":
            return False
        return len(self._begun) >= self.hands and bool(table.next_commitment)
