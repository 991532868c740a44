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
from typing import Any, Final

import msgspec
from msgspec import Struct

from dalmuti.client import out
from dalmuti.client.arena.command import contestants_of, folder_of, options_of, run, runner_of
from dalmuti.client.arena.plan import Setup
from dalmuti.client.arena.report import bounds, grid
from dalmuti.client.arena.schedule import items_of
from dalmuti.client.arena.statistics import Interval, Row, bootstrap
from dalmuti.client.commands.parts import OK
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
    fields: list[Field] = []
    for size in sizes:
        for reference in references:
            contestants = contestants_of([given.trial, reference])
            setup = Setup(
                contestants=contestants,
                options=options_of(given, size, taxes=given.taxed or given.hands > 1),
                hands=given.hands,
                turn_seconds=given.turn_seconds,
                save=folder is not None,
            )
            numbers = deals.numbers[str(size)][: _deals(given)]
            place = None
            if folder is not None:
                place = folder / f"{size}-{len(fields) + 1}"
                place.mkdir(exist_ok=True)
            ledger, _ = run(
                setup,
                items_of(setup, numbers, given.seed),
                size * len(numbers),
                runner_of(given, contestants),
                given.jobs,
                folder=place,
                what=f"{size} seats against {reference} ",
            )
            par = (size - 1) / 2
            fields.append(
                Field(
                    seats=size,
                    reference=reference,
                    deals=len(numbers),
                    ci95=bootstrap([value - par for value in ledger.deals[0]], given.seed),
                    candidate=ledger.rows()[contestants[0].name],
                    moves=ledger.moves,
                )
            )
    worst = min(fields, key=lambda field: field.candidate.above_par)
    if given.json:
        found = _json(given, deals.name, fields, worst)
        out.say(msgspec.json.format(msgspec.json.encode(found)).decode())
    else:
        out.say(_table(given, deals.name, fields, worst))
    return OK


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


def _json(
    given: argparse.Namespace, name: str, fields: Sequence[Field], worst: Field
) -> dict[str, Any]:
    return {
        "trial": name,
        "kind": _kind(given),
        "player": given.trial,
        "seed": given.seed,
        "minimum": worst.candidate.above_par,
        "minimum_ci95": worst.ci95,
        "minimum_of": {"seats": worst.seats, "reference": worst.reference},
        "fields": [
            {
                "seats": field.seats,
                "reference": field.reference,
                "deals": field.deals,
                "moves": field.moves,
                **msgspec.to_builtins(field.candidate),
                "ci95": field.ci95,
            }
            for field in fields
        ],
    }


def _table(given: argparse.Namespace, name: str, fields: Sequence[Field], worst: Field) -> str:
    head = (
        "seats", "against", "deals", "above par", "95 % interval", "first", "last", "ms mean",
        "ms p99", "faults",
    )  # fmt: skip
    cells = [
        (
            str(field.seats),
            field.reference,
            f"{field.deals:,}",
            f"{row.above_par:+.3f}",
            bounds(field.ci95),
            f"{row.first:.1%}",
            f"{row.last:.1%}",
            f"{row.ms_mean:.3f}",
            f"{row.ms_p99:.3f}",
            str(row.illegal + row.late + row.crashed),
        )
        for field in fields
        for row in [field.candidate]
    ]
    return "\n".join(
        [
            f"{given.trial} in the {name}: {_kind(given)}, points a hand above par.",
            "",
            *grid([head, *cells]),
            "",
            f"The minimum is {worst.candidate.above_par:+.3f} ({bounds(worst.ci95)}), against"
            f" {worst.reference} at {worst.seats} seats.",
        ]
    )
