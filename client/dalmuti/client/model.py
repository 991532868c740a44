"""All that any screen shows, as one immutable value: `reduce(model, message, now) -> model`.

Pure: no clock (`now` is handed in, monotonic seconds), no I/O. The full-screen client, line mode,
plain mode, bots and the replay viewer all hold one of these and nothing else about the game.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from dalmuti.client import words
from dalmuti.client.fold import fold
from dalmuti.client.plausible import believe, believe_decision, believe_event
from dalmuti.core import events as ev
from dalmuti.core.cards import counts_of
from dalmuti.core.views import TableView
from dalmuti.protocol.codec import Unknown, UnknownEvent
from dalmuti.protocol.messages import (
    Act,
    Bye,
    Choice,
    Decision,
    Draining,
    Error,
    EventMessage,
    Lobby,
    Notice,
    Ok,
    ServerMessage,
    Snapshot,
    Unseated,
    Welcome,
)
from dalmuti.protocol.text import safe_text

LogKind = Literal["event", "pass", "own", "chat", "notice", "warning"]
LOG_KINDS: Mapping[type[ev.Event], LogKind] = {
    ev.Passed: "pass",
    ev.Chatted: "chat",
    ev.Dealt: "own",
    ev.TaxesPaid: "own",
}
FREQUENT = (ev.Turn, ev.Played, ev.Passed, ev.WentOut, ev.TrickEnded)
"""Events that come a hundred times a hand and change nobody's seat: one look at them is enough."""
LOG_LINES = 500
"""How many lines of the log are kept."""


class Line(Struct, frozen=True):
    """A line of the log: a sentence about an event, chat, or a word of the client itself.

    A pass is an event; it has a kind of its own, since there are so many of them. So have events
    that may tell of cards which only we can see (`own`), since those can be hidden.
    """

    kind: LogKind
    text: str


class LinkChanged(Struct, frozen=True):
    """A message from our own session, not from the server: the state of the connection.

    `retry_at` is the moment of the next attempt, on the clock of `now`.
    """

    state: Literal["connecting", "open", "lost", "ended"]
    text: str = ""
    retry_at: float | None = None
    why: str = ""
    """While the connection is lost: why, without a word about the next attempt."""


class DealChecked(Struct, frozen=True):
    """A message from our own session: a deal was revealed and compared with what we saw."""

    hand: int
    problems: tuple[str, ...] = ()
    """What does not fit with what the server was bound to; empty where the deal is true."""


class Answer(Struct, frozen=True):
    """Our own answer to a decision, until the server has said ok or error."""

    request: int
    decision: Decision
    choice: Choice


class Model(Struct, frozen=True, kw_only=True):
    """What this client knows."""

    link: LinkChanged = LinkChanged("connecting")
    welcome: Welcome | None = None
    lobby: Lobby | None = None
    table: TableView | None = None
    seq: int = 0
    decision: Decision | None = None
    """Our own pending decision; None as soon as it is answered, and again if that is refused."""
    answer: Answer | None = None
    ends_at: float | None = None
    """When the clock of the current turn (ours or another's) is up."""
    countdowns: dict[int, float] = {}
    """Lost players, and when the stand-in plays for them."""
    log: tuple[Line, ...] = ()
    logged: int = 0
    """How many lines there ever were, so that a reader of the log knows which are new."""
    refusal: str = ""
    """Why the last request was refused; cleared when something happens."""
    verified: dict[int, bool] = {}
    """Hands of this match whose deal was checked, and whether it was as committed."""


Input = ServerMessage | Unknown | UnknownEvent | LinkChanged | DealChecked | Act
"""What a model learns from: the server's messages, our session's, and our own answers."""


def reduce(model: Model, message: Input, now: float) -> Model:
    """The model after one more message. What it does not know it leaves out.

    Raises `plausible.Impossible` for what no server may say that keeps to the rules.
    """
    match message:
        case EventMessage():
            return _event(model, message, now)
        case UnknownEvent():
            return replace(model, seq=message.seq)
        case Snapshot():
            believe(message.table)
            return replace(
                model,
                table=message.table,
                seq=message.seq,
                decision=None,
                answer=None,
                ends_at=_moment(now, message.ms),
                countdowns={each.player: now + each.ms / 1000 for each in message.countdowns},
                refusal="",
                welcome=_known_as(model.welcome, message.table),
            )
        case Decision():
            believe_decision(model.table, message)
            return replace(
                model, decision=message, answer=None, ends_at=_moment(now, message.ms), refusal=""
            )
        case Act():
            if model.decision is None or model.decision.decision != message.decision:
                return model
            return replace(
                model,
                decision=None,
                answer=Answer(message.id, model.decision, message.choice),
                refusal="",
            )
        case Ok(re=request):
            done = model.answer is not None and model.answer.request == request
            return replace(model, answer=None) if done else model
        case Error():
            return _refused(model, message)
        case Welcome():
            greeted = replace(model, welcome=message)
            greeting = safe_text(message.message)
            return _log(greeted, "notice", greeting) if greeting else greeted
        case Lobby():
            return replace(model, lobby=message)
        case Unseated():
            away = replace(model, table=None, decision=None, answer=None, ends_at=None)
            return _log(away, "notice", words.unseated(message.reason))
        case Draining():
            return _log(model, "warning", words.draining(message.ms))
        case Notice(text=text):
            return _log(model, "notice", words.notice(safe_text(text)))
        case LinkChanged():
            return _link(model, message)
        case DealChecked(hand=number, problems=problems):
            checked = replace(model, verified={**model.verified, number: not problems})
            return _log(
                checked,
                "warning" if problems else "notice",
                safe_text(words.verified(number, problems)),
            )
        case Bye():
            return _log(model, "warning", words.bye(message.reason, safe_text(message.message)))
        case _:
            return model


