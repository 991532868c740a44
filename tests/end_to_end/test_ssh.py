"""Guests with nothing but the OpenSSH client, on real terminals, through a real gateway."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from dalmuti.client.servers import Server
from end_to_end.terminal import Terminal, clean_environment
from end_to_end.test_screen import ASKS

DALMUTI = [sys.executable, "-m", "dalmuti.client.cli"]
SSH = shutil.which("ssh")
RESULT_ROW = re.compile(r"^│ +\d+ +\S", re.MULTILINE)

pytestmark = pytest.mark.skipif(SSH is None, reason="there is no OpenSSH client here")


class House:
    """A server, a gateway, and what is known of them."""

    def __init__(self, folder: Path, port: int, told: dict[str, str]) -> None:
        self.folder, self.port = folder, port
        self.fingerprint = told["host_key"]
        self.server: subprocess.Popen[str]
        self.gateway: subprocess.Popen[str]

    def ssh(self, name: str, *more: str, key: Path | None = None, batch: bool = False) -> list[str]:
        """The command of a guest."""
        assert SSH is not None
        options = [
            "StrictHostKeyChecking=accept-new",
            f"UserKnownHostsFile={self.folder / 'known_hosts'}",
            "IdentitiesOnly=yes",
            f"IdentityFile={key or self.folder / 'no_key'}",
            "IdentityAgent=none",
            f"BatchMode={'yes' if batch else 'no'}",
        ]
        argv = [SSH, "-F", "none", "-p", str(self.port)]
        for option in options:
            argv += ["-o", option]
        return [*argv, *more, f"{name}@127.0.0.1"]


def new_key(folder: Path, name: str) -> Path:
    path = folder / name
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True, timeout=60
    )
    return path


@contextmanager
def started(argv: list[str], env: dict[str, str], **more: Any) -> Iterator[subprocess.Popen[str]]:
    """A process and its first line, until the end of the block."""
    process = subprocess.Popen(
        argv,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        **more,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


@pytest.fixture
def house(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[House]:
    """A server without a table, and a way in: for any key, or with a password."""
    env = clean_environment(tmp_path, DALMUTI_GUEST_PASSWORD="cards")
    auth = getattr(request, "param", "anykey")
    with ExitStack() as stack:
        server = stack.enter_context(
            started(
                [
                    *(sys.executable, "-m", "dalmuti.server.cli"),
                    *("--listen", "127.0.0.1:0", "--log-format", "json", "--bot-delay", "0"),
                ],
                env,
            )
        )
        assert server.stdout is not None
        address = json.loads(server.stdout.readline())["addresses"][0]
        gateway = stack.enter_context(
            started(
                [*DALMUTI, "ssh", address, "--port", "0", "--json", "--auth", auth],
                env,
            )
        )
        assert gateway.stdout is not None
        told = json.loads(gateway.stdout.readline())
        house = House(tmp_path, told["port"], told)
        house.server, house.gateway = server, gateway
        yield house


def play_until(terminals: list[Terminal], wanted: str) -> None:
    """Presses Enter wherever a screen asks for something, until the first shows `wanted`."""
    answered = [""] * len(terminals)
    for _ in range(5000):
        for number, terminal in enumerate(terminals):
            terminal.pump(0.02)
            text = terminal.text()
            if number == 0 and wanted in text:
                return
            if ASKS.search(text) and text != answered[number]:
                terminal.send("\r")
                answered[number] = text
            elif text == answered[number]:
                answered[number] = ""  # deaf while the turn arrived
    raise AssertionError(f"never saw {wanted!r}:\n{terminals[0].text()}")


def opens_a_table(terminal: Terminal, name: str) -> None:
    terminal.until("Open one")
    terminal.send("n")
    terminal.until("/create")
    terminal.send(f"{name}\r")
    terminal.until("waiting for players")


def test_a_guest_plays_a_hand_with_a_host(tmp_path: Path) -> None:
    """`dalmuti host --ssh` says what to type, on the waiting screen and afterwards."""
    env = clean_environment(tmp_path)
    command = "host --ssh 0 --port 0 --bind 127.0.0.1 --bots 1 --seats 3 --hands 1 --bot-delay 0"
    with Terminal([*DALMUTI, *command.split(), "--name", "Grace"], env) as host:
        text = host.until("ssh -p")
        port = int(re.findall(r"ssh -p (\d+) NAME@127\.0\.0\.1", text)[-1])
        host.until("waiting for players")
        fingerprint = re.search(rb"SHA256:[\w+/]+", bytes(host.raw))
        assert fingerprint is not None
        house = House(tmp_path, port, {"host_key": fingerprint[0].decode()})
        with Terminal(house.ssh("王小明"), env, rows=40, columns=120) as guest:
            play_until([guest, host], "Hand 1 is over")
            text = guest.until(lambda text: len(RESULT_ROW.findall(text)) >= 3)
            assert "Grace" in text
            guest.until("Deal verified")
            known = subprocess.run(
                ["ssh-keygen", "-lf", str(tmp_path / "known_hosts")],
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            assert house.fingerprint in known
            guest.resize(24, 80)
            guest.until(lambda text: len(RESULT_ROW.findall(text)) >= 3)
            guest.send("q")
            guest.until("[y] leave")
            guest.send("y")
            guest.until("lobby")
            guest.send("\x03")
            assert guest.wait() == 0 and guest.left_on() == []
            host.send("\r")
            assert host.wait() == 0
            assert f"ssh -p {port} NAME@127.0.0.1" in host.text()


def test_a_killed_guest_has_his_cards_again(house: House) -> None:
    """By his key, under another name; and the seat is nobody else's meanwhile."""
    env = clean_environment(house.folder)
    key = new_key(house.folder, "key")
    with Terminal(house.ssh("Ada", key=key), env) as guest:
        opens_a_table(guest, "Kitchen")
        guest.send("b")
        guest.until("house bot")
        guest.until("Space deal")
        guest.pump(0.3)  # deaf while the room appears
        guest.send(" ")
        # A bot that calls a revolution at once leaves no time to look at the first titles.
        guest.until(lambda text: "first titles" in text or "Your hand" in text)
        guest.send("\x1b")
        text = guest.until(lambda text: re.search(r"Your hand: \d+ cards", text))
        os.kill(guest.process.pid, signal.SIGKILL)
        guest.process.wait()
    with Terminal(house.ssh("Ada"), env) as stranger:
        stranger.until("Ada-2")
        assert "Your hand" not in stranger.text()
        stranger.send("\x03")
        stranger.wait()
    with Terminal(house.ssh("Lovelace", key=key), env) as guest:
        text = guest.until(lambda text: re.search(r"Your hand: \d+ cards", text))
        assert "Kitchen" in text and "Ada-2" in text and "Lovelace" not in text
        guest.send("\x03")
        assert guest.wait() == 0 and guest.left_on() == []


