"""Rules R, T, P and X of the law: revolution, taxes, tricks. The rule is in each test's name."""

from __future__ import annotations

import random

import pytest

from core.hands import cards, do, moves_of, taxed, tricks, window
from dalmuti.core import events as ev
from dalmuti.core.cards import DECK, JESTER, deal, parse_play
from dalmuti.core.hand import Hand, Phase, taxes_due
from dalmuti.core.moves import IllegalMove, MoveCode, best_cards
from dalmuti.core.options import TableOptions, options_from

FOUR = ("1 7 8 9", "2 J J 10", "3 4 5 6", "9 10 11 12")


def refused(hand: Hand, move: str) -> MoveCode:
    """The code with which a move is refused; the hand must not change."""
    before = vars(hand.copy())
    with pytest.raises(IllegalMove) as error:
        do(hand, move)
    assert vars(hand) == before
    return error.value.code


# -- revolution -------------------------------------------------------------------------------


def test_R1_only_who_was_dealt_both_jesters_may_call() -> None:
    hand = window("1 J", "2 J", "J J", "3 3")
    assert [moves_of(hand, seat) for seat in range(4)] == [
        ["decline"],
        ["decline"],
        ["decline", "call"],
        ["decline"],
    ]
    assert refused(hand, "0 call") is MoveCode.NO_REVOLUTION


def test_R1_a_second_jester_received_in_taxes_does_not_count() -> None:
    """Taxes come after the window, so nobody can call with a card that he was given."""
    hand = window("1 1 J", "2 3 4", "5 6 7", "8 9 J")
    do(hand, "0 decline", "1 decline", "2 decline", "3 decline", "0 give 1,J", "1 give 4")
    assert hand.cards(3).count(JESTER) == 2
    assert refused(hand, "0 call") is MoveCode.WRONG_PHASE


@pytest.mark.parametrize("seat", range(4))
def test_R2_any_title_may_call_and_need_not(seat: int) -> None:
    dealt = ["1 2", "3 4", "5 6", "7 8"]
    dealt[seat] = "J J"
    hand = window(*dealt)
    assert moves_of(hand, seat)[0] == "decline"
    assert len(moves_of(hand, seat)) == 2
    do(hand, *(f"{each} decline" for each in range(4)))
    assert hand.revolution is None
    assert hand.phase is Phase.TAXES


def test_R2_everyone_is_asked_and_declining_is_no_event() -> None:
    hand = window(*FOUR)
    assert hand.to_act == (0, 1, 2, 3)
    assert do(hand, "2 decline", "1 decline", "0 decline") == []
    assert refused(hand, "1 decline") is MoveCode.NOT_YOUR_TURN
    assert do(hand, "3 decline") == [ev.RevolutionClosed(), ev.TaxesDue(taxes_due(4))]


def test_R2_the_window_opens_whether_or_not_anyone_could_call() -> None:
    for dealt in (FOUR, ("1 J", "2 J", "3 3", "4 4")):
        hand = Hand(list(map(cards, dealt)), TableOptions())
        assert hand.begin()[1:] == [ev.RevolutionOpened()]


def test_R3_a_call_means_no_taxes_and_leaves_the_seats() -> None:
    hand = window(*FOUR)
    assert do(hand, "0 decline", "1 call") == [ev.RevolutionCalled(1)]
    assert (hand.phase, hand.dues, hand.to_act) == (Phase.TRICKS, (), (0,))
    assert [hand.cards(seat) for seat in range(4)] == list(map(cards, FOUR))


@pytest.mark.parametrize("seats", range(2, 11))
def test_R4_a_call_by_the_greater_peon_turns_the_seats_round(seats: int) -> None:
    dealt = [f"{seat + 1} {seat + 1}" for seat in range(seats - 1)] + ["J J"]
    hand = window(*dealt)
    assert do(hand, f"{seats - 1} call greater") == [ev.RevolutionCalled(seats - 1, greater=True)]
    assert [hand.cards(seat) for seat in range(seats)] == list(map(cards, dealt[::-1]))
    assert hand.dealt == tuple(map(cards, dealt[::-1]))
    assert (hand.phase, hand.dues, hand.to_act) == (Phase.TRICKS, (), (0,))
    assert moves_of(hand, 0)[0] == "1xJ"
    if seats % 2:
        middle = seats // 2
        assert hand.cards(middle) == cards(dealt[middle])


