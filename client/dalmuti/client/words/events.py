"""What happened, one sentence an event, as a person at the table would say it."""

from __future__ import annotations

from collections.abc import Sequence

from dalmuti.client.i18n import tr, tr_n
from dalmuti.client.words.coming import about_table
from dalmuti.client.words.names import (
    You,
    a_title,
    cards,
    count,
    first_upper,
    hand,
    listed,
    ordinal,
    play,
    rank,
    who,
)
from dalmuti.core import events as ev
from dalmuti.core.cards import JESTER
from dalmuti.core.events import By, Exchange, Seen
from dalmuti.core.options import TableOptions
from dalmuti.core.titles import title_of
from dalmuti.core.views import TableView


class _Speaker:
    """Makes sentences about one viewer's table: knows names, and `you`."""

    def __init__(self, view: TableView) -> None:
        self.view = view

    def seat(self, seat: int) -> str:
        """The player in a seat of the hand; a `You` where that is the viewer."""
        assert self.view.hand is not None
        return self.who(self.view.hand.order[seat])

    def who(self, player: int) -> str:
        return who(self.view, player)


# -- events -----------------------------------------------------------------------------------


def sentence(event: Seen, before: TableView, after: TableView) -> str | None:
    """What happened, as a person at the table would say it; None for what nobody would mention.

    `before` and `after` are the table without and with the event. Silent are: the preparation of
    a deal and its reveal (what the client found is said instead), whose turn it is, and the
    order of seats, which the next hand announces.
    """
    say = _Speaker(before)
    match event:
        case ev.HandPrepared() | ev.DealRevealed() | ev.Turn() | ev.TitlesChanged():
            return None
        case ev.RevolutionClosed():
            return tr("Nobody calls a revolution.")
        case ev.RevolutionOpened():
            return tr("Whoever was dealt both Jesters may call a revolution now.")
        case ev.RevolutionCalled(seat=seat, greater=greater):
            return _revolution(say.seat(seat), greater, after)
        case ev.Played():
            return _played(say, event)
        case ev.Passed(seat=seat, by=by):
            return _passed(say.seat(seat), by)
        case ev.WentOut(seat=seat, place=place):
            assert before.hand is not None
            return _went_out(say.seat(seat), place, len(before.hand.order))
        case ev.TrickEnded(owner=owner, leader=leader):
            return _trick_ended(say.seat(owner), say.seat(leader), owner == leader)
        case ev.TaxesDue(dues=dues):
            owed = ", ".join(
                _owed(say.seat(due.payer), say.seat(due.receiver), due.count) for due in dues
            )
            return tr("Taxes: {owed}.", owed=owed)
        case ev.TaxesPaid(exchanges=exchanges):
            return " ".join(_paid(say, exchange) for exchange in exchanges)
        case ev.TitlesDrawn():
            return _drawn(_Speaker(after), event)
        case ev.HandStarted(hand=number, order=order):
            return _hand_started(number, order, before.you)
        case ev.Dealt(sizes=sizes, cards=own_cards):
            if own_cards is not None:
                return tr("You are dealt {hand}.", hand=hand(own_cards))
            least, most = min(sizes), max(sizes)
            if least == most:
                return tr("Everybody is dealt {cards}.", cards=count(most))
            return tr("Everybody is dealt {least} or {cards}.", least=least, cards=count(most))
        case ev.HandEnded(hand=number):
            return tr("Hand {hand} is over.", hand=number)
        case ev.HandAbandoned(hand=number):
            return tr("Hand {hand} is given up and scores nothing.", hand=number)
        case ev.Scored(scores=scores):
            return _scored(say, before.options, scores)
        case ev.MatchEnded(winners=winners):
            return _match_ended([say.who(player) for player in winners])
        case ev.MatchRestarted():
            return tr("A new match begins.")
        case _:
            return about_table(event, before, after)


# -- the hand ---------------------------------------------------------------------------------


def _played(say: _Speaker, event: ev.Played) -> str:
    assert say.view.hand is not None
    player, what = say.seat(event.seat), play(event.play)
    if 0 < event.left <= 3:
        what = tr_n("{play}, {number} left", "{play}, {number} left", event.left, play=what)
    if event.by == "standin":
        what = tr("{play} (stand-in)", play=what)
    elif event.by == "clock":
        what = tr("{play} (time was up)", play=what)
    follows = say.view.hand.trick.top is not None
    if isinstance(player, You):
        return tr("You play {play}.", play=what) if follows else tr("You lead {play}.", play=what)
    if follows:
        return tr("{who} plays {play}.", who=player, play=what)
    return tr("{who} leads {play}.", who=player, play=what)


def _passed(player: str, by: By) -> str:
    if isinstance(player, You):
        return {
            "player": tr("You pass."),
            "standin": tr("You pass (stand-in)."),
            "clock": tr("You pass (time was up)."),
        }[by]
    return {
        "player": tr("{who} passes.", who=player),
        "standin": tr("{who} passes (stand-in).", who=player),
        "clock": tr("{who} passes (time was up).", who=player),
    }[by]


def _went_out(player: str, place: int, seats: int) -> str:
    if isinstance(player, You):
        if place == seats:
            return tr("You are the last with cards.")
        return tr("You are out, {place}!", place=ordinal(place))
    if place == seats:
        return tr("{who} is the last with cards.", who=player)
    return tr("{who} is out, {place}!", who=player, place=ordinal(place))


