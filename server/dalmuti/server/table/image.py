"""A table as plain data, and back: what the journal keeps of it, and a restart goes on from.

A table is kept in two parts. The match is its state before the hand (`core.between`) and the
entries since, which are appended; all the rest, which is small, is one `TableState` that replaces
the last one. So nothing is played again but the moves of one hand, by the same code that checks a
transcript, and neither chance nor time has a part in it: seeds, deadlines and digests of tokens
are data. `Table.restart` then says what a restart means for those who were here.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from dalmuti.core import between
from dalmuti.core.between import Between
from dalmuti.core.match import Entry
from dalmuti.core.record import Record, steps
from dalmuti.server.table.dealer import DealerState
from dalmuti.server.table.people import PeopleState
from dalmuti.server.table.play import PlayState
from dalmuti.server.table.rated import Tally
from dalmuti.server.table.table import Table


class TableState(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything about a table that changes, but the match. It holds the seed of the deal."""

    seq: int
    people: PeopleState
    play: PlayState
    dealer: DealerState
    host: int | None = None
    watching_host: int | None = None
    tally: dict[int, Tally] = {}
    """Of a rated match."""


def state_of(table: Table) -> TableState:
    """What is to be kept now. It shares objects with the table: encode it at once."""
    return TableState(
        seq=table.feed.seq,
        people=table.people.state(),
        play=table.play.state(),
        dealer=table.dealer.state(),
        host=table.seating.host,
        watching_host=table.seating.watching_host,
        tally={} if table.rated is None else table.rated.tally,
    )


def load(table: Table, match: Between, entries: Sequence[Entry], state: TableState) -> None:
    """Makes a table that was just built stand as another one did; its log is empty then.

    Raises ValueError if the entries do not fit the match.
    """
    between.restore(table.play.match, match)
    record = Record(
        table=table.name,
        options=table.options,
        fair=table.dealer.fair,
        players={},
        entries=tuple(entries),
        seeds={},
    )
    for _ in steps(record, table.play.match):
        pass
    table.play.match.log.clear()
    in_hand = table.play.match.hand is not None
    table.feed.load(state.seq, tuple(table.play.match.order) if in_hand else ())
    table.people.load(state.people)
    table.play.load(state.play)
    table.dealer.load(state.dealer)
    table.seating.host, table.seating.watching_host = state.host, state.watching_host
    if table.rated is not None:
        table.rated.tally = dict(state.tally)