def test_R5_the_jesters_stay_in_the_hand_and_nobody_calls_twice() -> None:
    hand = window(*FOUR)
    do(hand, "1 call")
    assert hand.cards(1).count(JESTER) == 2
    assert refused(hand, "1 call") is MoveCode.NOT_YOUR_TURN
    assert refused(hand, "0 call") is MoveCode.WRONG_PHASE


@pytest.mark.parametrize(
    ("greater", "calls"),
    [("always", ["call greater"]), ("choice", ["call", "call greater"]), ("off", ["call"])],
)
def test_option_greater_revolution(greater: str, calls: list[str]) -> None:
    hand = window("1 2", "3 4", "J J", greater_revolution=greater)
    assert moves_of(hand, 2) == ["decline", *calls]
    for other in {"call", "call greater"} - set(calls):
        assert refused(hand, f"2 {other}") is MoveCode.NO_REVOLUTION
    do(hand, f"2 {calls[-1]}")
    assert (hand.cards(0) == cards("J J")) == (greater != "off")


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_option_revolution_automatic_calls_at_once(seat: int) -> None:
    dealt = ["1 2", "3 4", "5 6"]
    dealt[seat] = "J J"
    for greater in ("always", "off"):
        options = options_from({"revolution": "automatic", "greater_revolution": greater})
        hand = Hand(list(map(cards, dealt)), options)
        called = ev.RevolutionCalled(seat, greater=seat == 2 and greater == "always")
        assert hand.begin()[1:] == [called]
        assert hand.phase is Phase.TRICKS


def test_option_revolution_off_goes_straight_to_taxes() -> None:
    hand = Hand(list(map(cards, FOUR)), options_from({"revolution": "off"}))
    assert hand.begin()[1:] == [ev.TaxesDue(taxes_due(4))]
    assert hand.to_act == (0, 1)


# -- taxes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("peon", "paid"),
    [
        ("3 1 12 12", "1 3"),
        ("4 4 4 9", "4 4"),
        ("J J 12 12", "12 12"),
        ("J J 11 12", "11 12"),
        ("9 J 12 12", "9 12"),
    ],
)
def test_T1_a_peon_pays_his_best_cards_and_never_a_jester(peon: str, paid: str) -> None:
    hand = taxed("10 10 11 11", peon)
    do(hand, "0 give 11,11")
    assert hand.exchanges[0].paid == cards(paid)
    assert best_cards(hand.counts[1], 1) == hand.cards(1)[:1]


def test_T1_two_cards_from_greater_peon_and_one_from_lesser_peon() -> None:
    assert taxes_due(6) == (ev.Due(5, 0, 2), ev.Due(4, 1, 1))


def test_T2_a_dalmuti_returns_any_cards_jesters_and_good_ones_included() -> None:
    hand = taxed("1 2 12 J", "3 3 4", "5 5 6", "7 8 9")
    assert set(moves_of(hand, 0)) == {
        "give 1,2",
        "give 1,12",
        "give 1,J",
        "give 2,12",
        "give 2,J",
        "give 12,J",
    }
    assert moves_of(hand, 1) == ["give 4", "give 3"]
    for wrong, code in (
        ("0 give 1", MoveCode.WRONG_RETURN),
        ("0 give 1,1", MoveCode.NOT_HELD),
        ("0 give 3,5", MoveCode.NOT_HELD),
        ("0 give 7,8", MoveCode.NOT_HELD),
        ("0 pass", MoveCode.WRONG_PHASE),
        ("0 1x1", MoveCode.WRONG_PHASE),
        ("3 give 7,8", MoveCode.NOT_YOUR_TURN),
    ):
        assert refused(hand, wrong) is code, wrong
    do(hand, "0 give 1,J", "1 give 3")
    assert [hand.cards(s) for s in range(4)] == [
        cards("2 7 8 12"),
        cards("3 4 5"),
        cards("3 5 6"),
        cards("1 9 J"),
    ]


