"""Servers: whole hands by scripted players, what each may see, and proofs of the deal."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any, Final

from dalmuti.client.conform.caller import Caller, plain
from dalmuti.client.conform.checks import Check, Failed
from dalmuti.client.conform.servers.catalogue import SERVERS, check
from dalmuti.client.conform.visit import Visit
from dalmuti.core import events as ev
from dalmuti.core.options import MAX_SEATS, MIN_SEATS
from dalmuti.protocol import messages as msg

OWN: Final = frozenset({"cards", "dealt", "paid", "returned"})
"""Fields of events and snapshots that hold somebody's own cards."""


def _size_check(people: int) -> Any:
    async def run(visit: Visit) -> None:
        callers = await visit.table(people)
        await visit.hand(callers)
        for caller in callers:
            ended = caller.events(ev.HandEnded)[-1]
            if sorted(line.player for line in ended.places) != [each.player for each in callers]:
                raise Failed(f"expected a place for each of {people} players, found {ended.places}")
            await caller.settle()
            _all_true(caller)

    return run


for _people in range(MIN_SEATS, MAX_SEATS + 1):
    SERVERS.add(
        Check(
            id=f"S-{500 + _people}",
            says=f"A hand of {_people} is played to its end, and its deal is as it was committed.",
            anchor="a-hand-on-the-wire",
            run=_size_check(_people),
        )
    )


def _all_true(caller: Caller) -> None:
    """The revealed seed fits the commitment, the nonces, and all that this viewer saw."""
    if not caller.verdicts:
        raise Failed("expected `deal_revealed` with a seed that can be checked, found none")
    for verdict in caller.verdicts:
        if not verdict.ok:
            raise Failed(
                f"expected a deal of hand {verdict.hand} as it was committed, found:"
                f" {'; '.join(verdict.reasons)}"
            )


@check(
    "S-521",
    "Nonces are taken before the deal, published with it and used for it; later ones are"
    " `no_nonce_now`.",
    "checking-a-deal",
)
async def nonces(visit: Visit) -> None:
    callers = await visit.table(3)
    sent: dict[int, str] = {}
    for caller in callers:
        for _ in range(2):  # the last one counts
            sent[caller.player] = secrets.token_hex(16)
            await caller.must(msg.Nonce, hand=1, nonce=sent[caller.player])
    await callers[0].must_not("no_nonce_now", msg.Nonce, hand=2, nonce="00")
    await callers[0].must_not("bad_request", msg.Nonce, hand=1, nonce="xyz")
    await callers[0].must(msg.Deal)
    started = await callers[0].event(ev.HandStarted)
    found = {each.player: each.nonce for each in started.nonces}
    if found != sent:
        raise Failed(f"expected the nonces {sent} in `hand_started`, found {found}")
    await callers[1].must_not("no_nonce_now", msg.Nonce, hand=1, nonce="00")
    await visit.meanwhile(callers)
    for caller in callers:
        await caller.settle()
        _all_true(caller)


@check(
    "S-522",
    "Who watches sees no card that is not on the table, neither in the snapshot nor in any event,"
    " and is asked nothing.",
    "events-and-snapshots",
)
async def spectator(visit: Visit) -> None:
    *callers, watcher = await visit.table(4, watchers=1)
    await visit.hand([*callers, watcher])
    late = await visit.caller()
    await callers[0].must(msg.Deal)
    await late.must(msg.JoinTable, table=callers[0].view_name, watch=True)
    await visit.meanwhile([*callers, late])
    for each in (watcher, late):
        if any(isinstance(message, msg.Decision) for message in each.seen):
            raise Failed("expected no `decision` for a spectator, found one")
        for message in each.seen:
            if isinstance(message, msg.EventMessage | msg.Snapshot):
                _no_cards(plain(message))


def _no_cards(value: Any) -> None:
    if isinstance(value, dict):
        for key, each in value.items():
            if key in OWN and each is not None:
                raise Failed(f"expected no `{key}` for a spectator, found {each}")
            _no_cards(each)
    elif isinstance(value, list | tuple):
        for each in value:
            _no_cards(each)


