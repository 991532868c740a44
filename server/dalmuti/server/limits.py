"""Every number the server is bound by, in one place.

What a client must know of them is announced in `welcome` (`announce`); all can be set in the
`[limits]` section of the configuration file, whose comments are the descriptions below. Times are
seconds. The caps on frames belong to the protocol and live in `protocol.framing`.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from dalmuti.protocol import messages as msg
from dalmuti.protocol.framing import TO_CLIENT_LIMIT, TO_SERVER_LIMIT

HUMAN_DELAY = 0.8
"""The mean delay of a house bot that a person can follow; other delays are a pace beside it."""


class Bucket:
    """Lets through `burst` at once, and `per_second` in the long run; what is refused is free."""

    def __init__(self, burst: int, per_second: float) -> None:
        self._burst, self._per_second = burst, per_second
        self._left, self._at = float(burst), 0.0

    def wait(self, now: float) -> float:
        """Takes one and returns 0, or returns the seconds until there is one again."""
        self._left = min(self._burst, self._left + (now - self._at) * self._per_second)
        self._at = now
        if self._left >= 1:
            self._left -= 1
            return 0.0
        return (1 - self._left) / self._per_second


class Limits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the server does not go beyond."""

    connections: Annotated[int, Meta(ge=1, le=100_000, description="Connections at once.")] = 500
    tables: Annotated[int, Meta(ge=1, le=100_000, description="Open tables at once.")] = 200
    watchers: Annotated[int, Meta(ge=0, le=300, description="Spectators of one table.")] = 50
    house_bots: Annotated[
        int,
        Meta(ge=0, le=100_000, description="House bots of all tables; each is a connection."),
    ] = 250
    listed: Annotated[
        int,
        Meta(ge=20, le=300, description="Players a table lists, those included who left again."),
    ] = 60
    watch_burst: Annotated[
        int, Meta(ge=1, le=1000, description="Spectators who come to a table all at once.")
    ] = 20
    watch_per_second: Annotated[
        float, Meta(gt=0, le=1000, description="Spectators who come to a table after that.")
    ] = 2.0
    hello_seconds: Annotated[
        float, Meta(gt=0, le=600, description="A new connection must say hello within this time.")
    ] = 5.0
    ping_seconds: Annotated[
        float, Meta(gt=0, le=3600, description="Silence after which a client is pinged.")
    ] = 15.0
    dead_seconds: Annotated[
        float, Meta(gt=0, le=7200, description="Silence after which a connection is given up.")
    ] = 45.0
    write_seconds: Annotated[
        float, Meta(gt=0, le=600, description="A client must take what is sent within this time.")
    ] = 10.0
    outbox_items: Annotated[
        int, Meta(ge=600, le=100_000, description="Messages that may wait for one client.")
    ] = 2048
    outbox_bytes: Annotated[
        int, Meta(ge=300_000, description="Bytes that may wait for one client.")
    ] = 1_000_000
    resume_events: Annotated[
        int, Meta(ge=0, le=100_000, description="Events a table keeps for those who resume.")
    ] = 512
    grace_seconds: Annotated[
        float, Meta(ge=0, le=86_400, description="How long a lost seat waits for the stand-in.")
    ] = 20.0
    table_seconds: Annotated[
        float,
        Meta(ge=0, le=864_000, description="How long a table waits when all its people are lost."),
    ] = 600.0
    bot_seconds: Annotated[
        float, Meta(gt=0, le=600, description="A house bot must have sat down within this time.")
    ] = 15.0
    bot_retries: Annotated[
        int, Meta(ge=0, le=100, description="How often a lost house bot is started again.")
    ] = 3
    window_seconds: Annotated[
        float, Meta(ge=0, le=20, description="The revolution window is open at least this long.")
    ] = 1.0
    window_most_seconds: Annotated[
        float, Meta(ge=1, le=600, description="The revolution window is open at most this long.")
    ] = 20.0
    standin_least: Annotated[
        float, Meta(ge=0, le=60, description="The shortest delay of a stand-in's move.")
    ] = 0.6
    standin_most: Annotated[
        float, Meta(ge=0, le=60, description="The longest delay of a stand-in's move.")
    ] = 1.6
    chat_burst: Annotated[
        int, Meta(ge=1, le=10_000, description="Chat messages of one client in quick succession.")
    ] = 10
    chat_per_second: Annotated[
        float, Meta(gt=0, le=1000, description="Chat messages of one client after that.")
    ] = 1.0
    stir_burst: Annotated[
        int,
        Meta(
            ge=1,
            le=10_000,
            description="Joins, leaves and the like of one client in quick succession;"
            " deals, decisions and nonces are never limited.",
        ),
    ] = 40
    stir_per_second: Annotated[
        float, Meta(gt=0, le=1000, description="Joins, leaves and the like after that.")
    ] = 5.0
    lobby_seconds: Annotated[
        float, Meta(ge=0, le=60, description="Changes of the lobby are collected for this long.")
    ] = 0.25
    stop_seconds: Annotated[
        float, Meta(gt=0, le=60, description="An orderly stop takes at most this long.")
    ] = 3.0

    def announce(self) -> msg.Limits:
        """What a client is told in `welcome`."""
        return msg.Limits(
            frame_to_server=TO_SERVER_LIMIT,
            frame_to_client=TO_CLIENT_LIMIT,
            chat_length=msg.MAX_CHAT,
            name_width=msg.MAX_NAME_WIDTH,
            ping_after_ms=round(self.ping_seconds * 1000),
            dead_after_ms=round(self.dead_seconds * 1000),
            grace_ms=round(self.grace_seconds * 1000),
            resume_events=self.resume_events,
        )
