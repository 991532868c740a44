"""The same on a cluster of machines, as far as one machine can be one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dalmuti.client.arena import cluster
from dalmuti.client.arena.plan import Contestant, Setup, Times
from dalmuti.client.arena.schedule import items_of
from dalmuti.client.start import Refusal
from dalmuti.core.options import TableOptions

distributed: Any = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("default")  # its own, which are none of ours


def test_a_cluster_plays_the_same(tmp_path: Path) -> None:
    from dalmuti.client.arena import workers

    file = tmp_path / "mybot.py"
    file.write_text(
        "from dalmuti.client.bot import Bot\n"
        "class Mine(Bot):\n"
        "    def decide(self, view, decision):\n"
        "        return decision.choices[-1]\n"
    )
    setup = Setup(
        contestants=(Contestant("mine", f"{file}:Mine"), Contestant("random", "random")),
        options=TableOptions(seats=4, first_titles="order_of_arrival"),
    )
    with (
        distributed.LocalCluster(
            n_workers=1,
            threads_per_worker=2,
            processes=False,
            dashboard_address="127.0.0.1:0",
            worker_dashboard_address="127.0.0.1:0",
        ) as here,
        distributed.Client(here, set_as_default=False) as client,
    ):
        there = list(cluster.spread(client, setup, items_of(setup, 20, 1)))
        with pytest.raises(Refusal, match="no file that can be read"):
            wrong = Setup(contestants=(Contestant("x", "nobody.py"),) * 2, options=setup.options)
            list(cluster.spread(client, wrong, items_of(wrong, 1, 1)))
    local = list(workers.play(setup, items_of(setup, 20, 1), 1))
    for outcomes in (there, local):
        outcomes.sort(key=lambda outcome: outcome.index)
        for outcome in outcomes:
            for tally in outcome.tallies:
                tally.times = Times()
    assert there == local and len(local) == 80


def test_no_scheduler_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.2)
    with pytest.raises(Refusal, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"):
        cluster.runner_at("tcp://127.0.0.1:9")
