"""All ways out of the real program on a real pseudo-terminal: nothing of it is left behind.

Each way ends the client in its own manner: a key, a signal, the server, the network, a bug of ours,
or the terminal itself. Whatever it is, the terminal is as it was, the exit code is the one that
cli.md promises, and nobody reads a traceback.
"""

from __future__ import annotations

import operator
import os
import signal
import socket
import struct
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest

from end_to_end.spoken import Spoken
from end_to_end.terminal import Terminal, clean_environment

PROGRAM = [sys.executable, "-m", "dalmuti.client.cli"]
PLAY = ["play", "--seed", "5", "--bot-delay", "0.1", "--name", "Grace"]
IMPATIENT = "import dalmuti.client.session as s; s.GIVE_UP_SECONDS = 0.5; s.FIRST_DELAY = 0.1"
"""What makes the client give up a lost server at once, and not after three minutes."""

Way = Callable[[Terminal], None]


def changed(before: str) -> list[str]:
    """The program, with something done to it before it starts."""
    run = "import sys; from dalmuti.client.cli import main; sys.exit(main())"
    return [sys.executable, "-c", f"{before}\n{run}"]


@contextmanager
def in_a_hand(home: Path, program: Sequence[str] = PROGRAM) -> Iterator[Terminal]:
    """Somebody who plays alone, with cards in his hand."""
    env = clean_environment(home, TMPDIR=str(home))
    with Terminal([*program, *PLAY], env) as terminal:
        terminal.until("first titles")
        terminal.send("\x1b")
        terminal.until("Your hand: 20 cards")
        yield terminal


def keys(*texts: str) -> Way:
    """Types these, the next when what is on the screen has changed."""

    def press(terminal: Terminal) -> None:
        for text in texts[:-1]:
            before = terminal.text()
            terminal.send(text)
            terminal.until(partial(operator.ne, before))
        terminal.send(texts[-1])

    return press


def sends(number: signal.Signals) -> Way:
    def send(terminal: Terminal) -> None:
        os.kill(terminal.process.pid, number)

    return send


def server_gets(number: signal.Signals) -> Way:
    """The private server of the table gets a signal."""

    def send(terminal: Terminal) -> None:
        (server,) = terminal.children()
        os.kill(server, number)

    return send


def twice_while_the_server_hangs(terminal: Terminal) -> None:
    """The goodbye is not answered: the second Ctrl-C does not wait for it."""
    (server,) = terminal.children()
    os.kill(server, signal.SIGSTOP)
    try:
        terminal.send("\x03")
        terminal.until(lambda _: not terminal.left_on())
        terminal.send("\x03")
        terminal.wait()
    finally:
        with suppress(ProcessLookupError):  # ended with the client, as it should be
            os.kill(server, signal.SIGCONT)


def check_restored(terminal: Terminal) -> None:
    assert terminal.left_on() == []
    assert b"Traceback" not in terminal.raw
    assert "Press ENTER" not in terminal.text()


WAYS: dict[str, tuple[Way, int]] = {
    "q y": (keys("q", "y"), 0),
    "Ctrl-C": (keys("\x03"), 0),
    "Ctrl-C in the chat line": (keys("t", "hello", "\x03"), 0),
    "Ctrl-C under the help": (keys("?", "\x03"), 0),
    "quit as a command": (keys("t", "/quit", "\r", "y"), 0),
    "Ctrl-C twice": (twice_while_the_server_hangs, 128 + signal.SIGINT),
    "SIGINT": (sends(signal.SIGINT), 0),
    "SIGTERM": (sends(signal.SIGTERM), 128 + signal.SIGTERM),
    "SIGHUP": (sends(signal.SIGHUP), 128 + signal.SIGHUP),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_key_or_a_signal(way: str, tmp_path: Path) -> None:
    do, code = WAYS[way]
    with in_a_hand(tmp_path) as terminal:
        do(terminal)
        assert terminal.wait() == code
        check_restored(terminal)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 0), (signal.SIGKILL, 3)], ids=["goodbye", "killed"]
)
def test_the_server_is_gone_for_good(number: signal.Signals, code: int, tmp_path: Path) -> None:
    with in_a_hand(tmp_path, changed(IMPATIENT)) as terminal:
        server_gets(number)(terminal)
        assert terminal.wait() == code
        check_restored(terminal)


def test_ctrl_c_while_the_connection_is_lost(tmp_path: Path) -> None:
    with in_a_hand(tmp_path) as terminal:
        server_gets(signal.SIGKILL)(terminal)
        terminal.until("rying again")
        terminal.send("\x03")
        assert terminal.wait() == 0
        check_restored(terminal)


