"""Hostile text on every way out of every client (server.md I-80), and that there is no other way.

Twice in the reports the screen was safe and the plain path was not; so each kind of text goes
through each path here, and what comes out is what `safe_text` leaves.
"""

from __future__ import annotations

import ast
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from client.history.hands import a_hand
from client.replay.test_telling import a_match
from client.tui.tables import Stage
from dalmuti.client import out
from dalmuti.client.bots import house, seat
from dalmuti.client.history.store import History
from dalmuti.client.history.summary import summary
from dalmuti.client.model import LinkChanged, Model, reduce
from dalmuti.client.plain import Printer
from dalmuti.client.replay import tell, verdicts
from dalmuti.client.replay.cursor import Cursor
from dalmuti.client.replay.script import Script
from dalmuti.client.replay.talk import ReplayTalk
from dalmuti.client.talk import Talk
from dalmuti.client.tui.canvas import text_of
from dalmuti.client.tui.screens import render
from dalmuti.client.tui.state import Ui
from dalmuti.client.words.stats import page
from dalmuti.core import events as ev
from dalmuti.core.transcript import Who
from dalmuti.protocol.messages import Bye, Error, Lobby, Notice, TableInfo, Unseated
from dalmuti.protocol.text import safe_text
from dalmuti.server.log import Log

CLIENT = Path(__file__).parents[2] / "client"
CORPUS = {
    "csi": "a\x1b[31mred",
    "osc title": "a\x1b]0;owned\x07",
    "osc clipboard": "a\x1b]52;c;aGk=\x1b\\",
    "dcs": "a\x1bP1$r\x1b\\",
    "c1 csi": "a\x9b31m",
    "c1 osc": "a\x9d0;owned\x9c",
    "carriage return": "a\rb",
    "line": "a\nb\u2028c\u2029d\x85e",
    "bell and backspace": "a\x07\x08\x08\x7f",
    "raw of prompt_toolkit": "a\x01\x1b[31m\x02",
    "markup": "<a>&amp;</b>",
    "bidi": "a\u202e\u2066\u200f\u061cb",
    "zero width": "a\u200b\u200d\ufeff\u2060b",
    "private": "a\ue000\U000f0000",
    "unassigned": "a\u0378\U000e0fff",
    "surrogate": "a\ud800b",
    "marks": "a" + "\u0301" * 40,
    "flags and skins": "a\U0001f1e8\U0001f1f3\U0001f44d\U0001f3fd\ufe0f",
    "tags": "a\U000e0041\U000e007f",
}


def lines_of_plain(text: str) -> Iterator[str]:
    """Everything that the plain and the line mode say about an evening with this text."""
    talk = Talk()
    stage = hostile_stage(text)
    yield from talk.hear(LinkChanged("open"), 100.0)
    for message in stage.heard:
        yield from talk.hear(message, 100.0)
    for asked in ("who", "score", "table", "hand", "log", "rules", "tables", text):
        yield from talk.read(asked, 100.0).lines


class HostileStage(Stage):
    """A stage that keeps what it tells."""

    def __init__(self, text: str) -> None:
        self.heard: list[Any] = []
        super().__init__(4, names=(text, f"{text}b", f"{text}c", f"{text}d"), table=text)

    def tell(self, message: Any) -> None:
        self.heard.append(message)
        super().tell(message)


def hostile_stage(text: str) -> HostileStage:
    """A hand in which everything that can be text is this text."""
    stage = HostileStage(text)
    stage.chat(1, text)
    stage.emit([ev.WatchersChanged((text,))])
    stage.tell(Notice(text=text))
    stage.tell(Error(re=1, code=text, message=text))
    stage.deal()
    for _ in range(30):
        stage.step()
    stage.presence(2, "lost", 20_000)
    stage.finish()
    stage.emit([ev.PlayerLeft(2, "kicked"), ev.HostChanged(3)])
    info = TableInfo(table=text, options=stage.match.options, state="waiting", host=text)
    stage.tell(Lobby(tables=(info,), people=(text,)))
    stage.tell(Unseated(table=text, reason="kicked"))
    stage.tell(Bye(reason=text, message=text))
    return stage


def lines_of_screen(text: str) -> Iterator[str]:
    """Every moment of such an evening, drawn."""
    for message_count in range(0, 200, 9):
        model = Model()
        for message in hostile_stage(text).heard[:message_count]:
            model = reduce(model, message, 100.0)
        yield from text_of(render(model, Ui(), 80, 24, 100.0)).split("\n")


