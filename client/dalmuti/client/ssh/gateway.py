"""The gateway: a process of its own that lets guests with nothing but ssh sit down at a server.

To the server it is as many clients as it has guests; it knows no more than they do. The game never
waits for it. It is a process of its own because it draws the screens of all guests; bench/ssh.py
tells for how many a core has room.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import asyncssh
from asyncssh.kex import get_default_kex_algs
from msgspec import Struct

from dalmuti.client.link import Stream
from dalmuti.client.seats import SeatFile
from dalmuti.client.session import Held, Session
from dalmuti.client.ssh.door import Auth, Door
from dalmuti.client.ssh.guest import Guest
from dalmuti.client.ssh.identity import GuestSeats, Identity
from dalmuti.client.ssh.limits import Arrivals, Limits, Patience
from dalmuti.client.ssh.log import Log
from dalmuti.client.tui import process
from dalmuti.client.words import guests as texts
from dalmuti.protocol.address import counted_as, is_near
from dalmuti.protocol.messages import JoinTable

TICK_SECONDS: Final = 1.0
FAREWELL_SECONDS: Final = 4.0
"""How long guests have to go when the gateway stops."""
QUICK: Final = [
    name.decode()
    for name in get_default_kex_algs()
    if not name.startswith((b"diffie-hellman-", b"rsa"))
]
"""How keys are agreed on: with curves, in a millisecond. What is left out takes up to a hundred, in
which all guests wait, and each guest chooses; OpenSSH and PuTTY have curves since 2014 and 2017."""
HANDOVER_SECONDS: Final = 4.0
"""How long an older connection of the same key has to let go of its seat."""


class CannotListen(Exception):
    """The address or the port cannot be had; the sentence has no dot."""


class Config(Struct, frozen=True, kw_only=True):
    """What a gateway needs to know; `connect` opens a connection to the game's server."""

    connect: Callable[[], Awaitable[Stream]]
    server: str
    host_key: asyncssh.SSHKey
    log: Log
    listen: str = "127.0.0.1"
    port: int = 2222
    auth: Auth = "none"
    guest_password: str = ""
    server_password: str | None = None
    table: str | None = None
    tls: bool = False
    """The way to the server is encrypted: a token that was had there is never said in the plain."""
    lan_only: bool = False
    language: str = "en"
    theme: str = "default"
    seats: Path | None = None
    """Where the seats of guests are kept, unless in the usual place."""
    limits: Limits = Limits()


