"""Hands of a player who does not exist."""

from __future__ import annotations

from typing import Any

from dalmuti.client.history.store import Hand


def a_hand(**fields: Any) -> Hand:
    """A hand at four seats, second of four, but for what is asked for."""
    usual: dict[str, Any] = {
        "at": "2026-11-30T20:15:00Z",
        "match": "m1",
        "how": "play",
        "table": "Kitchen",
        "hand": 1,
        "seats": 4,
        "was": 3,
        "place": 2,
        "people": 0,
        "bots": 3,
    }
    return Hand(**{**usual, **fields})
