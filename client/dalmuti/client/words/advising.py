"""What the expert bot would do, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dalmuti.client.i18n import decimal, mark, tr
from dalmuti.client.words.names import move

if TYPE_CHECKING:
    from dalmuti.client.advice import Worth

NO_ADVICE = mark("There is no advice now.")
NOT_ASKED = mark("There is advice in a game against bots that was begun with --advice only.")


def advice(found: Sequence[Worth]) -> str:
    """The best choice and those next to it, with the points that the expert expects of each."""
    if not found:
        return ""
    best, *others = found
    if len(found) == 1:
        return tr("The expert: {move}.", move=move(best.choice))
    listed = "; ".join(
        tr("{move} {points}", move=move(worth.choice), points=points(worth.points))
        for worth in others
    )
    return tr(
        "The expert: {move}, for {points} points; {others}.",
        move=move(best.choice),
        points=points(best.points),
        others=listed,
    )


def points(value: float) -> str:
    """Expected points, which differ by little."""
    return decimal(value)
