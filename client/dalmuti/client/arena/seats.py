"""A bot in its seat over core: asked, timed, and kept from doing harm to the others.

What a stranger's bot does wrong is counted and answered by the default: it raises (also SystemExit
or a RecursionError), chooses what it may not, or takes too long. An alarm interrupts it then; for
what an alarm cannot interrupt there is `Mark`, which tells another process that a call goes on, and
that process ends ours (`workers`). A house bot has no alarm: it is the project's own.
"""

from __future__ import annotations

import os
import signal
import struct
from collections.abc import Callable
from time import perf_counter
from types import FrameType
from typing import Any, Final

from dalmuti.client.arena.plan import STRIKES, Stop, Tally
from dalmuti.client.bot import Bot, one_of, place_of
from dalmuti.core.events import Seen
from dalmuti.core.views import TableView
from dalmuti.protocol.messages import Choice, Decision

START_SECONDS: Final = 10.0
"""What a bot may take to be made and to begin, where its decisions have a limit."""
MARK: Final = struct.Struct("<qqqq")
LONGEST_FAULT: Final = 200


class TooLate(BaseException):
    """Raised in the bot's own code when its time is up."""


class Alarm:
    """The alarm clock of this process; there is one, and it rings in the main thread."""

    def __init__(self) -> None:
        self._set = False
        signal.signal(signal.SIGALRM, self._ring)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if self._set:
            self._set = False
            raise TooLate

    def start(self, seconds: float) -> None:
        """TooLate is raised after `seconds`; 0: never."""
        self._set = True
        signal.setitimer(signal.ITIMER_REAL, seconds)

    def stop(self) -> None:
        """It does not ring any more."""
        self._set = False
        signal.setitimer(signal.ITIMER_REAL, 0)


class Mark:
    """Where this process says, in memory that another one reads, whose bot it is calling.

    The first number goes up with each call and each return, so that an odd one that stays is a call
    that goes on. Nothing is waited for: the reader looks now and then.
    """

    def __init__(self, memory: Any) -> None:
        """`memory` is any buffer that can be written to, of at least MARK.size bytes."""
        self._memory = memory
        self._count = 0

    def enter(self, item: int, seat: int, call: int) -> None:
        """A bot is called now."""
        self._count += 1
        MARK.pack_into(self._memory, 0, self._count, item, seat, call)

    def leave(self) -> None:
        """The call is over."""
        self._count += 1
        self._memory[:8] = self._count.to_bytes(8, "little")


class Guard:
    """How strangers are called: by the clock, and with a mark."""

    def __init__(self, seconds: float, mark: Mark) -> None:
        """`seconds` for a decision, and for an event; 0: no limit."""
        self.seconds, self.mark = seconds, mark
        self.alarm = Alarm()
        self._process = os.getpid()

    def leave(self) -> None:
        """A call is over. A copy of this process, which a bot has made by `os.fork`, ends here."""
        if os.getpid() != self._process:
            os._exit(0)
        self.mark.leave()


