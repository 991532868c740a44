"""The hand that was just played, as its player saw it: a source for a cursor without a record.

The cards of others are in nobody's message, so this cannot show them; the record of the match,
which has them, is the server's, and `dalmuti replay` is for that.
"""

from __future__ import annotations

from dalmuti.client.model import Input
from dalmuti.client.replay.script import Chapter, Step, leads_of
from dalmuti.core.events import HandStarted, PlayerInfo, Seen, Turn
from dalmuti.core.views import TableView
from dalmuti.protocol.messages import EventMessage, Snapshot, Unseated


class OwnHand:
    """Keeps what is said about one hand: from its beginning, or from where we came in."""

    def __init__(self) -> None:
        self._start: TableView | None = None
        self._steps: list[Step] = []
        self._events: list[Seen] = []

    def hear(self, before: TableView | None, message: Input) -> None:
        """A message, and the table as it was before it."""
        match message:
            case Snapshot(table=table):
                self._begin(table if table.hand is not None else None)
            case Unseated():
                self._begin(None)
            case EventMessage(event=event):
                if isinstance(event, HandStarted):
                    self._begin(before)
                if self._start is not None:
                    self._events.append(event)
                if isinstance(event, Turn):
                    self._cut()

    def _begin(self, start: TableView | None) -> None:
        self._start = start
        self._steps.clear()
        self._events.clear()

    def _cut(self) -> None:
        if self._events:
            self._steps.append(Step(tuple(self._events), ()))
            self._events.clear()

    def tape(self) -> OwnTape | None:
        """What was kept so far, to step through; None if there is nothing."""
        self._cut()
        if self._start is None or not self._steps:
            return None
        return OwnTape(self._start, tuple(self._steps))


class OwnTape:
    """A `cursor.Source` of one hand, seen by one pair of eyes."""

    problem = ""
    has_all_cards = False
    hands = 1

    def __init__(self, start: TableView, steps: tuple[Step, ...]) -> None:
        self.table = start.table
        self.players: dict[int, PlayerInfo] = {info.player: info for info in start.players}
        number = start.hand.number if start.hand is not None else start.next_hand
        self._chapters = (
            Chapter(number=number - 1, start=start, steps=(), leads=(), over=True),
            Chapter(number=number, start=start, steps=steps, leads=leads_of(steps), over=True),
        )
        self.you = start.you

    def __len__(self) -> int:
        return len(self._chapters)

    def chapter(self, index: int) -> Chapter:
        """The hand, or the moment before it."""
        return self._chapters[index]
