"""Text from strangers: what is printed, which names there are, and which look alike."""

# ruff: noqa: RUF001, RUF003  - letters that look like others are what this is about

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from prompt_toolkit.utils import get_cwidth

from dalmuti.protocol.text import (
    RESERVED,
    clean_name,
    clean_table_name,
    cut,
    is_even,
    is_reserved,
    likenesses,
    safe_text,
    width,
)

NASTY = "\x00\x07\x1b\x7f\x85\x9b\xad\u200b\u200d\u200e\u202e\u2066\ufeff\ufe0f\U0001f3fb\U0001f1e8"
MIXED = "aß\u0301王👑\u0323e\u0301한\u1100\u1161 \n\u3000\u0e33𝔘ﷺ\ud800\ue000\U000e0041" + NASTY
mixed_text = st.text(st.sampled_from(MIXED), max_size=600) | st.text(max_size=60)
dangerous = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


@given(st.text(st.characters()) | mixed_text)
@example("\ud800")
@example("e" + "\u0301" * 9)
@example("\u0338a\u200d\u0301")
def test_safe_text_leaves_nothing_that_a_terminal_obeys(text: str) -> None:
    safe = safe_text(text)
    assert not {unicodedata.category(char) for char in safe} & dangerous
    assert not set(safe) & set(NASTY)
    assert unicodedata.is_normalized("NFC", safe)
    assert safe_text(safe) == safe
    safe.encode()
    marks = 2
    for char in safe:
        marks = marks + 1 if unicodedata.category(char).startswith("M") else 0
        assert marks <= 2


def test_safe_text_and_cut_at_every_length() -> None:
    for length in range(601):
        text = (MIXED * 20)[-length:]
        safe = safe_text(text)
        assert safe_text(safe) == safe
        assert width(cut(safe, length // 2)) <= length // 2


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("plain text", "plain text"),
        ("red\x1b[31m alert", "red[31m alert"),
        ("\x1b]0;title\x07x", "]0;titlex"),
        ("\x9b31mx", "31mx"),
        ("one\ntwo\r\nthree\tfour\u2028five", "one two  three four five"),
        ("abc\u202edef", "abcdef"),
        ("👨\u200d👩\u200d👧", "👨👩👧"),
        ("👍🏽 ♥\ufe0f 🇨🇿", "👍 ♥ "),
        ("Zo\u0065\u0308", "Zoë"),
        ("q\u0301\u0302\u0303\u0304\u0305!", "q\u0301\u0302!"),
        ("\u0301a", "a"),
        ("\ud83d\ude00", ""),
        ("\u3164", ""),
        ("\u2800\u3000\u00a0", "   "),
        ("Việt 王 한국 Ω ♛", "Việt 王 한국 Ω ♛"),
    ],
)
def test_safe_text(text: str, safe: str) -> None:
    assert safe_text(text) == safe


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ada", "Ada"),
        ("  Ada   Lovelace ", "Ada Lovelace"),
        ("Ａｄａ", "Ada"),
        ("Ada\u00a0L\u3000M", "Ada L M"),
        ("Zoe\u0308", "Zoë"),
        ("王" * 10, "王" * 10),
        ("x" * 20, "x" * 20),
        ("👑 King", "👑 King"),
        ("Headminerve", "Headminerve"),
        ("Botticelli", "Botticelli"),
        ("Ali", "Ali"),
        ("Ian", "Ian"),
    ],
)
def test_a_good_name(text: str, name: str) -> None:
    assert clean_name(text) == name
    assert clean_name(name) == name


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "needs at least one letter"),
        (" \u3000 ", "needs at least one letter"),
        ("x" * 21, "20 cells wide, found 21"),
        ("王" * 11, "20 cells wide, found 22"),
        ("ﷺ" * 2, "20 cells wide, found 36"),
        ("a\x1b[31m", r"U\+001B"),
        ("a\nb", r"U\+000A"),
        ("a\u202eb", r"U\+202E \(RIGHT-TO-LEFT OVERRIDE\)"),
        ("a\u200bb", r"U\+200B"),
        ("\u2800", r"U\+2800"),
        ("\ud800", r"U\+D800"),
        ("\u0301", "accents"),
        ("q\u0301\u0302\u0303", "accents"),
        *[(word, "reserved") for word in RESERVED],
        ("SERVER", "reserved"),
        ("s e r v e r", "reserved"),
        ("Sеrvеr", "reserved"),  # with Cyrillic е
        ("da1muti", "reserved"),
        ("adrnin", "reserved"),
        ("H0st", "reserved"),
    ],
)
def test_a_bad_name_is_refused_with_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        clean_name(text)


