"""What happened, one sentence an event, as a person at the table would say it."""

from __future__ import annotations

from collections.abc import Sequence

from dalmuti.client.i18n import tr
from dalmuti.client.words.houserules import rules
from dalmuti.client.words.names import (
    BY,
    KINDS,
    a_title,
    cards,
    count,
    hand,
    listed,
    name,
    ordinal,
    play,
    title,
    who,
)
from dalmuti.core import events as ev
from dalmuti.core.cards import JESTER
from dalmuti.core.events import By, Exchange, Seen
from dalmuti.core.options import TableOptions
from dalmuti.core.titles import title_of
from dalmuti.core.views import TableView


class _Speaker:
    """Makes sentences about one viewer's table: knows names, `you`, and the verb that fits."""

    def __init__(self, view: TableView) -> None:
        self.view = view

    def seat(self, seat: int) -> int:
        """The player in a seat of the hand."""
        assert self.view.hand is not None
        return self.view.hand.order[seat]

    def who(self, player: int) -> str:
        return who(self.view, player)

    def does(self, player: int, verb: str, yours: str = "") -> str:
        """Subject and verb: `Ada plays`, `You play`; `yours` where the verb is irregular."""
        if player != self.view.you:
            return f"{self.who(player)} {verb}"
        if not yours:
            yours = verb.removesuffix("s") if not verb.endswith("sses") else verb.removesuffix("es")
        return f"You {yours}"

    def whose(self, player: int) -> str:
        return "yours" if player == self.view.you else f"{self.who(player)}'s"


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
            return "Nobody calls a revolution."
        case ev.RevolutionOpened():
            return "Whoever was dealt both Jesters may call a revolution now."
        case ev.RevolutionCalled(seat=seat, greater=greater):
            who_calls = say.does(
                say.seat(seat), "shows both Jesters and calls", "show both Jesters and call"
            )
            if greater:
                own = ""
                if after.hand is not None and after.hand.seat is not None:
                    turned = title_of(after.hand.seat, len(after.hand.order))
                    own = f" You are {a_title(turned)} now."
                return (
                    f"{who_calls} a Greater Revolution: all titles turn round, and no taxes.{own}"
                )
            return f"{who_calls} a revolution: no taxes in this hand."
        case ev.Played(seat=seat, play=played, left=left, by=by):
            assert before.hand is not None
            verb = "plays" if before.hand.trick.top else "leads"
            few = f", {left} left" if 0 < left <= 3 else ""
            return f"{say.does(say.seat(seat), verb)} {play(played)}{few}{BY[by]}."
        case ev.Passed(seat=seat, by=by):
            return _passed(say, seat, by)
        case ev.WentOut(seat=seat, place=place):
            assert before.hand is not None
            player = say.seat(seat)
            if place == len(before.hand.order):
                return f"{say.does(player, 'is', 'are')} the last with cards."
            return f"{say.does(player, 'is', 'are')} out, {ordinal(place)}!"
        case ev.TrickEnded(owner=owner, leader=leader):
            lead = _lower(say.does(say.seat(leader), "leads"))
            whose = f"The trick is {say.whose(say.seat(owner))}"
            if owner == leader:
                return f"{whose}; {lead}." if say.seat(owner) == before.you else f"{whose}."
            out = "who is out" if say.seat(owner) != before.you else "and you are out"
            return f"{whose}, {out}; {lead}."
        case ev.TaxesDue(dues=dues):
            owed = (
                f"{say.does(say.seat(due.payer), 'owes')} {say.who(say.seat(due.receiver))}"
                f" {count(due.count)}"
                for due in dues
            )
            return f"Taxes: {', '.join(map(_lower, owed))}."
        case ev.TaxesPaid(exchanges=exchanges):
            return " ".join(_paid(say, exchange) for exchange in exchanges)
        case ev.TitlesDrawn():
            return _drawn(_Speaker(after), event)
        case ev.HandStarted(hand=number, order=order):
            if before.you is None:
                return f"Hand {number} begins."
            if before.you not in order:
                return f"Hand {number} begins. You play from the next hand on."
            own = a_title(title_of(order.index(before.you), len(order)))
            return f"Hand {number} begins. You are {own}."
        case ev.Dealt(sizes=sizes, cards=own_cards):
            if own_cards is not None:
                return f"You are dealt {hand(own_cards)}."
            least, most = min(sizes), max(sizes)
            dealt = count(most) if least == most else f"{least} or {count(most)}"
            return f"Everybody is dealt {dealt}."
        case ev.HandEnded(hand=number):
            return f"Hand {number} is over."
        case ev.HandAbandoned(hand=number):
            return f"Hand {number} is given up and scores nothing."
        case ev.Scored(scores=scores):
            return _scored(say, before.options, scores)
        case ev.MatchEnded(winners=winners):
            verb = "win" if len(winners) > 1 or winners == (before.you,) else "wins"
            subject = _upper(listed(say.who(player) for player in winners))
            return f"The match is over. {subject} {verb}." if winners else "The match is over."
        case ev.MatchRestarted():
            return "A new match begins."
        case _:
            return _table_sentence(event, before, after)


