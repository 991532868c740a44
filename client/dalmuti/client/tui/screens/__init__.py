"""The screens: pure functions from the model, the state of the screen, its size and the time.

`render` gives exactly `rows` lines of exactly `cols` cells. The last line is the key bar and the
one above it the chat line, in every scene.
"""

from __future__ import annotations

from collections.abc import Callable

from dalmuti.client.model import Model
from dalmuti.client.tui import labels
from dalmuti.client.tui.canvas import Line, fit, line, overlay, span, to_ascii
from dalmuti.client.tui.screens import (
    aside,
    before,
    draw,
    lesson,
    lobby,
    overlays,
    play,
    result,
    room,
)
from dalmuti.client.tui.screens.base import Scene
from dalmuti.client.tui.state import SceneName, Ui, scene_of

MIN_COLS, MIN_ROWS = 80, 24
"""Below this the screen only says so, and no key reaches the game."""

SCENES: dict[SceneName, Callable[[Scene], list[Line]]] = {
    "lobby": lobby.lobby,
    "room": room.room,
    "draw": draw.draw,
    "revolution": before.revolution,
    "taxes": before.taxes,
    "play": play.tricks,
    "result": result.result,
}


def too_small(cols: int, rows: int) -> bool:
    """Whether a terminal of this size shows nothing but how large it has to be."""
    return cols < MIN_COLS or rows < MIN_ROWS


def render(model: Model, ui: Ui, cols: int, rows: int, now: float) -> list[Line]:
    """The whole screen."""
    if too_small(cols, rows):
        return _gate(cols, rows)
    shown = aside.masked(model) if ui.hidden else model
    scene = Scene(shown, ui, cols, rows, now)
    if ui.course is not None and model.table is not None:
        below = Scene(shown, ui, cols, rows - lesson.HEIGHT, now)
        screen = SCENES[scene_of(model, ui)](below)
        screen = lesson.above(screen, lesson.pane(ui.course, cols, hidden=ui.hidden), cols)
    else:
        screen = SCENES[scene_of(model, ui)](scene)
    over = overlays.over(scene)
    if over:
        screen = overlay(screen, over)
    return to_ascii(screen) if ui.ascii else screen


def _gate(cols: int, rows: int) -> list[Line]:
    says = labels.too_small(cols, rows, MIN_COLS, MIN_ROWS)
    top = max(0, (rows - len(says)) // 2)
    lines = [line() for _ in range(top)] + [line(span(text, "bold")) for text in says]
    lines += [line() for _ in range(rows)]
    return [fit(spans, cols) for spans in lines[:rows]]
