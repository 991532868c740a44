"""Moves and hands per second: the rules engine, the bots' simulator, the arena, and their peers.

    python bench/engine.py [--seats 4,6,8] [--rounds 7] [--seconds 0.25] [--json]

`engine` is `core.match` as a server uses it: it asks for the legal moves, picks one of them by
chance, and applies it, which checks it and makes the events; whole hands with revolution window
and taxes. `simulator` is `core.simulator` from the deal to the last card, by chance too.
`engine_greedy` and `simulator_greedy` are the same with greedy players, and `arena` is the arena
over core with two of them.

The peers play Dou Dizhu, which has three players: `rlcard` is the core of RLCard without its
environment. `openspiel_python` is OpenSpiel driven from Python, the deal drawn as OpenSpiel says,
by the probabilities of its outcomes; `openspiel_python_lean` knows that all are alike and draws it
at half the cost; `openspiel_cpp` is played in C++ from deal to end, by the bots that it brings
along. `pip install dalmuti[bench]` installs both; a peer that is not there is null, and named.

All is measured in turn in one process, many times over, by the time of the processor: the rates
are medians, and a ratio is the median of the ratios of the rounds, so that a busy machine slows
both its sides. Of several table sizes the least ratio counts. Moves of the game are counted, forced
passes among them, and no steps of the deal.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from statistics import median
from typing import Any, NamedTuple

from dalmuti.core.cards import DECK
from dalmuti.core.match import Match
from dalmuti.core.options import MAX_SEATS, MIN_SEATS, TableOptions
from dalmuti.core.policy import greedy
from dalmuti.core.simulator import Position

Play = Callable[[], int]
"""Plays a hand and returns how many moves it had."""
SEED = 1
STREAM = 128
"""So many hands of the simulator are known beforehand, and played again and again."""
PEER_SEATS = 3
RATIOS = {
    "engine_over_rlcard": ("engine", "rlcard"),
    "engine_over_openspiel_python": ("engine", "openspiel_python"),
    "engine_over_openspiel_python_lean": ("engine", "openspiel_python_lean"),
    "simulator_over_engine": ("simulator", "engine"),
    "simulator_over_openspiel_cpp": ("simulator", "openspiel_cpp"),
    "arena_over_engine": ("arena", "engine_greedy"),
}


class Measure(NamedTuple):
    """Something that is measured; without `play` it is not installed."""

    seats: int
    what: str
    play: Play | None


# -- ours -------------------------------------------------------------------------------------


def engine(seats: int, *, greedily: bool) -> Play:
    """Hand after hand at one table."""
    chance = random.Random(SEED)
    match = Match(TableOptions(seats=seats, first_titles="order_of_arrival"))
    for player in range(1, seats + 1):
        match.sit(player)

    def play() -> int:
        match.start(sorted(DECK, key=lambda card: chance.random()))  # a shuffle, and a fast one
        moves = 0
        while (hand := match.hand) is not None:
            seat = hand.to_act[0]
            choices = hand.legal(seat)
            if len(choices) == 1:
                move = choices[0]
            elif greedily:
                move = greedy(hand.cards(seat), choices)
            else:
                move = choices[int(chance.random() * len(choices))]
            match.apply(seat, move)
            moves += 1
        match.log.clear()
        return moves

    return play


def simulator(seats: int, *, greedily: bool) -> Play:
    """Playouts do not count their moves, so the same hands are stepped through beforehand."""
    chance = random.Random(SEED)
    number = 0

    def play() -> int:
        nonlocal number
        if number == 0:
            chance.seed(SEED)
        playout()
        moves = lengths[number]
        number = (number + 1) % STREAM
        return moves

    def playout() -> list[int]:
        position = Position.deal(seats, chance.random)
        return position.greedy_playout() if greedily else position.random_playout(chance.random)

    stepped = [_stepped(seats, chance, greedily) for _ in range(STREAM)]
    lengths = [moves for _, moves in stepped]
    chance.seed(SEED)
    if [playout() for _ in range(STREAM)] != [order for order, _ in stepped]:
        raise RuntimeError("the playouts are not the hands whose moves were counted")
    return play


def _stepped(seats: int, chance: random.Random, greedily: bool) -> tuple[list[int], int]:
    """The order of finishing, and the number of moves, of a hand that is played step by step."""
    position = Position.deal(seats, chance.random)
    moves = 0
    while not position.over:
        choices = position.legal()
        pick = 0
        if greedily:
            pick = choices.index(greedy(_cards(position), choices))
        elif len(choices) > 1:
            pick = int(chance.random() * len(choices))
        position.step(choices[pick])
        moves += 1
    return position.finished, moves


def _cards(position: Position) -> tuple[int, ...]:
    counts = position.cards(position.turn)
    return tuple(rank for rank, number in enumerate(counts) for _ in range(number))


def arena(seats: int) -> Play:
    """Duplicate deals between two greedy players, in this process."""
    plan = import_module("dalmuti.client.arena.plan")
    schedule = import_module("dalmuti.client.arena.schedule")
    core = import_module("dalmuti.client.arena.core")
    table = import_module("dalmuti.client.arena.seats")
    bots = import_module("dalmuti.client.bots.simple")
    setup = plan.Setup(
        contestants=tuple(plan.Contestant(name, "greedy") for name in ("A", "B")),
        options=TableOptions(seats=seats, first_titles="order_of_arrival", scoring="points"),
    )
    items = iter(schedule.items_of(setup, 1_000_000, SEED))

    def play() -> int:
        item = next(items)
        outcome, _ = core.play(setup, item, [table.Seated(bots.GreedyBot, n) for n in item.seeds])
        moves: int = outcome.turns
        return moves

    return play


# -- peers ------------------------------------------------------------------------------------


def rlcard() -> Play:
    """The core of RLCard's Dou Dizhu: no environment, no features."""
    game = import_module("rlcard.games.doudizhu").Game()
    chance = random.Random(SEED)

    def play() -> int:
        state, _ = game.init_game()
        moves = 0
        while not game.is_over():
            choices = state["actions"]
            state, _ = game.step(choices[int(chance.random() * len(choices))])
            moves += 1
        return moves

    return play


