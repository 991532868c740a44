"""One guest: an ssh session with a screen in it, from the first request to the exit status.

There is one way out, `_finish`: the screen has given the terminal back, what there is to say is
said, and the exit status follows. Whoever ends a guest from outside (the gateway stops, he has
pressed no key for an hour, he came again over another line) ends his screen and leaves the rest
to that way.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

import asyncssh
from prompt_toolkit.application.current import create_app_session
from prompt_toolkit.data_structures import Size

from dalmuti.client import i18n, out
from dalmuti.client.commands.parts import BUG, NO_CONNECTION, REFUSED, WRONG_USE
from dalmuti.client.seats import SeatFile
from dalmuti.client.ssh.identity import Identity
from dalmuti.client.ssh.terminal import (
    SHARE,
    USUAL,
    GuestInput,
    TakenOnly,
    Wishes,
    clamped,
    clean_term,
    guest_output,
)
from dalmuti.client.tui.app import HANGUP, REDRAW_SECONDS, Screen, last_lines
from dalmuti.client.tui.control import Options
from dalmuti.client.tui.process import SharedProcess
from dalmuti.client.words import guests as texts

if TYPE_CHECKING:
    from dalmuti.client.ssh.gateway import Gateway

RESIZE_SECONDS: Final = 0.05
"""Changes of the window's size that come closer together than this are one."""
FLOOD_PAUSE: Final = 0.1
"""So long nothing is read from a guest who sends too much; his window is 64 KiB."""
FRESH_SECONDS: Final = 0.25
"""How often a guest who has missed frames is looked at, whether he reads again."""


