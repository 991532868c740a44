"""One item played over `core`: no server, no connection, the same calls of the same bots.

A bot sees what it would see over TCP; a test compares both, view by view. For a bot that listens to
events that is folded from them, as its client would do it. For all others it is made from the state
of the engine, and only where there is something to decide, since that is most of the work here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from msgspec.structs import replace

from dalmuti.client.arena.plan import HOST, Item, Outcome, Setup, clock_ms, digest
from dalmuti.client.arena.seats import Seated
from dalmuti.client.fold import fold
from dalmuti.core import deal
from dalmuti.core.cards import JESTER, Play
from dalmuti.core.events import (
    DealRevealed,
    Event,
    HandEnded,
    HandPrepared,
    HandStarted,
    PlayerJoined,
    Question,
    RevolutionCalled,
    Turn,
)
from dalmuti.core.hand import Hand, Phase
from dalmuti.core.match import Entry, Match
from dalmuti.core.moves import PASS, Call, Move
from dalmuti.core.views import NO_TRICK, TableView, TrickView, see, view_hand, view_table
from dalmuti.protocol.messages import Decision


def play(setup: Setup, item: Item, seats: Sequence[Seated]) -> tuple[Outcome, list[Entry]]:
    """Plays an item with the bots of its line-up; also gives the log, for a transcript."""
    table = Table(setup, item, seats)
    places = tuple(table.hand(number) for number in range(1, setup.hands + 1))
    log = table.match.log
    outcome = Outcome(
        index=item.index,
        places=places,
        tallies=tuple(seat.close() for seat in seats),
        moves=digest(log),
        turns=table.moves,
    )
    return outcome, log


class Table:
    """A table that plays one item. Player number n is `seats[n - 1]` throughout."""

    def __init__(self, setup: Setup, item: Item, seats: Sequence[Seated]) -> None:
        self.match = Match(setup.options)
        self.moves = 0
        self._item, self._seats = item, seats
        self._players = item.players()
        self._decisions = 0
        self._turn_ms = clock_ms(setup.options, Phase.TRICKS)
        self._window_ms = clock_ms(setup.options, Phase.REVOLUTION)
        self._commitment = self._commit(1)
        self._played = [0] * 14
        self._seen: dict[int, TableView] = {}
        """What a player saw when he was last asked in this hand, to be brought up to date."""
        self._heard: dict[int, TableView] = {}
        """What players see who listen to events."""
        self._seating: tuple[int, ...] = ()
        for player in self._players:
            events = [PlayerJoined(player), *self.match.sit(player.player)]
            self._tell(events)
            if seats[player.player - 1].listens:
                self._heard[player.player] = self._look(player.player)

    # -- from deal to result -------------------------------------------------------------------

    def hand(self, number: int) -> tuple[int, ...]:
        """Plays hand `number`; returns the indices in `seats`, the first out first."""
        match, seed = self.match, _seed(self._item.number, number)
        if not match.titled:
            how = match.options.first_titles
            self._tell(match.give_titles(*deal.first_titles(how, match.order, seed, {})))
        self._played = [0] * 14
        self._seen.clear()
        commitment, self._commitment = self._commitment, ""
        self._tell(match.start(_deck(self._item.number, number), commitment))
        assert match.hand is not None
        if match.hand.phase is Phase.REVOLUTION:
            self._revolution(match.hand)
        if match.hand is not None and match.hand.phase is Phase.TAXES:
            self._taxes(match.hand)
        self._seen.clear()
        self._tricks(match.hand)
        self._commitment = self._commit(number + 1)
        self._tell([DealRevealed(number, seed.hex()), HandPrepared(number + 1, self._commitment)])
        assert match.result is not None
        return tuple(line.player - 1 for line in match.result.places)

    def _revolution(self, hand: Hand) -> None:
        """Only who was dealt both Jesters has a choice; a call ends the window (R2, R5)."""
        seats = hand.to_act
        turn = self._ask("revolution", seats)
        for seat in seats:
            choices = hand.legal(seat)
            if len(choices) > 1:
                move = self._decide(hand, seat, turn, choices)
                if isinstance(move, Call):
                    self._apply(seat, move)
                    return
        for seat in seats:
            self._apply(seat, hand.default(seat))

    def _taxes(self, hand: Hand) -> None:
        """All choose before anything moves (T3)."""
        seats = hand.to_act
        turn = self._ask("tax", seats)
        for seat in seats:
            choices = hand.legal(seat)
            move = choices[0] if len(choices) == 1 else self._decide(hand, seat, turn, choices)
            self._apply(seat, move)

    def _tricks(self, hand: Hand) -> None:
        """The tricks. Most turns are passes of somebody who has no choice: those are quick."""
        match, played, counts = self.match, self._played, hand.counts
        tricks, heard = Phase.TRICKS, bool(self._heard)
        while hand.phase is tricks:
            seat, top = hand.turn, hand.top
            self.moves += 1
            turn = self._ask("lead" if top is None else "follow", (seat,)) if heard else None
            if top is not None and not _can_follow(counts[seat], top):
                events = match.apply(seat, PASS)
            else:
                choices = hand.legal(seat)
                move = choices[0] if len(choices) == 1 else None
                if move is None:
                    move = self._decide(hand, seat, turn, choices)
                events = match.apply(seat, move)
                if isinstance(move, Play):
                    played[JESTER] += move.jesters
                    if move.rank != JESTER:
                        played[move.rank] += move.count - move.jesters
            if heard:
                self._tell(events)
            else:
                self._decisions += 1

    def _apply(self, seat: int, move: Move) -> None:
        self.moves += 1
        self._tell(self.match.apply(seat, move))

    # -- what is asked, and what is seen -----------------------------------------------------------

    def _ask(self, kind: Question, seats: tuple[int, ...]) -> Turn:
        """Says whose turn it is."""
        turn = self._turn(kind, seats)
        self._decisions += 1
        self._tell([turn])
        return turn

    def _turn(self, kind: Question, seats: tuple[int, ...]) -> Turn:
        """The next turn, which is not counted yet."""
        ms = self._window_ms if kind == "revolution" else self._turn_ms
        return Turn(kind, seats, self._decisions + 1, ms)

    def _decide(self, hand: Hand, seat: int, turn: Turn | None, choices: list[Move]) -> Move:
        """What a bot chooses that has a choice."""
        if turn is None:
            turn = self._turn(hand.question, (seat,))
        player = self.match.order[seat]
        decision = Decision(
            decision=turn.decision,
            kind=turn.kind,
            choices=tuple(choices),
            default=PASS if turn.kind == "follow" else hand.default(seat),
            ms=turn.ms,
        )
        view = self._heard.get(player) or self._see(hand, seat, player, turn)
        return self._seats[player - 1].choose(view, decision)

    def _see(self, hand: Hand, seat: int, player: int, turn: Turn) -> TableView:
        """The table as `player` sees it: as he saw it last, with what may have changed since."""
        before = self._seen.get(player)
        if before is None or before.hand is None or turn.kind in ("revolution", "tax"):
            view = self._look(player, turn)
        else:
            passed, trick = hand.passed, NO_TRICK
            if hand.top is not None:
                passing = tuple(sorted(passed)) if passed else ()
                trick = TrickView(hand.top, hand.owner, passing, tuple(hand.acts))
            now = replace(
                before.hand,
                sizes=tuple(hand.sizes),
                cards=hand.cards(seat),
                trick=trick,
                last_trick=hand.last_acts,
                tricks=hand.tricks,
                played=tuple(self._played),
                finished=tuple(hand.finished),
                turn=turn,
            )
            view = replace(before, hand=now)
        self._seen[player] = view
        return view

    def _look(self, player: int, turn: Turn | None = None) -> TableView:
        """The table as `player` sees it, as the server makes it."""
        match = self.match
        base = next(iter(self._seen.values()), None)
        if base is not None and match.hand is not None:
            return replace(base, you=player, hand=view_hand(match, match.hand, player, turn))
        return view_table(
            match,
            table=self._item.table,
            players=self._players[: len(match.players)],
            you=player,
            watchers=(HOST,),
            turn=turn,
            fair=False,
            next_commitment=self._commitment,
        )

    def _tell(self, events: Sequence[Event]) -> None:
        """Tells the bots that listen, each event with the table after it."""
        if not self._heard:
            return
        for event in events:
            if isinstance(event, HandStarted):
                self._seating = event.order
            for player, before in self._heard.items():
                seat = self._seating.index(player) if player in self._seating else None
                seen = see(event, seat)
                view = fold(before, seen)
                if view is not before:
                    self._heard[player] = view
                    self._seats[player - 1].tell(view, seen)
            if isinstance(event, RevolutionCalled) and event.greater:
                self._seating = self._seating[::-1]
            elif isinstance(event, HandEnded):
                self._seating = ()

    def _commit(self, hand: int) -> str:
        return deal.commitment(self._item.table, hand, _seed(self._item.number, hand))


def _can_follow(counts: list[int], top: Play) -> bool:
    """Whether any set of this hand beats `top`: it has one natural card at least (S3)."""
    naturals = top.count - counts[JESTER]
    return max(counts[: top.rank]) >= (naturals if naturals > 0 else 1)


@lru_cache(maxsize=256)
def _seed(number: int, hand: int) -> bytes:
    return deal.fixed_seed(number, hand)


@lru_cache(maxsize=256)
def _deck(number: int, hand: int) -> tuple[int, ...]:
    """The deck of a deal, which several items in a row have in common."""
    return tuple(deal.deck_of(_seed(number, hand), {}))
