"""Bodies of frames to messages and back: the one place where bytes from outside are decoded.

msgpack does the bytes, with a limit for each kind of container: without these, a frame of 4 KiB
made of nested array headers keeps the event loop busy for 30 ms and takes 22 MiB. msgspec then
makes typed messages of the plain values. The type is looked up by its tag first; converting to a
known class costs a quarter of converting to the union of all.

What a body may hold is less than msgpack can say: maps with text keys (none of them twice), arrays,
text, booleans, nil, and whole numbers of at most 53 bits and their sign, which every language can
hold exactly. No floats, no binary, no extension types.

Who sends something else is told so in one of two ways. Bytes that are no such map end the
connection (RemoteProtocolError). A map that is no valid message is answered (BadRequest), and the
connection goes on. A client cannot answer: for it both are RemoteProtocolError, but a message
or an event whose type it does not know is nothing wrong (architecture.md, Version).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, get_args

import msgpack
import msgspec
from msgspec import Struct

from dalmuti.core.events import Event, Seen
from dalmuti.protocol.errors import (
    BadRequest,
    ErrorCode,
    LocalProtocolError,
    RemoteProtocolError,
)
from dalmuti.protocol.messages import Act, ClientMessage, EventMessage, Message, ServerMessage

MAX_INT: Final = 2**53
"""The largest whole number, of either sign."""


class Limits(Struct, frozen=True, gc=False):
    """How large the parts of a body may be: entries of a map or array, bytes of a text, levels."""

    array: int
    map: int
    text: int
    depth: int


TO_SERVER: Final = Limits(array=32, map=64, text=1024, depth=6)
"""A client has little to say: the largest are 11 table options and 200 characters of chat."""
TO_CLIENT: Final = Limits(array=4096, map=256, text=4096, depth=12)
"""The longest arrays are the lobby's tables and people. A lead from 40 cards has at most 122
choices, a trick of 10 players some 130 acts. A snapshot is 7 levels deep."""


MOST_NAMES: Final = 5
"""Unknown fields of one message that are named to a strict session."""


class Unknown(Struct, frozen=True, gc=False):
    """A message of a type that this client does not know. It may be ignored."""

    t: str


class UnknownEvent(Struct, frozen=True, gc=False):
    """An event of a type that this client does not know: nothing but its number counts."""

    seq: int
    e: str


def _by_tag(classes: Iterable[Any]) -> dict[str, Any]:
    return {each.__struct_config__.tag: each for each in classes}


CLIENT_TYPES: Final[dict[str, type[ClientMessage]]] = _by_tag(get_args(ClientMessage))
SERVER_TYPES: Final[dict[str, type[ServerMessage]]] = _by_tag(get_args(ServerMessage))
EVENT_TYPES: Final[dict[str, type[Event]]] = _by_tag(get_args(Seen))

_encoder = msgspec.msgpack.Encoder()
_act = msgspec.msgpack.Decoder(Act)
ACT_BEGINS: Final = b"\x84\xa1t\xa3act"
"""A map of four fields, the first of which says that it is an `act`."""
LONGEST_ACT: Final = 128
"""Bytes; ours have 80 at most. In a longer one there could be so many levels that msgspec gives
up with an error of Python's own."""


def encode(message: Message) -> bytes:
    """The body of a message. Raises LocalProtocolError for text or numbers that have no form."""
    try:
        return _encoder.encode(message)
    except (UnicodeError, OverflowError, ValueError, TypeError) as error:
        raise LocalProtocolError(f"this message cannot be sent: {error}") from error


def decode_client(body: bytes) -> ClientMessage:
    """What a client sent. Raises RemoteProtocolError or BadRequest, and nothing else."""
    return to_client_message(unpack(body, TO_SERVER))


def act_of(body: bytes) -> Act | None:
    """The `act` in a body, if that is how we would write it ourselves; else None.

    Most of what a server hears is an `act` of our own clients. Where writing it again gives the
    same bytes, nothing in them can be twice, unknown or of a wrong kind: that is known in a tenth
    of the time that a closer look takes.
    """
    if len(body) > LONGEST_ACT or not body.startswith(ACT_BEGINS):
        return None
    try:
        message = _act.decode(body)
    except msgspec.DecodeError:
        return None
    usual = message.decision <= MAX_INT and _encoder.encode(message) == body
    return message if usual else None


def decode_server(body: bytes) -> ServerMessage | Unknown | UnknownEvent:
    """What a server sent. Raises RemoteProtocolError, and nothing else."""
    raw = unpack(body, TO_CLIENT)
    try:
        tag = _check(raw)
        message_type = SERVER_TYPES.get(tag)
        if message_type is None:
            return Unknown(tag)
        if message_type is EventMessage:
            seq, event = raw.get("seq"), raw.get("event")
            kind = event.get("e") if type(event) is dict else None
            if type(kind) is str and kind not in EVENT_TYPES and type(seq) is int:
                return UnknownEvent(seq, kind)
        return msgspec.convert(raw, message_type)
    except msgspec.ValidationError as error:
        raise RemoteProtocolError(f"the server sent a message that is none: {error}") from None
    except BadRequest as error:
        raise RemoteProtocolError(f"the server sent a message that is none: {error}") from None


class _Twice(ValueError):
    """A map has a key twice."""


