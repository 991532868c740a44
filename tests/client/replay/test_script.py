"""Records that are damaged, or made to do harm: as far as they go, and then a sentence."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from client.replay.matches import an_evening
from dalmuti.client.replay.cursor import Cursor, Reels
from dalmuti.client.replay.script import NAME_CELLS, Script
from dalmuti.client.replay.telling import tell
from dalmuti.core.match import Began, Moved
from dalmuti.core.options import TableOptions
from dalmuti.core.record import Record, Who, dumps, loads
from dalmuti.protocol.text import safe_text, width

EVENING = dumps(an_evening(4, 2, seed=3).record()).splitlines()


@settings(max_examples=60)
@given(st.data())
def test_a_damaged_record_is_shown_as_far_as_it_goes(data: st.DataObject) -> None:
    """Cut, doubled, exchanged and invented lines; what can be read can be stepped through."""
    lines = list(EVENING)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(4, len(lines) - 1))
        what = data.draw(st.sampled_from(("cut", "double", "swap", "invent")))
        if what == "cut":
            del lines[at:]
        elif what == "double":
            lines.insert(at, lines[data.draw(st.integers(4, len(lines) - 1))])
        elif what == "swap":
            other = data.draw(st.integers(4, len(lines) - 1))
            lines[at], lines[other] = lines[other], lines[at]
        else:
            lines[at] = re.sub("[0-9]+", str(data.draw(st.integers(0, 99))), lines[at], count=1)
        if len(lines) < 5:
            lines = list(EVENING)
    try:
        record = loads("\n".join(lines))
    except ValueError:
        return
    script = Script(record)
    you = data.draw(st.sampled_from((None, *record.players)))
    cursor = Cursor(Reels(script), you=you)
    while not cursor.at_end:
        cursor = cursor.next()
    said = list(tell(record, you))
    assert (said[-1].startswith("Here the record cannot be followed")) == bool(script.problem)


def test_a_record_without_a_line_that_fits_has_one_place() -> None:
    record = loads("\n".join([*EVENING[:4], "move 0 pass"]))
    script = Script(record)
    assert (script.hands, len(script)) == (0, 1)
    assert script.problem.startswith("hand 0, entry 1: ")
    assert Cursor.at_start(script).at_end
    assert Cursor.at_start(Script(replace(record, entries=()))).at_end


def test_a_hand_that_breaks_off_in_the_middle_keeps_what_came_before() -> None:
    record = loads("\n".join(EVENING))
    moves = [at for at, entry in enumerate(record.entries) if isinstance(entry, Moved)]
    broken = replace(record, entries=record.entries[: moves[30]] + record.entries[moves[30] + 1 :])
    script = Script(broken)
    assert script.problem and script.hands == 1
    whole = Script(record).chapter(1)
    kept = script.chapter(1)
    assert kept.over and kept.steps == whole.steps[: len(kept.steps)]
    assert 0 < len(kept.steps) < len(whole.steps)


def test_a_hand_that_begins_within_another_is_no_hand() -> None:
    record = loads("\n".join(EVENING))
    began = [at for at, entry in enumerate(record.entries) if isinstance(entry, Began)]
    twice = (*record.entries[: began[0] + 3], *record.entries[began[0] :])
    script = Script(replace(record, entries=twice))
    assert script.hands == 1 and script.problem
    assert not script.chapter(1).over  # the first of the two has no end


def test_names_are_cleaned_and_cut_and_never_empty() -> None:
    record = loads("\n".join(EVENING))
    names = ("\x1b[31mred", "a" * 4000, "\u202e", "王" * 30)
    players = {n: Who("human", names[(n - 1) % 4]) for n in record.players}
    for info in Script(replace(record, players=players, table="\x1b]0;x\x07")).players.values():
        assert info.name and safe_text(info.name) == info.name
        assert width(info.name) <= NAME_CELLS


def test_a_long_record_is_played_through_once() -> None:
    """Going to its last hand unrolls that hand only."""
    table = an_evening(4, 12, seed=9)
    reels = Reels(Script(table.record()))
    last = Cursor(reels).to_hand(12)
    assert last.moment.table.hand is not None and last.moment.table.hand.number == 12
    assert len(reels._kept) == 1


def test_a_record_of_nothing() -> None:
    empty = Record(table="", options=TableOptions(), players={}, entries=())
    assert list(tell(empty, None)) == ["Table : 8 seats, classic rules."]
