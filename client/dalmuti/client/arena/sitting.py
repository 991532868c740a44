"""One item at a table of a real server: opened, seated in order, dealt, watched, closed.

The host watches, as an arena does, and sees how the moves come; what the Dalmutis return is seen by
those who sit there. All of it is then given to the engine again, which refuses what is not by the
rules: so the digest and the transcript are made of the same as over core.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, Literal

import msgspec
import trio
from msgspec import Struct, field
from msgspec.structs import replace

from dalmuti.client.arena.chair import Chair, Decider
from dalmuti.client.arena.plan import HOST, Item, Outcome, Setup, digest
from dalmuti.client.model import Input
from dalmuti.core import deal
from dalmuti.core.events import (
    By,
    HandEnded,
    Passed,
    Played,
    PlayerJoined,
    RevolutionCalled,
    Seen,
    TaxesPaid,
    WatchersChanged,
)
from dalmuti.core.hand import Phase
from dalmuti.core.match import Entry, Match, Moved
from dalmuti.core.moves import DECLINE, PASS, Call, Give, Move
from dalmuti.protocol.messages import (
    Close,
    CreateTable,
    Deal,
    Error,
    EventMessage,
    JoinTable,
    Snapshot,
    Unseated,
)


class Trouble(Exception):
    """The server does not do what it should; the text says what."""


NOTED: Final = frozenset({TaxesPaid, PlayerJoined, WatchersChanged})
"""Events that are more than passed on."""


class Record(Struct):
    """What was seen of one hand."""

    moves: list[tuple[int, Move, By]] = field(default_factory=list)
    """The seats, and what they called or played, as it came."""
    gives: dict[int, Give] = field(default_factory=dict)
    places: tuple[int, ...] = ()
    """Player numbers, the first out first."""


News = Literal["open", "sits", "hand", "gone"]


class Sitting:
    """A table that plays one item. Player number n is in `chairs[n - 1]`."""

    def __init__(
        self,
        setup: Setup,
        item: Item,
        host: Chair,
        chairs: Sequence[Chair],
        deciders: Sequence[Decider],
    ) -> None:
        self._setup, self._item = setup, item
        self._host, self._chairs, self._deciders = host, chairs, deciders
        self._hands: list[Record] = []
        self._tell, self._news = trio.open_memory_channel[News | str](100)
        self._names = item.players()

    async def play(self) -> tuple[Outcome, list[Entry]]:
        """Plays it; also gives the log, for a transcript. Raises Trouble."""
        item, host = self._item, self._host
        host.hear, host.hear_events = self._watch, self._watch_events
        host.request(
            CreateTable,
            table=item.table,
            options=msgspec.to_builtins(self._setup.options),
            seed=item.number,
            watch=True,
        )
        await self._wait_for("open")
        for chair, decider in zip(self._chairs, self._deciders, strict=True):
            chair.hear = partial(self._listen, decider)
            chair.hear_events = partial(self._listen_to_events, decider)
            await decider.ready()
            chair.request(JoinTable, table=item.table)
            await self._wait_for("sits")
        for _ in range(self._setup.hands):
            self._hands.append(Record())
            host.request(Deal)
            await self._wait_for("hand")
        host.request(Close)
        for _ in (host, *self._chairs):
            await self._wait_for("gone")
        for decider in self._deciders:
            await decider.done()
        return self._outcome()

    async def _wait_for(self, wanted: News) -> None:
        news = await self._news.receive()
        if news != wanted:
            raise Trouble(f"at table {self._item.table!r}: expected {wanted!r}, found {news!r}")

    # -- what is heard ----------------------------------------------------------------------------

    def _watch_events(self, messages: list[EventMessage]) -> None:
        """What the host sees happen."""
        for message in messages:
            event = message.event
            if type(event) is Played:
                self._hands[-1].moves.append((event.seat, event.play, event.by))
            elif type(event) is Passed:
                self._hands[-1].moves.append((event.seat, PASS, event.by))
            elif type(event) is RevolutionCalled:
                self._hands[-1].moves.append((event.seat, Call(event.greater), "player"))
            elif type(event) is HandEnded:
                self._hands[-1].places = tuple(line.player for line in event.places)
                self._tell.send_nowait("hand")

    def _watch(self, message: Input) -> None:
        """What else is said to the host."""
        if isinstance(message, Snapshot):
            self._tell.send_nowait("open")
        elif isinstance(message, Unseated):
            self._tell.send_nowait("gone")
        elif isinstance(message, Error):
            self._tell.send_nowait(f"{message.code}: {message.message}")

    def _listen_to_events(self, decider: Decider, messages: list[EventMessage]) -> None:
        """What a chair hears of what happens, under the names that everybody has over core."""
        for n, message in enumerate(messages):
            if type(message.event) in NOTED:  # few are
                messages[n] = EventMessage(seq=message.seq, event=self._noted(message.event))
        decider.hear_events(messages)

    def _listen(self, decider: Decider, message: Input) -> None:
        """What else a chair hears."""
        if isinstance(message, Snapshot):
            players = self._names[: len(message.table.players)]
            table = replace(message.table, players=players, watchers=(HOST,))
            decider.hear(replace(message, table=table))
            self._tell.send_nowait("sits")
            return
        decider.hear(message)
        if isinstance(message, Unseated):
            self._tell.send_nowait("gone")

    def _noted(self, event: Seen) -> Seen:
        """Takes down what the host cannot see; the event, as it would be over core."""
        match event:
            case TaxesPaid():
                for exchange in event.exchanges:
                    if exchange.returned is not None:
                        self._hands[-1].gives[exchange.receiver] = Give(exchange.returned)
            case PlayerJoined():
                return PlayerJoined(self._names[event.who.player - 1])
            case WatchersChanged():
                return WatchersChanged((HOST,))
            case _:
                pass
        return event

    # -- what came of it --------------------------------------------------------------------------

    def _outcome(self) -> tuple[Outcome, list[Entry]]:
        log = self._again()
        outcome = Outcome(
            index=self._item.index,
            places=tuple(tuple(n - 1 for n in seen.places) for seen in self._hands),
            tallies=tuple(decider.tally for decider in self._deciders),
            moves=digest(log),
            turns=sum(isinstance(entry, Moved) for entry in log),
        )
        return outcome, log

    def _again(self) -> list[Entry]:
        """The log of the same match on the engine itself. Raises Trouble if it ends otherwise."""
        options, number = self._setup.options, self._item.number
        match = Match(options)
        for player in self._names:
            match.sit(player.player)
        for hand, seen in enumerate(self._hands, start=1):
            seed = deal.fixed_seed(number, hand)
            if not match.titled:
                titles = deal.first_titles(options.first_titles, match.order, seed, {})
                match.give_titles(*titles)
            promise = deal.commitment(self._item.table, hand, seed)
            match.start(deal.deck_of(seed, {}), promise)
            called = bool(seen.moves) and isinstance(seen.moves[0][1], Call)
            if match.hand is not None and match.hand.phase is Phase.REVOLUTION and not called:
                for seat in match.hand.to_act:
                    match.apply(seat, DECLINE)
            for seat, give in sorted(seen.gives.items()):
                match.apply(seat, give)
            for seat, move, by in seen.moves:
                match.apply(seat, move, by)
            if match.result is None or [line.player for line in match.result.places] != [
                *seen.places
            ]:
                raise Trouble(f"at table {self._item.table!r}: the places do not follow")
        return match.log
