"""What a strict session is told: everything that is ignored otherwise.

For those who write clients. A field that no message has, a decision that ran out, a ping without an
answer and an answer without a ping are no faults, so nobody hears of them, and an author searches
long. In a session whose `hello` said `strict` each becomes an `error` of the code `strict` that
belongs to no request. What the client asked for is done all the same.

It costs the server little: a report for what came from the client is paid for like a request that
is none (`Peer._not_too_often`), there is at most one for each decision and each ping of our own,
and their number is bounded for the whole connection.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import trio

from dalmuti.core.events import HandAbandoned, HandEnded, Turn
from dalmuti.protocol.messages import (
    Act,
    ClientMessage,
    Decision,
    Error,
    EventMessage,
    Ping,
    Pong,
    ServerMessage,
    Unseated,
)

MOST_REPORTS: Final = 500
"""Reports on one connection; the last says that there are no more."""
SLACK: Final = 0.002
"""Seconds by which the clock of a decision, told in milliseconds, may be off."""


class Strict:
    """The reports of one connection."""

    def __init__(self, say: Callable[[str], None]) -> None:
        """`say` sends a sentence to the client."""
        self._say = say
        self._left = MOST_REPORTS
        self._open: Decision | None = None
        """The decision that the client has not answered."""
        self._ends = 0.0
        self._answer: tuple[int, Decision] | None = None
        """Its last answer: the number of the request, and to what."""
        self._pinged = False
        """Whether a ping of ours waits for its pong."""

    def report(self, text: str) -> None:
        """Sends a sentence, if there were not too many."""
        if self._left > 0:
            self._left -= 1
            self._say(text if self._left else f"{text} (there are no more reports after this one)")

    def sent(self, message: ServerMessage) -> None:
        """Something is on its way to the client. The first thing after the end of a decision's
        clock is what the default led to."""
        missed = self._open
        if missed is not None and trio.current_time() >= self._ends - SLACK:
            self._open = None
            self.report(
                f"decision {missed.decision} had {missed.ms} ms and got no answer in time:"
                " the default was taken"
            )
        match message:
            case Decision():
                self._open = message if message.ms is not None else None
                self._ends = trio.current_time() + (message.ms or 0) / 1000
            case EventMessage(event=Turn(decision=number)):
                if missed is not None and missed.decision != number:
                    self._open = None  # the stand-in was faster, or somebody called
            case EventMessage(event=HandEnded() | HandAbandoned()) | Unseated():
                self._open = None
            case Error(re=request) if self._answer is not None and request == self._answer[0]:
                self._open = self._answer[1]  # it was refused: the decision is still open
            case Ping():
                if self._pinged:
                    self.report("a ping got no pong; who is silent for too long is taken for dead")
                self._pinged = True
            case _:
                pass

    def heard(self, message: ClientMessage, remark: str) -> bool:
        """Something came from the client. True if it is told what was wrong with it."""
        wrong = remark
        if isinstance(message, Pong):
            if not self._pinged:
                wrong = wrong or "a pong came without a ping"
            self._pinged = False
        elif isinstance(message, Act) and self._open is not None:
            if message.decision == self._open.decision:
                self._answer = message.id, self._open
                self._open = None
        if wrong:
            self.report(wrong)
        return bool(wrong)