def openspiel_python(*, lean: bool) -> Play:
    """OpenSpiel's Dou Dizhu, each step of it from Python."""
    game = import_module("pyspiel").load_game("dou_dizhu")
    chance = random.Random(SEED)

    def play() -> int:
        state = game.new_initial_state()
        while state.is_chance_node():  # the deal; there is no chance after it
            if lean:
                actions = state.legal_actions()
                state.apply_action(actions[int(chance.random() * len(actions))])
            else:
                actions, probabilities = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(chance.choices(actions, probabilities)[0])
        moves = 0
        while not state.is_terminal():
            actions = state.legal_actions()
            state.apply_action(actions[int(chance.random() * len(actions))])
            moves += 1
        return moves

    return play


def openspiel_cpp() -> Play:
    """The same with its own players of chance; Python only starts each game."""
    pyspiel = import_module("pyspiel")
    game = pyspiel.load_game("dou_dizhu")
    bots = [pyspiel.make_uniform_random_bot(player, SEED + player) for player in range(PEER_SEATS)]
    state = game.new_initial_state()
    deal = 0
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
        deal += 1
    seed = 0

    def play() -> int:
        nonlocal seed
        seed += 1
        state = game.new_initial_state()
        pyspiel.evaluate_bots(state, bots, seed)
        moves: int = state.move_number() - deal
        return moves

    return play


# -- measuring --------------------------------------------------------------------------------


def measures(sizes: Sequence[int]) -> list[Measure]:
    """Everything there is to measure on this machine."""
    found = [
        _measure(PEER_SEATS, "rlcard", rlcard),
        _measure(PEER_SEATS, "openspiel_python", lambda: openspiel_python(lean=False)),
        _measure(PEER_SEATS, "openspiel_python_lean", lambda: openspiel_python(lean=True)),
        _measure(PEER_SEATS, "openspiel_cpp", openspiel_cpp),
    ]
    for seats in sizes:
        found += [
            Measure(seats, "engine", engine(seats, greedily=False)),
            Measure(seats, "simulator", simulator(seats, greedily=False)),
            Measure(seats, "engine_greedy", engine(seats, greedily=True)),
            Measure(seats, "simulator_greedy", simulator(seats, greedily=True)),
            _measure(seats, "arena", partial(arena, seats)),
        ]
    return found


