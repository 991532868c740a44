"""TLS on the client's side: is this the server that it should be?

A certificate that the system's store vouches for is good. One that it does not know, as of a
private server that made its own, is shown by its SHA-256 fingerprint and remembered at first use;
from then on only that one will do. A server that the store once vouched for is never remembered by
its fingerprint afterwards: else whoever sits in between had only to show a certificate of his own.
With `--fingerprint` nothing is left to the first use.

What is known is in one file of the user's state folder, readable by its owner only.
"""

from __future__ import annotations

import hashlib
import re
import ssl
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import anyio
import msgspec
import platformdirs
from anyio.streams.tls import TLSAttribute, TLSStream
from msgspec import Struct

from dalmuti.client import private, words
from dalmuti.client.i18n import tr
from dalmuti.client.link import CONNECT_SECONDS, Lost, Stream, Untrusted

VOUCHED: Final = "system"
"""In place of a fingerprint: the system's store vouched for the certificate."""


class FingerprintError(ValueError):
    """This is no fingerprint; the text is a sentence without its dot."""


class _File(Struct):
    servers: dict[str, str] = {}


def file() -> Path:
    """Where it is kept which servers are known, unless told otherwise."""
    return platformdirs.user_state_path("dalmuti") / "known_servers.json"


class Known:
    """The servers that were met before: by address their fingerprint, or VOUCHED."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or file()

    def get(self, address: str) -> str | None:
        """What is known of a server. Raises Untrusted if the file is there and unreadable."""
        return self._read().get(address)

    def put(self, address: str, what: str) -> bool:
        """Remembers a server; False if that cannot be kept."""
        servers = self._read()
        if servers.get(address) == what:
            return True
        data = msgspec.json.format(msgspec.json.encode(_File({**servers, address: what})))
        try:
            private.write(self._path, data + b"\n")
        except OSError:
            return False
        return True

    def _read(self) -> dict[str, str]:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=_File).servers
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except (OSError, msgspec.DecodeError) as error:
            raise Untrusted(words.known_servers_unreadable(str(self._path), str(error))) from None


def fingerprint_from(text: str) -> str:
    """A fingerprint as it is shown, from how people write it. Raises FingerprintError."""
    digits = re.sub(r"[\s:]", "", re.sub(r"^sha-?256[:=]", "", text.strip(), flags=re.I))
    if not re.fullmatch(r"[0-9A-Fa-f]{64}", digits):
        raise FingerprintError(
            tr("expected a SHA-256 fingerprint of 64 hexadecimal digits, found {text!r}", text=text)
        )
    return ":".join(re.findall("..", digits.upper()))


def fingerprint_of(stream: TLSStream) -> str:
    """The fingerprint of the other side's certificate."""
    certificate = stream.extra(TLSAttribute.peer_certificate_binary) or b""
    return fingerprint_from(hashlib.sha256(certificate).hexdigest())


class Trust:
    """Opens connections to one server, and only to that one. `connect` is for `Session`."""

    def __init__(
        self,
        host: str,
        port: int,
        fingerprint: str | None = None,
        known: Known | None = None,
        context: Callable[[], ssl.SSLContext] = ssl.create_default_context,
    ) -> None:
        """`fingerprint` is what the user says; `context` makes the one of the system's store."""
        self._host, self._port, self._given = host, port, fingerprint
        self._known = known or Known()
        self._context = context
        self._note = ""

    @property
    def address(self) -> str:
        """The server, as it is kept and shown."""
        return f"{self._host.lower()}:{self._port}"

    def note(self) -> str:
        """What the user should read about the last connection, once."""
        note, self._note = self._note, ""
        return note

    async def connect(self) -> Stream:
        """A connection to the right server. Raises Untrusted, Lost, OSError or TimeoutError."""
        expected = self._given or self._known.get(self.address)
        try:
            with anyio.fail_after(2 * CONNECT_SECONDS):
                if expected is None:
                    return await self._first_time()
                if expected == VOUCHED:
                    return await self._open(self._context())
                return await self._pinned(expected)
        except ssl.SSLCertVerificationError as error:
            raise Untrusted(words.not_vouched_any_more(self.address, _reason(error))) from None
        except ssl.SSLError:
            raise Untrusted(words.no_tls(self.address)) from None
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            raise Lost(tr("The server closed the connection.")) from None

    async def _first_time(self) -> Stream:
        try:
            stream = await self._open(self._context())
        except ssl.SSLCertVerificationError:
            stream = await self._open(_any_certificate())
            found = fingerprint_of(stream)
            kept = self._known.put(self.address, found)
            self._note = words.first_use(self.address, found, kept)
            return stream
        self._known.put(self.address, VOUCHED)
        return stream

    async def _pinned(self, expected: str) -> Stream:
        stream = await self._open(_any_certificate())
        found = fingerprint_of(stream)
        if found != expected:
            await anyio.aclose_forcefully(stream)
            given = self._given is not None
            raise Untrusted(words.other_certificate(self.address, expected, found, given=given))
        if self._given is not None:
            self._known.put(self.address, found)
        return stream

    def _open(self, context: ssl.SSLContext) -> Awaitable[TLSStream]:
        return anyio.connect_tcp(
            self._host, self._port, ssl_context=context, tls_standard_compatible=False
        )


def _any_certificate() -> ssl.SSLContext:
    """Takes every certificate: its fingerprint is compared instead."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _reason(error: ssl.SSLCertVerificationError) -> str:
    return error.verify_message or str(error)
