"""What whoever runs the server can do, through the command and its socket."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
import trio

from dalmuti.core import events as ev
from dalmuti.protocol import messages as msg
from dalmuti.server import cli
from dalmuti.server.adminclient import AdminError, ask
from server.wire import Client, TcpServer, running


async def admin(folder: Path, do: str, what: str = "") -> tuple[bool, list[str]]:
    """Asks as the command does, from a thread as from another process."""
    with trio.fail_after(20):
        return await trio.to_thread.run_sync(ask, folder, do, what)


async def kitchen(server: TcpServer, *names: str) -> list[Client]:
    """People at a table, the first of them its host."""
    people = [await server.person(name) for name in names]
    assert await people[0].ask(msg.CreateTable, table="Kitchen") == "ok"
    for person in people[1:]:
        assert await person.ask(msg.JoinTable, table="Kitchen") == "ok"
    return people


def said(server: TcpServer, event: str) -> list[dict[str, Any]]:
    """Lines of the log."""
    lines = [json.loads(line) for line in server.log_text.getvalue().splitlines()]
    return [line for line in lines if line["event"] == event]


async def test_looking(tmp_path: Path) -> None:
    async with running(data=str(tmp_path)) as server:
        await kitchen(server, "Ada", "Bob")
        await server.person("Zoe")
        ok, lines = await admin(tmp_path, "tables")
        assert ok and lines[0].startswith("table")
        assert lines[1].split()[:4] == ["Kitchen", "waiting", "0", "2"]
        ok, lines = await admin(tmp_path, "players")
        assert [line.split()[:4] for line in lines[1:]] == [
            ["Ada", "human", "Kitchen", "here"],
            ["Bob", "human", "Kitchen", "here"],
            ["Zoe", "human", "-", "here"],
        ]
        assert all(line.endswith("127.0.0.1") for line in lines[1:])


async def test_the_socket_is_for_its_owner_only_and_goes_with_the_server(tmp_path: Path) -> None:
    async with running(data=str(tmp_path)):
        assert stat.S_IMODE((tmp_path / "admin.sock").stat().st_mode) == 0o600
    assert not (tmp_path / "admin.sock").exists()
    with pytest.raises(AdminError, match="no server runs on the data folder"):
        await admin(tmp_path, "tables")


async def test_a_socket_that_a_killed_server_left_is_no_obstacle(tmp_path: Path) -> None:
    import socket

    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(tmp_path / "admin.sock"))
    async with running(data=str(tmp_path)):
        assert (await admin(tmp_path, "tables"))[0]


async def test_a_folder_with_a_path_too_long_for_a_socket_is_served_all_the_same(
    tmp_path: Path,
) -> None:
    folder = tmp_path / ("x" * 120)
    async with running(data=str(folder)) as server:
        await server.person("Ada")
        assert len(said(server, "no_admin_socket")) == 1
        with pytest.raises(AdminError, match="too long"):
            await admin(folder, "tables")


async def test_kick_in_a_hand_the_stand_in_plays_on(tmp_path: Path) -> None:
    """The host may do that between hands only; whoever runs the server, at any time."""
    async with running(data=str(tmp_path)) as server:
        ada, bob = await kitchen(server, "Ada", "Bob")
        token = (await bob.next(msg.Seated)).token
        assert await ada.ask(msg.Deal) == "ok"
        await bob.next(msg.Decision)
        ok, lines = await admin(tmp_path, "kick", "bob")
        assert ok and "Kitchen" in lines[0]
        rest = await bob.rest()
        assert isinstance(rest[-2], msg.Unseated) and rest[-2].reason == "kicked"
        assert rest[-1].reason == "refused"
        back = await server.person("Bob")
        assert await back.ask(msg.Resume, table="Kitchen", token=token) == "bad_token"
        with trio.fail_after(60):
            left = await play_on(ada)
        assert left.player == 2
        (line,) = said(server, "admin")
        assert (line["do"], line["what"], line["ok"]) == ("kick", "bob", True)


async def play_on(client: Client) -> ev.PlayerLeft:
    """Plays to the end of the hand, where the kicked one's seat is freed."""
    return await client.play_until(ev.PlayerLeft)


async def test_kick_the_host_a_watcher_and_one_who_is_lost(tmp_path: Path) -> None:
    async with running(data=str(tmp_path)) as server:
        ada, bob = await kitchen(server, "Ada", "Bob")
        cid, wim = await server.person("Cid"), await server.person("Wim")
        assert await cid.ask(msg.JoinTable, table="Kitchen") == "ok"
        assert await wim.ask(msg.JoinTable, table="Kitchen", watch=True) == "ok"
        await trio.aclose_forcefully(cid.stream)
        await bob.event(ev.PresenceChanged)
        for name in ("Ada", "Wim", "Cid"):
            ok, _ = await admin(tmp_path, "kick", name)
            assert ok, name
        assert (await ada.rest())[-1].reason == "refused"
        assert (await wim.rest())[-1].reason == "refused"
        _, lines = await admin(tmp_path, "players")
        assert [line.split()[0] for line in lines[1:]] == ["Bob"]
        assert (await bob.event(ev.HostChanged)).player == 2
        ok, lines = await admin(tmp_path, "kick", "Nobody")
        assert not ok and "nobody is called" in lines[0]


