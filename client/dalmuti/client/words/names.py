"""Cards, moves, titles, and who is who."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dalmuti.client.i18n import mark, tr, tr_in, tr_n
from dalmuti.core.cards import JESTER, Play, counts_of
from dalmuti.core.events import Kind, PlayerInfo
from dalmuti.core.moves import Call, Decline, Give, Move, Pass
from dalmuti.core.titles import Title, title_of
from dalmuti.core.views import TableView
from dalmuti.protocol.text import width

TITLES = {
    Title.GREATER_DALMUTI: mark("Greater Dalmuti"),
    Title.LESSER_DALMUTI: mark("Lesser Dalmuti"),
    Title.MERCHANT: mark("Merchant"),
    Title.LESSER_PEON: mark("Lesser Peon"),
    Title.GREATER_PEON: mark("Greater Peon"),
}
A_TITLE = {
    Title.GREATER_DALMUTI: mark("the Greater Dalmuti"),
    Title.LESSER_DALMUTI: mark("the Lesser Dalmuti"),
    Title.MERCHANT: mark("a Merchant"),
    Title.LESSER_PEON: mark("the Lesser Peon"),
    Title.GREATER_PEON: mark("the Greater Peon"),
}
RANKS = (
    "",
    mark("Dalmuti"),
    mark("Archbishop"),
    mark("Earl Marshal"),
    mark("Baroness"),
    mark("Abbess"),
    mark("Knight"),
    mark("Seamstress"),
    mark("Mason"),
    mark("Cook"),
    mark("Shepherdess"),
    mark("Stonecutter"),
    mark("Peasant"),
    mark("Jester"),
)
SEVERAL = (
    "",
    mark("Dalmutis"),
    mark("Archbishops"),
    mark("Earl Marshals"),
    mark("Baronesses"),
    mark("Abbesses"),
    mark("Knights"),
    mark("Seamstresses"),
    mark("Masons"),
    mark("Cooks"),
    mark("Shepherdesses"),
    mark("Stonecutters"),
    mark("Peasants"),
    mark("Jesters"),
)
ORDINALS = (
    "",
    mark("first"),
    mark("second"),
    mark("third"),
    mark("fourth"),
    mark("fifth"),
    mark("sixth"),
    mark("seventh"),
    mark("eighth"),
    mark("9th"),
    mark("10th"),
)


class You(str):
    """How the viewer is called: `you`, in the language of the context.

    A kind of text of its own, since sentences about the viewer are others than those about the
    rest, and in some language a player may be called by this very word.
    """


# -- cards, moves, titles ---------------------------------------------------------------------


def title(value: Title) -> str:
    """A title in full."""
    return tr(TITLES[value])


def a_title(value: Title) -> str:
    """What somebody is: `the Greater Dalmuti`, and `a Merchant`, for there are several."""
    return tr(A_TITLE[value])


def short_title(value: Title) -> str:
    """A title in at most nine cells."""
    return {
        Title.GREATER_DALMUTI: tr_in("short", "G.Dalmuti"),
        Title.LESSER_DALMUTI: tr_in("short", "L.Dalmuti"),
        Title.MERCHANT: tr_in("short", "Merchant"),
        Title.LESSER_PEON: tr_in("short", "L.Peon"),
        Title.GREATER_PEON: tr_in("short", "G.Peon"),
    }[value]


def fitting_title(value: Title, room: int) -> str:
    """A title in full, or short where that takes more than `room` cells."""
    full = title(value)
    return full if width(full) <= room else short_title(value)


def rank(value: int) -> str:
    """The name of one card of a rank; 13 is the Jester."""
    return tr(RANKS[value])


def ranks(value: int) -> str:
    """The name of several cards of a rank."""
    return tr(SEVERAL[value])


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
            return tr_in("choice", "pass")
        case Give(cards=given):
            return tr("give back {cards}", cards=cards(given))
        case Call(greater=True):
            return tr("show both Jesters and call a Greater Revolution")
        case Call():
            return tr("show both Jesters and call a revolution")
        case Decline():
            return tr("call no revolution")


def cards(values: Sequence[int]) -> str:
    """A few cards as sets, the best first: `1x9, 2x12 and 1xJ`."""
    return listed(_groups(values))


def hand(values: Sequence[int]) -> str:
    """All the cards of a hand: `20 cards: 1x1, 2x3, 4x12, 1xJ`."""
    if not values:
        return tr("no cards")
    return tr("{count}: {cards}", count=count(len(values)), cards=", ".join(_groups(values)))


def _groups(values: Sequence[int]) -> list[str]:
    return [
        f"{n}x{'J' if value == JESTER else value}" for value, n in enumerate(counts_of(values)) if n
    ]


def count(number: int) -> str:
    """A number of cards."""
    return tr_n("{number} card", "{number} cards", number)


def ordinal(number: int) -> str:
    """First, second and so on, up to the ten places of a table."""
    if 0 < number < len(ORDINALS):
        return tr(ORDINALS[number])
    return tr("{number}th", number=number)


def listed(words: Iterable[str]) -> str:
    """Words in a row: `Ada, Bea and Cas`."""
    *most, last = [*words] or [""]
    return tr("{most} and {last}", most=", ".join(most), last=last) if most else last


# -- who --------------------------------------------------------------------------------------


def info_of(view: TableView, player: int) -> PlayerInfo | None:
    """Who sits here under this number."""
    return next((info for info in view.players if info.player == player), None)


def name(view: TableView, player: int) -> str:
    """A player's name, whoever is looking."""
    info = info_of(view, player)
    return info.name if info else tr("player {player}", player=player)


def you() -> You:
    """What the viewer is called."""
    return You(tr("you"))


def who(view: TableView, player: int) -> str:
    """A player as the viewer calls him: his name, or `You` that reads `you`."""
    return you() if player == view.you else name(view, player)


def first_upper(text: str) -> str:
    """The text as a sentence: `you` at its beginning gets a capital, a name stays as written."""
    own = tr("you")
    if text == own or text.startswith((f"{own} ", f"{own},")):
        return text[:1].upper() + text[1:]
    return text


def with_kind(info: PlayerInfo) -> str:
    """A player's name, with what he is where he is no person: `Max (house bot)`."""
    if info.kind == "human":
        return info.name
    return tr("{name} ({kind})", name=info.name, kind=kind(info.kind))


def kind(value: Kind) -> str:
    """What a player is."""
    return {"human": tr("person"), "bot": tr("bot"), "house": tr("house bot")}[value]


def short_kind(value: Kind) -> str:
    """What a player is, in at most nine cells."""
    return {
        "human": tr_in("short", "person"),
        "bot": tr_in("short", "bot"),
        "house": tr_in("short", "house bot"),
    }[value]


def is_away(view: TableView) -> bool:
    """Whether somebody else decides for the viewer: he is away, or was gone for too long."""
    own = info_of(view, view.you) if view.you is not None else None
    return own is not None and own.presence != "here"


def seat_title(view: TableView, player: int) -> Title | None:
    """The title of a player in this hand, or in the next one; None for one who waits."""
    order = view.hand.order if view.hand else view.order
    return title_of(order.index(player), len(order)) if player in order else None
