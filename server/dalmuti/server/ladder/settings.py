"""The `[ladder]` section of the configuration: whether rated matches are played here, and how."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta, Struct

from dalmuti.core.options import MAX_SEATS, MIN_SEATS, TableOptions
from dalmuti.server.table.house import HOUSE_BOTS

USUAL: Final = tuple(bot for bot in ("greedy", "careful", "expert") if bot in HOUSE_BOTS)
"""House bots that are worth being measured by."""


class LadderSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the ladder does, and what it does not go beyond."""

    enabled: Annotated[
        bool,
        Meta(description="Bots may enlist and play rated matches; needs a data folder (`data`)."),
    ] = False
    seats: Annotated[
        int, Meta(ge=MIN_SEATS, le=MAX_SEATS, description="Players of a rated match.")
    ] = 6
    hands: Annotated[
        int,
        Meta(ge=1, le=9999, description="Hands of a rated match; titles go on from hand to hand."),
    ] = 10
    tables: Annotated[int, Meta(ge=1, le=10_000, description="Rated matches at once.")] = 1
    house: Annotated[
        tuple[str, ...],
        Meta(
            max_length=20,
            description="House bots that take the seats for which nobody has enlisted, in turn;"
            " none: those who enlist are among themselves.",
        ),
    ] = USUAL
    min_entrants: Annotated[
        int,
        Meta(ge=1, le=MAX_SEATS, description="A match begins when so many bots wait for it."),
    ] = 1
    pause: Annotated[
        float,
        Meta(ge=0, le=86_400, description="Seconds from the end of a rated match to the next."),
    ] = 10.0
    turn_seconds: Annotated[
        int, Meta(ge=5, le=600, description="Seconds for a decision at a rated table.")
    ] = 10
    bot_delay: Annotated[
        float,
        Meta(
            ge=0,
            le=60,
            description="Seconds that house bots and stand-ins take for a move at a rated table;"
            " those who watch may want some.",
        ),
    ] = 0.0
    records: Annotated[
        bool,
        Meta(description="Write transcripts of rated matches as well, beside those of others."),
    ] = False
    names: Annotated[
        int, Meta(ge=1, le=10_000, description="Names that the ladder has at most.")
    ] = 1000
    address_names: Annotated[
        int,
        Meta(
            ge=1,
            le=100_000,
            description="Names that were enlisted from one address (of IPv6: one /64);"
            " this machine itself may have all.",
        ),
    ] = 10
    unplayed_hours: Annotated[
        float,
        Meta(
            gt=0,
            le=87_600,
            description="A name is free again if no match was finished under it in this time.",
        ),
    ] = 24.0

    def wrong(self) -> str:
        """What does not fit together, as a sentence; empty if all does."""
        for bot in self.house:
            if bot not in HOUSE_BOTS:
                return f"ladder.house: expected some of {', '.join(HOUSE_BOTS)}, found {bot}"
        if self.min_entrants > self.seats:
            return (
                f"ladder.min_entrants: expected at most ladder.seats ({self.seats}),"
                f" found {self.min_entrants}"
            )
        if not self.house and self.min_entrants < MIN_SEATS:
            return (
                f"ladder.min_entrants: expected {MIN_SEATS} or more, since ladder.house has no bot"
                f" to play with, found {self.min_entrants}"
            )
        return ""

    def options(self) -> TableOptions:
        """The house rules of a rated table: taxes, revolutions, points, all else as usual."""
        return TableOptions(
            seats=self.seats,
            first_titles="random",
            scoring="points",
            match_end=f"hands:{self.hands}",
            turn_seconds=self.turn_seconds,
        )
