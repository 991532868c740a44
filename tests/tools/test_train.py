"""The trainer of the expert: its rules are the engine's, and a training can be resumed.

Compiling takes a minute where it was not done before; without the extra `train` nothing runs.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numba")
np = pytest.importorskip("numpy")

# All of these need numba, hence E402: without it nothing of this file is run.
import tools.train.differential as differential_  # noqa: E402
from tools.train import evaluate, returns  # noqa: E402
from tools.train.differential import Comparison, Difference  # noqa: E402
from tools.train.export import nets_of, packed  # noqa: E402
from tools.train.policies import CAREFUL, RANDOM  # noqa: E402
from tools.train.run import Training  # noqa: E402

from dalmuti.client.bots.network import read  # noqa: E402

ROOT = Path(__file__).parents[2]
WEIGHTS = ROOT / "client/dalmuti/client/bots/expert-v1.weights"
HANDS = 40


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return Comparison(seed=7)


def test_the_compiled_rules_are_the_engines(comparison: Comparison) -> None:
    """A few hundred hands; `python -m tools.train.differential` compares 100,000."""
    for number in range(300):
        comparison.hand(number)
    for number in range(200):
        comparison.taxes(number)
    assert comparison.moves > 30_000


@pytest.mark.parametrize("fault", ["choice", "turn", "place"])
def test_a_difference_is_found(
    comparison: Comparison, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """What is compared is what was played: one wrong number in the record is seen."""
    record = differential_.record

    def wrong(g: Any, trace: Any, state: Any) -> int:
        steps = int(record(g, trace, state))
        if fault == "choice":
            trace.offered[steps // 2, 0, 0] += 1
        elif fault == "turn":
            trace.states[steps // 2, 0] += 1
        else:
            g.points[0], g.points[1] = g.points[1], g.points[0]
        return steps

    monkeypatch.setattr(differential_, "record", wrong)
    with pytest.raises(Difference, match=r"compiled .*, engine"):
        comparison.hand(1)


def test_a_training_goes_on_exactly_where_it_stopped(tmp_path: Path) -> None:
    whole, halves = Training(3, 16, 8), Training(3, 16, 8)
    before = whole.tricks.flat.copy()
    for _ in range(2):
        whole.one_round(10, HANDS, 1)
    halves.one_round(10, HANDS, 1)
    halves.save(tmp_path / "checkpoint.npz")
    halves = Training.load(tmp_path / "checkpoint.npz")
    halves.one_round(10, HANDS, 1)
    for name in ("tricks", "deals"):
        one, other = getattr(whole, name), getattr(halves, name)
        assert np.array_equal(one.flat, other.flat) and np.array_equal(one.slow, other.slow)
        assert np.array_equal(one.moments, other.moments)
    assert (whole.round, whole.hands, whole.samples) == (2, 2 * HANDS, halves.samples)
    assert not np.array_equal(whole.tricks.flat, before)


def test_the_number_of_threads_changes_nothing() -> None:
    one, two = Training(5, 16, 8), Training(5, 16, 8)
    one.one_round(10, HANDS, 1)
    two.one_round(10, HANDS, 2)
    assert np.array_equal(one.tricks.flat, two.tricks.flat)


def test_what_is_written_is_what_was_learned() -> None:
    """Whole numbers lose less than a thousandth of the largest weight."""
    made = Training(3, 16, 8)
    made.one_round(10, HANDS, 1)
    data = packed(made.tricks, made.deals)
    assert [len(layer.biases) for layer in read(data)["tricks"]] == [16, 8, 1]
    for name, learner in (("tricks", made.tricks), ("deal", made.deals)):
        for found, wanted in zip(nets_of(data)[name], learner.net(slow=True), strict=True):
            assert np.allclose(found, wanted, atol=0.002)


def test_equals_are_equal() -> None:
    """A bot among its like gains nothing over all seats of a deal, nor by the same return."""
    net = nets_of(WEIGHTS.read_bytes())["tricks"]
    for seats in (4, 7):
        means = evaluate.trial(net, net, 1, 1, 10, seats, CAREFUL, CAREFUL, 0)
        assert np.array_equal(means, np.zeros(10))
        assert evaluate.strength(net, seats, CAREFUL, RANDOM, deals=10).mean > 1
    found = returns.compare(net, nets_of(WEIGHTS.read_bytes())["deal"], 6, 0, 1, 1, 10)
    assert found == (0.0, 0.0)


def test_the_command_learns_and_writes_its_curve(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tools.train", str(tmp_path), "--hands", "20", "--deals", "10"]
    command += ["--first", "16", "--second", "8", "--try-every", "2", "--threads", "1"]
    for extra in (["--rounds", "4", "--stop-after", "2"], ["--rounds", "4"]):
        subprocess.run([*command, *extra], cwd=ROOT, check=True, timeout=300)
    lines = [json.loads(line) for line in (tmp_path / "curve.jsonl").read_text().splitlines()]
    assert [line["round"] for line in lines] == [2, 4]
    assert lines[-1]["hands"] == 80 and "6 seats, careful" in lines[-1]
    file = tmp_path / "expert.weights"
    subprocess.run([*command, "--export", str(file)], cwd=ROOT, check=True, timeout=300)
    assert read(file.read_bytes())
