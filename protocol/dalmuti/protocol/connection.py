"""One connection as a state machine without I/O: bytes in, messages out, and bytes to send.

Both sides run the same table. Three verbs, no callbacks: `receive_data` takes what the socket gave,
`next_message` is called until it says NEED_DATA, `send` returns what to write. The caller does all
waiting. Clocks (time to hello, pings, idle) are the caller's as well.

    START --hello--> GREETED --welcome--> OPEN --bye--> CLOSED
      +----------------- bye ----------------------------^
"""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import Any, Final, Generic, Literal, TypeVar, cast, overload

from dalmuti.protocol import codec
from dalmuti.protocol.codec import Unknown, UnknownEvent
from dalmuti.protocol.errors import (
    BadRequest,
    ByeReason,
    LocalProtocolError,
    ProtocolError,
    RemoteProtocolError,
)
from dalmuti.protocol.framing import (
    HELLO_LIMIT,
    TO_CLIENT_LIMIT,
    TO_SERVER_LIMIT,
    FrameBuffer,
    frame,
)
from dalmuti.protocol.messages import (
    VERSIONS,
    Bye,
    ClientMessage,
    Error,
    Hello,
    Message,
    ServerMessage,
    Welcome,
)

Role = Literal["client", "server"]


class State(StrEnum):
    """Where a connection is."""

    START = "start"
    GREETED = "greeted"
    OPEN = "open"
    CLOSED = "closed"


TRANSITIONS: Final[dict[State, dict[tuple[Role, str], State]]] = {
    State.START: {
        ("client", "hello"): State.GREETED,
        ("client", "bye"): State.CLOSED,
        ("server", "bye"): State.CLOSED,
    },
    State.GREETED: {
        ("server", "welcome"): State.OPEN,
        ("client", "bye"): State.CLOSED,
        ("server", "bye"): State.CLOSED,
    },
    State.OPEN: {
        ("client", "other"): State.OPEN,
        ("server", "other"): State.OPEN,
        ("client", "bye"): State.CLOSED,
        ("server", "bye"): State.CLOSED,
    },
    State.CLOSED: {},
}
"""Who may say what in which state, and the state after it. What is not here is an error."""

MOST_FROM_SERVER: Final = 16 * TO_CLIENT_LIMIT
"""Bytes of the largest frame that a client takes, whatever the server announces."""


SAYS: Final[dict[Role, frozenset[type]]] = {
    "client": frozenset(codec.CLIENT_TYPES.values()),
    "server": frozenset(codec.SERVER_TYPES.values()),
}
"""What each side ever sends."""
PLAIN: Final[dict[Role, frozenset[type]]] = {
    role: types - {Hello, Welcome, Bye} for role, types in SAYS.items()
}
"""What of it changes no state, and is sent in OPEN."""


class NeedData(Enum):
    """The type of NEED_DATA."""

    NEED_DATA = "need data"


NEED_DATA: Final = NeedData.NEED_DATA
"""What `next_message` returns when the bytes so far hold no further message."""

In = TypeVar("In")
Out = TypeVar("Out", bound=Message)


