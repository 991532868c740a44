"""Bytes that are no message: what is answered, what ends the connection, what never happens."""

from __future__ import annotations

import json
import time
import tracemalloc
from pathlib import Path
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalmuti.core.cards import Play
from dalmuti.core.events import Passed
from dalmuti.core.moves import Call, Decline, Give, Pass
from dalmuti.core.options import TableOptions
from dalmuti.protocol import codec
from dalmuti.protocol.codec import Unknown, UnknownEvent
from dalmuti.protocol.errors import (
    BadRequest,
    ByeReason,
    ErrorCode,
    LocalProtocolError,
    RemoteProtocolError,
)
from dalmuti.protocol.messages import Act, Chat, EventMessage, Hello, Lobby, Ok, Ping


def nested(depth: int, inner: bytes = b"\xc0") -> bytes:
    """A ping with an unknown field in which arrays nest."""
    return b"\x82\xa1t\xa4ping\xa1x" + b"\x91" * depth + inner


HOSTILE = {
    "nothing": b"",
    "no map": b"\x93\x01\x02\x03",
    "nil": b"\xc0",
    "reserved byte": b"\xc1",
    "cut off": b"\x82\xa1t\xa4ping\xa1n",
    "trailing byte": msgpack.packb({"t": "ping"}) + b"\xc0",
    "two maps": msgpack.packb({"t": "ping"}) * 2,
    "16 KiB of nested arrays": b"\xdd\x00\x00\x40\x00" * 3276,
    "4 KiB of nested arrays in limits": b"\xdd\x00\x00\x00\x20" * 819,
    "huge array": b"\x81\xa1t\xdd\xff\xff\xff\xff",
    "huge map": b"\xdf\xff\xff\xff\xff",
    "huge text": b"\x81\xa1t\xdb\xff\xff\xff\xff",
    "long array": msgpack.packb({"t": "ping", "x": [0] * 5000}),
    "wide map": msgpack.packb({"t": "ping", **{str(n): n for n in range(300)}}),
    "long text": msgpack.packb({"t": "ping", "x": "y" * 5000}),
    "long binary": msgpack.packb({"t": "ping", "x": b"y" * 5000}),
    "extension": b"\x82\xa1t\xa4ping\xa1x" + msgpack.packb(msgpack.ExtType(5, b"")),
    "extension with data": b"\x82\xa1t\xa4ping\xa1x" + msgpack.packb(msgpack.ExtType(5, b"abcd")),
    "timestamp": b"\x82\xa1t\xa4ping\xa1x" + msgpack.packb(msgpack.Timestamp(1, 0)),
    "timestamp far away": b"\x82\xa1t\xa4ping\xa1x\xc7\x0c\xff" + b"\xff" * 12,
    "key twice": b"\x82\xa1t\xa4ping\xa1t\xa4pong",
    "key twice inside": b"\x82\xa1t\xa4ping\xa1x\x82\xa1a\x01\xa1a\x01",
    "binary key": b"\x81\xc4\x01t\xa4ping",
    "number as key": b"\x82\xa1t\xa4ping\x01\x02",
    "array as key": b"\x82\xa1t\xa4ping\x91\x01\x02",
    "invalid UTF-8": b"\x81\xa1t\xa2\xff\xfe",
    "lone surrogate": b"\x81\xa1t\xa3\xed\xa0\x80",
    "depth 100": nested(100),
    "depth 1000": nested(1000),
    "depth 1024": nested(1024),
    "depth 100000": nested(100_000),
    "maps, depth 1000": b"\x82\xa1t\xa4ping\xa1x" + b"\x81\xa1a" * 1000 + b"\xc0",
}
hostile = pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE.keys())


@hostile
def test_bytes_that_are_no_map_end_the_connection(body: bytes) -> None:
    for decode in (codec.decode_client, codec.decode_server):
        with pytest.raises(RemoteProtocolError) as error:
            decode(body)
        assert error.value.reason is ByeReason.BAD_FRAME
        assert len(str(error.value)) < 250 and str(error.value).isprintable()


