"""Servers: the rules of the game. A known deal is played, and beside it the same hand by our own
rules: each decision, each event and each set of cards must be the same."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Final

from dalmuti.client.conform.caller import Caller, plain
from dalmuti.client.conform.checks import Check, Failed
from dalmuti.client.conform.servers.catalogue import SERVERS, check
from dalmuti.client.conform.table import Wanted, both_jesters
from dalmuti.client.conform.visit import Visit
from dalmuti.core import deal
from dalmuti.core import events as ev
from dalmuti.core.cards import Play
from dalmuti.core.events import Event
from dalmuti.core.hand import Hand, Phase
from dalmuti.core.match import Match
from dalmuti.core.moves import Call, Give, Pass
from dalmuti.core.views import see
from dalmuti.protocol import messages as msg

OF_THE_HAND: Final = (
    ev.TitlesDrawn,
    ev.HandStarted,
    ev.Dealt,
    ev.RevolutionOpened,
    ev.RevolutionClosed,
    ev.RevolutionCalled,
    ev.TaxesDue,
    ev.TaxesPaid,
    ev.Played,
    ev.Passed,
    ev.WentOut,
    ev.TrickEnded,
    ev.HandEnded,
    ev.Scored,
    ev.MatchEnded,
)
"""Events that come from the rules alone, and so can be foretold."""
KNOWN: Final[dict[str, Any]] = {"first_titles": "order_of_arrival"}
RULES: list[tuple[str, str, int, dict[str, Any], Wanted | None]] = [
    ("S-401", "a hand of two", 2, {}, None),
    ("S-402", "a hand of four with taxes", 4, {"revolution": "off", "scoring": "points"}, None),
    ("S-403", "a hand of five with `passing` `locked`", 5, {"passing": "locked"}, None),
    ("S-404", "a hand without taxes", 4, {"first_hand_taxes": "off"}, None),
    ("S-405", "a revolution, called by who may", 4, {}, both_jesters(1)),
    ("S-406", "a Greater Revolution, called by the Greater Peon", 4, {}, both_jesters()),
    ("S-407", "a Greater Revolution that comes by itself", 3, {"revolution": "automatic"},
     both_jesters()),
    ("S-408", "a Greater Peon who may choose", 4, {"greater_revolution": "choice"},
     both_jesters()),
]  # fmt: skip


async def known_table(
    visit: Visit, people: int, options: dict[str, Any], wanted: Wanted | None = None
) -> tuple[list[Caller], Match, list[Event]]:
    """A table that plays known deals, before the first; and by our own rules, after its deal."""
    number = next(
        n
        for n in range(1, 100_000)
        if wanted is None or wanted(people - 1, deal.hands_of(deal.fixed_seed(n, 1), {}, people))
    )
    callers = await visit.table(people, fields={"seed": number}, **KNOWN, **options)
    view = callers[0].view
    assert view is not None
    if view.fair:
        raise Failed("expected `fair: false` at a table that was created with `seed`, found true")
    match = Match(view.options)
    for caller in callers:
        match.sit(caller.player)
    seed = deal.fixed_seed(number, 1)
    events = [
        *match.give_titles((), tuple(caller.player for caller in callers)),
        *match.start(deal.deck_of(seed, {}), deal.commitment(view.table, 1, seed)),
    ]
    return callers, match, events


async def play_beside(callers: list[Caller], match: Match, events: list[Event]) -> None:
    """Plays the hand at the server and by the rules; each answer is drawn, calls are made."""
    chance = random.Random(len(callers))
    by_player = {caller.player: caller for caller in callers}
    while (hand := match.hand) is not None:
        for seat in hand.to_act:
            caller = by_player[match.order[seat]]
            decision = await caller.asked()
            _compare(decision, hand, seat)
            calls = [each for each in decision.choices if isinstance(each, Call)]
            choice = calls[-1] if calls else chance.choice(decision.choices)
            await caller.act(choice)
            events += match.apply(seat, choice)
            if calls:
                await _hear_the_call(callers)
                break


async def _hear_the_call(callers: Sequence[Caller]) -> None:
    """A call ends the window: what anybody was asked in it is over."""
    for caller in callers:
        if not caller.events(ev.RevolutionCalled):
            await caller.event(ev.RevolutionCalled)
        caller.decision = None


def _compare(decision: msg.Decision, hand: Hand, seat: int) -> None:
    legal = tuple(hand.legal(seat))
    if decision.choices != legal:
        raise Failed(
            f"expected the choices {plain(legal)} of a seat with {plain(hand.cards(seat))}, found"
            f" {plain(decision.choices)}"
        )
    if decision.default != hand.default(seat):
        raise Failed(
            f"expected the default {plain(hand.default(seat))}, found {plain(decision.default)}"
        )


def compare_events(caller: Caller, events: Sequence[Event]) -> None:
    """What one viewer heard of the hand is what the rules say he may hear."""
    expected: list[Any] = []
    order: tuple[int, ...] = ()
    for event in events:
        if isinstance(event, ev.HandStarted):
            order = event.order
        seat = order.index(caller.player) if caller.player in order else None
        expected.append(see(event, seat))
        if isinstance(event, ev.RevolutionCalled) and event.greater:
            order = order[::-1]
    expected = [each for each in expected if isinstance(each, OF_THE_HAND)]
    found = [
        each.event
        for each in caller.seen
        if isinstance(each, msg.EventMessage) and isinstance(each.event, OF_THE_HAND)
    ]
    for should, is_so in zip(expected, found, strict=False):
        if should != is_so:
            raise Failed(f"expected the event {plain(should)}, found {plain(is_so)}")
    if len(expected) != len(found):
        raise Failed(f"expected {len(expected)} events of the hand, found {len(found)}")


def _rules_check(people: int, options: dict[str, Any], wanted: Wanted | None) -> Any:
    async def run(visit: Visit) -> None:
        callers, match, events = await known_table(visit, people, options, wanted)
        await callers[0].must(msg.Deal)
        await play_beside(callers, match, events)
        for caller in callers:
            if not caller.events(ev.HandEnded):
                await caller.event(ev.HandEnded)
            await caller.settle()
            compare_events(caller, events)

    return run


for _id, _says, _people, _options, _wanted in RULES:
    SERVERS.add(
        Check(
            id=_id,
            says=f"By the rules, decision for decision and event for event: {_says}.",
            anchor="the-game-in-short",
            run=_rules_check(_people, _options, _wanted),
        )
    )


async def _at_the_tricks(visit: Visit, people: int = 3) -> tuple[list[Caller], Match]:
    """A known hand without revolution and taxes, its leader asked."""
    options = {"revolution": "off", "first_hand_taxes": "off"}
    callers, match, _ = await known_table(visit, people, options)
    await callers[0].must(msg.Deal)
    await callers[0].asked()
    return callers, match


def _missing(match: Match, seat: int) -> int:
    assert match.hand is not None
    return next(rank for rank in range(1, 13) if rank not in match.hand.cards(seat))


@check(
    "S-411",
    "A choice that is not legal is refused with the code that says why; the question stays.",
    "decisions",
)
async def illegal(visit: Visit) -> None:
    callers, match = await _at_the_tricks(visit)
    leader, follower = callers[0], callers[1]
    hand = match.hand
    assert hand is not None and leader.decision is not None
    number = leader.decision.decision
    worst = max(rank for rank in hand.cards(0) if rank < 13)

    async def refused(caller: Caller, at: int, code: str, **choice: Any) -> None:
        raw = choice.pop("raw", None) or Play(**choice)
        await caller.must_not(code, msg.Act, decision=at, choice=raw)

    await refused(leader, number, "must_lead", raw=Pass())
    await refused(leader, number, "wrong_phase", raw=Give((12,)))
    await refused(leader, number, "wrong_phase", raw=Call())
    await refused(leader, number, "not_a_set", rank=5, count=2, jesters=2)
    await refused(leader, number, "not_held", rank=_missing(match, 0), count=1)
    await refused(follower, number, "not_your_turn", rank=12, count=1)
    led = Play(worst, 1, 0)
    await leader.act(led)
    match.apply(0, led)
    decision = await follower.asked()
    await refused(follower, decision.decision, "wrong_count", rank=_held(match, 1, 2), count=2)
    lower = _held(match, 1, 1, least=worst)
    await refused(follower, decision.decision, "not_lower", rank=lower, count=1)
    await follower.act(decision.choices[0])


def _held(match: Match, seat: int, count: int, least: int = 1) -> int:
    """A rank of which a seat has so many, not lower than `least`."""
    assert match.hand is not None
    counts = match.hand.counts[seat]
    return next(rank for rank in range(least, 13) if counts[rank] >= count)


@check(
    "S-412",
    "Numbers of decisions: one that is over is `stale_decision`, one that is yet to come"
    " `no_decision`, the same answer again `ok`.",
    "decisions",
)
async def numbers(visit: Visit) -> None:
    callers, match = await _at_the_tricks(visit)
    leader = callers[0]
    assert leader.decision is not None
    number, choices = leader.decision.decision, leader.decision.choices
    await leader.must_not("no_decision", msg.Act, decision=number + 50, choice=choices[0])
    await leader.act(choices[0])
    await leader.must(msg.Act, decision=number, choice=choices[0])
    await leader.must_not("stale_decision", msg.Act, decision=number, choice=choices[-1])
    assert match.hand is not None
    await callers[1].asked()


@check(
    "S-413",
    "Taxes: what is given back must be so many cards (`wrong_return`), and held (`not_held`).",
    "decisions",
)
async def taxes(visit: Visit) -> None:
    callers, match, _ = await known_table(visit, 4, {"revolution": "off"})
    await callers[0].must(msg.Deal)
    decision = await callers[0].asked()
    hand = match.hand
    assert hand is not None and hand.phase is Phase.TAXES
    cards = hand.cards(0)
    lacking = _missing(match, 0)
    for code, give in (
        ("wrong_return", Give(cards[:1])),
        ("not_held", Give((lacking, lacking))),
    ):
        number = decision.decision
        await callers[0].must_not(code, msg.Act, decision=number, choice=give)
    await callers[3].must_not(
        "not_your_turn", msg.Act, decision=decision.decision, choice=decision.choices[0]
    )
    await callers[0].act(decision.choices[-1])


@check(
    "S-414",
    "Only who was dealt both Jesters may call; who was not gets `no_revolution`, and everybody is"
    " asked.",
    "decisions",
)
async def revolution(visit: Visit) -> None:
    callers, _, _ = await known_table(visit, 3, {}, both_jesters())
    await callers[0].must(msg.Deal)
    for caller in callers:
        decision = await caller.asked()
        if decision.kind != "revolution":
            raise Failed(f"expected everybody to be asked for a revolution, found {decision.kind}")
    assert callers[0].decision is not None
    number = callers[0].decision.decision
    await callers[0].must_not("no_revolution", msg.Act, decision=number, choice=Call())
    await callers[2].must_not("no_revolution", msg.Act, decision=number, choice=Call())
    await callers[2].must(msg.Act, decision=number, choice=Call(greater=True))
    called = await callers[0].event(ev.RevolutionCalled)
    if (called.seat, called.greater) != (2, True):
        raise Failed(f"expected a Greater Revolution of seat 2, found {plain(called)}")
