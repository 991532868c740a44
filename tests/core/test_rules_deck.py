"""Rules D, F and S of the law: deck, deal, first titles, sets. The rule is in each test's name."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.evening import evening
from core.hands import do, moves_of, tricks
from dalmuti.core import deal as shuffle
from dalmuti.core.cards import (
    DECK,
    JESTER,
    LARGEST_SET,
    RANK_SUM,
    Play,
    cards_of,
    counts_of,
    deal,
    parse_play,
)
from dalmuti.core.moves import (
    Call,
    Give,
    IllegalMove,
    MoveCode,
    check_play,
    legal_follows,
    legal_leads,
    parse_move,
)
from dalmuti.core.titles import Draw, DrawRound, Title, draw_titles, title_of


def test_D1_deck_has_rank_copies_of_each_rank_and_two_jesters() -> None:
    assert Counter(DECK) == {**{rank: rank for rank in range(1, 13)}, JESTER: 2}
    assert len(DECK) == 80
    assert sum(DECK) == RANK_SUM == 676


SIZES = {
    2: (40, 40),
    3: (27, 27, 26),
    4: (20,) * 4,
    5: (16,) * 5,
    6: (14, 14, 13, 13, 13, 13),
    7: (12, 12, 12, 11, 11, 11, 11),
    8: (10,) * 8,
    9: (9,) * 8 + (8,),
    10: (8,) * 10,
}


@pytest.mark.parametrize("seats", SIZES)
def test_D2_all_cards_are_dealt_and_the_extra_ones_fall_to_the_top(seats: int) -> None:
    hands = deal(DECK, seats)
    assert tuple(map(len, hands)) == SIZES[seats]
    assert sorted(card for hand in hands for card in hand) == list(DECK)


def test_D2_cards_are_dealt_one_at_a_time_from_the_greater_dalmuti() -> None:
    deck = [*range(1, 9)] * 10
    assert deal(deck, 8) == [(rank,) * 10 for rank in range(1, 9)]


def test_D3_a_hand_is_sorted_and_hides_the_order_of_the_deal() -> None:
    deck = random.Random(1).sample(DECK, 80)
    for seats in SIZES:
        assert all(list(hand) == sorted(hand) for hand in deal(deck, seats))


def draws(*rounds: dict[int, int]) -> list[DrawRound]:
    return [DrawRound(tuple(Draw(p, card) for p, card in each.items())) for each in rounds]


@pytest.mark.parametrize(
    ("deck", "rounds", "order"),
    [
        ([5, 2, 9], [{1: 5, 2: 2, 3: 9}], [2, 1, 3]),
        ([JESTER, 12, 1], [{1: 13, 2: 12, 3: 1}], [3, 2, 1]),
    ],
)
def test_F1_lowest_card_is_greater_dalmuti_and_a_jester_counts_13(
    deck: list[int], rounds: list[dict[int, int]], order: list[int]
) -> None:
    assert draw_titles([1, 2, 3], deck) == (draws(*rounds), order)


def test_F1_titles_by_number_of_seats() -> None:
    def titles(seats: int) -> list[str]:
        return ["".join(w[0] for w in title_of(s, seats).split("_")) for s in range(seats)]

    assert titles(2) == ["gd", "gp"]
    assert titles(3) == ["gd", "m", "gp"]
    assert titles(4) == ["gd", "ld", "lp", "gp"]
    for seats in range(5, 11):
        assert titles(seats) == ["gd", "ld", *["m"] * (seats - 4), "lp", "gp"]
    assert title_of(2, 5) is Title.MERCHANT


def test_F2_the_french_example_two_12s_redraw_a_5_and_a_jester() -> None:
    """The 5 takes the better of the two last places although it beats other players' cards."""
    rounds, order = draw_titles([1, 2, 3, 4, 5], [12, 6, 1, 2, 12, 5, JESTER, 3, 3])
    assert rounds == draws({1: 12, 2: 6, 3: 1, 4: 2, 5: 12}, {1: 5, 5: JESTER})
    assert order == [3, 4, 2, 1, 5]


