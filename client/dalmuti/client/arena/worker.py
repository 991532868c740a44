"""A process that plays items over core: `python -m dalmuti.client.arena.worker MARK LEASH`.

It is started by `workers`, reads a Setup and then lists of items on its standard input, and answers
each list with its outcomes. What bots print goes to standard error, and their input is empty. MARK
is the number of a file in memory that tells the starter whose bot is being called, LEASH that of
the pipe that ends this process with the starter.
"""

from __future__ import annotations

import gc
import mmap
import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from dalmuti.client.arena import core, leash
from dalmuti.client.arena.plan import Item, Outcome, Setup
from dalmuti.client.arena.save import transcript
from dalmuti.client.arena.seats import Guard, Mark, Seated
from dalmuti.client.bot import Bot
from dalmuti.client.bots.load import BotError, load_bot


class Ready(Struct, frozen=True, tag=True):
    """All bots are loaded; or `refusal` says why not."""

    refusal: str = ""


class Done(Struct, frozen=True, tag=True):
    """A list of items was played."""

    outcomes: list[Outcome]


Answer = Ready | Done


def pack(message: Any) -> bytes:
    """A message with its length."""
    data = msgspec.msgpack.encode(message)
    return len(data).to_bytes(4, "big") + data


def read(source: BinaryIO) -> bytes | None:
    """The next message; None at the end."""
    length = source.read(4)
    if len(length) < 4:
        return None
    data = source.read(int.from_bytes(length, "big"))
    return data if len(data) == int.from_bytes(length, "big") else None


class Table:
    """Plays items with bots that are loaded once."""

    def __init__(self, setup: Setup, mark: Mark) -> None:
        """Raises BotError, and whatever a stranger's file raises."""
        self._setup = setup
        self._makes: list[Callable[[], Bot]] = [load_bot(c.bot) for c in setup.contestants]
        self._guard = Guard(setup.turn_seconds, mark)

    def play(self, item: Item) -> Outcome:
        """Plays one item."""
        stops = {stop.seat: stop for stop in item.stops}
        seats = [
            Seated(
                self._makes[player],
                item.seeds[seat],
                guard=self._guard if self._setup.contestants[player].is_stranger else None,
                item=item.index,
                seat=seat,
                stop=stops.get(seat),
            )
            for seat, player in enumerate(item.lineup)
        ]
        outcome, log = core.play(self._setup, item, seats)
        if self._setup.save:
            outcome = replace(outcome, transcript=transcript(self._setup, item, log))
        return outcome


def work(source: BinaryIO, sink: BinaryIO, mark: Mark) -> None:
    """Plays what comes until no more does."""
    first = read(source)
    if first is None:
        return
    setup = msgspec.msgpack.decode(first, type=Setup)
    try:
        table = Table(setup, mark)
    except BotError as error:
        sink.write(pack(Ready(str(error))))
        return
    except BaseException as error:  # a stranger's file may even raise SystemExit
        sink.write(pack(Ready(f"a bot cannot be loaded: {type(error).__name__}")))
        return
    sink.write(pack(Ready()))
    gc.freeze()
    for items in _lists(source):
        sink.write(pack(Done([table.play(item) for item in items])))


def _lists(source: BinaryIO) -> Iterator[list[Item]]:
    decode = msgspec.msgpack.Decoder(list[Item]).decode
    while (data := read(source)) is not None:
        yield decode(data)


def main() -> None:
    """Ctrl-C at the terminal is for the starter, which then ends us."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    mark, pipe = map(int, sys.argv[1:3])
    leash.hold(pipe)
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    work(source, sink, Mark(mmap.mmap(mark, mmap.PAGESIZE)))


if __name__ == "__main__":
    main()
