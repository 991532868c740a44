"""What a hostile or unlucky guest can do, row by row as it was found in the gateway of
prompt_toolkit: there each of these took the whole gateway along, or stayed for ever.

The others are never in the way of it: another guest comes in and plays meanwhile.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from pathlib import Path
from typing import Any

import asyncssh
import pytest
from prompt_toolkit.input import vt100_parser

from client.ssh.stand import PATIENCE, Eye, Stand, connect, run, seated, sit, standing, until
from dalmuti.client.session import End, Ended
from dalmuti.client.ssh.guest import Guest
from dalmuti.client.ssh.limits import Limits
from dalmuti.client.tui.screens import render
from dalmuti.protocol.messages import Act


def drawn(guest: Guest) -> list[str]:
    """What a guest should see."""
    assert guest._screen is not None
    control = guest._screen.control
    lines = render(control.model, control.ui, 80, 24, guest._screen.now)
    return ["".join(part.text for part in line).rstrip() for line in lines]


async def another_comes(stand: Stand) -> None:
    """Somebody else enters, and reads help."""
    eye = await seated(stand, "grace")
    await eye.type("?", "ANY TIME")
    await eye.type("\x03", eye.closed.is_set)


def test_a_client_that_is_gone_leaves_nothing(tmp_path: Path) -> None:
    """Killed, or out of reach of the wifi: his seat is kept, and nothing else."""

    async def scenario() -> None:
        async with standing(tmp_path) as stand:
            connection = await connect(stand)
            eye = await sit(connection)
            await eye.until("YOUR TURN")
            guest = stand.only()
            connection.abort()
            await until(lambda: guest.over.is_set() and not stand.guests and not stand.doors)
            assert stand.sessions[0].closed == [False]
            assert guest not in stand.closing
            assert "guest left  name=ada  why='line is gone'" in stand.said.text()

    run(scenario)


def test_one_that_answers_no_more_is_gone_after_a_while(tmp_path: Path) -> None:
    """The line is cut without a word: ssh's own questions find out."""

    async def scenario() -> None:
        limits = Limits(keepalive_seconds=0.05, keepalive_count=3)
        async with standing(tmp_path, limits) as stand:
            connection = await connect(stand)
            await (await sit(connection)).until("YOUR TURN")
            transport = connection._transport
            assert transport is not None
            transport.pause_reading()
            await until(lambda: not stand.guests)
            assert stand.sessions[0].closed == [False]
            connection.abort()

    run(scenario)


def test_a_paste_of_2_mib(tmp_path: Path) -> None:
    """It is dropped, its last line too, which would be a move. Then his keys are keys again."""

    async def scenario() -> None:
        async with standing(tmp_path) as stand:
            eye = await seated(stand)
            eye.chan.write("\x1b[200~" + "9\r" * (1 << 20) + "\x1b[201~\r p\r")
            await another_comes(stand)
            await until(lambda: eye.chan.get_write_buffer_size() == 0)
            await until(lambda: stand.now > stand.only()._input._deaf_until)
            assert not stand.sessions[0].asked
            await eye.type("?", "ANY TIME")

    run(scenario)


def test_a_paste_that_never_ends(tmp_path: Path) -> None:
    """A mark for its beginning, and none for its end: nothing is kept of it without a bound."""

    async def scenario() -> None:
        async with standing(tmp_path) as stand:
            eye = await seated(stand)
            eye.chan.write("\x1b[200~" + "x" * 4000)
            source = stand.only()._input
            await until(lambda: source._unfinished >= 4000)
            source._tokens = 4096.0
            await eye.type("x" * 200 + "\r", lambda: stand.now < source._deaf_until)
            assert not source._parser._in_bracketed_paste and not source._waiting
            await until(lambda: stand.now > source._deaf_until)
            await eye.type("?", "ANY TIME")
            assert not stand.sessions[0].asked

    run(scenario)


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ((100_000, 100_000), (250, 80)),
        ((1000, 1000), (250, 80)),
        ((0, 0), (80, 24)),
        ((0, 50), (80, 50)),
        ((4_294_967_295, 4_294_967_295), (250, 80)),
    ],
)
def test_sizes_are_within_bounds(
    asked: tuple[int, int], shown: tuple[int, int], tmp_path: Path
) -> None:
    async def scenario() -> None:
        async with standing(tmp_path) as stand:
            eye = await sit(await connect(stand), size=asked)
            size = stand.only().size()
            assert (size.columns, size.rows) == shown
            eye.screen.resize(shown[1], shown[0])
            await eye.until("YOUR TURN")
            eye.chan.change_terminal_size(1, 1)
            await until(lambda: stand.only().size().columns == 1)
            eye.chan.change_terminal_size(*asked)
            await until(lambda: stand.only().size() == size)
            await another_comes(stand)

    run(scenario)


