"""A table: decides every request of those who are at it, and what time brings.

Plain and synchronous: a request and the time go in, answers and events for each connection come
out (`take`). Nothing here awaits, so nothing can come between reading and changing the state; the
loop around it is in `room`. A refused request changes nothing. The host deals, seats bots, kicks
and closes between hands, and has no other power: there is no request by which he could see or do
more in the game than anyone else (rules.md I2).
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random, SystemRandom
from typing import Literal

from msgspec import Struct

from dalmuti.core.events import (
    Chatted,
    HostChanged,
    Kind,
    PlayerJoined,
    PlayerLeft,
    Presence,
    PresenceChanged,
    TableClosed,
    TableOpened,
    WatchersChanged,
)
from dalmuti.core.match import Entry
from dalmuti.core.options import TableOptions
from dalmuti.core.views import view_table
from dalmuti.protocol import messages as msg
from dalmuti.protocol.errors import ByeReason, ErrorCode
from dalmuti.protocol.text import safe_text, skeleton
from dalmuti.server.limits import Limits
from dalmuti.server.sessions import Caller, TokenSource, digest, new_token, same_secret
from dalmuti.server.table.dealer import Dealer
from dalmuti.server.table.feed import Feed, Output
from dalmuti.server.table.people import People, Player, Ticket, first_free
from dalmuti.server.table.play import Play
from dalmuti.server.table.refused import Refused

HOUSE_BOTS = ("greedy", "random")
"""The house bots that can be asked for; the first is the usual one."""
HOUSE_NAMES = (
    *("Bea", "Cid", "Dora", "Emil", "Fay", "Gus", "Hedy", "Ivo", "June", "Kurt", "Lola", "Max"),
    *("Nell", "Otto", "Pia", "Quin", "Rosa", "Sven", "Tess", "Ugo", "Vera", "Wim", "Xena", "Yuri"),
)
CloseReason = Literal["host", "empty", "shutdown", "error", "admin"]


class BotJob(Struct, frozen=True):
    """A house bot that is to connect and take the seat that its ticket is for."""

    table: str
    bot: str
    name: str
    ticket: str


class Batch(Struct, frozen=True):
    """What one input led to. `entries` are facts to be kept before anyone hears of `output`."""

    entries: tuple[Entry, ...]
    output: tuple[Output, ...]
    jobs: tuple[BotJob, ...]


class Table:
    """One table. `now` is always in seconds on the same monotonic clock, whatever its start."""

    def __init__(
        self,
        name: str,
        options: TableOptions,
        limits: Limits,
        *,
        instance: str = "",
        password: str | None = None,
        solo: bool = False,
        pace: float = 1.0,
        dealer: Dealer | None = None,
        delays: Random | None = None,
        tokens: TokenSource = new_token,
    ) -> None:
        """`instance` names this run of the server; an event number of another one means nothing."""
        self.name, self.options, self.limits = name, options, limits
        self.solo, self.closed = solo, False
        self.people = People()
        self.host: int | None = None
        self.watching_host: int | None = None
        """The connection of a host who opened the table without sitting down at it."""
        self.dealer = dealer or Dealer(name)
        self.feed = Feed(self.people, limits.resume_events)
        self.play = Play(
            options, self.feed, self.people, self.dealer, limits, delays or SystemRandom(), pace
        )
        self._instance, self._password, self._tokens = instance, password, tokens
        self._jobs: list[BotJob] = []
        self._deserted_at: float | None = None

    # -- in and out ----------------------------------------------------------------------------

    def open(self, caller: Caller, request: msg.CreateTable, now: float) -> None:
        """The first thing that happens: `caller` opens the table and is its host."""
        self.feed.emit(TableOpened(self.name, self.options))
        self.play.prepare()
        self.feed.send(caller.conn, msg.Ok(re=request.id))
        if request.watch:
            self.watching_host = caller.conn
            self._watch(caller, now)
        else:
            self._sit(caller, caller.kind, now)
        self._after(now)

    def handle(self, caller: Caller, request: msg.Request, now: float) -> None:
        """Does what somebody asks, and answers with `ok` or `error`."""
        mark = len(self.feed.out)
        try:
            self._do(caller, request, now)
        except Refused as error:
            assert len(self.feed.out) == mark, "a refused request must not have been heard of"
            self.feed.send(
                caller.conn,
                msg.Error(re=request.id, code=error.code.value, message=str(error)),
            )
        else:
            self.feed.out.insert(mark, (caller.conn, msg.Ok(re=request.id)))
        self._after(now)

    def lost(self, conn: int, now: float) -> None:
        """A connection is gone. That is not leaving (J4)."""
        player = self.people.player_at(conn)
        if player is not None:
            self.people.detach(player)
            self._lose(player, now)
        elif conn in self.people.watchers:
            self._stop_watching(conn)
        self._after(now)

    def tick(self, now: float) -> None:
        """Does everything that is due by now."""
        while not self.closed and (due := self.next_deadline()) is not None and due <= now:
            for player in self.people.seated():
                if player.grace_ends is not None and player.grace_ends <= now:
                    self._set_presence(player, "standin", now)
            for ticket in [t for t in self.people.tickets if t.expires <= now]:
                self.people.tickets.remove(ticket)
                self._bot_failed(ticket, now)
            if self._deserted_at is not None and self._deserted_at <= now:
                self.close("empty")
                return
            self.play.tick(now)
            self._after(now)

    def next_deadline(self) -> float | None:
        """When `tick` is to be called next, if nobody asks for anything before."""
        return min(self._deadlines(), default=None)

    def _deadlines(self) -> Iterator[float]:
        for player in self.people.players.values():
            if player.grace_ends is not None:
                yield player.grace_ends
        for ticket in self.people.tickets:
            yield ticket.expires
        if self._deserted_at is not None:
            yield self._deserted_at
        if (moment := self.play.next_deadline()) is not None:
            yield moment

    def take(self) -> Batch:
        """What is to be kept and sent since the last call."""
        batch = Batch(tuple(self.play.match.log), tuple(self.feed.out), tuple(self._jobs))
        self.play.match.log.clear()
        self.feed.out.clear()
        self._jobs.clear()
        return batch

    def close(self, reason: CloseReason) -> None:
        """Ends the table for everyone. A running hand is abandoned."""
        if self.closed:
            return
        self.closed = True
        self.play.abandon()
        self.feed.emit(TableClosed(reason))
        for conn, _ in list(self.people.connected()):
            self._unseat(conn, "closed")
        self.people.tickets.clear()

    def info(self) -> msg.TableInfo:
        """The table as the lobby shows it."""
        seated = self.people.seated()
        host = None if self.host is None else self.people.players[self.host].name
        if self.watching_host is not None:
            host = self.people.watchers[self.watching_host]
        return msg.TableInfo(
            table=self.name,
            options=self.options,
            state=self.play.match.state,
            people=sum(player.kind == "human" for player in seated),
            bots=sum(player.kind != "human" for player in seated),
            watchers=len(self.people.watchers),
            hand=self.play.match.hands_begun,
            host=host or "",
            locked=self._password is not None,
            solo=self.solo,
            fair=self.dealer.fair,
        )

    def held_names(self) -> Iterator[str]:
        """The skeletons of names whose players hold a seat, connected or not."""
        return (skeleton(player.name) for player in self.people.seated())

    # -- requests ------------------------------------------------------------------------------

    def _do(self, caller: Caller, request: msg.Request, now: float) -> None:
        match request:
            case msg.JoinTable():
                self._join(caller, request, now)
                return
            case msg.Resume():
                self._resume(caller, request, now)
                return
            case msg.Leave():
                self._leave(caller.conn, now)
                return
            case msg.Chat():
                self._chat(caller, request)
                return
            case _:
                pass
        player = self.people.player_at(caller.conn)
        if player is not None:
            player.tokens = player.tokens[-1:]
        match request:
            case msg.Act():
                self._act(self._seated(player), request, now)
            case msg.Nonce():
                nonce = bytes.fromhex(request.nonce)
                self.play.add_nonce(self._seated(player), request.hand, nonce)
            case msg.Away():
                self._away(self._seated(player), request.away, now)
            case msg.Deal():
                self._must_be_host(caller)
                self.play.deal(now)
            case msg.AddBot():
                self._must_be_host(caller, between_hands=True)
                self._add_bot(request.bot, now)
            case msg.Kick():
                self._must_be_host(caller, between_hands=True)
                self._kick(self._someone(request.player), now)
            case msg.GiveHost():
                self._must_be_host(caller)
                self._give_host(self._someone(request.player))
            case msg.Close():
                self._must_be_host(caller, between_hands=True)
                self.close("host")
            case _:
                raise Refused(ErrorCode.REFUSED, "this is not for a table")

    @staticmethod
    def _seated(player: Player | None) -> Player:
        if player is None:
            raise Refused(ErrorCode.NOT_SEATED, "you do not sit at this table")
        return player

    def _someone(self, number: int) -> Player:
        """A player that the host names. One who has left in this hand is not there any more."""
        player = self.people.players.get(number)
        if player is None or not player.seated or player.presence == "left":
            raise Refused(ErrorCode.NO_SUCH_PLAYER, f"no player {number} sits at this table")
        return player

    def _must_be_host(self, caller: Caller, between_hands: bool = False) -> None:
        if caller.conn not in self.people:
            raise Refused(ErrorCode.NOT_SEATED, "you are not at this table")
        player = self.people.player_at(caller.conn)
        is_host = player is not None and player.number == self.host
        if not is_host and caller.conn != self.watching_host:
            raise Refused(ErrorCode.NOT_HOST, "only the host may do this")
        if between_hands and self.play.match.hand is not None:
            raise Refused(ErrorCode.HAND_RUNNING, "this can be done between hands only")

    def _act(self, player: Player, request: msg.Act, now: float) -> None:
        self.play.act(player, request, now)
        if player.presence == "away":
            self._set_presence(player, "here", now)

    def _away(self, player: Player, away: bool, now: float) -> None:
        self._set_presence(player, "away" if away else "here", now)

    def _chat(self, caller: Caller, request: msg.Chat) -> None:
        if caller.conn not in self.people:
            raise Refused(ErrorCode.NOT_SEATED, "you are not at this table")
        text = safe_text(request.text).strip()
        if not text:
            raise Refused(ErrorCode.BAD_TEXT, "nothing of this text can be shown")
        player = self.people.player_at(caller.conn)
        name = caller.name if player is None else player.name
        self.feed.emit(Chatted(name, text, None if player is None else player.number))

    # -- sitting down and watching -------------------------------------------------------------

    def _join(self, caller: Caller, request: msg.JoinTable, now: float) -> None:
        if caller.conn in self.people:
            raise Refused(ErrorCode.ALREADY_SEATED, "you are at this table already")
        if request.ticket is not None:
            self._join_by_ticket(caller, request.ticket, now)
            return
        if not same_secret(request.password, self._password):
            raise Refused(ErrorCode.WRONG_PASSWORD, "the password of this table is another one")
        if request.watch:
            if self.options.spectators == "refused":
                raise Refused(ErrorCode.SPECTATORS_REFUSED, "this table takes no spectators")
            if len(self.people.watchers) >= self.limits.watchers:
                raise Refused(ErrorCode.TABLE_FULL, "too many people watch this table")
            self._watch(caller, now)
            return
        for player in self.people.seated():
            if player.left_as == caller.conn and player.presence == "left":
                self._take_back(player, caller.conn, now)
                return
        if self.solo:
            raise Refused(
                ErrorCode.SOLO_TABLE, "one person plays here against house bots; you may watch"
            )
        if caller.kind == "bot" and self.options.bots_may_join == "no":
            raise Refused(ErrorCode.BOTS_REFUSED, "this table takes no bots")
        self._must_have_room()
        self._sit(caller, caller.kind, now)

    def _must_have_room(self) -> None:
        expected = sum(ticket.player is None for ticket in self.people.tickets)
        if len(self.people.seated()) + expected >= self.options.seats:
            raise Refused(
                ErrorCode.TABLE_FULL, f"all {self.options.seats} seats of this table are taken"
            )

    def _join_by_ticket(self, caller: Caller, text: str, now: float) -> None:
        ticket = self.people.take_ticket(text)
        if ticket is None:
            raise Refused(ErrorCode.BAD_TOKEN, "this ticket is unknown, used, or too old")
        player = None if ticket.player is None else self.people.players.get(ticket.player)
        if player is not None and player.seated:
            self._take_back(player, caller.conn, now)
        else:
            self._sit(caller, "house", now).bot = ticket.bot

    def _sit(self, caller: Caller, kind: Kind, now: float) -> Player:
        player = self.people.add(caller.name, kind)
        token = self._new_token(player)
        events = self.play.match.sit(player.number)
        self.feed.emit(PlayerJoined(player.info()))
        for event in events:
            self.feed.emit(event)
        if self.host is None and self.watching_host is None and not player.is_house:
            self._set_host(player)
        self.people.attach(player, caller.conn)
        self._say_seated(player, token)
        self.feed.send(caller.conn, self._snapshot(player.number, now))
        return player

    def _watch(self, caller: Caller, now: float) -> None:
        names = (*self.people.watchers.values(), caller.name)
        self.feed.emit(WatchersChanged(names))
        self.people.watchers[caller.conn] = caller.name
        self.feed.send(caller.conn, self._snapshot(None, now))

    def _stop_watching(self, conn: int) -> None:
        del self.people.watchers[conn]
        self.feed.emit(WatchersChanged(tuple(self.people.watchers.values())))
        if conn == self.watching_host:
            self.watching_host = None
            self._move_host()

    def _snapshot(self, you: int | None, now: float) -> msg.Snapshot:
        asking = self.play.asking
        return msg.Snapshot(
            seq=self.feed.seq,
            table=view_table(
                self.play.match,
                table=self.name,
                players=[player.info() for player in self.people.players.values()],
                you=you,
                host=self.host,
                watchers=tuple(self.people.watchers.values()),
                turn=self.play.turn,
                fair=self.dealer.fair,
                solo=self.solo,
                next_commitment=self.play.commitment,
            ),
            ms=None if asking is None else asking.ms_left(now),
            countdowns=tuple(
                msg.Countdown(player.number, max(0, round((player.grace_ends - now) * 1000)))
                for player in self.people.players.values()
                if player.grace_ends is not None
            ),
        )

    # -- coming back ---------------------------------------------------------------------------

    def _resume(self, caller: Caller, request: msg.Resume, now: float) -> None:
        if caller.conn in self.people:
            raise Refused(ErrorCode.ALREADY_SEATED, "you are at this table already")
        player = self.people.by_token(request.token)
        if player is None:
            raise Refused(ErrorCode.BAD_TOKEN, "this token gives no seat at this table back")
        seq = request.seq if request.instance == self._instance else None
        self._take_back(player, caller.conn, now, seq)

    def _take_back(self, player: Player, conn: int, now: float, seq: int | None = None) -> None:
        """Gives a seat back: the newest connection wins, whatever the old one is doing."""
        if player.conn is not None:
            self._unseat(player.conn, "replaced")
        if player.presence == "left" and self.play.match.hand is not None:
            self.play.match.come_back(player.number)
        player.left_as = None
        token = self._new_token(player)
        self.people.attach(player, conn)
        self._say_seated(player, token)
        missed = None if seq is None else self.feed.since(seq, player.number)
        if missed is None:
            self.feed.send(conn, self._snapshot(player.number, now))
        for message in missed or ():
            self.feed.send(conn, message)
        self._set_presence(player, "here", now)
        self.play.ask_again(player, now)
        self._move_host_if_gone()

    def _new_token(self, player: Player) -> str:
        """A fresh token. The one before stays good until its owner shows that he got the new."""
        token = self._tokens()
        player.tokens = (*player.tokens[-1:], digest(token))
        return token

    def _say_seated(self, player: Player, token: str) -> None:
        assert player.conn is not None
        self.feed.send(player.conn, msg.Seated(table=self.name, player=player.number, token=token))

    # -- going ---------------------------------------------------------------------------------

    def _leave(self, conn: int, now: float) -> None:
        player = self.people.player_at(conn)
        if player is not None:
            self.people.detach(player)
            self._tell_unseated(conn, "left")
            player.left_as = conn
            self._free(player, "left", now)
        elif conn in self.people.watchers:
            self._tell_unseated(conn, "left")
            self._stop_watching(conn)

    def _free(self, player: Player, reason: Literal["left", "kicked", "lost"], now: float) -> None:
        """Frees a seat: at once between hands, else the stand-in plays it to the end (J2, J3)."""
        in_hand = self.play.match.seat_of(player.number) is not None
        events = self.play.match.leave(player.number)
        if in_hand:
            player.left_because = "lost" if reason == "lost" else "left"
            self._set_presence(player, "left", now)
        else:
            player.presence, player.tokens, player.grace_ends = "left", (), None
            self.feed.emit(PlayerLeft(player.number, reason))
            for event in events:
                self.feed.emit(event)
        if player.number == self.host:
            self._move_host()

    def _unseat(self, conn: int, reason: Literal["kicked", "closed", "replaced"]) -> None:
        player = self.people.player_at(conn)
        if player is not None:
            self.people.detach(player)
        self.people.watchers.pop(conn, None)
        self._tell_unseated(conn, reason)
        if reason == "replaced":
            self.feed.send(
                conn,
                msg.Bye(reason=ByeReason.REPLACED.value, message="you came back from elsewhere"),
            )

    def _tell_unseated(
        self, conn: int, reason: Literal["left", "kicked", "lost", "closed", "replaced"]
    ) -> None:
        self.feed.send(conn, msg.Unseated(table=self.name, reason=reason))

    def _kick(self, player: Player, now: float) -> None:
        if player.number == self.host:
            raise Refused(ErrorCode.REFUSED, "the host cannot kick himself; leave instead")
        if player.conn is not None:
            self._unseat(player.conn, "kicked")
        self._free(player, "kicked", now)

    def _lose(self, player: Player, now: float) -> None:
        """A player's connection is gone: the grace begins, or the stand-in plays at once."""
        if player.presence == "here" and self.limits.grace_seconds:
            player.grace_ends = now + self.limits.grace_seconds
            player.presence = "lost"
            ms = round(self.limits.grace_seconds * 1000)
            self.feed.emit(PresenceChanged(player.number, "lost", ms))
        else:
            self._set_presence(player, "standin", now)
        if player.is_house:
            self._send_for(player, now)

    def _set_presence(self, player: Player, presence: Presence, now: float) -> None:
        player.grace_ends = None
        if player.presence != presence:
            player.presence = presence
            self.feed.emit(PresenceChanged(player.number, presence))
        self.play.presence_changed(player, now)
        if presence == "standin" and player.number == self.host:
            self._move_host()

    def _after(self, now: float) -> None:
        """Closes a table that nobody needs any more; starts the clock of a deserted one."""
        if self.closed:
            return
        guests = [p for p in self.people.seated() if not p.is_house and p.presence != "left"]
        if self.watching_host is None and not guests:
            self.close("empty")
        elif self.watching_host is not None or any(p.conn is not None for p in guests):
            self._deserted_at = None
        elif self._deserted_at is None:
            self._deserted_at = now + self.limits.table_seconds

    # -- the host ------------------------------------------------------------------------------

    def _give_host(self, player: Player) -> None:
        if player.is_house:
            raise Refused(ErrorCode.REFUSED, "a house bot cannot be the host")
        self.watching_host = None
        self._set_host(player)

    def _set_host(self, player: Player) -> None:
        if self.host != player.number:
            self.host = player.number
            self.feed.emit(HostChanged(player.number))

    def _move_host(self) -> None:
        """The host is gone: somebody else is host now, if there is anyone better."""
        successor = self.people.next_host(self.host)
        if successor is not None:
            self._set_host(successor)

    def _move_host_if_gone(self) -> None:
        host = None if self.host is None else self.people.players.get(self.host)
        if host is not None and host.presence in ("standin", "left") and host.conn is None:
            self._move_host()

    # -- house bots ----------------------------------------------------------------------------

    def _add_bot(self, bot: str, now: float) -> None:
        if bot not in HOUSE_BOTS:
            raise Refused(
                ErrorCode.UNKNOWN_BOT, f"no house bot is called that; there are {HOUSE_BOTS}"
            )
        self._must_have_room()
        known = [p.name for p in self.people.seated()] + [t.name for t in self.people.tickets]
        name = first_free(HOUSE_NAMES, (word.partition("-")[0] for word in known)) or "Robin"
        self._issue(bot, name, None, now)

    def _issue(self, bot: str, name: str, player: int | None, now: float) -> None:
        text = self._tokens()
        expires = now + self.limits.bot_seconds
        self.people.tickets.append(Ticket(digest(text), bot, name, expires, player))
        self._jobs.append(BotJob(self.name, bot, name, text))

    def _send_for(self, player: Player, now: float) -> None:
        """Starts a lost house bot again, or frees its seat when that did not help."""
        if player.retries >= self.limits.bot_retries:
            self._free(player, "lost", now)
            return
        player.retries += 1
        self._issue(player.bot, player.name, player.number, now)

    def _bot_failed(self, ticket: Ticket, now: float) -> None:
        """A house bot did not come in time."""
        player = None if ticket.player is None else self.people.players.get(ticket.player)
        if player is not None and player.seated and player.conn is None:
            self._send_for(player, now)
