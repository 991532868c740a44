"""The child process of the house bots: what it says, and what becomes of it."""

from __future__ import annotations

import json
import sys

import pytest
import trio

from dalmuti.protocol import messages as msg
from dalmuti.server import bothost
from server.wire import running

TALKER = r"""
import sys
sys.stdin.readline()
print("Bea at Kitchen: \x1b[31mno\nhalf a line", end="", file=sys.stderr, flush=True)
print("x" * 100_000, file=sys.stderr, flush=True)
print("the end", file=sys.stderr, flush=True)
"""


async def test_what_the_bots_complain_of_is_in_the_log_line_by_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And never beside it, where it would break a log of JSON lines."""
    monkeypatch.setattr(bothost, "COMMAND", (sys.executable, "-c", TALKER))
    async with running() as server:
        ada = await server.person("Ada")
        assert await ada.ask(msg.CreateTable, table="Kitchen") == "ok"
        assert await ada.ask(msg.AddBot, bot="greedy") == "ok"
        with trio.fail_after(20):
            while "the end" not in server.log_text.getvalue():  # noqa: ASYNC110  # a log has no events
                await trio.sleep(0.02)
    lines = [json.loads(line) for line in server.log_text.getvalue().splitlines()]
    said = [line["text"] for line in lines if line["event"] == "bots_say"]
    assert said[0] == "Bea at Kitchen: [31mno"
    assert said[1].startswith("half a linexxx") and all(len(text) <= 1000 for text in said)
    assert said[-1] == "the end"
