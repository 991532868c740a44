"""What all selectors share: a step, the keys that decide, and numbers as they are typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from dalmuti.core.moves import Move

if TYPE_CHECKING:
    from dalmuti.client.tui.selector import Selector

DEAF_SECONDS: Final = 0.25
"""How long nothing can be decided after a decision arrived."""
COMMIT_KEYS: Final = frozenset({"enter", "space", "p", "r"})


class Step(NamedTuple):
    """What a key led to: the selector after it, the move if it decided, a word if it could not."""

    selector: Selector
    move: Move | None = None
    hint: str = ""


def add_digit(typed: str, key: str) -> tuple[str, bool]:
    """Adds a digit to the number being typed: the number now, and whether it is a new one.

    Ranks and counts of two digits go from 10 to 14, so only a 1 can go on.
    """
    if typed == "1" and key in "01234":
        return "1" + key, False
    return key, True


def readings(number: str) -> tuple[int, ...]:
    """The ranks that a typed number may mean, best first: 12 is rank 12, or else rank 2."""
    if number == "0":
        return (10,)
    return (int(number), int(number[-1])) if len(number) > 1 else (int(number),)
