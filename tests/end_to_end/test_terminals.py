"""Terminals that lack something: UTF-8, colours, a cursor that moves; and what is done about it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from end_to_end.terminal import Terminal, clean_environment

PLAY = [sys.executable, "-m", "dalmuti.client.cli", "play", "--seed", "5", "--name", "Grace"]
SGR = re.compile(rb"\x1b\[([0-9;]*)m")
NO_UTF8 = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def dealt(tmp_path: Path, **environment: str) -> Terminal:
    """A terminal with a hand of cards on it."""
    terminal = Terminal(PLAY, clean_environment(tmp_path, **environment))
    terminal.until("first titles")
    terminal.send("\x1b")
    terminal.until("Your hand: 20 cards")
    return terminal


def attributes(terminal: Terminal) -> set[int]:
    """All that was ever said about colours and weights of letters."""
    return {int(n or 0) for found in SGR.findall(bytes(terminal.raw)) for n in found.split(b";")}


def test_without_utf8_all_is_drawn_in_ascii(tmp_path: Path) -> None:
    with dealt(tmp_path, **NO_UTF8) as terminal:
        assert bytes(terminal.raw).isascii()
        assert "+--" in terminal.text() and "??" not in terminal.text()
        terminal.send("?")
        terminal.until("Esc closes")
        assert bytes(terminal.raw).isascii() and "??" not in terminal.text()


@pytest.mark.parametrize("term", ["xterm-256color", "linux"])
def test_colours_are_the_sixteen_of_the_terminal(term: str, tmp_path: Path) -> None:
    with dealt(tmp_path, TERM=term) as terminal:
        said = attributes(terminal)
        assert said & set(range(30, 38))
        assert not said & {38, 48, 5, 6}  # more colours, a background of ours, blinking


def test_no_color(tmp_path: Path) -> None:
    with dealt(tmp_path, NO_COLOR="1") as terminal:
        said = attributes(terminal)
        assert not {n for n in said if 30 <= n < 50 or 90 <= n < 108}
        assert {1, 7} & said  # what is chosen still stands out


@pytest.mark.parametrize("term", ["dumb", "unknown"])
def test_a_terminal_that_moves_no_cursor_gets_sentences(term: str, tmp_path: Path) -> None:
    with Terminal(PLAY, clean_environment(tmp_path, TERM=term)) as terminal:
        terminal.until("Your turn: ")
        assert b"\x1b" not in terminal.raw
        terminal.send("quit\n")
        assert terminal.wait() == 0
