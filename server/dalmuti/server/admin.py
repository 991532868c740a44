"""What whoever runs the server can do while it runs: over a Unix socket that only he can open.

One connection is one command: a line of JSON such as `{"do": "kick", "what": "Ada"}`, answered by
one, `{"ok": true, "lines": [...]}` or `{"ok": false, "lines": ["why not"]}`. The socket is
`admin.sock` in the data folder, readable by the server's user alone. Whatever changes something is
in the log. There is no command that shows a card: whoever runs the server may be playing.
"""

from __future__ import annotations

import os
import socket
import stat
import struct
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
import trio
from msgspec import Struct

from dalmuti.protocol.messages import MAX_CHAT
from dalmuti.protocol.text import safe_text
from dalmuti.server.bans import BanError, Bans
from dalmuti.server.brief import AT_ONCE, Brief
from dalmuti.server.entrance import EntranceError
from dalmuti.server.log import LEVELS, Log
from dalmuti.server.steering import Steering

SOCKET: Final = "admin.sock"
MOST_BYTES: Final = 4096
SECONDS: Final = 10.0
LONGEST_PATH: Final = 103
"""Bytes of a path that all systems take for a socket."""
DRAIN_SECONDS: Final = 300.0
"""How long `drain` waits for the hands that are being played, unless it is told."""


class Command(Struct, frozen=True):
    """What is asked for."""

    do: str
    what: str = ""


class Answer(Struct, frozen=True):
    """What came of it, as lines for people."""

    ok: bool
    lines: list[str] = []


class Refusal(Exception):
    """The command cannot be done; the text is a sentence."""


class Admin:
    """Does the commands."""

    def __init__(
        self, steering: Steering, bans: Bans, log: Log, drain: Callable[[float, str], None]
    ) -> None:
        """`drain` begins the orderly end of the server, within so many seconds."""
        self._steering, self._bans, self._log, self._drain = steering, bans, log, drain
        self.serve = Brief(self._answer_on, SECONDS, log, "admin_crashed").serve

    async def _answer_on(self, stream: trio.SocketStream) -> bytes:
        answer = await self.answer(await _line(stream), _user_of(stream))
        return msgspec.json.encode(answer) + b"\n"

    async def answer(self, line: bytes, user: int | None = None) -> Answer:
        """Does what one line says. `user` is for the log."""
        try:
            command = msgspec.json.decode(line, type=Command)
        except msgspec.DecodeError as error:
            return Answer(False, [f"this is no command: {error}"])
        commands: dict[str, Callable[[str], Awaitable[list[str]]]] = {
            "tables": self._tables,
            "players": self._players,
            "kick": self._kick,
            "ban": self._ban,
            "unban": self._unban,
            "bans": self._list_bans,
            "announce": self._announce,
            "drain": self._begin_drain,
            "ladder": self._ladder,
            "log-level": self._log_level,
        }
        if command.do not in commands:
            return Answer(False, [f"expected one of {', '.join(commands)}, found {command.do!r}"])
        what = safe_text(command.what).strip()
        try:
            answer = Answer(True, await commands[command.do](what))
        except (Refusal, BanError) as error:
            answer = Answer(False, [str(error)])
        self._log.audit("admin", do=command.do, what=what, ok=answer.ok, uid=user)
        return answer

    # -- looking ------------------------------------------------------------------------------

    async def _tables(self, what: str) -> list[str]:
        rows: list[tuple[str, ...]] = [
            ("table", "state", "hand", "people", "bots", "watchers", "host")
        ]
        for room in self._steering.lobby.rooms.values():
            info = room.table.info()
            numbers = (info.hand, info.people, info.bots, info.watchers)
            rows.append((info.table, info.state, *map(str, numbers), info.host))
        return _columns(rows)

    async def _players(self, what: str) -> list[str]:
        rows: list[tuple[str, ...]] = [("name", "kind", "table", "presence", "conn", "address")]
        free = dict(self._steering.lobby.peers)
        for room in self._steering.lobby.rooms.values():
            people = room.table.people
            for player in people.seated():
                peer = free.pop(player.conn, None) if player.conn is not None else None
                conn = "-" if player.conn is None else str(player.conn)
                address = "-" if peer is None else peer.address
                rows.append(
                    (player.name, player.kind, room.table.name, player.presence, conn, address)
                )
            for number, name in people.watchers.items():
                peer = free.pop(number, None)
                address = "-" if peer is None else peer.address
                rows.append((name, "watches", room.table.name, "here", str(number), address))
        for peer in free.values():
            if peer.caller is not None:
                caller = peer.caller
                rows.append((caller.name, caller.kind, "-", "here", str(peer.conn), peer.address))
        return _columns(rows)

    async def _list_bans(self, what: str) -> list[str]:
        return self._bans.listed() or ["nobody is banned"]

    async def _ladder(self, what: str) -> list[str]:
        """The standings, and whether the kept matches lead to the same."""
        book = self._steering.lobby.ladder.book
        rows: list[tuple[str, ...]] = [
            ("name", "kind", "mu", "sigma", "matches", "hands", "points", "firsts")
        ]
        for each in book.standings():
            numbers = (each.matches, each.hands, each.points, each.firsts)
            rating = (f"{each.rating.mu:.2f}", f"{each.rating.sigma:.2f}")
            kind = "house" if each.house else "bot"
            rows.append((each.name, kind, *rating, *map(str, numbers)))
        matches, wrong = await book.differences()
        verdict = f"computed again from {matches} matches: "
        if wrong:
            return [*_columns(rows), f"{verdict}other figures for {', '.join(wrong)}"]
        return [*_columns(rows), f"{verdict}the same"]

    # -- acting -------------------------------------------------------------------------------

    async def _kick(self, what: str) -> list[str]:
        if not what:
            raise Refusal("kick whom? Give a name; `players` lists them")
        gone = await self._steering.send_away(what)
        if not gone:
            raise Refusal(f"nobody is called {what!r}; `players` lists everybody")
        return [f"sent away: {', '.join(gone)}"]

    async def _ban(self, what: str) -> list[str]:
        if not what:
            raise Refusal("ban whom? Give a name, an address, or a network such as 203.0.113.0/24")
        taken_for = self._bans.add(what)
        gone = await self._steering.send_away(what) if self._bans.has_name(what) else []
        gone += self._steering.send_away_addresses(self._bans.has_address)
        return [f"banned: {taken_for}", *(f"sent away: {name}" for name in gone)]

    async def _unban(self, what: str) -> list[str]:
        if not self._bans.remove(what):
            raise Refusal(f"{what!r} is not banned; `bans` lists who is")
        return [f"no longer banned: {what}"]

    async def _announce(self, what: str) -> list[str]:
        if not what or len(what) > MAX_CHAT:
            raise Refusal(f"expected a text of 1 to {MAX_CHAT} characters, found {len(what)}")
        return [f"told to {self._steering.tell_all(what)} connections"]

    async def _begin_drain(self, what: str) -> list[str]:
        seconds = DRAIN_SECONDS
        if what:
            if not (what.isascii() and what.isdecimal() and int(what) <= 86_400):
                raise Refusal(f"expected a number of seconds, found {what!r}")
            seconds = float(what)
        self._drain(seconds, "admin")
        return [
            "no new tables are opened; the server stops when no hand is played any more,"
            f" in {seconds:.0f} s at the latest"
        ]

    async def _log_level(self, what: str) -> list[str]:
        for level in LEVELS:
            if level == what:
                self._log.sink.level = level
                return [f"the log has {level} and above"]
        raise Refusal(f"expected one of {', '.join(LEVELS)}, found {what!r}")


