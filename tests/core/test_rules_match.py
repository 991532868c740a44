"""Rules P8, C, J and I of the law, and the table options: hands in a row. The rule is in each name.

J4, I2, I3 and I4 are about connections, timing and logs; they are tested with the server.
"""

from __future__ import annotations

import random

import pytest

from core.evening import Evening, evening
from dalmuti.core import events as ev
from dalmuti.core.cards import DECK, Play
from dalmuti.core.events import Event, Result, Score, TitlesChanged
from dalmuti.core.match import Match, MatchError
from dalmuti.core.moves import PASS, Call, IllegalMove
from dalmuti.core.options import CLASSIC_SEATS, OptionError, TableOptions, options_from
from dalmuti.core.titles import seat_newcomer
from dalmuti.core.views import see


def seated(*players: int, **options: str | int) -> Match:
    """A match whose players have their titles in this order."""
    match = Match(options_from({"seats": 10, "revolution": "off", **options}))
    for player in sorted(players):
        match.sit(player)
    match.give_titles((), players)
    return match


def play(match: Match, seed: int = 0) -> list[Event]:
    """Plays the hand to its end, by chance."""
    chance = random.Random(seed)
    events: list[Event] = []
    while match.hand is not None:
        seat = match.hand.to_act[0]
        events += match.apply(seat, chance.choice(match.hand.legal(seat)))
    return events


def test_P8_the_next_hand_is_seated_by_order_of_finish() -> None:
    match = seated(1, 2, 3, 4)
    match.start(random.Random(7).sample(DECK, 80))
    events = play(match)
    assert match.result is not None
    places = [line.player for line in match.result.places]
    assert match.order == places
    assert events[-1] == TitlesChanged(tuple(places))
    (started, *_) = match.start(list(DECK))
    assert isinstance(started, ev.HandStarted)
    assert started.order == tuple(places)


def test_C1_default_scoring_is_titles_only_and_counts_first_places() -> None:
    match = seated(1, 2, 3)
    winners = []
    for n in range(4):
        match.start(random.Random(n).sample(DECK, 80))
        play(match, seed=n)
        winners.append(match.order[0])
    assert all(score.points == 0 for score in match.standings())
    assert {s.player: s.hands_won for s in match.standings()} == {
        player: winners.count(player) for player in (1, 2, 3)
    }
    assert match.state == "between"


def test_C2_points_are_one_per_player_ranked_below() -> None:
    match = seated(1, 2, 3, 4, 5, scoring="points")
    match.start(list(DECK))
    events = play(match)
    assert match.result is not None
    assert [line.points for line in match.result.places] == [4, 3, 2, 1, 0]
    scored = next(event for event in events if isinstance(event, ev.Scored))
    assert [score.points for score in scored.scores] == [4, 3, 2, 1, 0]
    assert [score.hands_won for score in scored.scores] == [1, 0, 0, 0, 0]


def test_C2_the_match_ends_at_the_agreed_number_of_hands() -> None:
    match = seated(1, 2, 3, match_end="hands:2")
    match.start(list(DECK))
    assert not any(isinstance(event, ev.MatchEnded) for event in play(match))
    match.start(list(DECK))
    (ended,) = [event for event in play(match, seed=1) if isinstance(event, ev.MatchEnded)]
    assert match.state == "over"
    assert ended.winners == match.winners()
    with pytest.raises(MatchError, match="no hand can be dealt now"):
        match.start(list(DECK))


def test_C2_the_match_ends_at_the_agreed_points() -> None:
    match = seated(1, 2, 3, scoring="points", match_end="points:5")
    hands = 0
    while match.state != "over":
        assert all(score.points < 5 for score in match.standings())
        match.start(random.Random(hands).sample(DECK, 80))
        play(match, seed=hands)
        hands += 1
    best = match.standings()[0]
    assert best.points >= 5
    assert best.player in match.winners()


