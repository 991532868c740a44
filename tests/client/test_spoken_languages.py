"""An evening in plain mode in every language: no line of it is still in English."""

from __future__ import annotations

import re
from typing import Any

import pytest

from client.history.test_summary import HANDS
from client.languages import speaking
from client.replay.test_telling import a_match
from client.tui.tables import NAMES, Stage
from dalmuti.client import i18n, words
from dalmuti.client.history.store import History
from dalmuti.client.history.summary import summary
from dalmuti.client.model import DealChecked, LinkChanged
from dalmuti.client.replay.telling import tell, verdicts
from dalmuti.client.talk import Talk
from dalmuti.client.typed import (
    ANSWERS,
    COMMANDS,
    REPLAY,
    commands,
    in_english,
    replay_in_english,
)
from dalmuti.client.words import replaying
from dalmuti.client.words.stats import page
from dalmuti.core import events as ev
from dalmuti.core.events import PlayerInfo
from dalmuti.core.moves import PASS, Call
from dalmuti.core.options import TableOptions
from dalmuti.protocol.errors import ByeReason, ErrorCode
from dalmuti.protocol.messages import (
    Bye,
    Draining,
    Error,
    Lobby,
    Notice,
    ServerMessage,
    TableInfo,
    Unseated,
)
from dalmuti.protocol.text import width

OTHERS = [language for language in i18n.LANGUAGES if language != "en"]
NOTATION = re.compile(r"\d+\. [\dxJ+]+")
"""A set among the choices, which is written alike everywhere."""
ASKED = (
    *("hand", "table", "score", "who", "time", "log", "rules", "help", "tables", "lang", "say"),
    *("kick", "host nobody", "join", "open", "nonsense here", "9x1", "give 1", "call", "7x7x7"),
)
SAID = "Good luck; beware"
"""In the chat, and by whoever runs the server."""


class Evening(Stage):
    """A table, and the conversation of one who sits at it."""

    def __init__(self, seats: int, **more: Any) -> None:
        self.talk = Talk()
        self.lines: list[str] = []
        super().__init__(seats, **more)

    def tell(self, message: ServerMessage | LinkChanged) -> None:
        super().tell(message)
        self.lines += self.talk.hear(message, self.now)

    def ask_all(self) -> None:
        for text in ASKED:
            self.lines += self.talk.read(text, self.now).lines


def evening() -> list[str]:
    """All that can be heard at one table, more or less."""
    options = TableOptions(
        seats=6, scoring="points", match_end="hands:2", passing="locked", turn_seconds=30
    )
    stage = Evening(5, seed=4, options=options)
    stage.ask_all()
    stage.chat(2, SAID)
    stage.deal(jesters_to=3)
    stage.ask_all()
    stage.move(stage.match.order.index(3), Call())
    while stage.match.hand is not None:
        stage.step()
        if len(stage.lines) % 11 == 0:
            stage.ask_all()
    stage.emit([ev.WatchersChanged(("Nina",)), ev.HostChanged(2), ev.HostChanged(1)])
    stage.emit([ev.WatchersChanged(())])
    late = PlayerInfo(player=6, name="Ivy", kind="bot")
    stage.infos[6] = late
    stage.emit([ev.PlayerJoined(late)])
    flaw = "the seed is not the one that the server was bound to"
    stage.lines += stage.talk.hear(DealChecked(1, (flaw,)), stage.now)
    stage.deal()
    for presence in ("lost", "standin", "away", "here", "left"):
        for player in (2, 1):
            stage.emit([ev.PresenceChanged(player, presence, 9000)])
    stage.emit([ev.PresenceChanged(1, "here")])
    stage.ask_all()
    stage.finish()
    stage.ask_all()
    for code in ErrorCode:
        if code.value in ("refused", "bad_name", "bad_options", "strict"):
            continue  # the server's own words, which are known by their form, or are not
        stage.tell(Error(code=code.value, message=""))
    for reason in ByeReason:
        stage.tell(Bye(reason=reason.value, message=""))
    stage.tell(Notice(text=SAID))
    stage.tell(Draining(ms=9000))
    stage.tell(Unseated(table="Kitchen", reason="kicked"))
    table = TableInfo(table="Kitchen", options=options, state="hand", hand=2, locked=True)
    stage.tell(Lobby(tables=(table,), people=("Ada",)))
    stage.ask_all()
    return stage.lines


