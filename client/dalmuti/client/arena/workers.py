"""Plays items over core in processes of its own (`worker`), as many at once as there are jobs.

Bots are strangers' code, so they never run in the process of the arena itself. It watches what its
workers are doing: one that stays in a call of a bot beyond its time, since the bot blocks the alarm
or hangs where nothing can interrupt it, is killed, and one that a bot has ended is missed. The item
is then played again, and as one seed gives the same moves it comes to the same call; there the seat
is given up, and the default plays on for it.
"""

from __future__ import annotations

import mmap
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import suppress
from typing import Final

import msgspec
from msgspec.structs import replace

from dalmuti.client.arena.leash import Leashed
from dalmuti.client.arena.plan import Item, Outcome, Setup, Stop
from dalmuti.client.arena.seats import MARK, START_SECONDS
from dalmuti.client.arena.worker import Answer, Broken, Done, Ready, send, unpack
from dalmuti.client.commands.parts import WRONG_USE
from dalmuti.client.start import Refusal

LOAD_SECONDS: Final = 60.0
"""What the files of all bots may take to be loaded."""
GRACE_SECONDS: Final = 1.0
"""How much longer than its time a call may go on, before its process is killed."""
END_SECONDS: Final = 1.0
"""How long a process may take to be gone after the last word of it."""
LOOK_SECONDS: Final = 0.1
BATCH_SECONDS: Final = 0.1
"""About as much is given to a worker at once."""
MOST_ITEMS: Final = 64


def play(setup: Setup, items: Iterator[Item], jobs: int) -> Generator[Outcome, None, None]:
    """A `plan.Runner`. Raises Refusal for a bot that cannot be loaded."""
    pool = Pool(setup, items)
    try:
        yield from pool.play(jobs)
    finally:
        pool.close()