@pytest.mark.parametrize("first", [0, 1])
def test_T3_nothing_moves_until_both_have_chosen(first: int) -> None:
    hand = taxed("1 2 12 12", "3 3 4", "5 5 6", "7 8 9")
    gives = ["0 give 12,12", "1 give 4"]
    before = [hand.cards(seat) for seat in range(4)]
    assert do(hand, gives[first]) == []
    assert [hand.cards(seat) for seat in range(4)] == before
    assert hand.to_act == (1 - first,)
    assert refused(hand, gives[first]) is MoveCode.NOT_YOUR_TURN
    (exchanged,) = do(hand, gives[1 - first])
    assert exchanged == ev.TaxesExchanged(
        (ev.Exchange(3, 0, 2, (7, 8), (12, 12)), ev.Exchange(2, 1, 1, (5,), (4,)))
    )


def test_T3_what_is_received_cannot_be_returned() -> None:
    hand = taxed("11 11 12 12", "1 2 3 4")
    assert refused(hand, "0 give 1,2") is MoveCode.NOT_HELD


@pytest.mark.parametrize("seats", range(2, 11))
def test_T4_hand_sizes_do_not_change_and_merchants_keep_theirs(seats: int) -> None:
    dealt = deal(random.Random(seats).sample(DECK, 80), seats)
    hand = Hand(dealt, options_from({"revolution": "off"}))
    hand.begin()
    sizes = list(hand.sizes)
    while hand.phase is Phase.TAXES:
        seat = hand.to_act[-1]
        hand.apply(seat, hand.default(seat))
    assert hand.sizes == sizes == [len(hand.cards(seat)) for seat in range(seats)]
    merchants = range(1, seats - 1) if seats == 3 else range(2, seats - 2)
    assert all(hand.cards(seat) == dealt[seat] for seat in merchants)
    assert sorted(c for seat in range(seats) for c in hand.cards(seat)) == list(DECK)


@pytest.mark.parametrize(
    ("seats", "pairs"),
    [(2, [(1, 0, 2)]), (3, [(2, 0, 2)]), (4, [(3, 0, 2), (2, 1, 1)]), (7, [(6, 0, 2), (5, 1, 1)])],
)
def test_T5_small_tables_have_the_two_card_tax_only(
    seats: int, pairs: list[tuple[int, int, int]]
) -> None:
    assert [(due.payer, due.receiver, due.count) for due in taxes_due(seats)] == pairs


# -- play -------------------------------------------------------------------------------------


def test_P1_the_greater_dalmuti_leads_and_a_leader_cannot_pass() -> None:
    hand = tricks("9 12", "1 2", "3 4")
    assert hand.to_act == (0,)
    assert refused(hand, "0 pass") is MoveCode.MUST_LEAD
    assert refused(hand, "1 1x1") is MoveCode.NOT_YOUR_TURN
    assert "pass" not in moves_of(hand, 0)


def test_P1_every_leader_has_a_legal_lead() -> None:
    for hand in ("J", "J J", "1", "12", "1 J"):
        assert moves_of(tricks(hand, "5 5"), 0)


def test_P2_play_goes_clockwise_and_skips_who_is_out() -> None:
    hand = tricks("12", "11 1", "10 9", "8 7")
    do(hand, "0 1x12", "1 1x11", "2 1x10", "3 1x8")
    assert hand.to_act == (1,)


