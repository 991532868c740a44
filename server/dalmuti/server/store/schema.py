"""The journal's tables, as numbered migrations.

Migration n makes version n of version n - 1 (`PRAGMA user_version`); those that were released are
never changed. What is inside the blobs is msgpack of the classes named here: new fields of these
have defaults, so they need no migration.
"""

from __future__ import annotations

import sqlite3
from typing import Final

MIGRATIONS: Final = (
    # 1
    """
    CREATE TABLE tables (       -- the tables that are open
        id INTEGER PRIMARY KEY,
        header BLOB NOT NULL,   -- journal.Header: what never changes
        match BLOB NOT NULL,    -- core.between.Between: the match before the hand
        place BLOB NOT NULL     -- records.Place: how far its transcript is written
    );
    CREATE TABLE states (       -- beside `tables`, since it is replaced at every step
        id INTEGER PRIMARY KEY REFERENCES tables (id) ON DELETE CASCADE,
        state BLOB NOT NULL     -- table.image.TableState
    );
    CREATE TABLE entries (      -- what the match took since
        id INTEGER NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        entries BLOB NOT NULL,  -- journal.Step
        PRIMARY KEY (id, number)
    ) WITHOUT ROWID;
    CREATE TABLE people (       -- what was won, by name
        skeleton TEXT PRIMARY KEY,
        name TEXT NOT NULL,     -- as it was last written
        hands INTEGER NOT NULL,
        hands_won INTEGER NOT NULL,
        points INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE clock (        -- one row: the time at the tables, in seconds
        id INTEGER PRIMARY KEY CHECK (id = 1),
        seconds REAL NOT NULL
    );
    INSERT INTO clock VALUES (1, 0.0);
    """,
    # 2
    """
    CREATE TABLE entrants (     -- the names in the ladder, no two of them alike
        name TEXT PRIMARY KEY,
        house INTEGER NOT NULL, -- 1: a house bot, by its kind
        key BLOB NOT NULL,      -- the digest of what its owner must show
        address TEXT NOT NULL,  -- from where it was enlisted
        since REAL NOT NULL,    -- seconds since 1970, and so is the next
        seen REAL NOT NULL,
        mu REAL NOT NULL,
        sigma REAL NOT NULL,
        matches INTEGER NOT NULL,
        hands INTEGER NOT NULL,
        points INTEGER NOT NULL,
        firsts INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE rated (        -- the matches behind the ratings, in the order of their ends
        id INTEGER PRIMARY KEY,
        number INTEGER NOT NULL UNIQUE, -- of the match: none is rated twice
        result BLOB NOT NULL    -- ladder.ratings.Result
    );
    """,
)
VERSION: Final = len(MIGRATIONS)


class NewerFile(Exception):
    """The file was written by a newer server."""


def migrate(db: sqlite3.Connection) -> int:
    """Brings a journal to this version, each step whole or not at all. Returns what it was.

    Raises NewerFile, and sqlite3.Error.
    """
    (found,) = db.execute("PRAGMA user_version").fetchone()
    if found > VERSION:
        raise NewerFile(f"it is of version {found}, and this server knows version {VERSION}")
    for number in range(found, VERSION):
        db.executescript(f"BEGIN; {MIGRATIONS[number]}; PRAGMA user_version = {number + 1}; COMMIT")
    return int(found)
