"""A server that does not greet: when a client gives it up, and what it says about it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
import trio
import trio.testing

from dalmuti.client import link
from dalmuti.client.link import Link, Unanswered
from dalmuti.client.session import Ended, Session
from dalmuti.client.standings import Look
from dalmuti.client.start import Refusal
from dalmuti.protocol.framing import frame
from dalmuti.protocol.messages import Hello, JoinTable
from dalmuti.server import passwords


class Deaf:
    """A stream on which nothing ever comes, or a byte of one large frame every second."""

    def __init__(self, drip: bytes = b"") -> None:
        self.drip = iter(drip)

    async def receive(self, max_bytes: int = 65536) -> bytes:
        for byte in self.drip:
            await trio.sleep(1)
            return bytes([byte])
        await trio.sleep_forever()
        raise AssertionError

    async def send(self, item: bytes) -> None:
        await trio.lowlevel.checkpoint()

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()


def reaching(stream: Deaf) -> Callable[[], Awaitable[Deaf]]:
    async def connect() -> Deaf:
        return stream

    return connect


@pytest.mark.parametrize("drip", [b"", frame(b"x" * 500)])
async def test_who_never_greets_is_given_up_whatever_comes(
    drip: bytes, autojump_clock: trio.testing.MockClock
) -> None:
    began = trio.current_time()
    with pytest.raises(Unanswered, match="is it a Dalmuti server"):
        await Link(Deaf(drip), lambda message: None).run(Hello(versions=(1, 1), name="Ada"))
    assert trio.current_time() - began == pytest.approx(link.WELCOME_SECONDS)


@pytest.mark.parametrize("password", [None, "sesame"])
async def test_a_session_ends_at_the_first_silence(
    password: str | None, autojump_clock: trio.testing.MockClock
) -> None:
    """With a password later, since a wrong one is answered late on purpose."""
    began = trio.current_time()
    entry = JoinTable(id=0, table="Kitchen")
    session = Session(
        reaching(Deaf()), name="Ada", address="box:80", password=password, entry=entry
    )
    ended = await session.run(lambda message: None)
    took = trio.current_time() - began
    assert isinstance(ended, Ended) and ended.code == 3
    assert ended.text.startswith("box:80 takes the connection, but no welcome came within ")
    assert ("--password" in ended.text) == (password is None)
    assert took == pytest.approx(link.patience_for(password))
    assert link.WELCOME_SECONDS <= 10 < passwords.MOST_SECONDS < link.PASSWORD_SECONDS


async def test_the_ladder_is_not_waited_for_longer(
    autojump_clock: trio.testing.MockClock,
) -> None:
    with pytest.raises(Refusal, match="box:80 takes the connection, but no welcome") as caught:
        await Look("box:80", "Ada").run(reaching(Deaf()))
    assert caught.value.code == 3


@pytest.mark.parametrize(
    ("first", "why"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "a web server answers there (HTTP)"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "an SSH server answers there"),
        (b"220 mail.example ESMTP\r\n", "something else answers there, with '220 mail.example"),
        (b"\x15\x03\x03\x00\x02\x02\x46", "box:80 speaks TLS: add --tls."),
        (b"\x00\x00\x00\x00", "box:80 is no Dalmuti server: expected a frame of 1 to"),
    ],
)
async def test_what_answers_instead_is_named(
    first: bytes, why: str, autojump_clock: trio.testing.MockClock
) -> None:
    class Other(Deaf):
        async def receive(self, max_bytes: int = 65536) -> bytes:
            return first

    session = Session(reaching(Other()), name="Ada", address="box:80")
    ended = await session.run(lambda message: None)
    assert why in ended.text and ended.code == 4
    with pytest.raises(Refusal) as caught:
        await Look("box:80", "Ada").run(reaching(Other()))
    assert why.rstrip(".") in str(caught.value)
