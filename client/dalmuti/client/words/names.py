"""Cards, moves, titles, and who is who."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dalmuti.core.cards import JESTER, Play, counts_of
from dalmuti.core.events import PlayerInfo
from dalmuti.core.moves import Call, Decline, Give, Move, Pass
from dalmuti.core.titles import Title, title_of
from dalmuti.core.views import TableView

TITLES = {
    Title.GREATER_DALMUTI: "Greater Dalmuti",
    Title.LESSER_DALMUTI: "Lesser Dalmuti",
    Title.MERCHANT: "Merchant",
    Title.LESSER_PEON: "Lesser Peon",
    Title.GREATER_PEON: "Greater Peon",
}
SHORT_TITLES = {
    Title.GREATER_DALMUTI: "G.Dalmuti",
    Title.LESSER_DALMUTI: "L.Dalmuti",
    Title.MERCHANT: "Merchant",
    Title.LESSER_PEON: "L.Peon",
    Title.GREATER_PEON: "G.Peon",
}
RANKS = (
    "",
    "Dalmuti",
    "Archbishop",
    "Earl Marshal",
    "Baroness",
    "Abbess",
    "Knight",
    "Seamstress",
    "Mason",
    "Cook",
    "Shepherdess",
    "Stonecutter",
    "Peasant",
    "Jester",
)
PLURALS = {
    4: "Baronesses",
    5: "Abbesses",
    7: "Seamstresses",
    10: "Shepherdesses",
    1: "Dalmutis",
}
ORDINALS = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
BY = {"player": "", "standin": " (stand-in)", "clock": " (time was up)"}
KINDS = {"human": "", "bot": " (bot)", "house": " (house bot)"}


# -- cards, moves, titles ---------------------------------------------------------------------


def title(value: Title) -> str:
    """A title in full."""
    return TITLES[value]


def a_title(value: Title) -> str:
    """What somebody is: `the Greater Dalmuti`, and `a Merchant`, for there are several."""
    return f"{'a' if value is Title.MERCHANT else 'the'} {TITLES[value]}"


def short_title(value: Title) -> str:
    """A title in at most nine cells."""
    return SHORT_TITLES[value]


def rank(value: int) -> str:
    """The name of one card of a rank; 13 is the Jester."""
    return RANKS[value]


def ranks(value: int) -> str:
    """The name of several cards of a rank."""
    return PLURALS.get(value, RANKS[value] + "s")


def play(value: Play) -> str:
    """A set with its cards by name: `3x9 Cooks`, `3x9+1J (2 Cooks, 1 Jester)`.

    The count of a set includes its Jesters, which nobody would guess, so those are named apart.
    """
    if value.jesters and value.naturals:
        parts = ((value.naturals, value.rank), (value.jesters, JESTER))
        return f"{value} ({', '.join(f'{n} {several(n, each)}' for n, each in parts)})"
    return f"{value} {several(value.count, value.rank)}"


def several(number: int, value: int) -> str:
    """The name of a rank as it fits a number of cards."""
    return rank(value) if number == 1 else ranks(value)


def move(value: Move) -> str:
    """A move as a choice that is offered to a person."""
    match value:
        case Play():
            return str(value)
        case Pass():
            return "pass"
        case Give(cards=given):
            return f"give back {cards(given)}"
        case Call(greater=True):
            return "show both Jesters and call a Greater Revolution"
        case Call():
            return "show both Jesters and call a revolution"
        case Decline():
            return "call no revolution"


def cards(values: Sequence[int]) -> str:
    """A few cards as sets, the best first: `1x9, 2x12 and 1xJ`."""
    return listed(_groups(values))


def hand(values: Sequence[int]) -> str:
    """All the cards of a hand: `20 cards: 1x1, 2x3, 4x12, 1xJ`."""
    return f"{count(len(values))}: {', '.join(_groups(values))}" if values else "no cards"


def _groups(values: Sequence[int]) -> list[str]:
    return [
        f"{n}x{'J' if value == JESTER else value}" for value, n in enumerate(counts_of(values)) if n
    ]


def count(number: int) -> str:
    """A number of cards."""
    return "1 card" if number == 1 else f"{number} cards"


def ordinal(number: int) -> str:
    """First, second and so on, up to the ten places of a table."""
    return ORDINALS[number] if 0 <= number < len(ORDINALS) else f"{number}th"


def listed(words: Iterable[str]) -> str:
    """Words in a row: `Ada, Bea and Cas`."""
    *most, last = [*words] or [""]
    return f"{', '.join(most)} and {last}" if most else last


# -- who --------------------------------------------------------------------------------------


def info_of(view: TableView, player: int) -> PlayerInfo | None:
    """Who sits here under this number."""
    return next((info for info in view.players if info.player == player), None)


def name(view: TableView, player: int) -> str:
    """A player's name, whoever is looking."""
    info = info_of(view, player)
    return info.name if info else f"player {player}"


def who(view: TableView, player: int) -> str:
    """A player as the viewer calls him: his name, or `you`."""
    return "you" if player == view.you else name(view, player)


def is_away(view: TableView) -> bool:
    """Whether somebody else decides for the viewer: he is away, or was gone for too long."""
    own = info_of(view, view.you) if view.you is not None else None
    return own is not None and own.presence != "here"


def seat_title(view: TableView, player: int) -> Title | None:
    """The title of a player in this hand, or in the next one; None for one who waits."""
    order = view.hand.order if view.hand else view.order
    return title_of(order.index(player), len(order)) if player in order else None
