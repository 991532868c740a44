"""Commands in the chat line: what `/deal` and its fellows do, and how Tab completes them."""

from __future__ import annotations

from dalmuti.client import words
from dalmuti.client.i18n import LANGUAGES, tr
from dalmuti.client.tui import switches, tabletexts
from dalmuti.client.tui.control import Control
from dalmuti.client.tui.keytexts import COMMANDS
from dalmuti.client.tui.style import THEMES
from dalmuti.core.events import PlayerInfo
from dalmuti.core.views import TableView
from dalmuti.protocol.messages import (
    Allow,
    Away,
    Chat,
    Close,
    CreateTable,
    Deal,
    GiveHost,
    JoinTable,
    Kick,
)

AT_TABLE = frozenset(
    "/who /score /rules /add /kick /allow /host /deal /away /back /pass /leave /close".split()
)
"""Commands that need a table."""
IN_LOBBY = frozenset(("/create", "/join", "/watch"))
"""Commands for one who sits at none."""


def say(control: Control, text: str, now: float) -> None:
    """What was typed into the chat line: a command, or something said to the table."""
    text = " ".join(text.split())
    if text.startswith("/"):
        run(control, text, now)
    elif text and control.table is None:
        control.ui.hint = tr(tabletexts.NEED_TABLE)
    elif text:
        control.ask(Chat, text=text)


def run(control: Control, text: str, now: float) -> None:
    """Runs one command. What is wrong with it is said in the line above the keys."""
    command, _, rest = text.partition(" ")
    command = command.lower()
    if command not in COMMANDS:
        control.ui.hint = tabletexts.unknown_command(command)
        return
    if control.table is None and command in AT_TABLE:
        control.ui.hint = tr(tabletexts.NEED_TABLE)
        return
    match command:
        case "/help":
            control.ui.overlay = "help"
        case "/quit":
            control.ui.overlay = "leave"
        case "/lang":
            control.ui.hint = words.switched(rest)
        case "/create" | "/join" | "/watch":
            _enter(control, command, rest)
        case "/pass" if control.table is not None:
            control.pass_on(now)
        case "/hide":
            switches.hide(control.ui, not control.ui.hidden)
        case "/theme":
            switches.set_theme(control.ui, rest)
        case "/ascii" | "/mouse" | "/bell" | "/title":
            switches.toggle(control.ui, command.removeprefix("/"))
        case _:
            assert control.table is not None
            _at_table(control, control.table, command, rest)


def _at_table(control: Control, table: TableView, command: str, rest: str) -> None:
    match command:
        case "/who":
            names = [words.with_kind(info) for info in _sitting(table)]
            control.notice(tabletexts.who_is_here(names, table.watchers))
        case "/score":
            control.ui.overlay = "scores"
        case "/rules":
            control.notice(words.rules(table.options))
        case "/add":
            control.add_bot(rest)
        case "/kick" | "/host":
            info = next((i for i in _sitting(table) if i.name.lower() == rest.lower()), None)
            if not rest:
                control.ui.hint = tabletexts.needs_name(command)
            elif info is None:
                control.ui.hint = tabletexts.nobody_called(rest)
            else:
                control.ask(Kick if command == "/kick" else GiveHost, player=info.player)
        case "/deal":
            control.ask(Deal)
        case "/away" | "/back":
            control.ask(Away, away=command == "/away")
        case "/leave":
            control.leave()
        case "/close":
            control.ask(Close)
        case "/allow":
            control.ask(Allow)


def _enter(control: Control, command: str, rest: str) -> None:
    """Opens a table, or enters one. A name may have spaces; `name=value` words come after it."""
    plain: list[str] = []
    options: dict[str, str | int] = {}
    for word in rest.replace(",", " ").split():
        name, equals, value = word.partition("=")
        if equals:
            options[name] = value
        else:
            plain.append(word)
    if not plain:
        control.ui.hint = tabletexts.needs_name(command)
        return
    password = options.pop("password", None)
    secret = None if password is None else str(password)
    table = " ".join(plain)
    if command == "/create":
        control.ask(CreateTable, table=table, options=options, password=secret)
    else:
        control.ask(JoinTable, table=table, watch=command == "/watch", password=secret)


def _sitting(table: TableView) -> list[PlayerInfo]:
    return [info for info in table.players if info.presence != "left"]


def offered(control: Control, text: str) -> tuple[str, ...]:
    """What the command that is being typed may become; for one that is whole, that one."""
    command, space, _ = text.partition(" ")
    if not text.startswith("/"):
        return ()
    found = [each.removeprefix(f"{command} ").strip() for each in completions(control, text)]
    if space and not found and command in COMMANDS:
        return (command,)
    return tuple(found)


def completions(control: Control, text: str) -> list[str]:
    """The whole lines that what was typed may become: commands, then names, bots or tables."""
    command, space, rest = text.partition(" ")
    if not text.startswith("/"):
        return []
    table = control.table
    if not space:
        useless = AT_TABLE if table is None else IN_LOBBY
        return [f"{name} " for name in COMMANDS if name.startswith(command) if name not in useless]
    names: list[str] = []
    if command == "/lang":
        names = list(LANGUAGES)
    elif command in ("/kick", "/host") and table is not None:
        names = [info.name for info in _sitting(table) if info.player != table.you]
    elif command == "/add" and control.model.welcome is not None:
        names = list(control.model.welcome.bots)
    elif command == "/theme":
        names = list(THEMES)
    elif command in ("/join", "/watch") and control.model.lobby is not None:
        names = [info.table for info in control.model.lobby.tables]
    return [f"{command} {name}" for name in names if name.lower().startswith(rest.lower())]
