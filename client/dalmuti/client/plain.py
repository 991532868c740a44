"""Plain mode: sentences out, lines in, on any terminal or pipe, without one escape byte.

The conversation is `talk`; here are the threads that read and write, since a terminal or a pipe
may keep us waiting for as long as it likes, and the connection must not wait with it. The threads
use the descriptors themselves: Python's buffered files hold a lock while they wait, and a daemon
thread that holds it stops the interpreter from ending.
"""

from __future__ import annotations

import codecs
import math
import os
import queue
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from contextvars import copy_context
from typing import Final

import anyio
from anyio.from_thread import BlockingPortal

from dalmuti.client import out
from dalmuti.client.i18n import tr_n
from dalmuti.client.model import Input
from dalmuti.client.session import Ended, Session
from dalmuti.client.steward import Steward
from dalmuti.client.talk import Talk

WAITING_LINES: Final = 20_000
"""Lines kept for a reader that does not read; after that some are left out."""
LAST_WORDS_SECONDS: Final = 2.0
"""How long we wait at the end for a slow reader to take the last lines."""
BELL: Final = "\a"
LONGEST_LINE: Final = 4000
"""Characters of one input line; the rest of it is dropped."""


NOBODY_LISTENS: Final = (
    RuntimeError,
    CancelledError,
    anyio.ClosedResourceError,
    anyio.BrokenResourceError,
)
"""What handing a line over raises when the conversation is over."""


class Printer:
    """Writes lines to a descriptor from a thread of its own. `on_gone` is called, in that thread,
    when the other end is closed."""

    def __init__(self, descriptor: int, on_gone: Callable[[], None] = lambda: None) -> None:
        self._descriptor = descriptor
        self._on_gone = on_gone
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._left_out = 0
        self._thread = threading.Thread(target=self._work, name="printer", daemon=True)
        self._thread.start()

    def say(self, line: str) -> None:
        """Prints a line some time soon; never blocks."""
        if self._lines.qsize() >= WAITING_LINES:
            self._left_out += 1
            return
        if self._left_out:
            self._lines.put(
                tr_n(
                    "({number} line was left out: nobody read it.)",
                    "({number} lines were left out: nobody read them.)",
                    self._left_out,
                )
            )
            self._left_out = 0
        self._lines.put(line)

    def ring(self) -> None:
        """Rings the bell, if this is a terminal; a pipe gets nothing but sentences."""
        if os.isatty(self._descriptor):
            self._lines.put(BELL)

    def close(self) -> None:
        """Waits a little for what is still to be written."""
        self._lines.put(None)
        self._thread.join(LAST_WORDS_SECONDS)

    def _work(self) -> None:
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        while (line := self._lines.get()) is not None:
            whole = BELL if line is BELL else f"{out.clean(line)}\n"
            data = memoryview(whole.encode(encoding, "replace"))
            try:
                while data:
                    data = data[os.write(self._descriptor, data) :]
            except OSError:
                self._on_gone()
                return


def read_lines(descriptor: int, take: Callable[[str | None], None]) -> None:
    """Gives each line to `take`, which may block, and None at the end. Runs in a daemon thread."""
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    rest = ""
    with suppress(*NOBODY_LISTENS):
        while True:
            try:
                data = os.read(descriptor, 4096)
            except OSError:
                data = b""
            *lines, rest = (rest + decode(data, final=not data)).split("\n")
            rest = rest[:LONGEST_LINE]
            for line in lines:
                take(line[:LONGEST_LINE])
            if not data:
                if rest:
                    take(rest)
                take(None)
                return


