"""The lesson's pane: over the table and beside nothing, so that it never covers a card.

The screen below it is drawn with so many rows less, which the table of four that a lesson has can
spare. Its frame and the pane's share a border.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dalmuti.client.i18n import tr
from dalmuti.client.tui import asidetexts
from dalmuti.client.tui.canvas import Frame, Line, Span, line, span, splice, wrap
from dalmuti.client.words.lesson import Course

ROWS: Final = 4
"""Lines of text; there is one more for the key to press."""
HEIGHT: Final = ROWS + 2
"""What the screen below does without."""


def pane(course: Course, cols: int, *, hidden: bool) -> list[Line]:
    """The upper border and the lines of the pane.

    While the cards are hidden the lesson is silent: what it explains depends on them.
    """
    frame = Frame(cols)
    frame.rule("┌┐", tr(asidetexts.LESSON), accent=True)
    text = tr(asidetexts.LESSON_HIDDEN) if hidden else course.text
    told = wrap(text, cols - 4, 0)[:ROWS]
    for number in range(ROWS):
        frame.row(line(span(told[number] if number < len(told) else "")))
    if course.press and not hidden:
        frame.row([Span("accent", "▶ "), span(course.press, "accent")])
    else:
        frame.row(line(span("" if hidden else tr(asidetexts.LESSON_WAIT), "dim")))
    return frame.rows


def above(screen: Sequence[Line], pane: Sequence[Line], cols: int) -> list[Line]:
    """The screen with the pane between its title bar and its frame."""
    title, border, *rest = screen
    border = splice(border, 0, [Span("frame", "├")])
    border = splice(border, cols - 1, [Span("frame", "┤")])
    return [title, *pane, border, *rest]
