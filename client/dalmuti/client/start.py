"""What the commands do once the command line is understood (`cli`).

Each function returns an exit code. `Refusal` is how anything that a person can put right leaves:
one sentence and a code.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import shlex
import shutil
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from dalmuti.client import i18n, out, servers, settings
from dalmuti.client.commands.parts import OK, WRONG_USE
from dalmuti.client.commands.tables import LEVELS
from dalmuti.client.foreign import said
from dalmuti.client.i18n import tr
from dalmuti.client.settings import Settings, SettingsError
from dalmuti.core.options import OptionError, TableOptions, options_from
from dalmuti.protocol.text import clean_table_name, cut

SMALLEST: Final = (80, 24)
"""Columns and rows that the full screen needs."""
ADDRESS: Final = re.compile(
    r"\[(?P<ipv6>[^][/\s]+)\](:(?P<port6>\d{1,5}))?"
    r"|(?P<bare>[^][/\s:]*(:[^][/\s:]*){2,})"
    r"|(?P<host>[^][/\s:]+)(:(?P<port>\d{1,5}))?",
    re.ASCII,
)


class Refusal(Exception):
    """The command cannot be done as given; the text is a sentence without its dot."""

    def __init__(self, text: str, code: int = WRONG_USE) -> None:
        super().__init__(text)
        self.code = code


def run(given: argparse.Namespace) -> int:
    """Does what was asked for, in the language of whoever asked.

    A command without `--lang` is a tool, and tools speak English.
    """
    module, _, function = given.action.partition(":")
    try:
        if "lang" in given:
            accents = _utf8()
            i18n.use(i18n.language_of(), accents=accents)  # for what is wrong with the settings
            language = given.lang or settings.load().lang or i18n.language()
            i18n.use(language, accents=accents)
        with quick_imports():
            does = getattr(import_module(module), function)
        code: int = does(given)
        return code
    except (Refusal, SettingsError, servers.ServerError) as refusal:
        code = refusal.code if isinstance(refusal, Refusal) else WRONG_USE
        out.complain(f"dalmuti {given.command}: {refusal}.")
        return code


@contextmanager
def quick_imports() -> Iterator[None]:
    """Imports without a look for garbage, of which they make none; and never a look at them again.

    It saves an eighth of the time to the first screen.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


# -- at a table -------------------------------------------------------------------------------


def play(given: argparse.Namespace) -> int:
    """A private server, a solo table, house bots."""
    wishes = settings.load()
    mode = mode_of(given, wishes)
    name, _ = settings.chosen_name(given.name, wishes)
    levels = [LEVELS[given.level[n % len(given.level)]] for n in range(given.seats - 1)]
    if given.learn:
        from dalmuti.client import learning

        learning.prepare(given)
        levels = [learning.BOT] * (given.seats - 1)
    options = _options(given, {"turn_seconds": 0})
    server = servers.start_private(given.bot_delay, servers.matches_folder())
    try:
        with quick_imports():
            from dalmuti.client.link import tcp
            from dalmuti.client.session import Session
            from dalmuti.client.steward import Steward
            from dalmuti.protocol.messages import CreateTable

        session = Session(
            tcp("127.0.0.1", server.port),
            name=name,
            address=tr("our own server"),
            entry=CreateTable(
                id=0, table=table_name(None, name), options=options, solo=True, seed=given.seed
            ),
        )
        steward = Steward(tuple(levels), hands=given.hands, deal_first=True)
        with history_of(session, given, wishes):
            code = show(mode, session, steward, given, wishes)
    finally:
        server.stop()
    _say_saved(server, session.commitments, over=True)
    return code


def _say_saved(server: servers.Server, commitments: Collection[str], *, over: bool) -> None:
    if server.unsaved:
        say(tr("The match was not saved: {reason}.", reason=server.unsaved))
    for file in server.saved(commitments):
        command = f"dalmuti replay {shlex.quote(str(file))}"
        if over:
            say(tr("The match was saved: {command}", command=command))
        else:
            say(tr("The match so far was saved: {command}", command=command))


