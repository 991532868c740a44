"""Whole hands on a real terminal: what a person types, and what he reads on the screen."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from end_to_end.terminal import Terminal, clean_environment
from end_to_end.test_plain import titles

DALMUTI = [sys.executable, "-m", "dalmuti.client.cli"]
PLACE = re.compile(r"^ *(\d+)\. (.+), (\S.+?) *$", re.MULTILINE)
RESULT_ROW = re.compile(r"^│ +\d+ +\S", re.MULTILINE)
ASKS = re.compile(r"Your (?:turn|decision)|Enter go on")
"""What stands on the screen whenever Enter does something for the player."""


def press_enter_until(terminal: Terminal, wanted: str) -> str:
    """Presses Enter each time the screen asks for something, until it shows `wanted`."""
    answered = ""
    while wanted not in (text := terminal.until(lambda text: wanted in text or ASKS.search(text))):
        if text != answered:
            terminal.send("\r")
            answered = text
        terminal.pump(0.05)
        if text == terminal.text():
            answered = ""  # deaf while the turn arrived, or a draw that moves on by itself
    return text


@pytest.mark.parametrize(
    ("seats", "rows", "columns"),
    [(2, 24, 80), (3, 24, 80), (4, 24, 80), (7, 40, 120), (10, 24, 80)],
)
def test_a_hand_by_pressing_enter(seats: int, rows: int, columns: int, tmp_path: Path) -> None:
    """From the first screen to the result with one key, and the terminal is as it was before."""
    command = f"play --seats {seats} --hands 1 --bot-delay 0 --name Grace".split()
    env = clean_environment(tmp_path)
    with Terminal([*DALMUTI, *command], env, rows=rows, columns=columns) as terminal:
        press_enter_until(terminal, "Hand 1 is over")
        text = terminal.until(lambda text: len(RESULT_ROW.findall(text)) >= seats)
        for place, title in enumerate(titles(seats), start=1):
            assert re.search(rf"^│ +{place} +\S.* {title} ", text, re.MULTILINE), text
        terminal.until("Deal verified")
        terminal.send("\r")
        assert terminal.wait() == 0
        assert terminal.left_on() == []
        said = [(int(place), title) for place, _, title in PLACE.findall(terminal.text())]
        assert said == list(enumerate(titles(seats), start=1))
        assert "The match was saved: dalmuti replay" in terminal.text()
