"""What the full screen costs: a redraw beside a bare window, and the time to the first screen.

    python bench/screen.py [--rounds 200] [--starts 9] [--json]

A table of eight is played on, one move a redraw, at both sizes that the screens are made for. The
bare window is prompt_toolkit's own, of the same size, and is given the same frames ready made; the
two take turns in one run, so a busy machine slows both. Figures are processor time of the thread,
and medians. Only the redraw is timed, not what the message does to the model before.

Starts are whole processes, and real time, each beside its measure in the same round: `--help`
beside an interpreter that does nothing, and `dalmuti join` up to the first screen beside an
interpreter that imports what prompt_toolkit needs for a full screen.

The table is the one that the tests look at (tests/client/tui/tables.py).
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import os
import pty
import socket
import statistics
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from prompt_toolkit.application import Application, create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.layout import FormattedTextControl, Layout, Window
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from client.tui.tables import Stage, in_tricks
from dalmuti.client.session import Ended
from dalmuti.client.tui.app import Screen
from dalmuti.client.tui.style import style_of

SIZES: Final = ((80, 24), (120, 40))
FULL_SCREEN: Final = (
    "import prompt_toolkit.application, prompt_toolkit.layout,"
    " prompt_toolkit.key_binding, prompt_toolkit.styles, prompt_toolkit.widgets"
)
FIRST_SCREEN: Final = b"Dalmuti"
"""In the title bar, and in no sequence before it."""


class Sink(io.StringIO):
    """A terminal that nobody looks at; it counts what comes."""

    encoding = "utf-8"

    def __init__(self, columns: int, rows: int) -> None:
        super().__init__()
        self.size = Size(rows=rows, columns=columns)
        self.bytes = 0

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        raise io.UnsupportedOperation

    def write(self, data: str) -> int:
        self.bytes += len(data.encode())
        return len(data)

    def output(self) -> Vt100_Output:
        return Vt100_Output(
            self,
            lambda: self.size,
            term="xterm-256color",
            default_color_depth=ColorDepth.DEPTH_8_BIT,
        )


class Told:
    """A session that says nothing by itself."""

    def request(self, message_type: type[Any], **fields: Any) -> int:
        return 0

    def close(self, leave: bool = True, ended: Ended | None = None) -> None:
        pass

    async def run(self, on_message: Callable[[Any], None]) -> Ended:
        await asyncio.Event().wait()
        raise AssertionError("nobody ends it")


class Drawn:
    """An application that is drawn when it is told to, and what that took."""

    def __init__(self, app: Application[Any], sink: Sink) -> None:
        self.app, self.sink = app, sink
        self.micros: list[float] = []
        self.bytes: list[int] = []

    def draw(self) -> None:
        before, at = self.sink.bytes, time.thread_time_ns()
        self.app._redraw()
        self.micros.append((time.thread_time_ns() - at) / 1000)
        self.bytes.append(self.sink.bytes - before)


async def running(app: Application[Any]) -> None:
    """Runs one of several applications: each has a session, by which its caches know it."""
    with create_app_session():
        await app.run_async()


async def redraws(columns: int, rows: int, rounds: int) -> dict[str, float]:
    """Medians of a redraw of our screen and of the bare window, in microseconds and bytes."""
    stage = Stage(8).deal().run(in_tricks)
    ours, bare = Sink(columns, rows), Sink(columns, rows)
    frame: StyleAndTextTuples = []
    with create_pipe_input() as our_input, create_pipe_input() as bare_input:
        screen = Screen(Told(), input=our_input, output=ours.output())
        window: Application[Any] = Application(
            layout=Layout(Window(FormattedTextControl(lambda: list(frame)), wrap_lines=False)),
            style=style_of("default"),
            full_screen=True,
            input=bare_input,
            output=bare.output(),
        )
        tasks = [asyncio.ensure_future(running(each)) for each in (screen.app, window)]
        await asyncio.sleep(0)  # both have started, and drawn nothing yet
        assert screen.app.is_running and window.is_running
        drawn = (Drawn(screen.app, ours), Drawn(window, bare))
        for number in range(rounds):
            if stage.match.hand is None:
                stage.deal().run(in_tricks)
            stage.step()
            screen.control.update(stage.model, stage.now)
            frame[:] = [(part[0], part[1]) for part in screen._text()]
            for each in drawn if number % 2 else drawn[::-1]:
                each.draw()
        for task, app in zip(tasks, (screen.app, window), strict=True):
            app.exit()
            await task
    of_ours, of_bare = drawn
    return {
        "micros": round(statistics.median(of_ours.micros), 1),
        "bare_micros": round(statistics.median(of_bare.micros), 1),
        "ratio": round(
            statistics.median(a / b for a, b in zip(of_ours.micros, of_bare.micros, strict=True)), 3
        ),
        "bytes": round(statistics.median(of_ours.bytes)),
        "bare_bytes": round(statistics.median(of_bare.bytes)),
    }


# -- starts -----------------------------------------------------------------------------------


def whole(arguments: Sequence[str]) -> float:
    """Seconds from the start of a program to its end."""
    at = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - at


def first_screen(address: str, home: str) -> float:
    """Seconds from the start of `dalmuti join` to its first screen on a terminal."""
    near, far = pty.openpty()
    termios.tcsetwinsize(far, (24, 80))
    at = time.perf_counter()
    program = subprocess.Popen(
        [sys.executable, "-m", "dalmuti.client.cli", "join", address],
        stdin=far,
        stdout=far,
        stderr=far,
        start_new_session=True,
        env={**os.environ, "TERM": "xterm-256color", "HOME": home, "LC_ALL": "C.UTF-8"},
    )
    try:
        os.close(far)
        seen = b""
        while FIRST_SCREEN not in seen:
            seen += os.read(near, 65536)
        return time.perf_counter() - at
    finally:
        program.kill()
        program.wait()
        os.close(near)


def starts(rounds: int) -> dict[str, float]:
    """Ratios of starts, each the median over the rounds, the first of which does not count."""
    help_ratios, join_ratios, joins = [], [], []
    with socket.create_server(("127.0.0.1", 0)) as nobody, tempfile.TemporaryDirectory() as home:
        address = f"127.0.0.1:{nobody.getsockname()[1]}"
        for number in range(rounds + 1):
            nothing = whole(["-c", "pass"])
            help_text = whole(["-m", "dalmuti.client.cli", "--help"])
            parts = whole(["-c", FULL_SCREEN])
            screen = first_screen(address, home)
            if number:
                help_ratios.append(help_text / nothing)
                join_ratios.append(screen / parts)
                joins.append(screen)
    return {
        "help_ratio": round(statistics.median(help_ratios), 2),
        "start_ratio": round(statistics.median(join_ratios), 2),
        "first_screen_ms": round(1000 * statistics.median(joins)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="What the full screen costs.")
    parser.add_argument("--rounds", type=int, default=200, help="redraws at each size (200)")
    parser.add_argument("--starts", type=int, default=9, help="starts of each program (9)")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    sizes = {}
    for columns, rows in SIZES:
        print(f"redraws at {columns}x{rows}", file=sys.stderr)
        sizes[f"{columns}x{rows}"] = asyncio.run(redraws(columns, rows, given.rounds))
    print("starts", file=sys.stderr)
    result = {
        "redraw_ratio": {size: found["ratio"] for size, found in sizes.items()},
        "bytes": {size: found["bytes"] for size, found in sizes.items()},
        "redraws": sizes,
        **starts(given.starts),
    }
    if given.json:
        print(json.dumps(result))
        return
    print("         ours     bare window  ratio   bytes   bare   (goal: ratio at most 1.3)")
    for size, found in sizes.items():
        print(
            f"{size:7} {found['micros']:6.0f} us {found['bare_micros']:10.0f} us"
            f" {found['ratio']:8.2f} {found['bytes']:7.0f} {found['bare_bytes']:6.0f}"
        )
    print(f"dalmuti --help: {result['help_ratio']} x a bare interpreter (goal: at most 2)")
    print(
        f"dalmuti join to the first screen: {result['start_ratio']} x the imports of"
        f" prompt_toolkit (goal: at most 1.5), {result['first_screen_ms']} ms"
    )


if __name__ == "__main__":
    main()
