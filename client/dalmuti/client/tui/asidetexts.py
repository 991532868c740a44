"""The words of what stands beside the game: hidden cards, passing by itself, bell and title.

The companion of `labels` and `tabletexts`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dalmuti.client.i18n import mark, tr
from dalmuti.client.tui import labels, tabletexts

HIDDEN = mark("Your cards are hidden; h shows them again. All keys work as before.")
SHOWN = mark("Your cards are shown.")
HIDDEN_HINT = mark("That cannot be done now; h shows your cards and why.")
HIDDEN_HAND = mark("Hidden, so that nobody sees them over your shoulder: press h to see them.")
HIDDEN_CHOICE = mark("Hidden as well. Enter does what you have chosen, Space passes.")
HIDDEN_OTHER = mark("Hidden as well. Enter does what you have chosen.")
HIDDEN_MARK = mark("hidden")
HIDDEN_LINE = mark("(Hidden: what only you may see.)")
PASSING_NOW = mark("You pass by yourself until this trick is over; a stops that.")
PASSING_HINT = mark("You pass by yourself in this trick; press a to choose again.")
LESSON = mark("Lesson")
LESSON_HIDDEN = mark("The lesson goes on when you press h, which shows your cards.")
LESSON_WAIT = mark("The others play.")
TITLE = mark("Dalmuti")
TITLE_TURN = mark("Your turn - Dalmuti")
BELL_ON = mark("The bell rings when it is your turn.")
BELL_OFF = mark("No bell any more.")
TITLE_ON = mark("The title of the window says when it is your turn.")
TITLE_OFF = mark("The title of the window is left alone.")
ASCII_ON = mark("Drawn with ASCII characters.")
ASCII_OFF = mark("Drawn with lines.")

TOGGLED: Final = {
    "ascii": (ASCII_ON, ASCII_OFF),
    "mouse": (tabletexts.MOUSE_ON, tabletexts.MOUSE_OFF),
    "bell": (BELL_ON, BELL_OFF),
    "title": (TITLE_ON, TITLE_OFF),
}
"""What is said when something is switched on, and when it is switched off."""
_TELL_NOTHING: Final = (
    labels.TOO_FAST,
    labels.MUST_LEAD,
    labels.NUMBER_FIRST,
    labels.ENTER_DECLINES,
    labels.ENTER_GIVES,
)


def tells_nothing(hint: str) -> bool:
    """Whether a word about a key says nothing about the cards."""
    return hint in map(tr, _TELL_NOTHING)


def no_theme(name: str, known: Sequence[str]) -> str:
    """There are no such colours."""
    return tr("There is no theme {name}; there are {known}.", name=name, known=", ".join(known))
