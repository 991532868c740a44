"""A record cut into hands, and each hand into the moves that a person would step through (pure).

A step is what led to something that anybody could notice. Who declines a revolution or has chosen
a tax is not noticed (rules.md R2, T3), so these have no step of their own; all of them come with
the one that closed the window. The steps are therefore the same for every viewer, and their number
tells nothing.

A hand that has no end in the record is marked as not over: it may be a live one, and then nobody
but its players may see a card of it (rules.md I4).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy

from msgspec import Struct
from msgspec.structs import replace

from dalmuti.core import events as ev
from dalmuti.core.events import Event, PlayerInfo
from dalmuti.core.hand import Phase
from dalmuti.core.match import Abandoned, Began, Ended, Entry, Left, Match, Returned, Sat
from dalmuti.core.record import Record, steps
from dalmuti.core.views import TableView, view_table
from dalmuti.protocol.text import cut, safe_text

NAME_CELLS = 20
"""What a table allows; a record may claim any name."""
KEPT = 4
"""Chapters whose steps are kept."""


class Step(Struct, frozen=True, gc=False):
    """What one move led to."""

    events: tuple[Event, ...]
    """From a record they have everybody's cards: show them through `reel.shown` only."""
    order: tuple[int, ...]
    """Who has which seat as it begins; empty between hands."""


class Chapter(Struct, frozen=True):
    """A hand with what happened after it and before the next; chapter 0 is before the first."""

    number: int
    """Of the hand, which the rules engine counts from 1; 0 before the first."""
    start: TableView
    """The table as a spectator sees it before the first step: nobody holds cards then."""
    steps: tuple[Step, ...]
    leads: tuple[int, ...]
    """The steps, counted from 1, that lead a trick."""
    over: bool
    """Whether all its cards may be shown."""


class _Cut(Struct, frozen=True):
    """Where a chapter begins, and how the match stood there."""

    begin: int
    end: int
    match: Match
    infos: tuple[PlayerInfo, ...]
    over: bool


class Script:
    """A whole record. `problem` says where the rules refuse it; what is before that can be seen.

    Raises nothing: a record that makes no sense at all has a chapter 0 and a problem.
    """

    has_all_cards = True

    def __init__(self, record: Record) -> None:
        self.record = record
        self.table = safe_text(record.table)
        self.players = {
            number: PlayerInfo(
                player=number,
                name=cut(safe_text(who.name).strip(), NAME_CELLS) or f"#{number}",
                kind=who.kind,
            )
            for number, who in record.players.items()
        }
        self.problem = ""
        self._chapters: dict[int, Chapter] = {}
        self._cuts = self._cut()

    def __len__(self) -> int:
        """How many chapters there are, chapter 0 included."""
        return len(self._cuts)

    @property
    def hands(self) -> int:
        """How many hands can be seen."""
        return len(self._cuts) - 1

    def chapter(self, index: int) -> Chapter:
        """A chapter by its place. Raises IndexError."""
        if index not in self._chapters:
            made = self._make(index)
            while len(self._chapters) >= KEPT:
                del self._chapters[next(iter(self._chapters))]
            self._chapters[index] = made
        return self._chapters[index]

    # -- reading ------------------------------------------------------------------------------

    def _cut(self) -> list[_Cut]:
        """Plays the whole match once, and keeps how it stood before each hand."""
        entries = self.record.entries
        match = Match(self.record.options)
        present = _Present(self.players)
        starts: list[tuple[int, Match, tuple[PlayerInfo, ...]]] = []
        played = steps(self.record, match)
        end = len(entries)
        for index, entry in enumerate(entries):
            if index == 0 or (isinstance(entry, Began)):
                match.log.clear()  # which the match does not read, and a copy would copy
                starts.append((index, deepcopy(match), present.infos))
            try:
                next(played)
            except ValueError as error:
                self.problem = safe_text(str(error))
                end = index
                break
            present.note(entry)
        if len(starts) > 1 and starts[-1][0] == end:
            starts.pop()  # the hand that cannot begin
        starts = starts or [(0, Match(self.record.options), ())]
        ends = [begin for begin, _, _ in starts[1:]] + [end]
        return [
            _Cut(begin, stop, match, infos, not index or _is_over(entries, begin))
            for index, ((begin, match, infos), stop) in enumerate(zip(starts, ends, strict=True))
        ]

    def _make(self, index: int) -> Chapter:
        found = self._cuts[index]
        match = deepcopy(found.match)
        start = view_table(
            match,
            table=self.table,
            players=found.infos,
            you=None,
            fair=self.record.fair,
        )
        part = replace(self.record, entries=self.record.entries[found.begin : found.end])
        made = tuple(_steps(part, match, _Present(self.players, found.infos)))
        return Chapter(
            number=index,
            start=start,
            steps=made,
            leads=leads_of(made),
            over=found.over,
        )


def _is_over(entries: tuple[Entry, ...], begin: int) -> bool:
    """Whether the hand that begins here has an end in the record."""
    for at in range(begin + 1, len(entries)):
        if isinstance(entries[at], Ended | Abandoned):
            return True
        if isinstance(entries[at], Began):
            return False
    return False


def _steps(record: Record, match: Match, present: _Present) -> Iterator[Step]:
    """The steps of some entries that are known to be sound."""
    order: tuple[int, ...] = ()
    asked = 0
    phase: Phase | None = None
    for entry, found in steps(record, match):
        happened: list[Event] = [*present.note(entry, match), *found]
        hand = match.hand
        if hand is None:
            phase = None
        elif happened and (hand.phase is Phase.TRICKS or hand.phase is not phase):
            phase = hand.phase
            asked += 1
            happened.append(ev.Turn(hand.question, hand.to_act, asked))
        if happened:
            yield Step(tuple(happened), order)
        order = tuple(match.order) if hand is not None else ()


def leads_of(made: Sequence[Step]) -> tuple[int, ...]:
    """The steps, counted from 1, that lead a trick."""
    leads: list[int] = []
    open_trick = False
    for number, step in enumerate(made, start=1):
        for event in step.events:
            if isinstance(event, ev.Played) and not open_trick:
                open_trick = True
                leads.append(number)
            elif isinstance(event, ev.TrickEnded | ev.HandStarted):
                open_trick = False
    return tuple(leads)


class _Present:
    """Who sits at the table, as the events about it would have told."""

    def __init__(self, players: dict[int, PlayerInfo], infos: tuple[PlayerInfo, ...] = ()) -> None:
        self._players = players
        self._infos = {info.player: info for info in infos}

    @property
    def infos(self) -> tuple[PlayerInfo, ...]:
        return tuple(self._infos.values())

    def note(self, entry: Entry, match: Match | None = None) -> list[Event]:
        """Takes an entry that the match has taken, and tells what others heard of it."""
        match entry:
            case Sat(player) | Returned(player):
                new = player not in self._infos
                self._infos[player] = self._players[player]
                if new:
                    return [ev.PlayerJoined(self._players[player])]
                return [ev.PresenceChanged(player, "here")]
            case Left(player):
                self._infos[player] = replace(self._players[player], presence="left")
                in_hand = match is not None and match.seat_of(player) is not None
                return [
                    ev.PresenceChanged(player, "left") if in_hand else ev.PlayerLeft(player),
                ]
            case Began():
                here = (info for info in self._infos.values() if info.presence != "left")
                self._infos = {info.player: info for info in here}
        return []
