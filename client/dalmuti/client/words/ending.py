"""Who moved up and who down, at the end of a hand."""

from __future__ import annotations

from collections.abc import Iterable

from dalmuti.client.i18n import tr, tr_n
from dalmuti.client.words.names import a_title, listed, name
from dalmuti.core.events import HandEnded
from dalmuti.core.titles import title_of
from dalmuti.core.views import TableView


def movements(ended: HandEnded, view: TableView) -> list[str]:
    """The own way up or down, with both titles; then everybody else's, as sentences.

    The titles of the next hand may differ yet, when somebody joins or leaves.
    """
    seats = len(ended.places)
    moves = {line.player: line.seat - place for place, line in enumerate(ended.places)}
    lines = []
    for place, line in enumerate(ended.places):
        if line.player == view.you:
            titles = {
                "before": a_title(title_of(line.seat, seats)),
                "after": a_title(title_of(place, seats)),
            }
            lines.append(_own(line.seat - place, titles))
    others = [line.player for line in ended.places if line.player != view.you]
    up = [(name(view, player), moves[player]) for player in others if moves[player] > 0]
    down = [(name(view, player), -moves[player]) for player in others if moves[player] < 0]
    if up:
        lines.append(tr("Going up: {names}.", names=_by(up)))
    if down:
        lines.append(tr("Going down: {names}.", names=_by(down)))
    return lines


def _own(up: int, titles: dict[str, str]) -> str:
    if up > 0:
        return tr_n(
            "You go up {number} place: you were {before} and are {after} now.",
            "You go up {number} places: you were {before} and are {after} now.",
            up,
            **titles,
        )
    if up < 0:
        return tr_n(
            "You go down {number} place: you were {before} and are {after} now.",
            "You go down {number} places: you were {before} and are {after} now.",
            -up,
            **titles,
        )
    return tr("You keep your place: you are {after} again.", **titles)


def _by(moved: Iterable[tuple[str, int]]) -> str:
    return listed(tr("{name} by {number}", name=who, number=number) for who, number in moved)
