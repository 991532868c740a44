"""Views: an allow-list that knows every event, and cards for those alone who may know them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import fields, replace

from core.evening import Evening, table_options
from dalmuti.core import events as ev
from dalmuti.core.cards import DECK
from dalmuti.core.events import Event, Seen
from dalmuti.core.hand import Phase
from dalmuti.core.options import TableOptions
from dalmuti.core.views import PUBLIC, TableView, see

SECRET = {ev.HandsDealt: ev.Dealt, ev.TaxesExchanged: ev.TaxesPaid}
"""What nobody sees as it is, and what viewers see instead."""


def classes(base: type[Event]) -> set[type[Event]]:
    return {each for c in base.__subclasses__() for each in {c, *classes(c)}}


def test_every_event_is_either_public_or_secret_or_a_view_of_a_secret() -> None:
    here = {each for each in classes(Event) if each.__module__ == ev.__name__}
    assert here == PUBLIC | set(SECRET) | set(SECRET.values())
    assert set(get_args(Seen)) == PUBLIC | set(SECRET.values())
    tags = [each.__struct_config__.tag for each in here]
    assert len(tags) == len(set(tags))


def test_an_event_that_is_not_listed_reaches_nobody() -> None:
    class Overheard(Event, frozen=True, tag="overheard"):
        """Not in the allow-list."""

    for viewer in (None, 0):
        with pytest.raises(TypeError, match="nobody may see Overheard"):
            see(Overheard(), viewer)
        with pytest.raises(TypeError, match="nobody may see Dealt"):
            see(ev.Dealt((2,), (1, 2)), viewer)


@settings(deadline=None, max_examples=40)
@given(table_options(), st.integers(0, 2**32))
def test_nobody_gets_cards_of_another(options: TableOptions, seed: int) -> None:
    """Cards come as one's own as dealt, as one's own tax, or as played by someone."""
    table = Evening(options, random.Random(seed))
    for _ in range(options.seats):
        table.sit()
    table.deal()
    dealt = dict(zip(table.said[-1][1], table.hand.dealt, strict=True))
    if table.hand.revolution is not None and table.hand.revolution.greater:
        dealt = dict(zip(table.match.order, table.hand.dealt, strict=True))
    while table.match.hand is not None:
        for player in (*table.match.order, None):
            check_view(table, table.view(player))
        table.random_move()
    for player in (*dealt, None):
        for event in table.seen(player):
            match event:
                case ev.Dealt():
                    assert event.cards == (None if player is None else dealt[player])
                case ev.TaxesPaid():
                    order = next(o for e, o in table.said if isinstance(e, ev.TaxesExchanged))
                    for exchange in event.exchanges:
                        party = player in (order[exchange.payer], order[exchange.receiver])
                        assert (exchange.paid is not None) == party
                        assert (exchange.returned is not None) == party
                case _:
                    assert type(event) in PUBLIC


def check_view(table: Evening, view: TableView) -> None:
    hand = view.hand
    assert hand is not None
    if view.you is None:
        assert (hand.seat, hand.cards, hand.dealt) == (None, None, None)
    else:
        assert hand.seat == table.match.order.index(view.you)
        assert hand.cards == table.hand.cards(hand.seat)
        assert hand.dealt == table.hand.dealt[hand.seat]
    for exchange in hand.exchanges:
        party = hand.seat is not None and hand.seat in (exchange.payer, exchange.receiver)
        assert (exchange.paid is not None) == (exchange.returned is not None) == party


@settings(deadline=None, max_examples=60)
@given(table_options(), st.integers(0, 2**32), st.data())
def test_what_others_hold_changes_nothing_that_one_sees(
    options: TableOptions, seed: int, data: st.DataObject
) -> None:
    """Two deals that differ in cards a viewer may not know look the same until cards are played.

    Everybody declines and takes the default, so that the two differ in nothing else. A party to
    taxes is left out from there on: what he is given is his to know.
    """
    options = replace(options, revolution="optional")
    chance = random.Random(seed)
    order = tuple(range(1, options.seats + 1))
    viewer = data.draw(st.sampled_from((*order, None)))
    hidden = [n for n in range(len(DECK)) if viewer is None or n % options.seats != viewer - 1]
    deck = chance.sample(DECK, len(DECK))
    twin = list(deck)
    for place, other in zip(hidden, chance.sample(hidden, len(hidden)), strict=True):
        twin[place] = deck[other]
    seen = [first_part_of_a_hand(options, cards, order, viewer) for cards in (deck, twin)]
    assert seen[0] == seen[1]


def first_part_of_a_hand(
    options: TableOptions, deck: list[int], order: tuple[int, ...], viewer: int | None
) -> list[object]:
    """All that a viewer is told, and every snapshot he could have asked for."""
    table = Evening(options, random.Random(0))
    for _ in order:
        table.sit()
    table.match.give_titles((), order)
    events = [(event, order) for event in table.match.start(deck)]
    table.said += events
    parties = {seat for due in table.hand.dues for seat in (due.payer, due.receiver)}
    taxed = viewer is not None and table.match.seat_of(viewer) in parties
    told: list[object] = [table.view(viewer)]
    while table.hand.phase is Phase.REVOLUTION or (table.hand.phase is Phase.TAXES and not taxed):
        seat = table.hand.to_act[0]
        table.move(seat, table.hand.default(seat))
        told.append(table.view(viewer))
    return [*told, *table.seen(viewer)]


def spelled_out(value: object, sent: object) -> Iterator[str]:
    """Fields that are sent although they are their default, where a class says that it omits them.

    Options are always told, and so are the Jesters of a play.
    """
    if isinstance(value, Struct):
        assert isinstance(sent, dict)
        for field in fields(value):
            found = getattr(value, field.name)
            omits = value.__struct_config__.omit_defaults and not field.required
            if omits and found == field.default and field.encode_name in sent:
                yield f"{type(value).__name__}.{field.name}"
            if field.encode_name in sent:
                yield from spelled_out(found, sent[field.encode_name])
    elif isinstance(value, tuple):
        assert isinstance(sent, list)
        for each, plain in zip(value, sent, strict=True):
            yield from spelled_out(each, plain)


@settings(deadline=None, max_examples=15)
@given(table_options(), st.integers(0, 2**32))
def test_views_say_nothing_of_defaults_and_are_read_with_them_and_without(
    options: TableOptions, seed: int
) -> None:
    table = Evening(options, random.Random(seed))
    for _ in range(options.seats):
        table.sit()
    table.deal()
    seen = 0
    while table.match.hand is not None:
        for player in (table.match.order[0], None):
            view = table.view(player)
            sent = msgspec.msgpack.decode(msgspec.msgpack.encode(view))
            assert set(spelled_out(view, sent)) == set()
            assert msgspec.convert(sent, TableView) == view
            if "played" not in sent["hand"]:
                full = {**sent, "hand": {**sent["hand"], "played": [0] * 14, "trick": {}}}
                assert msgspec.convert(full, TableView) == view
                seen += 1
        table.random_move()
    assert seen >= 2, "before the first play there is nothing to tell"
