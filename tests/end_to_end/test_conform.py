"""The conformance kit on what is ours: the client's SDK and the server.

The examples are tried in test_examples."""

from __future__ import annotations

import importlib.util
import shlex
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from dalmuti.client.conform import visit
from dalmuti.client.conform.checks import Outcome, chosen, run_all
from dalmuti.client.conform.servers.catalogue import all_checks
from dalmuti.client.conform.visit import Place, visiting
from dalmuti.protocol.messages import CreateTable, Ping, Pong, Snapshot
from dalmuti.server.limits import Limits
from end_to_end.conforming import conform, not_passed
from server.wire import Client, TcpServer, running

ROOT = Path(__file__).parents[2]
SDK = "-m dalmuti.client.cli bot greedy {host}:{port} --table {table} --name {name}"


def test_our_own_client_passes_all_of_it() -> None:
    found = conform(f"{shlex.quote(sys.executable)} {SDK}")
    assert not_passed(found) == []
    assert found["passed"] == len(found["checks"]) > 60


def place_of(server: TcpServer, password: str | None = None) -> Place:
    host, _, port = server.app.addresses[0].rpartition(":")
    return Place(host, int(port), password)


async def answer_pings(stranger: Client) -> None:
    """He says nothing else."""
    while (message := await stranger.receive()) is not None:
        if isinstance(message, Ping):
            await stranger.send(Pong(n=message.n))


async def test_our_server_passes_all_of_it() -> None:
    """The clocks are shorter than usual. Strangers at their own table hear nothing of it all."""
    limits = Limits(
        ping_seconds=1, dead_seconds=8, grace_seconds=1, frame_seconds=1, hello_seconds=2
    )
    outcomes: list[Outcome] = []
    async with running(limits=limits, password="open sesame") as server:
        lobby = server.app.lobby
        assert lobby is not None
        stranger = await server.connect()
        await stranger.hello("Stranger", password="open sesame")
        assert await stranger.ask(CreateTable, table="Kitchen", options={"seats": 3}) == "ok"
        await stranger.next(Snapshot)
        at = len(stranger.seen)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(answer_pings, stranger)
            place = place_of(server, "open sesame")
            await run_all(all_checks(), lambda: visiting(place), 24, outcomes.append)
            with trio.fail_after(20):
                while len(lobby.rooms) > 1 or len(lobby.peers) > 1:
                    await trio.testing.wait_all_tasks_blocked(0.01)
            nursery.cancel_scope.cancel()
        assert [room.table.name for room in lobby.rooms.values()] == ["Kitchen"]
        assert {type(message) for message in stranger.seen[at:]} <= {Ping}
    found = [f"{each.check.id} {each.result}: {each.why}" for each in outcomes]
    assert [line for line in found if " pass: " not in line] == []
    assert len(found) > 90


async def test_a_full_house_is_no_fault_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visit, "CROWDED_SECONDS", (0.01, 0.01))
    checks = chosen(all_checks(), "S-101,S-104")
    async with running(limits=Limits(connections=1)) as server:
        await server.person("Ada")
        place = place_of(server)
        outcomes = await run_all(checks, lambda: visiting(place), 2, lambda outcome: None)
    assert [each.result for each in outcomes] == ["skip", "skip"]
    assert all("no more connections now" in each.why for each in outcomes)


async def test_who_is_not_let_in_is_told_why() -> None:
    async with running(password="open sesame") as server:
        assert await place_of(server, "open sesame").greeted() == ("", 0)
        text, code = await place_of(server).greeted()
        assert text.startswith("the server does not let us in: ") and code == 4


async def test_what_is_no_server_of_ours_is_told_so(nursery: trio.Nursery) -> None:
    async def chatter(stream: trio.SocketStream) -> None:
        await stream.send_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    serve = partial(trio.serve_tcp, chatter, 0, host="127.0.0.1")
    (listener,) = await nursery.start(serve)
    place = Place("127.0.0.1", listener.socket.getsockname()[1])
    text, code = await place.greeted()
    assert "is no Dalmuti server: a web server answers there (HTTP)" in text and code == 3
    nursery.cancel_scope.cancel()


def the_tool() -> Any:
    """tools/conform_doc.py, which is in no package."""
    file = ROOT / "tools" / "conform_doc.py"
    spec = importlib.util.spec_from_file_location("conform_doc", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_tables_of_checks_are_current_and_link_to_sections_that_are_there() -> None:
    assert the_tool().wrong() == []


def test_a_link_to_nowhere_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tool = the_tool()
    page = "# The page\n## Hello and versions\n### hand_ended\n## A bot's evening\n"
    expected = {"the-page", "hello-and-versions", "hand_ended", "a-bots-evening"}
    assert tool.anchors(page) == expected
    other = tmp_path / "protocol.md"
    other.write_text(page)
    monkeypatch.setattr(tool, "PROTOCOL", other)
    assert "C-201 links to #bytes, which is no section of protocol.md" in tool.wrong()
    with pytest.raises(SystemExit):
        tool.written("a page without a place for the tables")
