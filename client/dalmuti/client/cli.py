"""The command `dalmuti`: reads the command line and hands over to `start`.

Nothing but argparse is imported before it is understood, so that `--help` is there at once. Every
error of use is one sentence and exit code 2; a bug leaves its traceback in a file and exits 70.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
from typing import Any, NoReturn

OK, WRONG_USE, NO_CONNECTION, REFUSED, BUG = 0, 2, 3, 4, 70
THEMES = ("default", "high-contrast", "deuteranopia", "tritanopia", "mono")
LEVELS = {"easy": "random", "normal": "greedy", "hard": "greedy"}
"""Which house bot plays a level; stronger ones come in later versions."""


HOUSE_RULES = """\
house rules (the first value is the default):
  first_titles        draw, random, order_of_arrival
  first_hand_taxes    on, off
  revolution          optional, automatic, off
  greater_revolution  always, choice, off
  passing             open, locked (out until the trick ends)
  scoring             titles, points
  match_end           open, points:N, hands:N
  turn_seconds        60, or 5 to 600, or 0 (no clock)
  spectators          allowed, refused
  bots_may_join       yes, no"""
"""A copy for --help, which loads nothing; a test holds it to `core.options`."""


class Parser(argparse.ArgumentParser):
    """argparse, with sentences that say what to do."""

    def error(self, message: str) -> NoReturn:
        """One sentence on standard error; exits with 2."""
        text = message[:1].lower() + message[1:]
        self.exit(WRONG_USE, f"{self.prog}: {text}. See `{self.prog} --help`.\n")


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
    for add in (_play, _host, _join, _bot, _replay, _verify, _describe):
        add(commands)
    return top


def _command(commands: Any, name: str, about: str, *examples: str, more: str = "") -> Parser:
    made: Parser = commands.add_parser(
        name,
        help=about,
        description=about[:1].upper() + about[1:] + ".",
        epilog="\n".join(["examples:", *(f"  {example}" for example in examples), "", more]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return made


def _shared(command: Parser) -> None:
    """What all commands that sit at a table have in common."""
    command.add_argument("--name", metavar="NICK", help="your name; else your login name")
    command.add_argument("--lang", choices=["en"], help="the language of all texts")
    how = command.add_mutually_exclusive_group()
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
    command.add_argument(
        "--ascii", action="store_true", default=None, help="draw with ASCII characters only"
    )
    command.add_argument("--theme", choices=THEMES, help="the colours of the full screen")


def _play(commands: Any) -> None:
    command = _command(
        commands,
        "play",
        "play alone against house bots",
        "dalmuti play",
        "dalmuti play --seats 6 --level easy,hard --bot-delay 0.3",
        "dalmuti play --plain --hands 1",
    )
    command.add_argument("--seats", type=whole(2, 10), default=4, metavar="N", help="2 to 10 (4)")
    command.add_argument(
        "--level",
        type=_levels,
        default=["normal"],
        metavar="LEVEL",
        help="easy, normal or hard (normal); several, with commas, take turns over the seats",
    )
    command.add_argument(
        "--seed",
        type=whole(0, 2**53),
        metavar="N",
        help="play known deals; the table is marked as not fair",
    )
    _rules_and_hands(command)
    _shared(command)


def _host(commands: Any) -> None:
    command = _command(
        commands,
        "host",
        "open a table for others on your network, and sit down at it",
        "dalmuti host",
        "dalmuti host --seats 6 --bots 2 --rules passing=locked,scoring=points,match_end=hands:5",
        "dalmuti host --port 12014 --table Kitchen",
        more=HOUSE_RULES,
    )
    command.add_argument(
        "--port",
        type=whole(0, 65535),
        default=12013,
        metavar="PORT",
        help="where to listen (12013); 0: any free port",
    )
    command.add_argument(
        "--bind",
        default="0.0.0.0",
        metavar="ADDRESS",
        help="the address of this machine to listen on; 127.0.0.1: this machine only",
    )
    command.add_argument(
        "--insecure",
        action="store_true",
        help="let people of the internet in as well; without encryption, all can be overheard",
    )
    command.add_argument("--table", metavar="NAME", help="the name of the table; else after you")
    command.add_argument("--seats", type=whole(2, 10), default=8, metavar="N", help="2 to 10 (8)")
    command.add_argument(
        "--bots", type=whole(0, 9), default=0, metavar="N", help="house bots to seat (0)"
    )
    command.add_argument("--password", help="what everybody must give who joins")
    _rules_and_hands(command)
    _shared(command)


def _rules_and_hands(command: Parser) -> None:
    command.add_argument(
        "--bot-delay",
        type=_seconds,
        metavar="SECONDS",
        help="how long house bots take for a move (0.8); 0: no time",
    )
    command.add_argument(
        "--rules",
        metavar="NAME=VALUE,...",
        default="",
        help="house rules, such as passing=locked,scoring=points; `dalmuti host --help` has all",
    )
    command.add_argument(
        "--hands",
        type=whole(1, 10_000),
        metavar="N",
        help="deal by itself, and end after so many hands",
    )


def _join(commands: Any) -> None:
    command = _command(
        commands,
        "join",
        "join a table, or take your seat back",
        "dalmuti join                    a server that is found on your network",
        "dalmuti join 192.168.1.20",
        "dalmuti join 192.168.1.20:12014 --table Kitchen",
        "dalmuti join 192.168.1.20 --watch",
        "dalmuti join --tls cards.example.org",
    )
    _where(command)
    command.add_argument("--watch", action="store_true", help="watch, and do not play")
    _shared(command)


def _bot(commands: Any) -> None:
    command = _command(
        commands,
        "bot",
        "seat a bot at a table",
        "dalmuti bot greedy 127.0.0.1",
        "dalmuti bot mybot.py 192.168.1.20 --table Kitchen",
        "dalmuti bot mybot.py:Cautious 127.0.0.1 --count 3",
    )
    command.add_argument(
        "bot", metavar="NAME_OR_FILE", help="random, greedy, mybot.py or mybot.py:Class"
    )
    _where(command)
    command.add_argument("--count", type=whole(1, 10), default=1, metavar="N", help="how many (1)")
    command.add_argument("--name", metavar="NICK", help="its name; else the bot's")
    command.add_argument(
        "--bot-delay", type=_seconds, default=0.0, metavar="SECONDS", help="time for a move (0)"
    )


def _where(command: Parser) -> None:
    command.add_argument("address", nargs="?", metavar="HOST[:PORT]", help="where the server is")
    command.add_argument("--table", metavar="NAME", help="which table; else the only one there is")
    command.add_argument("--password", help="the password of the server or the table")
    command.add_argument(
        "--tls",
        action="store_true",
        help="encrypt; the certificate must be one your system knows, or is remembered",
    )
    command.add_argument(
        "--fingerprint",
        metavar="SHA256",
        help="encrypt, and take the certificate with this SHA-256 fingerprint only",
    )


def _replay(commands: Any) -> None:
    command = _command(
        commands,
        "replay",
        "tell a saved match move by move",
        "dalmuti replay match.txt",
        "dalmuti replay match.txt --as Ada",
    )
    command.add_argument("file", metavar="FILE")
    command.add_argument(
        "--as",
        dest="viewer",
        metavar="SEAT",
        help="only what this player saw, by number or name; else all cards are open",
    )
    command.add_argument("--plain", action="store_true", help="sentences only")


def _verify(commands: Any) -> None:
    command = _command(
        commands, "verify", "prove every deal of a saved match", "dalmuti verify match.txt"
    )
    command.add_argument("file", metavar="FILE")


def _describe(commands: Any) -> None:
    command = _command(
        commands,
        "describe",
        "describe the protocol, for whoever writes a client",
        "dalmuti describe",
        "dalmuti describe --json > schema.json",
    )
    command.add_argument("--json", action="store_true", help="as a JSON Schema")


def whole(least: int, most: int) -> Any:
    """A reader of whole numbers in these bounds."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and len(text) < 18):
            raise argparse.ArgumentTypeError(f"expected {least} to {most}, found {text!r}")
        if not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"expected {least} to {most}, found {text}")
        return int(text)

    return read


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 60:
        raise argparse.ArgumentTypeError(f"expected 0 to 60 seconds, found {text!r}")
    return value


