"""The parts of the gateway that need no ssh: keys and frames, names and seats, the key, the log."""

from __future__ import annotations

import asyncio
import logging
import os
import stat
from pathlib import Path

import asyncssh
import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.input import vt100_parser
from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.keys import Keys

from dalmuti.client.ssh import log, terminal
from dalmuti.client.ssh.hostkey import HostKeyError, host_key
from dalmuti.client.ssh.identity import GUEST, MOST_SEATS, GuestSeats, Identity, nick_of
from dalmuti.client.ssh.limits import (
    WRONG_FORGOTTEN,
    Arrivals,
    Limits,
    Patience,
    limits_for,
)
from dalmuti.client.ssh.terminal import (
    INPUT_BURST,
    LARGEST,
    REMEMBERED_PREFIXES,
    GuestInput,
    TakenOnly,
    Wishes,
    clamped,
    clean_term,
    guest_output,
)
from dalmuti.protocol.text import clean_name

# -- keys -------------------------------------------------------------------------------------


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


async def keys_of(source: GuestInput, *texts: str) -> list[KeyPress]:
    """What is read of what is received, in a loop that has nothing else to do."""
    found: list[KeyPress] = []
    with source.attach(lambda: found.extend(source.read_keys())):
        for text in texts:
            source.receive(text)
            while source._waiting:  # noqa: ASYNC110 (there is no event for it)
                await asyncio.sleep(0)
    return found


def test_keys_come_whole_however_they_are_cut() -> None:
    async def scenario() -> None:
        found = await keys_of(
            GuestInput(Clock()), "9\x1b", "[", "D\r", "\x1b[200~a\nb\x1b[20", "1~é"
        )
        assert [press.key for press in found] == [
            "9",
            Keys.Left,
            Keys.ControlM,
            Keys.BracketedPaste,
            "é",
        ]
        assert found[3].data == "a\nb"

    asyncio.run(scenario())


def test_a_burst_and_then_a_rate() -> None:
    async def scenario() -> None:
        clock = Clock()
        source = GuestInput(clock)
        assert len(await keys_of(source, "x" * INPUT_BURST)) == INPUT_BURST
        clock.now += 0.5
        assert len(await keys_of(source, "x" * 1024)) == 1024
        assert await keys_of(source, "x") == []  # too much: deaf
        clock.now += 0.2
        assert await keys_of(source, "y") == []  # and still, as it has not been quiet
        clock.now += 0.29
        assert await keys_of(source, "y") == []
        clock.now += 0.31
        assert [press.key for press in await keys_of(source, "z")] == ["z"]

    asyncio.run(scenario())


def test_half_a_paste_is_forgotten_with_the_flood() -> None:
    async def scenario() -> None:
        clock = Clock()
        source = GuestInput(clock)
        assert await keys_of(source, "\x1b[200~begun", "x" * INPUT_BURST) == []
        clock.now += 1
        assert [press.key for press in await keys_of(source, "q")] == ["q"]

    asyncio.run(scenario())


def test_what_the_parser_keeps_has_bounds() -> None:
    async def scenario() -> None:
        clock = Clock()
        cache = vt100_parser._IS_PREFIX_OF_LONGER_MATCH_CACHE
        for start in range(0, 800, 100):
            clock.now += 10
            keys = "".join(f"\x1b[<0;{n};{n}X" for n in range(start, start + 100))
            await keys_of(GuestInput(clock), keys, "\x1b[<" + "1" * 1000)
            assert len(cache) <= REMEMBERED_PREFIXES + 100 * 20
            assert max(map(len, cache)) <= terminal.LONGEST_KEY + 1

    asyncio.run(scenario())


def test_a_closed_input_wakes_the_screen_once_it_listens() -> None:
    async def scenario() -> None:
        source, heard = GuestInput(Clock()), asyncio.Event()
        source.close()
        with source.attach(heard.set):
            await asyncio.wait_for(heard.wait(), 20)
        assert source.closed and source.read_keys() == []

    asyncio.run(scenario())


# -- what a terminal can show -----------------------------------------------------------------


