"""The words of the replay screen but its keys, which are in `tui.keytexts`. Widths are tight."""

from __future__ import annotations

from typing import Final

from dalmuti.client.i18n import mark, tr

REPLAY: Final = mark("replay")
NEXT_HAND: Final = mark("The next move goes on.")
ALL_CARDS: Final = mark("All cards")
AT_END: Final = mark("The record ends here.")
AT_START: Final = mark("The record begins here.")
NOBODY_THERE: Final = mark("Nobody sits there.")
NOT_OVER: Final = mark("This hand has no end in the record: its cards stay hidden.")
OPEN: Final = mark("all cards open")
HIDDEN: Final = mark("cards hidden")
OWN_ONLY: Final = mark("Of this hand you know your own cards only.")
NOTHING_KEPT: Final = mark("Nothing was seen of that hand that could be shown again.")
GO_TO: Final = mark("Go to: ")
GO_TO_HELP: Final = mark("57 a move, t5 a trick, h3 a hand; Enter goes, Esc does not")
PAUSED: Final = mark("paused")


def hand_of(number: int, hands: int) -> str:
    """Which hand, in the title."""
    return tr("hand {number} of {hands}", number=number, hands=hands)


def before_first() -> str:
    """The same before the first hand."""
    return tr("before the first hand")


def seen_by(name: str) -> str:
    """With whose eyes, in the title."""
    return tr("seen by {name}", name=name)


def move_of(number: int, moves: int) -> str:
    """Which move, above what happened in it."""
    return tr("Move {number} of {moves}", number=number, moves=moves)


def trick_of(number: int, tricks: int) -> str:
    """Which trick, beside the bar."""
    return tr("trick {number} of {tricks}", number=number, tricks=tricks)


def speed(times: str) -> str:
    """How fast it plays by itself; 1 is a move a second."""
    return tr("Speed {times}x.", times=times)


def playing(times: str) -> str:
    """It plays by itself, this fast."""
    return tr("playing {times}x", times=times)


def nowhere(typed: str) -> str:
    """What was typed is no place in this record."""
    return tr("There is no {typed!r} here; type a move, t5 or h3.", typed=typed)
