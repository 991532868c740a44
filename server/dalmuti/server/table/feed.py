"""What a table says, and to whom: one number per event for all viewers, each with his own view.

Every event of a table goes through `Feed.emit`, and so through `core.views.see`. The last events
are kept, with the seating at their time, for those who resume: a player's seat is another one in
the next hand, or after a Greater Revolution, and what he may see of an old event is what his seat
could see then.
"""

from __future__ import annotations

from collections import deque

from dalmuti.core.events import (
    Event,
    HandAbandoned,
    HandEnded,
    HandStarted,
    RevolutionCalled,
)
from dalmuti.core.views import PUBLIC, see
from dalmuti.protocol.messages import EventMessage, ServerMessage
from dalmuti.server.table.people import People

Output = tuple[tuple[int, ...], ServerMessage]
"""Connections, and a message to each of them."""


class Feed:
    """The outgoing side of one table."""

    def __init__(self, people: People, keep: int) -> None:
        self.people = people
        self.seq = 0
        """The number of the last event."""
        self.out: list[Output] = []
        """What is to be sent, in order; the loop around the table takes it."""
        self._seating: tuple[int, ...] = ()
        self._kept: deque[tuple[int, Event, tuple[int, ...]]] = deque(maxlen=keep)

    def send(self, conn: int, message: ServerMessage) -> None:
        """Says something to one connection."""
        self.out.append(((conn,), message))

    def emit(self, event: Event) -> None:
        """Tells everybody at the table what happened."""
        self.seq += 1
        if isinstance(event, HandStarted):
            self._seating = event.order
        self._kept.append((self.seq, event, self._seating))
        if type(event) in PUBLIC:
            self.out.append((self.people.audience, self._message(self.seq, event, (), None)))
        else:
            for conn, player in self.people.connected():
                number = None if player is None else player.number
                self.send(conn, self._message(self.seq, event, self._seating, number))
        if isinstance(event, RevolutionCalled) and event.greater:
            self._seating = self._seating[::-1]
        elif isinstance(event, HandEnded | HandAbandoned):
            self._seating = ()

    def load(self, seq: int, seating: tuple[int, ...]) -> None:
        """Goes on after event `seq` of a table that was kept; `seating` is that of its hand."""
        self.seq, self._seating = seq, seating

    def since(self, seq: int, player: int) -> list[EventMessage] | None:
        """The events after `seq` as `player` may see them; None if they are not all kept."""
        first = self._kept[0][0] if self._kept else self.seq + 1
        if not first - 1 <= seq <= self.seq:
            return None
        return [
            self._message(number, event, seating, player)
            for number, event, seating in self._kept
            if number > seq
        ]

    @staticmethod
    def _message(
        seq: int, event: Event, seating: tuple[int, ...], player: int | None
    ) -> EventMessage:
        seat = seating.index(player) if player in seating else None
        return EventMessage(seq=seq, event=see(event, seat))
