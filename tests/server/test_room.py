"""The loop around a table while the journal is slow: what is decided then, and who hears of it."""

from __future__ import annotations

import io
import json
from collections.abc import Callable

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from dalmuti.core.events import Chatted
from dalmuti.core.options import options_from
from dalmuti.protocol import messages as msg
from dalmuti.server.limits import Limits
from dalmuti.server.log import Log
from dalmuti.server.records import Place
from dalmuti.server.sessions import Caller
from dalmuti.server.table.room import Asked, NotKept, Room
from dalmuti.server.table.table import Batch, Table

ADA, BOB = Caller(1, "Ada", "human"), Caller(2, "Bob", "human")


class SlowKeeper:
    """Keeps nothing before it is let to."""

    def __init__(self) -> None:
        self.slow = self.goes_on = False
        self._told: list[Callable[[bool], None]] = []
        self.forgotten = False
        self.closed = False
        """It has the end of the table."""

    async def keep(self, table: Table, batch: Batch, place: Place) -> None:
        if not await self._turn():
            raise NotKept
        self.closed = self.closed or table.closed

    async def _turn(self) -> bool:
        kept, done = [False], trio.Event()

        def told(is_kept: bool) -> None:
            kept[0] = is_kept
            done.set()

        self._wait(told)
        with trio.CancelScope(shield=True):
            await done.wait()
        return kept[0]

    def hand_in(
        self, table: Table, batch: Batch, place: Place, told: Callable[[bool], None]
    ) -> None:
        self._wait(told)

    def _wait(self, told: Callable[[bool], None]) -> None:
        self._told.append(told)
        if not self.slow:
            self.go_on(True)

    def go_on(self, kept: bool) -> None:
        """Tells all who wait."""
        while self._told:
            self._told.pop(0)(kept)

    async def settle(self) -> None:
        if self._told:
            await self._turn()

    async def forget(self) -> None:
        self.forgotten = True


class House:
    """A room with its keeper, and what was said to whom."""

    def __init__(self) -> None:
        self.keeper = SlowKeeper()
        self.heard: list[tuple[int, msg.ServerMessage]] = []
        self.log = io.StringIO()
        options = options_from({"revolution": "off", "first_titles": "order_of_arrival"})
        self.table = Table("Kitchen", options, Limits())
        self.room = Room(
            self.table,
            Log("json", self.log),
            deliver=self._deliver,
            flush=lambda: None,
            send_for_bot=lambda job: None,
            changed=lambda: None,
            keeper=self.keeper,
        )

    def _deliver(self, conns: tuple[int, ...], messages: tuple[msg.ServerMessage, ...]) -> None:
        self.heard += [(conn, message) for conn in conns for message in messages]

    def answers(self) -> list[tuple[int, int | None]]:
        """To whom which request was answered, in that order."""
        return [(c, m.re) for c, m in self.heard if isinstance(m, msg.Ok | msg.Error)]

    def events(self, conn: int) -> list[int]:
        """The numbers of the events that somebody heard of."""
        return [m.seq for c, m in self.heard if c == conn and isinstance(m, msg.EventMessage)]

    def logged(self) -> list[str]:
        return [json.loads(line)["event"] for line in self.log.getvalue().splitlines()]


async def opened(nursery: trio.Nursery) -> House:
    """Ada and Bob sit in the Kitchen."""
    house = House()
    nursery.start_soon(house.room.run, Asked(ADA, msg.CreateTable(id=1, table="Kitchen")))
    await wait_all_tasks_blocked()
    await house.room.ask(BOB, msg.JoinTable(id=1, table="Kitchen"))
    house.heard.clear()
    house.keeper.slow = True
    return house


async def test_nobody_hears_of_what_is_not_kept_and_all_in_the_order_of_it(
    nursery: trio.Nursery,
) -> None:
    """A refusal changes nothing; it waits for what came before it, which may be its reason."""
    house = await opened(nursery)
    seq = house.table.feed.seq
    nursery.start_soon(house.room.ask, ADA, msg.Chat(id=2, text="first"))
    await wait_all_tasks_blocked()
    nursery.start_soon(house.room.ask, BOB, msg.Deal(id=2))
    await wait_all_tasks_blocked()
    nursery.start_soon(house.room.ask, BOB, msg.Chat(id=3, text="second"))
    await wait_all_tasks_blocked()
    assert house.table.feed.seq == seq + 2, "the table does not wait"
    assert house.heard == []
    house.keeper.go_on(True)
    await wait_all_tasks_blocked()
    assert house.answers() == [(1, 2), (2, 2), (2, 3)]
    assert house.events(1) == house.events(2) == [seq + 1, seq + 2]
    nursery.cancel_scope.cancel()


