"""Servers: frames, what they may hold, and requests that are none."""

from __future__ import annotations

from typing import Any

import trio

from dalmuti.client.conform import wire
from dalmuti.client.conform.checks import Check, Failed
from dalmuti.client.conform.servers.catalogue import SERVERS, check
from dalmuti.client.conform.visit import Visit, limits_of, wait_for
from dalmuti.protocol import messages as msg
from dalmuti.protocol.framing import HEADER

FRAME_MOST = 15.0
"""Seconds that are worth waiting for a frame that is never completed."""


def _body(data: bytes) -> bytes:
    return len(data).to_bytes(HEADER, "big") + data


PING = b"\x82\xa1t\xa4ping\xa1n\x01"
BAD_FRAMES: list[tuple[str, str, bytes]] = [
    ("S-211", "of length zero", _body(b"")),
    ("S-212", "over the limit", (2**31).to_bytes(HEADER, "big")),
    ("S-213", "with bytes behind its map", _body(PING + b"\x00")),
    ("S-214", "that is no msgpack", _body(b"\xc1\xc1\xc1")),
    ("S-215", "that ends before its map does", _body(PING[:-1])),
    ("S-216", "that holds an array and no map", _body(b"\x92\x01\x02")),
    ("S-217", "with the same key twice", _body(b"\x82\xa1t\xa4ping\xa1t\xa4ping")),
    ("S-218", "with a key that is no text", _body(b"\x82\xa1t\xa4ping\x01\x01")),
    ("S-219", "with an extension type", _body(b"\x82\xa1t\xa4ping\xa1n\xd4\x05\x01")),
    ("S-220", "nested too deep", _body(b"\x82\xa1t\xa4ping\xa1x" + b"\x91" * 9 + b"\xc0")),
    ("S-221", "with an array of too many entries",
     _body(b"\x82\xa1t\xa4ping\xa1x\xdc\x00\x21" + b"\xc0" * 33)),
]  # fmt: skip
BAD_VALUES: list[tuple[str, str, wire.Raw]] = [
    ("S-231", "A float", {"t": "chat", "id": 51, "text": 1.5}),
    ("S-232", "Binary data", {"t": "chat", "id": 51, "text": b"abc"}),
    ("S-233", "A whole number out of range", {"t": "chat", "id": 51, "x": 2**60}),
    ("S-234", "A field of the wrong type", {"t": "chat", "id": 51, "text": 7}),
    ("S-235", "A field that is missing", {"t": "chat", "id": 51}),
]


def _bad_frame(data: bytes) -> Any:
    async def run(visit: Visit) -> None:
        caller = await visit.caller()
        await caller.send_bytes(data)
        await caller.hear_bye("bad_frame")

    return run


def _bad_value(raw: wire.Raw) -> Any:
    async def run(visit: Visit) -> None:
        caller = await visit.caller()
        await caller.send_bytes(wire.frame(raw))
        answer = await caller.answer_to(51)
        code = answer.code if isinstance(answer, msg.Error) else "ok"
        if code != "bad_request":
            raise Failed(f"expected `bad_request`, found `{code}`")
        await caller.settle()

    return run


for _id, _what, _data in BAD_FRAMES:
    SERVERS.add(
        Check(
            id=_id,
            says=f"A frame {_what} is answered with `bye` `bad_frame` and the end.",
            anchor="bytes",
            run=_bad_frame(_data),
        )
    )
for _id, _what, _raw in BAD_VALUES:
    SERVERS.add(
        Check(
            id=_id,
            says=f"{_what} is answered with `bad_request`, and the connection goes on.",
            anchor="bytes",
            run=_bad_value(_raw),
        )
    )


@check("S-201", "Requests that come one byte at a time are read.", "bytes")
async def byte_by_byte(visit: Visit) -> None:
    caller = await visit.caller()
    await _two_requests(caller.stream, wire.byte_by_byte(1000))
    await caller.answer_to(61)
    await caller.hear(msg.Lobby)
    await caller.answer_to(62)


@check("S-202", "Requests that are cut inside the length and the body are read.", "bytes")
async def in_pieces(visit: Visit) -> None:
    caller = await visit.caller()
    await _two_requests(caller.stream, wire.in_pieces(10))
    await caller.answer_to(61)
    await caller.answer_to(62)


async def _two_requests(stream: trio.abc.Stream, cut: wire.Cut) -> None:
    await cut(stream, [wire.frame({"t": "list", "id": 61}), wire.frame({"t": "leave", "id": 62})])


