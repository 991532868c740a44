"""Plain and line mode: hidden cards, passing by itself, the bell, advice, and the lesson."""

from __future__ import annotations

import os
import random
from typing import Any

import anyio
import pytest
from msgspec.structs import replace
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from client.test_lesson import LessonStage
from client.test_talk import TABLE, asked, following, leading, taxed
from client.tui.tables import Stage, somebody_else, you_follow, your_turn
from dalmuti.client.advice import Worth
from dalmuti.client.line import Choices
from dalmuti.client.plain import Printer, converse
from dalmuti.client.session import Ended
from dalmuti.client.steward import Steward
from dalmuti.client.talk import Talk
from dalmuti.client.words.lesson import TEXTS
from dalmuti.core import events as ev
from dalmuti.core.cards import Cards, Play, counts_of
from dalmuti.core.moves import PASS, legal_follows, legal_gives, legal_leads
from dalmuti.core.options import TableOptions
from dalmuti.protocol.messages import Act, Choice, Decision, EventMessage, Request, Snapshot


class Listener(Stage):
    """A stage whose talk hears everything; what is said is kept."""

    def __init__(self, seats: int = 4, *, talk: Talk | None = None, **more: Any) -> None:
        self.talk = talk or Talk(wait=lambda: 2.0)
        self.said: list[str] = []
        self.rang = 0
        super().__init__(seats, **more)

    def tell(self, message: Any) -> None:
        super().tell(message)
        self.said += self.talk.hear(message, self.now)
        self.rang += self.talk.rings

    def read(self, line: str) -> list[str]:
        return list(self.talk.read(line, self.now).lines)


def listening(**more: Any) -> Listener:
    return Listener(seed=3, **more)


# -- hidden cards -----------------------------------------------------------------------------


def questions(cards: Cards, hidden: bool) -> list[str]:
    """What is said of three decisions of somebody with these cards, and of wrong answers."""
    lines = []
    for table, decision in (leading(), following(Play(11, 2)), taxed(2)):
        assert table.hand is not None
        held, top = counts_of(cards), table.hand.trick.top
        choices: tuple[Choice, ...] = tuple(legal_gives(held, 2))
        if decision.kind == "lead":
            choices = tuple(legal_leads(held))
        elif top is not None:
            choices = (PASS, *legal_follows(held, top))
        table = replace(table, hand=replace(table.hand, cards=cards, dealt=cards))
        talk = Talk()
        if hidden:
            talk.read("hide", 0.0)
        lines += talk.hear(Snapshot(seq=1, table=table), 0.0)
        lines += talk.hear(replace(decision, choices=choices, default=choices[0]), 0.0)
        for typed in ("hand", "3x1", "4x1", "log", "77", "table"):
            lines += talk.read(typed, 0.0).lines
    return lines


def test_nothing_that_is_said_depends_on_hidden_cards() -> None:
    good = (1, 2, 2, 3, 3, 3, 4, 4, 5, 6, 13, 13)
    bad = (9, 10, 10, 11, 11, 11, 12, 12, 12, 12, 12, 12)
    assert questions(good, hidden=True) == questions(bad, hidden=True)
    assert questions(good, hidden=False) != questions(bad, hidden=False)
    said = " ".join(questions(good, hidden=True))
    assert "You hold" not in said and "Your cards are hidden; show says them." in said


def test_what_is_dealt_and_paid_is_hidden_also_in_the_log() -> None:
    order = Stage(4, seed=3).deal().match.order
    stage = listening(you=order[0])
    stage.read("hide")
    stage.deal().run(your_turn)
    said = [*stage.said, *stage.read("log"), *stage.read("hand")]
    assert not [line for line in said if "You are dealt" in line or "pays you 1x" in line]
    assert "(Hidden: what only you may see.)" in said
    shown = stage.read("show")
    assert "You hold" in shown[0] and shown[1].startswith("1. ")
    assert any("You are dealt" in line for line in stage.read("log"))


def test_one_may_begin_with_hidden_cards() -> None:
    stage = Listener(seed=3, talk=Talk(hidden=True)).deal().run(your_turn)
    assert isinstance(stage, Listener)
    assert not [line for line in stage.said if "You are dealt" in line or "You hold" in line]