class Gateway:
    """All connections and guests. See `Config` for what it is told."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self.limits, self.log = config.limits, config.log
        self.auth, self.guest_password = config.auth, config.guest_password
        self.language, self.theme = config.language, config.theme
        self.patience = Patience()
        self._arrivals = Arrivals(config.limits)
        self.doors: set[Door] = set()
        self.guests: set[Guest] = set()
        """Those who are at a screen."""
        self.closing: set[Guest] = set()
        """Those whose ssh has still to close."""
        where = f"tls://{config.server}" if config.tls else config.server
        self._seats = GuestSeats(where, config.seats)
        self._on_seats: dict[str, Guest] = {}
        """Who is on whose seat, by the id of his identity."""

    @property
    def now(self) -> float:
        """The clock of everything here."""
        return asyncio.get_running_loop().time()

    async def open(self) -> asyncssh.SSHAcceptor:
        """Begins to listen. Raises CannotListen."""
        try:
            return await self._listen()
        except OSError as error:
            known = error.errno is not None and error.errno > 0  # resolvers count downwards
            reason = os.strerror(error.errno or 0) if known else error.strerror
            where = f"{self._config.listen} port {self._config.port}"
            raise CannotListen(f"cannot listen on {where}: {reason}") from None

    async def _listen(self) -> asyncssh.SSHAcceptor:
        limits = self.limits
        return await asyncssh.create_server(
            lambda: Door(self),
            self._config.listen,
            self._config.port,
            server_host_keys=[self._config.host_key],
            server_version="dalmuti",
            encoding="utf-8",
            errors="replace",
            line_editor=False,
            window=65536,
            login_timeout=limits.login_seconds,
            keepalive_interval=limits.keepalive_seconds,
            keepalive_count_max=limits.keepalive_count,
            compression_algs=["none"],
            kex_algs=QUICK,
            gss_host=None,
            x11_forwarding=False,
            agent_forwarding=False,
            allow_scp=False,
            config=[],  # nothing of the operator's own ssh
        )

    async def run(self, ready: Callable[[int], None], stop: asyncio.Event) -> None:
        """Listens until `stop` is set, and sends everybody away then. Raises CannotListen.

        `ready` is told the port.
        """
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._loop_failed)
        acceptor = await self.open()
        try:
            ready(acceptor.get_port())
            while not stop.is_set():
                self.look_after()
                with suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), TICK_SECONDS)
        finally:
            acceptor.close()
            await self._send_all_away()
            loop.set_exception_handler(None)

    async def _send_all_away(self) -> None:
        for guest in [*self.guests]:
            guest.dismiss(texts.gateway_stops)
        with suppress(TimeoutError):
            async with asyncio.timeout(FAREWELL_SECONDS):
                for guest in [*self.guests]:
                    await guest.over.wait()
                for guest in [*self.closing]:
                    await guest.closed.wait()
        for door in [*self.doors]:
            door.connection.abort()
            await door.connection.wait_closed()

    def _loop_failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """A bug ends the guest whose it is; one that is nobody's is written down."""
        error = process.failed(context)
        if error is not None:
            self.log.bug("bug", error)

    # -- who comes in ---------------------------------------------------------------------------

    def enters(self, door: Door) -> None:
        """A new connection. What is too much is closed before it costs anything."""
        limits, address = self.limits, counted_as(door.address)
        same = sum(counted_as(each.address) == address for each in self.doors)
        why = None
        if self._config.lan_only and not is_near(door.address):
            why = "not from a private network"
        elif not self._arrivals.may_come(address, self.now):
            why = "too often"
        elif len(self.doors) >= limits.connections:
            why = "too many connections"
        elif same >= limits.address_connections:
            why = "too many connections from there"
        self.doors.add(door)
        if why is not None:
            door.refused = True
            self.log.seldom("connection refused", address, why=why)
            asyncio.get_running_loop().call_soon(door.connection.abort)

    def no_room(self, identity: Identity) -> Callable[[], str] | None:
        """Why a guest cannot sit down now; None if he can."""
        address = counted_as(identity.address)
        if len(self.guests) >= self.limits.guests:
            return texts.too_many_guests
        same = sum(counted_as(guest.identity.address) == address for guest in self.guests)
        return texts.too_many_from_you if same >= self.limits.address_guests else None

    async def seat_for(self, guest: Guest) -> tuple[SeatFile | None, Callable[[], str] | None]:
        """The file of the guest's seat, or why he has to wait.

        Whoever proves a key has his seat, also from an older connection of his.
        """
        identity = guest.identity
        if not identity.lasts:
            return None, None
        before = self._on_seats.get(identity.id)
        if before is not None and identity.key is None:
            return None, partial(texts.name_is_here, identity.nick)
        self._on_seats[identity.id] = guest
        if before is not None:
            before.dismiss(texts.came_again)
            with suppress(TimeoutError):
                async with asyncio.timeout(HANDOVER_SECONDS):
                    await before.over.wait()
        return self._seats.claim(identity), None

    def has_left(self, guest: Guest) -> None:
        """A guest's screen is gone."""
        self.guests.discard(guest)
        if self._on_seats.get(guest.identity.id) is guest:
            del self._on_seats[guest.identity.id]

    def session(self, nick: str, store: SeatFile | None) -> Session:
        """A guest's session at the server, with the seat that is his."""
        config = self._config
        seat = store.load() if store is not None else None
        if seat is not None and config.table not in (None, seat.table):
            seat = None
        entry = JoinTable(
            id=0,
            table=config.table or "?",
            password=config.server_password,
        )
        return Session(
            config.connect,
            name=seat.name if seat else nick,
            number_name=True,
            address=config.server,
            password=config.server_password,
            entry=entry if config.table else None,
            join_only=None if config.table else entry,
            lobby=config.table is None,
            stay=config.table is None,
            held=Held(seat.table, seat.token, seat.name) if seat else None,
            store=store,
        )

    # -- who goes -------------------------------------------------------------------------------

    @staticmethod
    def backlog(connection: asyncssh.SSHServerConnection) -> int:
        """Bytes that wait for the other side to read them. asyncssh bounds what a channel may send
        unasked, by a number that the other side chooses, and nothing else."""
        transport = connection._transport
        return transport.get_write_buffer_size() if transport is not None else 0

    def look_after(self) -> None:
        """What has to be done once a second."""
        now, limits = self.now, self.limits
        for guest in [*self.guests]:
            if now - guest.pressed_at > limits.idle_seconds:
                minutes = max(1, round(limits.idle_seconds / 60))
                guest.dismiss(partial(texts.no_key, minutes))
        for guest in [*self.closing]:
            if guest.closed.is_set():
                self.closing.discard(guest)
            elif guest.finished_at is not None:
                if now - guest.finished_at > limits.closing_seconds:
                    guest.cut_off()
        for door in [*self.doors]:
            if door.is_empty and now - door.empty_since > limits.empty_seconds:
                door.connection.abort()
            elif self.backlog(door.connection) > limits.backlog_bytes:
                self.log.seldom("guest does not read", door.address)
                door.connection.abort()


class _Loop(asyncio.SelectorEventLoop):
    """A loop in which no guest's screen asks for the size of the operator's terminal."""

    # The types of asyncio spell its variadic arguments in a way that no function can repeat.
    def add_signal_handler(  # type: ignore[override]
        self, sig: int, callback: Callable[..., Any], *args: Any
    ) -> None:
        if sig != signal.SIGWINCH:
            super().add_signal_handler(sig, callback, *args)


def run(main: Callable[[], Awaitable[int]]) -> int:
    """Runs a gateway's main function in a loop that is fit for it."""
    logging.getLogger("asyncssh").setLevel(logging.ERROR)

    async def whole() -> int:
        return await main()

    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(whole())
