"""A bot at a table over the network: it is told, asked, and answered for.

The connection goes on while the bot thinks. A bot from a file is called in a thread; what happens
meanwhile waits until it has answered, since a bot is never called twice at once. When the server
ends a decision first, the answer is thrown away and its author hears how late it was.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Final

import anyio
import anyio.to_thread
import msgspec
from msgspec import Struct

from dalmuti.client import out
from dalmuti.client.bot import Bot, Fault, begin, choice_of, tell
from dalmuti.client.bots.faults import Faults
from dalmuti.client.bots.news import News
from dalmuti.client.model import Input, Model, reduce
from dalmuti.client.session import Ended, Session
from dalmuti.core.events import (
    HandAbandoned,
    HandEnded,
    HandStarted,
    Passed,
    Played,
    RevolutionCalled,
    RevolutionClosed,
    Seen,
    TableClosed,
    TaxesPaid,
    Turn,
)
from dalmuti.core.views import TableView
from dalmuti.protocol.messages import Act, Choice, Decision, Error, EventMessage, Ok
from dalmuti.protocol.text import safe_text

MOST_WAITING: Final = 4096
"""What waits for a bot that is busy: a hand has some 300 events. With more than that the bot does
not hear of the oldest events, and its author is told; a decision waits as long as it is asked."""
ENDS: Final = (
    HandStarted,
    HandEnded,
    HandAbandoned,
    RevolutionCalled,
    RevolutionClosed,
    TaxesPaid,
    TableClosed,
)
"""After these nobody is asked what he was asked before."""
LATE_CODES: Final = frozenset({"stale_decision", "no_decision", "not_your_turn"})
"""How the server refuses an answer to a decision that is over."""


def pause(mean: float, chance: random.Random) -> float:
    """Seconds that a bot waits before it answers, about `mean`, as a person would.

    Drawn from one distribution whatever it holds and however many choices there are, so that the
    time tells nothing (rules.md I3).
    """
    return mean * chance.triangular(0.3, 1.9, 0.8) if mean > 0 else 0.0


class Asked(Struct, eq=False):
    """A decision that the bot is asked for, from when it came to when it is over."""

    decision: Decision
    view: TableView
    came: float
    choice: Choice | None = None
    """What the bot chose."""
    request: int | None = None
    """Of the `act` that said so."""
    over: bool = False
    """The server waits for no answer any more."""
    is_late: bool = False

    def is_again(self, decision: Decision) -> bool:
        """Whether this is the same question again, as it comes after a lost connection."""
        mine = self.decision
        return (mine.decision, mine.choices) == (decision.decision, decision.choices)


class Player:
    """Plays a bot over a session, and says on `report` what it does wrong."""

    def __init__(
        self,
        session: Session,
        bot: Bot,
        *,
        delay: float = 0.0,
        report: Callable[[str], None] = lambda text: None,
        faults: Faults | None = None,
        news: Callable[[str], None] = lambda text: None,
        chance: random.Random | None = None,
        seed: int | None = None,
        threaded: bool = False,
    ) -> None:
        """`delay` is the mean of the pause before each answer, in seconds.

        `chance` is for the pauses. The bot begins with `seed`, or with one drawn from `chance`.
        `threaded` calls the bot in a worker thread; without it the bot has to be quick.

        `report` is told what the bot did wrong, where no `faults` are kept for several bots, and
        `news` how it fares.
        """
        self.session = session
        self.bot = bot
        self.delay = delay
        self.faults = faults or Faults(report)
        self.report = self.faults.report
        self._news = News(session, news)
        self.chance = chance or random.Random()
        self.model = Model()
        self.illegal = self.late = self.crashed = 0
        """How often the bot chose what it may not, was too late, and raised."""
        self.asked = 0
        """Decisions that were put to it: those with more than one choice."""
        self._threaded = threaded
        self._listens = type(bot).on_event is not Bot.on_event or "on_event" in vars(bot)
        self._asked: Asked | None = None
        self._waiting: deque[Asked | tuple[TableView, Seen]] = deque()
        self._missed = 0
        """Events that the bot will not hear of, since it is busy for so long."""
        drawn = self.chance.getrandbits(53)
        self._note(begin(bot, drawn if seed is None else seed), None, None)

    @property
    def wrong(self) -> int:
        """How often the bot did something wrong."""
        return self.illegal + self.late + self.crashed

    async def run(self) -> Ended:
        """Plays until the session ends. A call that the bot is still in then is left behind."""
        self._wake = anyio.Event()
        async with anyio.create_task_group() as self._tasks:
            if self._threaded:
                self._tasks.start_soon(self._work)
            ended = await self.session.run(self._hear)
            self._tasks.cancel_scope.cancel()
        return ended

    def _hear(self, message: Input) -> None:
        seq, before = self.model.seq, self.model.table
        self.model = reduce(self.model, message, anyio.current_time())
        table = self.model.table
        self._news.hear(message)
        match message:
            case EventMessage(event=event) if table is not None and self.model.seq != seq:
                self._look_for_the_end(before, event)
                self._tell(table, event)
            case Decision() if table is not None:
                self._ask(table, message)
            case Ok(re=request) if self._asked is not None and request == self._asked.request:
                self._asked.over = True
            case Error():
                self._refused(message)
            case _:
                pass

    # -- what the bot hears and is asked

    def _tell(self, table: TableView, event: Seen) -> None:
        self._news.event(table, event)
        if not self._listens:
            return
        if self._threaded:
            self._put((table, event))
        else:
            self._note(tell(self.bot, table, event), table, None)

    def _ask(self, table: TableView, decision: Decision) -> None:
        asked = self._asked
        if asked is not None and not asked.over and asked.is_again(decision):
            if asked.choice is not None:  # it was on its way when the connection broke
                self._answer(asked, asked.choice)
            return
        if asked is not None:
            self._is_over(asked)
        asked = self._asked = Asked(decision, table, anyio.current_time())
        if self.delay > 0:
            self._tasks.start_soon(self._ask_later, asked)
        else:
            self._ask_now(asked)

    async def _ask_later(self, asked: Asked) -> None:
        await anyio.sleep(pause(self.delay, self.chance))
        self._ask_now(asked)

    def _ask_now(self, asked: Asked) -> None:
        """Where there is one choice only, it is made for the bot."""
        if asked.over or self.model.table is None:
            return
        if len(asked.decision.choices) == 1:
            self._done(asked, asked.decision.choices[0], None)
            return
        self.asked += 1
        if self._threaded:
            self._put(asked)
        else:
            self._done(asked, *choice_of(self.bot, asked.view, asked.decision))

    def _put(self, item: Asked | tuple[TableView, Seen]) -> None:
        self._waiting.append(item)
        self._wake.set()
        if len(self._waiting) > MOST_WAITING:
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        oldest = self._waiting.popleft()
        if isinstance(oldest, Asked):
            if oldest.over:
                return
            asked, oldest = oldest, self._waiting.popleft()
            self._waiting.appendleft(asked)
        if isinstance(oldest, Asked):
            return  # only one decision is asked at a time, so this one is over
        if not self._missed:
            self.report(
                f"{self._kind} is behind: {MOST_WAITING} events wait while it is busy; it does not"
                " hear of the oldest any more."
            )
        self._missed += 1

    async def _work(self) -> None:
        """Calls the bot in a thread, for one thing after the other."""
        one = anyio.CapacityLimiter(1)
        call = partial(anyio.to_thread.run_sync, abandon_on_cancel=True, limiter=one)
        while True:
            while not self._waiting:
                self._wake = anyio.Event()
                await self._wake.wait()
            item = self._waiting.popleft()
            if self._missed:
                missed = out.counted(self._missed, "event")
                self.report(f"{self._kind} goes on; it did not hear of {missed}.")
                self._missed = 0
            if not isinstance(item, Asked):
                self._note(await call(tell, self.bot, *item), item[0], None)
                continue
            if not item.over:
                self._done(item, *await call(choice_of, self.bot, item.view, item.decision))

    # -- what comes of it

    def _done(self, asked: Asked, choice: Choice, fault: Fault | None) -> None:
        """The bot has answered. When that is of no use any more, it is thrown away."""
        self._note(fault, asked.view, asked.decision)
        if asked.over:
            if asked.is_late:
                took = anyio.current_time() - asked.came
                number = asked.decision.decision
                self.faults.tell("slow", f"{self._kind} took {took:.1f} s over decision {number}")
            return
        pending = self.model.decision
        if pending is not None and pending.decision == asked.decision.decision:
            self._answer(asked, choice)
        elif self.model.link.state == "open":
            self._is_over(asked)
        else:
            asked.choice = choice  # it is asked again when the connection is back

    def _answer(self, asked: Asked, choice: Choice) -> None:
        number = asked.decision.decision
        asked.choice = choice
        asked.request = self.session.request(Act, decision=number, choice=choice)

    def _look_for_the_end(self, before: TableView | None, event: Seen) -> None:
        """Whether this event ends what the bot is asked; not every end is its fault."""
        asked = self._asked
        if asked is None or asked.over:
            return
        if isinstance(event, Played | Passed):
            hand = before.hand if before is not None else None
            if hand is not None and hand.seat == event.seat:
                self._is_over(asked, by_clock=event.by == "clock")
        elif isinstance(event, ENDS) or (
            isinstance(event, Turn) and event.decision != asked.decision.decision
        ):
            self._is_over(asked)

    def _is_over(self, asked: Asked, by_clock: bool = False) -> None:
        """Nobody waits for this answer any more; it is late if its time is up and it never came."""
        if asked.over:
            return
        asked.over = True
        now, ms = anyio.current_time(), asked.decision.ms
        unanswered = asked.choice is None or asked.request is not None
        expired = ms is not None and now - asked.came >= ms / 1000 and unanswered
        if by_clock or expired:
            asked.is_late = True
            had = "" if ms is None else f", for which it had {ms / 1000:.1f} s"
            took, number = now - asked.came, asked.decision.decision
            text = f"is late: {took:.1f} s went by over decision {number}{had}"
            self._note(Fault("late", text), asked.view, asked.decision)

    def _refused(self, error: Error) -> None:
        asked = self._asked
        if error.re is None:
            said = safe_text(error.message).removesuffix(".")
            self.faults.tell("as the server says", f"the server says: {said}")
        elif asked is not None and error.re == asked.request and error.code in LATE_CODES:
            self._is_over(asked)

    @property
    def _kind(self) -> str:
        return type(self.bot).__name__

    def _note(
        self, fault: Fault | None, table: TableView | None, decision: Decision | None
    ) -> None:
        """Counts a fault, and tells the author all that led to it."""
        if fault is None:
            return
        match fault.kind:
            case "illegal":
                self.illegal += 1
            case "late":
                self.late += 1
            case "crashed":
                self.crashed += 1
        default = "; the default was taken" if decision is not None else ""
        details = ""
        if table is not None:
            seen = {"view": table, "decision": decision}
            details = f" It saw {msgspec.json.encode(seen).decode()}"
        self.faults.tell(fault.kind, f"{self._kind} {fault.text}{default}", details)
