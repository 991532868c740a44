"""Hands of self-play: deals, taxes, tricks, and what is learned from them.

A hand is played by the network alone, or by the network in some seats and a simpler house bot in
the others, since those are whom it will meet. Every decision of the network in which there was a
choice is one sample: the traits after the choice, and what came of it.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange
from tools.train.chance import below, deal, share, start
from tools.train.inputs import (
    DEAL_TRAITS,
    TRAITS,
    Mind,
    Net,
    choose,
    deal_traits,
    deal_value,
    new_mind,
    traits_of,
)
from tools.train.policies import CAREFUL, GREEDY, NET, simple, smart_return
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

from dalmuti.client.bots.layout import KEPT, NO_TAXES, TAXES

MOST_SAMPLES = 260
"""A hand has fewer decisions of the network than this; further ones would not be learned from."""
DECK = np.array([r for r in range(1, 13) for _ in range(r)] + [13, 13], np.int64)

SIZES = np.array([2, 3, 4, 5, 6, 7, 8, 9, 10], np.int64)
SIZE_SHARES = np.array([0.02, 0.04, 0.25, 0.10, 0.23, 0.08, 0.22, 0.03, 0.03])
"""How often the network plays at tables of each size."""
TAXED, LOCKED_SHARE = 0.5, 0.1


@njit(cache=True)
def give_best(
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
    """The return after which what is kept is worth most; ties go to the first in the order of
    `moves.legal_gives`: the highest numbers first, Jesters last."""
    best = -1e9
    for i in range(13):
        a = 12 - i if i < 12 else 13
        if not counts[a]:
            continue
        counts[a] -= 1
        for j in range(i, 13) if due == 2 else range(i, i + 1):
            b = 12 - j if j < 12 else 13
            if due == 2:
                if not counts[b]:
                    continue
                counts[b] -= 1
            deal_traits(counts, seat, seats, KEPT, v)
            value = deal_value(net, v, h, deep)
            if due == 2:
                counts[b] += 1
            if value > best:
                best = value
                out[0], out[1] = a, b
        counts[a] += 1


@njit(cache=True)
def give_any(counts: Array, due: int, out: Array, state: Array) -> None:
    """Any cards, each as likely as the other."""
    size = counts.sum()
    for k in range(due):
        n = below(state, size - k)
        for rank in range(1, 14):
            have = counts[rank] - (k == 1 and out[0] == rank)
            if n < have:
                out[k] = rank
                break
            n -= have


@njit(cache=True)
def pay_taxes(counts: Array, seats: int, gives: Array) -> None:
    """All exchanges at once: the Peons' best cards for the ranks in `gives` (T1 to T3)."""
    for receiver in range(2 if seats >= 4 else 1):
        payer, due = seats - 1 - receiver, 2 - receiver
        for _ in range(due):
            rank = 1
            while not counts[payer, rank]:
                rank += 1
            counts[payer, rank] -= 1
            counts[receiver, rank] += 1
        for k in range(due):
            counts[receiver, gives[receiver, k]] -= 1
            counts[payer, gives[receiver, k]] += 1


