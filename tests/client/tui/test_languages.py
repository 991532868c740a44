"""Every scene of the full screen in every language, and in one whose words are 40 % longer.

In the pseudo-locale no plain letter is left of a text that went through `tr`, so that a word of
English that is still there was never translatable.
"""

from __future__ import annotations

import re

import pytest

from client.languages import speaking
from client.tui.tables import NAMES
from client.tui.test_screens import JOIN, PICTURES, SEATS
from dalmuti.client.tui.canvas import Line, cells, text_of
from dalmuti.client.tui.screens import render

WORD = re.compile(r"[A-Za-z]{2,}")
SAID = (
    *NAMES,
    *JOIN,
    "Kitchen and friends",
    "one more? once again, pass?",
    "The server closed the connection. More.",
)
"""What people, tables and servers are called and say in the pictures."""
SAME = "Dalmuti F1 Tab chat xJ"
"""What is the same in all languages: the game, and what is typed as it stands."""


def drawn(name: str, seats: int, cols: int = 80, rows: int = 24) -> list[Line]:
    model, ui, now = PICTURES[name](seats)
    return render(model, ui, cols, rows, now)


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("name", PICTURES)
def test_every_line_fits_and_help_is_offered(language: str, name: str, seats: int) -> None:
    lines = drawn(name, seats)
    assert len(lines) == 24 and {cells(spans) for spans in lines} == {80}
    assert any(part.text == "?" for part in lines[-1])


@pytest.mark.parametrize("name", PICTURES)
def test_no_text_is_left_in_english(name: str) -> None:
    with speaking("pseudo"):
        model, ui, now = PICTURES[name](8)
        lines = render(model, ui, 120, 40, now)
    data = WORD.findall(" ".join((*SAID, SAME)))
    left = [
        word
        for word in WORD.findall(text_of(lines))
        # A name may be cut, or half behind a box.
        if not any(each.startswith(word) or each.endswith(word) for each in data)
    ]
    assert not left, left
