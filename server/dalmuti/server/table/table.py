"""A table: decides every request of those who are at it, and what time brings.

Plain and synchronous: a request and the time go in, answers and events for each connection come
out (`take`). Nothing here awaits, so nothing can come between reading and changing the state; the
loop around it is in `room`. A refused request changes nothing. The host deals, seats bots, kicks
and closes between hands, and has no other power: there is no request by which he could see or do
more in the game than anyone else (rules.md I2).

Who may come is `admission`, who sits here `seating`, the game and its clocks `play`, what is said
to whom `feed`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random, SystemRandom
from typing import Literal

from msgspec import Struct

from dalmuti.core.events import Chatted, Kind, TableClosed, TableOpened
from dalmuti.core.match import Entry
from dalmuti.core.options import TableOptions
from dalmuti.protocol import messages as msg
from dalmuti.protocol.errors import ErrorCode
from dalmuti.protocol.text import safe_text, skeleton
from dalmuti.server.limits import Limits
from dalmuti.server.sessions import Caller, Secret, TokenSource, new_token
from dalmuti.server.table.admission import Admission
from dalmuti.server.table.dealer import Dealer
from dalmuti.server.table.feed import Feed, Output
from dalmuti.server.table.house import BotJob, House
from dalmuti.server.table.people import People, Player
from dalmuti.server.table.play import Play
from dalmuti.server.table.rated import MOST_LATE, Rated
from dalmuti.server.table.refused import Refused
from dalmuti.server.table.seating import Seating

CloseReason = Literal["host", "empty", "shutdown", "error", "admin"]


class Batch(Struct, frozen=True, gc=False):
    """What one input led to. The facts are to be kept before anyone hears of `output`."""

    entries: tuple[Entry, ...]
    """What the match took; it holds everybody's cards."""
    seeds: dict[int, str]
    """Seeds that were revealed, by hand."""
    players: dict[int, tuple[Kind, str]]
    """Kind and name of everybody who is listed, for the entries."""
    output: tuple[Output, ...]
    jobs: tuple[BotJob, ...]
    """House bots that are to come."""
    given_up: tuple[str, ...]
    """Names of house bots that did not."""


