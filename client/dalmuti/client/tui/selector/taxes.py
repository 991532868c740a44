"""What a Dalmuti gives back: a suggestion that is marked already, and keys to mark others."""

from __future__ import annotations

from typing import ClassVar, Self

from msgspec import Struct
from msgspec.structs import replace

from dalmuti.client.i18n import tr
from dalmuti.client.tui import labels
from dalmuti.client.tui.selector.base import COMMIT_KEYS, Step, add_digit, readings
from dalmuti.core.cards import JESTER, Cards, counts_of
from dalmuti.core.moves import Give
from dalmuti.protocol.messages import Decision


class TaxSelector(Struct, frozen=True, kw_only=True):
    """What a Dalmuti gives back: cards are marked one by one until exactly enough are."""

    KEYS: ClassVar[str] = "0123456789jJ-p"
    """The keys of one character that mean something here, whatever is held."""

    due: int
    held: tuple[int, ...]
    """How many cards of each rank there are to give, by rank."""
    marks: tuple[int, ...]
    """The ranks that are marked, the newest last."""
    suggestion: tuple[int, ...]
    fresh: bool = True
    """Nothing was touched yet: the first mark replaces the suggestion."""
    cursor: int
    typed: str = ""
    anchor: tuple[int, ...] = ()
    awake_at: float = 0.0

    @classmethod
    def of(cls, decision: Decision, cards: Cards, awake_at: float = 0.0) -> Self:
        """Starts with the default marked: the highest-numbered cards that are no Jesters."""
        default = decision.default.cards if isinstance(decision.default, Give) else cards[-1:]
        return cls(
            due=len(default),
            held=tuple(counts_of(cards)),
            marks=default[::-1],
            suggestion=default[::-1],
            cursor=default[-1],
            awake_at=awake_at,
        )

    @property
    def missing(self) -> int:
        """How many cards are still to be marked."""
        return self.due - len(self.marks)

    def press(self, key: str, now: float) -> Step:
        """One key."""
        if now < self.awake_at and key in COMMIT_KEYS:
            return Step(self, hint=tr(labels.TOO_FAST))
        match key:
            case "enter":
                if self.missing or (self.typed and not self._readable()):
                    return Step(
                        replace(self, typed=""), hint=labels.mark_more(self.missing, self.due)
                    )
                return Step(self, Give(tuple(sorted(self.marks))))
            case "backspace" | "-":
                return Step(self._with(self.marks[:-1]))
            case "escape":
                return Step(replace(self, marks=self.suggestion, fresh=True, typed="", anchor=()))
            case "left" | "right":
                ranks = [rank for rank in range(1, 14) if self.held[rank]]
                at = ranks.index(self.cursor) + (1 if key == "right" else -1)
                return Step(replace(self, cursor=ranks[at % len(ranks)], typed=""))
            case "up":
                return self._mark(self.cursor)
            case "down":
                return self._unmark(self.cursor)
            case "j" | "J":
                return self._mark(JESTER)
            case "space" | "p":
                return Step(self, hint=tr(labels.ENTER_GIVES))
            case _ if key.isdecimal() and len(key) == 1:
                return self._digit(key)
        return Step(self)

    def click(self, rank: int) -> Step:
        """A click on a rank marks one more of it, or none when all of it are marked."""
        if self.held[rank] and self.marks.count(rank) == min(self.held[rank], self.due):
            return Step(self._with(tuple(mark for mark in self.marks if mark != rank)))
        return self._mark(rank)

    def _with(self, marks: tuple[int, ...]) -> Self:
        return replace(self, marks=marks, fresh=False, typed="", anchor=())

    def _readable(self) -> bool:
        return any(1 <= rank <= 12 and self.held[rank] for rank in readings(self.typed))

    def _mark(self, rank: int) -> Step:
        base = () if self.fresh else self.marks
        if base.count(rank) >= self.held[rank]:
            return Step(self, hint=labels.no_more_of(rank))
        marked = self._with((*base, rank)[-self.due :])
        return Step(replace(marked, cursor=rank))

    def _unmark(self, rank: int) -> Step:
        if rank not in self.marks:
            return Step(self, hint=labels.not_marked(rank))
        marks = list(self.marks)
        marks.reverse()
        marks.remove(rank)
        return Step(self._with(tuple(marks[::-1])))

    def _digit(self, key: str) -> Step:
        """A typed number marks its rank; when it goes on (1, then 12) the mark changes with it."""
        number, new = add_digit(self.typed, key)
        base = (() if self.fresh else self.marks) if new else self.anchor
        held = [rank for rank in readings(number) if rank <= 12]
        rank = next((rank for rank in held if self.held[rank] > base.count(rank)), None)
        typing = replace(self, marks=base, fresh=False, typed=number, anchor=base)
        if rank is None:
            hint = "" if number == "1" else labels.no_more_of(held[0] if held else int(key))
            return Step(typing if number == "1" else self._back(base), hint=hint)
        return Step(replace(typing, marks=(*base, rank)[-self.due :], cursor=rank))

    def _back(self, base: tuple[int, ...]) -> Self:
        """The marks as before the number, which was none; an untouched suggestion stays."""
        return replace(self, typed="", anchor=()) if self.fresh else self._with(base)
