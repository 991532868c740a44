"""Clients: every size of table, every option, and whole matches."""

from __future__ import annotations

from typing import Any

from dalmuti.client.conform.checks import Check
from dalmuti.client.conform.clients.catalogue import CLIENTS, check
from dalmuti.client.conform.stand import Stand
from dalmuti.client.conform.table import Wanted, both_jesters
from dalmuti.core.options import MAX_SEATS, MIN_SEATS

OPTIONS: list[tuple[str, str, dict[str, Any]]] = [
    ("C-521", "with `passing` `locked`", {"passing": "locked"}),
    ("C-522", "without a clock (`turn_seconds` 0)", {"turn_seconds": 0}),
    ("C-523", "with `revolution` `off` and no taxes in the first hand",
     {"revolution": "off", "first_hand_taxes": "off"}),
    ("C-524", "with first titles drawn", {"first_titles": "draw"}),
    ("C-525", "with first titles at random", {"first_titles": "random"}),
    ("C-526", "with `scoring` `points`", {"scoring": "points"}),
    ("C-527", "with `greater_revolution` `choice`", {"greater_revolution": "choice"}),
    ("C-528", "with `greater_revolution` `off`", {"greater_revolution": "off"}),
]  # fmt: skip
TURNS: list[tuple[str, str, dict[str, Any], Wanted]] = [
    ("C-531", "A Greater Revolution by the client's own hand turns the seats round",
     {"revolution": "automatic"}, both_jesters()),
    ("C-532", "A Greater Revolution by another turns the seats round",
     {"revolution": "automatic", "place": 0}, both_jesters(0)),
    ("C-533", "A revolution by another, called without being asked, ends the taxes",
     {"revolution": "automatic"}, both_jesters(1)),
    ("C-534", "Who holds both Jesters may call or decline a Greater Revolution", {},
     both_jesters()),
    ("C-535", "Who holds both Jesters and may choose picks one of the three answers",
     {"greater_revolution": "choice"}, both_jesters()),
]  # fmt: skip


def _size_check(seats: int) -> Any:
    async def run(stand: Stand) -> None:
        stand.set_table(seats=seats, first_titles="draw", fair=True)
        await stand.enter()
        await stand.play_hand()
        await stand.settle()

    return run


def _options_check(options: dict[str, Any], wanted: Wanted | None = None) -> Any:
    """Two hands: in the second the seats are those of the places in the first."""

    async def run(stand: Stand) -> None:
        stand.set_table(**{"first_titles": "order_of_arrival", **options}, wanted=wanted)
        await stand.enter()
        for _ in range(2):
            await stand.play_hand()
            await stand.settle()

    return run


for _seats in range(MIN_SEATS, MAX_SEATS + 1):
    CLIENTS.add(
        Check(
            id=f"C-{500 + _seats}",
            says=f"A hand at a table of {_seats} is played.",
            anchor="the-game-in-short",
            run=_size_check(_seats),
        )
    )
for _id, _says, _options in OPTIONS:
    CLIENTS.add(
        Check(
            id=_id,
            says=f"Hands are played {_says}.",
            anchor="table-options",
            run=_options_check(_options),
        )
    )
for _id, _says, _options, _wanted in TURNS:
    CLIENTS.add(
        Check(
            id=_id,
            says=f"{_says}: the hand is played.",
            anchor="revolution_called",
            run=_options_check(_options, _wanted),
        )
    )


def _taxes_check(place: int) -> Any:
    async def run(stand: Stand) -> None:
        table = await stand.begin(
            seats=5, first_titles="order_of_arrival", place=place, revolution="off"
        )
        assert table.pending is not None and table.pending.kind == "tax"
        await stand.play()
        await stand.settle()

    return run


for _id, _place, _who, _cards in (
    ("C-536", 0, "Greater", "two cards"),
    ("C-537", 1, "Lesser", "one card"),
):
    CLIENTS.add(
        Check(
            id=_id,
            says=f"Taxes: as {_who} Dalmuti the client gives back {_cards} of its own.",
            anchor="a-hand-on-the-wire",
            run=_taxes_check(_place),
        )
    )


@check(
    "C-541",
    "A whole match to its end by points, with who joins, who leaves and new titles after each"
    " hand.",
    "a-hand-on-the-wire",
)
async def match_by_points(stand: Stand) -> None:
    """Nobody has seven points after two hands of three and four players."""
    table = stand.set_table(seats=4, others=2, scoring="points", match_end="points:7", fair=True)
    await stand.enter()
    await stand.play_hand()
    table.sit("Latecomer")
    await stand.settle()
    await stand.play_hand()
    table.leave(2)
    await stand.settle()
    while table.match.state != "over":
        await stand.play_hand()
    await stand.listen()


@check(
    "C-542",
    "A match ends after the hands that were agreed; a client that stays plays the next match as"
    " well.",
    "match_ended",
)
async def match_by_hands(stand: Stand) -> None:
    table = stand.set_table(seats=3, match_end="hands:2")
    await stand.enter()
    for _ in range(2):
        await stand.play_hand()
    if await stand.stays():
        await stand.play_hand()
        await stand.settle()
    assert table.match.hands_begun >= 2
