"""What the outcomes of an arena say about its players.

A hand gives as many points as there are players ranked below; the mean over all, (seats - 1) / 2,
is par. The hands of one deal have their cards in common, so they are no observations of their own:
the mean of a player over all hands of a deal is one, and intervals are taken over deals.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Sequence
from math import fsum, sqrt
from statistics import NormalDist
from typing import Final

from msgspec import Struct, field

from dalmuti.client.arena.plan import STEP, Contestant, Item, Outcome, Setup, Tally, Times

Z: Final = NormalDist().inv_cdf(0.975)
POWER: Final = NormalDist().inv_cdf(0.8)
RATED: Final = 10_000
"""Hands that ratings are made of: after some thousand they do not get any surer."""
FEW_DEALS: Final = 20
"""Of fewer deals it is not said who is better, nor how many would tell: the spread, which both
stand on, is not known to a sixth yet."""
Interval = tuple[float, float]


class Row(Struct, frozen=True, kw_only=True):
    """What is said about one player. Shares are of his own hands, times in milliseconds."""

    hands: int
    points_per_hand: float
    above_par: float
    ci95: Interval | None
    """Bounds `above_par`; None for a single deal."""
    mean_place: float
    first: float
    last: float
    illegal: int
    late: int
    crashed: int
    defaults: int
    """Decisions that were made for him, since his seat was given up."""
    given_up: int
    """Matches in which that happened to a seat of his."""
    decisions: int
    ms_mean: float
    ms_p50: float
    ms_p99: float
    ms_max: float
    first_fault: str = ""
    out_from: int | None = None
    """The deal from which on he was out, counted from 1."""


class Pair(Struct, frozen=True, kw_only=True):
    """How much better `player` is than `against`, in points per hand."""

    player: str
    against: str
    difference: float
    ci95: Interval | None
    deals: int
    """Deals that this stands on."""
    deals_needed: int | None
    """Deals that would tell a difference of this size from none, four times out of five.

    None where that cannot be said: without a difference, and from less than FEW_DEALS.
    """


class Sum(Struct):
    """What is added up of one player."""

    hands: int = 0
    points: int = 0
    firsts: int = 0
    lasts: int = 0
    tally: Tally = field(default_factory=Tally)
    given_up: int = 0


class Ledger:
    """Takes the outcomes of one arena in the order of their items."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.hands = 0
        self.turns = 0
        self.order: list[bytes] = []
        """For each of the first `RATED` hands the players by place, for ratings."""
        self.deals: list[list[float]] = [[] for _ in setup.contestants]
        """For each player the mean points of each deal."""
        self._sums = [Sum() for _ in setup.contestants]
        self.out: dict[int, int] = {}
        """Players who are out, and the deal from which on they are, counted from 1."""
        self._deal: list[tuple[Item, Outcome]] = []
        """What has come of the deal that is being played."""
        self._moves = hashlib.sha256()

    def add(self, item: Item, outcome: Outcome) -> None:
        """Takes one outcome. Its hands count when those of all the deal are there."""
        if self._deal and item.deal != self._deal[0][0].deal:
            self._close_deal()
        self._deal.append((item, outcome))
        for player, tally in zip(item.lineup, outcome.tallies, strict=True):
            self._add_tally(self._sums[player], tally)

    @staticmethod
    def _add_tally(total: Sum, tally: Tally) -> None:
        into = total.tally
        _merge(into.times, tally.times)
        into.illegal += tally.illegal
        into.late += tally.late
        into.crashed += tally.crashed
        into.defaults += tally.defaults
        into.first_fault = into.first_fault or tally.first_fault
        total.given_up += bool(tally.given_up)

    def _close_deal(self) -> None:
        players = len(self._sums)
        points, counts = [0] * players, [0] * players
        for item, outcome in self._deal:
            self._moves.update(bytes.fromhex(outcome.moves))
            self.turns += outcome.turns
            for places in outcome.places:
                self._add_hand(bytes([item.lineup[seat] for seat in places]), points, counts)
        for player, count in enumerate(counts):
            if count:
                self.deals[player].append(points[player] / count)
                self._sums[player].points += points[player]
                self._sums[player].hands += count
        self._deal.clear()

    def _add_hand(self, order: bytes, points: list[int], counts: list[int]) -> None:
        """One hand, as the players by place."""
        self.hands += 1
        if self.hands <= RATED:
            self.order.append(order)
        worst = len(order) - 1
        for place, player in enumerate(order):
            points[player] += worst - place
            counts[player] += 1
        self._sums[order[0]].firsts += 1
        self._sums[order[-1]].lasts += 1

    def finish(self, matches: int = 0) -> int:
        """Called once, after the last outcome; returns how many deals there are.

        A last deal of which there are fewer `matches` than that is left out: the luck of its cards
        has not been everybody's alike.
        """
        if self._deal and len(self._deal) >= matches:
            self._close_deal()
        return len(self.deals[0])

    def faults(self) -> dict[str, tuple[Tally, int, int | None]]:
        """What went wrong, in all matches: tally, matches given up, and from which deal on out."""
        return {
            player.name: (total.tally, total.given_up, self.out.get(number))
            for number, (player, total) in enumerate(
                zip(self.setup.contestants, self._sums, strict=True)
            )
        }

    @property
    def moves(self) -> str:
        """A digest of all moves of all matches."""
        return self._moves.hexdigest()

    def rows(self) -> dict[str, Row]:
        """What is said about each player, in the order of the list."""
        return {
            player.name: self._row(player, number)
            for number, player in enumerate(self.setup.contestants)
            if self._sums[number].hands
        }

    def _row(self, player: Contestant, number: int) -> Row:
        total, values = self._sums[number], self.deals[number]
        par = (self.setup.options.seats - 1) / 2
        mean = total.points / total.hands
        tally, times = total.tally, total.tally.times
        bounds = interval([value - par for value in values])
        return Row(
            hands=total.hands,
            points_per_hand=_rounded(mean),
            above_par=_rounded(mean - par),
            ci95=bounds,
            mean_place=_rounded(self.setup.options.seats - mean),
            first=_rounded(total.firsts / total.hands),
            last=_rounded(total.lasts / total.hands),
            illegal=tally.illegal,
            late=tally.late,
            crashed=tally.crashed,
            defaults=tally.defaults,
            given_up=total.given_up,
            decisions=times.count,
            ms_mean=_rounded(1000 * times.total / max(times.count, 1)),
            ms_p50=_rounded(1000 * quantile(times, 0.5)),
            ms_p99=_rounded(1000 * quantile(times, 0.99)),
            ms_max=_rounded(1000 * times.longest),
            first_fault=tally.first_fault,
            out_from=self.out.get(number),
        )

    def pairs(self) -> list[Pair]:
        """All players against each other, over the deals that they played together, if any."""
        if not self.deals[0]:
            return []
        names = [player.name for player in self.setup.contestants]
        found = []
        for one in range(len(names)):
            for other in range(one + 1, len(names)):
                both = zip(self.deals[one], self.deals[other], strict=True)
                found.append(pair(names[one], names[other], [a - b for a, b in both]))
        return found


