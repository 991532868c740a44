"""What a hand and a match come to: places, and what the checks of deals found."""

from __future__ import annotations

from collections.abc import Sequence

from dalmuti.client.foreign import said
from dalmuti.client.i18n import tr
from dalmuti.client.words.names import name, title
from dalmuti.core import events as ev
from dalmuti.core.record import Verdict
from dalmuti.core.titles import title_of
from dalmuti.core.views import TableView


def places(event: ev.HandEnded, view: TableView) -> list[str]:
    """One line per place of a hand that ended: `1. Ada, Greater Dalmuti`."""
    seats = len(event.places)
    return [_place(view, seats, place, line) for place, line in enumerate(event.places, start=1)]


def _place(view: TableView, seats: int, place: int, line: ev.Result) -> str:
    own = title(title_of(place - 1, seats))
    if line.standin:
        own = tr("{title} (stand-in)", title=own)
    return f"{place}. {name(view, line.player)}, {own}"


def verified(number: int, problems: Sequence[str]) -> str:
    """What the check of a revealed deal found; no problems where all is as committed."""
    if not problems:
        return tr("Hand {hand}: deal verified.", hand=number)
    return tr(
        "WARNING: the deal of hand {hand} is NOT what the server was bound to: {problems}."
        " Somebody has cheated, or the server is broken.",
        hand=number,
        problems="; ".join(map(said, problems)),
    )


def not_fair() -> str:
    """What a record of known deals can prove, and what it cannot."""
    return tr(
        "This table was not fair: its deals were known beforehand, from a seed that somebody gave."
        " Nothing can prove that nobody knew or chose the cards. What can be verified follows: that"
        " the cards come from the seeds that the file has, that every move was legal, the places."
    )


def verdict(found: Verdict) -> str:
    """What the check of a record found about a hand; hand 0 is the beginning of the record."""
    hand = found.hand
    if found.proved:
        state = tr("Hand {hand} is true", hand=hand)
    elif found.ok:
        state = tr("Hand {hand} is unproved", hand=hand)
    elif hand:
        state = tr("Hand {hand} is NOT true", hand=hand)
    else:
        state = tr("The beginning of the record is NOT true")
    if not found.reasons:
        return f"{state}."
    return f"{state}: {'; '.join(map(said, found.reasons))}."