@pytest.mark.parametrize(
    ("deck", "rounds", "order"),
    [
        # Two ties: the better one is settled first, each within its own places.
        (
            [3, 7, 3, 7, 9, 2, 1, 12],
            [{1: 3, 2: 7, 3: 3, 4: 7}, {1: 9, 3: 2}, {2: 1, 4: 12}],
            [3, 1, 2, 4],
        ),
        # Three tie, two of them again.
        (
            [8, 8, 8, 1, 4, 9, 4, 2, 3],
            [{1: 8, 2: 8, 3: 8, 4: 1}, {1: 4, 2: 9, 3: 4}, {1: 2, 3: 3}],
            [4, 1, 3, 2],
        ),
        # Both Jesters tie for the last places.
        ([13, 13, 1, 2, 6, 5], [{1: 13, 2: 13, 3: 1, 4: 2}, {1: 6, 2: 5}], [3, 4, 2, 1]),
    ],
)
def test_F2_who_ties_draws_again_inside_the_places_he_ties_for(
    deck: list[int], rounds: list[dict[int, int]], order: list[int]
) -> None:
    assert draw_titles([1, 2, 3, 4], deck) == (draws(*rounds), order)


def test_F2_redraws_use_no_card_twice_and_settle_ten_players() -> None:
    ties = 0
    for seed in range(300):
        deck = random.Random(seed).sample(DECK, 80)
        rounds, order = draw_titles(range(1, 11), deck)
        drawn = [draw.card for each in rounds for draw in each.draws]
        assert drawn == deck[: len(drawn)]
        assert sorted(order) == list(range(1, 11))
        ties += len(rounds) > 1
        first = {draw.player: draw.card for draw in rounds[0].draws}
        assert [first[player] for player in order] == sorted(first.values())
    assert ties > 280


@pytest.mark.parametrize(("players", "share"), [(4, 0.46), (8, 0.96)])
def test_F2_ties_are_as_common_as_the_rules_say(players: int, share: float) -> None:
    chance = random.Random(players)
    tied = 0
    for _ in range(4000):
        rounds, _ = draw_titles(range(players), chance.sample(DECK, 80))
        tied += len(rounds) > 1
    assert tied / 4000 == pytest.approx(share, abs=0.02)


def test_F2_a_deck_that_runs_out_leaves_the_rest_as_they_sit() -> None:
    rounds, order = draw_titles([1, 2, 3], [4, 4, 4, 2])
    assert (rounds, order) == (draws({1: 4, 2: 4, 3: 4}), [1, 2, 3])


@pytest.mark.parametrize("text", ["1x1", "3x9", "3x9+1J", "4x12+2J", "2x2+1J", "1xJ", "2xJ"])
def test_S1_a_set_is_naturals_of_one_rank_and_up_to_two_jesters(text: str) -> None:
    hand = counts_of(DECK)
    check_play(hand, None, parse_play(text))
    assert parse_play(text) in legal_leads(hand)
    assert str(parse_play(text)) == text
    assert len(parse_play(text).cards()) == parse_play(text).count


def test_S1_jesters_take_the_rank_of_the_naturals() -> None:
    hand = tricks("5 J", "6 6")
    events = do(hand, "0 2x5+1J")
    assert events[0].play == Play(5, 2, 1)  # type: ignore[attr-defined]
    hand = tricks("9 9 12", "8 J 12", "3 3 3")
    do(hand, "0 2x9", "1 2x8+1J")
    assert hand.top == Play(8, 2, 1)
    assert "2x3" in moves_of(hand, 2)


@pytest.mark.parametrize("count", [1, 2])
def test_S2_jesters_alone_are_rank_13_they_lead_and_never_follow(count: int) -> None:
    alone = Play(JESTER, count, count)
    hand = counts_of((12, 12, JESTER, JESTER))
    check_play(hand, None, alone)
    for rank in range(1, 14):
        top = Play(rank, count, count if rank == JESTER else 0)
        assert alone not in legal_follows(hand, top)
        with pytest.raises(IllegalMove) as error:
            check_play(hand, top, alone)
        assert error.value.code is MoveCode.NOT_LOWER
    check_play(hand, alone, Play(12, count))


@pytest.mark.parametrize(
    ("play", "code"),
    [
        ("3x8", None),
        ("3x1", MoveCode.NOT_HELD),
        ("3x9", MoveCode.NOT_LOWER),
        ("3x10", MoveCode.NOT_LOWER),
        ("2x8", MoveCode.WRONG_COUNT),
        ("4x8", MoveCode.WRONG_COUNT),
        ("3x8+1J", None),
    ],
)
def test_S3_to_follow_takes_as_many_cards_of_a_lower_rank(play: str, code: MoveCode | None) -> None:
    hand = counts_of(DECK)
    if code is None:
        check_play(hand, Play(9, 3), parse_play(play))
        return
    with pytest.raises(IllegalMove) as error:
        check_play(hand, Play(9, 3), parse_play(play))
    assert error.value.code is code


