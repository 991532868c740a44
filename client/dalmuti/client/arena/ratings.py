"""Ratings by the library openskill (Plackett-Luce), over the hands of an arena in their order.

The model is that of a server's ladder; the figures are not comparable, as a ladder rates whole
matches and here it is hands. They prove nothing: after many hands mu still wanders by more than its
sigma says. What proves something is the interval of the points.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct


class Rating(Struct, frozen=True):
    """A player's strength, and how sure it is; `ordinal` is mu - 3 sigma."""

    mu: float
    sigma: float
    ordinal: float


def ratings(players: int, hands: Iterable[Sequence[int]]) -> list[Rating]:
    """The ratings after these hands, each given as the players by place.

    A player who has several seats meets himself there; what his seats would gain and lose is
    shared among them, so that he has one rating after each hand.
    """
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    now = [(model.rating().mu, model.rating().sigma) for _ in range(players)]
    for order in hands:
        teams = [[model.rating(mu=now[player][0], sigma=now[player][1])] for player in order]
        after: dict[int, list[tuple[float, float]]] = {}
        for player, team in zip(order, model.rate(teams), strict=True):
            after.setdefault(player, []).append((team[0].mu, team[0].sigma))
        for player, found in after.items():
            size = len(found)
            now[player] = (sum(mu for mu, _ in found) / size, sum(s for _, s in found) / size)
    return [Rating(round(mu, 3), round(sigma, 3), round(mu - 3 * sigma, 3)) for mu, sigma in now]
