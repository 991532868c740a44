"""The book of the ladder: every rated match, and what all of them make of each name.

A match is rated in the one transaction that also takes its table out of the journal: a killed
server has either done both, or goes on with the match. Nobody is shown what is not kept yet.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from dalmuti.server.bans import Bans
from dalmuti.server.ladder.entrants import Entrants
from dalmuti.server.ladder.ratings import Line, Record, Result, counted, recomputed
from dalmuti.server.log import Log
from dalmuti.server.metrics import Metrics
from dalmuti.server.store.keeping import Keeping
from dalmuti.server.store.store import Statement, Store
from dalmuti.server.table.table import Table


class Book:
    """Rates matches, and shows the standings. Without a store it is empty."""

    def __init__(
        self, metrics: Metrics, log: Log, keeping: Keeping, bans: Bans, wall: Callable[[], float]
    ) -> None:
        """`wall` tells the seconds since 1970."""
        store = keeping.store
        self.entrants = Entrants(() if store is None else store.entrants())
        self._metrics, self._log, self._bans, self._wall = metrics, log, bans, wall
        self._writer = keeping.writer
        self._being_kept: dict[int, tuple[Result, dict[str, Record]]] = {}
        """Matches, by number, and what they changed."""
        keeping.rater = self

    def standings(self) -> Sequence[Record]:
        """Everyone who has played, the best first. Banned names are not shown."""
        return self.entrants.standings(self._bans.names)

    def rate(self, table: Table) -> list[Statement]:
        """See `store.journal.Rater`."""
        rated, people = table.rated, table.people.players
        if rated is None or table.play.match.state != "over":
            return []
        lines = []
        for number, tally in rated.tally.items():
            player = people[number]
            name = player.bot if player.is_house else player.name
            lines.append(
                Line(name, player.is_house, tally.points, tally.firsts, tally.hands, tally.helped)
            )
        now = self._wall()
        lines.sort(key=lambda line: (-line.points, -line.firsts, line.name))
        result = Result(rated.number, now, tuple(lines))
        kept = ("INSERT INTO rated (number, result) VALUES (?, ?)", _values(result))
        records = ((line.name, self.entrants.record(line.name)) for line in lines)
        changed = counted({name: each for name, each in records if each is not None}, result)
        self._being_kept[rated.number] = result, changed
        return [kept, *self.entrants.update(changed, now)]

    def is_rated(self, table: Table) -> None:
        """See `store.journal.Rater`: the one line in the log for a rated match."""
        if table.rated is None or table.rated.number not in self._being_kept:
            return
        result, changed = self._being_kept.pop(table.rated.number)
        self.entrants.tell(changed)
        self._metrics.rated_matches["rated"] += 1
        self._log.info(
            "match_rated",
            match=result.number,
            points=[f"{line.name} {line.points}" for line in result.lines],
            helped=sum(line.helped for line in result.lines),
        )

    async def differences(self) -> tuple[int, list[str]]:
        """How many matches are kept, and the names whose record is not what these make it."""
        if self._writer is None:
            return 0, []
        while True:
            known = self._records()
            results = await self._writer.read(results_in)
            if not self._being_kept and known == self._records():
                break  # else a match has just ended
        again = recomputed(results)
        names = known.keys() | again.keys()
        return len(results), sorted(name for name in names if known.get(name) != again.get(name))

    def _records(self) -> dict[str, Record]:
        """Of all who have played, by name."""
        return {n: record for n, record in self.entrants.records().items() if record.matches}


def results_in(store: Store) -> list[Result]:
    """All rated matches that are kept, in their order. Raises msgspec.DecodeError."""
    return [msgspec.msgpack.decode(blob, type=Result) for blob in store.rated()]


def _values(result: Result) -> tuple[int, bytes]:
    return result.number, msgspec.msgpack.encode(result)
