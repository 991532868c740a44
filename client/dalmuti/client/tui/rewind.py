"""The replay on the full screen: its keys and its clock, and the skin of play around both.

It is the screen of play with another mind and a session that says nothing, so that mouse, resizing,
signals and all ways out are those of play. Chatting is the one thing that it has no use for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from dalmuti.client.i18n import tr
from dalmuti.client.replay.cursor import Cursor, same_place
from dalmuti.client.steward import Steward
from dalmuti.client.tui import tabletexts
from dalmuti.client.tui.canvas import Line
from dalmuti.client.tui.control import Control, Options
from dalmuti.client.tui.screens.rewind import Deck, draw, model_of
from dalmuti.client.words import replaying, rewindtexts
from dalmuti.core.record import Record, verify

SPEEDS: Final = ((0.25, "1/4"), (0.5, "1/2"), (1.0, "1"), (2.0, "2"), (4.0, "4"), (10.0, "10"))
"""Moves a second, and how that is written."""
USUAL: Final = 2
LONGEST: Final = 10
"""Characters of a place to go to."""


def verified(record: Record) -> dict[int, bool]:
    """The deals of a record of which something can be said, and whether they are true."""
    found = verify(record)
    return {each.hand: each.ok for each in found if each.proved or not each.ok}


class ReplayControl(Control):
    """What keys, clicks and the time do to a cursor."""

    def __init__(
        self,
        cursor: Cursor,
        options: Options,
        quit: Callable[[bool], None],
        deals: Mapping[int, bool],
    ) -> None:
        """`deals` are the hands whose deals were checked, and whether they are true."""
        super().__init__(options, Steward(), lambda request, **fields: 0, quit)
        self.ui.course = None  # the lesson is about a game that goes on
        self.cursor = cursor
        self._deals = deals
        self._speed = USUAL
        self._next_at: float | None = None
        self._typed: str | None = None
        self._helping = False
        self._show(cursor)

    @property
    def playing(self) -> bool:
        return self._next_at is not None

    def lines(self, cols: int, rows: int, now: float) -> list[Line]:
        """The whole screen."""
        deck = Deck(
            speed=SPEEDS[self._speed][1],
            playing=self.playing,
            typed=self._typed,
            helping=self._helping,
        )
        return draw(self.cursor, self.model, self.ui, deck, (cols, rows))

    # -- moving -------------------------------------------------------------------------------

    def _show(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.model = model_of(cursor, self._deals)
        self.ui.log_back = 0

    def _go(self, cursor: Cursor, *, forward: bool) -> None:
        """Moves there, by hand: what played by itself stops."""
        self._next_at = None
        if same_place(cursor, self.cursor):
            self._hint_end() if forward else self._hint(rewindtexts.AT_START)
        self._show(cursor)

    def _hint(self, text: str) -> None:
        self.ui.hint = tr(text)

    def _hint_end(self) -> None:
        problem = self.cursor.script.problem
        self.ui.hint = replaying.stops(problem) if problem else tr(rewindtexts.AT_END)

    # -- time ---------------------------------------------------------------------------------

    def next_tick(self, now: float) -> float | None:
        return None if self._next_at is None else max(0.0, min(0.25, self._next_at - now))

    def tick(self, now: float) -> None:
        if self._next_at is None or now < self._next_at:
            return
        after = self.cursor.next()
        if same_place(after, self.cursor):
            self._next_at = None
            self._hint_end()
            return
        self._show(after)
        self._next_at = now + 1 / SPEEDS[self._speed][0]

    def _play(self, now: float) -> None:
        self._next_at = None if self.playing else now + 1 / SPEEDS[self._speed][0]

    def _set_speed(self, faster: int, now: float) -> None:
        self._speed = min(len(SPEEDS) - 1, max(0, self._speed + faster))
        self.ui.hint = rewindtexts.speed(SPEEDS[self._speed][1])
        if self.playing:
            self._next_at = now + 1 / SPEEDS[self._speed][0]

    # -- keys ---------------------------------------------------------------------------------

    def press(self, key: str, now: float) -> None:
        self.ui.hint = ""
        if self._helping:
            self._helping = key not in ("escape", "enter", "q", "?", "f1")
        elif self._typed is not None:
            self._type(key)
        elif not (self.ui.overlay and self._in_overlay(key)):
            self._key(key, now)

    def _key(self, key: str, now: float) -> None:
        cursor = self.cursor
        match key:
            case "right" | "enter":
                self._go(cursor.next(), forward=True)
            case "left" | "backspace":
                self._go(cursor.back(), forward=False)
            case "down" | "]":
                self._go(cursor.next_trick(), forward=True)
            case "up" | "[":
                self._go(cursor.last_trick(), forward=False)
            case "n" | "}":
                self._go(cursor.next_hand(), forward=True)
            case "p" | "{":
                self._go(cursor.last_hand(), forward=False)
            case "<":
                self._go(cursor.to_step(0), forward=False)
            case ">":
                self._go(cursor.to_end(), forward=True)
            case "space":
                self._play(now)
            case "+" | "=" | "-":
                self._set_speed(-1 if key == "-" else 1, now)
            case "g":
                self._next_at, self._typed = None, ""
            case "o":
                self._look(None)
            case "q":
                self._quit(False)
            case "?" | "f1":
                self._helping = True
            case "s" | "l" | "c" | "m" | "pageup" | "pagedown":
                self._anywhere(key)
            case _ if len(key) == 1 and key in "1234567890":
                self._row(int(key) or 10)
            case "escape":
                self._next_at = None
            case _:
                self._hint(tabletexts.UNKNOWN_KEY)

    def _row(self, number: int) -> None:
        """With the eyes of the player in this row, from 1."""
        rows = self.cursor.rows
        if number > len(rows):
            self._hint(rewindtexts.NOBODY_THERE)
        else:
            self._look(rows[number - 1])

    def _look(self, player: int | None) -> None:
        if not self.cursor.script.has_all_cards:
            self._hint(rewindtexts.OWN_ONLY)
            return
        self._show(self.cursor.seen_by(player))
        if not self.cursor.chapter.over:
            self._hint(rewindtexts.NOT_OVER)

    def _type(self, key: str) -> None:
        """A place is typed: 57, t5, h3."""
        typed = self._typed or ""
        if key == "escape":
            self._typed = None
        elif key == "backspace":
            self._typed = typed[:-1]
        elif key == "enter":
            self._typed = None
            self._go_to(typed.lower())
        elif len(key) == 1 and len(typed) < LONGEST:
            self._typed = typed + key

    def _go_to(self, typed: str) -> None:
        kind, digits = typed[:1].strip("0123456789"), typed.lstrip("th")
        number = int(digits) if digits.isascii() and digits.isdecimal() else None
        cursor = self.cursor
        most = {"": cursor.steps, "t": len(cursor.chapter.leads), "h": cursor.script.hands}
        if not typed:
            return
        if number is None or kind not in most or not 1 <= number <= most[kind]:
            self.ui.hint = rewindtexts.nowhere(typed)
            return
        goes = {"": cursor.to_step, "t": cursor.to_trick, "h": cursor.to_hand}
        self._show(goes[kind](number))

    # -- the mouse ----------------------------------------------------------------------------

    def click(self, target: str, now: float) -> None:
        kind, _, what = target.partition(":")
        if kind == "key":
            self.press(what, now)
        elif self.ui.overlay or self._helping or self._typed is not None:
            return
        elif kind == "at":
            self._next_at = None
            self._show(self.cursor.to_step(int(what)))
        elif kind == "row":
            self._row(int(what))