@given(st.integers(-(2**31), 2**32), st.integers(-(2**31), 2**32))
def test_a_size_is_always_one_that_can_be_drawn(columns: int, rows: int) -> None:
    size = clamped(columns, rows)
    assert 1 <= size.columns <= LARGEST[0] and 1 <= size.rows <= LARGEST[1]
    if 1 <= columns <= LARGEST[0]:
        assert size.columns == columns


@pytest.mark.parametrize(
    ("term", "taken"),
    [
        ("xterm", "xterm"),
        ("screen.xterm-256color", "screen.xterm-256color"),
        ("linux", "linux"),
        ("\x1b[31m", "xterm-256color"),
        ("../../x", "xterm-256color"),
        ("x" * 999, "xterm-256color"),
        ("dumb", None),
        ("unknown", None),
        ("", None),
    ],
)
def test_term_is_clean(term: str, taken: str | None) -> None:
    assert clean_term(term) == taken


@pytest.mark.parametrize(
    ("sent", "language", "ascii", "no_color"),
    [
        ({}, "nl", False, False),
        ({"LANG": "de_DE.UTF-8"}, "de", False, False),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "fr_CA.utf8"}, "fr", False, False),
        ({"LANG": "fr_FR.ISO-8859-1"}, "fr", True, False),
        ({"LANG": "C"}, "nl", True, False),
        ({"LC_ALL": "C.UTF-8", "NO_COLOR": "1"}, "nl", False, True),
        ({"LANG": "zh_CN.UTF-8"}, "en", False, False),
        ({"LANG": "\x1b[2J../../de"}, "en", True, False),
        ({"NO_COLOR": "", "LANGUAGE": "fr", "LC_MESSAGES": "fr_FR.UTF-8"}, "nl", False, False),
    ],
)
def test_wishes(sent: dict[str, str], language: str, ascii: bool, no_color: bool) -> None:
    wishes = Wishes(sent, "nl")
    assert (wishes.language, wishes.ascii, wishes.no_color) == (language, ascii, no_color)


def test_an_environment_keeps_three_variables() -> None:
    kept = TakenOnly()
    for name in (b"PATH", b"LD_PRELOAD", b"LANG", b"LC_ALL", b"NO_COLOR", b"TERM"):
        kept[name] = b"x" * 1000
    assert {name: len(value) for name, value in kept.items()} == {
        b"LANG": 64,
        b"LC_ALL": 64,
        b"NO_COLOR": 64,
    }


def test_frames_go_out_whole_and_in_what_the_terminal_reads() -> None:
    sent: list[str] = []
    output = guest_output(sent.append, lambda: clamped(80, 24), "xterm", Wishes({"LANG": "C"}))
    output.write_raw("\x1b[H")
    output.write("王é\n·e\u0301½")
    output.flush()
    output.flush()
    assert sent == ["\x1b[H??e\r\n?e1"]


# -- names and seats --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("user", "nick"),
    [
        ("ada", "ada"),
        ("王小明", "王小明"),
        ("  Grace   Hopper ", "Grace Hopper"),
        ("a" * 60, "a" * 20),
        ("\x1b[31mevil", "[31mevil"),
        ("x\u202e\u200bgnp", "xgnp"),
        ("root", GUEST),
        ("HOST", GUEST),
        ("", GUEST),
        ("\u200b", GUEST),
        ("../../etc", "../../etc"),
    ],
)
def test_a_user_is_a_nick(user: str, nick: str) -> None:
    assert nick_of(user) == nick


@given(st.text(max_size=40))
def test_any_user_has_a_nick_that_servers_take(user: str) -> None:
    assert clean_name(nick_of(user)) == nick_of(user)


def test_who_is_the_same_guest() -> None:
    key = Identity(nick="ada", address="10.0.0.1", key="SHA256:x")
    assert key.id == Identity(nick="bob", address="10.0.0.2", key="SHA256:x").id
    name = Identity(nick="ada", address="10.0.0.1")
    assert name.id == Identity(nick="ADA", address="10.0.0.1").id
    others = [
        key,
        Identity(nick="ada", address="10.0.0.2"),
        Identity(nick="grace", address="10.0.0.1"),
        Identity(nick="key SHA256:x", address="10.0.0.1"),
    ]
    assert all(name.id != each.id and (each is key or key.id != each.id) for each in others)
    assert key.lasts and name.lasts and not Identity(nick=GUEST, address="10.0.0.1").lasts


