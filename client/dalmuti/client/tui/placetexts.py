"""The words of the round table, the results and the lost connection: what came after `labels`.

All go through `tr` where they are shown. Widths are tight here too: what stands beside a place at
the table has 20 cells, what lies in the middle 24.
"""

from __future__ import annotations

from dalmuti.client import words
from dalmuti.client.i18n import tr, tr_in, tr_n


def columns_of_players() -> str:
    """What stands behind the names in the list of players."""
    return tr("title · cards left")


def order_of_places() -> str:
    """In the border of the table: what the number beside a title is, and which way turns go."""
    return tr("title · cards left, turns go clockwise")


def this_trick(number: int) -> str:
    """Above the list of what was played in a trick."""
    return tr("Trick {number}", number=number)


def earlier(number: int) -> str:
    """In the place of what has no room above."""
    return tr_n("{number} earlier", "{number} earlier", number)


def more(number: int) -> str:
    """In the place of those who have no room in a list."""
    return tr_n("and {number} more", "and {number} more", number)


def passed(names: str) -> str:
    """In that list: who passed, one or several."""
    return tr("{names}: pass", names=names)


def older_log() -> str:
    """Above a log that is scrolled back."""
    return tr("Log · PgDn newer")


# -- results ------------------------------------------------------------------------------------


def moved(places: int, short: bool) -> str:
    """Beside a player: how far he has risen or fallen; positive is up."""
    if places == 0:
        return "="
    if short:
        return f"{'↑' if places > 0 else '↓'} {abs(places)}"
    if places > 0:
        return tr("↑ {places} up", places=places)
    return tr("↓ {places} down", places=-places)


def moved_head() -> str:
    """Above these."""
    return tr_in("heading", "moved")


def you_are_now(a_title: str, places: int) -> str:
    """The headline of a hand for one who played it; positive is up."""
    if places > 0:
        return tr_n(
            "You rise {number} place: you are {title} now.",
            "You rise {number} places: you are {title} now.",
            places,
            title=a_title,
        )
    if places < 0:
        return tr_n(
            "You fall {number} place: you are {title} now.",
            "You fall {number} places: you are {title} now.",
            -places,
            title=a_title,
        )
    return tr("You keep your place: you are {title}.", title=a_title)


def is_now(who: str, a_title: str) -> str:
    """The same for whoever only watched."""
    return tr("{who} is {title} now.", who=who, title=a_title)


def won_with(who: str, you: bool, number: int, points: int) -> str:
    """The headline of a match for points; `number` of people share the win."""
    if you:
        return tr_n(
            "You win the match with {number} point!",
            "You win the match with {number} points!",
            points,
        )
    if number > 1:
        return words.first_upper(
            tr_n(
                "{who} win the match with {number} point each.",
                "{who} win the match with {number} points each.",
                points,
                who=who,
            )
        )
    return tr_n(
        "{who} wins the match with {number} point.",
        "{who} wins the match with {number} points.",
        points,
        who=who,
    )


# -- a lost connection --------------------------------------------------------------------------


def standin_in(seconds: int) -> str:
    """The seat waits for its player, and for how long."""
    return tr_n(
        "The table waits for you, at least {number} more second.",
        "The table waits for you, at least {number} more seconds.",
        seconds,
    )


def standin_plays() -> str:
    """After that."""
    return tr("The stand-in may play for you now, until you are back.")


def held_for_hands(hands: int) -> str:
    """How long the seat is kept."""
    return tr_n(
        "Seat and cards stay yours. Only after {number} whole hand without you is the seat free.",
        "Seat and cards stay yours. Only after {number} whole hands without you is the seat free.",
        hands,
    )


def held() -> str:
    """The same where the server names no end."""
    return tr("Seat and cards stay yours for as long as the table is there.")


def watch_again() -> str:
    """A spectator has no seat to lose."""
    return tr("You go on watching as soon as the connection is back.")
