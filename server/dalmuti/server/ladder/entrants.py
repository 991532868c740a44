"""The names in the ladder: to whom they belong, and what was played under them.

A name is its first owner's. The server gives him a key, keeps nothing of it but a digest, and
wants to see it whenever somebody enlists under that name. All names are in memory; what changes is
given back as statements for the journal, so that whoever changes it can keep that before he tells.
A name that looks like another one of the ladder, or like a house bot's, is nobody's.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct

from dalmuti.protocol.text import likenesses, skeleton
from dalmuti.server.ladder.ratings import Rating, Record
from dalmuti.server.sessions import TokenSource, digest, new_token
from dalmuti.server.store.store import Entered, Statement
from dalmuti.server.table.house import HOUSE_BOTS

RESERVED: Final = frozenset({*HOUSE_BOTS, "random", "greedy", "careful", "expert"})
"""House bots, those included that another version of the server may have."""
FORGET: Final = "DELETE FROM entrants WHERE name = ?"


class Entrant(Struct, eq=False):
    """Who enlisted under a name, or a house bot. Times are in seconds since 1970."""

    record: Record
    key: bytes
    """The digest of the key; empty for house bots."""
    address: str
    """From where the name was enlisted, as `doors.address_of` has it."""
    since: float
    seen: float
    """When it last finished a match, or was enlisted first."""

    @property
    def name(self) -> str:
        """The name as it is shown."""
        return self.record.name

    def fits(self, key: str) -> bool:
        """Whether this is the key of the name; compared in constant time."""
        return hmac.compare_digest(digest(key), self.key)

    def statement(self) -> Statement:
        """Keeps everything about it."""
        record = self.record
        values = (
            record.name,
            record.house,
            self.key,
            self.address,
            self.since,
            self.seen,
            record.rating.mu,
            record.rating.sigma,
            record.matches,
            record.hands,
            record.points,
            record.firsts,
        )
        return (f"REPLACE INTO entrants VALUES ({', '.join('?' * len(values))})", values)


class Entrants:
    """All names, by skeleton."""

    def __init__(self, rows: Iterable[Entered] = (), keys: TokenSource = new_token) -> None:
        self._keys = keys
        self._known: dict[str, Entrant] = {}
        for row in rows:
            rating = Rating(row.mu, row.sigma)
            record = Record(
                row.name, row.house, rating, row.matches, row.hands, row.points, row.firsts
            )
            self._known[skeleton(row.name)] = Entrant(
                record, row.key, row.address, row.since, row.seen
            )

    def __len__(self) -> int:
        """How many names are taken, those of house bots aside."""
        return sum(1 for _ in self._bots())

    def _bots(self) -> Iterator[Entrant]:
        return (each for each in self._known.values() if not each.record.house)

    def find(self, name: str) -> Entrant | None:
        """Whose name this is; None if it is a house bot's, or nobody's."""
        found = self._known.get(skeleton(name))
        return None if found is None or found.record.house else found

    def is_like_another(self, name: str) -> bool:
        """Whether a new name would be taken for another one."""
        used = {like for each in self._known.values() for like in likenesses(each.name)}
        used.update(like for bot in RESERVED for like in likenesses(bot))
        return not used.isdisjoint(likenesses(name))

    def of_address(self, address: str) -> int:
        """How many names were enlisted from an address."""
        return sum(each.address == address for each in self._bots())

    def add(self, name: str, address: str, now: float) -> tuple[Entrant, str]:
        """A new name, and its key. The caller has seen to it that it is like no other."""
        key = self._keys()
        entrant = Entrant(Record(name), digest(key), address, now, now)
        self._known[skeleton(name)] = entrant
        return entrant, key

    def forget_unplayed(self, before: float, here: Collection[str] = ()) -> list[Statement]:
        """Gives the names free that were enlisted `before` and never finished a match.

        Those `here` are kept.
        """
        old = [
            key
            for key, each in self._known.items()
            if not each.record.house
            and not each.record.matches
            and each.seen < before
            and each.name not in here
        ]
        return [(FORGET, (self._known.pop(key).name,)) for key in old]

    def records(self) -> dict[str, Record]:
        """What was played, by name."""
        return {each.name: each.record for each in self._known.values()}

    def update(self, changed: Mapping[str, Record], now: float) -> list[Statement]:
        """Takes what a match changed. House bots have their place with their first match."""
        out: list[Statement] = []
        for name, record in changed.items():
            entrant = self._known.get(skeleton(name))
            if entrant is None:
                entrant = Entrant(record, b"", "", now, now)
                self._known[skeleton(name)] = entrant
            entrant.record, entrant.seen = record, now
            out.append(entrant.statement())
        return out
