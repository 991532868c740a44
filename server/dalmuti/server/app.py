"""The whole server: listeners, lobby, tables and bots in one nursery, and the orderly stop.

Accepting runs in a nursery of its own inside the one for everything else: leaving it stops the
listeners while games go on, until they are closed and everyone was told.
"""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import count
from pathlib import Path

import trio
from msgspec import Struct

from dalmuti.protocol.address import counted_as
from dalmuti.protocol.errors import ByeReason
from dalmuti.server.bothost import BotHost
from dalmuti.server.config import Config
from dalmuti.server.discovery import announce
from dalmuti.server.doors import Doors, Place
from dalmuti.server.entrance import (
    NOT_FROM_HERE,
    Entrance,
    EntranceError,
    bots_door,
    open_entrances,
    turn_away,
)
from dalmuti.server.lobby import Lobby
from dalmuti.server.log import Log
from dalmuti.server.operations import Operations, signals
from dalmuti.server.peer import Peer
from dalmuti.server.steering import Steering
from dalmuti.server.store.keeping import Keeping
from dalmuti.server.store.store import Store, StoreError
from dalmuti.server.system import (
    AcceptFailed,
    descriptors,
    end_of_input,
    has_terminal,
    host_of,
)
from dalmuti.server.table.table import Table

SPARE_DESCRIPTORS = 64
"""Open files that are no connections: listeners, the bots' pipe, transcripts, libraries."""
IDLE_LOOK = 0.25
"""Seconds between looks at whether anybody is still here."""


class StartError(Exception):
    """The server cannot start; the sentence says why."""


class Stops(Struct, frozen=True):
    """What ends the server."""

    signals: bool = False
    """SIGTERM and SIGINT, the first in an orderly way, the second at once. SIGHUP reloads, but
    when it says that the terminal is gone in which the server ran."""
    lifeline: bool = False
    """The end of its standard input."""
    until_empty: float | None = None
    """So many seconds with nobody connected and no seat held."""


