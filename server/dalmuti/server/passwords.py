"""The password of the server, against those who guess it.

A wrong one is answered late: the first after half a second, each next one from the same address
after twice the time, up to half a minute. The right one is let in at once, and forgets the wrong
ones. While several answers are held back for one address, what else comes from there is refused
without a look: else one could guess over many connections at once, and tell a wrong password by
the silence. So an address has some ten guesses a minute at most, whatever it does.

Addresses are counted as `address.counted_as` gives them; this machine itself is never refused
without a look, since the house bots come from there.
"""

from __future__ import annotations

import math
from typing import Final

from msgspec import Struct, field

from dalmuti.protocol.errors import ByeReason, RemoteProtocolError
from dalmuti.server.doors import HOME
from dalmuti.server.sessions import same_secret

FIRST_SECONDS: Final = 0.5
MOST_SECONDS: Final = 30.0
HELD_AT_ONCE: Final = 5
"""Answers that are held back for one address before more are refused without a look."""
FORGET_SECONDS: Final = 900.0
MOST_ADDRESSES: Final = 4096


class _Tries(Struct):
    """What is known of one address."""

    wrong: int = 0
    last: float = 0.0
    held: list[float] = field(default_factory=list)
    """When the answers that are held back will be given."""


class Wrong(RemoteProtocolError):
    """Not let in; `seconds` is how long the answer is to be held back."""

    def __init__(self, seconds: float) -> None:
        super().__init__("the password of this server is another one", ByeReason.WRONG_PASSWORD)
        self.seconds = seconds


class TooManyTries(RemoteProtocolError):
    """Not let in, and not even looked at."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            "too many wrong passwords have come from your address; try again in"
            f" {math.ceil(seconds)} seconds",
            ByeReason.REFUSED,
        )


class Passwords:
    """Checks the server's password. Times are in seconds on the caller's clock."""

    def __init__(self) -> None:
        self._tries: dict[str, _Tries] = {}

    def check(self, given: str | None, expected: str | None, address: str, now: float) -> None:
        """Returns for the right password. Raises Wrong or TooManyTries."""
        if expected is None:
            return
        tries = self._tries.get(address)
        if tries is not None:
            tries.held = [moment for moment in tries.held if moment > now]
            if len(tries.held) >= HELD_AT_ONCE and address not in HOME and address:
                raise TooManyTries(min(tries.held) - now)
        if same_secret(given, expected):
            self._tries.pop(address, None)
            return
        if tries is None:
            tries = self._remember(address, now)
        elif now - tries.last > FORGET_SECONDS:
            tries.wrong = 0
        seconds = min(MOST_SECONDS, FIRST_SECONDS * 2 ** min(tries.wrong, 10))
        tries.wrong += 1
        tries.last = now
        tries.held.append(now + seconds)
        raise Wrong(seconds)

    def _remember(self, address: str, now: float) -> _Tries:
        if len(self._tries) >= MOST_ADDRESSES:
            del self._tries[next(iter(self._tries))]
        tries = self._tries[address] = _Tries(last=now)
        return tries
