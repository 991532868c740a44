"""The server over real sockets: kill and resume, many clients, resets, the orderly stop, bots.

These run on the real clock; nothing here asserts a time.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import struct
import sys
from pathlib import Path

import pytest
import trio

from dalmuti.core import events as ev
from dalmuti.core.record import loads, verify
from dalmuti.protocol import messages as msg
from dalmuti.protocol.framing import frame
from dalmuti.server import bothost
from dalmuti.server.app import App, StartError, Stops
from dalmuti.server.config import Config
from dalmuti.server.limits import Limits
from dalmuti.server.log import Log
from server.wire import Client, TcpServer, running


def reset(client: Client) -> None:
    """Ends the connection with a RST, as a crashed machine or a firewall does."""
    assert isinstance(client.stream, trio.SocketStream)
    client.stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.stream.socket.close()


async def test_I06_kill_and_resume_in_a_hand() -> None:
    async with running() as server:
        ada, bob = await server.person("Ada"), await server.person("Bob")
        assert await ada.ask(msg.CreateTable, table="Kitchen") == "ok"
        assert await bob.ask(msg.JoinTable, table="Kitchen") == "ok"
        seated, snapshot = await bob.next(msg.Seated), await bob.next(msg.Snapshot)
        assert await ada.ask(msg.Deal) == "ok"
        decision = await bob.next(msg.Decision)
        seq = bob.last(msg.EventMessage).seq
        assert seq > snapshot.seq
        reset(bob)
        lost = await ada.event(ev.PresenceChanged)
        assert (lost.player, lost.presence) == (2, "lost")
        back = await server.connect()
        welcome = await back.hello("Bob")
        fields = {"table": "Kitchen", "token": seated.token, "seq": seq}
        assert await back.ask(msg.Resume, instance=welcome.instance, **fields) == "ok"
        again = await back.next(msg.Decision)
        assert (again.decision, again.choices) == (decision.decision, decision.choices)
        assert not any(isinstance(message, msg.Snapshot) for message in back.seen)
        here = await ada.event(ev.PresenceChanged)
        assert (here.player, here.presence) == (2, "here")


async def test_I09_I11_a_frozen_client_is_replaced_by_its_newer_self() -> None:
    async with running() as server:
        ada = await server.person("Ada")
        assert await ada.ask(msg.CreateTable, table="Kitchen") == "ok"
        token = (await ada.next(msg.Seated)).token
        back = await server.person("Ada")
        assert await back.ask(msg.Resume, table="Kitchen", token=token) == "ok"
        assert (await ada.next(msg.Unseated)).reason == "replaced"
        assert (await ada.next(msg.Bye)).reason == "replaced"
        assert await back.ask(msg.Chat, text="here") == "ok"


async def test_I77_many_clients_come_and_go() -> None:
    async with running(limits=Limits(watch_burst=1000)) as server:
        ada = await server.person("Ada")
        assert await ada.ask(msg.CreateTable, table="Kitchen") == "ok"
        room_for = trio.CapacityLimiter(40)

        async def visit(number: int) -> None:
            async with room_for:
                client = await server.person(f"Visitor {number}")
                assert await client.ask(msg.JoinTable, table="Kitchen", watch=True) == "ok"
                if number % 3 == 0:
                    reset(client)
                    return
                assert await client.ask(msg.Leave) == "ok"
                await client.stream.aclose()

        async with trio.open_nursery() as nursery:
            for number in range(200):
                nursery.start_soon(visit, number)
        assert await ada.ask(msg.Chat, text="quiet again") == "ok"
        lobby = server.app.lobby
        assert lobby is not None
        with trio.fail_after(10):
            while len(lobby.peers) > 1:  # noqa: ASYNC110  # the kernel tells, not we
                await trio.sleep(0.01)
        (room,) = lobby.rooms.values()
        assert room.table.people.watchers == {}
        await ada.stream.aclose()


async def test_a_reset_after_every_byte_of_a_session_hurts_nobody() -> None:
    script = b"".join(
        frame(body)
        for body in (
            b"\x84\xa1t\xa5hello\xa8versions\x92\x01\x01\xa4name\xa3Eve\xa4kind\xa3bot",
            b"\x83\xa1t\xa4join\xa2id\x01\xa5table\xa7Kitchen",
            b"\x83\xa1t\xa4chat\xa2id\x02\xa4text\xa2hi",
            b"\x82\xa1t\xa5leave\xa2id\x03",
        )
    )
    async with running() as server:
        ada = await server.person("Ada")
        assert await ada.ask(msg.CreateTable, table="Kitchen") == "ok"
        for end in range(0, len(script) + 1, 3):
            client = await server.connect()
            await client.stream.send_all(script[:end])
            if end % 2:
                await trio.lowlevel.checkpoint()
            reset(client)
        assert await ada.ask(msg.Chat, text="still here") == "ok"
        assert await ada.ask(msg.Deal) in ("ok", "too_few_players")
        assert "crashed" not in server.log_text.getvalue()


async def test_stopping_says_bye_and_ends_soon() -> None:
    with trio.fail_after(20):
        async with running() as server:
            ada, silent = await server.person("Ada"), await server.connect()
            assert await ada.ask(msg.CreateTable, table="Kitchen") == "ok"
            server.app.stopping.set()
            rest = await ada.rest()
            assert rest[-1].reason == "shutdown"
            await silent.rest()
        with pytest.raises(OSError):
            await server.connect()


async def test_I75_too_many_connections_are_told_so() -> None:
    async with running(limits=Limits(connections=2)) as server:
        await server.person("Ada")
        bob = await server.person("Bob")
        late = await server.connect()
        assert (await late.rest())[-1].reason == "too_many_connections"
        await bob.stream.aclose()
        with trio.fail_after(10):
            while True:
                late = await server.connect()
                await late.send(msg.Hello(versions=(1, 1), name="Late"))
                if isinstance(await late.receive(), msg.Welcome):
                    break


async def test_I79_without_descriptors_it_waits_and_says_so_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As at the limit of open files: accepting fails for a while, then goes on."""
    accept, failures = trio.SocketListener.accept, 3

    async def scarce(listener: trio.SocketListener) -> trio.SocketStream:
        nonlocal failures
        if failures:
            failures -= 1
            raise OSError(errno.EMFILE, "none left")
        return await accept(listener)

    monkeypatch.setattr(trio.SocketListener, "accept", scarce)
    async with running() as server:
        await server.person("Ada")
        assert failures == 0
        assert server.log_text.getvalue().count("cannot_accept") == 1


