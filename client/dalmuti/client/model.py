"""All that any screen shows, as one immutable value: `reduce(model, message, now) -> model`.

Pure: no clock (`now` is handed in, monotonic seconds), no I/O. The full-screen client, line mode,
plain mode, bots and the replay viewer all hold one of these and nothing else about the game.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from dalmuti.core.views import TableView
from dalmuti.protocol.messages import Decision, Lobby, Welcome

LOG_LINES = 500
"""How many lines of the log are kept."""


class Line(Struct, frozen=True):
    """A line of the log: a sentence about an event, chat, or a word of the client itself."""

    kind: Literal["event", "chat", "notice", "warning"]
    text: str


class LinkChanged(Struct, frozen=True):
    """A message from our own session, not from the server: the state of the connection.

    `retry_at` is the moment of the next attempt, on the clock of `now`.
    """

    state: Literal["connecting", "open", "lost", "ended"]
    text: str = ""
    retry_at: float | None = None


class Model(Struct, frozen=True, kw_only=True):
    """What this client knows."""

    link: LinkChanged = LinkChanged("connecting")
    welcome: Welcome | None = None
    lobby: Lobby | None = None
    table: TableView | None = None
    seq: int = 0
    decision: Decision | None = None
    """Our own pending decision."""
    ends_at: float | None = None
    """When the clock of the current turn (ours or another's) is up."""
    countdowns: dict[int, float] = {}
    """Lost players, and when the stand-in plays for them."""
    log: tuple[Line, ...] = ()
    refusal: str = ""
    """Why the last request was refused; cleared when something happens."""
    verified: dict[int, bool] = {}
    """Hands of this match whose deal was checked, and whether it was as committed."""
