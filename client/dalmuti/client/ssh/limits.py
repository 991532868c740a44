"""What guests may take of the gateway, and how long a wrong password waits."""

from __future__ import annotations

from typing import Final

from msgspec import Struct


class Limits(Struct, frozen=True, kw_only=True):
    """Bounds; all times are in seconds."""

    guests: int = 64
    """Guests at once."""
    address_guests: int = 12
    """Guests at once from one address (of IPv6: one /64)."""
    sessions: int = 3
    """Sessions of one connection."""
    connections: int = 160
    """Connections at once, those included that have not said who they are."""
    address_connections: int = 24
    """The same from one address. One that is too much is closed without a word."""
    connect_burst: int = 60
    """New connections from one address at once: each costs some milliseconds of cryptography."""
    connect_per_second: float = 2.0
    """New connections from one address after that."""
    login_seconds: float = 20.0
    """A guest must be known within this time."""
    keepalive_seconds: float = 15.0
    """Silence after which a guest's ssh is asked whether it is there."""
    keepalive_count: int = 3
    """So many questions without an answer are the end."""
    idle_seconds: float = 3600.0
    """Without a key for so long a guest is sent away."""
    empty_seconds: float = 20.0
    """A connection without a session is closed after this time."""
    backlog_bytes: int = 1 << 20
    """What waits for one connection to be read; more is the end of it."""
    frame_bytes: int = 64 * 1024
    """With so much waiting no more frames are drawn for a guest."""
    closing_seconds: float = 5.0
    """A guest's ssh has this long to close, when all is over."""


def limits_for(guests: int, address_guests: int) -> Limits:
    """The limits for so many guests: as many again may stand in the doorway."""
    return Limits(
        guests=guests,
        address_guests=address_guests,
        connections=2 * guests + 32,
        address_connections=2 * address_guests,
        connect_burst=max(Limits().connect_burst, 2 * address_guests),
    )


WRONG_FIRST, WRONG_MOST = 0.5, 8.0
"""Seconds that a password waits for its answer, and at most."""
WRONG_FORGOTTEN: Final = 600.0
"""Seconds after which an address is as good as new."""
REMEMBERED: Final = 1024
"""Addresses of which anything is remembered."""


class Arrivals:
    """How often somebody new may come from each address."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._tokens: dict[str, tuple[float, float]] = {}

    def may_come(self, address: str, now: float) -> bool:
        """Takes one of the tokens of this address, if there is one."""
        most = float(self._limits.connect_burst)
        tokens, last = self._tokens.pop(address, (most, now))
        tokens = min(most, tokens + (now - last) * self._limits.connect_per_second)
        while len(self._tokens) >= REMEMBERED:
            del self._tokens[next(iter(self._tokens))]
        self._tokens[address] = (tokens - 1 if tokens >= 1 else tokens), now
        return tokens >= 1


class Patience:
    """How long each address waits for the answer to a password: twice as long after a wrong one.

    The right one waits as well: who may hang up as soon as no answer comes would guess as fast as
    he can connect.
    """

    def __init__(self) -> None:
        self._wrong: dict[str, tuple[int, float]] = {}

    def seconds(self, address: str, now: float) -> float:
        """Before the next answer to this address."""
        times, last = self._wrong.get(address, (0, now))
        if now - last > WRONG_FORGOTTEN:
            times = 0
        return float(min(WRONG_MOST, WRONG_FIRST * 2**times))

    def wrong(self, address: str, now: float) -> None:
        """A wrong password came from there."""
        times, _ = self._wrong.pop(address, (0, now))
        while len(self._wrong) >= REMEMBERED:
            del self._wrong[next(iter(self._wrong))]
        self._wrong[address] = min(times + 1, 10), now

    def right(self, address: str) -> None:
        """The right one came from there."""
        self._wrong.pop(address, None)
