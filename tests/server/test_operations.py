"""Signals, reload, and what the service manager is told; with the real process where it matters."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import signal
import socket
import subprocess
import sys
import termios
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
import trio

from dalmuti.protocol import messages as msg
from dalmuti.server.config import Config, ConfigError, config_from
from dalmuti.server.limits import Limits
from dalmuti.server.notify import Notifier
from dalmuti.server.operations import changed_keys
from server.wire import Client, TcpServer, running

COMMAND = (sys.executable, "-m", "dalmuti.server.cli", "--log-format", "json")


class Process:
    """A server process on a free port."""

    def __init__(self, process: trio.Process, first: dict[str, Any]) -> None:
        self.process, self.first = process, first

    async def person(self, name: str) -> Client:
        """Somebody who is welcome."""
        host, _, port = self.first["addresses"][0].rpartition(":")
        client = Client(await trio.open_tcp_stream(host, int(port)))
        await client.hello(name)
        return client

    async def end(self) -> int:
        """Waits for the end."""
        with trio.fail_after(8):  # server.md I-91: docker waits for ten
            return await self.process.wait()


@asynccontextmanager
async def serving(*arguments: str, **environment: str) -> AsyncIterator[Process]:
    """Starts a server, and sees to it that it ends."""
    process = await trio.lowlevel.open_process(
        [*COMMAND, "--listen", "127.0.0.1:0", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **environment},
    )
    assert process.stdout is not None
    try:
        line = b""
        with trio.fail_after(20):
            while not line.endswith(b"\n"):
                line += await process.stdout.receive_some()
        yield Process(process, json.loads(line))
    finally:
        with trio.CancelScope(shield=True):
            if process.poll() is None:
                process.kill()
            await process.wait()
            await process.stdout.aclose()


# -- the end ----------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_I91_a_signal_drains_in_less_than_8_s_even_in_a_hand(
    tmp_path: Path, number: signal.Signals
) -> None:
    async with serving("--data", str(tmp_path)) as server:
        ada, bob, zoe = [await server.person(name) for name in ("Ada", "Bob", "Zoe")]
        assert await ada.ask(msg.CreateTable, table="Kitchen") == "ok"
        assert await bob.ask(msg.JoinTable, table="Kitchen") == "ok"
        assert await ada.ask(msg.Deal) == "ok"
        server.process.send_signal(number)
        assert (await zoe.next(msg.Draining)).ms == round(Limits().drain_seconds * 1000)
        assert await zoe.ask(msg.CreateTable, table="Attic") == "draining"
        for client in (ada, bob, zoe):
            rest = await client.rest()
            assert rest[-1].reason == "shutdown"
            await client.stream.aclose()
        assert await server.end() == 0


async def test_I91_the_journal_is_flushed_and_a_restart_goes_on(tmp_path: Path) -> None:
    async with serving("--data", str(tmp_path)) as server:
        ada = await server.person("Ada")
        assert await ada.ask(msg.CreateTable, table="Kitchen") == "ok"
        token = (await ada.next(msg.Seated)).token
        server.process.send_signal(signal.SIGTERM)
        assert await server.end() == 0
        await ada.stream.aclose()
    async with serving("--data", str(tmp_path)) as server:
        ada = await server.person("Ada")
        assert await ada.ask(msg.Resume, table="Kitchen", token=token) == "ok"
        await ada.stream.aclose()


async def test_I91_a_second_signal_ends_it_at_once() -> None:
    async with serving() as server:
        ada, bob = await server.person("Ada"), await server.person("Bob")
        assert await ada.ask(msg.CreateTable, table="Kitchen") == "ok"
        assert await bob.ask(msg.JoinTable, table="Kitchen") == "ok"
        assert await ada.ask(msg.Deal) == "ok"
        server.process.send_signal(signal.SIGTERM)
        await ada.next(msg.Draining)
        server.process.send_signal(signal.SIGTERM)
        assert await server.end() == 128 + signal.SIGTERM
        for client in (ada, bob):
            await client.stream.aclose()


async def test_I91_as_process_1_of_a_container() -> None:
    """There signals without a handler are ignored; a namespace of its own has such a process 1."""
    if not _may_unshare():
        pytest.skip("no namespaces for this user")
    command = ["unshare", "--map-root-user", "--pid", "--fork", "--kill-child", *COMMAND]
    process = await trio.lowlevel.open_process(
        [*command, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout is not None
    with trio.fail_after(20):
        first = json.loads(await process.stdout.receive_some())
        assert first["pid"] == 1
        children = trio.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        os.kill(int((await children.read_text()).split()[0]), signal.SIGTERM)
        assert await process.wait() == 0
        await process.stdout.aclose()


def _may_unshare() -> bool:
    try:
        call = ["unshare", "--map-root-user", "--pid", "--fork", "true"]
        return subprocess.run(call, capture_output=True, timeout=10).returncode == 0
    except OSError:
        return False


# -- reload -----------------------------------------------------------------------------------


def reloaded(server: TcpServer, **changed: Any) -> list[dict[str, Any]]:
    """Reloads with another configuration; what the log says of it."""
    operations = server.app.operations
    assert operations is not None
    config = Config(**{"listen": ("127.0.0.1:0",), "bot_delay": 0, **changed})
    operations._reread = lambda: config
    operations.reload()
    lines = [json.loads(line) for line in server.log_text.getvalue().splitlines()]
    return [line for line in lines if "reloaded" in line["event"]]


async def test_a_reload_says_what_changed_and_what_needs_a_restart(tmp_path: Path) -> None:
    async with running(data=str(tmp_path)) as server:
        (tmp_path / "bans.json").write_text('{"names": ["Mallory"]}')
        (line,) = reloaded(
            server,
            greeting="Good evening",
            log_level="debug",
            limits=Limits(tables=1, chat_burst=3),
            data=str(tmp_path),
            bot_delay=2,
            metrics="127.0.0.1:0",
        )
        assert line["changed"] == [
            "greeting",
            "log_level",
            "limits.tables",
            "limits.chat_burst",
            "bans",
        ]
        assert line["needs_restart"] == ["metrics", "bot_delay"]
        ada = await server.connect()
        assert (await ada.hello("Ada")).message == "Good evening"
        assert await ada.ask(msg.CreateTable, table="Kitchen") == "ok"
        bob = await server.person("Bob")
        assert await bob.ask(msg.CreateTable, table="Attic") == "too_many_tables"
        mallory = await server.connect()
        await mallory.send(msg.Hello(versions=(1, 1), name="Mallory"))
        assert (await mallory.rest())[-1].reason == "refused"
        assert '"level": "debug"' in server.log_text.getvalue()
        assert reloaded(server, data=str(tmp_path))[-1]["needs_restart"] == []


async def test_the_bound_on_connections_is_reloaded() -> None:
    async with running(limits=Limits(connections=1)) as server:
        await server.person("Ada")
        assert (await (await server.connect()).rest())[-1].reason == "too_many_connections"
        reloaded(server, limits=Limits(connections=2))
        await server.person("Bob")


async def test_a_broken_file_keeps_the_old_one() -> None:
    async with running(greeting="Hello") as server:
        operations = server.app.operations
        assert operations is not None

        def broken() -> Config:
            raise ConfigError("unknown key gretting")

        operations._reread = broken
        operations.reload()
        assert "not_reloaded" in server.log_text.getvalue()
        assert "unknown key gretting" in server.log_text.getvalue()
        ada = await server.connect()
        assert (await ada.hello("Ada")).message == "Hello"


async def test_SIGHUP_reads_the_file_again(tmp_path: Path) -> None:
    file, log = tmp_path / "server.toml", tmp_path / "server.log"
    file.write_text(f'greeting = "one"\nlog_file = "{log}"\n')
    async with serving("--config", str(file)) as server:
        file.write_text("greting = 2\n")
        server.process.send_signal(signal.SIGHUP)
        await _until(lambda: "not_reloaded" in log.read_text())
        file.write_text(f'greeting = "two"\nlog_file = "{log}"\n')
        log.rename(tmp_path / "moved.log")
        server.process.send_signal(signal.SIGHUP)
        await _until(lambda: log.exists() and '"reloaded"' in log.read_text())
        host, _, port = server.first["addresses"][0].rpartition(":")
        client = Client(await trio.open_tcp_stream(host, int(port)))
        assert (await client.hello("Ada")).message == "two"
        await client.stream.aclose()
        server.process.send_signal(signal.SIGTERM)
        assert await server.end() == 0


async def test_a_terminal_that_closes_ends_the_server_as_ever() -> None:
    """Its SIGHUP is no wish for a reload: nobody would be there to end the server."""
    master, slave = pty.openpty()
    process = await trio.lowlevel.open_process(
        [*COMMAND, "--listen", "127.0.0.1:0"],
        stdin=slave,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(slave)
    assert process.stdout is not None
    with trio.fail_after(20):
        await process.stdout.receive_some()
        os.close(master)
        assert await process.wait() == 0
        await process.stdout.aclose()


async def _until(done: Any) -> None:
    with trio.fail_after(20):
        while not done():  # noqa: ASYNC110  # another process does it
            await trio.sleep(0.01)


def test_the_keys_that_differ() -> None:
    old, new = Config(), Config(password="x", limits=Limits(chat_burst=1))
    assert changed_keys(old, new) == ["password", "limits.chat_burst"]
    assert changed_keys(old, old) == []


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"tls_key": "key.pem"}, "tls_key: there is no tls_cert"),
        ({"listen": ["tls://127.0.0.1:1"]}, "needs a certificate"),
        ({"log_level": "loud"}, "log_level: expected one of debug, info, warning, error, found"),
        ({"log_files": 0}, "log_files: expected `int` >= 1"),
    ],
)
def test_what_does_not_fit_together_is_named(values: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigError) as error:
        config_from(values)
    assert words in str(error.value)


# -- the service manager ----------------------------------------------------------------------


@contextmanager
def manager(tmp_path: Path) -> Iterator[tuple[str, socket.socket]]:
    """A socket such as systemd's, and its address."""
    address = str(tmp_path / "notify.sock")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as own:
        own.bind(address)
        own.settimeout(20)
        yield address, own


async def test_systemd_hears_of_ready_the_watchdog_a_reload_and_the_end(tmp_path: Path) -> None:
    with manager(tmp_path) as (address, own):

        async def hear(wanted: str) -> str:
            while True:
                text = (await trio.to_thread.run_sync(own.recv, 4096)).decode()
                if wanted in text:
                    return text

        told = {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "200000"}
        async with serving(**told) as server:
            assert server.first["addresses"][0] in await hear("READY=1")
            for _ in range(3):
                await hear("WATCHDOG=1")
            server.process.send_signal(signal.SIGHUP)
            assert "MONOTONIC_USEC=" in await hear("RELOADING=1")
            await hear("READY=1")
            server.process.send_signal(signal.SIGTERM)
            await hear("STOPPING=1")
            assert await server.end() == 0


def test_without_a_manager_nothing_is_told(tmp_path: Path) -> None:
    Notifier({}).ready(["x"])
    Notifier({"NOTIFY_SOCKET": str(tmp_path / "nowhere")}).ready(["x"])
    other = {"NOTIFY_SOCKET": "x", "WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "1"}
    assert Notifier(other)._watchdog is None, "it watches another process"