def test_answers_work_while_hidden() -> None:
    talk, _ = asked(*leading())
    talk.read("hide", 0.0)
    assert talk.read("2x9", 0.0).fields["choice"] == Play(9, 2)
    assert talk.read("1", 0.0).fields["choice"] == Play(13, 1, 1)


def test_completion_does_not_tell_what_is_hidden() -> None:
    talk, _ = asked(*leading())

    def offered() -> list[str]:
        found = Choices(talk).get_completions(Document("3x"), CompleteEvent())
        return [each.text for each in found]

    assert "3x8" in offered()
    talk.read("hide", 0.0)
    assert offered() == []


# -- passing by itself ------------------------------------------------------------------------


def test_a_trick_is_passed_in_words() -> None:
    stage = listening().deal().run(you_follow)
    assert isinstance(stage, Listener)
    said = stage.read("autopass")
    assert said[0] == "You pass by yourself until this trick is over."
    assert stage.talk.due_at == stage.now + 2.0 and stage.talk.due(stage.now) is None
    assert stage.read("9") == ["Type autopass again to choose for yourself."]
    reply = stage.talk.due(stage.now + 2.0)
    assert reply is not None and reply.request is Act and reply.fields["choice"] == PASS
    assert stage.talk.due(stage.now + 9.0) is None


def test_taking_it_back_asks_again() -> None:
    stage = listening().deal().run(you_follow)
    assert isinstance(stage, Listener)
    stage.read("autopass")
    said = stage.read("autopass")
    assert said[0] == "You choose for yourself again." and said[1].startswith("Your turn: ")
    assert stage.talk.due(stage.now + 9.0) is None


def test_its_end_is_said_and_no_question_was() -> None:
    stage = listening().deal().run(somebody_else)
    assert isinstance(stage, Listener)
    stage.read("autopass")
    tricks, stage.said, stage.rang = stage.hand.tricks, [], 0
    stage.run(lambda stage: stage.hand.tricks > tricks)
    *before, over = [line for line in stage.said if line.startswith(("Your turn", "You choose"))][
        :1
    ]
    assert before == [] and over == "You choose for yourself again."


def test_whoever_leads_is_told_so() -> None:
    talk, _ = asked(*leading())
    assert talk.read("autopass", 0.0).lines[0] == "You lead: there is nothing to pass on."


# -- why there is nothing to answer -----------------------------------------------------------


def test_whose_turn_it_is_instead() -> None:
    stage = listening().deal().run(somebody_else)
    assert isinstance(stage, Listener)
    reply = stage.talk.read("9", stage.now)
    assert reply.early and reply.lines[0].startswith("It is not your turn but ")


def test_who_passed_at_a_locked_table_is_told_why() -> None:
    options = TableOptions(seats=4, passing="locked")
    stage = listening(options=options).deal().run(you_follow)
    assert isinstance(stage, Listener) and stage.your_seat is not None
    stage.move(stage.your_seat, PASS)
    assert stage.read("9") == ["You have passed, and who passes here is out of the trick."]


# -- the bell ---------------------------------------------------------------------------------


def test_a_question_rings_once() -> None:
    stage = listening().deal().run(somebody_else)
    assert isinstance(stage, Listener)
    stage.rang = 0
    stage.run(your_turn)
    assert stage.rang == 1
    stage.chat(2, "hello")
    assert stage.rang == 1
    assert stage.read("bell") == ["No bell any more."]
    stage.rang = 0
    stage.finish()
    assert stage.rang == 0


def test_a_pipe_gets_no_bell() -> None:
    for is_terminal in (False, True):
        reader, writer = os.openpty() if is_terminal else os.pipe()
        printer = Printer(writer)
        printer.ring()
        printer.say("hello")
        printer.close()
        heard = os.read(reader, 100)
        os.close(writer)
        os.close(reader)
        assert heard.startswith(b"\ahello" if is_terminal else b"hello")


# -- advice -----------------------------------------------------------------------------------


