"""The seats that are ours, in files: so that a client that was killed finds its way back.

One file a seat, readable by its owner only, under the user's state folder, named by server address
and a number. A client holds a lock on its file for as long as it lives, so a second client on
this machine never takes the first one's seat, and a dead one's seat is free to be found. Where
there are no such locks (Windows) the files work without them: there a second client at the same
server and under the same name takes the seat over, as a newer connection always does.

The lock is on a file of its own beside the token, because the token's is replaced at every change
and a lock does not move along with a name.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import platformdirs
from msgspec import Struct

from dalmuti.client import private

fcntl: Any = None
if sys.platform != "win32":
    import fcntl

MOST: Final = 100
"""Seats at one server that one person has files for."""


class Seat(Struct, frozen=True, kw_only=True):
    """What is in a file: the newest token of a seat, and under which name it was taken."""

    address: str
    table: str
    token: str
    name: str


def folder() -> Path:
    """Where the files are, unless told otherwise."""
    return platformdirs.user_state_path("dalmuti") / "seats"


class SeatFile:
    """One seat's file, locked for as long as this object is open. A `session.SeatStore`."""

    def __init__(self, path: Path, lock: int, address: str) -> None:
        self.path = path
        self._lock = lock
        self.address = address

    def load(self) -> Seat | None:
        """The seat in the file, if there is one that can be read."""
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=Seat)
        except (OSError, msgspec.DecodeError):
            return None

    def save(self, table: str, token: str, name: str) -> None:
        """Keeps the newest token of the seat. Raises OSError."""
        seat = Seat(address=self.address, table=table, token=token, name=name)
        private.write(self.path, msgspec.json.encode(seat))

    def forget(self) -> None:
        """The seat is gone, and its file."""
        self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Lets go of the lock. A lock without a seat is tidied away."""
        if not self.path.exists():
            self.path.with_suffix(".lock").unlink(missing_ok=True)
        os.close(self._lock)


def claim(
    address: str, name: str | None = None, table: str | None = None, where: Path | None = None
) -> tuple[SeatFile, Seat | None]:
    """A file for our seat at this server, and the seat in it if one is still held for us.

    With a `name` or a `table` only a seat under that name or at that table will do. Raises OSError
    where nothing can be kept.
    """
    for file in _unlocked(where or folder(), address):
        seat = file.load()
        if seat is None:
            return file, None
        if seat.address == address and name in (None, seat.name) and table in (None, seat.table):
            return file, seat
        file.close()
    raise OSError(f"there are {MOST} seats at {address} already, none of them free")


def at(path: Path, address: str) -> SeatFile | None:
    """The seat's file at this path; None if somebody else holds it. Raises OSError."""
    lock = _lock(path.with_suffix(".lock"))
    return None if lock is None else SeatFile(path, lock, address)


def _unlocked(where: Path, address: str) -> Iterator[SeatFile]:
    """The files for this server that nobody else holds, those with a seat first."""
    where.mkdir(parents=True, exist_ok=True, mode=0o700)
    stem = re.sub(r"[^A-Za-z0-9.-]", "_", address)[:80]
    paths = [where / f"{stem}_{number}.json" for number in range(MOST)]
    for path in sorted(paths, key=lambda path: not path.exists()):
        lock = _lock(path.with_suffix(".lock"))
        if lock is not None:
            yield SeatFile(path, lock, address)


def _lock(path: Path) -> int | None:
    """A descriptor that holds the lock, or None if somebody else does."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    if fcntl is None:
        return descriptor
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(descriptor).st_ino == os.stat(path).st_ino:
            return descriptor  # and nobody tidied the file away in between
    except OSError:
        pass
    os.close(descriptor)
    return None
