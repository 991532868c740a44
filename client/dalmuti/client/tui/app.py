"""The thin skin: prompt_toolkit around `control` and `screens`, a session beside it.

The whole screen is one text control, since every further one costs a layout; the chat line is a
buffer that floats over it. There is one way out, `_leave`: `run_async` is never cancelled from
outside, because its clean-up awaits. The terminal is given back at once, and only then the session
gets a moment to say goodbye.

An exception in a key binding, a renderer or a callback does not end `run_async` by itself; asyncio
would print it over the screen and go on. So the loop's exceptions are ours while we run (`process`,
which also says what else of the process is ours: a gateway has many screens in one).
"""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Protocol

import anyio
from msgspec.structs import replace
from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input as TerminalInput
from prompt_toolkit.layout import (
    BufferControl,
    ConditionalContainer,
    Float,
    FloatContainer,
    FormattedTextControl,
    Layout,
    Window,
)
from prompt_toolkit.mouse_events import MouseEvent, MouseEventType
from prompt_toolkit.output import Output
from prompt_toolkit.styles import DynamicStyle

from dalmuti.client import out, words
from dalmuti.client.advice import Advise
from dalmuti.client.i18n import tr
from dalmuti.client.model import Input, reduce
from dalmuti.client.replay.own import OwnHand
from dalmuti.client.session import Ended
from dalmuti.client.steward import Steward
from dalmuti.client.tui import labels
from dalmuti.client.tui.attention import Attention
from dalmuti.client.tui.canvas import Line
from dalmuti.client.tui.commands import completions, offered, say
from dalmuti.client.tui.control import Control, Options
from dalmuti.client.tui.keys import bindings
from dalmuti.client.tui.process import OwnProcess, Process
from dalmuti.client.tui.screens import render, scrolled, too_small
from dalmuti.client.tui.state import scene_of
from dalmuti.client.tui.style import style_of
from dalmuti.client.words import rewindtexts
from dalmuti.protocol.messages import MAX_CHAT, Request

if TYPE_CHECKING:
    from dalmuti.client.tui.rewind import ReplayControl

REDRAW_SECONDS: Final = 0.05
"""Messages that come closer together than this are drawn at once."""
GOODBYE_SECONDS: Final = 2.5
"""How long the session may take to end after the screen has."""
GONE: Final = frozenset({errno.EIO, errno.EPIPE, errno.EBADF, errno.ENXIO})
"""What writing to a terminal says that is not there any more."""
UNDO_STEPS: Final = 100
"""How much of what was typed into the chat line can be taken back."""
TURNED_ON: Final = 8
"""By how many names Tab turns a list of commands on, where it completes nothing."""
HANGUP: Final = 129
"""The exit code when the terminal is gone, as after SIGHUP."""


class Talking(Protocol):
    """What the screen needs of a session (`client.session.Session`)."""

    def request(self, message_type: type[Request], **fields: Any) -> int:
        """Sends a request; never blocks."""

    def close(self, leave: bool = True, ended: Ended | None = None) -> None:
        """Ends the session."""

    async def run(self, on_message: Callable[[Any], None]) -> Ended:
        """Runs it."""


class ChatBuffer(Buffer):
    """One line that grows no longer than a chat message may be, and forgets old undo steps.

    Whatever key changes the text comes through `_set_text`: yanking inserts without `insert_text`.
    """

    def insert_text(self, data: str, *args: Any, **kwargs: Any) -> None:
        room = max(0, MAX_CHAT - len(self.text))
        if data[:room]:
            super().insert_text(data[:room], *args, **kwargs)

    def _set_text(self, value: str) -> bool:
        return super()._set_text(value[:MAX_CHAT])

    def _set_cursor_position(self, value: int) -> bool:
        return super()._set_cursor_position(min(value, len(self.text)))

    def save_to_undo_stack(self, clear_redo_stack: bool = True) -> None:
        super().save_to_undo_stack(clear_redo_stack)
        del self._undo_stack[:-UNDO_STEPS]


