"""Ways out of the real program on a real pseudo-terminal: nothing of it is left behind."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from end_to_end.terminal import Terminal, clean_environment

PLAY = [sys.executable, "-m", "dalmuti.client.cli", "play", "--seed", "5", "--bot-delay", "0.1"]


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """Somebody who plays alone, with cards in his hand."""
    with Terminal(PLAY, clean_environment(tmp_path)) as terminal:
        terminal.until("first titles")
        terminal.send("\x1b")
        terminal.until("Your hand: 20 cards")
        yield terminal


def keys(text: str) -> Callable[[Terminal], None]:
    def press(terminal: Terminal) -> None:
        terminal.send(text)

    return press


def leave(terminal: Terminal) -> None:
    terminal.send("q")
    terminal.until("[y] leave")
    terminal.send("y")


def sends(number: signal.Signals) -> Callable[[Terminal], None]:
    def send(terminal: Terminal) -> None:
        os.kill(terminal.process.pid, number)

    return send


@pytest.mark.parametrize(
    ("way", "code"),
    [
        (keys("\x03"), 0),
        (leave, 0),
        (sends(signal.SIGINT), 0),
        (sends(signal.SIGTERM), 128 + signal.SIGTERM),
        (sends(signal.SIGHUP), 128 + signal.SIGHUP),
    ],
    ids=["Ctrl-C", "q y", "SIGINT", "SIGTERM", "SIGHUP"],
)
def test_the_terminal_is_as_it_was(
    way: Callable[[Terminal], None], code: int, terminal: Terminal
) -> None:
    way(terminal)
    assert terminal.wait() == code
    assert terminal.left_on() == []
    assert b"Traceback" not in terminal.raw


def test_a_size_that_changes(terminal: Terminal) -> None:
    terminal.resize(40, 120)
    terminal.until("Greater Dalmuti")
    terminal.resize(20, 60)
    terminal.until("too small")
    terminal.resize(24, 80)
    terminal.until(lambda text: "Your hand: 20 cards" in text and "G.Dalmuti" in text)
    terminal.send("\x03")
    assert terminal.wait() == 0 and terminal.left_on() == []
