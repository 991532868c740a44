"""Random bytes, and messages with something wrong, against the decoder and the connection.

    python bench/fuzz.py [--seconds 60] [--seed N] [--json]

Only the project's own protocol errors may come out; anything else is printed with its bytes and
counted. It also notes what the dearest frame cost, in milliseconds of processor time and in bytes.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import msgpack

from dalmuti.protocol import codec
from dalmuti.protocol.connection import NEED_DATA, Connection
from dalmuti.protocol.errors import BadRequest, RemoteProtocolError
from dalmuti.protocol.framing import TO_SERVER_LIMIT

HELLO = {"t": "hello", "versions": [1, 1], "name": "Ada"}
WELCOME = {
    "t": "welcome",
    "version": 1,
    "server": "x",
    "instance": "x",
    "name": "Ada",
    "limits": {
        "frame_to_server": 4096,
        "frame_to_client": 262144,
        "chat_length": 200,
        "name_width": 20,
        "ping_after_ms": 15000,
        "dead_after_ms": 45000,
        "grace_ms": 20000,
        "resume_events": 512,
    },
}
SEEDS: list[dict[str, Any]] = [
    HELLO,
    WELCOME,
    {"t": "act", "id": 1, "decision": 4, "choice": {"do": "play", "rank": 9, "count": 3}},
    {"t": "act", "id": 2, "decision": 4, "choice": {"do": "give", "cards": [3, 12]}},
    {"t": "create", "id": 3, "table": "Kitchen", "options": {"seats": 6}, "seed": 7},
    {"t": "resume", "id": 4, "table": "Kitchen", "token": "ABC", "seq": 9},
    {"t": "nonce", "id": 5, "hand": 1, "nonce": "ab" * 16},
    {"t": "chat", "id": 6, "text": "hello"},
    {"t": "event", "seq": 5, "event": {"e": "passed", "seat": 3}},
    {"t": "error", "re": 1, "code": "not_host", "message": "no"},
    {"t": "bye", "reason": "idle"},
]
VALUES: list[Any] = [
    *(None, True, False, 0, -1, 2**53, 2**53 + 1, 2**63, -(2**63), 2**64 - 1, 0.5),
    *(float("nan"), float("inf"), "", "x" * 300, "\x1b[31m", "\u202e", b"", b"x" * 70),
    *([], {}, [[]], {"t": "hello"}, [0] * 40, {"a": {"b": {"c": {"d": {"e": {"f": {}}}}}}}),
]


def spoiled(chance: random.Random) -> bytes:
    """A message with fields that are not what they should be."""
    message = dict(chance.choice(SEEDS))
    for _ in range(chance.randint(0, 3)):
        key = chance.choice([*message, "t", "id", "x"])
        if chance.random() < 0.3:
            message.pop(key, None)
        else:
            message[key] = chance.choice(VALUES)
    return bytes(msgpack.packb(message))


def flipped(chance: random.Random) -> bytes:
    """A sound message with a few bytes changed, cut, or doubled."""
    data = bytearray(msgpack.packb(chance.choice(SEEDS)))
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data) or 1)
        match chance.randrange(4):
            case 0:
                data[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                del data[at:]
            case 2:
                data[at:at] = data[at : at + 8]
            case _:
                data[at:at] = chance.randbytes(chance.randint(1, 6))
    return bytes(data)


def nonsense(chance: random.Random) -> bytes:
    """Bytes, with a liking for what begins containers."""
    heads = b"\xdc\xdd\xde\xdf\x91\x81\xc7\xc9\xd4\xdb\xc6\xcf\xcb"
    size = chance.choice((0, 1, 7, 64, 900, TO_SERVER_LIMIT))
    return bytes(
        chance.choice(heads) if chance.random() < 0.4 else chance.randrange(256)
        for _ in range(chance.randint(0, size))
    )


def nested(chance: random.Random) -> bytes:
    """Containers in containers, as deep and as wide as they say or not."""
    head = chance.choice((b"\x91", b"\x81\xa1a", b"\xdd\x00\x00\x00\x20", b"\xdd\x00\x00\x40\x00"))
    return (b"\x82\xa1t\xa4ping\xa1x" + head * TO_SERVER_LIMIT)[: chance.randint(1, 4096)]


KINDS: tuple[Callable[[random.Random], bytes], ...] = (spoiled, flipped, nonsense, nested)


def pieces(data: bytes, chance: random.Random) -> Iterator[bytes]:
    """The data in any fragments."""
    while data:
        size = chance.choice((1, 3, 50, len(data)))
        yield data[:size]
        data = data[size:]


def converse(bodies: list[bytes], chance: random.Random) -> None:
    """Feeds a connection of either side as its driver does."""
    role = chance.choice(("server", "client"))
    connection: Any = Connection(role)  # type: ignore[call-overload]
    opening = [msgpack.packb(HELLO if role == "server" else WELCOME)]
    if chance.random() < 0.7:
        bodies = opening + bodies
    if role == "client":
        from dalmuti.protocol.messages import Hello

        connection.send(Hello(versions=(1, 1), name="Ada"))
    data = b"".join(len(body).to_bytes(4, "big") + body for body in bodies)
    try:
        for piece in pieces(data, chance):
            connection.receive_data(piece)
            while True:
                try:
                    message = connection.next_message()
                except BadRequest:
                    continue
                if message is NEED_DATA:
                    break
                if role == "server" and type(message).__name__ == "Hello":
                    connection.send(codec.decode_server(msgpack.packb(WELCOME)))
    except RemoteProtocolError:
        return


def decode(body: bytes) -> None:
    """Both decoders on one body."""
    for decoder, errors in (
        (codec.decode_client, (RemoteProtocolError, BadRequest)),
        (codec.decode_server, (RemoteProtocolError,)),
    ):
        try:
            decoder(body)
        except errors:
            continue


def fuzz(seconds: float, seed: int) -> dict[str, Any]:
    """So long; what was found."""
    chance = random.Random(seed)
    ends = time.monotonic() + seconds
    frames = failures = 0
    dearest, heaviest = 0.0, 0
    while time.monotonic() < ends:
        bodies = [chance.choice(KINDS)(chance) for _ in range(chance.randint(1, 5))]
        try:
            for body in bodies:
                began = time.process_time()
                decode(body)
                dearest = max(dearest, time.process_time() - began)
            converse(bodies, chance)
        except Exception as error:
            failures += 1
            print(f"{type(error).__name__}: {error}: {bodies!r}"[:500], file=sys.stderr)
        if frames % 997 < len(bodies):
            heaviest = max(heaviest, weight(bodies))
        frames += len(bodies)
    return {
        "frames": frames,
        "unexpected": failures,
        "dearest_ms": round(dearest * 1000, 3),
        "heaviest_bytes": heaviest,
    }


def weight(bodies: list[bytes]) -> int:
    """The most memory that decoding one of these took. Slow, so it is done now and then."""
    most = 0
    for body in bodies:
        tracemalloc.start()
        decode(body)
        most = max(most, tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    return most


def main() -> int:
    parser = argparse.ArgumentParser(description="Throws bytes at the protocol.")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    found = fuzz(given.seconds, given.seed)
    if given.json:
        print(json.dumps(found))
    else:
        for key, value in found.items():
            print(f"{key}: {value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
