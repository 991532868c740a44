"""Clients: lost connections in every phase, and the ways in which it all ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import trio
from msgspec.structs import replace

from dalmuti.client.conform.checks import Check, Failed, Skipped
from dalmuti.client.conform.clients.catalogue import CLIENTS, check
from dalmuti.client.conform.guest import Gone
from dalmuti.client.conform.stand import Stand
from dalmuti.client.conform.table import Table
from dalmuti.core import events as ev
from dalmuti.protocol import messages as msg

QUIET_SECONDS: Final = 3.0
"""How long a client that was replaced has to keep away."""


def _asked(kind: str) -> Callable[[Table], bool]:
    return lambda table: table.pending is not None and table.pending.kind == kind


def _others_turn(table: Table) -> bool:
    hand = table.hand
    return hand is not None and hand.tricks > 0 and table.pending is None


PHASES: list[tuple[str, str, Callable[[Table], bool] | None]] = [
    ("C-601", "while the table waits for its first hand", None),
    ("C-602", "while the client is asked about a revolution", _asked("revolution")),
    ("C-603", "while the client is asked about taxes", _asked("tax")),
    ("C-604", "while it is the client's turn to lead", _asked("lead")),
    ("C-605", "while it is the client's turn to follow", _asked("follow")),
    (
        "C-606",
        "while it is another's turn, with events that were missed,",
        _others_turn,
    ),
]


def _phase_check(reached: Callable[[Table], bool] | None) -> Any:
    """The connection is cut twice, so that the second resume needs the token of the first."""

    async def run(stand: Stand) -> None:
        table = stand.set_table(
            seats=4, first_titles="order_of_arrival", place=0, first_hand_taxes="on"
        )
        await stand.enter()
        if reached is not None:
            table.deal()
            await stand.play(until=lambda: reached(table))
            if table.hand is None:
                raise Skipped("the hand was over before it came to that")
        for snapshot in (False, True):
            sent = table.seq
            await stand.cut_off()
            if reached is _others_turn and table.pending is None:
                table.play_other()
            await stand.come_back(snapshot=snapshot, events=sent)
            await stand.flush()
        if table.hand is None:
            table.deal()
        await stand.play()
        await stand.settle()

    return run


for _id, _says, _reached in PHASES:
    CLIENTS.add(
        Check(
            id=_id,
            says=f"After a lost connection {_says} the seat is resumed, twice, each time with the"
            " newest token.",
            anchor="when-you-disconnect",
            run=_phase_check(_reached),
        )
    )


@check(
    "C-607",
    "After a lost connection between two hands the seat is resumed with the newest token.",
    "when-you-disconnect",
)
async def between_hands(stand: Stand) -> None:
    stand.set_table(seats=3)
    await stand.enter()
    await stand.play_hand()
    for snapshot in (True, False):
        await stand.settle()
        sent = stand.table.seq
        await stand.cut_off()
        await stand.come_back(snapshot=snapshot, events=sent)
        await stand.flush()
    await stand.play_hand()
    await stand.settle()


@check(
    "C-608",
    "After a connection that broke in the middle of a frame nothing of it is left.",
    "when-you-disconnect",
)
async def in_a_frame(stand: Stand) -> None:
    table = await stand.begin(seats=3)
    guest = stand.guest
    await stand.play_to_question()
    sent = table.seq
    await guest.send_bytes(b"\x00\x00\x02\x00\x84\xa1t\xa5event")
    await trio.sleep(0.05)
    await stand.cut_off()
    await stand.come_back(events=sent)
    await stand.play()
    await stand.settle()


@check(
    "C-609",
    "After a new start of the server (another `instance`) the seat is resumed; the snapshot"
    " replaces all that was.",
    "when-you-disconnect",
)
async def new_instance(stand: Stand) -> None:
    table = await stand.begin(seats=3)
    guest = stand.guest
    await stand.play_to_question(answers=4)
    sent = table.seq
    await guest.hang_up(msg.Bye(reason="shutdown", message="the server stops"))
    await stand.cut_off()
    stand.welcome = replace(stand.welcome, instance="SECOND")
    resume = await stand.come_back(events=sent)
    if resume.seq is not None and resume.instance == stand.welcome.instance:
        raise Failed(
            "expected a `seq` with the `instance` in which it was counted, or none, found it with"
            " the new one"
        )
    await stand.play()
    await stand.settle()


@check(
    "C-610",
    "A token that gives nothing back is not tried for ever: the client ends, or sits down anew,"
    " once.",
    "when-you-disconnect",
)
async def bad_token(stand: Stand) -> None:
    stand.set_table(seats=3)
    await stand.enter()
    await stand.cut_off()
    tries = 0
    while tries < 4:
        try:
            guest = await stand.accept()
        except Gone:
            if not tries:
                raise Skipped("the client does not come back after a lost connection") from None
            return
        await stand.expect(msg.Hello)
        await guest.send(stand.welcome)
        first = await stand.read()
        if not isinstance(first, msg.Resume):
            return
        tries += 1
        text = "this token gives no seat at this table back"
        await guest.send(msg.Error(re=first.id, code="bad_token", message=text))
        if await stand.client.ended(2) is not None:
            return
        follow = await stand.read_or_end(1)
        if isinstance(follow, msg.JoinTable | msg.ListTables | msg.Leave):
            return
        await guest.close()
    raise Failed("expected that a token that is refused is not tried for ever, found 4 tries")


@check(
    "C-611",
    "A client that was replaced by a newer connection of its own does not come back: no war.",
    "when-you-disconnect",
)
async def replaced(stand: Stand) -> None:
    table = await stand.begin(seats=3)
    guest = stand.guest
    await stand.play_to_question()
    text = "you came back from elsewhere"
    await guest.hang_up(
        msg.Unseated(table=table.name, reason="replaced"), msg.Bye(reason="replaced", message=text)
    )
    table.connected = False
    if await stand.connects(QUIET_SECONDS):
        raise Failed("expected no new connection after `bye` `replaced`, found one")


@check(
    "C-612",
    "While the server cannot be had the client waits between its tries: no more than 8 in 3"
    " seconds.",
    "when-you-disconnect",
)
async def back_off(stand: Stand) -> None:
    stand.set_table(seats=3)
    await stand.enter()
    await stand.cut_off()
    ends = trio.current_time() + 3
    tries = 0
    while (left := ends - trio.current_time()) > 0 and tries <= 8:
        if await stand.connects(left):
            tries += 1
    if tries > 8:
        raise Failed(f"expected at most 8 connections in 3 s, found {tries}")
    if tries == 0 and stand.client.code is not None:
        raise Skipped("the client does not come back after a lost connection; that is allowed")


@check(
    "C-613",
    "A `bye` in place of the `welcome` on the way back is no end of the seat: the client waits and"
    " comes again, or ends.",
    "hello-and-versions",
)
async def bye_on_the_way_back(stand: Stand) -> None:
    table = await stand.begin(seats=3)
    await stand.play_to_question()
    sent = table.seq
    await stand.cut_off()
    try:
        guest = await stand.accept()
    except Gone:
        raise Skipped("the client does not come back after a lost connection") from None
    await stand.expect(msg.Hello)
    await guest.hang_up(msg.Bye(reason="too_many_connections", message="try again in a moment"))
    await stand.come_back(events=sent)
    await stand.play()
    await stand.settle()


@check("C-701", "When the table closes the client ends.", "table_closed")
async def closed(stand: Stand) -> None:
    table = stand.set_table(seats=3)
    guest = await stand.enter()
    await stand.play_hand()
    table.emit(ev.TableClosed("host"))
    table.say(msg.Unseated(table=table.name, reason="closed"))
    await stand.flush()
    await stand.goodbye(guest)
    await stand.must_end("when the table closes")


@check(
    "C-702", "When it is sent away from the table the client ends, and does not join again.", "kick"
)
async def kicked(stand: Stand) -> None:
    table = stand.set_table(seats=3)
    guest = await stand.enter()
    table.say(msg.Unseated(table=table.name, reason="kicked"))
    await stand.flush()
    await stand.goodbye(guest)
    await stand.must_end("when it is sent away")


@check(
    "C-703",
    "When the server stops (`bye` `shutdown`) the client ends, or tries to come back.",
    "when-you-disconnect",
)
async def shutdown(stand: Stand) -> None:
    stand.set_table(seats=3)
    guest = await stand.enter()
    await stand.play_hand()
    await guest.hang_up(msg.Bye(reason="shutdown", message="the server stops"))
    stand.table.connected = False
    if not await stand.connects(QUIET_SECONDS) and stand.client.code is None:
        raise Failed(
            "expected the client to end or to try again after `bye` `shutdown`, found that it does"
            f" neither within {QUIET_SECONDS:g} s"
        )
