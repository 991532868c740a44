"""A process that plays a stranger's Python bot over TCP: `python -m dalmuti.client.arena.program`.

It is started by `stranger` with the bot, the seconds for a decision, and the pipe of its leash. On
its standard input comes a `Match` a line, which it plays as any client does, at the port it is
told; it says on its standard output how it goes. What the bot prints goes to standard error.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Final

import msgspec
import trio
from msgspec import Struct

from dalmuti.client.arena import leash
from dalmuti.client.arena.chair import Sitter, wire
from dalmuti.client.arena.plan import Tally
from dalmuti.client.arena.seats import MARK, Guard, Mark, Seated
from dalmuti.client.bot import Bot
from dalmuti.client.bots.load import BotError, load_bot
from dalmuti.client.model import Input
from dalmuti.client.session import Session
from dalmuti.protocol.messages import JoinTable

LINE: Final = 65536


class Match(Struct, frozen=True):
    """What is to be played."""

    port: int
    table: str
    name: str
    seed: int


class Report(Struct, frozen=True):
    """What was done so far; or, before the first match, why the bot cannot be loaded."""

    tally: Tally = msgspec.field(default_factory=Tally)
    is_over: bool = False
    refusal: str = ""


class Player(Sitter):
    """Reports each fault at once, since the next one may be the end of the process."""

    def __init__(self, session: Session, seated: Seated, say: Callable[[Report], None]) -> None:
        super().__init__(session, seated)
        self._say = say
        self._faults = (0, 0, 0)

    def hear(self, message: Input) -> None:
        """As any sitter."""
        super().hear(message)
        tally = self.tally
        faults = (tally.illegal, tally.late, tally.crashed)
        if faults != self._faults:
            self._faults = faults
            self._say(Report(tally))


async def play(
    match: Match, make: Callable[[], Bot], guard: Guard, say: Callable[[Report], None]
) -> None:
    """Plays one match, until the table is closed."""
    seated = Seated(make, match.seed, guard=guard)
    session = Session(
        wire(match.port),
        name=match.name,
        kind="bot",
        entry=JoinTable(id=0, table=match.table),
    )
    await session.run(Player(session, seated, say).hear)
    say(Report(seated.close(), is_over=True))


def main() -> None:
    """Ctrl-C at the terminal is for the arena, which then ends us."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    bot, seconds, pipe = sys.argv[1:4]
    leash.hold(int(pipe))
    source, sink = os.fdopen(os.dup(0), "rb"), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)

    def say(report: Report) -> None:
        os.write(sink, msgspec.json.encode(report) + b"\n")

    try:
        make = load_bot(bot)
    except BotError as error:
        say(Report(refusal=str(error)))
        return
    except BaseException as error:  # a stranger's file may even raise SystemExit
        say(Report(refusal=f"{bot} cannot be loaded: {type(error).__name__}"))
        return
    say(Report())
    guard = Guard(float(seconds), Mark(bytearray(MARK.size)))
    for line in source:
        trio.run(play, msgspec.json.decode(line, type=Match), make, guard, say)


if __name__ == "__main__":
    main()
