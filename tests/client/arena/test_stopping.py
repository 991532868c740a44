"""Ctrl-C and SIGTERM in the arena: the figures so far, the code of the signal, nobody left."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from dalmuti.client.arena.stopping import Stopped, Stops

PATIENCE = 60.0
BOT = """
import time
from dalmuti.client.bot import Bot

class Mine(Bot):
    def decide(self, view, decision):
        time.sleep({seconds})
        return decision.choices[0]
"""


def running_with(mark: str) -> list[int]:
    """The processes that have inherited this environment."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            pass
    return found


def stopped(
    arguments: Sequence[str], folder: Path, matches: int, *numbers: signal.Signals
) -> tuple[int, str, str]:
    """Runs an arena, signals it after so many matches are saved, and waits for its end."""
    mark = f"DALMUTI_TEST_MARK={folder}"
    saved = folder / "saved"
    with subprocess.Popen(
        [sys.executable, "-m", "dalmuti.client.cli", "arena", *arguments, "--save", str(saved)],
        env={**os.environ, "DALMUTI_TEST_MARK": str(folder)},
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            deadline = time.monotonic() + PATIENCE
            while len(list(saved.rglob("*.txt"))) < matches or not running_with(mark):
                assert process.poll() is None and time.monotonic() < deadline
                time.sleep(0.01)
            for number in numbers:
                process.send_signal(number)
            out, err = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    while running_with(mark):
        assert time.monotonic() < deadline, "a process was left behind"
        time.sleep(0.01)
    return process.returncode, out, err


linux = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


@linux
@pytest.mark.parametrize(
    ("number", "more"),
    [
        (signal.SIGINT, []),
        (signal.SIGTERM, ["--jobs", "2"]),
        (signal.SIGINT, ["--over", "tcp", "--jobs", "2"]),
        (signal.SIGTERM, ["--over", "tcp"]),
    ],
)
def test_what_was_played_is_told(number: signal.Signals, more: list[str], tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(BOT.format(seconds=0.001))
    players = ["mine.py", "greedy", "--seats", "3", "--deals", "100000", "--json", *more]
    code, out, err = stopped(players, tmp_path, 7, number)
    result = json.loads(out)
    assert (code, err) == (128 + number, "")
    assert result["unfinished"] is True
    assert 2 <= result["deals"] < 100000 and result["hands"] == 3 * result["deals"]
    assert result["players"]["mine.py"]["hands"] == result["hands"]
    mine, greedy = (result["players"][name]["above_par"] for name in ("mine.py", "greedy"))
    assert mine + 2 * greedy == pytest.approx(0, abs=1e-5)  # of whole deals, so they balance


@linux
def test_a_trial_tells_its_tables_so_far(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(BOT.format(seconds=0.005))
    trial = ["--trial", "mine.py", "--references", "greedy,random", "--deals", "3"]
    code, out, err = stopped(trial, tmp_path, 12 + 4, signal.SIGINT)
    assert (code, err) == (130, "")
    told = re.search(r"Unfinished: stopped after (\d) of 6 tables\. These are the figures", out)
    assert told is not None and 1 <= int(told[1]) < 6
    assert "The minimum so far is " in out and "   greedy " in out


@linux
def test_a_bot_that_hangs_is_told_of_before_any_deal_is_complete(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(BOT.format(seconds=1000))
    players = ["mine.py", "greedy", "--seats", "3", "--turn-seconds", "0.1", "--hands", "1"]
    code, out, err = stopped(players, tmp_path, 1, signal.SIGTERM)
    assert (code, err) == (143, "")
    assert "Unfinished: stopped before one of 200 deals was played in all seats." in out
    assert "mine.py: 3 late" in out and "The first time it took too long." in out


@linux
def test_who_asks_twice_does_not_wait(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(BOT.format(seconds=0.001))
    players = ["mine.py", "greedy", "--seats", "3", "--deals", "100000", "--over", "tcp"]
    both = (signal.SIGTERM, signal.SIGINT)
    code, _, _ = stopped(players, tmp_path, 3, *both)
    assert code in (143, -signal.SIGINT, -signal.SIGTERM)


def test_a_signal_ends_the_waiting_and_nothing_else() -> None:
    def outcomes() -> Iterator[int]:
        yield 1
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("it went on")

    before = signal.getsignal(signal.SIGINT)
    with Stops() as stops:
        played = outcomes()
        assert stops.next(played) == 1 and stops.next(iter(())) is None
        with pytest.raises(Stopped):
            stops.next(played)
        assert stops.caught == signal.SIGINT
    with Stops() as stops:
        signal.raise_signal(signal.SIGTERM)  # while an outcome is added up: it is noted
        with pytest.raises(Stopped):
            stops.next(iter([1]))
    assert signal.getsignal(signal.SIGINT) is before
