"""A saved match, told as one player saw it, or with all cards open."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from msgspec import structs

from dalmuti.client import replay, words
from dalmuti.client.replay import RecordError
from dalmuti.core.cards import DECK
from dalmuti.core.match import Match
from dalmuti.core.options import TableOptions
from dalmuti.core.record import Record, Who, dumps, loads, record_of


def a_match(seed: int = 1, players: int = 4) -> Record:
    """One hand by chance; Cem leaves in the middle of it."""
    chance = random.Random(seed)
    match = Match(TableOptions(seats=players))
    for number in range(1, players + 1):
        match.sit(number)
    match.find_titles(chance.sample(DECK, len(DECK)))
    match.start(chance.sample(DECK, len(DECK)))
    moves = 0
    while match.hand is not None:
        seat = chance.choice(match.hand.to_act)
        match.apply(seat, chance.choice(match.hand.legal(seat)))
        moves += 1
        if moves == 20:
            match.leave(3)
    names = ("Ada", "Bea", "Cem", "Dan", "Eve")
    return record_of(
        match,
        table="Kitchen",
        players={n: Who("human", names[n - 1]) for n in range(1, players + 1)},
        seeds={},
        fair=False,
    )


def test_all_cards_are_open_without_a_player() -> None:
    lines = list(replay.tell(a_match(), None))
    dealt = [line for line in lines if "is dealt" in line]
    assert len(dealt) == 4 and all("20 cards" in line for line in dealt)
    assert lines[0] == "Table Kitchen: 4 seats, classic rules."
    assert sum(" pays " in line and "cards and gets" not in line for line in lines) == 2
    assert "Hand 1 is over." in lines
    assert "Cem has left; the stand-in plays to the end of the hand." in lines


def test_I48_a_player_sees_what_he_saw() -> None:
    record = a_match()
    for text in ("2", "Bea", "bea"):
        assert replay.player_of(record, text) == 2
    lines = list(replay.tell(record, 2))
    assert sum("You are dealt 20 cards" in line for line in lines) == 1
    assert not any("is dealt" in line for line in lines)
    with pytest.raises(RecordError, match="expected a player of this match"):
        replay.player_of(record, "Zoe")


def test_a_file_and_its_verdict(tmp_path: Path) -> None:
    file = tmp_path / "match.txt"
    file.write_text(dumps(a_match()))
    lines, true = replay.verdicts(replay.read(file))
    unproved = "Hand 1 is unproved: without a seed its deal is unproved."
    assert true and lines == [words.not_fair(), unproved]
    assert lines[0].startswith("This table was not fair: its deals were known beforehand")
    fair = structs.replace(replay.read(file), fair=True)
    lines, true = replay.verdicts(fair)
    assert not true and len(lines) == 1 and lines[0].startswith("Hand 1 is NOT true: ")


@pytest.mark.parametrize("content", ["", "hello\n", "dalmuti-match 1\n", "\x00\xff"])
def test_what_is_no_record_is_refused(content: str, tmp_path: Path) -> None:
    file = tmp_path / "match.txt"
    file.write_text(content, encoding="latin-1")
    with pytest.raises(RecordError, match=r"match\.txt"):
        replay.read(file)


def test_a_record_that_stops_making_sense_is_told_as_far_as_it_goes() -> None:
    text = dumps(a_match()).splitlines()
    moves = [number for number, line in enumerate(text) if line.startswith("move ")]
    del text[moves[30]]
    lines = list(replay.tell(loads("\n".join(text) + "\n"), None))
    assert "Hand 1 begins." in lines
    assert lines[-1].startswith("Here the record cannot be followed any more:")