def pair(player: str, against: str, differences: Sequence[float]) -> Pair:
    """The comparison of two players, from their differences by deal."""
    mean = fsum(differences) / len(differences)
    spread = deviation(differences)
    needed = None
    if spread and mean and len(differences) >= FEW_DEALS:
        needed = max(2, math.ceil(((Z + POWER) * spread / mean) ** 2))
    return Pair(
        player=player,
        against=against,
        difference=_rounded(mean),
        ci95=interval(differences),
        deals=len(differences),
        deals_needed=needed,
    )


def interval(values: Sequence[float]) -> Interval | None:
    """The 95 % interval of the mean, by Student's t; None for less than two values."""
    if len(values) < 2:
        return None
    mean = fsum(values) / len(values)
    half = student(len(values) - 1) * deviation(values) / sqrt(len(values))
    return (_rounded(mean - half), _rounded(mean + half))


def bootstrap(values: Sequence[float], seed: int, resamples: int = 2000) -> Interval | None:
    """The 95 % interval of the mean by resampling, from the chance of `seed`."""
    if len(values) < 2:
        return None
    chance = random.Random(seed)
    size = len(values)
    means = sorted(fsum(chance.choices(values, k=size)) / size for _ in range(resamples))
    low = round(resamples * 0.025)
    return (_rounded(means[low]), _rounded(means[resamples - 1 - low]))


def deviation(values: Sequence[float]) -> float:
    """The standard deviation of a sample; 0 for less than two values."""
    if len(values) < 2:
        return 0.0
    mean = fsum(values) / len(values)
    return sqrt(fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def student(freedom: int) -> float:
    """The 97.5 % quantile of Student's t, to three digits (the usual expansion around z)."""
    if freedom <= 2:
        return (12.7062, 4.3027)[freedom - 1]
    z, n = Z, freedom
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * n**4)
    )


def quantile(times: Times, share: float) -> float:
    """The time in seconds that this share of decisions did not exceed, to 2 %."""
    wanted, count = share * times.count, 0
    for bucket in sorted(times.buckets):
        count += times.buckets[bucket]
        if count >= wanted:
            return min(math.exp(bucket * STEP), times.longest)
    return 0.0


def _merge(into: Times, times: Times) -> None:
    into.count += times.count
    into.total += times.total
    into.longest = max(into.longest, times.longest)
    for bucket, count in times.buckets.items():
        into.buckets[bucket] = into.buckets.get(bucket, 0) + count


def _rounded(value: float) -> float:
    return round(value, 6)
