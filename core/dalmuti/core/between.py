"""A match between two hands as plain data, so that it can be kept and gone on with.

What happens in a hand is not in here: whoever keeps a match keeps the state before the hand and
the entries since, and `record.steps` plays those in the match that `restored` gives back.
"""

from __future__ import annotations

from msgspec import Struct

from dalmuti.core.events import HandEnded, Score, TitlesDrawn
from dalmuti.core.match import Match, MatchError, State
from dalmuti.core.options import TableOptions


class Between(Struct, frozen=True, gc=False, omit_defaults=True):
    """Everything a match knows while no hand is played."""

    state: State = "waiting"
    order: tuple[int, ...] = ()
    hands_begun: int = 0
    hands_played: int = 0
    titled: bool = False
    draw: TitlesDrawn | None = None
    scores: tuple[Score, ...] = ()
    """In the order in which the match holds them."""
    result: HandEnded | None = None


def between(match: Match) -> Between:
    """What is to be kept of `match`. Raises MatchError in a hand."""
    if match.hand is not None:
        raise MatchError("a match cannot be kept as plain data while a hand is played")
    return Between(
        state=match.state,
        order=tuple(match.order),
        hands_begun=match.hands_begun,
        hands_played=match.hands_played,
        titled=match.titled,
        draw=match.draw,
        scores=tuple(match.scores.values()),
        result=match.result,
    )


def restore(match: Match, kept: Between) -> None:
    """Makes a new `match` one that stands as another one did."""
    match.state = kept.state
    match.order = list(kept.order)
    match.hands_begun, match.hands_played = kept.hands_begun, kept.hands_played
    match.titled, match.draw = kept.titled, kept.draw
    match.scores = {score.player: score for score in kept.scores}
    match.result = kept.result


def restored(options: TableOptions, kept: Between) -> Match:
    """A match that goes on where another one stood."""
    match = Match(options)
    restore(match, kept)
    return match
