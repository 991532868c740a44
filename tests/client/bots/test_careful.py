"""The house bot `careful`: each of its rules."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from dalmuti.client.bots.careful import CarefulBot
from dalmuti.core.cards import Cards, counts_of, parse_play
from dalmuti.core.events import Question
from dalmuti.core.moves import (
    DECLINE,
    PASS,
    Call,
    Move,
    legal_follows,
    legal_gives,
    legal_leads,
    parse_move,
)
from dalmuti.core.options import TableOptions, options_from
from dalmuti.core.views import HandView, TableView
from dalmuti.protocol.messages import Decision

J = 13


def seen(cards: Cards, *, seat: int = 0, seats: int = 4, **table: object) -> TableView:
    order = tuple(range(1, seats + 1))
    hand = HandView(number=1, order=order, seat=seat, cards=cards, dealt=cards)
    options = table.pop("options", TableOptions())
    assert isinstance(options, TableOptions)
    played = table.pop("hands_played", 0)
    assert isinstance(played, int)
    return TableView(table="Kitchen", options=options, hand=hand, hands_played=played)


def decide(kind: Question, view: TableView, choices: Sequence[Move]) -> str:
    made = Decision(decision=1, kind=kind, choices=tuple(choices), default=choices[0])
    return str(CarefulBot().decide(view, made))


@pytest.mark.parametrize(
    ("cards", "top", "wanted"),
    [
        # A whole group of the right size comes first, the worst of them.
        ((3, 3, 6, 6, 9, 9, 9, 12, 12, 12), "2x12", "2x6"),
        ((3, 3, 9, 9, 9, 9, 12, 12, 12, 12), "2x12", "2x3"),
        ((3, 5, 7, 7, 12, 12, 12), "1x12", "1x5"),
        # The 1 and the 2s are kept, until five cards are left.
        ((1, 7, 7, 12, 12, 12), "1x12", "pass"),
        ((2, 2, 7, 7, 7, 12), "2x12", "pass"),
        ((1, 7, 7, 12, 12), "1x12", "1x1"),
        ((2, 2, 7, 7, 7), "2x12", "2x2"),
        # Else a group of 8s or worse is broken up, the worst; better ones with five cards left.
        ((8, 8, 8, 10, 10, 10, 12), "2x12", "2x10"),
        ((8, 8, 8, 12, 12, 12), "2x12", "2x8"),
        ((7, 7, 7, 12, 12, 12), "2x12", "pass"),
        ((7, 7, 7, 12, 12), "2x12", "2x7"),
        # A whole 3 before a broken 11.
        ((3, 3, 11, 11, 11, 11, 12), "2x12", "2x3"),
        # Jesters with eight cards or fewer, as few as possible.
        ((4, 7, 7, 7, 11, 11, 12, 12, J), "2x5", "pass"),
        ((4, 7, 7, 7, 12, 12, 12, J), "2x5", "2x4+1J"),
        ((4, 6, 6, 7, 7, 7, J, J), "3x8", "3x7"),
        ((4, 6, 6, 11, 11, 11, J, J), "3x8", "3x6+1J"),
        ((4, 7, 7, 7, 7, 12, J, J), "3x5", "3x4+2J"),
        # What empties the hand is always played.
        ((2, 2, 2, 2), "4x9", "4x2"),
        ((7, 7, J), "3x9", "3x7+1J"),
        ((5, 5), "2x5", "pass"),
    ],
)
def test_following(cards: Cards, top: str, wanted: str) -> None:
    choices: list[Move] = [*legal_follows(counts_of(cards), parse_play(top)), PASS]
    assert decide("follow", seen(cards), choices) == wanted


@pytest.mark.parametrize(
    ("cards", "wanted"),
    [
        ((1, 5, 5, 12, 12, 12, J), "3x12"),
        ((1, 2, 2, J), "2x2"),
        ((9, 9, J, J), "4x9+2J"),
        ((J,), "1xJ"),
    ],
)
def test_leading_is_greedy(cards: Cards, wanted: str) -> None:
    assert decide("lead", seen(cards), [*legal_leads(counts_of(cards))]) == wanted


@pytest.mark.parametrize(
    ("cards", "due", "wanted"),
    [
        ((1, 2, 2, 9, 11, 11, 12, 12, 12), 2, "give 11,11"),  # a pair, not a part of the 12s
        ((1, 2, 2, 8, 9, 11, 11, 12, 12, 12), 2, "give 8,9"),  # two groups are more than one
        ((1, 2, 2, 8, 12, 12, 12), 2, "give 8,12"),
        ((1, 3, 12, 12, 12, J), 2, "give 12,12"),  # good cards are kept, though alone
        ((2, 2, 3, 3, 4, 4, J, J), 2, "give 4,4"),
        ((1, 2, 2, 10, 10, 11), 1, "give 11"),
        ((1, 4, 10, 10, 11, 11), 1, "give 11"),
        ((J, J), 2, "give J,J"),
    ],
)
def test_what_is_given_back(cards: Cards, due: int, wanted: str) -> None:
    choices = [*legal_gives(counts_of(cards), due)]
    assert decide("tax", seen(cards), choices) == wanted
    assert parse_move(wanted) in choices


BOTH = (3, 9, 12, J, J)


@pytest.mark.parametrize(
    ("seats", "seat", "calls", "table", "wanted"),
    [
        (4, 0, [Call()], {}, "decline"),
        (4, 1, [Call()], {}, "decline"),
        (4, 2, [Call()], {}, "call"),
        (6, 3, [Call()], {}, "call"),
        (3, 1, [Call()], {}, "call"),
        (6, 5, [Call(greater=True)], {}, "call greater"),
        (6, 5, [Call(), Call(greater=True)], {}, "call greater"),
        (6, 5, [Call()], {}, "call"),
        (6, 3, [], {}, "decline"),
        # In a first hand without taxes nothing is spared, but the Greater Peon still gains.
        (6, 3, [Call()], {"options": options_from({"first_hand_taxes": "off"})}, "decline"),
        (
            6,
            3,
            [Call()],
            {"options": options_from({"first_hand_taxes": "off"}), "hands_played": 1},
            "call",
        ),
        (
            6,
            5,
            [Call(greater=True)],
            {"options": options_from({"first_hand_taxes": "off"})},
            "call greater",
        ),
    ],
)
def test_revolution(
    seats: int, seat: int, calls: list[Move], table: dict[str, object], wanted: str
) -> None:
    view = seen(BOTH, seat=seat, seats=seats, **table)
    assert decide("revolution", view, [DECLINE, *calls]) == wanted
