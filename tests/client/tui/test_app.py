"""The real app in this process: keys into a pipe, its output drawn by pyte.

The session is a stage that hears requests. Nothing waits for a fixed time, but for what is on the
screen. asyncio, because prompt_toolkit runs on it.
"""

from __future__ import annotations

import asyncio
import io
import os
import signal
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pyte
import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.input.base import PipeInput
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output

from client.tui.tables import Stage, you_follow, your_turn
from dalmuti.client.model import LinkChanged
from dalmuti.client.session import Ended
from dalmuti.client.tui.app import HANGUP, UNDO_STEPS, Screen, run_screen
from dalmuti.client.tui.control import Options
from dalmuti.core import events as ev
from dalmuti.protocol.messages import MAX_CHAT, Act, Chat, EventMessage, Request, Snapshot

ESC, LEFT, RIGHT, UP = "\x1b", "\x1b[D", "\x1b[C", "\x1b[A"
PATIENCE = 20.0


class Glass(io.StringIO):
    """A terminal whose far end is pyte: what a person would see."""

    encoding = "utf-8"

    def __init__(self, rows: int, cols: int) -> None:
        super().__init__()
        self.size = Size(rows=rows, columns=cols)
        self.screen = pyte.Screen(cols, rows)
        self.stream = pyte.Stream(self.screen)
        self.raw = ""
        self.broken: OSError | None = None

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        raise io.UnsupportedOperation

    def write(self, data: str) -> int:
        self.raw += data
        self.stream.feed(data)
        return len(data)

    def flush(self) -> None:
        if self.broken is not None:
            raise self.broken

    def text(self) -> str:
        return "\n".join(row.rstrip() for row in self.screen.display)


