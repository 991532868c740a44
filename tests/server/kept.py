"""A simulated table that is kept in a journal, so that its server can be killed."""

from __future__ import annotations

import random
import sqlite3
from typing import Any, cast

from dalmuti.core.events import Kind
from dalmuti.core.match import Entry
from dalmuti.server.limits import Limits
from dalmuti.server.records import Place
from dalmuti.server.store.journal import Journal, Saved, pack, read
from dalmuti.server.store.schema import migrate
from dalmuti.server.store.store import Store
from dalmuti.server.store.writer import Writer
from dalmuti.server.table.dealer import Dealer
from dalmuti.server.table.image import load, state_of
from dalmuti.server.table.rated import Rated
from dalmuti.server.table.table import Batch, Table
from server.sim import Sim

NEXT_INSTANCE = "the next run"


def memory_store() -> Store:
    """A journal without a file."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.execute("PRAGMA foreign_keys = ON")
    migrate(db)
    return Store(db, -1)


class KeptSim(Sim):
    """Keeps every batch before it is delivered, and restores the table each time to compare it.

    What it compares is everything that anyone can find out about a table, now or later.
    """

    def __init__(self, store: Store | None = None, **given: Any) -> None:
        self.store = store or memory_store()
        self.limits = given.get("limits") or Limits()
        self.pace = given.get("pace", 1.0)
        self.compared = 0
        self.writer = cast(Writer, None)  # statements are taken from the journal by hand
        self.journal = Journal(1, self.writer)
        super().__init__(**given)

    def close(self) -> None:
        """Lets go of the journal."""
        self.store._db.close()

    def kill(self) -> None:
        """Kills the server and starts it again: the table is what was kept, nobody is connected."""
        saved = self.saved()
        self.table = self.built(saved)
        self.journal = Journal(1, self.writer, saved)
        for viewer in self.viewers.values():
            if viewer.view is not None:
                viewer.kept, viewer.view = viewer.view, None
            viewer.decision = None
        self.jobs.clear()
        self.table.restart(self.now, self.limits.restart_bonus)
        self._deliver()

    def saved(self) -> Saved:
        """What is in the journal."""
        (rows,) = self.store.tables()
        return read(rows)

    def built(self, saved: Saved) -> Table:
        """A new table that stands as the saved one did."""
        header = saved.header
        table = Table(
            header.name,
            header.options,
            self.limits,
            instance=NEXT_INSTANCE,
            password=header.password,
            solo=header.solo,
            pace=self.pace,
            dealer=Dealer(header.name, header.seed),
            delays=random.Random(1),
            tokens=self.table.seating._tokens,
            rated=None if header.rated is None else Rated(header.rated),
        )
        load(table, saved.match, self.entries(saved), saved.state)
        return table

    @staticmethod
    def entries(saved: Saved) -> list[Entry]:
        return [entry for step in saved.steps for entry in step.entries]

    def names_kept(self) -> dict[int, tuple[Kind, str]]:
        """Whoever sat down since the last hand."""
        return {n: who for step in self.saved().steps for n, who in step.names.items()}

    def _take(self) -> Batch:
        batch = super()._take()
        self.store.commit(self.journal.statements(self.table, batch, Place()), self.now)
        if self.table.closed:
            assert self.store.tables() == []
        else:
            self.compare_with_kept()
        return batch

    def compare_with_kept(self) -> None:
        """The table that would be restored now is the one that is here."""
        self.compared += 1
        saved, ours = self.saved(), self.table
        theirs = self.built(saved)
        assert theirs.take().entries == ()
        assert pack(state_of(theirs)) == pack(state_of(ours))
        assert self.store.clock() == self.now
        assert theirs.info() == ours.info()
        assert theirs.password == ours.password and theirs.solo == ours.solo
        assert theirs.play.next_deadline() == ours.play.next_deadline()
        for you in (None, *ours.people.players):
            assert theirs.seating.snapshot(you, self.now) == ours.seating.snapshot(you, self.now)
        for viewer in self.viewers.values():
            here = ours.people.by_token(viewer.token)
            there = theirs.people.by_token(viewer.token)
            assert (here and here.number) == (there and there.number)
        self._compare_hand(ours, theirs)
        assert theirs.dealer.deck() == ours.dealer.deck()
        assert theirs.dealer.reveal() == ours.dealer.reveal()
        assert theirs.dealer.nonces == ours.dealer.nonces

    def _compare_hand(self, ours: Table, theirs: Table) -> None:
        asking = ours.play.asking
        if ours.play.match.hand is None:
            assert theirs.play.match.hand is None and asking is None
            return
        assert asking is not None and theirs.play.asking is not None
        assert vars(theirs.play.match.hand) == vars(ours.play.match.hand)
        assert theirs.play.match.leavers == ours.play.match.leavers
        assert theirs.play.match.newcomers == ours.play.match.newcomers
        assert theirs.play.match._played_out == ours.play.match._played_out
        for seat in asking.seats:
            if seat in asking.waits_for(ours.play.match.hand):
                assert theirs.play._decision(
                    theirs.play.asking, seat, self.now
                ) == ours.play._decision(asking, seat, self.now)
