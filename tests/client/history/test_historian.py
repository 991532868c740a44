"""What is written of a session: one line for each hand of ours, whatever else happens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from client.tui.tables import Stage
from dalmuti.client.history import store
from dalmuti.client.history.historian import Historian
from dalmuti.client.history.store import Hand
from dalmuti.client.model import LinkChanged
from dalmuti.core import events as ev
from dalmuti.core.options import TableOptions
from dalmuti.protocol.messages import ServerMessage, Snapshot, Unseated


class Heard(Stage):
    """A stage that a historian listens to."""

    def __init__(self, historian: Historian, seats: int = 4, **more: Any) -> None:
        self.historian = historian
        super().__init__(seats, **more)

    def tell(self, message: ServerMessage | LinkChanged) -> None:
        super().tell(message)
        self.historian.hear(message)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "history.jsonl"


def historian(file: Path) -> Historian:
    return Historian("join", file, now=lambda: 1_795_000_000.0)


def hands(file: Path) -> list[Hand]:
    return list(store.read(file).hands)


def test_every_hand_with_its_place_and_company(file: Path) -> None:
    options = TableOptions(seats=7, scoring="points")
    stage = Heard(historian(file), 7, options=options)
    for number in (1, 2):
        stage.deal()
        seat = stage.your_seat
        stage.finish()
        assert stage.match.result is not None and seat is not None
        places = [line.player for line in stage.match.result.places]
        hand = hands(file)[-1]
        assert hand == Hand(
            at="2026-11-18T11:06:40Z",
            match=hand.match,
            how="join",
            table="Kitchen",
            hand=number,
            seats=7,
            was=seat + 1,
            place=places.index(1) + 1,
            people=3,
            bots=3,
            points=7 - 1 - places.index(1),
        )
    first, second = hands(file)
    assert first.match == second.match


def test_whoever_watches_has_no_history(file: Path) -> None:
    Heard(historian(file), you=None).deal().finish()
    assert not file.exists()


def test_who_waits_for_the_next_hand_has_none_of_this_one(file: Path) -> None:
    stage = Heard(historian(file), 4, options=TableOptions(seats=5)).deal()
    stage.infos[9] = ev.PlayerInfo(player=9, name="Zoe")
    stage.match.sit(9)
    stage.you = 9
    stage.snapshot()
    stage.finish()
    assert not file.exists()


def test_a_hand_that_was_given_up_is_none(file: Path) -> None:
    stage = Heard(historian(file)).deal()
    stage.emit(stage.match.abandon())
    assert not file.exists()
    stage.deal().finish()
    assert [hand.hand for hand in hands(file)] == [2]


def test_a_hand_that_the_stand_in_finished_is_marked(file: Path) -> None:
    stage = Heard(historian(file)).deal()
    stage.match.leave(1)
    stage.finish()
    assert [hand.standin for hand in hands(file)] == [True]


def test_a_reconnection_is_the_same_match_and_another_table_is_not(file: Path) -> None:
    listener = historian(file)
    stage = Heard(listener).deal()
    stage.tell(LinkChanged("lost"))
    stage.snapshot()
    stage.finish()
    stage.snapshot()
    stage.deal().finish()
    other = Heard(listener, table="Garage").deal()
    other.finish()
    other.tell(Unseated(table="Garage", reason="left"))
    again = Heard(listener, table="Garage").deal()
    again.finish()
    found = hands(file)
    assert [hand.hand for hand in found] == [1, 2, 1, 1]
    assert found[0].match == found[1].match
    assert len({hand.match for hand in found}) == 3


def test_a_new_match_at_the_same_table_is_another(file: Path) -> None:
    stage = Heard(historian(file), options=TableOptions(seats=4, match_end="hands:1"))
    stage.deal().finish()
    stage.emit(stage.match.restart())
    stage.deal().finish()
    first, second = hands(file)
    assert first.match != second.match


def test_a_result_before_any_table_is_nobodys(file: Path) -> None:
    listener = historian(file)
    stage = Stage(4).deal().finish()
    assert stage.match.result is not None and stage.model.table is not None
    listener.hear(Snapshot(seq=9, table=stage.model.table))
    assert not file.exists()


def test_what_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    listener = Historian("play", tmp_path / "file" / "history.jsonl")
    stage = Heard(listener).deal()
    stage.finish()
    assert listener.problem
    assert stage.match.hand is None
