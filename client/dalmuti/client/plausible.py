"""Whether a table can be at all: what a client looks at before it believes its server (pure).

A server that means harm, or one with a fault, can say what is well-formed and still impossible: a
seat that nobody has, a trick that belongs to nobody. The fold, the screens and the bots rely on
what is checked here, so that such a server is told by a sentence, and not by a crash. It is no
proof of the game: whether deals and plays are true is the business of `core.witness`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from dalmuti.client.fold import HAND_EVENTS
from dalmuti.client.i18n import tr
from dalmuti.core.cards import JESTER, Play, counts_of
from dalmuti.core.events import (
    Dealt,
    Due,
    Exchange,
    HandEnded,
    Passed,
    Played,
    RevolutionCalled,
    Seen,
    TaxesDue,
    TaxesPaid,
    TrickEnded,
    Turn,
    WentOut,
)
from dalmuti.core.moves import Call, Decline, Give, Pass
from dalmuti.core.views import HandView, TableView
from dalmuti.protocol.messages import Choice, Decision

DECISIONS: Final = {
    "lead": Play,
    "follow": Play | Pass,
    "tax": Give,
    "revolution": Call | Decline,
}
"""What may be chosen for each kind of decision."""


class Impossible(Exception):
    """What the server says cannot be; the text says what, as the end of a sentence."""


def believe(view: TableView) -> None:
    """Raises Impossible for a snapshot that no game can lead to."""
    seated = {info.player for info in view.players}
    if len(seated) < len(view.players):
        raise Impossible(tr("two players have one number"))
    if view.you is not None and view.you not in seated:
        raise Impossible(tr("you have a number that no player has"))
    if len(set(view.order)) < len(view.order) or not seated.issuperset(view.order):
        raise Impossible(tr("its seats are of players who are not there, or of one twice"))
    if view.result is not None:
        _result(view, view.result)
    if view.hand is not None:
        _hand(view, view.hand)


def believe_event(view: TableView, event: Seen) -> None:
    """Raises Impossible for an event that cannot follow on `view`."""
    if isinstance(event, HandEnded):
        _result(view, event)
    elif isinstance(event, HAND_EVENTS):
        if view.hand is None:
            raise Impossible(tr("it tells of a hand that nobody plays"))
        seats = len(view.hand.order)
        if any(seat >= seats for seat in _seats_of(event)):
            raise Impossible(tr("there is no such seat at a table of {seats}", seats=seats))
        if isinstance(event, Played | Passed) and len(view.hand.sizes) != seats:
            raise Impossible(tr("somebody plays before the cards are dealt"))
        if isinstance(event, Dealt):
            _deal(view.hand, event.sizes, event.cards)


def believe_decision(view: TableView | None, decision: Decision) -> None:
    """Raises Impossible for a decision that `view` cannot ask for."""
    kinds = DECISIONS[decision.kind]
    fits = all(isinstance(choice, kinds) for choice in decision.choices)
    if not fits or decision.default not in decision.choices:
        raise Impossible(tr("it asks for a decision and names no choice that fits it"))
    if view is None:
        return  # nobody shows it
    held = counts_of((view.hand.cards if view.hand else None) or ())
    if not all(_holds(held, choice) for choice in decision.choices):
        raise Impossible(tr("it lets you play cards that you do not have"))


def _holds(held: list[int], choice: Choice) -> bool:
    """Whether these are cards that somebody can part with who holds so many of each rank."""
    if isinstance(choice, Play):
        if choice.rank == JESTER:
            return choice.jesters == choice.count <= held[JESTER]
        return choice.jesters <= held[JESTER] and 0 < choice.naturals <= held[choice.rank]
    if isinstance(choice, Give):
        return all(choice.cards.count(rank) <= held[rank] for rank in choice.cards)
    return True


def _seats_of(event: Seen) -> Iterator[int]:
    match event:
        case Played(seat=seat) | Passed(seat=seat) | WentOut(seat=seat):
            yield seat
        case RevolutionCalled(seat=seat):
            yield seat
        case TrickEnded():
            yield from (event.owner, event.leader)
        case Turn():
            yield from event.seats
        case TaxesDue(dues=taxes) | TaxesPaid(exchanges=taxes):
            yield from _parties(taxes)


def _parties(taxes: Iterable[Due | Exchange]) -> list[int]:
    return [seat for tax in taxes for seat in (tax.payer, tax.receiver)]


def _result(view: TableView, result: HandEnded) -> None:
    seated = {info.player for info in view.players}
    places = [line.player for line in result.places]
    if len(set(places)) < len(places) or not seated.issuperset(places):
        raise Impossible(tr("its places are of players who are not there, or of one twice"))


def _hand(view: TableView, hand: HandView) -> None:
    seats = len(hand.order)
    seated = {info.player for info in view.players}
    if seats < 2 or len(set(hand.order)) < seats or not seated.issuperset(hand.order):
        raise Impossible(tr("its hand has too few players, or some who are not there"))
    if hand.seat is not None and (hand.seat >= seats or hand.order[hand.seat] != view.you):
        raise Impossible(tr("your seat is another's"))
    trick = hand.trick
    if (trick.top is None) != (trick.owner is None):
        raise Impossible(tr("its trick belongs to nobody"))
    if hand.turn is not None and not hand.sizes:
        raise Impossible(tr("it is somebody's turn before the cards are dealt"))
    named = [*trick.passed, *hand.finished, *(act.seat for act in trick.acts)]
    named += [act.seat for act in hand.last_trick]
    named += [] if trick.owner is None else [trick.owner]
    named += [] if hand.turn is None else hand.turn.seats
    named += [] if hand.revolution is None else [hand.revolution.seat]
    named += _parties(hand.dues) + _parties(hand.exchanges)
    if any(seat >= seats for seat in named):
        raise Impossible(tr("there is no such seat at a table of {seats}", seats=seats))
    if hand.sizes:
        _deal(hand, hand.sizes, hand.cards)


def _deal(hand: HandView, sizes: tuple[int, ...], cards: tuple[int, ...] | None) -> None:
    if len(sizes) != len(hand.order):
        raise Impossible(tr("its cards are dealt to other seats than there are"))
    if cards is not None and (hand.seat is None or len(cards) != sizes[hand.seat]):
        raise Impossible(tr("your cards are not as many as it says"))
