"""What people see: every scene as text, and lines that keep their width whatever is in them.

The pictures lie in `snapshots/`. After a change that is meant, `UPDATE_SNAPSHOTS=1 pytest
tests/client/tui/test_screens.py` writes them anew: look at every one that changed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from client.tui.tables import (
    NAMES,
    WELCOME,
    Stage,
    first_such,
    somebody_else,
    taxes_due,
    you_follow,
    you_lead,
    your_turn,
)
from dalmuti.client.model import DealChecked, LinkChanged, Model, reduce
from dalmuti.client.tui.canvas import cells, text_of
from dalmuti.client.tui.screens import MIN_COLS, MIN_ROWS, render
from dalmuti.client.tui.selector import Selector, select
from dalmuti.client.tui.state import Overlay, Ui, scene_of
from dalmuti.core.cards import Play, counts_of
from dalmuti.core.events import Act
from dalmuti.core.moves import PASS, Call
from dalmuti.core.options import TableOptions
from dalmuti.core.views import TrickView
from dalmuti.protocol.messages import Lobby, TableInfo

SNAPSHOTS = Path(__file__).parent / "snapshots"
SIZES = ((80, 24), (120, 40))
SEATS = (4, 8, 10)
JOIN = ("dalmuti join 192.168.1.20:12013", "dalmuti join 127.0.0.1   (on this machine)")
HOUSE = TableOptions(seats=10, passing="locked", scoring="points", match_end="points:30")
Picture = tuple[Model, Ui, float]


def on(stage: Stage, *keys: str, **ui: object) -> Picture:
    """What the viewer of a stage sees three seconds later, after some keys for his decision."""
    state = Ui(**ui)  # type: ignore[arg-type]
    state.selector = selector_of(stage.model)
    for key in keys:
        assert state.selector is not None
        step = state.selector.press(key, stage.now + 1)
        assert step.move is None
        state.selector, state.hint = step.selector, step.hint
    return stage.model, state, stage.now + 3


def selector_of(model: Model) -> Selector | None:
    if model.decision is None or model.table is None or model.table.hand is None:
        return None
    return select(model.decision, model.table.hand.cards or (), 0.0)


def seen_by_seat(seats: int, seat: int) -> Stage:
    """A stage whose viewer has this seat in the first hand."""
    order = Stage(seats, seed=3).deal().match.order
    return Stage(seats, seed=3, you=order[seat]).deal()


# -- the pictures -----------------------------------------------------------------------------


def lobby(seats: int) -> Picture:
    tables = (
        TableInfo(
            table="Kitchen", options=TableOptions(), state="waiting", people=3, bots=2, host="Ada"
        ),
        TableInfo(
            table="王小明 and friends", options=HOUSE, state="hand", hand=3, people=10, locked=True
        ),
        TableInfo(
            table="Solo",
            options=TableOptions(seats=4),
            state="hand",
            hand=2,
            people=1,
            bots=3,
            solo=True,
        ),
    )
    model = Model(
        link=LinkChanged("open"),
        welcome=WELCOME,
        lobby=Lobby(
            tables=tables[: seats // 3], people=("Ada", "Frédéric", "Barbara")[: seats // 3]
        ),
    )
    return model, Ui(lobby_index=1), 0.0


def room(seats: int) -> Picture:
    stage = Stage(seats - 1, options=TableOptions(seats=seats) if seats < 10 else HOUSE)
    stage.chat(2, "one more?")
    return on(stage, join_lines=JOIN)


def draw_first(seats: int) -> Picture:
    return on(Stage(seats).deal(), draw_step=0)


def draw_again(seats: int) -> Picture:
    return on(Stage(seats).deal(), draw_step=1)


def draw_titles(seats: int) -> Picture:
    return on(Stage(seats).deal(), draw_step=99)


def revolution(seats: int) -> Picture:
    return on(Stage(seats).deal())


def revolution_call(seats: int) -> Picture:
    return on(Stage(seats).deal(jesters_to=1), "r")


def revolution_called(seats: int) -> Picture:
    """By the Greater Peon: the titles have turned round."""
    order = Stage(seats, seed=3).deal().match.order
    stage = Stage(seats, seed=3).deal(jesters_to=order[-1])
    stage.move(seats - 1, Call(greater=True))
    return on(stage.run(lambda stage: len(stage.hand.acts) > 1))


def taxes_choose(seats: int) -> Picture:
    return on(seen_by_seat(seats, 0).run(taxes_due))


def taxes_pay(seats: int) -> Picture:
    return on(seen_by_seat(seats, seats - 1).run(taxes_due))


def taxes_wait(seats: int) -> Picture:
    stage = seen_by_seat(seats, seats // 2).run(taxes_due)
    stage.presence(stage.match.order[0], "lost", 18_000)
    stage.presence(stage.match.order[-1], "standin")
    return on(stage)


def follow(seats: int) -> Picture:
    def much_to_choose(stage: Stage) -> bool:
        decision = stage.model.decision
        return you_follow(stage) and decision is not None and len(decision.choices) > 3

    stage = first_such(seats, much_to_choose)
    stage.chat(4, "好的 pass again")
    stage.presence(2, "lost", 18_000)
    stage.presence(3, "standin")
    return on(stage)


def lead(seats: int) -> Picture:
    def with_jester(stage: Stage) -> bool:
        cards = stage.model.table.hand.cards or () if stage.match.hand else ()  # type: ignore[union-attr]
        return you_lead(stage) and 13 in cards and len(cards) > 5

    return on(first_such(seats, with_jester), "right", "j")


def lead_typed(seats: int) -> Picture:
    return on(Stage(seats, seed=7).deal().run(you_lead), "9", "x", "1")


def waiting(seats: int) -> Picture:
    stage = Stage(seats, seed=6).deal().run(somebody_else)
    stage.presence(3, "away")
    return on(stage)


def out(seats: int) -> Picture:
    def first_out(stage: Stage) -> bool:
        return stage.your_seat in stage.hand.finished and len(stage.hand.acts) > 1

    return on(first_such(seats, first_out))


def watching(seats: int) -> Picture:
    return on(Stage(seats, you=None, seed=2).deal().run(somebody_else))


def result(seats: int) -> Picture:
    return on(Stage(seats, seed=5).deal().finish())


def result_of_second(seats: int) -> Picture:
    """Points, a player who left, a guest's view."""
    options = TableOptions(seats=seats, scoring="points")
    stage = Stage(seats, you=3, seed=9, options=options).deal().finish().deal()
    stage.match.leave(2)
    stage.presence(2, "left")
    return on(stage.finish())


