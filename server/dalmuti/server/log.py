"""The server's log: readable lines, or JSON lines on request, on standard error or in a file.

Cards of a live hand, tokens, passwords and seeds never come here (rules.md I4): there is no call
that takes a message of the protocol or a state of the game, only named numbers, codes and names.
A traceback shows source lines and no values. A file is bounded: when it is full it becomes
`NAME.1`, the one before `NAME.2`, and the oldest goes (server.md I-92).
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal, TextIO

from dalmuti.protocol.text import safe_text

LogFormat = Literal["text", "json"]
Level = Literal["debug", "info", "warning", "error"]
LEVELS: Final[tuple[Level, ...]] = ("debug", "info", "warning", "error")
Value = str | int | float | bool | list[str] | None


class LogFile:
    """A file that never grows beyond `most_bytes`, and its predecessors, `files` in all."""

    def __init__(self, path: Path, most_bytes: int, files: int) -> None:
        """Opens it for appending. Raises OSError."""
        self.path, self._most, self._files = path, most_bytes, files
        self._open()

    def _open(self) -> None:
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self._file = os.fdopen(descriptor, "a", encoding="utf-8", newline="\n")
        self._size = os.fstat(descriptor).st_size

    def write(self, line: str) -> None:
        """Adds a line, in a new file if this one is full. Raises OSError."""
        size = len(line.encode()) + 1
        if self._size and self._size + size > self._most:
            self._rotate()
        print(line, file=self._file, flush=True)
        self._size += size

    def _rotate(self) -> None:
        self._file.close()
        names = [self.path, *(Path(f"{self.path}.{n}") for n in range(1, self._files))]
        for older, newer in zip(names[:0:-1], names[-2::-1], strict=True):
            with suppress(FileNotFoundError):
                os.replace(newer, older)
        if self._files == 1:
            self.path.unlink(missing_ok=True)
        self._open()

    def reopen(self) -> None:
        """Begins the file anew under its name, which another program may have moved away."""
        self._file.close()
        self._open()

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


class Sink:
    """Where the lines of a log and of all that are bound to it go, and how they look."""

    def __init__(
        self,
        form: LogFormat,
        stream: TextIO | None = None,
        *,
        level: Level = "info",
        file: LogFile | None = None,
    ) -> None:
        self.level: Level = level
        """What is less than this is not written; may be set at any time."""
        self.file = file
        self._form, self._stream = form, stream

    def wants(self, level: Level) -> bool:
        """Whether lines of this level are written."""
        return LEVELS.index(level) >= LEVELS.index(self.level)

    def write(self, level: Level, event: str, fields: dict[str, Value]) -> None:
        """One line. Where it cannot be written the games go on without it."""
        moment = datetime.now(UTC)
        if self._form == "json":
            stamp = moment.isoformat(timespec="milliseconds")
            line = json.dumps({"ts": stamp, "level": level, "event": event, **fields})
        else:
            words = [f"{moment:%Y-%m-%d %H:%M:%S} {event.replace('_', ' ')}"]
            words += [f"{key}={_text(value)}" for key, value in fields.items() if value is not None]
            line = "  ".join(words)
        try:
            if self.file is not None:
                self.file.write(line)
            else:
                print(line, file=self._stream or sys.stderr, flush=True)
        except (OSError, ValueError):
            return


class Log:
    """Writes one line an event, with the ids it is bound to."""

    def __init__(
        self,
        form: LogFormat = "text",
        stream: TextIO | None = None,
        *,
        sink: Sink | None = None,
        **bound: Value,
    ) -> None:
        self.sink = sink or Sink(form, stream)
        self._bound = bound

    def bind(self, **ids: Value) -> Log:
        """A log that adds these ids to every line."""
        bound = Log(sink=self.sink)
        bound._bound = {**self._bound, **ids}
        return bound

    def debug(self, event: str, **values: Value) -> None:
        """Something that only helps to find out what goes wrong."""
        if self.sink.level == "debug":  # nothing is less, and this is called for every play
            self._write("debug", event, values)

    def info(self, event: str, **values: Value) -> None:
        """Something that happens every day."""
        self._write("info", event, values)

    def warning(self, event: str, **values: Value) -> None:
        """Something that whoever runs the server may want to look at."""
        self._write("warning", event, values)

    def audit(self, event: str, **values: Value) -> None:
        """Something that is written whatever the level is."""
        self.sink.write("info", event, {**self._bound, **values})

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

    def _write(self, level: Level, event: str, values: dict[str, Value]) -> None:
        if self.sink.wants(level):
            self.sink.write(level, event, {**self._bound, **values})


def _text(value: Value) -> str:
    if isinstance(value, list):
        return "; ".join(safe_text(item) for item in value)
    return safe_text(str(value))
