"""How strong a network is: the trick-play trial of docs/bots.md, and sessions with taxes, compiled.

    python -m tools.train.evaluate expert-v1.weights --deals 3000

These figures steer the training; the ones to publish come from `dalmuti arena`, which plays the
bots themselves. Points are those above par, par being half of the places below the first.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit, prange
from tools.train.chance import deal, start
from tools.train.inputs import DEAL_TRAITS, Mind, Net, choose, new_mind
from tools.train.play import DECK, give_best, pay_taxes
from tools.train.policies import CAREFUL, GREEDY, NET, RANDOM, simple, smart_return
from tools.train.rules import (
    LEFT,
    MOST_MOVES,
    TURN,
    Array,
    Game,
    apply,
    begin,
    legal,
    new_game,
    sensible,
)

TRIAL_STREAM = 0x7121A1


class Score(NamedTuple):
    """Points per hand above par, and the standard error over deals (or sessions)."""

    mean: float
    error: float

    def __str__(self) -> str:
        return f"{self.mean:+.3f}±{self.error:.3f}"


@njit(cache=True)
def tricks(
    net: Net, other: Net, g: Game, m: Mind, moves: Array, values: Array, state: Array, kinds: Array
) -> None:
    """Plays the trick phase to its end; kind NET plays `net`, NET + 1 plays `other`."""
    while g.t[LEFT]:
        seat = g.t[TURN]
        if kinds[seat] < NET:
            n = legal(g, seat, moves)
            pick = simple(kinds[seat], g, seat, moves, n, state)
        else:
            n = sensible(g, seat, moves)
            pick = 0
            if n > 1 and kinds[seat] == NET:
                pick = choose(net, g, seat, m, moves, n, values)
            elif n > 1:
                pick = choose(other, g, seat, m, moves, n, values)
        apply(g, moves[pick, 0], moves[pick, 1], moves[pick, 2])


@njit(cache=True, parallel=True)
def trial(
    net: Net,
    other: Net,
    threads: int,
    seed: int,
    deals: int,
    seats: int,
    candidate: int,
    field: int,
    locked: int,
) -> Array:
    """[deal]: the candidate's mean points above par, over all its seats among the field."""
    means = np.zeros(deals)
    for thread in prange(threads):
        g, m = new_game(), new_mind(net.first_bias.size, net.second_bias.size)
        moves = np.zeros((MOST_MOVES, 3), np.int64)
        values = np.zeros(MOST_MOVES, np.float32)
        state = np.zeros(1, np.uint64)
        kinds = np.zeros(10, np.int64)
        counts = np.zeros((10, 14), np.int64)
        for number in range(thread, deals, threads):
            start(state, seed, TRIAL_STREAM + seats, number)
            deck = DECK.copy()
            deal(state, deck, counts, seats)
            for seat in range(seats):
                kinds[:] = field
                kinds[seat] = candidate
                g.counts[:] = counts
                begin(g, seats, locked)
                tricks(net, other, g, m, moves, values, state, kinds)
                means[number] += g.points[seat] - (seats - 1) / 2
    return means / seats


@njit(cache=True, parallel=True)
def sessions(
    net: Net,
    deal_net: Net,
    threads: int,
    seed: int,
    matches: int,
    hands: int,
    seats: int,
    candidate: int,
    field: int,
    taxed: bool,
    learned: bool,
) -> Array:
    """[match]: the candidate's mean points above par over `hands` hands with kept titles."""
    means = np.zeros(matches)
    for thread in prange(threads):
        g, m = new_game(), new_mind(net.first_bias.size, net.second_bias.size)
        h = np.zeros(deal_net.first_bias.size, np.float32)
        deep = np.zeros(deal_net.second_bias.size, np.float32)
        moves = np.zeros((MOST_MOVES, 3), np.int64)
        values = np.zeros(MOST_MOVES, np.float32)
        state = np.zeros(1, np.uint64)
        v = np.zeros(DEAL_TRAITS, np.int64)
        gives = np.zeros((2, 2), np.int64)
        kinds = np.zeros(10, np.int64)
        after = np.zeros(10, np.int64)
        for match in range(thread, matches, threads):
            start(state, seed, TRIAL_STREAM + 100 + seats, match)
            deck = DECK.copy()
            kinds[:] = field
            kinds[match % seats] = candidate
            for _ in range(hands):
                deal(state, deck, g.counts, seats)
                if taxed:
                    for seat in range(2 if seats >= 4 else 1):
                        counts, due = g.counts[seat], 2 - seat
                        if kinds[seat] >= NET and learned:
                            give_best(deal_net, counts, due, seat, seats, gives[seat], v, h, deep)
                        elif kinds[seat] == GREEDY:
                            rank = 12
                            for k in range(due):
                                while not counts[rank] - (k == 1 and gives[seat, 0] == rank):
                                    rank = rank - 1 if rank > 1 else 13
                                gives[seat, k] = rank
                        else:
                            smart_return(counts, due, gives[seat])
                    pay_taxes(g.counts, seats, gives)
                begin(g, seats, 0)
                tricks(net, net, g, m, moves, values, state, kinds)
                for seat in range(seats):
                    if kinds[seat] == candidate:
                        means[match] += (g.points[seat] - (seats - 1) / 2) / hands
                    after[seats - 1 - g.points[seat]] = kinds[seat]
                kinds[:] = after
    return means


def score(means: Array) -> Score:
    """The mean with its standard error."""
    return Score(float(means.mean()), float(means.std(ddof=1) / np.sqrt(len(means))))


def strength(
    net: Net,
    seats: int,
    candidate: int,
    field: int,
    *,
    deals: int,
    seed: int = 1,
    threads: int = 1,
    locked: int = 0,
    other: Net | None = None,
) -> Score:
    """The trial of a candidate against a table of one field."""
    against = net if other is None else other
    return score(trial(net, against, threads, seed, deals, seats, candidate, field, locked))


def main() -> int:
    """The command."""
    from tools.train.export import nets_of  # which needs this module

    made = argparse.ArgumentParser(prog="python -m tools.train.evaluate")
    made.add_argument("weights", type=Path)
    made.add_argument("--deals", type=int, default=3000)
    made.add_argument("--seed", type=int, default=9)
    given = made.parse_args()
    nets = nets_of(given.weights.read_bytes())
    net, deals, seed = nets["tricks"], given.deals, given.seed
    names = {RANDOM: "random", GREEDY: "greedy", CAREFUL: "careful", NET: "expert"}
    pairs = [(NET, GREEDY), (NET, CAREFUL), (NET, RANDOM), (CAREFUL, GREEDY), (GREEDY, RANDOM)]
    pairs += [(CAREFUL, NET), (GREEDY, NET)]
    for one, field in pairs:
        every = range(2, 11) if one == NET and field != RANDOM else (4, 6, 8)
        found = [
            f"{n}: {strength(net, n, one, field, deals=deals, seed=seed, threads=2)}" for n in every
        ]
        print(f"{names[one]} against {names[field]}, by seats: {', '.join(found)}", flush=True)
    for seats in (4, 6, 8):
        for field in (GREEDY, CAREFUL):
            means = sessions(
                net, nets["deal"], 2, seed, deals // 10, 100, seats, NET, field, True, True
            )
            print(f"expert with taxes against {names[field]}, {seats} seats: {score(means)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
