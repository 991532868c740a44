"""The names in the ladder: to whom they belong, and what was played under them.

A name is its first owner's. The server gives him a key, keeps nothing of it but a digest, and
wants to see it whenever somebody enlists under that name. All names are in memory; what changes is
given back as statements for the journal. What a match made of a record counts for the next match at
once, and is `told` when the journal has it. A name that looks like another one of the ladder, or
like a house bot's, is nobody's.

There may be thousands of names, and anybody may ask: what is looked for is kept ready.
"""

from __future__ import annotations

import hmac
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from dalmuti.protocol.text import likenesses, skeleton
from dalmuti.server.ladder.ratings import Rating, Record, by_rank
from dalmuti.server.sessions import TokenSource, digest, new_token
from dalmuti.server.store.store import Entered, Statement
from dalmuti.server.table.house import HOUSE_BOTS

RESERVED: Final = frozenset({*HOUSE_BOTS, "random", "greedy", "careful", "expert"})
"""House bots, those included that another version of the server may have."""
_RESERVED_LIKENESSES: Final = frozenset(like for bot in RESERVED for like in likenesses(bot))
FORGET: Final = "DELETE FROM entrants WHERE name = ?"


class Entrant(Struct, eq=False):
    """Who enlisted under a name, or a house bot. Times are in seconds since 1970."""

    record: Record
    """With every match that has ended."""
    told: Record
    """What others see: without the matches that the journal does not have yet."""
    key: bytes
    """The digest of the key; empty for house bots."""
    address: str
    """From where the name was enlisted, as `address.counted_as` has it."""
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
        self._unplayed: dict[str, Entrant] = {}
        """Of these, whose name may be forgotten, the oldest first."""
        self._likenesses = Counter[str]()
        self._addresses = Counter[str]()
        """Names by the address that enlisted them, those of house bots aside."""
        self._ranked: list[Record] = []
        """Who has played, as told, the best first."""
        for row in sorted(rows, key=lambda row: row.seen):
            rating = Rating(row.mu, row.sigma)
            record = Record(
                row.name, row.house, rating, row.matches, row.hands, row.points, row.firsts
            )
            self._put(Entrant(record, record, row.key, row.address, row.since, row.seen))

    def _put(self, entrant: Entrant) -> None:
        key = skeleton(entrant.name)
        self._known[key] = entrant
        self._likenesses.update(likenesses(entrant.name))
        if entrant.told.matches:
            insort(self._ranked, entrant.told, key=by_rank)
        if not entrant.record.house:
            self._addresses[entrant.address] += 1
            if not entrant.record.matches:
                self._unplayed[key] = entrant

    def __len__(self) -> int:
        """How many names are taken, those of house bots aside."""
        return self._addresses.total()

    def find(self, name: str) -> Entrant | None:
        """Whose name this is; None if it is a house bot's, or nobody's."""
        found = self._known.get(skeleton(name))
        return None if found is None or found.record.house else found

    def is_like_another(self, name: str) -> bool:
        """Whether a new name would be taken for another one."""
        likes = likenesses(name)
        return any(self._likenesses[like] for like in likes) or bool(likes & _RESERVED_LIKENESSES)

    def of_address(self, address: str) -> int:
        """How many names were enlisted from an address."""
        return self._addresses[address]

    def add(self, name: str, address: str, now: float) -> tuple[Entrant, str]:
        """A new name, and its key. The caller has seen to it that it is like no other."""
        key, record = self._keys(), Record(name)
        entrant = Entrant(record, record, digest(key), address, now, now)
        self._put(entrant)
        return entrant, key

    def forget_unplayed(self, before: float, here: Collection[str] = ()) -> list[Statement]:
        """Gives the names free that were enlisted `before` and never finished a match.

        Those `here` are kept.
        """
        old = []
        for key, each in self._unplayed.items():
            if each.seen >= before:
                break
            if each.name not in here:
                old.append((key, each))
        for key, each in old:
            del self._known[key], self._unplayed[key]
            self._likenesses.subtract(likenesses(each.name))
            self._addresses[each.address] -= 1
        return [(FORGET, (each.name,)) for _, each in old]

    def record(self, name: str) -> Record | None:
        """What was played under a name, whether it is told yet or not; None if nothing was."""
        found = self._known.get(skeleton(name))
        return None if found is None else found.record

    def records(self) -> dict[str, Record]:
        """What was played, by name, whether it is told yet or not."""
        return {each.name: each.record for each in self._known.values()}

    def standings(self, unseen: Iterable[str] = ()) -> Sequence[Record]:
        """Who has played, as told, the best first, without these names (by their skeletons)."""
        found = [self._known[key].told for key in unseen if key in self._known]
        if hidden := {record.name for record in found if record.matches}:
            return [record for record in self._ranked if record.name not in hidden]
        return self._ranked

    def update(self, changed: Mapping[str, Record], now: float) -> list[Statement]:
        """Takes what a match changed. House bots have their place with their first match."""
        out: list[Statement] = []
        for name, record in changed.items():
            key = skeleton(name)
            entrant = self._known.get(key)
            if entrant is None:
                nothing = Record(name, record.house)
                entrant = Entrant(record, nothing, b"", "", now, now)
                self._put(entrant)
            self._unplayed.pop(key, None)
            entrant.record, entrant.seen = record, now
            out.append(entrant.statement())
        return out

    def tell(self, changed: Mapping[str, Record]) -> None:
        """The journal has what a match changed. Of two matches the later may be told first."""
        for name, record in changed.items():
            entrant = self._known[skeleton(name)]
            if record.matches <= entrant.told.matches:
                continue
            if entrant.told.matches:
                del self._ranked[bisect_left(self._ranked, by_rank(entrant.told), key=by_rank)]
            insort(self._ranked, record, key=by_rank)
            entrant.told = record
