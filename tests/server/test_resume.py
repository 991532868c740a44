"""Coming back: at every event of a hand the state is as if one had never been away."""

from __future__ import annotations

import random

from dalmuti.client.fold import fold
from dalmuti.core.views import TableView
from dalmuti.protocol import messages as msg
from dalmuti.server.limits import Limits
from server.sim import NAME, Sim


def test_I01_I14_resuming_at_every_event_of_a_hand_gives_the_same_state() -> None:
    """For each player, each event number and what the server still has: as never having left."""
    sim = Sim(seed=3, limits=Limits(resume_events=5000))
    conns = [sim.host, *(sim.join(name) for name in ("Bob", "Cleo", "Dan"))]
    sim.hand(pick=lambda decision: decision.choices[0])
    for conn in conns:
        viewer = sim.viewers[conn]
        states: list[tuple[int, TableView]] = []
        view: TableView | None = None
        for message in viewer.messages:
            if isinstance(message, msg.Snapshot):
                view = message.table
                states.append((message.seq, view))
            elif isinstance(message, msg.EventMessage):
                assert view is not None
                view = fold(view, message.event)
                states.append((message.seq, view))
        assert len(states) > 100
        for seq, state in states:
            missed = sim.table.feed.since(seq, viewer.number)
            assert missed is not None
            for message in missed:
                state = fold(state, message.event)
            assert state == viewer.view


def test_I20_I23_dropping_and_resuming_all_the_time_loses_nothing() -> None:
    """Each step of the simulation compares the fold of every viewer with a fresh snapshot."""
    chance = random.Random(5)
    sim = Sim(seed=5)
    for name in ("Bob", "Cleo"):
        sim.join(name)
    sim.ask(sim.host, msg.Deal)
    gone: list[int] = []
    drops = 0
    while sim.table.play.match.hand is not None:
        present = [conn for conn, _ in sim.table.people.connected()]
        if chance.random() < 0.3 and len(present) > 1:
            leaver = chance.choice(present)
            sim.lose(leaver)
            gone.append(leaver)
            drops += 1
        if gone and chance.random() < 0.5:
            old = gone.pop(chance.randrange(len(gone)))
            back = sim.resume(sim.viewers[old].token, old if chance.random() < 0.7 else None)
            asked = back in sim.asked()
            assert (sim.viewers[back].decision is not None) == asked
        asked_now = sim.asked()
        if asked_now:
            sim.act(asked_now[0])
        else:
            sim.advance(0.3)
    assert drops > 10


def test_I55_the_pending_decision_comes_again_with_what_is_left_of_its_time() -> None:
    sim = Sim(options={"revolution": "off", "first_hand_taxes": "off", "turn_seconds": 30})
    sim.join("Bob")
    sim.ask(sim.host, msg.Deal)
    asked = sim.asked()[0]
    before = sim.viewers[asked].decision
    sim.lose(asked)
    sim.advance(12)
    back = sim.resume(sim.viewers[asked].token)
    after = sim.viewers[back].decision
    assert before is not None and after is not None
    assert before.ms == 30_000 and after.ms == 18_000
    assert (after.decision, after.choices, after.default) == (
        before.decision,
        before.choices,
        before.default,
    )
    snapshot = next(m for m in sim.viewers[back].messages if isinstance(m, msg.Snapshot))
    assert snapshot.ms == 18_000
    assert snapshot.countdowns == ()


def test_a_snapshot_shows_how_long_the_lost_are_waited_for() -> None:
    sim = Sim()
    bob = sim.join("Bob")
    sim.lose(bob)
    sim.advance(5)
    cleo = sim.join("Cleo")
    snapshot = next(m for m in sim.viewers[cleo].messages if isinstance(m, msg.Snapshot))
    assert snapshot.countdowns == (msg.Countdown(2, 15_000),)


def test_a_sealed_answer_is_not_asked_for_again() -> None:
    sim = Sim()
    bob = sim.join("Bob")
    sim.ask(sim.host, msg.Deal)
    assert sim.act(bob) == "ok"
    sim.lose(bob)
    back = sim.resume(sim.viewers[bob].token)
    assert sim.viewers[back].decision is None


def test_I24_other_instances_and_events_that_are_gone_give_a_snapshot() -> None:
    sim = Sim(limits=Limits(resume_events=5))
    bob = sim.join("Bob")
    for text in "abcdefgh":
        sim.ask(sim.host, msg.Chat, text=text)

    def snapshots(conn: int) -> int:
        return sum(isinstance(m, msg.Snapshot) for m in sim.viewers[conn].messages)

    sim.lose(bob)
    same = sim.resume(sim.viewers[bob].token, old=bob)
    assert snapshots(same) == 0
    sim.lose(same)
    for text in "abcdefgh":
        sim.ask(sim.host, msg.Chat, text=text)
    late = sim.resume(sim.viewers[same].token, old=same)
    assert snapshots(late) == 1
    sim.lose(late)
    other = sim.resume(sim.viewers[late].token, old=late, instance="another run")
    assert snapshots(other) == 1
    sim.lose(other)
    ahead = sim.connect("x")
    token = sim.viewers[other].token
    fields = {"table": NAME, "token": token, "seq": 10**6, "instance": "this run"}
    assert sim.ask(ahead, msg.Resume, **fields) == "ok"
    assert snapshots(ahead) == 1
