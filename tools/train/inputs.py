"""Positions as traits (`client.bots.layout`), and what a network makes of them, compiled.

The bot does the same in plain Python (`client.bots.expert`); the tests hold the two together,
trait by trait.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from tools.train.rules import COUNT, JESTER, LOCKED, OWNER, RANK, SEATS, Array, Game

from dalmuti.client.bots import layout
from dalmuti.client.bots.layout import DEAL, TRICKS

REACH = layout.place(TRICKS, "reach 1")
SPANS = len(layout.SPANS)
CARDS = layout.place(TRICKS, "cards 1")
ACT = layout.place(TRICKS, "act 1")
OTHERS = layout.place(TRICKS, "others")
LOCK = layout.place(TRICKS, "locked")
ROLE = layout.place(TRICKS, "role 1")
HELD = layout.place(TRICKS, "held 1")
SAFE = layout.place(TRICKS, "safe 2")
OWN_LEFT = layout.place(TRICKS, "left")
GROUPS, WINNERS, LOSERS = OWN_LEFT + 1, OWN_LEFT + 2, OWN_LEFT + 3
OWN_RANK = layout.place(TRICKS, "own rank")
OWN_SIZE, OWN_HOW, BEATERS, FIRM, HOLDERS, SURE = range(OWN_RANK + 1, OWN_RANK + 7)
THEIR_RANK = layout.place(TRICKS, "their rank")
THEIR_SIZE, TO_COME, HEIR, OWNER_OUT = range(THEIR_RANK + 1, THEIR_RANK + 5)
TRAITS = len(TRICKS)

TOP, BOTTOM = layout.place(DEAL, "from the top"), layout.place(DEAL, "from the bottom")
TABLE, STAGE = layout.place(DEAL, "seats"), layout.place(DEAL, "stage")
DEAL_TRAITS = len(DEAL)


class Net(NamedTuple):
    """A network, with its first layer as one row for each value of each trait."""

    starts: Array
    rows: Array
    first_bias: Array
    second: Array
    second_bias: Array
    last: Array
    last_bias: Array


class Mind(NamedTuple):
    """Room to think in: one for each thread."""

    v: Array
    """The traits."""
    best: Array
    """The traits after the best choice."""
    others: Array
    """The seats of the others who still play, clockwise."""
    reach: Array
    """[size]: the best rank of which the others may have so many; 13: there is none."""
    common: Array
    side: Array
    h: Array
    deep: Array


@njit(cache=True)
def new_mind(width: int, deep: int) -> Mind:
    """For networks with up to so many units in the first and the second layer."""
    return Mind(
        np.zeros(TRAITS, np.int64),
        np.zeros(TRAITS, np.int64),
        np.zeros(10, np.int64),
        np.zeros(21, np.int64),
        np.zeros(width, np.float32),
        np.zeros(width, np.float32),
        np.zeros(width, np.float32),
        np.zeros(deep, np.float32),
    )


@njit(cache=True)
def look(g: Game, seat: int, m: Mind) -> int:
    """The traits that do not depend on the choice, and those of passing's roles."""
    v = m.v
    v[:] = 0
    seats = g.t[SEATS]
    for rank in range(1, 14):
        v[rank - 1] = g.total[rank] - g.counts[seat, rank]
        v[HELD + rank - 1] = g.counts[seat, rank]
    n = most = 0
    other = seat
    for _ in range(seats - 1):
        other += 1
        if other == seats:
            other = 0
        if g.sizes[other]:
            m.others[n] = other
            v[CARDS + n] = min(g.sizes[other], 20)
            v[ACT + n] = g.acts[other]
            most = max(most, g.sizes[other])
            n += 1
    v[OTHERS] = n
    v[LOCK] = g.t[LOCKED]
    wild = v[12]
    for size in range(1, 15):
        m.reach[size] = 13
        if size <= most:
            for rank in range(1, 13):
                if v[rank - 1] and v[rank - 1] + wild >= size:
                    m.reach[size] = rank
                    break
    for span in range(SPANS):
        v[REACH + span] = m.reach[span + 1]
    return n


@njit(cache=True)
def after_pass(g: Game, seat: int, m: Mind, n: int) -> None:
    """The traits of having passed, over those of `look`."""
    v = m.v
    owner = g.t[OWNER]
    heir = owner
    while not g.sizes[heir]:
        heir = (heir + 1) % g.t[SEATS]
    coming = 0
    for i in range(n):
        other = m.others[i]
        v[ROLE + i] = g.passed[other] + 2 * (other == heir)
        coming += not g.passed[other] and other != owner
    for i in range(OWN_RANK, THEIR_RANK):
        v[i] = 0
    v[THEIR_RANK] = g.t[RANK]
    v[THEIR_SIZE] = g.t[COUNT]
    v[TO_COME] = 1 + coming
    v[HEIR] = heir == seat
    v[OWNER_OUT] = g.sizes[owner] == 0
    _after(g, seat, m)