class FakeSession:
    """A session that tells the state of a stage, and keeps what is asked of it."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.asked: list[tuple[type[Request], dict[str, Any]]] = []
        self.closed: list[bool] = []
        self.hear: Callable[[Any], None] = lambda message: None
        self.over = asyncio.Event()
        self.ended = Ended("left")
        self.failure: Exception | None = None

    def request(self, message_type: type[Request], **fields: Any) -> int:
        self.asked.append((message_type, fields))
        if message_type is Act:
            self.hear(Act(id=len(self.asked), **fields))
        return len(self.asked)

    def close(self, leave: bool = True, ended: Ended | None = None) -> None:
        self.closed.append(leave)
        self.over.set()

    async def run(self, on_message: Callable[[Any], None]) -> Ended:
        self.hear = on_message
        model = self.stage.model
        assert model.table is not None and model.welcome is not None
        on_message(LinkChanged("open"))
        on_message(model.welcome)
        on_message(Snapshot(seq=self.stage.seq, table=model.table))
        if model.decision is not None:
            on_message(model.decision)
        await self.over.wait()
        if self.failure is not None:
            raise self.failure
        return self.ended


class Seat:
    """Somebody at a terminal."""

    def __init__(self, stage: Stage, glass: Glass, keys: PipeInput, options: Options) -> None:
        self.session = FakeSession(stage)
        self.glass = glass
        self.keys = keys
        output = Vt100_Output(
            glass,
            lambda: glass.size,
            term="xterm",
            default_color_depth=ColorDepth.DEPTH_4_BIT,
            enable_cpr=False,
        )
        self.screen = Screen(self.session, None, options, input=keys, output=output)
        self.task: asyncio.Task[Ended]

    async def until(self, wanted: str | Callable[[], Any]) -> None:
        """Waits until something is on the screen, or holds."""
        holds = wanted if callable(wanted) else lambda: wanted in self.glass.text()
        async with asyncio.timeout(PATIENCE):
            while not holds():
                if self.task.done():
                    self.task.result()
                    raise AssertionError(f"ended before {wanted!r}")
                await asyncio.sleep(0.002)

    async def awake(self) -> None:
        """Waits until a decision may be answered."""
        selector = self.screen.control.ui.selector
        assert selector is not None
        await self.until(lambda: self.screen.now >= selector.awake_at)

    async def type(self, text: str, wanted: str | Callable[[], Any]) -> None:
        """Presses keys and waits for what comes of them."""
        self.keys.send_text(text)
        await self.until(wanted)


@asynccontextmanager
async def seated(
    stage: Stage, rows: int = 24, cols: int = 80, **options: Any
) -> AsyncIterator[Seat]:
    """Somebody at a terminal, until the end of the block."""
    with create_pipe_input() as keys:
        seat = Seat(stage, Glass(rows, cols), keys, Options(**options))
        seat.task = asyncio.create_task(seat.screen.run())
        try:
            await seat.until("? help")
            yield seat
        finally:
            if not seat.task.done():
                seat.screen.interrupt()
                await asyncio.wait([seat.task])


async def shown(glass: Glass, wanted: str) -> None:
    """Waits until something is on the screen."""
    while wanted not in glass.text():  # noqa: ASYNC110 (pyte has no events)
        await asyncio.sleep(0.002)


def run(scenario: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(scenario())


def choices(seat: Seat) -> list[str]:
    return [str(fields["choice"]) for request, fields in seat.session.asked if request is Act]


# -- playing ----------------------------------------------------------------------------------


def test_a_play_by_keys() -> None:
    async def scenario() -> None:
        stage = Stage(4, seed=7).deal().run(you_follow)
        async with seated(stage) as seat:
            await seat.until("YOUR TURN")
            await seat.awake()
            await seat.type(LEFT, "Enter passes")
            await seat.type(" ", lambda: seat.session.asked)
            assert choices(seat) == ["pass"]
            await seat.until("sent")

    run(scenario)


def test_the_log_scrolls_to_its_first_line_and_at_once_back_from_there() -> None:
    """However often PgUp was pressed."""

    async def scenario() -> None:
        stage = Stage(4, seed=7).deal().run(you_follow)
        async with seated(stage) as seat:
            for number in range(60):
                told = ev.Chatted("Grace", f"line {number} of a long evening of talk", 2)
                seat.session.hear(EventMessage(seq=stage.seq + 1 + number, event=told))
            await seat.until("line 59")
            assert "┃" in seat.glass.text()
            pages = "\x1b[5~" * 40
            await seat.type(pages, "line 0 of")
            assert "PgDn" in seat.glass.text()
            await seat.type("\x1b[6~", lambda: "line 0 of" not in seat.glass.text())
            seat.session.hear(
                EventMessage(seq=stage.seq + 61, event=ev.Chatted("Grace", "news", 2))
            )
            await seat.type("\x1b[6~" * 40, "says: news")

    run(scenario)


def test_a_key_draws_what_it_changes_and_no_more() -> None:
    async def scenario() -> None:
        stage = Stage(4, seed=7).deal().run(you_follow)
        async with seated(stage, rows=40, cols=120) as seat:
            await seat.awake()
            whole = len(seat.glass.raw)
            await seat.type(LEFT, lambda: len(seat.glass.raw) > whole)
            assert len(seat.glass.raw) - whole < whole / 4

    run(scenario)


def test_typed_nonsense_and_backspace() -> None:
    async def scenario() -> None:
        stage = Stage(4, seed=7).deal().run(you_follow)
        async with seated(stage) as seat:
            await seat.awake()
            await seat.type("7x", "no such play")
            await seat.type("\r", "no play that you can make")
            await seat.type("9x", "no such play")
            await seat.type("\x7f", "Enter p")
            assert not seat.session.asked

    run(scenario)


def test_clicks() -> None:
    async def scenario() -> None:
        stage = Stage(4, seed=7).deal().run(you_follow)
        async with seated(stage) as seat:
            await seat.awake()
            rows = seat.glass.screen.display
            row = next(n for n, text in enumerate(rows) if "Pass" in text and "[" in text)
            column = rows[row].index("Pass")
            click = f"\x1b[<0;{column + 1};{row + 1}M\x1b[<0;{column + 1};{row + 1}m"
            await seat.type(click, "[Pass]")
            await seat.type(click, lambda: seat.session.asked)
            assert choices(seat) == ["pass"]

    run(scenario)


def test_events_are_drawn_as_they_come() -> None:
    async def scenario() -> None:
        stage = Stage(4, seed=7)
        async with seated(stage) as seat:
            await seat.until("waiting for players")
            seat.session.hear(
                EventMessage(seq=1, event=ev.Chatted("Grace", "hello \x1b[2J there", 2))
            )
            await seat.until("Grace says: hello [2J there")
            assert "? help" in seat.glass.text()

    run(scenario)


# -- chat, commands, help ---------------------------------------------------------------------


def test_chat_and_escape() -> None:
    async def scenario() -> None:
        stage = Stage(4, seed=7).deal().run(your_turn)
        async with seated(stage) as seat:
            await seat.type("t", "chat>")
            await seat.type("q 9 hi", "chat> q 9 hi")  # letters, no commands
            await seat.type("\r", lambda: seat.session.asked)
            assert seat.session.asked == [(Chat, {"text": "q 9 hi"})]
            await seat.type("\tonly thought", "chat> only thought")
            await seat.type(ESC, lambda: "chat>" not in seat.glass.text())
            assert len(seat.session.asked) == 1
            await seat.awake()
            await seat.type("\r", lambda: choices(seat))

    run(scenario)


def test_chat_is_as_long_as_a_message_may_be() -> None:
    async def scenario() -> None:
        async with seated(Stage(4)) as seat:
            await seat.type("t", "chat>")
            seat.keys.send_text("\x1b[200~" + "x" * 5000 + "\nyy\x1b[201~")
            await seat.type("\r", lambda: seat.session.asked)
            assert len(seat.session.asked[0][1]["text"]) == MAX_CHAT

    run(scenario)


def test_no_key_makes_the_chat_line_longer() -> None:
    """Yanking and undoing as little as typing, and what can be undone is bounded as well."""

    async def scenario() -> None:
        async with seated(Stage(4)) as seat:
            await seat.type("t", "chat>")
            seat.keys.send_text("x" * 150 + "\x01\x0b" + "\x19" * 20)  # Ctrl-A, -K, -Y
            await seat.until(lambda: len(seat.screen._chat.text) == MAX_CHAT)
            seat.keys.send_text("\x15" + "y\x7f" * 1000 + "end")
            await seat.until(lambda: "end" in seat.screen._chat.text)
            assert len(seat.screen._chat._undo_stack) <= UNDO_STEPS

    run(scenario)


def test_commands_are_completed() -> None:
    async def scenario() -> None:
        async with seated(Stage(4)) as seat:
            await seat.type("/sc\t", "chat> /score")
            await seat.type("\r", "No hand has been finished yet")
            await seat.type(ESC, lambda: "No hand" not in seat.glass.text())
            await seat.type("/h\t", "help host")
            await seat.type("ost M\t", "chat> /host Max")

    run(scenario)


def test_help_comes_and_goes_fast() -> None:
    async def scenario() -> None:
        async with seated(Stage(4)) as seat:
            for key, again in (("?", "?"), ("\x1bOP", ESC)):
                await seat.type(key, "ANY TIME")
                await seat.type(again, lambda: "ANY TIME" not in seat.glass.text())

    run(scenario)


# -- sizes and colours ------------------------------------------------------------------------


def test_resizing_and_a_window_that_is_too_small() -> None:
    async def scenario() -> None:
        stage = Stage(4, seed=7).deal().run(your_turn)
        async with seated(stage) as seat:
            for rows, cols, wanted in ((40, 120, "Greater Dalmuti"), (20, 70, "too small")):
                seat.glass.size = Size(rows=rows, columns=cols)
                seat.glass.screen.resize(rows, cols)
                seat.screen.app._on_resize()
                await seat.until(wanted)
            await seat.awake()
            seat.keys.send_text("\r 9tq")
            seat.glass.size = Size(rows=24, columns=80)
            seat.glass.screen.resize(24, 80)
            seat.screen.app._on_resize()
            await seat.until("YOUR TURN")
            assert not seat.session.asked

    run(scenario)


def test_colours_change_and_no_state_needs_them() -> None:
    async def scenario() -> None:
        stage = Stage(4, seed=7).deal().run(your_turn)
        async with seated(stage) as seat:
            for theme in ("high-contrast", "deuteranopia", "tritanopia", "mono"):
                await seat.type("c", f"Colours: {theme}.")
            seat.glass.raw = ""
            await seat.type("\x0c", lambda: "YOUR TURN" in seat.glass.raw)
            codes = {f"\x1b[{n}m" for n in (*range(30, 38), *range(90, 98))}
            assert not any(code in seat.glass.raw for code in codes)
            await seat.type("c", "default, ASCII")
            assert "+- Players -" in seat.glass.text()

    run(scenario)


# -- ways out ---------------------------------------------------------------------------------


def test_quitting_keeps_the_seat_and_leaving_does_not() -> None:
    async def scenario() -> None:
        async with seated(Stage(4)) as seat:
            seat.keys.send_text("\x03")
            assert (await seat.task).why == "left" and seat.session.closed[0] is False
            assert seat.glass.raw.count("\x1b[?1049h") == seat.glass.raw.count("\x1b[?1049l")
        async with seated(Stage(4)) as seat:
            await seat.type("q", "Leave?")
            seat.keys.send_text("y")
            assert (await seat.task).why == "left" and seat.session.closed[0] is True

    run(scenario)


def test_the_end_of_the_session_ends_the_screen() -> None:
    async def scenario() -> None:
        async with seated(Stage(4)) as seat:
            seat.session.ended = Ended("kicked", "The host has sent you away.")
            seat.session.over.set()
            assert (await seat.task).code == 4

    run(scenario)


@pytest.mark.parametrize("where", ["key", "message", "screen", "timer", "session"])
def test_a_bug_anywhere_ends_the_screen_and_is_raised(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def bug(*args: Any, **kwargs: Any) -> Any:
        raise ZeroDivisionError("a bug")

    async def scenario() -> None:
        async with seated(Stage(4, seed=7).deal().run(your_turn)) as seat:
            if where == "key":
                monkeypatch.setattr(seat.screen.control, "press", bug)
                seat.keys.send_text("9")
            elif where == "message":
                monkeypatch.setattr(seat.screen.control, "update", bug)
                asyncio.get_running_loop().call_soon(seat.session.hear, Stage(4).model.welcome)
            elif where == "screen":
                monkeypatch.setattr("dalmuti.client.tui.app.render", bug)
                seat.keys.send_text("9")
            elif where == "timer":
                monkeypatch.setattr(seat.screen.control, "tick", bug)
                asyncio.get_running_loop().call_soon(seat.screen._ticked)
            else:
                seat.session.failure = ZeroDivisionError("a bug")
                seat.session.over.set()
            with pytest.raises(ZeroDivisionError):
                async with asyncio.timeout(PATIENCE):
                    await seat.task
            assert seat.glass.raw.count("\x1b[?1049h") == seat.glass.raw.count("\x1b[?1049l")

    run(scenario)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals(number: signal.Signals) -> None:
    async def scenario() -> None:
        async with seated(Stage(4)) as seat:
            os.kill(os.getpid(), number)
            await seat.task
            assert seat.screen.caught == number and seat.session.closed[0] is False

    run(scenario)


def test_a_terminal_that_is_gone() -> None:
    async def scenario() -> None:
        glass = Glass(24, 80)
        session = FakeSession(Stage(4))
        with create_pipe_input() as keys:
            output = Vt100_Output(glass, lambda: glass.size, term="xterm", enable_cpr=False)
            task = asyncio.create_task(run_screen(session, input=keys, output=output))
            async with asyncio.timeout(PATIENCE):
                await shown(glass, "? help")
                glass.broken = OSError(5, "Input/output error")
                keys.send_text("9")
                assert await task == HANGUP
            assert session.closed == [False]

    run(scenario)


def test_the_result_stays_on_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    async def scenario() -> None:
        glass = Glass(24, 80)
        session = FakeSession(Stage(4, seed=2).deal().finish())
        with create_pipe_input() as keys:
            output = Vt100_Output(glass, lambda: glass.size, term="xterm", enable_cpr=False)
            task = asyncio.create_task(run_screen(session, input=keys, output=output))
            async with asyncio.timeout(PATIENCE):
                await shown(glass, "hands won")
                keys.send_text("\x03")
                assert await task == 0

    run(scenario)
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "Hand 1 is over." and len(said) == 5
    assert said[1].startswith("1. ") and said[1].endswith(", Greater Dalmuti")
