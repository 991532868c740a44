"""Colours: names of the terminal's own sixteen, never a background of ours, never colour alone.

Whatever a colour says is said by a word, a sign or brackets as well; `mono` shows that this holds.
Dark blue is used nowhere, since half of all terminals show it as black on black.
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
    "cursor": "bold underline",
    "key": "bold",
    "you": "bold",
    "accent": "bold",
    "note": "italic",
    "chat": "",
    "card": "",
    "good": "bold",
    "warn": "bold",
    "alarm": "bold reverse",
}


def _theme(accent: str, warn: str, good: str, **more: str) -> dict[str, str]:
    colours = {
        "accent": f"{accent} bold",
        "key": f"{accent} bold",
        "you": f"{accent} bold",
        "chat": accent,
        "note": accent,
        "warn": f"{warn} bold",
        "alarm": f"{warn} bold reverse",
        "good": f"{good} bold",
    }
    return {**_PLAIN, **colours, **more}


THEMES: Final[Mapping[str, dict[str, str]]] = {
    "default": _theme("ansicyan", "ansired", "ansigreen"),
    "high-contrast": {
        **_PLAIN,
        "frame": "",
        "dim": "",
        "accent": "bold underline",
        "key": "bold reverse",
        "warn": "bold reverse",
    },
    "deuteranopia": _theme("ansibrightblue", "ansiyellow", "ansibrightblue"),
    "tritanopia": _theme("ansicyan", "ansired", "ansicyan"),
    "mono": dict(_PLAIN),
}
"""The styles of each theme; the first is the default."""


@cache
def style_of(theme: str) -> Style:
    """The prompt_toolkit style of a theme; the same object each time.

    prompt_toolkit knows styles by their identity, and draws every cell again when it is another.
    """
    return Style.from_dict(THEMES[theme])
