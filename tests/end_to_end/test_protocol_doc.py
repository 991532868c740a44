"""docs/protocol.md says what the server does, and a bot can be written from it alone."""

from __future__ import annotations

import ast
import io
import subprocess
import sys
from pathlib import Path

import trio

from dalmuti.protocol import codec
from dalmuti.protocol.connection import NEED_DATA, Connection
from dalmuti.protocol.messages import (
    CreateTable,
    Deal,
    EventMessage,
    Hello,
    Message,
    Welcome,
)
from dalmuti.protocol.text import RESERVED
from dalmuti.server.app import App
from dalmuti.server.config import Config
from dalmuti.server.log import Log

ROOT = Path(__file__).parents[2]
BOT = ROOT / "examples" / "minimal_bot.py"


def test_everything_generated_is_current() -> None:
    """Records a session of the real server again and compares it with the examples."""
    run = subprocess.run(
        [sys.executable, "-m", "tools.protocol_doc", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_the_minimal_bot_is_minimal() -> None:
    source = BOT.read_text()
    assert len(source.splitlines()) < 120
    imported = {
        alias.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import)
        for alias in node.names
    } | {
        str(node.module) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)
    }
    assert {name for name in imported if name not in sys.stdlib_module_names} == {"msgpack"}


class Host:
    """The host of an arena table, who watches and deals."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream, self.connection = stream, Connection("client")

    async def say(self, message: Message) -> None:
        await self.stream.send_all(self.connection.send(message))  # type: ignore[arg-type]

    async def hear(self) -> object:
        while (message := self.connection.next_message()) is NEED_DATA:
            data = await self.stream.receive_some(65536)
            assert data, "the server hung up"
            self.connection.receive_data(data)
        return message

    async def until(self, *kinds: str) -> str:
        """Waits for one of these events."""
        while True:
            message = await self.hear()
            if isinstance(message, EventMessage):
                kind = str(type(message.event).__struct_config__.tag)
                if kind in kinds:
                    return kind


async def test_the_minimal_bot_plays_a_match(nursery: trio.Nursery) -> None:
    """Three of them and nobody else, from the first titles to the end of the match."""
    app = App(Config(listen=("127.0.0.1:0",), bot_delay=0), Log(stream=io.StringIO()))
    addresses: list[str] = await nursery.start(app.run)
    host, _, port = addresses[0].rpartition(":")
    ended: list[str] = []

    async def run_bot(name: str) -> None:
        command = [sys.executable, str(BOT), host, port, "Arena", name]
        done = await trio.run_process(command, capture_stdout=True)
        ended.append(done.stdout.decode())

    with trio.fail_after(60):
        stream = await trio.open_tcp_stream(host, int(port))
        arena = Host(stream)
        await arena.say(Hello(versions=(1, 1), name="Host of it"))
        assert isinstance(await arena.hear(), Welcome)
        options: dict[str, str | int] = {"seats": 3, "match_end": "hands:2"}
        await arena.say(CreateTable(id=1, table="Arena", options=options, watch=True))
        async with trio.open_nursery() as bots:
            for name in ("Uno", "Due", "Tre"):
                bots.start_soon(run_bot, name)
                await arena.until("player_joined")
            for _ in range(2):
                await arena.say(Deal(id=2))
                await arena.until("hand_ended")
            await arena.until("match_ended")
        await stream.aclose()
    assert len(ended) == 3
    assert all(text.startswith("the match is over, won by player ") for text in ended)
    app.stopping.set()


async def test_the_minimal_bot_says_why_it_cannot_play(nursery: trio.Nursery) -> None:
    app = App(Config(listen=("127.0.0.1:0",)), Log(stream=io.StringIO()))
    addresses: list[str] = await nursery.start(app.run)
    host, _, port = addresses[0].rpartition(":")
    with trio.fail_after(30):
        done = await trio.run_process(
            [sys.executable, str(BOT), host, port, "Nowhere"], capture_stderr=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr.decode().startswith("cannot sit down: there is no such table")
    app.stopping.set()


def test_what_the_document_says_of_frames_is_so() -> None:
    """The bytes on the page are those of the hello beside them."""
    page = (ROOT / "docs" / "protocol.md").read_text()
    shown = page.partition("<!-- begin hello in hex -->\n```\n")[2].partition("```")[0]
    data = bytes.fromhex(shown)
    assert int.from_bytes(data[:4], "big") == len(data) - 4
    message = codec.decode_client(data[4:])
    assert message == Hello(versions=(1, 1), name="Ada", kind="bot")


def test_every_reserved_name_is_told() -> None:
    """A stranger whose bot is called `Host` should not have to find out by trying."""
    told = (ROOT / "docs" / "protocol.md").read_text()
    assert [name for name in RESERVED if f"`{name}`" not in told] == []
