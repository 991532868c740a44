"""A table without a network: requests go in, time is moved by hand, every viewer folds along.

After every step each connected viewer's folded state must equal the snapshot that the table would
send him now, so all tests that use this also test that (server.md I-14).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Any, Literal, TypeVar

from dalmuti.client.fold import fold
from dalmuti.core.cards import DECK
from dalmuti.core.events import Event, Passed, Played
from dalmuti.core.match import Entry
from dalmuti.core.moves import Move
from dalmuti.core.options import options_from
from dalmuti.core.record import RecordWriter
from dalmuti.core.titles import DrawRound, draw_titles
from dalmuti.core.views import TableView
from dalmuti.protocol import messages as msg
from dalmuti.protocol.codec import decode_server, encode
from dalmuti.server.limits import Limits
from dalmuti.server.sessions import Caller, Secret
from dalmuti.server.table.dealer import Dealer
from dalmuti.server.table.house import BotJob
from dalmuti.server.table.rated import Rated
from dalmuti.server.table.table import Batch, Table

NAME = "Kitchen"
INSTANCE = "this run"
E = TypeVar("E", bound=Event)


class KnownDecks(Dealer):
    """Deals decks handed in, first titles in the order of arrival; commitments say nothing."""

    def __init__(self, decks: Iterable[Sequence[int]]) -> None:
        super().__init__(NAME)
        self._decks = iter(decks)
        self._deck: Sequence[int] = ()

    def prepare(self, hand: int) -> str:
        self.hand, self.nonces = hand, {}
        self._deck = next(self._decks, DECK)
        return "c0" * 32

    def titles(
        self, options: object, players: Sequence[int]
    ) -> tuple[tuple[DrawRound, ...], tuple[int, ...]]:
        rounds, order = draw_titles(players, list(range(1, 11)))
        return tuple(rounds), tuple(order)

    def deck(self) -> list[int]:
        return list(self._deck)

    def reveal(self) -> str:
        return "5e"


def deck_with(*hands: Sequence[int], seats: int) -> list[int]:
    """A deck that gives seat i at least the cards `hands[i]`; the rest in ascending order."""
    rest = list(DECK)
    for cards in hands:
        for card in cards:
            rest.remove(card)
    sizes = [len(range(seat, len(DECK), seats)) for seat in range(seats)]
    dealt = [list(hands[seat]) if seat < len(hands) else [] for seat in range(seats)]
    for seat in reversed(range(seats)):
        missing = sizes[seat] - len(dealt[seat])
        dealt[seat] += [rest.pop() for _ in range(missing)]
    deck = [0] * len(DECK)
    for seat, cards in enumerate(dealt):
        deck[seat::seats] = cards
    return deck


class Viewer:
    """What one connection was told."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self.messages: list[Any] = []
        self.data = b""
        self.times: list[tuple[float, bytes]] = []
        self.view: TableView | None = None
        self.kept: TableView | None = None
        """What it knew when the connection was lost."""
        self.seq = 0
        self.token = ""
        self.number = 0
        self.decision: msg.Decision | None = None

    def events(self, kind: type[E]) -> list[E]:
        """All events of one class that it heard of."""
        return [
            m.event
            for m in self.messages
            if isinstance(m, msg.EventMessage) and isinstance(m.event, kind)
        ]

    def moves(self) -> list[Played | Passed]:
        """Every set and pass it heard of."""
        return [
            m.event
            for m in self.messages
            if isinstance(m, msg.EventMessage) and isinstance(m.event, Played | Passed)
        ]

    def take(self, message: msg.ServerMessage, now: float) -> None:
        """Decodes what was encoded, and folds."""
        data = encode(message)
        self.data += data
        self.times.append((now, data))
        read: Any = decode_server(data)
        assert read == message
        self.messages.append(read)
        match read:
            case msg.Snapshot():
                self.view, self.seq, self.decision = read.table, read.seq, None
            case msg.EventMessage():
                assert read.seq == self.seq + 1, "event numbers have no gaps"
                assert self.view is not None
                self.view, self.seq = fold(self.view, read.event), read.seq
            case msg.Seated():
                self.token, self.number = read.token, read.player
            case msg.Decision():
                self.decision = read
            case msg.Unseated():
                self.view = self.decision = None


