"""Names and chat that are made to break a screen change nothing but their own cells.

Every picture is drawn twice: with hostile names, and with names of the same width that are made of
one harmless letter, which stands nowhere else. Whatever is not such a letter has to be the same.
"""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace
from tools.screenshots import Recorded, photograph

from client.tui.tables import you_follow
from client.tui.test_screens import PICTURES, SIZES, Picture, selector_of
from dalmuti.client.model import Line as LogLine
from dalmuti.client.model import Model
from dalmuti.client.tui.canvas import Line
from dalmuti.client.tui.control import Options
from dalmuti.client.tui.screens import render
from dalmuti.client.tui.state import Ui
from dalmuti.protocol.text import safe_text, width

FILL = "ø"
CORPUS = (
    "王小明王小明王小明王",  # 20 cells of wide characters
    "👨‍👩‍👧‍👦 family 👍🏽",  # joined, with a skin tone
    "\u202egnorw yaw\u202c",  # turned round
    "e\u0301\u0302\u0303\u0304\u0305\u0306\u0307x",  # climbs over other lines
    "مرحبا بالعالم",
    "🇨🇿🇫🇷 flags ❤️⚠️",
    "\x1b[2J\x1b[31mred\x07\x9b1m",
    "a\tb\nc\rd\u2028e\u0085f",
    "\u200b\u2060\ufeff\u3164hidden\u115f",
    "│┃┌─┐ [sel] ▶ you",
)
"""Ten names, one a player."""
CHAT = (
    *CORPUS,
    "wide " * 30 + "王" * 60,
    "\u0e01\u0e33" * 30,
    "ﷺ" * 40,
    "‮" * 100 + "x",
    "nospaceatall" * 16,
)


def harmless(text: str) -> str:
    """As many cells of the harmless letter, with spaces where the text has them."""
    return "".join(char if char == " " else FILL * width(char) for char in safe_text(text))


def cells_of(spans: Line) -> list[str]:
    """What is in each cell of a line; the second half of a wide character is empty."""
    cells: list[str] = []
    for char in "".join(part.text for part in spans):
        size = width(char)
        if size:
            cells += [char, *[""] * (size - 1)]
        else:
            cells[-1] += char
    return cells


def grid(model: Model, picture: Picture, cols: int, rows: int) -> list[list[str]]:
    return [cells_of(spans) for spans in render(model, picture[1], cols, rows, picture[2])]


def named(model: Model, names: list[str]) -> Model:
    """The model with other names in the table, and with nothing in the log."""
    lobby, table = model.lobby, model.table
    if lobby is not None:
        people = tuple(names[: len(lobby.people)])
        tables = tuple(
            replace(info, table=name) for info, name in zip(lobby.tables, names, strict=False)
        )
        lobby = replace(lobby, people=people, tables=tables)
    if table is not None:
        players = tuple(
            replace(info, name=name) for info, name in zip(table.players, names, strict=False)
        )
        table = replace(table, players=players, table=names[0], watchers=tuple(names[:2]))
    return replace(model, lobby=lobby, table=table, log=())


@pytest.mark.parametrize("ascii_signs", [False, True])
@pytest.mark.parametrize("cols,rows", (*SIZES, (200, 60)))
@pytest.mark.parametrize("name", PICTURES)
def test_a_name_changes_no_cell_but_its_own(
    name: str, cols: int, rows: int, ascii_signs: bool
) -> None:
    picture = PICTURES[name](10)
    picture[1].ascii = ascii_signs
    hostile = grid(named(picture[0], list(CORPUS)), picture, cols, rows)
    plain = grid(named(picture[0], [harmless(each) for each in CORPUS]), picture, cols, rows)
    for row, other in zip(hostile, plain, strict=True):
        assert len(row) == len(other) == cols
        for at, cell in enumerate(other):
            # Where a name is cut off, half a wide character is a space, and the dots come earlier.
            near = other[max(0, at - 2) : at]
            if cell != FILL and not (FILL in near and cell in "…~ "):
                assert row[at] == cell, ("".join(row), "".join(other))


@pytest.mark.parametrize("cols,rows", (*SIZES, (200, 60)))
@pytest.mark.parametrize("name", PICTURES)
def test_chat_changes_no_cell_outside_the_log(name: str, cols: int, rows: int) -> None:
    model, ui, now = PICTURES[name](8)

    def with_log(texts: tuple[str, ...]) -> list[list[str]]:
        log = tuple(LogLine("chat", text) for text in texts)
        return grid(replace(model, log=log), (model, ui, now), cols, rows)

    pane = with_log((FILL * (cols * 3),) * 60)
    filled = [at for row in pane for at, cell in enumerate(row) if cell == FILL]
    log = range(min(filled, default=0) - 2, max(filled, default=0) + 1)  # lines may be indented
    hostile, empty = with_log(CHAT), with_log(())
    # The key that scrolls is named where there is more of the log than its pane shows.
    assert hostile[-1] in (pane[-1], empty[-1])
    for where, row, other in zip(pane[:-1], hostile[:-1], empty[:-1], strict=True):
        assert len(row) == cols
        for at, cell in enumerate(other):
            bar = "│" if row[at] == "┃" else row[at]
            assert (FILL in where and at in log) or bar == cell, "".join(row)


@pytest.mark.parametrize("cols,rows", SIZES)
def test_the_toolkit_puts_every_character_into_the_cell_that_we_count(cols: int, rows: int) -> None:
    """What prompt_toolkit would send to the terminal, cell by cell."""
    stage = Recorded(10, seed=1, names=CORPUS, table=CORPUS[1])
    stage.deal().run(you_follow)
    for player, text in enumerate(CHAT, start=1):
        stage.chat(player % 10 + 1, text)
    shown = asyncio.run(photograph(stage.said, Options(watch_draw=False), cols, rows))
    ui = Ui(selector=selector_of(stage.model))
    ours = [cells_of(spans) for spans in render(stage.model, ui, cols, rows, stage.now)]
    assert [[cell.text for cell in row] for row in shown] == ours