def test_seats_outlive_the_gateway_and_are_nobody_elses(tmp_path: Path) -> None:
    ada = Identity(nick="ada", address="10.0.0.1")
    seats = GuestSeats("10.0.0.9:12013", tmp_path)
    file = seats.claim(ada)
    assert file is not None and file.load() is None
    file.save("Kitchen", "t1", "ada")
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert seats.claim(ada) is None, "somebody is on it"
    file.close()
    again = GuestSeats("10.0.0.9:12013", tmp_path).claim(ada)
    assert again is not None
    seat = again.load()
    assert seat is not None and seat.token == "t1"
    again.close()
    elsewhere = GuestSeats("10.0.0.8:12013", tmp_path).claim(ada)
    assert elsewhere is not None and elsewhere.load() is None
    elsewhere.close()


def test_seats_of_guests_who_never_came_back_make_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dalmuti.client.ssh.identity.MOST_SEATS", 5)
    assert MOST_SEATS > 100
    seats = GuestSeats("s", tmp_path)
    held = []
    for number in range(9):
        file = seats.claim(Identity(nick="x", address="a", key=f"SHA256:{number}"))
        assert file is not None
        file.save("Kitchen", f"t{number}", "x")
        os.utime(file.path, (number, number))
        if number == 0:
            held.append(file)  # somebody is on the oldest
        else:
            file.close()
    tokens = {path.read_text().split('"token":"')[1][:2] for path in tmp_path.glob("*.json")}
    assert "t0" in tokens and "t8" in tokens and "t1" not in tokens and len(tokens) <= 7
    held[0].close()


# -- the host's key ---------------------------------------------------------------------------


def test_the_key_is_made_once_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "data" / "key"
    key = host_key(path)
    assert key.algorithm == b"ssh-ed25519"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert host_key(path).get_fingerprint() == key.get_fingerprint()
    assert [each.name for each in path.parent.iterdir()] == ["key"]


@pytest.mark.parametrize("trap", ["link to nothing", "link to a file", "others read it", "no key"])
def test_a_key_that_somebody_prepared(trap: str, tmp_path: Path) -> None:
    path, victim = tmp_path / "key", tmp_path / "victim"
    if trap == "link to nothing":
        path.symlink_to(victim)
    elif trap == "link to a file":
        victim.write_text("precious")
        victim.chmod(0o644)
        path.symlink_to(victim)
    elif trap == "others read it":
        host_key(path)
        path.chmod(0o644)
    else:
        path.write_text("nonsense")
        path.chmod(0o600)
    with pytest.raises(HostKeyError, match=r"expected|cannot be had"):
        host_key(path)
    if trap == "link to nothing":
        assert not victim.exists()
    elif trap == "link to a file":
        assert victim.read_text() == "precious"


def test_a_key_is_asked_for_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(HostKeyError, match="cannot be had"):
        host_key(tmp_path / "file" / "key")


