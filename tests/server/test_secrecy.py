"""Non-interference (rules.md I, T4, R2; server.md 8.4): what a viewer may not know has no effect.

Two full states that differ only in cards the viewer may not see are played with the same public
actions at the same times; every byte that the viewer gets, and the time at which he gets it, must
be the same. Commitments are held equal by the dealer of the simulation. The second state is made
from the first: cards that nobody has shown yet change hands between the others, before the taxes,
such that the same sets can be played and the Peons' forced payments fit.
"""

from __future__ import annotations

import random

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec import Struct

from dalmuti.core import events as ev
from dalmuti.core.cards import DECK, Cards, Play, cards_of, counts_of, deal
from dalmuti.core.hand import Phase, taxes_due
from dalmuti.core.moves import DECLINE, PASS, Give, Move, Pass, best_cards
from dalmuti.protocol import messages as msg
from server.sim import Sim

PLAIN: dict[str, str | int] = {"seats": 2, "revolution": "off", "first_hand_taxes": "off"}


class Script(Struct):
    """All that happens in the beginning of a hand: the secrets, and what is public."""

    hands: list[Cards]
    """As dealt, by seat."""
    gives: dict[int, Cards]
    """What each receiver of a tax returns."""
    public: list[tuple[int, Play | Pass]]
    """Sets and passes by seat."""


def told(script: Script, viewer: int | None, standin: int | None) -> list[tuple[float, bytes]]:
    """Plays the script; what the player in seat `viewer`, or a spectator, was sent and when."""
    seats = len(script.hands)
    deck = [0] * len(DECK)
    for seat, cards in enumerate(script.hands):
        deck[seat::seats] = cards
    sim = Sim(options={"seats": seats, "turn_seconds": 30}, decks=[deck], seed=9)
    conns = [sim.host, *(sim.join(f"Guest{n}") for n in range(2, seats + 1))]
    watcher = sim.watch("Zoe")
    if standin is not None:
        sim.ask(conns[standin], msg.Away)
    sim.ask(sim.host, msg.Deal)
    for seat in range(seats):
        if seat != standin:
            sim.advance(0.2)
            assert sim.act(conns[seat], DECLINE) == "ok"
    while not sim.viewers[watcher].events(ev.RevolutionClosed):
        sim.advance(0.1)
    if standin is not None:
        sim.ask(conns[standin], msg.Away, away=False)
    for receiver, cards in sorted(script.gives.items()):
        sim.advance(0.3)
        assert sim.act(conns[receiver], Give(cards)) == "ok"
    for seat, move in script.public:
        sim.advance(0.5)
        assert sim.act(conns[seat], move) == "ok"
    assert not sim.viewers[watcher].events(ev.HandEnded)
    return sim.viewers[watcher if viewer is None else conns[viewer]].times


def first_script(chance: random.Random, seats: int, moves: int) -> Script:
    """Random hands, returns and plays."""
    deck = list(DECK)
    chance.shuffle(deck)
    sim = Sim(options={"seats": seats, "revolution": "off"}, decks=[deck], seed=9)
    conns = [sim.host, *(sim.join(f"Guest{n}") for n in range(2, seats + 1))]
    gives: dict[int, Cards] = {}
    public: list[tuple[int, Play | Pass]] = []
    sim.ask(sim.host, msg.Deal)
    hand = sim.table.play.match.hand
    assert hand is not None
    while hand.phase is Phase.TAXES or (hand.phase is Phase.TRICKS and len(public) < moves):
        conn = sim.asked()[0]
        decision = sim.viewers[conn].decision
        assert decision is not None
        move: Move = chance.choice(decision.choices)
        sim.act(conn, move)
        if isinstance(move, Give):
            gives[conns.index(conn)] = move.cards
        elif isinstance(move, Play | Pass):
            public.append((conns.index(conn), move))
    if hand.phase is Phase.OVER:
        public.pop()
    return Script(deal(deck, seats), gives, public)


def other_script(chance: random.Random, first: Script, viewer: int | None) -> Script | None:
    """The same to the viewer, with other secrets; None if this attempt found none."""
    seats = len(first.hands)
    dues = taxes_due(seats)
    paid = {due: best_cards(counts_of(first.hands[due.payer]), due.count) for due in dues}
    after = [list(cards) for cards in first.hands]
    for due in dues:
        move_cards(after[due.payer], after[due.receiver], paid[due])
        move_cards(after[due.receiver], after[due.payer], first.gives[due.receiver])
    shown: list[list[int]] = [[] for _ in range(seats)]
    for seat, move in first.public:
        if isinstance(move, Play):
            shown[seat] += move.cards()
    fixed = [after[seat][:] if seat == viewer else shown[seat][:] for seat in range(seats)]
    for due in dues:
        if viewer == due.payer:
            fixed[due.receiver] = union(shown[due.receiver], paid[due])
        elif viewer == due.receiver:
            fixed[due.payer] = union(shown[due.payer], first.gives[due.receiver])
    pool = list(DECK)
    for cards in fixed:
        for card in cards:
            if card not in pool:
                return None
            pool.remove(card)
    chance.shuffle(pool)
    hands = [
        cards + [pool.pop() for _ in range(len(after[s]) - len(cards))]
        for s, cards in enumerate(fixed)
    ]
    gives: dict[int, Cards] = {}
    for due in dues:
        payer, receiver = hands[due.payer], hands[due.receiver]
        if viewer in (due.payer, due.receiver):
            pays, returns = paid[due], first.gives[due.receiver]
        else:
            pays = best_cards(counts_of(receiver), due.count)
            returns = tuple(sorted(payer)[: due.count])
        if not all(card in payer for card in returns):
            return None
        move_cards(payer, receiver, returns)
        move_cards(receiver, payer, pays)
        if best_cards(counts_of(payer), due.count) != pays:
            return None
        gives[due.receiver] = returns
    return Script([tuple(sorted(cards)) for cards in hands], gives, first.public)


