"""The verifiable shuffle: fixed vectors for people who write clients, and uniformity (D3)."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalmuti.core.cards import DECK
from dalmuti.core.deal import (
    MAX_NONCE_BYTES,
    commitment,
    deck_of,
    first_titles,
    fixed_seed,
    hands_of,
    shuffled,
)
from dalmuti.core.options import TableOptions

VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "deal_vectors.json").read_text(encoding="utf-8")
)["vectors"]
DEALS = 20_000


@pytest.mark.parametrize("vector", VECTORS, ids=lambda v: f"{v['table']}-{v['hand']}")
def test_published_vectors(vector: dict[str, Any]) -> None:
    seed = bytes.fromhex(vector["seed"])
    nonces = {int(player): bytes.fromhex(nonce) for player, nonce in vector["nonces"].items()}
    assert commitment(vector["table"], vector["hand"], seed) == vector["commitment"]
    assert deck_of(seed, nonces) == vector["deck"]
    assert shuffled(DECK, seed, nonces, "titles") == vector["titles_deck"]
    players = vector["players"]
    assert list(first_titles("random", players, seed, nonces)[1]) == vector["random_titles"]
    assert list(first_titles("draw", players, seed, nonces)[1]) == vector["drawn_titles"]


def test_vectors_cover_nonces_and_names() -> None:
    assert {len(vector["nonces"]) for vector in VECTORS} >= {0, 1, 3}
    assert any(not vector["table"].isascii() for vector in VECTORS)
    assert len({vector["commitment"] for vector in VECTORS}) == len(VECTORS)


def test_D3_the_place_of_the_single_1_is_uniform() -> None:
    """Chi-square over the 80 places of 20,000 deals, seeds 0, 1, 2, ... of a known table.

    With 79 degrees of freedom a fair shuffle is above 124.84 once in a thousand runs; the seeds
    are fixed, so this is no chance.
    """
    places = Counter(deck_of(fixed_seed(n, 1), {}).index(1) for n in range(DEALS))
    expected = DEALS / len(DECK)
    statistic = sum((places[place] - expected) ** 2 / expected for place in range(len(DECK)))
    assert statistic < 124.84


def test_D3_the_place_of_the_1_does_not_hang_together_with_that_of_the_last_jester() -> None:
    """Both in ten groups of eight places, 81 degrees of freedom, critical value 127.32 at 0.1 %."""
    pairs: Counter[tuple[int, int]] = Counter()
    for n in range(10_000):
        deck = deck_of(fixed_seed(n, 2), {1: b"n"})
        pairs[deck.index(1) // 8, deck.index(13) // 8] += 1
    rows = Counter(row for row, _ in pairs.elements())
    columns = Counter(column for _, column in pairs.elements())
    statistic = 0.0
    for row in rows:
        for column in columns:
            expected = rows[row] * columns[column] / 10_000
            statistic += (pairs[row, column] - expected) ** 2 / expected
    assert statistic < 127.32


nonces = st.dictionaries(st.integers(1, 2**31), st.binary(max_size=MAX_NONCE_BYTES), max_size=4)


@settings(deadline=None)
@given(st.binary(min_size=32, max_size=32), nonces, nonces)
def test_different_nonces_lead_to_different_decks(
    seed: bytes, one: dict[int, bytes], other: dict[int, bytes]
) -> None:
    """No two sets of nonces are the same bytes: each has its player and its length before it."""
    assert (deck_of(seed, one) == deck_of(seed, other)) == (one == other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {1: b""}),
        ({1: b"ab"}, {1: b"a", 2: b"b"}),
        ({1: b"a"}, {2: b"a"}),
        ({1: b"\0\0\0\2\0\0\0\0"}, {1: b"", 2: b""}),
        ({1: b"a", 2: b"b"}, {1: b"b", 2: b"a"}),
    ],
)
def test_nonces_cannot_be_moved_from_one_player_to_another(
    one: dict[int, bytes], other: dict[int, bytes]
) -> None:
    assert deck_of(b"s" * 32, one) != deck_of(b"s" * 32, other)


def test_the_order_in_which_nonces_came_does_not_matter() -> None:
    assert deck_of(b"s" * 32, {1: b"a", 2: b"b"}) == deck_of(b"s" * 32, {2: b"b", 1: b"a"})


@pytest.mark.parametrize(
    ("one", "other"),
    [(("a", 1), ("a", 2)), (("a", 1), ("b", 1)), (("\u00e9", 1), ("e\u0301", 1))],
)
def test_a_commitment_is_for_one_hand_of_one_table(
    one: tuple[str, int], other: tuple[str, int]
) -> None:
    assert commitment(*one, b"s" * 32) != commitment(*other, b"s" * 32)


@given(st.binary(min_size=32, max_size=32), nonces, st.integers(2, 10))
def test_a_deck_has_all_cards_and_its_hands_are_sorted(
    seed: bytes, added: dict[int, bytes], seats: int
) -> None:
    hands = hands_of(seed, added, seats)
    assert sorted(card for hand in hands for card in hand) == list(DECK)
    assert all(list(hand) == sorted(hand) for hand in hands)
    assert sorted(deck_of(seed, added)) == list(DECK)


def test_first_titles_by_each_option() -> None:
    seed = fixed_seed(1, 1)
    rounds, order = first_titles("draw", (2, 1, 3), seed, {})
    assert [draw.player for draw in rounds[0].draws] == [2, 1, 3]
    assert sorted(order) == [1, 2, 3]
    assert first_titles("order_of_arrival", (3, 1, 2), seed, {}) == ((), (1, 2, 3))
    assert first_titles("random", (3, 1, 2), seed, {}) == first_titles(
        "random", (1, 2, 3), seed, {}
    )
    assert TableOptions().first_titles == "draw"