def advise(table: Any, decision: Decision) -> tuple[Worth, ...]:
    return (Worth(decision.choices[0], 1.5), Worth(decision.choices[-1], 1.0))


def test_advice_stands_before_the_choices_and_on_demand() -> None:
    talk = Talk(advise=advise)
    talk.hear(Snapshot(seq=1, table=TABLE), 0.0)
    lines = talk.hear(leading()[1], 0.0)
    assert (
        lines[1] == "The expert: 1xJ, for 1.50 points; 3x5+2J 1.00."
        or "The expert: 1xJ" in (lines[1])
    )
    assert talk.read("advice", 0.0).lines == (lines[1],)
    talk.read("hide", 0.0)
    assert "expert" not in " ".join(talk.read("hand", 0.0).lines)


def test_without_asking_for_it_there_is_none() -> None:
    talk, lines = asked(*leading())
    assert not [line for line in lines if "expert" in line]
    assert "--advice" in talk.read("advice", 0.0).lines[0]


# -- the end of a hand, and the lesson --------------------------------------------------------


def test_who_moved_up_and_down() -> None:
    talk = Talk()
    talk.hear(Snapshot(seq=1, table=TABLE), 0.0)
    order = ((3, 4), (0, 2), (1, 1), (2, 3))  # seat and player, the first out first
    places = tuple(ev.Result(seat, player, 0) for seat, player in order)
    lines = talk.hear(EventMessage(seq=2, event=ev.HandEnded(3, places)), 0.0)
    assert lines[5:] == [
        "You go down 1 place: you were the Lesser Dalmuti and are the Lesser Peon now.",
        "Going up: Dan by 3.",
        "Going down: Bea by 1 and Cem by 1.",
    ]


@pytest.mark.parametrize("seed", range(3))
def test_the_lesson_in_sentences(seed: int) -> None:
    """Each text once, before the question it belongs to; what to type stands last."""
    chance = random.Random(seed)
    talk = Talk(learn=True)

    class Learner(LessonStage, Listener):
        def __init__(self) -> None:
            self.talk, self.said, self.rang = talk, [], 0
            Stage.__init__(self, 4, you=1)

    stage = Learner()
    stage.deal()
    while stage.match.hand is not None:
        seat = stage.hand.to_act[0]
        if seat != stage.your_seat:
            stage.step()
            continue
        assert stage.said[-1].startswith(("Press ", "Type ")), stage.said[-3:]
        stage.move(seat, chance.choice(stage.hand.legal(seat)))
    lessons = [line for line in stage.said if line.startswith("Lesson: ")]
    assert len(lessons) == len(set(lessons)) >= 6
    assert lessons[0] == f"Lesson: {TEXTS['draw']}"
    assert lessons[1].startswith("Lesson: Titles are places") and "Greater Dalmuti" in lessons[1]


# -- the driver -------------------------------------------------------------------------------


class Quick:
    """A session that asks us to follow, and ends when we have answered."""

    def __init__(self) -> None:
        self.asked: list[tuple[type[Request], dict[str, Any]]] = []
        self.over = anyio.Event()

    def request(self, message_type: type[Request], **fields: Any) -> int:
        self.asked.append((message_type, fields))
        self.over.set()
        return 1

    def close(self, leave: bool = True, ended: Ended | None = None) -> None:
        self.over.set()

    async def run(self, on_message: Any) -> Ended:
        table, decision = following(Play(11, 2))
        on_message(Snapshot(seq=1, table=table))
        on_message(decision)
        await self.over.wait()
        return Ended("left")


async def test_the_driver_sends_the_pass_by_itself(autojump_clock: Any) -> None:
    session: Any = Quick()
    talk = Talk(wait=lambda: 30.0)
    send, receive = anyio.create_memory_object_stream[str](1)
    told: list[str] = []
    async with send, receive:
        await send.send("autopass")
        await converse(
            session, talk, Steward(), receive, told.append, patient=False, told=lambda: None
        )
    assert [fields["choice"] for _, fields in session.asked] == [PASS]
    assert any("until this trick is over" in line for line in told)
