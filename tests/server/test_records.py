"""Transcripts on a disk that has no room left."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from dalmuti.core.record import loads, verify
from dalmuti.server.records import Recorder
from server.sim import NAME, Sim


class FullDisk(io.StringIO):
    """Takes some of what is written, and fails."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path

    def write(self, text: str) -> int:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(text[: len(text) // 2])
        raise OSError(28, "No space left on device")


def texts(folder: Path) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in folder.iterdir()]


def fill_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next file to which something is appended is on a full disk."""
    really_open = Path.open

    def opened(path: Path, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        if mode == "a":
            monkeypatch.setattr(Path, "open", really_open)
            return FullDisk(path)
        return really_open(path, mode, *args, **kwargs)

    monkeypatch.setattr(Path, "open", opened)


async def test_a_disk_that_gets_full_leaves_the_hands_before_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sim = Sim(options={"seats": 2, "turn_seconds": 0}, seed=3)
    sim.join("Bob")
    recorder = Recorder(tmp_path, NAME, sim.table.options, fair=sim.table.dealer.fair)

    async def record() -> None:
        await recorder.add(tuple(sim.log), dict(sim.names), dict(sim.seeds))
        sim.log.clear()
        sim.seeds.clear()

    sim.hand()
    await record()
    (whole,) = texts(tmp_path)

    fill_disk(monkeypatch)
    sim.hand()
    with pytest.raises(OSError, match="No space left"):
        await record()
    assert texts(tmp_path) == [whole]
    assert all(verdict.ok for verdict in verify(loads(whole)))


async def test_a_disk_that_was_full_from_the_first_has_no_empty_transcript(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sim = Sim(options={"seats": 2, "turn_seconds": 0}, seed=3)
    sim.join("Bob")
    sim.hand()
    recorder = Recorder(tmp_path, NAME, sim.table.options, fair=sim.table.dealer.fair)
    fill_disk(monkeypatch)
    with pytest.raises(OSError, match="No space left"):
        await recorder.add(tuple(sim.log), dict(sim.names), dict(sim.seeds))
    assert texts(tmp_path) == []