@hostile
def test_I78_hostile_bytes_cost_little(body: bytes) -> None:
    """The limits of the containers hold: defaults take 66 MiB and 67 ms for 16 KiB of arrays."""
    tracemalloc.start()
    try:
        before = time.process_time()
        with pytest.raises(RemoteProtocolError):
            codec.decode_client(body)
        spent = time.process_time() - before
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1_500_000
    assert spent < 0.2


@pytest.mark.parametrize(
    ("limits", "fits"), [(codec.TO_SERVER, codec.TO_SERVER.depth), (codec.TO_CLIENT, 12)]
)
def test_the_depth_is_exact(limits: codec.Limits, fits: int) -> None:
    assert codec.unpack(nested(fits - 1), limits)["t"] == "ping"
    with pytest.raises(RemoteProtocolError, match=f"at most {fits} levels"):
        codec.unpack(nested(fits), limits)


def test_depth_nine_is_too_deep_for_a_server() -> None:
    with pytest.raises(RemoteProtocolError, match="levels"):
        codec.decode_client(nested(9))


@pytest.mark.parametrize(
    ("message", "code", "sentence"),
    [
        ({}, "bad_request", "text `t`"),
        ({"t": 1}, "bad_request", "text `t`"),
        ({"t": None}, "bad_request", "text `t`"),
        ({"t": "dance"}, "unknown_type", "no message is of type 'dance'"),
        ({"t": "welcome"}, "unknown_type", "no message is of type 'welcome'"),
        ({"t": ""}, "unknown_type", "no message is of type ''"),
        ({"t": "chat"}, "bad_request", "chat: Object missing required field `text`"),
        ({"t": "chat", "text": ""}, "bad_request", r"length >= 1 - at `\$.text`"),
        ({"t": "chat", "text": "x" * 201}, "bad_request", r"length <= 200 - at `\$.text`"),
        ({"t": "chat", "text": 5}, "bad_request", r"Expected `str`, got `int` - at `\$.text`"),
        ({"t": "chat", "text": b"x"}, "bad_request", "found binary data"),
        ({"t": "kick", "player": True}, "bad_request", r"Expected `int`, got `bool`"),
        ({"t": "kick", "player": 1.0}, "bad_request", "found a float"),
        ({"t": "kick", "player": float("nan")}, "bad_request", "found a float"),
        ({"t": "kick", "player": float("inf")}, "bad_request", "found a float"),
        ({"t": "kick", "player": "1"}, "bad_request", r"Expected `int`, got `str`"),
        ({"t": "kick", "player": 0}, "bad_request", r">= 1 - at `\$.player`"),
        ({"t": "kick", "player": 2**53 + 1}, "bad_request", "53 bits"),
        ({"t": "kick", "player": -(2**63)}, "bad_request", "53 bits"),
        ({"t": "kick", "player": 2**64 - 1}, "bad_request", "53 bits"),
        ({"t": "kick", "player": 1, "more": 0.5}, "bad_request", "found a float"),
        ({"t": "watch"}, "unknown_type", "no message"),
        ({"t": "join", "table": "x", "watch": 1}, "bad_request", r"Expected `bool`, got `int`"),
        (
            {"t": "act", "decision": 1, "choice": {"do": "cheat"}},
            "bad_request",
            r"Invalid value 'cheat' - at `\$.choice.do`",
        ),
        (
            {"t": "act", "decision": 1, "choice": {"do": "play", "rank": 14, "count": 1}},
            "bad_request",
            r"<= 13 - at `\$.choice.rank`",
        ),
        (
            {"t": "act", "decision": 1, "choice": {"do": "give", "cards": [1, 2, 3]}},
            "bad_request",
            r"length <= 2 - at `\$.choice.cards`",
        ),
        ({"t": "nonce", "hand": 1, "nonce": "XY"}, "bad_request", r"at `\$.nonce`"),
    ],
)
def test_a_map_that_is_no_message_is_answered(
    message: dict[str, Any], code: str, sentence: str
) -> None:
    with pytest.raises(BadRequest, match=sentence) as error:
        codec.decode_client(msgpack.packb({**message, "id": 7}))
    assert error.value.code is ErrorCode(code)
    assert error.value.request == 7


