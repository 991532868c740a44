"""`dalmuti bot` with a bot from a file: what it says of its faults, and how it exits."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import trio

from dalmuti.core import events as ev
from dalmuti.protocol import messages as msg
from end_to_end.terminal import clean_environment
from server.wire import running

BOT = """
from dalmuti.client.bot import Bot

class Mine(Bot):
    def decide(self, view, decision):
        return decision.choices[0 if {good} else 10_000]
"""


@pytest.mark.parametrize("good", [True, False])
async def test_a_bot_whose_table_is_closed(good: bool, tmp_path: Path) -> None:
    """The exit code tells whether all was well with it; every fault but the first is counted."""
    (tmp_path / "mine.py").write_text(BOT.format(good=good))
    async with running() as server:
        ada = await server.person("Ada")
        table = {"table": "Kitchen", "options": {"seats": 2}}
        assert await ada.ask(msg.CreateTable, **table) == "ok"
        command = [sys.executable, "-m", "dalmuti.client.cli", "bot", "mine.py"]
        async with trio.open_nursery() as nursery:

            async def play() -> None:
                assert (await ada.event(ev.PlayerJoined)).who.name == "Mine"
                assert await ada.ask(msg.Deal) == "ok"
                await ada.play_until(ev.HandEnded)
                assert await ada.ask(msg.Close) == "ok"

            nursery.start_soon(play)
            with trio.fail_after(60):
                done = await trio.run_process(
                    [*command, server.app.addresses[0]],
                    cwd=tmp_path,
                    env=dict(clean_environment(tmp_path / "home")),
                    capture_stdout=True,
                    capture_stderr=True,
                    check=False,
                )
    said, complaints = done.stdout.decode(), done.stderr.decode().splitlines()
    assert "Mine sits at table Kitchen." in said and "Mine: a match begins, with Ada." in said
    if good:
        assert (done.returncode, complaints) == (0, ["dalmuti bot: Mine: The table is closed."])
        return
    assert done.returncode == 1
    shown = [line for line in complaints if "It saw {" in line]
    assert len(shown) == 1 and "raised IndexError" in shown[0] and "mine.py, line 6" in shown[0]
    *_, times, last, why = complaints
    assert why.endswith("the exit code is 1, since not all was well with the bot")
    number = int(times.split()[2])
    assert number > 1 and f"{number} times: Mine raised IndexError" in times
    assert f"Mine: 0 illegal, 0 late and {number} crashed; it was asked for {number} dec" in last
