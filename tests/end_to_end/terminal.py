"""A program on a real pseudo-terminal, and the screen that a person would see on it.

The output is drawn by pyte as it comes; tests wait for conditions on the screen and never for a
fixed time. pyte has no alternate screen, so whether that was left is read from the raw bytes.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyte

PATIENCE = 60.0
"""Seconds after which a condition that does not come is a failure; generous, machines are busy."""

MODES = {
    "alternate screen": (b"\x1b[?1049h", b"\x1b[?1049l"),
    "mouse": (b"\x1b[?1000h", b"\x1b[?1000l"),
    "hidden cursor": (b"\x1b[?25l", b"\x1b[?25h"),
    "bracketed paste": (b"\x1b[?2004h", b"\x1b[?2004l"),
}


def clean_environment(home: Path, **more: str) -> dict[str, str]:
    """An environment like a new user's: his own folders, a usual terminal, nothing inherited."""
    keep = {k: v for k, v in os.environ.items() if k in ("PATH", "LD_LIBRARY_PATH")}
    return {
        **keep,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_STATE_HOME": str(home / "state"),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "PROMPT_TOOLKIT_NO_CPR": "1",
        "DALMUTI_MDNS_INTERFACES": "127.0.0.1",  # no packet of a test leaves this machine
        **more,
    }


class Terminal:
    """One program on its own pty; a context manager that leaves nothing running."""

    def __init__(
        self, argv: Sequence[str], env: Mapping[str, str], *, rows: int = 24, columns: int = 80
    ) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.raw = bytearray()
        self._hung_up = False
        self._master, self._slave = pty.openpty()
        self._set_size(rows, columns)
        self._tty_before = termios.tcgetattr(self._slave)
        self.process = subprocess.Popen(
            argv,
            env=dict(env),
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if not self._hung_up:
            os.close(self._master)
        os.close(self._slave)

    def hang_up(self) -> None:
        """Closes the window: the program loses its terminal."""
        self._hung_up = True
        os.close(self._master)

    def children(self) -> list[int]:
        """The processes that the program has started, such as its private server."""
        tasks = Path(f"/proc/{self.process.pid}/task").iterdir()
        return [int(pid) for task in tasks for pid in (task / "children").read_text().split()]

    def until_gone(self, pid: int, patience: float = PATIENCE) -> None:
        """Waits until a process that is not ours has ended."""
        deadline = time.monotonic() + patience
        while Path(f"/proc/{pid}").exists():
            assert time.monotonic() < deadline, f"{pid} is still there"
            time.sleep(0.02)

    def _set_size(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, rows: int, columns: int) -> None:
        self.screen.resize(rows, columns)
        self._set_size(rows, columns)
        os.killpg(self.process.pid, signal.SIGWINCH)

    def send(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def pump(self, seconds: float = 0.0) -> bool:
        """Draws what has come; False when nothing came within the time."""
        ready, _, _ = select.select([self._master], [], [], seconds)
        if not ready:
            return False
        data = os.read(self._master, 65536)
        self.raw += data
        self._stream.feed(data)
        return True

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    def until(self, wanted: str | Callable[[str], Any], patience: float = PATIENCE) -> str:
        """Waits until the screen shows `wanted`, and returns it."""
        holds = wanted if callable(wanted) else lambda text: wanted in text
        deadline = time.monotonic() + patience
        while not holds(self.text()):
            if self.process.poll() is not None and not self.pump():
                raise AssertionError(
                    f"ended with {self.process.returncode} before {wanted!r}:\n{self.text()}"
                )
            if time.monotonic() > deadline:
                raise AssertionError(f"never saw {wanted!r}:\n{self.text()}")
            self.pump(0.02)
        return self.text()

    def wait(self, patience: float = PATIENCE) -> int:
        """Waits until the program has ended, drawing what it still says; its exit code."""
        deadline = time.monotonic() + patience
        while self.process.poll() is None:
            if time.monotonic() > deadline:
                raise AssertionError(f"did not end:\n{self.text()}")
            self.pump(0.02)
        while self.pump(0.05):
            pass
        return int(self.process.returncode)

    def last_words(self) -> str:
        """What was said after the alternate screen was left, or all if there never was one."""
        return bytes(self.raw).rpartition(MODES["alternate screen"][1])[2].decode()

    def left_on(self) -> list[str]:
        """Terminal modes that the program switched on and never off again."""
        raw = bytes(self.raw)
        on = [name for name, (set_, reset) in MODES.items() if raw.rfind(set_) > raw.rfind(reset)]
        if termios.tcgetattr(self._slave) != self._tty_before:
            on.append("tty attributes")
        return on
