"""What a viewer of a hand checks for himself when its seed is revealed (rules.md D3, F1, T1, R1).

The server says beforehand what it is bound to, and afterwards what it was. A witness remembers what
one viewer saw in between: his own cards, the draw, each card that anybody played or that he took
part in exchanging. From the seed he computes all hands again and holds one against the other. What
he did not see (what a stranger gave back in taxes, tricks before he came) he does not guess: any
hand that fits with the rest will do, so that a true deal is never called false.

Pure: feed it each event as it comes, and a new one the snapshot whenever there is one.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalmuti.core import deal
from dalmuti.core import events as ev
from dalmuti.core.cards import JESTER, Cards, Counts, cards_of, counts_of
from dalmuti.core.events import Act, Exchange, Seen
from dalmuti.core.hand import taxes_due
from dalmuti.core.moves import best_cards
from dalmuti.core.record import Verdict
from dalmuti.core.views import HandView, TableView


class Witness:
    """Follows a table for one viewer. Make one from each snapshot, and `watch` what comes after."""

    def __init__(self, view: TableView, before: Witness | None = None) -> None:
        """`before` is the witness of the same table up to this snapshot; his nonces still count."""
        self.table = view.table
        self.options = view.options
        self.you = view.you
        self._names = {info.player: info.name for info in view.players}
        self._promises: dict[int, str] = dict(before._promises) if before else {}
        if view.next_commitment:
            self._promises[view.next_hand] = view.next_commitment
        self._nonces: dict[int, str] = dict(before._nonces) if before else {}
        self._draw: ev.TitlesDrawn | None = None
        self._hand: _Watched | None = None
        if view.hand is not None:
            draw = view.draw if view.hand.number == 1 else None
            self._hand = _Watched.entered(view.hand, draw)

    def gave_nonce(self, hand: int, nonce: str) -> None:
        """Notes that the server took our nonce (hexadecimal) for this hand: it said `ok`."""
        self._nonces[hand] = nonce

    def watch(self, event: Seen) -> Verdict | None:
        """Takes one event; a verdict follows on DealRevealed, if the hand was seen at all."""
        match event:
            case ev.HandPrepared():
                if self._promises.get(event.hand) != event.commitment:
                    self._nonces.pop(event.hand, None)  # it was for another promise
                self._promises[event.hand] = event.commitment
            case ev.PlayerJoined():
                self._names[event.who.player] = event.who.name
            case ev.TitlesDrawn():
                self._draw = event
            case ev.HandStarted():
                self._hand = _Watched(event, self.you, self._draw)
                self._draw = None
            case ev.DealRevealed():
                return self._judge(event)
            case _ if self._hand is not None:
                self._hand.note(event)
        return None

    def _judge(self, revealed: ev.DealRevealed) -> Verdict | None:
        hand = self._hand
        if hand is None or hand.started.hand != revealed.hand:
            return None
        self._hand = None
        number = revealed.hand
        seed = bytes.fromhex(revealed.seed) if len(revealed.seed) % 2 == 0 else b""
        promise = self._promises.get(number, hand.started.commitment)
        self._promises = {n: text for n, text in self._promises.items() if n > number}
        own_nonce = self._nonces.get(number)
        self._nonces = {n: text for n, text in self._nonces.items() if n > number}

        wrong = []
        if hand.started.commitment != promise:
            wrong.append("the hand began with another commitment than was announced for it")
        if deal.commitment(self.table, number, seed) != promise:
            wrong.append("the seed is not the one that the server was bound to")
        added = {nonce.player: nonce.nonce for nonce in hand.started.nonces}
        if (
            own_nonce is not None
            and hand.seat is not None
            and added.get(self.you or 0) != own_nonce
        ):
            wrong.append("your nonce was taken, but not used for the deal")
        nonces = {player: bytes.fromhex(nonce) for player, nonce in added.items()}
        if hand.draw is not None and not self._drawn_so(hand.draw, seed, nonces):
            wrong.append("the first titles are not those that the seed leads to")
        dealt = deal.hands_of(seed, nonces, len(hand.order))
        names = [self._names.get(player, f"player {player}") for player in hand.order]
        wrong += hand.compare(dealt[::-1] if hand.turned else dealt, names)
        return Verdict(number, not wrong, not wrong, tuple(wrong))

    def _drawn_so(self, drawn: ev.TitlesDrawn, seed: bytes, nonces: dict[int, bytes]) -> bool:
        """The first round names everybody in the order in which they drew."""
        first = [draw.player for draw in drawn.rounds[0].draws] if drawn.rounds else drawn.order
        found = deal.first_titles(self.options.first_titles, first, seed, nonces)
        return found == (drawn.rounds, drawn.order)


class _Watched:
    """What one viewer saw of one hand. Seats are as they are now, after a Greater Revolution."""

    def __init__(
        self, started: ev.HandStarted, you: int | None, draw: ev.TitlesDrawn | None
    ) -> None:
        self.started = started
        self.draw = draw
        self.order = list(started.order)
        self.seat = self.order.index(you) if you in self.order else None
        self.sizes: tuple[int, ...] | None = None
        self.dealt: Cards | None = None
        self.revolution: ev.RevolutionCalled | None = None
        self.exchanges: tuple[Exchange, ...] = ()
        self.shown: dict[int, Counts] = {}
        """What each seat is known to have held after the taxes."""
        self.held: Counts | None = None
        """For a viewer who came in the middle: the cards that he held then and has not played."""
        self.astray = ""
        """What was wrong already while the hand was played."""

    @classmethod
    def entered(cls, view: HandView, draw: ev.TitlesDrawn | None) -> _Watched:
        """Begins in the middle of a hand, from a snapshot."""
        turned = view.revolution is not None and view.revolution.greater
        order = view.order[::-1] if turned else view.order
        you = None if view.seat is None else view.order[view.seat]
        hand = cls(ev.HandStarted(view.number, order, view.commitment, view.nonces), you, draw)
        if view.revolution is not None:
            hand.note(view.revolution)
        hand.dealt = view.dealt
        hand.exchanges = view.exchanges
        for act in (*view.last_trick, *view.trick.acts):
            hand._show(act)
        if view.phase == "tricks" and view.seat is not None and view.cards is not None:
            hand.held = counts_of(view.cards)
            hand._add(view.seat, view.cards)
        return hand

    @property
    def turned(self) -> bool:
        """Whether a Greater Revolution turned the seats round (R4)."""
        return self.revolution is not None and self.revolution.greater

    def note(self, event: Seen) -> None:
        match event:
            case ev.Dealt():
                self.sizes, self.dealt = event.sizes, event.cards
            case ev.RevolutionCalled():
                self.revolution = event
                if event.greater:
                    self.order.reverse()
                    self.seat = None if self.seat is None else len(self.order) - 1 - self.seat
            case ev.TaxesPaid():
                self.exchanges = event.exchanges
            case ev.Played(seat, play):
                if seat == self.seat and self.held is not None:
                    for rank in play.cards():
                        self.held[rank] -= 1
                    if min(self.held) < 0:
                        self.astray = f"{play} was played for you, which you did not hold"
                else:
                    self._show(Act(seat, play))

    def _show(self, act: Act) -> None:
        if act.play is not None:
            self._add(act.seat, act.play.cards())

    def _add(self, seat: int, cards: Cards) -> None:
        shown = self.shown.setdefault(seat, [0] * 14)
        for rank in cards:
            shown[rank] += 1

    def compare(self, dealt: Sequence[Cards], names: Sequence[str]) -> list[str]:
        """What was seen that does not fit these hands, as sentences; names by seat."""
        wrong = [self.astray] if self.astray else []
        seats = len(dealt)
        if self.sizes is not None and self.sizes != tuple(map(len, self._as_dealt(dealt))):
            wrong.append("the hands had other sizes than the rules say")
        if self.seat is not None and self.dealt is not None and self.dealt != dealt[self.seat]:
            wrong.append("you were dealt other cards than the seed leads to")
        if self.revolution is not None:
            caller = 0 if self.turned else self.revolution.seat
            if caller >= seats or dealt[caller].count(JESTER) < 2:
                wrong.append("the caller of the revolution was not dealt both Jesters")
        if self.exchanges and tuple(
            ev.Due(each.payer, each.receiver, each.count) for each in self.exchanges
        ) != taxes_due(seats):
            return [*wrong, "the taxes were not those of the rules"]
        hands = {seat: counts_of(cards) for seat, cards in enumerate(dealt)}
        for exchange in self.exchanges:
            wrong += self._compare_taxed(exchange, hands, names)
        for seat, shown in self.shown.items():
            if seat not in hands:
                wrong.append(f"seat {seat} played, which is not at this table")
            elif extra := _missing(shown, hands[seat]):
                wrong.append(f"{names[seat]} had cards that the seed did not deal: {_text(extra)}")
        return wrong

    def _as_dealt(self, dealt: Sequence[Cards]) -> Sequence[Cards]:
        return dealt[::-1] if self.turned else dealt

    def _compare_taxed(
        self, exchange: Exchange, hands: dict[int, Counts], names: Sequence[str]
    ) -> list[str]:
        """T1, T2. Moves what is known in `hands`; where it is not, asks whether anything fits.

        The best cards of the payer are known to everyone afterwards. What he got back, `x`, is
        `count` cards of the receiver's hand as dealt: it holds at least what the payer showed
        beyond his own cards, and no card that the receiver showed himself.
        """
        payer, receiver = hands[exchange.payer], hands[exchange.receiver]
        paid = best_cards(payer, exchange.count)
        two = f"{names[exchange.payer]} and {names[exchange.receiver]}"
        wrong = []
        if exchange.paid is not None and exchange.paid != paid:
            wrong.append(f"the tax between {two} was not the best cards of the payer")
        kept = _plus(payer, paid, -1)
        if exchange.returned is not None:
            if _missing(counts_of(exchange.returned), receiver):
                wrong.append(f"the return between {two} had cards that the seed did not deal")
            hands[exchange.payer] = _plus(kept, exchange.returned, 1)
            hands[exchange.receiver] = _plus(_plus(receiver, paid, 1), exchange.returned, -1)
            return wrong
        by_payer = self.shown.pop(exchange.payer, [0] * 14)
        by_receiver = self.shown.pop(exchange.receiver, [0] * 14)
        needed = _missing(by_payer, kept)
        spare = [a - b for a, b in zip(_plus(receiver, paid, 1), by_receiver, strict=True)]
        free = [min(pair) for pair in zip(receiver, spare, strict=True)]
        if (
            min(spare) < 0
            or _missing(counts_of(needed), free)
            or not len(needed) <= exchange.count <= sum(free)
        ):
            wrong.append(f"{two} had cards that the seed did not deal, whatever they exchanged")
        return wrong


def _missing(wanted: Sequence[int], held: Sequence[int]) -> Cards:
    """The cards of `wanted` that are not in `held`."""
    return cards_of([max(0, a - b) for a, b in zip(wanted, held, strict=True)])


def _plus(counts: Sequence[int], cards: Cards, sign: int) -> Counts:
    """`counts` with these cards more (1) or less (-1)."""
    changed = list(counts)
    for rank in cards:
        changed[rank] += sign
    return changed


def _text(cards: Cards) -> str:
    return ", ".join("a Jester" if rank == JESTER else str(rank) for rank in cards)
