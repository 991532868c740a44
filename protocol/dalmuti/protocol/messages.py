"""Every message of protocol version 1, one class each, both directions.

`t` names the type in every message. docs/protocol.md and the JSON Schema are made from these
classes, so the docstring of a class and the description of a field are what a stranger reads who
writes a client in another language. Adding a message or an optional field is free; changing or
removing one needs a new PROTOCOL_VERSION.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from dalmuti.core.cards import Play
from dalmuti.core.events import PlayerId, Question, Seen
from dalmuti.core.moves import Call, Decline, Give, Pass
from dalmuti.core.options import TableOptions
from dalmuti.core.views import TableView

PROTOCOL_VERSION: Final = 1
VERSIONS: Final = (1, 1)
"""The lowest and highest protocol version that this code speaks."""

MAX_NAME_WIDTH: Final = 20
MAX_TABLE_WIDTH: Final = 24
MAX_CHAT: Final = 200

RequestId = Annotated[
    int,
    Meta(ge=0, le=2**31 - 1, description="Chosen by the client; the answer repeats it as `re`."),
]
NameText = Annotated[
    str, Meta(min_length=1, max_length=60, description="At most 20 terminal cells wide.")
]
TableName = Annotated[
    str,
    Meta(min_length=1, max_length=60, description="The name of a table; at most 24 cells wide."),
]
Password = Annotated[str, Meta(max_length=100)]
Choice = Play | Pass | Give | Call | Decline
"""One thing that may be decided; `do` names the kind."""


class Message(Struct, frozen=True, gc=False, kw_only=True, tag_field="t", omit_defaults=True):
    """Anything that goes over the wire."""


# -- towards the server -----------------------------------------------------------------------


class Hello(Message, frozen=True, kw_only=True, tag="hello"):
    """The first message of every client. Answered by `welcome`, or by `bye` and the end."""

    versions: Annotated[
        tuple[int, int], Meta(description="Lowest and highest protocol version the client speaks.")
    ]
    name: NameText
    kind: Annotated[
        Literal["human", "bot"], Meta(description="`bot` for anything that decides by itself.")
    ] = "human"
    client: Annotated[str, Meta(max_length=60, description="Program and version, for the log.")] = (
        ""
    )
    password: Annotated[
        Password | None, Meta(description="The server's password, where it has one.")
    ] = None
    strict: Annotated[
        bool, Meta(description="For authors: what is otherwise ignored is told as an `error`.")
    ] = False


class Request(Message, frozen=True, kw_only=True):
    """A message that gets exactly one answer: `ok`, or `error` with a code."""

    id: RequestId


class ListTables(Request, frozen=True, kw_only=True, tag="list"):
    """Asks for the tables: `lobby` comes now, and on every change until a table is joined."""


class CreateTable(Request, frozen=True, kw_only=True, tag="create"):
    """Opens a table and sits down at it as its host. `seated` and `snapshot` follow."""

    table: TableName
    options: Annotated[
        dict[str, str | int],
        Meta(description="Table options by name; those left out have their default."),
    ] = {}
    password: Annotated[
        Password | None, Meta(description="Needed to join or watch from now on.")
    ] = None
    solo: Annotated[
        bool, Meta(description="For one person and house bots: nobody else can sit down.")
    ] = False
    seed: (
        Annotated[
            int,
            Meta(ge=0, le=2**53, description="Plays known deals; the table is marked as not fair."),
        ]
        | None
    ) = None
    watch: Annotated[
        bool, Meta(description="The host does not sit down but watches, as an arena does.")
    ] = False


class JoinTable(Request, frozen=True, kw_only=True, tag="join"):
    """Sits down, or watches. `seated` (a player) and `snapshot` follow.

    During a hand a newcomer waits, and plays from the next hand on as the lowest Merchant.
    """

    table: TableName
    watch: Annotated[bool, Meta(description="As a spectator.")] = False
    password: Password | None = None
    ticket: (
        Annotated[str, Meta(max_length=64, description="Given to house bots by the server.")] | None
    ) = None


class Resume(Request, frozen=True, kw_only=True, tag="resume"):
    """Takes a seat back by its token, in whatever state the table is; no password is needed.

    `seated` follows with a new token. Then come all events after `seq`, if the server still has
    them, else a `snapshot`; then the pending `decision`, if there is one.
    """

    table: TableName
    token: Annotated[str, Meta(max_length=64)]
    seq: (
        Annotated[int, Meta(ge=0, description="The last event seen; absent: send a snapshot.")]
        | None
    ) = None
    instance: (
        Annotated[
            str, Meta(max_length=64, description="`instance` of the `welcome` that `seq` is of.")
        ]
        | None
    ) = None


class Leave(Request, frozen=True, kw_only=True, tag="leave"):
    """Gets up from the table, for good. Always works. In a hand the stand-in plays on."""


class Act(Request, frozen=True, kw_only=True, tag="act"):
    """Answers a `decision`. The choice may be any of `choices`."""

    decision: Annotated[int, Meta(ge=0, description="`decision` of the message it answers.")]
    choice: Choice


class Nonce(Request, frozen=True, kw_only=True, tag="nonce"):
    """Adds randomness to the next deal, after its commitment and before it is dealt. Voluntary."""

    hand: Annotated[int, Meta(ge=1, description="The number of the hand it is for.")]
    nonce: Annotated[
        str, Meta(pattern="^([0-9a-f]{2}){1,32}$", description="1 to 32 bytes in hexadecimal.")
    ]


class Deal(Request, frozen=True, kw_only=True, tag="deal"):
    """Deals the next hand; after the end of a match, the first of a new one. The host only."""


class AddBot(Request, frozen=True, kw_only=True, tag="add_bot"):
    """Seats a house bot. The host only, between hands. It comes as a `player_joined` event."""

    bot: Annotated[str, Meta(max_length=30, description="`random`, `greedy`: see `welcome.bots`.")]


class Kick(Request, frozen=True, kw_only=True, tag="kick"):
    """Frees the seat of a player or a bot. The host only, between hands.

    Who was kicked cannot come back to the table under another name, unless the host allows it.
    """

    player: PlayerId


class Allow(Request, frozen=True, kw_only=True, tag="allow"):
    """Lets all who were kicked from the table come back. The host only."""


class GiveHost(Request, frozen=True, kw_only=True, tag="give_host"):
    """Makes another player the host. The host only."""

    player: PlayerId


class Close(Request, frozen=True, kw_only=True, tag="close"):
    """Ends the table for everyone. The host only, between hands."""


class Chat(Request, frozen=True, kw_only=True, tag="chat"):
    """Says something to everyone at the table."""

    text: Annotated[str, Meta(min_length=1, max_length=MAX_CHAT)]


class Away(Request, frozen=True, kw_only=True, tag="away"):
    """Lets the stand-in play, or takes the seat back."""

    away: bool = True


class Enlist(Request, frozen=True, kw_only=True, tag="enlist"):
    """Enters the ladder, for `kind: bot` at no table. `enlisted` follows.

    From then on the server seats you at one rated table after the other: `seated` and `snapshot`
    come by themselves, and `unseated` after each match. If a rated match of yours is being played,
    you have your seat there back at once. `leave` ends it.
    """

    name: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=60,
            description="Under which you are rated; yours for good once you have played under it.",
        ),
    ]
    key: (
        Annotated[
            str,
            Meta(
                max_length=64,
                description="From the `enlisted` that first gave you this name; absent: the name"
                " is new.",
            ),
        ]
        | None
    ) = None


class ListLadder(Request, frozen=True, kw_only=True, tag="ladder"):
    """Asks for the ladder, from anywhere. `standings` follows."""

    after: Annotated[
        int, Meta(ge=0, le=2**31 - 1, description="So many of the best are left out.")
    ] = 0
    most: Annotated[int, Meta(ge=1, le=100, description="So many rows at most.")] = 50


class Ping(Message, frozen=True, kw_only=True, tag="ping"):
    """Asks whether the other side is there. Answered by `pong`."""

    n: Annotated[int, Meta(ge=0, le=2**31 - 1, description="Repeated in the `pong`.")] = 0


class Pong(Message, frozen=True, kw_only=True, tag="pong"):
    """The answer to `ping`."""

    n: Annotated[int, Meta(ge=0, le=2**31 - 1)] = 0


class Bye(Message, frozen=True, kw_only=True, tag="bye"):
    """The sender ends the connection. A client may say it too; its seat is then held as lost."""

    reason: Annotated[str, Meta(description="A code; see the list of reasons.")]
    message: Annotated[str, Meta(description="The same for people, in English.")] = ""
    versions: Annotated[
        tuple[int, int] | None,
        Meta(description="With `version_unsupported`: what the server speaks."),
    ] = None


# -- towards the client -----------------------------------------------------------------------


Bucket = Literal["chat", "lobby", "game", "nonce", "join", "watch", "secret"]
"""Requests that are counted together: see `rates` in `welcome`."""


class Rate(Struct, frozen=True, gc=False, kw_only=True):
    """So many at once, and so many again after a while."""

    limit: Annotated[int, Meta(description="So many at once.")]
    window_ms: Annotated[int, Meta(description="The time in which an empty one is full again.")]


class Limits(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """What the server will not go beyond. All numbers may differ from server to server."""

    frame_to_server: Annotated[int, Meta(description="Bytes of the largest frame it takes.")]
    frame_to_client: Annotated[int, Meta(description="Bytes of the largest frame it sends.")]
    chat_length: Annotated[int, Meta(description="Characters of a chat message.")]
    name_width: Annotated[int, Meta(description="Terminal cells of a name.")]
    ping_after_ms: Annotated[int, Meta(description="Silence after which the server pings.")]
    dead_after_ms: Annotated[int, Meta(description="Silence after which it hangs up.")]
    grace_ms: Annotated[int, Meta(description="How long a lost seat waits for the stand-in.")]
    resume_events: Annotated[int, Meta(description="How many events a resume can catch up.")]
    frame_ms: Annotated[
        int | None, Meta(description="A frame must be complete this long after it began.")
    ] = None
    write_ms: Annotated[
        int | None, Meta(description="What is sent to you must be taken within this time.")
    ] = None
    table_ms: Annotated[
        int | None, Meta(description="How long a table waits when all its people are lost.")
    ] = None
    outbox_items: Annotated[int | None, Meta(description="Messages that may wait for you.")] = None
    outbox_bytes: Annotated[int | None, Meta(description="Bytes that may wait for you.")] = None
    connections: Annotated[int | None, Meta(description="Connections at once.")] = None
    address_connections: Annotated[
        int | None, Meta(description="Connections at once from one address.")
    ] = None
    tables: Annotated[int | None, Meta(description="Open tables at once.")] = None
    watchers: Annotated[int | None, Meta(description="Spectators of one table.")] = None
    standin_hands: Annotated[
        int | None,
        Meta(description="Hands without a decision of yours after which your seat is freed."),
    ] = None
    rates: Annotated[
        dict[str, Rate],
        Meta(description="How often something may be asked, by the `bucket` of `rate_limited`."),
    ] = {}


class Welcome(Message, frozen=True, kw_only=True, tag="welcome"):
    """The answer to `hello`: the connection is open."""

    version: Annotated[int, Meta(description="The protocol version that is spoken from here on.")]
    server: Annotated[str, Meta(description="Program and version.")]
    instance: Annotated[str, Meta(description="Differs after every start of the server.")]
    name: Annotated[str, Meta(description="Your name as others see it, cleaned.")]
    bots: Annotated[tuple[str, ...], Meta(description="House bots that `add_bot` knows.")] = ()
    limits: Limits
    message: Annotated[str, Meta(description="A greeting from whoever runs the server.")] = ""


class Ok(Message, frozen=True, kw_only=True, tag="ok"):
    """A request was done."""

    re: RequestId


class Error(Message, frozen=True, kw_only=True, tag="error"):
    """A request was refused, and nothing has changed."""

    re: Annotated[
        int | None, Meta(description="The request's `id`; absent where it could not be read.")
    ] = None
    code: Annotated[str, Meta(description="One of the list of error codes.")]
    message: Annotated[str, Meta(description="The same for people, in English.")]
    retry_after_ms: Annotated[
        int | None, Meta(description="With `rate_limited`: when to try again.")
    ] = None
    bucket: Annotated[
        str | None, Meta(description="With `rate_limited`: which of the `rates` of `welcome`.")
    ] = None
    limit: Annotated[int | None, Meta(description="With `rate_limited`: so many at once.")] = None
    window_ms: Annotated[
        int | None, Meta(description="With `rate_limited`: the time in which so many may come.")
    ] = None


class TableInfo(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """A table as the lobby shows it."""

    table: str
    options: TableOptions
    state: Literal["waiting", "hand", "between", "over"]
    people: Annotated[int, Meta(description="Seats taken by people.")] = 0
    bots: Annotated[int, Meta(description="Seats taken by bots.")] = 0
    watchers: int = 0
    hand: Annotated[int, Meta(description="The number of the current or last hand.")] = 0
    host: Annotated[str, Meta(description="The host's name.")] = ""
    locked: Annotated[bool, Meta(description="It needs a password.")] = False
    solo: bool = False
    fair: bool = True
    rated: Annotated[bool, Meta(description="A table of the ladder; others can watch.")] = False


class Lobby(Message, frozen=True, kw_only=True, tag="lobby"):
    """The open tables, and the names of those who are at none."""

    tables: tuple[TableInfo, ...] = ()
    people: tuple[str, ...] = ()


class Seated(Message, frozen=True, kw_only=True, tag="seated"):
    """You have a seat. Keep the token: it gets you back to it from anywhere, once."""

    table: str
    player: PlayerId
    token: str


class Countdown(Struct, frozen=True, gc=False):
    """A lost player, and the time until the stand-in plays for him."""

    player: PlayerId
    ms: int


class Snapshot(Message, frozen=True, kw_only=True, tag="snapshot"):
    """The whole table as you may know it. Events after `seq` follow."""

    seq: Annotated[int, Meta(description="The number of the last event it includes.")]
    table: TableView
    ms: Annotated[int | None, Meta(description="What is left of the clock of `turn`.")] = None
    countdowns: tuple[Countdown, ...] = ()


class EventMessage(Message, frozen=True, kw_only=True, tag="event"):
    """Something happened at your table. Numbers go up by one for all viewers alike."""

    seq: int
    event: Seen


class Decision(Message, frozen=True, kw_only=True, tag="decision"):
    """Decide something. Unanswered, `default` is done when the time is up."""

    decision: Annotated[int, Meta(description="Repeat it in `act`.")]
    kind: Question
    choices: Annotated[
        tuple[Choice, ...], Meta(description="Every legal choice, the weakest set first.")
    ]
    default: Choice
    ms: Annotated[int | None, Meta(description="Milliseconds left; absent: no clock.")] = None


class Unseated(Message, frozen=True, kw_only=True, tag="unseated"):
    """You are at no table any more: you left, were kicked, or the table is closed."""

    table: str
    reason: Literal["left", "kicked", "lost", "closed", "replaced"]


class Draining(Message, frozen=True, kw_only=True, tag="draining"):
    """The server will stop soon. Tables go on until then; no new ones are opened."""

    ms: int


class Notice(Message, frozen=True, kw_only=True, tag="notice"):
    """Whoever runs the server says something to everybody."""

    text: Annotated[str, Meta(max_length=MAX_CHAT)]


class Enlisted(Message, frozen=True, kw_only=True, tag="enlisted"):
    """You are in the ladder, and will be seated when a rated table has a place for you."""

    name: Annotated[str, Meta(description="Your name in the ladder, cleaned.")]
    key: Annotated[
        str | None,
        Meta(
            description="With a new name: keep it, and keep it secret. Nobody, you included, can"
            " play under this name without it."
        ),
    ] = None


class Rank(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One row of the ladder: a rated bot and all that it has played."""

    name: Annotated[str, Meta(description="The name it is rated by; of a house bot, its kind.")]
    mu: Annotated[int, Meta(description="The estimate of its strength, in thousandths.")]
    sigma: Annotated[int, Meta(description="How uncertain that is, in thousandths.")]
    matches: Annotated[int, Meta(description="Rated matches it played to the end.")]
    hands: Annotated[int, Meta(description="Hands in them.")]
    points: Annotated[
        int,
        Meta(description="Points in them; a hand in which the stand-in moved for it counts none."),
    ]
    firsts: Annotated[int, Meta(description="Hands in which it was first, without the stand-in.")]
    house: Annotated[bool, Meta(description="A house bot, seated to fill up tables.")] = False
    here: Annotated[bool, Meta(description="Enlisted at the moment.")] = False


class Ladder(Message, frozen=True, kw_only=True, tag="standings"):
    """The ladder, by `mu` - 3 `sigma`, the best first. Who has finished no match is not in it."""

    ranks: Annotated[tuple[Rank, ...], Meta(description="The rows that were asked for.")] = ()
    total: Annotated[int, Meta(description="How many rows there are.")] = 0
    seats: Annotated[int, Meta(description="Seats of a rated table.")]
    hands: Annotated[int, Meta(description="Hands of a rated match.")]


ClientMessage = (
    Hello
    | ListTables
    | CreateTable
    | JoinTable
    | Resume
    | Leave
    | Act
    | Nonce
    | Deal
    | AddBot
    | Kick
    | Allow
    | GiveHost
    | Close
    | Chat
    | Away
    | Enlist
    | ListLadder
    | Ping
    | Pong
    | Bye
)
"""Everything a client may send."""

ServerMessage = (
    Welcome
    | Ok
    | Error
    | Lobby
    | Seated
    | Snapshot
    | EventMessage
    | Decision
    | Unseated
    | Draining
    | Notice
    | Enlisted
    | Ladder
    | Ping
    | Pong
    | Bye
)
"""Everything a server may send."""