@check(
    "S-523",
    "All viewers get the same events with the same numbers; they differ in a viewer's own cards"
    " alone.",
    "events-and-snapshots",
)
async def same_events(visit: Visit) -> None:
    callers = await visit.table(4, watchers=1)
    await visit.hand(callers)
    for caller in callers:
        await caller.settle()
    told = [_events(caller) for caller in callers]
    both = set.intersection(*(set(each) for each in told))
    for seq in both:
        public = {str(_public(each[seq])) for each in told}
        if len(public) != 1:
            raise Failed(
                f"expected event {seq} to be the same for all but for cards, found {public}"
            )
    dealt = [caller.events(ev.Dealt)[-1] for caller in callers]
    cards = sorted(card for each in dealt[:-1] for card in each.cards or ())
    if len(cards) != 80 or dealt[-1].cards is not None:
        raise Failed(f"expected 80 cards in all and none for a spectator, found {len(cards)}")


def _events(caller: Caller) -> dict[int, Any]:
    return {m.seq: plain(m.event) for m in caller.seen if isinstance(m, msg.EventMessage)}


def _public(value: Any) -> Any:
    """Without what is there for one viewer."""
    if isinstance(value, dict):
        return {key: _public(each) for key, each in value.items() if key not in OWN}
    if isinstance(value, list | tuple):
        return [_public(each) for each in value]
    return value


@check(
    "S-524",
    "A snapshot is what an earlier one becomes by the fold of the events since: for spectators, in"
    " every phase.",
    "the-fold",
)
async def fold_of_spectators(visit: Visit) -> None:
    host, *others, watcher = await visit.table(3, watchers=1, revolution="off")
    players = [host, *others]
    await host.must(msg.Deal)
    for step in range(12):
        await _compare_with_newcomer(visit, watcher, step)
        await _one_decision(players)
    await visit.meanwhile([*players, watcher])
    await watcher.settle()
    await _compare_with_newcomer(visit, watcher, 12)


async def _one_decision(players: Sequence[Caller]) -> None:
    """Whoever is asked decides."""
    for caller in players:
        await caller.settle()
        if caller.decision is not None:
            await caller.act()
            return


async def _compare_with_newcomer(visit: Visit, watcher: Caller, step: int) -> None:
    late = await visit.caller()
    await late.must(msg.JoinTable, table=watcher.view_name, watch=True)
    snapshot = await late.hear(msg.Snapshot)
    while watcher.seq < snapshot.seq:
        await watcher.receive(f"event {snapshot.seq}")
    _same_view(watcher, snapshot, f"after step {step}")
    await late.must(msg.Leave)


def _same_view(caller: Caller, snapshot: msg.Snapshot, when: str) -> None:
    """What a caller made of the events is what the server says now."""
    if caller.seq != snapshot.seq or caller.view is None:
        raise Failed(f"expected a snapshot of event {caller.seq} {when}, found {snapshot.seq}")
    for mine, theirs in ((caller.view, snapshot.table), (caller.view.hand, snapshot.table.hand)):
        for name in mine.__struct_fields__ if mine and theirs else ():
            if name != "hand" and getattr(mine, name) != getattr(theirs, name):
                raise Failed(
                    f"expected `{name}` in the snapshot {when} as the fold has it,"
                    f" {plain(getattr(mine, name))}, found {plain(getattr(theirs, name))}"
                )
    if caller.view != snapshot.table:
        raise Failed(f"expected the snapshot {when} to be what the fold makes, found another")


@check(
    "S-525",
    "A snapshot is what an earlier one becomes by the fold of the events since: for a player, with"
    " his own cards.",
    "the-fold",
)
async def fold_of_players(visit: Visit) -> None:
    """Only lost and returning players happen in between: it is his turn, and there is no clock."""
    host, guest = await visit.table(2)
    await host.must(msg.Deal)
    current = guest
    for _ in range(6):
        await _until_asked(host, current)
        await current.close()
        again = await visit.back(current)
        snapshot = await again.hear(msg.Snapshot)
        await host.settle()
        for message in host.seen:
            if isinstance(message, msg.EventMessage) and current.seq < message.seq <= snapshot.seq:
                current._take(message)
        _same_view(current, snapshot, "after a resume")
        await again.asked()
        await again.act()
        current = again
    await visit.meanwhile([host, current])


