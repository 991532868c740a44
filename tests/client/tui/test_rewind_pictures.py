"""What people see of a replay: pictures as text, and every size, language and sign set.

The pictures lie in `snapshots/replay/`. After a change that is meant, `UPDATE_SNAPSHOTS=1 pytest
tests/client/tui/test_rewind_pictures.py` writes them anew: look at every one that changed.
"""

from __future__ import annotations

import os
import random
import re
import unicodedata
from pathlib import Path

import pytest

from client.languages import speaking
from client.tui.tables import KINDS, NAMES
from client.tui.test_matrix import ALL_SIZES, EDGES, PLAIN_EDGES, edge_cells
from client.tui.test_screens import HOUSE, SEATS, SIZES
from dalmuti.client.replay.cursor import Cursor
from dalmuti.client.replay.script import Script
from dalmuti.client.tui.canvas import ASCII, cells, text_of
from dalmuti.client.tui.control import Options
from dalmuti.client.tui.rewind import ReplayControl
from dalmuti.core.cards import DECK
from dalmuti.core.match import Match
from dalmuti.core.options import TableOptions
from dalmuti.core.policy import greedy
from dalmuti.core.record import Record, record_of

SNAPSHOTS = Path(__file__).parent / "snapshots" / "replay"
PICTURES = {
    "begin": "",
    "open": "down down down right right right",
    "open-out": "> left left left left",
    "eyes": "down down down right right right 3",
    "taxes": "right right 1",
    "result": ">",
    "second-hand": "n down down right right",
    "go-to": "down down g t 5",
    "nowhere": "g 9 9 9 enter",
    "playing": "down 2 space",
    "help": "down ?",
    "log": "> left l",
    "end": "n >",
    "before": "p",
}
"""The keys that lead to each."""
OF_ALL = ("open", "eyes")
"""What is drawn at tables of all sizes; one is enough for the others."""


def evening(seats: int) -> Record:
    """Two hands between people who play greedily."""
    chance = random.Random(seats)
    options = HOUSE if seats == 10 else TableOptions(seats=seats)
    match = Match(options)
    for player in range(1, seats + 1):
        match.sit(player)
    match.find_titles(chance.sample(DECK, 80))
    for _ in range(2):
        match.start(chance.sample(DECK, 80))
        while match.hand is not None:
            seat = match.hand.to_act[0]
            match.apply(seat, greedy(match.hand.cards(seat), match.hand.legal(seat)))
    players = {n: (KINDS[n - 1], NAMES[n - 1]) for n in range(1, seats + 1)}
    return record_of(match, "Kitchen", players, {}, fair=False)


def at(name: str, seats: int) -> ReplayControl:
    cursor = Cursor.at_start(Script(evening(seats)))
    made = ReplayControl(cursor, Options(), lambda leave: None, {1: True})
    for key in PICTURES[name].split():
        made.press(key, 0.0)
    return made


@pytest.mark.parametrize(("cols", "rows"), SIZES)
@pytest.mark.parametrize(
    ("name", "seats"),
    [(name, seats) for name in PICTURES for seats in SEATS if seats == 8 or name in OF_ALL],
)
def test_pictures(name: str, seats: int, cols: int, rows: int) -> None:
    drawn = at(name, seats).lines(cols, rows, 0.0)
    text = text_of(drawn) + "\n"
    path = SNAPSHOTS / f"{name}-{seats}-{cols}x{rows}.txt"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert path.exists(), "no snapshot; run with UPDATE_SNAPSHOTS=1 and look at it"
    assert text == path.read_text()


def test_no_picture_is_left_over() -> None:
    found = {path.name.rsplit("-", 2)[0] for path in SNAPSHOTS.glob("*.txt")}
    assert found == set(PICTURES)


@pytest.mark.parametrize("name", PICTURES)
def test_a_replay_fits_in_every_language_size_and_sign_set(language: str, name: str) -> None:
    made = at(name, 8)
    for cols, rows in ALL_SIZES:
        drawn = {}
        for plain in (False, True):
            made.ui.ascii = plain
            lines = drawn[plain] = made.lines(cols, rows, 0.0)
            assert len(lines) == rows and {cells(spans) for spans in lines} == {cols}
            edges = PLAIN_EDGES if plain else EDGES
            for spans in lines[1:-2]:
                assert all(
                    cell in edge for cell, edge in zip(edge_cells(spans), edges, strict=True)
                )
            assert any(part.text == "?" for part in lines[-1]) or name in ("help", "go-to")
        text = text_of(drawn[True])
        assert text == text_of(drawn[False]).translate(ASCII)
        assert not {
            char for char in text if not char.isascii() and unicodedata.category(char)[0] in "SZC"
        }


@pytest.mark.parametrize("name", PICTURES)
def test_no_text_of_a_replay_is_left_in_english(name: str) -> None:
    with speaking("pseudo"):
        text = text_of(at(name, 8).lines(120, 40, 0.0))
    said = " ".join((*NAMES, "Kitchen Dalmuti xJ"))
    left = [
        word
        for word in re.findall("[A-Za-z]{2,}", text)
        if not any(each.startswith(word) or each.endswith(word) for each in said.split())
    ]
    assert not left, left


NAMED = {
    "Arrows": ("left", "right", "up", "down"),
    "1-9": ("1", "2"),
    "n p": ("n", "p"),
    "+ -": ("+", "-"),
    "PgUp PgDn": ("pageup",),
    "Space": ("space",),
    "Enter": ("enter",),
    "Esc": ("escape",),
}
"""The keys behind the names of keys in the last line."""


@pytest.mark.parametrize("name", PICTURES)
def test_every_key_that_a_replay_names_does_something(name: str) -> None:
    def shown(control: ReplayControl) -> str:
        return text_of(control.lines(110, 34, 0.0)) + str(control.playing)

    bar = at(name, 8).lines(200, 60, 0.0)[-1]
    keys = [part.text for part in bar if part.style == "key"]
    quits: list[bool] = []
    for key in keys:
        changed = []
        for pressed in NAMED.get(key, (key,)):
            control = at(name, 8)
            control._quit = quits.append
            before = shown(control)
            control.press(pressed, 0.0)
            changed.append(bool(quits) or shown(control) != before)
        assert any(changed), f"{key} of {keys}"
        quits.clear()
