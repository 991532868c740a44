"""The bell, and the title of the window: how a player hears that it is his turn.

The title is the terminal's, not ours. Before the first one the terminal is asked to put its own
aside (xterm's stack of titles, which others ignore), and at the end to take it back; where there is
no such stack the title is left empty, which is what shells expect. prompt_toolkit cannot do that,
so these two fixed sequences are written as they are.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from prompt_toolkit.output import Output
from prompt_toolkit.output.vt100 import Vt100_Output

PUT_ASIDE: Final = "\x1b[22;2t"
TAKE_BACK: Final = "\x1b[23;2t"
NO_TITLE_IN: Final = frozenset({"linux", "eterm-color", "dumb", "unknown"})
"""Values of TERM for terminals without a title."""


class Attention:
    """What is done to one terminal beside the screen. A terminal that is gone is no error here:
    whoever draws the screen meets that as well, and ends it in order."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._titled = getattr(output, "term", "") not in NO_TITLE_IN
        self._stack = isinstance(output, Vt100_Output)
        self._title = ""

    def ring(self) -> None:
        """Rings the bell of the terminal."""
        with suppress(OSError):
            self._output.bell()
            self._output.flush()

    def title(self, text: str) -> None:
        """Sets the title of the window; an empty one gives back what stood there before."""
        if not self._titled or text == self._title:
            return
        with suppress(OSError):
            if not self._title and self._stack:
                self._output.write_raw(PUT_ASIDE)
            if text:
                self._output.set_title(text)
            else:
                self._output.clear_title()
                if self._stack:
                    self._output.write_raw(TAKE_BACK)
            self._title = text
            self._output.flush()

    def close(self) -> None:
        """Gives the title back, for good."""
        self.title("")
        self._titled = False
