"""Who may come to a table: with a password or a token, to sit or to watch, or for a house bot.

What is decided here is whether; what coming means for the others is in `seating`.
"""

from __future__ import annotations

from dalmuti.core.options import TableOptions
from dalmuti.protocol import messages as msg
from dalmuti.protocol.errors import ErrorCode
from dalmuti.server.limits import Bucket, Limits
from dalmuti.server.sessions import Caller, Secret, digest
from dalmuti.server.table.house import House
from dalmuti.server.table.people import People
from dalmuti.server.table.refused import Refused, TooFast
from dalmuti.server.table.seating import Seating


class Admission:
    """The way in. A refusal has changed nothing. `now` as in `Table`."""

    def __init__(
        self,
        options: TableOptions,
        people: People,
        seating: Seating,
        house: House,
        limits: Limits,
        *,
        instance: str,
        password: Secret | None,
        solo: bool,
        rated: bool,
    ) -> None:
        """`instance` as in `Table`; at a `rated` table nobody sits down by himself."""
        self.password = password
        self._options, self._limits, self._instance = options, limits, instance
        self._people, self._seating, self._house = people, seating, house
        self._solo, self._rated = solo, rated
        self._crowd = Bucket(limits.watch_burst, limits.watch_per_second)
        """For those who come to watch: everyone at the table hears all their names each time."""

    def join(self, caller: Caller, request: msg.JoinTable, now: float) -> None:
        """Sits somebody down, or lets him watch. Raises Refused."""
        if caller.conn in self._people:
            raise Refused(ErrorCode.ALREADY_SEATED, "you are at this table already")
        if request.ticket is not None:
            self._house.arrive(caller, request.ticket, now)
            return
        if self._people.is_kicked(caller):
            raise Refused(ErrorCode.KICKED, "the host has sent you away from this table")
        if self.password is not None and not self.password.fits(request.password):
            wrong = "is another one" if request.password else "is needed to join it"
            raise Refused(ErrorCode.WRONG_PASSWORD, f"the password of this table {wrong}")
        if request.watch:
            if self._options.spectators == "refused":
                raise Refused(ErrorCode.SPECTATORS_REFUSED, "this table takes no spectators")
            if len(self._people.watchers) >= self._limits.watchers:
                raise Refused(ErrorCode.TABLE_FULL, "too many people watch this table")
            if seconds := self._crowd.wait(now):
                raise TooFast(seconds, "watch", self._limits)
            self._seating.watch(caller, now)
            return
        if self._seating.sit_again(caller.conn, now):
            return
        if self._rated:
            raise Refused(
                ErrorCode.REFUSED, "at a rated table those sit who enlist in the ladder; watch it"
            )
        if self._solo:
            raise Refused(
                ErrorCode.SOLO_TABLE, "one person plays here against house bots; you may watch"
            )
        if caller.kind == "bot" and self._options.bots_may_join == "no":
            raise Refused(ErrorCode.BOTS_REFUSED, "this table takes no bots")
        self.must_have_room()
        self._seating.sit(caller, caller.kind, now)

    def must_have_room(self) -> None:
        """Raises Refused if nobody else can sit down.

        A seat that was left in this hand may be taken back, so it is not free yet (J3).
        """
        if len(self._people.seated()) + self._house.expected >= self._options.seats:
            raise Refused(
                ErrorCode.TABLE_FULL, f"all {self._options.seats} seats of this table are taken"
            )
        if len(self._people.players) >= self._limits.listed:
            raise Refused(
                ErrorCode.TABLE_FULL,
                "so many came and went that nobody can sit down before the next hand",
            )

    def resume(self, caller: Caller, request: msg.Resume, now: float) -> None:
        """Gives a seat back to who has its token. Raises Refused."""
        if caller.conn in self._people:
            raise Refused(ErrorCode.ALREADY_SEATED, "you are at this table already")
        player = self._people.by_token(request.token)
        if player is None:
            raise Refused(ErrorCode.BAD_TOKEN, "this token gives no seat at this table back")
        used = digest(request.token)  # newer ones may never have reached him
        player.tokens = (used, *(each for each in player.tokens[-1:] if each != used))
        seq = request.seq if request.instance == self._instance else None
        self._seating.take_back(player, caller.conn, now, seq)
