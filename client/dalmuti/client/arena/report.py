"""What an arena found, for people and as JSON, and how far it is."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

import msgspec

from dalmuti.client import out
from dalmuti.client.arena.ratings import Rating
from dalmuti.client.arena.schedule import OUT
from dalmuti.client.arena.statistics import Interval, Ledger, Pair, Row

BAR_CELLS = 30
BAR_SECONDS = 0.2


class Progress:
    """A bar on standard error, where that is a terminal."""

    def __init__(self, total: int, what: str = "") -> None:
        self._total, self._what = total, what
        self._shown = 0.0
        self._length = 0
        self._wanted = sys.stderr.isatty()
        self._start = time.monotonic()

    def show(self, done: int) -> None:
        """Draws it, not too often."""
        now = time.monotonic()
        if self._wanted and now - self._shown >= BAR_SECONDS:
            self._shown = now
            full = BAR_CELLS * done // max(self._total, 1)
            left = (now - self._start) * (self._total - done) / max(done, 1)
            bar = "#" * full + "." * (BAR_CELLS - full)
            self._draw(f"{self._what}[{bar}] {done} of {self._total} matches, {_time(left)} left")

    def close(self) -> None:
        """Takes it away."""
        if self._length:
            self._draw("")
            out.redraw("")

    def _draw(self, text: str) -> None:
        """Without escape sequences: what is left of a longer line is written over."""
        out.redraw(text.ljust(self._length))
        self._length = len(text)


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def as_json(
    ledger: Ledger,
    ratings: Sequence[Rating],
    *,
    deals: int,
    seed: int,
    half: bool,
    hands_per_second: float,
) -> dict[str, Any]:
    """The keys are a contract: see `dalmuti arena --help` and docs/arena.md."""
    rated = dict(zip((c.name for c in ledger.setup.contestants), ratings, strict=True))
    players = {
        name: {**msgspec.to_builtins(row), "rating": msgspec.to_builtins(rated[name])}
        for name, row in ledger.rows().items()
    }
    return {
        "seats": ledger.setup.options.seats,
        "deals": deals,
        "seed": seed,
        "hands": ledger.hands,
        "hands_per_match": ledger.setup.hands,
        "half": half,
        "rules": ledger.setup.options.changed(),
        "turns": ledger.turns,
        "moves": ledger.moves,
        "hands_per_second": round(hands_per_second, 1),
        "players": players,
        "pairs": msgspec.to_builtins(ledger.pairs()),
    }


def table(ledger: Ledger, ratings: Sequence[Rating], *, deals: int, seed: int, half: bool) -> str:
    """The result for people."""
    rows = ledger.rows()
    seats = ledger.setup.options.seats
    matches = f", {ledger.setup.hands} hands a match" if ledger.setup.hands > 1 else ""
    ways = "half the seats each, and changed over" if half else f"in {seats} rotations"
    lines = [
        f"{_number(ledger.hands)} hands: {_counted(deals, 'deal')} with {seats} seats,"
        f" {ways}{matches}; seed {seed}. Par is {(seats - 1) / 2:g} points a hand.",
        "",
        *_grid(rows, ratings),
        "",
        *map(_said, ledger.pairs()),
    ]
    faults = [line for name, row in rows.items() for line in _faults(name, row)]
    return "\n".join([*lines, *(["", *faults] if faults else [])])


def _grid(rows: dict[str, Row], ratings: Sequence[Rating]) -> list[str]:
    head = (
        "player", "points", "above par", "95 % interval", "place", "first", "last",
        "ms mean", "ms p99", "rating",
    )  # fmt: skip
    cells = [
        (
            name,
            f"{row.points_per_hand:.3f}",
            f"{row.above_par:+.3f}",
            bounds(row.ci95),
            f"{row.mean_place:.2f}",
            f"{row.first:.1%}",
            f"{row.last:.1%}",
            f"{row.ms_mean:.3f}",
            f"{row.ms_p99:.3f}",
            f"{rating.ordinal:.1f} ({rating.mu:.1f} - 3 x {rating.sigma:.1f})",
        )
        for (name, row), rating in zip(rows.items(), ratings, strict=True)
    ]
    return grid([head, *cells])


def grid(cells: Sequence[Sequence[str]]) -> list[str]:
    """Lines of cells, the first column to the left and all others to the right."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(
            [line[0].ljust(widths[0])]
            + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
        ).rstrip()
        for line in cells
    ]


def _said(pair: Pair) -> str:
    """The comparison of two players as a sentence."""
    better, worse, difference, ci95 = pair.player, pair.against, pair.difference, pair.ci95
    if difference < 0:
        better, worse, difference = worse, better, -difference
        ci95 = None if ci95 is None else (-ci95[1], -ci95[0])
    if not difference:
        return f"{better} and {worse}: exactly the same."
    needed = ""
    if pair.deals_needed is not None:
        tell = "tells" if pair.deals_needed == 1 else "tell"
        needed = f"; {_counted(pair.deals_needed, 'deal')} {tell} that"
    if ci95 is None or ci95[0] <= 0:
        return (
            f"{better} and {worse} are not told apart: a difference of {difference:.3f}"
            f" ({bounds(ci95)}){needed}."
        )
    return f"{better} is better than {worse} by {difference:.3f} a hand ({bounds(ci95)}){needed}."


def _faults(name: str, row: Row) -> list[str]:
    counts = {
        "illegal choices": row.illegal,
        "late": row.late,
        "crashed": row.crashed,
        "matches in which a seat was given up": row.given_up,
        "decisions made for it then": row.defaults,
    }
    said = [f"{count} {what}" if count else "" for what, count in counts.items()]
    if not any(counts.values()):
        return []
    lines = [
        f"{name}: {', '.join(filter(None, said))}."
        " Where a decision was due, the default was played.",
        f"  The first time it {row.first_fault}.",
    ]
    if row.out_from is not None:
        lines.append(
            f"  After {OUT} matches in which a seat was given up it was out: from deal"
            f" {row.out_from} on it was not asked any more."
        )
    return lines


def bounds(interval: Interval | None) -> str:
    """An interval for people."""
    return "one deal" if interval is None else f"{interval[0]:+.3f} to {interval[1]:+.3f}"


def _counted(value: int, what: str) -> str:
    return f"{_number(value)} {what}{'' if value == 1 else 's'}"


def _number(value: int) -> str:
    return f"{value:,}"
