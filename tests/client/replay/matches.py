"""Records to step through: evenings by chance, and two that differ in a card that nobody saw."""

from __future__ import annotations

from msgspec.structs import replace

from core.evening import Evening, evening
from dalmuti.core.cards import JESTER, Play
from dalmuti.core.match import Began
from dalmuti.core.moves import DECLINE
from dalmuti.core.record import Record


def an_evening(players: int, hands: int, seed: int = 0, **options: str | int) -> Evening:
    """Hands to their ends; between them somebody comes, leaves, or takes his seat back."""
    table = evening(players, seed, **{"seats": min(10, players + 1), **options})
    for _ in range(hands):
        table.deal()
        comes_and_goes = table.chance.random() < 0.5
        if comes_and_goes:
            for _ in range(table.chance.randint(1, 20)):
                if table.match.hand is not None:
                    table.random_move()
        if comes_and_goes and table.match.hand is not None:
            player = table.chance.choice(table.match.order)
            table.leave(player)
            table.random_move()
            if table.match.hand is not None and table.chance.random() < 0.5:
                table.match.come_back(player)
        table.play_out()
        if not table.match.full:
            table.sit()
    return table


def with_a_card_changed(
    seed: int, moves: int, *, over: bool
) -> tuple[Record, Record, tuple[int, int]]:
    """A hand of six, and the same with two cards exchanged that were not played; and whose.

    Both players are Merchants, so that nobody's tax depends on it.
    """
    table = evening(6, seed)
    table.deal()
    while table.hand.question == "revolution":
        table.move(table.hand.to_act[0], DECLINE)
    while table.hand.question == "tax":
        table.random_move()
    mine, yours = set(table.hand.cards(2)) - {JESTER}, set(table.hand.cards(3)) - {JESTER}
    one = min(mine)
    other = min(yours - {one})
    kept = {2: one, 3: other}
    for _ in range(moves):
        (seat,) = table.hand.to_act
        choices = [
            move
            for move in table.hand.legal(seat)
            if not isinstance(move, Play) or move.rank != kept.get(seat)
        ]
        if not choices or min(table.hand.sizes) < 2:
            break
        table.move(seat, table.chance.choice(choices))
    order = table.match.order
    players = order[2], order[3]
    if over:
        table.abandon()
    record = table.record()
    began = next(entry for entry in record.entries if isinstance(entry, Began))
    hands = [list(cards) for cards in began.hands]
    hands[2].remove(one)
    hands[3].remove(other)
    hands[2].append(other)
    hands[3].append(one)
    changed = replace(began, hands=tuple(tuple(sorted(cards)) for cards in hands))
    entries = tuple(changed if entry is began else entry for entry in record.entries)
    return record, replace(record, entries=entries), players
