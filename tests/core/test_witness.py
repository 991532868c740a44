"""The witness calls no true deal false, whoever watches and whenever he came, and sees cheating."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from core.evening import Evening, evening, table_options
from dalmuti.core import deal
from dalmuti.core import events as ev
from dalmuti.core.cards import Play, counts_of
from dalmuti.core.events import Seen
from dalmuti.core.hand import Phase
from dalmuti.core.moves import Call
from dalmuti.core.options import TableOptions
from dalmuti.core.record import Verdict
from dalmuti.core.witness import Witness


class Watching:
    """A viewer who came at some moment, and what he concluded."""

    def __init__(self, table: Evening, player: int | None, before: Witness | None = None) -> None:
        self.table, self.player = table, player
        self.read = len(table.said)
        self.witness = Witness(table.view(player), before)
        self.verdicts: list[Verdict] = []

    def catch_up(self) -> None:
        for event in self.table.seen(self.player, self.read):
            verdict = self.witness.watch(event)
            if verdict is not None:
                self.verdicts.append(verdict)
        self.read = len(self.table.said)


@settings(deadline=None, max_examples=80)
@given(table_options(), st.integers(0, 2**32))
def test_a_true_deal_is_never_called_false(options: TableOptions, seed: int) -> None:
    """Players, spectators and newcomers, from the start and from the middle of hands."""
    chance = random.Random(seed)
    table = Evening(options, chance)
    for _ in range(chance.randint(2, options.seats)):
        table.sit()
    viewers = [Watching(table, player) for player in (*table.who, None)]
    hands = 0
    for _ in range(80):
        match, act = table.match, chance.random()
        if match.state == "over":
            table.restart()
        elif act < 0.05 and not match.full:
            table.sit()
        elif act < 0.08 and match.players:
            table.leave(chance.choice(match.players))
        elif match.hand is not None and act > 0.97:
            table.abandon(reveal=True)
            hands += 1
        elif match.hand is not None:
            if act > 0.9:
                table.play_out()
            else:
                table.random_move()
            hands += match.hand is None
        elif len(match.order) > 1:
            for player in match.order:
                nonce = table.add_nonce(player) if chance.random() < 0.4 else None
                for viewer in viewers:
                    if viewer.player == player and nonce is not None:
                        viewer.witness.gave_nonce(match.hands_begun + 1, nonce)
            table.deal()
        for viewer in viewers:
            viewer.catch_up()
        if chance.random() < 0.3:
            comer = chance.choice([*table.who, None])
            old = chance.choice(viewers)
            same = old.witness if old.player == comer else None
            viewers.append(Watching(table, comer, same))
    for viewer in viewers:
        assert [v.reasons for v in viewer.verdicts if not v.ok] == []
    assert len(viewers[0].verdicts) == hands


def played(
    players: int, seed: int, viewer: int | None, **options: str
) -> tuple[Evening, Witness, list[Seen]]:
    """A whole hand that one viewer saw, from before its deal."""
    table = evening(players, seed, **options)
    witness, since = Witness(table.view(viewer)), len(table.said)
    if viewer is not None:
        witness.gave_nonce(1, table.add_nonce(viewer))
    table.deal()
    table.play_out()
    return table, witness, table.seen(viewer, since)


def judge(witness: Witness, events: list[Seen]) -> Verdict:
    found = [verdict for event in events if (verdict := witness.watch(event)) is not None]
    assert len(found) == 1
    return found[0]


def altered(events: list[Seen], kind: type[Seen], change: Callable[[Seen], Seen]) -> list[Seen]:
    """The events with the first of a kind changed."""
    n = next(n for n, event in enumerate(events) if isinstance(event, kind))
    return [*events[:n], change(events[n]), *events[n + 1 :]]


def test_nothing_altered_is_true_and_says_so() -> None:
    _, witness, events = played(5, 1, 3)
    verdict = judge(witness, events)
    assert (verdict.ok, verdict.proved, verdict.text) == (True, True, "Hand 1 is true.")
    assert witness.watch(events[-2]) is None


@pytest.mark.parametrize(
    ("kind", "changes", "reason"),
    [
        (ev.DealRevealed, {"seed": "ab" * 32}, "the seed is not the one that the server was bound"),
        (ev.DealRevealed, {"seed": "abc"}, "the seed is not the one that the server was bound to"),
        (ev.HandStarted, {"nonces": ()}, "your nonce was taken, but not used for the deal"),
        (ev.HandStarted, {"commitment": "00" * 32}, "another commitment than was announced"),
        (ev.HandPrepared, {"commitment": "00" * 32}, "another commitment than was announced"),
        (ev.Dealt, {"sizes": (40, 10, 10, 10, 10)}, "the hands had other sizes"),
    ],
)
def test_what_does_not_fit_the_seed_is_noticed(
    kind: type[Seen], changes: dict[str, object], reason: str
) -> None:
    table, witness, events = played(5, 1, 3)
    events = [table.said[0][0], *events]  # type: ignore[list-item]  # HandPrepared is for all
    verdict = judge(witness, altered(events, kind, lambda event: replace(event, **changes)))
    assert not verdict.ok
    assert any(reason in each for each in verdict.reasons), verdict.reasons


@pytest.mark.parametrize("seed", range(6))
def test_another_own_card_is_noticed(seed: int) -> None:
    _, witness, events = played(4, seed, 2)

    def change(event: Seen) -> Seen:
        assert isinstance(event, ev.Dealt) and event.cards is not None
        return replace(event, cards=tuple(sorted((event.cards[0] % 12 + 1, *event.cards[1:]))))

    verdict = judge(witness, altered(events, ev.Dealt, change))
    assert "you were dealt other cards than the seed leads to" in verdict.reasons


@pytest.mark.parametrize("how", ["draw", "random"])
def test_another_first_title_is_noticed(how: str) -> None:
    _, witness, events = played(6, 3, None, first_titles=how)

    def change(event: Seen) -> Seen:
        assert isinstance(event, ev.TitlesDrawn)
        return replace(event, order=event.order[::-1])

    verdict = judge(witness, altered(events, ev.TitlesDrawn, change))
    assert verdict.reasons == ("the first titles are not those that the seed leads to",)


@pytest.mark.parametrize("taxes", ["on", "off"])
def test_every_altered_play_of_an_untaxed_seat_is_noticed(taxes: str) -> None:
    """Who has played all his cards cannot have played another one; Merchants are not taxed."""
    table, _, events = played(7, 2, None, first_hand_taxes=taxes, revolution="off")
    assert any(isinstance(event, ev.TaxesPaid) for event in events) == (taxes == "on")
    before = evening(7, 2, first_hand_taxes=taxes, revolution="off").view(None)
    last = table.match.result.places[-1].seat if table.match.result else None
    noticed = 0
    for n, event in enumerate(events):
        if not isinstance(event, ev.Played) or event.seat == last:
            continue
        if taxes == "on" and event.seat not in (2, 3, 4):
            continue
        rank = event.play.rank % 12 + 1
        play = Play(rank, max(event.play.count, event.play.jesters + 1), event.play.jesters)
        verdict = judge(Witness(before), [*events[:n], replace(event, play=play), *events[n + 1 :]])
        assert not verdict.ok
        noticed += 1
    assert noticed > 10


def test_a_card_that_neither_party_of_a_tax_had_is_noticed() -> None:
    """A spectator does not see what a payer got back, but it is of the receiver's cards."""
    table, witness, events = played(5, 8, None, revolution="off")
    seat = 4
    seed = bytes.fromhex(table.seeds[1])
    dealt = deal.hands_of(seed, {}, 5)
    rank = next(r for r in range(1, 13) if r not in dealt[0] + dealt[seat])

    def change(event: Seen) -> Seen:
        assert isinstance(event, ev.Played)
        return replace(event, seat=seat, play=Play(rank, 1))

    verdict = judge(witness, altered(events, ev.Played, change))
    assert not verdict.ok
    assert "whatever they exchanged" in verdict.reasons[0]


