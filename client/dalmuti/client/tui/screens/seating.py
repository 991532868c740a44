"""Places around a table: who sits where, in which cells.

The Greater Dalmuti sits at the head, in the middle of the top; from there the seats go clockwise,
as the turns do, down the right side, along the bottom and up the left side, so that the Greater
Peon ends beside the one whom he serves. Left and right have the same number of places.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from dalmuti.client.tui.canvas import Line, Span, cells, fit, wrap

BLOCK: Final = 3
"""Lines of a place: name, title, what was played last."""
SIDE: Final = (23, 28)
"""Cells of a place, in a narrow and in a wide pane: a mark, a name, and a space to the table."""
MOST_INSIDE: Final = (64, 22)
"""A table is not larger than this, however large the window: cells and lines."""

SIDES: Final = {2: 0, 3: 1, 4: 1, 5: 2, 6: 2, 7: 2, 8: 3, 9: 3, 10: 3}
"""How many sit on the left and as many on the right; the rest sit along the bottom."""


class Plan(NamedTuple):
    """The cells of a table in a pane."""

    side: int
    """Cells of a place."""
    wide: int
    """Cells of the table with its edge."""
    margin: int
    """Empty cells left of it all."""

    @property
    def inside(self) -> int:
        """Cells for what lies on the table."""
        return self.wide - 4


def plan(room: int) -> Plan:
    """How a pane of `room` cells is shared out between places and table."""
    side = min(SIDE[1], max(SIDE[0], room // 5))
    wide = min(MOST_INSIDE[0], room - 2 * side)
    return Plan(side, wide, (room - wide - 2 * side) // 2)


def around(
    places: Sequence[Sequence[Line]], middle: Sequence[Line], room: int, rows: int
) -> list[Line]:
    """`rows` lines of `room` cells: the `places`, seat 0 first, around what lies in the `middle`.

    A line of the middle that is too long is broken. Of too many the empty ones go first, then the
    last ones.
    """
    side = SIDES[len(places)]
    right, rest = places[1 : 1 + side], places[1 + side :]
    bottom, left = rest[: len(rest) - side], rest[len(rest) - side :]
    high = min(MOST_INSIDE[1], rows - BLOCK * (2 if bottom else 1))
    size = plan(room)
    lines = _row_of([places[0]], room)
    table = _table(middle, size.wide, high)
    west, east = _column(left[::-1], high), _column(right, high)
    margin = [Span("", " " * size.margin)] if size.margin else []
    for beside, spans, other in zip(west, table, east, strict=True):
        lines.append(fit([*margin, *fit(beside, size.side), *spans, *other], room))
    if bottom:
        lines += _row_of(bottom[::-1], room)
    above = (rows - len(lines)) // 2
    blank = [Span("", " " * room)]
    return [blank] * above + lines + [blank] * (rows - len(lines) - above)


def _row_of(places: Sequence[Sequence[Line]], room: int) -> list[Line]:
    """Places side by side, each in the middle of its share."""
    lines: list[Line] = [[] for _ in range(BLOCK)]
    for number, place in enumerate(places):
        start, end = number * room // len(places), (number + 1) * room // len(places)
        # The last line changes with every play: it must not move the others.
        wide = max(cells(spans) for spans in place[:-1])
        before = max(0, (end - start - wide) // 2)
        for row, spans in zip(lines, place, strict=True):
            row += [Span("", " " * before), *fit(spans, end - start - before)]
    return lines


def _column(places: Sequence[Sequence[Line]], rows: int) -> list[Line]:
    """Places one below the other, with the same space between them."""
    lines: list[Line] = [[] for _ in range(rows)]
    for number, place in enumerate(places):
        top = ((2 * number + 1) * rows // len(places) - BLOCK) // 2
        lines[top : top + BLOCK] = [list(spans) for spans in place]
    return lines


def _table(middle: Sequence[Line], wide: int, high: int) -> list[Line]:
    """The table itself: a round edge with arrows the way turns go, and what lies on it."""
    inside = wide - 4
    said = [part for spans in middle for part in broken(spans, inside)]
    if len(said) > high - 2:
        said = [spans for spans in said if cells(spans)][: high - 2]
    above = (high - 2 - len(said)) // 2
    said = [[] for _ in range(above)] + said
    lines: list[Line] = [[_edge("╭", "→", "╮", wide)]]
    for number in range(high - 2):
        spans = said[number] if number < len(said) else []
        before = (inside - cells(spans)) // 2
        lines.append(
            [
                Span("frame", "│ "),
                *fit([Span("", " " * before), *spans], inside),
                Span("frame", " │"),
            ]
        )
    lines.append([_edge("╰", "←", "╯", wide)])
    return lines


def _edge(start: str, arrow: str, end: str, wide: int) -> Span:
    half = (wide - 5) // 2
    return Span("frame", f"{start}{'─' * half} {arrow} {'─' * (wide - 5 - half)}{end}")


def broken(spans: Line, room: int) -> list[Line]:
    """A line as several that fit; one that is too long has one style from then on."""
    if cells(spans) <= room:
        return [spans]
    style = next((part.style for part in spans if part.text.strip()), "")
    text = "".join(part.text for part in spans)
    return [[Span(style, part)] for part in wrap(text, room, 0)]
