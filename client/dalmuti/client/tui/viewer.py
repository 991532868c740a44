"""`dalmuti replay` on the full screen: the skin of play with another mind.

The session says nothing, so that mouse, resizing, signals and all ways out are those of play.
Chatting is the one thing that it has no use for. The mind of play that `Screen` makes for itself
is thrown away, which costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio
from prompt_toolkit.input import Input as TerminalInput
from prompt_toolkit.output import Output

from dalmuti.client.model import Input
from dalmuti.client.replay.cursor import Cursor
from dalmuti.client.session import Ended
from dalmuti.client.tui.app import HANGUP, Screen
from dalmuti.client.tui.canvas import Line
from dalmuti.client.tui.control import Options
from dalmuti.client.tui.rewind import ReplayControl
from dalmuti.protocol.messages import Request


class Silence:
    """A session with nobody: it is there until it is closed."""

    def __init__(self) -> None:
        self._over = anyio.Event()

    def request(self, message_type: type[Request], **fields: Any) -> int:
        return 0

    def close(self, leave: bool = True, ended: Ended | None = None) -> None:
        self._over.set()

    async def run(self, on_message: Any) -> Ended:
        await self._over.wait()
        return Ended("left")


class ReplayScreen(Screen):
    """The full screen with a cursor in the place of a session."""

    control: ReplayControl

    def __init__(
        self,
        cursor: Cursor,
        options: Options,
        deals: Mapping[int, bool],
        *,
        input: TerminalInput | None = None,
        output: Output | None = None,
    ) -> None:
        super().__init__(Silence(), None, options, input=input, output=output)
        self.control = ReplayControl(cursor, self.options, self._quit, deals)

    def lines(self, cols: int, rows: int) -> list[Line]:
        return self.control.lines(cols, rows, self.now)

    def _shows_result(self) -> bool:
        return False  # or a key would show the hand again that is shown already

    def hear(self, message: Input) -> None:
        """Nobody says anything here."""

    def open_chat(self, text: str = "") -> None:
        """There is nobody to talk to: the key is one that does nothing."""
        self.press(text or "t")


async def run_replay(
    cursor: Cursor,
    options: Options,
    deals: Mapping[int, bool],
    *,
    input: TerminalInput | None = None,
    output: Output | None = None,
) -> int:
    """Steps through a record until the person leaves. Returns the exit code."""
    screen = ReplayScreen(cursor, options, deals, input=input, output=output)
    await screen.run()
    if screen.caught is not None:
        return 128 + screen.caught
    return HANGUP if screen.gone else 0