async def _until_asked(host: Caller, guest: Caller) -> None:
    """The host plays until it is the guest who is asked, and nobody else."""
    while True:
        await host.settle()
        await guest.settle()
        if host.decision is not None:
            await host.act()
        elif guest.decision is not None:
            return


@check(
    "S-526",
    "A decision that is not answered is taken by its default when the clock is up, `by` `clock`.",
    "decisions",
)
async def clock(visit: Visit) -> None:
    callers = await visit.table(2, turn_seconds=5, revolution="off", first_hand_taxes="off")
    await callers[0].must(msg.Deal)
    for caller in callers:
        await caller.event(ev.Turn)
    while all(caller.decision is None for caller in callers):
        for caller in callers:
            await caller.settle()
    leader = next(caller for caller in callers if caller.decision is not None)
    decision = leader.decision
    assert decision is not None
    if decision.ms is None or not 0 < decision.ms <= 5000:
        raise Failed(f"expected a clock of at most 5000 ms, found {decision.ms}")
    played = await leader.event(ev.Played)
    if played.by != "clock" or played.play != decision.default:
        raise Failed(f"expected {plain(decision.default)} by the clock, found {plain(played)}")
    answer = await leader.ask(msg.Act, decision=decision.decision, choice=decision.choices[-1])
    if not isinstance(answer, msg.Error) or answer.code != "stale_decision":
        raise Failed(f"expected `stale_decision` for a late answer, found {answer}")


@check(
    "S-527",
    "A match ends after the hands that were agreed; the next deal begins a new one with no scores.",
    "match_ended",
)
async def whole_match(visit: Visit) -> None:
    callers = await visit.table(3, scoring="points", match_end="hands:2")
    await visit.hand(callers)
    await visit.hand(callers, ev.MatchEnded)
    for caller in callers:
        await caller.settle()
        _all_true(caller)
        if caller.view is None or caller.view.state != "over" or not caller.view.winners:
            raise Failed("expected a match that is over, with winners, found none")
        if sum(score.points for score in caller.view.scores) != 2 * (2 + 1 + 0):
            raise Failed(f"expected 6 points in all, found {plain(caller.view.scores)}")
    await callers[0].must(msg.Deal)
    for caller in callers:
        await caller.event(ev.MatchRestarted)
    await visit.meanwhile(callers)


@check(
    "S-528",
    "Who sits down during a hand waits, sees no cards, and plays from the next one on as the lowest"
    " Merchant.",
    "join",
)
async def newcomer(visit: Visit) -> None:
    callers = await visit.table(4, seats=5)
    await callers[0].must(msg.Deal)
    late = await visit.caller()
    await late.must(msg.JoinTable, table=callers[0].view_name)
    await late.hear(msg.Snapshot)
    if late.view is None or late.view.hand is None or late.view.hand.seat is not None:
        raise Failed("expected a hand without a seat for a newcomer, found another")
    await visit.meanwhile([*callers, late])
    await visit.hand([*callers, late])
    order = late.events(ev.HandStarted)[-1].order
    if order.index(late.player) != 2:
        raise Failed(f"expected player {late.player} above the two Peons, found the order {order}")


@check(
    "S-529",
    "Legal decisions are never limited, at whatever speed they come.",
    "limits-and-time",
)
async def at_any_speed(visit: Visit) -> None:
    callers = await visit.table(2, revolution="off")
    for _ in range(4):
        await visit.hand(callers)
    for caller in callers:
        errors = [each for each in caller.seen if isinstance(each, msg.Error)]
        if errors:
            raise Failed(f"expected no errors in four quick hands, found {errors[0]}")
