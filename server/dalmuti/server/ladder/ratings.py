"""How strong bots are, from the matches they played: OpenSkill's Plackett-Luce model.

One update a match, by the order of total points. The library lowers all who share a place: of six
equal players three that share the first place get less than the fourth (its terms for a tie are
divided by the number of those who share it, but not their sum over the others). So a shared place
is taken here as what it means, that any order of those who share it is as good as another: the
update is the mean over the orders in which each of them comes at each of their places once.

Everything here is plain arithmetic: the same results in the same order give the same ratings, so
they can be computed again from the results that are kept (`recomputed`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace


class Rating(Struct, frozen=True):
    """A strength and how uncertain it is. Everybody begins with the same."""

    mu: float = 25.0
    sigma: float = 25.0 / 3

    @property
    def ordinal(self) -> float:
        """What the ladder is sorted by: nearly everybody is stronger than this."""
        return self.mu - 3 * self.sigma


class Line(Struct, frozen=True):
    """What one seat did in a rated match."""

    name: str
    house: bool
    points: int
    """Without those of hands in which the stand-in moved for it."""
    firsts: int
    hands: int
    helped: int
    """Hands in which the stand-in moved for it."""


class Result(Struct, frozen=True):
    """A rated match, as it is kept."""

    number: int
    ended: float
    """Seconds since 1970."""
    lines: tuple[Line, ...]
    """Most points first."""


class Record(Struct, frozen=True):
    """What is known of one name."""

    name: str
    house: bool = False
    rating: Rating = Rating()
    matches: int = 0
    hands: int = 0
    points: int = 0
    firsts: int = 0


def rated(ratings: Sequence[Rating], points: Sequence[int]) -> list[Rating]:
    """The ratings after a match in which these points were made; two players at least."""
    by_points = sorted(range(len(points)), key=lambda n: -points[n])
    groups = [list(group) for _, group in groupby(by_points, key=lambda n: points[n])]
    turns = math.lcm(*map(len, groups))
    sums = [(0.0, 0.0)] * len(ratings)
    for turn in range(turns):
        order = [n for group in groups for n in _turned(group, turn)]
        for n, new in zip(order, _updated([ratings[n] for n in order]), strict=True):
            sums[n] = (sums[n][0] + new.mu, sums[n][1] + new.sigma)
    return [Rating(mu / turns, sigma / turns) for mu, sigma in sums]


def _turned(group: list[int], turn: int) -> list[int]:
    at = turn % len(group)
    return group[at:] + group[:at]


def _updated(ratings: Sequence[Rating]) -> list[Rating]:
    """After a match in which the first of them was first, and so on."""
    from openskill.models import PlackettLuce  # 15 ms that a server without a ladder has no use for

    model = PlackettLuce()
    teams = [[model.rating(mu=each.mu, sigma=each.sigma)] for each in ratings]
    return [Rating(team[0].mu, team[0].sigma) for team in model.rate(teams)]


def counted(known: Mapping[str, Record], result: Result) -> dict[str, Record]:
    """The records that a match changes, as they are after it.

    A house bot may sit there several times: then its rating is the mean of what each of its seats
    would have made of it.
    """
    before = [known.get(line.name, Record(line.name, line.house)) for line in result.lines]
    after = rated([each.rating for each in before], [line.points for line in result.lines])
    found: dict[str, Record] = {}
    for name in {line.name: None for line in result.lines}:
        seats = [n for n, line in enumerate(result.lines) if line.name == name]
        old = before[seats[0]]
        found[name] = replace(
            old,
            rating=Rating(
                sum(after[n].mu for n in seats) / len(seats),
                sum(after[n].sigma for n in seats) / len(seats),
            ),
            matches=old.matches + 1,
            hands=old.hands + sum(result.lines[n].hands for n in seats),
            points=old.points + sum(result.lines[n].points for n in seats),
            firsts=old.firsts + sum(result.lines[n].firsts for n in seats),
        )
    return found


def recomputed(results: Iterable[Result]) -> dict[str, Record]:
    """All records, from the matches in the order in which they were rated."""
    records: dict[str, Record] = {}
    for result in results:
        records.update(counted(records, result))
    return records


def by_rank(record: Record) -> tuple[float, str]:
    """What standings are sorted by, the best first."""
    return -record.rating.ordinal, record.name
