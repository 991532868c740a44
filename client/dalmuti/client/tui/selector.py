"""What keys do with a decision: pure selectors, one for each kind of decision.

A selector is a frozen value; `press(key, now)` gives the next one, and the move when the key
decided. Keys are single characters as typed, or `enter space left right up down backspace escape`.
Nothing is ever decided by a timer, only Enter, Space, `p`, a second `r` or a second click decide,
and only what is in the decision's own list of choices can be decided at all.

For a quarter of a second after a decision arrives nothing can be decided (`awake_at`): an Enter
that was on its way to the chat must not play cards. Other keys work at once, because swallowing
the 9 of `9 Enter` and then taking the Enter would play something else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple, Self

from msgspec import Struct
from msgspec.structs import replace

from dalmuti.client.tui import labels
from dalmuti.core.cards import JESTER, Cards, Play, counts_of
from dalmuti.core.moves import PASS, Call, Decline, Give, Move, Pass
from dalmuti.protocol.messages import Decision

DEAF_SECONDS: Final = 0.25
"""How long nothing can be decided after a decision arrived."""
COMMIT_KEYS: Final = frozenset({"enter", "space", "p", "r"})

_TYPED = re.compile(r"(?:(?P<count>\d+)x)?(?P<rank>\d*)(?P<plus>\+(?P<jesters>[12]?)j?)?")


class Step(NamedTuple):
    """What a key led to: the selector after it, the move if it decided, a word if it could not."""

    selector: Selector
    move: Move | None = None
    hint: str = ""


def _number(typed: str, key: str) -> tuple[str, bool]:
    """Adds a digit to the number being typed: the number now, and whether it is a new one.

    Ranks and counts of two digits go from 10 to 14, so only a 1 can go on.
    """
    if typed == "1" and key in "01234":
        return "1" + key, False
    return key, True


def _readings(number: str) -> tuple[int, ...]:
    """The ranks that a typed number may mean, best first: 12 is rank 12, or else rank 2."""
    if number == "0":
        return (10,)
    return (int(number), int(number[-1])) if len(number) > 1 else (int(number),)


class PlaySelector(Struct, frozen=True, kw_only=True):
    """Leading or following: which set, or Pass (`chosen` is None)."""

    plays: tuple[Play, ...]
    """Every legal set, weakest first."""
    can_pass: bool
    chosen: Play | None
    suggestion: Play | None
    typed: str = ""
    anchor: Play | None = None
    """What was chosen before the number that is being typed; `4x` means four of its rank."""
    armed: bool = True
    """False while what was typed is no legal play: Enter must not fire the old choice."""
    awake_at: float = 0.0

    @classmethod
    def of(cls, choices: Sequence[Move], cards: Cards, awake_at: float = 0.0) -> Self:
        """Starts on the weakest whole group without Jesters, else on Pass; a leader on any set."""
        plays = tuple(move for move in choices if isinstance(move, Play))
        can_pass = PASS in choices
        held = counts_of(cards)
        whole = [p for p in plays if not p.jesters and p.count == held[p.rank]]
        start = whole[0] if whole else None
        if start is None and not can_pass and plays:
            start = plays[0]
        return cls(
            plays=plays, can_pass=can_pass, chosen=start, suggestion=start, awake_at=awake_at
        )

    # -- what the screen shows ------------------------------------------------------------------

    @property
    def groups(self) -> tuple[Play | None, ...]:
        """The entries of the list: every set when following, one a rank when leading; then Pass.

        A leader's list would be hundreds of sets long. The rank that is chosen shows the set that
        is chosen; the others show their whole group.
        """
        if self.can_pass:
            return (*self.plays, None)
        return tuple(
            self.chosen if self.chosen and self.chosen.rank == rank else self._of(rank)[0]
            for rank in self._ranks
            if rank is not None
        )

    @property
    def variants(self) -> tuple[Play, ...]:
        """When leading: every set of the chosen rank, as Up, Down and `j` go through them."""
        if self.can_pass or self.chosen is None:
            return ()
        rank = self.chosen.rank
        return tuple(sorted(self._of(rank), key=lambda p: (rank != JESTER and p.jesters, p.count)))

    @property
    def _ranks(self) -> tuple[int | None, ...]:
        ranks: tuple[int | None, ...] = tuple(dict.fromkeys(play.rank for play in self.plays))
        return (*ranks, None) if self.can_pass else ranks

    def _of(self, rank: int) -> list[Play]:
        """The sets of a rank: without Jesters first, larger first (lone Jesters: fewer first)."""
        plays = [play for play in self.plays if play.rank == rank]
        return sorted(plays, key=lambda p: (p.jesters, -p.count))

    # -- keys -------------------------------------------------------------------------------------

    def press(self, key: str, now: float) -> Step:
        """One key. See the module's docstring for the names of keys."""
        if now < self.awake_at and key in COMMIT_KEYS:
            return Step(self, hint=labels.TOO_FAST)
        match key:
            case "enter":
                return self._enter()
            case "space" | "p":
                return Step(self, PASS) if self.can_pass else Step(self, hint=labels.MUST_LEAD)
            case "left" | "right":
                return self._beside(1 if key == "right" else -1)
            case "up" | "down":
                return self._resize(1 if key == "up" else -1)
            case "j" | "J" | "+" | "-":
                return self._jester(key)
            case "x" | "*":
                if self.typed.isdigit():
                    return self._type(self.typed + "x", self.anchor)
                return Step(self, hint=labels.NUMBER_FIRST)
            case "backspace" | "escape":
                return Step(self.reset())
            case _ if key.isdecimal() and len(key) == 1:
                return self._digit(key)
        return Step(self)

    def choose(self, play: Play | None, now: float) -> Step:
        """A click on a set: chooses it; on the one that is chosen already: decides."""
        if play == self.chosen and self.armed:
            return self.press("enter", now)
        if (play is None and self.can_pass) or play in self.plays:
            return Step(self._choosing(play))
        return Step(self)

    def choose_rank(self, rank: int, now: float) -> Step:
        """A click on a rank of the hand: its best set, or again: decides."""
        if not self._of(rank):
            return Step(self, hint=labels.no_play_of(rank))
        same = self.chosen is not None and self.chosen.rank == rank
        return self.choose(self.chosen if same else self._of(rank)[0], now)

    def reset(self) -> Self:
        """Forgets what was typed: back to the suggestion."""
        return self._choosing(self.suggestion)

    def _choosing(self, play: Play | None) -> Self:
        return replace(self, chosen=play, typed="", anchor=None, armed=True)

    def _enter(self) -> Step:
        if not self.armed:
            return Step(self.reset(), hint=labels.no_such_play(self.typed))
        return Step(self, PASS if self.chosen is None else self.chosen)

    def _beside(self, step: int) -> Step:
        ranks = self._ranks
        here = ranks.index(self.chosen.rank if self.chosen else None)
        rank = ranks[(here + step) % len(ranks)]
        return Step(self._choosing(None if rank is None else self._of(rank)[0]))

    def _resize(self, step: int) -> Step:
        if self.chosen is None:
            return Step(self)
        alone = self.chosen.rank == JESTER
        options = [
            play
            for play in self._of(self.chosen.rank)
            if self.can_pass or alone or play.jesters == self.chosen.jesters
        ]
        options.sort(key=lambda p: (p.count, p.jesters))
        at = options.index(self.chosen) + step
        if 0 <= at < len(options):
            return Step(self._choosing(options[at]))
        return Step(self, hint=labels.NO_MORE if step > 0 else labels.NO_FEWER)

    def _jester(self, key: str) -> Step:
        """`j` goes through the numbers of Jesters, `J` is all or none, `+1J` is as it is written.

        A leader's naturals stay and the set grows; who follows keeps the size.
        """
        if key != "-" and self.typed.endswith("x"):
            return self._type(self.typed + "j", self.anchor)
        if key == "+" and self.typed and self.armed and "+" not in self.typed:
            return self._type(self.typed + "+", self.anchor)
        if key in "jJ" and "+" in self.typed:
            return Step(self)
        if self.chosen is None:
            with_jester = [play for play in self.plays if play.jesters]
            if not with_jester or key == "-":
                return Step(self, hint=labels.NO_JESTER)
            return Step(self._choosing(with_jester[0]))
        now = self.chosen
        same = [
            play
            for play in self._of(now.rank)
            if self.can_pass or now.rank == JESTER or play.naturals == now.naturals
        ]
        same.sort(key=lambda p: p.jesters)
        at = same.index(now)
        if len(same) == 1:
            return Step(self, hint=labels.NO_JESTER)
        if key == "J":
            at = 0 if at == len(same) - 1 else len(same) - 1
        else:
            at = (at + (-1 if key == "-" else 1)) % len(same)
        return Step(self._choosing(same[at]))

    def _digit(self, key: str) -> Step:
        head, x, last = self.typed.rpartition("x")
        if "+" in self.typed:
            return self._type(self.typed.partition("+")[0] + "+" + key, self.anchor)
        if x and (not last or last == "1"):
            return self._type(head + x + _number(last, key)[0], self.anchor)
        number, new = _number(self.typed, key)
        return self._type(number, self.chosen if new else self.anchor)

    def _type(self, typed: str, anchor: Play | None) -> Step:
        """Takes what has been typed so far: chooses what it means, or disarms Enter."""
        found = self._meaning(typed, anchor)
        if found is None:
            return Step(replace(self, typed=typed, anchor=anchor, armed=False))
        return Step(replace(self, typed=typed, anchor=anchor, armed=True, chosen=found))

    def _meaning(self, typed: str, anchor: Play | None) -> Play | None:
        if typed.endswith("xj"):
            count = int(typed[:-2])
            return next((p for p in self.plays if p.rank == JESTER and p.count == count), None)
        match = _TYPED.fullmatch(typed)
        if match is None:
            return None
        if match["rank"]:
            ranks = _readings(match["rank"])
        else:
            ranks = () if anchor is None else (anchor.rank,)
        for rank in ranks:
            for play in self._of(rank):
                fits = match["count"] is None or play.count == int(match["count"])
                if match["plus"]:
                    fits = fits and play.jesters == int(match["jesters"] or 1)
                if fits and play.rank != JESTER:
                    return play
        return None


