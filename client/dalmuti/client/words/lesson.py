"""The lesson of `dalmuti play --learn`: each thing is explained once, when it first comes up.

`Course` is a value: `see` gives the course after another look at the game, and what it has to say
now, next to what is to be pressed (on a screen) or typed (in a line). It knows nothing but what the
player sees, and it holds up nothing: whoever goes on without reading goes on.

A thing that comes up while others play stays in place through the next decision; else it would be
gone before it was read. The texts have to fit into four lines of 76 cells in every language.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, Self

from msgspec import Struct
from msgspec.structs import replace

from dalmuti.client.i18n import mark, tr
from dalmuti.client.model import Model
from dalmuti.client.words import names
from dalmuti.core.cards import Play, counts_of
from dalmuti.core.titles import title_of
from dalmuti.core.views import HandView, TableView
from dalmuti.protocol.messages import Decision

Topic = Literal[
    "draw", "titles", "revolution", "called", "taxes", "paying", "free", "lead", "follow",
    "only_pass", "passing", "jesters", "trick", "out", "place", "result",
]  # fmt: skip  # words, not a column of them

TEXTS: Final[dict[Topic, str]] = {
    "draw": mark(
        "This lesson is one hand against three bots. Its cards were chosen beforehand, so it is"
        " no fair game. First everyone draws a card for a title: the lowest is Greater Dalmuti."
    ),
    "titles": mark(
        "Titles are places: they decide the order of turns and who pays taxes to whom. You are"
        " {title}. Whoever is rid of all cards first is Greater Dalmuti in the next hand."
    ),
    "revolution": mark(
        "Whoever was dealt both Jesters may call a revolution now: then nobody pays taxes in this"
        " hand. Nobody hears who could have called. Those who are paid taxes had better not."
    ),
    "called": mark("A revolution was called: in this hand nobody pays taxes."),
    "taxes": mark(
        "Taxes: you are paid the best cards of a Peon, and give back as many, any you like. You"
        " choose before you see what comes. The higher the number, the worse is the card."
    ),
    "paying": mark(
        "Taxes: your best cards, those with the lowest numbers, go to a Dalmuti, who gives you"
        " back what is of no use there. There is nothing for you to choose."
    ),
    "free": mark("Taxes: Peons pay their best cards to Dalmutis. Merchants neither pay nor get."),
    "lead": mark(
        "You lead: play a set, any number of cards of one rank. There are twelve 12s, eleven 11s"
        " and so on to a single 1. Low numbers are good; be rid of many high ones at once."
    ),
    "follow": mark(
        "To follow you need exactly as many cards as were led, of a lower number: two 8s beat two"
        " 9s, three 8s do not. The list has all that you can play, the weakest first."
    ),
    "only_pass": mark(
        "You hold nothing that beats this, so you can only pass. That is not for good: when your"
        " turn comes again in the same trick, you may play again."
    ),
    "passing": mark(
        "You may pass although you could play, to keep good cards for later. When your turn comes"
        " again in the same trick, you may still play."
    ),
    "jesters": mark(
        "You hold a Jester. Beside another card it counts as one more of that rank: 3x9+1J is two"
        " 9s and a Jester, a set of three. Alone it is a 13 and beats nothing."
    ),
    "trick": mark(
        "When all others have passed, the trick is over, and whoever played last leads the next."
        " The leader chooses how many cards it takes, so winning a trick is worth good cards."
    ),
    "out": mark(
        "{who} has no cards left and is the first out: Greater Dalmuti of the next hand. The"
        " others play on for the places below."
    ),
    "place": mark(
        "You have no cards left: you are out, {place}. In the next hand you are {title}. The"
        " others play on; you need do nothing."
    ),
    "result": mark(
        "The order of going out gives the titles of the next hand. The deal is verified: the server"
        " had bound itself to these cards before. That was all; the rest is practice."
    ),
}
AGAIN: Final = {
    "lead": mark("You lead again: any number of cards of one rank."),
    "follow": mark("Beat it with as many cards of a lower number, or pass."),
    "only_pass": mark("Again there is nothing but to pass."),
    "revolution": mark("Once more: a revolution, for whoever was dealt both Jesters."),
    "tax": mark("Taxes again: what do you give back?"),
    "result": mark("This hand is over as well. The lesson has nothing to add."),
}
"""What stands beside a decision at which nothing is new."""
PRESS: Final = {
    "draw": (mark("Press Enter to go on."), ""),
    "result": (
        mark("Press q, then y, to end. Space deals another hand."),
        mark("Type leave to end; an empty line deals another hand."),
    ),
    "revolution": (
        mark("Press Enter for no revolution."),
        mark("Press Enter for no revolution."),
    ),
    "tax": (
        mark("Press Enter to give what is marked, your worst."),
        mark("Press Enter to give back your worst."),
    ),
    "lead": (
        mark("Press Enter to play what is in [ ]; arrows choose."),
        mark("Press Enter for one card, or type a choice's number."),
    ),
    "follow": (
        mark("Press Enter to do what is in [ ], or Space to pass."),
        mark("Type 1 to play the first choice, or pass."),
    ),
    "only_pass": (mark("Press Enter to pass."), mark("Press Enter to pass.")),
    "passing": (
        mark("Press Space to pass, or Enter to do what is in [ ]."),
        mark("Type pass to pass, or the number of a choice."),
    ),
    "jesters": (
        mark("Press j, then Enter, to play one."),
        mark("Type {play} to play one, or another choice."),
    ),
}
"""By topic or kind of decision: what to press on a screen, and what to type in a line."""
WAITS: Final = ("called", "paying", "free", "out", "place")
"""Topics that come up while others decide."""


class Course(Struct, frozen=True, kw_only=True):
    """What has been explained, and what is said now."""

    lines: bool = False
    """For one who types lines: there a play is named, and not what stands in brackets."""
    told: tuple[Topic, ...] = ()
    """Everything so far, in the order in which it came up."""
    topic: Topic | None = None
    """What was new at the last look; None where nothing was."""
    text: str = ""
    press: str = ""
    """Which key to press now; empty while there is nothing to do."""
    type: str = ""
    """The same for one who types lines."""
    moment: tuple[object, ...] = ()
    again: bool = False
    """The text is no explanation, but a word beside a decision at which nothing was new."""
    unread: bool = False
    """The text came up while others played, and no decision of ours has come since."""

    def see(self, model: Model, step: int | None = None) -> Self:
        """The course after a look at the game; `step` is how much of the first draw is shown."""
        moment = _moment(model, step)
        if moment == self.moment:
            return replace(self, topic=None)
        decision = model.decision if step is None else None
        # While another thing waits to be read, nothing new comes beside a decision.
        keep = self.unread and decision is not None
        new = (
            None
            if keep
            else next((t for t in _topics(model, step, self.lines) if t not in self.told), None)
        )
        situation = _situation(model, step)
        press, type_ = PRESS.get(new if new in PRESS else situation, ("", ""))
        fields = _fields(model)
        told = replace(
            self,
            topic=new,
            press=tr(press),
            type=tr(type_, **fields),
            moment=moment,
            unread=self.unread and decision is None,
        )
        if new is not None:
            text = tr(TEXTS[new], **fields)
            return replace(
                told, told=(*self.told, new), text=text, again=False, unread=new in WAITS
            )
        if keep or (not situation and not self.again):
            return told  # what was said stays, until there is something else to say
        again = AGAIN.get(situation, "")
        return replace(told, text=tr(again), again=True)


def _moment(model: Model, step: int | None) -> tuple[object, ...]:
    """What must change before anything is said anew."""
    table = model.table
    if table is None:
        return ()
    hand = table.hand
    if step is not None:
        return ("draw", step)
    if hand is None:
        return (table.state, table.hands_played)
    number = None if model.decision is None else model.decision.decision
    return (hand.number, hand.phase, hand.finished, number)


def _situation(model: Model, step: int | None) -> str:
    """What kind of thing there is to do now; empty while others play."""
    table, decision = model.table, model.decision
    if step is not None:
        return "draw"
    if table is not None and table.hand is None:
        return "result" if table.result is not None else ""
    if decision is None:
        return ""
    if decision.kind == "follow" and len(decision.choices) == 1:
        return "only_pass"
    return decision.kind


def _topics(model: Model, step: int | None, lines: bool) -> Iterator[Topic]:
    """What there is to explain at this moment, the most urgent first."""
    table = model.table
    if table is None:
        return
    hand = table.hand
    if step is not None and table.draw is not None:
        yield "titles" if step >= len(table.draw.rounds) else "draw"
        return
    if hand is None:
        if table.result is not None:
            yield "result"
        return
    decision = model.decision
    if decision is not None:
        yield from _decided(hand, decision, lines)
    elif hand.phase == "taxes":
        yield from _taxed(hand)
    elif hand.phase == "tricks":
        if hand.seat in hand.finished:
            yield "place"
        elif hand.finished:
            yield "out"
        elif hand.revolution is not None:
            yield "called"


def _decided(hand: HandView, decision: Decision, lines: bool) -> Iterator[Topic]:
    """What to explain next to a decision of ours."""
    match decision.kind:
        case "revolution":
            yield "revolution"
        case "tax":
            yield "taxes"
        case "lead":
            yield "lead"
            if hand.tricks:
                yield "trick"
        case "follow" if len(decision.choices) == 1:
            yield "only_pass"
            if hand.tricks:
                yield "trick"
        case "follow":
            yield "follow"
            if _jester_play(decision) is not None and (lines or not _whole(hand, decision)):
                yield "jesters"
            yield "passing"
            if hand.tricks:
                yield "trick"


def _taxed(hand: HandView) -> Iterator[Topic]:
    payers = [due.payer for due in hand.dues]
    receivers = [due.receiver for due in hand.dues]
    if hand.seat in payers:
        yield "paying"
    elif hand.seat not in receivers:
        yield "free"


def _whole(hand: HandView, decision: Decision) -> bool:
    """Whether a whole group without Jesters can be played: then that is suggested."""
    held = counts_of(hand.cards or ())
    plays = (c for c in decision.choices if isinstance(c, Play))
    return any(not play.jesters and play.count == held[play.rank] for play in plays)


def _jester_play(decision: Decision) -> Play | None:
    plays = [c for c in decision.choices if isinstance(c, Play)]
    return next((play for play in plays if play.jesters and play.naturals), None)


def _fields(model: Model) -> dict[str, str]:
    """What the texts name: our title, who is out first, our place, a play with a Jester."""
    table = model.table
    fields = dict.fromkeys(("title", "who", "place", "play"), "")
    if table is None or table.hand is None:
        return fields
    hand = table.hand
    if hand.seat is not None:
        seat = hand.seat
        if seat in hand.finished:
            seat = hand.finished.index(seat)
            fields["place"] = names.ordinal(seat + 1)
        fields["title"] = names.a_title(title_of(seat, len(hand.order)))
    if hand.finished:
        fields["who"] = _name(table, hand, hand.finished[0])
    if model.decision is not None:
        fields["play"] = str(_jester_play(model.decision) or "")
    return fields


def _name(table: TableView, hand: HandView, seat: int) -> str:
    return names.name(table, hand.order[seat])
