"""Figures of an arena, by hand and by simulation."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from dalmuti.client.arena.plan import Contestant, Item, Outcome, Setup, Tally, Times
from dalmuti.client.arena.ratings import ratings
from dalmuti.client.arena.statistics import (
    Ledger,
    bootstrap,
    interval,
    pair,
    quantile,
    student,
)
from dalmuti.core.options import TableOptions

SETUP = Setup(
    contestants=(Contestant("A", "greedy"), Contestant("B", "greedy")),
    options=TableOptions(seats=3),
)


def item(index: int, deal: int, *lineup: int) -> Item:
    return Item(index=index, deal=deal, lineup=lineup, number=0, seeds=(0,) * len(lineup))


def outcome(index: int, *places: tuple[int, ...], late: int = 0) -> Outcome:
    tallies = (Tally(late=late, first_fault="slept" if late else ""), Tally(), Tally())
    return Outcome(index=index, places=places, tallies=tallies, moves="00", turns=10)


def test_a_ledger_by_hand() -> None:
    """Two deals of A against two seats of B."""
    ledger = Ledger(SETUP)
    ledger.add(item(0, 0, 0, 1, 1), outcome(0, (0, 1, 2), late=1))  # A: 2; B: 1, 0
    ledger.add(item(1, 0, 1, 0, 1), outcome(1, (0, 1, 2)))  # A: 1; B: 2, 0
    ledger.add(item(2, 1, 1, 1, 0), outcome(2, (0, 1, 2)))  # A: 0; B: 2, 1
    ledger.finish()
    a, b = ledger.rows().values()
    assert ledger.hands == 3 and ledger.turns == 30
    assert (a.hands, b.hands) == (3, 6)
    assert (a.points_per_hand, b.points_per_hand) == (1.0, 1.0)
    assert (a.above_par, a.mean_place) == (0.0, 2.0)
    assert (a.first, a.last, b.first, b.last) == pytest.approx((1 / 3, 1 / 3, 1 / 3, 1 / 3))
    assert (a.late, a.first_fault, b.late) == (1, "slept", 0)
    assert ledger.deals == [[1.5, 0.0], [0.75, 1.5]]
    [both] = ledger.pairs()
    assert both.difference == pytest.approx((0.75 - 1.5) / 2)
    assert both.ci95 is not None and both.ci95[0] < -12  # two deals say next to nothing


def test_one_deal_has_no_interval() -> None:
    ledger = Ledger(SETUP)
    ledger.add(item(0, 0, 0, 1, 1), outcome(0, (0, 1, 2)))
    ledger.finish()
    assert all(row.ci95 is None for row in ledger.rows().values())
    assert ledger.pairs()[0].ci95 is None and bootstrap([1.0], 1) is None


@pytest.mark.parametrize(
    ("freedom", "wanted"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (9, 2.262), (30, 2.042), (999, 1.962)],
)
def test_students_quantile(freedom: int, wanted: float) -> None:
    assert student(freedom) == pytest.approx(wanted, abs=0.004)


@pytest.mark.parametrize("way", [interval, lambda values: bootstrap(values, 7, 400)])
def test_intervals_hold_the_truth_nineteen_times_out_of_twenty(way: Any) -> None:
    chance = random.Random(3)
    held = 0
    for _ in range(200):
        values = [chance.gauss(0.4, 1.0) for _ in range(40)]
        low, high = way(values)
        held += low <= 0.4 <= high
    assert 180 <= held <= 199


def test_the_deals_that_are_needed_are_enough_four_times_out_of_five() -> None:
    chance = random.Random(4)
    sample = [chance.gauss(0.2, 0.5) for _ in range(2000)]
    needed = pair("A", "B", sample).deals_needed
    assert needed is not None and 35 < needed < 75
    told = 0
    for _ in range(300):
        bounds = interval([chance.gauss(0.2, 0.5) for _ in range(needed)])
        assert bounds is not None
        told += bounds[0] > 0
    assert 0.7 < told / 300 < 0.9
    assert pair("A", "A", [0.0, 0.0]).deals_needed is None


def test_a_bootstrap_is_the_same_again() -> None:
    values = [math.sin(n) for n in range(100)]
    assert bootstrap(values, 1) == bootstrap(values, 1) != bootstrap(values, 2)


def test_times_keep_their_quantiles() -> None:
    times = Times()
    times.add(*(n / 1000 for n in range(1, 1001)))
    assert quantile(times, 0.5) == pytest.approx(0.5, rel=0.05)
    assert quantile(times, 0.99) == pytest.approx(0.99, rel=0.05)
    assert times.longest == 1.0 and times.total == pytest.approx(500.5)
    assert quantile(Times(), 0.5) == 0.0


def test_who_wins_is_rated_higher_also_against_several_seats_of_one() -> None:
    strong, weak = ratings(2, [(0, 1, 1)] * 50)
    assert strong.mu > weak.mu + 5 and strong.sigma < 8
    assert strong.ordinal == pytest.approx(strong.mu - 3 * strong.sigma, abs=0.01)
    one, other = ratings(2, [(0, 1), (1, 0)] * 100)
    assert one.mu == pytest.approx(other.mu, abs=1.5)
