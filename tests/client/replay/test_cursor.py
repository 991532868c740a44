"""Stepping in any way shows what folding from the start shows, and of all cards only one's own.

The views are held against those that the server makes (`core.views`), which come another way.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from client.replay.matches import an_evening, with_a_card_changed
from core.evening import Evening, evening
from dalmuti.client.fold import fold
from dalmuti.client.replay.cursor import Cursor, Reels, same_place
from dalmuti.client.replay.reel import shown, unroll
from dalmuti.client.replay.script import Script
from dalmuti.client.replay.telling import tell
from dalmuti.core import events as ev
from dalmuti.core.moves import Call
from dalmuti.core.record import Record
from dalmuti.core.views import TableView

MOVES = (
    "next",
    "back",
    "next_trick",
    "last_trick",
    "next_hand",
    "last_hand",
    "to_end",
)


def every_place(script: Script) -> Iterator[tuple[int, int]]:
    """All places in their order; the end of a hand is the beginning of the next."""
    for index in range(len(script)):
        for step in range(1 if index else 0, len(script.chapter(index).steps) + 1):
            yield index, step


def folded(script: Script, you: int | None) -> dict[tuple[int, int], TableView]:
    """The view at every place, folded from an empty table and without a look at any other."""
    record = script.record
    view = TableView(table=script.table, options=record.options, you=you, fair=record.fair)
    views = {(0, 0): view}
    for index in range(len(script)):
        for number, step in enumerate(script.chapter(index).steps, start=1):
            for _, seen, _ in shown(step, you):
                view = fold(view, seen)
            views[index, number] = view
    return views


@settings(deadline=None, max_examples=25)
@given(
    players=st.integers(2, 6),
    hands=st.integers(0, 3),
    seed=st.integers(0, 10_000),
    walk=st.lists(
        st.one_of(
            st.sampled_from(MOVES),
            st.tuples(st.sampled_from(("next", "back", "to_step")), st.integers(0, 70)),
            st.tuples(st.sampled_from(("to_trick", "to_hand")), st.integers(0, 30)),
            st.tuples(st.just("seen_by"), st.one_of(st.none(), st.integers(1, 2))),
        ),
        max_size=40,
    ),
)
def test_stepping_in_any_way_equals_folding_from_the_start(
    players: int, hands: int, seed: int, walk: list[str | tuple[str, int | None]]
) -> None:
    script = Script(an_evening(players, hands, seed).record())
    assert not script.problem
    views = {you: folded(script, you) for you in (None, 1, 2)}
    cursor = Cursor.at_start(script)
    for way in walk:
        name, *argument = (way,) if isinstance(way, str) else way
        cursor = getattr(cursor, name)(*argument)
        assert cursor.moment.table == views[cursor.you][cursor.index, cursor.step]
        fresh = unroll(cursor.chapter, cursor.you, opened=cursor.you is None)
        assert cursor.moment == next(islice(fresh, cursor.step, None))


@settings(deadline=None, max_examples=15)
@given(players=st.integers(2, 7), seed=st.integers(0, 10_000), locked=st.booleans())
def test_the_view_is_what_the_server_sent(players: int, seed: int, locked: bool) -> None:
    """At every step, for all players and a spectator; and open cards are those of the hand."""
    table = evening(players, seed, passing="locked" if locked else "open", revolution="optional")
    expected: list[dict[int | None, TableView]] = []
    cards: list[dict[int, tuple[int, ...]]] = []
    everybody = (None, *range(1, players + 1))

    def note() -> None:
        expected.append({you: _bare(table.view(you)) for you in everybody})
        hand, order = table.match.hand, table.match.order
        cards.append({} if hand is None else {p: hand.cards(s) for s, p in enumerate(order)})

    for _ in range(2):
        table.deal()
        note()
        while table.match.hand is not None:
            before = len(table.said)
            table.random_move()
            if len(table.said) > before:
                note()
    script = Script(table.record())
    places = [place for place in every_place(script) if place[0]]
    assert len(places) == len(expected)
    for you in everybody:
        reels = Reels(script)
        for (index, step), views, held in zip(places, expected, cards, strict=True):
            moment = Cursor(reels, index, step, you).moment
            assert _bare(moment.table) == views[you]
            assert moment.hands == (held if you is None else {})


@pytest.mark.parametrize("how", ["automatic", "optional"])
def test_R4_cards_stay_with_their_players_when_the_titles_turn_round(how: str) -> None:
    table = with_a_greater_revolution(how)
    views = {you: _bare(table.view(you)) for you in (None, 1, 2, 3, 4)}
    held = {player: table.hand.cards(seat) for seat, player in enumerate(table.match.order)}
    table.play_out()
    called = Cursor.at_start(Script(table.record()))
    while called.moment.table.hand is None or called.moment.table.hand.revolution is None:
        called = called.next()
    for you, view in views.items():
        moment = called.seen_by(you).moment
        assert _bare(moment.table) == view
        assert moment.hands == (held if you is None else {})


def with_a_greater_revolution(how: str) -> Evening:
    """A table whose Greater Peon has just called, or had to."""
    for seed in range(1000):
        table = evening(4, seed, revolution=how)
        table.deal()
        if how == "optional" and Call(greater=True) in table.hand.legal(3):
            table.move(3, Call(greater=True))
        if table.hand.revolution is not None and table.hand.revolution.greater:
            return table
    raise AssertionError("no Greater Peon has both Jesters")


def _bare(view: TableView) -> TableView:
    """Without what a record does not know (the next promise) or an evening does not tell."""
    hand = None if view.hand is None else replace(view.hand, turn=None)
    return replace(view, hand=hand, players=(), next_commitment="")


def everything(record: Record, you: int | None) -> list[object]:
    """All that a replay can show to one viewer: every view, every sentence, and the telling."""
    script = Script(record)
    assert not script.problem
    shown_: list[object] = list(tell(record, you))
    for index in range(len(script)):
        shown_ += Reels(script).get(index, you)
    return shown_


@pytest.mark.parametrize("seed", range(6))
def test_I1_no_card_of_others_changes_what_a_player_sees(seed: int) -> None:
    one, other, players = with_a_card_changed(seed, 12 * seed, over=True)
    for you in one.players:
        same = everything(one, you) == everything(other, you)
        assert same == (you not in players)
    assert everything(one, None) != everything(other, None)


@pytest.mark.parametrize("seed", range(3))
def test_I4_a_hand_without_an_end_shows_no_card(seed: int) -> None:
    """Not to its players either: whoever has the file could be any of them."""
    one, other, _ = with_a_card_changed(seed, 20, over=False)
    for you in (None, *one.players):
        assert everything(one, you) == everything(other, you)
        script = Script(one)
        hand = Cursor.at_start(script, you).to_end()
        assert not hand.chapter.over and hand.moment.hands == {}
        assert hand.moment.table.hand is not None and hand.moment.table.hand.cards is None
        assert "its cards stay hidden" in hand.moment.log[0].text


def test_only_the_hand_without_an_end_is_hidden() -> None:
    table = an_evening(4, 1)
    table.deal()
    table.random_move()
    script = Script(table.record())
    assert [script.chapter(index).over for index in range(len(script))] == [True, True, False]
    assert Cursor.at_start(script).moment.hands


@settings(deadline=None, max_examples=20)
@given(players=st.integers(2, 5), hands=st.integers(0, 3), seed=st.integers(0, 1000))
def test_every_place_is_passed_on_the_way_and_on_the_way_back(
    players: int, hands: int, seed: int
) -> None:
    script = Script(an_evening(players, hands, seed).record())
    cursor = Cursor(Reels(script))
    places = [(cursor.index, cursor.step)]
    while not cursor.at_end:
        after = cursor.next()
        assert same_place(after.back(), cursor)
        cursor = after
        places.append((cursor.index, cursor.step))
    assert same_place(cursor.next(), cursor)
    assert places == list(every_place(script))
    for number, place in enumerate(places):
        far = Cursor(Reels(script)).next(number)
        assert (far.index, far.step) == place
        assert same_place(far.back(number), Cursor(Reels(script)))


def test_tricks_begin_with_their_leads() -> None:
    script = Script(an_evening(5, 2).record())
    cursor = Cursor.at_start(script)
    assert (cursor.index, cursor.step, cursor.trick) == (1, 1, 0)
    tricks = len(cursor.chapter.leads)
    for number in range(1, tricks + 1):
        cursor = cursor.next_trick()
        hand = cursor.moment.table.hand
        assert cursor.trick == number
        if hand is not None:  # the last lead may be the last move of all
            assert len(hand.trick.acts) <= 1 and hand.tricks in (number - 1, number)
        assert same_place(cursor, cursor.to_trick(number))
    assert cursor.next_trick().step == cursor.steps
    assert (cursor.to_end().next_trick().index, cursor.to_end().next_trick().step) == (2, 1)
    for number in range(tricks - 1, 0, -1):
        cursor = cursor.last_trick()
        assert cursor.trick == number and cursor.step in cursor.chapter.leads
    assert (cursor.last_trick().index, cursor.last_trick().step) == (1, 1)
    assert cursor.last_trick().last_trick().index == 0


def test_hands_and_moves_that_are_not_there_are_the_nearest() -> None:
    script = Script(an_evening(4, 3).record())
    cursor = Cursor.at_start(script)
    assert cursor.to_hand(99).index == 3 and cursor.to_hand(-1).index == 0
    assert cursor.to_step(999).step == cursor.steps and cursor.to_step(-3).step == 1
    assert cursor.to_trick(999).step == cursor.chapter.leads[-1]
    assert cursor.next_hand().index == 2
    assert cursor.to_hand(3).next_hand().at_end
    assert same_place(cursor.next(5).last_hand(), cursor)
    assert cursor.last_hand().index == 0
    assert same_place(cursor.to_hand(0).to_trick(4), cursor.to_hand(0))


def test_rows_are_the_players_as_they_are_listed() -> None:
    script = Script(an_evening(4, 1).record())
    cursor = Cursor.at_start(script)
    assert cursor.moment.table.hand is not None
    assert cursor.rows == cursor.moment.table.hand.order
    over = cursor.to_end()
    assert over.moment.table.result is not None
    assert list(over.rows) == [line.player for line in over.moment.table.result.places]
    assert cursor.to_hand(0).next(2).rows == (1, 2)


def test_a_step_is_nothing_that_nobody_noticed() -> None:
    """R2, T3: who declined, and who has chosen a tax first, has no step of its own."""
    script = Script(evening_with_taxes().record())
    steps = script.chapter(1).steps
    kinds = [type(step.events[0]) for step in steps[:4]]
    assert kinds == [ev.HandStarted, ev.RevolutionClosed, ev.TaxesExchanged, ev.Played]


def evening_with_taxes() -> Evening:
    table = evening(4, seed=2)
    table.deal()
    while table.hand.question in ("revolution", "tax"):
        seat = table.hand.to_act[-1]
        table.move(seat, table.hand.legal(seat)[0])
    table.play_out()
    return table


def test_who_left_and_came_back_in_a_hand_is_still_there() -> None:
    table = evening(3, seed=4)
    table.deal()
    table.leave(2)
    table.random_move()
    table.match.come_back(2)
    table.play_out()
    table.deal()
    table.play_out()
    record = table.record()
    assert "Bea is back." in list(tell(record, None))
    view = Cursor.at_start(Script(record)).to_hand(2).moment.table
    assert {info.name for info in view.players} >= {"Ada", "Bea"}
