"""Text from strangers: the one filter for everything that people wrote, and names.

Terminals obey escape sequences, turn text round at bidi controls, and disagree about the width of
joined emoji, flags and variation selectors. `safe_text` leaves none of that over, so that what is
shown takes as many cells as `width` says on every terminal. It belongs at every way out (screen,
plain mode, logs, replays) and at every way in. Names are refused rather than repaired, since two
different names could become one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from wcwidth import wcwidth

from dalmuti.protocol.messages import MAX_NAME_WIDTH, MAX_TABLE_WIDTH

MAX_MARKS: Final = 2
"""Combining marks on one base: enough for Vietnamese, not for what climbs over other lines."""

_KEPT_LENGTH: Final = 256
"""Up to how many characters a text is remembered with what was found out about it."""

RESERVED: Final = (
    "server",
    "host",
    "dalmuti",
    "great dalmuti",
    "the great dalmuti",
    "admin",
    "administrator",
    "moderator",
    "operator",
    "root",
    "system",
    "stand-in",
    "bot",
    "house",
    "everyone",
    "everybody",
    "nobody",
    "spectator",
    "you",
    "me",
)
"""Names that would pass for somebody else's words. Whole names only: "Headminerve" is fine."""

_DROPPED_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_SPACES: Final = frozenset({"Zs", "Zl", "Zp"})
_BREAKS: Final = frozenset("\t\n\v\f\r\x1c\x1d\x1e\x1f\x85")
_BLANK: Final = "\u2800"  # braille without dots: a letter by its category, a space to the eye
_DROPPED: Final = frozenset(
    chr(code)
    for first, last in (
        (0x034F, 0x034F),  # grapheme joiner
        (0x115F, 0x1160),  # Hangul fillers: letters that are not there
        (0x17B4, 0x17B5),
        (0x180B, 0x180F),  # Mongolian variation selectors
        (0x3164, 0x3164),
        (0xFFA0, 0xFFA0),
        (0xFE00, 0xFE0F),  # variation selectors
        (0x1F1E6, 0x1F1FF),  # regional indicators: flags
        (0x1F3FB, 0x1F3FF),  # skin tones
        (0xE0100, 0xE01EF),
    )
    for code in range(first, last + 1)
)


def safe_text(text: str) -> str:
    """`text` as it may be printed anywhere. Never raises; `safe_text` of the result is the same."""
    if text.isascii() and text.isprintable():
        return text
    return _safe_line(text) if len(text) <= _KEPT_LENGTH else _safe(text)


def _safe(text: str) -> str:
    kept = "".join(map(_safe_char, text))
    # Composing may leave fewer marks, and what is left out may bring others together.
    return unicodedata.normalize("NFC", _few_marks(unicodedata.normalize("NFC", kept)))


_safe_line = lru_cache(maxsize=4096)(_safe)
"""The same for what a screen shows again and again: names, chat, frames."""


@lru_cache(maxsize=4096)
def _safe_char(char: str) -> str:
    """What is left of one character: itself, a space, or nothing."""
    if char in _BREAKS or char == _BLANK or unicodedata.category(char) in _SPACES:
        return " "
    if char in _DROPPED or unicodedata.category(char) in _DROPPED_CATEGORIES:
        return ""
    return char


def _few_marks(text: str) -> str:
    kept: list[str] = []
    marks = MAX_MARKS  # a mark at the beginning would sit on whatever is printed before
    for char in text:
        marks = marks + 1 if _char_width(char) == 0 else 0  # vowels of Hangul are such, too
        if marks <= MAX_MARKS:
            kept.append(char)
    return "".join(kept)


# -- names ------------------------------------------------------------------------------------


def clean_name(text: str) -> str:
    """The name of a person or bot as others see it: NFKC, single spaces, nothing around it.

    Raises ValueError with a sentence for people if it is empty, wider than 20 cells, holds
    anything that cannot be shown safely, or is reserved.
    """
    name = _clean(text, "a name", MAX_NAME_WIDTH)
    if is_reserved(name):
        raise ValueError(f"the name {name!r} is reserved; please take another")
    return name


def clean_table_name(text: str) -> str:
    """The name of a table, like `clean_name` but of at most 24 cells, and none is reserved."""
    return _clean(text, "the name of a table", MAX_TABLE_WIDTH)


