"""Listeners at which one thing is asked and answered: the figures, and the commands of the admin.

A few are served at a time, each for a moment. What is wrong with a connection ends with it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

import trio

from dalmuti.server.log import Log

AT_ONCE: Final = 8
"""Who comes when so many are served is hung up on."""


class Brief:
    """Connections of one question each."""

    def __init__(
        self,
        answer: Callable[[trio.SocketStream], Awaitable[bytes]],
        seconds: float,
        log: Log,
        crash: str,
    ) -> None:
        """`answer` reads the question, and has `seconds` for all; `crash` is what a bug in it is
        called in the log."""
        self._answer, self._seconds, self._log, self._crash = answer, seconds, log, crash
        self._open = 0

    async def serve(self, stream: trio.SocketStream) -> None:
        """One question and its answer."""
        self._open += 1
        try:
            if self._open <= AT_ONCE:
                with trio.move_on_after(self._seconds):
                    await stream.send_all(await self._answer(stream))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        except Exception:
            self._log.crash(self._crash)
        finally:
            self._open -= 1
            await trio.aclose_forcefully(stream)
