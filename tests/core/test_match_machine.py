"""Whole matches by chance: 2 to 10 seats, any options, people coming and going, wrong moves tried.

Hypothesis looks for an order of things that breaks one of the invariants below, or that gives
other events when its record is played again.
"""

from __future__ import annotations

import random
from itertools import combinations_with_replacement
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from core.evening import Evening, table_options
from dalmuti.core import events as ev
from dalmuti.core.cards import DECK_SIZE, JESTER, RANK_SUM, Play, cards_of
from dalmuti.core.hand import Hand, Phase
from dalmuti.core.match import MatchError
from dalmuti.core.moves import DECLINE, PASS, Call, Give, IllegalMove, Move
from dalmuti.core.options import TableOptions
from dalmuti.core.policy import greedy
from dalmuti.core.record import dumps, loads, replay, verify

EVERY_MOVE: list[Move] = [
    *(Play(rank, n, j) for rank in range(0, 15) for n in range(0, 16) for j in range(0, 4)),
    *(Give(pick) for due in (1, 2) for pick in combinations_with_replacement(range(0, 15), due)),
    Call(),
    Call(greater=True),
    PASS,
    DECLINE,
]
"""The whole space of moves, and some beyond its borders."""


def state(evening: Evening) -> dict[str, Any]:
    """Everything there is to know of a match, as values that stay as they are."""
    match = evening.match
    kept = {k: v.copy() if hasattr(v, "copy") else v for k, v in vars(match).items() if k != "hand"}
    return {**kept, "hand": None if match.hand is None else vars(match.hand.copy())}


