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
from dalmuti.client.conform.servers import ends
from dalmuti.client.conform.servers.catalogue import all_checks
from dalmuti.client.conform.visit import Place, visiting
from dalmuti.client.trust import Known, Trust
from dalmuti.protocol.errors import ByeReason
from dalmuti.protocol.messages import CreateTable, Ping, Pong, Snapshot
from dalmuti.server.limits import Limits
from dalmuti.server.peer import Peer
from dalmuti.server.steering import Steering
from end_to_end.conforming import conform, not_passed
from server.certs import Certificates, running_tls
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


async def test_our_server_passes_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clocks are shorter than usual. Strangers at their own table hear nothing of it all."""
    monkeypatch.setattr(ends, "DRAIN_SECONDS", 0.1)
    limits = Limits(
        ping_seconds=1,
        dead_seconds=8,
        grace_seconds=1,
        frame_seconds=1,
        hello_seconds=2,
        outbox_items=1000,
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
    (skipped,) = [line for line in found if " pass: " not in line]
    assert skipped.startswith("S-705 skip: the server did not say `draining`")
    assert len(found) > 90


async def tried(server: TcpServer, id: str, place: Place | None = None) -> Outcome:
    """One check of the server."""
    where = place or place_of(server)
    (outcome,) = await run_all(
        chosen(all_checks(), id), lambda: visiting(where), 1, lambda outcome: None
    )
    return outcome


@pytest.mark.parametrize("drains", [True, False])
async def test_a_server_that_drains_opens_no_tables(drains: bool) -> None:
    """Or it says so, and opens them all the same."""
    outcomes: list[Outcome] = []

    async def run() -> None:
        outcomes.append(await tried(server, "S-705"))
        nursery.cancel_scope.cancel()

    async with running() as server, trio.open_nursery() as nursery:
        lobby = server.app.lobby
        assert lobby is not None
        nursery.start_soon(run)
        while not any(room.table.people.seated() for room in lobby.rooms.values()):
            await trio.testing.wait_all_tasks_blocked(0.01)
        Steering(lobby).drain(60)
        lobby.draining = drains
    (outcome,) = outcomes
    if drains:
        assert (outcome.result, outcome.why) == ("pass", "")
    else:
        assert outcome.why == "expected `draining` to `create`, found `ok`"
        assert outcome.evidence.sent.endswith("`create` 1")


async def test_what_else_is_tried_of_a_server_that_drains_is_skipped() -> None:
    async with running() as server:
        lobby = server.app.lobby
        assert lobby is not None
        lobby.draining = True
        outcome = await tried(server, "S-301")
    assert outcome.result == "skip" and "is draining" in outcome.why


async def test_who_does_not_read_is_given_up_for_the_right_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    end = Peer.end

    def wrong(peer: Peer, reason: ByeReason, text: str) -> None:
        end(peer, ByeReason.IDLE, text)

    limits = Limits(outbox_items=200)
    async with running(limits=limits) as server:
        assert (await tried(server, "S-704")).result == "pass"
        monkeypatch.setattr(Peer, "end", wrong)
        outcome = await tried(server, "S-704")
    assert outcome.why == "expected `bye` with `slow_consumer`, found `idle`"


async def test_a_server_with_tls(tmp_path: Path) -> None:
    """By the fingerprint of its certificate; cut frames and lost connections are the same."""
    certificates = Certificates(tmp_path)
    known = Known(tmp_path / "known.json")
    async with running_tls(certificates) as server:
        host, _, port = server.app.addresses[0].rpartition(":")

        def place(fingerprint: str) -> Place:
            return Place(host, int(port), trust=Trust(host, int(port), fingerprint, known))

        right = place(certificates.fingerprint)
        assert await right.greeted() == ("", 0)
        checks = chosen(all_checks(), "S-101,S-104,S-201,S-202,S-203,S-502,S-601,S-604,S-703")
        outcomes = await run_all(checks, lambda: visiting(right), 4, lambda outcome: None)
        assert [(each.check.id, each.why) for each in outcomes if each.result != "pass"] == []
        text, code = await place(":".join(["AB"] * 32)).greeted()
        assert "AB:AB" in text and code == 3
        text, code = await Place(host, int(port)).greeted()
        assert "--tls" in text and code == 4


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
    wrong = tool.wrong()
    assert "C-201 links to #bytes, which is no section of protocol.md" in wrong
    faults = [line for line in wrong if line.startswith("stand.py:")]
    assert faults and all("which is no section" in line for line in faults)
    with pytest.raises(SystemExit):
        tool.written("a page without a place for the tables")
