"""The replay on the screen: every place fits at every size, and what keys and clicks do there."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import ColorDepth, DummyOutput
from prompt_toolkit.output.vt100 import Vt100_Output

from client.replay.matches import an_evening, with_a_card_changed
from client.test_ways_of_text import CORPUS
from client.tui.tables import Stage, you_follow
from client.tui.test_app import ESC, LEFT, RIGHT, Glass, run, shown
from dalmuti.client.replay.cursor import Cursor
from dalmuti.client.replay.script import Script
from dalmuti.client.tui.app import Screen
from dalmuti.client.tui.canvas import cells, text_of
from dalmuti.client.tui.control import Options
from dalmuti.client.tui.rewind import ReplayControl, verified
from dalmuti.client.tui.viewer import Silence, run_replay
from dalmuti.core.record import Record, Who

SIZES = ((80, 24), (120, 40))


def control(record: Record, you: int | None = None, **options: Any) -> ReplayControl:
    left: list[bool] = []
    made = ReplayControl(
        Cursor.at_start(Script(record), you),
        Options(**options),
        left.append,
        verified(record),
    )
    made.ui.mouse = True
    return made


def text(made: ReplayControl, size: tuple[int, int] = (80, 24)) -> str:
    """What is on the screen, which is exactly as large as it has to be."""
    lines = made.lines(*size, 0.0)
    assert len(lines) == size[1]
    assert {cells(line) for line in lines} == {size[0]}
    return text_of(lines)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("players", [2, 4, 10])
def test_every_place_fits(players: int, size: tuple[int, int]) -> None:
    made = control(an_evening(players, 2, seed=players).record(), ascii=players == 4)
    made._show(made.cursor.to_hand(0))
    step = 1 if players == 4 else 5
    for you in (None, 1, players):
        made._show(made.cursor.seen_by(you).to_hand(0))
        while not made.cursor.at_end:
            shown_ = text(made, size)
            assert f" {made.cursor.step}/{made.cursor.steps} " in shown_
            assert players != 4 or not set("│─▶·…") & set(shown_)
            made._show(made.cursor.next(step))
        assert "The record ends here." in text(made, size)


@pytest.mark.parametrize("name", ["csi", "bidi", "marks", "line"])
def test_I80_hostile_names_move_no_border(name: str) -> None:
    record = an_evening(4, 1, seed=2).record()
    players = {n: Who("human", CORPUS[name] * 50) for n in record.players}
    made = control(replace(record, players=players, table=CORPUS[name] * 20))
    for you in (None, 1):
        made._show(made.cursor.seen_by(you).to_hand(0))
        while not made.cursor.at_end:
            assert all(line.isprintable() for line in text(made).split("\n"))
            made._show(made.cursor.next(7))


@pytest.mark.parametrize("size", SIZES)
def test_I1_the_screen_of_a_player_does_not_depend_on_others(size: tuple[int, int]) -> None:
    one, other, players = with_a_card_changed(1, 20, over=True)
    for you in one.players:
        same = True
        first, second = control(one, you), control(other, you)
        for each in (first, second):
            each._deals = {}  # whether a changed record is true is no card
            each._show(each.cursor)
        while not first.cursor.at_end:
            same &= text(first, size) == text(second, size)
            for each in (first, second):
                each.press("right", 0.0)
        assert same == (you not in players)


def test_keys_move() -> None:
    made = control(an_evening(4, 2, seed=3).record())
    assert "Move 1 of " in text(made) and "hand 1 of 2" in text(made)
    made.press("right", 0.0)
    assert made.cursor.step == 2
    made.press("left", 0.0)
    made.press("left", 0.0)
    assert made.cursor.index == 0
    for key in ("n", "}", "down", "]"):
        made.press(key, 0.0)
    assert made.cursor.index == 2 and made.cursor.trick == 2
    made.press("up", 0.0)
    assert made.cursor.trick == 1
    made.press(">", 0.0)
    assert made.cursor.at_end
    made.press("right", 0.0)
    assert "The record ends here." in text(made)
    made.press("<", 0.0)
    assert made.cursor.step == 1
    made.press("p", 0.0)
    assert made.cursor.index == 1
    made.press("x", 0.0)
    assert "That key does nothing here" in text(made)


def test_a_place_is_typed() -> None:
    made = control(an_evening(4, 2, seed=3).record())
    for typed, place in (("12", (1, 12)), ("h2", (2, 1)), ("T1", (2, None)), ("7", (2, 7))):
        made.press("g", 0.0)
        assert "Go to: _" in text(made)
        for key in (*typed, "enter"):
            made.press(key, 0.0)
        assert made.cursor.index == place[0] and place[1] in (None, made.cursor.step)
    before = made.cursor
    for typed in ("999", "h3", "t0", "x1", "q"):
        for key in ("g", *typed, "enter"):
            made.press(key, 0.0)
        assert f"There is no '{typed}' here" in text(made) and made.cursor is before
    for key in ("g", "4", "backspace", "enter"):
        made.press(key, 0.0)
    assert made.cursor is before and not made.ui.hint
    for key in ("g", "1", "escape"):
        made.press(key, 0.0)
    assert made.cursor is before and "Go to" not in text(made)


def test_eyes_are_chosen_by_row() -> None:
    record = an_evening(4, 1, seed=3).record()
    made = control(record)
    for key in ("down", "down"):
        made.press(key, 0.0)
    hand = made.model.table and made.model.table.hand
    assert hand is not None and "all cards open" in text(made)
    for row, player in enumerate(hand.order, start=1):
        made.press(str(row), 0.0)
        assert made.cursor.you == player
        assert f"seen by {record.players[player].name}" in text(made)
        assert made.model.table and made.model.table.hand and made.model.table.hand.cards
    made.press("0", 0.0)
    assert "Nobody sits there." in text(made)
    made.press("o", 0.0)
    assert made.cursor.you is None and "All cards" in text(made)
    made.click("row:2", 0.0)
    assert made.cursor.you == hand.order[1]


def test_a_hand_without_an_end_says_so() -> None:
    one, other, _ = with_a_card_changed(1, 20, over=False)
    first, second = control(one), control(other)
    for key in ("1", "right", "3", "o", "down", "down", "4"):
        first.press(key, 0.0)
        second.press(key, 0.0)
        assert text(first) == text(second)
    assert "cards hidden" in text(first) and "its cards stay hidden" in text(first)


def test_it_plays_by_itself_until_the_end_or_a_key() -> None:
    made = control(an_evening(3, 1, seed=3).record())
    assert made.next_tick(10.0) is None
    made.press("space", 10.0)
    assert "playing 1x" in text(made)
    now = 10.0
    for moves in range(1, 4):
        while made.cursor.step == moves:
            delay = made.next_tick(now)
            assert delay is not None and 0 < delay <= 0.25
            now += delay
            made.tick(now)
    assert now == pytest.approx(13.0)
    made.press("+", now)
    made.press("+", now)
    assert made.ui.hint == "Speed 4x."
    made.tick(now + 0.2)
    assert made.cursor.step == 4
    made.tick(now + 0.26)
    assert made.cursor.step == 5
    made.press("left", now)
    assert not made.playing and made.cursor.step == 4
    made.press("space", now)
    for _ in range(1000):
        now += 1
        made.tick(now)
    assert made.cursor.at_end and not made.playing and "The record ends here." in text(made)


def test_the_bar_leads_to_every_place_that_it_shows() -> None:
    """A click on a cell puts the mark there; the ends lead to the ends."""
    made = control(an_evening(4, 1, seed=3).record())
    made.press("space", 0.0)
    made.click("at:3", 0.0)
    assert not made.playing and made.cursor.step == 3
    for size in SIZES:
        bar = [part for part in made.lines(*size, 0.0)[-2] if part.target.startswith("at:")]
        for number, part in enumerate(bar):
            made.click(part.target, 0.0)
            now = [p for p in made.lines(*size, 0.0)[-2] if p.target.startswith("at:")]
            if len(bar) <= made.cursor.steps:
                assert now[number].text == "O"
        assert made.cursor.step == made.cursor.steps
        made.click("key:<", 0.0)
        assert made.cursor.step == 1


def test_nothing_is_said_that_holds_for_a_game_only() -> None:
    made = control(an_evening(4, 1, seed=3).record(), learn=True)
    assert "Lesson" not in text(made) and "The others play" not in text(made)
    made.press(">", 0.0)
    assert "is over" in text(made) and "goes on" not in text(made)


def test_boxes_lie_over_it() -> None:
    made = control(an_evening(10, 1, seed=3).record())
    made.press("?", 0.0)
    assert "a move back, a move on" in text(made)
    made.press("right", 0.0)
    assert made.cursor.step == 1
    made.click("at:9", 0.0)
    assert made.cursor.step == 1
    made.press("escape", 0.0)
    made.press("l", 0.0)
    assert "Log" in text(made)
    made.press("?", 0.0)
    assert not made.ui.overlay and "a move back" in text(made)
    made.press("q", 0.0)
    made.press("s", 0.0)
    assert "No hand has been finished yet." in text(made)
    made.press("s", 0.0)
    made.press("c", 0.0)
    assert made.ui.theme == "high-contrast"
    made.press("m", 0.0)
    assert not made.ui.mouse


def test_a_wrong_deal_is_shown_as_wrong() -> None:
    one, other, _ = with_a_card_changed(2, 10, over=True)
    table = an_evening(4, 1, seed=3)
    record = table.record()
    made = control(replace(record, seeds={1: "00" * 32}))
    made.press(">", 0.0)
    assert "THE DEAL IS NOT WHAT" in text(made)
    assert one != other


def test_the_real_app() -> None:
    """Keys into a pipe, the screen drawn by pyte; q ends it, and the terminal is given back."""

    async def scenario() -> None:
        record = an_evening(4, 1, seed=3).record()
        with create_pipe_input() as keys:
            glass = Glass(24, 80)
            output = Vt100_Output(
                glass,
                lambda: glass.size,
                term="xterm",
                default_color_depth=ColorDepth.DEPTH_4_BIT,
                enable_cpr=False,
            )
            cursor = Cursor.at_start(Script(record))
            task = asyncio.create_task(run_replay(cursor, Options(), {}, input=keys, output=output))
            async with asyncio.timeout(20):
                await shown(glass, "Move 1 of")
                keys.send_text(RIGHT)
                await shown(glass, "Move 2 of")
                keys.send_text(LEFT)
                await shown(glass, "Move 1 of")
                keys.send_text("t")
                await shown(glass, "That key does nothing here")
                keys.send_text(">")
                await shown(glass, "Hand 1 is over")
                keys.send_text("r")
                await shown(glass, "That key does nothing here")
                keys.send_text("<")
                await shown(glass, "Move 1 of")
                keys.send_text("++++ ")
                await shown(glass, "Move 4 of")
                keys.send_text("?")
                await shown(glass, "a move back, a move on")
                keys.send_text(ESC)
                keys.send_text("q")
                assert await task == 0
        assert glass.raw.rfind("\x1b[?1049l") > glass.raw.rfind("\x1b[?1049h")

    run(scenario)


# -- the hand just played, from within the game ---------------------------------------------------


class Playing(Stage):
    """A stage with a real screen that hears it, without a terminal or a loop."""

    def __init__(self, screen: Screen, seats: int = 4, **more: Any) -> None:
        self.screen = screen
        super().__init__(seats, **more)

    def tell(self, message: Any) -> None:
        super().tell(message)
        self.screen.hear(message)


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Screen]:
    monkeypatch.setattr(Screen, "now", property(lambda self: 1000.0))
    monkeypatch.setattr(Screen, "_changed", lambda self: None)
    with create_pipe_input() as keys:
        yield Screen(Silence(), None, Options(watch_draw=False), input=keys, output=Big())


class Big(DummyOutput):
    """Nowhere to draw, and enough of it."""

    def get_size(self) -> Size:
        return Size(rows=24, columns=80)


def drawn(screen: Screen) -> str:
    lines = screen.lines(80, 24)
    assert len(lines) == 24 and {cells(line) for line in lines} == {80}
    return text_of(lines)


def test_r_shows_the_hand_again_as_it_was_seen(screen: Screen) -> None:
    stage = Playing(screen, seed=5)
    stage.deal()
    assert stage.model.table is not None and stage.model.table.hand is not None
    dealt = stage.model.table.hand.cards
    screen.press("r")
    assert screen.rewind is None  # a hand is being played
    stage.finish()
    assert "r replay" in drawn(screen)
    screen.press("r")
    assert screen.rewind is not None
    assert "seen by Ada" in drawn(screen) and "Move 1 of " in drawn(screen)
    shown_hand = screen.rewind.cursor.moment.table.hand
    assert shown_hand is not None and shown_hand.cards == dealt
    for key in ("o", "2"):
        screen.press(key)
        assert "you know your own cards only" in drawn(screen)
    while not screen.rewind.cursor.at_end:
        screen.press("right")
        drawn(screen)
    assert screen.rewind.cursor.moment.table == stage.model.table
    for key in ("down", "up", "p", "p", "left", "<", ">", "?"):
        screen.press(key)
        drawn(screen)
    screen.press("escape")
    screen.press("q")
    assert screen.rewind is None and "Hand 1 is over" in drawn(screen)


def test_the_next_hand_ends_the_replay(screen: Screen) -> None:
    stage = Playing(screen, seed=5)
    stage.deal().finish()
    screen.press("r")
    screen.press("c")
    assert screen.rewind is not None
    assert screen.control.ui.theme == screen.rewind.ui.theme != "default"
    stage.deal()
    assert screen.rewind is None
    stage.finish()
    screen.press("r")
    assert screen.rewind is not None and "hand 2" in drawn(screen)
    screen.open_chat()
    assert screen.rewind is None and screen.chatting


def test_whoever_watched_sees_no_cards_again(screen: Screen) -> None:
    stage = Playing(screen, you=None)
    stage.deal().finish()
    screen.press("r")
    assert screen.rewind is not None and "cards hidden" in drawn(screen)
    while not screen.rewind.cursor.at_end:
        screen.press("right")
        assert not screen.rewind.cursor.moment.hands
        drawn(screen)


def test_whoever_came_in_the_middle_sees_it_from_there(screen: Screen) -> None:
    stage = Playing(screen, seed=5)
    stage.deal().run(you_follow)
    acts = len(stage.hand.acts)
    stage.snapshot()
    stage.ask()
    stage.finish()
    screen.press("r")
    assert screen.rewind is not None
    hand = screen.rewind.cursor.moment.table.hand
    assert hand is not None and len(hand.trick.acts) == acts


def test_a_result_that_was_found_on_coming_has_nothing_to_show(screen: Screen) -> None:
    stage = Playing(screen, seed=5)
    stage.deal().finish()
    stage.snapshot()
    screen.press("r")
    assert screen.rewind is None and "Nothing was seen of that hand" in drawn(screen)
