"""The rules in words: how to play, and what differs at one table."""

from __future__ import annotations

from dalmuti.core.options import CLASSIC_SEATS, TableOptions

RULES = {
    ("first_titles", "random"): "first titles at random",
    ("first_titles", "order_of_arrival"): "first titles by arrival",
    ("first_hand_taxes", "off"): "no taxes in the first hand",
    ("revolution", "automatic"): "revolutions happen by themselves",
    ("revolution", "off"): "no revolutions",
    ("greater_revolution", "choice"): "the Greater Peon chooses which revolution",
    ("greater_revolution", "off"): "no Greater Revolution",
    ("passing", "locked"): "who passes is out of the trick",
    ("scoring", "points"): "points",
    ("spectators", "refused"): "no spectators",
    ("bots_may_join", "no"): "no bots from outside",
}


def option(option_name: str, value: str | int) -> str:
    """A table option in words; only what differs from the default needs any."""
    if option_name == "seats":
        outside = "" if value in CLASSIC_SEATS else ", outside the classic 4 to 8"
        return f"{value} seats{outside}"
    if option_name == "turn_seconds":
        return f"{value} s a turn" if int(value) else "no clock"
    kind, _, number = str(value).partition(":")
    if option_name == "match_end" and number:
        return (
            f"match of {number} {'hand' if number == '1' else kind}"
            if kind == "hands"
            else (f"match to {number} points")
        )
    return RULES.get((option_name, str(value)), f"{option_name}={value}")


def rules(options: TableOptions) -> str:
    """The seats and house rules of a table in one phrase."""
    changed = [option(each, value) for each, value in options.changed().items()]
    return ", ".join([option("seats", options.seats), *(changed or ["classic rules"])])


_OPEN = "passing does not keep you from playing later in the trick."
_LOCKED = "here, who passes is out until the trick ends."
_MAY_CALL = "Who is dealt both Jesters may call a revolution: then there are no taxes."
_CALLS = "Who is dealt both Jesters calls a revolution without being asked: there are no taxes."
HOW_TO_PLAY = (
    "The lower the number, the better the card: 1 Dalmuti is best, 12 Peasant is worst, and there"
    " are as many cards of a rank as its number says, and two Jesters.",
    "The leader plays any number of cards of one rank. Whoever follows plays the same number of"
    f" cards of a lower rank, or passes; {_OPEN}",
    "When everyone else has passed, the last who played leads the next trick.",
    "A Jester counts as any rank beside a natural card; alone it is a 13.",
    "Who is rid of all cards first is Greater Dalmuti in the next hand; the last is Greater Peon.",
    "Before play the Greater Peon gives his two best cards to the Greater Dalmuti, who gives any"
    " two back; with 4 players or more the Lesser Peon and the Lesser Dalmuti do so with one.",
    f"{_MAY_CALL} If it is the Greater Peon, all titles turn round as well.",
)


def how_to_play(options: TableOptions | None) -> tuple[str, ...]:
    """How to play, with the house rules of a table that would make it untrue."""
    lines: tuple[str, ...] = HOW_TO_PLAY
    if options is not None and options.passing == "locked":
        lines = tuple(text.replace(_OPEN, _LOCKED) for text in lines)
    if options is not None and options.revolution == "automatic":
        lines = tuple(text.replace(_MAY_CALL, _CALLS) for text in lines)
    if options is not None and options.revolution == "off":
        lines = tuple(text for text in lines if _MAY_CALL not in text)
    return lines


def rules_short(options: TableOptions | None) -> tuple[str, ...]:
    """The rules where there are only a few lines for them."""
    locked = options is not None and options.passing == "locked"
    passing = "who passes is out of the trick" if locked else "passing is not for good"
    return (
        "Lower ranks beat higher ones: 1 is best, 12 worst. Follow with the same number"
        f" of cards of a lower rank, or pass; {passing}.",
        "A Jester counts as any rank beside a natural card; alone it is a 13.",
        "First out is Greater Dalmuti in the next hand, last is Greater Peon.",
    )
