"""How often a client, or an address, may ask for something.

Each request belongs to a bucket: chat, the lobby (the list of tables and a new table cost five),
the game. What the game takes is given back, so only refused decisions count: no legal game is too
fast (server.md I-53, I-72, I-74). Nonces have a bucket of their own, since one that is too late is
nobody's fault and must not stand in the way of a decision.

Two more buckets belong to an address, since a connection is soon made anew: seats taken, and wrong
passwords and tokens. A right token is taken however many wrong ones came from the same address:
nobody can lock his neighbour out of his seat, and no token can be guessed.
"""

from __future__ import annotations

from typing import Final

from dalmuti.protocol import messages as msg
from dalmuti.protocol.errors import ErrorCode
from dalmuti.server.doors import HOME, ByAddress
from dalmuti.server.limits import Bucket, Limits
from dalmuti.server.table.refused import Refused, TooFast

COSTS: Final[dict[type[msg.Request], tuple[msg.Bucket, int] | None]] = {
    msg.Leave: None,  # always works
    msg.Chat: ("chat", 1),
    msg.ListTables: ("lobby", 5),
    msg.CreateTable: ("lobby", 5),
    msg.JoinTable: ("lobby", 1),
    msg.Resume: ("lobby", 1),
    msg.Away: ("lobby", 1),
    msg.AddBot: ("lobby", 1),
    msg.Kick: ("lobby", 1),
    msg.Allow: ("lobby", 1),
    msg.GiveHost: ("lobby", 1),
    msg.Close: ("lobby", 1),
    msg.Enlist: ("lobby", 5),
    msg.ListLadder: ("lobby", 5),
    msg.Deal: ("game", 1),
    msg.Act: ("game", 1),
    msg.Nonce: ("nonce", 1),
}
"""The bucket of each request, and what it takes from it."""
GIVEN_BACK: Final = frozenset({"game", "nonce"})
"""Buckets from which only what is refused counts."""


class Rates:
    """The buckets of one connection."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._buckets: dict[msg.Bucket, Bucket] = {}

    def take(self, request: msg.Request, now: float) -> None:
        """Counts a request. Raises Refused when there were too many of its kind."""
        cost = COSTS[type(request)]
        if cost is None:
            return
        kind, number = cost
        bucket = self._buckets.get(kind)
        if bucket is None:
            bucket = self._buckets[kind] = Bucket(*self._limits.rate(kind))
        if seconds := bucket.wait(now, number):
            raise TooFast(seconds, kind, self._limits)

    def done(self, request: msg.Request) -> None:
        """A request was not refused."""
        cost = COSTS[type(request)]
        if cost is not None and cost[0] in GIVEN_BACK:
            self._buckets[cost[0]].give_back(cost[1])


class Gate:
    """The buckets of all addresses."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._joins = ByAddress(limits.rate("join"))
        self._secrets = ByAddress(limits.rate("secret"))

    def join(self, address: str, now: float) -> None:
        """Counts a seat that is asked for. Raises Refused."""
        if address in HOME:
            return
        if seconds := self._joins.wait(address, now):
            raise TooFast(seconds, "join", self._limits)

    def try_secret(self, address: str, now: float) -> float:
        """Seconds until a password may be tried; 0: now."""
        return self._secrets.peek(address, now)

    def wrong_secret(self, address: str, now: float) -> float:
        """Counts a wrong password or token; the seconds to wait when there were too many."""
        return self._secrets.wait(address, now)

    def password(self, address: str, now: float) -> None:
        """Before a password of a table is looked at. Raises Refused."""
        if seconds := self.try_secret(address, now):
            raise TooFast(seconds, "secret", self._limits)

    def wrong_key(self, address: str, now: float) -> Refused:
        """What is answered to a key that is not that of the name."""
        if seconds := self.wrong_secret(address, now):
            return TooFast(seconds, "secret", self._limits)
        return Refused(ErrorCode.WRONG_KEY, "this name in the ladder has another key")

    def wrong_token(self, address: str, now: float) -> Refused:
        """What is answered to a token that gives nothing back."""
        if seconds := self.wrong_secret(address, now):
            return TooFast(seconds, "secret", self._limits)
        return Refused(ErrorCode.BAD_TOKEN, "this token gives no seat at this table back")