def test_one_that_was_killed_while_it_made_the_key_stands_in_nobodys_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where every process has the same number, as in a container."""

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "key"
    with monkeypatch.context() as patch:
        patch.setattr(os, "link", killed)
        patch.setattr(Path, "unlink", lambda *_, **__: None)
        with pytest.raises(KeyboardInterrupt):
            host_key(path)
    left = list(tmp_path.iterdir())
    assert len(left) == 1 and left[0].stat().st_mode & 0o777 == 0o600
    assert host_key(path).algorithm == b"ssh-ed25519"


def test_of_two_that_start_at_once_one_makes_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "key"
    other = asyncssh.generate_private_key("ssh-ed25519")
    true_link = os.link

    def link(new: Path, to: Path) -> None:
        path.write_bytes(other.export_private_key())
        path.chmod(0o600)
        true_link(new, to)

    monkeypatch.setattr(os, "link", link)
    assert host_key(path).get_fingerprint() == other.get_fingerprint()
    assert [each.name for each in tmp_path.iterdir()] == ["key"]


# -- counting ---------------------------------------------------------------------------------


def test_the_limits_are_what_the_host_reads() -> None:
    limits = limits_for(64, 12)
    assert (limits.guests, limits.address_guests, limits.sessions) == (64, 12, 3)
    assert (limits.login_seconds, limits.keepalive_seconds, limits.keepalive_count) == (20, 15, 3)
    assert (
        limits.idle_seconds == 3600
        and limits.connections > 64
        and limits == Limits(connections=160, address_connections=24)
    )
    many = limits_for(500, 200)
    assert many.address_connections >= 200 and many.connect_burst >= 200


def test_who_comes_too_often_waits() -> None:
    arrivals = Arrivals(Limits(connect_burst=3, connect_per_second=0.5))
    assert [arrivals.may_come("a", 0.0) for _ in range(5)] == [True] * 3 + [False] * 2
    assert arrivals.may_come("b", 0.0)
    assert not arrivals.may_come("a", 1.0) and arrivals.may_come("a", 2.0)
    for number in range(5000):
        arrivals.may_come(str(number), 3.0)
    assert len(arrivals._tokens) <= 1024


def test_patience_is_bounded_and_forgets() -> None:
    patience = Patience()
    for number in range(3000):
        patience.wrong(f"10.0.{number // 256}.{number % 256}", 0.0)
    assert len(patience._wrong) <= 1024
    for _ in range(50):
        patience.wrong("10.9.9.9", 10.0)
    assert patience.seconds("10.9.9.9", 10.0) == 8.0
    assert patience.seconds("10.8.8.8", 10.0) == 0.5
    assert patience.seconds("10.9.9.9", 11.0 + WRONG_FORGOTTEN) == 0.5
    patience.right("10.9.9.9")
    assert patience.seconds("10.9.9.9", 10.0) == 0.5


# -- the log ----------------------------------------------------------------------------------


def test_no_name_writes_lines_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "ssh.log"
    lines = log.Log(log.to(path))
    evil = 'x\n2026-01-01 00:00:00 guest came  name="root"\x1b[2J\u202e' + "y" * 500
    lines.event("guest came", name=evil, key=None, size="80x24")
    (line,) = path.read_text().splitlines()
    assert line.isprintable() and len(line) < 200 and line.endswith("  size=80x24")
    assert "key=" not in line
    logging.getLogger("dalmuti.ssh").handlers[0].close()


def test_no_message_of_an_error_does_either(tmp_path: Path) -> None:
    path = tmp_path / "ssh.log"
    lines = log.Log(log.to(path))
    try:
        raise ValueError("found \x1b]0;mine\x07\x9b2J\r2026-01-01 guest came\u202e")
    except ValueError as error:
        lines.bug("bug", error)
    first, *rest = path.read_text().splitlines()
    assert first.endswith("bug") and "Traceback" in rest[0] and "found" in "".join(rest)
    assert all(line.isprintable() and line.startswith("  ") for line in rest)
    logging.getLogger("dalmuti.ssh").handlers[0].close()


def test_what_strangers_do_is_seldom_told(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "ssh.log"
    lines = log.Log(log.to(path), clock)
    for _ in range(1000):
        lines.seldom("wrong password", "10.0.0.1")
    lines.seldom("wrong password", "10.0.0.2")
    clock.now += 61
    lines.seldom("wrong password", "10.0.0.1")
    told = [line.split(" ", 2)[2] for line in path.read_text().splitlines()]
    assert told == [
        "wrong password  address=10.0.0.1",
        "wrong password  address=10.0.0.2",
        "wrong password  address=10.0.0.1  more_since=999",
    ]
    for number in range(5000):
        lines.seldom("x", str(number))
    assert len(lines._seldom) <= 1024
    logging.getLogger("dalmuti.ssh").handlers[0].close()
