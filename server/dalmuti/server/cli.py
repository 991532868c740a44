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
    from dalmuti.server.app import App
    from dalmuti.server.config import Config
    from dalmuti.server.log import Sink

EXAMPLES = """\
examples:
  dalmuti-server                                  for this machine only
  dalmuti-server --listen 127.0.0.1:0             the same on any free port
  dalmuti-server --listen 192.168.1.20:12013      for a private network
  dalmuti-server --listen 0.0.0.0:12013 --tls-cert cert.pem --tls-key key.pem
                                                  for the internet
  dalmuti-server default-config > server.toml     a configuration with every key
  dalmuti-server check-config server.toml
  dalmuti-server --config server.toml
  dalmuti-server --data DIR                       tables outlive the server
  dalmuti-server --data DIR backup FILE           a copy of the journal, at any time
  dalmuti-server --data DIR admin players         who is here; `admin --help` has more
"""
WRONG_USE = 2
NO_CONNECTION = 3
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
        "--data",
        metavar="DIR",
        help="the folder for what the server keeps: open tables, DIR/matches",
    )
    top.add_argument("--records", metavar="DIR", help="write finished matches there as transcripts")
    top.add_argument(
        "--tls-cert", metavar="FILE", help="the certificate with its chain, for TLS (PEM)"
    )
    top.add_argument("--tls-key", metavar="FILE", help="its private key, if it is not in that file")
    top.add_argument(
        "--insecure",
        action="store_true",
        default=None,
        help="let people come over the internet without TLS, where all can be overheard",
    )
    top.add_argument(
        "--lan-only",
        action="store_true",
        default=None,
        help="without TLS let in those only who come from a private network",
    )
    top.add_argument(
        "--announce",
        action="store_true",
        default=None,
        help="tell this network that the server is here, for `dalmuti join` without an address",
    )
    top.add_argument("--announce-name", metavar="NAME", help="by this name, not the machine's")
    top.add_argument("--log-level", choices=["debug", "info", "warning", "error"])
    top.add_argument("--log-file", metavar="FILE", help="write the log there, in bounded files")
    top.add_argument(
        "--metrics", metavar="HOST:PORT", help="where Prometheus may ask, on this machine only"
    )
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
    backup = commands.add_parser(
        "backup",
        help="copy the journal of the data folder to a file, while the server runs",
        epilog="example: dalmuti-server --data /var/lib/dalmuti backup monday.db",
    )
    backup.add_argument("file", metavar="FILE", type=Path)
    _admin_commands(commands)
    commands.add_parser(
        "default-config",
        help="print a configuration file with every default",
        epilog="example: dalmuti-server default-config > server.toml",
    )
    return top


