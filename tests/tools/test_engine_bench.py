"""bench/engine.py: its keys are a contract, and what is not installed is null and named."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FILE = Path(__file__).parents[2] / "bench" / "engine.py"
PEERS = ["rlcard", "openspiel_python", "openspiel_python_lean", "openspiel_cpp"]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The program, on a machine without the peers."""
    spec = importlib.util.spec_from_file_location("bench_engine", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    real = module.import_module

    def absent(name: str) -> ModuleType:
        if not name.startswith("dalmuti."):
            raise ModuleNotFoundError(f"No module named {name!r}")
        found: ModuleType = real(name)
        return found

    monkeypatch.setattr(module, "import_module", absent)
    return module


def test_the_keys_and_what_is_not_installed(
    bench: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--seats", "3,5", "--rounds", "1", "--seconds", "0.02", "--json"]
    monkeypatch.setattr(sys, "argv", ["engine.py", *arguments])
    assert bench.main() == 0
    out, err = capsys.readouterr()
    result = json.loads(out)
    rows = {(row["seats"], row["what"]): row for row in result["rows"]}
    assert {row.keys() == {"seats", "what", "moves_per_s", "hands_per_s"} for row in rows.values()}
    for peer in PEERS:
        assert rows[3, peer]["moves_per_s"] is rows[3, peer]["hands_per_s"] is None
        assert f"{peer} is not measured: " in err
    assert set(PEERS) <= set(result["not_installed"])
    for seats in (3, 5):
        for what in ("engine", "simulator", "engine_greedy", "simulator_greedy"):
            row = rows[seats, what]
            assert row["moves_per_s"] > row["hands_per_s"] > 0
    ratios = result["ratios"]
    assert ratios["engine_over_rlcard"] is ratios["engine_over_openspiel_python"] is None
    by_seats = [each["simulator_over_engine"] for each in result["ratios_by_seats"].values()]
    assert ratios["simulator_over_engine"] == min(by_seats) > 1


def test_playouts_that_are_not_the_hands_that_were_counted_are_refused(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench.Position, "greedy_playout", lambda position: [0, 1, 2])
    with pytest.raises(RuntimeError, match="not the hands whose moves were counted"):
        bench.simulator(3, greedily=True)
