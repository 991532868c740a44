"""How the same message can look on the wire, and how TCP can cut it.

A *shape* makes plain values of a message: as our server writes it, with every default spelled out,
with every default left out, or with fields that nobody knows yet. A *cut* sends frames: one by one,
many in one write, byte by byte. The protocol allows all of these, so a client that minds is wrong.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise
from typing import Any, Final

import msgpack
import msgspec
import trio
from msgspec import Struct
from msgspec.structs import fields

from dalmuti.protocol.framing import HEADER

Raw = dict[str, Any]
Shape = Callable[[Struct], Raw]
Cut = Callable[[trio.abc.SendStream, Sequence[bytes]], Awaitable[None]]
PAUSE: Final = 0.02
"""Seconds between two parts of a frame: enough for the other side to see only the first."""
TAIL: Final = 3
"""Bytes that `merged` holds back: a write then ends in the middle of a frame."""


def frame(raw: Raw) -> bytes:
    """One frame of plain values."""
    body: bytes = msgpack.packb(raw)
    return len(body).to_bytes(HEADER, "big") + body


def named(sent: Struct | Raw | bytes) -> str:
    """A message, or bytes that are none, for a line of the report."""
    if isinstance(sent, bytes):
        return f"{len(sent)} bytes ({sent[:16].hex(' ')}{' ...' if len(sent) > 16 else ''})"
    raw = sent if isinstance(sent, dict) else usual(sent)
    kind, event = raw["t"], raw.get("event")
    if event is not None:
        return f"event `{event['e']}` (seq {raw['seq']})"
    number = raw.get("decision" if kind == "decision" else "id")
    if raw.get("re") is not None:
        return f"`{kind}` (to request {raw['re']})"
    if raw.get("seq") is not None:
        return f"`{kind}` (seq {raw['seq']})"
    return f"`{kind}`" if number is None else f"`{kind}` {number}"


def last_of(sent: Sequence[Struct | Raw | bytes]) -> str:
    """What was sent last, in its order."""
    return ", ".join(map(named, sent))


# -- shapes -----------------------------------------------------------------------------------


def usual(message: Struct) -> Raw:
    """As our own server writes it: most defaults are left out."""
    raw: Raw = msgspec.to_builtins(message)
    return raw


def full(message: Struct) -> Raw:
    """With every field, defaults and absent ones (nil) included."""
    raw: Raw = _plain(message, lambda value, default: True)
    return raw


def bare(message: Struct) -> Raw:
    """Without any field that is its default."""
    raw: Raw = _plain(message, lambda value, default: value != default)
    return raw


def roomy(message: Struct) -> Raw:
    """With fields of a later version in every map but the choices, which come back unchanged."""
    raw: Raw = _roomy(usual(message))
    return raw


def _plain(value: Any, keep: Callable[[Any, Any], bool]) -> Any:
    if isinstance(value, Struct):
        config = value.__struct_config__
        raw = {} if config.tag_field is None else {config.tag_field: config.tag}
        for field in fields(value):
            default = field.default
            if field.default_factory is not msgspec.NODEFAULT:
                default = field.default_factory()
            found = getattr(value, field.name)
            if field.required or keep(found, default):
                raw[field.encode_name] = _plain(found, keep)
        return raw
    if isinstance(value, dict):
        return {key: _plain(each, keep) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(each, keep) for each in value]
    return value


def _roomy(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        made = {name: _roomy(each, name) for name, each in value.items()}
        if key != "rates" and "do" not in value:
            made["x_later"] = {"version": [1, None, True], "text": "of a later version"}
        return made
    if isinstance(value, list | tuple):
        return [_roomy(each, key) for each in value]
    return value


# -- cuts -------------------------------------------------------------------------------------


async def whole(stream: trio.abc.SendStream, frames: Sequence[bytes]) -> None:
    """One write a frame."""
    for each in frames:
        await stream.send_all(each)


async def merged(stream: trio.abc.SendStream, frames: Sequence[bytes]) -> None:
    """All in one write, but for the last bytes: these come a moment later."""
    data = b"".join(frames)
    await stream.send_all(data[:-TAIL])
    await trio.sleep(PAUSE)
    await stream.send_all(data[-TAIL:])


def byte_by_byte(most: int) -> Cut:
    """Each byte in a write of its own, as far as `most` bytes in all; what follows is whole."""
    left = most

    async def send(stream: trio.abc.SendStream, frames: Sequence[bytes]) -> None:
        nonlocal left
        data = b"".join(frames)
        for at in range(min(left, len(data))):
            await stream.send_all(data[at : at + 1])
            if at % 10 == 0:
                await trio.sleep(0.001)
        rest, left = data[left:], max(0, left - len(data))
        if rest:
            await stream.send_all(rest)

    return send


def in_pieces(most: int) -> Cut:
    """The first `most` frames cut inside the length, behind it, and in the middle of the body."""
    left = most

    async def send(stream: trio.abc.SendStream, frames: Sequence[bytes]) -> None:
        nonlocal left
        for each in frames:
            middle = HEADER + (len(each) - HEADER) // 2
            cuts = [0, 1, HEADER, middle, len(each)] if left > 0 else [0, len(each)]
            for at, end in pairwise(cuts):
                if at:
                    await trio.sleep(PAUSE)
                await stream.send_all(each[at:end])
            left -= 1

    return send


def dripping(most: int, parts: int = 16, pause: float = 0.06) -> Cut:
    """The first `most` frames come slowly, in many parts."""
    left = most

    async def send(stream: trio.abc.SendStream, frames: Sequence[bytes]) -> None:
        nonlocal left
        for each in frames:
            step = max(1, -(-len(each) // parts)) if left > 0 else len(each)
            for at in range(0, len(each), step):
                await stream.send_all(each[at : at + step])
                if step < len(each):
                    await trio.sleep(pause)
            left -= 1

    return send