async def test_a_task_of_the_server_that_fails_begins_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run, failures = bothost.BotHost.run, 1

    async def flaky(host: bothost.BotHost) -> None:
        nonlocal failures
        if failures:
            failures -= 1
            raise RuntimeError("a bug")
        await run(host)

    monkeypatch.setattr(bothost.BotHost, "run", flaky)
    async with running() as server:
        ada = await server.person("Ada")
        assert await ada.ask(msg.CreateTable, table="Kitchen") == "ok"
        assert await ada.ask(msg.AddBot, bot="greedy") == "ok"
        assert (await ada.event(ev.PlayerJoined)).who.name == "Bea"
        assert "task_crashed" in server.log_text.getvalue()


async def test_a_port_in_use_and_a_host_that_is_none() -> None:
    async with running() as server:
        for listen in (server.app.addresses[0], "host.invalid:0"):
            second = App(Config(listen=(listen,)), Log())
            with pytest.raises(StartError, match="cannot listen on"):
                await second.run()


async def test_until_empty() -> None:
    with trio.fail_after(20):
        async with running(stops=Stops(until_empty=1.0)) as server:
            ada = await server.person("Ada")
            assert not server.app.stopping.is_set()
            await ada.stream.aclose()
            await server.app.stopping.wait()


async def test_bots_alone_do_not_keep_a_server_up() -> None:
    """A host's server ends when the people have left, although somebody's bot would stay."""
    with trio.fail_after(20):
        async with running(stops=Stops(until_empty=1.0)) as server:
            ada, bot = await server.person("Ada"), await server.connect()
            await bot.hello("Robo", kind="bot")
            assert await ada.ask(msg.CreateTable, table="Kitchen") == "ok"
            assert await bot.ask(msg.JoinTable, table="Kitchen") == "ok"
            assert await ada.ask(msg.Leave) == "ok"
            await ada.stream.aclose()
            assert (await bot.rest())[-1].reason == "shutdown"


