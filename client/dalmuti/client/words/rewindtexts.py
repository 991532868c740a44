"""The words of the replay screen: title, bar, keys, help. Widths are tight, as in `tui.labels`."""

from __future__ import annotations

from typing import Final

from dalmuti.client.i18n import mark, tr

REPLAY: Final = mark("replay")
NEXT_HAND: Final = mark("The next move goes on.")
ALL_CARDS: Final = mark("All cards")
HELP_TITLE: Final = mark("Help")
ESC_CLOSES: Final = mark("Esc closes this")
UNKNOWN_KEY: Final = mark("That key does nothing here; ? shows the keys.")
AT_END: Final = mark("The record ends here.")
AT_START: Final = mark("The record begins here.")
NOBODY_THERE: Final = mark("Nobody is in that row.")
NOT_OVER: Final = mark("This hand has no end in the record: its cards stay hidden.")
OPEN: Final = mark("all cards open")
HIDDEN: Final = mark("cards hidden")
GO_TO: Final = mark("Go to: ")
GO_TO_HELP: Final = mark("57 a move, t5 a trick, h3 a hand; Enter goes, Esc does not")
PAUSED: Final = mark("paused")

KEYS: Final = (
    ("Arrows", mark("move, trick")),
    ("Space", mark("play")),
    ("g", mark("go to")),
    ("1-9", mark("seat")),
    ("o", mark("open")),
    ("q", mark("quit")),
    ("n p", mark("hand")),
    ("+ -", mark("speed")),
)
HELP: Final = (
    ("Left Right", mark("a move back, a move on")),
    ("Up Down, [ ]", mark("to the trick before, to the next trick")),
    ("p n, { }", mark("to the hand before, to the next hand")),
    ("< >", mark("to the beginning of this hand, to its end")),
    ("g", mark("go to a move: 57; to a trick: t5; to a hand: h3")),
    ("Space", mark("play on by itself, or stop")),
    ("+ -", mark("faster, slower")),
    ("1 to 9, 0", mark("only what the player in this row saw; 0 is the tenth")),
    ("o", mark("all cards open")),
    ("PgUp PgDn, l, s", mark("scroll the log, larger log, scores")),
    ("m, c", mark("mouse on or off, colours")),
    ("mouse", mark("click the bar, a key below, or a player among all cards")),
    ("q, Ctrl-C", mark("quit")),
)


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


def speed(moves: str) -> str:
    """How fast it plays by itself."""
    return tr("{moves} moves/s", moves=moves)


def playing(moves: str) -> str:
    """It plays by itself, this fast."""
    return tr("playing, {moves} moves/s", moves=moves)


def nowhere(typed: str) -> str:
    """What was typed is no place in this record."""
    return tr("There is no {typed!r} here; type a move, t5 or h3.", typed=typed)