def test_2000_changes_of_the_window(tmp_path: Path) -> None:
    """They are drawn now and then, and the last is what counts."""

    async def scenario() -> None:
        async with standing(tmp_path) as stand:
            eye = await seated(stand)
            guest = stand.only()
            assert guest._screen is not None
            drawn = [0]

            def draws(_: object) -> None:
                drawn[0] += 1

            guest._screen.app.after_render += draws
            for number in range(2000):
                eye.chan.change_terminal_size(81 + number % 100, 25 + number % 50)
            await another_comes(stand)
            eye.screen.resize(40, 120)
            eye.chan.change_terminal_size(120, 40)
            await eye.until(lambda: "Greater Dalmuti" in eye.text() and "YOUR TURN" in eye.text())
            assert 0 < drawn[0] < 200

    run(scenario)


def test_60_sessions_on_one_connection(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with standing(tmp_path) as stand:
            connection = await connect(stand)
            first = await sit(connection)
            await first.until("YOUR TURN")
            more = await asyncio.gather(
                *(sit(connection) for _ in range(60)), return_exceptions=True
            )
            refused = [each for each in more if isinstance(each, asyncssh.ChannelOpenError)]
            assert len(refused) == 58 and "open another connection" in str(refused[0])
            assert [await each.over() for each in more if isinstance(each, Eye)] == [4, 4]
            assert stand.guests == {stand.only()} and first.chan.get_exit_status() is None
            await another_comes(stand)

    run(scenario)


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ({"term": None}, "needs a terminal"),
        ({"term": "dumb"}, "TERM=dumb"),
        ({"term": "unknown"}, "TERM=unknown"),
        ({"command": "ls -l"}, "No commands are run here"),
        ({"command": "scp -t /tmp", "term": None}, "No commands are run here"),
        ({"subsystem": "sftp", "term": None}, "no files here"),
        ({"subsystem": "netconf", "term": None}, "no files here"),
    ],
    ids=["-T", "TERM=dumb", "TERM=unknown", "command", "scp", "sftp", "subsystem"],
)
def test_what_is_no_visit_is_refused_with_a_sentence(
    what: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    async def scenario() -> None:
        async with standing(tmp_path) as stand:
            eye = await sit(await connect(stand), **what)
            assert await eye.over() == 2
            assert sentence in eye.errors and eye.raw == ""
            assert not stand.sessions

    run(scenario)


def test_nothing_is_forwarded(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with standing(tmp_path) as stand:
            connection = await connect(stand)
            with pytest.raises(asyncssh.ChannelOpenError, match="Nothing is forwarded"):
                await connection.open_connection("127.0.0.1", stand.port)
            with pytest.raises(asyncssh.ChannelOpenError, match="Nothing is forwarded"):
                await connection.open_unix_connection("/run/nothing.sock")
            with pytest.raises(asyncssh.ChannelListenError):
                await connection.forward_remote_port("127.0.0.1", 0, "127.0.0.1", 1)
            with pytest.raises(asyncssh.ChannelListenError):
                await connection.forward_remote_path(str(tmp_path / "in"), str(tmp_path / "out"))
            connection.abort()

    run(scenario)


def test_an_exit_status_and_a_restored_terminal(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with standing(tmp_path) as stand:
            eye = await seated(stand)
            eye.chan.write("\x03")
            assert await eye.over() == 0
            assert eye.restored() and stand.sessions[0].closed[0] is False
            eye = await seated(stand)
            await eye.type("q", "Leave?")
            eye.chan.write("y")
            assert await eye.over() == 0 and eye.restored()
            assert stand.sessions[1].closed[0] is True

    run(scenario)


@pytest.mark.parametrize(("why", "code"), [("lost", 3), ("kicked", 4), ("refused", 4)])
def test_the_exit_status_says_why(why: End, code: int, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with standing(tmp_path) as stand:
            eye = await seated(stand)
            stand.sessions[0].ended = Ended(why, "It is over, and this is why.")
            stand.sessions[0].over.set()
            assert await eye.over() == code
            assert "It is over, and this is why." in eye.errors and eye.restored()

    run(scenario)


@pytest.mark.parametrize("where", ["channel", "line"])
def test_a_guest_who_stops_reading(where: str, tmp_path: Path) -> None:
    """Whole frames are dropped, and when he reads again he sees everything as it is now.

    He stops at the channel, as when his terminal hangs, or at the line, as when ssh is suspended
    and had offered to take any amount.
    """

    async def scenario() -> None:
        limits = Limits(frame_bytes=8192)
        async with standing(tmp_path, limits) as stand:
            narrow = socket.socket()
            narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
            narrow.connect(("127.0.0.1", stand.port))
            connection = await connect(stand, sock=narrow)
            window = 8192 if where == "channel" else 1 << 30
            eye = await sit(connection, window=window)
            await eye.until("YOUR TURN")
            transport = connection._transport
            assert transport is not None
            if where == "channel":
                eye.chan.pause_reading()
            else:
                transport.pause_reading()
            guest, session = stand.only(), stand.sessions[0]
            number = 0
            async with asyncio.timeout(PATIENCE):
                while not guest._stale:
                    number += 1
                    session.say(f"line {number}")
                    guest._repaint()
                    await asyncio.sleep(0.002)
            for _ in range(300):
                number += 1
                session.say(f"line {number}")
                guest._repaint()
                await asyncio.sleep(0)
            waiting = guest._chan.get_write_buffer_size() + guest._backlog()
            assert waiting < 8192 * 2 + 4 * 8192, "more than what was there, and a frame or two"
            await another_comes(stand)
            if where == "channel":
                eye.chan.resume_reading()
            else:
                transport.resume_reading()
            await eye.until(f"line {number}")
            await eye.until(lambda: eye.text().splitlines()[1:] == drawn(guest)[1:])

    run(scenario)


def test_a_guest_who_never_lets_go_is_cut_off(tmp_path: Path) -> None:
    """All is over, and he neither reads the last words nor closes."""

    async def scenario() -> None:
        limits = Limits(frame_bytes=4096, closing_seconds=0.05)
        async with standing(tmp_path, limits) as stand:
            eye = await sit(await connect(stand), window=4096)
            await until(lambda: stand.guests)
            guest = stand.only()
            eye.chan.pause_reading()
            await until(lambda: guest._screen is not None and guest._screen.app.is_running)
            await until(lambda: stand.sessions and stand.sessions[0].stage)
            guest.dismiss(lambda: "Goodbye.")
            await until(lambda: guest.closed.is_set() and not stand.doors)

    run(scenario)


def test_questions_whose_answers_nobody_reads(tmp_path: Path) -> None:
    """Each request wants an answer, and none is read: what waits has a bound."""

    async def scenario() -> None:
        limits = Limits(backlog_bytes=32 * 1024)
        async with standing(tmp_path, limits) as stand:
            connection = await connect(stand)
            eye = await sit(connection)
            await eye.until("YOUR TURN")
            (door,) = stand.doors
            transport = connection._transport
            assert transport is not None
            transport.pause_reading()
            async with asyncio.timeout(PATIENCE):
                while stand.doors:
                    for _ in range(1000):
                        if not connection.is_closed():
                            eye.chan._send_request(b"nothing", want_reply=True)
                    await asyncio.sleep(0.001)
            assert "guest does not read" in stand.said.text()
            assert door.connection.is_closed()
            connection.abort()

    run(scenario)


def test_an_environment_without_an_end(tmp_path: Path) -> None:
    """Three variables are taken, and cut; nothing else is kept."""

    async def scenario() -> None:
        async with standing(tmp_path) as stand:
            sent = {f"JUNK{n}": "x" * 100 for n in range(500)}
            sent |= {"LD_PRELOAD": "/tmp/evil.so", "LANG": "en.UTF-8" + "x" * 9999}
            eye = await sit(await connect(stand), env={**sent, "NO_COLOR": "1"})
            await eye.until("YOUR TURN")
            kept = stand.only()._chan.get_environment()
            assert set(kept) == {"LANG", "NO_COLOR"} and len(kept["LANG"]) == 64
            assert not any(f"\x1b[0;{n}" in eye.raw for n in range(30, 39))
            assert "38;5" not in eye.raw

    run(scenario)


def test_ctrl_z_suspends_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal of one's own it suspends the process: here that is everybody's."""
    sent: list[int] = []
    monkeypatch.setattr(os, "kill", lambda pid, number: sent.append(number))

    async def scenario() -> None:
        async with standing(tmp_path) as stand:
            eye = await seated(stand)
            await eye.type("\x1a?", "ANY TIME")
            await eye.type("\x1bt\x1a\x1c", "chat>")

    run(scenario)
    assert sent == []


def test_no_key_opens_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a line editor some keys start an editor, or record all others for ever."""

    def started(*_: object, **__: object) -> None:
        raise AssertionError("something was started")

    monkeypatch.setattr("subprocess.Popen.__init__", started)
    monkeypatch.setattr("subprocess.call", started)

    async def scenario() -> None:
        async with standing(tmp_path) as stand:
            eye = await seated(stand)
            await eye.type("t", "chat>")
            eye.chan.write("hello\x18\x05\x18(abc\x1f")
            guest = stand.only()
            await eye.until("chat> hello")
            await eye.type("!", "!")
            assert guest._screen is not None
            assert guest._screen.app.emacs_state.current_recording is None

    run(scenario)


def test_no_guest_touches_what_is_the_processs(tmp_path: Path) -> None:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGWINCH, signal.SIGTSTP)
    before = [signal.getsignal(number) for number in numbers]

    async def scenario() -> None:
        async with standing(tmp_path) as stand:
            inside = [signal.getsignal(number) for number in numbers]
            handler = asyncio.get_running_loop().get_exception_handler()
            first, second = await seated(stand, "ada"), await seated(stand, "grace")
            assert [signal.getsignal(number) for number in numbers] == inside
            await first.type("\x03", first.closed.is_set)
            assert [signal.getsignal(number) for number in numbers] == inside
            assert asyncio.get_running_loop().get_exception_handler() == handler
            await second.type("?", "ANY TIME")

    run(scenario)
    assert [signal.getsignal(number) for number in numbers] == before


@pytest.mark.parametrize("where", ["key", "message", "screen", "timer", "session"])
def test_a_bug_ends_the_guest_whose_it_is(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The traceback is in the log, and no guest reads it; the others play on."""

    def bug(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a secret of the bug")

    async def scenario() -> None:
        async with standing(tmp_path) as stand:
            eye = await seated(stand, "ada")
            screen = stand.only()._screen
            session = stand.sessions[0]
            other = await seated(stand, "grace")
            assert screen is not None
            if where == "key":
                monkeypatch.setattr(screen.control, "press", bug)
                eye.chan.write("9")
            elif where == "message":
                session.failure = ZeroDivisionError("a secret of the bug")
                session.over.set()
            elif where == "screen":
                monkeypatch.setattr(screen, "_add_line", bug)
                eye.chan.write("9")
            elif where == "timer":
                monkeypatch.setattr(screen.control, "tick", bug)
                asyncio.get_running_loop().call_soon(screen._ticked, context=screen.app.context)
            else:
                session.failure = ZeroDivisionError("a secret of the bug")
                session.over.set()
            assert await eye.over() == 70
            assert eye.restored() and "bug in Dalmuti" in eye.errors
            assert "secret" not in eye.raw + eye.errors and "Traceback" not in eye.raw + eye.errors
            assert "Traceback" in stand.said.text() and "a secret of" in stand.said.text()
            await other.type("?", "ANY TIME")

    run(scenario)


def test_keys_without_an_end_cost_no_memory(tmp_path: Path) -> None:
    """A mouse that reports a number without an end, and beginnings of keys that are all new."""

    async def scenario() -> None:
        async with standing(tmp_path) as stand:
            eye = await seated(stand)
            source = stand.only()._input
            cache = vt100_parser._IS_PREFIX_OF_LONGER_MATCH_CACHE
            for start in range(0, 200, 100):
                source._tokens, source._deaf_until = 4096.0, 0.0
                keys = "".join(f"\x1b[<0;{n};{n}X" for n in range(start, start + 100))
                assert source.receive(keys)
                await until(lambda: not source._waiting)
                # By itself, or a pause within it would end it, as prompt_toolkit does with Esc.
                assert source.receive("\x1b[<" + "1" * 300)
                await until(lambda: not source._waiting)
                assert stand.now < source._deaf_until
                assert len(cache) < 12_000 and max(map(len, cache)) <= 33
            await until(lambda: stand.now > source._deaf_until)
            await eye.type("?", "ANY TIME")
            assert not [asked for asked in stand.sessions[0].asked if asked[0] is Act]

    run(scenario)
