"""What a player switches on and off beside the game: colours, signs, mouse, bell, title, cards.

Functions of the state of the screen alone, for keys (`control`) and commands alike.
"""

from __future__ import annotations

from dalmuti.client.i18n import tr
from dalmuti.client.tui import asidetexts, tabletexts
from dalmuti.client.tui.state import Ui
from dalmuti.client.tui.style import THEMES


def toggle(ui: Ui, what: str) -> None:
    """Switches `ascii`, `mouse`, `bell` or `title` on or off, and says so."""
    on = not getattr(ui, what)
    setattr(ui, what, on)
    ui.hint = tr(asidetexts.TOGGLED[what][not on])


def next_theme(ui: Ui) -> None:
    """The next colours; after the last ones the signs change between Unicode and ASCII."""
    names = list(THEMES)
    at = names.index(ui.theme) + 1
    if at == len(names):
        ui.ascii = not ui.ascii
    ui.theme = names[at % len(names)]
    ui.hint = tabletexts.theme_is(ui.theme + (", ASCII" if ui.ascii else ""))


def set_theme(ui: Ui, name: str) -> None:
    """Other colours, by name; without one the next."""
    if not name:
        next_theme(ui)
    elif name in THEMES:
        ui.theme = name
        ui.hint = tabletexts.theme_is(name)
    else:
        ui.hint = asidetexts.no_theme(name, list(THEMES))


def hide(ui: Ui, hidden: bool) -> None:
    """Hides what only we may see, or shows it."""
    ui.hidden = hidden
    ui.hint = tr(asidetexts.HIDDEN if hidden else asidetexts.SHOWN)


def hint_while_hidden(hint: str, *, deciding: bool) -> str:
    """What may be said to a key while cards are hidden: only that nothing was decided, not why."""
    if not hint or asidetexts.tells_nothing(hint):
        return hint
    return tr(asidetexts.HIDDEN_HINT) if deciding else ""


def title(ui: Ui) -> str:
    """What the title of the window says; empty where it is to say nothing."""
    if not ui.title:
        return ""
    return tr(asidetexts.TITLE_TURN if ui.selector is not None else asidetexts.TITLE)