def _admin_commands(commands: Any) -> None:
    admin = commands.add_parser(
        "admin",
        help="steer the server that runs on the data folder",
        epilog="example:\n  dalmuti-server --config server.toml admin kick Ada",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    # The same option stands before `admin`; without SUPPRESS this one would take that back.
    admin.add_argument(
        "--data", metavar="DIR", default=argparse.SUPPRESS, help="the folder of the server"
    )
    orders = admin.add_subparsers(dest="order", metavar="ORDER", required=True)
    for order, what, about in (
        ("tables", "", "list the open tables"),
        ("players", "", "list everybody, with connections and addresses"),
        ("kick", "NAME", "take the seat and the connection from somebody, at any time"),
        ("ban", "NAME_OR_ADDRESS", "let a name or an address not in any more, and send it away"),
        ("unban", "NAME_OR_ADDRESS", "lift a ban"),
        ("bans", "", "list the bans"),
        ("announce", "TEXT", "say something to everybody"),
        ("drain", "[SECONDS]", "open no more tables, and stop when no hand is played (300)"),
        ("ladder", "", "list the ladder, and compute it again from its matches"),
        ("log-level", "LEVEL", "debug, info, warning or error, until the next start"),
    ):
        one = orders.add_parser(order, help=about, description=about[:1].upper() + about[1:] + ".")
        if what.startswith("["):
            one.add_argument("what", metavar=what.strip("[]"), nargs="?", default="")
        elif what == "TEXT":
            one.add_argument("what", metavar=what, nargs="+")
        elif what:
            one.add_argument("what", metavar=what)


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
    from dalmuti.server.config import ConfigError, default_text

    try:
        if given.command == "default-config":
            print(default_text(), end="")
            return 0
        if given.command == "check-config":
            return _check(given.file)
        if given.command == "backup":
            return _backup(_configured(given), given.file)
        if given.command == "admin":
            return _admin(_configured(given), given)
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


def _check(file: Path) -> int:
    from dalmuti.server.config import ConfigError, load
    from dalmuti.server.entrance import EntranceError, judge

    try:
        judge(load(file))
    except EntranceError as error:
        raise ConfigError(str(error)) from None
    print(f"{file}: all keys and values are known")
    return 0


def _configured(given: argparse.Namespace) -> Config:
    """The configuration file, with what the command line says over it."""
    import msgspec

    from dalmuti.server.config import Config, check, load

    config = load(given.config) if given.config else Config()
    values: dict[str, Any] = {
        "listen": tuple(given.listen) if given.listen else None,
        "data": given.data,
        "records": given.records,
        "log_format": given.log_format,
        "password": given.password or os.environ.get("DALMUTI_PASSWORD"),
        "bot_delay": given.bot_delay,
        "tls_cert": given.tls_cert,
        "tls_key": given.tls_key,
        "insecure": given.insecure,
        "lan_only": given.lan_only,
        "announce": given.announce,
        "announce_name": given.announce_name,
        "log_level": given.log_level,
        "log_file": given.log_file,
        "metrics": given.metrics,
    }
    limits: dict[str, Any] = {"tables": given.max_tables, "grace_seconds": given.grace}
    config = msgspec.structs.replace(
        config,
        limits=msgspec.structs.replace(config.limits, **_said(limits)),
        **_said(values),
    )
    check(config)
    return config


def _said(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _admin(config: Config, given: argparse.Namespace) -> int:
    from dalmuti.server.adminclient import AdminError, run
    from dalmuti.server.config import ConfigError

    if config.data is None:
        raise ConfigError("which server? Name its folder with --data, or its --config")
    what = getattr(given, "what", "")
    text = what if isinstance(what, str) else " ".join(what)
    try:
        return run(Path(config.data), given.order, text)
    except AdminError as error:
        print(f"dalmuti-server admin: {error}", file=sys.stderr)
        return NO_CONNECTION


def _backup(config: Config, file: Path) -> int:
    from dalmuti.server.config import ConfigError
    from dalmuti.server.store.store import StoreError, backup

    if config.data is None:
        raise ConfigError("backup of what? Name the server's folder with --data, or its --config")
    try:
        backup(Path(config.data), file)
    except StoreError as error:
        raise ConfigError(str(error)) from None
    print(f"{file}: a copy of the journal; as journal.db in a new data folder it can be served")
    return 0


def _serve(config: Config, given: argparse.Namespace) -> int:
    from tempfile import TemporaryFile

    import trio

    from dalmuti.server.app import App, StartError, Stops
    from dalmuti.server.config import ConfigError
    from dalmuti.server.log import Log
    from dalmuti.server.system import collect_seldom

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
    stops = Stops(signals=True, lifeline=given.lifeline, until_empty=given.until_empty)
    app = App(config, Log(sink=_sink(config)), reread=lambda: _configured(given))

    def announce(addresses: list[str]) -> None:
        _say_listening(app, config.log_format)

    collect_seldom()
    try:
        trio.run(app.run, stops, announce)
    except StartError as error:
        print(f"dalmuti-server: {error}", file=sys.stderr)
        return WRONG_USE
    return 0


def _sink(config: Config) -> Sink:
    from dalmuti.server.config import ConfigError
    from dalmuti.server.log import LogFile, Sink

    file = None
    if config.log_file is not None:
        try:
            file = LogFile(Path(config.log_file), config.log_file_bytes, config.log_files)
        except OSError as error:
            raise ConfigError(f"cannot write the log {config.log_file}: {error.strerror}") from None
    return Sink(config.log_format, level=config.log_level, file=file)


def _say_listening(app: App, form: str) -> None:
    """The first line on standard output: programs wait for it."""
    import json
    from importlib.metadata import version

    tls = [each.address for each in app.entrances if each.certificate is not None]
    insecure = [each.address for each in app.entrances if each.is_insecure]
    if form == "json":
        values = {
            "event": "listening",
            "addresses": app.addresses,
            "tls": tls,
            "insecure": insecure,
            "metrics": None if app.operations is None else app.operations.metrics_address,
            "version": version("dalmuti"),
            "pid": os.getpid(),
        }
        line = json.dumps(values)
    else:
        said = [f"{each} (TLS)" if each in tls else each for each in app.addresses]
        line = f"dalmuti-server listens on {', '.join(said)}"
        if insecure:
            line += (
                f"\n{', '.join(insecure)}: open to the internet without TLS, as you allowed;"
                " everything, passwords too, can be overheard on the way"
            )
    try:
        print(line, flush=True)
    except OSError:
        pass


if __name__ == "__main__":
    sys.exit(main())