class Worker:
    """One process, and what it is doing."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        with tempfile.TemporaryFile() as file:
            file.truncate(mmap.PAGESIZE)
            self._mark = mmap.mmap(file.fileno(), mmap.PAGESIZE)
            self._leashed = Leashed(
                [sys.executable, "-P", "-m", "dalmuti.client.arena.worker", str(file.fileno())],
                stdin=-1,
                stdout=-1,
                pass_fds=[file.fileno()],
            )
        process = self._leashed.process
        assert process.stdin is not None and process.stdout is not None
        self._stdin, self.output = process.stdin.fileno(), process.stdout.fileno()
        self._data = bytearray()
        self._call, self._call_since = 0, 0.0
        self.items: list[Item] = []
        self.since = time.monotonic()
        self.ready = False
        self.size = 1
        """How many items to give it next."""
        self._send(setup)

    def give(self, items: list[Item]) -> None:
        """Lets it play these items."""
        self.items, self.since = items, time.monotonic()
        self._send(items)

    def _send(self, message: Setup | list[Item]) -> None:
        with suppress(BrokenPipeError):  # it has ended, which is found out where it is read from
            send(self._stdin, message)

    def read(self) -> list[Answer] | None:
        """What it has answered; None when it has ended, or answers what no worker would."""
        data = os.read(self.output, 1 << 20)
        if not data:
            return None
        self._data += data
        answers: list[Answer] = []
        try:
            while (message := unpack(self._data)) is not None:
                answers.append(msgspec.msgpack.decode(message, type=Answer))
        except ValueError:  # of which the errors of msgspec are some
            return None
        return answers

    @property
    def has_ended(self) -> bool:
        """Whether the process is gone, although others may still hold its output."""
        return self._leashed.process.poll() is not None

    def is_overdue(self, now: float) -> bool:
        """Whether it is in a call of a bot that should have been over."""
        if not self.ready:
            return now - self.since > LOAD_SECONDS
        count, _, _, call = MARK.unpack_from(self._mark)
        if count != self._call or not count % 2:
            self._call, self._call_since = count, now
            return False
        seconds = START_SECONDS if call == 0 else self._setup.turn_seconds
        return 0 < self._setup.turn_seconds and now - self._call_since > seconds + GRACE_SECONDS

    def culprit(self, killed: bool) -> tuple[int, Stop] | None:
        """The item, and the seat whose bot was called last, where that explains how it ended."""
        count, index, seat, call = MARK.unpack_from(self._mark)
        if not count or not any(item.index == index for item in self.items):
            return None
        if count % 2 == 0:
            call += 1  # the call was over: something that it had started
        if killed:
            return index, Stop(seat, call, "did not stop when its time was up", late=1)
        return index, Stop(seat, call, f"ended its process ({self._end()})", crashed=1)

    def _end(self) -> str:
        try:
            code = self._leashed.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            return "it wrote where it should not"
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def close(self) -> None:
        """Ends it. May be called again."""
        self._leashed.kill()


class Pool:
    """The workers of one arena."""

    def __init__(self, setup: Setup, items: Iterator[Item]) -> None:
        self._setup, self._items = setup, items
        self._again: deque[Item] = deque()
        """Items whose worker has ended."""
        self._workers: dict[int, Worker] = {}
        """By their outputs."""
        self._selector = selectors.DefaultSelector()
        self._lost: dict[int, int] = {}
        """How often the worker of an item has ended for no reason that can be seen."""

    def close(self) -> None:
        """Ends all processes."""
        for worker in self._workers.values():
            worker.close()
        self._workers.clear()
        self._selector.close()

    def play(self, jobs: int) -> Iterator[Outcome]:
        """Plays until no item is left."""
        for _ in range(jobs):
            self._start()
        while self._workers:
            for key, _ in self._selector.select(LOOK_SECONDS):
                worker: Worker = key.data
                if self._workers.get(worker.output) is not worker:
                    continue  # what another said in the meantime was its end
                answers = worker.read()
                if answers is None:
                    self._ended(worker, killed=False)
                for answer in answers or ():
                    yield from self._hear(worker, answer)
            now = time.monotonic()
            for worker in list(self._workers.values()):
                if worker.is_overdue(now):
                    self._ended(worker, killed=True)
                elif worker.has_ended and not self._has_output(worker):
                    self._ended(worker, killed=False)

    def _has_output(self, worker: Worker) -> bool:
        """Whether there is something left to read, of a worker that has ended."""
        return any(key.fd == worker.output for key, _ in self._selector.select(0))

    def _start(self) -> None:
        worker = Worker(self._setup)
        self._workers[worker.output] = worker
        self._selector.register(worker.output, selectors.EVENT_READ, worker)

    def _hear(self, worker: Worker, answer: Answer) -> Iterator[Outcome]:
        match answer:
            case Ready(refusal):
                if refusal:
                    raise Refusal(refusal, WRONG_USE)
                worker.ready = True
            case Broken(details):
                raise RuntimeError(f"in a process of the arena: {details}")
            case Done(outcomes):
                seconds = max(time.monotonic() - worker.since, 1e-6)
                size = int(len(worker.items) * BATCH_SECONDS / seconds)
                worker.size = max(1, min(size, 2 * worker.size, MOST_ITEMS))
                worker.items = []
                yield from outcomes
        self._supply(worker)

    def _supply(self, worker: Worker) -> None:
        """Gives a worker its next items, or ends it; what others have lost is played one by one."""
        if self._again:
            worker.give([self._again.popleft()])
            return
        items = [item for _, item in zip(range(worker.size), self._items, strict=False)]
        if items:
            worker.give(items)
        elif not any(other.items for other in self._workers.values()):
            self._stop_all()
        # else it waits: another worker may still lose its items

    def _stop_all(self) -> None:
        for worker in list(self._workers.values()):
            self._forget(worker)

    def _forget(self, worker: Worker) -> None:
        self._selector.unregister(worker.output)
        del self._workers[worker.output]
        worker.close()

    def _ended(self, worker: Worker, *, killed: bool) -> None:
        """Goes on after a worker that has ended, or is to be ended now."""
        if not worker.ready:
            self._forget(worker)
            names = ", ".join(c.name for c in self._setup.contestants if c.is_stranger)
            how = f"took more than {LOAD_SECONDS:.0f} seconds" if killed else "ended the process"
            raise Refusal(f"a bot cannot be loaded: one of {names} {how}", WRONG_USE)
        found = worker.culprit(killed)
        self._forget(worker)
        for item in worker.items:
            if found is None:
                item = self._unexplained(item)
            elif item.index == found[0]:
                item = _with_stop(item, found[1])
            self._again.append(item)
        self._start()

    def _unexplained(self, item: Item) -> Item:
        """What to do about an item whose worker has ended, and no bot was called that it knows of.

        Once may be chance. When it happens again it is a thread that a bot has started, or one that
        has written over the mark: no stranger plays in it then. Raises Refusal where there is none.
        """
        count = self._lost[item.index] = self._lost.get(item.index, 0) + 1
        if count == 1:
            return item
        players = self._setup.contestants
        strangers = [seat for seat, n in enumerate(item.lineup) if players[n].is_stranger]
        if count > 2 or not strangers:
            raise Refusal(
                "the processes of the arena end again and again, and not while a bot is called",
                WRONG_USE,
            )
        for seat in strangers:
            item = _with_stop(item, Stop(seat, 0, "ended its process, or another did", crashed=1))
        return item


def _with_stop(item: Item, stop: Stop) -> Item:
    """The item with one more seat that is given up, or with one that is so earlier."""
    others = tuple(each for each in item.stops if each.seat != stop.seat)
    return replace(item, stops=(*others, stop))
