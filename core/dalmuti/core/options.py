"""The house rules of one table (rules.md, "Table options"): named, validated, on the wire."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, get_args, get_type_hints

import msgspec
from msgspec import Meta, Struct

MIN_SEATS: Final = 2
MAX_SEATS: Final = 10
CLASSIC_SEATS: Final = range(4, 9)
"""Other table sizes are shown as outside the classic 4 to 8 (rules.md J5)."""


class OptionError(ValueError):
    """A table option that does not exist, a value it cannot have, or a senseless combination."""


class TableOptions(Struct, frozen=True, gc=False, kw_only=True):
    """The house rules of a table. What is not named in `create` has the default that is given here.

    Where a table is shown all of them are there, defaults as well.
    """

    seats: Annotated[int, Meta(ge=MIN_SEATS, le=MAX_SEATS, description="Players at most.")] = 8
    first_titles: Annotated[
        Literal["draw", "random", "order_of_arrival"],
        Meta(description="How the titles of the first hand are found (F1)."),
    ] = "draw"
    first_hand_taxes: Annotated[
        Literal["on", "off"], Meta(description="Whether taxes are due in the first hand (T4).")
    ] = "on"
    revolution: Annotated[
        Literal["optional", "automatic", "off"],
        Meta(description="Whether one who is dealt both Jesters may, must or cannot call (R2)."),
    ] = "optional"
    greater_revolution: Annotated[
        Literal["always", "choice", "off"],
        Meta(description="Whether a call by the Greater Peon turns the seats round (R4)."),
    ] = "always"
    passing: Annotated[
        Literal["open", "locked"],
        Meta(description="Locked: who has passed is out until the trick ends (P3)."),
    ] = "open"
    scoring: Annotated[
        Literal["titles", "points"],
        Meta(description="Titles only, or a point per player ranked below (C1, C2)."),
    ] = "titles"
    match_end: Annotated[
        str,
        Meta(
            pattern=r"^(open|(points|hands):[1-9][0-9]{0,3})$",
            description='"open", "points:N" or "hands:N" (C2).',
        ),
    ] = "open"
    turn_seconds: Annotated[
        int, Meta(ge=0, le=600, description="Seconds for a decision, 5 to 600; 0: no clock.")
    ] = 60
    spectators: Annotated[
        Literal["allowed", "refused"], Meta(description="Whether people may watch.")
    ] = "allowed"
    bots_may_join: Annotated[
        Literal["yes", "no"], Meta(description="Whether bots may sit down by themselves.")
    ] = "yes"

    def __post_init__(self) -> None:
        if 0 < self.turn_seconds < 5:
            raise OptionError(
                f"turn_seconds: expected 0 (no clock) or 5 to 600, found {self.turn_seconds}"
            )
        if self.match_end.startswith("points") and self.scoring == "titles":
            raise OptionError(
                f"match_end={self.match_end} needs scoring=points; with scoring=titles nobody"
                " gets points, so the match would never end"
            )
        if self.greater_revolution == "choice" and self.revolution != "optional":
            raise OptionError(
                f"greater_revolution=choice needs revolution=optional, found"
                f" revolution={self.revolution}, which leaves the Greater Peon no choice"
            )

    @property
    def end_after_hands(self) -> int | None:
        """The number of hands after which the match is over, if that was agreed."""
        kind, _, number = self.match_end.partition(":")
        return int(number) if kind == "hands" else None

    @property
    def end_at_points(self) -> int | None:
        """The score at which the match is over, if that was agreed."""
        kind, _, number = self.match_end.partition(":")
        return int(number) if kind == "points" else None

    def changed(self) -> dict[str, str]:
        """The options that differ from their defaults, as text, for the lobby."""
        usual = TableOptions()
        return {
            name: str(getattr(self, name))
            for name in self.__struct_fields__
            if name != "seats" and getattr(self, name) != getattr(usual, name)
        }


def values_of(name: str) -> str:
    """The values that the option `name` may have, for people."""
    if name == "seats":
        return f"{MIN_SEATS} to {MAX_SEATS}"
    if name == "turn_seconds":
        return "0 (no clock) or 5 to 600"
    if name == "match_end":
        return "open, points:N or hands:N"
    literal, _ = get_args(get_type_hints(TableOptions, include_extras=True)[name])
    return ", ".join(get_args(literal))


def options_from(values: Mapping[str, Any]) -> TableOptions:
    """Builds the options from names and values, both as typed by people or sent by clients.

    Numbers may come as text. Raises OptionError that names the option, what was expected
    and what was found.
    """
    clean: dict[str, Any] = {}
    for name, value in values.items():
        if name not in TableOptions.__struct_fields__:
            raise OptionError(
                f"unknown option {name!r}; the options are"
                f" {', '.join(TableOptions.__struct_fields__)}"
            )
        is_number = isinstance(value, str) and re.fullmatch("[0-9]{1,6}", value)
        clean[name] = int(value) if is_number else value
    try:
        return msgspec.convert(clean, TableOptions)
    except msgspec.ValidationError as error:
        if isinstance(error.__cause__, OptionError):
            raise error.__cause__ from None
        name = str(error).rpartition("$.")[2].strip("`")
        raise OptionError(f"{name}: expected {values_of(name)}, found {clean[name]!r}") from None