def unpack(body: bytes, limits: Limits, *, strict: bool = False) -> dict[str, Any]:
    """The map in `body`. Raises RemoteProtocolError for anything but exactly one map.

    In a `strict` session a key that is there twice raises BadRequest, with the name of the key:
    the frame is not read, but nothing that follows it is in doubt.
    """
    try:
        value = msgpack.unpackb(
            body,
            object_pairs_hook=_pairs,
            ext_hook=_no_ext,
            max_array_len=limits.array,
            max_map_len=limits.map,
            max_str_len=limits.text,
            max_bin_len=limits.text,
            max_ext_len=0,
        )
    except _Twice as error:
        text = f"a frame of {len(body)} bytes cannot be decoded: {error}"
        if strict:
            raise BadRequest(ErrorCode.BAD_REQUEST, f"{text}; the frame was not read") from None
        raise RemoteProtocolError(text) from None
    except Exception as error:  # its errors share no base class; see server.md
        reason = str(error)[:120] or type(error).__name__
        raise RemoteProtocolError(
            f"a frame of {len(body)} bytes cannot be decoded: {reason}"
        ) from None
    if type(value) is not dict:
        raise RemoteProtocolError(f"expected a map in every frame, found {type(value).__name__}")
    if _deeper(value, limits.depth):
        raise RemoteProtocolError(f"expected at most {limits.depth} levels in a frame, found more")
    return value


def to_client_message(raw: dict[str, Any]) -> ClientMessage:
    """The message in a map that a client sent. Raises BadRequest."""
    request = request_of(raw)
    try:
        tag = _check(raw)
    except BadRequest as error:
        error.request = request
        raise
    message_type = CLIENT_TYPES.get(tag)
    if message_type is None:
        known = ", ".join(CLIENT_TYPES)
        raise BadRequest(
            ErrorCode.UNKNOWN_TYPE,
            f"no message is of type {tag[:30]!r}; types are {known}",
            request,
        )
    try:
        return msgspec.convert(raw, message_type)
    except msgspec.ValidationError as error:
        raise BadRequest(ErrorCode.BAD_REQUEST, f"{tag}: {error}", request) from None


def unknown_fields(raw: dict[str, Any], message: Struct, where: str = "") -> list[str]:
    """The names of what is in a map and in no field of the message that was made of it.

    What is deeper than the message itself is named with its way: `choice.colour`.
    """
    config = message.__struct_config__
    known = {*message.__struct_fields__, config.tag_field}
    found = [f"{where}{name}" for name in raw if name not in known]
    for name in message.__struct_fields__:
        inner, value = raw.get(name), getattr(message, name)
        if type(inner) is dict and isinstance(value, Struct):
            found += unknown_fields(inner, value, f"{where}{name}.")
    return found


def remark(raw: dict[str, Any], message: Struct) -> str:
    """What a strict session is told of a message that was understood all the same; mostly ""."""
    found = unknown_fields(raw, message)
    if not found:
        return ""
    kind = message.__struct_config__.tag
    number = "" if (request := request_of(raw)) is None else f" {request}"
    names = ", ".join(map(_short, found[:MOST_NAMES]))
    more = f" and {len(found) - MOST_NAMES} more" if len(found) > MOST_NAMES else ""
    return f"{kind}{number}: no field of it is called {names}{more}"


def request_of(raw: dict[str, Any]) -> int | None:
    """The number of a request, if it has a valid one."""
    number = raw.get("id")
    return number if type(number) is int and 0 <= number < 2**31 else None


def _pairs(pairs: list[tuple[Any, Any]]) -> dict[str, Any]:
    """A map of text keys; two entries of one name are an error, since readers would differ."""
    made = dict(pairs)
    for key in made:
        if type(key) is not str:
            raise ValueError("the keys of a map have to be text")
    if len(made) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in made if names.count(name) > 1)
        raise _Twice(f"a map has the same key twice: {_short(twice)}")
    return made


def _short(name: str) -> str:
    """A name that a stranger made up, as it may stand in a sentence."""
    return repr(name if len(name) <= 30 else f"{name[:30]}...")


def _no_ext(code: int, data: bytes) -> Any:
    raise ValueError(f"extension type {code} is not used here")


def _deeper(value: Any, depth: int) -> bool:
    """Whether containers nest more than `depth` levels. Without recursion: 1024 are possible."""
    level = [value]
    for _ in range(depth + 1):
        below: list[Any] = []
        for item in level:
            if type(item) is dict:
                below.extend(item.values())
            elif type(item) is list:
                below.extend(item)
        if not below:
            return False
        level = below
    return True


def _check(raw: dict[str, Any]) -> str:
    """The type of a message whose values are of the kinds that are used. Raises BadRequest."""
    todo: list[Any] = [raw]
    while todo:
        item = todo.pop()
        kind = type(item)
        if kind is dict:
            todo.extend(item.values())
        elif kind is list:
            todo.extend(item)
        elif kind is int:
            if not -MAX_INT <= item <= MAX_INT:
                raise BadRequest(
                    ErrorCode.BAD_REQUEST, "expected whole numbers of at most 53 bits, found more"
                )
        elif kind is not str and kind is not bool and item is not None:
            raise BadRequest(
                ErrorCode.BAD_REQUEST,
                "expected text, whole numbers, booleans, nil, arrays and maps,"
                f" found {'a float' if kind is float else 'binary data'}",
            )
    tag = raw.get("t")
    if type(tag) is not str:
        raise BadRequest(ErrorCode.BAD_REQUEST, "expected a text `t` that names the message's type")
    return tag