@pytest.mark.parametrize("number", [None, "7", -1, 2**31, 7.0, True, [7]])
def test_a_number_that_is_none_is_not_repeated(number: object) -> None:
    with pytest.raises(BadRequest) as error:
        codec.decode_client(msgpack.packb({"t": "leave", "id": number}))
    assert error.value.request is None


ACTS = [
    Act(id=77, decision=300, choice=choice)
    for choice in (Pass(), Play(9, 3, 1), Play(4, 1), Give((3, 12)), Call(True), Decline())
]


@pytest.mark.parametrize("act", ACTS, ids=repr)
def test_an_act_of_our_own_is_read_at_once(act: Act) -> None:
    assert codec.act_of(codec.encode(act)) == act == codec.decode_client(codec.encode(act))


@given(
    st.sampled_from(ACTS),
    st.integers(0, 60),
    st.sampled_from([b"", b"\x00", b"\xc0", b"\xc3", b"\xcb", b"\xcf", b"\xa2id", b"\xa1t\xa3act"])
    | st.binary(max_size=9),
    st.integers(0, 9),
)
def test_an_act_that_is_read_at_once_is_what_a_closer_look_finds(
    act: Act, at: int, more: bytes, less: int
) -> None:
    body = codec.encode(act)
    body = body[:at] + more + body[at + less :]
    found = codec.act_of(body)
    assert found is None or found == codec.decode_client(body)


@pytest.mark.parametrize(
    "fields",
    [
        {"choice": {"do": "pass", "why": 1}},
        {"decision": 2**53 + 1},
        {"decision": -1},
        {"choice": {"do": "play", "rank": 9, "count": 3}},
        {"choice": {"do": "give", "cards": [12, 3]}},
        {"choice": {"do": "play", "rank": 9.0, "count": 3}},
        {"id": True},
    ],
    ids=repr,
)
def test_an_act_of_a_stranger_gets_a_closer_look(fields: dict[str, Any]) -> None:
    usual = {"t": "act", "id": 1, "decision": 2, "choice": {"do": "pass"}}
    assert codec.act_of(msgpack.packb(usual)) is not None
    assert codec.act_of(msgpack.packb({**usual, **fields})) is None
    assert codec.act_of(msgpack.packb(dict(reversed(usual.items())))) is None


@pytest.mark.parametrize("field", [b"\xa1x", b"\xa6choice", b"\xa2id"])
@pytest.mark.parametrize("level", [b"\x91", b"\x81\xa1a", b"\x81\xa2do"])
def test_an_act_of_a_thousand_levels_ends_the_connection_as_any_frame_does(
    field: bytes, level: bytes
) -> None:
    body = codec.ACT_BEGINS + field + level * (4000 // len(level)) + b"\x01"
    assert codec.act_of(body) is None
    with pytest.raises(RemoteProtocolError):
        codec.decode_client(body)


def test_unknown_fields_are_ignored_both_ways() -> None:
    body = msgpack.packb({"t": "ping", "n": 3, "mood": "fine", "more": {"a": [None, True]}})
    assert codec.decode_client(body) == codec.decode_server(body) == Ping(n=3)
    start = msgpack.packb({"t": "hello", "versions": [1, 7], "name": "Ada", "colour": "red"})
    assert codec.decode_client(start) == Hello(versions=(1, 7), name="Ada")


def test_I70_a_client_ignores_what_it_does_not_know() -> None:
    assert codec.decode_server(msgpack.packb({"t": "fireworks", "n": 1})) == Unknown("fireworks")
    body = msgpack.packb({"t": "event", "seq": 9, "event": {"e": "snowed", "cm": 4}})
    assert codec.decode_server(body) == UnknownEvent(9, "snowed")
    body = msgpack.packb({"t": "event", "seq": 9, "event": {"e": "passed", "seat": 4, "cm": 4}})
    assert codec.decode_server(body) == EventMessage(seq=9, event=Passed(4))


def test_a_client_bears_table_options_of_a_later_server() -> None:
    options = {"seats": 5, "snow": "deep"}
    info = {"table": "x", "state": "waiting", "options": options}
    lobby = codec.decode_server(msgpack.packb({"t": "lobby", "tables": [info]}))
    assert isinstance(lobby, Lobby)
    assert lobby.tables[0].options == TableOptions(seats=5)


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"t": 5},
        {"t": "ok"},
        {"t": "ok", "re": "1"},
        {"t": "ok", "re": 1.0},
        {"t": "event", "seq": "9", "event": {"e": "snowed"}},
        {"t": "event", "seq": 9, "event": "snowed"},
        {"t": "event", "seq": 9, "event": {"e": "passed"}},
        {"t": "event", "seq": 9, "event": {"e": 5}},
    ],
)
def test_a_client_ends_with_a_server_that_breaks_the_protocol(message: dict[str, Any]) -> None:
    with pytest.raises(RemoteProtocolError, match="the server sent a message that is none"):
        codec.decode_server(msgpack.packb(message))


