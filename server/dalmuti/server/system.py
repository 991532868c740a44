"""What the server asks of the system it runs on: descriptors, addresses, its standard input."""

from __future__ import annotations

import gc
import logging
import os
import time
from typing import Final

import trio

from dalmuti.server.log import Log

ACCEPT_SECONDS: Final = 10.0
"""Between two lines in the log on connections that cannot be accepted."""


GARBAGE: Final = (20_000, 10, 10)
"""New objects, and rounds among them and the older, after which Python looks for cycles."""


def collect_seldom() -> None:
    """Has Python look for garbage in cycles less often than it does by default.

    It looks whenever there are 700 objects more than there were. With 200 tables that many come
    and go in a moment, and to look through all tasks and tables took a fifth of the time. Neither a
    play nor a connection that ends, in peace or not, leaves a cycle behind (the tests see to that),
    so there is next to nothing to find. What is loaded by now is never looked at again.
    """
    gc.set_threshold(*GARBAGE)
    gc.collect()
    gc.freeze()


class AcceptFailed(logging.Handler):
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


def descriptors() -> int:
    """How many files this process may have open, where the system says so."""
    try:
        import resource
    except ImportError:
        return 1_000_000
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1_000_000 if soft == resource.RLIM_INFINITY else soft


def host_of(stream: trio.SocketStream) -> str:
    try:
        return str(stream.socket.getpeername()[0])
    except OSError:  # it is gone already
        return ""


def has_terminal() -> bool:
    """Whether standard input is a terminal that is still there."""
    try:
        return os.isatty(0)
    except OSError:
        return False


async def end_of_input() -> None:
    """Waits for the end of standard input, in a thread, as that works with any kind of file."""
    while await trio.to_thread.run_sync(_read_some, abandon_on_cancel=True):
        pass


def _read_some() -> bytes:
    try:
        return os.read(0, 4096)
    except OSError:
        return b""
