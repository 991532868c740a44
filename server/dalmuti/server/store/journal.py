"""What is kept of one table, step by step, and how it is read again.

A table is a row with what never changes (`Header`), the match before the hand, what the match took
since (`Step`, appended), and one state that is replaced (`table.image`). At the end of each hand
the match is put down anew and the steps go, in the same transaction that counts the hand for those
who played it, so that each is counted once. A table that is closed leaves no rows.

Chat is not kept, but its number in the table's events is: a number stands for one event for ever.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import msgspec
from msgspec import Struct

from dalmuti.core.between import Between, between
from dalmuti.core.events import HandEnded
from dalmuti.core.match import Ended, Entry, Sat
from dalmuti.core.options import TableOptions
from dalmuti.protocol.text import skeleton
from dalmuti.server.records import Names, Place
from dalmuti.server.sessions import Secret
from dalmuti.server.store.store import APPEND, PUT, Rows, Statement
from dalmuti.server.store.writer import Writer
from dalmuti.server.table.image import TableState, state_of
from dalmuti.server.table.table import Batch, Table

pack = msgspec.msgpack.Encoder().encode


class Header(Struct, frozen=True, gc=False, omit_defaults=True):
    """What never changes about a table."""

    name: str
    options: TableOptions
    solo: bool = False
    seed: int | None = None
    """Of a table that plays known deals."""
    password: Secret | None = None
    rated: int | None = None
    """The number of its match, of a table of the ladder."""


class Step(Struct, frozen=True, gc=False, omit_defaults=True):
    """What the match took at once, with the names of those who sat down in it."""

    entries: tuple[Entry, ...]
    names: Names = {}


class Saved(Struct, frozen=True, gc=False):
    """A table as it was kept."""

    id: int
    header: Header
    match: Between
    place: Place
    state: TableState
    steps: tuple[Step, ...]


_step = msgspec.msgpack.Decoder(Step)


def read(rows: Rows) -> Saved:
    """What the rows of a table say. Raises msgspec.DecodeError (a ValueError)."""
    return Saved(
        id=rows.id,
        header=msgspec.msgpack.decode(rows.header, type=Header),
        match=msgspec.msgpack.decode(rows.match, type=Between),
        place=msgspec.msgpack.decode(rows.place, type=Place),
        state=msgspec.msgpack.decode(rows.state, type=TableState),
        steps=tuple(map(_step.decode, rows.entries)),
    )


class Rater(Protocol):
    """Who rates matches (`ladder.ladder.Ladder`)."""

    def rate(self, table: Table) -> list[Statement]:
        """What the end of this rated match changes; nothing if it was not played to its end."""

    def is_rated(self, table: Table) -> None:
        """Is told when that is kept."""


class Journal:
    """The rows of one table."""

    def __init__(
        self,
        number: int,
        writer: Writer,
        saved: Saved | None = None,
        rater: Rater | None = None,
    ) -> None:
        """`saved` is what is there already."""
        self.id = number
        self._writer, self._rater = writer, rater
        self._known = saved is not None
        self._untold = 0
        """What was handed in and may not be kept yet."""
        self._steps = 0 if saved is None else len(saved.steps)
        self._state = b"" if saved is None else pack(saved.state)

    @property
    def goes_on(self) -> bool:
        """Whether anything more can be kept; not so when the server ends."""
        return self._writer.goes_on

    async def keep(self, table: Table, batch: Batch, place: Place) -> None:
        """Returns when all that `batch` tells is kept. Raises NotKept."""
        statements = self.statements(table, batch, place)
        if statements or self._untold:
            await self._writer.keep(statements)
        if table.closed and table.rated is not None and self._rater is not None:
            self._rater.is_rated(table)

    def hand_in(
        self, table: Table, batch: Batch, place: Place, told: Callable[[bool], None]
    ) -> None:
        """Has all that `batch` tells kept, at a table that is not closed; then calls `told`.

        With nothing to keep that is at once, unless something before it is not told yet.
        """
        statements = self.statements(table, batch, place)
        if not statements and not self._untold:
            told(True)
            return

        def count(kept: bool) -> None:
            self._untold -= 1
            told(kept)

        self._untold += 1
        self._writer.hand_in(statements, count)

    async def settle(self) -> None:
        """Returns when all that was handed in is told. Raises NotKept."""
        if self._untold:
            await self._writer.keep([])

    async def forget(self) -> None:
        """Returns when nothing of the table is kept any more. Raises NotKept."""
        await self.settle()  # a commit does appends last: never with what deletes them
        await self._writer.keep([("DELETE FROM tables WHERE id = ?", (self.id,))])

    def statements(self, table: Table, batch: Batch, place: Place) -> list[Statement]:
        """What is to be written now; nothing if nothing changed."""
        if table.closed:
            close: Statement = ("DELETE FROM tables WHERE id = ?", (self.id,))
            if not self._known:
                return []
            self._known = False  # the loop may ask again, and a match is rated once
            if table.rated is not None and self._rater is not None:
                return [close, *self._rater.rate(table)]
            return [close, *_won(table, batch)]
        out: list[Statement] = []
        if not self._known:
            values = (self.id, pack(_header(table)), pack(Between()), pack(place))
            out.append(("INSERT INTO tables VALUES (?, ?, ?, ?)", values))
        if batch.seeds:
            match = pack(between(table.play.match))
            out += [
                (
                    "UPDATE tables SET match = ?, place = ? WHERE id = ?",
                    (match, pack(place), self.id),
                ),
                ("DELETE FROM entries WHERE id = ?", (self.id,)),
                *_won(table, batch),
            ]
            self._steps = 0
        elif batch.entries:
            sat = {entry.player for entry in batch.entries if isinstance(entry, Sat)}
            step = Step(batch.entries, {n: who for n, who in batch.players.items() if n in sat})
            out.append((APPEND, (self.id, self._steps, pack(step))))
            self._steps += 1
        state = pack(state_of(table))
        if state != self._state:
            out.append((PUT, (self.id, state)))
        self._known, self._state = True, state
        return out


def _header(table: Table) -> Header:
    return Header(
        table.name,
        table.options,
        table.solo,
        table.dealer.fixed,
        table.password,
        None if table.rated is None else table.rated.number,
    )


def _won(table: Table, batch: Batch) -> list[Statement]:
    """Counts a hand that is over for those who played it to the end, house bots aside.

    What bots play at rated tables is counted in the ladder.
    """
    if table.rated is not None:
        return []
    result: HandEnded | None = table.play.match.result
    if result is None or not any(isinstance(entry, Ended) for entry in batch.entries):
        return []
    out: list[Statement] = []
    for place, line in enumerate(result.places, start=1):
        kind, name = batch.players.get(line.player, ("house", ""))
        if kind != "house" and not line.standin:
            values = (skeleton(name), name, int(place == 1), line.points)
            out.append(
                (
                    "INSERT INTO people VALUES (?1, ?2, 1, ?3, ?4) ON CONFLICT DO UPDATE SET"
                    " name = ?2, hands = hands + 1, hands_won = hands_won + ?3,"
                    " points = points + ?4",
                    values,
                )
            )
    return out
