"""The door of one ssh connection: who may come in, as whom, and what he may open.

asyncssh tells of a key twice: when a guest asks whether it would do, and when he proves that he has
it. Only the method that let him in counts, so whoever asks about somebody else's key and then comes
in another way is nobody with that key.
"""

from __future__ import annotations

import asyncio
import hmac
import socket
from typing import TYPE_CHECKING, Literal

import asyncssh

from dalmuti.client.ssh.guest import Guest
from dalmuti.client.ssh.identity import Identity, nick_of
from dalmuti.client.words import guests as texts

if TYPE_CHECKING:
    from dalmuti.client.ssh.gateway import Gateway

Auth = Literal["none", "password", "anykey"]


class Door(asyncssh.SSHServer):
    """One connection."""

    def __init__(self, gateway: Gateway) -> None:
        self.connection: asyncssh.SSHServerConnection
        self.empty_since = gateway.now
        """Since when there is no session that has begun."""
        self.sessions: set[Guest] = set()
        self.known = False
        """He has come in."""
        self.refused = False
        """He was turned away before anything was read from him."""
        self.address = ""
        self._gateway = gateway
        self._user = ""
        self._key: str | None = None

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self.connection = conn
        peer = conn.get_extra_info("peername")
        self.address = str(peer[0]) if peer else ""
        line = conn.get_extra_info("socket")
        if line is not None:  # else the system takes megabytes of frames that nobody has seen
            line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, self._gateway.limits.frame_bytes)
        self._gateway.enters(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._gateway.doors.discard(self)
        if not self.known and not self.refused:
            self._gateway.log.seldom("connection lost early", self.address, why=exc)

    # -- who he is ------------------------------------------------------------------------------

    def begin_auth(self, username: str) -> bool:
        self._user = username
        if self._gateway.auth == "none":
            self.known = True
        return not self.known

    def auth_completed(self) -> None:
        self.known = True
        self.empty_since = self._gateway.now

    def password_auth_supported(self) -> bool:
        return self._gateway.auth == "password"

    async def validate_password(self, username: str, password: str) -> bool:
        patience, now = self._gateway.patience, self._gateway.now
        await asyncio.sleep(patience.seconds(self.address, now))
        wanted = self._gateway.guest_password.encode()
        if hmac.compare_digest(password.encode(), wanted):
            patience.right(self.address)
            return True
        patience.wrong(self.address, self._gateway.now)
        self._gateway.log.seldom("wrong password", self.address, user=username)
        return False

    def public_key_auth_supported(self) -> bool:
        return self._gateway.auth == "anykey"

    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        self._key = key.get_fingerprint()
        return True

    def kbdint_auth_supported(self) -> bool:
        """For guests without a key: nothing is asked."""
        return self._gateway.auth == "anykey"

    def get_kbdint_challenge(
        self, username: str, lang: str, submethods: str
    ) -> tuple[str, str, str, list[tuple[str, bool]]]:
        self._key = None  # whatever he has asked about before
        return "", "", "", []

    def validate_kbdint_response(self, username: str, responses: object) -> bool:
        self._key = None
        return True

    def _identity(self) -> Identity:
        return Identity(nick=nick_of(self._user), address=self.address, key=self._key)

    # -- what he may open -----------------------------------------------------------------------

    def session_requested(self) -> Guest:
        if len(self.sessions) >= self._gateway.limits.sessions:
            raise asyncssh.ChannelOpenError(asyncssh.OPEN_RESOURCE_SHORTAGE, texts.one_at_a_time())
        guest = Guest(self._gateway, self.connection, self._identity(), self._session_closed)
        self.sessions.add(guest)
        return guest

    def _session_closed(self, guest: Guest) -> None:
        self.sessions.discard(guest)
        self.empty_since = self._gateway.now

    @property
    def is_empty(self) -> bool:
        """He has come in, and does nothing: neither a session nor one in which nothing was asked
        for yet may take a place for long."""
        return self.known and not any(guest.has_begun for guest in self.sessions)

    def connection_requested(self, *where: object) -> bool:
        raise _nothing_forwarded()

    def unix_connection_requested(self, dest_path: str) -> bool:
        raise _nothing_forwarded()

    def server_requested(self, listen_host: str, listen_port: int) -> bool:
        return False

    def unix_server_requested(self, listen_path: str) -> bool:
        return False


def _nothing_forwarded() -> asyncssh.ChannelOpenError:
    return asyncssh.ChannelOpenError(
        asyncssh.OPEN_ADMINISTRATIVELY_PROHIBITED, texts.no_forwarding()
    )
