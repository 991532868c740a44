"""What `dalmuti export` makes of a transcript, held to what a real table sent to each seat."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from dalmuti.client.export import samples
from dalmuti.core.moves import Move
from dalmuti.core.record import loads
from dalmuti.core.views import TableView
from dalmuti.protocol import messages as msg
from server.sim import Sim


def recorded(view: TableView) -> TableView:
    """Without what no record holds: the host, and what is left of the clock."""
    assert view.hand is not None and view.hand.turn is not None
    turn = replace(view.hand.turn, ms=None)
    return replace(view, host=None, hand=replace(view.hand, turn=turn))


@pytest.mark.parametrize("passing", ["open", "locked"])
@pytest.mark.parametrize("seats", [3, 5])
def test_views_choices_and_numbers_are_those_that_the_table_sent(seats: int, passing: str) -> None:
    sim = Sim(options={"seats": seats, "passing": passing, "scoring": "points"}, seed=seats)
    for name in ("Bob", "Cem", "Dan", "Eve")[: seats - 1]:
        sim.join(name)
    chance = random.Random(seats)
    sent: dict[tuple[int, int], tuple[TableView, tuple[Move, ...], Move]] = {}
    for _ in range(4):
        assert sim.ask(sim.host, msg.Deal) == "ok"
        while sim.table.play.match.hand is not None:
            if not sim.asked():
                sim.advance(1.0)  # the window stays open for a while
                continue
            conn = sim.asked()[0]
            viewer = sim.viewers[conn]
            assert viewer.view is not None and viewer.decision is not None
            view, decision = viewer.view, viewer.decision
            choice = chance.choice(decision.choices)
            if len(decision.choices) > 1:
                key = decision.decision, viewer.number
                sent[key] = recorded(view), decision.choices, choice
            assert sim.act(conn, choice) == "ok"
    found = {}
    for sample in samples(loads(sim.transcript())):
        assert sample.view.hand is not None and sample.view.hand.turn is not None
        key = sample.view.hand.turn.decision, sample.player
        found[key] = sample.view, sample.choices, sample.choice
    assert found == sent
    assert len(found) > 100
