"""A table as a server would hold it, with one seat for the client that is tried, and no clock.

The rules are `core.match`, what the client sees goes through `core.views`, and the other seats are
played by the greedy policy when a check lets them. Everything is pure: what is to be said waits in
`out` until it is taken. Checks that need a certain hand look for the number of a known deal
(docs/protocol.md, `seed`) that has it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from msgspec.structs import replace

from dalmuti.core import deal
from dalmuti.core import events as ev
from dalmuti.core.cards import JESTER, Cards
from dalmuti.core.events import By, Event, PlayerInfo, Turn
from dalmuti.core.hand import Hand, Phase
from dalmuti.core.match import Match
from dalmuti.core.moves import Move
from dalmuti.core.options import TableOptions
from dalmuti.core.policy import greedy
from dalmuti.core.views import see, view_table
from dalmuti.protocol import messages as msg

CAST: Final = ("Ada", "Bea", "Cid", "Dora", "Ed", "Fay", "Gus", "Hal", "Ida", "Jim")
GRACE_MS: Final = 20_000
Out = msg.ServerMessage | dict[str, Any]
Wanted = Callable[[int, list[Cards]], bool]
"""Whether a deal will do: the client's seat, and everybody's cards by seat."""


def both_jesters(seat: int | None = None) -> Wanted:
    """Somebody has both Jesters: the client, or whoever sits `seat` places before the Peon."""

    def wanted(own: int, hands: list[Cards]) -> bool:
        there = own if seat is None else len(hands) - 1 - seat
        return hands[there].count(JESTER) == 2

    return wanted


class Table:
    """One table. The client that is tried sits down last, and so is the Greater Peon by arrival."""

    def __init__(
        self,
        name: str,
        options: TableOptions,
        *,
        others: int | None = None,
        place: int | None = None,
        fair: bool = False,
        wanted: Wanted | None = None,
    ) -> None:
        """`others` sit here already; all but one seat are taken unless it is told otherwise.

        A table that is `fair` takes nonces. Else its deals are known ones, the first of them such
        as is `wanted`. `place` is the seat that the client has in the first hand, where titles go
        by arrival.
        """
        self.name, self.options, self.fair = name, options, fair
        self.match = Match(options)
        self.seq = 0
        self.log: list[tuple[int, Event | dict[str, Any], int | None]] = []
        """Every event with its number, and the client's seat when it came."""
        self.out: list[Out] = []
        self.connected = False
        """Whether the client is here to be told."""
        self.client: int | None = None
        self.players: dict[int, PlayerInfo] = {}
        self.watchers: tuple[str, ...] = ()
        self.turn: Turn | None = None
        self.pending: msg.Decision | None = None
        """What the client is asked and has not answered."""
        self.excused: set[int] = set()
        """Decisions that may be answered again: they were refused, withdrawn, or asked anew."""
        self.decisions = 0
        self.nonces: dict[int, bytes] = {}
        self.commitment = ""
        self._place = place
        self._hand_asked: tuple[Phase, ...] = ()
        self._seating: tuple[int, ...] = ()
        self._seed = b""
        number = (options.seats - 1) if others is None else others
        self._number = self._find(wanted, number + 1)
        self.emit(ev.TableOpened(name, options))
        self._prepare()
        for each in CAST[:number]:
            self.sit(each)
        self.emit(ev.HostChanged(1))

    # -- people -------------------------------------------------------------------------------

    def sit(self, name: str, kind: ev.Kind = "human") -> int:
        """Somebody sits down; the number that he gets."""
        number = max(self.players, default=0) + 1
        self.players[number] = PlayerInfo(player=number, name=name, kind=kind)
        events = self.match.sit(number)
        self.emit(ev.PlayerJoined(self.players[number]))
        self._emit(events)
        return number

    def sit_client(self, name: str, kind: ev.Kind) -> int:
        """The client sits down, and hears of the table from now on."""
        self.client = self.sit(name, kind)
        self.connected = True
        return self.client

    def leave(self, player: int) -> None:
        """One of the others leaves; in a hand the greedy policy plays on for him."""
        in_hand = self.match.seat_of(player) is not None
        events = self.match.leave(player)
        if in_hand:
            self.presence(player, "left")
        else:
            self.players[player] = replace(self.players[player], presence="left")
            self.emit(ev.PlayerLeft(player))
            self._emit(events)

    def presence(self, player: int, presence: ev.Presence, ms: int | None = None) -> None:
        """How somebody is there."""
        self.players[player] = replace(self.players[player], presence=presence)
        self.emit(ev.PresenceChanged(player, presence, ms))

    def watch(self, *names: str) -> None:
        """Who watches from now on."""
        self.watchers = names
        self.emit(ev.WatchersChanged(names))

    # -- telling ------------------------------------------------------------------------------

    @property
    def seat(self) -> int | None:
        """The client's seat in the hand."""
        return self._seating.index(self.client) if self.client in self._seating else None

    def emit(self, event: Event | dict[str, Any]) -> None:
        """Something happens; a plain map is an event of a type that this version does not have."""
        self.seq += 1
        if isinstance(event, ev.HandStarted):
            self._seating = event.order
        self.log.append((self.seq, event, self.seat))
        if self.connected:
            self.out.append(self._told(*self.log[-1]))
        if isinstance(event, ev.RevolutionCalled) and event.greater:
            self._seating = self._seating[::-1]
        elif isinstance(event, ev.HandEnded | ev.HandAbandoned):
            self._seating = ()

    def since(self, seq: int) -> list[Out]:
        """The events after `seq` as the client may see them."""
        return [self._told(*each) for each in self.log if each[0] > seq]

    def say(self, message: Out) -> None:
        """Something else is said to the client, if it is here."""
        if self.connected:
            self.out.append(message)

    def take(self) -> list[Out]:
        """What is to be sent now."""
        out, self.out = self.out, []
        return out

    def snapshot(self) -> msg.Snapshot:
        """The table as the client may know it."""
        view = view_table(
            self.match,
            table=self.name,
            players=tuple(self.players.values()),
            you=self.client,
            host=1,
            watchers=self.watchers,
            turn=self.turn,
            fair=self.fair,
            next_commitment=self.commitment,
        )
        return msg.Snapshot(seq=self.seq, table=view, ms=self._ms())

    @staticmethod
    def _told(seq: int, event: Event | dict[str, Any], seat: int | None) -> Out:
        if isinstance(event, dict):
            return {"t": "event", "seq": seq, "event": event}
        return msg.EventMessage(seq=seq, event=see(event, seat))

    # -- the hand -----------------------------------------------------------------------------

    @property
    def hand(self) -> Hand | None:
        """The hand that is being played."""
        return self.match.hand

    def add_nonce(self, hand: int, nonce: bytes) -> bool:
        """The client's nonce for the next deal; False when there is none to be had."""
        if not self.fair or not self.commitment or hand != self.match.hands_begun + 1:
            return False
        assert self.client is not None
        self.nonces[self.client] = nonce
        return True

    def deal(self) -> None:
        """Deals the next hand, with the first titles where they are not found yet."""
        match = self.match
        if match.state == "over":
            self._emit(match.restart())
        if not match.titled:
            how = self.options.first_titles
            players = match.order
            if self._place is not None and self.client is not None:
                players = [each for each in players if each != self.client]
                players.insert(self._place, self.client)
                self._emit(match.give_titles((), tuple(players)))
            else:
                titles = deal.first_titles(how, players, self._seed, self.nonces)
                self._emit(match.give_titles(*titles))
        commitment, self.commitment = self.commitment, ""
        self.players = {n: info for n, info in self.players.items() if info.presence != "left"}
        self._hand_asked = ()
        deck = deal.deck_of(self._seed, self.nonces)
        self._emit(match.start(deck, commitment, self.nonces))
        self._ask()

    def answer(self, choice: Move, by: By = "player") -> None:
        """The client's decision, or what is decided for it."""
        assert self.pending is not None and self.seat is not None
        self.pending = None
        self._move(self.seat, choice, by)

    def answer_by_default(self) -> None:
        """The client's time is up."""
        assert self.pending is not None
        self.excused.add(self.pending.decision)
        self.answer(self.pending.default, "clock")

    def abandon(self) -> None:
        """The hand ends without a result (C3)."""
        self._emit(self.match.abandon())
        self._hand_over()

    def play_other(self) -> bool:
        """One of the others decides; False if the hand waits for the client alone."""
        hand = self.hand
        for seat in hand.to_act if hand else ():
            if seat != self.seat:
                self._move(seat, self._policy(seat))
                return True
        return False

    def _policy(self, seat: int) -> Move:
        assert self.hand is not None
        legal = self.hand.legal(seat)
        if self.hand.phase is Phase.REVOLUTION and len(legal) > 1:
            return legal[1]  # whoever may call does: the checks want to see it
        return greedy(self.hand.cards(seat), legal)

    def _move(self, seat: int, move: Move, by: By = "player") -> None:
        self._emit(self.match.apply(seat, move, by))
        self._ask()

    def _ask(self) -> None:
        hand = self.hand
        if hand is None:
            self._hand_over()
            return
        asked = hand.phase in self._hand_asked and hand.phase is not Phase.TRICKS
        if asked:
            return
        self._hand_asked += (hand.phase,)
        self.decisions += 1
        self.turn = Turn(hand.question, hand.to_act, self.decisions, self._ms())
        self._withdraw()
        self.emit(self.turn)
        if self.seat is not None and hand.is_asked(self.seat):
            self.pending = msg.Decision(
                decision=self.decisions,
                kind=hand.question,
                choices=tuple(hand.legal(self.seat)),
                default=hand.default(self.seat),
                ms=self._ms(),
            )
            self.say(self.pending)

    def _withdraw(self) -> None:
        """What the client was asked is over before it answered: that may be in its way to us."""
        if self.pending is not None:
            self.excused.add(self.pending.decision)
        self.pending = None

    def _hand_over(self) -> None:
        self.turn = None
        self._withdraw()
        self.emit(ev.DealRevealed(self.match.hands_begun, self._seed.hex()))
        for player, info in list(self.players.items()):
            if info.presence == "left":
                self.emit(ev.PlayerLeft(player))
        self._prepare()

    def _prepare(self) -> None:
        hand = self.match.hands_begun + 1
        self.nonces = {}
        self._seed = deal.fixed_seed(self._number, hand)
        self.commitment = deal.commitment(self.name, hand, self._seed)
        self.emit(ev.HandPrepared(hand, self.commitment))

    def _find(self, wanted: Wanted | None, seats: int) -> int:
        """The number of the first known deal that will do."""
        if wanted is None:
            return 1
        own = seats - 1 if self._place is None else self._place
        return next(
            number
            for number in range(1, 100_000)
            if wanted(own, deal.hands_of(deal.fixed_seed(number, 1), {}, seats))
        )

    def _ms(self) -> int | None:
        return self.options.turn_seconds * 1000 or None

    def _emit(self, events: Sequence[Event]) -> None:
        for event in events:
            self.emit(event)