class TaxSelector(Struct, frozen=True, kw_only=True):
    """What a Dalmuti gives back: cards are marked one by one until exactly enough are."""

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
            return Step(self, hint=labels.TOO_FAST)
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
                return Step(self, hint=labels.ENTER_GIVES)
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
        return any(1 <= rank <= 12 and self.held[rank] for rank in _readings(self.typed))

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
        number, new = _number(self.typed, key)
        base = (() if self.fresh else self.marks) if new else self.anchor
        held = [rank for rank in _readings(number) if rank <= 12]
        rank = next((rank for rank in held if self.held[rank] > base.count(rank)), None)
        typing = replace(self, marks=base, fresh=False, typed=number, anchor=base)
        if rank is None:
            hint = "" if number == "1" else labels.no_more_of(held[0] if held else int(key))
            return Step(typing if number == "1" else self._back(base), hint=hint)
        return Step(replace(typing, marks=(*base, rank)[-self.due :], cursor=rank))

    def _back(self, base: tuple[int, ...]) -> Self:
        """The marks as before the number, which was none; an untouched suggestion stays."""
        return replace(self, typed="", anchor=()) if self.fresh else self._with(base)


class RevolutionSelector(Struct, frozen=True, kw_only=True):
    """To call a revolution or not: `choices` starts with not calling."""

    choices: tuple[Call | Decline, ...]
    index: int = 0
    awake_at: float = 0.0

    @classmethod
    def of(cls, decision: Decision, awake_at: float = 0.0) -> Self:
        """Starts on not calling."""
        choices = tuple(c for c in decision.choices if isinstance(c, Call | Decline))
        return cls(
            choices=tuple(sorted(choices, key=lambda c: isinstance(c, Call))), awake_at=awake_at
        )

    @property
    def may_call(self) -> bool:
        """Whether there is anything to decide: both Jesters were dealt to us."""
        return len(self.choices) > 1

    def press(self, key: str, now: float) -> Step:
        """One key: Enter takes what is chosen; `r` chooses a call, and once more calls."""
        if now < self.awake_at and key == "enter":
            return Step(self, hint=labels.TOO_FAST)
        match key:
            case "enter":
                return Step(self, self.choices[self.index])
            case "r" if not self.may_call:
                return Step(self, hint=labels.NO_CALL)
            case "r" if self.index:
                return Step(self, self.choices[self.index])
            case "r":
                return Step(replace(self, index=1), hint=labels.CALL_AGAIN)
            case "g":
                at = [n for n, c in enumerate(self.choices) if isinstance(c, Call) and c.greater]
                return Step(replace(self, index=at[0]) if at else self)
            case "left" | "right" | "up" | "down":
                step = 1 if key in ("right", "down") else -1
                return Step(replace(self, index=(self.index + step) % len(self.choices)))
            case "backspace" | "escape":
                return Step(replace(self, index=0))
            case "space" | "p":
                return Step(self, hint=labels.ENTER_DECLINES)
        return Step(self)

    def choose(self, index: int, now: float) -> Step:
        """A click: chooses, and once more decides."""
        if index == self.index:
            return self.press("enter", now)
        return Step(replace(self, index=index)) if index < len(self.choices) else Step(self)


Selector = PlaySelector | TaxSelector | RevolutionSelector


def select(decision: Decision, cards: Cards, arrived: float) -> Selector:
    """The selector for a decision that arrived at this moment (seconds on the clock of `now`)."""
    awake = arrived + DEAF_SECONDS
    if decision.kind == "tax":
        return TaxSelector.of(decision, cards, awake)
    if decision.kind == "revolution":
        return RevolutionSelector.of(decision, awake)
    choices: list[Move] = [c for c in decision.choices if isinstance(c, Play | Pass)]
    return PlaySelector.of(choices, cards, awake)