def wrong_deal(seats: int) -> Picture:
    model, ui, now = result(seats)
    return replace(model, verified={1: False}), ui, now


def match_over(seats: int) -> Picture:
    options = TableOptions(seats=seats, scoring="points", match_end="hands:1")
    return on(Stage(seats, seed=4, options=options).deal().finish())


def overlay(name: Overlay) -> Callable[[int], Picture]:
    def picture(seats: int) -> Picture:
        stage = Stage(seats, seed=5).deal().finish().deal().run(your_turn)
        return on(stage, overlay=name)

    return picture


def lost(seats: int) -> Picture:
    stage = Stage(seats, seed=5).deal().run(your_turn)
    stage.tell(LinkChanged("lost", "The server closed the connection. More.", stage.now + 7))
    return on(stage, held_until=stage.now + 20)


def lost_for_long(seats: int) -> Picture:
    """The stand-in plays already."""
    model, ui, now = lost(seats)
    ui.held_until = now - 1
    return model, ui, now


def lost_watching(seats: int) -> Picture:
    stage = Stage(seats, you=None, seed=2).deal().run(somebody_else)
    stage.tell(LinkChanged("lost", "The server closed the connection. More.", stage.now + 7))
    return on(stage, held_until=stage.now + 20)


def scrolled_log(seats: int) -> Picture:
    return on(Stage(seats, seed=5).deal().finish().deal().run(your_turn), log_back=12)


def match_by_titles(seats: int) -> Picture:
    """Over after three hands, which nobody counted in points; we have won."""
    options = TableOptions(seats=seats, match_end="hands:3")
    stage = Stage(seats, seed=11, options=options)
    for _ in range(3):
        stage.deal().finish()
    table = stage.model.table
    assert table is not None
    you = table.winners[0]
    stage.model = replace(stage.model, table=replace(table, you=you))
    return on(stage)


