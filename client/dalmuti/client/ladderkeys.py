"""Our names in ladders, in files: the key of each, which its server gives out once.

One file a server and name, readable by its owner only, under the user's state folder. Whoever loses
it has lost the name; whoever reads it can play under it.
"""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from pathlib import Path

import msgspec
import platformdirs
from msgspec import Struct

from dalmuti.client import private


class Key(Struct, frozen=True, kw_only=True):
    """What is in a file."""

    address: str
    name: str
    key: str


def folder() -> Path:
    """Where the files are, unless told otherwise."""
    return platformdirs.user_state_path("dalmuti") / "ladder"


class KeyFile:
    """The file of one name at one server. A `session.LadderName`."""

    def __init__(self, address: str, name: str, where: Path | None = None) -> None:
        """Reads the key, if there is one. `address` is that of the server."""
        plain = re.sub(r"[^A-Za-z0-9.-]", "_", f"{address}_{name}")[:80]
        exact = hashlib.sha256(f"{address}\n{name}".encode()).hexdigest()[:12]
        self.path = (where or folder()) / f"{plain}_{exact}.json"
        self.address, self.name = address, name
        self.key = self._load()

    @property
    def where(self) -> str:
        """The file, for people."""
        return str(self.path)

    def _load(self) -> str | None:
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=Key).key
        except (OSError, msgspec.DecodeError):
            return None

    def save(self, name: str, key: str) -> None:
        """Where it cannot be written the key is good for as long as this process lives."""
        self.key = key
        with suppress(OSError):
            kept = Key(address=self.address, name=name, key=key)
            private.write(self.path, msgspec.json.encode(kept))
