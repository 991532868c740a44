"""The simulator against the engine, and whether the comparison finds what differs."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dalmuti.core import simulator
from dalmuti.core.options import TableOptions
from dalmuti.core.simulator import Position

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def differential() -> Any:
    spec = importlib.util.spec_from_file_location("differential", ROOT / "tools/differential.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_simulator_is_the_engine_over_random_hands(differential: Any) -> None:
    """All sizes from 2 to 10, both rules of passing; 100,000 are for the program."""
    text = differential.run(0, 360, seed=7)
    assert text.startswith("360 hands, ") and text.endswith(": no difference")


@pytest.mark.parametrize(
    ("part", "fault"),
    [
        ("_BELOW", tuple(mask << 1 & 0xFFF | mask for mask in simulator._BELOW)),
        ("_WORST", tuple((mask & -mask).bit_length() for mask in range(1 << 12))),
        ("_greedily", lambda choice: -choice[0]),
        ("_sets", lambda counts, seat, top, size: []),
        ("_CHOICES", tuple((*ranks[::-1], 0) for ranks in simulator._RANKS)),
    ],
)
def test_a_fault_in_a_playout_is_found(
    differential: Any, monkeypatch: pytest.MonkeyPatch, part: str, fault: Any
) -> None:
    monkeypatch.setattr(simulator, part, fault)
    with pytest.raises(differential.Difference):
        differential.run(0, 180, seed=1)


def test_a_fault_in_a_step_is_found_and_can_be_played_again(
    differential: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Locked passing that is forgotten when somebody beats the set on the table."""
    play = Position._play

    def forgetful(self: Position, *given: Any) -> None:
        locked, self.locked = self.locked, False
        play(self, *given)
        self.locked = locked

    monkeypatch.setattr(Position, "_play", forgetful)
    with pytest.raises(differential.Difference, match="locked passing: ") as found:
        differential.run(0, 90, seed=1)
    number = int(str(found.value).split()[1])
    with pytest.raises(differential.Difference) as again:
        differential.run(number, 1, seed=1)
    assert str(again.value) == str(found.value)


def test_a_hand_has_as_many_moves_as_its_seed_says(differential: Any) -> None:
    moves = [differential.compare("1/1", 5, TableOptions(revolution="off")) for _ in range(2)]
    assert moves[0] == moves[1] > 80 / 14


def test_the_program_says_what_it_did() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tools.differential", "--hands", "18"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done
    assert done.stdout.startswith("18 hands, ")
