"""Holds the compiled rules, bots and traits to the engine and to the Python bots.

    python -m tools.train.differential --hands 100000 --jobs 2

Hands of random legal moves are played by the compiled rules and played again by `core.hand`: every
list of choices, whose turn it is, sizes, passes and final places must be the same. In one hand of
ten what `greedy` and `careful` choose is compared too, and in one of fifty the traits after every
choice and what the networks make of them. Taxes are compared in a hand of their own.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numba import njit
from tools.train import rules
from tools.train.chance import below, deal, start
from tools.train.export import nets_of
from tools.train.inputs import DEAL_TRAITS, TRAITS, Mind, Net, choose, new_mind, traits_of
from tools.train.play import DECK, give_best, pay_taxes
from tools.train.policies import careful, greedy, smart_return
from tools.train.rules import GONE, LEFT, MOST_MOVES, SEATS, TURN, Array, Game

from dalmuti.client.bots import careful as careful_bot
from dalmuti.client.bots.expert import WEIGHTS, ExpertBot, Sight, sensible
from dalmuti.client.bots.layout import KEPT, TRICKS
from dalmuti.core import moves as core_moves
from dalmuti.core.cards import Play, cards_of
from dalmuti.core.hand import Hand, Phase
from dalmuti.core.moves import PASS, Give, Move
from dalmuti.core.options import TableOptions, options_from
from dalmuti.core.policy import greedy as core_greedy
from dalmuti.core.views import HandView, TrickView

STEPS = 1200
"""More moves than a hand of ten has."""
BOTS_IN, TRAITS_IN = 10, 50


class Difference(AssertionError):
    """The compiled form and the engine disagree; the text says where."""


class Trace(NamedTuple):
    """One hand of the compiled rules: what it offered, and the move that chance picked."""

    offered: Array
    """[step, choice]: (rank, count, jesters)."""
    choices: Array
    """[step]: how many were offered."""
    picks: Array
    states: Array
    """[step]: whose turn it was, then the sizes, then who had passed."""
    bots: Array
    """[step]: what greedy and careful would have chosen."""


def new_trace() -> Trace:
    """Room for one hand."""
    return Trace(
        np.zeros((STEPS, MOST_MOVES, 3), np.int64),
        np.zeros(STEPS, np.int64),
        np.zeros(STEPS, np.int64),
        np.zeros((STEPS, 21), np.int64),
        np.zeros((STEPS, 2), np.int64),
    )


@njit(cache=True)
def record(g: Game, trace: Trace, state: Array) -> int:
    """Plays a hand that has begun to its end by random legal moves; returns the steps."""
    step = 0
    while g.t[LEFT]:
        seat = g.t[TURN]
        moves = trace.offered[step]
        n = rules.legal(g, seat, moves)
        trace.choices[step] = n
        trace.states[step, 0] = seat
        trace.states[step, 1:11] = g.sizes
        trace.states[step, 11:21] = g.passed
        trace.bots[step, 0] = greedy(g, seat, moves, n)
        trace.bots[step, 1] = careful(g, seat, moves, n)
        pick = below(state, n)
        trace.picks[step] = pick
        rules.apply(g, moves[pick, 0], moves[pick, 1], moves[pick, 2])
        step += 1
    return step


@njit(cache=True)
def describe(net: Net, g: Game, m: Mind, moves: Array, values: Array, found: Array) -> int:
    """The sensible moves, their values, and the traits after each that does not end the hand."""
    seat = g.t[TURN]
    n = rules.sensible(g, seat, moves)
    choose(net, g, seat, m, moves, n, values)
    for i in range(n):
        if moves[i, 1] != g.sizes[seat]:
            traits_of(g, seat, m, moves, i)
            found[i] = m.best
    return n


def differ(where: str, compiled: object, engine: object) -> None:
    """Raises Difference unless the two are equal."""
    if compiled != engine:
        raise Difference(f"{where}: compiled {compiled}, engine {engine}")


def move_of(row: Array) -> Move:
    """A compiled move as the engine has it."""
    rank, count, jesters = (int(n) for n in row)
    return Play(rank, count, jesters) if rank else PASS


class Comparison:
    """Plays hands in both forms. `seed` and the number of a hand decide everything in it."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.trace = new_trace()
        self.game = rules.new_game()
        self.state = np.zeros(1, np.uint64)
        self.expert = ExpertBot()
        weights = files("dalmuti.client.bots").joinpath(WEIGHTS).read_bytes()
        self.nets: dict[str, Net] = nets_of(weights)
        net = self.nets["tricks"]
        self.mind = new_mind(net.first_bias.size, net.second_bias.size)
        self.moves = 0
        """How many moves were compared."""

    def hand(self, number: int) -> None:
        """One hand by random moves; raises Difference."""
        g, trace = self.game, self.trace
        start(self.state, self.seed, 0, number)
        seats, locked = 2 + number % 9, number // 9 % 2
        deal(self.state, DECK.copy(), g.counts, seats)
        cards = [cards_of(g.counts[seat].tolist()) for seat in range(seats)]
        rules.begin(g, seats, locked)
        steps = record(g, trace, self.state)
        options = options_from({"revolution": "off", "passing": "locked" if locked else "open"})
        hand = Hand(cards, options, taxes=False)
        hand.begin()
        for step in range(steps):
            where = f"seed {self.seed}, hand {number}, step {step}"
            self._compare_step(where, hand, step, bots=number % BOTS_IN == 0)
            if number % TRAITS_IN == 0:
                self._compare_traits(where, hand, options)
            hand.apply(hand.turn, move_of(trace.offered[step, trace.picks[step]]))
        differ(f"hand {number}: the end", Phase.OVER, hand.phase)
        places = sorted(range(seats), key=lambda seat: -g.points[seat])
        differ(f"hand {number}: the places", places, hand.finished)
        self.moves += steps

    def _compare_step(self, where: str, hand: Hand, step: int, bots: bool) -> None:
        trace, seats = self.trace, hand.seats
        state = trace.states[step].tolist()
        passed = [int(seat in hand.passed) for seat in range(seats)]
        differ(f"{where}: turn", state[0], hand.turn)
        differ(f"{where}: sizes", state[1 : 1 + seats], hand.sizes)
        differ(f"{where}: passes", state[11 : 11 + seats], passed)
        offered = [move_of(row) for row in trace.offered[step, : trace.choices[step]]]
        legal = hand.legal(hand.turn)
        differ(f"{where}: choices", offered, legal)
        if bots:
            cards = hand.cards(hand.turn)
            picks = [legal[n] for n in trace.bots[step]]
            differ(f"{where}: greedy", picks[0], core_greedy(cards, legal))
            leads = hand.top is None
            wanted = core_greedy(cards, legal) if leads else careful_bot.follow(cards, legal)
            differ(f"{where}: careful", picks[1], wanted)

    def _compare_traits(self, where: str, hand: Hand, options: TableOptions) -> None:
        """The expert's traits and values, in the position that the engine is in."""
        g = rules.new_game()
        load(g, hand, options)
        moves = np.zeros((MOST_MOVES, 3), np.int64)
        values = np.zeros(MOST_MOVES, np.float32)
        found = np.zeros((MOST_MOVES, TRAITS), np.int64)
        n = describe(self.nets["tricks"], g, self.mind, moves, values, found)
        view = view_of(hand)
        counts = hand.counts[hand.turn]
        mine = sensible(counts, hand.legal(hand.turn))
        differ(f"{where}: sensible", [move_of(row) for row in moves[:n]], mine)
        ends = any(isinstance(move, Play) and move.count == sum(counts) for move in mine)
        if ends or n == 1:
            return
        sight = Sight(view, options)
        for i, (move, value) in enumerate(self.expert.values(sight, mine)):
            dense = [0] * TRAITS
            parts = (
                sight.roles_playing() + sight.after_play(move)
                if isinstance(move, Play)
                else sight.after_pass()
            )
            for place, number in sight.always() + parts:
                dense[place] = number
            names = [trait.name for trait in TRICKS]
            compiled = dict(zip(names, found[i].tolist(), strict=True))
            differ(f"{where}: traits of {move}", compiled, dict(zip(names, dense, strict=True)))
            share = value / self.expert.tricks.scale
            if abs(share - values[i]) > 0.01:
                differ(f"{where}: value of {move}", values[i], share)

    def taxes(self, number: int) -> None:
        """One exchange of taxes, with what `careful` and the expert give back."""
        g = self.game
        start(self.state, self.seed, 1, number)
        seats = 2 + number % 9
        deal(self.state, DECK.copy(), g.counts, seats)
        hand = Hand(
            [cards_of(g.counts[seat].tolist()) for seat in range(seats)],
            options_from({"revolution": "off"}),
        )
        hand.begin()
        gives = np.zeros((2, 2), np.int64)
        v, net = np.zeros(DEAL_TRAITS, np.int64), self.nets["deal"]
        h, deep = np.zeros_like(net.first_bias), np.zeros_like(net.second_bias)
        for seat in hand.to_act:
            due, counts = 2 - seat, hand.counts[seat]
            legal = core_moves.legal_gives(counts, due)
            smart_return(g.counts[seat], due, gives[seat])
            wanted = careful_bot.give_back(counts, legal)
            found = Give(tuple(int(rank) for rank in gives[seat, :due]))
            differ(f"taxes {number}: careful's return of seat {seat}", found, wanted)
            give_best(net, g.counts[seat], due, seat, seats, gives[seat], v, h, deep)
            best = Give(tuple(int(rank) for rank in gives[seat, :due]))
            kept = [list(counts), list(counts)]
            for left, give in zip(kept, (best, found), strict=True):
                for rank in give.cards:
                    left[rank] -= 1
            worth = [self.expert.worth(left, seat, seats, KEPT) for left in kept]
            if worth[0] < worth[1] - self.expert.deal.scale // 100:
                differ(f"taxes {number}: the expert's return of seat {seat}", best, found)
            gives[seat, :due] = found.cards
        for seat in hand.to_act:
            hand.apply(seat, Give(tuple(int(rank) for rank in gives[seat, : 2 - seat])))
        pay_taxes(g.counts, seats, gives)
        differ(f"taxes {number}", g.counts[:seats].tolist(), hand.counts)