class Connection(Generic[In, Out]):
    """One side of a connection: `Connection("server")` or `Connection("client")`."""

    @overload
    def __init__(
        self: Connection[ClientMessage, ServerMessage],
        role: Literal["server"],
        *,
        versions: tuple[int, int] = VERSIONS,
    ) -> None: ...

    @overload
    def __init__(
        self: Connection[ServerMessage | Unknown | UnknownEvent, ClientMessage],
        role: Literal["client"],
        *,
        versions: tuple[int, int] = VERSIONS,
    ) -> None: ...

    def __init__(self, role: Role, *, versions: tuple[int, int] = VERSIONS) -> None:
        self.role: Role = role
        self.peer: Role = "client" if role == "server" else "server"
        self.versions = versions
        """The lowest and highest version that this side speaks."""
        self.version: int | None = None
        """What both speak: known to the server with the hello, to the client with the welcome."""
        self.strict = False
        """To the server: whether the client wants to know what is ignored. It may be set as well,
        by one who wants to know it of any client."""
        self.remark = ""
        """Of a strict session: what was ignored in the message that came last, or nothing."""
        self.state = State.START
        self._frames = FrameBuffer(HELLO_LIMIT if role == "server" else TO_CLIENT_LIMIT)
        self._send_limit = TO_CLIENT_LIMIT if role == "server" else HELLO_LIMIT
        self._failed: RemoteProtocolError | None = None

    @property
    def in_frame(self) -> bool:
        """After NEED_DATA: whether a frame was begun and its end has not come yet."""
        return len(self._frames) > 0

    # -- sending ------------------------------------------------------------------------------

    def send(self, message: Out) -> bytes:
        """The bytes of `message`. After a `bye` nothing can be sent.

        Raises LocalProtocolError, and changes nothing, when it is not the time for this message
        or when it is larger than the other side takes.
        """
        kind = type(message)
        if self.state is State.OPEN and self._failed is None and kind in PLAIN[self.role]:
            return frame(codec.encode(message), self._send_limit)  # as nearly all are
        if kind not in SAYS[self.role]:
            raise LocalProtocolError(f"a {self.role} never sends {type(message).__name__}")
        after = TRANSITIONS[self.state].get((self.role, _kind(message)))
        if after is None or (self._failed is not None and after is not State.CLOSED):
            raise LocalProtocolError(
                f"{type(message).__name__} cannot be sent on a connection in state"
                f" {'failed' if self._failed else self.state.value}"
            )
        data = frame(codec.encode(message), self._send_limit)
        if after is not self.state:
            self._enter(after)
        return data

    def send_all(self, messages: tuple[Out, ...]) -> tuple[tuple[bytes, ...], int]:
        """The frames of several messages, and how many bytes they are; as `send` does it.

        For who tells the same to one connection after the other: those of the same tuple are made
        once. When one cannot be sent, none should be.
        """
        global _last
        is_open = self.state is State.OPEN and self._failed is None
        if is_open and messages is _last[0] and self._send_limit == _last[1]:
            return _last[2], _last[3]
        frames = tuple(map(self.send, messages))
        size = sum(map(len, frames))
        if is_open and self.state is State.OPEN:  # else each connection has to know of it
            _last = (messages, self._send_limit, frames, size)
        return frames, size

    # -- receiving ----------------------------------------------------------------------------

    def receive_data(self, data: bytes | bytearray | memoryview) -> None:
        """Takes bytes from the other side; when the connection is over they are dropped.

        Call `next_message` until NEED_DATA before feeding more, so that what is kept is bounded.
        """
        if self.state is not State.CLOSED and self._failed is None:
            self._frames.feed(data)

    def next_message(self) -> In | NeedData:
        """The next message of the other side, or NEED_DATA.

        To a server, what a client sent behind its `hello` is kept back until the welcome is sent.
        Raises BadRequest for a message that is to be answered by `error` (`error_for`), after which
        the connection goes on; and RemoteProtocolError, now and ever after, when only a `bye`
        (`bye_for`) can follow.
        """
        if self._failed is not None:
            raise _again(self._failed)
        if self.state is State.CLOSED or (self.role == "server" and self.state is State.GREETED):
            return NEED_DATA
        try:
            body = self._frames.next()
            if body is None:
                return NEED_DATA
            return cast(In, self._from_client(body) if self.role == "server" else self._read(body))
        except RemoteProtocolError as error:
            self._failed = _again(error)
            self._frames.clear()
            raise

    def _from_client(self, body: bytes) -> ClientMessage:
        if self.state is State.OPEN and not self.strict:
            if (act := codec.act_of(body)) is not None:
                return act
        raw = codec.unpack(body, codec.TO_SERVER, strict=self.strict)
        if self.state is not State.START:
            message = codec.to_client_message(raw)
            self._receive(message, ByeReason.BAD_HELLO)
            self.remark = codec.remark(raw, message) if self.strict else ""
            return message
        if raw.get("t") not in ("hello", "bye"):
            raise RemoteProtocolError("expected `hello` as the first message", ByeReason.BAD_HELLO)
        if raw["t"] == "hello":
            self.version = self._negotiate(raw.get("versions"))
        try:
            message = codec.to_client_message(raw)
        except BadRequest as error:
            raise RemoteProtocolError(str(error), ByeReason.BAD_HELLO) from None
        self._receive(message, ByeReason.BAD_HELLO)
        if isinstance(message, Hello) and (message.strict or self.strict):
            self.strict, self.remark = True, codec.remark(raw, message)
        return message

    def _negotiate(self, theirs: Any) -> int:
        """The highest common version. Before the rest of a hello is looked at: all of that may be
        different in a version to come."""
        if not (
            type(theirs) is list
            and len(theirs) == 2
            and all(type(number) is int for number in theirs)
            and 0 <= theirs[0] <= theirs[1] <= codec.MAX_INT
        ):
            raise RemoteProtocolError(
                "hello: expected `versions`, the lowest and the highest version that you speak",
                ByeReason.BAD_HELLO,
            )
        low, high = self.versions
        if theirs[0] > high or theirs[1] < low:
            older = "server" if theirs[0] > high else "client"
            raise RemoteProtocolError(
                f"this server speaks protocol {_range(low, high)}, your client"
                f" {_range(theirs[0], theirs[1])}: the {older} needs an update",
                ByeReason.VERSION_UNSUPPORTED,
            )
        return int(min(theirs[1], high))

    def _read(self, body: bytes) -> ServerMessage | Unknown | UnknownEvent:
        message = codec.decode_server(body)
        if isinstance(message, Welcome):
            low, high = self.versions
            if not low <= message.version <= high:
                raise RemoteProtocolError(
                    f"expected a server of protocol {_range(low, high)}, found {message.version}",
                    ByeReason.VERSION_UNSUPPORTED,
                )
            for name in ("frame_to_server", "frame_to_client"):
                limit = getattr(message.limits, name)
                if limit < HELLO_LIMIT:
                    raise RemoteProtocolError(
                        f"welcome: expected a `{name}` of at least {HELLO_LIMIT}, found {limit}"
                    )
        self._receive(message, ByeReason.BAD_FRAME)
        if isinstance(message, Welcome):
            self.version = message.version
            self._send_limit = min(message.limits.frame_to_server, MOST_FROM_SERVER)
            self._frames.limit = min(message.limits.frame_to_client, MOST_FROM_SERVER)
        return message

    def _receive(self, message: object, reason: ByeReason) -> None:
        after = TRANSITIONS[self.state].get((self.peer, _kind(message)))
        if after is None:
            raise RemoteProtocolError(
                f"a {type(message).__name__.lower()!r} cannot come now: the connection is in state"
                f" {self.state.value!r}",
                reason,
            )
        self._enter(after)

    def _enter(self, state: State) -> None:
        self.state = state
        if state is State.OPEN and self.role == "server":
            self._frames.limit = TO_SERVER_LIMIT
        elif state is State.CLOSED:
            self._frames.clear()


