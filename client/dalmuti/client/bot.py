"""Bots: one class with one method.

    from dalmuti.client.bot import Bot

    class Cautious(Bot):
        def decide(self, view, decision):
            return decision.choices[0]

`dalmuti bot cautious.py HOST` sits it down; `dalmuti bot new mybot.py` writes one that plays. A bot
knows what a person at its seat would know: `view` is the table as the server shows it to this seat,
`decision.choices` is every legal choice, the weakest set first.

Whatever a bot does, its seat plays on: a choice that is none, an exception, or no answer in time
means the default, and its author reads what happened and the view that caused it. Over a
connection `choice_of`, `tell` and `begin` are the only places where a bot is called; the arena has
its own (`arena.seats`). A bot from a file is called in a
thread of its own, so that it may think as long as the clock allows while its connection, and other
bots beside it, go on. A thread cannot be stopped: one that never returns holds its seat's later
decisions up and is left behind in the end. Against that only a process of its own helps.
"""

from __future__ import annotations

import inspect
import os
import reprlib
import threading
from collections.abc import Sequence
from typing import Final, Literal

from msgspec import Struct

from dalmuti.core.events import Seen
from dalmuti.core.views import TableView
from dalmuti.protocol.messages import Choice, Decision

OURS: Final = os.path.dirname(__file__) + os.sep


class Bot:
    """Somebody who decides by himself. One object plays one seat, hand after hand.

    Its methods are called one at a time, always, but not always in the same thread.
    """

    def begin(self, seed: int) -> None:
        """Called once, before anything else, with the seed of this bot's own chance.

        A bot that draws its numbers from `random.Random(seed)`, and from nothing else, plays the
        same again when everything else is the same. May be left out.
        """

    def decide(self, view: TableView, decision: Decision) -> Choice:
        """One of `decision.choices`; asked only where there is more than one.

        Anything else, an exception, or no answer within `decision.ms` milliseconds (None: no
        clock) means `decision.default`.
        """
        raise NotImplementedError(f"{type(self).__name__} has no method `decide`")

    def on_event(self, view: TableView, event: Seen) -> None:
        """What just happened, with the table after it. May be left out."""


# -- calling a bot ----------------------------------------------------------------------------


class Fault(Struct, frozen=True):
    """What a bot did wrong, as the words that follow its name."""

    kind: Literal["illegal", "late", "crashed"]
    text: str


def choice_of(bot: Bot, view: TableView, decision: Decision) -> tuple[Choice, Fault | None]:
    """What a bot chooses; the default, and why, if it chooses nothing that it may.

    Raises KeyboardInterrupt in the main thread only, where it comes from a person.
    """
    try:
        wanted: object = bot.decide(view, decision)
        if inspect.iscoroutine(wanted):
            wanted.close()
            return decision.default, Fault("illegal", "has an `async def decide`; use plain `def`")
        choice = one_of(decision.choices, wanted)
        if choice is not None:
            return choice, None
        text = f"chose {shown(wanted)}, which is not one of its choices"
        return decision.default, Fault("illegal", text)
    except BaseException as error:  # whatever a stranger's bot raises
        if is_ctrl_c(error):
            raise
        return decision.default, Fault("crashed", f"raised {shown(error)}")


def one_of(choices: Sequence[Choice], wanted: object) -> Choice | None:
    """The choice that a bot means by what it has returned, if it is one."""
    for choice in choices:
        if type(wanted) is type(choice) and wanted == choice:
            return choice
    return None


def tell(bot: Bot, view: TableView, event: Seen) -> Fault | None:
    """Tells a bot what happened; what it did wrong, if anything."""
    try:
        bot.on_event(view, event)
    except BaseException as error:  # whatever a stranger's bot raises
        if is_ctrl_c(error):
            raise
        return Fault("crashed", f"raised {shown(error)} in on_event")
    return None


def begin(bot: Bot, seed: int) -> Fault | None:
    """Gives a bot its seed; what it did wrong, if anything."""
    try:
        bot.begin(seed)
    except BaseException as error:  # whatever a stranger's bot raises
        if is_ctrl_c(error):
            raise
        return Fault("crashed", f"raised {shown(error)} in begin")
    return None


def shown(value: object) -> str:
    """A value or an exception of a stranger in a few words, whatever its own `repr` does."""
    kind = type(value).__name__
    place = ""
    try:
        if isinstance(value, BaseException):
            place = place_of(value)
            text = str(value)
        else:
            text = reprlib.repr(value)
    except BaseException as error:
        if is_ctrl_c(error):
            raise
        return f"a {kind} that cannot be shown{place}"
    text = text if len(text) <= 300 else f"{text[:300]}..."
    if isinstance(value, BaseException):
        return f"{kind}: {text}{place}" if text else f"{kind}{place}"
    return text


def place_of(error: BaseException) -> str:
    """Where in its author's file an exception came from, such as " (mybot.py, line 9)"; or ""."""
    file, line = "", 0
    trace = error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if not file and not name.startswith((OURS, "<")):
            file = name  # the first that is not ours: whatever it calls, its own line is told
        if name == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return f" ({os.path.basename(file)}, line {line})" if file else ""


def is_ctrl_c(error: BaseException) -> bool:
    """Whether this may be a person at the keyboard, and not a bot that raises what it likes."""
    main = threading.current_thread() is threading.main_thread()
    return main and isinstance(error, KeyboardInterrupt)
