"""Bots that come back from anything: one process of them for bench/soak.py.

    python bench/guests.py ADDRESS FOLDER SEATS SEAT...

A SEAT is a number over all tables: seat n is at table n // SEATS. Tokens are kept in FOLDER, so
that a killed process finds its seats again. SIGUSR1 resets a third of the connections; after
SIGUSR2 nobody deals any more. Whoever is host of a table deals when no hand is played.
"""

from __future__ import annotations

import asyncio
import random
import signal
import socket
import struct
import sys
from itertools import count
from pathlib import Path
from typing import Any

import msgpack
from load import HEADER, framed

LINGER = struct.pack("ii", 1, 0)
DELAY_SECONDS = 0.03
"""A bot takes this long at most, so that tables share the machine."""
LOOK_SECONDS = 0.3
OPTIONS = {"turn_seconds": 15}


class Guest(asyncio.Protocol):
    """One seat, whatever happens to its connection."""

    dealing = True

    def __init__(self, address: str, folder: Path, seats: int, number: int) -> None:
        host, _, port = address.rpartition(":")
        self.address = (host, int(port))
        self.table, self.first = f"Table {number // seats + 1}", number % seats == 0
        self.name, self.seats = f"S{number:04}x", seats
        self.file = folder / f"{number}.token"
        self.transport: asyncio.Transport | None = None
        self.player = self.host = 0
        self.playing = self.tried = False
        self._ids, self._data = count(1), bytearray()

    async def live(self) -> None:
        """Connects again and again, and deals if it is the host's part."""
        loop = asyncio.get_running_loop()
        while True:
            if self.transport is None:
                try:
                    await loop.create_connection(lambda: self, *self.address)
                except OSError:
                    await asyncio.sleep(random.random())
                    continue
            await asyncio.sleep(LOOK_SECONDS * (0.5 + random.random()))
            if self.tried:
                self.enter()
            elif self.dealing and not self.playing and self.player and self.player == self.host:
                self.ask(t="deal")

    def ask(self, **message: Any) -> None:
        """Sends a request."""
        if self.transport is not None:
            self.transport.write(framed({"id": next(self._ids), **message}))

    def enter(self) -> None:
        """Takes the seat back, or another one, or opens the table."""
        self.tried = False
        if self.file.exists():
            self.ask(t="resume", table=self.table, token=self.file.read_text())
        elif self.first:
            self.ask(t="create", table=self.table, options={**OPTIONS, "seats": self.seats})
        else:
            self.ask(t="join", table=self.table)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._data.clear()
        hello = {"t": "hello", "versions": [1, 1], "name": self.name, "kind": "bot"}
        transport.write(framed(hello))

    def connection_lost(self, error: Exception | None) -> None:
        self.transport, self.player, self.playing, self.tried = None, 0, False, False

    def reset(self) -> None:
        """Ends the connection so that the server is told in the rudest way."""
        if self.transport is not None:
            self.transport.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, LINGER
            )
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        self._data += data
        while len(self._data) >= 4:
            end = 4 + HEADER.unpack_from(self._data)[0]
            if len(self._data) < end:
                return
            body = bytes(self._data[4:end])
            del self._data[:end]
            self.message(msgpack.unpackb(body))

    def message(self, message: dict[str, Any]) -> None:
        """Hears one message."""
        match message["t"]:
            case "welcome":
                self.enter()
            case "seated":
                self.player = message["player"]
                self.file.write_text(message["token"])
            case "snapshot":
                table = message["table"]
                self.host, self.playing = table.get("host", 0), table.get("hand") is not None
            case "event":
                self.event(message["event"])
            case "decision":
                act = {"t": "act", "decision": message["decision"], "choice": message["default"]}
                delay = DELAY_SECONDS * random.random()
                asyncio.get_running_loop().call_later(delay, lambda: self.ask(**act))
            case "ping":
                if self.transport is not None:
                    self.transport.write(framed({"t": "pong", "n": message.get("n", 0)}))
            case "unseated":
                self.file.unlink(missing_ok=True)
                self.player, self.tried = 0, True
            case "error":
                self.error(message["code"])

    def event(self, event: dict[str, Any]) -> None:
        """What is to be known of a table to deal in time."""
        match event["e"]:
            case "host_changed":
                self.host = event["player"]
            case "hand_started":
                self.playing = True
            case "hand_ended" | "hand_abandoned":
                self.playing = False

    def error(self, code: str) -> None:
        """A request was refused: another way in, where it was one."""
        if code in ("bad_token", "no_such_table"):
            self.file.unlink(missing_ok=True)
            self.tried = True
        elif code == "table_exists":
            self.first, self.tried = False, True
        elif code in ("table_full", "rate_limited", "too_many_tables") and not self.player:
            self.tried = True


async def main(address: str, folder: Path, seats: int, numbers: list[int]) -> None:
    """All the seats of this process, until it is killed."""
    guests = [Guest(address, folder, seats, number) for number in numbers]
    loop = asyncio.get_running_loop()

    def reset() -> None:
        for guest in random.sample(guests, (len(guests) + 2) // 3):
            guest.reset()

    loop.add_signal_handler(signal.SIGUSR1, reset)
    loop.add_signal_handler(signal.SIGUSR2, lambda: setattr(Guest, "dealing", False))
    print("ready", flush=True)
    await asyncio.gather(*(guest.live() for guest in guests))


if __name__ == "__main__":
    places = [int(text) for text in sys.argv[4:]]
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), places))
