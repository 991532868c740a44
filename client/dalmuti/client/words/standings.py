"""The ladder of a server as a table."""

from __future__ import annotations

from collections.abc import Sequence

from dalmuti.client.out import counted
from dalmuti.protocol.messages import Rank
from dalmuti.protocol.text import safe_text, width

HEAD = ("", "name", "mu", "sigma", "ordinal", "matches", "points", "firsts", "")
LEFT = (1, 8)
"""Columns of words; those of numbers end at the same place. All have 80 cells at most."""


def standings(address: str, ranks: Sequence[Rank], seats: int, hands: int) -> list[str]:
    """The lines of the table, or a sentence where nobody was rated yet."""
    if not ranks:
        return [f"Nobody has finished a rated match at {address} yet."]
    rows = [HEAD, *(_row(place, rank) for place, rank in enumerate(ranks, start=1))]
    widths = [max(width(row[n]) for row in rows) for n in range(len(HEAD))]
    return [
        f"The ladder of {address}: {seats} seats, {counted(hands, 'hand')} a match.",
        *(_line(row, widths) for row in rows),
        "ordinal: mu - 3 sigma. points: by hands; where the stand-in played it is none.",
    ]


def _row(place: int, rank: Rank) -> tuple[str, ...]:
    hands = max(rank.hands, 1)
    kind = "house" if rank.house else "here" if rank.here else ""
    return (
        str(place),
        safe_text(rank.name),
        f"{rank.mu / 1000:.2f}",
        f"{rank.sigma / 1000:.2f}",
        f"{(rank.mu - 3 * rank.sigma) / 1000:.2f}",
        str(rank.matches),
        f"{rank.points / hands:.2f}",
        f"{100 * rank.firsts / hands:.1f}%",
        kind,
    )


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = []
    for column, (text, cells_wide) in enumerate(zip(row, widths, strict=True)):
        space = " " * (cells_wide - width(text))
        cells.append(text + space if column in LEFT else space + text)
    return "  ".join(cells).rstrip()
