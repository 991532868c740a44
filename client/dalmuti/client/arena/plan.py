"""What the parts of the arena say to each other: who plays, what is to be played, what came of it.

`command` makes a `Setup` and a list of `Item`s: an item is one match, a deal with a line-up. It
hands both to a runner, which is any function `play(setup, items, jobs)` that yields one `Outcome`
an item, in any order: `workers.play` plays over `core` in processes of its own, `tcp.play` over a
real server and its clients, `cluster.play` on other machines. A runner takes items as it needs
them, since the next ones depend on what came of others (`schedule`), and when its generator is
closed no process of it is left. `statistics` takes the outcomes in the order of their items.
Everything here is plain data, so that it can cross borders of processes, and the chance in it
comes from the seed of the arena by SHA-256, one stream for each use: the deck of a deal, and each
bot at its table. So one seed gives the same moves whoever plays them, in whatever order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterable, Iterator
from math import log
from typing import Final, Protocol

import msgspec
from msgspec import Struct, field

from dalmuti.core.events import PlayerInfo
from dalmuti.core.hand import Phase
from dalmuti.core.match import Entry, Moved
from dalmuti.core.moves import Decline, Give, Move
from dalmuti.core.options import TableOptions

HOST: Final = "Arena"
"""The name of the host, who watches and deals; over TCP it is a client with `watch`."""
STRIKES: Final = 3
"""After so many late answers in one match a seat is given up for the rest of it."""
COMMAND: Final = "cmd:"
"""What the name of a player begins with who is a program; it takes part over TCP only."""


class Contestant(Struct, frozen=True):
    """A player as listed: `name` is how he is shown, and differs from all others'."""

    name: str
    bot: str
    """A house bot, `mybot.py`, `mybot.py:Class`, or `cmd:` and a command line."""

    @property
    def command(self) -> str | None:
        """The command line of a program, with {host}, {port}, {table} and {name} to fill in."""
        return self.bot.removeprefix(COMMAND) if self.bot.startswith(COMMAND) else None

    @property
    def is_stranger(self) -> bool:
        """Whether it is not a house bot, so that anything may be expected of it."""
        return ".py" in self.bot or self.command is not None


class Setup(Struct, frozen=True, kw_only=True):
    """What is the same in all items of an arena."""

    contestants: tuple[Contestant, ...]
    options: TableOptions
    """Of every table; the first titles go by arrival, so that an item says who sits where."""
    hands: int = 1
    """Of each match."""
    turn_seconds: float = 5.0
    """What a bot may take for a decision, and for an event; 0: as long as it likes.

    The clock of the table itself (`options.turn_seconds`) is never shorter.
    """
    save: bool = False
    """Whether outcomes have transcripts."""


class Stop(Struct, frozen=True):
    """A seat whose bot is not called any more from its `call`-th call on; the default plays on.

    That is how an item is played again whose bot hung or ended its process there. To make it and
    `begin` are call 0, so that with `call=0` there is no bot at all; then each `decide` and each
    `on_event` is one.
    """

    seat: int
    call: int
    why: str
    """For people: "ended its process", "did not stop", "was out"."""
    late: int = 0
    crashed: int = 0
    """What this adds to the tally of the seat."""


class Item(Struct, frozen=True, kw_only=True):
    """One match: a deal and who sits where in its first hand."""

    index: int
    deal: int
    """Which deal; those of one deal have the same cards, and their mean is one observation."""
    lineup: tuple[int, ...]
    """The contestant in each seat of the first hand; player number n sits in seat n-1 there."""
    number: int
    """For `deal.fixed_seed(number, hand)`, hands from 1; over TCP the `seed` of the table."""
    seeds: tuple[int, ...]
    """For `Bot.begin`, by seat as in `lineup`."""
    stops: tuple[Stop, ...] = ()

    @property
    def table(self) -> str:
        """The name of the table."""
        return f"Deal {self.deal + 1}, {self.index + 1}"

    def players(self) -> tuple[PlayerInfo, ...]:
        """The players as those at the table see them: nobody knows by the name who it is."""
        return tuple(
            PlayerInfo(player=n, name=f"Player {n}", kind="bot")
            for n in range(1, len(self.lineup) + 1)
        )


STEP: Final = 0.04
"""The width of a bucket of `Times`: 4 %."""


class Times(Struct):
    """How long decisions took. Equal to 4 %, they are one number and how often it was found."""

    count: int = 0
    total: float = 0.0
    """Seconds."""
    longest: float = 0.0
    buckets: dict[int, int] = field(default_factory=dict)

    def add(self, *seconds: float) -> None:
        """Counts decisions."""
        buckets = self.buckets
        for each in seconds:
            bucket = int(log(each + 1e-9) / STEP)
            buckets[bucket] = buckets.get(bucket, 0) + 1
        self.count += len(seconds)
        self.total += sum(seconds)
        self.longest = max(self.longest, *seconds)


class Tally(Struct):
    """What one seat of an item did, beside its cards."""

    times: Times = field(default_factory=Times)
    """Of the decisions that the bot was asked for; where there is one legal choice it is not."""
    illegal: int = 0
    late: int = 0
    crashed: int = 0
    """It raised, or its process ended, or its connection."""
    defaults: int = 0
    """Decisions that were not put to it any more, since the seat was given up."""
    given_up: str = ""
    """Why the seat was given up, for people."""
    first_fault: str = ""
    """The first thing that it did wrong, for its author."""


class Outcome(Struct, frozen=True, kw_only=True):
    """What came of an item. Moves and places are the same whoever played it."""

    index: int
    places: tuple[tuple[int, ...], ...]
    """For each hand the seats of `Item.lineup` (player numbers less 1), the first out first."""
    tallies: tuple[Tally, ...]
    """By seat of `Item.lineup`."""
    moves: str
    """`digest` of all moves."""
    turns: int = 0
    """How many moves there were."""
    transcript: str = ""


class Runner(Protocol):
    """`workers.play`, `tcp.play`."""

    def __call__(
        self, setup: Setup, items: Iterator[Item], jobs: int
    ) -> Generator[Outcome, None, None]:
        """Yields one outcome for each item, in any order. Raises `start.Refusal`."""
        ...


def digest(entries: Iterable[Entry]) -> str:
    """The SHA-256 of all moves in the log of a match, in hexadecimal.

    Of the list of [seat, move] in MessagePack, moves as on the wire. Who made a move (`by`) does
    not count. Declined revolutions are left out, and what the two Dalmutis return goes by seat,
    since these come in any order from players who decide at the same time.
    """
    moves: list[tuple[int, Move]] = []
    for entry in entries:
        if type(entry) is Moved:
            seat, move = entry.seat, entry.move
            if type(move) is Give and moves and type(moves[-1][1]) is Give and seat < moves[-1][0]:
                moves.insert(-1, (seat, move))
            elif type(move) is not Decline:
                moves.append((seat, move))
    return hashlib.sha256(_encode(moves)).hexdigest()


_encode = msgspec.msgpack.Encoder().encode


def chance(seed: int, *what: str | int) -> int:
    """A number below 2**53 that depends on nothing but the seed and what it is for."""
    text = "/".join(("dalmuti-arena-v1", str(seed), *map(str, what)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 11


def clock_ms(options: TableOptions, phase: Phase, window_most: float = 20.0) -> int | None:
    """What a `Turn` and a `Decision` say about the clock when they are fresh."""
    seconds: float = options.turn_seconds
    if phase is Phase.REVOLUTION:
        seconds = min(seconds, window_most)
    return round(seconds * 1000) if seconds else None
