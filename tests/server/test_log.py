"""The log: its levels, its bounded files, and what is never in it."""

from __future__ import annotations

import io
import json
import stat
from pathlib import Path

import pytest
import trio

from dalmuti.core import events as ev
from dalmuti.protocol import messages as msg
from dalmuti.server.log import LEVELS, Log, LogFile, Sink
from server.wire import running


def test_levels_and_who_is_bound_to_it() -> None:
    text = io.StringIO()
    log = Log("json", text)
    bound = log.bind(conn=7)
    for level in LEVELS:
        log.sink.level = level
        bound.debug("a")
        bound.info("b")
        bound.warning("c")
        bound.audit("d")
    events = [json.loads(line)["event"] for line in text.getvalue().splitlines()]
    assert "".join(events) == "abcdbcdcdd"
    assert all(json.loads(line)["conn"] == 7 for line in text.getvalue().splitlines())


def test_I80_nothing_in_a_readable_line_reaches_the_terminal_as_a_command() -> None:
    text = io.StringIO()
    Log("text", text).info("connected", name="\x1b]0;owned\x07\u202e\x9b2J", kind="human")
    assert not set(text.getvalue()) & set("\x1b\x07\u202e\x9b")


def test_I92_a_log_file_is_rotated_and_bounded(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    file = LogFile(path, 1000, 3)
    log = Log(sink=Sink("json", file=file))
    for number in range(200):
        log.info("something", number=number)
    file.close()
    files = sorted(tmp_path.iterdir())
    assert [each.name for each in files] == ["server.log", "server.log.1", "server.log.2"]
    assert all(0 < each.stat().st_size <= 1000 for each in files)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    numbers = [
        json.loads(line)["number"]
        for each in reversed(files)
        for line in each.read_text().splitlines()
    ]
    assert numbers == list(range(numbers[0], 200)), "the newest lines, none missing"


def test_I92_one_file_alone_begins_anew(tmp_path: Path) -> None:
    file = LogFile(tmp_path / "server.log", 200, 1)
    for number in range(50):
        file.write(f"{number:050}")
    file.close()
    assert [each.name for each in tmp_path.iterdir()] == ["server.log"]
    assert (tmp_path / "server.log").stat().st_size <= 200


def test_I92_by_default_a_log_file_has_at_most_ten_times_five_mebibytes() -> None:
    from dalmuti.server.config import Config

    assert (Config().log_file_bytes, Config().log_files) == (5 * 2**20, 10)


def test_a_file_that_another_program_moved_away_is_begun_anew(tmp_path: Path) -> None:
    file = LogFile(tmp_path / "server.log", 10_000, 3)
    file.write("before")
    (tmp_path / "server.log").rename(tmp_path / "old.log")
    file.reopen()
    file.write("after")
    file.close()
    assert (tmp_path / "server.log").read_text() == "after\n"
    assert (tmp_path / "old.log").read_text() == "before\n"


def test_a_full_disk_does_not_stop_the_game(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no device that is always full")
    log = Log("text", open("/dev/full", "w", buffering=1))
    log.info("something")
    stream = log.sink._stream
    assert stream is not None
    with pytest.raises(OSError):
        stream.close()


async def test_I4_not_even_at_level_debug_does_it_have_a_card_a_token_or_a_password() -> None:
    """Two hands with house bots, a table with a password, a resume; then every line is read."""
    async with running(password="sesame-open", log_level="debug") as server:
        sink = server.app._log.sink
        sink.level = "debug"
        ada, bob = await server.connect(), await server.connect()
        await ada.hello("Ada", password="sesame-open")
        await bob.hello("Bob", password="sesame-open")
        opened = await ada.ask(msg.CreateTable, table="Kitchen", password="table-secret")
        assert opened == "ok"
        assert await bob.ask(msg.JoinTable, table="Kitchen", password="wrong-secret") != "ok"
        assert await bob.ask(msg.JoinTable, table="Kitchen", password="table-secret") == "ok"
        tokens = [(await each.next(msg.Seated)).token for each in (ada, bob)]
        for name in ("greedy", "random"):
            assert await ada.ask(msg.AddBot, bot=name) == "ok"
            await ada.event(ev.PlayerJoined)
        for _ in range(2):
            assert await ada.ask(msg.Deal) == "ok"
            async with trio.open_nursery() as nursery:
                nursery.start_soon(bob.play_until, ev.DealRevealed)
                await ada.play_until(ev.DealRevealed)
        seeds = [each.seed for each in revealed(ada.seen)]
        text = server.log_text.getvalue()
    lines = [json.loads(line) for line in text.splitlines()]
    assert {line["event"] for line in lines} >= {"request", "moved", "hand_dealt", "hand_over"}
    for secret in ("sesame-open", "table-secret", "wrong-secret", *tokens, *seeds):
        assert secret not in text
    known = {
        *("ts", "level", "event", "conn", "name", "kind", "client", "address", "table", "hand"),
        *("by", "bot", "pid", "code", "reason", "during", "request", "more", "why", "seconds"),
        *("task", "ms"),  # a busy machine has slow steps
    }
    for line in lines:
        assert set(line) <= known, line
        assert not any(isinstance(value, list | dict) for value in line.values()), line


def revealed(seen: list[object]) -> list[ev.DealRevealed]:
    """The seeds that were revealed after hands."""
    return [
        message.event
        for message in seen
        if isinstance(message, msg.EventMessage) and isinstance(message.event, ev.DealRevealed)
    ]