def view_of(hand: Hand) -> HandView:
    """What the player whose turn it is sees, as far as tricks go."""
    return HandView(
        number=1,
        order=tuple(range(1, hand.seats + 1)),
        sizes=tuple(hand.sizes),
        seat=hand.turn,
        cards=hand.cards(hand.turn),
        trick=TrickView(hand.top, hand.owner, tuple(sorted(hand.passed)), tuple(hand.acts)),
        played=hand.played(),
    )


def load(g: rules.Game, hand: Hand, options: TableOptions) -> None:
    """Copies a position of the engine into a compiled game."""
    g.counts[: hand.seats] = hand.counts
    rules.begin(g, hand.seats, int(options.passing == "locked"))
    g.t[TURN] = hand.turn
    if hand.top is not None:
        g.t[rules.RANK], g.t[rules.COUNT], g.t[rules.OWNER] = (
            hand.top.rank,
            hand.top.count,
            hand.owner,
        )
    g.t[GONE] = len(hand.finished)
    g.t[LEFT] = g.t[SEATS] - g.t[GONE]
    for seat in hand.passed:
        g.passed[seat] = 1
    for act in hand.acts:
        g.acts[act.seat] = 1 if act.play is None else 2


def compare(seed: int, first: int, last: int) -> int:
    """Compares the hands from `first` to `last` - 1; returns the number of moves."""
    made = Comparison(seed)
    for number in range(first, last):
        made.hand(number)
        if number % BOTS_IN == 0:
            made.taxes(number)
    return made.moves


def main() -> int:
    """The command."""
    given = argparse.ArgumentParser(prog="python -m tools.train.differential")
    given.add_argument("--hands", type=int, default=100_000)
    given.add_argument("--seed", type=int, default=1)
    given.add_argument("--jobs", type=int, default=1)
    wishes = given.parse_args()
    bounds = [*range(0, wishes.hands, 1000), wishes.hands]
    done = moves = 0
    with ProcessPoolExecutor(wishes.jobs) as pool:
        parts = pool.map(compare, [wishes.seed] * (len(bounds) - 1), bounds[:-1], bounds[1:])
        try:
            for part, size in zip(parts, np.diff(bounds), strict=True):
                done, moves = done + int(size), moves + part
                print(f"{done} hands, {moves} moves: no difference", end="\r", flush=True)
        except Difference as error:
            pool.shutdown(cancel_futures=True)
            print(f"\nA difference: {error}")
            return 1
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
