"""Lines in, lines out: what plain mode and line mode have in common (pure).

`Talk.hear` turns a message into the lines that it is worth; `Talk.read` turns a line that a
person typed into an answer in words, a request to send, or the end. The drivers (`plain`, `line`)
only move lines; the session is not known here.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from msgspec import Struct

from dalmuti.client import phrases, words
from dalmuti.client.i18n import mark_in, tr, tr_in
from dalmuti.client.model import Input, LinkChanged, Model, reduce
from dalmuti.client.steward import usual_bot
from dalmuti.core import moves
from dalmuti.core.cards import JESTER, Play, counts_of
from dalmuti.core.events import HandPrepared, PlayerInfo
from dalmuti.core.moves import Call, Decline, Give, IllegalMove, Pass
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
COMMANDS = (
    mark_in("command", "hand"),
    mark_in("command", "table"),
    mark_in("command", "score"),
    mark_in("command", "who"),
    mark_in("command", "time"),
    mark_in("command", "log"),
    mark_in("command", "say"),
    mark_in("command", "rules"),
    mark_in("command", "away"),
    mark_in("command", "back"),
    mark_in("command", "deal"),
    mark_in("command", "add"),
    mark_in("command", "kick"),
    mark_in("command", "host"),
    mark_in("command", "allow"),
    mark_in("command", "close"),
    mark_in("command", "tables"),
    mark_in("command", "join"),
    mark_in("command", "watch"),
    mark_in("command", "open"),
    mark_in("command", "leave"),
    mark_in("command", "quit"),
    mark_in("command", "help"),
    mark_in("command", "lang"),
)
ANSWERS = (
    mark_in("command", "pass"),
    mark_in("command", "decline"),
    mark_in("command", "call"),
    mark_in("command", "give"),
    mark_in("command", "call greater"),
)


def commands() -> list[str]:
    """What may be typed as a command: the words of this language, and English everywhere."""
    return list(dict.fromkeys((*(tr_in("command", each) for each in COMMANDS), *COMMANDS)))


def in_english(text: str) -> str:
    """What was typed, its first word (or all of it) in English where this language has another."""
    english = (*COMMANDS, *ANSWERS)
    own = {tr_in("command", each).casefold(): each for each in english}
    whole = text.casefold()
    if whole in own:
        return own[whole]
    word, space, rest = text.partition(" ")
    plain = word.casefold().removeprefix("/")
    return plain + space + rest if plain in english else own.get(plain, word) + space + rest


class Reply(Struct, frozen=True):
    """What a typed line leads to."""

    lines: tuple[str, ...] = ()
    request: type[Request] | None = None
    fields: dict[str, Any] = {}
    end: Literal["", "leave", "quit"] = ""
    early: bool = False
    """It looks like an answer, and there is nothing to answer now."""


class Talk:
    """A conversation about one session. `deals_itself`: somebody else sees to the dealing."""

    def __init__(self, *, deals_itself: bool = False) -> None:
        self.model = Model()
        self.deals_itself = deals_itself
        self._asked: Decision | None = None
        self._tables: tuple[str, ...] | None = None
        self._dealt = 0
        self._greeted = False

    # -- what happens -------------------------------------------------------------------------

    def hear(self, message: Input, now: float) -> list[str]:
        """The lines that this message is worth, already safe to print."""
        before, self.model = self.model, reduce(self.model, message, now)
        if isinstance(message, LinkChanged) and message.state == "ended":
            return []  # the end is for the command to tell, with its exit code
        new = self.model.logged - before.logged
        lines = [line.text for line in self.model.log[-new:]] if new else []
        table = self.model.table
        if isinstance(message, Snapshot):
            lines += phrases.seated_lines(message.table)
            lines += [] if self._greeted else [tr(phrases.WHAT_TO_TYPE)]
            self._greeted = True
            if message.table.state != "hand":
                lines += self._deal_hint()
        if isinstance(message, EventMessage) and isinstance(message.event, HandPrepared):
            lines += self._deal_hint()
        if isinstance(message, Lobby) and table is None:
            names = tuple(info.table for info in message.tables)
            if names != self._tables:
                self._tables = names
                lines += phrases.lobby_lines(message)
        if table is not None:
            self._tables = None
        lines += self._question()
        return [safe_text(line) for line in lines]

    def _question(self) -> list[str]:
        """The pending decision, when it is new or has come back."""
        decision, table = self.model.decision, self.model.table
        if table is None or (decision is not None and words.is_away(table)):
            return []  # the stand-in decides
        if decision is self._asked:
            return []
        self._asked = decision
        if decision is None:
            return []
        return [phrases.question(table, decision), *phrases.choices(decision)]

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
        if self.model.decision is not None:
            try:
                choice = answer(self.model, self.model.decision, text)
            except ValueError as error:
                return _said(f"{error} {_expected(self.model.decision)}")
            return Reply(
                request=Act, fields={"decision": self.model.decision.decision, "choice": choice}
            )
        if not text and self._deals_on_enter():
            return Reply(request=Deal)
        if not _looks_like_an_answer(text):
            return _said(tr("{typed!r} is no command; help lists them.", typed=line.strip()[:40]))
        nothing = tr("There is nothing to decide at the moment; help lists the commands.")
        return Reply((safe_text(nothing),), early=True)

    def _command(self, word: str, rest: str, now: float) -> Reply:
        table = self.model.table
        match word:
            case "hand":
                return _said(phrases.hand_line(table))
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
                return _said(*phrases.log_lines(self.model, max(1, number)))
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


def _named(request: type[Request], name: str, command: str) -> Reply:
    if not name:
        return _said(tr("Which table? For example: {command} Kitchen", command=command))
    return Reply(request=request, fields={"table": name})


def _said(*lines: str) -> Reply:
    return Reply(tuple(map(safe_text, lines)))


# -- answers to decisions ---------------------------------------------------------------------

_ANSWER = re.compile(r"|[0-9jJ][0-9xX*+jJ, ]*|pass|decline|call( greater)?|give .*", re.IGNORECASE)


def _looks_like_an_answer(text: str) -> bool:
    return _ANSWER.fullmatch(text) is not None


def answer(model: Model, decision: Decision, text: str) -> Choice:
    """The choice that `text` means. Raises ValueError, with a sentence why it is none.

    A number is the number of a choice; where there is no such choice it is a rank.
    """
    text = text.strip().lower()
    if not text:
        return decision.default
    listed = dict(phrases.numbered(decision))
    if text.isdecimal() and len(text) < 5:
        number = int(text)
        if number in listed:
            return listed[number]
        if number == 1 and not listed:
            return decision.default  # nothing but passing: the first choice is the only one
        if number:
            return _by_rank(decision, number)
        text = "pass"
    choice = _parsed(decision, text)
    if choice not in decision.choices:
        raise ValueError(_why_not(model, decision, choice))
    return choice


def _by_rank(decision: Decision, rank: int) -> Play:
    """A rank alone: all its naturals when leading, exactly what is needed when following."""
    plays = [play for play in decision.choices if isinstance(play, Play) and play.rank == rank]
    pure = [play for play in plays if not play.jesters or rank == JESTER]
    if pure:
        return pure[-1]
    if plays:
        raise ValueError(
            tr(
                "With your {cards} you need a Jester; type {play}.",
                cards=words.ranks(rank),
                play=plays[0],
            )
        )
    raise ValueError(
        tr("{rank} is neither the number of a choice nor a rank that you can play.", rank=rank)
    )


def _parsed(decision: Decision, text: str) -> Choice:
    """Any way to write a choice. Cards to give are ranks or sets: `9 12`, `2x12`, `1x9 and 1xJ`."""
    if decision.kind == "tax":
        found = re.findall(r"(?:([0-9]{1,2})[x*])?([0-9]+|j)", text.removeprefix("give"))
        ranks = [rank for number, rank in found for _ in range(int(number or 1))]
        text = "give " + ",".join(ranks)
    elif text in ("j", "jester"):
        jesters = [play for play in decision.choices if isinstance(play, Play) and play.rank == 13]
        text = str(jesters[-1]) if jesters else "1xj"
    try:
        return moves.parse_move(text)
    except ValueError:
        raise ValueError(tr("{typed!r} cannot be read.", typed=text[:40])) from None


def _why_not(model: Model, decision: Decision, choice: Choice) -> str:
    """Why a choice is not among those of the decision."""
    hand = model.table.hand if model.table else None
    counts = counts_of(hand.cards or ()) if hand else [0] * 14
    try:
        match choice:
            case Play() if decision.kind in ("lead", "follow") and hand is not None:
                moves.check_play(counts, hand.trick.top, choice)
            case Give() if decision.kind == "tax" and hand is not None:
                due = next((d.count for d in hand.dues if d.receiver == hand.seat), 0)
                moves.check_give(counts, due, choice)
            case Pass() if decision.kind == "lead":
                return tr("You lead this trick and cannot pass.")
            case Call():
                return tr("Only a player who was dealt both Jesters may call.")
            case Decline() | _:
                pass
    except IllegalMove as error:
        return words.error(error.code.value, str(error))
    return tr("{choice} is not possible now.", choice=choice)


def _expected(decision: Decision) -> str:
    """What may be typed instead."""
    default = words.move(decision.default)
    if decision.kind == "tax":
        return tr(
            "Type the number of a choice, cards such as 9,12, or an empty line for {default}.",
            default=default,
        )
    if decision.kind == "revolution":
        return tr(
            "Type the number of a choice, call or decline, or an empty line for {default}.",
            default=default,
        )
    if Pass() in decision.choices:
        return tr(
            "Type the number of a choice, a set such as 2x9, pass, or an empty line for {default}.",
            default=default,
        )
    return tr(
        "Type the number of a choice, a set such as 2x9, or an empty line for {default}.",
        default=default,
    )
