"""A ladder on real servers that are really killed: each match is rated once, and goes on."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from dalmuti.core import events as ev
from dalmuti.protocol import messages as msg
from dalmuti.server.ladder.book import results_in
from dalmuti.server.ladder.entrants import Entrants
from dalmuti.server.ladder.ratings import Result, recomputed
from dalmuti.server.store.store import Store
from server.ladder import play_on
from server.test_restart_process import Process, serving
from server.wire import Client

CONFIG = """
[ladder]
enabled = true
seats = 3
hands = 2
pause = 0
house = []
min_entrants = 3
"""
NAMES = ("Alpha", "Beta", "Gamma")


class Bots:
    """Three bots that enlist whenever a server is there, with the keys they have by then."""

    def __init__(self) -> None:
        self.keys: dict[str, str] = {}

    async def enlist(self, server: Process) -> list[Client]:
        clients = []
        for name in NAMES:
            client = Client(await trio.open_tcp_stream(server.host, server.port))
            server.clients.append(client)
            await client.hello(name, kind="bot")
            key = self.keys.get(name)
            assert await client.ask(msg.Enlist, name=name, key=key) == "ok"
            given = (await client.next(msg.Enlisted)).key
            self.keys[name] = given or self.keys[name]
            clients.append(client)
        return clients


@asynccontextmanager
async def ladder(data: Path) -> AsyncIterator[Process]:
    config = data.parent / "server.toml"
    config.write_text(CONFIG)
    async with serving(data, "--config", str(config)) as server:
        yield server


def kept(data: Path) -> list[Result]:
    """The rated matches of a server that is not running; the ratings must be what they lead to."""
    store = Store.open(data)
    try:
        results = results_in(store)
        records = Entrants(store.entrants()).records()
        assert recomputed(results) == {n: each for n, each in records.items() if each.matches}
        numbers = [each.number for each in results]
        assert len(set(numbers)) == len(numbers), "no match is rated twice"
        for each in results:
            assert sorted(line.name for line in each.lines) == list(NAMES)
            assert {line.hands for line in each.lines} == {2}, "all hands of it were played"
        open_now = [each.header for each in store.tables()]
        assert len(open_now) <= 1
        return results
    finally:
        store.close()


async def test_a_match_goes_on_after_the_server_was_killed_and_is_rated_once(
    tmp_path: Path,
) -> None:
    bots, data = Bots(), tmp_path / "data"
    async with ladder(data) as server:
        clients = await bots.enlist(server)
        with trio.fail_after(60):
            async with trio.open_nursery() as nursery:
                for client in clients[1:]:
                    nursery.start_soon(play_on, client)
                await clients[0].play_until(ev.HandEnded)
                await clients[0].event(ev.HandStarted)
                await server.end()
        before = clients[0].last(msg.Seated)
    assert kept(data) == []
    async with ladder(data) as server:
        clients = await bots.enlist(server)
        assert clients[0].last(msg.Enlisted).key is None
        seat = await clients[0].next(msg.Seated)
        assert (seat.table, seat.player) == ("Ladder 1", before.player)
        snapshot = await clients[0].next(msg.Snapshot)
        assert snapshot.table.hands_played == 1
        assert snapshot.table.hand is not None and snapshot.table.hand.number == 2
        with trio.fail_after(60):
            async with trio.open_nursery() as nursery:
                for client in clients[1:]:
                    nursery.start_soon(play_on, client)
                await clients[0].play_until(ev.MatchEnded)
                await clients[0].next(msg.Seated)
                await server.end()
    first = kept(data)[0]
    assert first.number == 1 and not any(line.helped for line in first.lines)


async def test_random_kills_rate_no_match_twice_and_lose_none(tmp_path: Path) -> None:
    bots, data, chance = Bots(), tmp_path / "data", random.Random(5)
    rated = 0
    for _ in range(3):
        async with ladder(data) as server:
            clients = await bots.enlist(server)
            with trio.move_on_after(chance.uniform(0.05, 0.6)):
                async with trio.open_nursery() as nursery:
                    for client in clients:
                        nursery.start_soon(play_on, client)
            await server.end()
        results = kept(data)
        assert len(results) >= rated, "what was rated stays rated"
        assert [each.number for each in results] == [*range(1, len(results) + 1)]
        rated = len(results)
    async with ladder(data) as server:
        clients = await bots.enlist(server)
        with trio.fail_after(60):
            async with trio.open_nursery() as nursery:
                for client in clients[1:]:
                    nursery.start_soon(play_on, client)
                await _two_more(clients[0])
                await server.end()
    assert len(kept(data)) >= rated + 2


async def _two_more(client: Client) -> None:
    """Plays to the ends of two matches."""
    for _ in range(2):
        await client.play_until(ev.MatchEnded)
    await client.next(msg.Unseated)
