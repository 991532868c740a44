"""The house bot `expert`: it plays what a small network, trained by self-play, finds best.

The network tells how many of the places that are still open a position is worth, right after a
choice; the bot looks at the position after each choice and takes the best. It uses what its own
view tells and no more: its cards, what was played, how many cards each of the others has, and the
trick. A second network values hands before the tricks: with it a Dalmuti finds what to give back,
and whoever was dealt both Jesters whether to call. docs/bots.md tells how the two were made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Final, TypeVar

from dalmuti.client.bot import Bot
from dalmuti.client.bots.layout import (
    DEAL,
    KEPT,
    NO_TAXES,
    SPANS,
    TAXES,
    TRICKS,
    Trait,
    place,
)
from dalmuti.client.bots.network import Network, unpack
from dalmuti.core.cards import DECK, JESTER, LARGEST_SET, Counts, Play, counts_of
from dalmuti.core.moves import Call, Give, Move, Pass
from dalmuti.core.options import TableOptions
from dalmuti.core.views import HandView, TableView
from dalmuti.protocol.messages import Choice, Decision

WEIGHTS: Final = "expert-v1.weights"
DECK_COUNTS: Final = counts_of(DECK)
NATURALS: Final = range(1, JESTER)
TOPS: Final = [trait.top for trait in TRICKS]

T = TypeVar("T")
Described = list[tuple[int, int]]
"""Some traits: the place of each, and its value; those that are left out are 0."""


def _block(traits: Sequence[Trait], *names: str) -> tuple[int, ...]:
    found = tuple(place(traits, name) for name in names)
    assert all(b == a + 1 for a, b in pairwise(found))
    return found


REACH: Final = place(TRICKS, "reach 1")
CARDS: Final = place(TRICKS, "cards 1")
ACT: Final = place(TRICKS, "act 1")
OTHERS, LOCKED = _block(TRICKS, "others", "locked")
ROLE: Final = place(TRICKS, "role 1")
HELD: Final = place(TRICKS, "held 1")
SAFE: Final = place(TRICKS, "safe 2")
LEFT, GROUPS, WINNERS, LOSERS = _block(TRICKS, "left", "groups", "winners", "losers")
OWN_RANK, OWN_SIZE, OWN_HOW = _block(TRICKS, "own rank", "own size", "own how")
BEATERS, FIRM, HOLDERS, SURE = _block(TRICKS, "beaters", "firm beaters", "holders", "sure")
THEIR_RANK, THEIR_SIZE = _block(TRICKS, "their rank", "their size")
TO_COME, HEIR, OWNER_OUT = _block(TRICKS, "to come", "heir", "owner out")
FROM_TOP, FROM_BOTTOM, SEATS, STAGE = _block(
    DEAL, "from the top", "from the bottom", "seats", "stage"
)


@cache
def networks() -> dict[str, Network]:
    """The networks of this package, read once. Raises WeightsError when they are damaged.

    There is no other bot to fall back to: who asked for the expert is told that it is not there.
    """
    return unpack(files("dalmuti.client.bots").joinpath(WEIGHTS).read_bytes())


class ExpertBot(Bot):
    """The strongest house bot."""

    def __init__(self) -> None:
        made = networks()
        self.tricks, self.deal = made["tricks"], made["deal"]

    def decide(self, view: TableView, decision: Decision) -> Choice:
        hand = view.hand
        assert hand is not None and hand.cards is not None and hand.seat is not None
        if decision.kind == "tax":
            return self._give(hand, [c for c in decision.choices if isinstance(c, Give)])
        if decision.kind == "revolution":
            return self._rise(view, hand, decision.choices)
        for choice in decision.choices:
            if isinstance(choice, Play) and choice.count == len(hand.cards):
                return choice  # nobody can do better than to be out
        sight = Sight(hand, view.options)
        return _best([(value, choice) for choice, value in self.values(sight, decision.choices)])

    def values(self, sight: Sight, choices: Sequence[Move]) -> Iterator[tuple[Move, int]]:
        """What each sensible choice of a trick is worth; none of them empties the hand."""
        network = self.tricks
        common = network.start(sight.always())
        playing: list[int] | None = None
        for choice in sensible(sight.counts, choices):
            if isinstance(choice, Play):
                if playing is None:
                    playing = network.add(common, sight.roles_playing())
                sums = network.add(playing, sight.after_play(choice))
            else:
                sums = network.add(common, sight.after_pass())
            yield choice, network.value(sums)

    def _give(self, hand: HandView, gives: Sequence[Give]) -> Give:
        """What leaves the best hand to go on with, whatever comes for it."""
        assert hand.cards is not None and hand.seat is not None
        counts, seats = counts_of(hand.cards), len(hand.order)
        found = []
        for give in gives:
            kept = counts[:]
            for rank in give.cards:
                kept[rank] -= 1
            found.append((self.worth(kept, hand.seat, seats, KEPT), give))
        return _best(found)

    def _rise(self, view: TableView, hand: HandView, choices: Sequence[Move]) -> Move:
        """Whether the hand is worth more without taxes, perhaps in the highest seat."""
        assert hand.cards is not None and hand.seat is not None
        counts, seats = counts_of(hand.cards), len(hand.order)
        taxes = view.hands_played > 0 or view.options.first_hand_taxes == "on"
        found = []
        for choice in choices:
            if isinstance(choice, Call):
                seat, stage = seats - 1 - hand.seat if choice.greater else hand.seat, NO_TAXES
            else:
                seat, stage = hand.seat, TAXES if taxes else NO_TAXES
            found.append((self.worth(counts, seat, seats, stage), choice))
        return _best(found)

    def worth(self, counts: Counts, seat: int, seats: int, stage: int) -> int:
        """The value of a hand before the tricks."""
        described = [(rank - 1, counts[rank]) for rank in range(1, 14)]
        described += [(FROM_TOP, seat), (FROM_BOTTOM, seats - 1 - seat)]
        described += [(SEATS, seats), (STAGE, stage)]
        return self.deal.value(self.deal.start(described))


def _best(found: Sequence[tuple[int, T]]) -> T:
    """The first of those with the highest value, so that the order of the choices decides ties."""
    return max(found, key=lambda each: each[0])[1]


def sensible(counts: Counts, choices: Sequence[Move]) -> list[Play | Pass]:
    """The choices of a trick without those that spend Jesters for nothing.

    Jesters join a group that is led only when all of it is played, and one that follows only where
    natural cards are too few.
    """
    leads = not isinstance(choices[-1], Pass)
    kept: list[Play | Pass] = []
    for choice in choices:
        if isinstance(choice, Pass):
            kept.append(choice)
        elif isinstance(choice, Play):
            held = counts[choice.rank]
            whole = choice.count - choice.jesters == held if leads else choice.count > held
            if not choice.jesters or choice.rank == JESTER or whole:
                if leads or choice.jesters == max(0, choice.count - held):
                    kept.append(choice)
    return kept


class Sight:
    """What a player sees in the trick phase, as traits (`layout.TRICKS`)."""

    def __init__(self, hand: HandView, options: TableOptions) -> None:
        assert hand.cards is not None and hand.seat is not None
        self.counts = counts_of(hand.cards)
        self.seat, self.sizes = hand.seat, hand.sizes
        self.locked = options.passing == "locked"
        self.trick = hand.trick
        self.passed = set(hand.trick.passed)
        seats = len(hand.sizes)
        clockwise = [(hand.seat + step) % seats for step in range(1, seats)]
        self.others = [seat for seat in clockwise if hand.sizes[seat]]
        """Who else still plays, clockwise."""
        self.unseen = [
            all_ - gone - own
            for all_, gone, own in zip(DECK_COUNTS, hand.played, self.counts, strict=True)
        ]
        self.reach = self._reach()

    def _reach(self) -> list[int]:
        """[size]: the best rank of which the others may hold so many; 13: they cannot."""
        most = max(self.sizes[seat] for seat in self.others)
        wild = self.unseen[JESTER]
        reach = [JESTER] * (LARGEST_SET + 1)
        for rank in range(12, 0, -1):
            if self.unseen[rank]:
                for size in range(1, min(self.unseen[rank] + wild, most) + 1):
                    reach[size] = rank
        return reach

    def always(self) -> Described:
        """The traits that no choice changes."""
        found = [(rank - 1, self.unseen[rank]) for rank in range(1, 14)]
        found += [(REACH + n, self.reach[span]) for n, span in enumerate(SPANS)]
        found += [
            (CARDS + n, min(self.sizes[seat], TOPS[CARDS])) for n, seat in enumerate(self.others)
        ]
        acts = {act.seat: 1 if act.play is None else 2 for act in self.trick.acts}
        found += [(ACT + n, acts[seat]) for n, seat in enumerate(self.others) if seat in acts]
        return [*found, (OTHERS, len(self.others)), (LOCKED, int(self.locked))]

    def roles_playing(self) -> Described:
        """The traits of the others after a set of one's own: it is theirs to beat."""
        if not self.locked:
            return []
        return [(ROLE + n, 1) for n, seat in enumerate(self.others) if seat in self.passed]

    def after_play(self, play: Play) -> Described:
        """The traits of one's cards and the trick, after a set that leaves some cards."""
        rank, count = play.rank, play.count
        holders = sum(
            self.sizes[seat] >= count and not (self.locked and seat in self.passed)
            for seat in self.others
        )
        beaters = firm = 0
        if holders:
            wild = self.unseen[JESTER]
            for held in self.unseen[1:rank]:
                if held:
                    beaters += held + wild >= count
                    firm += held >= count
        counts = self.counts[:]
        counts[JESTER] -= play.jesters
        if rank != JESTER:
            counts[rank] -= count - play.jesters
        found = self._cards(counts)
        found += [(OWN_RANK, rank), (OWN_SIZE, count)]
        found += [(OWN_HOW, 1 if self.trick.top is None else 2)]
        found += [(BEATERS, 1 + beaters), (FIRM, 1 + firm), (HOLDERS, 1 + holders)]
        return [*found, (SURE, int(beaters == 0))]

    def after_pass(self) -> Described:
        """The traits of the others, one's cards and the trick, after a pass."""
        top, owner = self.trick.top, self.trick.owner
        assert top is not None and owner is not None
        heir = owner
        while not self.sizes[heir]:
            heir = (heir + 1) % len(self.sizes)
        found = [
            (ROLE + n, (seat in self.passed) + 2 * (seat == heir))
            for n, seat in enumerate(self.others)
        ]
        coming = sum(seat not in self.passed and seat != owner for seat in self.others)
        found += self._cards(self.counts)
        found += [(THEIR_RANK, top.rank), (THEIR_SIZE, top.count), (TO_COME, 1 + coming)]
        return [*found, (HEIR, int(heir == self.seat)), (OWNER_OUT, int(not self.sizes[owner]))]

    def _cards(self, counts: Counts) -> Described:
        """The traits of the cards that are left."""
        groups = [(rank, counts[rank]) for rank in NATURALS if counts[rank]]
        winners = [rank for rank, count in groups if rank <= self.reach[count]]
        found = [(HELD + rank - 1, count) for rank, count in groups]
        found += [(SAFE + rank - 2, 1) for rank in winners if rank > 1]
        found += [(HELD + JESTER - 1, counts[JESTER]), (LEFT, min(sum(counts), TOPS[LEFT]))]
        found += [(GROUPS, len(groups)), (WINNERS, min(len(winners), TOPS[WINNERS]))]
        return [*found, (LOSERS, len(groups) - len(winners))]