async def test_ban_and_unban(tmp_path: Path) -> None:
    async with running(data=str(tmp_path)) as server:
        ada, bob = await kitchen(server, "Ada", "Bob")
        ok, lines = await admin(tmp_path, "ban", "Bob")
        assert ok and lines[0] == "banned: Bob"
        assert (await bob.rest())[-1].reason == "refused"
        again = await server.connect()
        await again.send(msg.Hello(versions=(1, 1), name="BOB"))
        assert (await again.rest())[-1].reason == "refused"
        assert (await admin(tmp_path, "bans"))[1] == ["Bob"]
        assert (await admin(tmp_path, "unban", "Bob"))[0]
        assert not (await admin(tmp_path, "unban", "Bob"))[0]
        await server.person("Bob")
        ok, _ = await admin(tmp_path, "ban", "127.0.0.0/8")
        assert ok and (await ada.rest())[-1].reason == "refused"
        late = await server.connect()
        (bye,) = await late.rest()
        assert bye.reason == "refused"
    async with running(data=str(tmp_path)) as server:
        late = await server.connect()
        assert (await late.rest())[-1].reason == "refused", "bans outlive the server"


async def test_announce_reaches_everybody(tmp_path: Path) -> None:
    async with running(data=str(tmp_path)) as server:
        (ada,) = await kitchen(server, "Ada")
        zoe = await server.person("Zoe")
        ok, lines = await admin(tmp_path, "announce", "New decks \x1b[31mat eight")
        assert ok and "2 connections" in lines[0]
        for client in (ada, zoe):
            assert (await client.next(msg.Notice)).text == "New decks [31mat eight"
        assert not (await admin(tmp_path, "announce", ""))[0]
        assert not (await admin(tmp_path, "announce", "x" * 201))[0]


async def test_drain_waits_for_the_hand(tmp_path: Path) -> None:
    async with running(data=str(tmp_path)) as server:
        ada, bob = await kitchen(server, "Ada", "Bob")
        zoe = await server.person("Zoe")
        assert await ada.ask(msg.Deal) == "ok"
        ok, _ = await admin(tmp_path, "drain", "600")
        assert ok
        assert (await zoe.next(msg.Draining)).ms == 600_000
        assert await zoe.ask(msg.CreateTable, table="Attic") == "draining"
        assert await zoe.ask(msg.JoinTable, table="Nowhere") == "no_such_table"
        assert not server.app.stopping.is_set()
        with trio.fail_after(60):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(bob.play_until, ev.HandEnded)
                await ada.play_until(ev.HandEnded)
            assert (await ada.rest())[-1].reason == "shutdown"


async def test_log_level(tmp_path: Path) -> None:
    async with running(data=str(tmp_path)) as server:
        assert (await admin(tmp_path, "log-level", "error"))[0]
        await server.person("Ada")
        assert not said(server, "connected")
        assert not (await admin(tmp_path, "log-level", "loud"))[0]
        assert [line["what"] for line in said(server, "admin")] == ["error", "loud"]


async def test_nonsense_on_the_socket(tmp_path: Path) -> None:
    async with running(data=str(tmp_path)) as server:
        for data in (b"\n", b"[]\n", b"{}\n", b"\xff\n", b"x" * 10_000, b'{"do": "deal"}\n'):
            stream = await trio.open_unix_socket(str(tmp_path / "admin.sock"))
            async with stream:
                await stream.send_all(data)
                await stream.send_eof()
                answer = b""
                try:
                    async for some in stream:
                        answer += some
                except trio.BrokenResourceError:
                    continue
                assert not json.loads(answer)["ok"]
        assert "crashed" not in server.log_text.getvalue()
        await server.person("Ada")


async def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with running(data=str(tmp_path)) as server:
        await kitchen(server, "Ada")

        async def command(*arguments: str) -> tuple[int, str, str]:
            with trio.fail_after(20):
                code = await trio.to_thread.run_sync(cli.main, list(arguments))
            shown = capsys.readouterr()
            return code, shown.out, shown.err

        code, out, _ = await command("admin", "--data", str(tmp_path), "tables")
        assert code == 0 and "Kitchen" in out
        code, out, _ = await command("--data", str(tmp_path), "admin", "announce", "two", "words")
        assert code == 0 and "1 connection" in out
        code, _, err = await command("--data", str(tmp_path), "admin", "kick", "Nobody")
        assert code == 4 and "nobody is called" in err
        code, _, err = await command("admin", "bans")
        assert code == 2 and "--data" in err
        code, _, err = await command("admin", "--data", str(tmp_path / "no"), "bans")
        assert code == 3 and "no server runs" in err