@given(st.binary(max_size=200))
def test_arbitrary_bytes_raise_nothing_else(body: bytes) -> None:
    for decode in (codec.decode_client, codec.decode_server):
        try:
            decode(body)
        except (RemoteProtocolError, BadRequest):
            pass


scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(st.characters(codec="utf-8"), max_size=8)
    | st.binary(max_size=8)
)
anything = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)
FIELDS = ("id", "versions", "name", "table", "options", "seq", "event", "choice", "decision", "re")
TAGS = (*codec.CLIENT_TYPES, *codec.SERVER_TYPES)


@given(
    st.sampled_from(TAGS),
    st.dictionaries(st.sampled_from(FIELDS), anything, max_size=6),
)
def test_arbitrary_fields_raise_nothing_else(tag: str, fields: dict[str, Any]) -> None:
    body = msgpack.packb({"t": tag, **fields})
    for decode in (codec.decode_client, codec.decode_server):
        try:
            decode(body)
        except (RemoteProtocolError, BadRequest) as error:
            assert str(error)


@pytest.mark.parametrize("text", ["\ud800", "a\udcffb"])
def test_text_that_has_no_bytes_is_our_own_error(text: str) -> None:
    with pytest.raises(LocalProtocolError, match="cannot be sent"):
        codec.encode(Chat(id=1, text=text))


def test_a_number_that_is_too_large_is_our_own_error() -> None:
    with pytest.raises(LocalProtocolError, match="cannot be sent"):
        codec.encode(Ok(re=2**70))


def test_what_is_left_out_has_its_default() -> None:
    assert msgpack.unpackb(codec.encode(Ping())) == {"t": "ping"}
    body = msgpack.packb({"t": "act", "id": 1, "decision": 2, "choice": {"do": "pass"}})
    assert codec.decode_client(body) == Act(id=1, decision=2, choice=Pass())


EXAMPLES = json.loads(
    (Path(__file__).parents[2] / "docs" / "protocol-v1.examples.json").read_text()
)


@pytest.mark.parametrize("key", [key for key in EXAMPLES if key.startswith("to_server ")])
def test_fields_that_no_message_has_are_found_and_no_others(key: str) -> None:
    """For strict sessions: in every message to the server, and in the choice of an `act`."""
    raw = EXAMPLES[key]
    message = codec.to_client_message(raw)
    assert codec.unknown_fields(raw, message) == [] and codec.remark(raw, message) == ""
    more = {**raw, "mood": None, "e": "x"}
    assert codec.unknown_fields(more, codec.to_client_message(more)) == ["mood", "e"]
    if "choice" in raw:
        deep = {**raw, "choice": {**raw["choice"], "t": 1}}
        assert codec.unknown_fields(deep, codec.to_client_message(deep)) == ["choice.t"]


def test_a_remark_is_short_whatever_a_stranger_sends() -> None:
    raw = {"t": "leave", "id": 2**31 - 1} | {f"{n}" + "\x1b" * 900: n for n in range(50)}
    text = codec.remark(raw, codec.to_client_message(raw))
    assert text.startswith("leave 2147483647: no field of it is called ") and len(text) < 1000
    assert text.isprintable()
