"""`dalmuti replay`: which way of showing is chosen, and the conversation on a pipe."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from client.replay.matches import an_evening
from dalmuti.client.cli import main
from dalmuti.client.replay.telling import tell
from dalmuti.core.record import dumps

RECORD = an_evening(4, 1, seed=3).record()


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "match.txt"
    path.write_text(dumps(RECORD), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("flags", [[], ["--plain"], ["--line"]])
def test_without_a_terminal_all_of_it_is_told(
    flags: list[str], file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", file, *flags]) == 0
    assert capsys.readouterr().out.splitlines() == list(tell(RECORD, None))


def test_plain_alone_tells_all_of_it_on_a_terminal_too(
    file: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dalmuti.client.replay.command.at_terminal", lambda: True)
    assert main(["replay", file, "--plain", "--as", "1"]) == 0
    assert capsys.readouterr().out.splitlines() == list(tell(RECORD, 1))


def test_commands_on_a_pipe(
    file: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("next\n\nas 1\ncards\nquit\nnext\n"))
    assert main(["replay", file, "--plain", "--step"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("A record of table ") and said[0].endswith("with 1 hand.")
    assert sum(line.startswith("You hold ") for line in said) == 2
    assert said[-1].startswith("You hold ")


def test_the_end_of_the_lines_is_the_end(
    file: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("trick 2"))
    assert main(["replay", file, "--step", "--as", RECORD.players[2].name]) == 0
    assert f"Told as {RECORD.players[2].name} saw it." in capsys.readouterr().out


def test_a_directory_and_an_unknown_player_are_refused(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(tmp_path)]) == 2
    assert main(["replay", file, "--as", "Zoe"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert "cannot be read: " in said[0]
    assert "expected a player of this match (1 " in said[1]
