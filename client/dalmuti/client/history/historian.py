"""Writes down the hands of one session, by listening to what the server says.

It listens beside the interface, whichever that is, and never disturbs it: where the file cannot be
written the game goes on, and the reason is there to be said at the end. Whoever watches has no
place in a result, so nothing is written.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from pathlib import Path

from dalmuti.client.fold import fold
from dalmuti.client.history import store
from dalmuti.client.history.store import Hand, How
from dalmuti.client.model import Input
from dalmuti.client.words import info_of
from dalmuti.core.events import HandEnded, MatchRestarted
from dalmuti.core.views import TableView
from dalmuti.protocol.messages import EventMessage, Snapshot, Unseated
from dalmuti.protocol.text import safe_text


class Historian:
    """Hears one session. `now` gives seconds since 1970."""

    def __init__(
        self, how: How, file: Path | None = None, now: Callable[[], float] = time.time
    ) -> None:
        self.problem = ""
        """Why a hand could not be kept; empty if all were."""
        self._how, self._file, self._now = how, file, now
        self._view: TableView | None = None
        self._match = ""

    def hear(self, message: Input) -> None:
        """A message that the interface has had, and has believed."""
        match message:
            case Snapshot(table=table):
                if self._view is None or self._view.table != table.table:
                    self._new_match()
                self._view = table
            case Unseated():
                self._view = None
            case EventMessage(event=event) if self._view is not None:
                before, self._view = self._view, fold(self._view, event)
                if isinstance(event, MatchRestarted):
                    self._new_match()
                if isinstance(event, HandEnded):
                    self._ended(before, event)

    def _new_match(self) -> None:
        self._match = secrets.token_hex(8)

    def _ended(self, view: TableView, ended: HandEnded) -> None:
        hand = hand_of(view, ended, self._how, self._match, self._now())
        if hand is None:
            return
        try:
            store.append(hand, self._file or store.path())
        except OSError as error:
            self.problem = error.strerror or str(error)


def hand_of(view: TableView, ended: HandEnded, how: How, match: str, now: float) -> Hand | None:
    """What is written of a hand; None for who did not play in it. `view` is the table before."""
    if view.hand is None:
        return None
    seats = len(ended.places)
    for place, line in enumerate(ended.places, start=1):
        if line.player == view.you:
            others = [info_of(view, other.player) for other in ended.places if other != line]
            people = sum(info is not None and info.kind == "human" for info in others)
            return Hand(
                at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now)),
                match=match,
                how=how,
                table=safe_text(view.table),
                hand=ended.hand,
                seats=seats,
                was=line.seat + 1,
                place=place,
                people=people,
                bots=seats - 1 - people,
                points=line.points if view.options.scoring == "points" else None,
                standin=line.standin,
                fair=view.fair,
            )
    return None