def move_cards(giver: list[int], taker: list[int], cards: Cards) -> None:
    for card in cards:
        giver.remove(card)
        taker.append(card)


def union(one: list[int], two: Cards) -> list[int]:
    """The smallest hand that holds both."""
    a, b = counts_of(one), counts_of(two)
    return list(cards_of([max(pair) for pair in zip(a, b, strict=True)]))


@settings(max_examples=150)
@given(
    seed=st.integers(0, 2**32),
    seats=st.integers(3, 6),
    viewer=st.one_of(st.none(), st.integers(0, 5)),
    moves=st.integers(0, 60),
    absent=st.one_of(st.none(), st.integers(0, 5)),
)
def test_I45_I46_I47_bytes_and_times_do_not_depend_on_hidden_cards(
    seed: int, seats: int, viewer: int | None, moves: int, absent: int | None
) -> None:
    chance = random.Random(seed)
    viewer = None if viewer is None else viewer % seats
    standin = None if absent is None else absent % (seats - 1)  # a peon's may call
    first = first_script(chance, seats, moves)
    found = (other_script(chance, first, viewer) for _ in range(60))
    second = next((s for s in found if s is not None and s.hands != first.hands), None)
    assume(second is not None)
    assert second is not None
    assert told(first, viewer, standin) == told(second, viewer, standin)


def test_the_states_really_differ_and_the_test_can_fail() -> None:
    """A viewer who may see the difference is told it: the comparison is not empty."""
    chance = random.Random(1)
    for _ in range(20):
        first = first_script(chance, 4, 12)
        for _ in range(60):
            second = other_script(chance, first, None)
            if second is not None and second.hands[2] != first.hands[2]:
                assert told(first, None, None) == told(second, None, None)
                assert told(first, 2, None) != told(second, 2, None)
                return
    raise AssertionError("no pair of states was found")


def test_I3_the_time_of_a_stand_in_does_not_depend_on_its_cards() -> None:
    """The delays that are drawn are the same for a seat that can play and one that cannot."""
    times: list[float] = []
    for can_follow in (True, False):
        low = [card for card in DECK if card < 10]
        second = low[:29] + [11] * 11 if can_follow else low[:40]
        first = list(DECK)
        for card in second:
            first.remove(card)
        deck = [0] * 80
        deck[0::2], deck[1::2] = first, second
        sim = Sim(options=PLAIN, decks=[deck])
        bob = sim.join("Bob")
        sim.ask(bob, msg.Away)
        sim.ask(sim.host, msg.Deal)
        sim.act(sim.host, Play(12, 10, 0))
        decision = sim.viewers[bob].decision
        assert decision is not None and (decision.choices != (PASS,)) == can_follow
        assert sim.table.play.asking is not None
        times.append(sim.table.play.asking.standins[1])
    assert times[0] == times[1]


def test_I3_the_server_waits_for_one_who_can_only_pass() -> None:
    deck = [0] * 80
    deck[0::2] = [12] * 12 + [13] * 2 + [11] * 11 + [10] * 10 + [9] * 5
    deck[1::2] = [card for card in DECK if card < 9] + [9] * 4
    sim = Sim(options={**PLAIN, "turn_seconds": 10}, decks=[deck])
    bob = sim.join("Bob")
    sim.ask(sim.host, msg.Deal)
    sim.act(sim.host, Play(12, 14, 2))
    decision = sim.viewers[bob].decision
    assert decision is not None and decision.choices == (PASS,)
    sim.advance(9.9)
    assert sim.asked() == [bob]


def test_I4_nothing_of_a_live_hand_is_in_what_is_kept() -> None:
    """The transcript gets a hand when it is over, and the log never gets a message."""
    sim = Sim()
    sim.join("Bob")
    sim.ask(sim.host, msg.Deal)
    assert sim.seeds == {}
    sim.play_on()
    assert set(sim.seeds) == {1}


def test_I2_spectators_see_the_public_view_and_the_host_no_more_than_his_seat() -> None:
    sim = Sim(options={"seats": 4, "revolution": "off"}, decks=[list(DECK)], seed=9)
    conns = [sim.host, *(sim.join(f"Guest{n}") for n in (2, 3, 4))]
    watcher = sim.watch("Zoe")
    sim.ask(sim.host, msg.Deal)
    while (asked := sim.asked()) and not sim.viewers[watcher].events(ev.Played):
        sim.act(asked[0], sim.viewers[asked[0]].decision.default)  # type: ignore[union-attr]
    (dealt,) = sim.viewers[watcher].events(ev.Dealt)
    (paid,) = sim.viewers[watcher].events(ev.TaxesPaid)
    assert dealt.cards is None and dealt.sizes == (20, 20, 20, 20)
    assert all(each.paid is each.returned is None for each in paid.exchanges)
    assert sim.viewers[watcher].decision is None
    by_seat = [sim.viewers[conn].events(ev.Dealt)[0].cards for conn in conns]
    assert by_seat == deal(DECK, 4)
    (paid,) = sim.viewers[sim.host].events(ev.TaxesPaid)
    assert [each.paid is None for each in paid.exchanges] == [False, True]
