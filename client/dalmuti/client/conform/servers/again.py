"""Servers: lost connections, tokens, who plays meanwhile, and how connections end."""

from __future__ import annotations

from typing import Final

from dalmuti.client.conform.caller import Caller
from dalmuti.client.conform.checks import Failed
from dalmuti.client.conform.servers.catalogue import check
from dalmuti.client.conform.visit import Visit, limits_of, wait_for
from dalmuti.core import events as ev
from dalmuti.protocol import messages as msg

MOST: Final = 21.0
"""Seconds that are worth waiting for something that comes with time alone."""


async def _mid_hand(visit: Visit) -> tuple[Caller, Caller]:
    """A hand of two in its tricks, the second player asked."""
    host, guest = await visit.table(2, revolution="off", first_hand_taxes="off")
    await host.must(msg.Deal)
    while guest.decision is None:
        await host.settle()
        if host.decision is not None:
            await host.act()
        await guest.settle()
    return host, guest


async def _heard_lost(host: Caller, guest: Caller) -> None:
    while True:
        changed = await host.event(ev.PresenceChanged)
        if changed.player == guest.player and changed.presence == "lost":
            if changed.ms is None:
                raise Failed("expected `ms` until the stand-in plays with `lost`, found none")
            return


@check(
    "S-601",
    "`resume` with `seq` and `instance` brings all events that were missed, in their order, and"
    " then the pending decision.",
    "when-you-disconnect",
)
async def with_events(visit: Visit) -> None:
    host, guest = await _mid_hand(visit)
    await guest.close()
    await _heard_lost(host, guest)
    for n in range(5):
        await host.must(msg.Chat, text=f"while you were away {n}")
    await host.settle()
    again = await visit.back(guest, seq=guest.seq)
    decision = await again.asked()
    if guest.decision is None or decision.choices != guest.decision.choices:
        raise Failed("expected the pending decision again, found another")
    if any(isinstance(each, msg.Snapshot) for each in again.seen):
        raise Failed("expected the events that were missed, found a snapshot")
    if len(again.events(ev.Chatted)) != 5:
        raise Failed(f"expected 5 chats that were missed, found {len(again.events(ev.Chatted))}")
    await again.act()
    await visit.meanwhile([host, again])


@check(
    "S-602",
    "`resume` without `seq`, with one of no event yet, or of another `instance`, brings a"
    " snapshot.",
    "when-you-disconnect",
)
async def with_snapshot(visit: Visit) -> None:
    host, guest = await _mid_hand(visit)
    for seq, instance in ((None, None), (10**6, None), (guest.seq, "of another start")):
        given = {} if instance is None else {"instance": instance}
        await guest.close()
        again = await visit.back(guest, seq=seq, **given)
        again.view = None
        await again.hear(msg.Snapshot)
        await again.asked()
        guest = again
    await guest.act()
    await visit.meanwhile([host, guest])


@check(
    "S-603",
    "Each `seated` has a new token; the one before stays good until the player acts, then it is"
    " `bad_token`.",
    "when-you-disconnect",
)
async def rotation(visit: Visit) -> None:
    _, guest = await _mid_hand(visit)
    first = guest.token
    await guest.close()
    again = await visit.back(guest)
    if again.token == first or not again.token:
        raise Failed("expected a new token with `seated`, found the old one")
    await again.hear(msg.Snapshot)
    await again.close()
    again.token = first
    once_more = await visit.back(again)
    await once_more.hear(msg.Snapshot)
    await once_more.asked()
    await once_more.act()
    stranger = await visit.caller()
    name = once_more.view_name
    await stranger.must_not("bad_token", msg.Resume, table=name, token=first)
    await once_more.settle()


@check(
    "S-604",
    "The newest connection wins: the old one gets `unseated` and `bye`, both with `replaced`.",
    "when-you-disconnect",
)
async def replaced(visit: Visit) -> None:
    host, guest = await _mid_hand(visit)
    again = await visit.back(guest)
    gone = await guest.hear(msg.Unseated)
    if gone.reason != "replaced":
        raise Failed(f"expected `unseated` with `replaced`, found {gone.reason}")
    await guest.hear_bye("replaced")
    await again.asked()
    await again.act()
    await visit.meanwhile([host, again])


@check(
    "S-605",
    "An answer whose `ok` was lost may be sent again after `resume`: it gets `ok`.",
    "decisions",
)
async def repeated_answer(visit: Visit) -> None:
    host, guest = await _mid_hand(visit)
    decision = guest.decision
    assert decision is not None
    await guest.request(msg.Act, decision=decision.decision, choice=decision.choices[0])
    await host.settle()
    await guest.settle()
    await guest.close()
    again = await visit.back(guest)
    await again.must(msg.Act, decision=decision.decision, choice=decision.choices[0])


