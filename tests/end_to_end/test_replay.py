"""`dalmuti replay` on a real terminal: stepping by keys and mouse, and by lines."""

from __future__ import annotations

import re
import signal
import sys
from pathlib import Path

import pytest

from client.replay.matches import an_evening
from dalmuti.core.record import dumps
from end_to_end.terminal import Terminal, clean_environment
from end_to_end.test_screen import press_enter_until

DALMUTI = [sys.executable, "-m", "dalmuti.client.cli"]


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "match.txt"
    path.write_text(dumps(an_evening(4, 2, seed=3).record()), encoding="utf-8")
    return str(path)


def test_stepping_on_the_full_screen(file: str, tmp_path: Path) -> None:
    env = clean_environment(tmp_path)
    with Terminal([*DALMUTI, "replay", file], env) as terminal:
        terminal.until("hand 1 of 2 · all cards open")
        terminal.send("\x1b[C")
        terminal.until("Move 2 of")
        terminal.send("gt3\r")
        terminal.until(re.compile(r"\| trick 3 of").search)
        terminal.send("1")
        terminal.until(lambda text: "seen by" in text and "Your hand:" in text)
        terminal.send("\x1b[<0;40;23M\x1b[<0;40;23m")
        terminal.until(lambda text: not re.search(r"\| trick 3 of", text))
        terminal.resize(40, 120)
        terminal.until(lambda text: "n p hand" in text)
        terminal.send("o")
        terminal.until("all cards open")
        terminal.send("n>")
        terminal.until(lambda text: "Hand 2 is over" in text and "The record ends here." in text)
        terminal.send("q")
        assert terminal.wait() == 0
        assert terminal.left_on() == []


def test_the_hand_just_played_from_its_result(tmp_path: Path) -> None:
    env = clean_environment(tmp_path)
    command = "play --seats 3 --bot-delay 0 --name Grace".split()
    with Terminal([*DALMUTI, *command], env) as terminal:
        press_enter_until(terminal, "Hand 1 is over")
        terminal.until("r replay")
        terminal.send("r")
        terminal.until(lambda text: "seen by Grace" in text and "Move 1 of" in text)
        terminal.send("++++ ")
        terminal.until("Move 4 of")
        terminal.send("q")
        terminal.until("Hand 1 is over")
        terminal.send("r")
        terminal.until("seen by Grace")
        terminal.send("\x03")
        assert terminal.wait() == 0
        assert terminal.left_on() == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_the_terminal_as_it_was(
    number: signal.Signals, file: str, tmp_path: Path
) -> None:
    with Terminal([*DALMUTI, "replay", file], clean_environment(tmp_path)) as terminal:
        terminal.until("all cards open")
        terminal.send(" ")
        terminal.until("playing 1x")
        terminal.process.send_signal(number)
        assert terminal.wait() == 128 + number
        assert terminal.left_on() == []


def test_ctrl_c_leaves_the_terminal_as_it_was(file: str, tmp_path: Path) -> None:
    env = clean_environment(tmp_path)
    with Terminal([*DALMUTI, "replay", file, "--as", "Bea", "--ascii"], env) as terminal:
        terminal.until("seen by Bea")
        terminal.send("\x03")
        assert terminal.wait() == 0
        assert terminal.left_on() == []


@pytest.mark.parametrize("mode", [["--line"], ["--plain", "--step"]])
def test_stepping_by_lines(mode: list[str], file: str, tmp_path: Path) -> None:
    env = clean_environment(tmp_path)
    with Terminal([*DALMUTI, "replay", file, *mode], env) as terminal:
        terminal.until("Type next, or an empty line, to go on")
        terminal.send("trick 2\r")
        terminal.until("trick 2.")
        terminal.send("as Bea\r")
        terminal.until("You hold ")
        terminal.send("quit\r")
        assert terminal.wait() == 0
        assert terminal.left_on() == []
        if "--plain" in mode:
            assert b"\x1b" not in terminal.raw