def test_P2_a_player_may_pass_although_able_to_play() -> None:
    hand = tricks("12 5", "1 2", "3 4")
    assert moves_of(hand, 0) == ["1x12", "1x5"]
    do(hand, "0 1x12")
    assert "pass" in moves_of(hand, 1)
    do(hand, "1 pass")
    assert hand.to_act == (2,)


def test_P3_a_pass_locks_nobody_out_and_every_set_resets_the_passes() -> None:
    hand = tricks("12 8 1", "11 2 2", "9 3 3")
    do(hand, "0 1x12", "1 pass", "2 1x9", "0 1x8")
    assert hand.to_act == (1,)
    assert hand.passed == set()
    do(hand, "1 1x2")
    assert hand.owner == 1
    assert do(hand, "2 pass", "0 pass") == [
        ev.Passed(2),
        ev.Passed(0),
        ev.TrickEnded(owner=1, leader=1),
    ]


def test_option_passing_locked_keeps_who_passed_out_until_the_trick_ends() -> None:
    hand = tricks("12 8 1", "11 2 2", "9 3 3", passing="locked")
    do(hand, "0 1x12", "1 pass", "2 1x9")
    assert hand.to_act == (0,)
    do(hand, "0 1x8")
    assert hand.to_act == (2,)
    assert refused(hand, "1 1x2") is MoveCode.NOT_YOUR_TURN
    assert do(hand, "2 pass")[-1] == ev.TrickEnded(owner=0, leader=0)
    do(hand, "0 1x1")
    assert hand.to_act == (1,)


def test_option_passing_locked_gives_the_trick_to_the_last_who_has_not_passed() -> None:
    """Who beats it when all others are locked owns the trick at once."""
    hand = tricks("12 8", "11 2 2", "9 3 3", passing="locked")
    do(hand, "0 1x12", "1 pass")
    assert do(hand, "2 1x9")[-1] == ev.Played(2, parse_play("1x9"), 2)
    assert do(hand, "0 pass")[-1] == ev.TrickEnded(owner=2, leader=2)


def test_option_passing_locked_ends_the_trick_when_the_last_rival_is_out() -> None:
    hand = tricks("12", "11 2 2", "9 3 3", passing="locked")
    do(hand, "0 1x12", "1 pass")
    assert do(hand, "2 1x9") == [
        ev.Played(2, parse_play("1x9"), 2),
        ev.TrickEnded(owner=2, leader=2),
    ]


def test_P4_owner_leads_when_all_others_passed_and_need_not_pass_himself() -> None:
    hand = tricks("5 12", "1 2", "3 4", "6 7")
    events = do(hand, "0 1x5", "1 pass", "2 pass", "3 pass")
    assert events[-1] == ev.TrickEnded(owner=0, leader=0)
    assert (hand.to_act, hand.top) == ((0,), None)


def test_P5_when_the_owner_is_out_the_next_clockwise_leads() -> None:
    hand = tricks("5", "6 6", "7 7", "8 8")
    assert do(hand, "0 1x5")[1:] == [ev.WentOut(0, 1)]
    assert do(hand, "1 pass", "2 pass", "3 pass")[-1] == ev.TrickEnded(owner=0, leader=1)
    assert hand.to_act == (1,)


def test_P5_a_set_of_one_who_is_out_can_be_beaten_and_owned() -> None:
    hand = tricks("5", "6 6", "4 7", "8 8")
    do(hand, "0 1x5", "1 pass", "2 1x4")
    assert hand.owner == 2
    assert do(hand, "3 pass", "1 pass")[-1] == ev.TrickEnded(owner=2, leader=2)


def test_P5_the_french_ending() -> None:
    """Marie is out; Tatiana leads the 2; Elliot's 1 is his last; Marie is out, so Victor leads."""
    tatiana, elliot, marie, victor = range(4)
    hand = tricks("2 12 12", "1", "", "5 5")
    hand.finished.append(marie)
    assert do(hand, "0 1x2", "1 1x1")[-2:] == [
        ev.Played(elliot, parse_play("1x1"), 0),
        ev.WentOut(elliot, 2),
    ]
    assert hand.to_act == (victor,)
    assert moves_of(hand, victor) == ["pass"]
    events = do(hand, f"{victor} pass")
    assert hand.to_act == (tatiana,)
    assert moves_of(hand, tatiana) == ["pass"]
    events = do(hand, f"{tatiana} pass")
    assert events == [ev.Passed(tatiana), ev.TrickEnded(owner=elliot, leader=victor)]
    assert hand.to_act == (victor,)


