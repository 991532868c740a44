"""A table for screens to look at: the real rules, the real views, told to the real model.

`Stage` is a server without a network for one viewer. Its players are greedy, the viewer too
unless a test answers for him, and its deals are those of a seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

from msgspec.structs import replace

from dalmuti.client.model import LinkChanged, Model, reduce
from dalmuti.core import events as ev
from dalmuti.core.cards import DECK, JESTER
from dalmuti.core.events import Event, PlayerInfo
from dalmuti.core.hand import Hand, Phase
from dalmuti.core.match import Match
from dalmuti.core.moves import Move
from dalmuti.core.options import TableOptions
from dalmuti.core.policy import greedy
from dalmuti.core.views import see, view_table
from dalmuti.protocol.messages import (
    Decision,
    EventMessage,
    Limits,
    ServerMessage,
    Snapshot,
    Welcome,
)

NAMES = ("Ada", "Grace", "Max", "王小明", "Frédéric", "Ivy", "Ken", "Radia", "Barbara", "Linus")
KINDS: tuple[ev.Kind, ...] = ("human", "human", "house", "human", "human", "bot", "house") + (
    "human",
) * 3
WELCOME = Welcome(
    version=1,
    server="dalmuti-server 0.1.0",
    instance="x",
    name="Ada",
    bots=("careful", "expert", "greedy", "easy", "random"),
    limits=Limits(
        frame_to_server=4096,
        frame_to_client=262144,
        chat_length=200,
        name_width=20,
        ping_after_ms=15000,
        dead_after_ms=45000,
        grace_ms=20000,
        resume_events=500,
        standin_hands=3,
    ),
)


class Stage:
    """A table of `seats` players; `you` is the player who looks, or None for a spectator."""

    def __init__(
        self,
        seats: int,
        *,
        you: int | None = 1,
        seed: int = 1,
        options: TableOptions | None = None,
        names: tuple[str, ...] = NAMES,
        table: str = "Kitchen",
    ) -> None:
        self.chance = random.Random(seed)
        self.you = you
        self.names = names
        self.now = 100.0
        self.match = Match(options or TableOptions(seats=seats))
        self.infos: dict[int, PlayerInfo] = {}
        self.decisions = 0
        self.solo = False
        self.seq = 0
        self.model = Model()
        self.table = table
        self.tell(LinkChanged("open"))
        self.tell(WELCOME)
        for player in range(1, seats + 1):
            self.infos[player] = PlayerInfo(
                player=player, name=names[player - 1], kind=KINDS[player - 1]
            )
            self.match.sit(player)
        self.snapshot()

    def snapshot(self) -> None:
        """Tells the whole table."""
        view = view_table(
            self.match,
            table=self.table,
            players=list(self.infos.values()),
            you=self.you,
            host=1,
            solo=self.solo,
        )
        self.tell(Snapshot(seq=self.seq, table=view))

    def tell(self, message: ServerMessage | LinkChanged) -> None:
        """The model hears something."""
        self.model = reduce(self.model, message, self.now)

    def emit(self, events: Iterable[Event]) -> None:
        """The model hears events as the viewer may see them."""
        for event in events:
            self.seq += 1
            seat = None if self.you is None else self.match.seat_of(self.you)
            self.tell(EventMessage(seq=self.seq, event=see(event, seat)))

    @property
    def hand(self) -> Hand:
        assert self.match.hand is not None
        return self.match.hand

    @property
    def your_seat(self) -> int | None:
        return None if self.you is None else self.match.seat_of(self.you)

    def chat(self, player: int, text: str) -> None:
        """Somebody says something."""
        self.emit([ev.Chatted(self.names[player - 1], text, player)])

    def deal(self, *, jesters_to: int | None = None) -> Stage:
        """Draws the first titles where there are none, and deals; both Jesters to one player."""
        if not self.match.titled:
            self.emit(self.match.find_titles(self.chance.sample(DECK, 80)))
        deck = self.chance.sample(DECK, 80)
        if jesters_to is not None:
            seats = len(self.match.order)
            seat = self.match.order.index(jesters_to)
            for number in (0, 1):
                at = deck.index(JESTER, 0 if not number else seat + 1)
                to = seat + number * seats
                deck[at], deck[to] = deck[to], deck[at]
        self.emit(self.match.start(deck, "00" * 32))
        self.ask()
        return self

    def ask(self) -> None:
        """Says whose turn it is, and asks the viewer if it is his."""
        self.decisions += 1
        turn = ev.Turn(self.hand.question, self.hand.to_act, self.decisions, 60_000)
        self.emit([turn])
        seat = self.your_seat
        if seat is not None and seat in self.hand.to_act:
            self.tell(
                Decision(
                    decision=self.decisions,
                    kind=turn.kind,
                    choices=tuple(self.hand.legal(seat)),
                    default=self.hand.default(seat),
                    ms=60_000,
                )
            )

    def move(self, seat: int, move: Move, by: ev.By = "player") -> None:
        """Somebody moves; sealed moves of the same asking are followed by no new one."""
        before = self.hand.phase
        self.emit(self.match.apply(seat, move, by))
        if self.match.hand is None:
            number = self.match.hands_begun
            self.model = replace(self.model, verified={**self.model.verified, number: True})
        elif before is Phase.TRICKS or self.hand.phase is not before:
            self.ask()

    def step(self) -> None:
        """The first of those who are to act makes the greedy move."""
        seat = self.hand.to_act[0]
        self.move(seat, greedy(self.hand.cards(seat), self.hand.legal(seat)))

    def run(self, until: Callable[[Stage], bool]) -> Stage:
        """Everybody plays until something holds."""
        for _ in range(2000):
            if until(self):
                return self
            self.step()
        raise AssertionError("that never happens in this hand")

    def finish(self) -> Stage:
        """Everybody plays to the end of the hand."""
        return self.run(lambda stage: stage.match.hand is None)

    def presence(self, player: int, presence: ev.Presence, ms: int | None = None) -> None:
        """A player is lost, away or played by the stand-in."""
        self.infos[player] = replace(self.infos[player], presence=presence)
        self.emit([ev.PresenceChanged(player, presence, ms)])


def first_such(
    seats: int, holds: Callable[[Stage], bool], kind: Callable[..., Stage] = Stage
) -> Stage:
    """The first of a few hands in which something comes to pass."""
    for seed in range(50):
        try:
            return kind(seats, seed=seed).deal().run(holds)
        except AssertionError:
            continue
    raise AssertionError("that happens in none of the hands")


def in_tricks(stage: Stage) -> bool:
    """Tricks are being played."""
    return stage.match.hand is not None and stage.hand.phase is Phase.TRICKS


def your_turn(stage: Stage) -> bool:
    """The viewer is to lead or to follow."""
    return in_tricks(stage) and stage.your_seat in stage.hand.to_act


def you_follow(stage: Stage) -> bool:
    """The viewer is to follow, and something was played before."""
    return your_turn(stage) and stage.hand.top is not None and len(stage.hand.acts) > 1


def you_lead(stage: Stage) -> bool:
    """The viewer is to lead, and a trick was played before."""
    return your_turn(stage) and stage.hand.top is None and stage.hand.tricks > 0


def somebody_else(stage: Stage) -> bool:
    """Another player is to follow."""
    return in_tricks(stage) and not your_turn(stage) and len(stage.hand.acts) > 1


def taxes_due(stage: Stage) -> bool:
    """Taxes are to be chosen."""
    return stage.hand.phase is Phase.TAXES
