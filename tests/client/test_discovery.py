"""Looking for servers: what strangers may answer, and how one is chosen."""

from __future__ import annotations

import io
import ipaddress
import queue
import shlex
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from dalmuti.client import choosing, cli, discovery, servers, start
from dalmuti.client.discovery import SERVICE, Found, found_of
from dalmuti.client.start import Refusal
from dalmuti.protocol.text import safe_text, width

HOME = [ipaddress.IPv4Interface("192.168.1.5/24"), ipaddress.IPv4Interface("172.17.0.1/16")]
FACTS: dict[bytes, bytes | None] = {b"v": b"1", b"name": b"Kitchen"}
KITCHEN = Found("Kitchen", "192.168.1.20:12013", False, False, False)
ATTIC = Found("Attic", "192.168.1.21:4040", True, True, False)


def found(addresses: Iterable[str] = ("192.168.1.20",), port: int = 12013, **more: Any) -> Any:
    facts = FACTS | {key.encode(): value for key, value in more.items()}
    return found_of(f"Kitchen-2.{SERVICE}", addresses, port, facts, HOME)


def test_I86_a_server_is_known_by_name_and_address() -> None:
    assert found() == KITCHEN
    assert str(KITCHEN) == "Kitchen, 192.168.1.20:12013"
    marked = found(password=b"1", tls=b"1", v=b"9")
    assert str(marked).endswith("(password needed, TLS, another version of Dalmuti)")


@pytest.mark.parametrize(
    ("addresses", "nearest"),
    [
        (["8.8.8.8", "192.168.1.20"], "192.168.1.20:12013"),
        (["172.17.0.1", "192.168.1.20"], "192.168.1.20:12013"),  # its Docker, or ours?
        (["172.17.0.1", "10.9.9.9"], "172.17.0.1:12013"),  # this machine
        (["fd00::5"], "[fd00::5]:12013"),
    ],
)
def test_I86_the_nearest_address_is_taken(addresses: list[str], nearest: str) -> None:
    assert found(addresses).address == nearest
    assert start.address_of(nearest)[1] == 12013


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "::1", "0.0.0.0", "224.0.0.251", "255.255.255.255", "fe80::1", "x"]
)
def test_I86_what_nobody_can_join_is_no_server(address: str) -> None:
    assert found([address]) is None
    assert found([]) is None and found(port=0) is None


@pytest.mark.parametrize(
    "name",
    [
        b"\x1b[2J\x1b]0;x\x07",
        b"\xff\xfe",
        "\u202eevil".encode(),
        b"a\nb\rc",
        b"x" * 255,
        b" ",
        None,
    ],
)
def test_I86_hostile_names_are_made_harmless(name: bytes | None) -> None:
    shown = found(name=name).name
    assert shown and shown == safe_text(shown) and "\n" not in shown
    assert width(shown) <= 24


def test_I86_hostile_facts_are_no_error() -> None:
    assert found_of("\udcff." + SERVICE, ["192.168.1.20"], 1, {}, HOME).strange  # type: ignore[union-attr]
    assert found(v=b"\xff" * 200, password=b"yes", tls=None) == KITCHEN._replace(strange=True)


def test_I86_a_flood_of_names_is_bounded() -> None:
    names: queue.SimpleQueue[str] = queue.SimpleQueue()
    for number in range(1000):
        names.put(f"{number}.{SERVICE}")
        names.put(f"{number}.{SERVICE}")
    asked: list[str] = []

    def ask(name: str, most: float) -> Found | None:
        asked.append(name)
        if len(asked) % 2:
            raise ValueError(name)
        return KITCHEN._replace(address=f"192.168.1.{len(asked)}:1")

    got = discovery._gather(names, ask, 60)
    assert len(asked) == len(set(asked)) == discovery.MOST
    assert len(got) == discovery.MOST // 2


def test_I86_silence_is_nobody() -> None:
    assert discovery._gather(queue.SimpleQueue(), lambda name, most: KITCHEN, 0.01) == []


