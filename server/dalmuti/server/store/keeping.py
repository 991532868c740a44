"""What a server keeps: the journal of its tables, if it has a data folder, and transcripts.

`Keeping` is made in every run; without a data folder it keeps nothing but the transcripts that
were asked for, and the rest of the server need not know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path

import trio
from msgspec import Struct

from dalmuti.server.clock import Clock
from dalmuti.server.config import Config
from dalmuti.server.log import Log
from dalmuti.server.records import Place, Recorder, new_name
from dalmuti.server.store.journal import Journal, Rater, Saved, Step, read
from dalmuti.server.store.store import Store
from dalmuti.server.store.writer import BEAT_SECONDS, Writer
from dalmuti.server.table.image import load
from dalmuti.server.table.table import Table


class Kept(Struct, frozen=True):
    """How one table is kept."""

    recorder: Recorder | None = None
    journal: Journal | None = None


class Keeping:
    """The journal and the transcripts of one run. Made inside of the Trio run."""

    def __init__(self, config: Config, log: Log, store: Store | None = None) -> None:
        self.clock = Clock(None if store is None else store.clock())
        self.writer = None if store is None else Writer(store, self.clock, log)
        self.store = store
        self.rater: Rater | None = None
        """Who rates the matches of the ladder."""
        self._config, self._log = config, log
        self._rows = [] if store is None else store.tables()
        self._files: set[str] = set()
        """Names of transcripts that tables of this run have, written to or not."""
        self._numbers = count(1 + max((rows.id for rows in self._rows), default=0))

    @property
    def on(self) -> bool:
        """Whether tables outlive this run."""
        return self.writer is not None

    @property
    def stuck(self) -> bool:
        """Whether the journal cannot be written at the moment."""
        return self.writer is not None and self.writer.stuck

    def new(self, table: Table) -> Kept:
        """Keeps a table from its opening on."""
        if self.writer is None:
            return Kept(self._recorder(table, Place()))
        place = Place()
        if (folder := self._folder(table)) is not None:
            place = Place(new_name(folder, table.name, self._files))
            self._files.add(place.file)
        journal = Journal(next(self._numbers), self.writer, rater=self.rater)
        return Kept(self._recorder(table, place), journal)

    def saved(self) -> Iterator[Saved]:
        """The tables that were open. One that cannot be read stays where it is, and is told of."""
        for rows in self._rows:
            try:
                saved = read(rows)
            except ValueError:
                self._log.crash("table_not_restored")
                continue
            yield saved

    def restored(self, table: Table, saved: Saved) -> Kept:
        """Makes a new table stand as the saved one did, and keeps it from there on.

        Raises ValueError if what was kept does not fit together.
        """
        entries = [entry for step in saved.steps for entry in step.entries]
        load(table, saved.match, entries, saved.state)
        assert self.writer is not None
        self._files.add(saved.place.file)
        recorder = self._recorder(table, saved.place, saved.steps)
        return Kept(recorder, Journal(saved.id, self.writer, saved, self.rater))

    def _recorder(self, table: Table, place: Place, steps: Sequence[Step] = ()) -> Recorder | None:
        folder = self._folder(table)
        if folder is None:
            return None
        recorder = Recorder(
            folder,
            table.name,
            table.options,
            fair=table.dealer.fair,
            place=place,
            most=self._config.keep_matches,
        )
        try:
            recorder.go_on()
        except OSError as error:
            self._log.warning("record_cannot_go_on", table=table.name, error=error.strerror)
            return None
        for step in steps:
            recorder.note(step.entries, step.names)
        return recorder

    def _folder(self, table: Table) -> Path | None:
        """Where the transcript of this table goes; rated matches are many, and left out."""
        wanted = table.rated is None or self._config.ladder.records
        return self._config.matches if wanted else None

    async def beat(self, busy: Callable[[], bool]) -> None:
        """Lets the journal know the time while there are tables. Runs on."""
        while self.writer is not None:
            await trio.sleep(BEAT_SECONDS)
            if busy():
                await self.writer.beat()
