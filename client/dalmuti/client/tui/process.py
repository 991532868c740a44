"""What of the process a screen takes for itself: signals, Ctrl-Z, and the loop's exceptions.

On a person's own terminal the process is the screen's. In a gateway many screens share one, and
none of them may take a signal, suspend the others, or end them by a bug of its own.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, Final, Protocol

import anyio

Leave = Callable[[BaseException], None]
"""Ends a screen because of a bug."""


class Process(Protocol):
    """The process around a screen."""

    alone: bool
    """It is this screen's: SIGINT is Ctrl-C, and Ctrl-Z suspends it."""

    def failures(self, leave: Leave) -> AbstractContextManager[None]:
        """While it is open, `leave` gets what is raised in the callbacks of this screen."""

    async def signals(self, caught: Callable[[int], None]) -> None:
        """Tells of signals that end the screen, and of SIGCONT, until it is cancelled."""


class OwnProcess:
    """One screen, and nothing beside it."""

    alone = True

    @contextmanager
    def failures(self, leave: Leave) -> Iterator[None]:
        """All that fails in the loop is ours."""
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: leave(_failure(context)))
        try:
            yield
        finally:
            loop.set_exception_handler(None)

    async def signals(self, caught: Callable[[int], None]) -> None:
        """SIGTERM, SIGHUP and SIGCONT, which prompt_toolkit ignores."""
        if sys.platform == "win32":  # no such signals are delivered there
            return
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGHUP, signal.SIGCONT) as signals:
            async for number in signals:
                caught(int(number))


_leave: Final[ContextVar[Leave | None]] = ContextVar("leave", default=None)


class SharedProcess:
    """One screen of many: its context says whose callback has failed.

    Whoever runs the loop sets `failed` as its exception handler.
    """

    alone = False

    @contextmanager
    def failures(self, leave: Leave) -> Iterator[None]:
        """What is started from here on, in this context, is this screen's."""
        token = _leave.set(leave)
        try:
            yield
        finally:
            _leave.reset(token)

    async def signals(self, caught: Callable[[int], None]) -> None:
        """They are not for us."""


def failed(context: dict[str, Any]) -> BaseException | None:
    """Ends the screen whose callback has failed. If it is nobody's, returns what was raised.

    The handler of a loop runs in the context of the callback from Python 3.12 on, and when
    prompt_toolkit calls it; else the handle knows the context.
    """
    leave = _leave.get()
    if leave is None and (handle := context.get("handle")) is not None:
        leave = getattr(handle, "_context", {}).get(_leave)
    failure = _failure(context)
    if leave is None:
        return failure
    leave(failure)
    return None


def _failure(context: dict[str, Any]) -> BaseException:
    return context.get("exception") or RuntimeError(context.get("message"))