@pytest.mark.parametrize(
    "play",
    [
        Play(9, 0),
        Play(9, -1),
        Play(9, 10**30),
        Play(9, 10**5000),
        Play(0, 1),
        Play(14, 1),
        Play(-1, 1),
        Play(9, 2, 2),
        Play(9, 2, 3),
        Play(9, 2, -1),
        Play(9, 4),
        Play(9, 5, 2),
        Play(13, 2, 0),
        Play(13, 2, 1),
        Play(13, 3, 3),
        Play(True, 1),
        Play("9", 1),  # type: ignore[arg-type]
        Play(9, 1.0),  # type: ignore[arg-type]
        Play(9, None),  # type: ignore[arg-type]
    ],
    ids=lambda play: str(play.rank)[:9] + "." + str(type(play.count)),
)
def test_S4_what_the_hand_does_not_hold_is_refused_whatever_its_shape(play: Play) -> None:
    hand = tricks("9 9 9 J 12", "1 2 3")
    before = vars(hand.copy())
    with pytest.raises(IllegalMove) as error:
        hand.apply(0, play)
    assert error.value.code in (MoveCode.NOT_A_SET, MoveCode.NOT_HELD)
    assert len(str(error.value)) < 200
    assert vars(hand) == before


def test_S5_jesters_may_be_added_groups_split_and_sets_be_larger_than_their_rank() -> None:
    hand = counts_of((2, 2, 9, 9, 9, JESTER))
    leads = set(map(str, legal_leads(hand)))
    assert {"3x2+1J", "1x2", "2x2+1J", "1x9", "2x9", "4x9+1J"} <= leads
    largest = max(legal_leads(counts_of(DECK)), key=lambda play: play.count)
    assert (largest, LARGEST_SET) == (Play(12, 14, 2), 14)


counts = st.lists(st.sampled_from(DECK), max_size=30).map(
    lambda some: [min(n, 2 if r == JESTER else r) for r, n in enumerate(counts_of(some))]
)
SPACE = [Play(r, n, j) for r in range(0, 15) for n in range(0, 16) for j in range(0, 4)]
TOPS = [p for p in SPACE if 1 <= p.rank <= JESTER and 1 <= p.count <= LARGEST_SET]


@settings(deadline=None, max_examples=60)
@given(counts, st.one_of(st.none(), st.sampled_from(TOPS)))
def test_S_legal_and_check_agree_on_every_set_there_is(held: list[int], top: Play | None) -> None:
    legal = legal_leads(held) if top is None else legal_follows(held, top)
    assert len(legal) == len(set(legal))
    for play in SPACE:
        try:
            check_play(held, top, play)
            passes = True
        except IllegalMove:
            passes = False
        assert passes == (play in legal), play


@given(counts)
def test_S_leads_and_follows_come_weakest_first(held: list[int]) -> None:
    ranks = [play.rank for play in legal_leads(held)]
    assert ranks == sorted(ranks, reverse=True)
    ranks = [play.rank for play in legal_follows(held, Play(13, 2, 2))]
    assert ranks == sorted(ranks, reverse=True)


@pytest.mark.parametrize(
    "text",
    ["", "9", "3x", "x9", "3x13", "0x9", "15x12", "1x9+1J", "3xJ", "3x9+3J", "٣x9", "3x9+J+J"],
)
def test_text_that_is_no_set_is_refused_with_what_was_expected(text: str) -> None:
    with pytest.raises(ValueError, match=r"set of cards|expected a set"):
        parse_play(text)


@pytest.mark.parametrize(
    "move",
    [
        Play(9, 3, 1),
        Play(13, 1, 1),
        Give((9, 12)),
        Give((13,)),
        Call(),
        Call(greater=True),
        parse_move("pass"),
        parse_move("decline"),
    ],
    ids=str,
)
def test_text_of_moves_goes_both_ways(move: object) -> None:
    assert parse_move(str(move)) == move
    assert parse_move(f"  {str(move).upper().replace('X', 'x')} ") == move


def test_cards_and_counts_are_two_forms_of_one_thing() -> None:
    assert cards_of(counts_of(DECK)) == DECK
    assert Give((12, 9)) == Give((9, 12))


def test_F1_the_draw_comes_from_another_shuffle_than_the_deal() -> None:
    table = evening(10, 3)
    table.deal()
    assert table.match.draw is not None
    drawn = [draw.card for each in table.match.draw.rounds for draw in each.draws]
    seed, nonces = table._dealt_seed, table.nonces
    assert drawn == shuffle.shuffled(DECK, seed, nonces, "titles")[: len(drawn)]
    assert drawn != shuffle.deck_of(seed, nonces)[: len(drawn)]