async def test_a_lost_person_keeps_a_server_up() -> None:
    async with running() as server:
        ada = await server.person("Ada")
        assert await ada.ask(msg.CreateTable, table="Kitchen") == "ok"
        zoe = await server.person("Zoe")
        assert await zoe.ask(msg.JoinTable, table="Kitchen") == "ok"
        await ada.stream.aclose()
        with trio.fail_after(20):
            await zoe.event(ev.PresenceChanged)
        assert await zoe.ask(msg.Leave) == "ok"
        await zoe.stream.aclose()
        assert server.app.lobby is not None and not server.app.lobby.deserted


async def test_transcripts_are_written_when_hands_are_over(tmp_path: Path) -> None:
    options = {"seats": 2, "match_end": "hands:2"}
    name = "My Kitchen/.."
    async with running(records=str(tmp_path / "matches")) as server:
        ada, bob = await server.person("Ada"), await server.person("Bob")
        assert await ada.ask(msg.CreateTable, table=name, options=options) == "ok"
        assert await bob.ask(msg.JoinTable, table=name) == "ok"
        async with trio.open_nursery() as nursery:
            nursery.start_soon(bob.play_until, ev.MatchEnded)
            for _ in range(2):
                assert await ada.ask(msg.Deal) == "ok"
                await ada.play_until(ev.HandPrepared)
    (file,) = (tmp_path / "matches").iterdir()
    assert file.name.startswith("My_Kitchen-")
    record = loads(file.read_text())
    assert [v.hand for v in verify(record) if v.ok and v.proved] == [1, 2]
    assert {who.name for who in record.players.values()} == {"Ada", "Bob"}


async def test_a_folder_that_cannot_be_written_does_not_stop_the_game(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    async with running(records=str(tmp_path / "file" / "matches")) as server:
        ada, bob = await server.person("Ada"), await server.person("Bob")
        assert await ada.ask(msg.CreateTable, table="Kitchen") == "ok"
        assert await bob.ask(msg.JoinTable, table="Kitchen") == "ok"
        assert await ada.ask(msg.Deal) == "ok"
        async with trio.open_nursery() as nursery:
            nursery.start_soon(bob.play_until, ev.HandEnded)
            await ada.play_until(ev.HandEnded)
        assert "record_not_written" in server.log_text.getvalue()


# -- house bots -------------------------------------------------------------------------------


async def test_house_bots_come_over_tcp_and_a_killed_child_is_replaced() -> None:
    """The real child of the client side, as the server starts it."""
    with trio.fail_after(60):
        async with running(password="sesame") as server:
            ada = await server.connect()
            await ada.hello("Ada", password="sesame")
            assert await ada.ask(msg.CreateTable, table="Kitchen", solo=True) == "ok"
            for name in ("greedy", "random"):
                assert await ada.ask(msg.AddBot, bot=name) == "ok"
            joined = [await ada.event(ev.PlayerJoined) for _ in range(2)]
            assert {each.who.kind for each in joined} == {"house"}
            assert await ada.ask(msg.Deal) == "ok"
            await ada.play_until(ev.HandEnded)
            os.kill(child_of(server), signal.SIGKILL)
            back: set[int] = set()
            while back != {2, 3}:
                change = await ada.event(ev.PresenceChanged)
                back |= {change.player} if change.presence == "here" else set()
            assert await ada.ask(msg.Deal) == "ok"
            await ada.play_until(ev.HandEnded)


def child_of(server: TcpServer) -> int:
    """The process of the house bots, as the log tells."""
    lines = [json.loads(line) for line in server.log_text.getvalue().splitlines()]
    return next(int(line["pid"]) for line in lines if line["event"] == "bots_started")


async def test_a_child_that_dies_at_once_frees_the_seats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bothost, "COMMAND", (sys.executable, "-c", "raise SystemExit(3)"))
    monkeypatch.setattr(bothost, "RESTART_SECONDS", 0.05)
    limits = Limits(bot_seconds=0.5)
    async with running(limits=limits) as server:
        ada = await server.person("Ada")
        assert await ada.ask(msg.CreateTable, table="Kitchen", options={"seats": 2}) == "ok"
        assert await ada.ask(msg.AddBot, bot="greedy") == "ok"
        with trio.fail_after(30):
            while await ada.ask(msg.AddBot, bot="greedy") == "table_full":  # noqa: ASYNC110  # no event
                await trio.sleep(0.05)
        text = server.log_text.getvalue()
        assert "bots_died" in text and "bot_given_up" in text
