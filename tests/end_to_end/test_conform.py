"""The conformance kit on what is ours: the client's SDK and the server.

The examples are tried in test_examples."""

from __future__ import annotations

import importlib.util
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from dalmuti.client.conform.checks import Outcome, run_all
from dalmuti.client.conform.servers.catalogue import all_checks
from dalmuti.client.conform.visit import Place, visiting
from dalmuti.server.limits import Limits
from dalmuti.server.lobby import Lobby
from end_to_end.conforming import conform, not_passed
from server.wire import running

ROOT = Path(__file__).parents[2]
SDK = "-m dalmuti.client.cli bot greedy {host}:{port} --table {table} --name {name}"


def test_our_own_client_passes_all_of_it() -> None:
    found = conform(f"{shlex.quote(sys.executable)} {SDK}")
    assert not_passed(found) == []
    assert found["passed"] == len(found["checks"]) > 60


async def test_our_server_passes_all_of_it() -> None:
    """In a process of its own it would be slower; the clocks are shorter than usual."""
    limits = Limits(
        ping_seconds=1, dead_seconds=8, grace_seconds=1, frame_seconds=1, hello_seconds=2
    )
    outcomes: list[Outcome] = []
    async with running(limits=limits, password="open sesame") as server:
        host, _, port = server.app.addresses[0].rpartition(":")
        place = Place(host, int(port), "open sesame")
        await run_all(all_checks(), lambda: visiting(place), 24, outcomes.append)
        found = [f"{each.check.id} {each.result}: {each.why}" for each in outcomes]
        assert [line for line in found if " pass: " not in line] == []
        assert len(found) > 90
        await _empty(server.app.lobby)


async def _empty(lobby: Lobby | None) -> None:
    """Nothing of the visits stays: no table, and no connection."""
    assert lobby is not None
    with trio.fail_after(20):
        while lobby.rooms or lobby.peers:
            await trio.testing.wait_all_tasks_blocked(0.01)


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