def _levels(text: str) -> list[str]:
    levels = text.split(",")
    for level in levels:
        if level not in LEVELS:
            raise argparse.ArgumentTypeError(
                f"expected {', '.join(LEVELS)}, or several with commas, found {level!r}"
            )
    return levels


def main(arguments: list[str] | None = None) -> int:
    """Runs the command and returns its exit code."""
    top = parser()
    given = top.parse_args(arguments)
    if given.version:
        from importlib.metadata import version

        print(f"dalmuti {version('dalmuti')}")
        return OK
    if sys.stdout is None:  # closed by the shell
        sys.stdout = open(os.devnull, "w")
    if given.command is None:
        top.error("expected a command: play, host, join, bot, replay, verify or describe")
    try:
        from dalmuti.client import start

        return start.run(given)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _forget_output()
        return OK
    except OSError as error:
        if error.errno != errno.ENOSPC:
            return _bug(error)
        print(
            f"dalmuti {given.command}: nothing more can be written: the disk is full.",
            file=sys.stderr,
        )
        _forget_output()
        return WRONG_USE
    except Exception as error:
        return _bug(error)


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
        f"dalmuti: this is a bug in Dalmuti ({type(error).__name__}); the details are in"
        f" {file.name}. Please report it with that file.",
        file=sys.stderr,
    )
    return BUG


if __name__ == "__main__":
    sys.exit(main())