def test_P6_who_has_too_few_cards_can_only_pass_and_is_waited_for() -> None:
    hand = tricks("9 9 9 12", "1 2", "8 8 8 7")
    do(hand, "0 3x9")
    assert hand.to_act == (1,)
    assert moves_of(hand, 1) == ["pass"]


def test_P7_places_are_the_order_of_the_last_cards_and_the_last_two_end_it() -> None:
    hand = tricks("1 1", "2", "3 3")
    do(hand, "0 1x1", "1 pass", "2 pass", "0 1x1")
    assert hand.finished == [0]
    do(hand, "1 pass", "2 pass")
    events = do(hand, "1 1x2")
    assert events[1:] == [ev.WentOut(1, 2), ev.WentOut(2, 3)]
    assert (hand.phase, hand.finished, hand.to_act) == (Phase.OVER, [0, 1, 2], ())
    assert hand.cards(2) == cards("3 3")
    assert refused(hand, "2 1x3") is MoveCode.NOT_YOUR_TURN


def test_P7_with_two_players_the_first_out_ends_the_hand() -> None:
    hand = tricks("5", "1 2")
    assert do(hand, "0 1x5")[1:] == [ev.WentOut(0, 1), ev.WentOut(1, 2)]


# -- what is done when the time is up ---------------------------------------------------------


@pytest.mark.parametrize(
    ("own", "lead"),
    [("1 5 12 12", "1x12"), ("1 3 3", "1x3"), ("7 J J", "1x7"), ("J J", "1xJ"), ("1", "1x1")],
)
def test_X1_default_lead_is_one_of_the_highest_number_and_a_jester_last(
    own: str, lead: str
) -> None:
    assert str(tricks(own, "2 2").default(0)) == lead


def test_X1_default_following_is_pass() -> None:
    hand = tricks("12 12", "1 2")
    do(hand, "0 1x12")
    assert str(hand.default(1)) == "pass"


@pytest.mark.parametrize(
    ("own", "give"),
    [("1 11 12 J", "11,12"), ("12 12 12 3", "12,12"), ("4 J J", "4,J"), ("J J", "J,J")],
)
def test_X1_default_return_is_the_highest_numbers_that_are_no_jesters(own: str, give: str) -> None:
    hand = taxed(own, "5 5 6 6")
    assert str(hand.default(0)) == f"give {give}"
    assert hand.default(0) == hand.legal(0)[0]


def test_X1_default_in_the_revolution_window_is_to_decline() -> None:
    hand = window(*FOUR)
    assert str(hand.default(1)) == "decline"


def test_X1_the_default_is_always_legal() -> None:
    for seed in range(40):
        chance = random.Random(seed)
        hand = Hand(deal(chance.sample(DECK, 80), chance.randint(2, 10)), TableOptions())
        hand.begin()
        while hand.phase is not Phase.OVER:
            seat = chance.choice(hand.to_act)
            assert hand.default(seat) in hand.legal(seat)
            hand.apply(seat, chance.choice((hand.default(seat), chance.choice(hand.legal(seat)))))


def test_a_copy_of_a_hand_is_independent() -> None:
    chance = random.Random(5)
    hand = Hand(deal(chance.sample(DECK, 80), 5), TableOptions())
    hand.begin()
    while hand.phase is not Phase.OVER:
        before = vars(hand.copy())
        branch = hand.copy()
        seat = chance.choice(branch.to_act)
        branch.apply(seat, chance.choice(branch.legal(seat)))
        assert vars(hand) == before
        hand = branch