@contextmanager
def history_of(session: Any, given: argparse.Namespace, wishes: Settings) -> Iterator[None]:
    """Within it the hands of this session are written down; a lesson is none of them."""
    if not wishes.history or getattr(given, "learn", False):
        yield
        return
    from dalmuti.client.history.historian import Historian
    from dalmuti.client.words.stats import not_kept

    historian = Historian(given.command)
    session.overhear = historian.hear
    yield
    if historian.problem:
        say(not_kept(historian.problem))


def host(given: argparse.Namespace) -> int:
    """A server for the network, a table on it, and ourselves as its host."""
    _no_advice(given)
    if given.bots >= given.seats:
        raise Refusal(
            tr(
                "expected fewer bots than the {seats} seats, found {bots}",
                seats=given.seats,
                bots=given.bots,
            )
        )
    wishes = settings.load()
    mode = mode_of(given, wishes)
    name, _ = settings.chosen_name(given.name, wishes)
    options = _options(given, {})
    table = table_name(given.table, name)
    if given.ssh is not None:
        from dalmuti.client.ssh import command

        command.check()
    server = servers.start_public(
        given.bind,
        given.port,
        given.password,
        given.bot_delay,
        servers.matches_folder(),
        insecure=given.insecure,
        found_as=given.table and table,
        tells_end=given.ssh is not None,
    )
    here = "127.0.0.1" if given.bind in ("0.0.0.0", "") else given.bind
    lines = servers.join_lines(given.bind, server.port)
    told = [tr("Others join with: {command}", command=line) for line in lines]
    if server.end is not None:
        from dalmuti.client.ssh import beside
        from dalmuti.client.words import guests

        gateway = beside.start(
            f"{here}:{server.port}",
            given.bind,
            given.ssh,
            lifeline=server.end,
            password=given.password,
            lan_only=not given.insecure,
        )
        lines = beside.among(lines, gateway.lines)
        told += [*map(guests.guests_type, gateway.lines), guests.host_key(gateway.host_key)]
    for line in told:
        say(line)
    with quick_imports():
        from dalmuti.client.link import tcp
        from dalmuti.client.session import Session
        from dalmuti.client.steward import USUAL_BOT, Steward
        from dalmuti.protocol.messages import CreateTable

    store = claim_seat(f"{here}:{server.port}", name)
    try:
        session = Session(
            tcp(here, server.port),
            name=name,
            address=f"{here}:{server.port}",
            password=given.password,
            entry=CreateTable(id=0, table=table, options=options),
            store=store[0] if store else None,
        )
        steward = Steward((USUAL_BOT,) * given.bots, hands=given.hands)
        with history_of(session, given, wishes):
            code = show(mode, session, steward, given, wishes, join_lines=tuple(lines))
    finally:
        if store:
            store[0].close()
    _say_saved(server, session.commitments, over=False)
    for line in told:
        say(line)
    say(tr("The server stops by itself soon after the last has left."))
    return code


def join(given: argparse.Namespace) -> int:
    """A seat at somebody's table, or our own again."""
    _no_advice(given)
    if given.address is None:
        from dalmuti.client.choosing import choose

        server = choose()
        given.address, given.tls = server.address, given.tls or server.tls
    target, port = address_of(given.address)
    wishes = settings.load()
    mode = mode_of(given, wishes)
    name, chosen = settings.chosen_name(given.name, wishes)
    with quick_imports():
        from dalmuti.client.link import tcp
        from dalmuti.client.session import Held, Session
        from dalmuti.client.steward import Steward
        from dalmuti.protocol.messages import JoinTable

    address = f"{target}:{port}"
    trust = trust_of(given, target, port)
    store = None
    if not given.watch:
        # A token that was had over TLS is never said in the plain.
        key = address if trust is None else f"tls://{address}"
        store = claim_seat(key, name if given.name else None, given.table)
    seat = store[1] if store else None
    entry = JoinTable(id=0, table=given.table or "?", watch=given.watch, password=given.password)
    try:
        session = Session(
            tcp(target, port) if trust is None else trust.connect,
            note=str if trust is None else trust.note,
            name=seat.name if seat else name,
            number_name=not chosen,
            address=address,
            password=given.password,
            entry=entry if given.table else None,
            join_only=None if given.table else entry,
            lobby=given.table is None,
            stay=given.table is None and mode == "screen",
            held=Held(seat.table, seat.token, seat.name) if seat else None,
            store=store[0] if store else None,
        )
        with history_of(session, given, wishes):
            return show(mode, session, Steward(), given, wishes)
    finally:
        if store:
            store[0].close()


