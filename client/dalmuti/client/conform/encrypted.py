"""A connection with TLS for the kit, with the trust of our own clients behind it.

They open streams of anyio, and the kit has those of Trio, so that a check can cut what it sends
where it likes; this is what lies between.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import trio

from dalmuti.client.trust import Trust


class Encrypted(trio.abc.Stream):
    """A stream of anyio as one of Trio."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """See Trio."""
        with _translated():
            await self._stream.send(bytes(data))

    async def wait_send_all_might_not_block(self) -> None:
        """See Trio; nothing is known of that here."""
        await trio.lowlevel.checkpoint()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """See Trio."""
        with _translated():
            try:
                return bytes(await self._stream.receive(max_bytes or 65536))
            except anyio.EndOfStream:
                return b""

    async def aclose(self) -> None:
        """Closes it without the goodbye of TLS, as a lost connection would."""
        await anyio.aclose_forcefully(self._stream)


async def encrypted(trust: Trust) -> Encrypted:
    """Opens a connection. Raises link.Over, OSError or TimeoutError."""
    return Encrypted(await trust.connect())


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (anyio.BrokenResourceError, ssl.SSLError) as error:
        raise trio.BrokenResourceError(str(error)) from error
    except anyio.ClosedResourceError as error:
        raise trio.ClosedResourceError(str(error)) from error