PICTURES: dict[str, Callable[[int], Picture]] = {
    "lobby": lobby,
    "room": room,
    "draw-1": draw_first,
    "draw-2": draw_again,
    "draw-titles": draw_titles,
    "revolution": revolution,
    "revolution-call": revolution_call,
    "revolution-called": revolution_called,
    "taxes-choose": taxes_choose,
    "taxes-pay": taxes_pay,
    "taxes-wait": taxes_wait,
    "follow": follow,
    "lead": lead,
    "lead-typed": lead_typed,
    "waiting": waiting,
    "out": out,
    "watching": watching,
    "result": result,
    "result-2": result_of_second,
    "wrong-deal": wrong_deal,
    "match-over": match_over,
    "match-titles": match_by_titles,
    "help": overlay("help"),
    "scores": overlay("scores"),
    "log": overlay("log"),
    "leave": overlay("leave"),
    "lost": lost,
    "lost-long": lost_for_long,
    "lost-watching": lost_watching,
    "scrolled": scrolled_log,
}
HELPLESS = ("help", "leave", "lost", "lost-long", "lost-watching")
"""Where no key leads to the help: it is open, or something else has to be answered first."""


@pytest.mark.parametrize("cols,rows", SIZES, ids=lambda n: str(n))
@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("name", PICTURES)
def test_snapshot(name: str, seats: int, cols: int, rows: int) -> None:
    model, ui, now = PICTURES[name](seats)
    lines = render(model, ui, cols, rows, now)
    assert len(lines) == rows and {cells(spans) for spans in lines} == {cols}
    text = text_of(lines) + "\n"
    path = SNAPSHOTS / f"{name}-{seats}-{cols}x{rows}.txt"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.write_text(text)
    assert path.exists(), "no snapshot; run with UPDATE_SNAPSHOTS=1 and look at it"
    assert text == path.read_text()


def test_no_snapshot_is_forgotten() -> None:
    wanted = {f"{n}-{s}-{c}x{r}.txt" for n in PICTURES for s in SEATS for c, r in SIZES}
    assert {path.name for path in SNAPSHOTS.glob("*.txt")} == wanted


# -- properties -------------------------------------------------------------------------------

HOSTILE = st.text(
    alphabet=st.one_of(
        st.characters(),
        st.sampled_from("王é\u0301\u200d\ufe0f\u202e\x1b\x9b\n\t👍🏽🇨🇿🃏ﷺ\u3164│"),
    ),
    max_size=30,
)


@settings(max_examples=40)
@given(
    st.lists(HOSTILE, min_size=10, max_size=10),
    HOSTILE,
    st.sampled_from(sorted(PICTURES)),
    st.sampled_from(SEATS),
    st.integers(MIN_COLS, 150),
    st.integers(MIN_ROWS, 50),
    st.booleans(),
)
def test_names_never_break_the_frame(
    names: list[str], said: str, picture: str, seats: int, cols: int, rows: int, plain: bool
) -> None:
    model, ui, now = PICTURES[picture](seats)
    if model.table is not None:
        players = tuple(
            replace(info, name=name) for info, name in zip(model.table.players, names, strict=False)
        )
        table = replace(model.table, players=players, table=names[0], watchers=tuple(names[:2]))
        lines = tuple(replace(each, text=each.text + said) for each in model.log)
        model = replace(model, table=table, log=lines, refusal=said)
    ui.ascii = plain
    screen = render(model, ui, cols, rows, now)
    assert len(screen) == rows
    for spans in screen:
        assert cells(spans) == cols
        assert all(part.text.isprintable() for part in spans)
    if plain:
        assert not set("─│┌┐└┘├┤┬┴▶…→·") & set(text_of(screen).replace(said, ""))


@given(st.integers(1, 100), st.integers(1, 30))
def test_a_window_that_is_too_small_says_so(cols: int, rows: int) -> None:
    model, ui, now = follow(4)
    screen = render(model, ui, cols, rows, now)
    assert len(screen) == rows and {cells(spans) for spans in screen} == {cols}
    small = cols < MIN_COLS or rows < MIN_ROWS
    if cols >= 30:
        assert ("too small" in text_of(screen)) == small