ServerConnection = Connection[ClientMessage, ServerMessage]
"""The type of `Connection("server")`."""
ClientConnection = Connection[ServerMessage | Unknown | UnknownEvent, ClientMessage]
"""The type of `Connection("client")`."""


_last: tuple[object, int, tuple[bytes, ...], int] = (None, 0, (), 0)
"""What `send_all` sent last, within which limit, and what it returned."""


def _again(error: RemoteProtocolError) -> RemoteProtocolError:
    """The same error without its traceback, which would hold all that saw it, and us: garbage."""
    return RemoteProtocolError(str(error), error.reason)


def bye_for(error: ProtocolError) -> Bye:
    """The `bye` that tells the other side what it did wrong."""
    versions = VERSIONS if error.reason is ByeReason.VERSION_UNSUPPORTED else None
    return Bye(reason=error.reason.value, message=str(error), versions=versions)


def error_for(error: BadRequest) -> Error:
    """The `error` that answers a request that is none."""
    return Error(re=error.request, code=error.code.value, message=str(error))


_KINDS: Final[dict[type, str]] = {Hello: "hello", Welcome: "welcome", Bye: "bye"}


def _kind(message: object) -> str:
    return _KINDS.get(type(message), "other")


def _range(low: int, high: int) -> str:
    return f"version {low}" if low == high else f"versions {low} to {high}"
