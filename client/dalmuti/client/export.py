"""`dalmuti export`: what a player of a saved match saw, could do and did, for who learns from it.

A record holds everybody's cards, and a decision must be told with those of one player only. So each
view is made by `core.views`, as a server makes it for that seat, at the moment of the decision, and
nothing else of the match is ever written. What a record does not know is not in its views: who was
the host, who watched, who was away, and how much time was left.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from dalmuti.client import out
from dalmuti.client.commands.parts import OK
from dalmuti.client.replay import telling
from dalmuti.client.start import Refusal
from dalmuti.core.events import PlayerInfo, Question, Turn
from dalmuti.core.hand import Phase
from dalmuti.core.match import Began, Ended, Left, Match, Moved, Returned, Sat
from dalmuti.core.moves import Move
from dalmuti.core.record import Record, steps
from dalmuti.core.views import TableView, view_table


class Sample(Struct, frozen=True, kw_only=True):
    """One decision of a player who had a choice, and what his hand came to."""

    player: int
    """Of the record, by order of arrival."""
    hand: int
    kind: Question
    view: TableView
    choices: tuple[Move, ...]
    """Every legal choice, the weakest set first; at least two."""
    choice: Move
    place: int = 0
    """In the end of this hand, 1 for the first out."""
    points: int = 0
    """Players ranked below, whether or not the table counted points (rules.md C2)."""


def samples(record: Record, you: int | None = None) -> Iterator[Sample]:
    """The decisions of one player, or of all, hand by hand.

    What the clock or the stand-in did for a player was no decision of his. A hand without an end
    has no points and is left out. Raises ValueError for what the rules refuse.
    """
    match = Match(record.options)
    played = steps(record, match)
    witness = _Witness(record, match)
    made: list[Sample] = []
    for entry in record.entries:
        match entry:
            case Sat(player) | Left(player) | Returned(player):
                witness.presence(player, "left" if isinstance(entry, Left) else "here")
            case Began():
                witness.begin()
                made.clear()
            case Moved(by="player"):
                made += witness.decision(entry, you)
            case _:
                pass
        next(played)
        if isinstance(entry, Began | Moved):
            witness.ask()
        if isinstance(entry, Ended):
            yield from (_with_result(sample, entry.places) for sample in made)
            made.clear()


def _with_result(sample: Sample, places: tuple[int, ...]) -> Sample:
    place = places.index(sample.player) + 1
    return replace(sample, place=place, points=len(places) - place)


class _Witness:
    """Sits beside a match that is played again, and sees it with the eyes of one or another."""

    def __init__(self, record: Record, match: Match) -> None:
        self._record, self._match = record, match
        self._infos: dict[int, PlayerInfo] = {}
        self._decisions = 0
        self._turn: Turn | None = None
        self._phase: Phase | None = None

    def presence(self, player: int, presence: Literal["here", "left"]) -> None:
        """Somebody sits down, leaves, or takes his seat back."""
        who = self._record.players[player]
        self._infos[player] = PlayerInfo(
            player=player, name=who.name, kind=who.kind, presence=presence
        )

    def begin(self) -> None:
        """A hand begins: who had left is gone now."""
        self._infos = {n: info for n, info in self._infos.items() if info.presence != "left"}

    def ask(self) -> None:
        """Counts the questions as a server does: one for the revolution, for the taxes, a turn."""
        hand = self._match.hand
        if hand is None:
            self._phase = None
        elif hand.phase is Phase.TRICKS or hand.phase is not self._phase:
            self._phase = hand.phase
            self._decisions += 1
            self._turn = Turn(hand.question, hand.to_act, self._decisions)

    def decision(self, moved: Moved, you: int | None) -> Iterator[Sample]:
        """What is decided now, by `you` or anybody, if there is more than one choice."""
        hand, match = self._match.hand, self._match
        if hand is None or not hand.is_asked(moved.seat):
            return
        player = match.order[moved.seat]
        choices = tuple(hand.legal(moved.seat))
        if you not in (None, player) or len(choices) < 2:
            return
        yield Sample(
            player=player,
            hand=match.hands_begun,
            kind=hand.question,
            view=view_table(
                match,
                table=self._record.table,
                players=tuple(self._infos.values()),
                you=player,
                turn=self._turn,
                fair=self._record.fair,
            ),
            choices=choices,
            choice=moved.move,
        )


# -- the command ------------------------------------------------------------------------------


def export(given: argparse.Namespace) -> int:
    """One line of JSON for each decision in the files."""
    for name in given.files:
        try:
            record = telling.read(Path(name))
            you = None if given.viewer is None else telling.player_of(record, given.viewer)
        except telling.RecordError as error:
            raise Refusal(str(error)) from None
        try:
            for sample in samples(record, you):
                out.say(line(sample))
        except ValueError as error:
            raise Refusal(f"{name} cannot be followed any more: {error}") from None
    return OK


def line(sample: Sample) -> str:
    """The sample as one line of JSON, all of it ASCII."""
    return json.dumps(to_builtins(sample), separators=(",", ":"))
