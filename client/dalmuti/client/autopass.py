"""Passing by itself for the rest of a trick, because a person asked for it (pure).

A pass that came at once would tell the table that nobody thought about it. So each pass waits as
long as a person might: a time drawn from one fixed distribution, whatever is held. It never leads,
and it ends with the trick; at a table where who passes is out of the trick it passes once.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from dalmuti.client import words
from dalmuti.client.i18n import mark, tr
from dalmuti.client.model import Model
from dalmuti.core.views import HandView
from dalmuti.protocol.messages import Decision

WAIT_SECONDS: Final = (1.0, 3.5)
"""Between these, every length as likely as the other, lies the wait before a pass."""
SPARE_SECONDS: Final = 2.0
"""A pass is sent at least so long before the clock of the turn is up."""

ON = mark("You pass by yourself until this trick is over.")
OFF = mark("You choose for yourself again.")
NO_TRICK = mark("There is no trick to pass in.")
YOU_LEAD = mark("You lead: there is nothing to pass on.")
LOCKED = mark("You have passed, and who passes here is out of the trick.")


def person() -> float:
    """How long somebody might take to pass, in seconds."""
    return random.SystemRandom().uniform(*WAIT_SECONDS)


class AutoPass:
    """Whether we pass by ourselves, and when the next pass is due. `wait` draws its seconds."""

    def __init__(self, wait: Callable[[], float] = person) -> None:
        self.at: float | None = None
        """When a pass is due; None while we are not asked."""
        self._wait = wait
        self._trick: tuple[int, int] | None = None

    @property
    def on(self) -> bool:
        """Whether we pass by ourselves in this trick."""
        return self._trick is not None

    def switch(self, model: Model, now: float) -> str:
        """A person switches it on, or off again before a pass is sent. What to say about it."""
        if self.on:
            self._stop()
            return tr(OFF)
        hand, why_not = _playing(model), refused(model)
        if hand is None or why_not:
            return tr(why_not)
        self._trick = (hand.number, hand.tricks)
        self.update(model, now)
        return tr(ON)

    def update(self, model: Model, now: float) -> None:
        """The model has changed: the trick may be over, or a pass may be due some time from now."""
        hand = _playing(model)
        if hand is None or (hand.number, hand.tricks) != self._trick:
            self._stop()
            return
        decision = model.decision
        if decision is None or decision.kind != "follow":
            self.at = None
        elif self.at is None:
            self.at = now + self._wait()
            if model.ends_at is not None:
                self.at = max(now, min(self.at, model.ends_at - SPARE_SECONDS))

    def due(self, model: Model, now: float) -> Decision | None:
        """The decision that is to be answered by a pass now; it is given once."""
        if self.at is None or now < self.at:
            return None
        self.at = None
        return model.decision

    def _stop(self) -> None:
        self._trick = self.at = None


def refused(model: Model) -> str:
    """Why nobody can pass by himself here and now; empty where he can. It is for `tr` to say."""
    table, hand = model.table, _playing(model)
    if table is None or hand is None:
        return NO_TRICK
    if table.options.passing == "locked" and hand.seat in hand.trick.passed:
        return LOCKED
    ours = hand.turn is not None and hand.seat in hand.turn.seats
    return YOU_LEAD if hand.trick.top is None and (ours or model.decision is not None) else ""


def _playing(model: Model) -> HandView | None:
    """The hand, while we have cards in a trick of it and decide for ourselves."""
    table = model.table
    hand = table.hand if table is not None else None
    if table is None or hand is None or hand.phase != "tricks" or hand.seat is None:
        return None
    return None if hand.seat in hand.finished or words.is_away(table) else hand
