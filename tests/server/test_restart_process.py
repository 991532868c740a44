"""Real servers, really killed: over TCP, with files, and a new process each time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from dalmuti.core import events as ev
from dalmuti.core.options import options_from
from dalmuti.core.record import loads, verify
from dalmuti.protocol import messages as msg
from dalmuti.server.records import Place, Recorder, thin_out
from dalmuti.server.store.store import Store
from server.wire import Client, MemoryServer

ROOT = Path(__file__).parents[2]
SERVER = (sys.executable, "-m", "dalmuti.server.cli", "--bot-delay", "0", "--log-format", "json")


class Process:
    """A server process and where it listens."""

    def __init__(self, process: trio.Process, address: str) -> None:
        self.process = process
        self.host, _, port = address.rpartition(":")
        self.port = int(port)
        self.clients: list[Client] = []

    async def connect(self, name: str) -> Client:
        client = Client(await trio.open_tcp_stream(self.host, self.port))
        self.clients.append(client)
        await client.hello(name)
        return client

    async def end(self, number: signal.Signals = signal.SIGKILL) -> int:
        """Sends it a signal, and returns what it exits with."""
        self.process.send_signal(number)
        return await self.process.wait()


@asynccontextmanager
async def serving(data: Path, *arguments: str) -> AsyncIterator[Process]:
    """A server on a data folder, gone at the end at the latest."""
    process = await trio.lowlevel.open_process(
        [*SERVER, "--listen", "127.0.0.1:0", "--data", str(data), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    server: Process | None = None
    try:
        with trio.fail_after(30):
            line = b""
            while not line.endswith(b"\n"):
                line += await process.stdout.receive_some(1000)
        server = Process(process, json.loads(line)["addresses"][0])
        yield server
    finally:
        with trio.CancelScope(shield=True):
            process.kill()
            await process.wait()
            await process.stdout.aclose()
            for client in server.clients if server else ():
                await trio.aclose_forcefully(client.stream)


async def come_back(server: Process, old: Client) -> Client:
    """A client that was in the last run resumes."""
    client = await server.connect("somebody")
    token = old.last(msg.Seated).token
    assert await client.ask(msg.Resume, table="Kitchen", token=token) == "ok"
    await client.next(msg.Snapshot)
    return client


def proved(data: Path) -> int:
    """How many hands are in the one transcript; all of them must be proved."""
    (path,) = (data / "matches").glob("*.txt")
    verdicts = verify(loads(path.read_text(encoding="utf-8")))
    assert all(verdict.ok and verdict.proved for verdict in verdicts)
    return len(verdicts)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
async def test_I87_house_bots_and_people_go_on_after_the_end_of_the_server(
    tmp_path: Path, number: signal.Signals
) -> None:
    async with serving(tmp_path) as server:
        ada = await server.connect("Ada")
        bob = await server.connect("Bob")
        assert await ada.ask(msg.CreateTable, table="Kitchen", password="sesame") == "ok"
        assert await bob.ask(msg.JoinTable, table="Kitchen", password="sesame") == "ok"
        await bob.next(msg.Snapshot)
        for _ in range(2):
            assert await ada.ask(msg.AddBot, bot="greedy") == "ok"
            await ada.event(ev.PlayerJoined)
        assert await ada.ask(msg.Deal) == "ok"
        decision = await ada.next(msg.Decision)
        dealt = ada.last(msg.Snapshot).table
        seq = ada.last(msg.EventMessage).seq
        code = await server.end(number)
        assert code == (0 if number == signal.SIGTERM else -signal.SIGKILL)
        instance = ada.last(msg.Welcome).instance
        (cards,) = [
            each.event.cards
            for each in ada.seen
            if isinstance(each, msg.EventMessage) and isinstance(each.event, ev.Dealt)
        ]
    async with serving(tmp_path) as server:
        again, _ = await come_back(server, ada), await come_back(server, bob)
        assert again.last(msg.Welcome).instance != instance
        snapshot = again.last(msg.Snapshot)
        assert snapshot.seq > seq and snapshot.table.host == dealt.you
        assert snapshot.table.hand is not None and snapshot.table.hand.cards == cards
        assert (await again.next(msg.Decision)).decision == decision.decision
        with trio.fail_after(60):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(server.clients[1].play_until, ev.HandEnded)
                nursery.start_soon(_answer_and_play, again)
        assert await again.ask(msg.Deal) == "ok"
        async with trio.open_nursery() as nursery:
            nursery.start_soon(server.clients[1].play_until, ev.HandEnded)
            nursery.start_soon(again.play_until, ev.DealRevealed)
    assert proved(tmp_path) == 2


async def _answer_and_play(client: Client) -> None:
    """The question came with the snapshot already; answers it, and takes every default."""
    asked = client.last(msg.Decision)
    choice = asked.default
    assert await client.ask(msg.Act, decision=asked.decision, choice=choice) == "ok"
    await client.play_until(ev.DealRevealed)


def test_I87_random_kills_lose_and_double_nothing(tmp_path: Path) -> None:
    """`bench/kill9.py` with few kills; in full it is run by hand."""
    command = [sys.executable, str(ROOT / "bench" / "kill9.py"), "--json", "--seed", "7"]
    done = subprocess.run(
        [*command, "--kills", "5", "--tables", "3"],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["kills"], found["lost"], found["doubled"], found["unverified"]) == (5, 0, 0, 0)
    assert found["hands"] > 3


async def test_I89_created_is_said_when_it_is_kept(tmp_path: Path, nursery: trio.Nursery) -> None:
    server = MemoryServer(nursery, store=Store.open(tmp_path))
    ada = await server.person("Ada")
    created = trio.Event()

    async def create() -> None:
        assert await ada.ask(msg.CreateTable, table="Kitchen") == "ok"
        created.set()

    writer = server.keeping.writer
    assert writer is not None
    nursery.start_soon(create)
    await wait_all_tasks_blocked(0.05)
    told = [type(each) for each in ada.seen]
    nursery.start_soon(writer.run)
    with trio.move_on_after(30):
        await created.wait()
    writer.end()
    assert told == [msg.Welcome]
    assert created.is_set()


# -- transcripts --------------------------------------------------------------------------------


def test_only_the_newest_transcripts_are_kept(tmp_path: Path) -> None:
    for number in range(5):
        path = tmp_path / f"{number}.txt"
        path.touch()
        os.utime(path, (number, number))
    (tmp_path / "letter.md").touch()
    thin_out(tmp_path, 2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["3.txt", "4.txt", "letter.md"]


def test_what_was_written_and_not_kept_is_cut_off(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("a hand\nhalf a")
    recorder = recorder_at(tmp_path, Place("x.txt", 7))
    recorder.go_on()
    assert (tmp_path / "x.txt").read_text() == "a hand\n"
    (tmp_path / "new.txt").write_text("its first hand, of which nobody has heard")
    recorder_at(tmp_path, Place("new.txt")).go_on()
    assert not (tmp_path / "new.txt").exists()
    with pytest.raises(OSError, match="is shorter than it was"):
        recorder_at(tmp_path, Place("x.txt", 8)).go_on()
    with pytest.raises(FileNotFoundError):
        recorder_at(tmp_path, Place("y.txt", 8)).go_on()


def recorder_at(folder: Path, place: Place) -> Recorder:
    return Recorder(folder, "Kitchen", options_from({}), fair=True, place=place)
