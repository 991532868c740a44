"""What was played is in the history: real processes, a real server, a real file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from end_to_end.terminal import clean_environment

DALMUTI = [sys.executable, "-m", "dalmuti.client.cli"]


def ran(command: str, env: dict[str, str], typed: str = "") -> str:
    done = subprocess.run(
        [*DALMUTI, *command.split()],
        input=typed,
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def stats(env: dict[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ran("stats --json", env))
    return found


def test_hands_that_were_played_are_counted(tmp_path: Path) -> None:
    env = clean_environment(tmp_path)
    enter = "\n" * 500
    said = ran("play --plain --seats 3 --hands 2 --bot-delay 0 --name Ada", env, enter)
    found = stats(env)
    assert (found["hands"], found["matches"], found["damaged"]) == (2, 1, 0)
    assert set(found["against"]) == {"bots"} and set(found["by_seats"]) == {"3"}
    winners = said.count("1. Ada, Greater Dalmuti")
    assert found["titles"]["greater_dalmuti"] == found["all"]["first"] == winners
    assert found["recent"][0]["how"] == "play"

    settings = tmp_path / "config" / "dalmuti" / "settings.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("history = false\n", encoding="utf-8")
    ran("play --plain --seats 2 --hands 1 --bot-delay 0", env, enter)
    assert stats(env)["hands"] == 2
    assert "Your history is deleted." in ran("stats --forget", env)
    assert stats(env)["hands"] == 0
