"""The court trial: one candidate against full tables of each reference, on published deals.

The deals are in `trial-v1.json`, 1,000 each at 4, 6 and 8 seats, so that whoever tries a bot has
the same ones. The candidate sits in every seat of every deal, all other seats are copies of one
reference. Intervals are by resampling deals. What counts in the end is the minimum over all fields:
a bot that has learnt to beat one reference and no other gains nothing by it.

Trick play is the usual form: no taxes, and seat 0 leads. With `--taxed` hands have taxes and
revolutions, and seat and title are one thing in them; with `--hands` whole matches are played,
which multiplies the noise, so that fewer deals are taken of each table.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Sequence
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from dalmuti.client import out
from dalmuti.client.arena import report
from dalmuti.client.arena.command import (
    Played,
    contestants_of,
    folder_of,
    options_of,
    run,
    runner_of,
)
from dalmuti.client.arena.plan import Setup
from dalmuti.client.arena.report import bounds, grid
from dalmuti.client.arena.schedule import items_of
from dalmuti.client.arena.statistics import FEW_DEALS, Interval, Row, bootstrap
from dalmuti.client.arena.stopping import Stops
from dalmuti.client.out import counted
from dalmuti.client.start import Refusal
from dalmuti.core import deal

FILE: Final = "trial-v1.json"
DEALS: Final = 1000
TAXED_DEALS: Final = 200
SESSION_HANDS: Final = 2000
"""Hands in matches for each seat of a table: so many deals as that makes."""


class Deals(Struct, frozen=True):
    """The published deals. A number is for `deal.fixed_seed(number, hand)`."""

    name: str
    numbers: dict[str, tuple[int, ...]]
    """By seats."""
    sha256: dict[str, str]
    """By seats: of the cards of the first hand of all deals, as `hash_of` says."""


class Field(Struct, frozen=True, kw_only=True):
    """The candidate against one table."""

    seats: int
    reference: str
    deals: int
    ci95: Interval | None
    """Bounds `above_par`, by resampling deals."""
    candidate: Row
    moves: str


def published() -> Deals:
    """The deal file. It comes with the package."""
    data = files("dalmuti.client.arena").joinpath(FILE).read_bytes()
    return msgspec.json.decode(data, type=Deals)


def hash_of(numbers: Sequence[int]) -> str:
    """The SHA-256 of the decks of these deals: a byte a card, 13 a Jester, in order of dealing."""
    found = hashlib.sha256()
    for number in numbers:
        found.update(bytes(deal.deck_of(deal.fixed_seed(number, 1), {})))
    return found.hexdigest()


def trial(given: argparse.Namespace) -> int:
    """Tries one player. Raises Refusal."""
    if given.players or given.half or given.no_taxes:
        raise Refusal("--trial takes one player, and neither others nor --half nor --no-taxes")
    deals = published()
    sizes = [given.seats] if given.seats else [int(size) for size in deals.numbers]
    if any(str(size) not in deals.numbers for size in sizes):
        raise Refusal(f"the trial is for {', '.join(deals.numbers)} seats, found {given.seats}")
    references = [name for name in given.references.split(",") if name]
    if not references:
        raise Refusal("expected one reference or more, such as --references greedy,careful")
    folder = folder_of(given)
    shown = report.shown_names([given.trial, *references])
    fields: list[Field] = []
    with Stops() as stops:
        for number, (size, reference) in enumerate(product(sizes, references), start=1):
            numbers = deals.numbers[str(size)][: _deals(given)]
            what = f"{size} seats against {shown[reference]} "
            place = None if folder is None else folder / f"{size}-{number}"
            setup = _setup(given, size, reference)
            played = _play(given, setup, numbers, stops, place, what)
            if played.deals:
                fields.append(_field(given, played, reference))
            if played.deals < len(numbers):
                break
    done = sum(field.deals == _deals(given) for field in fields)
    tables = (done, len(sizes) * len(references))
    if given.json:
        found = _json(given, deals.name, fields, unfinished=done < tables[1])
        out.say(msgspec.json.format(msgspec.json.encode(found)).decode())
    else:
        out.say(_table(given, deals.name, fields, shown, tables))
    return played.code()


def _setup(given: argparse.Namespace, size: int, reference: str) -> Setup:
    """The candidate at a table of one reference. Raises Refusal."""
    return Setup(
        contestants=contestants_of([given.trial, reference]),
        options=options_of(given, size, taxes=given.taxed or given.hands > 1),
        hands=given.hands,
        turn_seconds=given.turn_seconds,
        save=given.save is not None,
    )


def _play(
    given: argparse.Namespace,
    setup: Setup,
    numbers: Sequence[int],
    stops: Stops,
    folder: Path | None,
    what: str,
) -> Played:
    """The candidate against one table. Raises Refusal."""
    if folder is not None:
        folder.mkdir(exist_ok=True)
    return run(
        setup,
        items_of(setup, numbers, given.seed),
        len(numbers),
        setup.options.seats,
        runner_of(given, setup.contestants),
        given.jobs,
        stops,
        folder=folder,
        what=what,
    )


def _field(given: argparse.Namespace, played: Played, reference: str) -> Field:
    ledger, size = played.ledger, played.ledger.setup.options.seats
    par = (size - 1) / 2
    return Field(
        seats=size,
        reference=reference,
        deals=played.deals,
        ci95=bootstrap([value - par for value in ledger.deals[0]], given.seed),
        candidate=ledger.rows()[ledger.setup.contestants[0].name],
        moves=ledger.moves,
    )


def _deals(given: argparse.Namespace) -> int:
    """How many deals of each table: as asked, or what can be afforded."""
    usual = TAXED_DEALS if given.taxed else DEALS
    if given.hands > 1:
        usual = max(10, SESSION_HANDS // given.hands)
    return min(given.deals or usual, DEALS)


def _kind(given: argparse.Namespace) -> str:
    if given.hands > 1:
        return f"matches of {given.hands} hands"
    return "taxed" if given.taxed else "trick play"


def _worst(fields: Sequence[Field]) -> Field:
    return min(fields, key=lambda field: field.candidate.above_par)


def _json(
    given: argparse.Namespace, name: str, fields: Sequence[Field], *, unfinished: bool
) -> dict[str, Any]:
    found: dict[str, Any] = {
        "trial": name,
        "kind": _kind(given),
        "player": given.trial,
        "seed": given.seed,
        "unfinished": unfinished,
        "minimum": None,
        "minimum_ci95": None,
        "minimum_of": None,
    }
    if fields:
        worst = _worst(fields)
        found |= {
            "minimum": worst.candidate.above_par,
            "minimum_ci95": worst.ci95,
            "minimum_of": {"seats": worst.seats, "reference": worst.reference},
        }
    found["fields"] = [
        {
            "seats": field.seats,
            "reference": field.reference,
            "deals": field.deals,
            "moves": field.moves,
            **msgspec.to_builtins(field.candidate),
            "ci95": field.ci95,
        }
        for field in fields
    ]
    return found


def _table(
    given: argparse.Namespace,
    name: str,
    fields: Sequence[Field],
    shown: dict[str, str],
    tables: tuple[int, int],
) -> str:
    """The result for people; of `tables` the first number was finished, of the second."""
    done, wanted = tables
    deals = _deals(given)
    lines = [
        f"{shown[given.trial]} in the {name}: {_kind(given)}, {counted(deals, 'deal')} a table,"
        " points a hand above par.",
        "",
    ]
    if done < wanted:
        lines += [report.unfinished(done, counted(wanted, "table")), ""]
    if not fields:
        return "\n".join(lines[:-1])
    head = ("seats", "against", "above par", "95 % interval", "first", "last", "faults")
    cells = [
        (
            str(field.seats),
            shown[field.reference],
            f"{row.above_par:+.3f}",
            bounds(field.ci95),
            f"{row.first:.1%}",
            f"{row.last:.1%}",
            str(row.illegal + row.late + row.crashed),
        )
        for field in fields
        for row in [field.candidate]
    ]
    lines += grid([head, *cells])
    if fields[-1].deals < deals:
        lines.append(f"The last line is of {counted(fields[-1].deals, 'deal')} of {deals:,}.")
    worst, rows = _worst(fields), [field.candidate for field in fields]
    so_far = " so far" if done < wanted else ""
    few = min(field.deals for field in fields)
    little = f"This says little: {report.too_few(few)}." if few < FEW_DEALS else ""
    fault = next((row.first_fault for row in rows if row.first_fault), "")
    return "\n".join(
        [
            *lines,
            "",
            f"The minimum{so_far} is {worst.candidate.above_par:+.3f} ({bounds(worst.ci95)}),"
            f" against {shown[worst.reference]} at {worst.seats} seats.",
            *filter(None, [little]),
            f"A decision took {max(row.ms_mean for row in rows):.3f} ms on average, and 99 of 100"
            f" less than {max(row.ms_p99 for row in rows):.3f} ms, at the slowest table.",
            *([f"The first time something was wrong it {fault}."] if fault else []),
            *(f"{short} is {long}." for long, short in shown.items() if short != long),
        ]
    )
