"""Which matches an arena plays, and in which order their outcomes count.

A deal is played with every rotation of the players over the seats, so that the luck of its cards
and of the titles is everybody's alike. Half tables are for two players: who sits where is drawn for
each deal, and then both change all their seats.

A player who hangs or dies again and again would make an arena last for days. After `OUT` matches in
which a seat of his was given up he is out: his seats play the default in all later matches, and the
result says so. Which matches are later is a matter of their numbers and not of the time, so that
the result does not depend on how many are played at once: what was played too early is played once
more.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from typing import Final

from msgspec.structs import replace

from dalmuti.client.arena.plan import Item, Outcome, Runner, Setup, Stop, chance

OUT: Final = 5


def rotations(players: int, seats: int) -> list[tuple[int, ...]]:
    """The line-ups of one deal: the first player once, the others in turn, in every rotation.

    With as many players as seats all sit once, and the rotations are those of the list.
    """
    rest = players - 1
    base = (0, *(1 + n % rest for n in range(seats - 1))) if rest else (0,) * seats
    return [base[-turn:] + base[:-turn] if turn else base for turn in range(seats)]


def halves(seats: int, seed: int) -> list[tuple[int, ...]]:
    """Two line-ups of the players 0 and 1, who exchange all seats."""
    first = set(random.Random(seed).sample(range(seats), seats // 2))
    lineup = tuple(int(seat in first) for seat in range(seats))
    return [lineup, tuple(1 - player for player in lineup)]


def items_of(
    setup: Setup, numbers: Sequence[int] | int, seed: int, *, half: bool = False
) -> Iterator[Item]:
    """The items of an arena: of so many deals, or of those with these numbers.

    The chance of a bot depends on the deal, the player, and which of his copies it is; the copy
    that moves to another seat takes its chance along.
    """
    players, seats = len(setup.contestants), setup.options.seats
    if isinstance(numbers, int):
        numbers = [chance(seed, "deal", number) for number in range(numbers)]
    index = 0
    for deal, number in enumerate(numbers):
        half_lineups = halves(seats, chance(seed, "halves", deal)) if half else None
        for lineup in half_lineups or rotations(players, seats):
            yield Item(
                index=index,
                deal=deal,
                lineup=lineup,
                number=number,
                seeds=_seeds(lineup, seed, deal),
            )
            index += 1


def _seeds(lineup: Sequence[int], seed: int, deal: int) -> tuple[int, ...]:
    """A stream for each copy; they are counted from the seat of the first player on."""
    start = lineup.index(0)
    copies: dict[int, int] = {}
    seeds = [0] * len(lineup)
    for turn in range(len(lineup)):
        seat = (start + turn) % len(lineup)
        player = lineup[seat]
        copy = copies[player] = copies.get(player, -1) + 1
        seeds[seat] = chance(seed, "bot", deal, player, copy)
    return tuple(seeds)


class Schedule:
    """Hands out items, takes their outcomes in any order, and gives them back in order."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._items = iter(items)
        self._again: deque[Item] = deque()
        """Items that were played too early."""
        self._issued: dict[int, Item] = {}
        """What is being played, or waits for an earlier one."""
        self._early: dict[int, Outcome] = {}
        self._next = 0
        self._strikes: dict[int, int] = {}
        self.out: dict[int, int] = {}
        """Players who are out, and the first item for which they are."""

    @property
    def missing(self) -> int:
        """How many items were handed out of which nothing was heard."""
        return len(self._issued)

    @property
    def again(self) -> bool:
        """Whether there are items to be played once more."""
        return bool(self._again)

    def __iter__(self) -> Iterator[Item]:
        """Items to play, until there are none; there may be some again later."""
        while (item := self._take()) is not None:
            item = self._issued[item.index] = self._with_stops(item)
            yield item

    def _take(self) -> Item | None:
        return self._again.popleft() if self._again else next(self._items, None)

    def take(self, outcome: Outcome) -> Iterator[tuple[Item, Outcome]]:
        """Takes one outcome; yields all whose turn has come."""
        self._early[outcome.index] = outcome
        while (ready := self._early.pop(self._next, None)) is not None:
            item = self._issued.pop(self._next)
            if item != self._with_stops(item):
                self._again.append(item)  # it was played before somebody was out
                return
            self._next += 1
            yield item, ready
            self._count(item, ready)

    def _count(self, item: Item, outcome: Outcome) -> None:
        """Puts a player out whose seats were given up too often."""
        given_up = {
            item.lineup[seat] for seat, tally in enumerate(outcome.tallies) if tally.given_up
        }
        for player in sorted(given_up - self.out.keys()):
            self._strikes[player] = self._strikes.get(player, 0) + 1
            if self._strikes[player] >= OUT:
                self.out[player] = item.index + 1

    def _with_stops(self, item: Item) -> Item:
        out = {player for player, first in self.out.items() if first <= item.index}
        if not out:
            return item
        stops = tuple(
            Stop(seat, 0, "was out") for seat, player in enumerate(item.lineup) if player in out
        )
        return replace(item, stops=stops)


def drive(
    setup: Setup, schedule: Schedule, runner: Runner, jobs: int
) -> Generator[tuple[Item, Outcome], None, None]:
    """Plays all items with a runner; yields them with their outcomes, in order.

    Raises start.Refusal as the runner does. When it is closed no process is left.
    """
    while True:
        with closing(runner(setup, iter(schedule), jobs)) as outcomes:
            for outcome in outcomes:
                yield from schedule.take(outcome)
        if not schedule.again:
            break
    if schedule.missing:
        raise RuntimeError(f"of {schedule.missing} matches there are no outcomes")
