"""A server that says nothing: what a client says about it."""

from __future__ import annotations

import pytest
import trio
import trio.testing

from dalmuti.client.link import Link, Lost
from dalmuti.protocol.messages import Hello


class Deaf:
    """A stream on which nothing ever comes."""

    async def receive(self, max_bytes: int = 65536) -> bytes:
        await trio.sleep_forever()
        raise AssertionError

    async def send(self, item: bytes) -> None:
        await trio.lowlevel.checkpoint()

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()


async def test_who_never_answers_may_be_no_server_of_ours(
    autojump_clock: trio.testing.MockClock,
) -> None:
    link = Link(Deaf(), lambda message: None)
    with pytest.raises(Lost, match="is it a server of Dalmuti"):
        await link.run(Hello(versions=(1, 1), name="Ada"))
