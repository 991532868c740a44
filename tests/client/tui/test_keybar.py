"""The last line tells the truth: each key that it names does something on the screen it stands on.

Costs about four seconds.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from client.tui.tables import WELCOME, Stage, you_follow, your_turn
from client.tui.test_screens import PICTURES, SEATS, Picture, on
from dalmuti.client.model import LinkChanged
from dalmuti.client.steward import Steward
from dalmuti.client.tui.canvas import text_of
from dalmuti.client.tui.control import Control, Options
from dalmuti.client.tui.screens import render
from dalmuti.client.tui.selector import PlaySelector
from dalmuti.core.options import TableOptions

PRESSED = {
    "Arrows": ("left", "right", "up", "down"),
    "Left Right": ("left", "right"),
    "Up Down": ("up", "down"),
    "PgUp PgDn": ("pageup",),
    "PgUp": ("pageup",),
    "9": tuple("123456789"),
    "3x9": tuple("123456789"),
    "Enter": ("enter",),
    "Space": ("space",),
    "Esc": ("escape",),
    "Backspace": ("backspace",),
}
"""The keys behind each name, one of which has to do something."""
ELSEWHERE = ("t", "Ctrl-C")
"""Keys that `tui.keys` binds to other things than a press."""


def named(picture: Picture) -> list[str]:
    """The keys in the last line."""
    model, ui, now = picture
    return [part.text for part in render(model, ui, 200, 40, now)[-1] if part.style == "key"]


def seen(picture: Picture) -> str:
    """The screen without the line above the keys, where a key could say that it does nothing."""
    model, ui, now = picture
    lines = render(model, ui, 80, 24, now)
    return text_of([*lines[:-2], lines[-1]])


def does_something(picture: Picture, key: str) -> bool:
    model, ui, now = picture
    done: list[Any] = []
    control = Control(
        Options(),
        Steward(),
        lambda *request, **fields: done.append(request),
        done.append,
        done.append,
    )
    before = copy.copy(ui)
    control.model, control.ui = model, ui = replace(model), copy.copy(ui)
    control.press(key, now + 10)
    switched = (ui.theme, ui.mouse, ui.hidden) != (before.theme, before.mouse, before.hidden)
    return bool(done) or switched or seen((control.model, ui, now)) != seen((model, before, now))


def nothing_behind(picture: Picture) -> Iterator[str]:
    for name in named(picture):
        keys = PRESSED.get(name, (name,))
        if name not in ELSEWHERE and not any(does_something(picture, key) for key in keys):
            yield name


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("name", PICTURES)
def test_every_key_that_is_named_does_something(name: str, seats: int) -> None:
    assert list(nothing_behind(PICTURES[name](seats))) == []


@pytest.mark.parametrize("seats", (2, 3))
def test_every_decision_of_a_hand_names_keys_that_do_something(seats: int) -> None:
    stage = Stage(seats, seed=4).deal()
    while stage.match.hand is not None:
        assert list(nothing_behind(on(stage))) == []
        stage.step()


def test_a_host_alone_can_add_bots_and_nothing_else() -> None:
    picture = on(Stage(1, options=TableOptions(seats=4)))
    assert named(picture)[0] == "b" and not {"Space", "k"} & set(named(picture))
    assert list(nothing_behind(picture)) == []


def test_a_full_table_has_no_place_for_a_bot() -> None:
    assert "b" in named(PICTURES["room"](4))
    model, ui, now = on(Stage(4, options=TableOptions(seats=4)))
    assert "b" not in named((model, ui, now)) and "Space" in named((model, ui, now))
    assert "b" not in named((replace(model, welcome=replace(WELCOME, bots=())), ui, now))


def test_enter_passes_where_pass_is_chosen() -> None:
    stage = Stage(4, seed=3).deal().run(you_follow)
    chosen, passing = on(stage), on(stage)
    assert isinstance(passing[1].selector, PlaySelector)
    passing[1].selector = passing[1].selector.choose(None, stage.now).selector
    assert "Enter play " in last_line(chosen) and "Enter pass " in last_line(passing)


def test_what_cannot_be_played_is_forgotten_and_not_played() -> None:
    picture = PICTURES["lead-typed"](8)
    assert "Backspace forget typing" in last_line(picture)
    assert "Enter" not in last_line(picture)


def test_a_call_is_called_so() -> None:
    assert "Enter call " in last_line(PICTURES["revolution-call"](8))


def test_the_draw_can_be_skipped_whatever_is_to_be_decided_behind_it() -> None:
    assert named(PICTURES["draw-2"](8))[:2] == ["Enter", "Esc"]
    assert "Enter go on " in last_line(PICTURES["draw-2"](8))


def test_who_passes_by_himself_may_choose_again() -> None:
    stage = Stage(4, seed=3).deal().run(your_turn)
    model, ui, now = on(stage, passing=True)
    ui.selector = None
    assert "a choose again" in last_line((model, ui, now))


def test_a_box_over_the_screen_takes_the_keys() -> None:
    for name in ("help", "scores", "log", "leave", "lost"):
        assert "Enter" not in named(PICTURES[name](4))
    assert named(PICTURES["leave"](4)) == ["y", "Esc"]


def test_while_the_connection_is_lost_nobody_hears_us() -> None:
    model, ui, now = PICTURES["room"](4)
    model = replace(model, link=LinkChanged("lost", "gone", now + 5))
    assert named((model, ui, now)) == ["q", "Ctrl-C", "c"]
    assert "to talk" not in text_of(render(model, ui, 80, 24, now))


def test_the_way_to_talk_is_told_once() -> None:
    model, ui, now = PICTURES["follow"](4)
    assert "t or Tab to talk" in text_of(render(model, ui, 80, 24, now))
    assert "t" not in named((model, ui, now))
    ui.hint = "Something else stands there."
    assert "t" in named((model, ui, now))


def last_line(picture: Picture) -> str:
    model, ui, now = picture
    return text_of(render(model, ui, 200, 40, now)[-1:])


def test_nobody_talks_to_bots_alone() -> None:
    model, ui, now = PICTURES["follow"](4)
    assert model.table is not None
    ui.hint = "Something else stands there."
    alone = replace(model, table=replace(model.table, solo=True))
    assert "t" in named((model, ui, now)) and "t" not in named((alone, ui, now))
    ui.hint = ""
    assert "to talk" not in text_of(render(alone, ui, 80, 24, now))


def test_no_advice_is_given_behind_the_draw() -> None:
    model, ui, now = PICTURES["draw-2"](4)
    ui.advice = "The expert: no revolution."
    assert ui.advice not in text_of(render(model, ui, 80, 24, now))
    ui.draw_step = None
    assert ui.advice in text_of(render(model, ui, 80, 24, now))


def test_nobody_sits_down_where_no_seat_is_free() -> None:
    model, ui, now = PICTURES["lobby"](10)
    chosen = [dataclasses.replace(ui, lobby_index=at) for at in range(3)]
    assert ["Enter" in named((model, each, now)) for each in chosen] == [True, False, False]
