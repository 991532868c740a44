"""A server with a ladder over memory streams, and bots that play by their defaults."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

import trio

from dalmuti.core.events import HandPrepared
from dalmuti.protocol import messages as msg
from dalmuti.server.config import Config
from dalmuti.server.ladder.book import results_in
from dalmuti.server.ladder.ratings import Result
from dalmuti.server.ladder.settings import LadderSettings
from dalmuti.server.limits import Limits
from dalmuti.server.store.store import Store
from server.wire import Client, MemoryServer

QUICK = Limits(window_seconds=0, standin_least=0, standin_most=0)


class LadderServer(MemoryServer):
    """Everything of a server with a ladder but its sockets. House bots come when `house` runs."""

    def __init__(
        self, nursery: trio.Nursery, data: Path, limits: Limits = QUICK, **settings: Any
    ) -> None:
        given = {"enabled": True, "seats": 2, "hands": 1, "pause": 0.0, "house": (), **settings}
        given.setdefault("min_entrants", 1 if given["house"] else 2)
        config = Config(ladder=LadderSettings(**given), limits=limits, bot_delay=0, data=str(data))
        self.store = Store.open(data)
        super().__init__(nursery, config, store=self.store)
        writer = self.keeping.writer
        assert writer is not None
        self.writer = writer
        nursery.start_soon(writer.run)
        nursery.start_soon(self._end_with_the_test)
        nursery.start_soon(self.lobby.ladder.run)

    async def _end_with_the_test(self) -> None:
        """The journal is written until it is told to end, whatever is cancelled."""
        try:
            await trio.sleep_forever()
        finally:
            self.writer.end()

    async def bot(self, name: str) -> Client:
        """A bot that has said hello."""
        return await self.person(name, kind="bot")

    async def entrant(self, name: str, key: str | None = None) -> Client:
        """A bot that has enlisted."""
        bot = await self.bot(name)
        assert await bot.ask(msg.Enlist, name=name, key=key) == "ok"
        await bot.next(msg.Enlisted)
        return bot

    async def house(self) -> None:
        """Seats house bots as their jobs come; they take every default."""
        async with trio.open_nursery() as nursery:
            while True:
                while not self.jobs:  # noqa: ASYNC110  # a list tells nobody
                    await trio.sleep(0.01)
                job = self.jobs.pop(0)
                bot = await self.bot(job.name)
                assert await bot.ask(msg.JoinTable, table=job.table, ticket=job.ticket) == "ok"
                nursery.start_soon(play_match, bot)

    async def rated(self) -> list[Result]:
        """All rated matches that are kept."""
        return await self.writer.read(results_in)

    async def until_rated(self, number: int) -> list[Result]:
        """Waits until so many matches are rated."""
        with trio.fail_after(1000):
            while len(results := await self.rated()) < number:  # noqa: ASYNC110  # kept by a thread
                await trio.sleep(0.01)
        return results

    def lines(self, event: str) -> list[dict[str, Any]]:
        """Lines of the log."""
        found = [json.loads(line) for line in self.log_text.getvalue().splitlines()]
        return [line for line in found if line["event"] == event]


async def play_match(client: Client) -> None:
    """Takes every default until the match is over; then it is at no table.

    It adds a nonce to each deal, so that nobody waits for it.
    """
    ids = count(10_000)
    while True:
        message = await client.receive()
        match message:
            case None | msg.Unseated():
                return
            case msg.Decision():
                act = msg.Act(id=next(ids), decision=message.decision, choice=message.default)
                await client.send(act)
            case msg.Snapshot() if message.table.next_commitment:
                hand = message.table.next_hand
                await client.send(msg.Nonce(id=next(ids), hand=hand, nonce="ab" * 16))
            case msg.EventMessage(event=HandPrepared(hand=hand)):
                await client.send(msg.Nonce(id=next(ids), hand=hand, nonce="cd" * 16))


async def play_on(client: Client) -> None:
    """Plays match after match, until the connection is closed."""
    while client.seen[-1] is not None and not isinstance(client.seen[-1], msg.Bye):
        at = len(client.seen)
        await play_match(client)
        if len(client.seen) == at:
            return
