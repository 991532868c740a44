"""Pictures of the real screen for the README: `python -m tools.screenshots`.

Plays a table to a certain moment, lets the full-screen client hear all of it, and draws what
prompt_toolkit would send to the terminal, as SVG, on a dark and on a light background. Colours are
those of xterm. Frames are drawn as lines, since hardly any font joins them without gaps; every
run of text is told how wide it is, so that columns stay columns in whatever font there is.

The table is a stage of the tests, because the moments are chosen there: with a seed, the same
pictures come out every time.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple
from xml.sax.saxutils import escape

from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import Attrs

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from client.tui.colours import XTERM
from client.tui.tables import WELCOME, Stage, you_follow
from dalmuti.client.model import DealChecked, LinkChanged
from dalmuti.client.session import Ended
from dalmuti.client.tui.app import Screen
from dalmuti.client.tui.control import Options
from dalmuti.core.options import TableOptions
from dalmuti.protocol.messages import Lobby, Request, TableInfo
from dalmuti.protocol.text import width

PICTURES: Final = Path(__file__).parents[1] / "docs" / "pictures"
COLS, ROWS = 120, 40
CELL, LINE, SIZE, MARGIN = 9, 19, 15, 14
"""Pixels: width and height of a cell, of the letters, and around it all."""
GROUNDS: Final = {"dark": ("#16161c", "#e5e5e5"), "light": ("#fdfdfb", "#1c1c1c")}
"""Background and text. Not quite black and white, which is what most terminals have."""

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
STROKES: Final = {
    "─": LEFT | RIGHT,
    "│": UP | DOWN,
    "┌": DOWN | RIGHT,
    "┐": DOWN | LEFT,
    "└": UP | RIGHT,
    "┘": UP | LEFT,
    "╭": DOWN | RIGHT,
    "╮": DOWN | LEFT,
    "╰": UP | RIGHT,
    "╯": UP | LEFT,
    "├": UP | DOWN | RIGHT,
    "┤": UP | DOWN | LEFT,
    "┬": DOWN | LEFT | RIGHT,
    "┴": UP | LEFT | RIGHT,
    "┼": UP | DOWN | LEFT | RIGHT,
}


BLOCKS: Final = {"█": (0, 4, CELL, LINE - 8), "┃": (CELL / 2 - 1.5, 0, 3, LINE)}
"""Filled ones: left, top, width and height in the cell."""


class Cell(NamedTuple):
    """What stands in one cell of the terminal; the second half of a wide character is empty."""

    text: str
    look: Attrs


class Told:
    """A session that says what it was given, and nothing after that."""

    def __init__(self, messages: Sequence[Any]) -> None:
        self.messages = messages
        self.told = asyncio.Event()
        self.over = asyncio.Event()

    def request(self, message_type: type[Request], **fields: Any) -> int:
        return 1

    def close(self, leave: bool = True, ended: Ended | None = None) -> None:
        self.over.set()

    async def run(self, on_message: Callable[[Any], None]) -> Ended:
        for message in self.messages:
            on_message(message)
        self.told.set()
        await self.over.wait()
        return Ended("left")


async def photograph(
    messages: Sequence[Any], options: Options, cols: int = COLS, rows: int = ROWS
) -> list[list[Cell]]:
    """The cells of the running client after it has heard all `messages`."""

    class Wall(io.StringIO):
        encoding = "utf-8"

        def isatty(self) -> bool:
            return True

    with create_pipe_input() as pipe:
        output = Vt100_Output(
            Wall(),
            lambda: Size(rows=rows, columns=cols),
            term="xterm-256color",
            default_color_depth=ColorDepth.DEPTH_4_BIT,
            enable_cpr=False,
        )
        session, rendered = Told(messages), asyncio.Event()
        screen = Screen(session, options=options, input=pipe, output=output)
        screen.app.after_render += lambda _: rendered.set()
        running = asyncio.create_task(screen.run())
        await session.told.wait()
        rendered.clear()
        screen.app.invalidate()
        await rendered.wait()
        shown = screen.app.renderer.last_rendered_screen
        assert shown is not None
        looks = screen.app.renderer._attrs_for_style
        assert looks is not None
        grid = []
        for y in range(rows):
            row = [shown.data_buffer[y][x] for x in range(cols)]
            grid.append([Cell(char.char if char.width else "", looks[char.style]) for char in row])
        screen.interrupt()
        await running
    return grid


# -- drawing ------------------------------------------------------------------------------------


def svg(grid: Sequence[Sequence[Cell]], ground: str, title: str) -> str:
    """The cells as a picture on the `dark` or the `light` ground."""
    wide, high = len(grid[0]) * CELL + 2 * MARGIN, len(grid) * LINE + 2 * MARGIN
    back, front = GROUNDS[ground]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}"'
        f' height="{high}" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{wide}" height="{high}" rx="8" fill="{back}"/>',
        '<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace"'
        f' font-size="{SIZE}" xml:space="preserve">',
    ]
    for number, row in enumerate(grid):
        at = 0
        while at < len(row):
            end = at + 1
            while end < len(row) and _joins(row[at], row[end]):
                end += 1
            while end < len(row) and not row[end].text:
                end += 1  # the second half of what is wide
            parts += _run(row[at:end], at, number, back, front)
            at = end
    return "\n".join([*parts, "</g>", "</svg>", ""])


def _joins(first: Cell, other: Cell) -> bool:
    """Whether two cells are drawn in one go: the same look, and no frame or wide one in them."""
    return first.look == other.look and all(
        cell.text not in STROKES and len(cell.text) == 1 and cell.text.isascii()
        for cell in (first, other)
    )


def _run(cells: Sequence[Cell], at: int, line: int, back: str, front: str) -> list[str]:
    text, look = "".join(cell.text for cell in cells), cells[0].look
    x, y, wide = MARGIN + at * CELL, MARGIN + line * LINE, len(cells) * CELL
    ink, paper = _colour(look.color, front), _colour(look.bgcolor, back)
    if look.reverse:
        ink, paper = paper, ink
    parts = []
    if paper != back:
        parts.append(f'<rect x="{x}" y="{y}" width="{wide}" height="{LINE}" fill="{paper}"/>')
    faint = ' opacity="0.6"' if look.dim else ""
    if text in STROKES:
        return [*parts, f'<path d="{_stroke(text, x, y)}" stroke="{ink}" fill="none"{faint}/>']
    if text in BLOCKS:
        left, top, across, down = BLOCKS[text]
        place = f'x="{x + left}" y="{y + top}" width="{across}" height="{down}"'
        return [*parts, f'<rect {place} fill="{ink}"{faint}/>']
    if look.underline:
        parts.append(f'<path d="M{x} {y + 16.5}h{wide}" stroke="{ink}" fill="none"{faint}/>')
    if text.strip():
        bold = ' font-weight="bold"' if look.bold else ""
        slant = ' font-style="italic"' if look.italic else ""
        lead = (len(text) - len(text.lstrip())) * CELL
        told = text.strip()
        size = f' textLength="{width(told) * CELL}" lengthAdjust="spacingAndGlyphs"'
        parts.append(
            f'<text x="{x + lead}" y="{y + 14}" fill="{ink}"{size}{bold}{slant}{faint}>'
            f"{escape(told)}</text>"
        )
    return parts


def _stroke(sign: str, x: float, y: float) -> str:
    """The path of a frame character in its cell."""
    middle, half = x + CELL / 2, y + LINE / 2
    lines = STROKES[sign]
    if sign in "╭╮╰╯":
        end = x if lines & LEFT else x + CELL
        top = y if lines & UP else y + LINE
        return f"M{middle} {top}Q{middle} {half} {end} {half}"
    ends = {UP: (middle, y), DOWN: (middle, y + LINE), LEFT: (x, half), RIGHT: (x + CELL, half)}
    return "".join(f"M{middle} {half}L{a} {b}" for way, (a, b) in ends.items() if lines & way)


def _colour(name: str | None, usual: str) -> str:
    return XTERM[name] if name else usual


# -- the moments --------------------------------------------------------------------------------


class Recorded(Stage):
    """A stage that remembers what it said."""

    def __init__(self, *args: Any, **more: Any) -> None:
        self.said: list[Any] = []
        super().__init__(*args, **more)

    def tell(self, message: Any) -> None:
        self.said.append(message)
        super().tell(message)


def lobby() -> Sequence[Any]:
    """Four tables."""
    points = TableOptions(scoring="points", match_end="hands:5")
    tables = (
        TableInfo(
            table="Kitchen", options=TableOptions(), state="waiting", people=3, bots=2, host="Ada"
        ),
        TableInfo(table="Garage", options=TableOptions(seats=4), state="hand", hand=3, people=4),
        TableInfo(
            table="Night owls", options=points, state="between", hand=4, people=6, locked=True
        ),
        TableInfo(table="Practice", options=TableOptions(seats=6), state="waiting", bots=5),
    )
    people = ("Ada", "Frédéric", "王小明", "Barbara")
    return [LinkChanged("open"), WELCOME, Lobby(tables=tables, people=people)]


def play() -> Sequence[Any]:
    """Eight at a table, and much to choose from."""

    def a_good_moment(stage: Stage) -> bool:
        return you_follow(stage) and stage.hand.tricks == 1 and len(stage.hand.acts) > 3

    stage = Recorded(8, seed=80)
    stage.deal().run(a_good_moment)
    stage.chat(4, "好的 pass again")
    return stage.said


def result() -> Sequence[Any]:
    """After the third hand, for points."""
    options = TableOptions(seats=8, scoring="points", match_end="hands:5")
    stage = Recorded(8, seed=9, options=options)
    for number in (1, 2, 3):
        stage.deal().finish()
        stage.tell(DealChecked(number))
    return stage.said


MOMENTS: Final = {
    "lobby": (lobby, "The lobby of a server with four tables"),
    "play": (play, "Eight players around a table, the set to beat in the middle"),
    "result": (result, "The result of a hand: who moved up and who moved down"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Writes all pictures; with `--theme` in other colours, with `--to` into another folder."""
    parser = argparse.ArgumentParser(prog="python -m tools.screenshots", description=__doc__)
    parser.add_argument("--to", type=Path, default=PICTURES, help="the folder to write to")
    parser.add_argument("--theme", default="default")
    given = parser.parse_args(argv)
    given.to.mkdir(parents=True, exist_ok=True)
    for name, (moment, title) in MOMENTS.items():
        options = Options(theme=given.theme, watch_draw=False)
        grid = asyncio.run(photograph(moment(), options))
        for ground in GROUNDS:
            (given.to / f"{name}-{ground}.svg").write_text(svg(grid, ground, title))
    return 0


if __name__ == "__main__":
    sys.exit(main())
