"""Holds the simulator to the rules engine: the same random hands in both, move by move.

    python -m tools.differential --hands 100000
    python -m tools.differential --only 4711      one of them again, alone

Each hand is played in `core.hand`, all legal moves being equally likely, and stepped in
`core.simulator`. After every move both must give the same seat the turn, with the same cards and
the same legal moves. Somewhere in each hand both play it to its end from there, once with the same
numbers of chance and once greedily, and must finish in the same order. The sizes of tables and the
rules of passing go round. The exit code is 1, with the first difference, if there is one.
"""

from __future__ import annotations

import argparse
import random
import sys
from typing import Final

from dalmuti.core.cards import DECK, JESTER, deal
from dalmuti.core.hand import Hand, Phase
from dalmuti.core.options import MAX_SEATS, MIN_SEATS, TableOptions
from dalmuti.core.policy import greedy
from dalmuti.core.simulator import Chance, Position

SIZES: Final = range(MIN_SEATS, MAX_SEATS + 1)
OPTIONS: Final = (
    TableOptions(revolution="off", passing="open"),
    TableOptions(revolution="off", passing="locked"),
)
OFTEN: Final = 12
"""Of so many moves, one is where a position is also built anew from the hand, in the mean."""


class Difference(Exception):
    """The simulator is not what the engine is; the text says where."""


def compare(seed: str, seats: int, options: TableOptions) -> int:
    """Plays one hand in both and returns the number of its moves. Raises Difference."""
    chance = random.Random(seed)
    hand = Hand(deal(_deck(chance, seats), seats), options, taxes=False)
    hand.begin()
    position = Position.of(hand)
    branch = chance.randrange(seats * 20)
    moves: list[str] = []
    while hand.phase is not Phase.OVER:
        choices = hand.legal(hand.turn)
        _same("turn", hand.turn, position.turn, moves)
        _same("cards", hand.counts[hand.turn], position.cards(position.turn), moves)
        _same("legal moves", choices, position.legal(), moves)
        if chance.randrange(OFTEN) == 0:
            built = Position.of(hand)
            for name in Position.__slots__:
                _same(name, getattr(built, name), getattr(position, name), moves)
        if len(moves) == branch:
            _playouts(hand, position, chance.getrandbits(32), moves)
        move = chance.choice(choices)
        moves.append(f"{hand.turn} {move}")
        hand.apply(hand.turn, move)
        position.step(move)
    _same("order", hand.finished, position.finished, moves)
    _same("end", True, position.over, moves)
    return len(moves)


def _deck(chance: random.Random, seats: int) -> list[int]:
    """Shuffled; in every third hand both Jesters come to one seat, where most can be done."""
    deck = chance.sample(DECK, len(DECK))
    if chance.randrange(3) == 0:
        places = chance.sample(range(chance.randrange(seats), len(deck), seats), 2)
        deck = [card for card in deck if card != JESTER]
        for place in sorted(places):
            deck.insert(place, JESTER)
    return deck


def _playouts(hand: Hand, position: Position, seed: int, moves: list[str]) -> None:
    """Both ways to the end from here."""
    by_chance = played_out(hand, random.Random(seed).random)
    found = position.random_playout(random.Random(seed).random)
    _same(f"playout by chance {seed}", by_chance, found, moves)
    _same("greedy playout", played_out(hand, None), position.greedy_playout(), moves)


def played_out(hand: Hand, chance: Chance | None) -> list[int]:
    """What a playout of the simulator does, in the engine: by chance, or greedily without."""
    hand = hand.copy()
    while hand.phase is not Phase.OVER:
        choices = hand.legal(hand.turn)
        if chance is None:
            move = greedy(hand.cards(hand.turn), choices)
        else:
            move = choices[int(chance() * len(choices)) if len(choices) > 1 else 0]
        hand.apply(hand.turn, move)
    return hand.finished


def _same(what: str, engine: object, simulator: object, moves: list[str]) -> None:
    if engine != simulator:
        raise Difference(
            f"{what}: the engine has {engine}, the simulator {simulator},"
            f" after {len(moves)} moves: {', '.join(moves) or 'none'}"
        )


def run(first: int, hands: int, seed: int) -> str:
    """Compares so many hands and returns what was done. Raises Difference."""
    moves = 0
    for number in range(first, first + hands):
        seats, options = SIZES[number % len(SIZES)], OPTIONS[number // len(SIZES) % len(OPTIONS)]
        try:
            moves += compare(f"{seed}/{number}", seats, options)
        except Difference as found:
            raise Difference(
                f"hand {number} of seed {seed}, {seats} seats, {options.passing} passing: {found}"
            ) from None
        if (number + 1) % 1000 == 0 and sys.stderr.isatty():
            print(f"\r{number + 1} hands", end="", file=sys.stderr, flush=True)
    return f"{hands} hands, {moves} moves: no difference"


def main() -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--hands", type=int, default=100_000, help="how many (100000)")
    parser.add_argument("--seed", type=int, default=1, help="of all chance (1)")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="this hand alone")
    given = parser.parse_args()
    only: int | None = given.only
    try:
        print(run(0, given.hands, given.seed) if only is None else run(only, 1, given.seed))
    except Difference as found:
        print(found)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