async def test_what_is_never_kept_is_never_told_and_ends_the_table(nursery: trio.Nursery) -> None:
    house = await opened(nursery)
    done: list[str] = []

    async def ask(text: str) -> None:
        await house.room.ask(ADA, msg.Chat(id=2, text=text))
        done.append(text)

    nursery.start_soon(ask, "first")
    await wait_all_tasks_blocked()
    nursery.start_soon(ask, "second")
    await wait_all_tasks_blocked()
    house.keeper.go_on(False)
    await wait_all_tasks_blocked()
    assert house.heard == [] and sorted(done) == ["first", "second"]
    assert house.logged().count("table_not_kept") == 1
    assert not (await house.room.ask(BOB, msg.Chat(id=2, text="late"))).answered


@pytest.mark.parametrize("reason", ["shutdown", "admin"])
async def test_a_table_that_is_stopped_tells_first_what_it_has_decided(
    nursery: trio.Nursery, reason: str
) -> None:
    house = await opened(nursery)
    nursery.start_soon(house.room.ask, ADA, msg.Chat(id=2, text="first"))
    await wait_all_tasks_blocked()
    house.room.stop("shutdown" if reason == "shutdown" else "admin")
    await wait_all_tasks_blocked()
    assert house.heard == []
    house.keeper.slow = False
    house.keeper.go_on(True)
    await wait_all_tasks_blocked()
    (first, *rest) = [m for c, m in house.heard if c == 2]
    assert isinstance(first, msg.EventMessage) and isinstance(first.event, Chatted)
    assert any(isinstance(m, msg.Unseated) for m in rest) == (reason == "admin")
    assert house.table.closed == (reason == "admin")


async def test_a_table_that_is_closed_asks_the_journal_before_it_says_so(
    nursery: trio.Nursery,
) -> None:
    house = await opened(nursery)
    nursery.start_soon(house.room.ask, ADA, msg.Chat(id=2, text="first"))
    await wait_all_tasks_blocked()
    nursery.start_soon(house.room.ask, ADA, msg.Close(id=3))
    await wait_all_tasks_blocked()
    assert house.table.closed and house.heard == []
    house.keeper.slow = False
    house.keeper.go_on(True)
    await wait_all_tasks_blocked()
    assert house.answers() == [(1, 2), (1, 3)]
    assert [c for c, m in house.heard if isinstance(m, msg.Unseated)] == [1, 2]


async def test_a_table_whose_moves_are_refused_is_closed_where_the_journal_goes_on(
    nursery: trio.Nursery,
) -> None:
    """It contradicts the journal, a bug of ours: its people are told that, and nothing else."""
    house = await opened(nursery)
    house.keeper.goes_on = True
    for number, text in enumerate(("first", "second")):
        nursery.start_soon(house.room.ask, ADA, msg.Chat(id=number, text=text))
        await wait_all_tasks_blocked()
    refused, later = house.keeper._told
    house.keeper._told.clear()
    house.keeper.slow = False
    refused(False)
    later(True)
    await wait_all_tasks_blocked()
    assert {type(message) for _, message in house.heard} == {msg.Unseated}
    assert [conn for conn, _ in house.heard] == [1, 2]
    assert house.keeper.forgotten and house.logged().count("table_not_kept") == 1


async def test_who_asks_in_the_moment_in_which_a_table_breaks_does_not_wait_for_ever(
    nursery: trio.Nursery,
) -> None:
    """What he asks is on its way to the table's task then: neither in the queue nor in hand."""
    house = await opened(nursery)
    nursery.start_soon(house.room.ask, ADA, msg.Chat(id=2, text="first"))
    await wait_all_tasks_blocked()
    asked = Asked(ADA, None, sends_away=True)
    assert house.room._put(asked)
    house.keeper.slow = False
    house.keeper.go_on(False)
    await wait_all_tasks_blocked()
    assert house.logged().count("table_not_kept") == 1
    assert asked.done.is_set() and not asked.answered


@pytest.mark.parametrize("reason", ["shutdown", "admin"])
async def test_a_table_that_is_stopped_in_the_moment_it_closes_is_closed(
    nursery: trio.Nursery, reason: str
) -> None:
    house = await opened(nursery)
    house.keeper.slow = False
    closing = Asked(ADA, msg.Close(id=2))

    async def close_and_stop() -> None:
        house.room._do_now(closing)
        house.room.stop("shutdown" if reason == "shutdown" else "admin")

    nursery.start_soon(close_and_stop)
    await wait_all_tasks_blocked()
    assert closing.done.is_set() and house.table.closed
    assert house.answers() == [(1, 2)]
    assert [c for c, m in house.heard if isinstance(m, msg.Unseated)] == [1, 2]
    assert house.keeper.closed