@pytest.mark.parametrize("language", OTHERS)
def test_no_line_is_as_in_english(language: str) -> None:
    english = evening()
    with speaking(language, strict=True):
        spoken = evening()
    assert len(spoken) == len(english)
    same = {line for line, other in zip(spoken, english, strict=True) if line == other}
    alike = {f"{name}." for name in NAMES}  # of whom there is nothing to say
    left = {line for line in same - alike if not NOTATION.fullmatch(line)}
    assert not left, left


def test_no_word_is_left_in_english() -> None:
    with speaking("pseudo"):
        lines = evening()
    data = " ".join((*NAMES, *ASKED, SAID, *ByeReason, "Nina Kitchen Bea dalmuti en fr nl de"))
    known = {*re.findall(r"[A-Za-z]{2,}", data), *i18n.NAMES.values(), "Fran", "ais", "xJ"}
    left = {
        line
        for line in lines
        for word in re.findall(r"[A-Za-z]{2,}", line)
        if word not in known and not re.fullmatch(r"(xJ?)+", word)
    }
    assert not left, left


# -- what is typed ----------------------------------------------------------------------------


@pytest.mark.parametrize("word", (*COMMANDS, *ANSWERS))
def test_every_word_can_be_typed_in_its_language_and_in_english(language: str, word: str) -> None:
    own = i18n.tr_in("command", word)
    assert in_english(own) == in_english(own.upper()) == in_english(word) == word
    if word in COMMANDS:
        assert in_english(f"{own} Ada  Lovelace") == f"{word} Ada  Lovelace"
        assert in_english(f"/{own}") == word
        assert own in commands()


def test_no_two_words_are_alike_and_none_is_another_one_in_english(language: str) -> None:
    own = {word: i18n.tr_in("command", word).casefold() for word in (*COMMANDS, *ANSWERS)}
    assert len(set(own.values())) == len(own)
    assert not {word for word, typed in own.items() if typed != word and typed in own}
    assert all(" " not in typed for word, typed in own.items() if " " not in word)


def test_help_says_every_word(language: str) -> None:
    said = " ".join(Talk().read("help", 0.0).lines).lower()
    for word in COMMANDS:
        if word != "help" and language != "pseudo":  # its words are longer in a sentence
            assert i18n.tr_in("command", word) in said


def test_a_name_is_not_taken_for_a_word() -> None:
    with speaking("de"):
        assert in_english("sagen ich passe") == "say ich passe"
        assert in_english("entfernen Wer") == "kick Wer"


def test_the_choice_to_pass_can_be_typed_as_it_is_shown(language: str) -> None:
    assert in_english(words.move(PASS)) == "pass"


# -- a replay ---------------------------------------------------------------------------------


@pytest.mark.parametrize("word", REPLAY)
def test_every_word_of_a_replay_can_be_typed_in_its_language(language: str, word: str) -> None:
    own = i18n.tr_in("replay", word)
    assert replay_in_english(own) == replay_in_english(word) == word
    assert own in commands(REPLAY, "replay")
    if word in ("trick", "hand"):
        assert replay_in_english(f"{i18n.tr_in('replay', 'next')}  {own}") == f"next {word}"
    if word == "as":
        assert replay_in_english(f"{own} Ada") == "as Ada"


def test_no_two_words_of_a_replay_are_alike(language: str) -> None:
    own = {word: i18n.tr_in("replay", word).casefold() for word in REPLAY}
    assert len(set(own.values())) == len(own)
    assert not {word for word, typed in own.items() if typed != word and typed in own}


def test_the_help_of_a_replay_says_every_word(language: str) -> None:
    said = " ".join(map(i18n.tr, replaying.HELP)).lower()
    for word in REPLAY:
        if language != "pseudo":
            assert i18n.tr_in("replay", word) in said


@pytest.mark.parametrize("language", OTHERS)
def test_a_record_is_told_and_judged_in_every_language(language: str) -> None:
    record = a_match()
    english = [*tell(record, None), *verdicts(record)[0]]
    with speaking(language, strict=True):
        spoken = [*tell(record, None), *verdicts(record)[0]]
    assert len(spoken) == len(english)
    same = {line for line, other in zip(spoken, english, strict=True) if line == other}
    assert not same


@pytest.mark.parametrize("language", OTHERS)
def test_statistics_fit_in_every_language(language: str) -> None:
    found = summary(History(HANDS, damaged=2, newer=1), 3)
    with speaking(language, strict=True):
        lines = page(found, "/home/ada/history.jsonl", "#")
    assert all(width(line) <= 80 for line in lines)
    assert not any("…" in line for line in lines)
