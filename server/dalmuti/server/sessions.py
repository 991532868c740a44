"""Who is who: names that are unique among those present, and the tokens that give a seat back.

A connection has a name from its hello to its end; a seat keeps the name of its player for as long
as it is held, connected or not. A name that is taken, or looks like a taken one, gets a number, so
that nobody is ever refused because his own dead connection still holds his name: his token then
gives him the seat together with the old name.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Callable, Iterable
from itertools import count
from typing import Literal

from msgspec import Struct

from dalmuti.protocol.messages import MAX_NAME_WIDTH
from dalmuti.protocol.text import clean_name, cut, is_reserved, likenesses


class Caller(Struct, frozen=True):
    """A connection as the lobby and the tables know it."""

    conn: int
    name: str
    kind: Literal["human", "bot"]
    address: str = ""
    """Where it comes from, as `address.counted_as` has it."""


def unique_name(wanted: str, taken: Iterable[str]) -> str:
    """The name somebody gets who asks for `wanted`; `taken` are the names of others.

    Raises ValueError, with a sentence, if `wanted` can be nobody's name.
    """
    name = clean_name(wanted)
    used = {like for other in taken for like in likenesses(other)}
    for number in count(1):
        suffix = "" if number == 1 else f"-{number}"
        candidate = cut(name, MAX_NAME_WIDTH - len(suffix), "").rstrip() + suffix
        if used.isdisjoint(likenesses(candidate)) and not is_reserved(candidate):
            return candidate
    raise AssertionError("numbers do not end")


def new_token() -> str:
    """A seat token or ticket: 16 random bytes, for people in base32."""
    return base64.b32encode(secrets.token_bytes(16)).decode().rstrip("=")


def digest(token: str) -> bytes:
    """What is kept of a token."""
    return hashlib.sha256(token.strip().upper().encode()).digest()


def same_secret(given: str | None, expected: str | None) -> bool:
    """Compares passwords in constant time; without an expected one all is well."""
    if expected is None:
        return True
    return hmac.compare_digest(
        hashlib.sha256((given or "").encode()).digest(), hashlib.sha256(expected.encode()).digest()
    )


class Secret(Struct, frozen=True):
    """A password as it is kept: salted, and slow to try.

    The cost is set so that one try takes the server some 3 ms and 1 MiB: enough to make a stolen
    journal useless against any but the worst passwords, and too little to stall other tables.
    """

    salt: bytes
    digest: bytes

    @classmethod
    def of(cls, password: str) -> Secret:
        """What to keep of a password."""
        salt = secrets.token_bytes(16)
        return cls(salt, _stretched(password, salt))

    def fits(self, given: str | None) -> bool:
        """Whether this is the password; compared in constant time."""
        return hmac.compare_digest(_stretched(given or "", self.salt), self.digest)


def _stretched(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode(), salt=salt, n=1024, r=8, p=1)


TokenSource = Callable[[], str]
