"""A table's match as it is played: deals, questions with their clocks, stand-ins, hand results.

The rules are in `core.match`; this adds time and chance, both handed in. Nothing here may depend on
cards that are not on the table: delays come from a fixed distribution and are drawn for every seat
alike (rules.md I3).
"""

from __future__ import annotations

from random import Random

from msgspec import Struct

from dalmuti.core.events import By, DealRevealed, Event, HandPrepared, PlayerLeft, Turn
from dalmuti.core.hand import Hand, Phase
from dalmuti.core.match import MIN_PLAYERS, Match
from dalmuti.core.moves import Call, IllegalMove, Move
from dalmuti.core.options import TableOptions
from dalmuti.core.policy import greedy
from dalmuti.protocol.errors import ErrorCode
from dalmuti.protocol.messages import Act, Decision
from dalmuti.server.limits import Limits
from dalmuti.server.table.asking import Asking
from dalmuti.server.table.dealer import Dealer
from dalmuti.server.table.feed import Feed
from dalmuti.server.table.people import People, Player
from dalmuti.server.table.refused import Refused


class PlayState(Struct, frozen=True, omit_defaults=True):
    """The questions of one table as plain data; the match itself is kept by its entries."""

    decisions: int = 0
    commitment: str = ""
    turn: Turn | None = None
    asking: Asking | None = None


