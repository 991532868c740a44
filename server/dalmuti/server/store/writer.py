"""The one task that writes to the journal, and its one thread.

Whatever waits is committed together, over all tables: nobody waits for a timer, and the more tables
play, the more share a commit. When the journal cannot be written (the disk is full, say) nobody is
told anything that is not kept: the tables wait, the log says so once, and the same lot is tried
again until it goes through. Only the end of the server gives up. What contradicts the journal is a
bug of one table, which no other has to wait for: each lot is tried alone then, and it is refused.

A commit that is no more than a write to the system is done at once: to give it to the thread, and
to fight with it for Python's lock, takes longer than the commit. What waits for the disk is the
thread's: durable commits, checkpoints, attempts after one that failed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Final, TypeVar

import trio
from msgspec import Struct
from outcome import Value

from dalmuti.server.clock import Clock
from dalmuti.server.log import Log
from dalmuti.server.store.store import Statement, Store
from dalmuti.server.table.room import NotKept

T = TypeVar("T")
AGAIN_SECONDS: Final = 1.0
"""Between attempts to write to a journal that cannot be written."""
BEAT_SECONDS: Final = 1.0
"""At least so often the journal learns the time while tables are open; so much more may a player
have on his clock after a restart than he had before."""


class Writer:
    """Takes statements from all tables. `clock` is theirs."""

    def __init__(self, store: Store, clock: Clock, log: Log) -> None:
        self.store, self.clock = store, clock
        self.stuck = False
        """Whether the journal cannot be written at the moment."""
        self._log = log
        self._waiting: list[_Lot] = []
        self._alone = 0
        """How many of those are committed alone, since one of them contradicts the journal."""
        self._wake = trio.Event()
        self._ending = self._over = False
        self._thread = trio.CapacityLimiter(1)

    @property
    def goes_on(self) -> bool:
        """Whether anything more can be kept; not so at the end."""
        return not (self._ending or self._over)

    async def keep(self, statements: list[Statement]) -> None:
        """Returns when all of it is kept; it cannot be cancelled before. Raises NotKept."""
        if self._over:
            raise NotKept
        task = trio.lowlevel.current_task()
        self.hand_in(statements, lambda kept: trio.lowlevel.reschedule(task, Value(kept)))
        if not await trio.lowlevel.wait_task_rescheduled(_stay):
            raise NotKept

    def hand_in(self, statements: list[Statement], told: Callable[[bool], None]) -> None:
        """Has all of it kept, and then calls `told`, which must not raise: whether it is kept.

        All are told in the order in which they came here.
        """
        if self._over:
            told(False)
            return
        self._waiting.append(_Lot(statements, told))
        self._wake.set()

    async def beat(self) -> None:
        """Lets the journal know what time it is."""
        try:
            await self.keep([])
        except NotKept:
            return

    async def read(self, what: Callable[[Store], T]) -> T:
        """Reads in the thread that writes. Raises NotKept when the journal is closed."""
        if self._over:
            raise NotKept
        return await self._in_thread(what, self.store)

    def end(self) -> None:
        """Lets `run` return as soon as what waits is written, or cannot be."""
        self._ending = True
        self._wake.set()

    async def run(self) -> None:
        """Writes until the end, then closes the journal."""
        with trio.CancelScope(shield=True):
            try:
                while self._waiting or not self._ending:
                    if not self._waiting:
                        self._wake = trio.Event()
                        await self._wake.wait()
                    await trio.lowlevel.checkpoint()  # all tables that have work now come along
                    most = 1 if self._alone else len(self._waiting)
                    lots, self._waiting = self._waiting[:most], self._waiting[most:]
                    self._alone -= bool(self._alone)
                    if lots:
                        await self._commit(lots)
            finally:
                self._over = True  # even after a bug no table waits for ever
                for lot in self._waiting:
                    lot.told(False)
                await self._in_thread(self.store.close)

    async def _commit(self, lots: list[_Lot]) -> None:
        statements = [statement for lot in lots for statement in lot.statements]
        kept = False
        try:
            kept = await self._try(statements)
        except sqlite3.IntegrityError as error:
            if len(lots) > 1:
                self._alone, self._waiting = len(lots), lots + self._waiting
                lots = []
            else:
                self._log.warning("journal_contradicted", error=str(error))
        finally:
            for lot in lots:
                lot.told(kept)
        if self.store.is_long:
            await self._in_thread(self.store.shorten)

    async def _try(self, statements: list[Statement]) -> bool:
        """Until it goes through, which it says, or the server ends.

        Raises sqlite3.IntegrityError for what never will.
        """
        while True:
            try:
                if self.store.durable or self.stuck or self._thread.borrowed_tokens:
                    await self._in_thread(self.store.commit, statements, self.clock.now())
                else:
                    self.store.commit(statements, self.clock.now())
            except sqlite3.IntegrityError:
                raise
            except sqlite3.Error as error:
                if not self.stuck:
                    self._log.warning("journal_cannot_be_written", error=str(error))
                self.stuck = True
                if self._ending:
                    return False
                self._wake = trio.Event()
                with trio.move_on_after(AGAIN_SECONDS):
                    await self._wait_for_the_end()
            else:
                if self.stuck:
                    self._log.info("journal_can_be_written_again")
                self.stuck = False
                return True

    async def _in_thread(self, what: Callable[..., T], *given: object) -> T:
        return await trio.to_thread.run_sync(what, *given, limiter=self._thread)

    async def _wait_for_the_end(self) -> None:
        while not self._ending:
            self._wake = trio.Event()
            await self._wake.wait()


class _Lot(Struct):
    """What one table wants to have kept, and who is told then."""

    statements: list[Statement]
    told: Callable[[bool], None]


def _stay(_: object) -> trio.lowlevel.Abort:
    """Nobody stops waiting for the journal: what is in it must be told. A cancellation comes
    after that. This costs much less than a shielded scope and an event."""
    return trio.lowlevel.Abort.FAILED