async def converse(
    session: Session,
    talk: Talk,
    steward: Steward,
    lines: AsyncIterator[str],
    say: Callable[[str], None],
    *,
    patient: bool,
    told: Callable[[], None] = lambda: None,
) -> Ended:
    """Runs the session with this conversation until it is over; `told` is called after each message
    that was heard.

    With `patient`, an answer that comes before its question waits for it, as in a script that
    writes all its answers at once; at a terminal it would be a key pressed by mistake. When the
    lines end, the player leaves; not before he is somewhere, so that a script without a line hears
    why it cannot join.
    """
    news = anyio.Event()

    def hear(message: Input) -> None:
        for line in talk.hear(message, anyio.current_time()):
            say(line)
        told()
        for request, fields in steward.react(talk.model):
            session.request(request, **fields)
        if steward.done(talk.model):
            session.close(leave=True)
        stir()

    def stir() -> None:
        nonlocal news
        news.set()
        news = anyio.Event()

    async def keep_time() -> None:
        """Sends what is due by itself."""
        while True:
            at = math.inf if talk.due_at is None else talk.due_at
            with anyio.CancelScope(deadline=at):
                await news.wait()
            due = talk.due(anyio.current_time())
            if due is not None and due.request is not None:
                session.request(due.request, **due.fields)

    async def listen() -> None:
        async for line in lines:
            reply = talk.read(line, anyio.current_time())
            while reply.early and patient:
                await news.wait()
                reply = talk.read(line, anyio.current_time())
            for sentence in reply.lines:
                say(sentence)
            if reply.request is not None:
                session.request(reply.request, **reply.fields)
            if reply.end:
                session.close(leave=reply.end == "leave")
                return
            stir()
        while patient and talk.model.table is None and talk.model.lobby is None:
            await news.wait()
        session.close(leave=True)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(listen)
        tasks.start_soon(keep_time)
        ended = await session.run(hear)
        tasks.cancel_scope.cancel()
    return ended


async def run_plain(session: Session, steward: Steward, talk: Talk | None = None) -> int:
    """Plays in plain mode on standard input and output. Returns the exit code.

    What went wrong is said on standard error, as a sentence.
    """
    send, receive = anyio.create_memory_object_stream[str](0)
    interactive = sys.stdin is not None and sys.stdin.isatty()
    caught: list[int] = []
    talk = talk or Talk(deals_itself=steward.hands is not None)
    async with BlockingPortal() as portal, anyio.create_task_group() as tasks:

        def take(line: str | None) -> None:
            portal.call(send.aclose) if line is None else portal.call(send.send, line)

        def gone() -> None:
            with suppress(RuntimeError):
                portal.call(session.close)

        printer = Printer(sys.stdout.fileno(), gone)
        descriptor = sys.stdin.fileno() if sys.stdin is not None else os.open(os.devnull, 0)
        context = copy_context()  # a thread would begin without a language
        reader = threading.Thread(
            target=context.run, args=(read_lines, descriptor, take), daemon=True
        )
        reader.start()
        tasks.start_soon(catch_signals, session, caught)
        ended = await converse(
            session,
            talk,
            steward,
            receive,
            printer.say,
            patient=not interactive,
            told=lambda: printer.ring() if talk.rings else None,
        )
        if ended.text and not ended.code and not caught:
            printer.say(ended.text)
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(printer.close)
        receive.close()
        send.close()
        tasks.cancel_scope.cancel()
        await portal.stop(cancel_remaining=True)
    return exit_code(ended, caught)


def exit_code(ended: Ended, caught: list[int]) -> int:
    """128+n after a signal; else what the end of the session means, said if it is an error."""
    if caught:
        return 128 + caught[0]
    if ended.code:
        out.complain(f"dalmuti: {ended.text}")
    return ended.code


async def catch_signals(session: Session, caught: list[int]) -> None:
    """The first signal ends the session in order; the seat is held for whoever comes back."""
    wanted = [signal.SIGINT, signal.SIGTERM]
    if hasattr(signal, "SIGHUP"):
        wanted.append(signal.SIGHUP)
    with suppress(NotImplementedError), anyio.open_signal_receiver(*wanted) as signals:
        async for number in signals:
            caught.append(int(number))
            session.close(leave=False)