def _table_sentence(event: Seen, before: TableView, after: TableView) -> str | None:
    """About the table itself: who comes, goes, watches and talks."""
    say = _Speaker(after)
    match event:
        case ev.PlayerJoined(who=info):
            waits = " and will play from the next hand on" if before.state == "hand" else ""
            verb = say.does(info.player, f"{KINDS[info.kind]} sits down".strip(), "sit down")
            return f"{verb}{waits}."
        case ev.PlayerLeft(player=player, reason=reason):
            return {
                "left": f"{say.does(player, 'leaves')} the table.",
                "kicked": f"{say.does(player, 'is', 'are')} sent away.",
                "lost": f"{say.does(player, 'is', 'are')} gone for good; the seat is free.",
                "closed": f"{say.does(player, 'gets up', 'get up')}: the table is closed.",
            }[reason]
        case ev.PresenceChanged(player=player, presence=presence, ms=ms):
            soon = f"; the stand-in plays in {ms // 1000} s" if ms else ""
            return {
                "here": f"{say.does(player, 'is', 'are')} back.",
                "lost": f"{say.does(player, 'has', 'have')} lost the connection{soon}.",
                "away": f"{say.does(player, 'is', 'are')} away; the stand-in plays.",
                "standin": f"The stand-in plays for {say.who(player)} now.",
                "left": f"{say.does(player, 'has', 'have')} left;"
                " the stand-in plays to the end of the hand.",
            }[presence]
        case ev.HostChanged(player=player):
            return f"{say.does(player, 'is', 'are')} the host now."
        case ev.WatchersChanged(names=names):
            come = [each for each in names if each not in before.watchers]
            gone = [each for each in before.watchers if each not in names]
            parts = [f"{listed(come)} {'watch' if come[1:] else 'watches'}."] if come else []
            parts += [f"{listed(gone)} no longer {'watch' if gone[1:] else 'watches'}."] * bool(
                gone
            )
            return " ".join(parts) or None
        case ev.Chatted(name=speaker, text=text):
            return f"{speaker} says: {text}"
        case ev.TableClosed(reason=reason):
            return {
                "host": "The host has closed the table.",
                "empty": "The table is closed: nobody is left.",
                "shutdown": "The table is closed: the server stops.",
                "error": "The table is closed: something went wrong in the server.",
                "admin": "The table was closed by whoever runs the server.",
            }[reason]
        case ev.TableOpened(table=table, options=options):
            return f"Table {table} is open, {rules(options)}."
        case _:
            return None


def _passed(say: _Speaker, seat: int, by: By) -> str:
    return f"{say.does(say.seat(seat), 'passes', 'pass')}{BY[by]}."


def _paid(say: _Speaker, exchange: Exchange) -> str:
    payer, receiver = say.seat(exchange.payer), say.seat(exchange.receiver)
    if exchange.paid is None or exchange.returned is None:
        return (
            f"{say.does(payer, 'pays')} {say.who(receiver)} {count(exchange.count)}"
            f" and {'get' if payer == say.view.you else 'gets'} {exchange.count} back."
        )
    paid, returned = cards(exchange.paid), cards(exchange.returned)
    if payer == say.view.you:
        return f"You pay {say.who(receiver)} {paid} and get {returned} back."
    return f"{say.who(payer)} pays you {paid} and gets {returned} back."


def _drawn(say: _Speaker, event: ev.TitlesDrawn) -> str:
    """The first titles with every redraw, which most tables have and wonder about (F2)."""
    parts = []
    for number, each in enumerate(event.rounds):
        drawn = ", ".join(
            f"{say.who(draw.player)} {'Jester' if draw.card == JESTER else draw.card}"
            for draw in each.draws
        )
        if number:
            tied = listed(say.who(draw.player) for draw in each.draws)
            parts.append(f"{_upper(tied)} tie and draw again: {drawn}.")
        else:
            parts.append(f"Everyone draws a card: {drawn}.")
    ranking = ", ".join(say.who(player) for player in event.order)
    return " ".join([*parts, f"The order is {ranking}."])


def _scored(say: _Speaker, options: TableOptions, scores: Sequence[ev.Score]) -> str | None:
    if options.scoring == "points":
        return f"Points: {', '.join(f'{say.who(s.player)} {s.points}' for s in scores)}."
    won = [f"{say.who(s.player)} {s.hands_won}" for s in scores if s.hands_won]
    return f"Hands won: {', '.join(won)}." if won else None


def places(event: ev.HandEnded, view: TableView) -> list[str]:
    """One line per place of a hand that ended: `1. Ada, Greater Dalmuti`."""
    seats = len(event.places)
    return [
        f"{place}. {name(view, line.player)}, {title(title_of(place - 1, seats))}"
        + (" (stand-in)" if line.standin else "")
        for place, line in enumerate(event.places, start=1)
    ]


def verified(number: int, problems: Sequence[str]) -> str:
    """What the check of a revealed deal found; no problems where all is as committed."""
    if not problems:
        return f"Hand {number}: deal verified."
    return (
        f"WARNING: the deal of hand {number} is NOT what the server was bound to:"
        f" {'; '.join(problems)}. Somebody has cheated, or the server is broken."
    )


def not_fair() -> str:
    """What a record of known deals can prove, and what it cannot."""
    return tr(
        "This table was not fair: its deals were known beforehand, from a seed that somebody gave."
        " Nothing can prove that nobody knew or chose the cards. What can be verified follows: that"
        " the cards come from the seeds that the file has, that every move was legal, the places."
    )


def _upper(text: str) -> str:
    """The text as the beginning of a sentence; a name stays as it is written."""
    return "Y" + text[1:] if text.startswith(("you ", "you,")) or text == "you" else text


def _lower(text: str) -> str:
    return "y" + text[1:] if text.startswith("You ") else text
