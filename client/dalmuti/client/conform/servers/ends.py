"""Servers: who does not read, and a server that will stop."""

from __future__ import annotations

from typing import Final

import trio

from dalmuti.client.conform.caller import Caller
from dalmuti.client.conform.checks import Failed, Skipped
from dalmuti.client.conform.servers.catalogue import check
from dalmuti.client.conform.visit import Visit, limits_of
from dalmuti.core import events as ev
from dalmuti.core.moves import PASS
from dalmuti.protocol import messages as msg

SLOW_SECONDS: Final = 20.0
"""How long hands are played in front of somebody who does not read."""
DRAIN_SECONDS: Final = 20.0
"""How long we wait for a server to say `draining`; whoever runs it has to have it do so."""
SMALL: Final = 16384
"""Bytes that wait on our side for one who does not read."""


@check(
    "S-704",
    "Who does not read what is sent to him is given up, with `bye` `slow_consumer` where that"
    " reaches him; his seat is kept, and he resumes.",
    "reasons-of-a-bye",
    seconds=90.0,
)
async def slow_consumer(visit: Visit) -> None:
    """One passes without ever reading, so that the other leads to the end in hand after hand."""
    (host,) = await visit.table(
        1, first_titles="order_of_arrival", revolution="off", first_hand_taxes="off"
    )
    slow = await visit.caller(room=SMALL)
    await slow.must(msg.JoinTable, table=host.view_name)
    limits = limits_of(host)
    if not limits.outbox_items and not limits.outbox_bytes:
        raise Skipped("the server does not announce how much may wait for a client")
    for caller in (host, slow):
        await caller.settle()
    ends = trio.current_time() + SLOW_SECONDS
    passed = 0
    while _presence(host, slow) == "here":
        if trio.current_time() > ends:
            raise Skipped(
                f"in {SLOW_SECONDS:g} s no more was said than the server keeps for one who does not"
                " read"
            )
        turn = _turn_of(host, slow)
        if host.view is not None and host.view.state != "hand":
            await host.must(msg.Deal)
            await host.event(ev.HandStarted)
        elif host.decision is not None:
            await host.act()
        elif turn is not None and turn.decision != passed:
            passed = turn.decision
            await slow.request(msg.Act, decision=passed, choice=PASS)
        else:
            await host.receive("the next event")
    while await slow.receive_or_end("the end of the connection") is not None:
        pass
    if slow.bye is not None and slow.bye.reason != "slow_consumer":
        raise Failed(f"expected `bye` with `slow_consumer`, found `{slow.bye.reason}`")
    again = await visit.back(slow)
    if again.player != slow.player:
        raise Failed(f"expected player {slow.player} again, found {again.player}", "resume")
    await again.hear(msg.Snapshot)


def _turn_of(host: Caller, guest: Caller) -> ev.Turn | None:
    """The turn in which the guest has to follow, if it is his."""
    hand = host.view.hand if host.view is not None else None
    if hand is None or hand.turn is None or hand.turn.kind != "follow":
        return None
    return hand.turn if hand.order[hand.turn.seats[0]] == guest.player else None


def _presence(host: Caller, guest: Caller) -> str:
    players = host.view.players if host.view is not None else ()
    return next((each.presence for each in players if each.player == guest.player), "left")


@check(
    "S-705",
    "After `draining` no new table is opened, and the open ones go on. This is tried where the"
    " server says `draining` while it waits for that.",
    "draining",
    seconds=60.0,
)
async def draining(visit: Visit) -> None:
    (host,) = await visit.table(1, seats=2)
    with trio.move_on_after(DRAIN_SECONDS):
        while not any(isinstance(each, msg.Draining) for each in host.seen):
            await host.receive("`draining`", DRAIN_SECONDS + 1)
    if not any(isinstance(each, msg.Draining) for each in host.seen):
        raise Skipped(
            f"the server did not say `draining` within {DRAIN_SECONDS:g} s; run this check alone,"
            " and let your server drain meanwhile"
        )
    other = await visit.caller()
    await other.must_not("draining", msg.CreateTable, table=visit.table_name())
    await other.must(msg.JoinTable, table=host.view_name)
    await visit.hand([host, other])