def test_C2_equal_points_are_shared_and_shown_by_first_places_then_by_the_last_hand() -> None:
    match = seated(1, 2, 3, 4, 5, scoring="points")
    match.scores = {
        1: Score(1, points=8, hands_won=1),
        2: Score(2, points=8, hands_won=1),
        3: Score(3, points=7, hands_won=3),
        4: Score(4, points=8, hands_won=2),
        5: Score(5, points=8, hands_won=1),
    }
    finish = (3, 5, 1, 2, 4)
    match.result = ev.HandEnded(
        1, tuple(Result(seat, player, 4 - seat) for seat, player in enumerate(finish))
    )
    assert [score.player for score in match.standings()] == [4, 5, 1, 2, 3]
    assert match.winners() == (4, 5, 1, 2)


def test_C3_an_abandoned_hand_scores_nothing_and_keeps_the_titles() -> None:
    match = seated(3, 1, 2, scoring="points", match_end="hands:1")
    match.start(list(DECK))
    assert match.abandon() == [ev.HandAbandoned(1), TitlesChanged((3, 1, 2))]
    assert (match.standings(), match.hands_played, match.state) == ((), 0, "between")
    with pytest.raises(MatchError, match="no hand is being played"):
        match.abandon()
    with pytest.raises(MatchError, match="no hand is being played"):
        match.apply(0, PASS)


def test_C3_an_abandoned_hand_takes_its_greater_revolution_back() -> None:
    """R4: titles reversed by it last for the hand, and this hand counts for nothing."""
    match = seated(1, 2, 3, revolution="optional")
    deck = [card for card in DECK if card != 13]
    deck.insert(2, 13)
    deck.insert(5, 13)
    match.start(deck)
    match.apply(2, Call(greater=True))
    assert match.order == [3, 2, 1]
    assert match.seat_of(3) == 0
    assert match.abandon()[-1] == TitlesChanged((1, 2, 3))


def test_R4_reversed_titles_last_for_the_hand_and_the_finish_seats_the_next() -> None:
    match = seated(1, 2, 3, revolution="optional")
    deck = [card for card in DECK if card != 13]
    deck.insert(2, 13)
    deck.insert(5, 13)
    match.start(deck)
    match.apply(2, Call(greater=True))
    play(match)
    assert match.result is not None
    assert {line.seat: line.player for line in match.result.places} == {0: 3, 1: 2, 2: 1}
    assert match.order == [line.player for line in match.result.places]


@pytest.mark.parametrize(
    ("order", "seated_as"),
    [
        ([], [9]),
        ([1], [1, 9]),
        ([1, 2], [1, 9, 2]),
        ([1, 2, 3], [1, 2, 9, 3]),
        ([1, 2, 3, 4], [1, 2, 9, 3, 4]),
        ([1, 2, 3, 4, 5], [1, 2, 3, 9, 4, 5]),
        ([1, 2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 9, 6, 7]),
    ],
)
def test_J1_a_newcomer_is_the_lowest_merchant(order: list[int], seated_as: list[int]) -> None:
    assert seat_newcomer(order, 9) == seated_as
    match = seated(*order) if len(order) > 1 else None
    if match is not None:
        assert match.sit(9) == [TitlesChanged(tuple(seated_as))]


def test_J1_several_who_come_during_a_hand_sit_in_order_of_arrival() -> None:
    match = seated(1, 2, 3, 4, 5)
    match.start(list(DECK))
    assert match.sit(6) == match.sit(7) == []
    assert match.seat_of(6) is None
    assert match.newcomers == [6, 7]
    events = play(match)
    assert match.result is not None
    a, b, c, d, e = (line.player for line in match.result.places)
    assert events[-1] == TitlesChanged((a, b, c, 6, 7, d, e))


def test_J1_a_newcomer_who_goes_before_the_hand_is_over_leaves_no_trace() -> None:
    match = seated(1, 2, 3)
    match.start(list(DECK))
    match.sit(4)
    assert match.leave(4) == []
    play(match)
    assert sorted(match.order) == [1, 2, 3]


