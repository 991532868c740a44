"""The lesson: each thing once, when it comes up, next to what to press; and its texts fit."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextvars import copy_context

import pytest
from msgspec.structs import replace

from client.tui.tables import Stage
from client.tui.test_control import Player
from dalmuti.client import i18n, learning
from dalmuti.client.model import Model
from dalmuti.client.tui.canvas import cells, text_of, wrap
from dalmuti.client.tui.screens import lesson as pane
from dalmuti.client.tui.screens import render
from dalmuti.client.words.lesson import AGAIN, PRESS, TEXTS, WAITS, Course
from dalmuti.core import deal
from dalmuti.core.cards import DECK
from dalmuti.core.hand import Phase
from dalmuti.core.policy import greedy
from dalmuti.protocol.text import width


class LessonStage(Stage):
    """The table of the lesson, with its own draw and deal; the learner is player 1."""

    def __init__(self) -> None:
        super().__init__(learning.SEATS, you=1)

    def deal(self, *, jesters_to: int | None = None) -> Stage:
        seed = deal.fixed_seed(learning.SEED, 1)
        self.emit(self.match.find_titles(deal.shuffled(DECK, seed, {}, "titles")))
        self.emit(self.match.start(deal.deck_of(seed, {}), "00" * 32))
        self.ask()
        return self


def looks(stage: Stage, chance: random.Random | None = None) -> Iterator[Model]:
    """Every look at a hand from the deal to the result; the learner plays greedily, or anything."""
    yield stage.deal().model
    while stage.match.hand is not None:
        seat = stage.hand.to_act[0]
        legal = stage.hand.legal(seat)
        mine = seat == stage.your_seat
        if chance is not None and mine:
            stage.move(seat, chance.choice(legal))
        else:
            stage.move(seat, greedy(stage.hand.cards(seat), legal))
        yield stage.model


def test_the_deal_of_the_lesson() -> None:
    stage = LessonStage().deal()
    assert stage.match.order[0] == 1 and stage.your_seat == 0
    assert stage.hand.dealt[0].count(13) == 2
    assert stage.match.draw is not None and len(stage.match.draw.rounds) == 1


@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_everything_is_explained_once(seed: int, lines: bool) -> None:
    """Whatever the learner does, no thing twice; and the usual things in every hand."""
    course = Course(lines=lines)
    told = []
    for model in looks(LessonStage(), random.Random(seed)):
        course = course.see(model)
        if course.topic is not None:
            told.append(course.topic)
        if model.decision is not None:
            assert course.press and course.type
    assert len(told) == len(set(told)) and tuple(told) == course.told
    assert {"revolution", "lead", "follow", "trick", "result"} <= set(told)


def test_what_comes_up_for_one_who_does_what_it_says() -> None:
    player = Player(LessonStage(), learn=True)
    stage = player.stage
    assert stage is not None
    stage.deal()
    while stage.match.hand is not None:
        player.look()
        course = player.control.ui.course
        assert course is not None
        seat = stage.hand.to_act[0]
        if player.scene == "draw":
            player.press("enter")
            continue
        if seat == stage.your_seat and stage.hand.phase is not Phase.OVER:
            keys = course.press.replace(".", "").replace(",", "").split()
            assert keys[0] == "Press", course
            before = len(player.asked)
            for key in (keys[1], keys[3]) if "then" in keys[2:3] else (keys[1],):
                player.press(key.lower())
            assert len(player.asked) == before + 1
            stage.move(seat, player.asked[-1][1]["choice"])
        else:
            stage.step()
    player.look()
    course = player.control.ui.course
    assert course is not None
    asked = set(course.told) - {"called", "paying", "free", "place", "out"}
    assert asked == set(TEXTS) - {"called", "paying", "free", "place", "out"}


def test_what_comes_up_while_others_play_stays_through_a_decision() -> None:
    stayed = 0
    for seed in range(8):
        course, kept = Course(), ""
        for model in looks(Stage(4, seed=seed)):
            course = course.see(model)
            if course.topic in WAITS:
                kept = course.text
            elif model.decision is not None and kept:
                assert course.text == kept and course.press
                stayed, kept = stayed + 1, ""
    assert stayed >= 8


def test_a_second_hand_has_a_key_for_everything_and_nothing_new_twice() -> None:
    """Beside a decision at which nothing is new stands a word about it, and never while we wait."""
    stage, course, told = Stage(4, seed=3), Course(), 0
    for _ in range(3):
        for model in looks(stage):
            course = course.see(model)
            told += course.topic is not None
            ours = model.decision is not None or model.table is None or model.table.hand is None
            assert bool(course.press) is ours
            if course.topic is None and not ours:
                assert course.text not in AGAIN.values()
    assert told == len(course.told)
    assert course.text == AGAIN["result"] and course.press.startswith("Press q, then y")


def test_nothing_to_press_is_nothing_in_every_language() -> None:
    def check() -> None:
        i18n.use("de")
        course = Course()
        for model in looks(Stage(4, seed=3)):
            course = course.see(model)
            assert bool(course.press) is (model.decision is not None or bool(course.type))
            assert "charset" not in course.press + course.type + course.text

    copy_context().run(check)


def test_the_course_is_a_function_of_what_was_seen() -> None:
    """Looking twice changes nothing, and two who saw the same heard the same."""
    one = two = Course()
    for model in looks(LessonStage()):
        one = one.see(model)
        two = two.see(model).see(model)
        assert one.told == two.told and one.text == two.text and one.press == two.press


@pytest.mark.parametrize("text", [*TEXTS.values(), *AGAIN.values()], ids=lambda text: text[:20])
def test_texts_fit_with_words_that_are_longer(text: str) -> None:
    text = text.format(title="the Greater Dalmuti", who="W" * 20, place="second", play="3x9+1J")
    longer = " ".join(word + "x" * round(0.4 * len(word)) for word in text.split(" "))
    assert len(wrap(longer, 76, 0)) <= pane.ROWS


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_texts_fit_in_every_language(language: str) -> None:
    def check() -> None:
        i18n.use(language)
        names = {"title": "x" * 22, "who": "W" * 20, "place": "x" * 8, "play": "3x9+1J"}
        for text in (*TEXTS.values(), *AGAIN.values()):
            assert len(wrap(i18n.tr(text, **names), 76, 0)) <= pane.ROWS, text
        for press, _ in PRESS.values():
            assert width(i18n.tr(press)) <= 74, press

    copy_context().run(check)


@pytest.mark.parametrize("press", [press for press, _ in PRESS.values()])
def test_keys_fit_on_their_line(press: str) -> None:
    assert 1.4 * len(press) <= 74


@pytest.mark.parametrize(("cols", "rows"), [(80, 24), (100, 30), (120, 40)])
def test_the_pane_covers_no_cards(cols: int, rows: int) -> None:
    """Every line has its width, and below the pane stands the whole table of the hand."""
    player = Player(LessonStage(), learn=True, watch_draw=False)
    for number, model in enumerate(looks(player.stage or LessonStage())):
        player.now += 5
        player.learn(model)
        if number % 7:
            continue
        lines = render(player.control.model, player.control.ui, cols, rows, player.now)
        assert len(lines) == rows and {cells(line) for line in lines} == {cols}
        text = text_of(lines)
        assert "─ Lesson ─" in text
        table = model.table
        assert table is not None
        if table.hand is not None:
            assert "─ Your hand: " in text and "have " in text
            for player_number in table.hand.order:
                name = "you" if player_number == 1 else stage_name(model, player_number)
                assert f" {name} " in text


def stage_name(model: Model, player: int) -> str:
    assert model.table is not None
    return next(info.name for info in model.table.players if info.player == player)


def test_without_a_lesson_there_is_no_pane() -> None:
    player = Player(LessonStage(), watch_draw=False)
    assert player.control.ui.course is None
    lines = render(player.control.model, player.control.ui, 80, 24, 0.0)
    assert "Lesson" not in text_of(lines)


def test_a_peon_and_a_merchant_hear_of_taxes_as_they_are() -> None:
    for seats, seat, topic in ((4, 3, "paying"), (4, 2, "paying"), (6, 2, "free")):
        order = Stage(seats, seed=3).deal().match.order
        stage = Stage(seats, seed=3, you=order[seat]).deal()
        stage.run(lambda stage: stage.hand.phase is Phase.TAXES)
        course = Course().see(replace(stage.model, decision=None))
        assert course.topic == topic and not course.press
