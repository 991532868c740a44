"""Transcripts of matches: one file a table, each hand appended when it is over.

Nothing of a hand that is still played reaches these files (rules.md I4): whoever runs the server
may be playing. A table at which no hand was finished leaves no file. A recorder can be asked for
its place (`place`), and another one goes on from there after a restart: what was written behind
that place and then not kept in the journal is cut off first, since it will be written again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import trio
from msgspec import Struct

from dalmuti.core.events import Kind
from dalmuti.core.match import Entry
from dalmuti.core.options import TableOptions
from dalmuti.core.record import RecordWriter
from dalmuti.core.transcript import Mark

Names = dict[int, tuple[Kind, str]]
"""Kind and name by number of player."""


class Place(Struct, frozen=True, omit_defaults=True):
    """Where a transcript goes on: its file, how long that is, and how far the writer was."""

    file: str = ""
    """Empty: it gets its name with its first hand. Whoever wants to find the place again after a
    crash must know the name before anything is written."""
    size: int = 0
    mark: Mark = Mark()


class Recorder:
    """Writes the transcript of one table."""

    def __init__(
        self,
        folder: Path,
        table: str,
        options: TableOptions,
        *,
        fair: bool,
        place: Place | None = None,
        most: int = 0,
    ) -> None:
        """`place` is where another recorder was; `most` files are kept in the folder, 0: all."""
        self.place = place or Place()
        self._folder, self._table, self._most = folder, table, most
        self._writer = RecordWriter(table, options, fair=fair, after=self.place.mark)
        self._log: list[Entry] = []
        self._players: Names = {}
        self._seeds: dict[int, str] = {}

    def go_on(self) -> None:
        """Cuts off what was written behind the place. Raises OSError if the file is not as it was.

        For a recorder that was given a place, before it is given anything else.
        """
        if not self.place.file:
            return
        path = self._folder / self.place.file
        if not self.place.size:
            path.unlink(missing_ok=True)
            return
        size = path.stat().st_size
        if size < self.place.size:
            raise OSError(0, f"{path} is shorter than it was")
        if size > self.place.size:
            os.truncate(path, self.place.size)

    def note(self, entries: Iterable[Entry], players: Names) -> None:
        """Takes entries of a hand that is not over, and writes nothing."""
        self._log += entries
        self._players.update(players)

    async def add(self, entries: tuple[Entry, ...], players: Names, seeds: dict[int, str]) -> None:
        """Takes what the match took; writes when a hand is over. Raises OSError.

        It cannot be cancelled before that is done.
        """
        self.note(entries, players)
        self._seeds.update(seeds)
        if not seeds:
            return
        text = self._writer.take(self._log, self._players, self._seeds)
        self._seeds.clear()
        sitting = {entry.player for entry in self._log if hasattr(entry, "player")}
        self._players = {n: who for n, who in self._players.items() if n in sitting}
        if text:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(self._append, text)

    def _append(self, text: str) -> None:
        """All of the text, or nothing: on a full disk the hands before stay readable."""
        name, size = self.place.file or new_name(self._folder, self._table), self.place.size
        path = self._folder / name
        self._folder.mkdir(parents=True, exist_ok=True)
        try:
            with path.open("a", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except OSError:
            with suppress(OSError):
                os.truncate(path, size)
                if not size:
                    path.unlink()
            raise
        self.place = Place(name, size + len(text.encode()), self._writer.mark)
        if not size and self._most:
            thin_out(self._folder, self._most)


def new_name(folder: Path, table: str, taken: Collection[str] = ()) -> str:
    """A name for the transcript of a table that begins now: no file has it, nor is it taken."""
    stem = re.sub(r"[^\w-]+", "_", table).strip("_") or "table"
    stem = f"{stem}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    for number in count(1):
        name = f"{stem}{'' if number == 1 else f'-{number}'}.txt"
        if name not in taken and not (folder / name).exists():
            return name
    raise AssertionError("numbers do not end")


def thin_out(folder: Path, most: int) -> None:
    """Deletes the transcripts that were not written to for longest, but for the newest `most`."""
    files = sorted(folder.glob("*.txt"), key=lambda path: path.stat().st_mtime_ns)
    for path in files[:-most]:
        path.unlink(missing_ok=True)
