"""reduce: what the model learns from each message."""

from __future__ import annotations

from msgspec.structs import replace

from dalmuti.client.model import LOG_LINES, DealChecked, Input, Line, LinkChanged, Model, reduce
from dalmuti.core import events as ev
from dalmuti.core.cards import Play
from dalmuti.core.events import PlayerInfo
from dalmuti.core.moves import DECLINE, PASS
from dalmuti.core.options import TableOptions
from dalmuti.core.views import HandView, TableView
from dalmuti.protocol.codec import Unknown, UnknownEvent
from dalmuti.protocol.messages import (
    Act,
    Bye,
    Countdown,
    Decision,
    Draining,
    Error,
    EventMessage,
    Limits,
    Lobby,
    Ok,
    Snapshot,
    Unseated,
    Welcome,
)

TABLE = TableView(
    table="Kitchen",
    options=TableOptions(seats=4),
    state="hand",
    you=1,
    players=(PlayerInfo(player=1, name="Ada"), PlayerInfo(player=2, name="Bea")),
    order=(1, 2),
    hand=HandView(number=1, order=(1, 2), sizes=(2, 40), seat=0, cards=(1, 1), dealt=(1, 1)),
)
SNAPSHOT = Snapshot(seq=4, table=TABLE, ms=5000, countdowns=(Countdown(2, 3000),))
DECISION = Decision(decision=7, kind="follow", choices=(PASS,), default=PASS, ms=2000)


def after(*messages: Input, model: Model | None = None, now: float = 100.0) -> Model:
    made = model or Model()
    for message in messages:
        made = reduce(made, message, now)
    return made


def event(seq: int, what: ev.Seen) -> EventMessage:
    return EventMessage(seq=seq, event=what)


def test_a_snapshot_is_the_table() -> None:
    model = after(SNAPSHOT)
    assert (model.table, model.seq, model.ends_at) == (TABLE, 4, 105.0)
    assert model.countdowns == {2: 103.0}


def test_events_in_their_order_only() -> None:
    model = after(SNAPSHOT, event(5, ev.Passed(1)), event(5, ev.Passed(1)), event(3, ev.Passed(1)))
    assert model.seq == 5
    assert [line.text for line in model.log] == ["Bea passes."]


def test_I70_unknown_things_change_nothing_but_the_number() -> None:
    model = after(SNAPSHOT)
    assert after(Unknown("news"), model=model) == model
    assert after(UnknownEvent(5, "eclipse"), model=model) == replace(model, seq=5)
    assert after(event(1, ev.Passed(0))) == Model()


def test_a_decision_goes_with_our_own_move() -> None:
    model = after(SNAPSHOT, DECISION)
    assert model.decision == DECISION and model.ends_at == 102.0
    assert after(event(5, ev.Passed(1)), model=model).decision == DECISION
    assert after(event(5, ev.Passed(0)), model=model).decision is None
    assert after(event(5, ev.Played(0, Play(1, 1), 39)), model=model).decision is None


def test_a_decision_goes_with_the_next_turn() -> None:
    model = after(SNAPSHOT, DECISION)
    same = after(event(5, ev.Turn("follow", (0,), 7, 9000)), model=model)
    assert same.decision == DECISION and same.ends_at == 109.0
    assert after(event(5, ev.Turn("lead", (1,), 8)), model=model).decision is None
    for what in (ev.RevolutionClosed(), ev.TaxesPaid(()), ev.HandEnded(1, ())):
        assert after(event(5, what), model=model).decision is None


def test_an_answer_that_is_sealed_is_no_question_any_more() -> None:
    ask = Decision(decision=1, kind="revolution", choices=(DECLINE,), default=DECLINE)
    model = after(SNAPSHOT, ask, Act(id=9, decision=1, choice=DECLINE))
    assert model.decision is None and model.answer is not None
    assert after(Ok(re=9), model=model).answer is None
    refused = after(Error(re=9, code="wrong_phase", message="not now"), model=model)
    assert refused.decision == ask and refused.refusal.startswith("That is not what is asked")
    late = after(Error(re=9, code="stale_decision", message="late"), model=model)
    assert late.decision is None and late.answer is None
    other = after(Error(re=8, code="not_host", message="no"), model=model)
    assert other.answer == model.answer and other.refusal == "Only the host may do that."
    assert after(event(5, ev.Chatted("Bea", "hi")), model=other).refusal == ""


def test_countdowns_come_and_go() -> None:
    model = after(SNAPSHOT, event(5, ev.PresenceChanged(1, "lost", 20_000)))
    assert model.countdowns == {2: 103.0, 1: 120.0}
    assert after(event(6, ev.PresenceChanged(1, "here")), model=model).countdowns == {2: 103.0}
    assert after(event(6, ev.PlayerLeft(2)), model=model).countdowns == {1: 120.0}


def test_a_lost_link_takes_the_decision_and_keeps_the_table() -> None:
    model = after(SNAPSHOT, DECISION, LinkChanged("lost", "Gone. Trying again in 1 s.", 101.0))
    assert model.decision is None and model.table == TABLE
    assert model.log[-1] == Line("warning", "Gone. Trying again in 1 s.")


def test_why_a_link_is_lost_is_said_once() -> None:
    lost = [LinkChanged("lost", f"{why} {n}", why=why) for n, why in enumerate(["Gone.", "Gone."])]
    model = after(SNAPSHOT, *lost, LinkChanged("lost", "Nobody answers.", why="Nobody answers."))
    assert [line.text for line in model.log] == ["Gone. 0", "Nobody answers."]
    assert model.link.text == "Nobody answers."


def test_the_end_of_a_seat() -> None:
    model = after(SNAPSHOT, DECISION, Unseated(table="Kitchen", reason="kicked"))
    assert model.table is None and model.decision is None
    assert model.log[-1].text == "You have been sent away from the table."


def test_deals_are_marked() -> None:
    model = after(SNAPSHOT, DealChecked(1), DealChecked(2, ("the seed is another",)))
    assert model.verified == {1: True, 2: False}
    assert [line.kind for line in model.log] == ["notice", "warning"]


def test_words_of_the_server() -> None:
    model = after(Draining(ms=30_000), Bye(reason="shutdown"), Lobby(people=("Zoe",)))
    assert [line.text for line in model.log] == [
        "The server stops in 30 s; this hand goes on until then.",
        "The server has stopped.",
    ]
    assert model.lobby == Lobby(people=("Zoe",))


def test_the_log_is_bounded_and_clean() -> None:
    model = after(SNAPSHOT)
    for seq in range(5, 5 + LOG_LINES + 10):
        model = after(event(seq, ev.Chatted("Bea", f"\x1b[2J{seq}")), model=model)
    assert len(model.log) == LOG_LINES and model.logged == LOG_LINES + 10
    assert model.log[-1] == Line("chat", f"Bea says: [2J{seq}")


def test_who_takes_a_seat_back_has_its_name_again() -> None:
    """He may have been greeted as `Ada-2`, since the seat itself held the name."""
    limits = Limits(
        frame_to_server=4096,
        frame_to_client=262144,
        chat_length=200,
        name_width=20,
        ping_after_ms=15000,
        dead_after_ms=45000,
        grace_ms=20000,
        resume_events=512,
    )
    greeted = Welcome(version=1, server="s", instance="i", name="Ada-2", limits=limits)
    model = after(greeted, SNAPSHOT)
    assert model.welcome is not None and model.welcome.name == "Ada"
