"""Somebody who knows nothing of the game finishes the lesson by doing what it says.

The scripts here read which key the lesson tells them to press, or which word to type, and do it.
They know nothing of cards, turns or rules; they look at nothing but the sentence with the key.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from end_to_end.spoken import Spoken
from end_to_end.terminal import Terminal, clean_environment
from end_to_end.test_screen import DALMUTI

PRESS = re.compile(r"▶ Press (\w+)(?:, then (\w+))?")
KEYS = {"Enter": "\r", "Space": " "}
TYPE = re.compile(r"^(?:Press|Type) (\S+?),?(?: |$)")
PANE = re.compile(r"─ Lesson ─+┐\n(.*?)\n├", re.DOTALL)
EXPLAINED = (
    "draws a card for a title", "Titles are places", "call a revolution now", "Taxes: you are paid",
    "play a set, any number of cards of one rank", "To follow you need exactly as many",
    "you can only pass", "You may pass although", "You hold a Jester", "the trick is over",
    "The order of going out",
)  # fmt: skip  # words, not a column of them
"""What has to come up."""


def lesson(text: str) -> str:
    """What stands in the lesson's pane."""
    found = PANE.search(text)
    rows = found[1].split("\n") if found else []
    return " ".join(" ".join(row.strip("│ ") for row in rows).split())


def told(text: str) -> re.Match[str] | None:
    """The keys that the lesson names, once the screen is drawn down to its last line."""
    return PRESS.search(text) if "? help" in text.rstrip().split("\n")[-1] else None


def press(terminal: Terminal, key: str) -> None:
    """Presses a key and looks what comes of it: Enter may do nothing, as a turn arrives."""
    before = terminal.text()
    terminal.send(KEYS.get(key, key))
    for _ in range(6 if key == "Enter" else 200):
        if terminal.process.poll() is not None or terminal.text() != before:
            return
        terminal.pump(0.05)


def test_on_the_screen(tmp_path: Path) -> None:
    env = clean_environment(tmp_path)
    command = [*DALMUTI, *"play --learn --bot-delay 0 --name Newcomer".split()]
    seen: dict[str, str] = {}
    pressed: list[str] = []
    with Terminal(command, env) as terminal:
        while "y" not in pressed:
            text = terminal.until(told)
            seen.setdefault(lesson(text), text)
            keys = told(text)
            assert keys is not None
            for key in filter(None, keys.groups()):
                press(terminal, key)
                pressed.append(key)
        assert terminal.wait() == 0
        assert terminal.left_on() == []
        assert "The match was saved: " in terminal.text()
    everything = " ".join(seen)
    assert [text for text in EXPLAINED if text not in everything] == []
    assert {"Enter", "Space", "j", "q", "y"} == set(pressed)
    for text in seen.values():  # the pane covers nothing: the cards are there beside every lesson
        assert "─ Your hand: " in text or "draw 1" in text or "is over" in text, text


def test_in_plain_mode(tmp_path: Path) -> None:
    command = "play --learn --plain --bot-delay 0 --name Newcomer".split()
    with Spoken(command, clean_environment(tmp_path)) as newcomer:
        while (line := newcomer.next()) is not None:
            found = TYPE.match(line)
            if found:
                newcomer.answer("" if found[1] == "Enter" else found[1].rstrip(".,;"))
        assert newcomer.process.wait(60) == 0
        said = "\n".join(newcomer.said)
        assert b"\x1b" not in newcomer.raw and b"\a" not in newcomer.raw
    assert [text for text in EXPLAINED if text not in said] == []
    lessons = [line for line in newcomer.said if line.startswith("Lesson: ")]
    assert len(lessons) == len(set(lessons))
    assert "Hand 1: deal verified." in said
    assert re.search(r"^You (go (up|down) \d places?|keep your place): ", said, re.MULTILINE)


def test_a_lesson_has_a_table_of_its_own(tmp_path: Path) -> None:
    with Spoken("play --learn --plain --seats 6".split(), clean_environment(tmp_path)) as refused:
        assert refused.wait() == 2
    assert refused.said == [
        "dalmuti play: --learn: expected no --seats, --seed, --rules or --level: the lesson has"
        " its own."
    ]


@pytest.mark.parametrize("command", ["host --port 0 --bind 127.0.0.1", "join 127.0.0.1:1"])
def test_no_advice_against_people(command: str, tmp_path: Path) -> None:
    arguments = [*command.split(), "--advice", "--plain"]
    with Spoken(arguments, clean_environment(tmp_path)) as refused:
        assert refused.wait() == 2
    assert len(refused.said) == 1 and "a game against bots alone" in refused.said[0]


def test_advice_in_plain_mode(tmp_path: Path) -> None:
    """A sentence with every choice, and on demand."""
    command = "play --advice --plain --bot-delay 0 --hands 1 --seed 7 --name Ada".split()
    with Spoken(command, clean_environment(tmp_path)) as ada:
        assert ada.until("Your turn: ")
        first = ada.until("The expert: ")
        ada.answer("advice")
        assert ada.until("The expert: ") == first
        assert re.fullmatch(r"The expert: .+?(, for \d\.\d\d points; .+ \d\.\d\d)?\.", first)
        ada.answer("")
        assert ada.play_on([""], "Hand 1 is over.")
        assert ada.wait() == 0
