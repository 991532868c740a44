"""Who sits where in which deal, and which outcomes count when some come too early."""

from __future__ import annotations

from collections.abc import Generator, Iterator

import pytest
from msgspec.structs import replace

from dalmuti.client.arena.plan import Contestant, Item, Outcome, Setup, Tally
from dalmuti.client.arena.schedule import OUT, Schedule, drive, halves, items_of, rotations
from dalmuti.core.options import TableOptions


def setup_of(players: int, seats: int) -> Setup:
    names = "ABCDEFGHIJ"[:players]
    return Setup(
        contestants=tuple(Contestant(name, "greedy") for name in names),
        options=TableOptions(seats=seats),
    )


@pytest.mark.parametrize(("players", "seats"), [(2, 2), (2, 6), (3, 6), (4, 4), (3, 10)])
def test_everybody_listed_sits_everywhere_alike(players: int, seats: int) -> None:
    lineups = rotations(players, seats)
    assert len(lineups) == seats
    for place in range(seats):
        column = [lineup[place] for lineup in lineups]
        assert sorted(column) == sorted(lineups[0])
    assert lineups[0].count(0) == 1
    others = [lineups[0].count(player) for player in range(1, players)]
    assert max(others) - min(others) <= 1


@pytest.mark.parametrize("seats", [2, 5, 6])
def test_halves_change_all_their_seats(seats: int) -> None:
    for seed in range(20):
        one, other = halves(seats, seed)
        assert all({a, b} == {0, 1} for a, b in zip(one, other, strict=True))
        assert one.count(0) - one.count(1) in (0, 1)


def test_the_copies_of_a_player_have_each_a_chance_of_their_own() -> None:
    """It goes with the copy to its next seat, and is another one in the next deal."""
    items = list(items_of(setup_of(2, 4), 2, 1))
    first = [item for item in items if item.deal == 0]
    assert len(items) == 8 and [item.index for item in items] == list(range(8))
    assert len({item.number for item in first}) == 1
    for item in first:
        assert len(set(item.seeds)) == 4
        assert set(item.seeds) == set(first[0].seeds)
        assert item.seeds[item.lineup.index(0)] == first[0].seeds[0]
    assert not set(items[4].seeds) & set(first[0].seeds)
    again = list(items_of(setup_of(2, 4), 1, 1))
    assert again == first
    assert next(iter(items_of(setup_of(2, 4), 1, 2))).number != first[0].number


def played(item: Item) -> Outcome:
    """Player 1 gives up always, unless he is out, and is never called then."""
    tallies = tuple(
        Tally(given_up="hung" if player == 1 else "", defaults=len(item.stops))
        for player in item.lineup
    )
    return Outcome(index=item.index, places=(item.lineup,), tallies=tallies, moves="")


def in_order(setup: Setup, items: Iterator[Item], jobs: int) -> Generator[Outcome, None, None]:
    for item in items:
        yield played(item)


def in_lumps(setup: Setup, items: Iterator[Item], jobs: int) -> Generator[Outcome, None, None]:
    """Takes as many items at once as there are jobs, and gives the last one first."""
    while lump := [item for _, item in zip(range(jobs), items, strict=False)]:
        for item in reversed(lump):
            yield played(item)


def test_who_is_out_is_so_from_the_same_match_on_whoever_was_first() -> None:
    setup = setup_of(2, 4)
    wanted = None
    for runner, jobs in ((in_order, 1), (in_lumps, 3), (in_lumps, 100)):
        schedule = Schedule(items_of(setup, 5, 1))
        found = list(drive(setup, schedule, runner, jobs))
        assert [item.index for item, _ in found] == list(range(20))
        assert schedule.out == {1: OUT}
        assert all(len(item.stops) == 3 * (item.index >= OUT) for item, _ in found)
        wanted = wanted or found
        assert found == wanted


def test_nobody_is_out_who_plays() -> None:
    setup = setup_of(2, 4)
    schedule = Schedule(items_of(setup, 5, 1))

    def fine(setup: Setup, items: Iterator[Item], jobs: int) -> Generator[Outcome, None, None]:
        for item in items:
            yield replace(played(item), tallies=tuple(Tally() for _ in item.lineup))

    assert len(list(drive(setup, schedule, fine, 1))) == 20
    assert not schedule.out
