"""The screens: pure functions from the model, the state of the screen, its size and the time.

`render` gives exactly `rows` lines of exactly `cols` cells. The last line is the key bar and the
one above it the chat line, in every scene.
"""

from __future__ import annotations

from collections.abc import Callable

from dalmuti.client.model import Model
from dalmuti.client.tui import labels
from dalmuti.client.tui.canvas import (
    Line,
    Span,
    cells,
    fit,
    line,
    overlay,
    span,
    to_ascii,
    wrap,
)
from dalmuti.client.tui.screens import (
    before,
    draw,
    hiding,
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
    screen = _draw(_scene(model, ui, cols, rows, now))
    return to_ascii(screen) if ui.ascii else screen


def scrolled(model: Model, ui: Ui, cols: int, rows: int, now: float) -> int:
    """How many lines the log is really scrolled back, where it is asked for more than there are."""
    scene = _scene(model, ui, cols, rows, now)
    if not too_small(cols, rows):
        _draw(scene)
    return scene.log_back


def _scene(model: Model, ui: Ui, cols: int, rows: int, now: float) -> Scene:
    return Scene(hiding.masked(model) if ui.hidden else model, ui, cols, rows, now)


def _draw(scene: Scene) -> list[Line]:
    draw_it = SCENES[scene_of(scene.model, scene.ui)]
    if scene.ui.course is None or scene.model.table is None:
        screen = draw_it(scene)
    else:
        rows = scene.rows - lesson.HEIGHT
        below = Scene(scene.model, scene.ui, scene.cols, rows, scene.now)
        pane = lesson.pane(scene.ui.course, scene.cols, hidden=scene.ui.hidden)
        screen = lesson.above(draw_it(below), pane, scene.cols)
        scene.log_back = below.log_back
    over = overlays.over(scene)
    return overlay(screen, over) if over else screen


def _gate(cols: int, rows: int) -> list[Line]:
    """In the middle of what there is, how large the window has to be."""
    says = labels.too_small(cols, rows, MIN_COLS, MIN_ROWS)
    says = [part for text in says for part in wrap(text, max(cols, 1), 0)]
    lines: list[Line] = [[] for _ in range((rows - len(says)) // 2)]
    for number, text in enumerate(says):
        spans = line(span(text, "" if number else "bold"))
        lines.append([Span("", " " * ((cols - cells(spans)) // 2)), *spans])
    lines += [[] for _ in range(rows)]
    return [fit(spans, cols) for spans in lines[:rows]]