def test_J1_before_the_first_titles_everyone_sits_down_at_the_end() -> None:
    match = Match(TableOptions())
    for player in (1, 2, 3, 4, 5):
        match.sit(player)
    assert match.order == [1, 2, 3, 4, 5]


def test_J1_a_full_table_and_a_second_seat_are_refused() -> None:
    match = seated(1, 2, 3, seats=3)
    for player, message in ((4, "the table is full"), (2, "player 2 sits here already")):
        with pytest.raises(MatchError, match=message):
            match.sit(player)
    assert match.players == [1, 2, 3]


def test_J2_leaving_between_hands_closes_the_order_up() -> None:
    match = seated(4, 2, 1, 3)
    assert match.leave(2) == [TitlesChanged((4, 1, 3))]
    with pytest.raises(MatchError, match="player 2 does not sit here"):
        match.leave(2)
    match.leave(4)
    match.leave(3)
    with pytest.raises(MatchError, match="a hand needs 2 players, here sits 1"):
        match.start(list(DECK))


def test_J3_who_leaves_in_a_hand_is_played_for_to_its_end_and_then_gone() -> None:
    match = seated(1, 2, 3, 4, scoring="points")
    match.start(random.Random(3).sample(DECK, 80))
    assert match.leave(2) == []
    assert match.seat_of(2) == 1
    assert match.players == [1, 3, 4]
    events = play(match)
    ended = next(event for event in events if isinstance(event, ev.HandEnded))
    line = next(line for line in ended.places if line.player == 2)
    assert (line.standin, line.points) == (True, 0)
    assert 2 not in {score.player for score in match.standings()}
    assert len(ended.places) == 4
    assert match.order == [each.player for each in ended.places if each.player != 2]


def test_J3_a_leaver_may_come_back_into_the_hand_and_then_keeps_his_place() -> None:
    match = seated(1, 2, 3)
    match.start(list(DECK))
    match.leave(2)
    match.come_back(2)
    play(match)
    assert match.result is not None
    assert not any(line.standin for line in match.result.places)
    assert sorted(match.order) == [1, 2, 3]
    with pytest.raises(MatchError, match="player 2 has not left"):
        match.come_back(2)


def test_J3_a_seat_left_in_this_hand_is_taken_until_its_end() -> None:
    """Else somebody could sit down on it and its player could not take it back."""
    match = seated(1, 2, 3, seats=3)
    match.start(list(DECK))
    match.leave(2)
    assert match.full
    with pytest.raises(MatchError, match="the table is full"):
        match.sit(4)
    with pytest.raises(MatchError, match="player 2 sits here already"):
        match.sit(2)
    play(match)
    assert not match.full
    match.sit(4)
    assert len(match.order) == 3


def out_first(match: Match) -> int:
    """Plays until somebody is out, and returns that player."""
    chance = random.Random(1)
    while match.hand is not None and not match.hand.finished:
        seat = match.hand.to_act[0]
        match.apply(seat, chance.choice(match.hand.legal(seat)))
    assert match.hand is not None
    return match.order[match.hand.finished[0]]


def test_J3_who_went_out_before_leaving_keeps_his_place_and_points() -> None:
    match = seated(1, 2, 3, 4, scoring="points")
    match.start(random.Random(1).sample(DECK, 80))
    leaver = out_first(match)
    match.leave(leaver)
    play(match)
    assert match.result is not None
    first = match.result.places[0]
    assert (first.player, first.points, first.standin) == (leaver, 3, False)
    assert match.scores[leaver] == Score(leaver, points=3, hands_won=1)
    assert leaver not in match.order
    match.start(list(DECK))
    assert leaver not in match.scores