class App:
    """One run of the server."""

    def __init__(
        self,
        config: Config,
        log: Log,
        *,
        make_table: Callable[..., Table] = Table,
        reread: Callable[[], Config] | None = None,
    ) -> None:
        """`reread` reads the configuration again for a reload, and raises ConfigError."""
        self.config = config
        self.addresses: list[str] = []
        self.entrances: list[Entrance] = []
        """What listens at these addresses, in their order."""
        self.operations: Operations | None = None
        self.stopping = trio.Event()
        """Set it to stop in an orderly way."""
        self.lobby: Lobby | None = None
        self._log, self._make_table, self._reread = log, make_table, reread
        self._signalled = False
        self._conns = count(1)
        self._doors = Doors(config.limits, self._most_connections())
        self._bots_scope = trio.CancelScope()
        self._announcing = trio.CancelScope()

    async def run(
        self,
        stops: Stops | None = None,
        announce: Callable[[list[str]], None] | None = None,
        *,
        task_status: trio.TaskStatus[list[str]] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Serves until it is stopped. Says its addresses to `announce` as soon as it listens.

        Raises StartError if it cannot listen.
        """
        stops = stops or Stops()
        store = self._open_store()
        self.operations, bots_address, inner = await self._listen(store)
        bots = BotHost(self.config.bot_delay, self.config.password, self._log)
        bots.address = bots_address
        keeping = Keeping(self.config, self._log, store)
        async with trio.open_nursery() as outermost:
            if keeping.writer is not None:
                outermost.start_soon(keeping.writer.run)
            try:
                entrances = self.entrances + inner
                await self._serve_all(stops, entrances, bots, keeping, announce, task_status)
            finally:
                self.operations.close()
                if keeping.writer is not None:
                    keeping.writer.end()
        self._log.info("stopped")

    def _open_store(self) -> Store | None:
        if self.config.data is None:
            if self.config.ladder.enabled:
                raise StartError(
                    "the ladder keeps its ratings in a data folder; name one with --data, or `data`"
                    " in the configuration"
                )
            return None
        try:
            return Store.open(Path(self.config.data), durable=self.config.durable)
        except StoreError as error:
            raise StartError(str(error)) from None

    async def _serve_all(
        self,
        stops: Stops,
        entrances: list[Entrance],
        bots: BotHost,
        keeping: Keeping,
        announce: Callable[[list[str]], None] | None,
        task_status: trio.TaskStatus[list[str]],
    ) -> None:
        """All of it but the journal, which outlives every table."""
        operations = self.operations
        assert operations is not None
        operations.on_reload = partial(self._configure, bots)
        async with trio.open_nursery() as everything:
            lobby = Lobby(
                self.config,
                self._log,
                everything,
                bots.send_for,
                self._make_table,
                keeping,
                operations.bans,
            )
            self.lobby = lobby
            operations.attach(Steering(lobby))
            everything.start_soon(operations.run)
            lobby.restore()
            if stops.signals:
                await everything.start(self._heed_signals, operations)
            everything.start_soon(self._host_bots, bots)
            everything.start_soon(self._keep_up, lobby.board.push_changes)
            everything.start_soon(self._keep_up, lobby.send_gathered)
            everything.start_soon(self._keep_up, lobby.ladder.run)
            everything.start_soon(keeping.beat, lambda: bool(lobby.rooms))
            async with trio.open_nursery() as accepting:
                accepting.start_soon(self._accept, entrances, everything)
                accepting.start_soon(self._stop_after, operations.drained.wait)
                if stops.lifeline:
                    accepting.start_soon(self._stop_after, end_of_input)
                if stops.until_empty is not None:
                    accepting.start_soon(self._stop_when_empty, stops.until_empty)
                task_status.started(self.addresses)
                if announce is not None:
                    announce(self.addresses)
                operations.notifier.ready(self.addresses)
                if self.config.announce:
                    everything.start_soon(self._announce)
                await self.stopping.wait()
                accepting.cancel_scope.cancel()
                self._announcing.cancel()
            self._log.info("stopping")
            operations.notifier.stopping()
            with trio.move_on_after(self.config.limits.stop_seconds):
                if keeping.writer is not None and keeping.stuck:
                    keeping.writer.end()  # what cannot be kept now never will be
                await lobby.close_tables()
                self._bots_scope.cancel()
                await lobby.say_bye()
            if keeping.writer is not None:
                keeping.writer.end()  # a table may wait for a disk that is full
            everything.cancel_scope.cancel()

    async def _announce(self) -> None:
        """In a scope of its own: it is taken back while the tables are closed."""
        with self._announcing:
            await announce(self.config, self.entrances, self._log)

    async def _host_bots(self, bots: BotHost) -> None:
        """In a scope of its own: bots that are told to go do not try to come back."""
        with self._bots_scope:
            await self._keep_up(bots.run)

    async def _keep_up(self, job: Callable[[], Awaitable[None]]) -> None:
        """Runs what must not end: a bug in there is logged, and it begins again."""
        while True:
            try:
                await job()
            except Exception:
                self._log.crash("task_crashed")
                await trio.sleep(1)

    # -- connections ---------------------------------------------------------------------------

    async def _listen(self, store: Store | None) -> tuple[Operations, str, list[Entrance]]:
        """Opens all that people, bots and the administrator come through.

        Returns the address for the bots, and the entrance that is for them alone, if any.
        """
        entrances: list[Entrance] = []
        operations: Operations | None = None
        try:
            operations = Operations(self.config, self._log, self._reread)
            entrances = await open_entrances(self.config, operations.certificate)
            address, inner = await bots_door(entrances)
            entrances += inner
            await operations.open()
        except EntranceError as error:
            for entrance in entrances:
                entrance.listener.socket.close()
            if store is not None:
                store.close()
            raise StartError(str(error)) from None
        self.entrances = entrances[: len(entrances) - len(inner)]
        self.addresses = [entrance.address for entrance in self.entrances]
        for entrance in self.entrances:
            if entrance.is_insecure:
                self._log.warning("insecure", address=entrance.address)
        return operations, address, inner

    def _configure(self, bots: BotHost, config: Config) -> None:
        """Another configuration is in force, for those who come from now on."""
        self.config = config
        bots.password = config.password
        self._doors.set_limits(config.limits, self._most_connections())

    async def _accept(self, entrances: list[Entrance], nursery: trio.Nursery) -> None:
        """Trio logs each failed accept with a traceback, ten times a second; we one line, once."""
        logger = logging.getLogger("trio.serve_listeners")
        handler = AcceptFailed(self._log)
        logger.addHandler(handler)
        logger.propagate = False
        try:
            async with trio.open_nursery() as accepting:
                for entrance in entrances:
                    serve = partial(self._serve, entrance)
                    accept = partial(trio.serve_listeners, handler_nursery=nursery)
                    accepting.start_soon(accept, serve, [entrance.listener])
        finally:
            logger.removeHandler(handler)

    async def _serve(self, entrance: Entrance, stream: trio.SocketStream) -> None:
        assert self.lobby is not None
        host, now = host_of(stream), trio.current_time()
        place = self._doors.enter(host, now)
        if place is None:
            self.lobby.incidents.note(
                self._log.warning, "turned_away", counted_as(host), now, open=self._doors.open
            )
            if entrance.certificate is None:
                await turn_away(
                    stream, ByeReason.TOO_MANY, "too many people are connected; try later"
                )
            else:
                await trio.aclose_forcefully(stream)
            return
        try:
            await self._let_in(entrance, stream, place, host)
        except* Exception:
            self._log.crash("connection_crashed")
            await trio.aclose_forcefully(stream)
        finally:
            place.leave()

    async def _let_in(
        self, entrance: Entrance, stream: trio.SocketStream, place: Place, host: str
    ) -> None:
        """Through the handshake, past the bans, to a peer of the lobby."""
        assert self.lobby is not None and self.operations is not None
        incidents, limits = self.lobby.incidents, self.config.limits
        admitted = None
        with trio.CancelScope() as scope:
            place.shut = scope.cancel
            admitted = await entrance.admit(stream, limits.handshake_seconds)
        if admitted is None:
            self.lobby.metrics.handshakes_failed += 1
            incidents.note(self._log.info, "no_handshake", place.address, trio.current_time())
            await trio.aclose_forcefully(stream)
            return
        conn = next(self._conns)
        why = NOT_FROM_HERE if entrance.sends_away(host) else ""
        if self.operations.bans.has_address(host):
            why = "your address is not welcome here"
        if why:
            incidents.note(self._log.info, "not_let_in", place.address, trio.current_time())
            self.lobby.metrics.byes[ByeReason.REFUSED.value] += 1
            await turn_away(admitted, ByeReason.REFUSED, why)
            return
        log = self._log.bind(conn=conn)
        await Peer(conn, admitted, self.lobby, limits, log, place).run()

    def _most_connections(self) -> int:
        """The configured bound, or what the system lets this process open, if that is less.

        Trio accepts no more for a while when descriptors run out, and a journal that cannot open
        its files is worse (server.md I-75, I-79; Windows has no such bound to ask for).
        """
        wanted, possible = (
            self.config.limits.connections,
            max(1, descriptors() - SPARE_DESCRIPTORS),
        )
        if possible < wanted:
            self._log.warning("fewer_connections", wanted=wanted, possible=possible)
        return min(wanted, possible)

    # -- the end -------------------------------------------------------------------------------

    async def _heed_signals(
        self, operations: Operations, task_status: trio.TaskStatus[None]
    ) -> None:
        in_terminal = has_terminal()
        with trio.open_signal_receiver(*signals()) as received:
            task_status.started()
            async for number in received:
                name = signal.Signals(number).name
                if name == "SIGHUP" and not (in_terminal and not has_terminal()):
                    operations.reload()
                elif self._signalled:
                    os._exit(128 + number)
                else:
                    self._signalled = True
                    operations.drain(self.config.limits.drain_seconds, name)

    async def _stop_after(self, wait: Callable[[], Awaitable[None]]) -> None:
        await wait()
        self.stopping.set()

    async def _stop_when_empty(self, seconds: float) -> None:
        assert self.lobby is not None
        since = trio.current_time()
        while trio.current_time() - since < seconds:
            await trio.sleep(min(IDLE_LOOK, seconds))
            if not self.lobby.deserted:
                since = trio.current_time()
        self.stopping.set()
