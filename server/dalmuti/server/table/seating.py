"""Who comes to a table, goes, is lost and comes back, and who is host (rules.md J, I2).

A seat is kept for its player whatever happens to the connection: lost, away, and even after
leaving until the hand is over. The newest connection wins. The host role moves on when the host
leaves or stays lost, to the longest present human, else to a guest's bot, never to a house bot.
"""

from __future__ import annotations

from typing import Literal

from dalmuti.core.events import (
    HostChanged,
    Kind,
    PlayerJoined,
    PlayerLeft,
    Presence,
    PresenceChanged,
    WatchersChanged,
)
from dalmuti.core.views import view_table
from dalmuti.protocol import messages as msg
from dalmuti.protocol.errors import ByeReason, ErrorCode
from dalmuti.server.limits import Limits
from dalmuti.server.sessions import Caller, TokenSource, digest
from dalmuti.server.table.feed import Feed
from dalmuti.server.table.people import People, Player
from dalmuti.server.table.play import Play
from dalmuti.server.table.refused import Refused

Unseating = Literal["left", "kicked", "lost", "closed", "replaced"]


class Seating:
    """The seats of one table, those who watch, and the host. `now` as in `Table`."""

    def __init__(
        self,
        name: str,
        people: People,
        feed: Feed,
        play: Play,
        limits: Limits,
        tokens: TokenSource,
        *,
        solo: bool,
        fair: bool,
        rated: bool = False,
    ) -> None:
        """A `rated` table has no host, and its seats are held to the end of the match."""
        self.host: int | None = None
        self.watching_host: int | None = None
        """The connection of a host who opened the table without sitting down at it."""
        self._name, self._people, self._feed, self._play = name, people, feed, play
        self._limits, self._tokens = limits, tokens
        self._solo, self._fair, self._rated = solo, fair, rated

    # -- coming -------------------------------------------------------------------------------

    def sit(self, caller: Caller, kind: Kind, now: float) -> Player:
        """Seats somebody new: now, or after the hand as the lowest Merchant (J1)."""
        player = self._people.add(caller.name, kind)
        player.address = caller.address
        token = self._new_token(player)
        events = self._play.match.sit(player.number)
        self._feed.emit(PlayerJoined(player.info()))
        for event in events:
            self._feed.emit(event)
        no_host = self.host is None and self.watching_host is None and not self._rated
        if no_host and not player.is_house:
            self._set_host(player)
        elif kind == "human" and self._bot_hosts_for_want_of_people():
            self._set_host(player)
        self._people.attach(player, caller.conn)
        self._say_seated(caller.conn, player, token)
        self._feed.send(caller.conn, self.snapshot(player.number, now))
        return player

    def sit_again(self, conn: int, now: float) -> bool:
        """Gives the seat back that this connection left in the hand that still runs (J3)."""
        for player in self._people.seated():
            if player.left_as == conn and player.presence == "left":
                self.take_back(player, conn, now)
                return True
        return False

    def watch(self, caller: Caller, now: float) -> None:
        """Lets somebody watch."""
        names = (*self._people.watchers.values(), caller.name)
        self._feed.emit(WatchersChanged(names))
        self._people.watchers[caller.conn] = caller.name
        self._feed.send(caller.conn, self.snapshot(None, now))

    def take_back(self, player: Player, conn: int, now: float, seq: int | None = None) -> None:
        """Gives a seat back with all that was missed: events after `seq`, or a snapshot."""
        player.idle_hands = 0
        if player.conn is not None:
            self.unseat(player.conn, "replaced")
        if player.presence == "left":
            self._play.match.come_back(player.number)
        player.left_as = None
        token = self._new_token(player)
        self._people.attach(player, conn)
        self._say_seated(conn, player, token)
        missed = None if seq is None else self._feed.since(seq, player.number)
        if missed is None:
            self._feed.send(conn, self.snapshot(player.number, now))
        for message in missed or ():
            self._feed.send(conn, message)
        self.set_presence(player, "here", now)
        self._play.ask_again(player, now)
        host = None if self.host is None else self._people.players.get(self.host)
        if host is not None and host.conn is None and host.presence in ("standin", "left"):
            self._move_host()

    def _new_token(self, player: Player) -> str:
        """A fresh token. Those before stay good until its owner shows that he got the new."""
        token = self._tokens()
        player.tokens = (*player.tokens[-2:], digest(token))
        return token

    def _say_seated(self, conn: int, player: Player, token: str) -> None:
        self._feed.send(conn, msg.Seated(table=self._name, player=player.number, token=token))

    def snapshot(self, you: int | None, now: float) -> msg.Snapshot:
        players = list(self._people.players.values())
        asking = self._play.asking
        return msg.Snapshot(
            seq=self._feed.seq,
            table=view_table(
                self._play.match,
                table=self._name,
                players=[player.info() for player in players],
                you=you,
                host=self.host,
                watchers=tuple(self._people.watchers.values()),
                turn=self._play.turn,
                fair=self._fair,
                solo=self._solo,
                next_commitment=self._play.commitment,
            ),
            ms=None if asking is None else asking.ms_left(now),
            countdowns=tuple(
                msg.Countdown(player.number, max(0, round((player.grace_ends - now) * 1000)))
                for player in players
                if player.grace_ends is not None
            ),
        )

    # -- going --------------------------------------------------------------------------------

    def leave(self, conn: int, now: float) -> None:
        """Somebody gets up for good, or does not watch any more. Who is not here may go, too."""
        player = self._people.player_at(conn)
        if player is not None:
            self.unseat(conn, "left")
            player.left_as = conn
            self.free(player, "left", now)
        elif conn in self._people.watchers:
            self.unseat(conn, "left")
            self._watcher_gone(conn)

    def lose(self, conn: int, now: float) -> Player | None:
        """A connection is gone; returns whose it was. That is not leaving (J4)."""
        player = self._people.player_at(conn)
        if player is None:
            if self._people.watchers.pop(conn, None) is not None:
                self._watcher_gone(conn)
            return None
        self._people.detach(player)
        if player.presence == "here" and self._limits.grace_seconds:
            player.presence = "lost"
            player.grace_ends = now + self._limits.grace_seconds
            ms = round(self._limits.grace_seconds * 1000)
            self._feed.emit(PresenceChanged(player.number, "lost", ms))
        else:
            self.set_presence(player, "standin", now)
        return player

    def kick(self, player: Player, now: float) -> None:
        """The host frees somebody's seat."""
        if player.number == self.host:
            raise Refused(ErrorCode.REFUSED, "the host cannot kick himself; leave instead")
        if not player.is_house:
            self._people.send_away(player)
        if player.conn is not None:
            self.unseat(player.conn, "kicked")
        self.free(player, "kicked", now)

    def send_away(self, player: Player, now: float) -> None:
        """Whoever runs the server frees a seat, at any time; its token is worth nothing any more.

        In a hand the stand-in plays to the end of it.
        """
        if player.conn is not None:
            self.unseat(player.conn, "kicked")
        player.left_as = None
        self.free(player, "kicked", now)
        if player.tokens:
            self._new_token(player)
            player.tokens = player.tokens[-1:]

    def stop_watching(self, conn: int) -> None:
        """Whoever runs the server sends away somebody who watches."""
        self.unseat(conn, "kicked")
        self._watcher_gone(conn)

    def free(self, player: Player, reason: Literal["left", "kicked", "lost"], now: float) -> None:
        """Frees a seat: at once between hands, else the stand-in plays it to the end (J2, J3).

        In a rated match the stand-in plays it to the end of that, and whoever had it can come back.
        """
        if self._rated:
            self.set_presence(player, "standin", now)
            return
        in_hand = self._play.match.seat_of(player.number) is not None
        events = self._play.match.leave(player.number)
        if in_hand:
            player.left_because = "lost" if reason == "lost" else "left"
            self.set_presence(player, "left", now)
        else:
            player.presence, player.tokens, player.grace_ends = "left", (), None
            self._feed.emit(PlayerLeft(player.number, reason))
            for event in events:
                self._feed.emit(event)
        if player.number == self.host:
            self._move_host()

    def free_idle(self, now: float) -> None:
        """After a hand: a seat whose player let others decide for whole hands is free again.

        That is the stand-in, or the clock (server.md I-31, I-36). House bots are sent for instead.
        """
        for player in self._people.seated():
            if player.idle_hands and player.idle_hands >= self._limits.standin_hands > 0:
                if player.conn is not None:
                    self.unseat(player.conn, "lost")
                self.free(player, "lost", now)

    def unseat(self, conn: int, reason: Unseating) -> None:
        """Parts a connection from the table; the seat is another matter."""
        player = self._people.player_at(conn)
        if player is not None:
            self._people.detach(player)
        self._people.watchers.pop(conn, None)
        self._feed.send(conn, msg.Unseated(table=self._name, reason=reason))
        if reason == "replaced":
            bye = ByeReason.REPLACED.value
            self._feed.send(conn, msg.Bye(reason=bye, message="you came back from elsewhere"))

    def _watcher_gone(self, conn: int) -> None:
        self._feed.emit(WatchersChanged(tuple(self._people.watchers.values())))
        if conn == self.watching_host:
            self.watching_host = None
            self._move_host()

    def set_presence(self, player: Player, presence: Presence, now: float) -> None:
        """Changes how a player is there, and lets the stand-in take over or give back."""
        player.grace_ends = None
        if presence == "here":
            player.late = 0
        if player.presence != presence:
            player.presence = presence
            self._feed.emit(PresenceChanged(player.number, presence))
        self._play.presence_changed(player, now)
        if presence == "standin" and player.number == self.host:
            self._move_host()

    # -- the host -----------------------------------------------------------------------------

    def is_host(self, conn: int) -> bool:
        """Whether the one at this connection is host."""
        player = self._people.player_at(conn)
        return conn == self.watching_host or (player is not None and player.number == self.host)

    def host_name(self) -> str:
        """The host's name, for the lobby."""
        if self.watching_host is not None:
            return self._people.watchers[self.watching_host]
        player = None if self.host is None else self._people.players.get(self.host)
        return "" if player is None else player.name

    def give_host(self, player: Player) -> None:
        """Makes somebody else the host."""
        if player.is_house:
            raise Refused(ErrorCode.REFUSED, "a house bot cannot be the host")
        self.watching_host = None
        self._set_host(player)

    def _set_host(self, player: Player) -> None:
        if self.host != player.number:
            self.host = player.number
            self._feed.emit(HostChanged(player.number))

    def _bot_hosts_for_want_of_people(self) -> bool:
        """Whether a guest's bot is host since nobody else was there, and will hardly deal. A bot
        that opened the table, which is player 1, means to be its host."""
        host = None if self.host is None else self._people.players.get(self.host)
        return host is not None and host.kind == "bot" and host.number > 1

    def _move_host(self) -> None:
        """The host is gone: somebody else is host now, if there is anyone better."""
        successor = self._people.next_host(self.host)
        if successor is not None:
            self._set_host(successor)