def lines_of_replay(text: str) -> Iterator[str]:
    """A transcript with such names, told and proved."""
    record = a_match()
    named = {n: Who(kind=who.kind, name=text) for n, who in record.players.items()}
    record = replace(record, table=text, players=named)
    yield from tell(record, None)
    yield from tell(record, 1)
    yield from verdicts(record)[0]


def lines_of_stepping(text: str) -> Iterator[str]:
    """The same record by typed lines, and what is said to the text when it is typed."""
    record = a_match()
    named = {n: Who(kind=who.kind, name=text) for n, who in record.players.items()}
    record = replace(record, table=text, players=named)
    talk = ReplayTalk(Cursor.at_start(Script(record)), record)
    yield from talk.greeting()
    for typed in ("play", "table", "who", "score", "log", "as 1", "cards", f"as {text}", text):
        yield from talk.read(typed).lines


def lines_of_stats(text: str) -> Iterator[str]:
    """A history with such tables."""
    found = summary(History((a_hand(table=text, match=text),)), 5)
    yield from page(found, text, "#")


def lines_of_log(text: str) -> Iterator[str]:
    """The server's log, as people read it."""
    import io

    stream = io.StringIO()
    Log("text", stream).info("connected", name=text, client=text, at=[text])
    yield from stream.getvalue().removesuffix("\n").split("\n")


def lines_of_printer(text: str) -> Iterator[str]:
    """The last door of the plain mode."""
    read, write = os.pipe()
    printer = Printer(write, threading.Event().set)
    printer.say(text)
    printer.close()
    os.close(write)
    with os.fdopen(read, encoding="utf-8", newline="") as reader:
        yield from reader.read().removesuffix("\n").split("\n")


PATHS: dict[str, Callable[[str], Iterator[str]]] = {
    "plain and line": lines_of_plain,
    "screen": lines_of_screen,
    "replay": lines_of_replay,
    "stepping": lines_of_stepping,
    "stats": lines_of_stats,
    "log": lines_of_log,
    "printer": lines_of_printer,
}


@pytest.mark.parametrize("text", CORPUS.values(), ids=CORPUS)
@pytest.mark.parametrize("path", PATHS)
def test_I80_hostile_text_on_every_way_out(path: str, text: str) -> None:
    said = list(PATHS[path](text))
    assert said
    for line in said:
        assert line.isprintable() and safe_text(line) == line, ascii(line)


@pytest.mark.parametrize("text", CORPUS.values(), ids=CORPUS)
@pytest.mark.parametrize("speak", [out.say, out.complain, house.complain, seat.complain])
def test_I80_what_is_printed_is_clean(
    speak: Callable[[str], None], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    speak(text)
    captured = capsys.readouterr()
    for line in (captured.out + captured.err).removesuffix("\n").split("\n"):
        assert safe_text(line) == line, ascii(line)


def test_I80_the_corpus_is_hostile() -> None:
    assert all(safe_text(text) != text for name, text in CORPUS.items() if name != "markup")


# -- that there is no other way ---------------------------------------------------------------

MAY_PRINT = {"out.py", "cli.py"}
"""The last door, and the command line, which prints only its own words."""
MAY_WRITE_RAW = {"app.py", "attention.py"}
"""Fixed sequences of their own, never a text."""
NEVER = {"HTML", "ANSI", "to_formatted_text", "print_formatted_text"}
"""Ways of prompt_toolkit on which text is markup or reaches the terminal as it is."""


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """Every call in one file, by the last part of its name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = node.func
            yield (
                (
                    name.id
                    if isinstance(name, ast.Name)
                    else name.attr
                    if isinstance(name, ast.Attribute)
                    else ""
                ),
                node,
            )


@pytest.mark.parametrize("path", sorted(CLIENT.rglob("*.py")), ids=lambda path: path.name)
def test_I80_no_client_module_prints_by_itself(path: Path) -> None:
    for name, call in calls(path):
        assert name not in NEVER, f"{path.name}:{call.lineno} uses {name}"
        if name == "print":
            assert path.name in MAY_PRINT, f"{path.name}:{call.lineno}: say it through out.say"
        if name == "patch_stdout":
            assert not call.keywords, "raw=True would let escapes through"
    source = path.read_text(encoding="utf-8")
    assert "sys.stdout.write" not in source and "sys.stderr.write" not in source
    assert "write_raw" not in source or path.name in MAY_WRITE_RAW
