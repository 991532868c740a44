"""Stepping through a record by lines: what is typed at a prompt, and what is said to it (pure)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from msgspec import Struct

from dalmuti.client import phrases, words
from dalmuti.client.i18n import tr
from dalmuti.client.replay.cursor import Cursor, same_place
from dalmuti.client.replay.telling import RecordError, player_of
from dalmuti.client.typed import replay_in_english
from dalmuti.client.words import replaying
from dalmuti.core.record import Record
from dalmuti.protocol.text import safe_text

SHORT: Final[Mapping[str, str]] = {
    "": "next", "n": "next", "b": "back", "t": "trick", "h": "hand", "p": "play", "c": "cards",
    "q": "quit", "?": "help", "exit": "quit",
}  # fmt: skip  # words, not a column of them
LOG_SHOWN: Final = 20
MOST_MOVES: Final = 1000
"""As many moves as one line may ask for."""


class Said(Struct, frozen=True):
    """What a line leads to."""

    lines: tuple[str, ...]
    end: bool = False


class ReplayTalk:
    """A conversation about one record."""

    def __init__(self, cursor: Cursor, record: Record) -> None:
        self.cursor = cursor
        self._record = record

    def greeting(self) -> list[str]:
        """What is said before the first line is typed."""
        script = self.cursor.script
        rules = words.rules(self._record.options)
        return [
            safe_text(replaying.record_has(script.table, script.hands)),
            safe_text(replaying.table_is(script.table, rules)),
            *self._eyes(),
            tr(replaying.WHAT_TO_TYPE),
            *self._here(),
        ]

    def read(self, line: str) -> Said:
        """What one typed line means. Never raises."""
        word, _, rest = replay_in_english(line.strip()).partition(" ")
        word, rest = word.lower().removeprefix("/"), rest.strip()
        word = SHORT.get(word, word)
        if word == "quit":
            return Said((), end=True)
        return Said(tuple(map(safe_text, self._said(word, rest))))

    def _said(self, word: str, rest: str) -> list[str]:
        table = self.cursor.moment.table
        match word:
            case "next" | "back":
                return self._step(word, rest)
            case "trick":
                return self._trick(rest)
            case "hand":
                return self._hand(rest)
            case "move":
                number = _number(rest)
                if number is None:
                    return [replaying.number_needed(word, rest)]
                return self._go(self.cursor.to_step(number), forward=True)
            case "play":
                return self._play()
            case "as":
                return self._as(rest)
            case "all":
                self.cursor = self.cursor.seen_by(None)
                return self._eyes()
            case "cards":
                return self._cards()
            case "table":
                return phrases.table_lines(table)
            case "score":
                return phrases.score_lines(table)
            case "who":
                return phrases.who_lines(table)
            case "log":
                shown = min(_number(rest) or LOG_SHOWN, MOST_MOVES)
                return [line.text for line in self.cursor.moment.log[-shown:]]
            case "where":
                return [self._where(), *self._eyes()]
            case "help":
                return [tr(text) for text in replaying.HELP]
        return [replaying.unknown(f"{word} {rest}".strip()[:40])]

    # -- moving -------------------------------------------------------------------------------

    def _step(self, word: str, rest: str) -> list[str]:
        forward = word == "next"
        jumps: dict[str, Callable[[], Cursor]] = {
            "trick": self.cursor.next_trick if forward else self.cursor.last_trick,
            "hand": self.cursor.next_hand if forward else self.cursor.last_hand,
        }
        if rest in jumps:
            return self._go(jumps[rest](), forward=forward)
        number = _number(rest) if rest else 1
        if number is None:
            return [replaying.number_needed(word, rest)]
        number = min(number, MOST_MOVES)
        if not forward:
            return self._go(self.cursor.back(number), forward=False)
        said: list[str] = []
        for _ in range(number):
            after = self.cursor.next()
            if same_place(after, self.cursor):
                return said or self._go(after, forward=True)
            self.cursor = after
            said += self._news()
        return said

    def _trick(self, rest: str) -> list[str]:
        if not rest:
            return self._go(self.cursor.next_trick(), forward=True)
        number, tricks = _number(rest), len(self.cursor.chapter.leads)
        if number is None:
            return [replaying.number_needed("trick", rest)]
        if not 1 <= number <= tricks:
            return [replaying.no_trick(number, tricks)]
        return self._go(self.cursor.to_trick(number), forward=True)

    def _hand(self, rest: str) -> list[str]:
        if not rest:
            return self._cards()
        number, hands = _number(rest), self.cursor.script.hands
        if number is None:
            return [replaying.number_needed("hand", rest)]
        if not 1 <= number <= hands:
            return [replaying.no_hand(number, hands)]
        return self._go(self.cursor.to_hand(number), forward=True)

    def _play(self) -> list[str]:
        """The rest of this hand; at its end the whole next one."""
        if self.cursor.step == self.cursor.steps:
            after = self.cursor.next()
            if same_place(after, self.cursor):
                return self._go(after, forward=True)
            self.cursor = after
            said = self._news()
        else:
            said = []
        while self.cursor.step < self.cursor.steps:
            self.cursor = self.cursor.next()
            said += self._news()
        return said

    def _go(self, cursor: Cursor, *, forward: bool) -> list[str]:
        """Moves there and says where that is; or why there is no such place."""
        if same_place(cursor, self.cursor):
            if not forward:
                return [tr(replaying.NOTHING_BEFORE)]
            problem = self.cursor.script.problem
            return [replaying.stops(problem) if problem else tr(replaying.NOTHING_FURTHER)]
        self.cursor = cursor
        return self._here()

    def _news(self) -> list[str]:
        return [line.text for line in self.cursor.moment.news]

    # -- saying -------------------------------------------------------------------------------

    def _here(self) -> list[str]:
        return [self._where(), *self._news()]

    def _where(self) -> str:
        at = self.cursor
        return replaying.where(at.index, at.script.hands, at.step, at.steps, at.trick)

    def _eyes(self) -> list[str]:
        """Who looks; and that a hand is hidden all the same."""
        if not self.cursor.chapter.over:
            return [replaying.not_over(self.cursor.index)]
        if self.cursor.you is None:
            return [tr(replaying.ALL_OPEN)]
        return [replaying.seen_by(self.cursor.script.players[self.cursor.you].name)]

    def _as(self, rest: str) -> list[str]:
        try:
            player = player_of(self._record, rest)
        except RecordError as error:
            return [f"{error}."]
        self.cursor = self.cursor.seen_by(player)
        return [*self._eyes(), *self._cards()]

    def _cards(self) -> list[str]:
        moment = self.cursor.moment
        hand = moment.table.hand
        if hand is not None and hand.cards is not None:
            return [phrases.hand_line(moment.table)]
        return list(_all_hands(self.cursor)) or [tr(replaying.NO_CARDS)]


def _all_hands(cursor: Cursor) -> Iterator[str]:
    moment = cursor.moment
    for player in cursor.rows:
        if player in moment.hands:
            name = words.name(moment.table, player)
            yield replaying.holds(name, words.hand(moment.hands[player]))


def _number(text: str) -> int | None:
    """A whole number from 0; None for anything else."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else None