class Table:
    """One table. `now` is always in seconds on the same monotonic clock, whatever its start."""

    def __init__(
        self,
        name: str,
        options: TableOptions,
        limits: Limits,
        *,
        instance: str = "",
        password: Secret | None = None,
        solo: bool = False,
        pace: float = 1.0,
        dealer: Dealer | None = None,
        delays: Random | None = None,
        tokens: TokenSource = new_token,
        rated: Rated | None = None,
    ) -> None:
        """`instance` names this run of the server; an event number of another means nothing.

        `pace` scales the delays of stand-ins: 1 is a person's, 0 is instant.
        """
        self.name, self.options, self.limits = name, options, limits
        self.solo, self.closed = solo, False
        self.rated = rated
        """The rated match, at a table of the ladder: then there is no host, and no chat."""
        self.people = People()
        self.feed = Feed(self.people, limits.resume_events)
        self.dealer = dealer or Dealer(name)
        self.play = Play(
            options, self.feed, self.people, self.dealer, limits, delays or SystemRandom(), pace
        )
        self.seating = Seating(
            name,
            self.people,
            self.feed,
            self.play,
            limits,
            tokens,
            solo=solo,
            fair=self.dealer.fair,
            rated=rated is not None,
        )
        self.house = House(name, self.people, self.seating, limits, tokens)
        self._admission = Admission(
            options,
            self.people,
            self.seating,
            self.house,
            limits,
            instance=instance,
            password=password,
            solo=solo,
            rated=rated is not None,
        )
        self._deserted_at: float | None = None

    # -- in and out ---------------------------------------------------------------------------

    def open(self, caller: Caller, request: msg.CreateTable, now: float) -> None:
        """The first thing that happens: `caller` opens the table and is its host."""
        self.feed.emit(TableOpened(self.name, self.options))
        self.play.prepare()
        self.feed.send(caller.conn, msg.Ok(re=request.id))
        if request.watch:
            self.seating.watching_host = caller.conn
            self.seating.watch(caller, now)
        else:
            self.seating.sit(caller, caller.kind, now)
        self._after(now)

    def open_rated(self, callers: Sequence[Caller], bots: Sequence[str], now: float) -> None:
        """The first thing that happens at a table of the ladder: these play, and house bots."""
        self.feed.emit(TableOpened(self.name, self.options))
        self.play.prepare()
        for caller in callers:
            self.seating.sit(caller, caller.kind, now)
        for n, bot in enumerate(bots):
            before = bots[:n].count(bot)
            self.house.add(bot, now, f"{bot}-{before + 1}" if before else bot)
        self._after(now)

    def seat_again(self, caller: Caller, now: float) -> bool:
        """Gives the seat of a rated match to its player; False if he has none here."""
        for player in self.people.seated():
            if not player.is_house and skeleton(player.name) == skeleton(caller.name):
                self.seating.take_back(player, caller.conn, now)
                self._after(now)
                return True
        return False

    def restart(self, now: float, bonus: float) -> None:
        """Goes on in a new run of the server: everybody has lost his connection at once.

        Who was lost before has a fresh grace as well, house bots are sent for again, and `bonus`
        seconds are added to a running clock (server.md I-90).
        """
        self.play.give_time(bonus)
        for player in self.people.seated():
            if player.grace_ends is not None and player.conn is None:
                player.grace_ends = now + self.limits.grace_seconds
        for conn, _ in list(self.people.connected()):
            self.seating.lose(conn, now)
        self.people.forget_connections()
        self.house.send_again(now)
        self._deserted_at = None
        if self.rated is not None:
            self.rated.deal_at = now + bonus
        self._after(now)
        self.feed.out.clear()  # for connections that are no more, whose numbers others get now

    def handle(self, caller: Caller, request: msg.Request, now: float) -> ErrorCode | None:
        """Does what somebody asks, and answers with `ok` or `error`, before what it led to.

        Returns the code of the error.
        """
        refused: ErrorCode | None = None
        mark = len(self.feed.out)
        try:
            self._do(caller, request, now)
        except Refused as error:
            assert len(self.feed.out) == mark, "a refused request must not have been heard of"
            self.feed.send(caller.conn, error.answer(request.id))
            refused = error.code
        else:
            self.feed.out.insert(mark, ((caller.conn,), msg.Ok(re=request.id)))
        self._after(now)
        return refused

    def send_away(self, name: str, now: float) -> bool:
        """Whoever runs the server sends everybody of this name away; False if there is none."""
        wanted, found = skeleton(name), False
        for player in self.people.seated():
            if skeleton(player.name) == wanted:
                self.seating.send_away(player, now)
                found = True
        for conn, watcher in list(self.people.watchers.items()):
            if skeleton(watcher) == wanted:
                self.seating.stop_watching(conn)
                found = True
        self._after(now)
        return found

    def lost(self, conn: int, now: float) -> None:
        """A connection is gone; the seat it had is kept."""
        player = self.seating.lose(conn, now)
        if player is not None and player.is_house:
            self.house.lost(player, now)
        self._after(now)

    def tick(self, now: float) -> None:
        """Does everything that is due by now."""
        while not self.closed and (due := self.next_deadline()) is not None and due <= now:
            for player in self.people.seated():
                if player.grace_ends is not None and player.grace_ends <= now:
                    self.seating.set_presence(player, "standin", now)
            self.house.expire(now)
            if self._deserted_at is not None and self._deserted_at <= now:
                self.close("empty")
                return
            if self.rated is not None and self.rated.deal_at is not None:
                if self.rated.deal_at <= now:
                    self.play.deal(now)
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
        if self.rated is not None and self.rated.deal_at is not None:
            yield self.rated.deal_at
        if (moment := self.play.next_deadline()) is not None:
            yield moment

    def take(self) -> Batch:
        """What is to be kept, and then to be sent, since the last call."""
        log, seeds, out = self.play.match.log, self.play.revealed, self.feed.out
        jobs, given_up = self.house.jobs, self.house.given_up
        listed = {p.number: (p.kind, p.name) for p in self.people.players.values()} if log else {}
        batch = Batch(tuple(log), dict(seeds), listed, tuple(out), tuple(jobs), tuple(given_up))
        for taken in (log, seeds, out, jobs, given_up):
            taken.clear()
        return batch

    def close(self, reason: CloseReason) -> None:
        """Ends the table for everyone. A running hand is abandoned."""
        if self.closed:
            return
        self.closed = True
        self.play.abandon()
        self.feed.emit(TableClosed(reason))
        for conn, _ in list(self.people.connected()):
            self.seating.unseat(conn, "closed")
        self.people.tickets.clear()

    def info(self) -> msg.TableInfo:
        """The table as the lobby shows it."""
        seated = self.people.seated()
        return msg.TableInfo(
            table=self.name,
            options=self.options,
            state=self.play.match.state,
            people=sum(player.kind == "human" for player in seated),
            bots=sum(player.kind != "human" for player in seated),
            watchers=len(self.people.watchers),
            hand=self.play.match.hands_begun,
            host=self.seating.host_name(),
            locked=self.password is not None,
            solo=self.solo,
            fair=self.dealer.fair,
            rated=self.rated is not None,
        )

    @property
    def password(self) -> Secret | None:
        """What it takes to come in."""
        return self._admission.password

    @property
    def people_seated(self) -> bool:
        """Whether a person holds a seat here, connected or not."""
        return any(player.kind == "human" for player in self.people.seated())

    def held_names(self) -> Iterator[str]:
        """The names of players who hold a seat, connected or not."""
        return (player.name for player in self.people.seated())

    def _after(self, now: float) -> None:
        """Closes a table that nobody needs any more; starts the clock of a deserted one."""
        if self.closed:
            return
        if self.rated is not None:
            self._after_rated(self.rated, now)
            return
        if self.play.match.hand is None:
            self.seating.free_idle(now)
        guests = [p for p in self.people.seated() if not p.is_house and p.presence != "left"]
        watched = self.seating.watching_host is not None
        if not watched and not guests:
            self.close("empty")
        elif watched or any(player.conn is not None for player in guests):
            self._deserted_at = None
        elif self._deserted_at is None:
            self._deserted_at = now + self.limits.table_seconds

    def _after_rated(self, rated: Rated, now: float) -> None:
        """Counts and deals. The table is closed with the end of the match, in the same moment, so
        that it is kept as rated and as gone at once; or when a house bot does not come."""
        match = self.play.match
        rated.count(match, self.people)
        if match.state == "over":
            self.close("host")
        elif self.house.given_up:
            self.close("error")
        elif self.house.expected:
            rated.deal_at = None
        else:
            rated.wait_for_deal(match, self.people, set(self.dealer.nonces), now)
        if not self.closed:
            for player in self.people.seated():
                if player.late >= MOST_LATE and player.presence == "here":
                    self.seating.set_presence(player, "away", now)

    # -- requests -----------------------------------------------------------------------------

    def _do(self, caller: Caller, request: msg.Request, now: float) -> None:
        match request:
            case msg.JoinTable():
                self._admission.join(caller, request, now)
            case msg.Resume():
                self._admission.resume(caller, request, now)
            case msg.Leave():
                self.seating.leave(caller.conn, now)
            case msg.Chat():
                self._chat(caller, request)
            case msg.Act() | msg.Nonce() | msg.Away():
                self._do_as_player(self._player(caller), request, now)
            case (
                msg.Deal() | msg.AddBot() | msg.Kick() | msg.Allow() | msg.GiveHost() | msg.Close()
            ):
                self._do_as_host(caller, request, now)
            case _:
                raise Refused(ErrorCode.REFUSED, "this is not for a table")

    def _do_as_player(
        self, player: Player, request: msg.Act | msg.Nonce | msg.Away, now: float
    ) -> None:
        match request:
            case msg.Act():
                self.play.act(player, request, now)
                if player.presence == "away":
                    self.seating.set_presence(player, "here", now)
            case msg.Nonce():
                self.play.add_nonce(player, request.hand, bytes.fromhex(request.nonce))
            case msg.Away():
                self.seating.set_presence(player, "away" if request.away else "here", now)

    def _do_as_host(
        self,
        caller: Caller,
        request: msg.Deal | msg.AddBot | msg.Kick | msg.Allow | msg.GiveHost | msg.Close,
        now: float,
    ) -> None:
        if caller.conn not in self.people:
            raise Refused(ErrorCode.NOT_SEATED, "you are not at this table")
        if not self.seating.is_host(caller.conn):
            raise Refused(ErrorCode.NOT_HOST, "only the host may do this")
        if self.play.match.hand is not None and not isinstance(request, msg.GiveHost | msg.Allow):
            raise Refused(ErrorCode.HAND_RUNNING, "this can be done between hands only")
        match request:
            case msg.Deal():
                self.play.deal(now)
            case msg.AddBot():
                self._admission.must_have_room()
                self.house.add(request.bot, now)
            case msg.Kick():
                self.seating.kick(self._named(request.player), now)
            case msg.Allow():
                self.people.kicked.clear()
            case msg.GiveHost():
                self.seating.give_host(self._named(request.player))
            case msg.Close():
                self.close("host")

    def _player(self, caller: Caller) -> Player:
        """The player who asks. That he does shows that he has his newest token."""
        player = self.people.player_at(caller.conn)
        if player is None:
            raise Refused(ErrorCode.NOT_SEATED, "you do not sit at this table")
        player.tokens = player.tokens[-1:]
        return player

    def _named(self, number: int) -> Player:
        """A player whom the host names. Who has left in this hand is not there any more."""
        player = self.people.players.get(number)
        if player is None or not player.seated or player.presence == "left":
            raise Refused(ErrorCode.NO_SUCH_PLAYER, f"no player {number} sits at this table")
        return player

    def _chat(self, caller: Caller, request: msg.Chat) -> None:
        if caller.conn not in self.people:
            raise Refused(ErrorCode.NOT_SEATED, "you are not at this table")
        if self.rated is not None:
            raise Refused(ErrorCode.REFUSED, "nobody talks at a rated table")
        text = safe_text(request.text).strip()
        if not text:
            raise Refused(ErrorCode.BAD_TEXT, "nothing of this text can be shown")
        player = self.people.player_at(caller.conn)
        name = caller.name if player is None else player.name
        self.feed.emit(Chatted(name, text, None if player is None else player.number))
