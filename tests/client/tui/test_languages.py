"""Every scene of the full screen in every language, and in one whose words are 40 % longer.

In the pseudo-locale no plain letter is left of a text that went through `tr`, so that a word of
English that is still there was never translatable.
"""

from __future__ import annotations

import re

import pytest

from client.languages import speaking
from client.tui import test_rewind_pictures
from client.tui.tables import NAMES
from client.tui.test_screens import HELPLESS, JOIN, PICTURES, SEATS, follow
from dalmuti.client import words
from dalmuti.client.i18n import tr, tr_in
from dalmuti.client.steward import Steward
from dalmuti.client.tui import keytexts, labels, tabletexts
from dalmuti.client.tui.canvas import Line, cells, text_of, wrap
from dalmuti.client.tui.commands import completions, run
from dalmuti.client.tui.control import Control, Options
from dalmuti.client.tui.screens import render
from dalmuti.client.tui.screens.lesson import ROWS
from dalmuti.client.tui.selector import PlaySelector
from dalmuti.client.words import lesson
from dalmuti.core.titles import Title, title_of
from dalmuti.protocol.text import width

WORD = re.compile(r"[A-Za-z]{2,}")
SAID = (
    *NAMES,
    *JOIN,
    "Kitchen and friends",
    "one more? once again, pass?",
    "The server closed the connection. More.",
)
"""What people, tables and servers are called and say in the pictures."""
SAME = "Dalmuti Tab chat xJ"
"""What is the same in all languages: the game, and what is typed as it stands."""


def drawn(name: str, seats: int, cols: int = 80, rows: int = 24) -> list[Line]:
    model, ui, now = PICTURES[name](seats)
    return render(model, ui, cols, rows, now)


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("name", PICTURES)
def test_every_line_fits_and_help_is_offered(language: str, name: str, seats: int) -> None:
    lines = drawn(name, seats)
    assert len(lines) == 24 and {cells(spans) for spans in lines} == {80}
    assert any(part.text == "?" for part in lines[-1]) or name in HELPLESS


@pytest.mark.parametrize("name", PICTURES)
def test_no_text_is_left_in_english(name: str) -> None:
    with speaking("pseudo"):
        model, ui, now = PICTURES[name](8)
        lines = render(model, ui, 120, 40, now)
    data = WORD.findall(" ".join((*SAID, SAME)))
    left = [
        word
        for word in WORD.findall(text_of(lines))
        # A name may be cut, or half behind a box.
        if not any(each.startswith(word) or each.endswith(word) for each in data)
    ]
    assert not left, left


@pytest.mark.parametrize("cols,rows", [(80, 24), (120, 40)])
@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("name", PICTURES)
def test_nothing_is_cut_that_english_shows_whole(
    name: str, seats: int, cols: int, rows: int
) -> None:
    """A translator finds words that fit: no picture has more dots of cut texts than in English."""
    english = text_of(drawn(name, seats, cols, rows))
    for language in ("fr", "nl", "de"):
        with speaking(language, strict=True):
            text = text_of(drawn(name, seats, cols, rows))
        more = text.count("…") - english.count("…")
        cut = [line for line in text.splitlines() if "…" in line and line not in english]
        assert more <= 0, (language, cut)


@pytest.mark.parametrize("cols,rows", [(80, 24), (120, 40)])
@pytest.mark.parametrize("name", test_rewind_pictures.PICTURES)
def test_nothing_of_a_replay_is_cut_that_english_shows_whole(
    name: str, cols: int, rows: int
) -> None:
    english = text_of(test_rewind_pictures.at(name, 8).lines(cols, rows, 0.0))
    for language in ("fr", "nl", "de"):
        with speaking(language, strict=True):
            text = text_of(test_rewind_pictures.at(name, 8).lines(cols, rows, 0.0))
        assert text.count("…") <= english.count("…"), language


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("name", ["follow", "lead", "waiting", "taxes-pay", "revolution", "out"])
def test_what_matters_is_whole_even_with_longer_words(language: str, name: str, seats: int) -> None:
    """Everybody's title, in full or short, and number of cards; the set to beat and the choice."""
    model, ui, now = PICTURES[name](seats)
    text = text_of(render(model, ui, 80, 24, now))
    table = model.table
    assert table is not None and table.hand is not None
    hand = table.hand
    lines = text.splitlines()
    for seat, size in enumerate(hand.sizes):
        title = title_of(seat, len(hand.order))
        row = next(line for line in lines if words.short_title(title) in line)
        lines.remove(row)
        left = "-" if seat in hand.finished else str(size)
        assert re.search(rf"{re.escape(words.short_title(title))} +{left} ", row), row
    if isinstance(ui.selector, PlaySelector):
        chosen = ui.selector.chosen
        shown = tr_in("choice", labels.PASS) if chosen is None else str(chosen)
        assert f"[{shown}]" in text
    if hand.trick.top is not None:
        assert str(hand.trick.top) in text


def test_texts_of_one_row_fit_into_one_row(language: str) -> None:
    """Those that have no fields, and fit in English; a pseudo-locale has no translator to ask."""
    if language == "pseudo":
        return
    room = 76
    texts = [*vars(labels).values(), *vars(tabletexts).values(), *labels.REVOLUTION_IS]
    texts += [*labels.WHY_WAITING.values()]
    for text in texts:
        if isinstance(text, str) and width(text) <= room:
            assert width(tr(text)) <= room, tr(text)


def test_the_help_leaves_a_gap_between_a_key_and_what_it_does(language: str) -> None:
    if language == "pseudo":
        return
    for keys in (*keytexts.HELP_KEYS.values(), keytexts.HELP_ALWAYS):
        for key, what in keys:
            assert width(keytexts.key_name(key)) <= 11, key
            assert width(keytexts.key_does(what)) <= 24, what


@pytest.mark.parametrize("name", ["result", "result-2", "match-over", "draw-titles"])
def test_titles_of_results_are_whole_even_with_longer_words(language: str, name: str) -> None:
    text = text_of(drawn(name, 8))
    for title in Title:
        assert any(each(title) in text for each in (words.title, words.short_title)), title


def test_the_lesson_fits_into_its_lines(language: str) -> None:
    if language == "pseudo":
        return
    longest = "Katharina von Bora II"
    for text in (*lesson.TEXTS.values(), *lesson.AGAIN.values()):
        told = tr(text, title=words.a_title(Title.LESSER_DALMUTI), who=longest, place="10", play="")
        assert len(wrap(told, 76, 0)) <= ROWS, told
    for keys, line in lesson.PRESS.values():
        assert max(width(tr(keys)), width(tr(line))) <= 74


def test_a_command_changes_the_language_of_what_is_drawn_next() -> None:
    control = Control(Options(), Steward(), lambda request, **fields: None, lambda leave: None)
    control.update(follow(4)[0], 0.0)

    def bar() -> str:
        return text_of(render(control.model, control.ui, 80, 24, 0.0)).splitlines()[0]

    with speaking("en"):
        assert "4 players" in bar()
        run(control, "/lang nl", 0.0)
        assert control.ui.hint == tr("This is English from now on.") and "4 spelers" in bar()
        run(control, "/lang xx", 0.0)
        assert "fr (Français)" in control.ui.hint and "4 spelers" in bar()
        assert completions(control, "/lang n") == ["/lang nl"]
