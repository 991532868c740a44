"""The record of a match: text and back, the same events again, and no altered card."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from core.evening import TABLE, Evening, evening, table_options
from dalmuti.core import record
from dalmuti.core import transcript as transcript_module
from dalmuti.core.cards import DECK, Cards
from dalmuti.core.match import Abandoned, Began, Entry, Match
from dalmuti.core.options import TableOptions
from dalmuti.core.record import RecordWriter, dumps, loads, replay, steps, undealt, verify
from dalmuti.core.transcript import sum_of


def eventful(options: TableOptions, seed: int, acts: int = 60) -> Evening:
    """Anything that can happen at a table, by chance."""
    chance = random.Random(seed)
    table = Evening(options, chance)
    for _ in range(chance.randint(2, options.seats)):
        table.sit()
    for _ in range(acts):
        match, act = table.match, chance.random()
        if match.state == "over":
            table.restart()
        elif act < 0.1 and not match.full:
            table.sit()
        elif act < 0.15 and match.players:
            table.leave(chance.choice(match.players))
        elif act < 0.2 and match.leavers:
            match.come_back(chance.choice(sorted(match.leavers)))
        elif match.hand is not None:
            if act > 0.98:
                table.abandon(reveal=chance.random() < 0.5)
            elif act > 0.8:
                table.play_out()
            else:
                table.random_move()
        elif len(match.order) > 1:
            for player in match.order:
                if chance.random() < 0.4:
                    table.add_nonce(player)
            table.deal()
    return table


@settings(deadline=None, max_examples=60)
@given(table_options(), st.integers(0, 2**32))
def test_record_round_trips_replays_and_verifies(options: TableOptions, seed: int) -> None:
    table = eventful(options, seed)
    kept = table.record()
    text = dumps(kept)
    again = loads(text)
    assert again == kept
    assert dumps(again) == text
    assert replay(again) == table.from_match
    verdicts = verify(again)
    assert [v.text for v in verdicts if not v.ok] == []
    assert [v.hand for v in verdicts] == list(range(1, table.match.hands_begun + 1))
    assert {v.hand for v in verdicts if v.proved} == set(table.seeds)


@settings(deadline=None, max_examples=30)
@given(table_options(), st.integers(0, 2**32))
def test_record_can_be_written_hand_by_hand(options: TableOptions, seed: int) -> None:
    """A server appends what is over and forgets it; the parts are the same record as the whole."""
    table = eventful(options, seed)
    log, writer, parts = list(table.match.log), RecordWriter(TABLE, options), []
    so_far: list[Entry] = []
    for entry in log:
        so_far.append(entry)
        if random.Random(seed).random() < 0.3:
            parts.append(writer.take(so_far, table.who, table.seeds))
    parts.append(writer.take(so_far, table.who, table.seeds))
    held_back = tuple(so_far)
    read = loads("".join(parts))
    assert read.flaws == ()
    assert read.entries + held_back == tuple(log)
    assert not any(isinstance(entry, Began) for entry in held_back) or table.match.hand is not None
    assert all(v.ok and "not over" not in v.text for v in verify(read))
    assert read.seeds == table.seeds


def test_a_hand_in_progress_is_held_back_from_the_file() -> None:
    table = evening(4)
    table.deal()
    table.random_move()
    writer = RecordWriter(TABLE, table.options)
    text = writer.take(table.match.log, table.who, table.seeds)
    assert "deal" not in text
    assert "move" not in text
    assert isinstance(table.match.log[0], Began)
    table.play_out()
    text += writer.take(table.match.log, table.who, table.seeds)
    assert table.match.log == []
    assert [v.proved for v in verify(loads(text))] == [True]
    assert writer.take(table.match.log, table.who, table.seeds) == ""


@pytest.fixture(scope="module")
def transcript() -> str:
    """Three hands of five players with taxes, draws, nonces and a leaver."""
    table = evening(5, seed=4, scoring="points")
    for number in range(3):
        table.add_nonce(table.match.order[0])
        table.deal()
        table.random_move()
        if number == 1:
            table.leave(table.match.order[2])
        table.play_out()
    return dumps(table.record())


def test_the_transcript_is_readable(transcript: str) -> None:
    lines = transcript.splitlines()
    assert lines[:2] == ["dalmuti-match 1", f"table {TABLE}"]
    assert lines[2] == "fair yes"
    assert re.fullmatch("sit 4 (human|bot|house) 大卫", lines[7])
    assert lines[9].startswith("titles ")
    assert lines[10].startswith("hand 1 order ")
    assert lines[11].startswith("deal ")
    assert re.fullmatch("sum [0-9a-f]{64}", lines[-1])
    assert re.fullmatch("seed 3 [0-9a-f]{64}", lines[-2])
    assert re.fullmatch("places [1-5](,[1-5]){3}", lines[-3])


CARD = re.compile(r"(?<=[ ,:x])(?:1[0-2]|[1-9]|J)(?=[ ,+\n]|$)")


def cards_in(line: str) -> list[re.Match[str]]:
    """Where the cards of a line are."""
    word, _, _ = line.partition(" ")
    if word in ("deal", "move"):
        return [m for m in CARD.finditer(line) if not (word == "move" and m.start() == 5)]
    if word == "titles":
        return [m for m in CARD.finditer(line) if line[m.start() - 1] == ":"]
    return []


def fails(text: str) -> bool:
    try:
        return not all(verdict.ok for verdict in verify(loads(text)))
    except ValueError:
        return True


def test_any_altered_card_fails(transcript: str) -> None:
    """Every 3rd card of the transcript in turn: dealt, drawn, given or played."""
    lines = transcript.splitlines()
    places = [(n, m) for n, line in enumerate(lines) for m in cards_in(line)]
    words = {lines[n].split()[0] + lines[n][7:10].strip() for n, _ in places}
    assert {"titles", "deal"} <= {word[:4] + word[4:6] for word in words} or len(places) > 300
    assert any("give" in lines[n] for n, _ in places)
    for n, found in places[::3]:
        line = lines[n]
        card = {"J": "12", "12": "11"}.get(found[0], "12")
        altered = [*lines[:n], line[: found.start()] + card + line[found.end() :], *lines[n + 1 :]]
        assert fails("\n".join(altered) + "\n"), (line, found)


def resummed(lines: list[str]) -> str:
    """What a forger does: all sums computed again."""
    writer_sum: list[str] = []
    out = []
    for line in lines:
        if line.startswith("sum "):
            line = f"sum {sum_of(writer_sum)}"
            writer_sum = []
        out.append(line)
        writer_sum.append(line)
    return "\n".join(out) + "\n"


def test_altered_deals_and_draws_fail_even_with_new_sums(transcript: str) -> None:
    lines = transcript.splitlines()
    assert not fails(resummed(lines))
    for n, line in enumerate(lines):
        if not line.startswith(("deal", "titles")):
            continue
        for found in cards_in(line)[::7]:
            card = {"J": "12", "12": "11"}.get(found[0], "12")
            altered = line[: found.start()] + card + line[found.end() :]
            assert fails(resummed([*lines[:n], altered, *lines[n + 1 :]]))


def test_swapped_cards_fail_even_with_new_sums(transcript: str) -> None:
    """Two seats change a card: still 80 cards, but not those of the seed."""
    lines = transcript.splitlines()
    n = next(n for n, line in enumerate(lines) if line.startswith("deal"))
    hands = [part.split(",") for part in lines[n][5:].split(" / ")]
    a = next(c for c in hands[0] if c not in hands[1])
    b = next(c for c in hands[1] if c not in hands[0])
    hands[0][hands[0].index(a)], hands[1][hands[1].index(b)] = b, a
    lines[n] = "deal " + " / ".join(
        ",".join(sorted(hand, key=lambda c: 13 if c == "J" else int(c))) for hand in hands
    )
    verdicts = verify(loads(resummed(lines)))
    assert not verdicts[0].ok
    assert "the cards dealt are not those that the seed leads to" in verdicts[0].reasons


@pytest.mark.parametrize(
    ("pattern", "new", "reason"),
    [
        ("^seed 2 .*\n", "", "it ended, but its seed was not revealed"),
        ("^seed 2 ..", "seed 2 00", "the seed is not the one that the commitment is for"),
        ("^places .*\n", "", "its places are missing"),
        ("^places (.),(.)", r"places \2,\1", "are not those that the moves lead to"),
        ("^titles .*\n", "", "the hand is for the players"),
        ("^move . pass\n", "", "may not move"),
        (" nonces 1:..", " nonces 1:00", "the cards dealt are not those"),
        ("^table .*", "table Kitchen", "the seed is not the one"),
    ],
)
def test_verify_says_what_is_wrong(transcript: str, pattern: str, new: str, reason: str) -> None:
    altered = re.sub(pattern, new, transcript, count=1, flags=re.M)
    if altered == transcript:  # the nonce is somebody else's
        altered = re.sub(r" nonces (.):..", r" nonces \1:00", transcript, count=1)
    found = [r for v in verify(loads(resummed(altered.splitlines()))) for r in v.reasons]
    assert any(reason in each for each in found), found


def test_a_hand_has_one_seed(transcript: str) -> None:
    with pytest.raises(ValueError, match=r"line \d+: expected one seed for hand 1, found"):
        loads(transcript + "seed 1 0000\n")


def test_a_text_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_module, "MAX_TEXT", 100)
    with pytest.raises(ValueError, match="a record has at most 100 characters, found 101"):
        loads("x" * 101)


def test_a_hand_number_that_comes_twice_and_a_seed_without_commitment_are_noted() -> None:
    table = evening(2)
    table.deal()
    table.play_out()
    kept = table.record()
    began = next(entry for entry in kept.entries if isinstance(entry, Began))
    (twice,) = verify(replace(kept, entries=(*kept.entries, began)))
    assert "there are two hands of this number" in twice.reasons
    assert any("expected hand 2, found hand 1" in each for each in twice.reasons) or any(
        "the hand is for the players" in each for each in twice.reasons
    )
    bare = tuple(replace(e, commitment="") if isinstance(e, Began) else e for e in kept.entries)
    (verdict,) = verify(replace(kept, entries=bare))
    assert verdict.reasons == ("a seed is given, but no commitment to it",)
    extra = verify(replace(kept, seeds={**kept.seeds, 7: "00"}))
    assert extra[0].text == (
        "The beginning of the record is NOT true: there is a seed for hand 7, but no such hand."
    )


@pytest.mark.parametrize(
    ("hands", "message"),
    [
        ((DECK[:40], (*DECK[40:79], 1)), "not the 80 cards of the deck"),
        ((DECK[:39], DECK[39:]), "seat 0 has 39 cards, not 40"),
    ],
)
def test_hands_that_no_deck_deals_are_refused(hands: tuple[Cards, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        undealt(hands)


def test_a_flaw_is_named_with_its_line(transcript: str) -> None:
    lines = transcript.splitlines()
    lines[5] += "!"
    kept = loads("\n".join(lines))
    assert [flaw.hand for flaw in kept.flaws] == [1]
    assert re.match(r"line \d+: the sum does not fit the lines before it", kept.flaws[0].text)
    assert "Hand 1 is NOT true: line" in verify(kept)[0].text
    cut = loads("\n".join(transcript.splitlines()[:20]))
    assert [flaw.text for flaw in cut.flaws] == ["the last lines have no sum"]


def test_windows_line_ends_and_a_byte_order_mark_do_no_harm(transcript: str) -> None:
    assert loads("\ufeff" + transcript.replace("\n", "\r\n")) == loads(transcript)


def test_unproved_hands_are_said_to_be_unproved() -> None:
    table = evening(4)
    table.deal()
    table.abandon()
    table.deal()
    table.random_move()
    abandoned, running = verify(table.record())
    assert abandoned.ok and not abandoned.proved
    assert abandoned.text == (
        "Hand 1 is unproved: it was abandoned and its seed not revealed, so its deal is unproved."
    )
    assert running.ok and not running.proved
    assert "it is not over" in running.text


def test_steps_shows_the_match_in_between() -> None:
    table = evening(4)
    table.deal()
    table.play_out()
    match = Match(table.options)
    states = [match.state for _ in steps(table.record(), match)]
    assert states[:4] == ["waiting"] * 4
    assert "hand" in states
    assert states[-1] == "between"
    assert match.order == table.match.order


def test_replay_names_the_entry_that_the_rules_refuse() -> None:
    table = evening(4)
    table.deal()
    table.random_move()
    kept = table.record()
    twice = replace(kept, entries=(*kept.entries, kept.entries[-1]))
    with pytest.raises(ValueError, match=r"hand 1, entry 8: seat \d may not move 'decline': it is"):
        replay(twice)
    short = replace(kept, entries=(*kept.entries, Abandoned(), Abandoned()))
    with pytest.raises(ValueError, match="hand 1, entry 9: no hand is being played"):
        replay(short)


@pytest.mark.parametrize(
    ("line", "text", "expected"),
    [
        (1, "dalmuti-match 2", "expected 'dalmuti-match 1' as the first line"),
        (2, "tabel Kitchen", "expected 'table NAME', found 'tabel Kitchen'"),
        (3, "fair perhaps", "expected 'fair yes' or 'fair no'"),
        (4, "rules seats=99", "seats: expected 2 to 10, found 99"),
        (4, "rules colour=red", "unknown option 'colour'"),
        (4, "rules", "unknown option ''"),
        (5, "sit 0 human Ada", "expected 'sit PLAYER KIND NAME'"),
        (5, "sit 1 cat Ada", "with the kind human, bot or house"),
        (5, "sit 1 human A\u2028da", "a name without control characters"),
        (5, "sit 1 human \udc80", "a name without control characters"),
        (5, "sit 99999999999999999999 human Ada", "expected 'sit PLAYER KIND NAME'"),
        (5, "leave ٣", "expected 'leave PLAYER'"),
        (5, "dance", "a line that begins with sit, leave"),
        (5, "abandon 3", "a line that begins with sit, leave"),
        (5, "titles 1,2 draws 1:14,2:3", "expected 'titles PLAYER"),
        (5, "hand 1 order 1,2 commitment xx nonces -", "expected 'hand NUMBER order"),
        (5, "move 12 pass", "expected 'move SEAT MOVE'"),
        (5, "move 1 3y9", "expected a set such as 3x9"),
        (5, "move 1 give 1,2,x", "expected ranks such as 9,12"),
        (6, "sit 1 human Bea", "expected player 1 to be the same as before"),
        (5, "titles 1,2 draws 1:2,3", "expected 'titles PLAYER"),
        (5, "places 1;2", "expected 'places PLAYER,PLAYER,...'"),
        (12, "deal 1,2 / 3", "expected cards for 5 seats"),
        (12, "deal 1,2,14", "expected 'deal CARD,CARD,... / ...' after the line of the hand"),
        (5, "seed 1 abc", "expected 'seed HAND HEX'"),
        (5, "", "expected a line of 1 to 4096 characters"),
        (5, "sit 1 human " + "a" * 5000, "expected a line of 1 to 4096 characters"),
    ],
)
def test_loads_says_line_expected_and_found(
    transcript: str, line: int, text: str, expected: str
) -> None:
    lines = transcript.splitlines()
    lines[line - 1] = text
    with pytest.raises(ValueError) as error:
        loads("\n".join(lines))
    assert str(error.value).startswith(f"line {line}: ")
    assert expected in str(error.value)
    assert len(str(error.value)) < 400


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_loads_and_verify_never_fail_otherwise(transcript: str, data: st.DataObject) -> None:
    """Cut, doubled, exchanged and invented lines: an answer or a ValueError, nothing else."""
    lines = transcript.splitlines()
    for _ in range(data.draw(st.integers(1, 3))):
        n = data.draw(st.integers(0, len(lines) - 1))
        what = data.draw(st.sampled_from(("cut", "double", "swap", "invent", "text")))
        if what == "cut":
            del lines[n]
        elif what == "double":
            lines.insert(n, lines[data.draw(st.integers(0, len(lines) - 1))])
        elif what == "swap":
            other = data.draw(st.integers(0, len(lines) - 1))
            lines[n], lines[other] = lines[other], lines[n]
        elif what == "invent":
            lines[n] = re.sub("[0-9]+", str(data.draw(st.integers(0, 99))), lines[n], count=1)
        else:
            lines[n] = lines[n][: data.draw(st.integers(0, 60))] + data.draw(st.text(max_size=9))
    try:
        kept = loads(resummed(lines) if data.draw(st.booleans()) else "\n".join(lines))
    except ValueError as error:
        assert re.match(r"line \d+: ", str(error))
        return
    assert all(isinstance(verdict.text, str) for verdict in verify(kept))


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=40))
@example("  two  spaces  ")
@example("sum 12")
@example("")
def test_any_name_that_fits_in_a_line_comes_back(name: str) -> None:
    table = evening(2)
    table.who[1] = ("human", name)
    kept = table.record()
    try:
        text = dumps(kept)
    except ValueError as error:
        assert "no control characters" in str(error)
        return
    assert loads(text) == kept


def test_a_fixed_table_without_commitments_is_unproved_but_true() -> None:
    table = evening(3, first_titles="order_of_arrival")
    table.deal()
    table.play_out()
    kept = table.record()
    bare = tuple(replace(e, commitment="") if isinstance(e, Began) else e for e in kept.entries)
    unfair = replace(kept, fair=False, seeds={}, entries=bare)
    assert [(v.ok, v.proved) for v in verify(loads(dumps(unfair)))] == [(True, False)]
    assert [(v.ok, v.proved) for v in verify(replace(unfair, fair=True))] == [(False, False)]


def test_the_module_names_what_it_offers() -> None:
    assert all(hasattr(record, name) for name in record.__all__)
