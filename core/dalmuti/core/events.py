"""What happened at a table: frozen, one class each, tagged by `e` on the wire.

Two kinds live here. What a viewer may see is in `Seen`, and only classes in `Seen` ever leave the
server. `HandsDealt` and `TaxesExchanged` hold cards of several people: they are facts of the
engine and of the record, and `views.see` turns them into `Dealt` and `TaxesPaid` for each viewer.

A `seat` is a place in the order of titles in this hand, 0 for the Greater Dalmuti; a `player` is a
number that a person or bot keeps for as long as he sits at the table.

These structs, and those of moves, views, records and messages, are `gc=False`: nothing in them can
come back to itself, and a server with many tables would else have its collector walk over all.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from dalmuti.core.cards import Cards, Play
from dalmuti.core.options import TableOptions
from dalmuti.core.titles import DrawRound

Seat = Annotated[int, Meta(ge=0, le=9)]
PlayerId = Annotated[int, Meta(ge=1)]
By = Literal["player", "standin", "clock"]
"""Who made a move: the player, the stand-in (J3, J4), or the default when the time was up."""
Question = Literal["revolution", "tax", "lead", "follow"]
"""What a hand asks one or more of its players."""
Presence = Literal["here", "lost", "away", "standin", "left"]
Kind = Literal["human", "bot", "house"]
Hex = Annotated[str, Meta(pattern="^[0-9a-f]*$")]


class Event(Struct, frozen=True, gc=False, tag_field="e", omit_defaults=True):
    """Anything that happened."""


# -- the hand ---------------------------------------------------------------------------------


class HandPrepared(Event, frozen=True, tag="hand_prepared"):
    """The server is bound to the next deal: nonces are taken from now until the deal."""

    hand: int
    commitment: Hex


class TitlesDrawn(Event, frozen=True, tag="titles_drawn"):
    """The first titles: each round of drawing (none unless by drawing), and the order (F1, F2)."""

    rounds: tuple[DrawRound, ...]
    order: tuple[PlayerId, ...]


class Nonce(Struct, frozen=True, gc=False):
    """The nonce that a player added to the deal."""

    player: PlayerId
    nonce: Hex


class HandStarted(Event, frozen=True, tag="hand_started"):
    """A hand begins with these players in the order of their titles.

    Players with presence `left`, and their scores, are dropped from the table now.
    """

    hand: int
    order: tuple[PlayerId, ...]
    commitment: Hex = ""
    nonces: tuple[Nonce, ...] = ()


class HandsDealt(Event, frozen=True, tag="hands_dealt"):
    """Secret: everybody's cards as dealt, by seat (D2)."""

    hands: tuple[Cards, ...]


class Dealt(Event, frozen=True, tag="dealt"):
    """The cards are dealt: how many each seat has, and the viewer's own."""

    sizes: tuple[int, ...]
    cards: Cards | None = None


class RevolutionOpened(Event, frozen=True, tag="revolution_opened"):
    """Whoever was dealt both Jesters may call now; everyone is asked (R2)."""


class RevolutionClosed(Event, frozen=True, tag="revolution_closed"):
    """Nobody called."""


class RevolutionCalled(Event, frozen=True, tag="revolution_called"):
    """A revolution: no taxes this hand. A greater one turns the seats round (R3, R4).

    `seat` is the caller's before the turn; after a greater one seat i is what seat n-1-i was.
    """

    seat: Seat
    greater: bool = False


class Due(Struct, frozen=True, gc=False):
    """A tax: `payer` gives his `count` best cards and gets as many back."""

    payer: Seat
    receiver: Seat
    count: int


class TaxesDue(Event, frozen=True, tag="taxes_due"):
    """Who pays whom how much (T1, T5); the receivers choose what they return."""

    dues: tuple[Due, ...]


class Exchange(Struct, frozen=True, gc=False, omit_defaults=True):
    """One tax as it was paid. The cards are there for the two parties only (T4)."""

    payer: Seat
    receiver: Seat
    count: int
    paid: Cards | None = None
    returned: Cards | None = None


class TaxesExchanged(Event, frozen=True, tag="taxes_exchanged"):
    """Secret: all taxes with their cards."""

    exchanges: tuple[Exchange, ...]


class TaxesPaid(Event, frozen=True, tag="taxes_paid"):
    """All taxes moved at once (T3); the viewer sees the cards of his own exchange."""

    exchanges: tuple[Exchange, ...]


class Turn(Event, frozen=True, tag="turn"):
    """Whose decision the hand waits for. `ms` is the time it began with, absent without a clock.

    In the revolution window this names every seat, and does not change while they answer.
    """

    kind: Question
    seats: tuple[Seat, ...]
    decision: int
    ms: int | None = None


class Played(Event, frozen=True, tag="played"):
    """A set is on the table; `left` is how many cards the seat still has."""

    seat: Seat
    play: Play
    left: int
    by: By = "player"