def _no_advice(given: argparse.Namespace) -> None:
    """Raises Refusal where advice is wanted against people."""
    if given.advice:
        raise Refusal(
            tr("--advice: expected a game against bots alone, which is `dalmuti play --advice`")
        )


def trust_of(given: argparse.Namespace, host: str, port: int) -> Any:
    """The `trust.Trust` for a connection with TLS; None without. Raises Refusal."""
    if not given.tls and given.fingerprint is None:
        return None
    from dalmuti.client.trust import FingerprintError, Trust, fingerprint_from

    try:
        pinned = None if given.fingerprint is None else fingerprint_from(given.fingerprint)
    except FingerprintError as error:
        raise Refusal(str(error)) from None
    return Trust(host, port, pinned)


def show(
    mode: settings.Mode,
    session: Any,
    steward: Any,
    given: argparse.Namespace,
    wishes: Settings,
    join_lines: tuple[str, ...] = (),
) -> int:
    """Runs the session under the interface that was chosen; all run on asyncio."""
    import anyio

    advise, learn = _advisor(given), getattr(given, "learn", False)
    bell = wishes.bell if given.bell is None else given.bell
    title = wishes.title if given.title is None else given.title
    if mode != "screen":
        from dalmuti.client.talk import Talk

        deals = steward.hands is not None
        talk = Talk(deals_itself=deals, bell=bell, learn=learn, advise=advise, hidden=given.hide)
    if mode == "plain":
        from dalmuti.client.plain import run_plain

        return anyio.run(run_plain, session, steward, talk)
    if mode == "line":
        from dalmuti.client.line import run_line

        return anyio.run(run_line, session, steward, talk, title)
    with quick_imports():
        from dalmuti.client.tui.app import run_screen
        from dalmuti.client.tui.control import Options

    options = Options(
        join_lines=join_lines,
        stay=session.stay,
        ascii=ascii_wanted(given, wishes),
        theme=given.theme or wishes.theme,
        mouse=wishes.mouse if given.mouse is None else given.mouse,
        bell=bell,
        title=title,
        learn=learn,
        hidden=given.hide,
    )
    return anyio.run(run_screen, session, steward, options, advise)


def _advisor(given: argparse.Namespace) -> Any:
    """The expert bot as an advisor, where it was asked for. Raises Refusal when it is damaged."""
    if not given.advice:
        return None
    from dalmuti.client.bots.advisor import Advisor
    from dalmuti.client.bots.network import WeightsError

    try:
        return Advisor()
    except WeightsError as error:
        raise Refusal(tr("--advice: the expert is not there: {why}", why=error)) from None


# -- records and the protocol -----------------------------------------------------------------


def verify(given: argparse.Namespace) -> int:
    """A saved match, proved: 0 if all of it is true, 1 if not."""
    from dalmuti.client.replay import telling

    try:
        lines, true = telling.verdicts(telling.read(Path(given.file)))
    except telling.RecordError as error:
        raise Refusal(str(error)) from None
    for line in lines:
        out.say(line)
    return OK if true else 1


def describe(given: argparse.Namespace) -> int:
    """The protocol, from the classes themselves."""
    from dalmuti.protocol import describe

    out.say((describe.json() if given.json else describe.text()).removesuffix("\n"))
    return OK


