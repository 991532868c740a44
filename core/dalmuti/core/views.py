"""What one viewer may know, built by allow-list (rules.md I1, I2, I4).

Live events, snapshots, spectators and replays all go through this module. An event class that is
not named here reaches nobody: forgetting one is an error in a test, never a leak at a table.
`viewer` is a seat in the hand, or None for a spectator or a player who waits for the next hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from dalmuti.core import events as ev
from dalmuti.core.cards import Cards, Play
from dalmuti.core.events import (
    Act,
    Due,
    Event,
    Exchange,
    HandEnded,
    Hex,
    Nonce,
    PlayerId,
    PlayerInfo,
    RevolutionCalled,
    Score,
    Seat,
    Seen,
    TitlesDrawn,
    Turn,
)
from dalmuti.core.hand import Hand, Phase
from dalmuti.core.match import Match
from dalmuti.core.options import TableOptions

PUBLIC: frozenset[type[Event]] = frozenset(
    {
        ev.HandPrepared,
        ev.TitlesDrawn,
        ev.HandStarted,
        ev.RevolutionOpened,
        ev.RevolutionClosed,
        ev.RevolutionCalled,
        ev.TaxesDue,
        ev.Turn,
        ev.Played,
        ev.Passed,
        ev.WentOut,
        ev.TrickEnded,
        ev.HandEnded,
        ev.HandAbandoned,
        ev.DealRevealed,
        ev.Scored,
        ev.MatchEnded,
        ev.MatchRestarted,
        ev.PlayerJoined,
        ev.PlayerLeft,
        ev.PresenceChanged,
        ev.HostChanged,
        ev.WatchersChanged,
        ev.Chatted,
        ev.TitlesChanged,
        ev.TableClosed,
        ev.TableOpened,
    }
)
"""Events that say the same to everyone."""


def see(event: Event, viewer: int | None) -> Seen:
    """The event as `viewer` may see it. Raises TypeError for a class that nobody may see."""
    if type(event) in PUBLIC:
        return event  # type: ignore[return-value]  # PUBLIC is the run-time form of Seen
    if isinstance(event, ev.HandsDealt):
        own = None if viewer is None else event.hands[viewer]
        return ev.Dealt(tuple(len(cards) for cards in event.hands), own)
    if isinstance(event, ev.TaxesExchanged):
        return ev.TaxesPaid(tuple(see_exchange(each, viewer) for each in event.exchanges))
    raise TypeError(f"nobody may see {type(event).__name__}")


def see_exchange(exchange: Exchange, viewer: int | None) -> Exchange:
    """A tax as `viewer` may see it: with its cards for the two parties only (T4)."""
    if viewer is not None and viewer in (exchange.payer, exchange.receiver):
        return exchange
    return Exchange(exchange.payer, exchange.receiver, exchange.count)


class TrickView(Struct, frozen=True, gc=False, omit_defaults=True):
    """The trick on the table. `top` is the set to beat; without one the next play leads."""

    top: Play | None = None
    owner: Seat | None = None
    passed: tuple[Seat, ...] = ()
    acts: tuple[Act, ...] = ()
    """Everything done in this trick, in order."""


NO_TRICK: Final = TrickView()
NOTHING_PLAYED: Final = (0,) * 14
"""What fields are before the first play. A default is left out of what is sent only where it is the
very same object, so a view that has these says nothing of them."""


class HandView(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """The hand that is being played."""

    number: int
    order: tuple[PlayerId, ...]
    """Who has which seat, seat 0 first."""
    phase: Literal["revolution", "taxes", "tricks", "over"] = "tricks"
    commitment: Hex = ""
    nonces: tuple[Nonce, ...] = ()
    sizes: tuple[int, ...] = ()
    seat: Annotated[Seat | None, Meta(description="The viewer's own seat.")] = None
    cards: Annotated[Cards | None, Meta(description="The viewer's own cards now.")] = None
    dealt: Annotated[Cards | None, Meta(description="The viewer's own cards as dealt.")] = None
    revolution: RevolutionCalled | None = None
    dues: tuple[Due, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    trick: TrickView = NO_TRICK
    last_trick: tuple[Act, ...] = ()
    tricks: int = 0
    played: Annotated[
        tuple[int, ...],
        Meta(
            min_length=14,
            max_length=14,
            description="Cards played in this hand: entry r is how many of rank r, 13: Jesters.",
        ),
    ] = NOTHING_PLAYED
    finished: tuple[Seat, ...] = ()
    turn: Turn | None = None


class TableView(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """A table as one viewer may know it."""

    table: str
    options: TableOptions
    state: Literal["waiting", "hand", "between", "over"] = "waiting"
    fair: Annotated[bool, Meta(description="False: the deals are known beforehand.")] = True
    solo: Annotated[bool, Meta(description="One person against house bots.")] = False
    host: PlayerId | None = None
    you: Annotated[PlayerId | None, Meta(description="The viewer; absent: a spectator.")] = None
    players: tuple[PlayerInfo, ...] = ()
    """In the order in which they sat down."""
    order: tuple[PlayerId, ...] = ()
    """Seated for the hand, or for the next one, by title; who is not in it waits."""
    watchers: tuple[str, ...] = ()
    hands_played: int = 0
    draw: TitlesDrawn | None = None
    hand: HandView | None = None
    result: HandEnded | None = None
    scores: tuple[Score, ...] = ()
    winners: tuple[PlayerId, ...] = ()
    next_hand: int = 1
    next_commitment: Hex = ""


def view_hand(match: Match, hand: Hand, you: int | None, turn: Turn | None) -> HandView:
    """The hand that is being played, as player `you` may know it."""
    seat = None if you is None else match.seat_of(you)
    assert match.started is not None
    trick = TrickView(hand.top, hand.owner, tuple(sorted(hand.passed)), tuple(hand.acts))
    played = hand.played()
    return HandView(
        number=match.started.hand,
        order=tuple(match.order),
        phase=hand.phase.value,
        commitment=match.started.commitment,
        nonces=match.started.nonces,
        sizes=tuple(hand.sizes),
        seat=seat,
        cards=None if seat is None else hand.cards(seat),
        dealt=None if seat is None else hand.dealt[seat],
        revolution=hand.revolution,
        dues=() if hand.phase is Phase.REVOLUTION else hand.dues,
        exchanges=tuple(see_exchange(each, seat) for each in hand.exchanges),
        trick=NO_TRICK if trick == NO_TRICK else trick,
        last_trick=hand.last_acts,
        tricks=hand.tricks,
        played=NOTHING_PLAYED if played == NOTHING_PLAYED else played,
        finished=tuple(hand.finished),
        turn=turn,
    )


def view_table(
    match: Match,
    *,
    table: str,
    players: Sequence[PlayerInfo],
    you: int | None,
    host: int | None = None,
    watchers: Sequence[str] = (),
    turn: Turn | None = None,
    fair: bool = True,
    solo: bool = False,
    next_commitment: str = "",
) -> TableView:
    """The whole table, as player `you` may know it; None is a spectator."""
    return TableView(
        table=table,
        options=match.options,
        state=match.state,
        fair=fair,
        solo=solo,
        host=host,
        you=you,
        players=tuple(players),
        order=tuple(match.order),
        watchers=tuple(watchers),
        hands_played=match.hands_played,
        draw=match.draw,
        hand=None if match.hand is None else view_hand(match, match.hand, you, turn),
        result=match.result,
        scores=match.standings(),
        winners=match.winners() if match.state == "over" else (),
        next_hand=match.hands_begun + 1,
        next_commitment=next_commitment,
    )