def _measure(seats: int, what: str, make: Callable[[], Play]) -> Measure:
    try:
        return Measure(seats, what, make())
    except ImportError as error:
        say(f"{what} is not measured: {error}")
        return Measure(seats, what, None)


def rate(play: Play, seconds: float) -> tuple[float, float]:
    """Moves and hands per second of the processor."""
    moves = hands = 0
    begin = now = time.process_time()
    while now < begin + seconds:
        moves += play()
        hands += 1
        now = time.process_time()
    return moves / (now - begin), hands / (now - begin)


def run(sizes: Sequence[int], rounds: int, seconds: float) -> dict[str, Any]:
    """Measures all in turn; the first round warms up and does not count."""
    found = measures(sizes)
    gc.freeze()
    rates: dict[tuple[int, str], list[tuple[float, float]]] = {}
    for number in range(rounds + 1):
        say(f"round {number} of {rounds}")
        for each in found:
            if each.play is not None:
                one = rate(each.play, seconds)
                if number:
                    rates.setdefault((each.seats, each.what), []).append(one)
    by_seats = {str(seats): _ratios(rates, seats) for seats in sizes}
    return {
        "rows": [
            {
                "seats": each.seats,
                "what": each.what,
                "moves_per_s": _middle(rates.get((each.seats, each.what)), 0),
                "hands_per_s": _middle(rates.get((each.seats, each.what)), 1),
            }
            for each in found
        ],
        "ratios": {name: _least([by[name] for by in by_seats.values()]) for name in RATIOS},
        "ratios_by_seats": by_seats,
        "not_installed": [each.what for each in found if each.play is None],
    }


def _middle(rates: list[tuple[float, float]] | None, which: int) -> float | None:
    return round(median(each[which] for each in rates), 1) if rates else None


def _ratios(
    rates: dict[tuple[int, str], list[tuple[float, float]]], seats: int
) -> dict[str, float | None]:
    """The median over the rounds of each ratio at this size of table."""
    ratios = {}
    for name, (upper, lower) in RATIOS.items():
        ours = rates.get((seats, upper))
        theirs = rates.get((seats, lower)) or rates.get((PEER_SEATS, lower))
        pairs = zip(ours or (), theirs or (), strict=False)
        parts = [one[0] / other[0] for one, other in pairs]
        ratios[name] = round(median(parts), 3) if parts else None
    return ratios


def _least(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return min(known) if known else None


def say(text: str) -> None:
    """Progress."""
    print(text, file=sys.stderr, flush=True)


def sizes_in(text: str) -> list[int]:
    """A reader of table sizes."""
    sizes = [int(part) if part.isdecimal() else 0 for part in text.split(",")]
    if not all(MIN_SEATS <= size <= MAX_SEATS for size in sizes):
        raise argparse.ArgumentTypeError(
            f"expected sizes from {MIN_SEATS} to {MAX_SEATS} with commas between, found {text!r}"
        )
    return sizes


def main() -> int:
    """The command line; 0 whatever the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--seats", type=sizes_in, default="4,6,8", help="sizes of tables, 2 to 10 (4,6,8)"
    )
    parser.add_argument("--rounds", type=int, default=7, help="how many count (7)")
    parser.add_argument("--seconds", type=float, default=0.25, help="for each in a round (0.25)")
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    given = parser.parse_args()
    result = run(given.seats, given.rounds, given.seconds)
    if given.json:
        print(json.dumps(result))
        return 0
    for row in result["rows"]:
        moves, hands = row["moves_per_s"], row["hands_per_s"]
        figures = "not installed" if moves is None else f"{moves:12,.0f} {hands:10,.0f}"
        print(f"{row['seats']:2} {row['what']:22} {figures}")
    for name, value in result["ratios"].items():
        print(f"{name:36} {'-' if value is None else f'{value:.2f}'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
