"""A recorded match: play it again, step through it, and prove its deals.

The text form is in `transcript`; its names are here too, since they are used together. A record
holds the inputs of a match and nothing that follows from them, but the places of each hand, so
that what it says can be checked: `replay` gives the inputs to a new Match, which refuses what the
rules refuse, and `verify` computes each deal again from the seed that was revealed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from dalmuti.core import deal
from dalmuti.core.cards import DECK, DECK_SIZE, Cards
from dalmuti.core.events import Event, Kind
from dalmuti.core.match import (
    Abandoned,
    Began,
    Ended,
    Entry,
    Left,
    Match,
    Moved,
    Restarted,
    Returned,
    Sat,
    Titled,
)
from dalmuti.core.transcript import Flaw, Record, RecordWriter, Who, dumps, loads

__all__ = [
    "Flaw",
    "Record",
    "RecordWriter",
    "Verdict",
    "Who",
    "dumps",
    "loads",
    "record_of",
    "replay",
    "steps",
    "verify",
]


class Verdict(Struct, frozen=True):
    """What was found about one hand; hand 0 stands for the lines before the first.

    `ok` is False when something is wrong, and then `reasons` say what. `proved` tells whether the
    revealed seed shows that the deal was fixed beforehand; where it does not although nothing is
    wrong (a hand in progress, one that was abandoned), a reason says so too.
    """

    hand: int
    ok: bool
    proved: bool
    reasons: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The whole verdict as a sentence."""
        name = f"Hand {self.hand}" if self.hand else "The beginning of the record"
        state = ("is true" if self.proved else "is unproved") if self.ok else "is NOT true"
        return f"{name} {state}" + (f": {'; '.join(self.reasons)}." if self.reasons else ".")


def record_of(
    match: Match,
    table: str,
    players: Mapping[int, tuple[Kind, str]],
    seeds: Mapping[int, str],
    *,
    fair: bool = True,
) -> Record:
    """The record of a match that has its whole log yet. It may be taken at any time.

    `players` holds (kind, name) of everybody who ever sat down, `seeds` the seeds revealed so far,
    in hexadecimal by number of hand. In a hand it holds everybody's cards: show it to nobody.
    """
    return Record(
        table=table,
        options=match.options,
        fair=fair,
        players={number: Who(*who) for number, who in players.items()},
        entries=tuple(match.log),
        seeds=dict(seeds),
    )


def replay(record: Record) -> list[Event]:
    """Every event of the match, from its inputs alone. Raises ValueError as `steps` does."""
    return [event for _, events in steps(record) for event in events]


def steps(record: Record, match: Match | None = None) -> Iterator[tuple[Entry, list[Event]]]:
    """Plays the record entry by entry: each with the events that it leads to.

    `match` is the new Match that is played in, for whoever wants to look at it in between. Raises
    ValueError, with the hand and the entry, for what the rules refuse or what does not fit.
    """
    match = Match(record.options) if match is None else match
    for number, entry in enumerate(record.entries, start=1):
        try:
            events = _give(match, entry)
        except ValueError as error:
            raise ValueError(f"hand {match.hands_begun}, entry {number}: {error}") from None
        yield entry, events


def _give(match: Match, entry: Entry) -> list[Event]:
    """Hands one entry to the match."""
    match entry:
        case Sat(player):
            return match.sit(player)
        case Left(player):
            return match.leave(player)
        case Returned(player):
            match.come_back(player)
            return []
        case Titled(rounds, order):
            return match.give_titles(rounds, order)
        case Began():
            return _begin(match, entry)
        case Moved(seat, move, by):
            try:
                return match.apply(seat, move, by)
            except ValueError as error:
                raise ValueError(f"seat {seat} may not move {str(move)!r}: {error}") from None
        case Ended(places):
            found = match.result.places if match.result is not None else ()
            if match.state == "hand" or places != tuple(line.player for line in found):
                raise ValueError(
                    f"the places {','.join(map(str, places))} are not those that the moves lead to"
                )
            return []
        case Abandoned():
            return match.abandon()
        case Restarted():
            return match.restart()


def _begin(match: Match, entry: Began) -> list[Event]:
    if list(entry.order) != match.order:
        raise ValueError(f"the hand is for the players {entry.order}, here sit {match.order}")
    if entry.hand != match.hands_begun + 1:
        raise ValueError(f"expected hand {match.hands_begun + 1}, found hand {entry.hand}")
    nonces = {nonce.player: bytes.fromhex(nonce.nonce) for nonce in entry.nonces}
    return match.start(undealt(entry.hands), entry.commitment, nonces)


