"""Bell and window title on a real terminal, and away and back, in every mode."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from end_to_end.terminal import Terminal, clean_environment
from end_to_end.test_screen import ASKS, DALMUTI

TITLE = re.compile(rb"\x1b\]2;(.*?)\x07")
PLAY = "play --seats 3 --bot-delay 0 --name Ada"


def bells(raw: bytes) -> int:
    """How often the bell rang; a title ends with the same byte."""
    return TITLE.sub(b"", raw).count(b"\a")


def settings(home: Path, text: str) -> None:
    file = home / "config" / "dalmuti" / "settings.toml"
    file.parent.mkdir(parents=True)
    file.write_text(text)


@pytest.mark.parametrize("off", ["", "--no-bell --no-title --no-mouse", "settings"])
def test_on_the_screen(off: str, tmp_path: Path) -> None:
    if off == "settings":
        settings(tmp_path, "bell = false\ntitle = false\nmouse = false\n")
    arguments = [*PLAY.split(), *(off.split() if off.startswith("--") else ())]
    with Terminal([*DALMUTI, *arguments], clean_environment(tmp_path)) as terminal:
        terminal.until(lambda text: ASKS.search(text))
        if not off:
            terminal.until(lambda _: terminal.screen.title == "Your turn - Dalmuti")
            terminal.until(lambda _: bells(bytes(terminal.raw)))
        terminal.send("\x03")
        assert terminal.wait() == 0
        assert terminal.left_on() == []
        raw = bytes(terminal.raw)
    titles = TITLE.findall(raw)
    assert (b"\x1b[?1000h" in raw) is not bool(off)
    if off:
        assert titles == [] and bells(raw) == 0
    else:
        assert titles[-1] == b"" and {b"Your turn - Dalmuti"} <= set(titles)
        # The terminal's own title is put aside once, and taken back once, at the end.
        assert raw.count(b"\x1b[22;2t") == raw.count(b"\x1b[23;2t") == 1
        assert raw.index(b"\x1b[22;2t") < raw.index(b"\x1b]2;") < raw.rindex(b"\x1b[23;2t")


@pytest.mark.parametrize("off", [[], ["--no-bell"]])
def test_in_plain_mode_on_a_terminal(off: list[str], tmp_path: Path) -> None:
    """A bell, and still not one escape byte."""
    command = [*DALMUTI, *PLAY.split(), "--plain", *off]
    with Terminal(command, clean_environment(tmp_path)) as terminal:
        terminal.until("Your turn: ")
        terminal.send("leave\n")
        assert terminal.wait() == 0
        raw = bytes(terminal.raw)
    assert raw.count(b"\a") == 0 if off else raw.count(b"\a") > 0
    assert b"\x1b" not in raw


@pytest.mark.parametrize("mode", ["", "--line", "--plain"])
def test_away_and_back(mode: str, tmp_path: Path) -> None:
    """The stand-in plays while we are away, and we play when we are back."""
    slash, enter = ("/", "\r") if not mode else ("", "\r" if mode == "--line" else "\n")
    command = [*DALMUTI, *"play --seats 3 --bot-delay 1 --name Ada".split(), *mode.split()]
    with Terminal(command, clean_environment(tmp_path), rows=40) as terminal:
        terminal.until(lambda text: ASKS.search(text))
        terminal.send("\x1b" if not mode else "")  # past the first draw
        terminal.until(lambda text: "Your turn: " in text or "Your decision" in text)
        terminal.send(f"{slash}away{enter}")
        terminal.until("You are away;")
        terminal.send(f"{slash}back{enter}")
        terminal.until("You are back.")
        if mode:
            terminal.send(f"leave{enter}")
        else:
            terminal.send("q")
            terminal.until("stay")
            terminal.send("y")
        assert terminal.wait() == 0