def test_too_many_strange_cards_of_a_payer_are_noticed() -> None:
    """Two came back to him in taxes: three cards of the receiver cannot be explained."""
    table, witness, events = played(5, 8, None, revolution="off")
    dealt = deal.hands_of(bytes.fromhex(table.seeds[1]), {}, 5)
    top, bottom = counts_of(dealt[0]), counts_of(dealt[4])
    strange = [r for r in range(1, 13) for _ in range(top[r]) if not bottom[r]]
    assert len(strange) > 2
    n = next(n for n, event in enumerate(events) if isinstance(event, ev.Played))
    extra: list[Seen] = [ev.Played(4, Play(rank, 1), 0) for rank in strange[:3]]
    assert not judge(witness, [*events[:n], *extra, *events[n:]]).ok


def test_the_parties_see_a_false_tax() -> None:
    for player_seat in (0, 4):
        for n in range(1, 30):
            table = evening(5, n, revolution="off", first_titles="order_of_arrival")
            viewer = table.match.order[player_seat]
            table, witness, events = played(
                5, n, viewer, revolution="off", first_titles="order_of_arrival"
            )
            paid = next(event for event in events if isinstance(event, ev.TaxesPaid)).exchanges[0]
            if paid.paid and paid.paid[1] < 12:
                break

        def change(event: Seen) -> Seen:
            assert isinstance(event, ev.TaxesPaid)
            first, *rest = event.exchanges
            assert first.paid is not None
            false = replace(first, paid=(first.paid[0], first.paid[1] + 1))
            return replace(event, exchanges=(false, *rest))

        verdict = judge(witness, altered(events, ev.TaxesPaid, change))
        assert any("was not the best cards of the payer" in each for each in verdict.reasons)