@pytest.mark.parametrize("error", [OSError(19, "No such device"), RuntimeError("No interfaces")])
def test_I86_a_machine_that_cannot_look(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(interfaces: list[str], **_: object) -> None:
        assert interfaces == ["127.0.0.1"]
        raise error

    monkeypatch.setattr("zeroconf.Zeroconf", broken)
    with pytest.raises(Refusal, match=r"cannot look for servers .*dalmuti join ADDRESS") as refusal:
        choosing.choose()
    assert refusal.value.code == 3


# -- choosing ---------------------------------------------------------------------------------


class Keyboard(io.StringIO):
    def isatty(self) -> bool:
        return True


def choose(
    monkeypatch: pytest.MonkeyPatch, servers: list[Found], typed: str | None = None
) -> Found:
    monkeypatch.setattr(discovery, "find", lambda: servers)
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n") if typed is None else Keyboard(typed))
    return choosing.choose()


@pytest.mark.parametrize("typed", [None, ""])
def test_I86_the_only_one_is_joined_and_named(
    typed: str | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert choose(monkeypatch, [KITCHEN], typed) == KITCHEN
    assert capsys.readouterr().out == (
        "Found one server: Kitchen, 192.168.1.20:12013. Joining it.\n"
    )


def test_I86_of_several_one_is_chosen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert choose(monkeypatch, [ATTIC, KITCHEN], "3\n0\n-1\n\u0662\nx\n2\n") == KITCHEN
    said = capsys.readouterr()
    assert "1. Attic, 192.168.1.21:4040 (password needed, TLS)\n2. Kitchen, 192" in said.out
    assert said.err.count("That is not a number from 1 to 2") == 5


@pytest.mark.parametrize("typed", ["", "\n", "7\n"])
def test_I86_no_answer_is_no_choice(typed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Refusal, match="no server was chosen") as refusal:
        choose(monkeypatch, [ATTIC, KITCHEN], typed)
    assert refusal.value.code == 2


def test_I86_several_without_a_terminal_are_listed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Refusal, match=r"name one, such as `dalmuti join 192\.168") as refusal:
        choose(monkeypatch, [ATTIC, KITCHEN])
    assert refusal.value.code == 2
    assert "2. Kitchen, 192.168.1.20:12013" in capsys.readouterr().out


def test_I86_nobody_is_3_and_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(discovery, "find", list)
    assert cli.main(["join"]) == 3
    said = capsys.readouterr().err
    assert "no server was found" in said and "`dalmuti join ADDRESS`" in said
    assert "the host's screen shows the line" in said and said.count("\n") == 1


def test_I86_a_server_with_tls_is_joined_with_tls(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    trusted: list[tuple[bool, str, int]] = []

    def trust(given: Any, host: str, port: int) -> None:
        trusted.append((given.tls, host, port))
        raise Refusal("far enough")

    monkeypatch.setattr(discovery, "find", lambda: [ATTIC])
    monkeypatch.setattr(start, "trust_of", trust)
    assert cli.main(["join", "--name", "Ada"]) == 2
    assert trusted == [(True, "192.168.1.21", 4040)]
    assert "Attic, 192.168.1.21:4040" in capsys.readouterr().out


# -- the host ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bind", "name", "flags"),
    [
        ("0.0.0.0", None, ["--announce"]),
        ("192.168.1.5", "-K", ["--announce", "--announce-name=-K"]),
        ("127.0.0.1", "K", []),
        ("localhost", "K", []),
    ],
)
def test_I86_a_host_for_the_network_announces(
    bind: str, name: str | None, flags: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    given: list[list[str]] = []
    monkeypatch.setattr(servers, "Server", lambda arguments, **_: given.append(arguments))
    servers.start_public(bind, 0, None, None, tmp_path, found_as=name)
    assert [each for each in given[0] if each.startswith("--announce")] == flags


def test_I85_every_address_is_printed_in_any_case(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where discovery does not get through (Docker, guest networks) people can type it."""
    monkeypatch.setattr(servers, "own_addresses", lambda: ["192.168.1.5", "10.0.0.5"])
    lines = servers.join_lines("0.0.0.0", 4040)
    assert lines == ["dalmuti join 192.168.1.5:4040", "dalmuti join 10.0.0.5:4040"]
    for line in lines:
        _, _, address = shlex.split(line)
        assert start.address_of(address) == (address.partition(":")[0], 4040)


def test_I86_who_plays_alone_loads_no_zeroconf(tmp_path: Path) -> None:
    script = (
        "import sys; from dalmuti.client.cli import main\n"
        "code = main(['play', '--plain', '--hands', '1', '--bot-delay', '0', '--name', 'Ada'])\n"
        "import dalmuti.server.app\n"
        "print('CODE', code, 'LOADED', sorted({'zeroconf', 'ifaddr'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        env={"HOME": str(tmp_path), "PATH": ""},
    )
    assert "CODE 0 LOADED []" in done.stdout, done.stderr