def _clean(text: str, what: str, cells: int) -> str:
    name = " ".join(unicodedata.normalize("NFKC", text).split(" "))
    name = re.sub(" +", " ", name).strip(" ")
    if not name:
        raise ValueError(f"{what} needs at least one letter, found nothing")
    if safe_text(name) != name:
        wrong = next((char for char in name if _safe_char(char) != char), None)
        found = "more than two accents on one letter, or one without a letter"
        if wrong is not None:
            found = f"U+{ord(wrong):04X} ({unicodedata.name(wrong, 'a control character')})"
        raise ValueError(f"{what} may hold letters, digits, signs and single spaces, found {found}")
    if width(name) > cells:
        raise ValueError(f"{what} may be {cells} cells wide, found {width(name)}")
    return name


_LOOKALIKES: Final = str.maketrans(
    # Digits and signs, Latin, Cyrillic, Greek, all after casefolding.
    "0" + "ıłøđħɑɡɩ" + "аеорсухѕіјһԁԛԝвнкмтгпьзӏԍ" + "αβγεζηικμνορτυχω",
    "o" + "ilodhagi" + "aeopcyxsijhdqwbhkmtrnb3lg" + "abyezhikuvoptuxw",
)
_STROKES: Final = dict.fromkeys(map(ord, "Il1|!\u0399\u0406\u04c0\u04cf\u2160\u217c"), "|")
"""Capital I of three alphabets, small l, and what else is an upright stroke."""
_ANY_STROKE: Final = str.maketrans("i1|!", "llll")
_SEPARATORS: Final = re.compile(r"[\s._\-'\u2019`·,]+")


@lru_cache(maxsize=1024)
def skeleton(name: str) -> str:
    """The same for two names that differ in nothing that catches the eye, or is said aloud.

    Without case, accents, spaces and dashes; lookalike letters of other alphabets are one, and so
    are `rn` and `m`, `vv` and `w`. For comparing, never for showing.
    """
    return _bare(name, {})


@lru_cache(maxsize=1024)
def likenesses(name: str) -> frozenset[str]:
    """Two names look alike if these have one in common: only one may be at a server at a time.

    One is the skeleton. For the other, all upright strokes are one before the case goes: so `Ian`
    is like `lan` and `1an`, and `Lan` is like neither.
    """
    return frozenset({skeleton(name), _bare(name, _STROKES)})


def _bare(name: str, before: Mapping[int, str]) -> str:
    plain = unicodedata.normalize("NFKD", safe_text(name))
    plain = "".join(char for char in plain if unicodedata.category(char)[0] != "M")
    plain = plain.translate(before).casefold().translate(_LOOKALIKES)
    joined = _SEPARATORS.sub("", plain) or plain
    return joined.replace("rn", "m").replace("vv", "w")


def _loose(name: str) -> str:
    """For words that nobody may come near to: an i is a stroke as well."""
    return skeleton(name).translate(_ANY_STROKE)


_RESERVED_SKELETONS: Final = frozenset(map(_loose, RESERVED))


def is_reserved(name: str) -> bool:
    """Whether a name looks like one that nobody may have."""
    return _loose(name) in _RESERVED_SKELETONS


# -- cells ------------------------------------------------------------------------------------


def width(text: str) -> int:
    """How many terminal cells `text` takes: the sum over its characters, as terminals do it."""
    if text.isascii() and text.isprintable():
        return len(text)
    return sum(_widths(text) if len(text) <= _KEPT_LENGTH else map(_char_width, text))


def is_even(text: str) -> bool:
    """Whether every character of `text` takes one cell, so that cells may be counted as such."""
    if text.isascii() and text.isprintable():
        return True
    return len(text) <= _KEPT_LENGTH and set(_widths(text)) <= {1}


def cut(text: str, cells: int, end: str = "…") -> str:
    """`text`, or as much of its beginning as fits into `cells` together with `end`.

    Never parts a letter from its accents, nor leaves half of a wide character.
    """
    if width(text) <= cells:
        return text
    room = cells - width(end)
    if room < 0:
        return ""
    kept: list[str] = []
    for char in text:
        room -= _char_width(char)
        if room < 0:
            break
        kept.append(char)
    return "".join(kept) + end


@lru_cache(maxsize=4096)
def _widths(text: str) -> bytes:
    return bytes(map(_char_width, text))


@lru_cache(maxsize=4096)
def _char_width(char: str) -> int:
    return max(0, wcwidth(char))
