"""Passing by itself: once asked for, never when leading, never at once, and over with the trick."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client.tui.tables import Stage, somebody_else, you_follow, you_lead, your_turn
from dalmuti.client import autopass
from dalmuti.client.autopass import SPARE_SECONDS, WAIT_SECONDS, AutoPass, person
from dalmuti.core.moves import PASS
from dalmuti.core.options import TableOptions

LOCKED = TableOptions(seats=4, passing="locked")


def switched_on(stage: Stage) -> AutoPass:
    machine = AutoPass(lambda: 2.0)
    assert machine.switch(stage.model, 10.0) == autopass.ON
    return machine


def test_the_wait_is_a_persons_and_the_same_for_everyone() -> None:
    """It is drawn before anything is known of the decision, and from all of its range."""
    least, most = WAIT_SECONDS
    waits = [person() for _ in range(400)]
    assert all(least <= wait <= most for wait in waits)
    assert min(waits) < least + 0.3 and max(waits) > most - 0.3


def test_a_pass_is_due_after_the_wait_and_once() -> None:
    stage = Stage(4, seed=3).deal().run(you_follow)
    machine = switched_on(stage)
    assert machine.at == 12.0
    assert machine.due(stage.model, 11.9) is None
    assert machine.due(stage.model, 12.0) == stage.model.decision
    assert machine.due(stage.model, 99.0) is None


def test_it_waits_for_our_turn() -> None:
    stage = Stage(4, seed=3).deal().run(somebody_else)
    machine = switched_on(stage)
    assert machine.on and machine.at is None
    stage.run(your_turn)
    machine.update(stage.model, 20.0)
    assert machine.at == (22.0 if stage.hand.top else None)


def test_it_is_in_time_before_the_clock_is_up() -> None:
    stage = Stage(4, seed=3).deal().run(you_follow)
    machine = AutoPass(lambda: 3.5)
    machine.switch(replace(stage.model, ends_at=12.5), 10.0)
    assert machine.at == 12.5 - SPARE_SECONDS
    machine = AutoPass(lambda: 3.5)
    machine.switch(replace(stage.model, ends_at=11.0), 10.0)
    assert machine.at == 10.0


def test_pressing_again_takes_it_back() -> None:
    stage = Stage(4, seed=3).deal().run(you_follow)
    machine = switched_on(stage)
    assert machine.switch(stage.model, 11.0) == autopass.OFF
    assert not machine.on and machine.due(stage.model, 99.0) is None


def test_it_ends_with_the_trick_and_never_leads() -> None:
    """A whole hand with it switched on at every turn at which that can be done."""
    stage = Stage(4, seed=5).deal().run(your_turn)
    machine = AutoPass(lambda: 0.0)
    passes = leads = 0
    while stage.match.hand is not None:
        machine.update(stage.model, 1.0)
        seat = stage.your_seat
        assert seat is not None
        if seat not in stage.hand.to_act:
            stage.step()
            continue
        if stage.hand.top is None:
            assert not machine.on
            assert machine.switch(stage.model, 1.0) == autopass.YOU_LEAD and not machine.on
            leads += 1
            stage.step()
            continue
        if not machine.on:
            assert machine.switch(stage.model, 1.0) == autopass.ON
        decision = machine.due(stage.model, 1.0)
        assert decision is not None and PASS in decision.choices
        passes += 1
        stage.move(seat, PASS)
    assert leads and passes > 5 and not machine.on


def test_with_locked_passing_it_passes_once() -> None:
    stage = Stage(4, seed=3, options=LOCKED).deal().run(you_follow)
    machine = switched_on(stage)
    assert machine.due(stage.model, 50.0) is not None
    assert stage.your_seat is not None
    stage.move(stage.your_seat, PASS)
    assert stage.match.hand is not None and stage.hand.top is not None
    machine.update(stage.model, 51.0)
    assert machine.switch(stage.model, 52.0) == autopass.OFF
    assert machine.switch(stage.model, 53.0) == autopass.LOCKED and not machine.on


@pytest.mark.parametrize("state", ["no hand", "watching", "away", "out", "taxes"])
def test_where_there_is_nothing_to_pass(state: str) -> None:
    first = Stage(4, seed=3).deal().run(lambda stage: bool(stage.hand.finished))
    you = first.match.order[first.hand.finished[0]] if state == "out" else 1
    stage = Stage(4, seed=3, you=None if state == "watching" else you)
    if state != "no hand":
        stage.deal()
    if state in ("watching", "away"):
        stage.run(lambda stage: bool(stage.hand.acts))
    if state == "away":
        stage.presence(1, "away")
    if state == "out":
        stage.run(lambda stage: stage.your_seat in stage.hand.finished)
    machine = AutoPass()
    assert machine.switch(stage.model, 0.0) == autopass.NO_TRICK and not machine.on


def test_it_stops_when_the_stand_in_plays_for_us() -> None:
    stage = Stage(4, seed=3).deal().run(you_follow)
    machine = switched_on(stage)
    stage.presence(1, "away")
    machine.update(stage.model, 11.0)
    assert not machine.on and machine.due(stage.model, 99.0) is None


def test_leading_by_anybody_is_no_turn_of_ours() -> None:
    """Between tricks it can be asked for, for the trick that somebody else is about to lead."""
    stage = Stage(4, seed=3).deal()
    stage.run(lambda s: s.hand.tricks > 0 and s.hand.top is None and not your_turn(s))
    machine = switched_on(stage)
    stage.run(lambda stage: stage.hand.top is not None)
    machine.update(stage.model, 11.0)
    assert machine.on
    stage.run(you_lead)
    machine.update(stage.model, 12.0)
    assert not machine.on