class Play:
    """The match of one table, with its clock. `now` is in seconds on any monotonic clock."""

    def __init__(
        self,
        options: TableOptions,
        feed: Feed,
        people: People,
        dealer: Dealer,
        limits: Limits,
        delays: Random,
        pace: float,
    ) -> None:
        """`pace` scales the delays of stand-ins and the least time of the window; 0: none."""
        self.match = Match(options)
        self.asking: Asking | None = None
        self.turn: Turn | None = None
        self.commitment = ""
        """The commitment to the next deal; empty while a hand is played."""
        self.revealed: dict[int, str] = {}
        """Seeds that were revealed, for the record; whoever takes them deletes them."""
        self._feed, self._people, self._dealer = feed, people, dealer
        self._limits, self._delays, self._pace = limits, delays, pace
        self._decisions = 0

    # -- from deal to result -------------------------------------------------------------------

    def prepare(self) -> None:
        """Binds the server to the next deal."""
        hand = self.match.hands_begun + 1
        self.commitment = self._dealer.prepare(hand)
        self._feed.emit(HandPrepared(hand, self.commitment))

    def add_nonce(self, player: Player, hand: int, nonce: bytes) -> None:
        """Takes a player's nonce for the hand that is prepared."""
        if not self._dealer.fair:
            raise Refused(ErrorCode.NO_NONCE_NOW, "this table plays known deals")
        if not self.commitment or hand != self._dealer.hand:
            raise Refused(ErrorCode.NO_NONCE_NOW, f"hand {hand} is not being prepared")
        self._dealer.nonces[player.number] = nonce

    def deal(self, now: float) -> None:
        """Deals the next hand; after the end of a match, the first of a new one.

        Not while a hand is played: the table has seen to that.
        """
        match, dealer = self.match, self._dealer
        if len(match.order) < MIN_PLAYERS:
            raise Refused(
                ErrorCode.TOO_FEW_PLAYERS,
                f"a hand needs {MIN_PLAYERS} players, here sits {len(match.order)}",
            )
        if match.state == "over":
            self._emit(match.restart())
        nonces = dealer.take_nonces(match.order)
        if not match.titled:
            self._emit(match.give_titles(*dealer.titles(match.options, match.order)))
        commitment, self.commitment = self.commitment, ""
        events = match.start(dealer.deck(), commitment, nonces)
        self._people.drop_left()
        for number in match.order:
            self._people.players[number].active = False
            self._people.players[number].helped = False
        self._emit(events)
        self._ask(now)

    def abandon(self) -> None:
        """Ends a running hand without a result (C3)."""
        if self.match.hand is not None:
            self.asking = self.turn = None
            self._emit(self.match.abandon())
            self._reveal()

    def _reveal(self) -> None:
        hand, seed = self._dealer.hand, self._dealer.reveal()
        self.revealed[hand] = seed
        self._emit([DealRevealed(hand, seed)])

    def _hand_over(self) -> None:
        """Reveals the deal, frees the seats that were left, and prepares the next hand."""
        self.asking = self.turn = None
        self._reveal()
        for player in self._people.seated():
            idle = not player.active and not player.is_house
            player.idle_hands = player.idle_hands + 1 if idle else 0
            if player.presence == "left":
                player.tokens, player.left_as = (), None
                self._emit([PlayerLeft(player.number, player.left_because)])
        self.prepare()

    def state(self) -> PlayState:
        """What is to be kept beside the match. Encode it at once: the question changes."""
        return PlayState(self._decisions, self.commitment, self.turn, self.asking)

    def load(self, kept: PlayState) -> None:
        """Asks what was asked when this was kept."""
        self._decisions, self.commitment = kept.decisions, kept.commitment
        self.turn, self.asking = kept.turn, kept.asking

    def give_time(self, seconds: float) -> None:
        """Lets the running clock run longer."""
        if self.asking is not None and self.asking.ends is not None:
            self.asking.ends += seconds

    # -- questions -----------------------------------------------------------------------------

    def act(self, player: Player, message: Act, now: float) -> None:
        """Takes a player's answer. Raises Refused, and nothing has changed."""
        if player.answered == (message.decision, message.choice):
            return
        asking, seat = self.asking, self.match.seat_of(player.number)
        if message.decision > self._decisions or (asking is None and message.decision == 0):
            raise Refused(
                ErrorCode.NO_DECISION, f"nobody was asked for decision {message.decision} yet"
            )
        if asking is None or message.decision != asking.decision:
            raise Refused(
                ErrorCode.STALE_DECISION, f"decision {message.decision} is over, it was too late"
            )
        if seat is None:
            raise Refused(ErrorCode.NO_DECISION, "you do not play in this hand")
        if seat not in asking.seats:
            raise Refused(ErrorCode.NOT_YOUR_TURN, "it is not your turn")
        if seat not in asking.waits_for(self._hand):
            raise Refused(ErrorCode.STALE_DECISION, "you have decided this already")
        try:
            self._hand.check(seat, message.choice)
        except IllegalMove as error:
            raise Refused(ErrorCode(error.code.value), str(error)) from None
        player.answered = (message.decision, message.choice)
        player.retries = player.late = 0
        player.active = True
        self._move(seat, message.choice, "player", now)

    def ask_again(self, player: Player, now: float) -> None:
        """Repeats the question to a player who has not answered it."""
        seat = self.match.seat_of(player.number)
        asking, conn = self.asking, player.conn
        if asking is None or seat is None or conn is None:
            return
        if seat in asking.waits_for(self._hand):
            self._feed.send(conn, self._decision(asking, seat, now))

    def presence_changed(self, player: Player, now: float) -> None:
        """Lets the stand-in take the seat, or give it back."""
        seat, asking = self.match.seat_of(player.number), self.asking
        if seat is None or asking is None:
            return
        if not player.stood_in:
            asking.standins.pop(seat, None)
        elif seat in asking.waits_for(self._hand) and seat not in asking.standins:
            asking.standins[seat] = now + self._delay()

    def next_deadline(self) -> float | None:
        """When `tick` has something to do."""
        return None if self.asking is None else self.asking.next_deadline(self._hand)

    def tick(self, now: float) -> None:
        """Does one thing that is due: a stand-in's move, a default, the end of the window."""
        asking = self.asking
        if asking is None:
            return
        waiting = asking.waits_for(self._hand)
        due = [seat for seat in asking.standins if asking.standins[seat] <= now]
        if due:
            seat = min(due, key=lambda seat: (asking.standins[seat], seat))
            hand = self._hand
            self._people.players[self.match.order[seat]].helped = True
            self._move(seat, greedy(hand.cards(seat), hand.legal(seat)), "standin", now)
        elif waiting and asking.is_up(now):
            for seat in waiting:
                if self.asking is asking:
                    self._people.players[self.match.order[seat]].late += 1
                    self._move(seat, self._hand.default(seat), "clock", now)
        elif not waiting:
            self._close_window(asking, now)

    @property
    def _hand(self) -> Hand:
        assert self.match.hand is not None
        return self.match.hand

    def _move(self, seat: int, move: Move, by: By, now: float) -> None:
        """Makes a legal move. In the revolution window all but a call stays under seal."""
        asking = self.asking
        assert asking is not None
        asking.standins.pop(seat, None)
        if asking.phase is Phase.REVOLUTION and not isinstance(move, Call):
            asking.sealed[seat] = (move, by)
            if not asking.waits_for(self._hand):
                self._close_window(asking, now)
            return
        self._emit(self.match.apply(seat, move, by))
        self._ask(now)

    def _close_window(self, asking: Asking, now: float) -> None:
        """Gives the sealed answers to the hand, unless it is too early (R2)."""
        if now < asking.earliest:
            return
        for seat, (move, by) in sorted(asking.sealed.items()):
            self._emit(self.match.apply(seat, move, by))
        self._ask(now)

    def _ask(self, now: float) -> None:
        """Asks whoever the hand waits for now, if they are not asked already."""
        forced = self._question(now)
        while forced:  # and no recursion: a hand may end in a hundred of them
            if self._hand.phase is Phase.REVOLUTION:
                self._seal(forced, now)
                return
            for seat, move in forced:
                self._emit(self.match.apply(seat, move))
            forced = self._question(now)

    def _seal(self, declined: list[tuple[int, Move]], now: float) -> None:
        """Takes answers to the window that are no choice."""
        asking = self.asking
        assert asking is not None
        for seat, move in declined:
            asking.sealed[seat] = (move, "player")
        if not asking.waits_for(self._hand):
            self._close_window(asking, now)

    def _question(self, now: float) -> list[tuple[int, Move]]:
        """Asks; returns the moves that are to be made without a question (`forced_moves`)."""
        hand, old = self.match.hand, self.asking
        if hand is None:
            self._hand_over()
            return []
        if old and old.phase is hand.phase and hand.phase is not Phase.TRICKS:
            return []
        self._decisions += 1
        kind = hand.question
        asking = self.asking = Asking(self._decisions, hand.phase, kind, hand.to_act, None)
        seconds: float = hand.options.turn_seconds
        if hand.phase is Phase.REVOLUTION:
            seconds = min(seconds, self._limits.window_most_seconds)
            asking.earliest = now + self._limits.window_seconds * min(self._pace, 1)
        if seconds:
            asking.ends, asking.lag = now + seconds, self._limits.lag_seconds
        self.turn = Turn(kind, asking.seats, asking.decision, asking.ms_left(now))
        self._feed.emit(self.turn)
        forced: list[tuple[int, Move]] = []
        for seat in asking.seats:
            if self._limits.forced_moves and len(legal := hand.legal(seat)) == 1:
                forced.append((seat, legal[0]))
                continue
            player = self._people.players[self.match.order[seat]]
            if player.conn is not None:
                self._feed.send(player.conn, self._decision(asking, seat, now))
            self.presence_changed(player, now)
        return forced

    def _decision(self, asking: Asking, seat: int, now: float) -> Decision:
        hand = self._hand
        return Decision(
            decision=asking.decision,
            kind=asking.kind,
            choices=tuple(hand.legal(seat)),
            default=hand.default(seat),
            ms=asking.ms_left(now),
        )

    def _delay(self) -> float:
        least, most = self._limits.standin_least, self._limits.standin_most
        return self._pace * self._delays.uniform(least, most)

    def _emit(self, events: list[Event]) -> None:
        for event in events:
            self._feed.emit(event)
