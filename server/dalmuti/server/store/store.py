"""The journal in a file: SQLite in a data folder that one server holds at a time.

WAL with `synchronous=NORMAL`: a commit is then a write to the system and not a wait for the disk.
A killed server loses nothing, since what was written is the system's by then; a power cut can take
back the last moments of all tables together, and never leaves a broken file. With `durable` every
commit waits for the disk (FULL), and not even that can happen.

The file that commits go to first (the log) is brought into the other by `shorten`, which waits for
the disk even where commits do not; so SQLite is not left to do that within a commit.

All methods block. After the start `Writer` alone calls them, and never two at once.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing, suppress
from itertools import chain
from pathlib import Path
from typing import Any, Final, Self

from msgspec import Struct

from dalmuti.protocol.text import skeleton
from dalmuti.server.store.schema import NewerFile, migrate

fcntl: Any = None
if sys.platform != "win32":
    import fcntl

FILE: Final = "journal.db"
LOCK: Final = "lock"

Statement = tuple[str, tuple[Any, ...]]
"""SQL and its values."""

APPEND: Final = "INSERT INTO entries VALUES (?, ?, ?)"
PUT: Final = "REPLACE INTO states VALUES (?, ?)"
"""What every step of every table does. A commit does each of them once, for many rows: SQLite lets
go of Python's lock several times a statement, and to get it back from a busy event loop costs more
than to write the row."""
LOCK_SECONDS: Final = 0.1
"""How long a commit waits for another program that writes to the file, as none should."""
LONG: Final = 1000
"""Statements after which the log is brought into the file: some megabytes."""
MOST_ROWS: Final = 64
"""Of one statement, so that those of all lengths stay prepared (128 are)."""


class StoreError(Exception):
    """The data folder cannot be used; the sentence says why."""


class Rows(Struct, frozen=True):
    """One open table as it is in the file."""

    id: int
    header: bytes
    match: bytes
    place: bytes
    state: bytes
    entries: tuple[bytes, ...]


class Won(Struct, frozen=True):
    """What somebody has won under his name, over all matches."""

    name: str
    hands: int
    hands_won: int
    points: int


class Entered(Struct, frozen=True):
    """A name in the ladder (`ladder.entrants.Entrant`)."""

    name: str
    house: bool
    key: bytes
    address: str
    since: float
    seen: float
    mu: float
    sigma: float
    matches: int
    hands: int
    points: int
    firsts: int


class Store:
    """An open journal."""

    def __init__(self, db: sqlite3.Connection, lock: int, *, durable: bool = False) -> None:
        self.durable = durable
        """Whether each commit waits for the disk."""
        self._db, self._lock = db, lock
        self._written = 0
        """Statements since `shorten`."""

    @classmethod
    def open(cls, folder: Path, *, durable: bool = False) -> Self:
        """Opens the journal in a data folder, and makes both if need be. Raises StoreError."""
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = _locked(folder)
        except OSError as error:
            raise StoreError(f"the data folder {folder} cannot be used: {error.strerror}") from None
        try:
            (folder / FILE).touch(mode=0o600)  # it holds seeds and hands: for nobody else to read
            db = sqlite3.connect(
                folder / FILE,
                LOCK_SECONDS,
                isolation_level=None,
                check_same_thread=False,
            )
            try:
                db.execute("PRAGMA journal_mode = WAL")
                db.execute("PRAGMA wal_autocheckpoint = 0")
                db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                db.execute("PRAGMA foreign_keys = ON")
                migrate(db)
                db.execute("UPDATE clock SET seconds = seconds")  # finds out if it can be written
            except BaseException:
                db.close()
                raise
        except (sqlite3.Error, NewerFile, OSError) as error:
            os.close(lock)
            raise StoreError(f"the journal {folder / FILE} cannot be used: {error}") from None
        return cls(db, lock, durable=durable)

    def close(self) -> None:
        """Puts everything into the one file, and lets go of the folder."""
        self._db.close()
        os.close(self._lock)

    # -- reading, at the start ------------------------------------------------------------------

    def tables(self) -> list[Rows]:
        """The tables that were open, in the order in which they were opened."""
        rows = self._db.execute(
            "SELECT id, header, match, place, state FROM tables JOIN states USING (id) ORDER BY id"
        ).fetchall()
        entries: dict[int, list[bytes]] = {}
        for number, entry in self._db.execute(
            "SELECT id, entries FROM entries ORDER BY id, number"
        ):
            entries.setdefault(number, []).append(entry)
        return [
            Rows(number, header, match, place, state, tuple(entries.get(number, ())))
            for number, header, match, place, state in rows
        ]

    def clock(self) -> float:
        """The time at the tables when something was last written."""
        (seconds,) = self._db.execute("SELECT seconds FROM clock").fetchone()
        return float(seconds)

    def won_by(self, name: str) -> Won | None:
        """What was won under a name, or one much like it; None if it finished no hand."""
        row = self._db.execute(
            "SELECT name, hands, hands_won, points FROM people WHERE skeleton = ?",
            (skeleton(name),),
        ).fetchone()
        return None if row is None else Won(*row)

    def best(self, most: int = 10) -> list[Won]:
        """Those who have won most: points, then hands won."""
        rows = self._db.execute(
            "SELECT name, hands, hands_won, points FROM people"
            " ORDER BY points DESC, hands_won DESC, hands, skeleton LIMIT ?",
            (most,),
        )
        return [Won(*row) for row in rows]

    def entrants(self) -> list[Entered]:
        """The names in the ladder."""
        rows = self._db.execute(
            "SELECT name, house, key, address, since, seen, mu, sigma, matches, hands, points,"
            " firsts FROM entrants"
        )
        return [Entered(name, bool(house), *rest) for name, house, *rest in rows]

    def rated(self) -> list[bytes]:
        """The rated matches, in the order in which they were rated."""
        return [blob for (blob,) in self._db.execute("SELECT result FROM rated ORDER BY id")]

    def last_rated(self) -> int:
        """The highest number of a rated match; 0 if there is none."""
        (number,) = self._db.execute("SELECT max(number) FROM rated").fetchone()
        return int(number or 0)

    # -- writing --------------------------------------------------------------------------------

    def commit(self, statements: Sequence[Statement], clock: float) -> None:
        """Does all of it or, with sqlite3.Error, nothing. APPEND and PUT come last."""
        db = self._db
        rows: dict[str, list[tuple[Any, ...]]] = {APPEND: [], PUT: []}
        db.execute("BEGIN IMMEDIATE")
        try:
            for sql, values in statements:
                if sql in rows:
                    rows[sql].append(values)
                else:
                    db.execute(sql, values)
            for sql, of_all in rows.items():
                one = sql[sql.index("(") :]
                for at in range(0, len(of_all), MOST_ROWS):
                    some = of_all[at : at + MOST_ROWS]
                    db.execute(sql + f", {one}" * (len(some) - 1), tuple(chain(*some)))
            db.execute("UPDATE clock SET seconds = ?", (clock,))
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise
        self._written += len(statements)

    @property
    def is_long(self) -> bool:
        """Whether it is time to `shorten` the log."""
        return self._written >= LONG

    def shorten(self) -> None:
        """Brings what was committed from the log into the file. If not all can be, then later."""
        self._written = 0
        with suppress(sqlite3.Error):
            self._db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()


def backup(folder: Path, file: Path) -> None:
    """Copies the journal as it is at one moment, whether a server uses it or not.

    The file appears when it is whole. Raises StoreError.
    """
    source = folder / FILE
    if not source.is_file():
        raise StoreError(f"there is no journal in the data folder {folder}")
    if file.exists():
        raise StoreError(f"{file} exists already; name a new file")
    part = file.with_name(file.name + ".part")
    try:
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
        with closing(sqlite3.connect(source)) as db, closing(sqlite3.connect(part)) as copy:
            db.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
        os.replace(part, file)
    except (sqlite3.Error, OSError) as error:
        part.unlink(missing_ok=True)
        reason = getattr(error, "strerror", None) or error
        raise StoreError(f"the backup {file} cannot be written: {reason}") from None


def _locked(folder: Path) -> int:
    """A descriptor that holds the folder for this process, however that ends."""
    descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    if fcntl is None:
        return descriptor
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.read(descriptor, 20).decode("ascii", "replace").strip()
        os.close(descriptor)
        process = f" (process {holder})" if holder else ""
        raise StoreError(
            f"the data folder {folder} is in use by another server{process};"
            " stop that one, or name another folder with --data"
        ) from None
    os.truncate(descriptor, 0)
    os.write(descriptor, f"{os.getpid()}\n".encode())
    return descriptor
