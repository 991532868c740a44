"""What keys do with a decision: pure selectors, one for each kind of decision.

A selector is a frozen value; `press(key, now)` gives the next one, and the move when the key
decided. Keys are single characters as typed, or `enter space left right up down backspace escape`.
Nothing is ever decided by a timer, only Enter, Space, `p`, a second `r` or a second click decide,
and only what is in the decision's own list of choices can be decided at all.

For a quarter of a second after a decision arrives nothing can be decided (`awake_at`): an Enter
that was on its way to the chat must not play cards. Other keys work at once, because swallowing
the 9 of `9 Enter` and then taking the Enter would play something else.
"""

from __future__ import annotations

from dalmuti.client.tui.selector.base import COMMIT_KEYS, DEAF_SECONDS, Step
from dalmuti.client.tui.selector.plays import PlaySelector
from dalmuti.client.tui.selector.revolution import RevolutionSelector
from dalmuti.client.tui.selector.taxes import TaxSelector
from dalmuti.core.cards import Cards, Play
from dalmuti.core.moves import Move, Pass
from dalmuti.protocol.messages import Decision

__all__ = [
    "COMMIT_KEYS",
    "DEAF_SECONDS",
    "PlaySelector",
    "RevolutionSelector",
    "Selector",
    "Step",
    "TaxSelector",
    "select",
]

Selector = PlaySelector | TaxSelector | RevolutionSelector


def select(decision: Decision, cards: Cards, arrived: float, top: Play | None = None) -> Selector:
    """The selector for a decision that arrived at this moment (seconds on the clock of `now`).

    `top` is the set to beat, for saying why something that was typed does not.
    """
    awake = arrived + DEAF_SECONDS
    if decision.kind == "tax":
        return TaxSelector.of(decision, cards, awake)
    if decision.kind == "revolution":
        return RevolutionSelector.of(decision, awake)
    choices: list[Move] = [c for c in decision.choices if isinstance(c, Play | Pass)]
    return PlaySelector.of(choices, cards, awake, top)
