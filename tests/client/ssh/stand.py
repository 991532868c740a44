"""A gateway in this process, and guests of it: what they see is drawn by pyte.

The game behind it is a stage, so that nothing is tested here but the way in. Nothing waits for a
fixed time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncssh
import pyte

from client.tui.tables import Stage, your_turn
from client.tui.test_app import FakeSession
from dalmuti.client.seats import SeatFile
from dalmuti.client.ssh import gateway as gateways
from dalmuti.client.ssh.gateway import Config, Gateway
from dalmuti.client.ssh.guest import Guest
from dalmuti.client.ssh.limits import Limits
from dalmuti.client.ssh.log import Log
from dalmuti.core import events as ev
from dalmuti.protocol.messages import EventMessage

HOST_KEY = asyncssh.generate_private_key("ssh-ed25519")
PATIENCE = 30.0


def run(scenario: Callable[[], Awaitable[None]]) -> None:
    """Runs a test in the loop that gateways have."""

    async def whole() -> int:
        async with asyncio.timeout(2 * PATIENCE):
            await scenario()
        return 0

    assert gateways.run(whole) == 0


class StageSession(FakeSession):
    """A session at a stage, as a guest has it."""

    stay = False

    def say(self, text: str) -> None:
        """Somebody at the table says something."""
        self.stage.seq += 1
        self.hear(EventMessage(seq=self.stage.seq, event=ev.Chatted("Grace", text, 2)))


class Lines(logging.Handler):
    """The log, as it would be written."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(logging.Formatter("%(message)s").format(record))

    def text(self) -> str:
        return "\n".join(self.lines)


class Stand(Gateway):
    """A gateway to a stage."""

    def __init__(self, config: Config, lines: Lines) -> None:
        super().__init__(config)
        self.port = 0
        self.said = lines
        self.sessions: list[StageSession] = []
        self.stores: list[SeatFile | None] = []

    def session(self, nick: str, store: SeatFile | None) -> Any:
        self.sessions.append(StageSession(Stage(4, seed=7).deal().run(your_turn)))
        self.stores.append(store)
        return self.sessions[-1]

    def only(self) -> Guest:
        (guest,) = self.guests
        return guest


async def nowhere() -> Any:
    raise AssertionError("a stage needs no connection")


@asynccontextmanager
async def standing(folder: Path, limits: Limits | None = None, **more: Any) -> AsyncIterator[Stand]:
    """A gateway that listens, until the end of the block."""
    lines = Lines()
    logger = logging.Logger("test")
    logger.addHandler(lines)
    config = Config(
        connect=nowhere,
        server="127.0.0.1:1",
        host_key=HOST_KEY,
        log=Log(logger),
        port=0,
        seats=folder / "seats",
        limits=limits or Limits(),
        **more,
    )
    stand = Stand(config, lines)
    stop, listening = asyncio.Event(), asyncio.Event()

    def ready(port: int) -> None:
        stand.port = port
        listening.set()

    running = asyncio.create_task(stand.run(ready, stop))
    await listening.wait()
    try:
        yield stand
    finally:
        stop.set()
        await running


async def until(holds: Callable[[], Any], what: Callable[[], str] = lambda: "") -> None:
    """Waits until something holds."""
    try:
        async with asyncio.timeout(PATIENCE):
            while not holds():  # noqa: ASYNC110 (there is no event for it)
                await asyncio.sleep(0.002)
    except TimeoutError:
        raise AssertionError(f"never came true; {what()}") from None


class Eye(asyncssh.SSHClientSession[str]):
    """A terminal at the end of an ssh session."""

    def __init__(self, columns: int = 80, rows: int = 24) -> None:
        self.screen = pyte.Screen(columns, rows)
        self.raw, self.errors = "", ""
        self.closed = asyncio.Event()
        self.chan: asyncssh.SSHClientChannel[str]
        self._stream = pyte.Stream(self.screen)

    def connection_made(self, chan: asyncssh.SSHClientChannel[str]) -> None:
        self.chan = chan

    def data_received(self, data: str, datatype: asyncssh.DataType) -> None:
        if datatype == asyncssh.EXTENDED_DATA_STDERR:
            self.errors += data
        else:
            self.raw += data
            self._stream.feed(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed.set()

    def text(self) -> str:
        return "\n".join(row.rstrip() for row in self.screen.display)

    async def until(self, wanted: str | Callable[[], Any]) -> None:
        """Waits until something is on the screen, or holds."""
        holds = wanted if callable(wanted) else lambda: wanted in self.text()
        await until(lambda: holds() or self.closed.is_set(), lambda: f"{wanted!r}\n{self.text()}")
        assert holds(), f"closed before {wanted!r}: {self.errors}\n{self.text()}"

    async def type(self, keys: str, wanted: str | Callable[[], Any]) -> None:
        """Presses keys and waits for what comes of them."""
        self.chan.write(keys)
        await self.until(wanted)

    async def over(self) -> int | None:
        """Waits for the end; the exit status."""
        async with asyncio.timeout(PATIENCE):
            await self.closed.wait()
        return self.chan.get_exit_status()

    def restored(self) -> bool:
        """Whether the terminal was given back as it was."""
        pairs = [("\x1b[?1049h", "\x1b[?1049l"), ("\x1b[?1000h", "\x1b[?1000l")]
        return all(self.raw.rfind(on) <= self.raw.rfind(off) for on, off in pairs)


async def connect(stand: Stand, name: str = "ada", **more: Any) -> asyncssh.SSHClientConnection:
    """A connection of a guest, who has no key unless it is given."""
    usual: dict[str, Any] = {
        "client_keys": None,
        "agent_path": None,
        "known_hosts": None,
        "config": [],
        "password": None,
    }
    where = {} if "sock" in more else {"host": "127.0.0.1", "port": stand.port}
    return await asyncssh.connect(**where, username=name, **{**usual, **more})


async def sit(
    connection: asyncssh.SSHClientConnection,
    *,
    size: tuple[int, int] = (80, 24),
    term: str | None = "xterm",
    command: str | None = None,
    subsystem: str | None = None,
    **more: Any,
) -> Eye:
    """A session at this connection."""
    eye = Eye(min(max(size[0], 1), 250), min(max(size[1], 1), 80))
    if term is not None:
        more |= {"term_type": term, "term_size": size}
    await connection.create_session(
        lambda: eye, command, subsystem=subsystem, encoding="utf-8", **more
    )
    return eye


async def seated(stand: Stand, name: str = "ada", **more: Any) -> Eye:
    """A guest who sees his cards."""
    connection = await connect(stand, name)
    eye = await sit(connection, **more)
    await eye.until("YOUR TURN")
    return eye
