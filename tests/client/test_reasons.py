"""A refused play says why, in the words of the rule, whoever refuses it."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from client.test_talk import CARDS, TABLE
from client.test_talk import HAND as VIEW
from client.tui.test_selector import cards
from dalmuti.client import words
from dalmuti.client.model import Model, reduce
from dalmuti.client.tui.selector import PlaySelector
from dalmuti.core.cards import DECK, Play, counts_of, parse_play
from dalmuti.core.moves import (
    IllegalMove,
    Move,
    MoveCode,
    Pass,
    check_play,
    legal_follows,
    legal_leads,
)
from dalmuti.core.views import TrickView
from dalmuti.protocol.messages import Act, Decision, Error

ALONE = "Jesters alone count as 13 and beat nothing; they help beside another card."
HAND = "3x8 2x9 1x7 4x12 1xJ"


@pytest.mark.parametrize(
    ("top", "play", "why"),
    [
        ("3x9", "3x10", "10 does not beat 9: only a lower number does."),
        ("3x9", "3x9", "An equal number does not beat 9: it needs a lower one."),
        ("3x9", "2x8", "To follow 3x9 you need exactly 3 cards; 2x8 has 2."),
        ("1x9", "2x8", "To follow 1x9 you need exactly 1 card; 2x8 has 2."),
        ("3x9", "3x7", "You hold only 1 card of rank 7."),
        ("3x9", "3x2", "You hold no card of rank 2."),
        ("4x9", "4x8", "You hold only 3 cards of rank 8. A Jester helps: 4x8+1J."),
        ("3x9", "3x8+2J", "You hold only 1 Jester."),
        ("2x9", "2xJ", ALONE),
        ("1xJ", "1xJ", ALONE),
        ("1x1", "1x8", "Nothing beats a 1."),
        (None, "3x9", "You hold only 2 cards of rank 9. A Jester helps: 3x9+1J."),
        (None, "5x12+2J", "You hold only 1 Jester."),
        (None, "1x1", "You hold no card of rank 1."),
        (None, "2xJ", "You hold only 1 Jester."),
    ],
)
def test_why_not(top: str | None, play: str, why: str) -> None:
    beat = None if top is None else parse_play(top)
    held = counts_of(cards(HAND))
    with pytest.raises(IllegalMove):
        check_play(held, beat, parse_play(play))
    assert words.why_not(held, beat, parse_play(play)) == why


def test_every_play_is_legal_or_has_a_reason() -> None:
    """Every set there is, on any other or to lead, from any hand."""
    chance = random.Random(1)
    sets = [Play(r, c, j) for r in range(1, 13) for c in range(1, 6) for j in range(min(c, 3))]
    sets += [Play(13, 1, 1), Play(13, 2, 2)]
    for _ in range(60):
        held = counts_of(chance.sample(DECK, chance.randint(1, 20)))
        top = chance.choice([None, chance.choice(sets)])
        legal = legal_follows(held, top) if top else legal_leads(held)
        for play in set(sets) - set(legal):
            why = words.why_not(held, top, play)
            assert why.endswith(".") and "not possible" not in why, (held, top, play)


@pytest.mark.parametrize(
    ("top", "keys", "why"),
    [
        ("3x9", "10", "10 does not beat 9: only a lower number does."),
        ("3x9", "2x8", "To follow 3x9 you need exactly 3 cards; 2x8 has 2."),
        ("3x9", "7", "You hold only 1 card of rank 7."),
        (
            "2x9",
            "2xj",
            ALONE,
        ),
        (None, "5", "You hold no card of rank 5."),
        (None, "6x12", "You hold only 4 cards of rank 12."),
        (None, "14x", "You hold only 4 cards of rank 12."),
    ],
)
def test_typing_it_says_so_and_disarms_enter(top: str | None, keys: str, why: str) -> None:
    hand, beat = cards(HAND), None if top is None else parse_play(top)
    held = counts_of(hand)
    choices: list[Move] = [*legal_leads(held)]
    if beat is not None:
        choices = [*legal_follows(held, beat), Pass()]
    selector = PlaySelector.of(choices, hand, top=beat)
    for key in keys:
        step = selector.press(key, 9.0)
        assert step.move is None and isinstance(step.selector, PlaySelector)
        selector = step.selector
    assert not selector.armed and selector.reason == why
    step = selector.press("enter", 9.0)
    assert step.move is None and step.hint == why
    assert isinstance(step.selector, PlaySelector)
    assert step.selector.armed and step.selector.reason == ""


@pytest.mark.parametrize("code", MoveCode)
def test_every_code_of_the_server_has_a_sentence(code: MoveCode) -> None:
    """Of our own, so that it is in our language: what the server says in English is not shown."""
    said = words.error(code.value, "english of the server")
    assert "english" not in said and said.endswith(".")


def test_what_a_server_refuses_is_told_with_our_cards() -> None:

    table = replace(TABLE, hand=replace(VIEW, trick=TrickView(top=Play(11, 2), owner=0)))
    assert CARDS.count(12) == 4
    decision = Decision(decision=1, kind="follow", choices=(Pass(),), default=Pass())
    model = replace(Model(table=table), decision=decision)
    model = reduce(model, Act(id=4, decision=1, choice=Play(12, 2)), 0.0)
    model = reduce(model, Error(re=4, code="not_lower", message="english"), 0.0)
    assert model.refusal == "12 does not beat 11: only a lower number does."
    assert model.decision == decision
