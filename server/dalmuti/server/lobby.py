"""The lobby: who is here, which tables there are, and which request goes where.

How a table comes to be is in `rooms`, what those hear who sit nowhere in `board`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.metadata import version

import trio

from dalmuti.protocol import messages as msg
from dalmuti.protocol.codec import CLIENT_TYPES
from dalmuti.protocol.errors import ByeReason, ErrorCode, RemoteProtocolError
from dalmuti.protocol.text import safe_text, skeleton
from dalmuti.server.bans import Bans
from dalmuti.server.board import Board
from dalmuti.server.config import Config
from dalmuti.server.gate import Gate
from dalmuti.server.incidents import Incidents
from dalmuti.server.ladder.ladder import Ladder
from dalmuti.server.limits import Limits
from dalmuti.server.log import Log
from dalmuti.server.metrics import Metrics
from dalmuti.server.passwords import Passwords
from dalmuti.server.peer import Peer
from dalmuti.server.rooms import RoomMaker, Surroundings
from dalmuti.server.sessions import Caller, new_token, unique_name
from dalmuti.server.store.keeping import Keeping
from dalmuti.server.table.house import HOUSE_BOTS, BotJob
from dalmuti.server.table.refused import Refused
from dalmuti.server.table.room import Asked, Room
from dalmuti.server.table.table import Table

KINDS: dict[type, str] = {kind: tag for tag, kind in CLIENT_TYPES.items()}
"""What each kind of message is called on the wire."""


@cache
def _program() -> str:
    """What this is, and of which version. Looked up once: that reads a file, and makes garbage."""
    return f"dalmuti {version('dalmuti')}"


class Lobby:
    """Everyone who is connected, and every open table, by the skeleton of its name."""

    def __init__(
        self,
        config: Config,
        log: Log,
        nursery: trio.Nursery,
        send_for_bot: Callable[[BotJob], None],
        make_table: Callable[..., Table] = Table,
        keeping: Keeping | None = None,
        bans: Bans | None = None,
    ) -> None:
        """The tables run in `nursery`. `make_table` is there for tests that break one.

        Without `keeping` nothing outlives this run but transcripts.
        """
        self.instance = new_token()
        self.peers: dict[int, Peer] = {}
        self.rooms: dict[str, Room] = {}
        self.draining = False
        """No new tables are opened."""
        self.metrics = Metrics()
        self._closing = False
        self._bans, self._passwords = bans or Bans(None), Passwords()
        self._config, self._log, self._nursery = config, log, nursery
        self._keeping = keeping or Keeping(config, log)
        self.incidents = Incidents(config.limits.log_seconds)
        self.gate = Gate(config.limits)
        self.ladder = Ladder(self, config.ladder, log, self._keeping, self._bans)
        self.board = Board(self.peers, self.rooms, lambda: self._config.limits)
        self._rooms = RoomMaker(
            config,
            log,
            self._keeping,
            self.ladder.settings,
            self.rooms,
            Surroundings(
                self.instance,
                self._deliver,
                self._flush,
                send_for_bot,
                self.board.note_change,
                self.metrics,
            ),
            make_table,
        )
        self._told: dict[int, Peer] = {}
        """Who has something in his outbox that is not being written yet."""
        self._gathering: dict[int, Peer] = {}
        """Of these, who can wait for more (`gather_seconds`)."""
        self._gathered = trio.Event()
        self._gone = trio.Event()
        """Set, and replaced, whenever a connection or a table is over."""

    @property
    def limits(self) -> Limits:
        """What is in force."""
        return self._config.limits

    @property
    def deserted(self) -> bool:
        """Whether no person is connected or holds a seat; bots alone do not keep a server up."""
        return not any(
            peer.caller is not None and peer.caller.kind == "human" for peer in self.peers.values()
        ) and not any(room.table.people_seated for room in self.rooms.values())

    # -- connections ---------------------------------------------------------------------------

    def greet(self, peer: Peer, hello: msg.Hello) -> msg.Welcome:
        """Lets a client in under a name that nobody else has.

        Raises RemoteProtocolError with the reason if it may not come in.
        """
        self._passwords.check(
            hello.password, self._config.password, peer.address, trio.current_time()
        )
        try:
            name = unique_name(hello.name, self._names())
        except ValueError as error:
            raise RemoteProtocolError(str(error), ByeReason.BAD_NAME) from None
        if self._bans.has_name(hello.name):
            raise RemoteProtocolError("this name is not welcome here", ByeReason.REFUSED)
        peer.caller = Caller(peer.conn, name, hello.kind, peer.address)
        self.peers[peer.conn] = peer
        client = safe_text(hello.client)
        self.incidents.note(
            self._log.info,
            "connected",
            peer.address,
            trio.current_time(),
            conn=peer.conn,
            name=name,
            kind=hello.kind,
            client=client,
        )
        self.board.note_change()
        return msg.Welcome(
            version=msg.PROTOCOL_VERSION,
            server=_program(),
            instance=self.instance,
            name=name,
            bots=HOUSE_BOTS,
            limits=self._config.limits.announce(),
            message=self._config.greeting,
        )

    def configure(self, config: Config) -> None:
        """Another configuration is in force. Tables and connections keep the limits they have."""
        if config.limits != self._config.limits:
            self.gate = Gate(config.limits)
        self._config = self._rooms.config = config

    def gone(self, peer: Peer) -> None:
        """A connection is over; the seat it had is kept."""
        if self.peers.pop(peer.conn, None) is not None and peer.caller is not None:
            self.incidents.note(
                self._log.info, "disconnected", peer.address, trio.current_time(), conn=peer.conn
            )
            if peer.room is not None:
                peer.room.gone(peer.caller)
            self._note_gone()

    def _names(self) -> Iterator[str]:
        for peer in self.peers.values():
            if peer.caller is not None:
                yield peer.caller.name
        for room in self.rooms.values():
            yield from room.table.held_names()

    # -- requests ------------------------------------------------------------------------------

    async def request(self, peer: Peer, request: msg.Request) -> None:
        """Has a request done and answered, here or at the table it concerns."""
        assert peer.caller is not None
        began = time.perf_counter()
        kind = KINDS[type(request)]
        if isinstance(request, msg.Leave):
            peer.entrant = None
        try:
            peer.rates.take(request, trio.current_time())
            match request:
                case msg.ListTables():
                    peer.listing = True
                    peer.post(msg.Ok(re=request.id))
                    peer.post(self.board.view())
                case msg.CreateTable():
                    await self._create(peer, peer.caller, request)
                case msg.ListLadder():
                    self.ladder.tell(peer, request)
                case msg.Enlist():
                    self._must_be_free(peer)
                    await self.ladder.enlist(peer, request)
                case msg.JoinTable() | msg.Resume():
                    self._must_be_free(peer)
                    room = self.rooms.get(skeleton(request.table))
                    if room is None and self._falls_silent:
                        return
                    if room is None:
                        raise Refused(ErrorCode.NO_SUCH_TABLE, "there is no such table (any more)")
                    self._limit_address(peer, room, request)
                    await self._ask(peer, room, request)
                case _ if peer.room is not None:
                    if isinstance(request, msg.AddBot):
                        self._must_have_bots()
                    await self._ask(peer, peer.room, request)
                case msg.Leave():
                    peer.post(msg.Ok(re=request.id))
                case _:
                    raise Refused(ErrorCode.NOT_SEATED, "you are at no table")
        except Refused as error:
            peer.post(error.answer(request.id))
            if error.code is ErrorCode.RATE_LIMITED:
                self.incidents.note(
                    self._log.info,
                    "rate_limited",
                    peer.address,
                    trio.current_time(),
                    request=kind,
                )
                await trio.sleep(self._config.limits.refused_pause)
        if isinstance(request, msg.Act):
            self.metrics.decision_seconds.observe(time.perf_counter() - began)
        elif isinstance(request, msg.Resume):
            self.metrics.resumes["failed" if peer.room is None else "ok"] += 1
        self._log.debug("request", conn=peer.conn, kind=kind)

    def _limit_address(self, peer: Peer, room: Room, request: msg.JoinTable | msg.Resume) -> None:
        """What is counted by address, since a connection is soon made anew."""
        now = trio.current_time()
        if isinstance(request, msg.Resume):
            if room.table.people.by_token(request.token) is None:
                self.incidents.note(self._log.info, "bad_token", peer.address, now)
                raise self.gate.wrong_token(peer.address, now)
        elif request.ticket is None:
            if not request.watch:
                self.gate.join(peer.address, now)
            if room.table.password is not None:
                self.gate.password(peer.address, now)

    async def _ask(self, peer: Peer, room: Room, request: msg.Request) -> None:
        """Puts a request to a table, and notes whether the peer is at it now.

        It counts as being there while it asks: a connection that ends in the middle of a join is
        then told to the table as well.
        """
        assert peer.caller is not None
        peer.room = room
        asked = await room.ask(peer.caller, request)
        self._settle(peer, room)
        if asked.refused is None:
            peer.rates.done(request)
        elif asked.refused is ErrorCode.WRONG_PASSWORD:
            self.gate.wrong_secret(peer.address, trio.current_time())
        if not asked.answered and not self._falls_silent:
            raise Refused(ErrorCode.NO_SUCH_TABLE, "this table was closed just now")

    @property
    def _falls_silent(self) -> bool:
        """Whether tables end without being closed: then nobody is told that his is no more."""
        return self._closing and self._keeping.on

    def _settle(self, peer: Peer, room: Room) -> None:
        """Notes whether the peer is at this table, unless the ladder has it at another by now."""
        if peer.room is not room:
            return
        people = room.table.people
        if room.table.closed or peer.conn not in people:
            peer.room = None
            return
        peer.listing = False
        player = people.player_at(peer.conn)
        if player is not None and peer.caller is not None and player.name != peer.caller.name:
            peer.caller = Caller(peer.conn, player.name, peer.caller.kind, peer.address)

    @staticmethod
    def _must_be_free(peer: Peer) -> None:
        if peer.room is not None:
            raise Refused(ErrorCode.ALREADY_SEATED, "leave your table first")
        if peer.entrant is not None:
            raise Refused(ErrorCode.ALREADY_SEATED, "you are enlisted in the ladder; leave first")

    def _must_have_bots(self) -> None:
        """House bots are connections as well: they must leave some for people."""
        bots = sum(room.table.house.number for room in self.rooms.values())
        if bots >= self._config.limits.house_bots:
            raise Refused(ErrorCode.REFUSED, "the server has no more house bots now")

    async def _create(self, peer: Peer, caller: Caller, request: msg.CreateTable) -> None:
        self._must_be_free(peer)
        if self.draining:
            raise Refused(ErrorCode.DRAINING, "the server is about to stop")
        if self._keeping.stuck:
            raise Refused(ErrorCode.REFUSED, "the server can keep no new table at the moment")
        if len(self.rooms) >= self._config.limits.tables:
            raise Refused(ErrorCode.TOO_MANY_TABLES, "no more tables can be opened now")
        room = self._rooms.wanted(request)
        peer.room = room
        self._log.info("table_opened", table=room.table.name, conn=caller.conn)
        opening = Asked(caller, request)
        self._start(room, opening)
        await opening.done.wait()
        self._settle(peer, room)
        if not opening.answered:
            raise Refused(ErrorCode.REFUSED, "the table could not be opened")

    def open_rated(self, number: int, peers: Sequence[Peer], bots: Sequence[str]) -> None:
        """Opens the table of a rated match and seats these at it. See `ladder.ladder.Hall`."""
        room = self._rooms.rated(number, len(peers) + len(bots))
        callers = [peer.caller for peer in peers if peer.caller is not None]
        for peer in peers:
            peer.room, peer.listing = room, False

        def opening(table: Table, now: float) -> bool:
            table.open_rated(callers, bots, now)
            return True

        players = [*(caller.name for caller in callers), *bots]
        self._log.info("rated_match", table=room.table.name, players=players)
        self._start(room, Asked(Caller(0, "", "bot"), None, do=opening))

    def restore(self) -> None:
        """Goes on with every table that was kept. Called once, before anyone is let in."""
        for room in self._rooms.restored():
            table = room.table
            if table.rated is not None:
                self.ladder.restored(table.rated.number)
            self._log.info("table_restored", table=table.name, hand=table.play.match.hands_begun)
            self._start(room, None)

    def _start(self, room: Room, opening: Asked | None) -> None:
        self.rooms[skeleton(room.table.name)] = room
        self._nursery.start_soon(self._run, room, opening)

    async def _run(self, room: Room, opening: Asked | None) -> None:
        try:
            await room.run(opening)
        finally:
            del self.rooms[skeleton(room.table.name)]
            event = "table_closed" if room.table.closed else "table_put_down"
            self._log.info(event, table=room.table.name)
            if room.table.rated is not None:
                for peer in self.peers.values():
                    if peer.room is room and room.table.closed:
                        peer.room = None  # after a crash nobody may have told him
                self.ladder.over(room.table)
            self._note_gone()

    def _deliver(self, conns: tuple[int, ...], messages: tuple[msg.ServerMessage, ...]) -> None:
        for conn in conns:
            peer = self.peers.get(conn)
            if peer is not None:
                peer.put(messages)
                self._told[conn] = peer

    def _flush(self) -> None:
        """Sends what was delivered; what can wait for more may have to.

        Who hears of six moves at once needs one write for them, and one read.
        """
        told, self._told = self._told, {}
        gathers = self._config.limits.gather_seconds > 0
        for conn, peer in told.items():
            if gathers and peer.may_wait:
                self._gathering[conn] = peer
                self._gathered.set()
            else:
                self._gathering.pop(conn, None)
                peer.flush()

    async def send_gathered(self) -> None:
        """Sends what has waited long enough. Runs on."""
        while True:
            await self._gathered.wait()
            await trio.sleep(self._config.limits.gather_seconds)
            self._gathered = trio.Event()
            waited, self._gathering = self._gathering, {}
            for peer in waited.values():
                peer.flush()

    # -- the end ------------------------------------------------------------------------------

    async def close_tables(self) -> None:
        """Closes every table, or puts it down if it is kept, and opens no more.

        Returns when all is done.
        """
        self.draining = self._closing = True
        for room in list(self.rooms.values()):
            room.stop("shutdown")
        while self.rooms:
            await self._gone.wait()

    async def say_bye(self) -> None:
        """Says bye to everyone. Returns when all are gone."""
        for peer in list(self.peers.values()):
            peer.end(ByeReason.SHUTDOWN, "the server stops")
        while self.peers:
            await self._gone.wait()

    def _note_gone(self) -> None:
        self._gone.set()
        self._gone = trio.Event()
        self.ladder.look()
        self.board.note_change()