class Seated:
    """One bot in one seat, for one item. `tally` says what it did, its times only after `close`."""

    def __init__(
        self,
        make: Callable[[], Bot],
        seed: int,
        *,
        guard: Guard | None = None,
        item: int = 0,
        seat: int = 0,
        stop: Stop | None = None,
    ) -> None:
        """`guard` is for strangers; `item` and `seat` are for its mark."""
        self.tally = Tally()
        self.listens = False
        """Whether it wants to be told of events."""
        self._bot: Bot | None = None
        self._guard, self._item, self._seat = guard, item, seat
        self._calls = 0
        """Calls of a stranger so far; with `_last_call` of them it is not called any more."""
        self._lates = 0
        self._seconds: list[float] = []
        self._last_call = -1
        if stop is not None:
            self._last_call = stop.call
            self.tally.late, self.tally.crashed = stop.late, stop.crashed
            self.tally.first_fault = self.tally.given_up = stop.why
            if stop.call == 0:
                return
        seconds = START_SECONDS if guard is not None and guard.seconds else 0.0
        made = self._call(" when it began", seconds, self._begin, make, seed)
        if made is not None:
            self._bot, self.listens = made
        else:
            self.tally.given_up = self.tally.first_fault

    @staticmethod
    def _begin(make: Callable[[], Bot], seed: int) -> tuple[Bot, bool]:
        bot = make()
        bot.begin(seed)
        listens = type(bot).on_event is not Bot.on_event or "on_event" in vars(bot)
        return bot, listens

    def choose(self, view: TableView, decision: Decision) -> Choice:
        """What it decides, or the default."""
        bot = self._bot
        if bot is None or self._calls == self._last_call:
            self.tally.defaults += 1
            return decision.default
        if self._guard is not None:
            return self._choose_guarded(self._guard, bot, view, decision)
        start = perf_counter()
        try:
            found = bot.decide(view, decision)
        except Exception as error:  # a fault of the house is a row like any other
            self._crashed("", _said(error))
            return decision.default
        self._seconds.append(perf_counter() - start)
        return found if found in decision.choices else self._illegal(_shown(found), decision)

    def _choose_guarded(
        self, guard: Guard, bot: Bot, view: TableView, decision: Decision
    ) -> Choice:
        start = perf_counter()
        found = self._call("", guard.seconds, self._decide, bot, view, decision)
        seconds = perf_counter() - start
        self._seconds.append(seconds)
        if found is not None and seconds > guard.seconds > 0:
            self._late("")
            found = None
        if isinstance(found, str):
            return self._illegal(found, decision)
        choice: Choice = decision.default if found is None else found
        return choice

    def _illegal(self, found: str, decision: Decision) -> Choice:
        self.tally.illegal += 1
        self._fault(f"chose {found}, which is not one of its choices")
        return decision.default

    def close(self) -> Tally:
        """What it did; called after the last hand."""
        if self._seconds:
            self.tally.times.add(*self._seconds)
            self._seconds.clear()
        return self.tally

    @staticmethod
    def _decide(bot: Bot, view: TableView, decision: Decision) -> Choice | str:
        """One of the choices, or what it said instead; still by the clock, as its own code runs."""
        wanted: object = bot.decide(view, decision)
        choice = one_of(decision.choices, wanted)
        return _shown(wanted) if choice is None else choice

    def tell(self, view: TableView, event: Seen) -> None:
        """Tells it of an event, with the table after it."""
        if self._bot is not None and self._calls != self._last_call:
            seconds = 0.0 if self._guard is None else self._guard.seconds
            self._call(" in on_event", seconds, self._bot.on_event, view, event)

    # -- what may go wrong ----------------------------------------------------------------------

    def _call(self, where: str, seconds: float, function: Callable[..., Any], *given: Any) -> Any:
        """What the function returns; None where it did not, and that is counted."""
        guard = self._guard
        if guard is None:
            try:
                return function(*given)
            except Exception as error:
                return self._crashed(where, _said(error))
        guard.mark.enter(self._item, self._seat, self._calls)
        self._calls += 1
        try:
            try:
                guard.alarm.start(seconds)
                return function(*given)
            except TooLate:
                raise
            except BaseException as error:  # whatever a stranger's bot raises
                self._crashed(where, _said(error))  # by the clock as well: this runs its code
            finally:
                guard.alarm.stop()
        except TooLate:
            self._late(where)
        finally:
            guard.leave()
        return None

    def _late(self, where: str) -> None:
        self.tally.late += 1
        self._lates += 1
        self._fault(f"took too long{where}")
        if self._lates >= STRIKES:
            self._bot = None
            self.tally.given_up = f"took too long {STRIKES} times"

    def _crashed(self, where: str, text: str) -> None:
        self.tally.crashed += 1
        self._fault(f"raised {text}{where}")

    def _fault(self, text: str) -> None:
        self.tally.first_fault = self.tally.first_fault or text


def _shown(value: object) -> str:
    """What a bot returned, for its author."""
    try:
        return repr(value)[:LONGEST_FAULT]
    except Exception:
        return f"a {type(value).__name__}"


def _said(error: BaseException) -> str:
    """What a bot raised, for its author."""
    try:
        place = place_of(error)
        return f"{type(error).__name__}: {error}"[:LONGEST_FAULT] + place
    except Exception:
        return type(error).__name__
