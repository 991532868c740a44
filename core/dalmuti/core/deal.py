"""The verifiable shuffle (rules.md D3): commitment, nonces, deck.

Before a deal the server binds itself to a secret seed, then takes nonces from whoever wants to add
one, then derives the deck from both. The seed is revealed when the hand is over, so that everyone
can compute the deck again: the server could not choose it after it knew the nonces, and no player
could after he knew the others'. docs/protocol.md holds the construction in words and test vectors.

    commitment = SHA-256("dalmuti-commit-v1" | length | table | hand | seed)
    key        = HMAC-SHA-256(seed, SHA-256("dalmuti-nonces-v1" | player | length | nonce | ...))
    words      = HMAC-SHA-256(key, label | counter) for counter 0, 1, ..., as 32-bit numbers
    deck       = Fisher-Yates from the top with these numbers, those that favour a card skipped

All numbers are 4 bytes, big-endian. Nonces go in the order of player numbers. The label is "deck"
for the deal and "titles" for the first draw, so that one says nothing about the other.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, TypeVar

from dalmuti.core.cards import DECK, Cards
from dalmuti.core.cards import deal as deal_out
from dalmuti.core.titles import DrawRound, draw_titles

SEED_BYTES: Final = 32
"""247.3 bits tell the orders of this deck apart, so 32 bytes reach them all."""
MAX_NONCE_BYTES: Final = 32
Label = Literal["deck", "titles"]
T = TypeVar("T")


def commitment(table: str, hand: int, seed: bytes) -> str:
    """The hexadecimal digest that binds to `seed` for this hand of this table."""
    name = table.encode()
    data = b"dalmuti-commit-v1" + _number(len(name)) + name + _number(hand) + seed
    return hashlib.sha256(data).hexdigest()


def shuffled(
    cards: Sequence[T], seed: bytes, nonces: Mapping[int, bytes], label: Label = "deck"
) -> list[T]:
    """`cards` in the order that seed and nonces (by player number) lead to."""
    numbers = _words(_key(seed, nonces), label)
    deck = list(cards)
    for last in range(len(deck) - 1, 0, -1):
        pick = _below(last + 1, numbers)
        deck[last], deck[pick] = deck[pick], deck[last]
    return deck


def deck_of(seed: bytes, nonces: Mapping[int, bytes]) -> list[int]:
    """The 80 cards in the order in which they are dealt."""
    return shuffled(DECK, seed, nonces)


def hands_of(seed: bytes, nonces: Mapping[int, bytes], seats: int) -> list[Cards]:
    """Everybody's cards as they were dealt, sorted, seat 0 first."""
    return deal_out(deck_of(seed, nonces), seats)


def first_titles(
    how: Literal["draw", "random", "order_of_arrival"],
    players: Sequence[int],
    seed: bytes,
    nonces: Mapping[int, bytes],
) -> tuple[tuple[DrawRound, ...], tuple[int, ...]]:
    """The first titles of `players`: the rounds of drawing, if that is how, and the order (F1, F2).

    Players draw in the order given; player numbers are the order of arrival.
    """
    if how == "draw":
        rounds, order = draw_titles(players, shuffled(DECK, seed, nonces, "titles"))
        return tuple(rounds), tuple(order)
    arrived = sorted(players)
    return (), tuple(shuffled(arrived, seed, nonces, "titles") if how == "random" else arrived)


def fixed_seed(number: int, hand: int) -> bytes:
    """The seed of a hand at a table that plays known deals, which is not a fair one."""
    return hashlib.sha256(
        b"dalmuti-fixed-v1" + str(number).encode() + b"/" + _number(hand)
    ).digest()


def _key(seed: bytes, nonces: Mapping[int, bytes]) -> bytes:
    parts = hashlib.sha256(b"dalmuti-nonces-v1")
    for player, nonce in sorted(nonces.items()):
        parts.update(_number(player) + _number(len(nonce)) + nonce)
    return hmac.digest(seed, parts.digest(), "sha256")


def _words(key: bytes, label: str) -> Iterator[int]:
    counter = 0
    while True:
        block = hmac.digest(key, label.encode() + _number(counter), "sha256")
        for start in range(0, 32, 4):
            yield int.from_bytes(block[start : start + 4], "big")
        counter += 1


def _below(bound: int, numbers: Iterator[int]) -> int:
    """A number below `bound`; 32-bit words past its last whole multiple are skipped, not folded."""
    limit = (1 << 32) - (1 << 32) % bound
    return next(number % bound for number in numbers if number < limit)


def _number(value: int) -> bytes:
    return value.to_bytes(4, "big")
