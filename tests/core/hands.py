"""Small hands for tests: a hand in words, moves in words."""

from __future__ import annotations

from dalmuti.core.cards import JESTER, Cards
from dalmuti.core.events import Event
from dalmuti.core.hand import Hand
from dalmuti.core.moves import parse_move
from dalmuti.core.options import options_from


def cards(text: str) -> Cards:
    """Cards as people write them: `"2 12 12 J"`."""
    return tuple(sorted(JESTER if word == "J" else int(word) for word in text.split()))


def tricks(*hands: str, **options: str | int) -> Hand:
    """A hand without revolution and taxes in which seat 0 is about to lead."""
    hand = Hand(
        list(map(cards, hands)), options_from({"revolution": "off", **options}), taxes=False
    )
    hand.begin()
    return hand


def window(*hands: str, **options: str | int) -> Hand:
    """A hand in its revolution window."""
    hand = Hand(list(map(cards, hands)), options_from(options))
    hand.begin()
    return hand


def taxed(*hands: str, **options: str | int) -> Hand:
    """A hand in which taxes are due."""
    hand = Hand(list(map(cards, hands)), options_from({"revolution": "off", **options}))
    hand.begin()
    return hand


def do(hand: Hand, *moves: str) -> list[Event]:
    """Makes moves such as `"0 3x9"` or `"1 pass"` and returns all that happened."""
    events: list[Event] = []
    for text in moves:
        seat, _, move = text.partition(" ")
        events += hand.apply(int(seat), parse_move(move))
    return events


def moves_of(hand: Hand, seat: int) -> list[str]:
    """What a seat may do, in words."""
    return [str(move) for move in hand.legal(seat)]