class Screen:
    """The full-screen client for one session.

    `input`, `output` and `process` are for tests, and for gateways, where they are a guest's.
    """

    def __init__(
        self,
        session: Talking,
        steward: Steward | None = None,
        options: Options | None = None,
        advise: Advise | None = None,
        *,
        input: TerminalInput | None = None,
        output: Output | None = None,
        process: Process | None = None,
    ) -> None:
        self.session = session
        self.process = process or OwnProcess()
        self.options = options or Options()
        self.control = Control(
            self.options,
            steward or Steward(),
            session.request,
            self._quit,
            self.open_chat,
            lambda: self._attention.ring(),
            advise=advise,
        )
        self.caught: int | None = None
        """The signal that ended us."""
        self.gone = False
        """The terminal is not there any more: nothing can be said."""
        self._ended = Ended("left")
        self._session_over = anyio.Event()
        self._tick: asyncio.TimerHandle | None = None
        self._handlers: dict[str, Callable[[MouseEvent], object]] = {}
        self._own_hand = OwnHand()
        self.rewind: ReplayControl | None = None
        """While the hand just played is shown again: what keys and clicks go to."""
        self._chat = ChatBuffer(multiline=False, on_text_changed=lambda _: self._offer())
        self._body = Window(
            FormattedTextControl(self._text, focusable=True, show_cursor=self.options.cursor),
            wrap_lines=False,
        )
        self.app: Application[Any] = Application(
            layout=Layout(self._layout(), focused_element=self._body),
            key_bindings=bindings(self),
            style=DynamicStyle(lambda: style_of(self.control.ui.theme)),
            full_screen=True,
            mouse_support=Condition(lambda: self.control.ui.mouse),
            min_redraw_interval=REDRAW_SECONDS,
            input=input,
            output=output,
        )
        self._attention = Attention(self.app.output)
        self.app.ttimeoutlen = 0.05  # Esc alone is known after 50 ms, not after half a second

    def _layout(self) -> FloatContainer:
        chat = ConditionalContainer(
            Window(BufferControl(self._chat), height=1), Condition(lambda: self.chatting)
        )
        left = len(labels.CHAT_PROMPT)
        return FloatContainer(self._body, [Float(chat, left=left, right=0, bottom=1, height=1)])

    # -- running -------------------------------------------------------------------------------

    async def run(self) -> Ended:
        """Runs session and screen until one of them ends.

        A bug anywhere, in a key binding, a screen or the session, ends both and is raised.
        """
        failure: BaseException | None = None
        with self.process.failures(self._leave):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._talk)
                tasks.start_soon(self.process.signals, self._caught)
                try:
                    await self.app.run_async(
                        set_exception_handler=False, handle_sigint=self.process.alone
                    )
                except EOFError:
                    self.gone = True
                except OSError as error:
                    self.gone = error.errno in GONE
                    failure = None if self.gone else error
                except Exception as error:
                    failure = error
                self._attention.close()
                self.session.close(leave=False)  # unless it is over, or we are leaving already
                if self._tick is not None:
                    self._tick.cancel()
                with anyio.move_on_after(GOODBYE_SECONDS):
                    await self._session_over.wait()
                tasks.cancel_scope.cancel()
        if failure is not None:
            raise failure
        return self._ended

    async def _talk(self) -> None:
        try:
            self._ended = await self.session.run(self.hear)
        except Exception as error:
            self._leave(error)
        else:
            self._leave()
        finally:
            self._session_over.set()

    def _caught(self, number: int) -> None:
        if number == getattr(signal, "SIGCONT", None):
            self._woken()
            return
        self.caught = number
        self.session.close(leave=False)
        self._leave()

    def _woken(self) -> None:
        """After a stop that may not have been ours (`kill -STOP`) a shell had the terminal.

        We take it again as a screen needs it, unless we are in the background: there the shell has
        it still. A terminal that is closed wakes us too, after SIGHUP, and is not there any more.
        The mode is not left here but with the screen, which knows how it was before.
        """
        if sys.platform == "win32":  # no program is stopped there
            return
        with suppress(OSError):
            foreground = os.tcgetpgrp(self.app.input.fileno()) == os.getpgrp()
            if foreground and self.app.is_running and not self.app.is_done:
                self.app.input.raw_mode().__enter__()
                self.repaint()

    def _leave(self, failure: BaseException | None = None) -> None:
        """The only way out."""
        if not self.app.is_running or self.app.is_done:
            return
        if failure is not None:
            self.app.exit(exception=failure)
        else:
            self.app.exit()

    def _quit(self, leave: bool) -> None:
        """Ends it all; the seat is given up, or held for whoever comes back."""
        self.session.close(leave=leave)
        self._leave()

    # -- what comes in -------------------------------------------------------------------------

    @property
    def now(self) -> float:
        """The clock of everything here, which is the session's too."""
        return asyncio.get_running_loop().time()

    def hear(self, message: Input) -> None:
        """A message from the session."""
        before = self.control.model.table
        self.control.update(reduce(self.control.model, message, self.now), self.now)
        self._own_hand.hear(before, message)
        if self.rewind is not None and not self._shows_result():
            self.rewind = None
        self._changed()

    def _changed(self) -> None:
        """Draws again soon, and once more when a clock on the screen goes on."""
        self.app.invalidate()
        self._attention.title(self.control.title)
        delays = [each.next_tick(self.now) for each in (self.control, self.mind)]
        delay = min((each for each in delays if each is not None), default=None)
        if delay is not None and self._tick is None:
            self._tick = asyncio.get_running_loop().call_later(delay, self._ticked)

    def _ticked(self) -> None:
        self._tick = None
        self.control.tick(self.now)
        if self.rewind is not None:
            self.rewind.tick(self.now)
        self._changed()

    # -- the hand just played, once more -------------------------------------------------------

    @property
    def mind(self) -> Control:
        """What keys and clicks go to now."""
        return self.rewind or self.control

    def _shows_result(self) -> bool:
        model, ui = self.control.model, self.control.ui
        return not ui.overlay and model.link.state != "lost" and scene_of(model, ui) == "result"

    def _show_hand_again(self) -> None:
        # Only here, since it would be a tenth of all that is imported before the first screen.
        from dalmuti.client.replay.cursor import Cursor
        from dalmuti.client.tui.rewind import ReplayControl

        tape, ui = self._own_hand.tape(), self.control.ui
        if tape is None:
            ui.hint = tr(rewindtexts.NOTHING_KEPT)
            return
        options = replace(self.options, ascii=ui.ascii, theme=ui.theme, mouse=ui.mouse)
        cursor = Cursor.at_start(tape, tape.you)
        verified = self.control.model.verified
        self.rewind = ReplayControl(cursor, options, lambda leave: self._stop_rewind(), verified)

    def _stop_rewind(self) -> None:
        self.rewind = None

    def _same_look(self) -> None:
        """Colours that are chosen while a hand is shown again stay."""
        if self.rewind is not None:
            ui, chosen = self.control.ui, self.rewind.ui
            ui.theme, ui.ascii, ui.mouse = chosen.theme, chosen.ascii, chosen.mouse

    # -- keys (see `keys`) ---------------------------------------------------------------------

    @property
    def chatting(self) -> bool:
        return self.control.ui.chatting

    def _too_small(self) -> bool:
        size = self.app.output.get_size()
        return too_small(size.columns, size.rows)

    def press(self, key: str) -> None:
        if not self._too_small():
            self._press(key)
            self._stop_at_the_end()
            self._changed()

    def _press(self, key: str) -> None:
        if key == "r" and self.rewind is None and self._shows_result():
            self._show_hand_again()
        else:
            self.mind.press(key, self.now)
        self._same_look()

    def _stop_at_the_end(self) -> None:
        """The log is scrolled no further than it goes, or the way back would begin with nothing."""
        mind, size = self.mind, self.app.output.get_size()
        if mind.ui.log_back:
            shown = scrolled(mind.model, mind.ui, size.columns, size.rows, self.now)
            mind.ui.log_back = shown

    def open_chat(self, text: str = "") -> None:
        if self._too_small():
            return
        self.rewind = None
        self.control.ui.chatting = True
        self.control.ui.overlay = ""
        self._chat.text = text
        self._chat.cursor_position = len(text)
        self.app.layout.focus(self._chat)

    def _offer(self) -> None:
        """What the command in the chat line may become stands in the place of the keys."""
        self.control.ui.offered = offered(self.control, self._chat.text)

    def close_chat(self) -> None:
        self.control.ui.chatting = False
        self._chat.reset()
        self.app.layout.focus(self._body)

    def send_chat(self) -> None:
        text = self._chat.text
        self.close_chat()
        self.control.ui.hint = ""
        say(self.control, text, self.now)
        self._changed()

    def complete(self) -> None:
        """Completes a command as far as it is certain; a line that is no command is left alone.

        Where nothing more is certain, the list of what it may become is turned on a little: what
        had no room comes into sight.
        """
        text = self._chat.text
        found = completions(self.control, text)
        if not text:
            self.close_chat()
        elif found and _common(found) != text:
            self._chat.text = _common(found)
            self._chat.cursor_position = len(self._chat.text)
        elif len(found) > TURNED_ON:
            there = self.control.ui.offered
            self.control.ui.offered = there[TURNED_ON:] + there[:TURNED_ON]

    def interrupt(self) -> None:
        """Ctrl-C: the seat is kept. The screen ends at once; a second one ends the goodbye too."""
        self._quit(False)

    def suspend(self) -> None:
        """Ctrl-Z, where it suspends only us: the shell gets its terminal as it was, until `fg`."""
        if self.process.alone:
            self._attention.title("")
            self.app.suspend_to_background()

    def repaint(self) -> None:
        self.app.renderer.clear()
        self.app.invalidate()

    # -- what goes out -------------------------------------------------------------------------

    def _text(self) -> StyleAndTextTuples:
        size = self.app.output.get_size()
        fragments: StyleAndTextTuples = []
        for number, spans in enumerate(self.lines(size.columns, size.rows)):
            if number:
                fragments.append(("", "\n"))
            self._add_line(fragments, spans)
        return fragments

    def lines(self, cols: int, rows: int) -> list[Line]:
        """What is to be seen now."""
        if self.rewind is not None:
            return self.rewind.lines(cols, rows, self.now)
        return render(self.control.model, self.control.ui, cols, rows, self.now)

    def _add_line(self, fragments: StyleAndTextTuples, spans: Line) -> None:
        for part in spans:
            if part.style == "sel" and self.options.cursor:
                fragments.append(("[SetCursorPosition]", ""))
            style = f"class:{part.style}" if part.style else ""
            fragments.append((style, part.text, self._handler(part.target)))

    def _handler(self, target: str) -> Callable[[MouseEvent], object]:
        """What the mouse does there; one function for each target, since frames are many."""
        if target not in self._handlers:

            def handle(event: MouseEvent) -> object:
                if event.event_type is MouseEventType.MOUSE_UP and target and not self._too_small():
                    self.mind.click(target, self.now)
                    self._same_look()
                elif event.event_type is MouseEventType.SCROLL_UP:
                    self.mind.wheel(True)
                elif event.event_type is MouseEventType.SCROLL_DOWN:
                    self.mind.wheel(False)
                else:
                    return NotImplemented
                self._stop_at_the_end()
                self._changed()
                return None

            if len(self._handlers) > 1000:
                self._handlers.clear()
            self._handlers[target] = handle
        return self._handlers[target]


