"""The server's password against those who guess it."""

from __future__ import annotations

import pytest
import trio
from trio import Nursery
from trio.testing import MockClock

from dalmuti.core import events as ev
from dalmuti.protocol import messages as msg
from dalmuti.server.config import Config
from dalmuti.server.passwords import (
    FORGET_SECONDS,
    HELD_AT_ONCE,
    MOST_SECONDS,
    Passwords,
    TooManyTries,
    Wrong,
)
from server.wire import MemoryServer, running

THERE, HOME = "192.0.2.7", "127.0.0.1"


def wrong(passwords: Passwords, address: str, now: float) -> float:
    """Tries a wrong password; how long the answer is held back."""
    with pytest.raises(Wrong) as error:
        passwords.check("nonsense", "sesame", address, now)
    return error.value.seconds


def test_the_delay_grows_and_is_capped() -> None:
    passwords, now, waits = Passwords(), 0.0, []
    for _ in range(10):
        waits.append(wrong(passwords, THERE, now))
        now += waits[-1] + 0.1
    assert waits[:4] == [0.5, 1.0, 2.0, 4.0]
    assert waits[-1] == MOST_SECONDS


def test_the_right_one_never_waits_and_forgets_the_wrong_ones() -> None:
    passwords = Passwords()
    for _ in range(HELD_AT_ONCE - 1):
        wrong(passwords, THERE, 0.0)
    passwords.check("sesame", "sesame", THERE, 0.0)
    assert wrong(passwords, THERE, 0.0) == 0.5


def test_many_connections_at_once_are_no_way_round_it() -> None:
    """Else a wrong password could be told by the silence, without waiting for the answer."""
    passwords = Passwords()
    held = [wrong(passwords, THERE, 0.0) for _ in range(HELD_AT_ONCE)]
    with pytest.raises(TooManyTries, match="try again in 1 seconds"):
        passwords.check("sesame", "sesame", THERE, 0.0)
    passwords.check("sesame", "sesame", THERE, min(held) + 0.01)
    passwords.check("sesame", "sesame", "192.0.2.8", 0.0)


def test_this_machine_is_always_looked_at() -> None:
    passwords = Passwords()
    for _ in range(50):
        wrong(passwords, HOME, 0.0)
    passwords.check("sesame", "sesame", HOME, 0.0)


def test_old_tries_are_forgotten_and_addresses_bounded() -> None:
    passwords = Passwords()
    for _ in range(3):
        wrong(passwords, THERE, 0.0)
    assert wrong(passwords, THERE, FORGET_SECONDS + 1) == 0.5
    for number in range(5000):
        wrong(passwords, f"10.0.{number // 256}.{number % 256}", 0.0)
    assert len(passwords._tries) == 4096


def test_without_a_password_all_is_well() -> None:
    Passwords().check(None, None, THERE, 0.0)
    Passwords().check("anything", None, THERE, 0.0)


async def test_a_wrong_password_is_answered_late_and_logged_once(
    nursery: Nursery, autojump_clock: MockClock
) -> None:
    server = MemoryServer(nursery, Config(password="sesame"))

    async def knock(password: str | None) -> tuple[str, float]:
        client = server.connect()
        began = trio.current_time()
        await client.send(msg.Hello(versions=(1, 1), name="Eve", password=password))
        (bye,) = await client.rest()
        return bye.reason, trio.current_time() - began

    for seconds, password in ((0.5, None), (1.0, ""), (2.0, "Sesame"), (4.0, "sesam")):
        reason, waited = await knock(password)
        assert reason == "wrong_password" and waited == pytest.approx(seconds, abs=0.1)
    ada = server.connect()
    began = trio.current_time()
    await ada.hello("Ada", password="sesame")
    assert trio.current_time() - began < 0.1
    assert server.log_text.getvalue().count('"wrong_password"') == 1
    assert "sesame" not in server.log_text.getvalue().lower()
    assert server.lobby.metrics.byes["wrong_password"] == 4


async def test_a_reloaded_password_counts_for_who_comes_then() -> None:
    async with running(password="old") as server:
        ada = await server.connect()
        await ada.hello("Ada", password="old")
        operations = server.app.operations
        assert operations is not None
        config = Config(listen=("127.0.0.1:0",), bot_delay=0, password="new")
        operations._reread = lambda: config
        operations.reload()
        assert await ada.ask(msg.CreateTable, table="Kitchen") == "ok"
        assert await ada.ask(msg.AddBot, bot="greedy") == "ok"
        with trio.fail_after(30):
            joined = await ada.event(ev.PlayerJoined)
        assert joined.who.kind == "house", "it knows the new password as well"
        bob = await server.connect()
        await bob.hello("Bob", password="new")