@pytest.mark.parametrize("cols,rows", SIZES)
@pytest.mark.parametrize("seats", range(2, 11))
def test_every_decision_of_a_hand_is_complete(seats: int, cols: int, rows: int) -> None:
    """Everybody is on the screen, the whole hand, the set to beat, and the choice in brackets."""
    stage = Stage(seats, seed=seats).deal()
    while stage.match.hand is not None:
        picture = on(stage)
        text = text_of(render(picture[0], picture[1], cols, rows, picture[2]))
        assert all(name in text for name in NAMES[1:seats])
        counts = counts_of(stage.model.table.hand.cards or ())  # type: ignore[union-attr]
        have = next((row for row in text.splitlines() if row.startswith("│ have")), "")
        numbers = have.translate({ord(c): " " for c in "│[]"}).split()[1:]
        assert [0 if n == "·" else int(n) for n in numbers] == counts[1:]
        if stage.model.decision is not None:
            bottom = text.splitlines()[-6:]
            assert any("[" in row for row in bottom) or scene_of(*picture[:2]) == "taxes"
        if stage.hand.top is not None:
            assert str(stage.hand.top) in text
        stage.step()


def test_the_caller_of_a_greater_revolution_is_named_after_the_seats_have_turned() -> None:
    model, ui, now = revolution_called(8)
    assert model.table is not None and model.table.hand is not None
    caller = model.table.hand.order[0]
    name = "You" if caller == 1 else NAMES[caller - 1]
    assert f"{name} called a Greater" in text_of(render(model, ui, 80, 24, now))


def test_who_passed_is_told_that_a_locked_trick_is_lost() -> None:
    stage = Stage(4, seed=3, options=TableOptions(seats=4, passing="locked")).deal().run(you_follow)
    assert stage.your_seat is not None
    stage.move(stage.your_seat, PASS)
    text = text_of(render(*on(stage)[:2], 80, 24, stage.now))
    assert "who passes here is out of the trick" in text


@pytest.mark.parametrize("cols,rows", SIZES)
def test_who_is_not_there_is_always_said_in_full(cols: int, rows: int) -> None:
    stage = Stage(2, seed=1).deal(jesters_to=2).run(your_turn)
    play = Play(12, 14, 2)
    hand = stage.model.table.hand  # type: ignore[union-attr]
    assert hand is not None
    seat = hand.order.index(2)
    trick = TrickView(top=play, owner=seat, acts=(Act(seat, play),))
    stage.model = replace(
        stage.model,
        table=replace(stage.model.table, hand=replace(hand, trick=trick)),  # type: ignore[type-var]
    )
    for presence, word in (("lost", "lost 17s"), ("standin", "stand-in"), ("away", "away")):
        stage.presence(2, presence, 20_000 if presence == "lost" else None)  # type: ignore[arg-type]
        model, ui, now = on(stage)
        text = text_of(render(model, ui, cols, rows, now))
        assert "Grace" in text
        assert any(word in row and "14x12" in row for row in text.splitlines())


def test_a_long_list_of_plays_keeps_the_choice_in_sight() -> None:
    """Two players lead from 40 cards: more than a line of ranks and sizes."""
    stage = Stage(2, seed=1).deal(jesters_to=1).run(your_turn)
    model, ui, now = on(stage)
    for _ in range(80):
        assert ui.selector is not None
        ui.selector = ui.selector.press("up", now).selector
        ui.selector = ui.selector.press("right" if _ % 7 == 0 else "j", now).selector
        rows = text_of(render(model, ui, 80, 24, now)).splitlines()[-6:-3]
        assert any("[" in row and "]" in row for row in rows)


def test_a_result_says_once_that_the_deal_is_verified() -> None:
    model, ui, now = result(4)
    model = reduce(model, DealChecked(1), now)
    assert model.log[-1].text == "Hand 1: deal verified."
    assert text_of(render(model, ui, 120, 40, now)).lower().count("deal verified") == 1