def listen(folder: Path) -> trio.SocketListener | None:
    """Opens the socket in the data folder, for its owner only.

    None where there are no such sockets (Windows), or the folder's path is too long for one.
    The caller holds the folder, so a socket that is there already is a dead server's. Raises
    EntranceError.
    """
    path = folder / SOCKET
    if not hasattr(socket, "AF_UNIX") or len(os.fsencode(path)) > LONGEST_PATH:
        return None
    own = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        with suppress(FileNotFoundError):
            if stat.S_ISSOCK(path.stat().st_mode):
                path.unlink()
        own.bind(str(path))
        own.listen(AT_ONCE)
    except OSError as error:
        own.close()
        raise EntranceError(f"cannot listen on {path}: {error.strerror or error}") from None
    finally:
        os.umask(before)
    return trio.SocketListener(trio.socket.from_stdlib_socket(own))


async def _line(stream: trio.SocketStream) -> bytes:
    data = b""
    while b"\n" not in data and len(data) <= MOST_BYTES:
        some = await stream.receive_some(MOST_BYTES)
        if not some:
            break
        data += some
    return data.partition(b"\n")[0][:MOST_BYTES]


def _user_of(stream: trio.SocketStream) -> int | None:
    """Whose process is at the other end, where the system tells."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return None
    form = struct.Struct("3i")
    with suppress(OSError):
        _, uid, _ = form.unpack(stream.socket.getsockopt(socket.SOL_SOCKET, option, form.size))
        return int(uid)
    return None


def _columns(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    return ["  ".join(_padded(row, widths)).rstrip() for row in rows]


def _padded(row: tuple[str, ...], widths: list[int]) -> Iterator[str]:
    for text, width in zip(row, widths, strict=True):
        yield text.ljust(width)
