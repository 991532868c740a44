"""Who may come in at all: connections counted by address, before anything is read from them.

A connection that has not said hello is a guest in the doorway. There is room for a few of each
address only, and one more sends the oldest of them away: a thousand sockets that say nothing keep
nobody out, not even somebody from the same address, who says hello in a moment (server.md I-71).
When the whole server is full, the same is done to the address with the most in the doorway.

An address is an IPv4 address or a /64 network of IPv6, since that is what one subscriber has. The
loopback addresses `127.0.0.1` and `::1` are home: the house bots come from there, and whoever can
connect from there has an account on this machine. Home has no bound of its own on connections and
joins, and half of all places in the doorway. A proxy or tunnel on this machine makes strangers look
like home: then the bounds are its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from dalmuti.protocol.address import counted_as
from dalmuti.server.limits import Bucket, Limits

HOME: Final = frozenset({"127.0.0.1", "::1"})
REMEMBERED: Final = 4096
"""Addresses whose rates are kept; one that comes after that long is new again."""


class ByAddress:
    """A bucket for each address, of those that asked lately."""

    def __init__(self, rate: tuple[int, float]) -> None:
        """`rate`: at once, and per second."""
        self._rate = rate
        self._buckets: dict[str, Bucket] = {}

    def peek(self, address: str, now: float) -> float:
        """The seconds until one can be taken; takes nothing."""
        bucket = self._buckets.get(address)
        if bucket is None:
            return 0.0
        seconds = bucket.wait(now)
        if not seconds:
            bucket.give_back()
        return seconds

    def wait(self, address: str, now: float) -> float:
        """Takes one and returns 0, or returns the seconds until there is one again."""
        bucket = self._buckets.pop(address, None)
        if bucket is None:
            bucket = Bucket(*self._rate)
            while len(self._buckets) >= REMEMBERED:
                del self._buckets[next(iter(self._buckets))]
        self._buckets[address] = bucket
        return bucket.wait(now)


class Place:
    """The place of one connection. Give it back with `leave`, whatever happens."""

    def __init__(self, doors: Doors, address: str) -> None:
        self.address = address
        self.shut: Callable[[], None] = _nothing
        """Ends the connection while it stands in the doorway; set it before anything awaits."""
        self._doors = doors

    def greeted(self) -> None:
        """It has said hello, and is welcome."""
        self._doors._out_of_doorway(self)

    def leave(self) -> None:
        """The connection is over."""
        self._doors._out_of_doorway(self)
        self._doors._left(self)
        self.shut = _nothing  # it knows the connection, which knows this place


class Doors:
    """Every connection of the server."""

    def __init__(self, limits: Limits, most: int) -> None:
        """`most` is the bound for all, below what the system lets a process open."""
        self.open = 0
        """Connections now."""
        self._limits, self._most = limits, most
        self._by_address: dict[str, int] = {}
        self._doorway: dict[str, dict[Place, None]] = {}
        """Who has not said hello, by address, in the order in which they came."""
        self._connects = ByAddress((limits.connect_burst, limits.connect_per_second))

    def set_limits(self, limits: Limits, most: int) -> None:
        """Other limits, for those who come from now on. The rates of addresses begin anew."""
        if limits != self._limits:
            self._connects = ByAddress((limits.connect_burst, limits.connect_per_second))
        self._limits, self._most = limits, most

    def enter(self, host: str, now: float) -> Place | None:
        """A place for a new connection; None if there is none for it."""
        address = counted_as(host)
        if address not in HOME:
            if self._by_address.get(address, 0) >= self._limits.address_connections:
                return None
            if self._connects.wait(address, now):
                return None
        room = self._limits.address_waiting
        if address in HOME:  # all house bots may come at once
            room = max(room, self._most // 2)
        if len(self._doorway.get(address, ())) >= room:
            self._send_away(address)
        if self.open >= self._most:
            crowd = max(self._doorway, key=lambda each: len(self._doorway[each]), default=None)
            if crowd is None:
                return None
            self._send_away(crowd)
        place = Place(self, address)
        self.open += 1
        self._by_address[address] = self._by_address.get(address, 0) + 1
        self._doorway.setdefault(address, {})[place] = None
        return place

    def _send_away(self, address: str) -> None:
        """The longest silent connection of an address goes; its place is free at once."""
        place = next(iter(self._doorway[address]))
        self._out_of_doorway(place)
        place.shut()

    def _out_of_doorway(self, place: Place) -> None:
        waiting = self._doorway.get(place.address, {})
        waiting.pop(place, None)
        if not waiting:
            self._doorway.pop(place.address, None)

    def _left(self, place: Place) -> None:
        self.open -= 1
        rest = self._by_address[place.address] - 1
        if rest:
            self._by_address[place.address] = rest
        else:
            del self._by_address[place.address]


def _nothing() -> None:
    return