class Matches(RuleBasedStateMachine):
    """One table and all that may be done at it."""

    @initialize(options=table_options(), seed=st.integers(0, 2**32), players=st.integers(2, 10))
    def open(self, options: TableOptions, seed: int, players: int) -> None:
        self.table = Evening(options, random.Random(seed))
        for _ in range(min(players, options.seats)):
            self.table.sit()
        self.read = 0
        self.gone: dict[int, int] = {}
        self.played_rank_sum = 0

    # -- what may be done; every rule can be followed at any time, so that runs are long -----------

    @rule(nonces=st.booleans(), moves=st.integers(1, 80))
    def go_on(self, nonces: bool, moves: int) -> None:
        """Deals where there is no hand, and makes some moves."""
        match = self.table.match
        if match.state == "over":
            self.table.restart()
        if match.hand is None and len(match.order) > 1:
            for player in match.order if nonces else ():
                self.table.add_nonce(player)
            self.table.deal()
        for _ in range(moves):
            if match.hand is not None:
                self.check_hand()
                self.table.random_move()

    @rule(hands=st.integers(1, 3))
    def play_hands_out(self, hands: int) -> None:
        """To the end of a hand, with all that is checked on the way."""
        for _ in range(hands):
            self.go_on(True, 1000)

    @rule(data=st.data())
    def move(self, data: st.DataObject) -> None:
        """One move that Hypothesis chooses."""
        if self.table.match.hand is not None:
            hand = self.table.hand
            seat = data.draw(st.sampled_from(hand.to_act))
            choices = hand.legal(seat)
            assert greedy(hand.cards(seat), choices) in choices
            self.table.move(seat, data.draw(st.sampled_from(choices)))

    @rule(data=st.data())
    def try_every_move(self, data: st.DataObject) -> None:
        """`legal` and `check` agree on all moves, and what is illegal changes nothing."""
        if self.table.match.hand is None:
            return
        hand = self.table.hand
        seat = data.draw(st.one_of(st.sampled_from(hand.to_act), st.integers(-1, hand.seats)))
        legal = hand.legal(seat)
        before = state(self.table)
        for move in EVERY_MOVE:
            try:
                hand.check(seat, move)
            except IllegalMove:
                assert move not in legal
                try:
                    self.table.match.apply(seat, move)
                except IllegalMove as error:
                    assert error.code.value and str(error)
                else:
                    raise AssertionError(f"{move} was applied")
            else:
                assert move in legal
        assert state(self.table) == before

    @rule()
    def sit(self) -> None:
        if not self.table.match.full:
            self.table.sit()
            return
        before = state(self.table)
        try:
            self.table.match.sit(max(self.table.who) + 1)
        except MatchError:
            assert state(self.table) == before
        else:
            raise AssertionError("the table was full")

    @rule(data=st.data(), moves=st.integers(0, 40), back=st.booleans())
    def leave(self, data: st.DataObject, moves: int, back: bool) -> None:
        """Somebody leaves; where that was in a hand, he may come back some moves later."""
        match = self.table.match
        if not match.players:
            return
        player = data.draw(st.sampled_from(match.players))
        self.table.leave(player)
        for _ in range(moves):
            if match.hand is not None:
                self.table.random_move()
        if back and player in match.leavers:
            match.come_back(player)
            assert player in match.players

    @rule(reveal=st.booleans())
    def abandon(self, reveal: bool) -> None:
        match = self.table.match
        if match.hand is not None:
            scores, played = match.standings(), match.hands_played
            self.table.abandon(reveal=reveal)
            assert (match.standings(), match.hands_played) == (scores, played)

    # -- what always holds ----------------------------------------------------------------------

    @invariant()
    def see_what_was_said(self) -> None:
        """Follows the events, and judges each hand that ended."""
        for event, order in self.table.said[self.read :]:
            match event:
                case ev.HandStarted():
                    self.gone = dict.fromkeys(range(len(event.order)), 0)
                    self.played_rank_sum = 0
                case ev.RevolutionCalled():
                    assert not any(self.gone.values())
                case ev.Played(seat, play):
                    self.gone[seat] += play.count
                    self.played_rank_sum += sum(play.cards())
                case ev.HandEnded():
                    seats = [line.seat for line in event.places]
                    assert sorted(seats) == list(range(len(self.gone)))
                    assert len({line.player for line in event.places}) == len(seats)
                    assert all(order == () or line.player in order for line in event.places)
        self.read = len(self.table.said)

    @invariant()
    def check_hand(self) -> None:
        match = self.table.match
        assert len(match.order) + len(match.newcomers) <= match.options.seats
        assert len({*match.order, *match.newcomers}) == len(match.order) + len(match.newcomers)
        assert (match.hand is not None) == (match.state == "hand")
        if match.hand is None:
            assert not match.leavers and not match.newcomers
            return
        self.see_what_was_said()
        self.check_cards(match.hand)
        self.check_turn(match.hand)

    def check_cards(self, hand: Hand) -> None:
        """80 cards and 676 at every moment; taxes and revolutions change no hand's size."""
        held = [cards_of(counts) for counts in hand.counts]
        assert [len(cards) for cards in held] == hand.sizes
        assert sum(map(sum, held)) + self.played_rank_sum == RANK_SUM
        assert sum(hand.sizes) + sum(self.gone.values()) == DECK_SIZE
        for seat, cards in enumerate(hand.dealt):
            assert hand.sizes[seat] == len(cards) - self.gone[seat]
        assert all(counts[0] == 0 and min(counts) >= 0 for counts in hand.counts)
        assert sum(counts[JESTER] for counts in hand.counts) <= 2
        assert hand.finished == [seat for seat in hand.finished if hand.sizes[seat] == 0]
        assert len(hand.finished) == len(set(hand.finished)) == hand.sizes.count(0)

    def check_turn(self, hand: Hand) -> None:
        """Exactly one set of seats is to act, and each of them can; nobody else can."""
        assert hand.to_act
        assert (len(hand.to_act) == 1) or hand.phase in (Phase.REVOLUTION, Phase.TAXES)
        for seat in range(hand.seats):
            assert bool(hand.legal(seat)) == (seat in hand.to_act)
        for seat in hand.to_act:
            assert hand.sizes[seat] > 0
            hand.check(seat, hand.default(seat))
        if hand.top is not None:
            assert hand.owner not in hand.to_act

    def teardown(self) -> None:
        """The record of all this, read back, gives the same events and is true."""
        if not hasattr(self, "table"):
            return
        kept = loads(dumps(self.table.record()))
        assert replay(kept) == self.table.from_match
        assert all(verdict.ok for verdict in verify(kept))


TestMatches = Matches.TestCase
TestMatches.settings = settings(deadline=None, max_examples=100, stateful_step_count=30)
