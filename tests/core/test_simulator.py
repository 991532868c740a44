"""The simulator by itself; tests/tools/test_differential.py holds its play to the engine's."""

from __future__ import annotations

import random
from operator import sub

import pytest

from core.evening import Evening, evening
from core.hands import do, tricks, window
from dalmuti.core.cards import DECK, counts_of
from dalmuti.core.events import Turn
from dalmuti.core.hand import Phase
from dalmuti.core.moves import DECLINE, parse_move
from dalmuti.core.simulator import Position, guess
from dalmuti.core.views import HandView, view_hand


def state(position: Position) -> dict[str, object]:
    return {name: getattr(position, name) for name in Position.__slots__}


@pytest.mark.parametrize("passing", ["open", "locked"])
@pytest.mark.parametrize("players", [3, 6])
def test_a_view_and_the_true_cards_give_the_true_position(players: int, passing: str) -> None:
    """After taxes and revolutions too, in every trick of three hands."""
    table = evening(players, seed=players, passing=passing)
    decisions = 0
    for _ in range(3):
        table.deal()
        while table.match.hand is not None:
            hand = table.match.hand
            if hand.phase is Phase.TRICKS:
                decisions += 1
                view = seen_by(table.match.order[hand.turn], table)
                assert state(Position.seen(view, hand.counts, table.options)) == state(
                    Position.of(hand)
                )
            table.random_move()
    assert decisions > 100


def seen_by(player: int, table: Evening) -> HandView:
    match, hand = table.match, table.hand
    return view_hand(match, hand, player, Turn("follow", (hand.turn,), 1))


def test_a_guess_fits_what_is_seen_and_knows_no_more() -> None:
    """Every card is somewhere, everybody has as many as he has, and others' cards change."""
    table = evening(5, seed=3)
    chance = random.Random(1)
    table.deal()
    guesses = 0
    while table.match.hand is not None:
        hand = table.match.hand
        if hand.phase is Phase.TRICKS:
            view = seen_by(table.match.order[hand.turn], table)
            one, other = guess(view, chance.random), guess(view, chance.random)
            for hands in (one, other):
                assert hands[hand.turn] == hand.counts[hand.turn]
                assert [sum(counts) for counts in hands] == hand.sizes
                assert list(map(sum, zip(*hands, strict=True))) == list(
                    map(sub, counts_of(DECK), view.played)
                )
            guesses += one != other and one != hand.counts
        table.random_move()
    assert guesses > 50


def test_equal_chance_gives_equal_guesses_deals_and_playouts() -> None:
    orders = []
    for _ in range(2):
        chance = random.Random(9).random
        position = Position.deal(7, chance)
        orders.append([position.random_playout(chance) for _ in range(5)])
    assert orders[0] == orders[1]
    assert len(set(map(tuple, orders[0]))) > 1
    assert all(sorted(order) == list(range(7)) for order in orders[0])


def test_playouts_and_copies_leave_a_position_as_it_is() -> None:
    chance = random.Random(4)
    position = Position.deal(6, chance.random, locked=True)
    position.step(chance.choice(position.legal()))
    before = state(position.copy())
    position.random_playout(chance.random)
    position.greedy_playout()
    twin = position.copy()
    while not twin.over:
        twin.step(chance.choice(twin.legal()))
    assert state(position) == before


def test_a_small_hand_to_its_end() -> None:
    """Seat 1 goes out with his Jester; the trick is his, so that seat 2 leads (rules.md P5)."""
    hand = tricks("9 9 12", "3 J", "5 6 6", "7 7")
    position = Position.of(hand)
    for text in ("2x9", "2x3+1J", "pass", "pass", "pass"):
        do(hand, f"{position.turn} {text}")
        position.step(parse_move(text))
    assert (position.turn, position.finished, position.rank) == (2, [1], 0)
    assert state(Position.of(hand)) == state(position)
    assert [str(move) for move in position.legal()] == ["1x6", "2x6", "1x5"]
    assert position.greedy_playout() == [1, 2, 3, 0]
    assert position.cards(2) == counts_of((5, 6, 6)) and not position.over


def test_what_is_no_trick_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="expected a hand in its tricks, found the phase revol"):
        Position.of(window("J J", "1 2"))
    table = evening(4, seed=1)
    table.deal()
    view = seen_by(table.match.order[0], table)
    with pytest.raises(ValueError, match="expected somebody's turn in the tricks, found phase rev"):
        Position.seen(view, [[0] * 14] * 4, table.options)
    with pytest.raises(ValueError, match="expected the view of a player"):
        guess(HandView(number=1, order=(1, 2)), random.random)
    with pytest.raises(ValueError, match="expected a play or a pass, found decline"):
        Position.of(tricks("1 2", "3 4")).step(DECLINE)
