"""The kit can fail at a server: a proxy spoils what ours says, and each fault is found."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import msgpack
import trio

from dalmuti.client.conform import caller, wire
from dalmuti.client.conform.checks import Outcome, chosen, run_all
from dalmuti.client.conform.servers.catalogue import all_checks
from dalmuti.client.conform.visit import Place, visiting
from dalmuti.protocol.framing import TO_CLIENT_LIMIT, FrameBuffer
from server.wire import running

Raw = dict[str, Any]
Spoil = Callable[[Raw], Raw | None]
"""A message as the server said it, to one as the client hears it; None: it does not."""


def of_event(kind: str, change: Callable[[Raw], Any]) -> Spoil:
    """Changes events of one kind."""

    def spoil(raw: Raw) -> Raw | None:
        if raw["t"] == "event" and raw["event"]["e"] == kind:
            change(raw["event"])
        return raw

    return spoil


def of_message(kind: str, change: Callable[[Raw], Any]) -> Spoil:
    """Changes messages of one kind."""

    def spoil(raw: Raw) -> Raw | None:
        if raw["t"] == kind:
            change(raw)
        return raw

    return spoil


def swallowed(raw: Raw) -> Raw | None:
    return None if raw.get("event", {}).get("e") == "trick_ended" else raw


def one_token(raw: Raw) -> Raw | None:
    return {**raw, "token": "THE ONLY TOKEN"} if raw["t"] == "seated" else raw


FAULTS: list[tuple[str, Spoil, str, str]] = [
    (
        "shows cards to who watches",
        of_event("dealt", lambda event: event.setdefault("cards", [1, 2])),
        "S-522",
        "expected no `cards` for a spectator, found",
    ),
    (
        "reveals another seed",
        of_event("deal_revealed", lambda event: event.update(seed="00" * 32)),
        "S-502",
        "the seed is not the one that the server was bound to",
    ),
    ("swallows events", swallowed, "S-503", "as the next, found"),
    (
        "leaves a choice out",
        of_message("decision", lambda raw: raw["choices"].pop(0)),
        "S-404",
        "expected the choices",
    ),
    (
        "has another default",
        of_message("decision", lambda raw: raw.update(default=raw["choices"][-1])),
        "S-401",
        "expected the default",
    ),
    (
        "counts cards wrong",
        of_event("played", lambda event: event.update(left=event["left"] + 1)),
        "S-404",
        "expected the event",
    ),
    (
        "has codes of its own",
        of_message("error", lambda raw: raw.update(code="oops")),
        "S-307",
        "expected an error with a code of the list and a sentence, found 'oops'",
    ),
    (
        "answers for another request",
        of_message("ok", lambda raw: raw.update(re=raw["re"] + 1)),
        "S-203",
        "expected",
    ),
    ("gives the same token again", one_token, "S-603", "found `bad_token`"),
    (
        "forgets a part of the snapshot",
        of_message("snapshot", lambda raw: raw["table"].get("hand", {}).pop("trick", None)),
        "S-524",
        "as the fold has it",
    ),
    (
        "names no versions",
        of_message("bye", lambda raw: raw.pop("versions", None)),
        "S-102",
        "expected `versions` with 1 among them in `bye`, found None",
    ),
]


@asynccontextmanager
async def between(place: Place, spoil: Spoil) -> AsyncIterator[Place]:
    """A proxy: what the client says goes through, what the server says is spoiled."""

    async def serve(client: trio.SocketStream) -> None:
        server = await trio.open_tcp_stream(place.host, place.port)
        async with client, server, trio.open_nursery() as nursery:
            nursery.start_soon(forward, client, server, nursery.cancel_scope)
            await backward(client, server)
            nursery.cancel_scope.cancel()

    async def forward(
        client: trio.SocketStream, server: trio.SocketStream, scope: trio.CancelScope
    ) -> None:
        try:
            async for data in client:
                await server.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        scope.cancel()

    async def backward(client: trio.SocketStream, server: trio.SocketStream) -> None:
        frames = FrameBuffer(TO_CLIENT_LIMIT)
        try:
            async for data in server:
                frames.feed(data)
                while (body := frames.next()) is not None:
                    raw = spoil(msgpack.unpackb(body))
                    if raw is not None:
                        await client.send_all(wire.frame(raw))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass

    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(partial(trio.serve_tcp, serve, 0, host="127.0.0.1"))
        yield Place("127.0.0.1", listeners[0].socket.getsockname()[1], place.password)
        nursery.cancel_scope.cancel()


async def test_faults_of_a_server_are_found(monkeypatch: Any) -> None:
    monkeypatch.setattr(caller, "ANSWER_SECONDS", 3.0)
    wrong: dict[str, Outcome] = {}

    async def one(place: Place, what: str, spoil: Spoil, id: str, why: str) -> None:
        async with between(place, spoil) as spoiled:
            checks = chosen(all_checks(), id)
            (outcome,) = await run_all(checks, lambda: visiting(spoiled), 1, lambda _: None)
        if outcome.result != "FAIL" or why not in outcome.why:
            wrong[what] = outcome

    async with running() as server:
        host, _, port = server.app.addresses[0].rpartition(":")
        place = Place(host, int(port))
        async with trio.open_nursery() as nursery:
            for fault in FAULTS:
                nursery.start_soon(one, place, *fault)
    assert wrong == {}
