"""What the command lines of all commands are made of; nothing that takes time (see `book`).

A command says with `action` which function does it, as `module:function`. That module is loaded
when the command was understood, and not before.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dalmuti.client.commands.parser import Parser

OK, WRONG_USE, NO_CONNECTION, REFUSED, BUG = 0, 2, 3, 4, 70
HIDDEN = "==SUPPRESS=="
"""argparse's own word for an option that no help shows."""
THEMES = ("default", "high-contrast", "deuteranopia", "tritanopia", "mono")


def wrong(text: str) -> Exception:
    """What a reader of an argument raises, with what was expected and what was found."""
    from argparse import ArgumentTypeError

    return ArgumentTypeError(text)


def shared(made: Parser) -> None:
    """What all commands that sit at a table have in common."""
    made.add_argument("--name", metavar="NICK", help="your name; else your login name")
    shown(made)


def shown(made: Parser) -> None:
    """How all that people look at is shown."""
    language(made)
    how = made.add_mutually_exclusive_group()
    how.add_argument(
        "--plain",
        action="store_const",
        const="plain",
        dest="mode",
        help="sentences only, for screen readers and scripts; chosen by itself without a terminal",
    )
    how.add_argument(
        "--line",
        action="store_const",
        const="line",
        dest="mode",
        help="the same at a prompt with completion",
    )
    made.add_argument(
        "--ascii", action="store_true", default=None, help="draw with ASCII characters only"
    )
    made.add_argument(
        "--theme",
        choices=THEMES,
        metavar="NAME",
        help=f"the colours of the full screen: {', '.join(THEMES)}",
    )
    made.add_argument(
        "--hide", action="store_true", help="begin with your cards hidden; h, or show, shows them"
    )
    for what, about in (
        ("bell", "do not ring when it is your turn"),
        ("title", "leave the title of the window alone"),
        ("mouse", "leave the mouse to the terminal"),
    ):
        made.add_argument(f"--no-{what}", action="store_false", default=None, dest=what, help=about)


def language(made: Parser) -> None:
    """In which language the command speaks; one without this option speaks English."""
    from dalmuti.client.i18n import LANGUAGES

    made.add_argument(
        "--lang",
        choices=LANGUAGES,
        help="the language of all texts but this help; else that of the settings or the locale",
    )


def where(made: Parser) -> None:
    """Which server and table, and how to reach it."""
    made.add_argument("address", nargs="?", metavar="HOST[:PORT]", help="where the server is")
    made.add_argument("--table", metavar="NAME", help="which table; else the only one there is")
    made.add_argument("--password", help="the password of the server or the table")
    encryption(made)


def encryption(made: Parser) -> None:
    """Whether to encrypt, and whom to trust."""
    made.add_argument(
        "--tls",
        action="store_true",
        help="encrypt; the certificate must be one your system knows, or is remembered",
    )
    made.add_argument(
        "--fingerprint",
        metavar="SHA256",
        help="encrypt, and take the certificate with this SHA-256 fingerprint only",
    )


def whole(least: int, most: int) -> Any:
    """A reader of whole numbers in these bounds."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and len(text) < 18):
            raise wrong(f"expected {least} to {most}, found {text!r}")
        if not least <= int(text) <= most:
            raise wrong(f"expected {least} to {most}, found {text}")
        return int(text)

    return read


def seconds(text: str) -> float:
    """A reader of 0 to 60 seconds."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 60:
        raise wrong(f"expected 0 to 60 seconds, found {text!r}")
    return value
