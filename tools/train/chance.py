"""Chance for compiled code: splitmix64, whose whole state is one number.

Every hand has a stream of its own, made from the seed, the round and the number of the hand, so
that it does not matter which thread plays it.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from tools.train.rules import Array

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
A, B = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
S30, S27, S31, S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)


@njit(cache=True)
def draw(state: Array) -> np.uint64:
    """The next 64 bits of a stream; `state` is an array of one uint64."""
    state[0] += GOLDEN
    z = state[0]
    z = (z ^ (z >> S30)) * A
    z = (z ^ (z >> S27)) * B
    return z ^ (z >> S31)


@njit(cache=True)
def start(state: Array, seed: int, major: int, minor: int) -> None:
    """Begins the stream of the hand `minor` of the round `major`."""
    state[0] = np.uint64(seed)
    state[0] = draw(state) + np.uint64(major)
    state[0] = draw(state) + np.uint64(minor)
    draw(state)


@njit(cache=True)
def below(state: Array, bound: int) -> np.int64:
    """A whole number from 0 to bound - 1."""
    return np.int64((draw(state) >> S11) % np.uint64(bound))


@njit(cache=True)
def share(state: Array) -> float:
    """A number from 0 to 1, without 1."""
    return np.float64(draw(state) >> S11) / 9007199254740992.0


@njit(cache=True)
def deal(state: Array, deck: Array, counts: Array, seats: int) -> None:
    """Shuffles `deck` and deals it one at a time from seat 0 (rules.md D2)."""
    for last in range(79, 0, -1):
        pick = below(state, last + 1)
        deck[last], deck[pick] = deck[pick], deck[last]
    counts[:] = 0
    for n in range(80):
        counts[n % seats, deck[n]] += 1
