"""What an arena found, for people and as JSON, and how far it is."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from dalmuti.client import out
from dalmuti.client.arena.plan import COMMAND, Tally
from dalmuti.client.arena.ratings import Rating
from dalmuti.client.arena.schedule import OUT
from dalmuti.client.arena.statistics import FEW_DEALS, Interval, Ledger, Pair, Row
from dalmuti.client.out import counted
from dalmuti.protocol.text import cut, width

NAME_CELLS: Final = 20
"""Of the longest name in a table: all tables have 80 cells at most."""
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
            left = (now - self._start) * (self._total - done) / max(done, 1)
            text = f"{done} of {self._total} matches, {_time(left)} left"
            room = shutil.get_terminal_size().columns - 1  # a longer line could not be written over
            cells = max(0, min(BAR_CELLS, room - width(self._what) - len(text) - 3))
            full = cells * done // max(self._total, 1)
            bar = "#" * full + "." * (cells - full)
            self._draw(cut(f"{self._what}[{bar}] {text}", room, ""))

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
    unfinished: bool,
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
        "unfinished": unfinished,
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


def table(
    ledger: Ledger, ratings: Sequence[Rating], *, deals: int, seed: int, half: bool, wanted: int
) -> str:
    """The result for people. It is unfinished if fewer deals were played than `wanted`."""
    shown = shown_names(contestant.name for contestant in ledger.setup.contestants)
    seats = ledger.setup.options.seats
    matches = f", {ledger.setup.hands} hands a match" if ledger.setup.hands > 1 else ""
    ways = "half the seats each, and changed over" if half else f"in {seats} rotations"
    lines = []
    if deals < wanted:
        lines += [unfinished(deals, counted(wanted, "deal")), *([""] if deals else [])]
    if deals:
        lines += [
            f"{counted(ledger.hands, 'hand')}: {counted(deals, 'deal')} with {seats} seats,"
            f" {ways}{matches}; seed {seed}. Par is {(seats - 1) / 2:g} points a hand.",
            "",
            *_grids(shown, ledger.rows(), ratings),
            "",
            *(_said(pair, shown) for pair in ledger.pairs()),
            *(f"{short} is {name}." for name, short in shown.items() if short != name),
        ]
    faults = [line for name, found in ledger.faults().items() for line in _faults(name, *found)]
    return "\n".join([*lines, *(["", *faults] if faults else [])])


def unfinished(done: int, wanted: str) -> str:
    """What stands above figures that were stopped."""
    if not done:
        return f"Unfinished: stopped before one of {wanted} was played in all seats."
    return f"Unfinished: stopped after {done:,} of {wanted}. These are the figures so far."


def shown_names(names: Iterable[str]) -> dict[str, str]:
    """Each name as it is shown in a table: short, and different from all others."""
    shown: dict[str, str] = {}
    for name in dict.fromkeys(names):
        text = name
        if width(text) > NAME_CELLS and not text.startswith(COMMAND):
            text = text.rpartition("/")[2]
            if width(text) > NAME_CELLS:  # the end of a file's name tells more than its beginning
                text = "..." + next(
                    text[n:] for n in range(len(text)) if width(text[n:]) <= NAME_CELLS - 3
                )
        text = cut(text, NAME_CELLS, "...")
        number = 1
        while text in shown.values():
            number += 1
            text = cut(text, NAME_CELLS - 3, "") + f"~{number}"
        shown[name] = text
    return shown


def _grids(shown: dict[str, str], rows: dict[str, Row], ratings: Sequence[Rating]) -> list[str]:
    """Two tables: what was found, and what decisions took beside the rating."""
    strength = [
        ("player", "points", "above par", "95 % interval", "place", "first", "last"),
        *(
            (
                shown[name],
                f"{row.points_per_hand:.3f}",
                f"{row.above_par:+.3f}",
                bounds(row.ci95),
                f"{row.mean_place:.2f}",
                f"{row.first:.1%}",
                f"{row.last:.1%}",
            )
            for name, row in rows.items()
        ),
    ]
    times = [
        ("player", "decisions", "ms mean", "ms p99", "ms max", "rating"),
        *(
            (
                shown[name],
                f"{row.decisions:,}",
                f"{row.ms_mean:.3f}",
                f"{row.ms_p99:.3f}",
                f"{row.ms_max:.3f}",
                f"{rating.ordinal:.1f} ({rating.mu:.1f} - 3 x {rating.sigma:.1f})",
            )
            for (name, row), rating in zip(rows.items(), ratings, strict=True)
        ),
    ]
    return [*grid(strength), "", *grid(times)]


def grid(cells: Sequence[Sequence[str]]) -> list[str]:
    """Lines of cells, the first column to the left and all others to the right."""
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(
            [line[0] + " " * (widths[0] - width(line[0]))]
            + [
                " " * (wide - width(cell)) + cell
                for cell, wide in zip(line[1:], widths[1:], strict=True)
            ]
        ).rstrip()
        for line in cells
    ]


def _said(pair: Pair, shown: dict[str, str]) -> str:
    """The comparison of two players as a sentence."""
    better, worse, difference, ci95 = pair.player, pair.against, pair.difference, pair.ci95
    if difference < 0:
        better, worse, difference = worse, better, -difference
        ci95 = None if ci95 is None else (-ci95[1], -ci95[0])
    better, worse = shown[better], shown[worse]
    if not difference:
        return f"{better} and {worse}: exactly the same."
    if pair.deals < FEW_DEALS:
        return (
            f"{better} is ahead of {worse} by {difference:.3f} a hand ({bounds(ci95)}), which says"
            f" little: {too_few(pair.deals)}."
        )
    needed = ""
    if pair.deals_needed is not None:
        verb = "tells" if pair.deals_needed == 1 else "tell"
        needed = f"; {counted(pair.deals_needed, 'deal')} {verb} that"
    if ci95 is None or ci95[0] <= 0:
        return (
            f"{better} and {worse} are not told apart: a difference of {difference:.3f}"
            f" ({bounds(ci95)}){needed}."
        )
    return f"{better} is better than {worse} by {difference:.3f} a hand ({bounds(ci95)}){needed}."


def too_few(deals: int) -> str:
    """What to do where nothing can be claimed yet."""
    return f"it stands on {counted(deals, 'deal')}, and takes {FEW_DEALS} at least (--deals)"


def _faults(name: str, tally: Tally, given_up: int, out_from: int | None) -> list[str]:
    counts = {
        counted(tally.illegal, "illegal choice"): tally.illegal,
        f"{tally.late:,} late": tally.late,
        f"{tally.crashed:,} crashed": tally.crashed,
        f"{counted(given_up, 'match', 'matches')} in which a seat was given up": given_up,
        f"{counted(tally.defaults, 'decision')} made for it then": tally.defaults,
    }
    said = [text for text, count in counts.items() if count]
    if not said:
        return []
    lines = [
        f"{name}: {', '.join(said)}. Where a decision was due, the default was played.",
        f"  The first time it {tally.first_fault}.",
    ]
    if out_from is not None:
        lines.append(
            f"  After {OUT} matches in which a seat was given up it was out: from deal"
            f" {out_from} on it was not asked any more."
        )
    return lines


def bounds(interval: Interval | None) -> str:
    """An interval for people."""
    return "one deal" if interval is None else f"{interval[0]:+.3f} to {interval[1]:+.3f}"
