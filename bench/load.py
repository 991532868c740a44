"""Bots that cost next to nothing, so that what is measured is the server.

They run on asyncio and make no typed messages. A `Bot` takes every default at once, and tells its
`Group` (one table) when a play was made and when each viewer heard of it. The first bot of a group
is the host: it opens the table and deals.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from array import array
from itertools import count
from time import perf_counter
from typing import Any

import msgpack

HEADER = struct.Struct(">I")
MOVES = ("played", "passed")
OPTIONS = {"revolution": "off", "first_hand_taxes": "off", "turn_seconds": 0}


def framed(message: dict[str, Any]) -> bytes:
    """The frame of a message."""
    body: bytes = msgpack.packb(message)
    return HEADER.pack(len(body)) + body


class Group:
    """What is measured at one table."""

    def __init__(self, name: str, seats: int, results: Results) -> None:
        self.name, self.seats, self.results = name, seats, results
        self.sent = 0.0
        """When the last answer was sent."""
        self.played = 0.0
        """When that answer was sent which led to the play that is being heard of."""
        self.seq = 0
        self.heard = 0
        self.hands = 0
        self.dealing = True

    def hear(self, seq: int, now: float) -> None:
        """One viewer has heard of the play with this event number."""
        if seq != self.seq:
            self.seq, self.heard, self.played = seq, 0, self.sent
        self.heard += 1
        if self.heard == self.seats and self.results.on:
            self.results.plays += 1
            self.results.seconds.append(now - self.played)


class Results:
    """Of all tables together; nothing is counted until `on`."""

    def __init__(self) -> None:
        self.on = False
        self.plays = 0
        self.seconds = array("d")
        self.frames: dict[str, dict[str, Any]] = {}
        """One message of each kind, as a sample for the bare server."""

    def quantile(self, share: float) -> float:
        """Milliseconds."""
        ordered = sorted(self.seconds)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


class Bot(asyncio.Protocol):
    """One connection that plays."""

    def __init__(self, group: Group, name: str, *, host: bool = False) -> None:
        self.group, self.name, self.host = group, name, host
        self.seated = asyncio.get_running_loop().create_future()
        self.errors: list[dict[str, Any]] = []
        self.token = ""
        self._ids = count(1)
        self._data = bytearray()

    def say(self, **message: Any) -> None:
        """Sends a message."""
        self._transport.write(framed(message))

    def ask(self, **message: Any) -> None:
        """Sends a request."""
        self.say(id=next(self._ids), **message)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.say(t="hello", versions=[1, 1], name=self.name, kind="bot")

    def connection_lost(self, error: Exception | None) -> None:
        if not self.seated.done():
            self.seated.set_exception(error or ConnectionError("the server hung up"))

    def close(self) -> None:
        """Hangs up."""
        self._transport.abort()

    def data_received(self, data: bytes) -> None:
        self._data += data
        buffer, at = self._data, 0
        while len(buffer) - at >= 4:
            end = at + 4 + HEADER.unpack_from(buffer, at)[0]
            if len(buffer) < end:
                break
            self.message(msgpack.unpackb(memoryview(buffer)[at + 4 : end]))
            at = end
        del buffer[:at]

    def message(self, message: dict[str, Any]) -> None:
        """Hears one message."""
        kind = message["t"]
        if kind == "event":
            self._event(message)
        elif kind == "decision":
            self.group.results.frames.setdefault("decision", message)
            self.group.sent = perf_counter()
            self.ask(t="act", decision=message["decision"], choice=message["default"])
        elif kind == "welcome":
            if self.host:
                self.ask(t="create", table=self.group.name, options=self.options())
            else:
                self.ask(t="join", table=self.group.name)
        elif kind == "snapshot" and not self.seated.done():
            self.seated.set_result(None)
        elif kind == "seated":
            self.token = message["token"]
        elif kind == "ping":
            self.say(t="pong", n=message.get("n", 0))
        elif kind in ("error", "bye"):
            self.errors.append(message)

    def options(self) -> dict[str, Any]:
        """Those of a table of such bots."""
        return {**OPTIONS, "seats": max(self.group.seats, 4)}

    def _event(self, message: dict[str, Any]) -> None:
        event = message["event"]
        kind = event["e"]
        if kind in MOVES:
            self.group.results.frames.setdefault(kind, message)
            self.group.hear(message["seq"], perf_counter())
        elif kind == "turn":
            self.group.results.frames.setdefault(kind, message)
        elif kind == "hand_prepared" and self.host and self.seated.done():
            self.group.hands += 1
            if self.group.dealing:
                self.ask(t="deal")


async def connect(address: str, bot: Bot) -> Bot:
    """A bot that sits."""
    host, _, port = address.rpartition(":")
    await asyncio.get_running_loop().create_connection(lambda: bot, host, int(port))
    await bot.seated
    return bot


async def seat(address: str, tables: int, seats: int, results: Results) -> list[list[Bot]]:
    """So many tables with so many bots each; nothing is dealt yet."""
    groups = []
    for number in range(tables):
        group = Group(f"Table {number + 1}", seats, results)
        bots = [await connect(address, Bot(group, f"H{number + 1:04}", host=True))]
        for place in range(1, seats):
            bots.append(await connect(address, Bot(group, f"G{number + 1:04}n{place}")))
        groups.append(bots)
    return groups