def test_J3_a_place_the_stand_in_played_for_is_not_given_to_who_comes_back_late() -> None:
    match = seated(1, 2, 3, 4, scoring="points")
    match.start(random.Random(1).sample(DECK, 80))
    twin = seated(1, 2, 3, 4)
    twin.start(random.Random(1).sample(DECK, 80))
    player = out_first(twin)
    match.leave(player)
    assert out_first(match) == player
    match.come_back(player)
    play(match)
    assert match.result is not None
    assert (match.result.places[0].player, match.result.places[0].standin) == (player, True)
    assert player not in match.scores
    assert match.order[0] == player


def test_J3_all_may_leave_and_the_hand_still_ends() -> None:
    match = seated(1, 2, 3)
    match.start(list(DECK))
    for player in (1, 2, 3):
        match.leave(player)
    play(match)
    assert (match.order, match.players, match.state) == ([], [], "between")
    assert match.winners() == ()


@pytest.mark.parametrize("seats", [2, 3, 9, 10])
def test_J5_small_and_large_tables_play_with_the_same_cards(seats: int) -> None:
    match = seated(*range(1, seats + 1))
    match.start(random.Random(seats).sample(DECK, 80))
    assert match.hand is not None
    assert sum(match.hand.sizes) == 80
    assert seats not in CLASSIC_SEATS
    assert list(CLASSIC_SEATS) == [4, 5, 6, 7, 8]
    play(match)
    assert sorted(match.order) == list(range(1, seats + 1))


def test_I1_cards_of_others_are_in_nothing_that_a_viewer_sees() -> None:
    dealt = ev.HandsDealt(((1, 2), (3, 4), (5, 6)))
    assert see(dealt, 1) == ev.Dealt((2, 2, 2), (3, 4))
    assert see(dealt, None) == ev.Dealt((2, 2, 2), None)
    paid = ev.TaxesExchanged(
        (ev.Exchange(3, 0, 2, (1, 2), (11, 12)), ev.Exchange(2, 1, 1, (3,), (9,)))
    )
    first, second = paid.exchanges
    hidden = [ev.Exchange(e.payer, e.receiver, e.count) for e in paid.exchanges]
    assert see(paid, 3) == see(paid, 0) == ev.TaxesPaid((first, hidden[1]))
    assert see(paid, 2) == see(paid, 1) == ev.TaxesPaid((hidden[0], second))
    assert see(paid, None) == see(paid, 4) == ev.TaxesPaid(tuple(hidden))


def test_I1_sizes_plays_passes_places_and_callers_are_public() -> None:
    for event in (
        ev.Played(1, Play(9, 2, 1), 7),
        ev.Passed(2),
        ev.WentOut(1, 1),
        ev.TrickEnded(1, 2),
        ev.RevolutionCalled(3, greater=True),
        ev.HandEnded(1, (Result(0, 1, 0),)),
    ):
        assert see(event, None) == see(event, 0) == event


def test_I1_what_is_chosen_but_not_committed_shows_nowhere() -> None:
    """A sealed return and a declined revolution change no view of anybody."""
    table = evening(4, 1)
    table.deal()
    for kind in ("decline", "give"):
        viewers = [table.view(player) for player in (*table.match.order, None)]
        said = len(table.said)
        seat = table.hand.to_act[0]
        table.move(seat, table.hand.legal(seat)[0])
        assert [table.view(player) for player in (*table.match.order, None)] == viewers, kind
        assert len(table.said) == said
        while kind == "decline" and table.hand.phase == "revolution":
            table.move(table.hand.to_act[0], table.hand.legal(table.hand.to_act[0])[0])


@pytest.mark.parametrize(("value", "due"), [("on", True), ("off", False)])
def test_T4_and_option_first_hand_taxes(value: str, due: bool) -> None:
    match = seated(1, 2, 3, 4, first_hand_taxes=value)
    events = match.start(list(DECK))
    assert any(isinstance(event, ev.TaxesDue) for event in events) == due
    match.abandon()
    events = match.start(list(DECK))
    assert any(isinstance(event, ev.TaxesDue) for event in events) == due, "nothing counted yet"
    play(match)
    events = match.start(list(DECK))
    assert any(isinstance(event, ev.TaxesDue) for event in events)