class Passed(Event, frozen=True, tag="passed"):
    """The seat played nothing this time round."""

    seat: Seat
    by: By = "player"


class WentOut(Event, frozen=True, tag="went_out"):
    """The seat played its last card, or is the last one left; place 1 is the first out (P7)."""

    seat: Seat
    place: int


class TrickEnded(Event, frozen=True, tag="trick_ended"):
    """Everyone else has passed: the trick was `owner`'s, and `leader` leads next (P4, P5)."""

    owner: Seat
    leader: Seat


class Result(Struct, frozen=True, gc=False, omit_defaults=True):
    """One line of a hand's result, best place first."""

    seat: Seat
    player: PlayerId
    points: int
    standin: Annotated[
        bool, Meta(description="Its player had left: the stand-in played it to the end (J3).")
    ] = False


class HandEnded(Event, frozen=True, tag="hand_ended"):
    """The hand is over. `places` go from the first out to the last (P7).

    The state of the table is `between` from now on, and there is no hand any more.
    """

    hand: int
    places: tuple[Result, ...]


class HandAbandoned(Event, frozen=True, tag="hand_abandoned"):
    """The hand ends without a result and scores nothing (C3)."""

    hand: int


class DealRevealed(Event, frozen=True, tag="deal_revealed"):
    """The secret behind the commitment, so that everyone can check the deal (docs/protocol.md)."""

    hand: int
    seed: Hex


class Score(Struct, frozen=True, gc=False, omit_defaults=True):
    """What a player has in this match so far: points (C2) and first places (C1)."""

    player: PlayerId
    points: int = 0
    hands_won: int = 0


class Scored(Event, frozen=True, tag="scored"):
    """The scores after a hand, best first."""

    scores: tuple[Score, ...]


class MatchEnded(Event, frozen=True, tag="match_ended"):
    """The match is over; players who share the best score have all won (C2)."""

    scores: tuple[Score, ...]
    winners: tuple[PlayerId, ...]


class Act(Struct, frozen=True, gc=False, omit_defaults=True):
    """What a seat did in a trick: it played a set, or passed."""

    seat: Seat
    play: Play | None = None


class MatchRestarted(Event, frozen=True, tag="match_restarted"):
    """A new match begins with the same players; scores and titles are gone."""


# -- the table --------------------------------------------------------------------------------


class PlayerInfo(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """Somebody who sits at the table; without a seat in the hand he waits for the next."""

    player: PlayerId
    name: str
    kind: Kind = "human"
    presence: Presence = "here"


class PlayerJoined(Event, frozen=True, tag="player_joined"):
    """Somebody sat down; during a hand he waits for the next one (J1).

    Between hands `titles_changed` follows with the new order.
    """

    who: PlayerInfo


class PlayerLeft(Event, frozen=True, tag="player_left"):
    """A seat is free: at once between hands, in a hand when it is over (J2, J3).

    Who left stays listed with presence `left`, so that the last result can be read, until the
    next hand starts.
    """

    player: PlayerId
    reason: Literal["left", "kicked", "lost", "closed"] = "left"


class PresenceChanged(Event, frozen=True, tag="presence_changed"):
    """A player was lost, came back, or is played by the stand-in (J3, J4).

    `ms` counts down to the stand-in when he is lost.
    """

    player: PlayerId
    presence: Presence
    ms: int | None = None


class HostChanged(Event, frozen=True, tag="host_changed"):
    """Somebody else deals, adds bots and closes the table now."""

    player: PlayerId


class WatchersChanged(Event, frozen=True, tag="watchers_changed"):
    """The names of those who watch."""

    names: tuple[str, ...]


class Chatted(Event, frozen=True, tag="chatted"):
    """Somebody at the table said something."""

    name: str
    text: str
    player: PlayerId | None = None


class TitlesChanged(Event, frozen=True, tag="titles_changed"):
    """The order in which the players will sit in the next hand: by finish, joiners, leavers."""

    order: tuple[PlayerId, ...]


class TableClosed(Event, frozen=True, tag="table_closed"):
    """The table is no more."""

    reason: Literal["host", "empty", "shutdown", "error", "admin"]


class TableOpened(Event, frozen=True, tag="table_opened"):
    """The first event of every table."""

    table: str
    options: TableOptions


Seen = (
    HandPrepared
    | TitlesDrawn
    | HandStarted
    | Dealt
    | RevolutionOpened
    | RevolutionClosed
    | RevolutionCalled
    | TaxesDue
    | TaxesPaid
    | Turn
    | Played
    | Passed
    | WentOut
    | TrickEnded
    | HandEnded
    | HandAbandoned
    | DealRevealed
    | Scored
    | MatchEnded
    | MatchRestarted
    | PlayerJoined
    | PlayerLeft
    | PresenceChanged
    | HostChanged
    | WatchersChanged
    | Chatted
    | TitlesChanged
    | TableClosed
    | TableOpened
)
"""Everything that may be sent to somebody."""
