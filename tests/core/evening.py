"""A whole evening at one table without a server: a Match, its seeds, and what everybody was told.

The tests of the engine, the record, the witness and the views all play with this. It does what a
table does and nothing more: it commits, takes nonces, deals, reveals; chance is handed in.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

from hypothesis import strategies as st

from dalmuti.core import deal
from dalmuti.core import events as ev
from dalmuti.core.events import Event, Kind, PlayerInfo, Seen
from dalmuti.core.hand import Hand
from dalmuti.core.match import Match
from dalmuti.core.moves import Move
from dalmuti.core.options import TableOptions, options_from
from dalmuti.core.policy import greedy
from dalmuti.core.record import Record, record_of
from dalmuti.core.views import TableView, see, view_table

TABLE = "Küche 厨房"
NAMES = ("Ada", "Bea", "Cäcilie Ü.", "大卫", "E  e", "Fé", "Gil", "Hal", "sum 12", "Ivo")


class Evening:
    """One table. `said` holds every event with the order of players that its seats are in."""

    def __init__(self, options: TableOptions, chance: random.Random) -> None:
        self.options = options
        self.chance = chance
        self.match = Match(options)
        self.who: dict[int, tuple[Kind, str]] = {}
        self.seeds: dict[int, str] = {}
        self.said: list[tuple[Event, tuple[int, ...]]] = []
        self.from_match: list[Event] = []
        self.nonces: dict[int, bytes] = {}
        self._seed = b""
        self._prepare()

    def _say(self, events: Iterable[Event]) -> None:
        order = tuple(self.match.order) if self.match.hand is not None else ()
        self.said += [(event, order) for event in events]

    def _did(self, events: list[Event]) -> list[Event]:
        self.from_match += events
        self._say(events)
        return events

    def seen(self, player: int | None, since: int = 0) -> list[Seen]:
        """Everything that was said, as one player or a spectator saw it."""
        return [
            see(event, order.index(player) if player in order else None)
            for event, order in self.said[since:]
        ]

    def view(self, player: int | None) -> TableView:
        """The snapshot for a player or a spectator."""
        number = self.match.hands_begun + 1
        return view_table(
            self.match,
            table=TABLE,
            players=[
                PlayerInfo(player=p, kind=kind, name=name) for p, (kind, name) in self.who.items()
            ],
            you=player,
            next_commitment=deal.commitment(TABLE, number, self._seed) if self._seed else "",
        )

    def record(self) -> Record:
        return record_of(self.match, TABLE, self.who, self.seeds)

    @property
    def hand(self) -> Hand:
        assert self.match.hand is not None
        return self.match.hand

    def _prepare(self) -> None:
        number = self.match.hands_begun + 1
        self._seed = self.chance.randbytes(deal.SEED_BYTES)
        self.nonces = {}
        self._say([ev.HandPrepared(number, deal.commitment(TABLE, number, self._seed))])

    def sit(self) -> int:
        player = max(self.who, default=0) + 1
        name = NAMES[player - 1] if player <= len(NAMES) else f"Guest {player}"
        kind: Kind = self.chance.choice(("human", "bot", "house"))
        self.who[player] = (kind, name)
        self._say([ev.PlayerJoined(PlayerInfo(player=player, name=name, kind=kind))])
        self._did(self.match.sit(player))
        return player

    def leave(self, player: int) -> None:
        self._did(self.match.leave(player))

    def add_nonce(self, player: int) -> str:
        self.nonces[player] = self.chance.randbytes(self.chance.randint(1, 32))
        return self.nonces[player].hex()

    def deal(self) -> None:
        """Finds the titles if there are none, and deals."""
        number, nonces = self.match.hands_begun + 1, dict(self.nonces)
        nonces = {p: n for p, n in nonces.items() if p in self.match.order}
        if not self.match.titled:
            how = self.options.first_titles
            self._did(
                self.match.give_titles(
                    *deal.first_titles(how, self.match.order, self._seed, nonces)
                )
            )
        commitment = deal.commitment(TABLE, number, self._seed)
        # HandsDealt comes with the order of the start, whatever an automatic revolution did to it.
        order = tuple(self.match.order)
        events = self.match.start(deal.deck_of(self._seed, nonces), commitment, nonces)
        self.from_match += events
        for event in events:
            self.said.append((event, order))
        self._dealt_seed, self._seed = self._seed, b""

    def move(self, seat: int, move: Move, by: ev.By = "player") -> list[Event]:
        events = self._did(self.match.apply(seat, move, by))
        if self.match.hand is None:
            self.reveal()
        return events

    def reveal(self) -> None:
        """Shows the seed of the hand that is over, and prepares the next."""
        number = self.match.hands_begun
        self.seeds[number] = self._dealt_seed.hex()
        self._say([ev.DealRevealed(number, self.seeds[number])])
        self._prepare()

    def abandon(self, *, reveal: bool = False) -> None:
        self._did(self.match.abandon())
        if reveal:
            self.reveal()
        else:
            self._prepare()

    def restart(self) -> None:
        self._did(self.match.restart())

    def random_move(self) -> None:
        """Somebody whose turn it is does something legal, now and then as a stand-in would."""
        seat = self.chance.choice(self.hand.to_act)
        choices = self.hand.legal(seat)
        if self.chance.random() < 0.3:
            self.move(seat, greedy(self.hand.cards(seat), choices), "standin")
        elif self.chance.random() < 0.1:
            self.move(seat, self.hand.default(seat), "clock")
        else:
            self.move(seat, self.chance.choice(choices))

    def play_out(self) -> None:
        """Plays the hand to its end."""
        while self.match.hand is not None:
            self.random_move()


def evening(players: int, seed: int = 0, **options: str | int) -> Evening:
    """A table with so many players who have sat down."""
    table = Evening(options_from({"seats": max(players, 2), **options}), random.Random(seed))
    for _ in range(players):
        table.sit()
    return table


@st.composite
def table_options(draw: st.DrawFn) -> TableOptions:
    """Any options that make sense together."""
    scoring = draw(st.sampled_from(("titles", "points")))
    revolution = draw(st.sampled_from(("optional", "automatic", "off")))
    ends = ["open", "hands:1", "hands:3"] + (
        ["points:5", "points:30"] if scoring == "points" else []
    )
    greater = ["always", "off"] + (["choice"] if revolution == "optional" else [])
    return options_from(
        {
            "seats": draw(st.integers(2, 10)),
            "first_titles": draw(st.sampled_from(("draw", "random", "order_of_arrival"))),
            "first_hand_taxes": draw(st.sampled_from(("on", "off"))),
            "revolution": revolution,
            "greater_revolution": draw(st.sampled_from(greater)),
            "passing": draw(st.sampled_from(("open", "locked"))),
            "scoring": scoring,
            "match_end": draw(st.sampled_from(ends)),
        }
    )