@pytest.mark.parametrize("how", ["draw", "random", "order_of_arrival"])
def test_option_first_titles(how: str) -> None:
    orders = set()
    for seed in range(20):
        table = Evening(options_from({"seats": 5, "first_titles": how}), random.Random(seed))
        for _ in range(5):
            table.sit()
        table.deal()
        assert table.match.draw is not None
        assert bool(table.match.draw.rounds) == (how == "draw")
        orders.add(table.match.draw.order)
    assert orders == {(1, 2, 3, 4, 5)} if how == "order_of_arrival" else len(orders) > 10


def test_first_titles_are_found_once() -> None:
    match = seated(1, 2, 3)
    with pytest.raises(MatchError, match="have been found already"):
        match.give_titles((), (3, 2, 1))
    other = Match(TableOptions())
    other.sit(1)
    other.sit(2)
    with pytest.raises(MatchError, match="not the titles of the players who wait"):
        other.give_titles((), (1, 3))
    assert [type(event) for event in other.find_titles(list(DECK)[::-1])] == [ev.TitlesDrawn]


def test_a_match_that_is_over_can_be_begun_anew() -> None:
    match = seated(1, 2, 3, match_end="hands:1", first_hand_taxes="off")
    with pytest.raises(MatchError, match="the match is not over"):
        match.restart()
    match.start(list(DECK))
    play(match)
    match.sit(4)
    assert match.restart() == [ev.MatchRestarted()]
    assert (match.state, match.standings(), match.result, match.draw) == ("waiting", (), None, None)
    match.sit(5)
    assert match.order[-1] == 5
    match.give_titles((), (5, 4, 3, 2, 1))
    events = match.start(list(DECK))
    assert match.hands_begun == 2
    assert not any(isinstance(event, ev.TaxesDue) for event in events)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"colour": "red"}, "unknown option 'colour'; the options are seats, first_titles"),
        ({"seats": 1}, "seats: expected 2 to 10, found 1"),
        ({"seats": "eleven"}, "seats: expected 2 to 10, found 'eleven'"),
        ({"passing": "maybe"}, "passing: expected open, locked, found 'maybe'"),
        ({"turn_seconds": 3}, "turn_seconds: expected 0 (no clock) or 5 to 600, found 3"),
        ({"turn_seconds": 601}, "turn_seconds: expected 0 (no clock) or 5 to 600, found 601"),
        ({"match_end": "points"}, "match_end: expected open, points:N or hands:N, found 'points'"),
        ({"match_end": "points:9"}, "match_end=points:9 needs scoring=points"),
        ({"greater_revolution": "choice", "revolution": "off"}, "needs revolution=optional"),
    ],
)
def test_options_that_make_no_sense_are_refused_by_name(
    values: dict[str, str | int], message: str
) -> None:
    with pytest.raises(OptionError) as error:
        options_from(values)
    assert message in str(error.value)


def test_options_have_the_defaults_of_the_rules() -> None:
    assert options_from({}) == TableOptions()
    assert options_from({"seats": "6", "turn_seconds": "0"}).turn_seconds == 0
    assert TableOptions().changed() == {}
    assert options_from({"passing": "locked", "seats": 4}).changed() == {"passing": "locked"}
    assert options_from({"match_end": "hands:12"}).end_after_hands == 12
    assert options_from({"match_end": "points:7", "scoring": "points"}).end_at_points == 7


def test_an_illegal_move_reaches_neither_the_log_nor_the_hand() -> None:
    match = seated(1, 2, 3)
    match.start(list(DECK))
    logged = len(match.log)
    with pytest.raises(IllegalMove):
        match.apply(2, PASS)
    assert len(match.log) == logged
