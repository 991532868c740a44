"""The ladder from the command line: a bot that plays rated matches, and what is shown of it."""

from __future__ import annotations

import json
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dalmuti.client import private
from end_to_end.spoken import PATIENCE, Spoken
from end_to_end.terminal import clean_environment

LADDER = """
[ladder]
enabled = true
seats = 3
hands = 1
pause = 0
house = ["greedy", "random"]
"""


@contextmanager
def server(folder: Path, config: str, listen: str = "127.0.0.1:0") -> Iterator[tuple[Any, str]]:
    """A server on this folder, and its address; killed at the end."""
    (folder / "server.toml").write_text(config)
    arguments = ["--config", str(folder / "server.toml"), "--data", str(folder / "kept")]
    command = [sys.executable, "-m", "dalmuti.server.cli", *arguments, "--listen", listen]
    process = subprocess.Popen(
        [*command, "--log-format", "json", "--log-file", str(folder / "log")],
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        yield process, json.loads(process.stdout.readline())["addresses"][0]
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def run(env: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dalmuti.client.cli", *arguments],
        env=dict(env),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def matches_of(env: Mapping[str, str], address: str, bot: Spoken, least: int) -> dict[str, Any]:
    """Everything that is shown, once the bot Alpha has finished so many matches."""
    deadline = time.monotonic() + PATIENCE
    while True:
        done = run(env, "ladder", address, "--json")
        assert done.returncode == 0, done.stderr
        shown: dict[str, Any] = json.loads(done.stdout)
        for player in shown["players"]:
            if player["name"] == "Alpha" and player["matches"] >= least:
                return shown
        said = bot.raw.decode()[-500:]
        assert time.monotonic() < deadline, f"{bot.process.poll()} {said} {shown}"


def shown_here(env: Mapping[str, str], address: str) -> list[str]:
    """The table for people, once somebody is here: a bot between two matches is not."""
    deadline = time.monotonic() + PATIENCE
    while True:
        lines = run(env, "ladder", address).stdout.splitlines()
        if any(line.endswith("  here") for line in lines):
            return lines
        assert time.monotonic() < deadline, lines


def test_a_bot_in_the_ladder_killed_and_back_on_a_server_killed_and_back(tmp_path: Path) -> None:
    home = tmp_path / "home"
    env = clean_environment(home)
    with server(tmp_path, LADDER) as (process, address):
        done = run(env, "ladder", address)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == f"Nobody has finished a rated match at {address} yet.\n"
        with Spoken(["bot", "greedy", address, "--ladder", "--name", "Alpha"], env) as bot:
            bot.until("Alpha is enlisted in the ladder, and waits for a match.")
            bot.until("Alpha sits at table Ladder ")
            bot.until("Alpha: a match begins, with ")
            bot.until("Alpha: the match is over, place ")
            bot.until("Alpha waits for the next match.")
            shown = matches_of(env, address, bot, 1)
            bot.kill()
        (alpha,) = [each for each in shown["players"] if each["name"] == "Alpha"]
        assert not alpha["house"] and alpha["hands"] == alpha["matches"]
        assert alpha["ordinal"] == pytest.approx(alpha["mu"] - 3 * alpha["sigma"])
        assert {each["name"] for each in shown["players"] if each["house"]} == {"greedy", "random"}
        assert [each["rank"] for each in shown["players"]] == [1, 2, 3]
        (key,) = (home / "state" / "dalmuti" / "ladder").iterdir()
        assert stat.S_IMODE(key.stat().st_mode) == 0o600
        stranger = clean_environment(tmp_path / "stranger")
        done = run(stranger, "bot", "greedy", address, "--ladder", "--name", "Alpha")
        assert done.returncode == 4
        assert "The name Alpha in this ladder belongs to somebody" in done.stderr
        (copied,) = re.findall(
            r"copy the key from where you played before to (\S+json)\. ", done.stderr
        )
        private.write(Path(copied), key.read_bytes().replace(b'"key":"', b'"key":"x'))
        done = run(stranger, "bot", "greedy", address, "--ladder", "--name", "Alpha")
        assert done.returncode == 4 and f"another key than the one in {copied}." in done.stderr
        private.write(Path(copied), key.read_bytes())
        with Spoken(["bot", "greedy", address, "--ladder", "--name", "Alpha"], stranger) as moved:
            moved.until("Alpha is enlisted")
        with Spoken(["bot", "greedy", address, "--ladder", "--name", "Alpha"], env) as bot:
            bot.until("Alpha sits at table Ladder ")
            matches_of(env, address, bot, alpha["matches"] + 1)
            process.send_signal(signal.SIGKILL)
            process.wait()
            with server(tmp_path, LADDER, address) as (_, again):
                assert again == address
                shown = matches_of(env, address, bot, alpha["matches"] + 4)
                lines = shown_here(env, address)
                assert lines[0] == f"The ladder of {address}: 3 seats, 1 hand a match."
                assert len(lines) == 6
                bot.process.send_signal(signal.SIGTERM)
                assert bot.wait() == 128 + signal.SIGTERM


def test_servers_without_a_ladder_and_no_server(tmp_path: Path) -> None:
    env = clean_environment(tmp_path / "home")
    with server(tmp_path, "") as (_, address):
        for arguments in (["ladder", address], ["bot", "greedy", address, "--ladder"]):
            done = run(env, *arguments)
            assert done.returncode == 4 and "keeps no ladder" in done.stderr, done
            assert done.stderr.count("\n") == 1
    done = run(env, "ladder", address)
    assert done.returncode == 3 and "Nobody answers at" in done.stderr
    done = run(env, "bot", "greedy", address, "--ladder", "--table", "Kitchen")
    assert done.returncode == 2 and "found both" in done.stderr