def undealt(hands: Sequence[Cards]) -> list[int]:
    """A deck that deals these hands (D2). Raises ValueError unless they are all of the cards."""
    seats = len(hands)
    if sorted(card for cards in hands for card in cards) != list(DECK):
        raise ValueError("the cards dealt are not the 80 cards of the deck")
    deck = [0] * DECK_SIZE
    for seat, cards in enumerate(hands):
        if len(cards) != len(deck[seat::seats]):
            raise ValueError(f"seat {seat} has {len(cards)} cards, not {len(deck[seat::seats])}")
        deck[seat::seats] = sorted(cards)
    return deck


# -- proof ------------------------------------------------------------------------------------


def verify(record: Record) -> list[Verdict]:
    """What can be said about each hand of the record, in order; the record is true if all are ok.

    Checked are the sums of the lines, that the seed fits the commitment, that it deals the cards
    and draws the titles that were recorded, that every move was legal, and the places.
    """
    audit = _Audit(record)
    audit.play()
    return audit.verdicts()


class _Audit:
    """Collects what is wrong with each hand."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.match = Match(record.options)
        self.wrong: dict[int, list[str]] = {}
        self.hands: dict[int, Began] = {}
        self.ends: dict[int, Entry] = {}
        self.finished: set[int] = set()
        self._titled: tuple[Titled, list[int]] | None = None
        for flaw in record.flaws:
            self.note(flaw.hand, flaw.text)

    def note(self, hand: int, reason: str) -> None:
        self.wrong.setdefault(hand, []).append(reason)

    def play(self) -> None:
        """Goes through all entries; after one that cannot be replayed, only deals are checked."""
        played = steps(self.record, self.match)
        broken: int | None = None
        hand = 0
        for entry in self.record.entries:
            if isinstance(entry, Began):
                hand = entry.hand
                self._deal(entry, replays=broken is None)
            elif isinstance(entry, Titled):
                self._titled = (entry, list(self.match.order))
            elif isinstance(entry, Ended | Abandoned):
                self.ends[hand] = entry
            if broken is not None:
                continue
            try:
                next(played)
            except ValueError as error:
                broken = hand
                self.note(hand, str(error))
            if isinstance(entry, Moved) and self.match.state != "hand":
                self.finished.add(hand)
        if broken is not None:
            for later in self.hands:
                if later > broken:
                    self.note(later, f"its moves follow on hand {broken}, which cannot be replayed")
        for hand in self.record.seeds:
            if hand not in self.hands:
                self.note(0, f"there is a seed for hand {hand}, but no such hand")

    def _deal(self, began: Began, *, replays: bool) -> None:
        """Holds one deal, and the titles found before it, against the seed."""
        hand = began.hand
        if hand in self.hands:
            self.note(hand, "there are two hands of this number")
        self.hands[hand] = began
        found, self._titled = self._titled, None
        how = self.record.options.first_titles
        if not self.match.titled and self.record.fair and how != "order_of_arrival" and replays:
            self.note(hand, "the first titles are missing")
        if hand not in self.record.seeds:
            return
        seed = bytes.fromhex(self.record.seeds[hand])
        nonces = {nonce.player: bytes.fromhex(nonce.nonce) for nonce in began.nonces}
        if not began.commitment:
            self.note(hand, "a seed is given, but no commitment to it")
        elif deal.commitment(self.record.table, hand, seed) != began.commitment:
            self.note(hand, "the seed is not the one that the commitment is for")
        if deal.hands_of(seed, nonces, len(began.order)) != list(began.hands):
            self.note(hand, "the cards dealt are not those that the seed leads to")
        if found is not None and replays:
            entry, players = found
            if deal.first_titles(how, players, seed, nonces) != (entry.rounds, entry.order):
                self.note(hand, "the first titles are not those that the seed leads to")

    def verdicts(self) -> list[Verdict]:
        found = []
        if 0 in self.wrong:
            found.append(Verdict(0, False, False, tuple(self.wrong[0])))
        for hand, began in self.hands.items():
            reasons = self.wrong.get(hand, [])
            proved = hand in self.record.seeds
            over = isinstance(self.ends.get(hand), Ended)
            if hand in self.finished and not over:
                reasons = [*reasons, "its places are missing"]
            if over and not proved and (self.record.fair or began.commitment):
                reasons = [*reasons, "it ended, but its seed was not revealed"]
            ok = not reasons
            if not proved:
                reasons = [*reasons, self._unproved(hand)]
            found.append(Verdict(hand, ok, proved and ok, tuple(reasons)))
        return found

    def _unproved(self, hand: int) -> str:
        match self.ends.get(hand):
            case None:
                return "it is not over, so its deal is unproved"
            case Abandoned():
                return "it was abandoned and its seed not revealed, so its deal is unproved"
            case _:
                return "without a seed its deal is unproved"
