"""What `dalmuti ssh` refuses before it opens anything, and what it says when it does."""

from __future__ import annotations

import argparse
import importlib.util
import json
import socket
from pathlib import Path
from typing import Any

import pytest

from client.test_cli import home, run  # noqa: F401 (a fixture)
from dalmuti.client import cli
from dalmuti.client.ssh import command


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("ssh --port 22", "expected port 0 or 1025 to 65535 for guests, found 22"),
        ("ssh --port 1024", "expected port 0 or 1025 to 65535 for guests, found 1024"),
        ("ssh --port 70000", "expected 0 to 65535, found 70000"),
        ("ssh --auth maybe", "invalid choice: 'maybe'"),
        ("ssh --auth password", "DALMUTI_GUEST_PASSWORD, or with --guest-password, found none"),
        ("ssh --guest-password x", "expected --auth password, found --auth none"),
        ("ssh 1.2.3.4:port", "expected HOST or HOST:PORT"),
        ("ssh --log /proc/nothing/log", "--log: /proc/nothing/log cannot be written"),
        ("ssh --listen 192.0.2.1 --port 0", "cannot listen on 192.0.2.1 port 0"),
        ("ssh --guests 0", "expected 1 to 1000, found 0"),
        ("host --ssh many", "expected 0 to 65535, found 'many'"),
    ],
)
def test_wrong_use(
    arguments: str,
    sentence: str,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("DALMUTI_GUEST_PASSWORD", raising=False)
    code, said = run(capfd, *arguments.split())
    assert code == 2 and sentence in said and said.splitlines()[-1].endswith(".")
    assert "Traceback" not in said


def test_a_port_that_is_taken(capfd: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        code, said = run(capfd, "ssh", "--port", str(taken.getsockname()[1]))
    assert code == 2 and "in use; choose another address or port." in said


@pytest.mark.parametrize("words", [["ssh"], ["host", "--ssh"]])
def test_a_missing_extra_is_named(
    words: list[str], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is started."""
    true_find = importlib.util.find_spec
    monkeypatch.setattr(
        command, "find_spec", lambda name: None if name == "asyncssh" else true_find(name)
    )
    code, said = run(capfd, *words)
    assert code == 2 and "pip install 'dalmuti[ssh]'" in said


def test_a_key_that_others_can_read(
    home: Path,  # noqa: F811 (that fixture)
    capfd: pytest.CaptureFixture[str],
) -> None:
    path = home / "data" / "dalmuti" / "ssh_host_ed25519_key"
    path.parent.mkdir(parents=True)
    path.write_text("x")
    path.chmod(0o640)
    code, said = run(capfd, "ssh")
    assert code == 2 and f"chmod 600 {path}" in said


def given_by(*words: str) -> argparse.Namespace:
    book = cli.book_of([*words])
    assert book.parser is not None
    return book.parser.parse_args(book.rest)


def test_without_a_word_it_is_for_this_machine_only() -> None:
    given = given_by("ssh")
    assert (given.listen, given.port, given.auth) == ("127.0.0.1", 2222, "none")
    assert given_by("host", "--ssh").ssh == 2222
    assert given_by("host").ssh is None


def asked(**more: Any) -> argparse.Namespace:
    """A command line with these arguments."""
    usual = {"listen": "127.0.0.1", "auth": "none", "lan_only": False, "json": False}
    return argparse.Namespace(**usual | more)


@pytest.mark.parametrize(
    ("given", "warned"),
    [
        ({}, False),
        ({"listen": "0.0.0.0"}, True),
        ({"listen": "0.0.0.0", "lan_only": True}, False),
        ({"listen": "0.0.0.0", "auth": "password"}, False),
    ],
)
def test_what_the_host_reads(
    given: dict[str, Any],
    warned: bool,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The line that guests type, the key, who can come in, and that root is the wrong user."""
    monkeypatch.setattr("dalmuti.client.servers.own_addresses", lambda: ["192.168.1.20"])
    monkeypatch.setattr("os.geteuid", lambda: 0)
    command._tell(asked(**given), 2222, "SHA256:abc")
    said = capsys.readouterr()
    host = "192.168.1.20" if "listen" in given else "127.0.0.1"
    assert f"ssh -p 2222 NAME@{host}" in said.out and "SHA256:abc" in said.out
    assert ("Everybody who reaches" in said.out) is warned
    assert "should not" in said.err
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    command._tell(asked(json=True, **given), 2222, "SHA256:abc")
    said = capsys.readouterr()
    assert said.err == "" and json.loads(said.out)["lines"] == [f"ssh -p 2222 NAME@{host}"]
