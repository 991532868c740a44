"""The trick phase (rules.md P1 to P7) in a form that numba compiles: arrays of numbers.

A second form of the rules is worth its keep only while it cannot differ from the first one:
`differential` plays whole hands in both and compares every list of choices and every state.
A move is (rank, count, jesters); rank 0 is a pass.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]

SEATS, RANK, COUNT, OWNER, TURN, GONE, LOCKED, LEFT = range(8)
"""Entries of `Game.t`. RANK is 0 while there is no set to beat; GONE counts who went out; LEFT is
how many still play, 0 when the hand is over."""
JESTER = 13
MOST_MOVES = 160
"""More than the leads of a hand of forty cards."""


class Game(NamedTuple):
    """One hand in its trick phase."""

    counts: Array
    """[seat, rank]: the cards that are held."""
    sizes: Array
    """[seat]: how many."""
    passed: Array
    """[seat]: 1 for who has passed since the last set (or, if passing is locked, in this trick)."""
    acts: Array
    """[seat]: what a player did last in this trick: 0 nothing yet, 1 he passed, 2 he played."""
    points: Array
    """[seat]: how many players went out later; final when the hand is over."""
    total: Array
    """[rank]: the cards that are still held by anybody."""
    t: Array
    """The rest, by the names above."""


@njit(cache=True)
def new_game() -> Game:
    """Room for a hand of up to ten."""
    return Game(
        np.zeros((10, 14), np.int64),
        np.zeros(10, np.int64),
        np.zeros(10, np.int64),
        np.zeros(10, np.int64),
        np.zeros(10, np.int64),
        np.zeros(14, np.int64),
        np.zeros(8, np.int64),
    )


@njit(cache=True)
def begin(g: Game, seats: int, locked: int) -> None:
    """Seat 0 leads; `g.counts` are dealt already."""
    g.t[:] = 0
    g.t[SEATS] = seats
    g.t[LEFT] = seats
    g.t[OWNER] = -1
    g.t[LOCKED] = locked
    g.passed[:] = 0
    g.acts[:] = 0
    g.points[:] = 0
    g.sizes[:] = 0
    g.total[:] = 0
    for seat in range(seats):
        for rank in range(1, 14):
            g.sizes[seat] += g.counts[seat, rank]
            g.total[rank] += g.counts[seat, rank]


@njit(cache=True)
def legal(g: Game, seat: int, moves: Array) -> int:
    """Writes every legal move in the order of `Hand.legal`; returns how many there are."""
    n = 0
    held = g.counts[seat, JESTER]
    top, size = g.t[RANK], g.t[COUNT]
    if top == 0:
        for count in range(1, held + 1):
            n = _add(moves, n, JESTER, count, count)
        for rank in range(12, 0, -1):
            if g.counts[seat, rank]:
                for jesters in range(held + 1):
                    for naturals in range(1, g.counts[seat, rank] + 1):
                        n = _add(moves, n, rank, naturals + jesters, jesters)
        return n
    for rank in range(min(top - 1, 12), 0, -1):
        naturals = g.counts[seat, rank]
        if naturals and naturals + held >= size:
            for jesters in range(max(0, size - naturals), min(held, size - 1) + 1):
                n = _add(moves, n, rank, size, jesters)
    return _add(moves, n, 0, 0, 0)


@njit(cache=True)
def sensible(g: Game, seat: int, moves: Array) -> int:
    """The legal moves without those that spend Jesters for nothing, in the same order.

    Jesters join a group only when all of it is played, and only as many as are needed to follow.
    """
    n = 0
    held = g.counts[seat, JESTER]
    top, size = g.t[RANK], g.t[COUNT]
    if top == 0:
        for count in range(1, held + 1):
            n = _add(moves, n, JESTER, count, count)
        for rank in range(12, 0, -1):
            naturals = g.counts[seat, rank]
            for count in range(1, naturals + 1):
                n = _add(moves, n, rank, count, 0)
            if naturals:
                for jesters in range(1, held + 1):
                    n = _add(moves, n, rank, naturals + jesters, jesters)
        return n
    for rank in range(min(top - 1, 12), 0, -1):
        naturals = g.counts[seat, rank]
        if naturals and naturals + held >= size:
            n = _add(moves, n, rank, size, max(0, size - naturals))
    return _add(moves, n, 0, 0, 0)


@njit(cache=True)
def _add(moves: Array, n: int, rank: int, count: int, jesters: int) -> int:
    moves[n, 0] = rank
    moves[n, 1] = count
    moves[n, 2] = jesters
    return n + 1


@njit(cache=True)
def apply(g: Game, rank: int, count: int, jesters: int) -> None:
    """Makes a move of the player whose turn it is; the move is not checked."""
    seat = g.t[TURN]
    if rank == 0:
        g.passed[seat] = 1
        g.acts[seat] = 1
        _next(g)
        return
    g.counts[seat, JESTER] -= jesters
    g.total[JESTER] -= jesters
    if rank != JESTER:
        g.counts[seat, rank] -= count - jesters
        g.total[rank] -= count - jesters
    g.sizes[seat] -= count
    g.t[RANK] = rank
    g.t[COUNT] = count
    g.t[OWNER] = seat
    g.acts[seat] = 2
    if not g.t[LOCKED]:
        g.passed[:] = 0
    if g.sizes[seat] == 0:
        g.t[GONE] += 1
        g.t[LEFT] -= 1
        g.points[seat] = g.t[SEATS] - g.t[GONE]
        if g.t[LEFT] == 1:
            g.t[LEFT] = 0
            return
    _next(g)


@njit(cache=True)
def _next(g: Game) -> None:
    """P2 to P5: whose turn it is, or who leads the next trick."""
    seats, owner = g.t[SEATS], g.t[OWNER]
    seat = g.t[TURN]
    for _ in range(seats):
        seat += 1
        if seat == seats:
            seat = 0
        if g.sizes[seat] and seat != owner and not g.passed[seat]:
            g.t[TURN] = seat
            return
    while not g.sizes[owner]:
        owner = (owner + 1) % seats
    g.t[RANK] = 0
    g.t[COUNT] = 0
    g.t[OWNER] = -1
    g.passed[:] = 0
    g.acts[:] = 0
    g.t[TURN] = owner
