"""Examples in the help: what may be played and what may not, on what lies on the table."""

from __future__ import annotations

from typing import Final

from dalmuti.client.i18n import tr
from dalmuti.client.tui.canvas import Line, Span, fit, line, span, wrap
from dalmuti.client.tui.screens.base import Scene
from dalmuti.client.tui.state import scene_of
from dalmuti.core.cards import PEASANT, Play

USUAL: Final = Play(9, 3)
"""What is to be beaten in the examples where nothing on the table shows as much."""


def lines(scene: Scene, room: int) -> list[Line]:
    """A few plays that are legal and a few that are not, each with its reason; nothing elsewhere.

    They look at what is to beat and never at the own cards, which may be hidden.
    """
    if scene_of(scene.model, scene.ui) != "play":
        return []
    top = scene.hand.trick.top
    if top is None:
        head = tr("Who leads")
        legal = tr("1x12, 4x11, or 3x9+1J: two 9s and a Jester")
        illegal = tr("an 8 and a 9 together; to pass")
    else:
        top = top if 2 < top.rank < PEASANT and top.count > 1 else USUAL
        head = tr("On {play}", play=top)
        better = Play(top.rank - 1, top.count)
        jester = Play(top.rank - 2, top.count, 1)
        legal = tr("{better}, {jester} with a Jester, or pass", better=better, jester=jester)
        illegal = tr(
            "{few}: too few; {equal}: no better; {worse}: worse; {jesters}: alone they are 13s",
            few=Play(better.rank, top.count - 1),
            equal=Play(top.rank, top.count),
            worse=Play(top.rank + 1, top.count),
            jesters=Play(13, 2, 2),
        )
    rows: list[Line] = [[span(head, "head")]]
    for name, style, text in (
        (tr("legal"), "good", legal),
        (tr("not legal"), "warn", illegal),
    ):
        for number, part in enumerate(wrap(text, room - 12, 0)):
            label = fit([] if number else [span(name, style)], 12)
            rows.append([*label, Span("", part)])
    return [*rows, line()]
