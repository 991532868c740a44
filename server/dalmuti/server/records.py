"""Transcripts of matches: one file a table, each hand appended when it is over.

Nothing of a hand that is still played reaches the disk (rules.md I4): whoever runs the server may
be playing. A table at which no hand was finished leaves no file.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import trio

from dalmuti.core.events import Kind
from dalmuti.core.match import Entry
from dalmuti.core.options import TableOptions
from dalmuti.core.record import RecordWriter


class Recorder:
    """Writes the transcript of one table."""

    def __init__(self, folder: Path, table: str, options: TableOptions, *, fair: bool) -> None:
        self._folder, self._table = folder, table
        self._writer = RecordWriter(table, options, fair=fair)
        self._path: Path | None = None
        self._log: list[Entry] = []
        self._players: dict[int, tuple[Kind, str]] = {}
        self._seeds: dict[int, str] = {}

    async def add(
        self,
        entries: tuple[Entry, ...],
        players: dict[int, tuple[Kind, str]],
        seeds: dict[int, str],
    ) -> None:
        """Takes what the match took; writes when a hand is over. Raises OSError."""
        self._log += entries
        self._players.update(players)
        self._seeds.update(seeds)
        if not seeds:
            return
        text = self._writer.take(self._log, self._players, self._seeds)
        self._seeds.clear()
        sitting = {entry.player for entry in self._log if hasattr(entry, "player")}
        self._players = {n: who for n, who in self._players.items() if n in sitting}
        if text:
            await trio.to_thread.run_sync(self._append, text)

    def _append(self, text: str) -> None:
        """All of the text, or nothing: on a full disk the hands before stay readable."""
        if self._path is None:
            self._path = self._new_file()
        size = self._path.stat().st_size
        try:
            with self._path.open("a", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except OSError:
            with suppress(OSError):
                os.truncate(self._path, size)
                if not size:
                    self._path.unlink()
            raise

    def _new_file(self) -> Path:
        self._folder.mkdir(parents=True, exist_ok=True)
        stem = re.sub(r"[^\w-]+", "_", self._table).strip("_") or "table"
        stem = f"{stem}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
        for number in count(1):
            path = self._folder / f"{stem}{'' if number == 1 else f'-{number}'}.txt"
            try:
                path.open("x").close()
            except FileExistsError:
                continue
            return path
        raise AssertionError("numbers do not end")
