"""One job of the arena over TCP: a private server, and a client for every seat.

`python -m dalmuti.client.arena.tcpjob`, started by `tcp`, reads a Setup and then Items from its
standard input, a line each, and writes what came of them, a line each, as they are done. House bots
play in this process, so that they cost little beside what connections cost. A stranger has a
process for each of his seats (`stranger`): whatever he does, he holds up nobody else.
When the input ends so does all of this at once, and the server with it, which has a lifeline.
"""

from __future__ import annotations

import gc
import itertools
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec
import trio
from msgspec import Struct
from msgspec.structs import replace

from dalmuti.client.arena import leash
from dalmuti.client.arena.chair import Chair, Decider, Sitter
from dalmuti.client.arena.plan import Item, Outcome, Setup
from dalmuti.client.arena.processes import Programs
from dalmuti.client.arena.save import transcript
from dalmuti.client.arena.seats import Seated
from dalmuti.client.arena.sitting import Sitting, Trouble
from dalmuti.client.arena.stranger import Commanded, Scripted, Stranger
from dalmuti.client.bot import Bot
from dalmuti.client.bots.load import BotError, load_bot
from dalmuti.client.servers import Server, ServerError

LIMITS: Final = {
    "connections": 2000,
    "connect_burst": 100_000,
    "lobby_burst": 10_000,
    "lobby_per_second": 1000,
    "lobby_seconds": 60,
    "game_burst": 10_000,
    "game_per_second": 1000,
    "lag_seconds": 10,
    "window_seconds": 0,
    "standin_hands": 0,
    "grace_seconds": 86_400,
    "gather_seconds": 0.05,
}
"""What our server does otherwise: it lets us open and close tables as fast as we can, leaves every
seat to its bot, and its clocks to us."""
TABLES: Final = 16
"""So many at a time: the more there is to do, the less it costs to look for it."""
FEW_TABLES: Final = 4
"""The same with strangers, who may take their time."""
STRANGERS: Final = 10
"""So many strangers at a time: as many as one table may have."""


class Done(Struct, frozen=True, tag=True):
    """An item was played."""

    outcome: Outcome


class Refused(Struct, frozen=True, tag=True):
    """Nothing can be played; the text says why, for people."""

    text: str


Answer = Done | Refused


def tables_of(setup: Setup) -> int:
    """How many items a job plays at a time."""
    return FEW_TABLES if any(each.is_stranger for each in setup.contestants) else TABLES


class Job:
    """All that one process plays."""

    def __init__(self, setup: Setup, port: int) -> None:
        """Raises BotError."""
        self._setup, self._port = setup, port
        self._numbers = itertools.count(1)
        self._programs = Programs(setup.turn_seconds)
        self._strangers = trio.Semaphore(STRANGERS)
        self._one_by_one = trio.Lock()
        self._makes: list[Callable[[], Bot] | None] = [
            None if each.is_stranger else load_bot(each.bot) for each in setup.contestants
        ]

    async def run(self, items: trio.MemoryReceiveChannel[Item]) -> None:
        """Plays all items, and writes what came of them. Raises BotError, Trouble."""
        try:
            await self._load()
            async with trio.open_nursery() as connected:
                async with trio.open_nursery() as playing:
                    for _ in range(tables_of(self._setup)):
                        playing.start_soon(self._play_all, items.clone(), connected)
                    items.close()
                connected.cancel_scope.cancel()
        finally:
            with trio.CancelScope(shield=True):
                await self._programs.close()

    async def _load(self) -> None:
        """Loads every stranger once, to know that it can be done."""
        for each in self._setup.contestants:
            if each.is_stranger and each.command is None:
                self._programs.put(each.bot, await self._programs.take(each.bot))

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
                outcome = await self._play(item, host, chairs[: len(item.lineup)])
                say(Done(outcome))

    async def _play(self, item: Item, host: Chair, chairs: list[Chair]) -> Outcome:
        deciders = [self._decider(item, place, chair) for place, chair in enumerate(chairs)]
        strangers = [each for each in deciders if isinstance(each, Stranger)]
        async with self._one_by_one:
            for _ in strangers:
                await self._strangers.acquire()
        try:
            async with trio.open_nursery() as nursery:
                for stranger in strangers:
                    nursery.start_soon(stranger.run)
                outcome, log = await Sitting(self._setup, item, host, chairs, deciders).play()
        finally:
            for _ in strangers:
                self._strangers.release()
        if self._setup.save:
            outcome = replace(outcome, transcript=transcript(self._setup, item, log))
        return outcome

    async def _chair(self, connected: trio.Nursery, kind: str) -> Chair:
        chair = Chair(self._port, f"{kind} {next(self._numbers)}", kind=kind)
        connected.start_soon(chair.live)
        await chair.ready.wait()
        return chair

    def _decider(self, item: Item, place: int, chair: Chair) -> Decider:
        contestant = self._setup.contestants[item.lineup[place]]
        stop = next((stop for stop in item.stops if stop.seat == place), None)
        make = self._makes[item.lineup[place]]
        if make is not None or stop is not None:
            return Sitter(chair, Seated(make or Bot, item.seeds[place], stop=stop))
        if contestant.command is not None:
            return Commanded(self._setup, item, place, chair, hard=False)
        return Scripted(self._setup, item, place, chair, self._programs)


def say(answer: Answer) -> None:
    """One line, at once."""
    os.write(1, msgspec.json.encode(answer) + b"\n")


async def work(setup: Setup, port: int) -> None:
    """Plays what comes, until the input ends."""
    send, items = trio.open_memory_channel[Item](1000)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(Job(setup, port).run, items)
        async with send:
            while line := await trio.to_thread.run_sync(
                sys.stdin.buffer.readline, abandon_on_cancel=True
            ):
                await send.send(msgspec.json.decode(line, type=Item))
        nursery.cancel_scope.cancel()


def start_server(setup: Setup) -> Server:
    """A server for us alone. Raises ServerError.

    Programs in other languages are asked whatever a server asks; Python bots where there is a
    choice, and then the server need not ask their clients for anything else.
    """
    forced = not any(each.command for each in setup.contestants)
    with tempfile.TemporaryDirectory() as name:
        config = Path(name, "server.toml")
        lines = ["[limits]", *(f"{key} = {value}" for key, value in LIMITS.items())]
        lines.append(f"forced_moves = {str(forced).lower()}")
        config.write_text("\n".join(lines) + "\n", encoding="utf-8")
        listen = ["--config", str(config), "--listen", "127.0.0.1:0"]
        quiet = ["--bot-delay", "0", "--log-level", "error"]
        return Server([*listen, *quiet], lifeline=True, records=None)


def main() -> None:
    """Ctrl-C at the terminal is for the arena, which then closes our input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    leash.hold(int(sys.argv[1]))
    setup = msgspec.json.decode(sys.stdin.buffer.readline(), type=Setup)
    try:
        server = start_server(setup)
    except ServerError as error:
        say(Refused(str(error)))
        return
    gc.freeze()
    try:
        trio.run(work, setup, server.port)
    except* (BotError, Trouble, ConnectionError) as errors:
        say(Refused(str(first(errors))))
    finally:
        server.stop()


def first(errors: BaseExceptionGroup[Any]) -> BaseException:
    """The first of all that went wrong."""
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


if __name__ == "__main__":
    main()