def with_false_return(event: Seen) -> Seen:
    """There is one 1, so nobody gave back two."""
    assert isinstance(event, ev.TaxesPaid)
    first, *rest = event.exchanges
    return replace(event, exchanges=(replace(first, returned=(1, 1)), *rest))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda e: replace(e, exchanges=e.exchanges[:1]), "the taxes were not those of the rules"),
        (
            lambda e: replace(
                e, exchanges=(replace(e.exchanges[0], returned=(1, 1)), *e.exchanges[1:])
            ),
            "had cards that the seed did not deal",
        ),
    ],
)
def test_other_taxes_than_those_of_the_rules_are_noticed(
    change: Callable[[Seen], Seen], reason: str
) -> None:
    viewer = evening(5, 8, first_titles="order_of_arrival").match.order[0]
    _, witness, events = played(5, 8, viewer, revolution="off", first_titles="order_of_arrival")
    verdict = judge(witness, altered(events, ev.TaxesPaid, change))
    assert any(reason in each for each in verdict.reasons), verdict.reasons


def test_a_seat_that_is_not_at_the_table_is_noticed() -> None:
    _, witness, events = played(5, 8, None)
    verdict = judge(witness, altered(events, ev.Played, lambda event: replace(event, seat=9)))
    assert "seat 9 played, which is not at this table" in verdict.reasons


def test_a_new_promise_for_the_same_hand_takes_the_nonce_back() -> None:
    """Nonces are for a commitment; the server asks again after a new one."""
    witness = Witness(evening(4).view(1))
    witness.gave_nonce(1, "00")
    witness.watch(ev.HandPrepared(1, "ab" * 32))
    assert witness._nonces == {}


def test_a_revolution_without_both_jesters_is_noticed() -> None:
    for seed in range(200):
        table = evening(4, seed)
        witness, since = Witness(table.view(None)), len(table.said)
        table.deal()
        callers = [seat for seat in range(4) if len(table.hand.legal(seat)) > 1]
        if not callers:
            continue
        table.move(callers[0], table.hand.legal(callers[0])[1])
        assert table.hand.phase is Phase.TRICKS
        table.play_out()
        events = table.seen(None, since)
        assert judge(witness, events).ok

        def change(event: Seen) -> Seen:
            assert isinstance(event, ev.RevolutionCalled)
            return ev.RevolutionCalled((event.seat + 1) % 4)

        again = evening(4, seed)
        verdict = judge(Witness(again.view(None)), altered(events, ev.RevolutionCalled, change))
        assert not verdict.ok
        if not callers[0] == 3:
            assert "the caller of the revolution was not dealt both Jesters" in verdict.reasons
            return
    raise AssertionError("nobody was dealt both Jesters")


def test_a_card_played_for_a_latecomer_that_he_does_not_hold_is_noticed() -> None:
    table = evening(4, 5, revolution="off", first_hand_taxes="off")
    table.deal()
    for _ in range(12):
        table.random_move()
    player = table.match.order[2]
    view = table.view(player)
    assert view.hand is not None and view.hand.cards is not None
    witness, since = Witness(view), len(table.said)
    rank = next(r for r in range(1, 13) if r not in view.hand.cards)
    table.play_out()
    events: list[Seen] = [ev.Played(2, Play(rank, 1), 0), *table.seen(player, since)]
    verdict = judge(witness, events)
    assert any("which you did not hold" in each for each in verdict.reasons)


def test_an_unseen_hand_gets_no_verdict() -> None:
    table = evening(3)
    table.deal()
    table.play_out()
    assert Witness(table.view(1)).watch(ev.DealRevealed(1, table.seeds[1])) is None


def test_call_is_a_move_that_the_evening_makes() -> None:
    """So that the property above covers revolutions: chance reaches them."""
    called = 0
    for seed in range(150):
        table = evening(4, seed, greater_revolution="choice")
        table.deal()
        for seat in table.hand.to_act:
            called += any(isinstance(move, Call) for move in table.hand.legal(seat))
    assert called > 10
