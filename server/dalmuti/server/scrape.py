"""The page `/metrics` for Prometheus, over as little HTTP as it takes.

It listens on loopback only, answers GET only, reads at most a few KiB, and closes after each
answer. Whatever comes in can do nothing but read figures.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import trio

from dalmuti.server.brief import Brief
from dalmuti.server.log import Log

MOST_BYTES: Final = 4096
SECONDS: Final = 5.0


class Scrape:
    """Serves one page. `page` makes it when it is asked for."""

    def __init__(self, page: Callable[[], str], log: Log) -> None:
        self._page = page
        self.serve = Brief(self._answer_on, SECONDS, log, "metrics_crashed").serve

    async def _answer_on(self, stream: trio.SocketStream) -> bytes:
        return self._answer(await _head(stream))

    def _answer(self, head: bytes | None) -> bytes:
        if head is None:
            return _response("431 Request Header Fields Too Large", "too much\n")
        words = head.partition(b"\r\n")[0].split(b" ")
        if len(words) != 3 or not words[2].startswith(b"HTTP/1."):
            return _response("400 Bad Request", "this is no HTTP/1 request\n")
        if words[0] != b"GET":
            return _response("405 Method Not Allowed", "only GET\n", "Allow: GET\r\n")
        if words[1].partition(b"?")[0] != b"/metrics":
            return _response("404 Not Found", "the figures are at /metrics\n")
        return _response("200 OK", self._page())


async def _head(stream: trio.SocketStream) -> bytes | None:
    """The request up to the empty line, None if that is too long."""
    data = b""
    while b"\r\n\r\n" not in data:
        if len(data) > MOST_BYTES:
            return None
        some = await stream.receive_some(MOST_BYTES)
        if not some:
            break
        data += some
    return data


def _response(status: str, text: str, more: str = "") -> bytes:
    body = text.encode()
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n{more}\r\n"
    )
    return head.encode() + body
