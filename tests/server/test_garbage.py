"""What the server leaves behind: nothing that only a search for cycles would find.

The server looks for these seldom (`system.collect_seldom`), so that none may be made by what
happens often: plays, and connections that end, in peace or not.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trio

from dalmuti.core.events import HandEnded, PresenceChanged
from dalmuti.protocol import messages as msg
from dalmuti.server.peer import Peer
from server.wire import TcpServer, running

GARBAGE = {
    "a goodbye": msg.Bye(reason="leaving"),
    "the end": b"",
    "a frame that is too large": b"\xff\xff\xff\xff",
    "bytes that are no map": b"\x00\x00\x00\x01\xc1",
}


@pytest.fixture
def no_search() -> Iterator[None]:
    """Python does not look for cycles by itself."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def peers(server: TcpServer) -> list[weakref.ref[Peer]]:
    """All connections."""
    assert server.app.lobby is not None
    return [weakref.ref(peer) for peer in server.app.lobby.peers.values()]


async def all_gone(found: list[weakref.ref[Peer]]) -> None:
    """Waits until there is nothing left of them."""
    with trio.fail_after(20):
        while any(ref() is not None for ref in found):  # noqa: ASYNC110  # nobody tells
            await trio.sleep(0.01)


@pytest.mark.parametrize("how", GARBAGE)
async def test_a_connection_that_ends_is_no_garbage(how: str, no_search: None) -> None:
    async with running() as server:
        ada, bob = await server.person("Ada"), await server.person("Bob")
        assert await ada.ask(msg.CreateTable, table="Kitchen") == "ok"
        found = peers(server)[1:]
        assert await bob.ask(msg.JoinTable, table="Kitchen") == "ok"
        last = GARBAGE[how]
        if isinstance(last, msg.Bye):
            await bob.send(last)
        elif isinstance(last, bytes) and last:
            await bob.stream.send_all(last)
            assert isinstance(await bob.rest(), list)
        await bob.stream.aclose()
        assert (await ada.event(PresenceChanged)).player == 2
        assert len(found) == 1
        await all_gone(found)


async def test_a_stranger_who_is_never_greeted_is_no_garbage(no_search: None) -> None:
    made: list[weakref.ref[Peer]] = []
    init = Peer.__init__

    def noted(self: Peer, *given: Any) -> None:
        made.append(weakref.ref(self))
        init(self, *given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Peer, "__init__", noted)
        async with running() as server:
            for words in (b"", b"GET / HTTP/1.1\r\n\r\n", b"\x00\x00\x00\x02\x81\xa1"):
                client = await server.connect()
                if words:
                    await client.stream.send_all(words)
                    await client.rest()
                await client.stream.aclose()
            with trio.fail_after(20):
                while len(made) < 3:  # noqa: ASYNC110  # nobody tells
                    await trio.sleep(0.01)
            await all_gone(made)


async def test_a_hand_leaves_no_cycles(tmp_path: Path, no_search: None) -> None:
    async with running(data=str(tmp_path)) as server:
        ada, bob = await server.person("Ada"), await server.person("Bob")
        assert await ada.ask(msg.CreateTable, table="Kitchen") == "ok"
        assert await bob.ask(msg.JoinTable, table="Kitchen") == "ok"

        async def hand() -> None:
            await ada.send(msg.Deal(id=1000))
            async with trio.open_nursery() as nursery:
                nursery.start_soon(ada.play_until, HandEnded)
                nursery.start_soon(bob.play_until, HandEnded)

        await hand()  # what is made once may be garbage
        gc.collect()
        gc.set_debug(gc.DEBUG_SAVEALL)
        try:
            await hand()
            gc.collect()
            mine = [each for each in gc.garbage if "dalmuti" in type(each).__module__]
            assert mine == [] and len(gc.garbage) < 10
        finally:
            gc.set_debug(0)
            gc.garbage.clear()
