"""Certificates for tests, and a server with TLS."""

from __future__ import annotations

import hashlib
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio
import trustme

from server.wire import Client, TcpServer, running


class Certificates:
    """An authority, and the files of a certificate that it made for this machine."""

    def __init__(self, folder: Path) -> None:
        self.authority = trustme.CA()
        self.cert, self.key = folder / "cert.pem", folder / "key.pem"
        self.issue()

    def issue(self, authority: trustme.CA | None = None) -> None:
        """Writes a new certificate over the old one, from another authority if so wanted."""
        issued = (authority or self.authority).issue_cert("localhost", "127.0.0.1")
        self.cert.write_bytes(b"".join(blob.bytes() for blob in issued.cert_chain_pems))
        self.key.write_bytes(issued.private_key_pem.bytes())

    @property
    def files(self) -> dict[str, Any]:
        """The keys of the configuration."""
        return {"tls_cert": str(self.cert), "tls_key": str(self.key)}

    @property
    def fingerprint(self) -> str:
        """The SHA-256 fingerprint of the certificate, as `openssl x509 -fingerprint` has it."""
        pem = self.cert.read_text().partition("-----END CERTIFICATE-----")
        der = ssl.PEM_cert_to_DER_cert(pem[0] + pem[1])
        digits = hashlib.sha256(der).hexdigest().upper()
        return ":".join(digits[n : n + 2] for n in range(0, 64, 2))

    def trusted(self) -> ssl.SSLContext:
        """A context whose store knows the authority."""
        context = ssl.create_default_context()
        self.authority.configure_trust(context)
        return context


def port_of(server: TcpServer) -> int:
    """Where it listens first."""
    return int(server.app.addresses[0].rpartition(":")[2])


async def connect(server: TcpServer, context: ssl.SSLContext) -> Client:
    """A client over TLS."""
    stream = await trio.open_tcp_stream("127.0.0.1", port_of(server))
    wrapped = trio.SSLStream(stream, context, server_hostname="localhost", https_compatible=True)
    try:
        with trio.fail_after(10):
            await wrapped.do_handshake()
    except trio.BrokenResourceError:
        await trio.aclose_forcefully(wrapped)
        raise
    return Client(wrapped)


@asynccontextmanager
async def running_tls(certificates: Certificates, **config: Any) -> AsyncIterator[TcpServer]:
    """A server with this certificate."""
    async with running(**certificates.files, **config) as server:
        yield server