class Guest(asyncssh.SSHServerSession[str]):
    """A session of somebody who is let in. `closed` is called when its channel is."""

    def __init__(
        self,
        gateway: Gateway,
        connection: asyncssh.SSHServerConnection,
        identity: Identity,
        closed: Callable[[Guest], None],
    ) -> None:
        self._connection = connection
        self.identity = identity
        self.over = asyncio.Event()
        """The screen is gone, and the seat's file is free."""
        self.finished_at: float | None = None
        self.pressed_at = gateway.now
        """When a key came last."""
        self.closed = asyncio.Event()
        """Nothing of it is left."""
        self._gateway, self._log, self._was_closed = gateway, gateway.log, closed
        self._chan: asyncssh.SSHServerChannel[str]
        self._term: str | None = None
        self._size = clamped(*USUAL)
        self._input = GuestInput(lambda: gateway.now)
        self._refusal: Callable[[], str] | None = None
        self._farewell: tuple[Callable[[], str], int] | None = None
        self._screen: Screen | None = None
        self._task: asyncio.Task[None] | None = None
        self._gone = False
        """The channel is closed: nothing can be said."""
        self._paused = False
        self._stale = False
        """A frame was dropped, so what the guest sees is old."""
        self._resize: asyncio.TimerHandle | None = None
        self._fresh: asyncio.TimerHandle | None = None
        self._drawing_since = 0.0

    @property
    def has_begun(self) -> bool:
        """He has asked for something in this session."""
        return self._task is not None

    # -- what the guest's ssh asks for ----------------------------------------------------------

    def connection_made(self, chan: asyncssh.SSHServerChannel[str]) -> None:
        self._chan = chan
        chan._env = TakenOnly()  # else it keeps all that is sent
        chan.set_write_buffer_limits(high=self._gateway.limits.frame_bytes)

    def pty_requested(self, term_type: str, term_size: tuple[int, ...], term_modes: object) -> bool:
        self._term = term_type
        self._size = clamped(*term_size[:2])
        return True

    def shell_requested(self) -> bool:
        if self._term is None:
            self._refusal = texts.no_terminal
        elif clean_term(self._term) is None:
            self._refusal = partial(texts.cannot_draw, out.clean(self._term)[:32])
        return True

    def exec_requested(self, command: str) -> bool:
        """Taken, so that a sentence can be said about it."""
        self._refusal = texts.no_commands
        return True

    def subsystem_requested(self, subsystem: str) -> bool:
        self._refusal = texts.no_files
        return True

    def session_started(self) -> None:
        code = WRONG_USE
        if self._refusal is None:
            self._refusal, code = self._gateway.no_room(self.identity), REFUSED
        if self._refusal is None:
            self._gateway.guests.add(self)
        self._task = asyncio.get_running_loop().create_task(self._run(code))

    def data_received(self, data: str, datatype: asyncssh.DataType) -> None:
        self.pressed_at = self._gateway.now
        if not self._input.receive(data):
            self._chan.pause_reading()
            asyncio.get_running_loop().call_later(FLOOD_PAUSE, self._read_on)

    def _read_on(self) -> None:
        if not self._gone:
            self._chan.resume_reading()

    def terminal_size_changed(self, width: int, height: int, *pixels: int) -> None:
        self._size = clamped(width, height)
        if self._resize is None:
            loop = asyncio.get_running_loop()
            self._resize = loop.call_later(RESIZE_SECONDS, self._resized)

    def _resized(self) -> None:
        self._resize = None
        self._repaint()

    def eof_received(self) -> bool:
        self._input.close()
        return True  # the last words and the exit status are still to come

    def signal_received(self, signal: str) -> None:
        if signal in ("INT", "TERM", "HUP", "QUIT"):
            self._input.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._gone = True
        self._input.close()
        for timer in (self._resize, self._fresh):
            if timer is not None:
                timer.cancel()
        self.closed.set()
        self._was_closed(self)

    # -- frames ---------------------------------------------------------------------------------

    def pause_writing(self) -> None:
        self._paused = True

    def resume_writing(self) -> None:
        self._paused = False

    def _send(self, frame: str) -> None:
        """Sends a frame, or drops it whole if the guest does not read. The last is not dropped: it
        gives the terminal back."""
        app = None if self._screen is None else self._screen.app
        drawing = app is not None and app.is_running and not app.is_done
        if drawing and (self._paused or self._backlog() > self._gateway.limits.frame_bytes):
            if not self._stale:
                self._stale = True
                self._look_later()
            return
        self._write(frame)

    def _write(self, text: str, complain: bool = False) -> None:
        with suppress(OSError):
            if not self._gone:
                self._chan.write(text, asyncssh.EXTENDED_DATA_STDERR if complain else None)

    def _backlog(self) -> int:
        return self._gateway.backlog(self._connection)

    def _look_later(self) -> None:
        self._fresh = asyncio.get_running_loop().call_later(FRESH_SECONDS, self._look)

    def _look(self) -> None:
        if self._paused or self._backlog() > self._gateway.limits.frame_bytes // 2:
            self._look_later()
            return
        self._stale = False
        self._repaint()

    def _repaint(self) -> None:
        """Draws everything anew, when it is this guest's turn to draw."""
        if self._screen is not None and self._screen.app.is_running and not self._gone:
            self._screen.repaint()

    def _draws(self, _: object) -> None:
        self._drawing_since = time.thread_time()

    def _has_drawn(self, _: object) -> None:
        took = time.thread_time() - self._drawing_since
        if self._screen is not None:
            self._screen.app.min_redraw_interval = max(REDRAW_SECONDS, SHARE * took)

    # -- a visit --------------------------------------------------------------------------------

    def dismiss(self, text: Callable[[], str], code: int = NO_CONNECTION) -> None:
        """Ends the visit from outside with a sentence. The seat is kept."""
        if self._farewell is None:
            self._farewell = text, code
        if self._screen is not None:
            self._screen.interrupt()

    async def _run(self, code: int) -> None:
        """From the first screen to the exit status; `code` is for those who are not let in."""
        lines: list[str] = []
        failure: str | None = None
        began, why = self._gateway.now, "refused"
        try:
            wishes = Wishes(self._chan.get_environment(), self._gateway.language)
            i18n.use(wishes.language)
            if self._refusal is not None:
                failure = self._refusal()
            else:
                lines, failure, code, why = await self._visit(wishes)
        except Exception as error:
            failure, code, why = texts.our_bug(), BUG, "bug"
            self._log.bug("guest met a bug", error, name=self.identity.nick)
        finally:
            self._gateway.has_left(self)
            self.over.set()
        if self._refusal is not None:
            self._log.seldom("guest refused", self.identity.address, why=_named(self._refusal))
        else:
            seconds = round(self._gateway.now - began)
            self._log.event("guest left", name=self.identity.nick, why=why, seconds=seconds)
        self._finish(lines, failure, code)

    async def _visit(self, wishes: Wishes) -> tuple[list[str], str | None, int, str]:
        """Sits down and plays. Returns last lines, a complaint, the exit code, and the reason."""
        seat_file, self._refusal = await self._gateway.seat_for(self)
        if self._refusal is not None:
            return [], self._refusal(), REFUSED, "refused"
        try:
            return await self._play(wishes, seat_file)
        finally:
            if seat_file is not None:
                seat_file.close()

    async def _play(
        self, wishes: Wishes, seat_file: SeatFile | None
    ) -> tuple[list[str], str | None, int, str]:
        term = clean_term(self._term or "") or ""
        who = self.identity
        self._log.event(
            "guest came",
            name=who.nick,
            address=who.address,
            key=who.key,
            term=term,
            size=f"{self._size.columns}x{self._size.rows}",
            language=wishes.language,
        )
        session = self._gateway.session(who.nick, seat_file)
        output = guest_output(self._send, self.size, term, wishes)
        with create_app_session(input=self._input, output=output):
            options = Options(
                stay=session.stay,
                ascii=wishes.ascii,
                theme=self._gateway.theme,
            )
            screen = Screen(
                session,
                None,
                options,
                input=self._input,
                output=output,
                process=SharedProcess(),
            )
            screen.app.before_render += self._draws
            screen.app.after_render += self._has_drawn
            screen.app.terminal_size_polling_interval = None  # we are told
            if self._farewell is None and not self._gone:
                self._screen = screen
                ended = await screen.run()
            else:
                screen.gone = True
        if self._farewell is not None:
            text, code = self._farewell
            return last_lines(screen), text(), code, _named(text)
        if screen.gone:
            return [], None, HANGUP, "line is gone"
        said = [ended.text] if ended.text and not ended.code else []
        complaint = ended.text if ended.code else None
        return [*last_lines(screen), *said], complaint, ended.code, ended.why

    def size(self) -> Size:
        """The size of the guest's window, within bounds."""
        return self._size

    def _finish(self, lines: list[str], complaint: str | None, code: int) -> None:
        """Says the last words and closes. Who does not read them is cut off by the gateway."""
        self.finished_at = self._gateway.now
        if not self._gone:
            self._gateway.closing.add(self)
        for line in lines:
            self._write(f"{out.clean(line)}\r\n")
        if complaint:
            self._write(f"dalmuti: {out.clean(complaint)}\r\n", complain=True)
        if not self._gone:
            with suppress(OSError):
                self._chan.exit(code)

    def cut_off(self) -> None:
        """Ends the connection of somebody who does not let go."""
        self._connection.abort()


def _named(text: Callable[[], str]) -> str:
    """What the log calls a sentence that the guest reads in his language."""
    function = text.func if isinstance(text, partial) else text
    return function.__name__.replace("_", " ")
