"""Where people come in: listeners, with TLS or without, and who may use which.

Without TLS everything can be overheard, so that is for this machine and for private networks. An
address of the internet, or all addresses at once, need a certificate, or that whoever runs the
server says `insecure`, or `lan_only`: then connections from elsewhere are sent away.

The handshake is done once, under a deadline, before anybody reads or writes; a client that does not
speak TLS where it is wanted is told so in the plain. The house bots come without TLS over loopback,
where a listener of their own is opened if there is no other (`bots_door`).
"""

from __future__ import annotations

import errno
import ipaddress
import socket
import ssl
from contextlib import suppress
from typing import Final

import trio

from dalmuti.protocol.address import is_near
from dalmuti.protocol.connection import Connection
from dalmuti.protocol.errors import ByeReason
from dalmuti.protocol.messages import Bye
from dalmuti.server.config import Config, split_listen

HANDSHAKE_BYTE: Final = 0x16
"""What every TLS connection begins with. In our own frames it would announce 350 MB."""
LAST_WORDS: Final = 1.0
NEEDS_TLS: Final = "this server wants TLS: `dalmuti join --tls HOST`"
NOT_FROM_HERE: Final = (
    "this server takes connections without TLS from its own network only; who runs it can set up"
    " TLS, or allow this (--insecure)"
)


class EntranceError(Exception):
    """The server cannot open its doors as it is told to; the sentence says why."""


class Certificate:
    """The certificate of the server. `load` again after it has changed: who comes then sees it."""

    def __init__(self, config: Config) -> None:
        """Raises EntranceError."""
        self.context = self._load(config)

    def load(self, config: Config) -> None:
        """Reads the files again. Raises EntranceError, and then keeps what it had."""
        self.context = self._load(config)

    @staticmethod
    def _load(config: Config) -> ssl.SSLContext:
        assert config.tls_cert is not None
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            # A key with a passphrase would ask at the terminal; an empty answer is an error.
            context.load_cert_chain(config.tls_cert, config.tls_key, password="")
        except OSError as error:
            files = config.tls_cert + (f" with {config.tls_key}" if config.tls_key else "")
            reason = getattr(error, "reason", None) or error.strerror or str(error)
            raise EntranceError(f"the certificate {files} cannot be used: {reason}") from None
        return context


class Entrance:
    """One listener. `address` is what it is bound to, as HOST:PORT."""

    def __init__(
        self,
        listener: trio.SocketListener,
        certificate: Certificate | None,
        *,
        lan_only: bool = False,
    ) -> None:
        self.listener, self.certificate, self.lan_only = listener, certificate, lan_only
        host, self.port = listener.socket.getsockname()[:2]
        self.host = str(host)
        self.address = f"[{host}]:{self.port}" if ":" in host else f"{host}:{self.port}"

    @property
    def is_public(self) -> bool:
        """Whether people of other networks may reach it."""
        return _is_public(self.host)

    @property
    def is_insecure(self) -> bool:
        """Whether people of other networks are let in without TLS."""
        return self.is_public and self.certificate is None and not self.lan_only

    def sends_away(self, host: str) -> bool:
        """Whether who comes from `host` is too far away for this listener."""
        return self.lan_only and self.certificate is None and bool(host) and not is_near(host)

    async def admit(self, stream: trio.SocketStream, seconds: float) -> trio.abc.Stream | None:
        """The stream to talk over, behind the handshake if there is one; None if that failed."""
        if self.certificate is None:
            return stream
        wrapped = trio.SSLStream(
            stream, self.certificate.context, server_side=True, https_compatible=True
        )
        try:
            with trio.fail_after(seconds):
                first = await stream.socket.recv(1, socket.MSG_PEEK)
                if first and first[0] != HANDSHAKE_BYTE:
                    await turn_away(stream, ByeReason.REFUSED, NEEDS_TLS)
                    return None
                await wrapped.do_handshake()
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError, trio.TooSlowError):
            await trio.aclose_forcefully(stream)
            return None
        return wrapped


async def open_entrances(config: Config, certificate: Certificate | None) -> list[Entrance]:
    """Listens on everything that is configured. Raises EntranceError."""
    found: list[Entrance] = []
    lan_only = config.lan_only and not config.insecure
    try:
        for text in config.listen:
            scheme, host, port = split_listen(text)
            used = None if scheme == "tcp" else certificate
            for listener in await _listeners(text, host, port):
                found.append(Entrance(listener, used, lan_only=lan_only))
                if _is_too_open(found[-1], config):
                    raise EntranceError(_too_open(text))
    except BaseException:
        for entrance in found:
            entrance.listener.socket.close()
        raise
    return found


def judge(config: Config) -> None:
    """Looks at what needs no listening: the certificate, and addresses that are too open.

    A host by its name is judged when the server starts. Raises EntranceError.
    """
    if config.tls_cert is not None:
        Certificate(config)
    for text in config.listen:
        scheme, host, _ = split_listen(text)
        tls = config.tls_cert is not None and scheme != "tcp"
        safe = tls or config.insecure or config.lan_only
        with suppress(ValueError):
            if not safe and _is_public(host):
                raise EntranceError(_too_open(text))


async def bots_door(entrances: list[Entrance]) -> tuple[str, list[Entrance]]:
    """How the house bots come in: the address, and the listener that is added for them, if any."""
    for entrance in entrances:
        address = ipaddress.ip_address(entrance.host.partition("%")[0])
        if entrance.certificate is None and (address.is_loopback or address.is_unspecified):
            here = "::1" if address.version == 6 else "127.0.0.1"
            host = here if address.is_unspecified else entrance.host
            return (f"[{host}]" if ":" in host else host) + f":{entrance.port}", []
    (listener,) = await _listeners("127.0.0.1:0", "127.0.0.1", 0)
    added = Entrance(listener, None)
    return added.address, [added]


async def _listeners(text: str, host: str, port: int) -> list[trio.SocketListener]:
    try:
        return await trio.open_tcp_listeners(port, host=host)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        hint = "; another server may be running, or choose another port"
        taken = getattr(error, "errno", None) == errno.EADDRINUSE
        raise EntranceError(f"cannot listen on {text}: {reason}{hint * taken}") from None


def _is_public(host: str) -> bool:
    """Whether people of other networks may reach this address. ValueError for a name."""
    address = ipaddress.ip_address(host.partition("%")[0])
    return address.is_unspecified or address.is_global


def _is_too_open(entrance: Entrance, config: Config) -> bool:
    """Whether strangers of the internet could come without TLS although nobody allowed it."""
    return entrance.is_insecure and not config.insecure


def _too_open(text: str) -> str:
    return (
        f"{text} may be reached from the internet, and without TLS all can be overheard there:"
        " give a certificate (tls_cert), or let in this network only (--lan-only),"
        " or say that you want this (--insecure)"
    )


async def turn_away(stream: trio.abc.Stream, reason: ByeReason, text: str) -> None:
    """Says `bye` to somebody who is not let in, and closes."""
    try:
        with trio.move_on_after(LAST_WORDS):
            await stream.send_all(Connection("server").send(Bye(reason=reason.value, message=text)))
            await _until_closed(stream)
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        pass
    finally:
        await trio.aclose_forcefully(stream)


async def _until_closed(stream: trio.abc.Stream) -> None:
    """Takes what the other side still sends: a close with bytes unread would take back the bye."""
    if isinstance(stream, trio.SocketStream):
        await stream.send_eof()
    while await stream.receive_some(4096):
        pass