def _trick_ended(owner: str, leader: str, same: bool) -> str:
    """Who has the trick; who is out hands the lead on, so that is said then."""
    if isinstance(owner, You):
        if same:
            return tr("The trick is yours; you lead.")
        return tr("The trick is yours, and you are out; {leader} leads.", leader=leader)
    if same:
        return tr("The trick is {owner}'s.", owner=owner)
    if isinstance(leader, You):
        return tr("The trick is {owner}'s, who is out; you lead.", owner=owner)
    return tr("The trick is {owner}'s, who is out; {leader} leads.", owner=owner, leader=leader)


def _revolution(player: str, greater: bool, after: TableView) -> str:
    if not greater:
        if isinstance(player, You):
            return tr("You show both Jesters and call a revolution: no taxes in this hand.")
        return tr(
            "{who} shows both Jesters and calls a revolution: no taxes in this hand.", who=player
        )
    if isinstance(player, You):
        called = tr(
            "You show both Jesters and call a Greater Revolution: all titles turn round, and no"
            " taxes."
        )
    else:
        called = tr(
            "{who} shows both Jesters and calls a Greater Revolution: all titles turn round, and"
            " no taxes.",
            who=player,
        )
    if after.hand is None or after.hand.seat is None:
        return called
    turned = a_title(title_of(after.hand.seat, len(after.hand.order)))
    return f"{called} {tr('You are {title} now.', title=turned)}"


def _owed(payer: str, receiver: str, number: int) -> str:
    """A tax that is due, in a list."""
    if isinstance(payer, You):
        return tr("you owe {receiver} {cards}", receiver=receiver, cards=count(number))
    if isinstance(receiver, You):
        return tr("{payer} owes you {cards}", payer=payer, cards=count(number))
    return tr(
        "{payer} owes {receiver} {cards}", payer=payer, receiver=receiver, cards=count(number)
    )


def _paid(say: _Speaker, exchange: Exchange) -> str:
    """What one paid and got: its cards to those two, and to all others how many."""
    payer, receiver = say.seat(exchange.payer), say.seat(exchange.receiver)
    number = count(exchange.count)
    if exchange.paid is not None and exchange.returned is not None:
        paid, returned = cards(exchange.paid), cards(exchange.returned)
        if isinstance(payer, You):
            return tr(
                "You pay {receiver} {paid} and get {returned} back.",
                receiver=receiver,
                paid=paid,
                returned=returned,
            )
        return tr(
            "{payer} pays you {paid} and gets {returned} back.",
            payer=payer,
            paid=paid,
            returned=returned,
        )
    if isinstance(payer, You):
        return tr(
            "You pay {receiver} {cards} and get {count} back.",
            receiver=receiver,
            cards=number,
            count=exchange.count,
        )
    if isinstance(receiver, You):
        return tr(
            "{payer} pays you {cards} and gets {count} back.",
            payer=payer,
            cards=number,
            count=exchange.count,
        )
    return tr(
        "{payer} pays {receiver} {cards} and gets {count} back.",
        payer=payer,
        receiver=receiver,
        cards=number,
        count=exchange.count,
    )


def _hand_started(number: int, order: Sequence[int], you: int | None) -> str:
    if you is None:
        return tr("Hand {hand} begins.", hand=number)
    if you not in order:
        return tr("Hand {hand} begins. You play from the next hand on.", hand=number)
    own = a_title(title_of(order.index(you), len(order)))
    return tr("Hand {hand} begins. You are {title}.", hand=number, title=own)


def _drawn(say: _Speaker, event: ev.TitlesDrawn) -> str:
    """The first titles with every redraw, which most tables have and wonder about (F2)."""
    parts = []
    for number, each in enumerate(event.rounds):
        drawn = ", ".join(
            f"{say.who(draw.player)} {rank(JESTER) if draw.card == JESTER else draw.card}"
            for draw in each.draws
        )
        if number:
            tied = listed(say.who(draw.player) for draw in each.draws)
            text = tr("{names} tie and draw again: {cards}.", names=tied, cards=drawn)
            parts.append(first_upper(text))
        else:
            parts.append(tr("Everyone draws a card: {cards}.", cards=drawn))
    ranking = ", ".join(say.who(player) for player in event.order)
    return " ".join([*parts, tr("The order is {names}.", names=ranking)])


def _scored(say: _Speaker, options: TableOptions, scores: Sequence[ev.Score]) -> str | None:
    if options.scoring == "points":
        points = ", ".join(f"{say.who(s.player)} {s.points}" for s in scores)
        return tr("Points: {points}.", points=points)
    won = ", ".join(f"{say.who(s.player)} {s.hands_won}" for s in scores if s.hands_won)
    return tr("Hands won: {won}.", won=won) if won else None


def _match_ended(winners: Sequence[str]) -> str:
    over = tr("The match is over.")
    if not winners:
        return over
    if len(winners) == 1 and isinstance(winners[0], You):
        return f"{over} {tr('You win.')}"
    won = tr_n("{names} wins.", "{names} win.", len(winners), names=listed(winners))
    return f"{over} {first_upper(won)}"
