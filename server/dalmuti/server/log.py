"""The server's log on standard error: readable lines, or JSON lines on request.

Cards of a live hand, tokens, passwords and seeds never come here (rules.md I4): there is no call
that takes a message of the protocol or a state of the game, only named numbers, codes and names.
A traceback shows source lines and no values.
"""

from __future__ import annotations

import json
import sys
import traceback
from datetime import UTC, datetime
from typing import Literal, TextIO

from dalmuti.protocol.text import safe_text

LogFormat = Literal["text", "json"]
Value = str | int | float | bool | list[str] | None


class Log:
    """Writes one line an event, with the ids it is bound to."""

    def __init__(
        self, form: LogFormat = "text", stream: TextIO | None = None, **bound: Value
    ) -> None:
        self._form, self._stream, self._bound = form, stream, bound

    def bind(self, **ids: Value) -> Log:
        """A log that adds these ids to every line."""
        return Log(self._form, self._stream, **{**self._bound, **ids})

    def info(self, event: str, **values: Value) -> None:
        """Something that happens every day."""
        self._write("info", event, values)

    def warning(self, event: str, **values: Value) -> None:
        """Something that whoever runs the server may want to look at."""
        self._write("warning", event, values)

    def crash(self, event: str) -> None:
        """A bug: the exception that is being handled, by its type and its places in the code."""
        kind, error, trace = sys.exc_info()
        places = [
            f"{frame.filename.rpartition('/dalmuti/')[2]}:{frame.lineno} in {frame.name}"
            for frame in traceback.extract_tb(trace)
        ]
        if isinstance(error, BaseExceptionGroup):
            places += [f"from {type(each).__name__}" for each in error.exceptions]
        self._write("error", event, {"error": kind.__name__ if kind else "", "at": places})

    def _write(self, level: str, event: str, values: dict[str, Value]) -> None:
        fields = {**self._bound, **values}
        moment = datetime.now(UTC)
        if self._form == "json":
            stamp = moment.isoformat(timespec="milliseconds")
            line = json.dumps({"ts": stamp, "level": level, "event": event, **fields})
        else:
            words = [f"{moment:%Y-%m-%d %H:%M:%S} {event.replace('_', ' ')}"]
            words += [f"{key}={_text(value)}" for key, value in fields.items() if value is not None]
            line = "  ".join(words)
        try:
            print(line, file=self._stream or sys.stderr, flush=True)
        except (OSError, ValueError):
            return  # nobody reads the log any more; the games go on


def _text(value: Value) -> str:
    if isinstance(value, list):
        return "; ".join(safe_text(item) for item in value)
    return safe_text(str(value))
