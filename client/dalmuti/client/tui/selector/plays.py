"""Leading and following: a list of plays, moved through by arrows or typed as it is written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar, Final, Self

from msgspec import Struct
from msgspec.structs import replace

from dalmuti.client import words
from dalmuti.client.i18n import tr
from dalmuti.client.tui import labels
from dalmuti.client.tui.selector.base import COMMIT_KEYS, Step, add_digit, readings
from dalmuti.core.cards import JESTER, Cards, Play, counts_of
from dalmuti.core.moves import PASS, Move

MOST_JESTERS: Final = 2
_TYPED = re.compile(r"(?:(?P<count>\d+)x)?(?P<rank>\d*)(?P<plus>\+(?P<jesters>[12]?)j?)?")


class PlaySelector(Struct, frozen=True, kw_only=True):
    """Leading or following: which set, or Pass (`chosen` is None)."""

    KEYS: ClassVar[str] = "0123456789x*jJ+-p"
    """The keys of one character that mean something here, whatever is held."""

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
    held: tuple[int, ...] = (0,) * 14
    """How many cards of each rank we hold, and what is to beat: to say why a set is refused."""
    top: Play | None = None

    @classmethod
    def of(
        cls,
        choices: Sequence[Move],
        cards: Cards,
        awake_at: float = 0.0,
        top: Play | None = None,
    ) -> Self:
        """Starts on all our cards, where one set goes out; else on the weakest whole group without
        Jesters, else on Pass; a leader on any set."""
        plays = tuple(move for move in choices if isinstance(move, Play))
        can_pass = PASS in choices
        held = counts_of(cards)
        out = [p for p in plays if p.count == len(cards)]
        whole = [p for p in plays if not p.jesters and p.count == held[p.rank]]
        start = next(iter(out or whole), None)
        if start is None and not can_pass and plays:
            start = plays[0]
        return cls(
            plays=plays,
            can_pass=can_pass,
            chosen=start,
            suggestion=start,
            awake_at=awake_at,
            held=tuple(held),
            top=top,
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
            return Step(self, hint=tr(labels.TOO_FAST))
        match key:
            case "enter":
                return self._enter()
            case "space" | "p":
                return Step(self, PASS) if self.can_pass else Step(self, hint=tr(labels.MUST_LEAD))
            case "left" | "right":
                return self._beside(1 if key == "right" else -1)
            case "up" | "down":
                return self._resize(1 if key == "up" else -1)
            case "j" | "J" | "+" | "-":
                return self._jester(key)
            case "x" | "*":
                if self.typed.isdigit():
                    return self._type(self.typed + "x", self.anchor)
                return Step(self, hint=tr(labels.NUMBER_FIRST))
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
            usual = self.top.count if self.top else 1
            play = Play(rank, usual, usual if rank == JESTER else 0)
            return Step(self, hint=words.why_not(self.held, self.top, play))
        same = self.chosen is not None and self.chosen.rank == rank
        return self.choose(self.chosen if same else self._of(rank)[0], now)

    def reset(self) -> Self:
        """Forgets what was typed: back to the suggestion."""
        return self._choosing(self.suggestion)

    def _choosing(self, play: Play | None) -> Self:
        return replace(self, chosen=play, typed="", anchor=None, armed=True)

    @property
    def reason(self) -> str:
        """Why what was typed cannot be played; empty while it is no whole set, or can be."""
        play = None if self.armed else self._named()
        return "" if play is None else words.why_not(self.held, self.top, play)

    @property
    def unfinished(self) -> bool:
        """Whether what was typed may go on: `3x`, or a 1 that may become a 12."""
        return not self.typed or self.typed[-1] in "x+" or self.typed.rpartition("x")[2] == "1"

    def _named(self) -> Play | None:
        """The set that was typed, whether we can play it or not."""
        if self.typed.endswith("xj"):
            count = _count(self.typed[:-2])
            return Play(JESTER, count, count)
        match = _TYPED.fullmatch(self.typed)
        if match is None:
            return None
        if match["rank"]:
            rank = next(rank for rank in readings(match["rank"]) if rank < JESTER)
        elif match["count"] and self.anchor is not None:
            rank = self.anchor.rank
        else:
            return None
        usual = self.top.count if self.top else max(1, self.held[rank])
        jesters = int(match["jesters"] or 1) if match["plus"] else 0
        return Play(rank, _count(match["count"]) if match["count"] else usual, jesters)

    def _enter(self) -> Step:
        if not self.armed:
            return Step(self.reset(), hint=self.reason or labels.no_such_play(self.typed))
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
        return Step(self, hint=tr(labels.NO_MORE) if step > 0 else tr(labels.NO_FEWER))

    def _jester(self, key: str) -> Step:
        """`j` goes through the numbers of Jesters, `J` is all or none, `+1J` is as it is written.

        A leader's naturals stay and the set grows; who follows keeps the size. After `4x` all of
        this is part of what is typed: `4x+` and `4xJ` are four of the chosen rank, one or all of
        them Jesters; `2xj` are Jesters alone.
        """
        if key != "-" and self.typed.endswith("x"):
            alone = key == "j" or (key == "J" and _count(self.typed[:-1]) <= MOST_JESTERS)
            more = "j" if alone else "+" if key == "+" else f"+{self.held[JESTER]}"
            return self._type(self.typed + more, self.anchor)
        if key == "+" and self.typed and self.armed and "+" not in self.typed:
            return self._type(self.typed + "+", self.anchor)
        if key in "jJ" and "+" in self.typed:
            return Step(self)
        if self.chosen is None:
            with_jester = [play for play in self.plays if play.jesters]
            if not with_jester or key == "-":
                return Step(self, hint=tr(labels.NO_JESTER))
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
            return Step(self, hint=tr(labels.NO_JESTER))
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
            return self._type(head + x + add_digit(last, key)[0], self.anchor)
        number, new = add_digit(self.typed, key)
        return self._type(number, self.chosen if new else self.anchor)

    def _type(self, typed: str, anchor: Play | None) -> Step:
        """Takes what has been typed so far: chooses what it means, or disarms Enter."""
        found = self._meaning(typed, anchor)
        if found is None:
            return Step(replace(self, typed=typed, anchor=anchor, armed=False))
        return Step(replace(self, typed=typed, anchor=anchor, armed=True, chosen=found))

    def _meaning(self, typed: str, anchor: Play | None) -> Play | None:
        if typed.endswith("xj"):
            count = _count(typed[:-2])
            return next((p for p in self.plays if p.rank == JESTER and p.count == count), None)
        match = _TYPED.fullmatch(typed)
        if match is None:
            return None
        if match["rank"]:
            ranks = readings(match["rank"])
        else:
            ranks = () if anchor is None else (anchor.rank,)
        for rank in ranks:
            for play in self._of(rank):
                fits = match["count"] is None or play.count == _count(match["count"])
                if match["plus"]:
                    fits = fits and play.jesters == int(match["jesters"] or 1)
                if fits and play.rank != JESTER:
                    return play
        return None


def _count(typed: str) -> int:
    """How many cards a typed number means; 0 is 10, as for a rank."""
    return int(typed) or 10
