"""Advice for those who play against bots and asked for it: what it is, and where it may be given.

Never at a table with other people: `fits` is asked before every word of it, so that it falls silent
as soon as somebody else sits down or watches. `bots.advisor` gives it.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from dalmuti.core.moves import Move
from dalmuti.core.views import TableView
from dalmuti.protocol.messages import Decision


class Worth(Struct, frozen=True):
    """A choice, and what the expert expects of it: how many players end up below us."""

    choice: Move
    points: float


Advise = Callable[[TableView, Decision], tuple[Worth, ...]]
"""The best choices for a decision of ours, the best first; none where advice does not fit."""


def fits(table: TableView) -> bool:
    """Whether nobody but house bots plays with us at a table of our own, and nobody watches."""
    others = [info for info in table.players if info.player != table.you]
    return (
        table.solo
        and table.you is not None
        and table.host == table.you
        and not table.watchers
        and all(info.kind == "house" for info in others)
    )
