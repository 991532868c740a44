"""The house bots that do not learn, compiled: random, greedy and careful.

They choose among moves of `rules.legal`; `differential` holds them to the Python bots.
"""

from __future__ import annotations

from numba import njit
from tools.train.chance import below
from tools.train.rules import Array, Game

RANDOM, GREEDY, CAREFUL, NET = range(4)


@njit(cache=True)
def greedy(g: Game, seat: int, moves: Array, n: int) -> int:
    """`core.policy.greedy`."""
    left = g.sizes[seat]
    for i in range(n):
        if moves[i, 0] and moves[i, 1] == left:
            return i
    leads = moves[n - 1, 0] != 0
    best, cost = n - 1, 1 << 30
    for i in range(n):
        rank, count, jesters = moves[i, 0], moves[i, 1], moves[i, 2]
        if rank == 0:
            continue
        if leads:
            price = (jesters > 0) * 10000 + (13 - rank) * 100 - count
        else:
            price = jesters * 100 + 13 - rank
        if price < cost:
            best, cost = i, price
    return best


@njit(cache=True)
def careful(g: Game, seat: int, moves: Array, n: int) -> int:
    """`client.bots.careful`: its leads are greedy's."""
    if moves[n - 1, 0] != 0:
        return greedy(g, seat, moves, n)
    left = g.sizes[seat]
    best, cost = n - 1, 1 << 30
    for i in range(n - 1):
        rank, count, jesters = moves[i, 0], moves[i, 1], moves[i, 2]
        price = 1 << 30
        if count == left:
            price = -1000
        elif jesters:
            if left <= 8:
                price = (2 + jesters) * 100 - rank
        elif g.counts[seat, rank] == count:
            if rank > 2 or left <= 5:
                price = 100 - rank
        elif rank >= 8 or left <= 5:
            price = 200 - rank
        if price < cost:
            best, cost = i, price
    return best


@njit(cache=True)
def simple(kind: int, g: Game, seat: int, moves: Array, n: int, state: Array) -> int:
    """The index of the move that one of the three makes."""
    if kind == RANDOM:
        return int(below(state, n))
    if kind == GREEDY:
        return greedy(g, seat, moves, n)
    return careful(g, seat, moves, n)


@njit(cache=True)
def smart_return(counts: Array, due: int, out: Array) -> None:
    """`careful.give_back`: writes the ranks given to `out`, sorted, for due 1 or 2."""
    best = 1 << 30
    # Highest numbers first and Jesters last, as `moves.legal_gives`; ties go to the first.
    for i in range(13):
        a = 12 - i if i < 12 else 13
        if not counts[a]:
            continue
        for j in range(i, 13) if due == 2 else range(i, i + 1):
            b = 12 - j if j < 12 else 13
            if due == 2 and counts[b] < (2 if a == b else 1):
                continue
            good = gone = total = 0
            for rank in (a, b) if due == 2 else (a, 0):
                if rank:
                    good += not 5 <= rank <= 12
                    total += rank if rank != 13 else 0
            if a == b or due == 1:
                gone += 5 <= a <= 12 and counts[a] == due
            else:
                gone += 5 <= a <= 12 and counts[a] == 1
                gone += 5 <= b <= 12 and counts[b] == 1
            price = good * 10000 - gone * 100 - total
            if price < best:
                best = price
                out[0], out[1] = min(a, b), max(a, b)
