"""The tricks of a hand once more, for search and training: some ten times as fast as `hand`.

    position = Position.seen(view.hand, guess(view.hand, chance.random), view.options)
    position.step(decision.choices[0])
    order = position.greedy_playout()        # seats, first out first

`hand` is the law, and this its shorthand: it trusts what it is given, tells nothing of what
happens, and knows no revolution and no taxes. tools/differential.py holds it to `hand`, move by
move, over any number of random hands.

It is fast, and ugly, because of how the cards are kept. `rows[n][seat]` is a mask of the ranks of
which the seat has at least n natural cards, rank r being bit r-1; bit 12 says in every row that the
seat has a Jester. Who can follow a set of n is thus found by one look and one AND; most seats
cannot, and that is half of all moves. `ask` are the seats that may still beat the set on the table,
in turn. A playout keeps all of it in local names, and makes no object for a move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from operator import sub
from typing import Final, Self

from dalmuti.core.cards import DECK, JESTER, LARGEST_SET, Counts, Play, counts_of
from dalmuti.core.hand import Hand, Phase
from dalmuti.core.moves import PASS, Move, Pass, legal_follows, legal_leads
from dalmuti.core.options import TableOptions
from dalmuti.core.views import HandView

Chance = Callable[[], float]
"""Numbers from 0 up to 1, such as `random.Random(seed).random`."""

_WIDTH: Final = 14
"""Entries of one seat in the flat list of counts, as in `Counts`."""
_NATURALS: Final = 0xFFF
_HAS_JESTER: Final = 1 << 12
_BIT: Final = (0, *(1 << (rank - 1) for rank in range(1, JESTER)))
_BELOW: Final = (0, *((1 << (rank - 1)) - 1 | _HAS_JESTER for rank in range(1, JESTER + 1)))
"""By the rank on the table: the ranks that beat it, and the bit of the Jester."""
_WORST: Final = tuple(mask.bit_length() for mask in range(1 << 12))
_RANKS: Final = tuple(
    tuple(rank for rank in range(12, 0, -1) if mask & _BIT[rank]) for mask in range(1 << 12)
)
"""The ranks in a mask, worst first."""
_CHOICES: Final = tuple((*ranks, 0) for ranks in _RANKS)
"""The same, and 0 for a pass."""
_FULL: Final = counts_of(DECK)


@cache
def _after(seats: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """By the mask of seats with cards, and a seat: the others that have cards, in turn after it."""
    return tuple(
        tuple(
            tuple(other for other in (*range(seat + 1, seats), *range(seat)) if alive >> other & 1)
            for seat in range(seats)
        )
        for alive in range(1 << seats)
    )


class Position:
    """Where the tricks of a hand stand, with everybody's cards.

    Seats are as in `Hand`; `rank` and `count` are the set on the table, 0 before a lead; `owner`
    played it. `finished` are the seats without cards, first out first, and the last seat too when
    the hand is over.
    """

    __slots__ = (
        "ask",
        "count",
        "counts",
        "finished",
        "locked",
        "owner",
        "rank",
        "rows",
        "seats",
        "sizes",
    )

    def __init__(
        self,
        hands: Sequence[Sequence[int]],
        turn: int,
        *,
        top: Play | None = None,
        owner: int = 0,
        passed: Iterable[int] = (),
        finished: Iterable[int] = (),
        locked: bool = False,
    ) -> None:
        """A position from the cards of every seat as `Counts`, of which at least two have some.

        `turn` leads, or must beat `top`, which `owner` played and which `passed` do not beat any
        more: since it was played, or in this trick with `locked` passing (rules.md P3).
        """
        seats = len(hands)
        self.seats = seats
        self.locked = locked
        self.counts = [number for counts in hands for number in counts]
        self.sizes = [sum(counts) for counts in hands]
        wild = [_HAS_JESTER if counts[JESTER] else 0 for counts in hands]
        self.rows = [wild[:] for _ in range(LARGEST_SET + 1)]
        for seat, counts in enumerate(hands):
            for bit, number in zip(_BIT, counts, strict=False):  # Jesters have none
                while number:
                    self.rows[number][seat] |= bit
                    number -= 1
        self.finished = list(finished)
        self.rank = self.count = 0
        self.owner = turn
        self.ask: tuple[int, ...] = ()
        if top is not None:
            self.rank, self.count, self.owner = top.rank, top.count, owner
            out = {*passed, owner}
            order = (*range(turn, seats), *range(turn))
            self.ask = tuple(s for s in order if self.sizes[s] and s not in out)

    @classmethod
    def of(cls, hand: Hand) -> Self:
        """The position of a hand in its tricks. Raises ValueError in another phase."""
        if hand.phase is not Phase.TRICKS:
            raise ValueError(f"expected a hand in its tricks, found the phase {hand.phase.value}")
        return cls(
            hand.counts,
            hand.turn,
            top=hand.top,
            owner=hand.owner or 0,
            passed=hand.passed,
            finished=hand.finished,
            locked=hand.options.passing == "locked",
        )

    @classmethod
    def seen(cls, view: HandView, hands: Sequence[Sequence[int]], options: TableOptions) -> Self:
        """What a player sees, with `hands` guessed for what he does not (see `guess`).

        Raises ValueError where no trick is being played.
        """
        if view.phase != "tricks" or view.turn is None:
            raise ValueError(f"expected somebody's turn in the tricks, found phase {view.phase}")
        return cls(
            hands,
            view.turn.seats[0],
            top=view.trick.top,
            owner=view.trick.owner or 0,
            passed=view.trick.passed,
            finished=view.finished,
            locked=options.passing == "locked",
        )

    @classmethod
    def deal(cls, seats: int, chance: Chance, *, locked: bool = False) -> Self:
        """A fresh hand without taxes, by chance; seat 0 leads."""
        deck = sorted(DECK, key=lambda card: chance())
        return cls([counts_of(deck[seat::seats]) for seat in range(seats)], 0, locked=locked)

    def copy(self) -> Self:
        """An independent copy, to try moves on."""
        twin = object.__new__(type(self))
        twin.seats, twin.locked = self.seats, self.locked
        twin.rank, twin.count, twin.owner, twin.ask = self.rank, self.count, self.owner, self.ask
        twin.rows = [row[:] for row in self.rows]
        twin.counts, twin.sizes = self.counts[:], self.sizes[:]
        twin.finished = self.finished[:]
        return twin

    @property
    def turn(self) -> int:
        """Whose turn it is. Meaningless when the hand is over."""
        return self.ask[0] if self.rank else self.owner

    @property
    def over(self) -> bool:
        """Whether only one seat has cards left, or none."""
        return len(self.finished) == self.seats

    def cards(self, seat: int) -> Counts:
        """How many cards of each rank a seat has."""
        return self.counts[seat * _WIDTH : (seat + 1) * _WIDTH]

    def legal(self) -> list[Move]:
        """Every legal move of `turn`, in the order of `Hand.legal`."""
        cards = self.cards(self.turn)
        if not self.rank:
            return [*legal_leads(cards)]
        return [*legal_follows(cards, Play(self.rank, self.count)), PASS]

    def step(self, move: Move) -> None:
        """Makes a legal move of `turn`. Whether it is legal is not checked.

        Raises ValueError for what is neither a play nor a pass: it belongs to no trick.
        """
        if isinstance(move, Play):
            self._play(self.turn, move)
        elif isinstance(move, Pass):
            self.ask = self.ask[1:]
        else:
            raise ValueError(f"expected a play or a pass, found {move}")
        if self.rank and not self.ask and not self.over:
            alive = _after(self.seats)[self._alive()]
            self.owner = self.owner if self.sizes[self.owner] else alive[self.owner][0]
            self.rank = self.count = 0

    def _play(self, seat: int, play: Play) -> None:
        rank, jesters, naturals = play.rank, play.jesters, play.naturals
        if naturals:
            place = seat * _WIDTH + rank
            held = self.counts[place]
            self.counts[place] = held - naturals
            for row in self.rows[held - naturals + 1 : held + 1]:
                row[seat] ^= _BIT[rank]
        if jesters:
            place = seat * _WIDTH + JESTER
            self.counts[place] -= jesters
            if not self.counts[place]:
                for row in self.rows:
                    row[seat] &= _NATURALS
        self.sizes[seat] -= play.count
        if not self.sizes[seat]:
            self.finished.append(seat)
            if len(self.finished) == self.seats - 1:
                self.finished += [s for s in range(self.seats) if self.sizes[s]]
        follows, before = self.rank > 0, self.owner
        self.rank, self.count, self.owner = rank, play.count, seat
        if self.locked and follows:
            self.ask = self.ask[1:] + ((before,) if self.sizes[before] else ())
        else:
            self.ask = _after(self.seats)[self._alive()][seat]

    def _alive(self) -> int:
        return sum(1 << seat for seat in range(self.seats) if self.sizes[seat])

    # -- playouts -----------------------------------------------------------------------------

    def random_playout(self, chance: Chance) -> list[int]:
        """The seats in the order in which they finish when everybody moves by chance.

        Every legal move is as likely as another: it is the one at `int(chance() * number)` in the
        order of `legal`. Where there is but one, no number is drawn. The position stays as it is.
        """
        return self._playout(chance)

    def greedy_playout(self) -> list[int]:
        """The seats in the order in which they finish when all play as `policy.greedy`."""
        return self._playout(None)

    def _playout(self, chance: Chance | None) -> list[int]:
        """By chance, or greedily without; one long function, since calls would be half the time."""
        after, is_open, finished = _after(self.seats), not self.locked, self.finished[:]
        rows, counts, sizes = [row[:] for row in self.rows], self.counts[:], self.sizes[:]
        rank, count, owner, ask = self.rank, self.count, self.owner, self.ask
        alive, last = self._alive(), self.seats - 1
        over = len(finished) >= last
        while not over:
            asks_all = is_open or not rank
            if rank:
                row, below = rows[count], _BELOW[rank]
                for seat in ask:
                    mask = row[seat] & below
                    if not mask:
                        continue
                    if mask < _HAS_JESTER:
                        if chance is None:
                            rank, wild = _WORST[mask], 0
                            break
                        ranks = _CHOICES[mask]
                        pick = ranks[int(chance() * len(ranks))]
                        if pick:
                            rank, wild = pick, 0
                            break
                    elif chance is None and mask & _NATURALS:
                        rank, wild = _WORST[mask & _NATURALS], 0
                        break
                    elif sets := _sets(counts, seat, rank, count):
                        if chance is None:
                            rank, wild = min(sets, key=_greedily)
                            break
                        choice = int(chance() * (len(sets) + 1))
                        if choice < len(sets):
                            rank, wild = sets[choice]
                            break
                else:
                    if not sizes[owner]:
                        owner = after[alive][owner][0]
                    rank = 0
                    continue
            else:
                seat = owner
                place = seat * _WIDTH
                held, mask = counts[place + JESTER], rows[1][seat] & _NATURALS
                if chance is None:
                    rank = _WORST[mask]
                    count = counts[place + rank]
                    wild = held if count + held == sizes[seat] else 0
                    count += wild
                    rank = rank or JESTER
                else:
                    number = (sizes[seat] - held) * (held + 1) + held
                    choice = int(chance() * number) if number > 1 else 0
                    if choice < held:
                        rank = JESTER
                        count = wild = choice + 1
                    else:
                        choice -= held
                        for rank in _RANKS[mask]:
                            have = counts[place + rank]
                            if choice < have * (held + 1):
                                break
                            choice -= have * (held + 1)
                        wild, choice = divmod(choice, have)
                        count = choice + 1 + wild
            naturals = count - wild
            if naturals:
                place = seat * _WIDTH + rank
                have, bit = counts[place], _BIT[rank]
                counts[place] = have - naturals
                if naturals == 1:
                    rows[have][seat] ^= bit
                else:
                    for row in rows[have - naturals + 1 : have + 1]:
                        row[seat] ^= bit
            if wild:
                place = seat * _WIDTH + JESTER
                counts[place] -= wild
                if not counts[place]:
                    for row in rows:
                        row[seat] &= _NATURALS
            sizes[seat] -= count
            if not sizes[seat]:
                finished.append(seat)
                alive ^= 1 << seat
                over = len(finished) == last
            if asks_all:
                ask = after[alive][seat]
            else:
                ask = ask[ask.index(seat) + 1 :] + ((owner,) if sizes[owner] else ())
            owner = seat
        if last == len(finished):
            finished += [seat for seat in range(self.seats) if sizes[seat]]
        return finished


def _sets(counts: Sequence[int], seat: int, top: int, size: int) -> list[tuple[int, int]]:
    """What somebody with a Jester may follow with, as (rank, Jesters), in the order of `legal`."""
    place = seat * _WIDTH
    held = counts[place + JESTER]
    return [
        (rank, wild)
        for rank in range(top - 1, 0, -1)
        if (naturals := counts[place + rank]) and naturals + held >= size
        for wild in range(max(0, size - naturals), min(held, size - 1) + 1)
    ]


def _greedily(choice: tuple[int, int]) -> tuple[int, int]:
    """The fewest Jesters, then the worst rank."""
    return choice[1], -choice[0]


def guess(view: HandView, chance: Chance) -> list[Counts]:
    """Cards for every seat that fit what the player of `view` sees: his own, the others by chance.

    What was not played and is not his is dealt out, as many cards to each as he has left; who
    passed on what is not weighed. Raises ValueError for the view of a spectator.
    """
    if view.cards is None or view.seat is None:
        raise ValueError("expected the view of a player, found that of a spectator")
    own = counts_of(view.cards)
    unseen = map(sub, map(sub, _FULL, view.played), own)
    cards = sorted(
        (rank for rank, number in enumerate(unseen) for _ in range(number)),
        key=lambda card: chance(),
    )
    hands = []
    for seat, size in enumerate(view.sizes):
        if seat == view.seat:
            hands.append(own)
        else:
            hands.append(counts_of(cards[:size]))
            del cards[:size]
    return hands
