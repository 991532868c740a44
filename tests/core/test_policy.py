"""The greedy player, who stands in for people: what he does with the cards and choices he has."""

from __future__ import annotations

import pytest

from core.hands import do, taxed, tricks, window
from dalmuti.core.hand import Hand
from dalmuti.core.policy import greedy


def choice(hand: Hand, seat: int) -> str:
    return str(greedy(hand.cards(seat), hand.legal(seat)))


@pytest.mark.parametrize(
    ("own", "lead"),
    [
        ("1 9 9 12 12 12 J", "3x12"),  # the whole group of the worst rank
        ("3 12", "1x12"),
        ("12 12 J", "3x12+1J"),  # the Jester too where that empties the hand
        ("5 J J", "3x5+2J"),
        ("J J", "2xJ"),
        ("1 J J 2", "1x2"),
    ],
)
def test_greedy_leads_his_worst_group_whole(own: str, lead: str) -> None:
    assert choice(tricks(own, "4 4 4"), 0) == lead


@pytest.mark.parametrize(
    ("top", "own", "answer"),
    [
        ("1x12", "3 7 11 11", "1x11"),  # the worst that beats it, split if need be
        ("2x12", "3 7 11 J", "2x11+1J"),  # Jesters only where nothing else does
        ("2x12", "3 3 11 J", "2x3"),
        ("2x12", "3 7", "pass"),
        ("1x2", "3 7", "pass"),
        ("3x12", "9 J J", "3x9+2J"),
    ],
)
def test_greedy_follows_with_his_worst_set_that_beats_it(top: str, own: str, answer: str) -> None:
    hand = tricks("12 12 12 2", own, "4 4 4")
    do(hand, f"0 {top}")
    assert choice(hand, 1) == answer


def test_greedy_goes_out_where_he_can() -> None:
    hand = tricks("12 12 12", "5 J 9", "4 4 4")
    do(hand, "0 1x12", "1 1x9", "2 pass", "0 pass")
    assert choice(hand, 1) == "2x5+1J"


def test_greedy_gives_back_his_worst_cards() -> None:
    assert choice(taxed("1 4 11 12 J", "2 2 3 3"), 0) == "give 11,12"


def test_greedy_calls_only_what_makes_a_peon_a_dalmuti() -> None:
    assert choice(window("J J", "1 2"), 0) == "decline"
    assert choice(window("1 2", "J J"), 1) == "call greater"
    assert choice(window("1 2", "J J", greater_revolution="off"), 1) == "decline"
    assert choice(window("1 2", "J J", greater_revolution="choice"), 1) == "call greater"
    assert choice(window("1 J", "J 2"), 1) == "decline"