def _common(lines: list[str]) -> str:
    """What all lines begin with."""
    first, last = min(lines), max(lines)
    same = 0
    while same < min(len(first), len(last)) and first[same] == last[same]:
        same += 1
    return first[:same]


async def run_screen(
    session: Talking,
    steward: Steward | None = None,
    options: Options | None = None,
    advise: Advise | None = None,
    *,
    input: TerminalInput | None = None,
    output: Output | None = None,
) -> int:
    """Plays in full screen. Returns the exit code of cli.md; a bug is raised.

    The last result stays on the terminal when the screen is gone. What went wrong is said on
    standard error.
    """
    screen = Screen(session, steward, options, advise, input=input, output=output)
    ended = await screen.run()
    if screen.caught is not None:
        return 128 + screen.caught
    if screen.gone:
        return HANGUP
    with suppress(OSError):
        for line in last_lines(screen):
            out.say(line)
        if ended.code:
            out.complain(f"dalmuti: {ended.text}")
        elif ended.text:
            out.say(ended.text)
    return ended.code


def last_lines(screen: Screen) -> list[str]:
    """The last result, to stay on the terminal when the screen is gone."""
    table = screen.control.model.table
    if table is None or table.result is None:
        return []
    over = tr("Hand {hand} is over.", hand=table.result.hand)
    return [over, *words.places(table.result, table)]
