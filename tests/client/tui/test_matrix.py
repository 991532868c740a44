"""Every screen in every size, language and sign set: it fits, its frame is whole, nothing is lost.

The English pictures lie in `snapshots/`; here the others are looked at, in four sizes and with
Unicode and ASCII signs.
"""

from __future__ import annotations

import re
import unicodedata

import pytest

from client.tui.test_screens import HELPLESS, PICTURES, SIZES
from dalmuti.client.tui.canvas import ASCII, Line, cells, piece, text_of
from dalmuti.client.tui.screens import render

ALL_SIZES = (*SIZES, (110, 34), (200, 60))
EDGES = ("┌│├└", "┐│┤┘┃")
"""What a row between the first and the last two begins with and ends with."""
PLAIN_EDGES = ("+|", "+|#")


def edge_cells(spans: Line) -> tuple[str, str]:
    wide = cells(spans)
    first, last = piece(spans, 0, 1), piece(spans, wide - 1, wide)
    return text_of([first]), text_of([last])


@pytest.mark.parametrize("name", PICTURES)
def test_a_screen_fits_in_every_language_size_and_sign_set(language: str, name: str) -> None:
    model, ui, now = PICTURES[name](8)
    for cols, rows in ALL_SIZES:
        drawn = {}
        for plain in (False, True):
            ui.ascii = plain
            lines = drawn[plain] = render(model, ui, cols, rows, now)
            assert len(lines) == rows and {cells(spans) for spans in lines} == {cols}
            edges = PLAIN_EDGES if plain else EDGES
            for spans in lines[1:-2]:
                assert all(
                    cell in edge for cell, edge in zip(edge_cells(spans), edges, strict=True)
                )
            assert any(part.text == "?" for part in lines[-1]) or name in HELPLESS
        text = text_of(drawn[True])
        assert text == text_of(drawn[False]).translate(ASCII)
        # What is left beside ASCII are letters: of names, of chat, and of the language.
        assert not {
            char for char in text if not char.isascii() and unicodedata.category(char)[0] in "SZC"
        }
        assert not set("·…→←↑↓▶█┃") & set(text)


@pytest.mark.parametrize("name", PICTURES)
def test_nothing_of_a_screen_is_cut(language: str, name: str) -> None:
    """Names are short in the pictures; what is scrolled (` … `) may go on beyond its edge."""
    model, ui, now = PICTURES[name](10)
    for cols, rows in (*ALL_SIZES, (100, 30)):
        text = text_of(render(model, ui, cols, rows, now))
        cut = [row for row in text.splitlines() if re.search(r"[^ ]…", row)]
        assert cut == [] or language == "pseudo"
