"""The round table: places in the court's order, from 2 to 10 players, in windows of many sizes."""

from __future__ import annotations

from itertools import pairwise

import pytest
from msgspec.structs import replace

from client.tui.tables import NAMES, Stage, in_tricks, taxes_due, you_follow, your_turn
from client.tui.test_screens import on
from dalmuti.client import words
from dalmuti.client.tui.canvas import Line, Span, cells, text_of
from dalmuti.client.tui.screens import render
from dalmuti.client.tui.screens.seating import SIDES, around
from dalmuti.core.titles import title_of
from dalmuti.protocol.text import width

SIZES = ((110, 34), (120, 40), (200, 60))
CORNERS = "╭╮╰╯"


def lines_of(stage: Stage, cols: int, rows: int) -> list[str]:
    model, ui, now = on(stage)
    screen = render(model, ui, cols, rows, now)
    assert len(screen) == rows and {cells(spans) for spans in screen} == {cols}
    return text_of(screen).splitlines()


def cell_of(lines: list[str], text: str) -> tuple[int, int]:
    """Row and cell where a text stands, which is there once in the pane of the table."""
    found = [(n, width(row[: row.index(text)])) for n, row in enumerate(lines) if text in row]
    assert len(found) == 1, (text, found)
    return found[0]


def pane(lines: list[str]) -> list[str]:
    """The left pane only: what is above the hand, up to the border in the middle."""
    at = lines[1].index("┬")
    end = next(n for n, row in enumerate(lines) if row.startswith("├"))
    return [_first_cells(row, at) for row in lines[2:end]]


def _first_cells(row: str, room: int) -> str:
    while width(row) > room:
        row = row[:-1]
    return row


@pytest.mark.parametrize("cols,rows", SIZES)
@pytest.mark.parametrize("seats", range(2, 11))
@pytest.mark.parametrize("you", [1, None])
def test_everybody_has_a_place(seats: int, you: int | None, cols: int, rows: int) -> None:
    stage = Stage(seats, you=you, seed=seats).deal().run(in_tricks)
    for turn in range(20):
        if stage.match.hand is None:
            break
        if turn % 5:
            stage.step()
            continue
        lines = pane(lines_of(stage, cols, rows))
        text = "\n".join(lines)
        assert all(corner in text for corner in CORNERS)
        assert text.count("▶") == 1
        for seat, player in enumerate(stage.match.order):
            name = "  you" if player == you else NAMES[player - 1]
            left = stage.hand.sizes[seat]
            title = words.title(title_of(seat, seats))
            assert any(
                name in each.replace("▶ ", "  ")
                and (f"{title} · {left}" in below or (title in below and "out, " in last))
                for each, below, last in zip(lines, lines[1:], lines[2:], strict=False)
            )
        if stage.hand.top is not None:
            assert str(stage.hand.top) in text
        stage.step()


def test_the_greater_dalmuti_sits_at_the_head_and_the_others_go_clockwise() -> None:
    """As on the dial of a clock, seen from the middle of the table."""
    for seats in range(2, 11):
        names = [f"place{seat}" for seat in range(seats)]
        places: list[list[Line]] = [[[Span("", name)], [], []] for name in names]
        lines = text_of(around(places, [], 80, 24)).splitlines()
        at = [cell_of(lines, name) for name in names]
        assert at[0][0] == min(row for row, _ in at)
        middle = 24 / 2, 80 / 2 - 3
        turns = [_clock(row - middle[0], (cell - middle[1]) / 2) for row, cell in at]
        assert all(one < other for one, other in pairwise([0.0, *turns[1:]])), (seats, turns)
        assert SIDES[seats] * 2 <= seats - 1


def _clock(down: float, right: float) -> float:
    """Where a place is on the dial of a clock, 12 for a whole round."""
    from math import atan2, pi

    return (atan2(right, -down) / pi * 6) % 12


@pytest.mark.parametrize("cols,rows", SIZES)
def test_the_own_hand_stays_where_it_is(cols: int, rows: int) -> None:
    """From the revolution to the last card, whatever the phase."""
    stage = Stage(5, seed=4).deal()
    where = set()
    while stage.match.hand is not None:
        lines = lines_of(stage, cols, rows)
        where.add((cell_of(lines, "│ rank"), cell_of(lines, "├─ Your hand")))
        stage.step()
    assert len(where) == 1


def test_a_wide_window_that_is_low_has_the_list() -> None:
    stage = Stage(10, seed=3).deal().run(your_turn)
    for cols, rows, there in ((120, 33, False), (109, 40, False), (110, 34, True)):
        text = "\n".join(lines_of(stage, cols, rows))
        assert ("╭" in text) == there
        assert all(name in text for name in NAMES[1:])


@pytest.mark.parametrize("seats", [3, 7, 10])
def test_nothing_in_the_middle_is_lost(language: str, seats: int) -> None:
    """All that is said about revolution, taxes and the set to beat, as where there is room."""
    order = Stage(seats, seed=3).deal().match.order
    stage = Stage(seats, seed=3, you=order[-1]).deal()

    def said(rows: int) -> str:
        lines = pane(lines_of(stage, 110, rows))
        inside = [row[row.index("│", 20) :].split("│")[1] for row in lines if row.count("│") == 3]
        return " ".join("".join(inside).translate(dict.fromkeys(map(ord, "┌─┬┐└┴┘"))).split())

    for moment in (lambda stage: True, taxes_due, in_tricks, lambda s: len(s.hand.acts) > 0):
        stage.run(moment)
        assert said(34) == said(60) and len(said(34)) > 20


def test_the_trick_is_told_play_by_play() -> None:
    stage = Stage(4, seed=7).deal().run(lambda s: you_follow(s) and len(s.hand.acts) > 4)
    lines = lines_of(stage, 120, 40)
    told = [row.split("│")[-2].strip() for row in lines[2:12]]
    plays = [act for act in stage.hand.acts if act.play is not None]
    names = [
        "you" if seat == stage.your_seat else NAMES[stage.match.order[seat] - 1]
        for seat in range(4)
    ]
    shown = [row.split()[:2] for row in told if "x" in row and not row.endswith(" pass")]
    assert shown == [[names[act.seat], str(act.play)] for act in plays][-len(shown) :]
    assert "Trick" in lines[1]


def test_who_waits_for_the_next_hand_is_told() -> None:
    stage = Stage(9, seed=2).deal().run(your_turn)
    table = stage.model.table
    assert table is not None
    newcomer = replace(table.players[0], player=99, name="Zoë")
    stage.model = replace(stage.model, table=replace(table, players=(*table.players, newcomer)))
    for cols, rows in SIZES:
        assert "Zoë plays from the next hand on" in "\n".join(lines_of(stage, cols, rows))
