"""What is exported from a record: the very views that players had, and nobody else's cards."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from core.evening import Evening, evening
from dalmuti.client import cli
from dalmuti.client.export import Sample, line, samples
from dalmuti.client.fold import fold
from dalmuti.core.hand import Phase
from dalmuti.core.match import Moved
from dalmuti.core.moves import Call, Decline, Give, Move
from dalmuti.core.record import dumps, loads
from dalmuti.core.views import TableView


class Memory:
    """What each player knows, folded from nothing but what he was told."""

    def __init__(self, table: Evening) -> None:
        self.table = table
        self.views: dict[int, TableView] = {}
        self.heard: dict[int, int] = {}

    def of(self, player: int) -> TableView:
        table = self.table
        view = self.views.get(player, table.view(player))
        for event in table.seen(player, self.heard.get(player, len(table.said))):
            view = fold(view, event)
        self.views[player], self.heard[player] = view, len(table.said)
        return view


def plain(view: TableView) -> TableView:
    """Without whose turn it is and who is here, which no `Evening` tells."""
    assert view.hand is not None
    return replace(view, players=(), hand=replace(view.hand, turn=None))


Known = tuple[int, TableView, tuple[Move, ...], Move]


def played(table: Evening, hands: int) -> list[Known]:
    """Plays, and returns what each player knew and chose where he himself had a choice."""
    memory, known = Memory(table), list[Known]()
    for player in table.who:
        memory.of(player)
    for _ in range(hands):
        table.deal()
        while table.match.hand is not None:
            hand, log = table.match.hand, table.match.log
            views = {seat: memory.of(table.match.order[seat]) for seat in hand.to_act}
            choices = {seat: tuple(hand.legal(seat)) for seat in hand.to_act}
            order, before = list(table.match.order), len(log)
            table.random_move()
            moved = log[before]
            assert isinstance(moved, Moved)
            if moved.by == "player" and len(choices[moved.seat]) > 1:
                known.append(
                    (
                        order[moved.seat],
                        plain(views[moved.seat]),
                        choices[moved.seat],
                        moved.move,
                    )
                )
    return known


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("passing", ["open", "locked"])
def test_I1_each_view_is_what_its_player_was_told_and_no_more(seed: int, passing: str) -> None:
    """Revolutions and taxes too. What is told to others is not in the fold, so cannot be here."""
    table = evening(3 + seed, seed=seed, passing=passing, scoring="points")
    known = played(table, 4)
    record = loads(dumps(table.record()))
    found = [(s.player, plain(s.view), s.choices, s.choice) for s in samples(record)]
    assert found == known
    for player in table.who:
        own = [s for s in samples(record, player)]
        assert [(s.view.you, s.choice) for s in own] == [
            (p, c) for p, _, _, c in known if p == player
        ]


def test_a_revolution_is_a_choice_of_whoever_could_call() -> None:
    called = 0
    for seed in range(12):
        table = evening(5, seed=seed)
        played(table, 3)
        for sample in samples(table.record()):
            if sample.kind == "revolution":
                assert sample.view.hand is not None and sample.view.hand.dealt is not None
                assert sample.view.hand.dealt.count(13) == 2
                assert sample.view.hand.turn is not None
                assert sample.view.hand.turn.seats == (0, 1, 2, 3, 4)
                assert isinstance(sample.choice, Call | Decline)
                called += 1
    assert called > 5


def test_points_are_those_of_the_hand() -> None:
    table = evening(5, seed=5, scoring="points")
    played(table, 1)
    assert table.match.result is not None
    places = {each.player: n for n, each in enumerate(table.match.result.places, start=1)}
    found = list(samples(table.record()))
    assert {(s.player, s.place, s.points) for s in found} == {
        (player, place, 5 - place) for player, place in places.items()
    }


def test_turns_are_counted_as_a_server_counts_them() -> None:
    """One question for the window, one for the taxes, and one for each turn, forced or not."""
    table = evening(4, seed=2)
    known = played(table, 3)
    questions: list[tuple[str, int]] = []
    number, last = 0, ""
    for entry in table.match.log:
        if isinstance(entry, Moved):
            kind = {Call: "revolution", Decline: "revolution", Give: "tax"}.get(
                type(entry.move), ""
            )
            number += not kind or kind != last
            last = kind
            questions.append((str(entry.move), number))
        else:
            last = ""
    found = []
    for sample in samples(table.record()):
        assert sample.view.hand is not None and sample.view.hand.turn is not None
        assert sample.view.hand.turn.kind == sample.kind
        found.append((str(sample.choice), sample.view.hand.turn.decision))
    assert len(found) == len(known) and found[-1][1] > 100
    assert set(found) <= set(questions)


def test_who_left_is_shown_as_gone_until_the_next_hand() -> None:
    table = evening(4, seed=8)
    table.deal()
    while table.hand.phase is not Phase.TRICKS:
        table.random_move()
    table.leave(2)
    table.play_out()
    table.deal()
    table.play_out()
    last = {s.hand: {i.player: i.presence for i in s.view.players} for s in samples(table.record())}
    assert last[1][2] == "left" and 2 not in last[2]


def test_what_the_clock_or_a_standin_did_is_no_decision_and_a_hand_without_end_has_none() -> None:
    table = evening(4, seed=1)
    table.deal()
    while table.match.hand is not None:
        seat = table.hand.to_act[0]
        table.move(seat, table.hand.legal(seat)[0], "standin" if seat % 2 else "clock")
    table.deal()
    for _ in range(40):
        seat = table.hand.to_act[0]
        table.move(seat, table.hand.legal(seat)[-1])
    assert list(samples(table.record())) == []
    table.abandon()
    assert list(samples(table.record())) == []


def test_the_command_writes_lines_that_load(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tables = [evening(4, seed=1), evening(5, seed=2)]
    files = [tmp_path / "1.txt", tmp_path / "2.txt"]
    for table, file in zip(tables, files, strict=True):
        played(table, 1)
        file.write_text(dumps(table.record()), encoding="utf-8")
    assert cli.main(["export", *map(str, files), "--as", "ada"]) == 0
    out = capsys.readouterr().out
    assert out.isascii()
    wanted = [s for table in tables for s in samples(table.record(), 1)]
    assert [msgspec.json.decode(each, type=Sample) for each in out.splitlines()] == wanted
    first = json.loads(line(wanted[0]))
    assert first["choice"] in first["choices"] and first["view"]["you"] == first["player"] == 1


def test_a_file_that_cannot_be_followed_is_told_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = evening(4, seed=1)
    played(table, 2)
    text = dumps(table.record())
    file = tmp_path / "match.txt"
    file.write_text(text.replace("\nplaces ", "\nmove 0 14x12\nplaces ", 1), encoding="utf-8")
    assert cli.main(["export", str(file)]) == 2
    assert "cannot be followed any more: hand 1, entry" in capsys.readouterr().err
    for wrong, sentence in (
        ([str(file), "--as", "Zoe"], "expected a player of this match"),
        ([str(tmp_path / "none.txt")], "there is no file"),
    ):
        assert cli.main(["export", *wrong]) == 2
        assert sentence in capsys.readouterr().err