# -- what was asked for -----------------------------------------------------------------------


def mode_of(given: argparse.Namespace, wishes: Settings) -> settings.Mode:
    """Which interface to use. Without a real terminal it is the plain one.

    Raises Refusal for a terminal that is too small for the full screen.
    """
    if not at_terminal() or os.environ.get("TERM") in ("dumb", "unknown"):
        return "plain"
    mode: settings.Mode = given.mode or wishes.mode
    if mode == "screen":
        size = shutil.get_terminal_size()
        if size.columns < SMALLEST[0] or size.lines < SMALLEST[1]:
            wanted, found = f"{SMALLEST[0]}x{SMALLEST[1]}", f"{size.columns}x{size.lines}"
            raise Refusal(
                tr(
                    "expected a terminal of at least {wanted} for the full screen, found {found};"
                    " enlarge it, or use --plain or --line",
                    wanted=wanted,
                    found=found,
                )
            )
    return mode


def at_terminal() -> bool:
    """Whether a person types, and reads what is said."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def ascii_wanted(given: argparse.Namespace, wishes: Settings) -> bool:
    """Whether to draw with ASCII signs only: because it was asked for, or nothing else can be."""
    return bool(given.ascii if given.ascii is not None else wishes.ascii) or not _utf8()


def _utf8() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


def _options(given: argparse.Namespace, usual: dict[str, str | int]) -> dict[str, str | int]:
    """The table options of the command line, as a request carries them. Raises Refusal."""
    options = options_given(given.rules, {**usual, "seats": given.seats})
    usual_options = TableOptions()
    return {
        name: getattr(options, name)
        for name in TableOptions.__struct_fields__
        if getattr(options, name) != getattr(usual_options, name)
    }


def options_given(rules: str, usual: dict[str, str | int]) -> TableOptions:
    """The table options after `--rules`; where it is silent they are as `usual`. Raises Refusal."""
    values: dict[str, str | int] = {}
    for part in filter(None, rules.split(",")):
        name, equals, value = part.partition("=")
        if not equals:
            raise Refusal(
                tr("--rules: expected NAME=VALUE with commas between, found {part!r}", part=part)
            )
        name = name.strip()
        if name in values:
            raise Refusal(tr("--rules: expected each rule once, found {name!r} twice", name=name))
        values[name] = value.strip()
    if "seats" in values:
        raise Refusal(tr("--rules: give the number of seats with --seats"))
    try:
        return options_from({**usual, **values})
    except OptionError as error:
        raise Refusal(f"--rules: {said(str(error))}") from None


def table_name(given: str | None, name: str) -> str:
    """The table's name: as given, or `Ada's table`. Raises Refusal."""
    try:
        return clean_table_name(given if given is not None else _own_table(name))
    except ValueError as error:
        raise Refusal(f"--table: {said(str(error))}") from None


def _own_table(name: str) -> str:
    return cut(tr("{name}'s table", name=name), 24, "")


def address_of(text: str) -> tuple[str, int]:
    """HOST, HOST:PORT or [IPV6]:PORT. Raises Refusal."""
    found = ADDRESS.fullmatch(text)
    port = int(found["port6"] or found["port"] or servers.DEFAULT_PORT) if found else 0
    if found is None or not 0 < port < 65536:
        raise Refusal(
            tr("expected HOST or HOST:PORT, such as 192.168.1.20:12013, found {text!r}", text=text)
        )
    return found["ipv6"] or found["bare"] or found["host"], port


def claim_seat(address: str, name: str | None, table: str | None = None) -> tuple[Any, Any] | None:
    """Our seat file for this server; without one we play on, and cannot come back."""
    from dalmuti.client import seats

    with suppress(OSError):
        return seats.claim(address, name, table)
    return None


def say(text: str) -> None:
    """A line for the person, where there still is somebody who reads."""
    with suppress(OSError):
        out.say(text)
