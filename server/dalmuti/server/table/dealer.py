"""The seed behind each deal, kept secret until the hand is over (rules.md D3, core.deal).

The table asks a Dealer and nothing else for chance, so a test can hand it known decks.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from msgspec import Struct

from dalmuti.core import deal
from dalmuti.core.options import TableOptions
from dalmuti.core.titles import DrawRound


class DealerState(Struct, frozen=True):
    """What a dealer is bound to. The seed deals everybody's cards: it is for the journal alone."""

    hand: int
    seed: bytes
    nonces: dict[int, bytes]


class Dealer:
    """Commits to a seed for one hand after the other, takes nonces, deals, and reveals."""

    def __init__(self, table: str, fixed: int | None = None) -> None:
        """`fixed` plays known deals, which is not fair and takes no nonces."""
        self.table = table
        self.fixed = fixed
        self.hand = 0
        self.nonces: dict[int, bytes] = {}
        self._seed = b""

    @property
    def fair(self) -> bool:
        """Whether nobody can know the deals beforehand."""
        return self.fixed is None

    def prepare(self, hand: int) -> str:
        """Chooses the seed of the next hand and returns the commitment to it."""
        self.hand = hand
        self.nonces = {}
        self._seed = (
            secrets.token_bytes(deal.SEED_BYTES)
            if self.fixed is None
            else deal.fixed_seed(self.fixed, hand)
        )
        return deal.commitment(self.table, hand, self._seed)

    def take_nonces(self, players: Sequence[int]) -> dict[int, bytes]:
        """The nonces that count for this hand: those of its players."""
        self.nonces = {p: nonce for p, nonce in self.nonces.items() if p in players}
        return self.nonces

    def titles(
        self, options: TableOptions, players: Sequence[int]
    ) -> tuple[tuple[DrawRound, ...], tuple[int, ...]]:
        """The first titles: the rounds of drawing, if any, and the order (F1, F2)."""
        return deal.first_titles(options.first_titles, players, self._seed, self.nonces)

    def deck(self) -> list[int]:
        """The 80 cards in the order in which they are dealt."""
        return deal.deck_of(self._seed, self.nonces)

    def reveal(self) -> str:
        """The seed of the hand that is over, in hexadecimal."""
        return self._seed.hex()

    def state(self) -> DealerState:
        """What is to be kept, before anyone hears of the commitment."""
        return DealerState(self.hand, self._seed, dict(self.nonces))

    def load(self, kept: DealerState) -> None:
        """Is bound to what another dealer was bound to."""
        self.hand, self._seed, self.nonces = kept.hand, kept.seed, dict(kept.nonces)
