"""Every number the server is bound by, in one place.

What a client must know of them is announced in `welcome` (`announce`); all can be set in the
`[limits]` section of the configuration file, whose comments are the descriptions below. Times are
seconds. The caps on frames belong to the protocol and live in `protocol.framing`.
"""

from __future__ import annotations

from typing import Annotated, Final, get_args

from msgspec import Meta, Struct

from dalmuti.protocol import messages as msg
from dalmuti.protocol.framing import TO_CLIENT_LIMIT, TO_SERVER_LIMIT

HUMAN_DELAY = 0.8
"""The mean delay of a house bot that a person can follow; other delays are a pace beside it."""


ROUNDING: Final = 1e-6
"""So much less is enough: who slept for exactly what he was told finds a sum that was rounded."""


class Bucket:
    """Lets through `burst` at once, and `per_second` in the long run; what is refused is free.

    So the wait never grows by asking again (server.md I-73).
    """

    def __init__(self, burst: int, per_second: float) -> None:
        self._burst, self._per_second = burst, per_second
        self._left, self._at = float(burst), 0.0

    def wait(self, now: float, cost: int = 1) -> float:
        """Takes `cost` and returns 0, or returns the seconds until there is so much again.

        What costs more than the whole burst has the price of the burst.
        """
        cost = min(cost, self._burst)
        self._left = min(self._burst, self._left + (now - self._at) * self._per_second)
        self._at = now
        if self._left > cost - ROUNDING:
            self._left -= cost
            return 0.0
        return (cost - self._left) / self._per_second

    def give_back(self, cost: int = 1) -> None:
        """What was taken for something that turned out to be free."""
        self._left = min(self._burst, self._left + cost)


