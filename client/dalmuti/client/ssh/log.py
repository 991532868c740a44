"""The gateway's log: a line for whoever runs it each time somebody comes, leaves, or is refused.

It is in English, on standard error or in a bounded file. What strangers sent is cleaned here, so
that no name writes lines of its own or moves the cursor of whoever reads them.
"""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Final

from dalmuti.protocol.text import cut, safe_text

FILE_BYTES, FILES = 1 << 20, 3
SELDOM_SECONDS: Final = 60.0
"""Of what strangers do there is one line of a kind and address in this time, with a count."""
REMEMBERED: Final = 1024
WIDEST: Final = 60
"""Cells of a value that a guest chose."""


def to(file: Path | None) -> logging.Logger:
    """The logger, writing there. Raises OSError."""
    handler: logging.Handler = logging.StreamHandler()
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handler = RotatingFileHandler(
            file, maxBytes=FILE_BYTES, backupCount=FILES - 1, encoding="utf-8"
        )
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%Y-%m-%d %H:%M:%S"))
    logger = logging.getLogger("dalmuti.ssh")
    logger.handlers = [handler]
    logger.setLevel(logging.INFO)
    logger.propagate = False
    return logger


class Log:
    """Lines of an event and its values."""

    def __init__(self, logger: logging.Logger, clock: Callable[[], float] = time.monotonic) -> None:
        self._logger, self._clock = logger, clock
        self._seldom: dict[tuple[str, str], tuple[float, int]] = {}

    def event(self, event: str, **values: object) -> None:
        """A line."""
        self._logger.info("%s", _line(event, values))

    def seldom(self, event: str, address: str, **values: object) -> None:
        """A line about something that somebody can do a thousand times a second."""
        now, key = self._clock(), (event, address)
        last, times = self._seldom.pop(key, (now - 2 * SELDOM_SECONDS, 0))
        if now - last < SELDOM_SECONDS:
            self._seldom[key] = last, times + 1
            return
        while len(self._seldom) >= REMEMBERED:
            del self._seldom[next(iter(self._seldom))]
        self._seldom[key] = now, 0
        self.event(event, address=address, **values, more_since=times or None)

    def bug(self, event: str, error: BaseException, **values: object) -> None:
        """A line, and the traceback below it: here, and nowhere that a guest reads."""
        trace = "".join(traceback.format_exception(error)).splitlines()
        lines = [_line(event, values), *(f"  {safe_text(line)}" for line in trace)]
        self._logger.error("%s", "\n".join(lines))


def _line(event: str, values: dict[str, object]) -> str:
    words = [f"{name}={_value(value)}" for name, value in values.items() if value is not None]
    return "  ".join([event, *words])


def _value(value: object) -> str:
    text = cut(safe_text(str(value)), WIDEST)
    return text if text and text.isprintable() and not set(text) & set(' "=') else repr(text)
