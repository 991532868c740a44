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
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Final

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


class Broken(Struct, frozen=True, tag=True):
    """Something went wrong that is no bot's fault."""

    details: str


Answer = Ready | Done | Broken


HEAD: Final = b"dalmuti-arena "
"""What a message begins with, since a bot may write what it likes to any file that is open."""


def send(sink: int, message: Any) -> None:
    """Writes a message to a file, given by its number. Raises OSError."""
    data = msgspec.msgpack.encode(message)
    rest = memoryview(HEAD + len(data).to_bytes(4, "big") + data)
    while rest:
        rest = rest[os.write(sink, rest) :]


def unpack(data: bytearray) -> bytes | None:
    """Takes the next message off `data`; None while it is incomplete. Raises ValueError."""
    if not data.startswith(HEAD[: len(data)]):
        raise ValueError("this is no message")
    begin = len(HEAD) + 4
    if len(data) < begin:
        return None
    end = begin + int.from_bytes(data[len(HEAD) : begin], "big")
    if len(data) < end:
        return None
    message = bytes(data[begin:end])
    del data[:end]
    return message


def messages(source: int) -> Iterator[bytes]:
    """All messages that come from a file, given by its number, until its end."""
    data = bytearray()
    while piece := os.read(source, 1 << 16):
        data += piece
        while (message := unpack(data)) is not None:
            yield message


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


def work(source: Iterator[bytes], sink: int, mark: Mark) -> None:
    """Plays what comes until no more does."""
    setup = msgspec.msgpack.decode(next(source), type=Setup)
    try:
        table = Table(setup, mark)
    except BotError as error:
        send(sink, Ready(str(error)))
        return
    except BaseException as error:  # a stranger's file may even raise SystemExit
        send(sink, Ready(f"a bot cannot be loaded: {type(error).__name__}"))
        return
    send(sink, Ready())
    gc.freeze()
    decode = msgspec.msgpack.Decoder(list[Item]).decode
    for message in source:
        try:
            answer: Answer = Done([table.play(item) for item in decode(message)])
        except Exception:
            answer = Broken(traceback.format_exc())
        send(sink, answer)


def main() -> None:
    """Ctrl-C at the terminal is for the starter, which then ends us."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    mark, pipe = map(int, sys.argv[1:3])
    leash.hold(pipe)
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    with suppress(OSError):  # nobody listens any more, or a bot has closed what is not its own
        work(messages(source), sink, Mark(mmap.mmap(mark, mmap.PAGESIZE)))


if __name__ == "__main__":
    main()
