"""What guests by ssh cost: processor and memory of one `dalmuti ssh` on one core, with real guests.

    python bench/ssh.py [--guests 10,25,50] [--seconds 10] [--hostile 0] [--json]

Guests sit six to a table on screens of 120x40 and look at their cards, in the middle of a hand in
which nobody moves. For a while nothing happens; then somebody at each table says something once a
second, so that each guest's screen is drawn once a second. The gateway is bound to one core; the
guests, all in this process, and the game's server have the others. `cpu` is its share of that core,
`late` the time from saying a word until a guest's terminal has been sent it. With `--hostile N` so
many others do their worst meanwhile, on screens of 250x80: they press keys as fast as they may, ask
for everything to be drawn anew, and change their size a thousand times a second.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import asyncssh
from load import Bot, Group, Results, connect

from server import Server, running, say, serving, show_rows

PLACES = 5
"""Guests at a table, beside the one who speaks."""
COLUMNS, ROWS = 120, 40
WORD = 12
PATIENCE = 60.0


class Speaker(Bot):
    """Opens a table, deals once, and says something when told to."""

    def options(self) -> dict[str, Any]:
        return {
            "seats": PLACES + 1,
            "first_titles": "order_of_arrival",
            "first_hand_taxes": "off",
            "revolution": "off",
            "turn_seconds": 0,
        }


class Guest(asyncssh.SSHClientSession[bytes]):
    """A terminal that only looks for the next word."""

    def __init__(self) -> None:
        self.chan: asyncssh.SSHClientChannel[bytes]
        self.raw = bytearray()
        self.bytes = 0
        self.word: bytes | None = None
        self.said_at = 0.0
        self.late: list[float] = []

    def connection_made(self, chan: asyncssh.SSHClientChannel[bytes]) -> None:
        self.chan = chan

    def data_received(self, data: bytes, datatype: asyncssh.DataType) -> None:
        self.bytes += len(data)
        self.raw += data
        if self.word is not None and self.word in self.raw:
            self.late.append(perf_counter() - self.said_at)
            self.word = None
        del self.raw[: -(1 << 16)]

    async def until(self, text: bytes) -> None:
        """Waits until something is on the screen. What is drawn is only what changes, so all of it
        is asked for again and again (Ctrl-L)."""
        deadline = perf_counter() + PATIENCE
        while text not in self.raw:
            if perf_counter() > deadline:
                raise SystemExit(f"never drew {text!r}: {bytes(self.raw)!r}")
            self.raw.clear()
            self.chan.write(b"\x0c")
            await asyncio.sleep(0.3)
        self.raw.clear()


@contextmanager
def gateway(folder: Path, server: str, core: int, guests: int) -> Iterator[tuple[Server, int]]:
    """`dalmuti ssh` on one core, and its port."""
    homes = {f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("CONFIG", "DATA", "STATE")}
    before = {name: os.environ.get(name) for name in homes}
    os.environ.update(homes)
    command = ["-m", "dalmuti.client.cli", "ssh", server, "--port", "0", "--json"]
    command += ["--guests", str(guests), "--guests-from-one", str(guests)]
    command += ["--log", str(folder / "ssh.log")]
    try:
        with running(*command) as process:
            os.sched_setaffinity(process.process.pid, {core})
            yield process, process.told["port"]
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


async def enter(port: int, name: str) -> asyncssh.SSHClientConnection:
    """A connection of somebody without a key."""
    return await asyncssh.connect(
        "127.0.0.1",
        port,
        username=name,
        known_hosts=None,
        client_keys=None,
        agent_path=None,
        config=[],
    )


async def sit(port: int, number: int) -> tuple[asyncssh.SSHClientConnection, Guest]:
    """A guest in the lobby, who then sits down at his table."""
    connection = await enter(port, f"guest{number}")
    guest = Guest()
    await connection.create_session(
        lambda: guest, term_type="xterm-256color", term_size=(COLUMNS, ROWS), encoding=None
    )
    await guest.until(b"Table 1 ")
    guest.chan.write(f"/join Table {number // PLACES + 1}\r".encode())
    await guest.until(b"waiting for players")
    return connection, guest


async def attack(port: int, number: int) -> None:
    """Does what it can until it is cancelled."""
    connection = await enter(port, f"evil{number}")
    guest = Guest()
    await connection.create_session(
        lambda: guest, term_type="xterm-256color", term_size=(250, 80), encoding=None
    )
    try:
        while True:
            guest.chan.write(b"\x0c?")  # 2000 a second, just what is let through
            guest.chan.change_terminal_size(random.randrange(80, 999), random.randrange(24, 99))
            await asyncio.sleep(0.001)
    finally:
        connection.abort()


async def measure(folder: Path, guests: int, seconds: float, hostile: int) -> dict[str, Any]:
    """One row of the table."""
    cores = sorted(os.sched_getaffinity(0))
    with serving(folder, journal=False) as server:
        tables = max(2, -(-guests // PLACES))  # the only table would be joined without a word
        groups = [Group(f"Table {n + 1}", PLACES + 1, Results()) for n in range(tables)]
        speakers = [Speaker(group, f"Speaker{n}", host=True) for n, group in enumerate(groups)]
        for speaker in speakers:
            await connect(server.address, speaker)
        with gateway(folder, server.address, cores[-1], guests + hostile) as (process, port):
            empty = process.resident()
            began = perf_counter()
            seated: list[tuple[asyncssh.SSHClientConnection, Guest]] = []
            for first in range(0, guests, 10):
                some = range(first, min(first + 10, guests))
                seated += await asyncio.gather(*(sit(port, number) for number in some))
            joined = perf_counter() - began
            speakers = speakers[: -(-guests // PLACES)]
            for speaker in speakers:
                speaker.group.dealing = False
                speaker.ask(t="deal")
            await asyncio.gather(*(guest.until(b"Your hand") for _, guest in seated))
            await asyncio.sleep(1)
            idle, cpu, at = process.resident(), process.cpu(), perf_counter()
            await asyncio.sleep(seconds / 2)
            idle_cpu = (process.cpu() - cpu) / (perf_counter() - at)
            evil = [asyncio.create_task(attack(port, number)) for number in range(hostile)]
            await asyncio.sleep(1 if evil else 0)
            for _, guest in seated:
                guest.bytes = 0
            cpu, at = process.cpu(), perf_counter()
            await talk(speakers, seated, seconds)
            cpu, spent = process.cpu() - cpu, perf_counter() - at
            await asyncio.sleep(0.5)
            late = sorted(1000 * each for _, guest in seated for each in guest.late)
            row = {
                "guests": guests,
                "join_s": round(joined, 2),
                "rss_empty_mib": round(empty / 1024, 1),
                "rss_idle_mib": round(idle / 1024, 1),
                "rss_mib": round(process.resident() / 1024, 1),
                "mib_per_guest": round((process.resident() - empty) / 1024 / guests, 2),
                "cpu_idle": round(idle_cpu, 3),
                "cpu": round(cpu / spent, 3),
                "updates_per_s": round(len(late) / spent / guests, 2),
                "out_kib_per_s": round(sum(guest.bytes for _, guest in seated) / spent / 1024, 1),
            }
            row["late_p50_ms"] = round(late[len(late) // 2], 1)
            row["late_p99_ms"] = round(late[int(len(late) * 0.99)], 1)
            for task in evil:
                task.cancel()
            await asyncio.gather(*evil, return_exceptions=True)
            for connection, _ in seated:
                connection.abort()
        for speaker in speakers:
            if speaker.errors:
                raise SystemExit(f"the server refused something: {speaker.errors[0]}")
            speaker.close()
    return row


async def talk(
    speakers: list[Speaker],
    seated: list[tuple[asyncssh.SSHClientConnection, Guest]],
    seconds: float,
) -> None:
    """Once a second each table hears a word; each from letters that the last had none of, so that
    all of it has to be drawn."""
    end, turn = perf_counter() + seconds, 0
    while perf_counter() < end:
        turn += 1
        letters = ("abcdefghijklm", "nopqrstuvwxyz")[turn % 2]
        pause = 1 / len(speakers)  # the tables of a server do not move in step either
        for number, speaker in enumerate(speakers):
            word = "".join(random.choices(letters, k=WORD))
            for _, guest in seated[number * PLACES : (number + 1) * PLACES]:
                guest.raw.clear()
                guest.word, guest.said_at = word.encode(), perf_counter()
            speaker.ask(t="chat", text=word)
            await asyncio.sleep(pause)


async def bench(counts: list[int], seconds: float, hostile: int) -> dict[str, Any]:
    """One row for each number of guests."""
    rows = []
    for guests in counts:
        say(f"{guests} guests")
        with tempfile.TemporaryDirectory() as name:
            rows.append(await measure(Path(name), guests, seconds, hostile))
    return {"screen": f"{COLUMNS}x{ROWS}", "hostile": hostile, "rows": rows}


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures the gateway for guests by ssh.")
    parser.add_argument("--guests", default="10,25,50", help="numbers of guests: 10,25,50")
    parser.add_argument("--seconds", type=float, default=10.0, help="of each measurement")
    parser.add_argument(
        "--hostile", type=int, default=0, metavar="N", help="as many do their worst"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    counts = [int(text) for text in given.guests.split(",")]
    found = asyncio.run(bench(counts, given.seconds, given.hostile))
    if given.json:
        print(json.dumps(found))
    else:
        show_rows(found["rows"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
