"""The whole server: listeners, lobby, tables and bots in one nursery, and the orderly stop.

Accepting runs in a nursery of its own inside the one for everything else: leaving it stops the
listeners while games go on, until they are closed and everyone was told.
"""

from __future__ import annotations

import errno
import ipaddress
import logging
import os
import signal
import time
from collections.abc import Awaitable, Callable
from itertools import count

import trio
from msgspec import Struct

from dalmuti.protocol.connection import Connection
from dalmuti.protocol.errors import ByeReason
from dalmuti.protocol.messages import Bye
from dalmuti.server.bothost import BotHost
from dalmuti.server.config import Config, split_address
from dalmuti.server.lobby import Lobby
from dalmuti.server.log import Log
from dalmuti.server.peer import Peer
from dalmuti.server.table.table import Table

ACCEPT_SECONDS = 10.0
SPARE_DESCRIPTORS = 64
"""Open files that are no connections: listeners, the bots' pipe, transcripts, libraries."""
IDLE_LOOK = 0.25
"""Seconds between looks at whether anybody is still here."""


class StartError(Exception):
    """The server cannot start; the sentence says why."""


class Stops(Struct, frozen=True):
    """What ends the server."""

    signals: bool = False
    """SIGTERM and SIGINT: the first in an orderly way, the second at once."""
    lifeline: bool = False
    """The end of its standard input."""
    until_empty: float | None = None
    """So many seconds with nobody connected and no seat held."""


class App:
    """One run of the server."""

    def __init__(
        self, config: Config, log: Log, *, make_table: Callable[..., Table] = Table
    ) -> None:
        self.config = config
        self.addresses: list[str] = []
        self.stopping = trio.Event()
        """Set it to stop in an orderly way."""
        self.lobby: Lobby | None = None
        self._log, self._make_table = log, make_table
        self._conns = count(1)
        self._open = 0
        self._most = min(config.limits.connections, max(1, _descriptors() - SPARE_DESCRIPTORS))
        self._bots_scope = trio.CancelScope()

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
        listeners = await self._listen()
        bots = BotHost(self.config.bot_delay, self.config.password, self._log)
        bots.address = reachable(self.addresses[0])
        async with trio.open_nursery() as everything:
            lobby = Lobby(self.config, self._log, everything, bots.send_for, self._make_table)
            self.lobby = lobby
            if stops.signals:
                await everything.start(self._stop_on_signals)
            everything.start_soon(self._host_bots, bots)
            everything.start_soon(self._keep_up, lobby.push_changes)
            async with trio.open_nursery() as accepting:
                accepting.start_soon(self._accept, listeners, everything)
                if stops.lifeline:
                    accepting.start_soon(self._stop_after, _end_of_input)
                if stops.until_empty is not None:
                    accepting.start_soon(self._stop_when_empty, stops.until_empty)
                task_status.started(self.addresses)
                if announce is not None:
                    announce(self.addresses)
                await self.stopping.wait()
                accepting.cancel_scope.cancel()
            self._log.info("stopping")
            with trio.move_on_after(self.config.limits.stop_seconds):
                await lobby.close_tables()
                self._bots_scope.cancel()
                await lobby.say_bye()
            everything.cancel_scope.cancel()
        self._log.info("stopped")

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

    async def _listen(self) -> list[trio.SocketListener]:
        listeners: list[trio.SocketListener] = []
        for text in self.config.listen:
            host, port = split_address(text)
            try:
                found = await trio.open_tcp_listeners(port, host=host)
            except (OSError, UnicodeError) as error:
                for listener in listeners:
                    await listener.aclose()
                reason = getattr(error, "strerror", None) or str(error)
                hint = "; another server may be running, or choose another port"
                taken = getattr(error, "errno", None) == errno.EADDRINUSE
                raise StartError(f"cannot listen on {text}: {reason}{hint * taken}") from None
            listeners += found
        self.addresses = [_address(listener) for listener in listeners]
        return listeners

    async def _accept(self, listeners: list[trio.SocketListener], nursery: trio.Nursery) -> None:
        """Trio logs each failed accept with a traceback, ten times a second; we one line, once."""
        logger = logging.getLogger("trio.serve_listeners")
        handler = _AcceptFailed(self._log)
        logger.addHandler(handler)
        logger.propagate = False
        try:
            await trio.serve_listeners(self._serve, listeners, handler_nursery=nursery)
        finally:
            logger.removeHandler(handler)

    async def _serve(self, stream: trio.SocketStream) -> None:
        assert self.lobby is not None
        if self._open >= self._most:
            await _turn_away(stream)
            return
        conn = next(self._conns)
        self._open += 1
        try:
            log = self._log.bind(conn=conn)
            await Peer(conn, stream, self.lobby, self.config.limits, log).run()
        finally:
            self._open -= 1

    # -- the end -------------------------------------------------------------------------------

    async def _stop_on_signals(self, task_status: trio.TaskStatus[None]) -> None:
        with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            task_status.started()
            async for number in signals:
                if self.stopping.is_set():
                    os._exit(128 + number)
                self.stopping.set()

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


class _AcceptFailed(logging.Handler):
    """Tells the server's own log of connections that could not be accepted, now and then."""

    def __init__(self, log: Log) -> None:
        super().__init__()
        self._log = log
        self._said = -ACCEPT_SECONDS

    def emit(self, record: logging.LogRecord) -> None:
        """Says so, unless it was said a moment ago."""
        now = time.monotonic()
        if now - self._said >= ACCEPT_SECONDS:
            self._said = now
            self._log.warning("cannot_accept", error=record.getMessage())


def _descriptors() -> int:
    """How many files this process may have open, where the system says so."""
    try:
        import resource
    except ImportError:
        return 1_000_000
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1_000_000 if soft == resource.RLIM_INFINITY else soft


async def _turn_away(stream: trio.SocketStream) -> None:
    bye = Bye(reason=ByeReason.TOO_MANY.value, message="too many people are connected; try later")
    try:
        with trio.move_on_after(1):
            await stream.send_all(Connection("server").send(bye))
    except trio.BrokenResourceError:
        pass
    finally:
        await trio.aclose_forcefully(stream)


async def _end_of_input() -> None:
    """Waits for the end of standard input, in a thread, as that works with any kind of file."""
    while await trio.to_thread.run_sync(_read_some, abandon_on_cancel=True):
        pass


def _read_some() -> bytes:
    try:
        return os.read(0, 4096)
    except OSError:
        return b""


def _address(listener: trio.SocketListener) -> str:
    host, port = listener.socket.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def reachable(address: str) -> str:
    """The address by which this machine itself reaches what is bound to `address`."""
    host, port = split_address(address)
    if ipaddress.ip_address(host).is_unspecified:
        host = "::1" if ":" in host else "127.0.0.1"
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
