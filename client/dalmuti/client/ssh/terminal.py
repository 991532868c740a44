"""A guest's terminal: keys that come by a channel, frames that go to one, and what it can show.

The input has no pipe: prompt_toolkit's own would need two descriptors a guest, and blocks the whole
process when somebody pastes more than a pipe holds. What a guest sends is bounded here, in bytes
and in what the parser of prompt_toolkit keeps of it, which has no bounds of its own.
"""

from __future__ import annotations

import asyncio
import contextvars
import io
import re
import time
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from itertools import count
from typing import Final, TextIO, cast

from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import Input
from prompt_toolkit.input import vt100_parser as parsing
from prompt_toolkit.input.typeahead import clear_typeahead
from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output

from dalmuti.client.i18n import language_of
from dalmuti.protocol.text import width

INPUT_BURST: Final = 4096
"""Characters that a guest may send at once, as in a paste."""
INPUT_PER_SECOND: Final = 2048.0
"""Characters a second after that."""
QUIET_SECONDS: Final = 0.3
"""A flood is over when nothing has come for so long. Its end is not taken for keys."""
SLICE: Final = 64
"""Characters that are taken at a time, so that the other guests get their turn in between."""
SHARE: Final = 4.0
"""A guest's next keys, and his next frame, wait this many times what the last ones took: that is
his share of the processor, whatever he presses and however large his window is."""
LONGEST_KEY: Final = 32
"""Characters of one key; nothing that a terminal sends for one is longer."""
REMEMBERED_PREFIXES: Final = 4096
"""What the parser remembers of beginnings of keys, for all guests."""
SMALLEST, USUAL, LARGEST = (1, 1), (80, 24), (250, 80)
"""Columns and rows."""
USUAL_TERM: Final = "xterm-256color"


class GuestInput(Input):
    """The keys of one guest.

    Once more comes than may come, or a key or a paste has no end, everything is dropped until it
    has been quiet for a moment: the rest of a paste would be taken for moves.
    """

    _numbers = count(1)

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._number = next(self._numbers)
        self._closed = False
        self._keys: list[KeyPress] = []
        self._parser = parsing.Vt100Parser(self._key)
        self._unfinished = 0
        """Characters since the last whole key."""
        self._waiting = ""
        self._ready: Callable[[], None] | None = None
        self._context = contextvars.copy_context()
        self._tokens, self._counted_at = float(INPUT_BURST), clock()
        self._deaf_until = 0.0

    def receive(self, text: str) -> bool:
        """Takes what the guest has sent. False if it was too much, and was dropped."""
        now = self._clock()
        self._tokens += (now - self._counted_at) * INPUT_PER_SECOND
        self._tokens, self._counted_at = min(self._tokens, INPUT_BURST), now
        room = min(self._tokens, INPUT_BURST - len(self._waiting))
        if now < self._deaf_until or len(text) > room:
            self._drop()
            return False
        self._tokens -= len(text)
        if not self._waiting:
            self._soon(self._pump)
        self._waiting += text
        return True

    def _soon(self, callback: Callable[[], None], delay: float = 0.0) -> None:
        """What fails in there is the guest's own failure, not the connection's."""
        asyncio.get_running_loop().call_later(delay, callback, context=self._context)

    def _pump(self) -> None:
        began = time.thread_time()
        text, self._waiting = self._waiting[:SLICE], self._waiting[SLICE:]
        for char in text:
            self._unfinished += 1
            self._parser.feed(char)
            most = INPUT_BURST if self._parser._in_bracketed_paste else LONGEST_KEY
            if self._unfinished > most:
                self._drop()
                break
        if len(parsing._IS_PREFIX_OF_LONGER_MATCH_CACHE) > REMEMBERED_PREFIXES:
            parsing._IS_PREFIX_OF_LONGER_MATCH_CACHE.clear()
        if self._ready is not None:
            self._ready()
        if self._waiting:
            self._soon(self._pump, SHARE * (time.thread_time() - began))

    def _key(self, key: KeyPress) -> None:
        self._unfinished = 0
        self._keys.append(key)

    def _drop(self) -> None:
        """Forgets what waits, and half a key or half a paste; deaf until it has been quiet."""
        self._deaf_until = self._clock() + QUIET_SECONDS
        self._waiting = ""
        self._parser.reset()
        self._unfinished = 0

    def close(self) -> None:
        """No more keys: the screen ends as it does when a terminal is gone."""
        self._closed = True
        if self._ready is not None:
            self._soon(self._ready)

    # -- what prompt_toolkit asks ---------------------------------------------------------------

    @property
    def closed(self) -> bool:
        return self._closed

    def read_keys(self) -> list[KeyPress]:
        keys, self._keys = self._keys, []
        return keys

    def flush_keys(self) -> list[KeyPress]:
        self._parser.flush()
        return self.read_keys()

    @contextmanager
    def _heard_by(self, ready: Callable[[], None] | None) -> Iterator[None]:
        before = self._ready, self._context
        self._ready, self._context = ready, contextvars.copy_context()
        if ready is not None and (self._closed or self._keys):
            self._soon(ready)
        try:
            yield
        finally:
            self._ready, self._context = before
            clear_typeahead(self)  # else it would stay, for nobody

    def attach(self, input_ready_callback: Callable[[], None]) -> AbstractContextManager[None]:
        return self._heard_by(input_ready_callback)

    def detach(self) -> AbstractContextManager[None]:
        return self._heard_by(None)

    def raw_mode(self) -> AbstractContextManager[None]:
        return nullcontext()

    def cooked_mode(self) -> AbstractContextManager[None]:
        return nullcontext()

    def typeahead_hash(self) -> str:
        return f"guest-{self._number}"

    def fileno(self) -> int:
        raise io.UnsupportedOperation("a guest's keys come by no file")