@njit(cache=True)
def after_play(g: Game, seat: int, m: Mind, n: int, rank: int, count: int, jesters: int) -> None:
    """The traits of having played a set that does not empty the hand, over those of `look`."""
    v = m.v
    if rank != JESTER:
        v[HELD + rank - 1] -= count - jesters
    v[HELD + 12] -= jesters
    holders = 0
    for i in range(n):
        other = m.others[i]
        out = g.t[LOCKED] and g.passed[other]
        v[ROLE + i] = out
        holders += g.sizes[other] >= count and not out
    beaters = firm = 0
    if holders:
        for better in range(min(rank, 13) - 1):
            beaters += v[better] > 0 and v[better] + v[12] >= count
            firm += v[better] >= count
    v[OWN_RANK] = rank
    v[OWN_SIZE] = count
    v[OWN_HOW] = 1 if g.t[RANK] == 0 else 2
    v[BEATERS] = 1 + beaters
    v[FIRM] = 1 + firm
    v[HOLDERS] = 1 + holders
    v[SURE] = beaters == 0
    for i in range(THEIR_RANK, TRAITS):
        v[i] = 0
    _after(g, seat, m)


@njit(cache=True)
def undo(g: Game, seat: int, m: Mind, rank: int, count: int, jesters: int) -> None:
    """Takes the cards of `after_play` back into the hand."""
    if rank != JESTER:
        m.v[HELD + rank - 1] += count - jesters
    m.v[HELD + 12] += jesters


@njit(cache=True)
def _after(g: Game, seat: int, m: Mind) -> None:
    """The traits of the cards that are left, from the counts in `v`."""
    v = m.v
    left = v[HELD + 12]
    groups = winners = 0
    for rank in range(1, 13):
        count = v[HELD + rank - 1]
        if count:
            left += count
            groups += 1
        safe = count > 0 and rank <= m.reach[count]
        winners += safe
        if rank > 1:
            v[SAFE + rank - 2] = safe
    v[OWN_LEFT] = min(left, 20)
    v[GROUPS] = groups
    v[WINNERS] = min(winners, 8)
    v[LOSERS] = groups - winners


@njit(cache=True)
def _finish(net: Net, h: Array, deep: Array) -> float:
    """The two last layers, from the sums of the first."""
    deep[:] = net.second_bias
    for j in range(h.size):
        x = h[j]
        if x > 0:
            for k in range(deep.size):
                deep[k] += x * net.second[j, k]
    value = net.last_bias[0]
    for k in range(deep.size):
        if deep[k] > 0:
            value += deep[k] * net.last[k]
    return value


@njit(cache=True)
def _add(net: Net, v: Array, low: int, high: int, h: Array) -> None:
    for i in range(low, high):
        if v[i]:
            row = net.rows[net.starts[i] + v[i]]
            for j in range(h.size):
                h[j] += row[j]


@njit(cache=True)
def choose(net: Net, g: Game, seat: int, m: Mind, moves: Array, n: int, values: Array) -> int:
    """Writes the value of every move of `sensible`; returns the first best one.

    A value is a share of the places that are still to be had, 1 the best of them. A move that
    empties the hand is worth 1, and nothing else is looked at then. `m.best` are the traits after
    the move that is returned, unless it empties the hand.
    """
    left = g.sizes[seat]
    for i in range(n):
        if moves[i, 0] and moves[i, 1] == left:
            values[i] = 1.0
            return i
    others = look(g, seat, m)
    m.common[:] = net.first_bias
    _add(net, m.v, 0, ROLE, m.common)
    best, top = 0, -1e9
    sided = False
    for i in range(n):
        rank, count, jesters = moves[i, 0], moves[i, 1], moves[i, 2]
        if rank:
            after_play(g, seat, m, others, rank, count, jesters)
            if not sided:
                m.side[:] = m.common
                _add(net, m.v, ROLE, HELD, m.side)
                sided = True
            m.h[:] = m.side
            _add(net, m.v, HELD, THEIR_RANK, m.h)
        else:
            after_pass(g, seat, m, others)
            m.h[:] = m.common
            _add(net, m.v, ROLE, TRAITS, m.h)
        values[i] = _finish(net, m.h, m.deep)
        if values[i] > top:
            best, top = i, values[i]
            m.best[:] = m.v
        if rank:
            undo(g, seat, m, rank, count, jesters)
    return best


@njit(cache=True)
def traits_of(g: Game, seat: int, m: Mind, moves: Array, i: int) -> None:
    """`m.best` becomes the traits after the move `i`, which does not empty the hand."""
    others = look(g, seat, m)
    if moves[i, 0]:
        after_play(g, seat, m, others, moves[i, 0], moves[i, 1], moves[i, 2])
    else:
        after_pass(g, seat, m, others)
    m.best[:] = m.v


@njit(cache=True)
def deal_traits(counts: Array, seat: int, seats: int, stage: int, v: Array) -> None:
    """The traits of a hand before the tricks."""
    v[:] = 0
    for rank in range(1, 14):
        v[rank - 1] = counts[rank]
    v[TOP] = seat
    v[BOTTOM] = seats - 1 - seat
    v[TABLE] = seats
    v[STAGE] = stage


@njit(cache=True)
def deal_value(net: Net, v: Array, h: Array, deep: Array) -> float:
    """The share of all places that a hand is worth, by its traits."""
    h[:] = net.first_bias
    for i in range(DEAL_TRAITS):
        row = net.rows[net.starts[i] + v[i]]
        for j in range(h.size):
            h[j] += row[j]
    return _finish(net, h, deep)
