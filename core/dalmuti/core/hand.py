"""One hand as a state machine: revolution -> taxes -> tricks -> over (rules.md R, T, P).

The engine knows seats, cards and nothing else: no names, no clock, no chance. `apply` checks first
and changes after, so that a refused move leaves no trace. It is mutable, because copying 80 cards
for each of a hundred moves costs more than everything else here; `copy` gives a branch to search.

    REVOLUTION --all declined--> TAXES --all returned--> TRICKS --one player left--> OVER
         |                        (skipped where none are due)  ^
         +------------------------- somebody called ------------+
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from enum import StrEnum
from operator import sub
from typing import Final, Self

from dalmuti.core import moves
from dalmuti.core.cards import JESTER, Cards, Counts, Play, cards_of, counts_of
from dalmuti.core.events import (
    Act,
    By,
    Due,
    Event,
    Exchange,
    HandsDealt,
    Passed,
    Played,
    Question,
    RevolutionCalled,
    RevolutionClosed,
    RevolutionOpened,
    TaxesDue,
    TaxesExchanged,
    TrickEnded,
    WentOut,
)
from dalmuti.core.moves import Call, Decline, Give, IllegalMove, Move, MoveCode, Pass
from dalmuti.core.options import TableOptions


class Phase(StrEnum):
    """Where a hand is."""

    REVOLUTION = "revolution"
    TAXES = "taxes"
    TRICKS = "tricks"
    OVER = "over"


# Read several times for every move, and looking up a member of an enumeration takes its time.
_TRICKS: Final = Phase.TRICKS


class Hand:
    """The state of one hand. Attributes are for reading; `apply` alone changes them."""

    def __init__(
        self, dealt: Sequence[Cards], options: TableOptions, *, taxes: bool = True
    ) -> None:
        """Begins with everybody's cards by seat; `taxes=False` leaves them out of this hand."""
        self.options = options
        self.dealt = tuple(dealt)
        self.seats = len(dealt)
        self.counts: list[Counts] = [counts_of(cards) for cards in dealt]
        self.sizes = [len(cards) for cards in dealt]
        self.deck = tuple(map(sum, zip(*self.counts, strict=True)))
        self.phase = Phase.REVOLUTION
        self.revolution: RevolutionCalled | None = None
        self.answered: set[int] = set()
        self.dues = taxes_due(self.seats) if taxes else ()
        """Empty when no taxes are due, or as soon as somebody called a revolution."""
        self.gives: dict[int, Give] = {}
        self.exchanges: tuple[Exchange, ...] = ()
        self.turn = 0
        self.top: Play | None = None
        self.owner: int | None = None
        self.passed: set[int] = set()
        self.acts: list[Act] = []
        self.last_acts: tuple[Act, ...] = ()
        self.tricks = 0
        self.finished: list[int] = []
        self._locked = options.passing == "locked"

    def begin(self) -> list[Event]:
        """What happens before anyone decides. Called once."""
        events: list[Event] = [HandsDealt(self.dealt)]
        both = next((s for s, cards in enumerate(self.dealt) if cards.count(JESTER) == 2), None)
        if self.options.revolution == "optional":
            return [*events, RevolutionOpened()]
        if self.options.revolution == "automatic" and both is not None:
            return events + self._call(both, greater=self._may_call(both) == [Call(greater=True)])
        return events + self._taxes()

    def copy(self) -> Self:
        """An independent copy, to try moves on."""
        twin = copy(self)
        twin.counts = [counts[:] for counts in self.counts]
        twin.sizes, twin.acts = self.sizes[:], self.acts[:]
        twin.answered, twin.passed = set(self.answered), set(self.passed)
        twin.gives, twin.finished = dict(self.gives), self.finished[:]
        return twin

    # -- what may be done ---------------------------------------------------------------------

    @property
    def to_act(self) -> tuple[int, ...]:
        """The seats whose decision the hand waits for; empty when it is over."""
        if self.phase is _TRICKS:
            return (self.turn,)
        if self.phase is Phase.REVOLUTION:
            return tuple(seat for seat in range(self.seats) if seat not in self.answered)
        if self.phase is Phase.TAXES:
            return tuple(due.receiver for due in self.dues if due.receiver not in self.gives)
        return ()

    @property
    def question(self) -> Question:
        """What the hand asks `to_act`; meaningless when it is over."""
        if self.phase is Phase.REVOLUTION:
            return "revolution"
        if self.phase is Phase.TAXES:
            return "tax"
        return "lead" if self.top is None else "follow"

    def is_asked(self, seat: int) -> bool:
        """Whether the hand waits for a decision of this seat."""
        if self.phase is _TRICKS:
            return seat == self.turn
        if self.phase is Phase.REVOLUTION:
            return seat in range(self.seats) and seat not in self.answered
        return seat in self.to_act

    def legal(self, seat: int) -> list[Move]:
        """Every legal move of a seat that is to act, weakest set first, passing at the end."""
        if self.phase is _TRICKS and seat == self.turn:
            if self.top is None:
                return [*moves.legal_leads(self.counts[seat])]
            return [*moves.legal_follows(self.counts[seat], self.top), moves.PASS]
        if not self.is_asked(seat):
            return []
        if self.phase is Phase.REVOLUTION:
            return [moves.DECLINE, *self._may_call(seat)]
        return [*moves.legal_gives(self.counts[seat], self._due(seat))]

    def default(self, seat: int) -> Move:
        """What is done for a seat that does not answer (X1)."""
        if self.phase is Phase.REVOLUTION:
            return moves.DECLINE
        if self.phase is Phase.TAXES:
            return moves.default_give(self.counts[seat], self._due(seat))
        return moves.PASS if self.top is not None else moves.default_lead(self.counts[seat])

    def check(self, seat: int, move: Move) -> None:
        """Raises IllegalMove unless `seat` may make this move now."""
        if self.phase is _TRICKS and seat == self.turn:
            if isinstance(move, Play):
                moves.check_play(self.counts[seat], self.top, move)
            elif not isinstance(move, Pass):
                raise IllegalMove(
                    MoveCode.WRONG_PHASE, "play a set or pass; tricks are being played"
                )
            elif self.top is None:
                raise IllegalMove(MoveCode.MUST_LEAD, "you lead this trick and cannot pass")
        elif not self.is_asked(seat):
            raise IllegalMove(MoveCode.NOT_YOUR_TURN, "it is not your turn")
        elif self.phase is Phase.TAXES:
            if not isinstance(move, Give):
                raise IllegalMove(
                    MoveCode.WRONG_PHASE, "choose the cards you give back; taxes are due"
                )
            moves.check_give(self.counts[seat], self._due(seat), move)
        elif isinstance(move, Call):
            self._check_call(seat, move)
        elif not isinstance(move, Decline):
            raise IllegalMove(
                MoveCode.WRONG_PHASE, "call a revolution or decline; nobody plays yet"
            )

    def _check_call(self, seat: int, call: Call) -> None:
        allowed = self._may_call(seat)
        if not allowed:
            raise IllegalMove(
                MoveCode.NO_REVOLUTION, "only a player who was dealt both Jesters may call"
            )
        if call not in allowed:
            raise IllegalMove(
                MoveCode.NO_REVOLUTION, f"here you may {' or '.join(map(str, allowed))}"
            )

    def _may_call(self, seat: int) -> list[Move]:
        """The calls open to a seat by the cards it was dealt and the options (R1, R3, R4)."""
        if self.dealt[seat].count(JESTER) < 2:
            return []
        greater = self.options.greater_revolution
        if seat != self.seats - 1 or greater == "off":
            return [Call()]
        return [Call(greater=True)] if greater == "always" else [Call(), Call(greater=True)]

    # -- what is done -------------------------------------------------------------------------

    def apply(self, seat: int, move: Move, by: By = "player") -> list[Event]:
        """Makes a move and returns what happened; IllegalMove, and no change, if it may not be."""
        self.check(seat, move)
        if isinstance(move, Play):
            return self._play(seat, move, by)
        if isinstance(move, Pass):
            return self._pass(seat, by)
        if isinstance(move, Give):
            return self._give(seat, move)
        if isinstance(move, Call):
            return self._call(seat, move.greater)
        self.answered.add(seat)
        if len(self.answered) < self.seats:
            return []
        return [RevolutionClosed(), *self._taxes()]

    def _call(self, seat: int, greater: bool) -> list[Event]:
        """R3 to R5. After a greater call seat i is what seat n-1-i was; hands stay with players."""
        self.revolution = RevolutionCalled(seat, greater)
        if greater:
            self.dealt = self.dealt[::-1]
            self.counts.reverse()
            self.sizes.reverse()
        self.dues = ()
        self.phase = _TRICKS
        return [self.revolution]

    def _taxes(self) -> list[Event]:
        if not self.dues:
            self.phase = _TRICKS
            return []
        self.phase = Phase.TAXES
        return [TaxesDue(self.dues)]

    def _due(self, receiver: int) -> int:
        return next(due.count for due in self.dues if due.receiver == receiver)

    def _give(self, seat: int, give: Give) -> list[Event]:
        """Keeps the choice sealed; when all have chosen, everything moves at once (T3)."""
        self.gives[seat] = give
        if self.to_act:
            return []
        self.exchanges = tuple(
            Exchange(
                due.payer,
                due.receiver,
                due.count,
                paid=moves.best_cards(self.counts[due.payer], due.count),
                returned=self.gives[due.receiver].cards,
            )
            for due in self.dues
        )
        for exchange in self.exchanges:
            payer, receiver = self.counts[exchange.payer], self.counts[exchange.receiver]
            for rank in exchange.paid or ():
                payer[rank] -= 1
                receiver[rank] += 1
            for rank in exchange.returned or ():
                receiver[rank] -= 1
                payer[rank] += 1
        self.phase = _TRICKS
        return [TaxesExchanged(self.exchanges)]

    def _play(self, seat: int, play: Play, by: By) -> list[Event]:
        hand = self.counts[seat]
        hand[JESTER] -= play.jesters
        if play.rank != JESTER:
            hand[play.rank] -= play.count - play.jesters
        self.sizes[seat] -= play.count
        if self.top is None:
            self.acts = []
        self.acts.append(Act(seat, play))
        self.top, self.owner = play, seat
        if not self._locked:
            self.passed.clear()
        events: list[Event] = [Played(seat, play, self.sizes[seat], by)]
        if not self.sizes[seat]:
            self.finished.append(seat)
            events.append(WentOut(seat, len(self.finished)))
            if len(self.finished) == self.seats - 1:
                return events + self._finish()
        self._next(seat, events)
        return events

    def _pass(self, seat: int, by: By) -> list[Event]:
        self.passed.add(seat)
        self.acts.append(Act(seat))
        events: list[Event] = [Passed(seat, by)]
        self._next(seat, events)
        return events

    def _next(self, seat: int, events: list[Event]) -> None:
        """Moves the turn on from `seat`, or ends the trick: nobody is left to beat it (P2 to P5).

        Whoever sits between the owner and `seat` has passed or has no cards, so that the search
        ends at the owner.
        """
        owner = self.owner
        assert owner is not None
        while True:
            seat = seat + 1 if seat + 1 < self.seats else 0
            if seat == owner:
                break
            if self.sizes[seat] and seat not in self.passed:
                self.turn = seat
                return
        while not self.sizes[seat]:
            seat = (seat + 1) % self.seats
        self._clear_trick()
        self.turn = seat
        events.append(TrickEnded(owner, seat))

    def _clear_trick(self) -> None:
        self.last_acts = tuple(self.acts)
        self.acts = []
        self.top = self.owner = None
        self.passed.clear()
        self.tricks += 1

    def _finish(self) -> list[Event]:
        """One player is left and is last at once (P7)."""
        last = next(seat for seat in range(self.seats) if self.sizes[seat])
        self.finished.append(last)
        self._clear_trick()
        self.phase = Phase.OVER
        return [WentOut(last, self.seats)]

    def played(self) -> tuple[int, ...]:
        """How many cards of each rank have left the hands; entry 0 is 0, entry 13 the Jesters."""
        return tuple(map(sub, self.deck, map(sum, zip(*self.counts, strict=True))))

    def cards(self, seat: int) -> Cards:
        """What a seat holds now, sorted."""
        return cards_of(self.counts[seat])


def taxes_due(seats: int) -> tuple[Due, ...]:
    """Who pays whom at a table of this size (rules.md T1, T5)."""
    greater = Due(seats - 1, 0, 2)
    return (greater, Due(seats - 2, 1, 1)) if seats >= 4 else (greater,)
