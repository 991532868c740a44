"""The examples in three languages, each at a real table, and through a connection that breaks.

Where a language or its packages are not there, its tests are skipped, and say why.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgpack
import pytest
import trio

from dalmuti.core import events as ev
from dalmuti.protocol import messages as msg
from dalmuti.protocol.framing import frame
from end_to_end.conforming import conform, not_passed
from server.wire import TcpServer, running

EXAMPLES = Path(__file__).parents[2] / "examples"
DEBIAN = Path("/usr/share/cargo/registry")
"""Where Debian's packages of crates are: librust-rmp-serde-dev, librust-serde-json-dev."""
SOURCES = {
    "python": "minimal_bot.py",
    "javascript": "javascript/bot.mjs",
    "rust": "rust/src/main.rs",
}
CUT_AT = 4
"""The decision in whose place the connection breaks."""


def done(command: list[str], folder: Path) -> str:
    """What went wrong with a command, or nothing."""
    try:
        run = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=300, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return (run.stderr.strip() or str(run.returncode)) if run.returncode else ""


def javascript(folder: Path) -> list[str]:
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("node and npm are not installed")
    shutil.copytree(EXAMPLES / "javascript", folder, ignore=shutil.ignore_patterns("node_modules"))
    problem = done(["npm", "ci", "--no-audit", "--no-fund"], folder)
    if problem:
        pytest.skip(f"@msgpack/msgpack cannot be installed: {problem[-200:]}")
    return ["node", str(folder / "bot.mjs")]


def rust(folder: Path) -> list[str]:
    if not shutil.which("cargo"):
        pytest.skip("cargo is not installed")
    shutil.copytree(EXAMPLES / "rust", folder, ignore=shutil.ignore_patterns("target"))
    sources = []
    if any(DEBIAN.glob("rmp-serde-1*")):
        sources = [
            *("--config", 'source.crates-io.replace-with="debian"'),
            *("--config", f'source.debian.directory="{DEBIAN}"'),
        ]
    if problem := done(["cargo", "fetch", "--quiet", *sources], folder):
        pytest.skip(f"rmp-serde cannot be had: {problem[-200:]}")
    assert not done(["cargo", "build", "--quiet", "--offline", *sources], folder)
    return [str(folder / "target" / "debug" / "dalmuti-example-bot")]


