"""Colours: names of the terminal's own sixteen, and never colour alone.

Whatever a colour says is said by a word, a sign or brackets as well; `mono` shows that this holds.
A colour is used for text only if it can be read on black and on white: red and bright blue can,
cyan and yellow are lost on white. Where a theme needs one of those, it brings its own ground along
with it, black on yellow, which can be read anywhere. Dark blue is used nowhere, since half of all
terminals show it as black on black.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from prompt_toolkit.styles import Style

_PLAIN: Final = {
    "frame": "dim",
    "dim": "dim",
    "bold": "bold",
    "head": "bold",
    "title": "bold reverse",
    "sel": "bold reverse",
    "turn": "bold reverse",
    "cursor": "bold underline",
    "key": "bold",
    "you": "bold",
    "accent": "bold",
    "bar": "bold",
    "note": "italic",
    "chat": "",
    "card": "",
    "pick": "bold",
    "good": "bold",
    "warn": "bold",
    "alarm": "bold reverse",
}


def _theme(ink: str, badge: str, warn: str, alarm: str) -> dict[str, str]:
    """One colour for what matters now, as `ink` and as a `badge`, and one for what is wrong.

    Whole columns are written in ink, so it has no ground of its own.
    """
    return {
        **_PLAIN,
        **dict.fromkeys(("accent", "you", "good"), f"{ink} bold"),
        **dict.fromkeys(("sel", "turn", "title"), f"{badge} bold"),
        "key": f"{ink or badge} bold",
        "pick": f"{ink or badge} bold",
        "bar": ink,
        "warn": f"{warn} bold",
        "alarm": f"{alarm} bold",
    }


_BLUE: Final = "ansibrightblue"
_RED: Final = "ansired"
_ON_YELLOW: Final = "ansiblack bg:ansiyellow"
_ON_CYAN: Final = "ansiblack bg:ansicyan"

THEMES: Final[Mapping[str, dict[str, str]]] = {
    "default": _theme(_BLUE, f"{_BLUE} reverse", _RED, f"{_RED} reverse"),
    "high-contrast": {
        **_PLAIN,
        "frame": "",
        "dim": "",
        "note": "underline",
        "key": "bold reverse",
        "warn": "bold reverse",
    },
    "deuteranopia": _theme(_BLUE, f"{_BLUE} reverse", _ON_YELLOW, _ON_YELLOW),
    "tritanopia": _theme("", _ON_CYAN, _RED, f"{_RED} reverse"),
    "mono": dict(_PLAIN),
}
"""The styles of each theme; the first is the default."""


@cache
def style_of(theme: str) -> Style:
    """The prompt_toolkit style of a theme; the same object each time.

    prompt_toolkit knows styles by their identity, and draws every cell again when it is another.
    """
    return Style.from_dict(THEMES[theme])
