"""The command line: sentences and exit codes, and what `--help` costs."""

from __future__ import annotations

import argparse
import getpass
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from dalmuti.client import cli, servers, settings, start
from dalmuti.client.commands import parts, tables
from dalmuti.client.settings import Settings, SettingsError
from dalmuti.client.tui.style import THEMES
from dalmuti.core.options import TableOptions, values_of

COMMANDS = (
    "play", "host", "join", "ssh", "bot", "bot new", "bot doctor", "arena", "conform", "replay",
    "verify", "export", "ladder", "describe",
)  # fmt: skip  # words, not a column of them


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Runs the command in this process; its exit code, and what it said about errors."""
    try:
        code = cli.main(list(arguments))
    except SystemExit as stop:
        code = int(stop.code or 0)
    return code, capfd.readouterr().err


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_is_fast_and_has_an_example(command: str) -> None:
    """No loop and no screen is imported to say how a command is used."""
    script = (
        "import sys; from dalmuti.client.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "heavy = {'trio', 'anyio', 'prompt_toolkit', 'msgspec', 'msgpack', 'zeroconf', 'ifaddr',\n"
        "    'openskill', 'distributed', 'asyncssh'}\n"
        "if sys.argv[1:] == ['--help']: heavy |= {'argparse', 'typing', 'gettext'}\n"
        "heavy &= set(sys.modules)\n"
        "print('IMPORTED', sorted(heavy))\n"
    )
    words = [*command.split(), "--help"]
    done = subprocess.run(
        [sys.executable, "-c", script, *words],
        env={**os.environ, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"dalmuti {command}".strip() in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "example" in done.stdout
    assert "IMPORTED []" in done.stdout


def test_each_command_of_two_words_has_its_own_help(capfd: pytest.CaptureFixture[str]) -> None:
    said = {}
    for words in (["bot"], ["bot", "new"], ["bot", "doctor"]):
        with pytest.raises(SystemExit):
            cli.main([*words, "--help"])
        said[words[-1]] = capfd.readouterr().out
    assert "usage: dalmuti bot new [-h] [FILE]\n" in said["new"]
    assert "--table" in said["doctor"] and "--count" not in said["doctor"]
    assert "--ladder" in said["bot"] and "exit codes" in said["bot"]


def test_help_says_where_the_house_rules_are_and_there_they_are(
    capfd: pytest.CaptureFixture[str],
) -> None:
    said = {}
    for command in ("play", "host", "arena"):
        with pytest.raises(SystemExit):
            cli.main([command, "--help"])
        said[command] = " ".join(capfd.readouterr().out.split())
    there = "the end of `dalmuti host --help` lists them"
    assert there in said["play"] and there in said["arena"] and there not in said["host"]
    assert "--advice" in said["play"] and "SUPPRESS" not in said["host"]
    assert "--advice" not in said["host"]  # is refused there, and no help shows it
    assert "listed at the end of this help" in said["host"]
    assert "house rules (the first value is the default):" in said["host"]


def test_help_names_every_house_rule() -> None:
    listed = {
        name: values
        for name, _, values in (
            line.strip().partition(" ") for line in tables.HOUSE_RULES.splitlines()[1:]
        )
    }
    assert {*listed, "seats"} == set(TableOptions.__struct_fields__)
    for name in set(listed) - {"turn_seconds"}:
        values = listed[name].replace(" (out until the trick ends)", "")
        assert set(values.strip().split(", ")) == set(
            values_of(name).replace(" or ", ", ").split(", ")
        )


def test_version() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dalmuti.client.cli", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("dalmuti 0.")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("", "expected a command: play, host, join"),
        ("fly", "found 'fly'"),
        ("--fly play", "found '--fly'"),
        ("play --seats 11", "--seats: expected 2 to 10, found 11"),
        ("play --seats many", "expected 2 to 10, found 'many'"),
        ("play --level godly", "expected easy, normal, hard, or several with commas"),
        ("play --bot-delay -1", "expected 0 to 60 seconds, found '-1'"),
        ("play --hands 0", "expected 1 to 10000, found 0"),
        ("play --speed 9", "unrecognized arguments: --speed 9"),
        ("play --plain --line", "not allowed with argument"),
        ("play --name host", "the name 'host' is reserved"),
        ("play --rules passing", "--rules: expected NAME=VALUE with commas between, found"),
        ("play --rules passing=shut", "--rules: passing: expected open, locked, found 'shut'"),
        ("play --rules colour=red", "--rules: unknown option 'colour'; the options are seats"),
        ("play --rules passing=open,passing=locked", "each rule once, found 'passing' twice"),
        ("play --rules seats=3", "give the number of seats with --seats"),
        ("host --rules match_end=points:5", "needs scoring=points"),
        ("host --bots 8", "expected fewer bots than the 8 seats, found 8"),
        ("host --table " + "x" * 30, "--table: the name of a table may be 24 cells wide"),
        ("join 1.2.3.4:port", "expected HOST or HOST:PORT"),
        ("join 1.2.3.4:99999", "expected HOST or HOST:PORT"),
        ("bot greedy", "expected the address of a server, such as `dalmuti bot greedy 192.168"),
        (
            "bot clever 127.0.0.1",
            "expected a house bot (random, easy, greedy, careful, expert) or a file",
        ),
        ("bot greedy 127.0.0.1 --count 11", "expected 1 to 10, found 11"),
        ("bot doctor 127.0.0.1 --count 2", "unrecognized arguments: --count 2"),
        ("bot --tls doctor 127.0.0.1", "expected `doctor` as the first word behind"),
        ("join [::1", "expected HOST or HOST:PORT"),
        ("verify nowhere.txt", "there is no file nowhere.txt"),
        ("verify /", "/ cannot be read: "),
        ("replay nowhere.txt", "there is no file nowhere.txt"),
    ],
)
def test_wrong_use_is_a_sentence_and_2(
    arguments: str, sentence: str, capfd: pytest.CaptureFixture[str]
) -> None:
    code, error = run(capfd, *arguments.split())
    assert code == 2
    assert sentence in error
    assert "Traceback" not in error and len(error.strip().splitlines()) == 1


def test_nobody_at_the_address_is_3(capfd: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    code, error = run(capfd, "bot", "greedy", f"127.0.0.1:{port}")
    assert code == 3
    assert f"Nobody answers at 127.0.0.1:{port}" in error


def test_a_port_in_use_is_2(capfd: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        code, error = run(capfd, "host", "--bind", "127.0.0.1", "--port", str(port))
    assert code == 2
    assert f"port {port} is in use" in error and f"`dalmuti join 127.0.0.1:{port}`" in error


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
def test_a_full_disk_is_a_sentence_and_a_closed_output_nothing() -> None:
    command = f"{sys.executable} -m dalmuti.client.cli describe"
    for where, code, said in ((">/dev/full", 2, "the disk is full"), (">&-", 0, "")):
        done = subprocess.run(["sh", "-c", f"{command} {where}"], capture_output=True, text=True)
        assert done.returncode == code
        assert said in done.stderr and done.stderr.count("\n") == bool(said)


def test_a_bug_is_70_and_names_a_file(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(given: object) -> int:
        raise ExceptionGroup("tasks", [KeyError("oops")])

    monkeypatch.setattr(start, "run", broken)
    code, error = run(capfd, "describe")
    assert code == 70
    assert "this is a bug in Dalmuti (KeyError)" in error
    file = Path(error.split("the details are in ")[1].split(". Please")[0])
    assert "oops" in file.read_text()
    file.unlink()


def test_describe(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["describe"]) == 0
    assert "hand_started" in capfd.readouterr().out
    assert cli.main(["describe", "--json"]) == 0
    assert capfd.readouterr().out.startswith("{")


# -- which interface --------------------------------------------------------------------------


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(shutil, "get_terminal_size", lambda: os.terminal_size((80, 24)))
    yield


def understood(*words: str) -> argparse.Namespace:
    """What a command line asks for."""
    book = cli.book_of(list(words))
    assert book.parser is not None
    return book.parser.parse_args(book.rest)


def mode(*arguments: str, wishes: Settings | None = None) -> str:
    given = understood("play", *arguments)
    return start.mode_of(given, wishes or Settings())


def test_plain_where_there_is_no_terminal() -> None:
    assert mode() == mode("--line") == "plain"


def test_the_full_screen_on_a_terminal(terminal: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert mode() == "screen"
    assert (mode("--line"), mode("--plain")) == ("line", "plain")
    assert mode(wishes=Settings(mode="line")) == "line"
    assert mode("--plain", wishes=Settings(mode="line")) == "plain"
    monkeypatch.setenv("TERM", "dumb")
    assert mode() == mode("--line") == "plain"


def test_a_terminal_that_is_too_small(terminal: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "get_terminal_size", lambda: os.terminal_size((79, 24)))
    with pytest.raises(start.Refusal, match=r"at least 80x24 .* found 79x24; .* --plain") as small:
        mode()
    assert small.value.code == 2
    assert mode("--plain") == "plain"


def test_a_match_that_cannot_be_saved_is_told(tmp_path: Path) -> None:
    """The game goes on without, and the sentence says where and why."""
    (tmp_path / "matches").write_text("in the way")
    server = servers.start_private(0.0, tmp_path / "matches")
    server.stop()
    assert server.unsaved.startswith(f"{tmp_path / 'matches'} cannot be written to (")
    assert server.saved(["00"]) == []


def test_a_saved_match_is_known_by_its_deals(tmp_path: Path) -> None:
    file = tmp_path / "match.txt"
    file.write_text("dalmuti-match 1\nhand 1 order 1,2 commitment c0ffee nonces -\n")
    assert servers.holds_a_deal(file, {"beef", "c0ffee"})
    assert not servers.holds_a_deal(file, {"beef"}) and not servers.holds_a_deal(file, ())
    assert not servers.holds_a_deal(tmp_path / "gone.txt", {"c0ffee"})


# -- names, addresses, settings ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("192.168.1.20", "192.168.1.20", 12013),
        ("box:4040", "box", 4040),
        ("::1", "::1", 12013),
        ("[::1]:4040", "::1", 4040),
        ("[::1]", "::1", 12013),
    ],
)
def test_addresses(text: str, host: str, port: int) -> None:
    assert start.address_of(text) == (host, port)


def test_what_others_type() -> None:
    assert servers.join_lines("127.0.0.1", 12013) == ["dalmuti join 127.0.0.1"]
    assert servers.join_lines("10.0.0.5", 4040) == ["dalmuti join 10.0.0.5:4040"]
    assert all(line.startswith("dalmuti join ") for line in servers.join_lines("0.0.0.0", 12013))
    assert not any(each.startswith("127.") for each in servers.own_addresses())


def test_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: "ada")
    assert settings.chosen_name(None, Settings()) == ("ada", False)
    assert settings.chosen_name(None, Settings(name="Bea")) == ("Bea", True)
    assert settings.chosen_name("Cem", Settings(name="Bea")) == ("Cem", True)
    for login in ("root", "x" * 40, "a\x1bb"):
        monkeypatch.setattr(getpass, "getuser", lambda login=login: login)
        assert settings.chosen_name(None, Settings()) == ("Player", False)


def test_table_names_fit() -> None:
    assert start.table_name(None, "Ada") == "Ada's table"
    assert len(start.table_name(None, "A" * 20)) == 24


def test_settings(home: Path) -> None:
    file = home / "settings.toml"
    assert settings.load(file) == Settings()
    file.write_text('name = "Ada"\nmode = "line"\nascii = true\n')
    assert settings.load(file) == Settings(name="Ada", mode="line", ascii=True)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('nick = "Ada"', "unknown key 'nick'; the keys are name, lang, mode, ascii, theme"),
        ('mode = "loud"', "mode: expected 'screen', 'line', 'plain', found 'loud'"),
        ("ascii = 3", "ascii: expected true or false, found 3"),
        ("name = 3", "name: expected a text, found 3"),
        ("name = ", "is not TOML"),
        ("name = " + "[" * 50_000, "is not TOML"),
        ("seats = " + "9" * 5_000, "is not TOML"),
    ],
)
def test_wrong_settings_are_refused_by_name(text: str, why: str, home: Path) -> None:
    file = home / "settings.toml"
    file.write_text(text)
    with pytest.raises(SettingsError) as caught:
        settings.load(file)
    assert why in str(caught.value) and str(file) in str(caught.value)


def test_themes_are_those_of_the_screen() -> None:
    assert set(parts.THEMES) == set(THEMES)
    assert set(get_args(settings.Theme)) == set(THEMES)


def test_rules_become_the_options_of_a_request() -> None:
    given = understood("host", "--seats", "5", "--rules", "passing=locked,turn_seconds=30")
    assert start._options(given, {}) == {"seats": 5, "passing": "locked", "turn_seconds": 30}
    assert TableOptions(seats=5, passing="locked", turn_seconds=30)
