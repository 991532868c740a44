"""The words of the round table, the results and the lost connection: what came after `labels`.

All go through `tr` where they are shown. Widths are tight here too: what stands beside a place at
the table has 20 cells, what lies in the middle 26.
"""

from __future__ import annotations

from dalmuti.client.i18n import tr, tr_n


def order_of_places() -> str:
    """In the border of the table: what the number beside a title is, and which way turns go."""
    return tr("title · cards left, turns go clockwise")


def this_trick(number: int) -> str:
    """Above the list of what was played in a trick."""
    return tr("Trick {number}", number=number)


def earlier(number: int) -> str:
    """In the place of what has no room above."""
    return tr_n("{number} earlier", "{number} earlier", number)


def nothing_led() -> str:
    """A trick in which nothing lies on the table."""
    return tr("Nothing is led yet.")


# -- results ------------------------------------------------------------------------------------


def moved_up(places: int) -> str:
    """Beside who has risen."""
    return tr("↑ {places} up", places=places)


def moved_down(places: int) -> str:
    """Beside who has fallen."""
    return tr("↓ {places} down", places=places)


def stayed() -> str:
    """Beside who keeps the place."""
    return tr("= same")


def moved_head() -> str:
    """Above these."""
    return tr("moved")


def wins_with(names: str, points: int, number: int) -> str:
    """The headline of a match for points; `number` of people share the win."""
    if number > 1:
        return tr_n(
            "{names} win the match with {number} point each",
            "{names} win the match with {number} points each",
            points,
            names=names,
        )
    return tr_n(
        "{names} wins the match with {number} point",
        "{names} wins the match with {number} points",
        points,
        names=names,
    )


def you_win_with(points: int) -> str:
    """The same for whoever won."""
    return tr_n(
        "You win the match with {number} point",
        "You win the match with {number} points",
        points,
    )


def standing() -> str:
    """Above the bars of a match that is over."""
    return tr("Final standing")


# -- a lost connection --------------------------------------------------------------------------


def standin_in(seconds: int) -> str:
    """The seat waits for its player, and for how long."""
    return tr_n(
        "Your seat is held: the table waits {number} second for you.",
        "Your seat is held: the table waits {number} seconds for you.",
        seconds,
    )


def standin_plays() -> str:
    """After that."""
    return tr("The stand-in plays for you now. Seat and cards are yours again when you are back.")


def held_for_hands(hands: int) -> str:
    """How long the seat is kept."""
    return tr_n(
        "The seat is kept until the stand-in has played {number} whole hand for you.",
        "The seat is kept until the stand-in has played {number} whole hands for you.",
        hands,
    )


def held() -> str:
    """The same where the server names no end."""
    return tr("The seat is kept for as long as the table is there.")


def own_table_kept() -> str:
    """A spectator has no seat to lose."""
    return tr("You go on watching as soon as the connection is back.")
