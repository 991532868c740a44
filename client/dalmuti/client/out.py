"""The way out for whole lines: everything that is printed and not drawn goes through here.

What people and servers wrote has been cleaned before, in the model and in what is told; this is the
last door, so that a sentence that somebody forgets is clean as well (server.md I-80). A test keeps
`print` out of all other modules but `cli`, which prints no words but its own.
"""

from __future__ import annotations

import sys

from dalmuti.protocol.text import safe_text


def clean(text: str) -> str:
    """`text` line by line as it may be printed anywhere."""
    return "\n".join(map(safe_text, text.split("\n")))


def counted(number: int, one: str, many: str = "") -> str:
    """`1 deal`, `1,000 deals`: for the tools of bot authors, which speak English only."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def say(text: str) -> None:
    """Prints lines. Raises OSError when nobody reads them any more."""
    print(clean(text), flush=True)


def complain(text: str) -> None:
    """One line on standard error."""
    print(safe_text(text), file=sys.stderr, flush=True)


def redraw(text: str) -> None:
    """Writes over the line of standard error that this has written last, as far as it is long."""
    print("\r" + safe_text(text), end="", file=sys.stderr, flush=True)