def resets(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def says_nonsense(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 50)
    with suppress(OSError):
        while connection.recv(65536):
            pass


@pytest.mark.parametrize(
    ("answer", "code"), [(resets, 3), (says_nonsense, 4)], ids=["reset", "nonsense"]
)
def test_what_answers_is_no_server(
    answer: Callable[[socket.socket], None], code: int, tmp_path: Path
) -> None:
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection:
                    connection.recv(65536)
                    answer(connection)

    server = threading.Thread(target=serve)
    server.start()
    try:
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        env = clean_environment(tmp_path)
        with Terminal([*changed(IMPATIENT), "join", address], env) as terminal:
            assert terminal.wait() == code
            check_restored(terminal)
            assert "dalmuti: " in terminal.last_words()
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        server.join()


def test_a_host_who_kicks(tmp_path: Path) -> None:
    env = clean_environment(tmp_path)
    host = "host --plain --bind 127.0.0.1 --port 0 --seats 3 --table Kitchen --name Ada".split()
    with Spoken(host, env) as ada:
        address = ada.until("Others join with: ").rpartition(" ")[2]
        ada.until("You sit at table Kitchen")
        with Terminal(
            [*PROGRAM, "join", address, "--table", "Kitchen", "--name", "Zoe"], env
        ) as terminal:
            terminal.until("Kitchen")
            ada.until("Zoe")
            ada.answer("kick Zoe")
            assert terminal.wait() == 4
            check_restored(terminal)


BUGS = {
    "a message handler": (
        "from dalmuti.client.tui.control import Control as c; f = c.update\n"
        "def update(self, model, now):\n"
        "    f(self, model, now)\n"
        "    if model.table and model.table.hand: 1 / 0\n"
        "c.update = update",
        keys(""),
    ),
    "a key binding": (
        "from dalmuti.client.tui.control import Control as c; f = c.press\n"
        "def press(self, key, now): 1 / (key != '?'); f(self, key, now)\n"
        "c.press = press",
        keys("?"),
    ),
    "a renderer": (
        "import dalmuti.client.tui.app as a; f = a.render\n"
        "def render(model, ui, *more): 1 / (ui.overlay != 'help'); return f(model, ui, *more)\n"
        "a.render = render",
        keys("?"),
    ),
    "a callback": (
        "from dalmuti.client.tui.app import Screen as s; f = s._changed\n"
        "def changed(self):\n"
        "    f(self)\n"
        "    if self.control.ui.overlay: self.app.loop.call_soon(lambda: 1 / 0)\n"
        "s._changed = changed",
        keys("?"),
    ),
}


@pytest.mark.parametrize("where", BUGS)
def test_a_bug_in(where: str, tmp_path: Path) -> None:
    before, way = BUGS[where]
    env = clean_environment(tmp_path, TMPDIR=str(tmp_path))
    with Terminal([*changed(before), *PLAY], env) as terminal:
        terminal.until("first titles")
        terminal.send("\x1b")
        way(terminal)
        assert terminal.wait() == 70
        check_restored(terminal)
        (report,) = tmp_path.glob("dalmuti-bug-*.txt")
        assert report.name in terminal.last_words()
        assert "ZeroDivisionError" in report.read_text()


def test_the_terminal_is_closed(tmp_path: Path) -> None:
    """The window is shut, or the wifi under an ssh is gone: nothing to say, nobody to tell."""
    with in_a_hand(tmp_path) as terminal:
        (server,) = terminal.children()
        terminal.hang_up()
        assert terminal.process.wait(30) == 128 + signal.SIGHUP
        assert not list(tmp_path.glob("dalmuti-bug-*.txt"))
        terminal.until_gone(server)


def test_a_size_that_changes(tmp_path: Path) -> None:
    with in_a_hand(tmp_path) as terminal:
        terminal.resize(40, 120)
        terminal.until("Greater Dalmuti")
        terminal.resize(20, 60)
        terminal.until("too small")
        terminal.resize(24, 80)
        terminal.until(lambda text: "Your hand: 20 cards" in text and "G.Dalmuti" in text)
        terminal.send("\x03")
        assert terminal.wait() == 0
        check_restored(terminal)


@pytest.mark.parametrize("size", [(23, 80), (24, 79)])
def test_a_terminal_that_is_too_small_from_the_start(size: tuple[int, int], tmp_path: Path) -> None:
    rows, columns = size
    env = clean_environment(tmp_path)
    with Terminal([*PROGRAM, *PLAY], env, rows=rows, columns=columns) as terminal:
        assert terminal.wait() == 2
        check_restored(terminal)
        assert f"{columns}x{rows}" in terminal.last_words()