@given(mixed_text)
def test_a_name_is_refused_or_safe(text: str) -> None:
    try:
        name = clean_name(text)
    except ValueError as error:
        assert str(error).isprintable()
    else:
        assert name and name == safe_text(name) == clean_name(name) == name.strip()
        assert width(name) <= 20 and "  " not in name


def test_a_table_may_have_a_longer_name_and_a_reserved_one() -> None:
    assert clean_table_name(" The Great Dalmuti ") == "The Great Dalmuti"
    assert clean_table_name("x" * 24) == "x" * 24
    with pytest.raises(ValueError, match="the name of a table may be 24 cells wide, found 25"):
        clean_table_name("x" * 25)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada", "ADA"),
        ("Ada", "Аdа"),  # Cyrillic
        ("Ada", "Αda"),  # Greek
        ("Ada", "Ａｄａ"),
        ("Ada", "Áda"),
        ("Bob", "B0b"),
        ("Il", "lI"),
        ("AlI", "A11"),
        ("Ian", "lan"),
        ("Ian", "1an"),
        ("Ian", "|an"),
        ("Ian", "IAN"),
        ("Иван", "ивaн"),
        ("Modern", "Modem"),
        ("Wanda", "VVanda"),
        ("Ada Lovelace", "ada_love-lace"),
    ],
)
def test_I81_names_that_look_alike_have_a_likeness_in_common(one: str, other: str) -> None:
    assert not likenesses(one).isdisjoint(likenesses(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada", "Eda"),
        ("Ada", "Ada2"),
        ("---", "..."),
        ("ada-2", "ada-3"),
        ("Ian", "Lan"),
        ("Lia", "Lla"),
        ("Mila", "Milla"),
    ],
)
def test_I81_names_that_differ_have_none(one: str, other: str) -> None:
    assert likenesses(one).isdisjoint(likenesses(other))


def test_I82_reserved_words_match_as_a_whole_only() -> None:
    assert is_reserved("Stand In") and is_reserved("hοst")
    assert is_reserved("adm1n") and is_reserved("ADMIN") and is_reserved("Admln")
    assert not is_reserved("Ghost") and not is_reserved("Headminerve")


@given(mixed_text)
def test_width_is_what_the_screen_counts(text: str) -> None:
    safe = safe_text(text)
    assert width(safe) == get_cwidth(safe)


@given(mixed_text, st.integers(0, 40))
def test_cut_fits_and_keeps_letters_whole(text: str, cells: int) -> None:
    safe = safe_text(text)
    short = cut(safe, cells)
    assert width(short) <= cells
    if width(safe) <= cells:
        assert short == safe
    else:
        kept = short.removesuffix("…")
        assert safe.startswith(kept)
        rest = safe[len(kept) :]
        assert not cells or not unicodedata.combining(rest[0])


def test_cut() -> None:
    assert [cut("abcd", n) for n in range(6)] == ["", "…", "a…", "ab…", "abcd", "abcd"]
    assert cut("王王王", 4) == "王…"
    assert cut("abcdef", 4, end="~") == "abc~"
    assert cut("e\u0301", 0) == ""


@pytest.mark.parametrize("jamo", ["\u1161", "\u11a8", "\ud7b0", "\ud7fb"])
def test_letters_without_a_width_count_as_marks(jamo: str) -> None:
    """Parts of Hangul syllables: terminals differ in what they make of many in a row."""
    assert safe_text(jamo * 30) == ""
    assert safe_text("\ua960" + jamo * 30) == "\ua960" + jamo * 2
    with pytest.raises(ValueError, match="accents"):
        clean_name(jamo * 30)
    assert clean_name("\u1112\u1161\u11ab") == "\ud55c", "one syllable"


def test_whatever_is_kept_is_seen() -> None:
    """No text that is shown takes no cells, so limits of width are limits of length as well."""
    for code in range(0x110000):
        kept = safe_text(chr(code))
        assert not kept or width(kept) > 0, f"U+{code:04X}"


@given(st.text(max_size=300))
def test_even_text_is_cut_by_characters(text: str) -> None:
    """Where every character takes one cell, cells and characters are the same."""
    if is_even(text):
        assert [width(char) for char in text] == [1] * len(text)
    assert is_even("│ a ─") and not is_even("王") and not is_even("e\u0301")
