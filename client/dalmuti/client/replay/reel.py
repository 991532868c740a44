"""What one viewer saw at every step of a chapter (pure).

The view is the one that a client of that time had: it is folded from the same events, which come
through `core.views.see`. With open cards it is a spectator's view, and beside it the hands of all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from dalmuti.client import words
from dalmuti.client.fold import fold
from dalmuti.client.model import LOG_KINDS, Line
from dalmuti.client.replay.script import Chapter, Step
from dalmuti.client.words import replaying
from dalmuti.core import events as ev
from dalmuti.core.cards import Cards, cards_of, counts_of
from dalmuti.core.events import Event, Seen
from dalmuti.core.views import TableView, see
from dalmuti.protocol.text import safe_text


class Moment(Struct, frozen=True):
    """The table after a step."""

    table: TableView
    log: tuple[Line, ...] = ()
    """What was said since the chapter began."""
    said: int = 0
    """How many of these lines are of this step."""
    hands: Mapping[int, Cards] = {}
    """With open cards, while a hand is played: what every player holds."""

    @property
    def news(self) -> tuple[Line, ...]:
        """What this step led to, in sentences."""
        return self.log[len(self.log) - self.said :]


def unroll(chapter: Chapter, you: int | None, *, opened: bool) -> Iterator[Moment]:
    """The moments of a chapter, the first before its first step.

    `opened` shows all cards, to nobody's eyes (`you` is None). A hand that is not over is shown as
    a spectator saw it, whoever asks.
    """
    if not chapter.over:
        you, opened = None, False
    moment = Moment(replace(chapter.start, you=you))
    if not chapter.over:
        text = replaying.not_over(chapter.number)
        moment = replace(moment, log=(Line("notice", text),), said=1)
    yield moment
    for step in chapter.steps:
        moment = _after(moment, step, you, opened)
        yield moment


def _after(moment: Moment, step: Step, you: int | None, opened: bool) -> Moment:
    view, hands = moment.table, moment.hands
    said: list[Line] = []
    for event, seen, order in shown(step, you):
        before, view = view, fold(view, seen)
        if opened:
            said += [Line("event", safe_text(text)) for text in _open(event, view, order)]
            hands = _moved(hands, event, order)
        private = isinstance(event, ev.HandsDealt | ev.TaxesExchanged)
        text = None if opened and private else words.sentence(seen, before, view)
        if text:
            said.append(Line(LOG_KINDS.get(type(event), "event"), safe_text(text)))
        if isinstance(event, ev.HandEnded):
            said += [Line("event", safe_text(text)) for text in words.places(event, view)]
    return Moment(view, (*moment.log, *said), len(said), hands)


def shown(step: Step, you: int | None) -> Iterator[tuple[Event, Seen, tuple[int, ...]]]:
    """The events of a step: as they were, as `you` saw them, and who had which seat then.

    A Greater Revolution turns the seats in the middle of a step, but nothing with cards follows
    it there.
    """
    order = step.order
    for event in step.events:
        if isinstance(event, ev.HandStarted):
            order = event.order
        if isinstance(event, ev.Dealt | ev.TaxesPaid):  # of our own hand: seen already
            seen: Seen = event
        else:
            seen = see(event, order.index(you) if you in order else None)
        yield event, seen, order


def _moved(hands: Mapping[int, Cards], event: Event, order: tuple[int, ...]) -> Mapping[int, Cards]:
    """Everybody's cards after an event."""
    match event:
        case ev.HandsDealt():
            return dict(zip(order, event.hands, strict=True))
        case ev.TaxesExchanged():
            after = dict(hands)
            for each in event.exchanges:
                payer, receiver = order[each.payer], order[each.receiver]
                paid, returned = each.paid or (), each.returned or ()
                after[payer] = _with(after[payer], returned, paid)
                after[receiver] = _with(after[receiver], paid, returned)
            return after
        case ev.Played():
            player = order[event.seat]
            return {**hands, player: _with(hands[player], (), event.play.cards())}
        case ev.HandEnded() | ev.HandAbandoned():
            return {}
        case _:
            return hands


def _with(cards: Cards, more: Cards, fewer: Cards) -> Cards:
    counts = counts_of((*cards, *more))
    for rank in fewer:
        counts[rank] -= 1
    return cards_of(counts)


def _open(event: Event, view: TableView, order: tuple[int, ...]) -> Iterator[str]:
    """What only a reader of the record sees: everybody's cards, and all taxes."""
    if isinstance(event, ev.HandsDealt):
        for player, cards in zip(order, event.hands, strict=True):
            yield replaying.is_dealt(words.name(view, player), words.hand(cards))
    elif isinstance(event, ev.TaxesExchanged):
        for exchange in event.exchanges:
            yield replaying.pays(
                words.name(view, order[exchange.payer]),
                words.name(view, order[exchange.receiver]),
                words.cards(exchange.paid or ()),
                words.cards(exchange.returned or ()),
            )
