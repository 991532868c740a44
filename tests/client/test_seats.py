"""Seat files: kept, found again, never taken from one who lives."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dalmuti.client import seats
from dalmuti.client.seats import claim


def test_I83_saved_and_found_again(tmp_path: Path) -> None:
    file, held = claim("h:1", "Ada", where=tmp_path)
    assert held is None
    file.save("Kitchen", "T1", "Ada")
    file.save("Kitchen", "T2", "Ada")
    assert stat.S_IMODE(os.stat(file.path).st_mode) == 0o600
    file.close()
    again, held = claim("h:1", where=tmp_path)
    assert held is not None and (held.token, held.name) == ("T2", "Ada")
    again.close()


def test_one_who_lives_keeps_his_seat(tmp_path: Path) -> None:
    first, _ = claim("h:1", "Ada", where=tmp_path)
    first.save("Kitchen", "T1", "Ada")
    second, held = claim("h:1", where=tmp_path)
    assert held is None and second.path != first.path
    second.save("Kitchen", "T2", "Ada")
    first.close()
    third, held = claim("h:1", where=tmp_path)
    assert held is not None and held.token == "T1"
    third.close()
    second.close()


def test_only_the_same_server_name_and_table(tmp_path: Path) -> None:
    file, _ = claim("h:1", "Ada", where=tmp_path)
    file.save("Kitchen", "T1", "Ada")
    file.close()
    for address, name, table in [
        ("h:2", "Ada", None),
        ("h:1", "Bea", None),
        ("h:1", "Ada", "Attic"),
    ]:
        other, held = claim(address, name, table, tmp_path)
        assert held is None and other.path != file.path
        other.close()
    same, held = claim("h:1", "Ada", where=tmp_path)
    assert held is not None and held.token == "T1"
    same.close()


def test_forgotten_leaves_nothing(tmp_path: Path) -> None:
    file, _ = claim("h:1", "Ada", where=tmp_path)
    file.save("Kitchen", "T1", "Ada")
    file.forget()
    file.close()
    assert list(tmp_path.iterdir()) == []


def test_a_broken_file_is_no_seat(tmp_path: Path) -> None:
    file, _ = claim("h:1", "Ada", where=tmp_path)
    file.path.write_text("{not json")
    file.close()
    again, held = claim("h:1", where=tmp_path)
    assert held is None and again.path == file.path
    again.close()


def test_I22_a_killed_process_lets_go(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from dalmuti.client.seats import claim\n"
        "file, _ = claim('h:1', 'Ada', where=Path(sys.argv[1]))\n"
        "file.save('Kitchen', 'T1', 'Ada')\n"
        "print('held', flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        mine, held = claim("h:1", where=tmp_path)
        assert held is None
        mine.close()
        process.kill()
    file, held = claim("h:1", where=tmp_path)
    assert held is not None and held.token == "T1"
    file.close()


def test_without_locks_it_works_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seats, "fcntl", None)
    file, _ = claim("h:1", "Ada", where=tmp_path)
    file.save("Kitchen", "T1", "Ada")
    file.close()
    again, held = claim("h:1", "Ada", where=tmp_path)
    assert held is not None and held.token == "T1"
    again.close()
