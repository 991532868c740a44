"""Frames: an unsigned 32-bit big-endian length, then that many bytes of body.

No resynchronising: after a length that cannot be, nothing that follows can be trusted. The limit
is enforced as soon as the four bytes are there, so that nobody makes us collect a gigabyte first.
"""

from __future__ import annotations

from typing import Final

from dalmuti.protocol.errors import LocalProtocolError, RemoteProtocolError

HEADER: Final = 4
"""Bytes of the length that goes before each body."""
HELLO_LIMIT: Final = 1024
"""Largest body towards a server that does not know yet who is there: a `hello` has some 150."""
TO_SERVER_LIMIT: Final = 4096
"""Largest body towards the server: 200 characters of chat are at most 800 bytes."""
TO_CLIENT_LIMIT: Final = 256 * 1024
"""Largest body towards a client: the lobby of a busy server; the snapshot of a table has 10 KiB."""


def frame(body: bytes, limit: int = TO_CLIENT_LIMIT) -> bytes:
    """`body` with its length before it. Raises LocalProtocolError if the other side refuses it."""
    if not 0 < len(body) <= limit:
        raise LocalProtocolError(f"expected a body of 1 to {limit} bytes, found {len(body)}")
    return len(body).to_bytes(HEADER, "big") + body


class FrameBuffer:
    """Collects bytes as they come and cuts them into bodies.

    It takes the same time for a frame that comes byte by byte as for one that comes at once: a
    bytearray grows at its end and shrinks at its front without copying what is between. What is in
    it is bounded by `limit` and the size of one read only if the caller asks for every complete
    frame before he feeds again.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        """Bytes of the largest body; may be changed between two frames."""
        self._data = bytearray()

    def __len__(self) -> int:
        return len(self._data)

    def feed(self, data: bytes | bytearray | memoryview) -> None:
        """Takes any number of bytes."""
        self._data += data

    def clear(self) -> None:
        """Forgets what has come."""
        self._data.clear()

    def next(self) -> bytes | None:
        """The next complete body, or None as long as there is none.

        Raises RemoteProtocolError for a length of zero or over the limit, and goes on raising it.
        """
        if len(self._data) < HEADER:
            return None
        length = int.from_bytes(self._data[:HEADER], "big")
        if not 0 < length <= self.limit:
            raise RemoteProtocolError(
                f"expected a frame of 1 to {self.limit} bytes, found one of {length}"
            )
        end = HEADER + length
        if len(self._data) < end:
            return None
        body = bytes(self._data[HEADER:end])
        del self._data[:end]
        return body
