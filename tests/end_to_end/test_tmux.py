"""What only a shell with job control shows: Ctrl-Z, `fg`, and the terminal between the two.

tmux is the terminal: it knows the alternate screen, and its shell gives the program a process group
of its own. Where there is no tmux these tests are skipped, and say so.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from end_to_end.terminal import PATIENCE, clean_environment

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed here")


class Tmux:
    """One tmux server with one window of 80x24 and a shell in it."""

    def __init__(self, home: Path) -> None:
        self._env = clean_environment(home)
        self._socket = str(home / "tmux")
        shell = "env PS1='ready> ' bash --norc --noprofile -i"
        self("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", shell)
        self("set-option", "-g", "status", "off")
        self("set-option", "-s", "escape-time", "0")
        self("resize-window", "-x", "80", "-y", "24")

    def __call__(self, *arguments: str) -> str:
        command = ["tmux", "-u", "-S", self._socket, *arguments]
        return subprocess.run(
            command, env=self._env, check=True, capture_output=True
        ).stdout.decode()

    def type(self, text: str, *keys: str) -> None:
        self("send-keys", "-l", text)
        self.press(*keys)

    def press(self, *keys: str) -> None:
        if keys:
            self("send-keys", *keys)

    def text(self) -> str:
        return self("capture-pane", "-p")

    def modes(self) -> str:
        """Alternate screen, mouse, cursor: 1 or 0 each."""
        return self(
            "display-message", "-p", "#{alternate_on}#{mouse_any_flag}#{cursor_flag}"
        ).strip()

    def until(self, holds: Callable[[], object]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < deadline, self.text()
            time.sleep(0.05)

    def shows(self, wanted: str) -> None:
        self.until(lambda: wanted in self.text())

    def close(self) -> None:
        self("kill-server")


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Tmux]:
    tmux = Tmux(tmp_path)
    try:
        yield tmux
    finally:
        tmux.close()


def check_cooked(tmux: Tmux) -> None:
    """The shell's programs have lines, an echo and signals, as before."""
    tmux.type("clear; stty -a | tr ' ' '\\n' | grep -x -e icanon -e echo -e isig | xargs", "Enter")
    tmux.shows("isig icanon echo")


def test_ctrl_z_and_fg(tmux: Tmux) -> None:
    """The shell has a whole terminal while we are away, and we have ours again after `fg`."""
    tmux.shows("ready>")
    before = tmux.modes()
    play = f"{shlex.quote(sys.executable)} -m dalmuti.client.cli play --seed 5 --name Grace"
    tmux.type(play, "Enter")
    tmux.shows("first titles")
    tmux.press("Escape")
    tmux.shows("Your hand: 20 cards")
    playing = tmux.modes()
    assert playing[0] == "1"
    for _ in range(2):
        tmux.press("C-z")
        tmux.shows("Stopped")
        assert tmux.modes() == before
        check_cooked(tmux)
        tmux.type("fg", "Enter")
        tmux.until(lambda: tmux.modes() == playing and "Your hand: 20 cards" in tmux.text())
    # Somebody else stops us: there is no time to leave the screen, but `fg` brings it back.
    shell = tmux("list-panes", "-F", "#{pane_pid}").strip()
    (ours,) = Path(f"/proc/{shell}/task/{shell}/children").read_text().split()
    os.kill(int(ours), signal.SIGSTOP)
    tmux.shows("Stopped")
    tmux.type("fg", "Enter")
    tmux.until(lambda: "Stopped" not in tmux.text() and "Your hand: 20 cards" in tmux.text())
    assert tmux.modes() == playing
    tmux.press("?")
    tmux.shows("Esc")
    tmux.press("C-c")
    tmux.until(lambda: tmux.modes() == before)
    tmux.shows("replay")
    tmux.type("echo code $?", "Enter")
    tmux.shows("code 0")
    check_cooked(tmux)
