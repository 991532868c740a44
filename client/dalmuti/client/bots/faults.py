"""What bots did wrong, told to their author so that it can be read.

A bot that fails once mostly fails at every turn. The first fault of each kind is told in full, with
the view that led to it; what is the same after that is counted, said again at every hundredth, and
summed up in the end. Two faults are the same if they differ in nothing but numbers; of each of
`illegal`, `late` and `crashed` only so many kinds are told apart, whatever a bot says.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from msgspec import Struct

EVERY: Final = 100
"""After so many of one kind it is said again how many there are."""
KINDS: Final = 20
"""Kinds of fault that are told apart for each way to fail."""


class Kind(Struct, eq=False):
    """Faults that are the same."""

    text: str
    """The first of them, with the name of the bot."""
    count: int = 0


class Faults:
    """The faults of some bots; `report` is told of them, a line each."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self.report = report
        self._kinds: dict[str, dict[str, Kind]] = {}
        """By the way to fail, and by what they have in common."""

    def tell(self, way: str, text: str, details: str = "") -> None:
        """Takes one. `text` is a sentence without its dot, `details` are for the first one only."""
        kinds = self._kinds.setdefault(way, {})
        key = re.sub(r"\d+(\.\d+)?", "#", text)
        if key not in kinds and len(kinds) >= KINDS:
            key = ""
        kind = kinds.setdefault(key, Kind(text if key else f"otherwise {way}"))
        kind.count += 1
        if kind.count == 1:
            self.report(f"{text}.{details}")
        elif kind.count % EVERY == 0:
            self.report(f"so far {kind.count:,} times: {kind.text}.")

    def summary(self) -> list[str]:
        """A line for each kind that there was more than once, the most frequent first."""
        kinds = [kind for ways in self._kinds.values() for kind in ways.values() if kind.count > 1]
        kinds.sort(key=lambda kind: -kind.count)
        return [f"{kind.count:,} times: {kind.text}." for kind in kinds]