@check(
    "S-203",
    "Many requests in one write are done in their order, and each gets exactly one answer.",
    "requests-and-answers",
)
async def merged(visit: Visit) -> None:
    caller = await visit.caller()
    ids = list(range(100, 120))
    frames = [wire.frame({"t": "leave", "id": id}) for id in ids]
    await wire.merged(caller.stream, frames)
    for id in ids[:-1]:
        await caller.answer_to(id)
    await caller.answer_to(ids[-1])
    await caller.settle()
    found = [each.re for each in caller.seen if isinstance(each, msg.Ok | msg.Error)]
    if found != ids:
        raise Failed(f"expected one answer each in the order of the requests, found {found}")


@check(
    "S-204",
    "Fields that the server does not know are ignored; those that are nil or their default are"
    " read.",
    "bytes",
)
async def unknown_fields(visit: Visit) -> None:
    caller = await visit.caller()
    name = visit.table_name()
    raw = wire.full(msg.CreateTable(id=70, table=name, options={"seats": 3}))
    await caller.send_bytes(wire.frame({**raw, "x_later": {"a": [1, None, {"b": True}]}}))
    answer = await caller.answer_to(70)
    if not isinstance(answer, msg.Ok):
        raise Failed(f"expected `ok`, found `{answer.code}`: {answer.message}")


@check(
    "S-205", "A frame of exactly `frame_to_server` bytes is read, one more is `bad_frame`.", "bytes"
)
async def largest(visit: Visit) -> None:
    caller = await visit.caller()
    size = limits_of(caller).frame_to_server
    if size <= 4096:
        await caller.send_bytes(_ping_of(size))
        await caller.hear(msg.Pong)
    await caller.send_bytes((size + 1).to_bytes(HEADER, "big"))
    await caller.hear_bye("bad_frame")


def _ping_of(size: int) -> bytes:
    """A `ping` whose body is this large, by fields that nobody knows, none of which is too long."""

    def missing(raw: wire.Raw) -> int:
        return size - (len(wire.frame(raw)) - HEADER)

    raw: wire.Raw = {"t": "ping", "n": 1}
    while missing(raw) > 1000:
        raw[f"x{len(raw)}"] = "f" * 700
    raw["xx"] = "f" * (missing(raw) - 6)  # its key takes 3 bytes, the length of its text 3
    assert missing(raw) == 0
    return wire.frame(raw)


@check(
    "S-206",
    "A type that the server does not know is answered with `unknown_type`; the connection goes on.",
    "requests-and-answers",
)
async def unknown_type(visit: Visit) -> None:
    caller = await visit.caller()
    await caller.send_bytes(wire.frame({"t": "weather", "id": 81}))
    answer = await caller.answer_to(81)
    if not isinstance(answer, msg.Error) or answer.code != "unknown_type":
        raise Failed(f"expected `unknown_type`, found `{getattr(answer, 'code', 'ok')}`")
    await caller.settle()


@check(
    "S-207",
    "A request whose number cannot be read is answered with an `error` without `re`.",
    "error",
)
async def no_number(visit: Visit) -> None:
    caller = await visit.caller()
    await caller.send_bytes(wire.frame({"t": "chat", "id": "one", "text": "x"}))
    answer = await caller.hear(msg.Error)
    if answer.re is not None or answer.code != "bad_request":
        raise Failed(f"expected `bad_request` without `re`, found {answer.code} for {answer.re}")


@check("S-208", "`ping` is answered with `pong` and the same `n`.", "ping")
async def ping(visit: Visit) -> None:
    caller = await visit.caller()
    for n in (0, 1, 2**31 - 1):
        await caller.send(msg.Ping(n=n))
        if (found := (await caller.hear(msg.Pong)).n) != n:
            raise Failed(f"expected `pong` with {n}, found {found}")


@check(
    "S-209",
    "A frame that is begun and not completed is answered with `bye` `frame_timeout` after"
    " `frame_ms`.",
    "limits-and-time",
    seconds=90.0,
)
async def frame_timeout(visit: Visit) -> None:
    caller = await visit.caller()
    seconds = wait_for(limits_of(caller).frame_ms, "`frame_ms`", FRAME_MOST)
    await caller.send_bytes(wire.frame({"t": "list", "id": 1})[:7])
    await caller.hear_bye("frame_timeout", seconds=seconds)
