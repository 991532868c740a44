"""The command: its first line, its ends, its refusals, and the configuration file."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dalmuti.server import cli
from dalmuti.server.cli import main
from dalmuti.server.config import Config, ConfigError, config_from, default_text, load

COMMAND = (sys.executable, "-m", "dalmuti.server.cli")


@contextmanager
def server(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """A server process, and the addresses it says."""
    process = subprocess.Popen(
        [*COMMAND, "--listen", "127.0.0.1:0", "--log-format", "json", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin and process.stdout and process.stderr
    try:
        first = json.loads(process.stdout.readline())
        assert first["event"] == "listening"
        yield process, first["addresses"]
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            pipe.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_an_orderly_way(number: signal.Signals) -> None:
    with server() as (process, _):
        process.send_signal(number)
        assert process.wait(10) == 0


def test_it_listens_on_several_addresses() -> None:
    with server("--listen", "127.0.0.1:0") as (_, addresses):
        assert len(set(addresses)) == 2
        for address in addresses:
            host, _, port = address.rpartition(":")
            socket.create_connection((host, int(port)), 5).close()


def test_lifeline() -> None:
    with server("--lifeline") as (process, _):
        assert process.poll() is None
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(10) == 0


def test_a_signal_with_a_lifeline_that_still_holds() -> None:
    with server("--lifeline") as (process, _):
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0


def test_until_empty() -> None:
    with server("--until-empty", "0.1") as (process, _):
        assert process.wait(10) == 0


def test_text_format_says_where_it_listens() -> None:
    process = subprocess.Popen(
        [*COMMAND, "--listen", "127.0.0.1:0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert "listens on 127.0.0.1:" in process.stdout.readline()
    finally:
        process.kill()
        process.communicate()


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=30)


def test_a_port_in_use_is_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run("--listen", f"127.0.0.1:{port}")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith(f"dalmuti-server: cannot listen on 127.0.0.1:{port}: ")
    assert done.stderr.endswith("or choose another port\n") and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--listen", "127.0.0.1:x"], "expected HOST:PORT"),
        (["--config", "/no/such/file"], "cannot read /no/such/file"),
        (["check-config", "/no/such/file"], "cannot read /no/such/file"),
        (["--records", "/dev/null/x"], "transcripts cannot be written to /dev/null/x: "),
    ],
)
def test_wrong_use_is_one_sentence(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1


@pytest.mark.parametrize(
    "arguments", [["--grace", "soon"], ["--max-tables", "0"], ["--bot-delay", "-1"], ["--colour"]]
)
def test_wrong_arguments(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    said = capsys.readouterr().err
    assert arguments[0] in said and said.count("\n") == 1


def test_a_bug_is_one_sentence_and_a_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def broken(path: Path) -> Config:
        raise ZeroDivisionError

    monkeypatch.setattr("dalmuti.server.config.load", broken)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert main(["check-config", "x"]) == 70
    said = capsys.readouterr().err
    (file,) = tmp_path.iterdir()
    assert str(file) in said and said.count("\n") == 1
    assert "ZeroDivisionError" in file.read_text()


@pytest.mark.parametrize("command", ["check-config", "default-config"])
def test_help_of_each_command_shows_an_example(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    assert f"example: dalmuti-server {command}" in capsys.readouterr().out


def test_help_is_quick_and_shows_an_example() -> None:
    code = (
        "import sys; from dalmuti.server.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "assert not {'trio', 'msgpack', 'msgspec'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
    assert "--listen 127.0.0.1:0" in done.stdout


# -- the configuration ------------------------------------------------------------------------


def test_the_default_configuration_is_the_default(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["default-config"]) == 0
    text = capsys.readouterr().out
    file = tmp_path / "server.toml"
    file.write_text(text)
    assert load(file) == Config()
    assert main(["check-config", str(file)]) == 0
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if " = " in line and not line.startswith("#"):
            assert lines[number - 1].startswith("# "), "every key has a comment"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('listen = ["0.0.0.0:0"]', "may be reached from the internet"),
        ('listen = ["[::]:0"]', "may be reached from the internet"),
        ('tls_cert = "/no/such.pem"', "the certificate /no/such.pem cannot be used"),
        ('listen = ["0.0.0.0:0"]\nlan_only = true', ""),
        ('listen = ["0.0.0.0:0"]\ninsecure = true', ""),
        ('listen = ["cards.example.org:0"]', ""),
    ],
)
def test_check_config_judges_doors_and_certificates(
    text: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "server.toml"
    file.write_text(text)
    assert main(["check-config", str(file)]) == (2 if words else 0)
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"listn": ["x:1"]}, "unknown key listn; did you mean listen?"),
        ({"limits": {"conections": 5}}, "unknown key limits.conections; did you mean"),
        ({"zebra": 1}, "unknown key zebra"),
        (
            {"log_level": "loud"},
            "log_level: expected one of debug, info, warning, error, found loud",
        ),
        (
            {"limits": {"ping_seconds": 50.0}},
            "limits.ping_seconds: expected less than limits.dead_seconds (45), found 50",
        ),
        ({"bot_delay": "slow"}, "bot_delay: expected `float`, got `str`"),
        ({"bot_delay": -1}, "bot_delay: expected `float` >= 0"),
        ({"limits": {"connections": 0}}, "limits.connections: expected `int` >= 1"),
        ({"limits": 5}, "limits: expected `object`, got `int`"),
        ({"listen": []}, "listen: expected"),
        ({"listen": ["somewhere:else"]}, "expected HOST:PORT"),
        ({"log_format": "xml"}, "log_format: expected one of text, json, found xml"),
    ],
)
def test_what_is_wrong_is_named(values: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigError) as error:
        config_from(values)
    assert words in str(error.value)


@pytest.mark.parametrize("text", ["listen = [", "a = " + "[" * 50_000, "a = " + "9" * 5_000])
def test_a_file_that_is_no_toml(text: str, tmp_path: Path) -> None:
    file = tmp_path / "server.toml"
    file.write_text(text)
    with pytest.raises(ConfigError, match="is not TOML"):
        load(file)


def test_the_command_line_goes_over_the_file(tmp_path: Path) -> None:
    from dalmuti.server.cli import _configured, parser

    file = tmp_path / "server.toml"
    file.write_text('bot_delay = 2\npassword = ""\n[limits]\ntables = 3\ngrace_seconds = 9\n')
    given = parser().parse_args(["--config", str(file), "--bot-delay", "0", "--max-tables", "5"])
    config = _configured(given)
    assert (config.bot_delay, config.password, config.pace) == (0, None, 0)
    assert (config.limits.tables, config.limits.grace_seconds) == (5, 9)


def test_default_text_names_every_limit() -> None:
    text = default_text()
    assert text.count("\n[limits]") == 1
    assert all(f"\n{name} = " in text for name in Config().limits.__struct_fields__)


def test_I86_the_command_line_and_the_file_may_ask_for_an_announcement() -> None:
    assert config_from({"announce": True, "announce_name": ""}) == Config(announce=True)
    given = cli.parser().parse_args(["--announce", "--announce-name=-K"])
    asked = cli._configured(given)
    assert (asked.announce, asked.announce_name) == (True, "-K")
    assert not cli._configured(cli.parser().parse_args([])).announce


def test_a_password_may_come_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command line can be read by everyone on the machine; `dalmuti host` gives it this way."""
    monkeypatch.setenv("DALMUTI_PASSWORD", "party")
    assert cli._configured(cli.parser().parse_args([])).password == "party"
    assert cli._configured(cli.parser().parse_args(["--password", "other"])).password == "other"
