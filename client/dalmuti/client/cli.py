"""The command `dalmuti`: reads the command line and hands over to `start`.

Nothing is imported before it is understood but argparse, and for `dalmuti --help` not even that, so
that it is there at once. Help is in English, as argparse itself is, whose headings and errors it
stands among. Every error of use is one sentence and exit code 2; a bug leaves its traceback in a
file and exits 70.
"""

from __future__ import annotations

import errno
import gc
import os
import sys

from dalmuti.client.commands import bots, records, tables
from dalmuti.client.commands.book import Book
from dalmuti.client.commands.parts import BUG, OK, WRONG_USE


def book_of(words: list[str]) -> Book:
    """All commands, for this command line."""
    book = Book(words)
    for room in (tables, bots, records):
        room.add(book)
    return book


def main(arguments: list[str] | None = None) -> int:
    """Runs the command and returns its exit code."""
    if sys.stdout is None:  # closed by the shell
        sys.stdout = open(os.devnull, "w")
    book = book_of(sys.argv[1:] if arguments is None else arguments)
    if book.parser is None:
        return _no_command(book)
    given = book.parser.parse_args(book.rest)
    gc.disable()  # until all is imported: see start.quick_imports
    try:
        from dalmuti.client import start

        code = start.run(given)
        if not _flushed():  # or Python would try again at the exit, and make the code 120
            _forget_output()
        return code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _forget_output()
        return OK
    except OSError as error:
        if error.errno != errno.ENOSPC:
            return _bug(error)
        from dalmuti.client.i18n import tr

        print(
            tr(
                "dalmuti {command}: nothing more can be written: the disk is full.",
                command=given.command,
            ),
            file=sys.stderr,
        )
        _forget_output()
        return WRONG_USE
    except Exception as error:
        return _bug(error)


def _no_command(book: Book) -> int:
    """The help of all commands, the version, or what is wrong."""
    asked = book.words[0] if book.words else ""
    if asked in ("-h", "--help"):
        print(book.overview())
    elif asked == "--version":
        from importlib.metadata import version

        print(f"dalmuti {version('dalmuti')}")
    else:
        found = f", found {asked!r}" if asked else ""
        text = f"dalmuti: expected a command: {book.names()}{found}. See `dalmuti --help`."
        print(text, file=sys.stderr)
        return WRONG_USE
    return OK


def _flushed() -> bool:
    """Whether all that was said has arrived; not so when the terminal or the reader is gone."""
    try:
        sys.stdout.flush()
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise
        return False
    return True


def _forget_output() -> None:
    """The reader of our output is gone: nothing more can be said, also not at the exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _bug(error: Exception) -> int:
    """Says what to do about a bug. The traceback goes to a file, not to the player."""
    import tempfile
    import traceback

    from dalmuti.client.i18n import tr

    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    with tempfile.NamedTemporaryFile(
        "w", prefix="dalmuti-bug-", suffix=".txt", delete=False, encoding="utf-8"
    ) as file:
        traceback.print_exception(error, file=file)
    print(
        tr(
            "dalmuti: this is a bug in Dalmuti ({kind}); the details are in {file}. Please report"
            " it with that file.",
            kind=type(error).__name__,
            file=file.name,
        ),
        file=sys.stderr,
    )
    return BUG


if __name__ == "__main__":
    sys.exit(main())