@njit(cache=True)
def play_hand(
    trick_net: Net,
    deal_net: Net,
    g: Game,
    m: Mind,
    moves: Array,
    values: Array,
    state: Array,
    kinds: Array,
    noise: float,
    slot: Array,
    targets: Array,
    deal_slot: Array,
    deal_targets: Array,
    learned_gives: bool,
    deck: Array,
    taxed: bool,
    locked: int,
    seats: int,
) -> tuple[int, int]:
    """Plays one hand; `g.counts` are dealt. Returns how many samples of either kind it wrote."""
    due_v = np.zeros(DEAL_TRAITS, np.int64)
    h = np.zeros(deal_net.first_bias.size, np.float32)
    deep = np.zeros(deal_net.second_bias.size, np.float32)
    n_deal = 0
    who_deal = np.zeros(24, np.int64)
    for seat in range(seats):
        if kinds[seat] == NET:
            deal_traits(g.counts[seat], seat, seats, TAXES if taxed else NO_TAXES, due_v)
            deal_slot[n_deal] = due_v
            who_deal[n_deal] = seat
            n_deal += 1
    if taxed:
        gives = np.zeros((2, 2), np.int64)
        for seat in range(2 if seats >= 4 else 1):
            due = 2 - seat
            if kinds[seat] == NET and share(state) < 2 * noise:
                give_any(g.counts[seat], due, gives[seat], state)
            elif kinds[seat] == NET and learned_gives:
                give_best(deal_net, g.counts[seat], due, seat, seats, gives[seat], due_v, h, deep)
            else:
                smart_return(g.counts[seat], due, gives[seat])
            if kinds[seat] == NET:
                kept = g.counts[seat].copy()
                for k in range(due):
                    kept[gives[seat, k]] -= 1
                deal_traits(kept, seat, seats, KEPT, due_v)
                deal_slot[n_deal] = due_v
                who_deal[n_deal] = seat
                n_deal += 1
        pay_taxes(g.counts, seats, gives)
    begin(g, seats, locked)
    n_trick = 0
    who = np.zeros(MOST_SAMPLES, np.int64)
    left = np.zeros(MOST_SAMPLES, np.int64)
    while g.t[LEFT]:
        seat = g.t[TURN]
        if kinds[seat] != NET:
            n = legal(g, seat, moves)
            pick = simple(kinds[seat], g, seat, moves, n, state)
        else:
            n = sensible(g, seat, moves)
            pick = 0
            if n > 1:
                pick = choose(trick_net, g, seat, m, moves, n, values)
                if moves[pick, 0] == 0 or moves[pick, 1] != g.sizes[seat]:
                    if share(state) < noise:
                        pick = int(below(state, n))
                        traits_of(g, seat, m, moves, pick)
                    if n_trick < MOST_SAMPLES:
                        for i in range(TRAITS):
                            slot[n_trick, i] = m.best[i]
                        who[n_trick] = seat
                        left[n_trick] = g.t[LEFT]
                        n_trick += 1
        apply(g, moves[pick, 0], moves[pick, 1], moves[pick, 2])
    for i in range(n_trick):
        targets[i] = g.points[who[i]] / (left[i] - 1.0)
    for i in range(n_deal):
        deal_targets[i] = g.points[who_deal[i]] / (seats - 1.0)
    return n_trick, n_deal


@njit(cache=True, parallel=True)
def self_play(
    trick_net: Net,
    deal_net: Net,
    threads: int,
    seed: int,
    major: int,
    hands: int,
    noise: float,
    pure: float,
    learned_gives: bool,
    slots: Array,
    targets: Array,
    deal_slots: Array,
    deal_targets: Array,
    found: Array,
) -> None:
    """Plays `hands` hands of one round; the samples of hand n are in the slots n."""
    for thread in prange(threads):
        g = new_game()
        m = new_mind(trick_net.first_bias.size, trick_net.second_bias.size)
        moves = np.zeros((MOST_MOVES, 3), np.int64)
        values = np.zeros(MOST_MOVES, np.float32)
        state = np.zeros(1, np.uint64)
        kinds = np.zeros(10, np.int64)
        for hand in range(thread, hands, threads):
            start(state, seed, major, hand)
            deck = DECK.copy()
            luck, size = share(state), 0
            while size < 8 and luck >= SIZE_SHARES[size]:
                luck -= SIZE_SHARES[size]
                size += 1
            seats = SIZES[size]
            taxed = share(state) < TAXED
            locked = share(state) < LOCKED_SHARE
            kinds[:] = NET
            if share(state) >= pure:
                field = GREEDY if share(state) < 0.35 else CAREFUL
                one, others = below(state, seats), 0.0 if share(state) < 0.6 else 0.5
                for seat in range(seats):
                    if seat != one and share(state) >= others:
                        kinds[seat] = field
            deal(state, deck, g.counts, seats)
            a, b = play_hand(
                trick_net,
                deal_net,
                g,
                m,
                moves,
                values,
                state,
                kinds,
                noise,
                slots[hand],
                targets[hand],
                deal_slots[hand],
                deal_targets[hand],
                learned_gives,
                deck,
                taxed,
                locked,
                seats,
            )
            found[hand, 0] = a
            found[hand, 1] = b
