"""Stepping by typed lines, as in plain and line mode."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from client.replay.matches import an_evening
from dalmuti.client.replay.cursor import Cursor
from dalmuti.client.replay.script import Script
from dalmuti.client.replay.talk import COMMANDS, ReplayTalk
from dalmuti.client.replay.telling import tell
from dalmuti.core.record import Record

RECORD = an_evening(4, 2, seed=3).record()


def talk(record: Record = RECORD, you: int | None = None) -> ReplayTalk:
    return ReplayTalk(Cursor.at_start(Script(record), you), record)


def test_going_through_all_of_it_says_what_the_telling_says() -> None:
    for you in (None, 1):
        speaker = talk(you=you)
        speaker.cursor = speaker.cursor.to_hand(0)
        heard: list[str] = []
        while not speaker.cursor.at_end:
            heard += speaker.read("").lines
        assert heard == list(tell(RECORD, you))[1:]
        assert speaker.read("next").lines == ("The record ends here.",)


def test_play_tells_a_hand_to_its_end() -> None:
    speaker = talk()
    first = speaker.read("play").lines
    assert "Hand 1 is over." in first and "Hand 2 begins." not in first
    second = speaker.read("play").lines
    assert second[0] == "Hand 2 begins." and "Hand 2 is over." in second
    assert speaker.read("play").lines == ("The record ends here.",)


def test_jumps_say_where_they_lead() -> None:
    speaker = talk()
    assert speaker.read("trick 3").lines[0].endswith("trick 3.")
    assert speaker.cursor.trick == 3
    assert speaker.read("trick").lines[0].endswith("trick 4.")
    assert speaker.read("back trick").lines[0].endswith("trick 3.")
    assert speaker.read("move 2").lines[0].startswith("Hand 1 of 2, move 2 of ")
    assert speaker.read("hand 2").lines[0].startswith("Hand 2 of 2, move 1 of ")
    assert speaker.read("back hand").lines[0].startswith("Hand 1 of 2, move 1 of ")
    assert len(speaker.read("next 3").lines) >= 3 and speaker.cursor.step == 4
    assert speaker.read("back 2").lines[0].startswith("Hand 1 of 2, move 2 of ")
    assert speaker.read("where").lines[1] == "All cards are open."
    speaker.read("back 1000")
    assert speaker.read("back").lines == ("The record begins here.",)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("hand 9", "There is no hand 9 here: this record has 2 hands."),
        ("trick 99", "There is no trick 99 here: this hand has"),
        ("trick x", "trick: expected a number, found 'x'."),
        ("next x", "next: expected a number, found 'x'."),
        ("move", "move: expected a number, found ''."),
        ("dance", "'dance' is no command here; help lists them."),
        ("as Zoe", "expected a player of this match"),
        ("hand ٣", "hand: expected a number"),
    ],
)
def test_what_cannot_be_done_is_said(line: str, says: str) -> None:
    assert talk().read(line).lines[0].startswith(says)


def test_cards_are_those_of_the_eyes() -> None:
    speaker = talk()
    assert len(speaker.read("cards").lines) == 4
    name = RECORD.players[2].name
    said = speaker.read(f"as {name.lower()}").lines
    assert said[0] == f"Told as {name} saw it." and said[1].startswith("You hold ")
    assert speaker.read("hand").lines[0].startswith("You hold ")
    assert len(speaker.read("table").lines) == 6
    assert speaker.read("all").lines == ("All cards are open.",)
    speaker.read("hand 1")
    assert speaker.read("score").lines and speaker.read("who").lines and speaker.read("log").lines
    speaker.cursor = speaker.cursor.to_end()
    assert speaker.read("cards").lines == ("No cards are held here.",)


def test_a_hand_without_an_end_is_hidden_from_all_commands() -> None:
    table = an_evening(4, 1, seed=3)
    table.deal()
    for _ in range(12):
        table.random_move()
    speaker = talk(table.record())
    for line in ("hand 2", "as 1", "cards", "next 50", "cards", "as 2", "hand", "where", "table"):
        said = " ".join(speaker.read(line).lines)
        assert "You hold" not in said.replace("You hold no cards", "") and " holds " not in said
    assert "its cards stay hidden" in " ".join(speaker.read("where").lines)


def test_the_end() -> None:
    assert talk().read("quit").end and talk().read("q").end and not talk().read("").end
    assert all(talk().read(command).lines for command in COMMANDS if command not in ("quit",))


@settings(max_examples=40)
@given(st.lists(st.one_of(st.text(max_size=12), st.sampled_from(COMMANDS)), max_size=20))
def test_anything_may_be_typed(lines: list[str]) -> None:
    speaker = talk()
    for line in lines:
        assert all(isinstance(said, str) for said in speaker.read(line).lines)
