"""Servers: the handshake, and who is not let in."""

from __future__ import annotations

from dalmuti.client.conform import wire
from dalmuti.client.conform.caller import Caller
from dalmuti.client.conform.checks import Failed, Skipped
from dalmuti.client.conform.servers.catalogue import check
from dalmuti.client.conform.visit import Visit, limits_of
from dalmuti.protocol import messages as msg
from dalmuti.protocol.framing import HELLO_LIMIT

HELLO_WITHIN = 5.0
"""Seconds in which a client must say hello."""


def _hello(visit: Visit, **fields: object) -> wire.Raw:
    raw: wire.Raw = {"t": "hello", "versions": [1, 1], "name": "conform-x", "kind": "bot"}
    if visit.place.password is not None:
        raw["password"] = visit.place.password
    return {**raw, **fields}


@check("S-101", "`hello` is answered by `welcome`, with all that it must tell.", "welcome")
async def welcome(visit: Visit) -> None:
    caller = await visit.caller()
    limits = limits_of(caller)
    assert caller.welcome is not None
    if caller.welcome.version != 1:
        raise Failed(f"expected version 1, found {caller.welcome.version}")
    if not caller.welcome.name.startswith("conform-") or not caller.welcome.instance:
        raise Failed("expected the name that was asked for and an `instance`, found others")
    numbers = {
        name: getattr(limits, name)
        for name in ("frame_to_server", "frame_to_client", "ping_after_ms", "dead_after_ms")
    }
    for name, number in numbers.items():
        if number <= 0:
            raise Failed(f"expected a `{name}` above 0, found {number}")
    if limits.dead_after_ms <= limits.ping_after_ms:
        raise Failed("expected `dead_after_ms` to be more than `ping_after_ms`, found it less")


@check(
    "S-102",
    "Versions that are not spoken are refused with `version_unsupported` and the versions that"
    " are.",
    "hello-and-versions",
)
async def version_refused(visit: Visit) -> None:
    caller = await visit.connect()
    await caller.send_bytes(wire.frame(_hello(visit, versions=[1000, 1001])))
    bye = await caller.hear_bye("version_unsupported")
    if bye.versions is None or not bye.versions[0] <= 1 <= bye.versions[1]:
        raise Failed(f"expected `versions` with 1 among them in `bye`, found {bye.versions}")


@check(
    "S-103",
    "Of a range of versions the highest that both speak is taken; what else is in such a `hello`"
    " may be unknown.",
    "hello-and-versions",
)
async def version_range(visit: Visit) -> None:
    caller = await visit.connect()
    raw = _hello(visit, versions=[1, 9], name=visit.person_name(), x_later=[1, {"a": 2}])
    await caller.greet_with(wire.frame(raw))
    found = await caller.hear(msg.Welcome)
    if not 1 <= found.version <= 9:
        raise Failed(f"expected a version of 1 to 9, found {found.version}")


@check("S-104", "What comes before `hello` is refused with `bad_hello`.", "hello-and-versions")
async def no_hello(visit: Visit) -> None:
    caller = await visit.connect()
    await caller.send_bytes(wire.frame({"t": "list", "id": 1}))
    await caller.hear_bye("bad_hello")


@check("S-105", "A second `hello` is refused with `bad_hello`.", "hello-and-versions")
async def second_hello(visit: Visit) -> None:
    caller = await visit.caller()
    await caller.send_bytes(wire.frame(_hello(visit)))
    await caller.hear_bye("bad_hello")


@check("S-106", "A `hello` that is not valid is refused with `bad_hello`.", "hello")
async def bad_hello(visit: Visit) -> None:
    for change in (
        {"versions": None},
        {"versions": [2, 1]},
        {"versions": "1"},
        {"name": 7},
        {"kind": "wizard"},
    ):
        caller = await visit.connect()
        raw = {
            key: value for key, value in {**_hello(visit), **change}.items() if value is not None
        }
        await caller.send_bytes(wire.frame(raw))
        await caller.hear_bye("bad_hello")


@check(
    "S-107",
    "Names that are reserved, too wide or not to be shown are refused with `bad_name`.",
    "hello-and-versions",
)
async def bad_name(visit: Visit) -> None:
    for name in ("server", "Great Dalmuti", "w" * 21, "a\x1b[31mb"):
        caller = await visit.connect()
        await caller.send_bytes(wire.frame(_hello(visit, name=name)))
        await caller.hear_bye("bad_name")


@check(
    "S-108",
    "No two people have names that look alike: the second of a name gets another in `welcome`.",
    "hello-and-versions",
)
async def name_taken(visit: Visit) -> None:
    first = await visit.caller()
    second = await visit.caller(name=first.name)
    third = await visit.caller(name=first.name.upper())
    names = [each.name.casefold() for each in (first, second, third)]
    if len(set(names)) != 3:
        raise Failed(f"expected three names, found {names}")


@check("S-109", "What is sent before `welcome` is there is read after it.", "hello-and-versions")
async def behind_hello(visit: Visit) -> None:
    caller = await visit.connect()
    hello = _hello(visit, name=visit.person_name())
    frames = [hello, {"t": "list", "id": 41}, {"t": "ping", "n": 42}]
    await caller.greet_with(b"".join(map(wire.frame, frames)))
    await caller.hear(msg.Welcome)
    answer = await caller.answer_to(41)
    if not isinstance(answer, msg.Ok):
        raise Failed(f"expected `ok` to `list`, found `{answer.code}`")
    if (await caller.hear(msg.Pong)).n != 42:
        raise Failed("expected `pong` with 42, found another")


@check("S-110", "A `hello` of more than 1024 bytes is refused with `bad_frame`.", "bytes")
async def large_hello(visit: Visit) -> None:
    caller = await visit.connect()
    await caller.send_bytes((HELLO_LIMIT + 1).to_bytes(4, "big") + b"\x81" * 100)
    await caller.hear_bye("bad_frame")


@check("S-111", "A wrong password is refused with `wrong_password`.", "hello-and-versions")
async def wrong_password(visit: Visit) -> None:
    if visit.place.password is None:
        raise Skipped("no --password was given: the server may have none")
    caller = await visit.connect()
    await caller.send_bytes(wire.frame(_hello(visit, password="not " + visit.place.password)))
    await caller.hear_bye("wrong_password")


@check(
    "S-112",
    "Who says nothing is sent away with `hello_timeout`, some seconds after he came.",
    "hello-and-versions",
    seconds=90.0,
)
async def hello_timeout(visit: Visit) -> None:
    caller = await visit.connect()
    await caller.hear_bye("hello_timeout", seconds=HELLO_WITHIN * 3)


@check("S-113", "A client may say `bye` instead of `hello`; the connection is closed.", "bye")
async def bye_first(visit: Visit) -> None:
    caller: Caller = await visit.connect()
    await caller.send_bytes(wire.frame({"t": "bye", "reason": "leaving"}))
    if await caller.receive_or_end("the end of the connection") is not None:
        raise Failed("expected the end of the connection, found a message")
