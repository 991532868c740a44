"""A match: hands in a row, who sits where, scores, and the end (rules.md F, C, J, P8).

Every input is kept as an entry in `log`, in the order in which it came, and beside it the places
of every hand, which are there to check a record. The record of the match is made of these, and
giving them to a new Match again leads to the same events (`record.replay`). Whoever keeps a long
match may take entries off the log as he likes; the match itself never reads them.
Decks and draws are handed in. Players are numbers; names and connections are the table's business.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from dalmuti.core.cards import Cards, deal
from dalmuti.core.events import (
    By,
    Event,
    HandAbandoned,
    HandEnded,
    HandStarted,
    MatchEnded,
    MatchRestarted,
    Nonce,
    Result,
    RevolutionCalled,
    Score,
    Scored,
    TitlesChanged,
    TitlesDrawn,
    WentOut,
)
from dalmuti.core.hand import Hand, Phase
from dalmuti.core.moves import Move, Pass
from dalmuti.core.options import TableOptions
from dalmuti.core.titles import DrawRound, draw_titles, seat_newcomer

MIN_PLAYERS = 2
_OVER: Final = Phase.OVER  # read for every move, and an enumeration is slow to look up


class Sat(Struct, frozen=True, gc=False, tag="sit"):
    """A player sat down."""

    player: int


class Left(Struct, frozen=True, gc=False, tag="leave"):
    """A player left."""

    player: int


class Returned(Struct, frozen=True, gc=False, tag="back"):
    """A player who left in this hand took his seat back."""

    player: int


class Titled(Struct, frozen=True, gc=False, tag="titles"):
    """The first titles were found."""

    rounds: tuple[DrawRound, ...]
    order: tuple[int, ...]


class Began(Struct, frozen=True, gc=False, tag="hand"):
    """A hand was dealt."""

    hand: int
    order: tuple[int, ...]
    hands: tuple[Cards, ...]
    commitment: str
    nonces: tuple[Nonce, ...]


class Moved(Struct, frozen=True, gc=False, tag="move"):
    """A seat moved."""

    seat: int
    move: Move
    by: By


class Ended(Struct, frozen=True, gc=False, tag="places"):
    """The hand is over: the players in the order of their places. No input, but what came of it."""

    places: tuple[int, ...]


class Abandoned(Struct, frozen=True, gc=False, tag="abandon"):
    """The hand was given up."""


class Restarted(Struct, frozen=True, gc=False, tag="restart"):
    """A new match began with the same players."""


Entry = Sat | Left | Returned | Titled | Began | Moved | Ended | Abandoned | Restarted
State = Literal["waiting", "hand", "between", "over"]


class MatchError(ValueError):
    """Something was asked that does not fit the state of the match, such as a deal in a hand."""


class Match:
    """The state of one match. Attributes are for reading; the methods alone change them."""

    def __init__(self, options: TableOptions) -> None:
        self.options = options
        self.order: list[int] = []
        """The players in the hand by seat; between hands, as they will sit in the next."""
        self.newcomers: list[int] = []
        self.leavers: set[int] = set()
        self.hand: Hand | None = None
        self.state: State = "waiting"
        self.hands_begun = 0
        self.hands_played = 0
        self.titled = False
        self.draw: TitlesDrawn | None = None
        self.scores: dict[int, Score] = {}
        self.started: HandStarted | None = None
        self.result: HandEnded | None = None
        self.log: list[Entry] = []
        self._played_out: set[int] = set()

    # -- who sits here ------------------------------------------------------------------------

    @property
    def players(self) -> list[int]:
        """Everybody who will sit in the next hand, newcomers last."""
        return [p for p in self.order if p not in self.leavers] + self.newcomers

    @property
    def full(self) -> bool:
        """Whether every seat is taken; one that was left in this hand is, until its end (J3)."""
        return len(self.order) + len(self.newcomers) >= self.options.seats

    def seat_of(self, player: int) -> int | None:
        """The seat of a player in the hand that is being played."""
        return self.order.index(player) if self.hand and player in self.order else None

    def sit(self, player: int) -> list[Event]:
        """Seats a player: now, or after the hand as the lowest Merchant (J1).

        Raises MatchError when the table is full or the player sits already.
        """
        if player in self.order or player in self.newcomers:
            raise MatchError(f"player {player} sits here already")
        if self.full:
            raise MatchError("the table is full")
        self.log.append(Sat(player))
        self.newcomers.append(player)
        return [] if self.state == "hand" else self._seat_newcomers()

    def leave(self, player: int) -> list[Event]:
        """Frees a seat: now, or after the hand, which the stand-in plays to its end (J2, J3)."""
        if player not in self.players:
            raise MatchError(f"player {player} does not sit here")
        self.log.append(Left(player))
        if player in self.newcomers:
            self.newcomers.remove(player)
            return []
        if self.state == "hand":
            self.leavers.add(player)
            return []
        self.order.remove(player)
        return [TitlesChanged(tuple(self.order))]

    def come_back(self, player: int) -> None:
        """Gives a seat that was left in this hand back to its player (J3)."""
        if player not in self.leavers:
            raise MatchError(f"player {player} has not left")
        self.log.append(Returned(player))
        self.leavers.remove(player)

    def _seat_newcomers(self) -> list[Event]:
        """J1. Before the first titles there is no Merchant yet: newcomers sit down at the end."""
        for player in self.newcomers:
            if self.titled:
                self.order = seat_newcomer(self.order, player)
            else:
                self.order.append(player)
        self.newcomers.clear()
        return [TitlesChanged(tuple(self.order))]

    # -- from the titles to the end of a hand ----------------------------------------------------

    def find_titles(self, deck: Sequence[int]) -> list[Event]:
        """Finds the first titles by drawing from a shuffled deck (F1, F2)."""
        rounds, order = draw_titles(self.order, deck)
        return self.give_titles(tuple(rounds), tuple(order))

    def give_titles(self, rounds: tuple[DrawRound, ...], order: tuple[int, ...]) -> list[Event]:
        """Takes the first titles as found elsewhere: at random, by arrival, or in a record."""
        if self.titled:
            raise MatchError("the first titles have been found already")
        if sorted(order) != sorted(self.order):
            raise MatchError("these are not the titles of the players who wait for a hand")
        self.log.append(Titled(rounds, order))
        self.titled = True
        self.order = list(order)
        self.draw = TitlesDrawn(rounds, order)
        return [self.draw]

    def start(
        self, deck: Sequence[int], commitment: str = "", nonces: Mapping[int, bytes] | None = None
    ) -> list[Event]:
        """Deals a hand (D2). Raises MatchError in a hand, after the match, or with one player."""
        if self.state in ("hand", "over"):
            raise MatchError(f"no hand can be dealt now: the match is in state {self.state!r}")
        if len(self.order) < MIN_PLAYERS:
            raise MatchError(f"a hand needs {MIN_PLAYERS} players, here sits {len(self.order)}")
        self.titled = True
        self.hands_begun += 1
        hands = tuple(deal(deck, len(self.order)))
        added = tuple(Nonce(player, n.hex()) for player, n in sorted((nonces or {}).items()))
        self.scores = {p: score for p, score in self.scores.items() if p in self.order}
        started = HandStarted(self.hands_begun, tuple(self.order), commitment, added)
        self.log.append(Began(self.hands_begun, started.order, hands, commitment, added))
        first = self.hands_played == 0
        taxes = not first or self.options.first_hand_taxes == "on"
        self.started = started
        self.hand = Hand(hands, self.options, taxes=taxes)
        self.state = "hand"
        self.result = None
        self._played_out.clear()
        return [started, *self._note(self.hand.begin())]

    def apply(self, seat: int, move: Move, by: By = "player") -> list[Event]:
        """Makes a move in the hand; IllegalMove, and no change, if the rules refuse it."""
        hand = self.hand
        if hand is None:
            raise MatchError("no hand is being played")
        events = hand.apply(seat, move, by)
        self.log.append(Moved(seat, move, by))
        if type(move) is not Pass:  # which is most moves, and nothing to note
            self._note(events)
        if hand.phase is _OVER:
            events += self._end_hand(hand)
        return events

    def _note(self, events: list[Event]) -> list[Event]:
        for event in events:
            # Most are plays and passes, and this is done for every move: hence no isinstance.
            if type(event) is WentOut and self.order[event.seat] not in self.leavers:
                self._played_out.add(event.seat)
            elif type(event) is RevolutionCalled and event.greater:
                self.order.reverse()
        return events

    def _end_hand(self, hand: Hand) -> list[Event]:
        """Places, scores, next seating (P7, P8, C1, C2, J3)."""
        self.hands_played += 1
        points = self.options.scoring == "points"
        places = tuple(
            Result(
                seat,
                self.order[seat],
                points=hand.seats - place if points and seat in self._played_out else 0,
                standin=seat not in self._played_out,
            )
            for place, seat in enumerate(hand.finished, start=1)
        )
        for place, line in enumerate(places, start=1):
            if not line.standin:
                old = self.scores.get(line.player, Score(line.player))
                self.scores[line.player] = replace(
                    old, points=old.points + line.points, hands_won=old.hands_won + (place == 1)
                )
        self.result = HandEnded(self.hands_begun, places)
        self.scores = {score.player: score for score in self.standings()}
        self.order = [line.player for line in places]
        self.log.append(Ended(tuple(self.order)))
        events: list[Event] = [self.result, Scored(self.standings())]
        if self._is_over():
            self.state = "over"
            events.append(MatchEnded(self.standings(), self.winners()))
        else:
            self.state = "between"
        return events + self._clear_hand()

    def _clear_hand(self) -> list[Event]:
        self.hand = None
        self.order = [player for player in self.order if player not in self.leavers]
        self.leavers.clear()
        return self._seat_newcomers()

    def abandon(self) -> list[Event]:
        """Ends the hand without a result; it scores nothing (C3).

        Titles that a Greater Revolution had turned round are as before, since they last for the
        hand (R4), and this one counts for nothing.
        """
        if self.hand is None:
            raise MatchError("no hand is being played")
        self.log.append(Abandoned())
        if self.hand.revolution is not None and self.hand.revolution.greater:
            self.order.reverse()
        self.state = "between"
        return [HandAbandoned(self.hands_begun), *self._clear_hand()]

    # -- scores -------------------------------------------------------------------------------

    def standings(self) -> tuple[Score, ...]:
        """All scores, best first: points, then first places, then the last hand (C2)."""
        last = {line.player: n for n, line in enumerate(self.result.places if self.result else ())}
        return tuple(
            sorted(  # stable: while the next hand is played, the order of the last one stands
                self.scores.values(),
                key=lambda s: (-s.points, -s.hands_won, last.get(s.player, 99)),
            )
        )

    def winners(self) -> tuple[int, ...]:
        """Who has the best score: points, or hands won where titles alone count (C1, C2)."""
        points = self.options.scoring == "points"
        score = {s.player: s.points if points else s.hands_won for s in self.standings()}
        best = max(score.values(), default=0)
        return tuple(player for player, value in score.items() if value == best)

    def _is_over(self) -> bool:
        if self.options.end_after_hands is not None:
            return self.hands_played >= self.options.end_after_hands
        goal = self.options.end_at_points
        return goal is not None and any(score.points >= goal for score in self.scores.values())

    def restart(self) -> list[Event]:
        """Begins a new match with the same players: scores and titles are gone."""
        if self.state != "over":
            raise MatchError("the match is not over")
        self.log.append(Restarted())
        self.scores.clear()
        self.hands_played = 0
        self.titled = False
        self.draw = None
        self.result = None
        self.state = "waiting"
        return [MatchRestarted()]
