"""The command `dalmuti-server`.

Only argparse is imported before the command line is understood, so that `--help` is there at once.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from dalmuti.server.config import Config

EXAMPLES = """\
examples:
  dalmuti-server                                  for everyone who reaches this machine
  dalmuti-server --listen 127.0.0.1:0             for this machine only, on any free port
  dalmuti-server default-config > server.toml     a configuration with every key
  dalmuti-server check-config server.toml
  dalmuti-server --config server.toml
"""
WRONG_USE = 2
BUG = 70


class Parser(argparse.ArgumentParser):
    """argparse, with one sentence for a wrong use."""

    def error(self, message: str) -> NoReturn:
        """The sentence on standard error; exits with 2."""
        text = message[:1].lower() + message[1:]
        self.exit(WRONG_USE, f"{self.prog}: {text}. See `{self.prog} --help`.\n")


def parser() -> Parser:
    """The command line."""
    top = Parser(
        prog="dalmuti-server",
        description="The server of Dalmuti: it deals, decides and keeps every table.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--config", metavar="FILE", type=Path, help="a TOML file; see default-config")
    top.add_argument(
        "--listen",
        metavar="HOST:PORT",
        action="append",
        help="where to listen; may be given several times; port 0 takes a free one",
    )
    top.add_argument(
        "--data", metavar="DIR", help="the folder for what the server keeps, such as DIR/matches"
    )
    top.add_argument("--records", metavar="DIR", help="write finished matches there as transcripts")
    top.add_argument("--log-format", choices=["text", "json"], help="lines for people or programs")
    top.add_argument(
        "--password",
        help="what everybody must know who connects; else DALMUTI_PASSWORD of the environment",
    )
    top.add_argument(
        "--max-tables", metavar="N", type=_whole(1, 100_000), help="open tables at once"
    )
    top.add_argument(
        "--grace",
        metavar="SECONDS",
        type=_seconds,
        help="how long a lost seat waits for the stand-in",
    )
    top.add_argument(
        "--bot-delay",
        metavar="SECONDS",
        type=_seconds,
        help="how long house bots take for a move; 0: no time",
    )
    top.add_argument("--lifeline", action="store_true", help="stop when standard input closes")
    top.add_argument(
        "--until-empty",
        metavar="SECONDS",
        type=_seconds,
        help="stop when nobody was here for so long",
    )
    commands = top.add_subparsers(dest="command", metavar="")
    check = commands.add_parser(
        "check-config",
        help="check a configuration file",
        epilog="example: dalmuti-server check-config server.toml",
    )
    check.add_argument("file", metavar="FILE", type=Path)
    commands.add_parser(
        "default-config",
        help="print a configuration file with every default",
        epilog="example: dalmuti-server default-config > server.toml",
    )
    return top


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 864_000:
        raise argparse.ArgumentTypeError(f"expected a number of seconds, found {text!r}")
    return value


def _whole(least: int, most: int) -> Any:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"expected {least} to {most}, found {text!r}")
        return int(text)

    return read


def main(arguments: list[str] | None = None) -> int:
    """Runs the command; returns its exit code."""
    given = parser().parse_args(arguments)
    from dalmuti.server.config import ConfigError, default_text, load

    try:
        if given.command == "default-config":
            print(default_text(), end="")
            return 0
        if given.command == "check-config":
            load(given.file)
            print(f"{given.file}: all keys and values are known")
            return 0
        return _serve(_configured(given), given)
    except ConfigError as error:
        print(f"dalmuti-server: {error}", file=sys.stderr)
        return WRONG_USE
    except KeyboardInterrupt:
        return 130
    except Exception:
        print(f"dalmuti-server: this is a bug; the details are in {_details()}", file=sys.stderr)
        return BUG


def _details() -> str:
    """The file with the traceback of the exception that is being handled."""
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile(
        "w", prefix="dalmuti-server-", suffix=".txt", delete=False, encoding="utf-8"
    ) as file:
        traceback.print_exc(file=file)
    return file.name


def _configured(given: argparse.Namespace) -> Config:
    """The configuration file, with what the command line says over it."""
    import msgspec

    from dalmuti.server.config import Config, load, split_address

    config = load(given.config) if given.config else Config()
    for address in given.listen or ():
        split_address(address)
    values: dict[str, Any] = {
        "listen": tuple(given.listen) if given.listen else None,
        "data": given.data,
        "records": given.records,
        "log_format": given.log_format,
        "password": given.password or os.environ.get("DALMUTI_PASSWORD"),
        "bot_delay": given.bot_delay,
    }
    limits: dict[str, Any] = {"tables": given.max_tables, "grace_seconds": given.grace}
    return msgspec.structs.replace(
        config,
        limits=msgspec.structs.replace(config.limits, **_said(limits)),
        **_said(values),
    )


def _said(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _serve(config: Config, given: argparse.Namespace) -> int:
    from tempfile import TemporaryFile

    import trio

    from dalmuti.server.app import App, StartError, Stops
    from dalmuti.server.config import ConfigError
    from dalmuti.server.log import Log

    if config.matches is not None:
        try:
            config.matches.mkdir(parents=True, exist_ok=True)
            with TemporaryFile(dir=config.matches):
                pass
        except OSError as error:
            raise ConfigError(
                f"transcripts cannot be written to {config.matches}: {error.strerror};"
                " choose another folder with --records or --data"
            ) from None
    log = Log(config.log_format)
    stops = Stops(signals=True, lifeline=given.lifeline, until_empty=given.until_empty)

    def announce(addresses: list[str]) -> None:
        _say_listening(addresses, config.log_format)

    try:
        trio.run(App(config, log).run, stops, announce)
    except StartError as error:
        print(f"dalmuti-server: {error}", file=sys.stderr)
        return WRONG_USE
    return 0


def _say_listening(addresses: list[str], form: str) -> None:
    """The first line on standard output: programs wait for it."""
    import json
    from importlib.metadata import version

    if form == "json":
        values = {
            "event": "listening",
            "addresses": addresses,
            "version": version("dalmuti"),
            "pid": os.getpid(),
        }
        line = json.dumps(values)
    else:
        line = f"dalmuti-server listens on {', '.join(addresses)}"
    try:
        print(line, flush=True)
    except OSError:
        pass


if __name__ == "__main__":
    sys.exit(main())
