"""One job of the arena over TCP: a private server, and a client for every seat.

`python -m dalmuti.client.arena.tcpjob`, started by `tcp.play`, reads a `Setup` and then `Item`s
from its standard input, a line of JSON each, and writes an `Outcome` a line, as they are done.
House bots play in this process, so that what they cost is little beside what the connections cost.
A stranger has a process for each of his seats (`stranger`): whatever he does, he holds up no other.
When the input ends so does all of this, and with it the server, which hangs on a lifeline.
"""

from __future__ import annotations

import itertools
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
import trio

from dalmuti.client.arena.chair import Chair, Decider, Sitter
from dalmuti.client.arena.plan import Item, Outcome, Setup
from dalmuti.client.arena.seats import Seated
from dalmuti.client.arena.sitting import Sitting, Trouble
from dalmuti.client.bot import Bot, load_bot
from dalmuti.client.servers import Server

LIMITS: Final = {
    "connections": 2000,
    "connect_burst": 100_000,
    "connect_per_second": 10_000,
    "lobby_burst": 10_000,
    "lobby_per_second": 1000,
    "game_burst": 10_000,
    "game_per_second": 1000,
    "window_seconds": 0,
    "standin_hands": 0,
    "grace_seconds": 86_400,
    "gather_seconds": 0.02,
    "listed": 20,
    "lobby_seconds": 60,
}
"""What our server does otherwise: it trusts us with its time, and leaves every seat to its bot."""
TABLES: Final = 6
"""So many at a time, so that nobody waits while one of them is opened or closed."""
STRANGERS: Final = 8
"""Processes of strangers at a time, if a table does not need more."""
BUG: Final = 70


def tables_at_once(setup: Setup, seats: int) -> int:
    """How many items one job plays at a time."""
    strange = sum(each.is_stranger for each in setup.contestants)
    if not strange:
        return TABLES
    return max(1, min(TABLES, STRANGERS // min(seats, strange * seats)))


class Job:
    """All that one process plays."""

    def __init__(self, setup: Setup, port: int) -> None:
        self._setup, self._port = setup, port
        self._idle: list[Chair] = []
        self._hosts: list[Chair] = []
        self._numbers = itertools.count(1)
        self._makers: dict[int, Callable[[], Bot]] = {}

    async def run(self, items: trio.MemoryReceiveChannel[Item]) -> None:
        """Plays all items, and writes what came of them."""
        async with trio.open_nursery() as connected:
            async with trio.open_nursery() as playing:
                for _ in range(TABLES):
                    playing.start_soon(self._play_all, items.clone(), connected)
                items.close()
            connected.cancel_scope.cancel()

    async def _play_all(
        self, items: trio.MemoryReceiveChannel[Item], connected: trio.Nursery
    ) -> None:
        """One table after the other, with chairs of its own."""
        host = await self._chair(connected, "human")
        chairs: list[Chair] = []
        async with items:
            async for item in items:
                while len(chairs) < len(item.lineup):
                    chairs.append(await self._chair(connected, "bot"))
                here = chairs[: len(item.lineup)]
                deciders = [self._decider(item, n, chair) for n, chair in enumerate(here)]
                outcome, _ = await Sitting(self._setup, item, host, here, deciders).play()
                write(outcome)

    async def _chair(self, connected: trio.Nursery, kind: str) -> Chair:
        chair = Chair(self._port, f"{kind[0]}{next(self._numbers)}", kind=kind)
        connected.start_soon(chair.live)
        await chair.ready.wait()
        return chair

    def _decider(self, item: Item, place: int, chair: Chair) -> Decider:
        contestant = self._setup.contestants[item.lineup[place]]
        make = load_bot(contestant.bot)
        return Sitter(chair, Seated(make, item.seeds[place], item=item.index, seat=place))


def write(outcome: Outcome) -> None:
    """One line, at once."""
    os.write(1, msgspec.json.encode(outcome) + b"\n")


async def read(lines: trio.MemorySendChannel[Item]) -> None:
    """Items as they come, until the input ends."""
    async with lines:
        while line := await trio.to_thread.run_sync(
            sys.stdin.buffer.readline, abandon_on_cancel=True
        ):
            await lines.send(msgspec.json.decode(line, type=Item))


async def job(setup: Setup, port: int) -> None:
    """Reads and plays."""
    send, receive = trio.open_memory_channel[Item](0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(read, send)
        nursery.start_soon(Job(setup, port).run, receive)


def main() -> int:
    """Ctrl-C at the terminal is for who started us, who then closes our input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    setup = msgspec.json.decode(sys.stdin.buffer.readline(), type=Setup)
    with tempfile.TemporaryDirectory() as name:
        config = Path(name, "server.toml")
        lines = ["[limits]", *(f"{key} = {value}" for key, value in LIMITS.items())]
        config.write_text("\n".join(lines) + "\n")
        server = Server(
            ["--config", str(config), "--listen", "127.0.0.1:0", "--bot-delay", "0",
             "--log-level", "error"],
            lifeline=True,
            records=None,
        )
        try:
            trio.run(job, setup, server.port)
        finally:
            server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
