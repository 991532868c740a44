"""What a history comes to, by figures that can be counted by hand; and the page made of them."""

from __future__ import annotations

import gettext
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.history.hands import a_hand
from dalmuti.client import i18n
from dalmuti.client.cli import main
from dalmuti.client.history import store
from dalmuti.client.history.store import Hand, History
from dalmuti.client.history.summary import summary, values
from dalmuti.client.words.stats import page
from dalmuti.core.titles import Title
from dalmuti.protocol.text import width

HANDS = (
    a_hand(at="2026-11-01T20:00:00Z", hand=1, place=1),
    a_hand(at="2026-11-01T20:10:00Z", hand=2, place=1),
    a_hand(at="2026-11-01T20:20:00Z", hand=3, place=4),
    a_hand(at="2026-11-02T20:00:00Z", match="m2", seats=8, bots=4, people=3, place=1),
    a_hand(at="2026-11-02T20:30:00Z", match="m2", seats=8, bots=0, people=7, place=5),
    a_hand(at="2026-11-02T20:40:00Z", match="m2", seats=8, place=2, standin=True),
)


@st.composite
def any_hand(draw: st.DrawFn) -> Hand:
    seats = draw(st.integers(2, 10))
    people = draw(st.integers(0, seats - 1))
    return a_hand(
        at=f"2026-{draw(st.integers(1, 12)):02}-11T00:00:00Z",
        match=draw(st.text(max_size=3)),
        table=draw(st.text(max_size=30)),
        hand=draw(st.integers(1, 10**9)),
        seats=seats,
        place=draw(st.integers(1, seats)),
        people=people,
        bots=seats - 1 - people,
        standin=draw(st.booleans()),
    )


def test_figures() -> None:
    found = summary(History(HANDS, damaged=2), 1)
    assert (found.hands, found.matches, found.standin, found.damaged) == (5, 2, 1, 2)
    assert found.all is not None
    assert found.all.mean_place == pytest.approx((1 + 1 + 4 + 1 + 5) / 5)
    assert found.all.points == 3 + 3 + 0 + 7 + 3
    assert found.all.standing == pytest.approx((1 + 1 + 0 + 1 + 3 / 7) / 5)
    assert (found.all.first, found.all.last) == (3, 1)
    assert found.titles == {
        "greater_dalmuti": 3,
        "lesser_dalmuti": 0,
        "merchant": 1,
        "lesser_peon": 0,
        "greater_peon": 1,
    }
    assert {seats: group.hands for seats, group in found.by_seats.items()} == {"4": 3, "8": 2}
    assert {who: group.hands for who, group in found.against.items()} == {
        "bots": 3,
        "both": 1,
        "people": 1,
    }
    assert found.longest["greater_dalmuti"] == 2 and found.longest["lesser_peon"] == 0
    assert found.now is not None and (found.now.title, found.now.hands) == ("merchant", 1)
    assert [row.at for row in found.recent] == ["2026-11-02T20:30:00Z"]
    assert found.recent[0].played.hands == 2


@given(st.lists(any_hand(), max_size=30), st.integers(0, 5))
def test_whatever_was_played_adds_up_and_fits(hands: list[Hand], recent: int) -> None:
    found = summary(History(tuple(sorted(hands, key=lambda hand: hand.at))), recent)
    assert sum(found.titles.values()) == found.hands == len(hands) - found.standin
    for groups in (found.by_seats, found.against):
        assert sum(group.hands for group in groups.values()) == found.hands
    assert sum(row.played.hands for row in summary(History(tuple(hands)), 99).recent) == found.hands
    assert len(found.recent) == min(recent, found.matches)
    if found.all is not None:
        assert 0 <= found.all.standing <= 1
        assert max(found.longest.values()) >= 1
    assert json.loads(json.dumps(values(found)))["hands"] == found.hands
    for bar in ("█", "#", ""):
        for line in page(found, "history.jsonl", bar):
            assert width(line) <= 80 and line.isprintable()


def test_the_page() -> None:
    lines = page(summary(History(HANDS, damaged=1, newer=2), 5), "/data/history.jsonl", "#")
    assert lines[0] == "You have played 5 hands in 2 matches, from 2026-11-01 to 2026-11-02."
    chart = {line.split("  ")[1]: line for line in lines[3:8]}
    assert set(chart) == {
        "Greater Dalmuti",
        "Lesser Dalmuti",
        "Merchant",
        "Lesser Peon",
        "Greater Peon",
    }
    assert chart["Greater Dalmuti"].count("#") == 3 * chart["Merchant"].count("#")
    assert chart["Greater Dalmuti"].split()[2:5] == ["3", "60", "%"]
    assert "#" not in chart["Lesser Peon"]
    assert "Most in a row: Greater Dalmuti 2, Greater Peon 1. Now Merchant: 1 hand." in lines
    rows = {tuple(line.split())[:2]: line.split() for line in lines}
    assert rows["4", "players"][2:] == ["3", "2.00", "6", "2.00", "67", "%", "2", "1"]
    assert rows["2026-11-02", "20:30"][2:] == ["Kitchen", "8", "2", "3.00", "10", "71", "%"]
    assert lines[-4:] == [
        "1 hand that the stand-in finished for you is not counted.",
        "1 line of the history is damaged and was left out.",
        "2 lines were written by a newer version and left out.",
        "Kept in /data/history.jsonl; it is sent nowhere.",
    ]


class Longer(gettext.NullTranslations):
    """Words that are half as long again, and not in our letters."""

    def gettext(self, message: str) -> str:
        return message + "ü" * (len(message) // 2)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


def test_longer_words_fit() -> None:
    try:
        i18n.use_catalogue(Longer())
        lines = page(summary(History(HANDS, damaged=1, newer=2), 5), "x", "█")
    finally:
        i18n.use("en")
    assert any("ü" in line for line in lines)
    assert all(width(line) <= 80 for line in lines), lines


# -- the command ------------------------------------------------------------------------------


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


def test_the_command(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats"]) == 0
    assert "No hand is in your history yet" in capsys.readouterr().out
    for hand in HANDS:
        store.append(hand, store.path())
    assert main(["stats", "--last", "1"]) == 0
    said = capsys.readouterr().out
    assert "You have played 5 hands" in said and said.count("Kitchen") == 1
    assert main(["stats", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["titles"]["greater_dalmuti"] == 3 and set(found["titles"]) == set(Title)
    assert main(["stats", "--plain"]) == 0
    assert not {"█", "#"} & set(capsys.readouterr().out)
    assert main(["stats", "--ascii"]) == 0
    assert capsys.readouterr().out.isascii()
    assert main(["stats", "--forget"]) == 0
    assert main(["stats", "--forget"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Your history is deleted.",
        "There was no history to delete.",
    ]


def test_a_history_that_cannot_be_read_is_a_sentence(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store.path().mkdir(parents=True)
    assert main(["stats"]) == 2
    assert "cannot be read: " in capsys.readouterr().err
    assert main(["stats", "--forget"]) == 2
    assert "cannot be deleted: " in capsys.readouterr().err


def test_it_is_said_when_nothing_more_is_kept(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = home / "config" / "dalmuti" / "settings.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("history = false\n")
    assert main(["stats"]) == 0
    assert "the setting history is off" in capsys.readouterr().out
