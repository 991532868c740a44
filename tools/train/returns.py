"""What the choice of what a Dalmuti gives back is worth, by playing each deal in two ways.

    python -m tools.train.returns expert-v1.weights

Each deal is played twice by the expert in every seat, and only what one Dalmuti gives back differs.
The luck of the deal is in both hands, so that a few thousand deals tell two rules apart.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numba import njit, prange
from tools.train.chance import deal, start
from tools.train.evaluate import Score, score, tricks
from tools.train.export import nets_of
from tools.train.inputs import DEAL_TRAITS, Net, new_mind
from tools.train.play import DECK, give_best, pay_taxes
from tools.train.policies import NET, smart_return
from tools.train.rules import MOST_MOVES, Array, begin, new_game

WORST, CAREFUL, LEARNED = range(3)
"""The highest numbers, as `greedy` does; `careful`'s rule; the second network's choice."""
STREAM = 0x6172


@njit(cache=True)
def give(
    way: int,
    net: Net,
    counts: Array,
    due: int,
    seat: int,
    seats: int,
    out: Array,
    v: Array,
    h: Array,
    deep: Array,
) -> None:
    """Writes the ranks that are given back to `out`."""
    if way == WORST:
        rank = 12
        for k in range(due):
            while not counts[rank] - (k == 1 and out[0] == rank):
                rank = rank - 1 if rank > 1 else 13
            out[k] = rank
    elif way == CAREFUL:
        smart_return(counts, due, out)
    else:
        give_best(net, counts, due, seat, seats, out, v, h, deep)


@njit(cache=True, parallel=True)
def both_ways(
    trick_net: Net,
    net: Net,
    threads: int,
    seed: int,
    deals: int,
    seats: int,
    receiver: int,
    one: int,
    two: int,
    differences: Array,
) -> None:
    """Writes by how many points `receiver` does better with the return `one` than with `two`."""
    for thread in prange(threads):
        g = new_game()
        m = new_mind(trick_net.first_bias.size, trick_net.second_bias.size)
        moves = np.zeros((MOST_MOVES, 3), np.int64)
        values = np.zeros(MOST_MOVES, np.float32)
        state = np.zeros(1, np.uint64)
        kinds = np.full(10, NET)
        counts = np.zeros((10, 14), np.int64)
        gives = np.zeros((2, 2), np.int64)
        v = np.zeros(DEAL_TRAITS, np.int64)
        h = np.zeros(net.first_bias.size, np.float32)
        deep = np.zeros(net.second_bias.size, np.float32)
        for number in range(thread, deals, threads):
            start(state, seed, STREAM + seats, number)
            deck = DECK.copy()
            deal(state, deck, counts, seats)
            other = 1 - receiver
            if seats >= 4:
                give(CAREFUL, net, counts[other], 2 - other, other, seats, gives[other], v, h, deep)
            for side in range(2):
                way = one if side == 0 else two
                out = gives[receiver]
                give(way, net, counts[receiver], 2 - receiver, receiver, seats, out, v, h, deep)
                g.counts[:] = counts
                pay_taxes(g.counts, seats, gives)
                begin(g, seats, 0)
                tricks(trick_net, trick_net, g, m, moves, values, state, kinds)
                differences[number] += g.points[receiver] if side == 0 else -g.points[receiver]


def compare(
    trick_net: Net, net: Net, seats: int, receiver: int, one: int, two: int, deals: int
) -> Score:
    """By how many points a hand the return `one` is better than `two`; receiver 0 is the GD."""
    found = np.zeros(deals)
    both_ways(trick_net, net, 2, 1, deals, seats, receiver, one, two, found)
    return score(found)


def main() -> int:
    """The command."""
    nets = nets_of(Path(sys.argv[1]).read_bytes())
    for seats in (4, 6, 8):
        for receiver, title in enumerate(("Greater Dalmuti", "Lesser Dalmuti")):
            for one, name in ((CAREFUL, "careful"), (LEARNED, "expert")):
                found = compare(nets["tricks"], nets["deal"], seats, receiver, one, WORST, 20_000)
                print(f"{seats} seats, {title}: {name} {found} above the worst cards", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
