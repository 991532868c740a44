"""Folding events equals the view that the server would send, for every viewer, at every step."""

from __future__ import annotations

import random
from collections.abc import Iterable

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from dalmuti.client.fold import fold, fold_all
from dalmuti.client.plausible import believe, believe_event
from dalmuti.client.words import places, sentence
from dalmuti.core import events as ev
from dalmuti.core.cards import DECK
from dalmuti.core.events import Event, PlayerInfo, Turn
from dalmuti.core.hand import Phase
from dalmuti.core.match import Match
from dalmuti.core.options import TableOptions
from dalmuti.core.views import TableView, see, view_table

NEVER_SAID = (ev.HandPrepared, ev.DealRevealed, ev.Turn, ev.TitlesChanged)


class Table:
    """A table as the server keeps it, and what each viewer has folded out of its events."""

    def __init__(self, options: TableOptions, chance: random.Random) -> None:
        self.chance = chance
        self.match = Match(options)
        self.infos: dict[int, PlayerInfo] = {}
        self.host: int | None = None
        self.watchers: tuple[str, ...] = ()
        self.turn: Turn | None = None
        self.seating: tuple[int, ...] = ()
        """Who has which seat as each event happens: a private one is for the seats it names."""
        self.decisions = 0
        self.commitment = ""
        self.folded: dict[int | None, TableView] = {None: self.view(None)}
        self.late: dict[int | None, tuple[TableView, list[ev.Seen]]] = {}
        """What each viewer saw some time ago, and what happened since."""
        self.said: list[str] = []
        self.emit([ev.TableOpened("Kitchen", options)])
        self.prepare()

    def view(self, you: int | None) -> TableView:
        return view_table(
            self.match,
            table="Kitchen",
            players=list(self.infos.values()),
            you=you,
            host=self.host,
            watchers=self.watchers,
            turn=self.turn if self.match.hand else None,
            next_commitment=self.commitment,
        )

    def emit(self, events: Iterable[Event]) -> None:
        """Tells every viewer, by the seats in which they sit when it happens."""
        for event in events:
            if isinstance(event, ev.HandStarted):
                self.seating = event.order
            order = self.seating
            for you, before in self.folded.items():
                seat = order.index(you) if you in order else None
                seen = see(event, seat)
                believe_event(before, seen)
                after = fold(before, seen)
                text = sentence(seen, before, after)
                assert (text is None) == isinstance(seen, NEVER_SAID) or isinstance(
                    seen, ev.Scored | ev.WatchersChanged
                )
                self.said.append(text or "")
                if isinstance(seen, ev.HandEnded):
                    assert len(places(seen, after)) == len(seen.places)
                self.folded[you] = after
                self.late.setdefault(you, (before, []))[1].append(seen)
            if isinstance(event, ev.RevolutionCalled) and event.greater:
                self.seating = self.seating[::-1]

    def check(self) -> None:
        for you, folded in self.folded.items():
            assert folded == self.view(you)
            believe(folded)
            if you in self.late and self.chance.random() < 0.3:
                assert fold_all(*self.late.pop(you)) == folded

    def prepare(self) -> None:
        self.commitment = f"{self.chance.getrandbits(64):016x}"
        self.emit([ev.HandPrepared(self.match.hands_begun + 1, self.commitment)])
        self.check()

    def join(self) -> None:
        if self.match.full:
            return
        player = max(self.infos, default=0) + 1
        info = PlayerInfo(
            player=player, name=f"P{player}", kind=self.chance.choice(("human", "house"))
        )
        events = self.match.sit(player)
        self.infos[player] = info
        joined = ev.PlayerJoined(info)
        self.emit([joined, *events])
        self.folded[player] = self.view(player)
        self.late.pop(player, None)  # another one had this number
        if self.host is None:
            self.host = player
            self.emit([ev.HostChanged(player)])
        self.check()

    def leave(self) -> None:
        if len(self.match.players) <= 2:
            return
        player = self.chance.choice(self.match.players)
        in_hand = self.match.hand is not None and player in self.match.order
        events = self.match.leave(player)
        self.infos[player] = replace(self.infos[player], presence="left")
        event: Event = ev.PlayerLeft(player)
        if in_hand:
            event = ev.PresenceChanged(player, "left")
        else:
            del self.folded[player]
        self.emit([event, *events])
        self.check()

    def presence(self) -> None:
        player = self.chance.choice([p for p in self.match.players])
        if self.infos[player].presence == "left":
            return
        presence: ev.Presence = self.chance.choice(("here", "lost", "away", "standin"))
        self.infos[player] = replace(self.infos[player], presence=presence)
        self.emit([ev.PresenceChanged(player, presence, 20_000 if presence == "lost" else None)])
        self.check()

    def watch(self) -> None:
        self.watchers = tuple(self.chance.sample(("Xi", "Yo", "Zoe"), self.chance.randrange(4)))
        self.emit([ev.WatchersChanged(self.watchers), ev.Chatted("Zoe", "hi")])
        self.check()

    def deck(self) -> list[int]:
        return self.chance.sample(DECK, len(DECK))

    def hand(self) -> None:
        if self.match.state == "over":
            self.emit(self.match.restart())
            self.check()
        if not self.match.titled:
            self.emit(self.match.find_titles(self.deck()))
            self.check()
        nonces = {self.match.order[0]: b"abc"}
        events = self.match.start(self.deck(), self.commitment, nonces)
        self.commitment = ""
        gone = [p for p, info in self.infos.items() if info.presence == "left"]
        for player in gone:
            del self.infos[player]
        self.turn = None
        self.emit(events)
        self.check()
        while (hand := self.match.hand) is not None:
            asked = hand.to_act
            if self.turn is None or self.turn.seats != asked:
                self.ask(asked)
            seat = self.chance.choice(asked)
            move = self.chance.choice(hand.legal(seat))
            by: ev.By = self.chance.choice(("player", "standin", "clock"))
            events = self.match.apply(seat, move, by)
            if not events:
                continue
            if self.match.hand is None:
                self.turn = None
            self.emit(events)
            self.check()
            self.turn = None if self.match.hand is None else self.turn
            if self.chance.random() < 0.02:
                self.chance.choice((self.join, self.leave, self.presence, self.watch))()
            if self.match.hand and self.chance.random() < 0.002:
                self.emit(self.match.abandon())
        self.turn = None
        self.drop_left()
        self.prepare()

    def ask(self, asked: tuple[int, ...]) -> None:
        hand = self.match.hand
        assert hand is not None
        if hand.phase is Phase.REVOLUTION and self.turn is not None:
            return  # the same asking goes on while they answer
        if hand.phase is Phase.TAXES and self.turn is not None and self.turn.kind == "tax":
            return
        self.decisions += 1
        self.turn = Turn(hand.question, asked, self.decisions, 60_000)
        self.emit([self.turn])
        self.check()

    def drop_left(self) -> None:
        for player, info in self.infos.items():
            if info.presence == "left" and player in self.folded:
                del self.folded[player]


