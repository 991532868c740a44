"""Lines of styled text that know how many terminal cells they take.

A screen is a list of lines, a line a list of spans. Nothing here draws: `fit` makes a line exactly
as wide as it has to be, `Frame` puts lines between borders, `overlay` lays a box over a screen.
Everything counts cells, never characters, so that a name in Chinese leaves the border in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from dalmuti.protocol.text import cut, is_even, safe_text, width

ASCII: Final = str.maketrans(
    {
        **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯", "+"),
        **{"─": "-", "│": "|", "▶": ">", "→": ">", "←": "<", "·": ".", "…": "~"},
        **{"↑": "^", "↓": "v", "█": "#", "┃": "#"},
    }
)
"""What `--ascii` shows instead, character for character."""


class Span(NamedTuple):
    """Text in one style; `target` names what a click on it means."""

    style: str
    text: str
    target: str = ""


Line = list[Span]


def span(text: str, style: str = "", target: str = "") -> Span:
    """A span of text from anywhere: what a terminal could obey is taken out."""
    return Span(style, safe(text), target)


def line(*parts: str | Span) -> Line:
    """A line of spans and plain text."""
    return [part if isinstance(part, Span) else span(part) for part in parts]


def cells(spans: Iterable[Span]) -> int:
    """How many cells a line takes."""
    return sum([_width(part.text) for part in spans])


@lru_cache(maxsize=8192)
def safe(text: str) -> str:
    """`safe_text`, remembered: names and the log are the same in most pictures."""
    return safe_text(text)


@lru_cache(maxsize=8192)
def _width(text: str) -> int:
    """`width`, remembered: most of what is measured are frames, the same in every picture."""
    return width(text)


def fit(spans: Iterable[Span], room: int) -> Line:
    """The line cut or filled with spaces to exactly `room` cells."""
    parts = list(spans)
    spare = room - cells(parts)
    if spare > 0:
        parts.append(Span("", " " * spare))
    if spare >= 0:
        return parts
    fitted: Line = []
    left = room
    for part in parts:
        need = _width(part.text)
        if need > left:
            text = cut(part.text, left) if left else ""
            fitted.append(Span(part.style, text, part.target))
            left -= width(text)
            break
        fitted.append(part)
        left -= need
    if left:
        fitted.append(Span("", " " * left))
    return fitted


def cut_line(spans: Iterable[Span], room: int) -> Line:
    """The line, or as much of it as `room` cells take; it is not filled."""
    spans = list(spans)
    return spans if cells(spans) <= room else fit(spans, room)


def column(text: str, room: int, style: str = "", *, right: bool = False, target: str = "") -> Span:
    """One cell of a table: cut or filled to exactly `room` cells."""
    text = cut(safe(text), room)
    gap = " " * (room - _width(text))
    return Span(style, gap + text if right else text + gap, target)


def piece(spans: Iterable[Span], start: int, end: int) -> Line:
    """What lies in the cells from `start` to `end`; half a wide character becomes a space."""
    taken: Line = []
    at = 0
    for part in spans:
        size = _width(part.text)
        if at + size <= start or at >= end:
            at += size
            continue
        if start <= at and at + size <= end:
            taken.append(part)
            at += size
            continue
        if is_even(part.text):
            text = part.text[max(0, start - at) : end - at]
            taken.append(Span(part.style, text, part.target))
            at += size
            continue
        text = ""
        for char in part.text:
            size = width(char)
            if start <= at and at + size <= end:
                text += char
            elif at < end and at + size > start:
                text += " " * (min(end, at + size) - max(start, at))
            at += size
        taken.append(Span(part.style, text, part.target))
    return taken


def window(entries: Sequence[Line], chosen: int, room: int, gap: int = 2) -> Line:
    """Entries in a row, scrolled so that the chosen one is seen, with dots where it is cut."""
    row: Line = []
    starts = []
    at = 0
    for entry in entries:
        starts.append(at)
        row += [*entry, Span("", " " * gap)]
        at += cells(entry) + gap
    total = at - gap
    if total <= room or not entries:
        return fit(row, room)
    middle = starts[chosen] + cells(entries[chosen]) // 2
    start = max(0, min(middle - room // 2, total - room))
    shown = piece(row, start, start + room)
    if start > 0:
        shown = [Span("dim", "… "), *piece(shown, 2, room)]
    if start + room < total:
        shown = [*piece(shown, 0, room - 2), Span("dim", " …")]
    return fit(shown, room)


def wrap(text: str, room: int, indent: int = 2) -> list[str]:
    """The text on as many lines as it needs, broken at spaces; long words are broken anywhere."""
    return list(_wrapped(text, room, indent))


@lru_cache(maxsize=4096)
def _wrapped(text: str, room: int, indent: int) -> tuple[str, ...]:
    """The same, remembered, since the log is the same in most pictures."""
    lines: list[str] = []
    current = ""
    for word in safe_text(text).split(" "):
        joined = f"{current} {word}" if current.strip() else current + word
        if width(joined) <= room:
            current = joined
            continue
        if current.strip():
            lines.append(current)
            current = " " * indent
        while width(current + word) > room:
            head = cut(word, room - width(current), "")
            if not head:
                break
            lines.append(current + head)
            current, word = " " * indent, word[len(head) :]
        current += word
    return (*lines, current)


def flow(items: Sequence[str], room: int) -> list[str]:
    """Items with commas between them on as many lines as they need, none of them broken."""
    lines = [""]
    for number, item in enumerate(items):
        item = safe_text(item) + ("," if number + 1 < len(items) else "")
        if lines[-1] and width(lines[-1]) + 1 + width(item) > room:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + item
    return lines


def splice(spans: Iterable[Span], at: int, put: Iterable[Span]) -> Line:
    """The line with the cells from `at` on covered by `put`."""
    spans, put = list(spans), list(put)
    end = at + cells(put)
    return [*piece(spans, 0, at), *put, *piece(spans, end, cells(spans))]


class Frame:
    """Rows between borders. A row is one pane wide, or two with a border at cell `split`."""

    def __init__(self, cols: int) -> None:
        self.cols = cols
        self.rows: list[Line] = []

    def rule(
        self,
        ends: str,
        title: str = "",
        *,
        split: int | None = None,
        joint: str = "─",
        second: str = "",
        right: str = "",
        accent: bool = False,
        remark: str = "",
        above: int | None = None,
    ) -> None:
        """A border between `ends`, with `joint` at `split` and titles in it.

        `second` is the title of the right pane, `right` a remark at the right end, `remark` one at
        the end of the left pane, or from the cell `above` on, where there is room for it.
        """
        border = list(ends[0] + "─" * (self.cols - 2) + ends[1])
        if split is not None:
            border[split] = joint
        put: list[tuple[int, Span]] = []
        if title:
            end = (split if second and split else self.cols) - (width(right) + 3 if right else 0)
            style = "accent" if accent else "head"
            put.append((2, span(f" {cut(safe_text(title), end - 6)} ", style)))
        if remark and split is not None:
            start = split - 3 - width(remark) if above is None else above - 1
            if width(title) + 5 < start and start + width(remark) + 3 <= split:
                put.append((start, span(f" {remark} ", "dim")))
        if second and split is not None:
            text = cut(safe_text(second), self.cols - split - 6)
            put.append((split + 2, Span("head", f" {text} ")))
        if right:
            right = cut(safe_text(right), max(self.cols // 2, self.cols - width(title) - 12))
            put.append((self.cols - 4 - width(right), span(f" {right} ", "dim")))
        row: Line = []
        at = 0
        for start, part in put:
            row += [_frame("".join(border[at:start])), part]
            at = start + cells((part,))
        row.append(_frame("".join(border[at:])))
        self.rows.append(row)

    def row(self, spans: Iterable[Span], *, thumb: bool = False) -> None:
        """One row over the whole width."""
        self.rows.append(
            [_frame("│ "), *fit(spans, self.cols - 4), _frame(" ┃" if thumb else " │")]
        )

    def section(
        self,
        title: str,
        lines: Iterable[Line],
        *,
        split: int | None = None,
        right: str = "",
        accent: bool = False,
    ) -> None:
        """Rows over the whole width below a border; `split` is where two panes above it end."""
        joint = "─" if split is None else "┴"
        self.rule("├┤", title, split=split, joint=joint, right=right, accent=accent)
        for spans in lines:
            self.row(spans)

    def pair(
        self, left: Iterable[Span], right: Iterable[Span], split: int, *, thumb: bool = False
    ) -> None:
        """One row in two panes; `thumb` thickens the right border, as what a scroll bar slides."""
        self.rows.append(
            [
                _frame("│ "),
                *fit(left, split - 3),
                _frame(" │ "),
                *fit(right, self.cols - split - 4),
                _frame(" ┃" if thumb else " │"),
            ]
        )

    def half_rule(self, left: Iterable[Span], split: int, title: str) -> None:
        """A border through the right pane only."""
        room = self.cols - split - 2
        says = f" {cut(safe_text(title), room - 4)} "
        self.rows.append(
            [
                _frame("│ "),
                *fit(left, split - 3),
                _frame(" ├─"),
                Span("head", says),
                _frame("─" * (room - 1 - width(says)) + "┤"),
            ]
        )


def _frame(text: str) -> Span:
    return Span("frame", text)


def box(
    title: str, content: Sequence[Line], room: int, foot: str = "", thumb: range = range(0)
) -> list[Line]:
    """A framed box with `room` cells inside; its right border is thick at the rows of `thumb`."""
    frame = Frame(room + 4)
    frame.rule("┌┐", title, accent=True)
    for number, spans in enumerate(content):
        frame.row(spans, thumb=number in thumb)
    frame.rule("└┘", "", right=foot)
    return frame.rows


def overlay(screen: Sequence[Line], over: Sequence[Line]) -> list[Line]:
    """The screen with a box in the middle of it, above the last two rows and below the first.

    What lies behind the box is dim, all of it: no key reaches it. A cell is free on either side of
    the box, so that no word of it runs into the frame.
    """
    behind = [[Span("dim", part.text) for part in spans] for spans in screen[1:-2]]
    rows = [list(screen[0]), *behind, *(list(spans) for spans in screen[-2:])]
    wide = cells(rows[0])
    size = max(cells(spans) for spans in over)
    room = len(rows) - 2
    over = over[:room]
    top = max((room - len(over)) // 2, min(1, room - len(over)))
    left = (wide - size) // 2
    free = Span("", " " if left > 1 else "")
    for number, spans in enumerate(over, start=top):
        box = [free, *fit(spans, size), free]
        rows[number] = splice(rows[number], left - len(free.text), box)
    return rows


def to_ascii(rows: Iterable[Line]) -> list[Line]:
    """The same rows with ASCII signs in the place of the drawing characters."""
    return [
        [Span(part.style, part.text.translate(ASCII), part.target) for part in spans]
        for spans in rows
    ]


def text_of(rows: Iterable[Line]) -> str:
    """The rows as plain text, for tests."""
    return "\n".join("".join(part.text for part in spans) for spans in rows)
