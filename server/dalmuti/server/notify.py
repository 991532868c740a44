"""Tells systemd how the server is (sd_notify), by hand: a few words over a datagram socket.

Without `NOTIFY_SOCKET` in the environment nothing is told.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping

import trio


class Notifier:
    """The service manager, if there is one."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        address = environ.get("NOTIFY_SOCKET", "")
        self._address = "\0" + address[1:] if address.startswith("@") else address
        self._watchdog = _watchdog_seconds(environ)

    def say(self, *words: str) -> None:
        """Sends words such as `READY=1`. What cannot be told is not told."""
        if not self._address or not hasattr(socket, "AF_UNIX"):
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
                sender.setblocking(False)
                sender.connect(self._address)
                sender.send("\n".join(words).encode())
        except OSError:
            return

    def ready(self, addresses: list[str]) -> None:
        """The server listens."""
        self.say("READY=1", f"STATUS=listening on {', '.join(addresses)}")

    def reloading(self) -> None:
        """The configuration is being read again; `ready` says when that is done."""
        self.say("RELOADING=1", f"MONOTONIC_USEC={time.monotonic_ns() // 1000}")

    def stopping(self) -> None:
        """The orderly stop has begun."""
        self.say("STOPPING=1")

    async def keep_alive(self) -> None:
        """Feeds the watchdog for as long as the event loop turns."""
        if self._watchdog is None:
            return
        while True:
            self.say("WATCHDOG=1")
            await trio.sleep(self._watchdog / 2)


def _watchdog_seconds(environ: Mapping[str, str]) -> float | None:
    """How long the service manager waits for a sign, if it watches this very process."""
    text = environ.get("WATCHDOG_USEC", "")
    mine = environ.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
    return int(text) / 1_000_000 if text.isdecimal() and int(text) and mine else None