class Limits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the server does not go beyond."""

    connections: Annotated[int, Meta(ge=1, le=100_000, description="Connections at once.")] = 500
    address_connections: Annotated[
        int,
        Meta(
            ge=1,
            le=100_000,
            description="Connections at once from one address (of IPv6: one /64);"
            " this machine itself, where the house bots are, may have all.",
        ),
    ] = 64
    address_waiting: Annotated[
        int,
        Meta(
            ge=1,
            le=100_000,
            description="Connections from one address that have not said hello yet;"
            " one more ends the oldest of them.",
        ),
    ] = 32
    connect_burst: Annotated[
        int, Meta(ge=1, le=100_000, description="New connections from one address all at once.")
    ] = 100
    connect_per_second: Annotated[
        float, Meta(gt=0, le=10_000, description="New connections from one address after that.")
    ] = 20.0
    join_burst: Annotated[
        int, Meta(ge=1, le=10_000, description="Seats taken from one address all at once.")
    ] = 60
    join_per_second: Annotated[
        float, Meta(gt=0, le=1000, description="Seats taken from one address after that.")
    ] = 1.0
    secret_burst: Annotated[
        int,
        Meta(ge=1, le=1000, description="Wrong tokens or passwords from one address at once."),
    ] = 10
    secret_seconds: Annotated[
        float, Meta(gt=0, le=86_400, description="The time after which so many may come again.")
    ] = 600.0
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
    handshake_seconds: Annotated[
        float, Meta(gt=0, le=600, description="A TLS handshake must be done within this time.")
    ] = 5.0
    frame_seconds: Annotated[
        float, Meta(gt=0, le=600, description="A frame must be complete this long after it began.")
    ] = 10.0
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
    gather_seconds: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="What a client hears waits so long for more, unless it is asked something;"
            " 0: not at all.",
        ),
    ] = 0.0
    forced_moves: Annotated[
        bool,
        Meta(
            description="Moves that are no choice are made at once, for tables of bots; at others"
            " that would tell what somebody holds.",
        ),
    ] = False
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
    restart_bonus: Annotated[
        float,
        Meta(ge=0, le=3600, description="Added to a running clock when the server starts again."),
    ] = 20.0
    bot_seconds: Annotated[
        float, Meta(gt=0, le=600, description="A house bot must have sat down within this time.")
    ] = 15.0
    bot_retries: Annotated[
        int, Meta(ge=0, le=100, description="How often a lost house bot is started again.")
    ] = 3
    lag_seconds: Annotated[
        float,
        Meta(ge=0, le=60, description="An answer may come so long after its clock is up."),
    ] = 0.0
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
    lobby_burst: Annotated[
        int,
        Meta(
            ge=1,
            le=10_000,
            description="Joins, leaves and the like of one client in quick succession;"
            " the list of tables and a new table count as five.",
        ),
    ] = 40
    lobby_per_second: Annotated[
        float, Meta(gt=0, le=1000, description="Joins, leaves and the like after that.")
    ] = 5.0
    game_burst: Annotated[
        int,
        Meta(
            ge=1,
            le=10_000,
            description="Refused decisions of one client in quick succession;"
            " those that are taken do not count, so that no fast legal game is ever limited.",
        ),
    ] = 100
    game_per_second: Annotated[
        float, Meta(gt=0, le=1000, description="Refused decisions of one client after that.")
    ] = 20.0
    noise_burst: Annotated[
        int,
        Meta(ge=1, le=10_000, description="Pings, and requests that are none, of one client."),
    ] = 50
    noise_per_second: Annotated[
        float,
        Meta(gt=0, le=1000, description="Pings, and requests that are none, after that."),
    ] = 10.0
    refused_pause: Annotated[
        float,
        Meta(ge=0, le=1, description="Seconds before the next request of who asks too fast."),
    ] = 0.02
    standin_hands: Annotated[
        int,
        Meta(
            ge=0,
            le=1000,
            description="Whole hands without a decision of its player's own after which a seat"
            " is freed; 0: never.",
        ),
    ] = 3
    log_seconds: Annotated[
        float,
        Meta(ge=0, le=86_400, description="One line in the log per kind, address and this time."),
    ] = 60.0
    lobby_seconds: Annotated[
        float, Meta(ge=0, le=60, description="Changes of the lobby are collected for this long.")
    ] = 0.25
    drain_seconds: Annotated[
        float,
        Meta(
            ge=0,
            le=60,
            description="At SIGTERM or SIGINT, hands that are played have this long to end.",
        ),
    ] = 2.0
    stop_seconds: Annotated[
        float, Meta(gt=0, le=60, description="An orderly stop takes at most this long.")
    ] = 3.0

    def rate(self, bucket: msg.Bucket) -> tuple[int, float]:
        """What a bucket lets through: at once, and per second after that."""
        return {
            "chat": (self.chat_burst, self.chat_per_second),
            "lobby": (self.lobby_burst, self.lobby_per_second),
            "game": (self.game_burst, self.game_per_second),
            "nonce": (self.game_burst, self.game_per_second),
            "join": (self.join_burst, self.join_per_second),
            "watch": (self.watch_burst, self.watch_per_second),
            "secret": (self.secret_burst, self.secret_burst / self.secret_seconds),
        }[bucket]

    def told(self, bucket: msg.Bucket) -> msg.Rate:
        """The same as a client is told it."""
        burst, per_second = self.rate(bucket)
        return msg.Rate(limit=burst, window_ms=round(1000 * burst / per_second))

    def announce(self) -> msg.Limits:
        """What a client is told in `welcome`."""
        return msg.Limits(
            frame_to_server=TO_SERVER_LIMIT,
            frame_to_client=TO_CLIENT_LIMIT,
            chat_length=msg.MAX_CHAT,
            name_width=msg.MAX_NAME_WIDTH,
            ping_after_ms=_ms(self.ping_seconds),
            dead_after_ms=_ms(self.dead_seconds),
            grace_ms=_ms(self.grace_seconds),
            resume_events=self.resume_events,
            frame_ms=_ms(self.frame_seconds),
            write_ms=_ms(self.write_seconds),
            table_ms=_ms(self.table_seconds),
            outbox_items=self.outbox_items,
            outbox_bytes=self.outbox_bytes,
            connections=self.connections,
            address_connections=self.address_connections,
            tables=self.tables,
            watchers=self.watchers,
            standin_hands=self.standin_hands,
            rates={bucket: self.told(bucket) for bucket in get_args(msg.Bucket)},
        )


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
