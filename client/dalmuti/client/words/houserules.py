"""The rules in words: how to play, and what differs at one table."""

from __future__ import annotations

from dalmuti.client.i18n import mark, tr, tr_n
from dalmuti.core.options import CLASSIC_SEATS, TableOptions

RULES = {
    ("first_titles", "random"): mark("first titles at random"),
    ("first_titles", "order_of_arrival"): mark("first titles by arrival"),
    ("first_hand_taxes", "off"): mark("no taxes in the first hand"),
    ("revolution", "automatic"): mark("revolutions happen by themselves"),
    ("revolution", "off"): mark("no revolutions"),
    ("greater_revolution", "choice"): mark("the Greater Peon chooses which revolution"),
    ("greater_revolution", "off"): mark("no Greater Revolution"),
    ("passing", "locked"): mark("who passes is out of the trick"),
    ("scoring", "points"): mark("points"),
    ("spectators", "refused"): mark("no spectators"),
    ("bots_may_join", "no"): mark("no bots from outside"),
}


def option(option_name: str, value: str | int) -> str:
    """A table option in words; only what differs from the default needs any."""
    if option_name == "seats":
        seats = int(value)
        if seats in CLASSIC_SEATS:
            return tr_n("{number} seat", "{number} seats", seats)
        return tr_n(
            "{number} seat, outside the classic 4 to 8",
            "{number} seats, outside the classic 4 to 8",
            seats,
        )
    if option_name == "turn_seconds":
        return tr("{seconds} s a turn", seconds=value) if int(value) else tr("no clock")
    kind, _, number = str(value).partition(":")
    if option_name == "match_end" and number:
        if kind == "points":
            return tr("match to {points} points", points=number)
        return tr_n("match of {number} hand", "match of {number} hands", int(number))
    if (option_name, str(value)) in RULES:
        return tr(RULES[option_name, str(value)])
    return f"{option_name}={value}"


def rules(options: TableOptions) -> str:
    """The seats and house rules of a table in one phrase."""
    changed = [option(each, value) for each, value in options.changed().items()]
    return ", ".join([option("seats", options.seats), *(changed or [tr("classic rules")])])


HOW_TO_PLAY = (
    mark(
        "The lower the number, the better the card: 1 Dalmuti is best, 12 Peasant is worst, and"
        " there are as many cards of a rank as its number says, and two Jesters."
    ),
    mark(
        "The leader plays any number of cards of one rank. Whoever follows plays the same number of"
        " cards of a lower rank, or passes; passing does not keep you from playing later in the"
        " trick."
    ),
    mark("When everyone else has passed, the last who played leads the next trick."),
    mark("A Jester counts as any rank beside a natural card; alone it is a 13."),
    mark(
        "Who is rid of all cards first is Greater Dalmuti in the next hand; the last is Greater"
        " Peon."
    ),
    mark(
        "Before play the Greater Peon gives his two best cards to the Greater Dalmuti, who gives"
        " any two back; with 4 players or more the Lesser Peon and the Lesser Dalmuti do so with"
        " one."
    ),
    mark(
        "Who is dealt both Jesters may call a revolution: then there are no taxes. If it is the"
        " Greater Peon, all titles turn round as well."
    ),
)
_LOCKED = mark(
    "The leader plays any number of cards of one rank. Whoever follows plays the same number of"
    " cards of a lower rank, or passes; here, who passes is out until the trick ends."
)
_AUTOMATIC = mark(
    "Who is dealt both Jesters calls a revolution without being asked: there are no taxes. If it is"
    " the Greater Peon, all titles turn round as well."
)


def how_to_play(options: TableOptions | None) -> tuple[str, ...]:
    """How to play, with the house rules of a table that would make it untrue."""
    options = options or TableOptions()
    lines = [*HOW_TO_PLAY]
    if options.passing == "locked":
        lines[1] = _LOCKED
    if options.revolution == "automatic":
        lines[-1] = _AUTOMATIC
    if options.revolution == "off":
        lines.pop()
    return tuple(map(tr, lines))


def rules_short(options: TableOptions | None) -> tuple[str, ...]:
    """The rules where there are only a few lines for them."""
    locked = options is not None and options.passing == "locked"
    return (
        tr(
            "Lower ranks beat higher ones: 1 is best, 12 worst. Follow with the same number of"
            " cards of a lower rank, or pass; who passes is out of the trick."
        )
        if locked
        else tr(
            "Lower ranks beat higher ones: 1 is best, 12 worst. Follow with the same number of"
            " cards of a lower rank, or pass; passing is not for good."
        ),
        tr(HOW_TO_PLAY[3]),
        tr("First out is Greater Dalmuti in the next hand, last is Greater Peon."),
    )