@pytest.mark.parametrize("house", ["password"], indirect=True)
def test_a_password_at_the_second_try(house: House) -> None:
    with Terminal(house.ssh("Ada"), clean_environment(house.folder)) as guest:
        guest.until("password:")
        guest.send("chess\r")
        guest.until("try again")
        guest.until(lambda text: text.rstrip().endswith("password:"))
        guest.send("cards\r")
        guest.until("lobby")
        guest.send("\x03")
        assert guest.wait() == 0 and guest.left_on() == []


def test_a_gateway_that_is_stopped_gives_terminals_back(house: House) -> None:
    env = clean_environment(house.folder)
    with Terminal(house.ssh("Ada"), env) as guest:
        opens_a_table(guest, "Kitchen")
        house.gateway.send_signal(signal.SIGTERM)
        assert guest.wait() == 3 and guest.left_on() == []
        assert "The way in for ssh is closed now." in guest.text()
    assert house.gateway.wait(60) == 128 + signal.SIGTERM


def test_a_server_that_is_gone_ends_the_visit_with_a_sentence(house: House) -> None:
    env = clean_environment(house.folder)
    house.server.kill()
    house.server.wait()
    with Terminal(house.ssh("Ada"), env) as guest:
        assert guest.wait() == 3 and guest.left_on() == []
        assert "Nobody answers" in guest.text() and "Traceback" not in guest.text()


@pytest.mark.parametrize(
    ("more", "before", "code", "sentence"),
    [
        (["-T"], [], 2, "needs a terminal"),
        ([], ["ls"], 2, "No commands are run here"),
        (["-t"], ["sh"], 2, "No commands are run here"),
        (["-s"], ["sftp"], 2, "There are no files here"),
        (["-N", "-o", "ExitOnForwardFailure=yes", "-R", "0:127.0.0.1:1"], [], 255, "forwarding"),
        (["-W", "127.0.0.1:1"], [], 255, "Nothing is forwarded here"),
    ],
    ids=["-T", "command", "command on a terminal", "sftp", "-R", "-W"],
)
def test_openssh_shows_why_it_was_refused(
    more: list[str], before: list[str], code: int, sentence: str, house: House
) -> None:
    done = subprocess.run(
        [*house.ssh("Ada", *more), *before],
        env=clean_environment(house.folder),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (code, "")
    assert sentence in done.stderr


def test_the_way_in_ends_with_its_server(tmp_path: Path) -> None:
    """However the server ends: it holds the other end of the gateway's standard input."""
    env = clean_environment(tmp_path)
    with ExitStack() as stack:
        stack.enter_context(pytest.MonkeyPatch.context()).setattr(os, "environ", env)
        server = Server(["--listen", "127.0.0.1:0"], lifeline=False, records=None, tells_end=True)
        stack.callback(server.stop)
        stack.callback(server.process.wait)
        stack.callback(server.process.kill)
        assert server.end is not None
        command = [*DALMUTI, "ssh", f"127.0.0.1:{server.port}", "--port", "0", "--json"]
        gateway = stack.enter_context(started([*command, "--lifeline"], env, stdin=server.end))
        os.close(server.end)
        assert gateway.stdout is not None
        assert json.loads(gateway.stdout.readline())["event"] == "listening"
        assert gateway.poll() is None
        server.process.kill()
        assert gateway.wait(60) == 0