@pytest.fixture(scope="session", params=list(SOURCES))
def command(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """How an example is started; HOST PORT TABLE NAME follow."""
    makers: dict[str, Callable[[Path], list[str]]] = {"javascript": javascript, "rust": rust}
    maker = makers.get(request.param)
    if maker is None:
        return [sys.executable, str(EXAMPLES / "minimal_bot.py")]
    return maker(tmp_path_factory.mktemp("examples") / request.param)


@pytest.mark.parametrize("file", SOURCES.values())
def test_examples_are_short(file: str) -> None:
    lines = (EXAMPLES / file).read_text().splitlines()
    assert len(lines) < 120 and max(map(len, lines)) <= 100


class Between:
    """Stands between a client and the server, reads what both say, and can break the connection.

    To the client it says things that this version does not know, and pings.
    """

    def __init__(self, port: int) -> None:
        self.port = 0
        self.said: list[dict[str, Any]] = []
        """By the client, over all connections."""
        self.connections = 0
        self._server, self._cut = port, False

    async def run(self, task_status: trio.TaskStatus[None]) -> None:
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        self.port = listener.socket.getsockname()[1]
        task_status.started()
        await trio.serve_listeners(self._carry, [listener])

    async def _carry(self, client: trio.SocketStream) -> None:
        self.connections += 1
        server = await trio.open_tcp_stream("127.0.0.1", self._server)
        async with client, server, trio.open_nursery() as nursery:
            nursery.start_soon(self._to_server, client, server, nursery)
            with suppress(trio.BrokenResourceError):
                await self._to_client(server, client)
            nursery.cancel_scope.cancel()

    async def _to_server(
        self, client: trio.SocketStream, server: trio.SocketStream, nursery: trio.Nursery
    ) -> None:
        while (message := await hear(client)) is not None:
            self.said.append(message)
            if message["t"] != "pong" or message["n"] != 77:
                with suppress(trio.BrokenResourceError):
                    await server.send_all(frame(msgpack.packb(message)))
        nursery.cancel_scope.cancel()

    async def _to_client(self, server: trio.SocketStream, client: trio.SocketStream) -> None:
        decisions = 0
        while (message := await hear(server)) is not None:
            if message["t"] == "decision":
                decisions += 1
                if decisions == CUT_AT and self.connections == 1:
                    return
            message["mood"] = {"of": ["the", "day"]}
            with_more = [message]
            if message["t"] == "seated":
                with_more += [{"t": "weather", "sky": "blue"}, {"t": "ping", "n": 77}]
            for each in with_more:
                await client.send_all(frame(msgpack.packb(each)))


async def hear(stream: trio.SocketStream) -> dict[str, Any] | None:
    """The next message; None at the end."""

    async def exactly(size: int) -> bytes:
        data = b""
        while len(data) < size:
            try:
                more = await stream.receive_some(size - len(data))
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                more = b""
            if not more:
                return b""
            data += more
        return data

    size = int.from_bytes(await exactly(4), "big")
    body = await exactly(size) if size else b""
    message: dict[str, Any] | None = msgpack.unpackb(body) if body else None
    return message


def port_of(server: TcpServer) -> int:
    return int(server.app.addresses[0].rpartition(":")[2])


async def test_it_plays_a_match_and_comes_back(command: list[str], nursery: trio.Nursery) -> None:
    ended: list[str] = []

    async def play(port: int) -> None:
        run = await trio.run_process(
            [*command, "127.0.0.1", str(port), "Arena", "Guest"], capture_stdout=True
        )
        ended.append(run.stdout.decode())

    with trio.fail_after(60):
        async with running() as server:
            between = Between(port_of(server))
            await nursery.start(between.run)
            host = await server.person("Host of it")
            options = {"seats": 3, "match_end": "hands:2"}
            assert await host.ask(msg.CreateTable, table="Arena", options=options, watch=True)
            async with trio.open_nursery() as playing:
                playing.start_soon(play, between.port)
                joined = await host.event(ev.PlayerJoined)
                assert joined.who.name == "Guest" and joined.who.kind == "bot"
                for _ in range(2):
                    assert await host.ask(msg.AddBot, bot="greedy") == "ok"
                    await host.event(ev.PlayerJoined)
                for _ in range(2):
                    assert await host.ask(msg.Deal) == "ok"
                    await host.event(ev.HandEnded)
                await host.event(ev.MatchEnded)
            nursery.cancel_scope.cancel()
    events = [message.event for message in host.seen if isinstance(message, msg.EventMessage)]
    presence = [
        event.presence
        for event in events
        if isinstance(event, ev.PresenceChanged) and event.player == joined.who.player
    ]
    assert presence[:2] == ["lost", "here"]
    assert {event.by for event in events if isinstance(event, ev.Played | ev.Passed)} == {"player"}
    assert len(ended) == 1 and ended[0].startswith("the match is over, won by player ")
    assert between.connections == 2
    said = [message["t"] for message in between.said]
    assert said.count("hello") == 2 and said.count("join") == 1 and said.count("resume") == 1
    (resume,) = [message for message in between.said if message["t"] == "resume"]
    assert resume["seq"] > 0 and resume["instance"]
    assert said.count("pong") == 2 and said[-1] == "bye"
    assert not [message for message in host.seen if isinstance(message, msg.Error)]


async def test_it_says_why_it_cannot_play(command: list[str]) -> None:
    with trio.fail_after(60):
        async with running() as server:
            port = port_of(server)
            code, text = await said(*command, "127.0.0.1", str(port), "Nowhere")
            assert code == 1 and text.startswith("cannot sit down: there is no such table")
            code, text = await said(*command, "127.0.0.1", str(port), "Nowhere", "Server")
            assert code == 1 and text.startswith("the server said bye: bad_name")
        code, text = await said(*command, "127.0.0.1", str(port), "Nowhere")
        assert code == 1 and text.startswith("cannot play: ")


async def said(*command: str) -> tuple[int, str]:
    """The exit code of a command, and all that it said."""
    run = await trio.run_process(
        command, capture_stdout=True, stderr=subprocess.STDOUT, check=False
    )
    return run.returncode, run.stdout.decode()


def test_it_passes_the_conformance_kit(command: list[str]) -> None:
    """All of it, and nothing is skipped: the examples come back to their seats."""
    found = conform(shlex.join(command))
    assert not_passed(found) == []
    assert found["passed"] == len(found["checks"]) > 60