class Sim:
    """One table, its clock, and everyone who is connected to it."""

    def __init__(
        self,
        *,
        options: dict[str, str | int] | None = None,
        limits: Limits | None = None,
        decks: Iterable[Sequence[int]] | None = None,
        seed: int = 1,
        fair: bool = False,
        pace: float = 1.0,
        password: str | None = None,
        solo: bool = False,
        watch: bool = False,
        name: str = "Ada",
        kind: Literal["human", "bot"] = "human",
        rated: Rated | None = None,
    ) -> None:
        tokens = count(1)
        self.now = 100.0
        self.table = Table(
            NAME,
            options_from(options or {}),
            limits or Limits(),
            instance=INSTANCE,
            password=Secret.of(password) if password else None,
            solo=solo,
            pace=pace,
            dealer=KnownDecks(decks) if decks else Dealer(NAME, None if fair else seed),
            delays=random.Random(seed),
            tokens=lambda: f"TOKEN{next(tokens)}",
            rated=rated,
        )
        self.viewers: dict[int, Viewer] = {}
        self.jobs: list[BotJob] = []
        self.log: list[Entry] = []
        self.names: dict[int, Any] = {}
        self.seeds: dict[int, str] = {}
        self.conns = count(1)
        self.ids = count(1)
        self.host = self.open(name, kind, watch)
        self._deliver()

    def open(self, name: str, kind: Literal["human", "bot"], watch: bool) -> int:
        """Opens the table; returns the connection of its host."""
        host = self.connect(name, kind)
        create = msg.CreateTable(id=next(self.ids), table=NAME, watch=watch)
        self.table.open(self.viewers[host].caller, create, self.now)
        return host

    def connect(self, name: str, kind: Literal["human", "bot"] = "human") -> int:
        """A connection that is not at the table yet."""
        conn = next(self.conns)
        self.viewers[conn] = Viewer(Caller(conn, name, kind))
        return conn

    def ask(self, conn: int, kind: type[msg.Request], **fields: Any) -> str:
        """Asks for something; returns "ok" or the code of the error."""
        viewer = self.viewers[conn]
        number = next(self.ids)
        before = (self.table.feed.seq, self.table.play.match.state)
        at = len(viewer.messages)
        self.table.handle(viewer.caller, kind(id=number, **fields), self.now)
        self._deliver()
        answers = [
            m for m in viewer.messages[at:] if isinstance(m, msg.Ok | msg.Error) and m.re == number
        ]
        assert len(answers) == 1, "each request gets exactly one answer"
        if isinstance(answers[0], msg.Error):
            assert before == (self.table.feed.seq, self.table.play.match.state)
            return answers[0].code
        return "ok"

    def join(self, name: str, kind: Literal["human", "bot"] = "human", **fields: Any) -> int:
        """Somebody connects and sits down; returns the connection."""
        conn = self.connect(name, kind)
        assert self.ask(conn, msg.JoinTable, table=NAME, **fields) == "ok"
        return conn

    def watch(self, name: str) -> int:
        """Somebody watches."""
        return self.join(name, watch=True)

    def resume(self, token: str, old: int | None = None, instance: str | None = INSTANCE) -> int:
        """Comes back with a token, knowing what connection `old` knew; the new connection."""
        conn = self.connect("somebody")
        fields: dict[str, Any] = {"table": NAME, "token": token, "instance": instance}
        if old is not None:
            fields["seq"] = self.viewers[old].seq
            self.viewers[conn].seq = self.viewers[old].seq
            self.viewers[conn].view = self.viewers[old].kept
        assert self.ask(conn, msg.Resume, **fields) == "ok"
        return conn

    def lose(self, conn: int) -> None:
        """The connection is gone."""
        self.table.lost(conn, self.now)
        self._deliver()
        viewer = self.viewers[conn]
        viewer.kept, viewer.view = viewer.view, None

    def seat_bots(self, number: int) -> list[int]:
        """House bots sit down; returns their connections."""
        for _ in range(number):
            assert self.ask(self.host, msg.AddBot, bot="greedy") == "ok"
        return [self.join(job.name, "bot", ticket=job.ticket) for job in self.take_jobs()]

    def take_jobs(self) -> list[BotJob]:
        jobs, self.jobs = self.jobs, []
        return jobs

    def advance(self, seconds: float) -> None:
        """Lets time pass, and the table do what is due at each moment of it."""
        end = self.now + seconds
        while not self.table.closed:
            due = self.table.next_deadline()
            if due is None or due > end:
                break
            self.now = max(self.now, due)
            self.table.tick(self.now)
            self._deliver()
        self.now = end

    def act(self, conn: int, choice: Move | None = None) -> str:
        """Answers the decision that was put to a connection, by its default unless told."""
        decision = self.viewers[conn].decision
        assert decision is not None
        choice = decision.default if choice is None else choice
        return self.ask(conn, msg.Act, decision=decision.decision, choice=choice)

    def asked(self) -> list[int]:
        """The connections that have something to decide now."""
        asking, hand = self.table.play.asking, self.table.play.match.hand
        if asking is None or hand is None:
            return []
        order = self.table.play.match.order
        players = [self.table.people.players[order[seat]] for seat in asking.waits_for(hand)]
        return [player.conn for player in players if player.conn is not None]

    def play_on(
        self,
        until: Callable[[], bool] | None = None,
        pick: Callable[[msg.Decision], Move] | None = None,
    ) -> None:
        """Everybody who is asked answers, and time passes, until the hand is over, or `until`."""
        done = until or (lambda: self.table.play.match.hand is None)
        for _ in range(2000):
            if done():
                return
            asked = self.asked()
            if asked:
                decision = self.viewers[asked[0]].decision
                assert decision is not None
                self.act(asked[0], pick(decision) if pick else None)
            else:
                due = self.table.next_deadline()
                assert due is not None, "the table waits for nobody and for nothing"
                self.advance(max(0.0, due - self.now))
        raise AssertionError("this never ends")

    def hand(self, pick: Callable[[msg.Decision], Move] | None = None) -> None:
        """The host deals, and one hand is played to its end."""
        assert self.ask(self.host, msg.Deal) == "ok"
        self.play_on(pick=pick)

    def presence(self, player: int) -> str:
        """How a player is there."""
        return self.table.people.players[player].presence

    def transcript(self) -> str:
        """The record of all that happened."""
        writer = RecordWriter(NAME, self.table.options, fair=self.table.dealer.fair)
        return writer.add(self.log, self.names, self.seeds)

    def _deliver(self) -> None:
        batch = self._take()
        self.log += batch.entries
        self.names.update(batch.players)
        self.seeds.update(batch.seeds)
        self.jobs += batch.jobs
        for conns, message in batch.output:
            for conn in conns:
                self.viewers[conn].take(message, self.now)
        if not self.table.closed:
            self._compare()

    def _take(self) -> Batch:
        return self.table.take()

    def _compare(self) -> None:
        """Everybody's fold is what the server would send him now."""
        for conn, player in self.table.people.connected():
            number = None if player is None else player.number
            snapshot = self.table.seating.snapshot(number, self.now)
            assert self.viewers[conn].view == snapshot.table
            assert self.viewers[conn].seq == snapshot.seq
