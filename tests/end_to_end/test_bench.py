"""The programs under bench/ run, and print what cli.md promises; a bad night of a few seconds."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

BENCH = Path(__file__).parents[2] / "bench"


def run(program: str, *arguments: str) -> dict[str, Any]:
    """What a program prints with --json."""
    done = subprocess.run(
        [sys.executable, str(BENCH / program), *arguments, "--json"],
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_I76_a_bad_night_for_a_few_seconds() -> None:
    found = run("soak.py", "--minutes", "0.08", "--tables", "3")
    assert found["unhandled"] == 0 and found["unfinished"] == 0
    assert found["hands"] > 0 and "rss_kib_per_minute" in found


def test_random_bytes_bring_out_nothing_but_protocol_errors() -> None:
    found = run("fuzz.py", "--seconds", "1")
    assert found["unexpected"] == 0 and found["frames"] > 1000
    assert found["heaviest_bytes"] < 1024 * 1024


def test_guests_by_ssh_are_measured() -> None:
    (row,) = run("ssh.py", "--guests", "2", "--seconds", "2")["rows"]
    assert row["guests"] == 2 and row["updates_per_s"] > 0 and row["cpu"] > 0
    assert row["rss_mib"] > row["rss_empty_mib"] > 0 and row["late_p99_ms"] > 0


def test_the_server_is_measured_beside_its_ceiling() -> None:
    found = run("server.py", "--tables", "1,2", "--seconds", "0.4", "--rounds", "1")
    assert [(row["tables"], row["journal"]) for row in found["rows"]] == [
        (1, False),
        (1, True),
        (2, False),
        (2, True),
    ]
    for row in found["rows"]:
        assert row["seats"] == 6 and row["plays_per_s"] > 0 and row["ceiling_ratio"] > 0
        assert 0 < row["p50_ms"] <= row["p99_ms"]
    assert found["kib_per_connection"] > 0
    assert {"cost_200_over_10", "kib_per_table", "p99_stalled_ratio"} <= set(found)


def test_the_screen_is_measured_beside_a_bare_window() -> None:
    found = run("screen.py", "--rounds", "3", "--starts", "1")
    assert found["redraw_ratio"].keys() == found["bytes"].keys() == {"80x24", "120x40"}
    assert min(found["redraw_ratio"].values()) > 0 and min(found["bytes"].values()) > 0
    assert found["start_ratio"] > 0 and found["help_ratio"] > 0
