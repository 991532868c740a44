"""The fold: what a table looks like after one more event (pure).

`fold(view, event)` is the twin of `core.views.view_table`: for every viewer, folding the events
after a snapshot gives exactly the server's next snapshot. A test holds both together.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from dalmuti.core import events as ev
from dalmuti.core.cards import JESTER, Cards, cards_of, counts_of
from dalmuti.core.events import Act, PlayerInfo, Seen
from dalmuti.core.views import HandView, TableView, TrickView


def fold(view: TableView, event: Seen) -> TableView:
    """The table after `event`. An event about a hand that the view does not have is ignored."""
    if isinstance(event, HAND_EVENTS):
        if view.hand is None:
            return view
        folded = replace(view, hand=_fold_hand(view, view.hand, event))
        if isinstance(event, ev.RevolutionCalled) and event.greater:
            return replace(folded, order=view.order[::-1])
        return folded
    match event:
        case ev.TableOpened():
            return replace(view, table=event.table, options=event.options)
        case ev.HandPrepared():
            return replace(view, next_hand=event.hand, next_commitment=event.commitment)
        case ev.TitlesDrawn():
            return replace(view, draw=event, order=event.order)
        case ev.HandStarted():
            return _start(view, event)
        case ev.HandEnded():
            return replace(
                view,
                state="between",
                hand=None,
                result=event,
                hands_played=view.hands_played + 1,
                order=tuple(line.player for line in event.places),
            )
        case ev.HandAbandoned():
            return replace(view, state="between", hand=None)
        case ev.Scored():
            return replace(view, scores=event.scores)
        case ev.MatchEnded():
            return replace(view, state="over", scores=event.scores, winners=event.winners)
        case ev.MatchRestarted():
            return replace(
                view,
                state="waiting",
                scores=(),
                winners=(),
                result=None,
                draw=None,
                hands_played=0,
            )
        case ev.PlayerJoined():
            return replace(view, players=(*view.players, event.who))
        case ev.PlayerLeft():
            return _presence(view, event.player, "left")
        case ev.PresenceChanged():
            return _presence(view, event.player, event.presence)
        case ev.HostChanged():
            return replace(view, host=event.player)
        case ev.WatchersChanged():
            return replace(view, watchers=event.names)
        case ev.TitlesChanged():
            return replace(view, order=event.order)
        case _:
            return view


def fold_all(view: TableView, events: Sequence[Seen]) -> TableView:
    """The table after all of these events: the same as by one `fold` after the other, but faster.

    For who looks at the table now and then, as a bot does that is told of no events.
    """
    at = 0
    while at < len(events):
        if view.hand is not None and type(events[at]) in TRICK_EVENTS:
            end = at + 1
            while end < len(events) and type(events[end]) in TRICK_EVENTS:
                end += 1
            view = replace(view, hand=_fold_tricks(view, view.hand, events[at:end]))
            at = end
        else:
            view = fold(view, events[at])
            at += 1
    return view


TRICK_EVENTS = frozenset({ev.Turn, ev.Played, ev.Passed, ev.WentOut, ev.TrickEnded})
"""Most of all events, and what they change is little."""


def _fold_tricks(view: TableView, hand: HandView, events: Sequence[Seen]) -> HandView:
    """What `_fold_hand` does, with one new view for all events."""
    own, is_open = hand.seat, view.options.passing == "open"
    sizes, counts, finished = list(hand.sizes), list(hand.played), list(hand.finished)
    cards, turn, tricks, last_trick = hand.cards, hand.turn, hand.tricks, hand.last_trick
    top, owner = hand.trick.top, hand.trick.owner
    passed, acts = set(hand.trick.passed), list(hand.trick.acts)
    for event in events:
        match event:
            case ev.Turn():
                turn = event
            case ev.Passed(seat=seat):
                passed.add(seat)
                acts.append(Act(seat))
            case ev.Played(seat=seat, play=play):
                sizes[seat] = event.left
                counts[JESTER] += play.jesters
                counts[play.rank] += play.count - play.jesters
                if seat == own:
                    cards = _without(cards, play.cards())
                top, owner = play, seat
                if is_open:
                    passed.clear()
                acts.append(Act(seat, play))
            case ev.WentOut(seat=seat):
                finished.append(seat)
            case _:
                last_trick, tricks = tuple(acts), tricks + 1
                top = owner = None
                passed.clear()
                acts.clear()
    return replace(
        hand,
        sizes=tuple(sizes),
        played=tuple(counts),
        cards=cards,
        finished=tuple(finished),
        trick=TrickView(top=top, owner=owner, passed=tuple(sorted(passed)), acts=tuple(acts)),
        last_trick=last_trick,
        tricks=tricks,
        turn=turn,
    )


HAND_EVENTS = (
    ev.Dealt,
    ev.RevolutionOpened,
    ev.RevolutionClosed,
    ev.RevolutionCalled,
    ev.TaxesDue,
    ev.TaxesPaid,
    ev.Turn,
    ev.Played,
    ev.Passed,
    ev.WentOut,
    ev.TrickEnded,
)
"""Events that change the hand and nothing else, save that a Greater Revolution turns the seats."""


def _start(view: TableView, event: ev.HandStarted) -> TableView:
    """A hand begins: who had left is gone now, with his score."""
    return replace(
        view,
        state="hand",
        order=event.order,
        players=tuple(info for info in view.players if info.presence != "left"),
        scores=tuple(score for score in view.scores if score.player in event.order),
        result=None,
        next_hand=event.hand + 1,
        next_commitment="",
        hand=HandView(
            number=event.hand,
            order=event.order,
            commitment=event.commitment,
            nonces=event.nonces,
            seat=event.order.index(view.you) if view.you in event.order else None,
        ),
    )


def _presence(view: TableView, player: int, presence: ev.Presence) -> TableView:
    def changed(info: PlayerInfo) -> PlayerInfo:
        return replace(info, presence=presence) if info.player == player else info

    return replace(view, players=tuple(map(changed, view.players)))


def _fold_hand(view: TableView, hand: HandView, event: Seen) -> HandView:
    trick = hand.trick
    match event:
        case ev.Dealt():
            return replace(hand, sizes=event.sizes, cards=event.cards, dealt=event.cards)
        case ev.RevolutionOpened():
            return replace(hand, phase="revolution")
        case ev.RevolutionClosed():
            return replace(hand, phase="tricks")
        case ev.RevolutionCalled():
            called = replace(hand, phase="tricks", revolution=event, dues=())
            return _turned(called) if event.greater else called
        case ev.TaxesDue():
            return replace(hand, phase="taxes", dues=event.dues)
        case ev.TaxesPaid():
            return _taxed(hand, event)
        case ev.Turn():
            return replace(hand, turn=event)
        case ev.Played():
            sizes, played = list(hand.sizes), list(hand.played)
            sizes[event.seat] = event.left
            for rank in event.play.cards():
                played[rank] += 1
            return replace(
                hand,
                sizes=tuple(sizes),
                played=tuple(played),
                cards=_without(hand.cards, event.play.cards())
                if event.seat == hand.seat
                else hand.cards,
                trick=TrickView(
                    top=event.play,
                    owner=event.seat,
                    passed=() if view.options.passing == "open" else trick.passed,
                    acts=(*trick.acts, Act(event.seat, event.play)),
                ),
            )
        case ev.Passed():
            return replace(
                hand,
                trick=replace(
                    trick,
                    passed=tuple(sorted({*trick.passed, event.seat})),
                    acts=(*trick.acts, Act(event.seat)),
                ),
            )
        case ev.WentOut():
            return replace(hand, finished=(*hand.finished, event.seat))
        case ev.TrickEnded():
            return replace(hand, trick=TrickView(), last_trick=trick.acts, tricks=hand.tricks + 1)
        case _:
            return hand


def _turned(hand: HandView) -> HandView:
    """R4: seat i is what seat n-1-i was; the cards stay with their players."""
    seat = None if hand.seat is None else len(hand.order) - 1 - hand.seat
    return replace(hand, order=hand.order[::-1], sizes=hand.sizes[::-1], seat=seat)


def _taxed(hand: HandView, event: ev.TaxesPaid) -> HandView:
    """T3, T4: the viewer's own cards move; of others he knows only that theirs did."""
    cards = hand.cards
    for exchange in event.exchanges:
        if exchange.paid is None or exchange.returned is None:
            continue
        gone, come = exchange.paid, exchange.returned
        if hand.seat == exchange.receiver:
            gone, come = come, gone
        cards = _without(tuple(sorted((*(cards or ()), *come))), gone)
    return replace(hand, phase="tricks", exchanges=event.exchanges, cards=cards)


def _without(cards: Cards | None, gone: Cards) -> Cards | None:
    """The cards that stay, sorted."""
    if cards is None:
        return None
    counts = counts_of(cards)
    for rank in gone:
        counts[rank] -= 1
    return cards_of(counts)
