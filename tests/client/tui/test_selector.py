"""Keys and decisions: every legal choice can be made, nothing else, and with few keys."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalmuti.client.tui.selector import (
    PlaySelector,
    RevolutionSelector,
    Selector,
    TaxSelector,
    select,
)
from dalmuti.core.cards import DECK, JESTER, Cards, Play, counts_of, deal, parse_play
from dalmuti.core.hand import Hand, Phase
from dalmuti.core.moves import (
    DECLINE,
    PASS,
    Call,
    Give,
    Move,
    default_give,
    legal_follows,
    legal_gives,
    legal_leads,
)
from dalmuti.core.options import TableOptions
from dalmuti.protocol.messages import Decision

LATE = 1000.0
KEYS = [*"0123456789", "x", "j", "J", "+", "left", "right", "up", "down"]
ANY_KEY = [*KEYS, "enter", "space", "p", "-", "*", "backspace", "escape", "r", "g", "?"]


def cards(text: str) -> Cards:
    """`3x8 1x12 2xJ` as cards."""
    return tuple(sorted(card for play in text.split() for card in parse_play(play).cards()))


def leading(text: str) -> PlaySelector:
    hand = cards(text)
    return PlaySelector.of(legal_leads(counts_of(hand)), hand)


def following(text: str, top: str) -> PlaySelector:
    hand = cards(text)
    return PlaySelector.of([*legal_follows(counts_of(hand), parse_play(top)), PASS], hand)


def after(selector: Selector, keys: str) -> Selector:
    """Types keys that decide nothing; a word in angle brackets is a named key."""
    for key in split(keys):
        step = selector.press(key, LATE)
        assert step.move is None, key
        selector = step.selector
    return selector


def split(keys: str) -> Iterator[str]:
    while keys:
        if keys[0] == "<":
            key, _, keys = keys[1:].partition(">")
            yield key
        else:
            yield keys[0]
            keys = keys[1:]


def decided(selector: Selector, keys: str = "") -> str:
    """What Enter does after these keys."""
    step = after(selector, keys).press("enter", LATE)
    return str(step.move) if step.move is not None else f"nothing: {step.hint}"


# -- following and leading --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "top", "start"),
    [
        ("3x8 4x9 2x7", "3x10", "3x8"),
        ("3x8 3x9 2x7", "3x10", "3x9"),
        ("4x9 1xJ", "3x10", "pass"),  # only by splitting, or with a Jester
        ("1x2 2x5", "2x3", "pass"),
    ],
)
def test_follow_starts_on_the_weakest_whole_group(hand: str, top: str, start: str) -> None:
    assert decided(following(hand, top)) == start


@pytest.mark.parametrize(
    ("hand", "start"), [("2x12 1x3 2xJ", "2x12"), ("1x3 1x2 2xJ", "1x3"), ("1x2 1xJ", "2x2+1J")]
)
def test_lead_starts_on_the_weakest_whole_group(hand: str, start: str) -> None:
    assert decided(leading(hand)) == start


@pytest.mark.parametrize(
    ("hand", "top", "start"),
    [
        ("1x3 2xJ", "", "3x3+2J"),
        ("2xJ", "", "2xJ"),
        ("1xJ", "", "1xJ"),
        ("2x3 1xJ", "3x9", "3x3+1J"),
        ("2x3 1xJ", "2x9", "2x3"),
    ],
)
def test_what_goes_out_is_suggested(hand: str, top: str, start: str) -> None:
    assert decided(following(hand, top) if top else leading(hand)) == start


@pytest.mark.parametrize(
    ("keys", "does"),
    [
        ("", "2x11"),
        ("8", "2x8"),
        ("12", "2x2"),  # no 12 beats an 12, so it is rank 2
        ("0", "2x10"),
        ("10", "2x10"),
        ("<right>", "2x10"),
        ("<left>", "pass"),
        ("8j", "1x8+1J".replace("1x", "2x")),
        ("8<up>", "2x8+1J"),
        ("8<up><down>", "2x8"),
        ("2x8", "2x8"),
        ("2x8+1J", "2x8+1J"),
        ("8<backspace>", "2x11"),
        ("9<escape>", "2x11"),
    ],
)
def test_following_by_keys(keys: str, does: str) -> None:
    assert decided(following("2x11 2x10 3x8 2x2 1xJ", "2x12"), keys) == does


@pytest.mark.parametrize(
    ("keys", "does"),
    [
        ("", "4x12"),
        ("12", "4x12"),
        ("9", "3x9"),
        ("2x9", "2x9"),
        ("3x", "3x12"),
        ("9<down>", "2x9"),
        ("9<down><down><down>", "1x9"),
        ("9j", "4x9+1J"),
        ("9jj", "5x9+2J"),
        ("9jjj", "3x9"),
        ("9J", "5x9+2J"),
        ("92x", "2x9"),
        ("2x9J", "4x9+2J"),
        ("2x9+1J", "2x9+1J"),
        ("9+2J", "5x9+2J"),
        ("2xJ", "2xJ"),
        ("1xj", "1xJ"),
        ("<left>", "1xJ"),
        ("<left><up>", "2xJ"),
        ("1", "1x1"),
        ("3x12", "3x12"),
        ("3x1<backspace>", "4x12"),
        ("5x12", "5x12+1J"),
    ],
)
def test_leading_by_keys(keys: str, does: str) -> None:
    assert decided(leading("4x12 3x9 1x1 2xJ"), keys) == does


@pytest.mark.parametrize(
    ("keys", "does"),
    [
        ("<right>3x+", "3x11+1J"),
        ("<right>4xJ", "4x11+2J"),
        ("<right>2x+", "2x11+1J"),
        ("2xJ", "2xJ"),
        ("2xj", "2xJ"),
        ("1xj", "1xJ"),
        ("3xj", "nothing: You hold only 2 Jesters."),
    ],
)
def test_jesters_of_the_chosen_rank_by_keys(keys: str, does: str) -> None:
    assert decided(leading("5x12 7x11 2xJ"), keys) == does


def test_typed_nonsense_disarms_enter() -> None:
    selector = following("2x11 2x8", "2x12")
    for keys in ("5", "3x8", "2x", "1"):
        typed = after(selector, keys)
        assert isinstance(typed, PlaySelector) and (typed.armed is (keys == "2x"))
    step = after(selector, "5").press("enter", LATE)
    assert step.move is None and "5" in step.hint
    assert decided(step.selector) == "2x11"


def test_passing() -> None:
    assert following("2x8", "2x12").press("space", LATE).move == PASS
    assert following("2x8", "2x12").press("p", LATE).move == PASS
    step = leading("2x8").press("space", LATE)
    assert step.move is None and "lead" in step.hint


def test_nothing_is_decided_in_the_first_quarter_of_a_second() -> None:
    decision = Decision(decision=1, kind="follow", choices=(Play(8, 1), PASS), default=PASS)
    selector = select(decision, (8, 9), arrived=50.0)
    for key in ("enter", "space", "p"):
        step = selector.press(key, 50.2)
        assert step.move is None and step.hint and step.selector == selector
    typed = selector.press("8", 50.1).selector
    assert typed.press("enter", 50.26).move == Play(8, 1)


def test_a_second_click_decides() -> None:
    selector = following("2x11 2x8", "2x12")
    step = selector.choose(Play(8, 2), LATE)
    assert step.move is None and isinstance(step.selector, PlaySelector)
    assert step.selector.choose(Play(8, 2), LATE).move == Play(8, 2)
    assert step.selector.choose_rank(8, LATE).move == Play(8, 2)
    assert step.selector.choose_rank(3, LATE).hint
    assert step.selector.choose(Play(1, 2), LATE).selector == step.selector


@settings(max_examples=60)
@given(st.randoms(use_true_random=False), st.lists(st.sampled_from(ANY_KEY), max_size=25))
def test_no_keys_make_an_illegal_play(chance: random.Random, keys: list[str]) -> None:
    hand = tuple(sorted(chance.sample(DECK, chance.randint(1, 20))))
    counts = counts_of(hand)
    choices: list[Move] = [*legal_leads(counts)]
    if chance.random() < 0.5:
        top = chance.choice(legal_leads(counts_of(chance.sample(DECK, 12))))
        choices = [*legal_follows(counts, top), PASS]
    selector: Selector = PlaySelector.of(choices, hand)
    for key in keys:
        step = selector.press(key, LATE)
        assert step.move is None or step.move in choices
        selector = step.selector
        assert isinstance(selector, PlaySelector)
        assert selector.chosen in (*choices, None)
        assert (selector.chosen is None) <= (PASS in choices)
        assert selector.chosen in selector.groups


# -- how many keys it takes -------------------------------------------------------------------


def strokes(start: PlaySelector, most: int) -> dict[str, int]:
    """The fewest keys for each choice, breadth first over the selector, up to `most` keys."""
    found: dict[str, int] = {}
    if start.can_pass:
        found["pass"] = 1
    seen = {start}
    edge = [start]
    wanted = len(start.plays) + start.can_pass
    for number in range(1, most + 1):
        for selector in edge:
            move = selector.press("enter", LATE).move
            if move is not None:
                found.setdefault(str(move), number)
        if len(found) == wanted:
            break
        following_edge: list[PlaySelector] = []
        for selector in edge:
            for key in KEYS:
                step = selector.press(key, LATE)
                assert step.move is None and isinstance(step.selector, PlaySelector)
                if step.selector not in seen:
                    seen.add(step.selector)
                    following_edge.append(step.selector)
        edge = following_edge
    return found


def decisions(seats: int, games: int, chance: random.Random) -> Iterator[tuple[Cards, list[Move]]]:
    """The decisions of hands in which everybody plays anything that is legal, as they come."""
    for _ in range(games):
        hand = Hand(deal(chance.sample(DECK, 80), seats), TableOptions(revolution="off"))
        hand.begin()
        while hand.phase is not Phase.OVER:
            seat = hand.to_act[0]
            legal = hand.legal(seat)
            if hand.phase is Phase.TRICKS:
                yield hand.cards(seat), legal
            hand.apply(seat, chance.choice(legal))


@pytest.mark.parametrize("seats", [4, 8, 10])
def test_a_follow_takes_hardly_more_than_one_key(seats: int) -> None:
    total, number = 0.0, 0
    for hand, legal in decisions(seats, 12, random.Random(seats)):
        if PASS not in legal:
            continue
        found = strokes(PlaySelector.of(legal, hand), 5)
        assert len(found) == len(legal)
        keys = [found[str(move)] for move in legal]
        assert max(keys) <= 3
        total += sum(keys) / len(keys)
        number += 1
    assert number > 50 and total / number <= 1.15


def whole(hand: Cards, move: Move) -> bool:
    """All cards of a rank, perhaps with Jesters: what people usually lead."""
    return isinstance(move, Play) and move.rank != JESTER and move.naturals == hand.count(move.rank)


@pytest.mark.parametrize("seats", [4, 8, 10])
def test_no_lead_takes_more_than_five_keys(seats: int) -> None:
    """Every lead of twelve games, and whole groups take three at most."""
    number = 0
    for hand, legal in decisions(seats, 12, random.Random(seats)):
        if PASS in legal:
            continue
        number += 1
        found = strokes(PlaySelector.of(legal, hand), 5)
        assert {str(move) for move in legal} == set(found), hand
        assert max(found[str(move)] for move in legal if whole(hand, move) or len(legal) == 1) <= 3
    assert number > 200


@pytest.mark.parametrize(
    "hand", ["5x12 7x11 2xJ", "1x12 4x11 1xJ", "9x12 11x11 10x10 2xJ", "12x12"]
)
def test_the_leads_that_are_hardest_to_type(hand: str) -> None:
    held = cards(hand)
    legal: list[Move] = [*legal_leads(counts_of(held))]
    assert set(strokes(PlaySelector.of(legal, held), 5)) == {str(move) for move in legal}


@pytest.mark.parametrize("seats", [4, 8, 10])
def test_the_suggestion_and_passing_take_one_key(seats: int) -> None:
    for hand, legal in decisions(seats, 4, random.Random(seats)):
        selector = PlaySelector.of(legal, hand)
        suggested = selector.press("enter", LATE).move
        assert suggested == (PASS if selector.suggestion is None else selector.suggestion)
        assert suggested in legal
        if PASS in legal:
            assert selector.press("space", LATE).move == PASS == selector.press("p", LATE).move


# -- taxes ------------------------------------------------------------------------------------


def giving(text: str, due: int = 2) -> TaxSelector:
    hand = cards(text)
    counts = counts_of(hand)
    decision = Decision(
        decision=1,
        kind="tax",
        choices=tuple(legal_gives(counts, due)),
        default=default_give(counts, due),
    )
    return TaxSelector.of(decision, hand)


@pytest.mark.parametrize(
    ("keys", "does"),
    [
        ("", "give 11,12"),
        ("99", "give 9,9"),
        ("129", "give 9,12"),
        ("0", "nothing: Mark 1 card more, then Enter gives."),
        ("0j", "give 10,J"),
        ("-3", "give 3,12"),
        ("<backspace>3", "give 3,12"),
        ("399", "give 9,9"),  # a third mark lets the oldest fall
        ("3<escape>", "give 11,12"),
        ("<left><up>", "nothing: Mark 1 card more, then Enter gives."),
        ("<down>3", "give 3,11"),
        ("7", "give 11,12"),  # there is no 7: the suggestion stays
        ("--", "nothing: Mark 2 cards more, then Enter gives."),
        ("1", "nothing: Mark 2 cards more, then Enter gives."),
    ],
)
def test_giving_by_keys(keys: str, does: str) -> None:
    assert decided(giving("1x12 1x11 1x10 2x9 1x3 1xJ"), keys) == does


def test_one_that_becomes_twelve() -> None:
    selector = giving("1x12 1x11 1x2 1x1", 1)
    assert decided(selector, "1") == "give 1"
    assert decided(selector, "12") == "give 12"
    assert decided(selector, "21") == "give 1"


@settings(max_examples=60)
@given(
    st.randoms(use_true_random=False),
    st.integers(1, 2),
    st.lists(st.sampled_from(ANY_KEY), max_size=25),
)
def test_no_keys_give_what_is_not_held(chance: random.Random, due: int, keys: list[str]) -> None:
    hand = tuple(sorted(chance.sample(DECK, chance.randint(4, 20))))
    legal = legal_gives(counts_of(hand), due)
    decision = Decision(decision=1, kind="tax", choices=tuple(legal), default=legal[0])
    selector: Selector = TaxSelector.of(decision, hand)
    for key in keys:
        step = selector.press(key, LATE)
        assert step.move is None or step.move in legal
        selector = step.selector
        assert isinstance(selector, TaxSelector) and len(selector.marks) <= due


def test_every_return_can_be_marked() -> None:
    hand = cards("2x12 1x11 1x10 2x2 1x1 2xJ")
    start = giving("2x12 1x11 1x10 2x2 1x1 2xJ")
    for give in legal_gives(counts_of(hand), 2):
        ranks = sorted(give.cards, reverse=True)  # 2 before 1, since 1 and 2 are 12
        keys = "".join("j" if rank == JESTER else str(rank) for rank in ranks)
        assert decided(start, keys) == str(give)


# -- revolution -------------------------------------------------------------------------------


def window(*choices: Call) -> RevolutionSelector:
    return RevolutionSelector.of(
        Decision(decision=1, kind="revolution", choices=(DECLINE, *choices), default=DECLINE)
    )


def test_enter_calls_no_revolution() -> None:
    assert window().press("enter", LATE).move == DECLINE
    assert window(Call()).press("enter", LATE).move == DECLINE
    assert window().press("r", LATE).hint


def test_r_twice_or_r_and_enter_calls() -> None:
    step = window(Call()).press("r", LATE)
    assert step.move is None and step.hint
    assert step.selector.press("r", LATE).move == Call()
    assert step.selector.press("enter", LATE).move == Call()
    assert step.selector.press("escape", LATE).selector.press("enter", LATE).move == DECLINE


def test_a_greater_revolution_is_a_choice_of_its_own() -> None:
    both = window(Call(), Call(greater=True))
    assert decided(both, "g") == "call greater"
    assert decided(both, "<right>") == "call"
    assert decided(both, "<left>") == "call greater"
    assert decided(both, "r") == "call"


def test_selectors_by_kind_of_decision() -> None:
    give = Decision(decision=1, kind="tax", choices=(Give((8,)),), default=Give((8,)))
    assert isinstance(select(give, (8,), 0.0), TaxSelector)
    call = Decision(decision=1, kind="revolution", choices=(DECLINE,), default=DECLINE)
    assert isinstance(select(call, (8,), 0.0), RevolutionSelector)
