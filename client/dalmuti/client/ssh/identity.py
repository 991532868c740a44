"""Who a guest is, and which seat is his: what he can prove, or else his name and his address.

A key is proved by ssh itself, so whoever comes with the same key is the same guest, under any name
and from anywhere, also while an old connection of his hangs. Without a key there is no proof: then
the seat belongs to the name at the address, and only while nobody is on it.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

import platformdirs
from msgspec import Struct

from dalmuti.client import seats
from dalmuti.protocol.text import clean_name, cut, safe_text, skeleton

MOST_SEATS: Final = 500
"""Seats of guests that are remembered; the oldest that nobody is on goes for a new one."""
GUEST: Final = "Guest"
"""The name of those whose own cannot be used."""


class Identity(Struct, frozen=True, kw_only=True):
    """Who a guest is to us."""

    nick: str
    address: str
    key: str | None = None
    """The fingerprint of the key that was proved."""

    @property
    def lasts(self) -> bool:
        """Whether he can be known again. Who has no key and no name of his own cannot."""
        return self.key is not None or self.nick != GUEST

    @property
    def id(self) -> str:
        """The same for the same guest."""
        return f"key {self.key}" if self.key else f"name {skeleton(self.nick)} at {self.address}"


def nick_of(user: str) -> str:
    """The nick of somebody who came as this user: as it is, or what can be used of it."""
    for text in (user, cut(" ".join(safe_text(user).split()), 20, "").strip()):
        try:
            return clean_name(text)
        except ValueError:
            continue
    return GUEST


class GuestSeats:
    """The seats of the guests of one server, in files that outlive the gateway."""

    def __init__(self, server: str, where: Path | None = None) -> None:
        self._server = server
        self._where = where or platformdirs.user_state_path("dalmuti") / "guests"

    def claim(self, identity: Identity) -> seats.SeatFile | None:
        """The file of this guest's seat; None if it cannot be had, and then he cannot come back.

        It has to be closed.
        """
        try:
            self._where.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._make_room()
            digest = hashlib.sha256(f"{self._server}\n{identity.id}".encode()).hexdigest()
            return seats.at(self._where / f"{digest[:40]}.json", self._server)
        except OSError:
            return None

    def _make_room(self) -> None:
        files = sorted(self._where.glob("*.json"), key=lambda file: file.stat().st_mtime)
        for file in files[:-MOST_SEATS]:
            old = seats.at(file, self._server)
            if old is not None:
                old.forget()
                old.close()
