"""Lines in, lines out: what plain mode and line mode have in common (pure).

`Talk.hear` turns a message into the lines that it is worth; `Talk.read` turns a line that a
person typed into an answer in words, a request to send, or the end. The drivers (`plain`, `line`)
only move lines; the session is not known here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from msgspec import Struct

from dalmuti.client import phrases, words
from dalmuti.client.advice import Advise
from dalmuti.client.answers import answer, expected, looks_like_an_answer
from dalmuti.client.autopass import LOCKED, AutoPass, person
from dalmuti.client.i18n import mark, tr, tr_in
from dalmuti.client.model import Input, Line, LinkChanged, Model, reduce
from dalmuti.client.steward import usual_bot
from dalmuti.client.typed import COMMANDS, in_english
from dalmuti.client.words.lesson import Course
from dalmuti.core.events import (
    DealRevealed,
    Dealt,
    HandEnded,
    HandPrepared,
    PlayerInfo,
    Scored,
)
from dalmuti.core.moves import PASS
from dalmuti.core.views import TableView
from dalmuti.protocol.messages import (
    Act,
    AddBot,
    Allow,
    Away,
    Chat,
    Choice,
    Close,
    CreateTable,
    Deal,
    Decision,
    EventMessage,
    GiveHost,
    JoinTable,
    Kick,
    Lobby,
    Request,
    Snapshot,
)
from dalmuti.protocol.text import safe_text

LOG_SHOWN = 20
AUTOPASS_HINT = mark("Type autopass again to choose for yourself.")
AUTOPASS_OVER = mark("You choose for yourself again.")


class Reply(Struct, frozen=True):
    """What a typed line leads to."""

    lines: tuple[str, ...] = ()
    request: type[Request] | None = None
    fields: dict[str, Any] = {}
    end: Literal["", "leave", "quit"] = ""
    early: bool = False
    """It looks like an answer, and there is nothing to answer now."""


class Talk:
    """A conversation about one session. `deals_itself`: somebody else sees to the dealing; `bell`:
    a question rings; `learn`: what comes up is explained; `advise` is the expert bot; `wait` draws
    the seconds before a pass that is made by itself."""

    def __init__(
        self,
        *,
        deals_itself: bool = False,
        bell: bool = True,
        learn: bool = False,
        hidden: bool = False,
        advise: Advise | None = None,
        wait: Callable[[], float] = person,
    ) -> None:
        self.model = Model()
        self.deals_itself = deals_itself
        self.bell = bell
        self.hidden = hidden
        """What only we may see is not said: somebody looks on, or listens."""
        self.rings = False
        """Whether what was heard last asks us something, and the bell is to ring."""
        self._course = Course(lines=True) if learn else None
        self._advise = advise
        self._autopass = AutoPass(wait)
        self._asked: Decision | None = None
        self._tables: tuple[str, ...] | None = None
        self._dealt = 0
        self._greeted = False

    # -- what happens -------------------------------------------------------------------------

    def hear(self, message: Input, now: float) -> list[str]:
        """The lines that this message is worth, already safe to print."""
        before, self.model = self.model, reduce(self.model, message, now)
        self.rings = False
        was_passing = self._autopass.on
        self._autopass.update(self.model, now)
        if isinstance(message, LinkChanged) and message.state == "ended":
            return []  # the end is for the command to tell, with its exit code
        new = self.model.logged - before.logged
        lines = [self._told(line) for line in self.model.log[-new:]] if new else []
        table = self.model.table
        if was_passing and not self._autopass.on:
            lines.append(tr(AUTOPASS_OVER))
        if isinstance(message, Snapshot):
            lines += phrases.seated_lines(message.table)
            lines += [] if self._greeted else [tr(phrases.WHAT_TO_TYPE)]
            self._greeted = True
            if message.table.state != "hand":
                lines += self._deal_hint()
        if isinstance(message, EventMessage) and isinstance(message.event, HandPrepared):
            lines += self._deal_hint()
        if isinstance(message, EventMessage) and isinstance(message.event, HandEnded) and table:
            lines += words.movements(message.event, table)
        if isinstance(message, Lobby) and table is None:
            names = tuple(info.table for info in message.tables)
            if names != self._tables:
                self._tables = names
                lines += phrases.lobby_lines(message)
        if table is not None:
            self._tables = None
        lines += self._explained(isinstance(message, EventMessage) and message.event)
        lines += self._question()
        return [safe_text(line) for line in lines]

    def _explained(self, event: object) -> list[str]:
        """What the lesson says to what has just been heard; what to type is said by the question.

        The first draw is behind us when it is heard of, and explained with the cards.
        """
        model, course = self.model, self._course
        if course is None:
            return []
        table = model.table
        steps: tuple[int | None, ...] = (None,)
        if isinstance(event, Dealt) and table is not None and table.draw is not None:
            steps = (0, len(table.draw.rounds), None)
        if isinstance(event, DealRevealed | HandEnded | Scored):
            steps = ()  # there is more to come about this hand
        lines = []
        for step in steps:
            course = course.see(model, step)
            if course.topic is not None:
                lines.append(tr("Lesson: {text}", text=course.text))
                lines += [course.type] if course.type and model.decision is None else []
        self._course = course
        return [tr(phrases.LESSON_HIDDEN)] if self.hidden and lines else lines

    def _told(self, line: Line) -> str:
        """A line of the log as it may be said now."""
        return tr(phrases.HIDDEN_LINE) if self.hidden and line.kind == "own" else line.text

    def due(self, now: float) -> Reply | None:
        """A pass that is to be sent by itself now."""
        decision = self._autopass.due(self.model, now)
        return None if decision is None else _acts(decision, PASS)

    @property
    def due_at(self) -> float | None:
        """When the next pass is due by itself."""
        return self._autopass.at

    def _question(self) -> list[str]:
        """The pending decision, when it is new or has come back."""
        decision, table = self.model.decision, self.model.table
        if table is None or (decision is not None and words.is_away(table)):
            return []  # the stand-in decides
        if decision is self._asked:
            return []
        self._asked = decision
        if decision is None or self._autopass.on:
            return []
        self.rings = self.bell
        return self._ask_now(table, decision)

    def _ask_now(self, table: TableView, decision: Decision) -> list[str]:
        if self.hidden:
            return [phrases.hidden_question(table, decision)]
        lines = [phrases.question(table, decision), *phrases.choices(decision)]
        advice = self._advice()
        lines[1:1] = [advice] if advice else []
        return [*lines, self._course.type] if self._course and self._course.type else lines

    def _advice(self) -> str:
        """What the expert bot would do; empty where nobody asked for it, or it does not fit."""
        table, decision = self.model.table, self.model.decision
        if self._advise is None or table is None or decision is None:
            return ""
        return words.advice(self._advise(table, decision))

    def _deal_hint(self) -> list[str]:
        """How a host begins a hand, where it does not begin by itself."""
        table = self.model.table
        if table is None or table.you is None or table.host != table.you:
            return []
        first = table.result is None
        if (self.deals_itself and not first) or (table.solo and first):
            return []
        if len(table.order) < 2:
            return [
                tr("You are the host: add seats a house bot; a hand needs two players at least.")
            ]
        if table.solo:
            return [tr("You are the host: deal (or an empty line) deals the next hand.")]
        return [tr("You are the host: deal deals the next hand.")]

    def _deals_on_enter(self) -> bool:
        """At a table of one's own an empty line goes on to the next hand, once."""
        table = self.model.table
        if table is None or not table.solo or table.host != table.you or self.deals_itself:
            return False
        if table.state == "hand" or table.result is None or self._dealt == table.next_hand:
            return False
        self._dealt = table.next_hand
        return True

    # -- what is typed ------------------------------------------------------------------------

    def read(self, line: str, now: float) -> Reply:
        """What one typed line means now. Never raises."""
        text = in_english(line.strip())
        word, _, rest = text.partition(" ")
        word, rest = word.lower().removeprefix("/"), rest.strip()
        if word in COMMANDS:
            return self._command(word, rest, now)
        if self.model.decision is not None and self._autopass.on:
            if not looks_like_an_answer(text):
                return _said(
                    tr("{typed!r} is no command; help lists them.", typed=line.strip()[:40])
                )
            return _said(tr(AUTOPASS_HINT))
        if self.model.decision is not None:
            try:
                choice = answer(self.model, self.model.decision, text)
            except ValueError as error:
                if self.hidden:
                    return _said(tr(phrases.HIDDEN_REASON))
                return _said(f"{error} {expected(self.model.decision)}")
            return _acts(self.model.decision, choice)
        if not text and self._deals_on_enter():
            return Reply(request=Deal)
        if not looks_like_an_answer(text):
            return _said(_no_command(line))
        return Reply((safe_text(self._why_nothing()),), early=True)

    def _why_nothing(self) -> str:
        """Why there is nothing to answer now."""
        table = self.model.table
        hand = table.hand if table is not None else None
        if table is None or hand is None or hand.phase != "tricks" or hand.turn is None:
            return tr("There is nothing to decide at the moment; help lists the commands.")
        if (
            hand.seat is not None
            and hand.seat in hand.trick.passed
            and (table.options.passing == "locked")
        ):
            return tr(LOCKED)
        if hand.seat in hand.turn.seats or not hand.turn.seats:
            return tr("There is nothing to decide at the moment; help lists the commands.")
        owner = words.name(table, hand.order[hand.turn.seats[0]])
        return tr("It is not your turn but {who}'s; help lists the commands.", who=owner)

    def _command(self, word: str, rest: str, now: float) -> Reply:
        table = self.model.table
        match word:
            case "hand" if self.hidden:
                return _said(tr(phrases.HIDDEN_HAND))
            case "hand":
                return _said(phrases.hand_line(table))
            case "hide":
                self.hidden = True
                return _said(tr(phrases.HIDES))
            case "advice" if self._advise is None:
                return _said(tr(words.NOT_ASKED))
            case "advice":
                return _said(self._advice() or tr(words.NO_ADVICE))
            case "show":
                return self._show()
            case "autopass":
                return self._pass_on(now)
            case "bell":
                self.bell = not self.bell
                return _said(tr(phrases.BELL_ON if self.bell else phrases.BELL_OFF))
            case "table":
                return _said(*phrases.table_lines(table))
            case "score":
                return _said(*phrases.score_lines(table))
            case "who":
                return _said(*phrases.who_lines(table))
            case "time":
                return _said(phrases.time_line(self.model, now))
            case "log":
                number = int(rest) if rest.isdecimal() and len(rest) < 5 else LOG_SHOWN
                shown = self.model.log[-max(1, number) :]
                return _said(*(map(self._told, shown) if shown else [tr(phrases.NO_LOG)]))
            case "rules":
                return _said(*phrases.rule_lines(table))
            case "help":
                return _said(*phrases.help_lines())
            case "lang":
                return _said(words.switched(rest))
            case "tables":
                return _said(*phrases.lobby_lines(self.model.lobby))
            case "leave":
                return Reply(end="leave")
            case "quit":
                return Reply(end="quit")
            case "say":
                if not rest:
                    return _said(tr("Say what? For example: say good luck"))
                return Reply(request=Chat, fields={"text": rest})
            case "away" | "back":
                return Reply(request=Away, fields={"away": word == "away"})
            case "deal":
                return Reply(request=Deal)
            case "close":
                return Reply(request=Close)
            case "allow":
                return Reply(request=Allow)
            case "add":
                return Reply(request=AddBot, fields={"bot": rest or self._first_bot()})
            case "kick" | "host":
                return self._about_player(word, rest)
            case "open":
                return _named(CreateTable, rest, tr_in("command", "open"))
            case _:
                return self._join(word, rest)

    def _show(self) -> Reply:
        """The cards again, and what is to be decided with them."""
        self.hidden = False
        table, decision = self.model.table, self.model.decision
        lines = [phrases.hand_line(table)]
        if table is not None and decision is not None and not self._autopass.on:
            lines = self._ask_now(table, decision)
        return _said(*lines)

    def _pass_on(self, now: float) -> Reply:
        """Passes by itself until the trick is over, or not any more."""
        said = self._autopass.switch(self.model, now)
        if self._autopass.on:
            return _said(said, tr(AUTOPASS_HINT))
        table, decision = self.model.table, self.model.decision
        asks = table is not None and decision is not None and decision.kind == "follow"
        again = self._ask_now(table, decision) if asks and table and decision else []
        return _said(said, *again)

    def _first_bot(self) -> str:
        return usual_bot(self.model.welcome.bots if self.model.welcome else ())

    def _about_player(self, word: str, rest: str) -> Reply:
        """`kick Bea`: the name as it is shown, capitals aside."""
        table = self.model.table
        players: tuple[PlayerInfo, ...] = table.players if table else ()
        found = [info for info in players if info.name.casefold() == rest.casefold()]
        if not found:
            names = words.listed(info.name for info in players) or tr("nobody")
            return _said(
                tr(
                    "{command} whom? At the table: {names}. For example: {command} Bea",
                    command=tr_in("command", word),
                    names=names,
                )
            )
        request = Kick if word == "kick" else GiveHost
        return Reply(request=request, fields={"player": found[0].player})

    def _join(self, word: str, rest: str) -> Reply:
        """`join Kitchen`, or `join` alone where there is one table only."""
        tables = [info.table for info in self.model.lobby.tables] if self.model.lobby else []
        if not rest and len(tables) == 1:
            rest = tables[0]
        same = [name for name in tables if name.casefold() == rest.casefold()]
        reply = _named(JoinTable, same[0] if same else rest, tr_in("command", word))
        if reply.request is not None and word == "watch":
            reply.fields["watch"] = True
        return reply


def _no_command(line: str) -> str:
    return tr("{typed!r} is no command; help lists them.", typed=line.strip()[:40])


def _acts(decision: Decision, choice: Choice) -> Reply:
    return Reply(request=Act, fields={"decision": decision.decision, "choice": choice})


def _named(request: type[Request], name: str, command: str) -> Reply:
    if not name:
        return _said(tr("Which table? For example: {command} Kitchen", command=command))
    return Reply(request=request, fields={"table": name})


def _said(*lines: str) -> Reply:
    return Reply(tuple(map(safe_text, lines)))
