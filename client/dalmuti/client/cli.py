"""The command `dalmuti`: reads the command line and hands over to `start`.

Nothing but argparse is imported before it is understood, so that `--help` is there at once; it is
in English, as argparse itself is, whose headings and errors it stands among. Every
error of use is one sentence and exit code 2; a bug leaves its traceback in a file and exits 70.
"""

from __future__ import annotations

import argparse
import errno
import gc
import os
import sys

from dalmuti.client.commands import bots, records, tables
from dalmuti.client.commands.parts import BUG, OK, WRONG_USE, Parser
from dalmuti.client.i18n import tr


def parser() -> Parser:
    """The whole command line."""
    top = Parser(
        prog="dalmuti",
        description="The Great Dalmuti over the network, in your terminal.",
        epilog="example:\n  dalmuti play            a table of your own, against house bots",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="store_true", help="show the version and exit")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")
    for room in (tables, bots, records):
        room.add(commands)
    top.set_defaults(commands=", ".join(commands.choices))
    return top


def main(arguments: list[str] | None = None) -> int:
    """Runs the command and returns its exit code."""
    top = parser()
    given = top.parse_args(_joined(sys.argv[1:] if arguments is None else arguments))
    if given.version:
        from importlib.metadata import version

        print(f"dalmuti {version('dalmuti')}")
        return OK
    if sys.stdout is None:  # closed by the shell
        sys.stdout = open(os.devnull, "w")
    if given.command is None:
        top.error(f"expected a command: {given.commands}")
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


def _joined(words: list[str]) -> list[str]:
    """`bot new` and `bot doctor` are commands of two words, with a help of their own."""
    two = " ".join(words[:2])
    return [two, *words[2:]] if two in ("bot new", "bot doctor") else words


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
