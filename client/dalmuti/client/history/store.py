"""The history file: one line of JSON for each hand that was played to its end here.

It lies in the user's data folder, is readable by its owner only, and nothing of it is ever sent
anywhere. Lines are only ever added, each by one write to a file that is open for appending, so
that two clients on one machine do not tear each other's lines, and a crash or a full disk costs
the last line at most: the next writer begins a new one. The lock keeps writers from looking while
another writes; where there is none, or it is held, a line is written all the same.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
import platformdirs
from msgspec import Meta, Struct

fcntl: Any = None
if sys.platform != "win32":
    import fcntl

VERSION: Final = 1
LONGEST: Final = 4096
"""Bytes of a line; what is longer was not written by us."""

How = Literal["play", "host", "join"]
Small = Annotated[int, Meta(ge=0, le=10)]


class Hand(Struct, frozen=True, kw_only=True):
    """One hand of the local player. Fields that a later version adds are read over."""

    v: int = VERSION
    at: Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")]
    """When it ended, in UTC."""
    match: Annotated[str, Meta(max_length=64)]
    """The same for all hands of one match in one sitting."""
    how: How
    table: Annotated[str, Meta(max_length=200)]
    hand: Annotated[int, Meta(ge=1)]
    seats: Annotated[int, Meta(ge=2, le=10)]
    was: Annotated[int, Meta(ge=1, le=10)]
    """The place of the seat in which it was played: 1 is the Greater Dalmuti."""
    place: Annotated[int, Meta(ge=1, le=10)]
    """1 for the first out."""
    people: Small
    """Other people in the hand."""
    bots: Small
    """Bots in the hand."""
    points: Small | None = None
    """What the table counted; absent where it counts titles only."""
    standin: bool = False
    """The stand-in played it to its end: no place that counts (rules.md J3)."""
    fair: bool = True
    """False where the deals were known beforehand."""


class History(Struct, frozen=True):
    """What the file holds."""

    hands: tuple[Hand, ...] = ()
    damaged: int = 0
    """Lines that cannot be read."""
    newer: int = 0
    """Lines that a later version of this program wrote in another way."""


class _Version(Struct):
    v: int


def path() -> Path:
    """Where the file is."""
    return platformdirs.user_data_path("dalmuti") / "history.jsonl"


def append(hand: Hand, file: Path) -> None:
    """Adds a hand; its folder is made if need be. Raises OSError."""
    line = msgspec.json.encode(hand) + b"\n"
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
    descriptor = os.open(file, flags, 0o600)
    try:
        if fcntl is not None:
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.lseek(descriptor, 0, os.SEEK_END):
            os.lseek(descriptor, -1, os.SEEK_END)
            if os.read(descriptor, 1) != b"\n":  # somebody died in the middle of a line
                line = b"\n" + line
        if os.write(descriptor, line) < len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    finally:
        os.close(descriptor)  # and with it the lock


def read(file: Path) -> History:
    """All hands, in the order in which they ended; nothing where there is no file.

    Raises OSError.
    """
    try:
        with file.open("rb") as lines:
            return from_lines(lines)
    except FileNotFoundError:
        return History()


def from_lines(lines: Iterable[bytes]) -> History:
    """The hands in these lines. Never raises; what cannot be read is counted."""
    hands: list[Hand] = []
    damaged = newer = 0
    for line in lines:
        if not line.strip():
            continue
        try:
            if len(line) > LONGEST:
                raise ValueError("too long")
            if msgspec.json.decode(line, type=_Version).v > VERSION:
                newer += 1
                continue
            hand = msgspec.json.decode(line, type=Hand)
            if max(hand.place, hand.was, hand.people + hand.bots + 1) > hand.seats:
                raise ValueError("more than there are seats")
        except (ValueError, RecursionError):  # msgspec's errors and wrong UTF-8 are ValueErrors
            damaged += 1
            continue
        hands.append(hand)
    hands.sort(key=lambda hand: hand.at)  # two clients may write at once
    return History(tuple(hands), damaged, newer)


def forget(file: Path) -> bool:
    """Deletes the file; False where there was none. Raises OSError."""
    try:
        file.unlink()
    except FileNotFoundError:
        return False
    return True
