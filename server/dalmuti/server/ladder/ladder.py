"""The ladder: bots enlist, the server seats them at rated tables, and keeps what comes of it.

What a match changes is written down in `book`. Half of the seats of a match are for those
who have waited for longest, so that nobody waits for ever; the others are drawn, so that all meet
all, without which ratings could not be compared. House bots take what is left.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from random import Random, SystemRandom
from typing import Final, Protocol

import trio

from dalmuti.core.options import MIN_SEATS
from dalmuti.protocol import messages as msg
from dalmuti.protocol.errors import ByeReason, ErrorCode
from dalmuti.protocol.text import clean_name
from dalmuti.server.bans import Bans
from dalmuti.server.doors import HOME
from dalmuti.server.gate import Gate
from dalmuti.server.ladder.book import Book
from dalmuti.server.ladder.entrants import Entrant
from dalmuti.server.ladder.ratings import Rating, Record
from dalmuti.server.ladder.settings import LadderSettings
from dalmuti.server.limits import Limits
from dalmuti.server.log import Log
from dalmuti.server.metrics import Metrics
from dalmuti.server.peer import Peer
from dalmuti.server.sessions import Caller
from dalmuti.server.store.keeping import Keeping
from dalmuti.server.store.store import Statement
from dalmuti.server.table.refused import Refused
from dalmuti.server.table.room import NotKept, Room
from dalmuti.server.table.table import Table

GATHER_SECONDS: Final = 1.0
"""When the first comes to wait, others have so long to come as well; never longer than a pause."""


class Hall(Protocol):
    """What the ladder needs of the lobby."""

    peers: dict[int, Peer]
    rooms: dict[str, Room]
    draining: bool
    gate: Gate
    metrics: Metrics

    @property
    def limits(self) -> Limits:
        """What is in force."""

    def open_rated(self, number: int, peers: Sequence[Peer], bots: Sequence[str]) -> None:
        """Opens the table of a rated match and seats these at it."""


class Ladder:
    """Who is rated, and how. Without a store it is closed, and so it is where not enabled."""

    def __init__(
        self,
        hall: Hall,
        settings: LadderSettings,
        log: Log,
        keeping: Keeping,
        bans: Bans,
        wall: Callable[[], float] = time.time,
        chance: Random | None = None,
    ) -> None:
        """`wall` tells the seconds since 1970; `chance` draws who plays."""
        store = keeping.store
        self.settings = settings
        self.open = settings.enabled and store is not None
        """Whether bots may enlist, and new matches begin."""
        self.book = Book(hall.metrics, log, keeping, bans, wall)
        self.entrants = self.book.entrants
        self._hall, self._log, self._keeping, self._bans = hall, log, keeping, bans
        self._wall, self._chance = wall, chance or SystemRandom()
        self._last = 0 if store is None else store.last_rated()
        self._played: dict[str, int] = {}
        """The number of the last match of each entrant in this run, by name."""
        self._not_before = 0.0
        self._house_turn = 0
        self._forgotten: list[Statement] = []
        """What is to be kept with the next new name."""
        self._wake = trio.Event()

    # -- requests -----------------------------------------------------------------------------

    def tell(self, peer: Peer, request: msg.ListLadder) -> None:
        """Answers with a part of the standings."""
        self._must_be_open()
        rows = self.book.standings()
        here = {each.entrant.name for each in self._hall.peers.values() if each.entrant}
        peer.post(msg.Ok(re=request.id))
        peer.post(
            msg.Ladder(
                ranks=tuple(
                    _row(each, each.name in here)
                    for each in rows[request.after : request.after + request.most]
                ),
                total=len(rows),
                seats=self.settings.seats,
                hands=self.settings.hands,
            )
        )

    async def enlist(self, peer: Peer, request: msg.Enlist) -> None:
        """Lets a bot in under its name, and gives it the seat back that it may have."""
        self._must_be_open()
        if peer.caller is None or peer.caller.kind != "bot":
            raise Refused(ErrorCode.REFUSED, 'the ladder is for bots; say kind "bot" in `hello`')
        if self._hall.draining:
            raise Refused(ErrorCode.DRAINING, "the server is about to stop")
        try:
            name = clean_name(request.name)
        except ValueError as error:
            raise Refused(ErrorCode.BAD_NAME, str(error)) from None
        if self._bans.has_name(name):
            raise Refused(ErrorCode.REFUSED, "this name is not welcome here")
        entrant, key = self.entrants.find(name), None
        if entrant is None:
            entrant, key = await self._new(peer, name)
        elif request.key is None:
            raise Refused(ErrorCode.NAME_TAKEN, "this name in the ladder belongs to somebody")
        elif not entrant.fits(request.key):
            raise self._hall.gate.wrong_key(peer.address, trio.current_time())
        self._replace_others(peer, entrant)
        peer.entrant = entrant
        peer.caller = Caller(peer.conn, entrant.name, peer.caller.kind, peer.address)
        peer.listing = False
        peer.post(msg.Ok(re=request.id))
        peer.post(msg.Enlisted(name=entrant.name, key=key))
        self._log.info("enlisted", conn=peer.conn, name=entrant.name, new=key is not None)
        if not await self._seat_again(peer, peer.caller):
            now = trio.current_time()
            if len(self._waiting()) == 1:
                gather = min(GATHER_SECONDS, self.settings.pause)
                self._not_before = max(self._not_before, now + gather)
            self.look()

    def _must_be_open(self) -> None:
        if not self.open:
            raise Refused(ErrorCode.NO_LADDER, "this server keeps no ladder")

    async def _new(self, peer: Peer, name: str) -> tuple[Entrant, str]:
        """Registers a name. Raises Refused."""
        settings = self.settings
        self._forget_unplayed()
        if self.entrants.is_like_another(name):
            raise Refused(ErrorCode.NAME_TAKEN, "a name of the ladder looks like this one")
        if len(self.entrants) >= settings.names:
            raise Refused(ErrorCode.REFUSED, "the ladder has no room for more names")
        of_address = 0 if peer.address in HOME else self.entrants.of_address(peer.address)
        if of_address >= settings.address_names:
            raise Refused(ErrorCode.REFUSED, "too many names were enlisted from your address")
        self._hall.gate.join(peer.address, trio.current_time())
        if self._keeping.writer is None or self._keeping.stuck:
            raise Refused(ErrorCode.REFUSED, "the server can keep no new name at the moment")
        entrant, key = self.entrants.add(name, peer.address, self._wall())
        forgotten, self._forgotten = self._forgotten, []
        try:
            await self._keeping.writer.keep([*forgotten, entrant.statement()])
        except NotKept:
            raise Refused(ErrorCode.DRAINING, "the server stops just now") from None
        return entrant, key

    def _forget_unplayed(self) -> None:
        """Names under which nobody has played for a while are free again."""
        here = {each.entrant.name for each in self._hall.peers.values() if each.entrant}
        for room in self._hall.rooms.values():
            if room.table.rated is not None:
                here.update(room.table.held_names())
        before = self._wall() - self.settings.unplayed_hours * 3600
        self._forgotten += self.entrants.forget_unplayed(before, here)

    def _replace_others(self, peer: Peer, entrant: Entrant) -> None:
        """The newest connection has the place, and the seat if there is one."""
        for other in list(self._hall.peers.values()):
            if other.entrant is entrant and other is not peer:
                other.entrant = None
                other.end(ByeReason.REPLACED, "you came back from elsewhere")

    async def _seat_again(self, peer: Peer, caller: Caller) -> bool:
        """The seat in a rated match that is being played, if there is one."""
        for room in list(self._hall.rooms.values()):
            if room.table.rated is None or caller.name not in room.table.held_names():
                continue
            peer.room = room
            if await room.do(lambda table, now: table.seat_again(caller, now)):
                return True
            if peer.room is room:  # else the ladder has it at another by now
                peer.room = None
        return False

    # -- matches ------------------------------------------------------------------------------

    def look(self) -> None:
        """Something has changed: a match may be able to begin."""
        self._wake.set()

    async def run(self) -> None:
        """Begins matches for as long as the server runs."""
        while True:
            self._wake = trio.Event()
            while self._may_begin():
                self._begin()
            later = self._not_before > trio.current_time()
            with trio.CancelScope(deadline=self._not_before if later else math.inf):
                await self._wake.wait()

    def _waiting(self) -> dict[str, Peer]:
        """Who is enlisted and at no table, by name."""
        peers = self._hall.peers.values()
        return {p.entrant.name: p for p in peers if p.entrant is not None and p.room is None}

    def _tables(self) -> int:
        return sum(room.table.rated is not None for room in self._hall.rooms.values())

    def _may_begin(self) -> bool:
        hall, settings = self._hall, self.settings
        if not self.open or hall.draining or self._keeping.stuck:
            return False
        if self._not_before > trio.current_time() or self._tables() >= settings.tables:
            return False
        waiting = min(len(self._waiting()), settings.seats)
        players = waiting + self._house_bots(waiting)
        return (
            waiting >= settings.min_entrants
            and len(hall.rooms) < hall.limits.tables
            and players >= MIN_SEATS
        )

    def _house_bots(self, entrants: int) -> int:
        """How many house bots complete a table, as far as the server has them."""
        if not self.settings.house:
            return 0
        busy = sum(room.table.house.number for room in self._hall.rooms.values())
        return min(self.settings.seats - entrants, max(0, self._hall.limits.house_bots - busy))

    def _begin(self) -> None:
        settings = self.settings
        waiting, house = self._waiting(), settings.house
        names = drawn(list(waiting), self._played, settings.seats, self._chance)
        missing = self._house_bots(len(names))
        bots = [house[(self._house_turn + n) % len(house)] for n in range(missing)]
        self._house_turn += missing
        number = self._last = self._last + 1
        self._played.update(dict.fromkeys(names, number))
        self._hall.open_rated(number, [waiting[name] for name in names], bots)

    def restored(self, number: int) -> None:
        """A rated match of an earlier run goes on."""
        self._last = max(self._last, number)

    def over(self, table: Table) -> None:
        """The table of a rated match is no more."""
        if table.closed and table.play.match.state != "over" and table.rated is not None:
            self._hall.metrics.rated_matches["void"] += 1
            self._log.warning("match_void", match=table.rated.number)
        self._not_before = trio.current_time() + self.settings.pause
        self.look()


def drawn(
    waiting: Sequence[str], played: Mapping[str, int], seats: int, chance: Random
) -> list[str]:
    """Who of those who wait plays next; `played` is the number of everybody's last match."""
    names = list(waiting)
    chance.shuffle(names)
    names.sort(key=lambda name: played.get(name, 0))
    first, rest = names[: (seats + 1) // 2], names[(seats + 1) // 2 :]
    return first + chance.sample(rest, min(len(rest), seats - len(first)))


def _row(record: Record, here: bool) -> msg.Rank:
    rating: Rating = record.rating
    return msg.Rank(
        name=record.name,
        house=record.house,
        here=here,
        mu=round(rating.mu * 1000),
        sigma=round(rating.sigma * 1000),
        matches=record.matches,
        hands=record.hands,
        points=record.points,
        firsts=record.firsts,
    )