OPTIONS = st.fixed_dictionaries(
    {
        "seats": st.integers(2, 10),
        "revolution": st.sampled_from(("optional", "automatic", "off")),
        "passing": st.sampled_from(("open", "locked")),
        "first_hand_taxes": st.sampled_from(("on", "off")),
        "greater_revolution": st.sampled_from(("always", "off")),
    },
    optional={
        "scoring": st.just("points"),
        "match_end": st.sampled_from(("hands:1", "hands:2")),
    },
)


@settings(max_examples=60, deadline=None)
@given(OPTIONS, st.integers(0, 2**32), st.integers(2, 10))
def test_fold_equals_the_view_of_the_server(
    options: dict[str, object], seed: int, players: int
) -> None:
    table = Table(TableOptions(**options), random.Random(seed))  # type: ignore[arg-type]
    for _ in range(min(players, table.match.options.seats)):
        table.join()
    for _ in range(2):
        table.hand()
        table.join()
        table.leave()
        table.check()
    assert any("is over" in line or "given up" in line for line in table.said)


def test_greater_revolution_turns_seats_and_keeps_cards() -> None:
    """R4, seen from the caller's seat: seat 0 now, the same cards, the order turned round."""
    table = Table(TableOptions(seats=4), random.Random(1))
    for _ in range(4):
        table.join()
    table.emit(table.match.give_titles((), (1, 2, 3, 4)))
    rest = [card for card in DECK if card != 13]
    deck = [*rest[:75], 13, *rest[75:], 13]
    assert (len(deck), deck.count(13), deck[75], deck[79]) == (80, 2, 13, 13)
    table.emit(table.match.start(deck, table.commitment))
    own = table.folded[4].hand
    assert own is not None and own.seat == 3
    move = table.match.hand.legal(3)[-1] if table.match.hand else None
    assert move is not None
    table.emit(table.match.apply(3, move))
    turned = table.folded[4].hand
    assert turned is not None
    assert (turned.seat, turned.order, turned.cards) == (0, (4, 3, 2, 1), own.cards)
    assert table.folded[4].order == (4, 3, 2, 1)
    assert "Greater Revolution" in table.said[-1]