def _event(model: Model, message: EventMessage, now: float) -> Model:
    """An event in its order; the session asks again where one is missing, so none is skipped."""
    before = model.table
    if before is None or message.seq <= model.seq:
        return model
    event = message.event
    believe_event(before, event)
    after = fold(before, event)
    if not isinstance(event, FREQUENT):
        believe(after)
    model = replace(model, table=after, seq=message.seq, refusal="")
    text = words.sentence(event, before, after)
    if text:
        model = _log(model, LOG_KINDS.get(type(event), "event"), safe_text(text))
    match event:
        case ev.HandEnded():
            for line in words.places(event, after):
                model = _log(model, "event", safe_text(line))
            return _undecided(model)
        case ev.HandStarted() | ev.HandAbandoned() | ev.TableClosed():
            return _undecided(model)
        case ev.Turn(ms=ms, decision=decision):
            model = replace(model, ends_at=_moment(now, ms))
            if model.decision is not None and model.decision.decision != decision:
                model = replace(model, decision=None)
            return replace(model, answer=None)
        case ev.RevolutionClosed() | ev.RevolutionCalled() | ev.TaxesPaid():
            return _undecided(model)
        case ev.Played(seat=seat) | ev.Passed(seat=seat):
            own = before.hand is not None and before.hand.seat == seat
            return _undecided(model) if own else model
        case ev.PresenceChanged(player=player, ms=ms):
            rest = {each: at for each, at in model.countdowns.items() if each != player}
            if ms is not None:
                rest[player] = now + ms / 1000
            return replace(model, countdowns=rest)
        case ev.PlayerLeft(player=player):
            rest = {each: at for each, at in model.countdowns.items() if each != player}
            return replace(model, countdowns=rest)
        case _:
            return model


def _known_as(welcome: Welcome | None, table: TableView) -> Welcome | None:
    """Who takes a seat back has its name again, whatever he was greeted as."""
    own = next((each.name for each in table.players if each.player == table.you), None)
    return welcome if welcome is None or own is None else replace(welcome, name=own)


def _undecided(model: Model) -> Model:
    return replace(model, decision=None, answer=None, ends_at=None)


def _refused(model: Model, message: Error) -> Model:
    """A refused answer leaves the decision as it was, unless the game has gone on."""
    answered = model.answer is not None and model.answer.request == message.re
    why = _why_refused(model, message.code) if answered else ""
    text = safe_text(why or words.error(message.code, message.message))
    model = _log(replace(model, refusal=text), "own" if why else "warning", text)
    if model.answer is None or not answered:
        return model
    late = message.code in ("stale_decision", "no_decision")
    return replace(model, decision=None if late else model.answer.decision, answer=None)


def _why_refused(model: Model, code: str) -> str:
    """Why our own move was refused; empty where the code tells of something else."""
    hand = model.table.hand if model.table else None
    if model.answer is None or hand is None:
        return ""
    return words.refused(code, model.answer.choice, counts_of(hand.cards or ()), hand.trick.top)


def _link(model: Model, message: LinkChanged) -> Model:
    """While the link is down nothing can be decided; what is pending is told again after it."""
    before, model = model.link, replace(model, link=message)
    if message.state != "open":
        model = replace(model, decision=None, answer=None)
    kind: LogKind = "notice" if message.state in ("open", "connecting") else "warning"
    if before.state == "lost" and message.why and message.why == before.why:
        return model  # once is enough to say why
    return _log(model, kind, message.text) if message.text else model


def _log(model: Model, kind: LogKind, text: str) -> Model:
    log = (*model.log, Line(kind, text))[-LOG_LINES:]
    return replace(model, log=log, logged=model.logged + 1)


def _moment(now: float, ms: int | None) -> float | None:
    return None if ms is None else now + ms / 1000
