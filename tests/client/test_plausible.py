"""A server that says the impossible is told so by a sentence, and never breaks a screen (I-80)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, reject, settings
from hypothesis import strategies as st
from msgspec import inspect
from msgspec.structs import replace

from client.test_session import LIMITS, until, world
from client.tui.tables import Stage, in_tricks, taxes_due, your_turn
from dalmuti.client import phrases
from dalmuti.client.model import Model, reduce
from dalmuti.client.plausible import Impossible
from dalmuti.client.replay.cursor import Cursor
from dalmuti.client.replay.own import OwnHand
from dalmuti.client.steward import Steward
from dalmuti.client.tui.control import Control, Options
from dalmuti.client.tui.rewind import ReplayControl
from dalmuti.client.tui.screens import render
from dalmuti.client.tui.state import Ui
from dalmuti.core import events as ev
from dalmuti.core.cards import Play
from dalmuti.core.events import Seen
from dalmuti.core.moves import PASS, Give
from dalmuti.core.options import OptionError
from dalmuti.core.views import TableView
from dalmuti.protocol.messages import (
    Decision,
    EventMessage,
    JoinTable,
    Resume,
    Snapshot,
    Welcome,
)
from protocol.test_messages import values

STAGES = {
    "draw": lambda: Stage(4),
    "revolution": lambda: Stage(4).deal(),
    "taxes": lambda: Stage(4).deal().run(taxes_due),
    "your turn": lambda: Stage(6).deal().run(your_turn),
    "watching": lambda: Stage(5, you=None).deal().run(in_tricks),
    "between": lambda: Stage(4).deal().finish(),
}


def altered(value: Any, data: st.DataObject) -> Any:
    """The same with one field, or a field of a part, of another value of its type."""
    kind = inspect.type_info(type(value))
    assert isinstance(kind, inspect.StructType)
    fields = {each.name: each for each in kind.fields}
    name = data.draw(st.sampled_from(sorted(fields)))
    inner = getattr(value, name)
    if hasattr(inner, "__struct_fields__") and inner.__struct_fields__ and data.draw(st.booleans()):
        return replace(value, **{name: altered(inner, data)})
    return replace(value, **{name: data.draw(values(fields[name].type))})


def shown(model: Model) -> None:
    """Everything that any client makes of a model."""
    for size in ((80, 24), (120, 40)):
        render(model, Ui(), *size, 103.0)
    view = model.table
    for lines in (phrases.table_lines, phrases.score_lines, phrases.who_lines):
        lines(view)
    phrases.hand_line(view)
    phrases.time_line(model, 103.0)


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(sorted(STAGES)), st.data())
def test_I80_an_altered_table_is_shown_or_refused(name: str, data: st.DataObject) -> None:
    stage = STAGES[name]()
    assert stage.model.table is not None
    try:
        view = altered(stage.model.table, data)
    except OptionError:  # no decoder lets it through
        reject()
    try:
        model = reduce(stage.model, Snapshot(seq=stage.seq, table=view), 101.0)
    except Impossible as what:
        assert str(what)
    else:
        shown(model)


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(sorted(STAGES)), values(inspect.type_info(Seen)))
def test_I80_an_event_out_of_place_is_shown_or_refused(name: str, event: Seen) -> None:
    stage = STAGES[name]()
    try:
        model = reduce(stage.model, EventMessage(seq=stage.model.seq + 1, event=event), 101.0)
    except Impossible as what:
        assert str(what)
    else:
        shown(model)


KEYS = ("right", "left", "up", "tab", "j", "9", "space", "a", "h", "?", "escape")


@settings(
    deadline=None,
    max_examples=40,
    phases=[Phase.generate],  # to make one smaller takes minutes
    suppress_health_check=[HealthCheck.too_slow],
)
@given(st.sampled_from(sorted(STAGES)), values(inspect.type_info(Decision)), st.data())
def test_I80_whatever_is_asked_keys_can_be_pressed_and_the_hand_stepped_through(
    name: str, asked: Decision, data: st.DataObject
) -> None:
    """On a screen with a lesson, after something else that may not be so."""
    stage = STAGES[name]()
    model, own = stage.model, OwnHand()
    own.hear(None, Snapshot(seq=stage.seq, table=model.table or reject()))
    control = Control(
        Options(learn=True, hidden=data.draw(st.booleans())),
        Steward(),
        lambda request, **fields: 0,
        lambda leave: None,
    )
    if model.decision is not None and data.draw(st.booleans()):
        asked = altered(model.decision, data)
    event = data.draw(values(inspect.type_info(Seen)))
    for message in (asked, EventMessage(seq=model.seq + 1, event=event), asked):
        try:
            heard = reduce(model, message, 101.0)
        except (Impossible, OptionError):
            continue
        own.hear(model.table, message)
        model = heard
        control.update(model, 101.0)
        for key in KEYS:
            control.press(key, 103.0)
        render(model, control.ui, 120, 40, 103.0)
    if (tape := own.tape()) is not None:
        replay = ReplayControl(Cursor.at_start(tape, tape.you), Options(), lambda leave: None, {})
        for key in ("right", "right", ">", "[", "s", "1"):
            replay.press(key, 1.0)
            replay.lines(120, 40, 1.0)


@pytest.mark.parametrize(
    "decision",
    [
        Decision(decision=1, kind="follow", choices=(), default=PASS),
        Decision(decision=1, kind="lead", choices=(PASS,), default=PASS),
        Decision(decision=1, kind="tax", choices=(Play(9, 1),), default=Play(9, 1)),
        Decision(decision=1, kind="lead", choices=(Play(1, 9),), default=Play(1, 9)),
        Decision(decision=1, kind="lead", choices=(Play(9, 1, 2),), default=Play(9, 1, 2)),
        Decision(decision=1, kind="lead", choices=(Play(13, 2),), default=Play(13, 2)),
        Decision(decision=1, kind="tax", choices=(Give((1, 1)),), default=Give((1, 1))),
    ],
    ids=lambda decision: f"{decision.kind} {decision.choices}",
)
def test_I80_impossible_decisions_are_refused(decision: Decision) -> None:
    stage = Stage(6).deal().run(your_turn)
    with pytest.raises(Impossible):
        reduce(stage.model, decision, 101.0)


@pytest.mark.parametrize(
    "event",
    [
        ev.Played(9, Play(9, 1), 3),
        ev.Passed(9),
        ev.Turn("follow", (2, 9), 5),
        ev.TrickEnded(0, 9),
        ev.HandEnded(1, (ev.Result(0, 77, 0),)),
        ev.TitlesChanged((1, 1, 2, 3)),
        ev.Dealt((20, 20), None),
    ],
    ids=lambda event: type(event).__name__,
)
def test_I80_impossible_events_are_refused(event: Seen) -> None:
    stage = Stage(4).deal().run(in_tricks)
    with pytest.raises(Impossible):
        reduce(stage.model, EventMessage(seq=stage.model.seq + 1, event=event), 101.0)


async def test_I80_after_the_impossible_the_table_is_asked_for_anew(
    autojump_clock: object,
) -> None:
    table = Stage(4).deal().run(in_tricks).model.table
    assert isinstance(table, TableView)
    async with world(entry=JoinTable(id=0, table="Kitchen", watch=True)) as here:
        peer = await here.peers.receive()
        await peer.greet()
        await peer.get()
        await peer.say(Snapshot(seq=5, table=table))
        await until(lambda: here.model.table is not None)
        await peer.say(EventMessage(seq=6, event=ev.Passed(9)))
        peer = await here.peers.receive()  # it comes back by itself
        await peer.get()
        await peer.say(Welcome(version=1, server="s", instance="one", name="Ada", limits=LIMITS))
        again = await peer.get()
        assert not isinstance(again, Resume) or again.seq is None
        assert any("cannot be" in line.text for line in here.model.log)
        assert here.ended is None