@check(
    "S-606",
    "Whoever resumes has his old name and number again, whatever his `hello` said; no password is"
    " asked.",
    "when-you-disconnect",
)
async def old_name(visit: Visit) -> None:
    (host,) = await visit.table(1, fields={"password": "sesame"}, seats=3)
    name, number = host.name, host.player
    await host.close()
    again = await visit.back(host)
    await again.hear(msg.Snapshot)
    infos = again.view.players if again.view else ()
    if [(each.name, each.player) for each in infos] != [(name, number)] or again.player != number:
        raise Failed(f"expected {name!r} as player {number} again, found {infos}")


@check(
    "S-607",
    "Resumes at a table that is not there are `no_such_table`, with a wrong token `bad_token`.",
    "when-you-disconnect",
)
async def wrong_token(visit: Visit) -> None:
    (host,) = await visit.table(1, seats=3)
    stranger = await visit.caller()
    await stranger.must_not("no_such_table", msg.Resume, table=visit.table_name(), token="x")
    await stranger.must_not("bad_token", msg.Resume, table=host.view_name, token="x")


@check(
    "S-608",
    "Closing the connection is no leaving: the others hear `presence_changed` to `lost`, and to"
    " `here` when the player is back.",
    "when-you-disconnect",
)
async def presence(visit: Visit) -> None:
    host, guest = await _mid_hand(visit)
    await guest.send(msg.Bye(reason="leaving"))
    await _heard_lost(host, guest)
    await visit.back(guest)
    changed = await host.event(ev.PresenceChanged)
    if (changed.player, changed.presence) != (guest.player, "here"):
        raise Failed(f"expected `here` of player {guest.player}, found {changed}")


@check(
    "S-609",
    "When a lost player does not come back within `grace_ms` the stand-in plays for him, until he"
    " does.",
    "when-you-disconnect",
    seconds=90.0,
)
async def standin(visit: Visit) -> None:
    host, guest = await _mid_hand(visit)
    seconds = wait_for(limits_of(host).grace_ms, "`grace_ms`", MOST)
    await guest.close()
    await _heard_lost(host, guest)
    while (changed := await host.event(ev.PresenceChanged, seconds)).presence != "standin":
        pass
    if changed.player != guest.player:
        raise Failed(f"expected `standin` of player {guest.player}, found {changed}")
    while not any(each.by == "standin" for each in host.events(ev.Played)):
        if host.decision is not None:
            await host.act()
        await host.receive("a move by the stand-in")
    await visit.back(guest)


@check(
    "S-610",
    "Who leaves in a hand keeps his seat for its length, and may take it back with `join` or"
    " `resume`.",
    "leave",
)
async def leave_and_return(visit: Visit) -> None:
    host, guest = await _mid_hand(visit)
    await guest.must(msg.Leave)
    if (await guest.hear(msg.Unseated)).reason != "left":
        raise Failed("expected `unseated` with `left`, found another reason")
    await guest.must(msg.JoinTable, table=host.view_name)
    seated = await guest.hear(msg.Seated)
    if seated.player != guest.player:
        raise Failed(f"expected player {guest.player} again, found {seated.player}")
    await guest.hear(msg.Snapshot)
    await visit.meanwhile([host, guest])


@check(
    "S-701",
    "Who is silent is asked by `ping` after `ping_after_ms`.",
    "limits-and-time",
    seconds=90.0,
)
async def server_pings(visit: Visit) -> None:
    caller = await visit.caller()
    seconds = wait_for(limits_of(caller).ping_after_ms, "`ping_after_ms`", MOST)
    await caller.hear(msg.Ping, seconds)


@check(
    "S-702",
    "Who stays silent is given up with `bye` `idle` after `dead_after_ms`.",
    "limits-and-time",
    seconds=90.0,
)
async def idle(visit: Visit) -> None:
    caller = await visit.caller()
    caller.is_mute = True
    limits = limits_of(caller)
    seconds = wait_for(limits.dead_after_ms, "`dead_after_ms`", MOST) + limits.ping_after_ms / 1000
    await caller.hear_bye("idle", seconds=seconds)


@check("S-703", "A client's `bye` ends the connection, and nothing comes behind it.", "bye")
async def clients_bye(visit: Visit) -> None:
    caller = await visit.caller()
    await caller.send(msg.Bye(reason="leaving"))
    if await caller.receive_or_end("the end of the connection") is not None:
        raise Failed("expected the end of the connection, found a message")