class _Glass(io.TextIOBase):
    """What `Vt100_Output` takes for its file: each write is one whole frame."""

    encoding = "utf-8"

    def __init__(self, send: Callable[[str], None], ascii: bool) -> None:
        self._send, self._ascii = send, ascii

    def isatty(self) -> bool:
        return True

    def write(self, data: str) -> int:
        if self._ascii and not data.isascii():
            data = "".join(map(_in_ascii, data))
        self._send(data.replace("\r\n", "\n").replace("\n", "\r\n"))
        return len(data)


@lru_cache(maxsize=4096)
def _in_ascii(char: str) -> str:
    """A character for terminals that know no others: without its accent, or `?`, and as wide."""
    if char.isascii():
        return char
    base = unicodedata.normalize("NFKD", char)[0]
    return base if base.isascii() and width(char) == 1 else "?" * width(char)


def guest_output(
    send: Callable[[str], None],
    size: Callable[[], Size],
    term: str,
    wishes: Wishes,
) -> Vt100_Output:
    """The output of one guest; `send` gets whole frames, and may drop them."""
    return Vt100_Output(
        cast(TextIO, _Glass(send, wishes.ascii)),
        size,
        term=term,
        default_color_depth=ColorDepth.DEPTH_1_BIT if wishes.no_color else None,
        enable_cpr=False,
    )


def clamped(columns: int, rows: int) -> Size:
    """The size of a screen as a guest says it, within bounds; 0 is a client that does not know."""
    return Size(
        columns=min(columns, LARGEST[0]) if columns > 0 else USUAL[0],
        rows=min(rows, LARGEST[1]) if rows > 0 else USUAL[1],
    )


def clean_term(term: str) -> str | None:
    """TERM as a guest says it. None if his terminal can draw no screens."""
    if term in ("", "dumb", "unknown"):
        return None
    return term if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.+_-]{0,31}", term) else USUAL_TERM


class Wishes:
    """What a guest's environment says: his language, and what his terminal can show."""

    TAKEN: Final = ("NO_COLOR", "LANG", "LC_ALL")
    """All that is taken of what a guest's client sends."""

    def __init__(self, sent: Mapping[str, str], language: str = "en") -> None:
        """`language` is for those who say nothing about theirs."""
        sent = {name: sent[name][:64] for name in self.TAKEN if sent.get(name)}
        locale = sent.get("LC_ALL") or sent.get("LANG") or ""
        self.no_color = "NO_COLOR" in sent
        self.ascii = bool(locale) and not re.search(r"\.utf-?8\b", locale, re.IGNORECASE)
        nothing = locale.partition(".")[0] in ("", "C", "POSIX")
        self.language = language if nothing else language_of(sent)


class TakenOnly(dict[bytes, bytes]):
    """An environment that keeps what is taken of it and nothing else, however much is sent."""

    def __setitem__(self, name: bytes, value: bytes) -> None:
        if name in (each.encode() for each in Wishes.TAKEN):
            super().__setitem__(name, value[:64])
