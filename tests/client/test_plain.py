"""Plain mode's threads and the conversation's driver: nothing blocks, nothing is lost."""

from __future__ import annotations

import os
import random
import re
import threading
import time
from collections.abc import Callable
from typing import Any

import anyio
import trio

from dalmuti.client.model import Input
from dalmuti.client.plain import LONGEST_LINE, WAITING_LINES, Printer, converse, read_lines
from dalmuti.client.session import Ended
from dalmuti.client.steward import Steward
from dalmuti.client.talk import Talk
from dalmuti.core.cards import Play, counts_of
from dalmuti.core.events import PlayerInfo
from dalmuti.core.moves import legal_leads
from dalmuti.core.options import TableOptions
from dalmuti.core.views import HandView, TableView
from dalmuti.protocol.messages import Act, Chat, Decision, Request, Snapshot

CARDS = (9, 9, 12)
TABLE = TableView(
    table="Kitchen",
    options=TableOptions(),
    state="hand",
    you=1,
    players=(PlayerInfo(player=1, name="Ada"), PlayerInfo(player=2, name="Bea")),
    order=(1, 2),
    hand=HandView(number=1, order=(1, 2), sizes=(3, 3), seat=0, cards=CARDS, dealt=CARDS),
)
DECISION = Decision(
    decision=3, kind="lead", choices=tuple(legal_leads(counts_of(CARDS))), default=Play(12, 1)
)


def lines_of(data: list[bytes]) -> list[str | None]:
    """What comes out when these pieces are written to a pipe."""
    read, write = os.pipe()
    taken: list[str | None] = []
    reader = threading.Thread(target=read_lines, args=(read, taken.append))
    reader.start()
    for piece in data:
        os.write(write, piece)
    os.close(write)
    reader.join(10)
    os.close(read)
    return taken


def test_lines_are_read_in_any_pieces() -> None:
    text = "žluť\n\n9\nlast".encode()
    assert lines_of([bytes([byte]) for byte in text]) == ["žluť", "", "9", "last", None]
    assert lines_of([b"a\xff\n"]) == ["a\N{REPLACEMENT CHARACTER}", None]
    assert lines_of([]) == [None]


def test_an_endless_line_does_not_fill_the_memory() -> None:
    (line, end) = lines_of([b"x" * 3000, b"x" * 3000, b"\n"])
    assert line is not None and len(line) <= LONGEST_LINE and end is None


def test_a_reader_whom_nobody_hears_ends() -> None:
    read, write = os.pipe()

    def take(line: str | None) -> None:
        raise anyio.ClosedResourceError

    reader = threading.Thread(target=read_lines, args=(read, take))
    reader.start()
    os.write(write, b"hello\n")
    reader.join(10)
    assert not reader.is_alive()
    os.close(read)
    os.close(write)


def test_printing_never_waits_for_a_slow_reader() -> None:
    """And says how much was left out, as soon as there is room again."""
    read, write = os.pipe()
    printer = Printer(write)
    for number in range(WAITING_LINES + 20_000):
        printer.say(f"line {number}")
    kept = bytearray()

    def drain() -> None:
        while data := os.read(read, 65536):
            kept.extend(data)

    drainer = threading.Thread(target=drain)
    drainer.start()
    deadline = time.monotonic() + 30
    while b"line 0\n" not in kept or printer._lines.qsize():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    printer.say("and on")
    printer.close()
    os.close(write)
    drainer.join(10)
    os.close(read)
    said = kept.decode().splitlines()
    assert said[0] == "line 0" and said[-1] == "and on"
    printed = [line for line in said if line.startswith("line ")]
    told = [re.fullmatch(r"\((\d+) lines were left out: nobody read them.\)", s) for s in said]
    left_out = [int(found[1]) for found in told if found]
    assert left_out and len(printed) + sum(left_out) == WAITING_LINES + 20_000
    assert len(printed) + len(left_out) + 1 == len(said)


def test_a_reader_that_is_gone_is_told_of() -> None:
    read, write = os.pipe()
    gone = threading.Event()
    printer = Printer(write, gone.set)
    os.close(read)
    printer.say("hello")
    assert gone.wait(10)
    printer.close()
    os.close(write)


class Scripted:
    """A session in the hands of a test."""

    def __init__(self) -> None:
        self.sent: list[tuple[type[Request], dict[str, Any]]] = []
        self.closed: bool | None = None
        self.hear: Callable[[Input], None] | None = None
        self.over = trio.Event()

    def request(self, message_type: type[Request], **fields: Any) -> int:
        self.sent.append((message_type, fields))
        if message_type is Act and self.hear is not None:
            self.hear(Act(id=1, **fields))
        return 1

    def close(self, leave: bool = True) -> None:
        self.closed = leave
        self.over.set()

    async def run(self, on_message: Callable[[Input], None]) -> Ended:
        self.hear = on_message
        await self.over.wait()
        return Ended("left")


async def talked(*lines: str, patient: bool) -> tuple[Scripted, list[str]]:
    """These lines are typed before the first question, which comes after a while."""
    session, said = Scripted(), list[str]()

    type_, typed = anyio.create_memory_object_stream[str](len(lines))
    for line in lines:
        type_.send_nowait(line)
    type_.close()

    async def ask() -> None:
        await trio.sleep(1)
        assert session.hear is not None
        session.hear(Snapshot(seq=1, table=TABLE))
        session.hear(DECISION)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask)
        await converse(
            session,  # type: ignore[arg-type]
            Talk(),
            Steward(),
            typed,
            said.append,
            patient=patient,
        )
        nursery.cancel_scope.cancel()
    typed.close()
    return session, said


async def test_answers_wait_for_their_questions(autojump_clock: trio.testing.MockClock) -> None:
    session, said = await talked("say hi", "2x9", "say bye", patient=True)
    assert session.sent == [
        (Chat, {"text": "hi"}),
        (Act, {"decision": 3, "choice": Play(9, 2)}),
        (Chat, {"text": "bye"}),
    ]
    assert session.closed is True
    assert any(line.startswith("Your turn: ") for line in said)


async def test_without_a_line_nobody_leaves_before_he_is_there(
    autojump_clock: trio.testing.MockClock,
) -> None:
    for patient in (True, False):
        session, said = await talked(patient=patient)
        assert session.closed is True
        assert bool(said) is patient


async def test_a_key_pressed_too_early_is_no_answer(
    autojump_clock: trio.testing.MockClock,
) -> None:
    session, said = await talked("", "2x9", patient=False)
    assert session.sent == []
    assert said == ["There is nothing to decide at the moment; help lists the commands."] * 2


async def test_quit_and_leave(autojump_clock: trio.testing.MockClock) -> None:
    for word, leaves in (("quit", False), ("leave", True)):
        session, _ = await talked(word, "say never", patient=random.choice((True, False)))
        assert session.closed is leaves and session.sent == []
