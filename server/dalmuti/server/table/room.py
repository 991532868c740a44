"""The loop around one table: requests and time in, answers and events out.

A table is changed by its own task, or by whoever asks while that task has nothing to do; never by
two at once, so there are no locks. What has to wait does so in a queue that is bounded by the
number of connections, since each waits for its answer before it reads the next one. Every fact is
kept before anyone hears of it, and all are told in the order in which they were decided.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from itertools import groupby
from operator import itemgetter
from typing import Protocol

import trio
from msgspec import Struct, field

from dalmuti.core.match import Began, Entry, Moved
from dalmuti.protocol import messages as msg
from dalmuti.protocol.errors import ErrorCode
from dalmuti.server.clock import Clock
from dalmuti.server.log import Log
from dalmuti.server.metrics import Metrics
from dalmuti.server.records import Place, Recorder
from dalmuti.server.sessions import Caller
from dalmuti.server.table.house import BotJob
from dalmuti.server.table.table import Batch, CloseReason, Table


class NotKept(Exception):
    """What was decided could not be kept: the server ends, or it contradicts what is kept.

    Nobody may hear of it.
    """


class Keeper(Protocol):
    """Where a table is kept, so that a restart goes on with it (`store.journal.Journal`)."""

    @property
    def goes_on(self) -> bool:
        """Whether anything more can be kept; not so when the server ends."""

    async def keep(self, table: Table, batch: Batch, place: Place) -> None:
        """Returns when all that `batch` tells is kept. Raises NotKept. Cannot be cancelled."""

    def hand_in(
        self, table: Table, batch: Batch, place: Place, told: Callable[[bool], None]
    ) -> None:
        """Has it kept, and then calls `told`: whether it is. In the order of all that is kept."""

    async def settle(self) -> None:
        """Returns when all that was handed in is told. Raises NotKept."""

    async def forget(self) -> None:
        """Returns when nothing of the table is kept any more. Raises NotKept."""


class Asked(Struct):
    """A request in the queue, or (`request` is None) the news that a connection is gone."""

    caller: Caller
    request: msg.Request | None
    answered: bool = False
    sends_away: bool = False
    """That whoever runs the server sends `caller.name` away, and no request."""
    do: Callable[[Table, float], bool] | None = None
    """What the server itself does at the table, and no request; whether it could be done."""
    refused: ErrorCode | None = None
    """The code, where it was answered with an error."""
    done: trio.Event = field(default_factory=trio.Event)


class Room:
    """A table with its task. `deliver` hands messages to connections and never waits; `flush`
    sends what was delivered."""

    def __init__(
        self,
        table: Table,
        log: Log,
        *,
        deliver: Callable[[tuple[int, ...], tuple[msg.ServerMessage, ...]], None],
        flush: Callable[[], None],
        send_for_bot: Callable[[BotJob], None],
        changed: Callable[[], None],
        recorder: Recorder | None = None,
        keeper: Keeper | None = None,
        clock: Clock | None = None,
        metrics: Metrics | None = None,
    ) -> None:
        self.table = table
        self._metrics = metrics or Metrics()
        self._recorder, self._keeper = recorder, keeper
        self._place = Place() if recorder is None else recorder.place
        self._clock = clock or Clock()
        self._log = log.bind(table=table.name)
        self._deliver, self._flush = deliver, flush
        self._send_for_bot, self._changed = send_for_bot, changed
        self._send, self._inbox = trio.open_memory_channel[Asked](math.inf)
        self._scope = trio.CancelScope()
        self._stop_reason: CloseReason = "shutdown"
        self._current: Asked | None = None
        self._queued = 0
        """What is in the queue."""
        self._is_free = False
        """Whether the task waits: then others may do its work."""
        self._waiting = trio.CancelScope()
        self._left: Batch | None = None
        """What somebody else did, and the task has to hand out."""
        self._broken: Exception | None = None
        """What went wrong when somebody else did the work."""

    async def ask(self, caller: Caller, request: msg.Request) -> Asked:
        """Puts a request to the table and waits until it is `answered`; if not, it is no more.

        Where nobody is before him, who asks does the table's work at once, which nothing can
        interrupt: to wake two tasks costs as much as the work.
        """
        asked = Asked(caller, request)
        if self._is_free and not self._queued and trio.current_time() < self._waiting.deadline:
            self._do_now(asked)
        elif not self._put(asked):
            return asked
        if not asked.done.is_set():
            await asked.done.wait()
        return asked

    def _put(self, asked: Asked) -> bool:
        """Puts something into the queue; False if the table is no more."""
        try:
            self._send.send_nowait(asked)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return False
        self._queued += 1
        return True

    def _do_now(self, asked: Asked) -> None:
        """Does what is asked outside of the table's task, which may have to wake sooner then.

        What goes wrong, or takes more than the journal to keep, is left to the task.
        """
        try:
            self._decide(asked)
            batch = self.table.take()
            if self._keeps and (batch.seeds or self.table.closed):
                self._left, self._current, self._is_free = batch, asked, False
                self._waiting.cancel()
                return
            self._hand_in(asked, batch)
            due = self.table.next_deadline()
        except Exception as error:
            self._current = asked
            self._break(error)
            return
        if self.table.closed:
            self._is_free = False
            self._waiting.cancel()
        elif due is not None and (moment := self._clock.in_trio(due)) < self._waiting.deadline:
            self._waiting.deadline = moment

    @property
    def _keeps(self) -> bool:
        """Whether anything is kept of this table."""
        return self._keeper is not None or self._recorder is not None

    def _hand_in(self, asked: Asked, batch: Batch) -> None:
        """Lets everyone know as soon as the journal has it; where there is none, now."""
        if self._recorder is not None:
            self._recorder.note(batch.entries, batch.players)
        if self._keeper is None:
            self._spread(batch)
            asked.done.set()
            return
        began = time.perf_counter()

        def told(kept: bool) -> None:
            try:
                if not kept or self._broken is not None:
                    raise NotKept
                self._metrics.journal_seconds.observe(time.perf_counter() - began)
                self._spread(batch)
            except Exception as error:
                self._break(error)
            asked.done.set()

        self._keeper.hand_in(self.table, batch, self._place, told)

    def _break(self, error: Exception) -> None:
        """Something went wrong outside of the task, which ends the table then."""
        self._broken, self._is_free = self._broken or error, False
        self._waiting.cancel()

    async def send_away(self, name: str) -> bool:
        """Whoever runs the server sends somebody away from the table; False if he is not there."""
        asked = Asked(Caller(0, name, "human"), None, sends_away=True)
        if not self._put(asked):
            return False
        await asked.done.wait()
        return asked.answered

    async def do(self, what: Callable[[Table, float], bool]) -> bool:
        """Has the server do something at the table; False if that cannot be done there."""
        asked = Asked(Caller(0, "", "bot"), None, do=what)
        if not self._put(asked):
            return False
        await asked.done.wait()
        return asked.answered

    def gone(self, caller: Caller) -> None:
        """Tells the table that a connection is no more."""
        self._put(Asked(caller, None))

    def stop(self, reason: CloseReason) -> None:
        """Closes the table from outside, as soon as its task comes to it."""
        self._stop_reason = reason
        self._scope.cancel()

    async def run(self, opening: Asked | None) -> None:
        """Opens the table as `opening` asks, and plays it until it is closed.

        Without an opening it is a table that was kept, and goes on. Whatever goes wrong in here
        ends this table and no other: its people are told. A table that is kept is not closed when
        the server stops.
        """
        try:
            await self._step(opening, self.table.next_deadline())
            with self._scope:
                await self._loop()
            await self._hand_out_left()  # it may have been stopped in the moment it was left
            if self._broken is not None:
                raise self._broken
            if not self.table.closed and (self._keeper is None or self._stop_reason != "shutdown"):
                self.table.close(self._stop_reason)
                await self._hand_out(self.table.take())
            elif self._keeper is not None:
                await self._keeper.settle()
        except NotKept:
            self._log.warning("table_not_kept")
            if self._keeper is not None and self._keeper.goes_on:
                await self._close_broken()
        except Exception:
            self._log.crash("table_crashed")
            await self._close_broken()
        finally:
            self._finish()

    async def _loop(self) -> None:
        while not self.table.closed and self._broken is None:
            deadline, asked = self.table.next_deadline(), None
            moment = math.inf if deadline is None else self._clock.in_trio(deadline)
            with trio.CancelScope(deadline=moment) as self._waiting:
                self._is_free = True
                try:
                    self._current = asked = await self._inbox.receive()
                    self._queued -= 1
                finally:
                    self._is_free = False
            if self._left is not None:
                await self._hand_out_left()
            elif self._broken is None:
                await self._step(asked, self.table.next_deadline())

    async def _hand_out_left(self) -> None:
        """Lets everyone know what somebody else did."""
        if self._left is not None:
            batch, self._left = self._left, None
            await self._hand_out(batch)
            self._current_is_done()

    async def _step(self, asked: Asked | None, due: float | None) -> None:
        """Does what is `due` by now, then what was asked, and lets everyone know."""
        self._current = asked
        if due is not None and due <= self._clock.now() and not self.table.closed:
            self.table.tick(self._clock.now())
            # By itself: a batch has the end of one hand, or the deal of one.
            await self._hand_out(self.table.take())
        if asked is not None:
            self._decide(asked)
        await self._hand_out(self.table.take())
        self._current_is_done()

    def _current_is_done(self) -> None:
        if self._current is not None:
            self._current.done.set()
            self._current = None

    def _decide(self, asked: Asked) -> None:
        """Does what was asked, if the table is still open."""
        table, now = self.table, self._clock.now()
        if table.closed:
            return
        if isinstance(asked.request, msg.CreateTable):
            table.open(asked.caller, asked.request, now)
            asked.answered = True
        elif asked.do is not None:
            asked.answered = asked.do(table, now)
        elif asked.sends_away:
            asked.answered = table.send_away(asked.caller.name, now)
        elif asked.request is not None:
            asked.refused = table.handle(asked.caller, asked.request, now)
            asked.answered = True
        else:
            table.lost(asked.caller.conn, now)
            asked.answered = True

    async def _hand_out(self, batch: Batch) -> None:
        await self._keep(batch)
        self._spread(batch)

    def _spread(self, batch: Batch) -> None:
        """Lets everyone know what is kept."""
        for conns, outputs in groupby(batch.output, itemgetter(0)):
            self._deliver(conns, tuple(message for _, message in outputs))
        self._flush()
        self._count(batch.entries)
        for hand in batch.seeds:
            self._log.info("hand_over", hand=hand)
        for job in batch.jobs:
            self._log.info("bot_sent_for", bot=job.bot, name=job.name)
            self._send_for_bot(job)
        for name in batch.given_up:
            self._log.warning("bot_given_up", name=name)
        self._changed()

    def _count(self, entries: Iterable[Entry]) -> None:
        """For the figures and the log: that something was decided, and never what."""
        for entry in entries:
            if isinstance(entry, Began):
                self._log.info("hand_dealt", hand=entry.hand)
            elif isinstance(entry, Moved):
                self._metrics.decisions[entry.by] += 1
                self._log.debug("moved", hand=self.table.play.match.hands_begun, by=entry.by)

    async def _keep(self, batch: Batch) -> None:
        """Keeps what was decided, before anyone hears of it. Raises NotKept.

        The transcript is first: how long it is goes into the journal with the rest, and what is
        behind that after a crash is cut off (`Recorder.go_on`).
        """
        if self._recorder is not None:
            try:
                await self._recorder.add(batch.entries, batch.players, batch.seeds)
                self._place = self._recorder.place
            except OSError as error:
                self._log.warning("record_not_written", error=error.strerror)
                self._recorder = None
        if self._keeper is not None:
            began = time.perf_counter()
            await self._keeper.settle()  # a commit does appends last: never with what deletes them
            await self._keeper.keep(self.table, batch, self._place)
            self._metrics.journal_seconds.observe(time.perf_counter() - began)

    async def _close_broken(self) -> None:
        """The state of the table cannot be trusted any more; who is here can."""
        self.table.closed = True
        if self._keeper is not None:
            try:
                await self._keeper.forget()
            except NotKept:
                self._log.warning("table_not_kept")
        farewell = msg.Unseated(table=self.table.name, reason="closed")
        self._deliver(self.table.people.audience, (farewell,))
        self._flush()

    def _finish(self) -> None:
        self._send.close()
        self._current_is_done()
        for asked in _rest(self._inbox):
            asked.done.set()
        self._inbox.close()
        self._changed()


def _rest(inbox: trio.MemoryReceiveChannel[Asked]) -> Iterable[Asked]:
    while True:
        try:
            yield inbox.receive_nowait()
        except (trio.WouldBlock, trio.EndOfChannel):
            return
