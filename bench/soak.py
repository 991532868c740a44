"""A bad night: tables of bots whose processes are killed, stopped and reset, among garbage.

    python bench/soak.py [--minutes 10] [--tables 60] [--json]

The bots (bench/guests.py) sit in a few processes, eight at each table, each process at all tables.
Every second or so one process is killed and started again, or stopped for a while, or resets its
connections, or strangers send random bytes. In the end the processes are left in peace, nobody
deals any more, and every hand must end. Counted are error lines and tracebacks of the server
(`unhandled`), hands that were played to their end, hands that did not end, and how the server's
resident memory grew in the second half, by least squares.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import msgpack
from load import HEADER, framed

from server import Server

HERE = Path(__file__).parent
SEATS = 8
PROCESSES = 4
LIMITS = {
    "connections": 2000,
    "grace_seconds": 2,
    "table_seconds": 60,
    "hello_seconds": 2,
    "connect_burst": 10_000,
    "connect_per_second": 10_000,
}
END_SECONDS = 90.0
"""How long the last hands may take."""


class Night:
    """One server, its guests, and what happens to them."""

    def __init__(self, folder: Path, tables: int, seed: int) -> None:
        self.folder, self.tables = folder, tables
        self.chance = random.Random(seed)
        self.log = folder / "server.log"
        self.guests: list[subprocess.Popen[str]] = []
        self.resident: list[tuple[float, int]] = []
        (folder / "tokens").mkdir()

    def start(self) -> None:
        """The server, then all guests."""
        config = self.folder / "server.toml"
        lines = ["[limits]", *(f"{key} = {value}" for key, value in LIMITS.items())]
        config.write_text("\n".join(lines) + "\n")
        command = [sys.executable, "-m", "dalmuti.server.cli", "--config", str(config)]
        command += ["--listen", "127.0.0.1:0", "--log-format", "json", "--bot-delay", "0.1"]
        command += ["--data", str(self.folder / "data")]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self.log.open("w"), text=True
        )
        assert process.stdout is not None
        self.server = Server(process, json.loads(process.stdout.readline()))
        self.guests = [self.guest(number) for number in range(PROCESSES)]

    def guest(self, number: int) -> subprocess.Popen[str]:
        """The process with every fourth seat."""
        places = map(str, range(number, self.tables * SEATS, PROCESSES))
        command = [sys.executable, str(HERE / "guests.py"), self.server.address]
        command += [str(self.folder / "tokens"), str(SEATS), *places]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        process.stdout.readline()
        return process

    async def trouble(self) -> None:
        """Something bad, by chance."""
        number = self.chance.randrange(PROCESSES)
        process = self.guests[number]
        match self.chance.choice(("kill", "stop", "reset", "reset", "garbage", "garbage")):
            case "kill":
                process.kill()
                process.wait()
                await asyncio.sleep(self.chance.uniform(0, 3))
                self.guests[number] = await asyncio.to_thread(self.guest, number)
            case "stop":
                process.send_signal(signal.SIGSTOP)
                await asyncio.sleep(self.chance.uniform(0, 4))
                process.send_signal(signal.SIGCONT)
            case "reset":
                process.send_signal(signal.SIGUSR1)
            case "garbage":
                await asyncio.to_thread(self.garbage)

    def garbage(self) -> None:
        """Strangers who send bytes, behind a hello or without."""
        host, _, port = self.server.address.rpartition(":")
        for _ in range(20):
            try:
                with socket.create_connection((host, int(port)), 2) as stranger:
                    if self.chance.random() < 0.5:
                        hello = {"t": "hello", "versions": [1, 1], "name": "Eve"}
                        stranger.sendall(framed(hello))
                    size = self.chance.choice((1, 50, 5000))
                    stranger.sendall(self.chance.randbytes(size))
            except OSError:
                continue

    async def last(self, seconds: float) -> None:
        """Trouble, and a look at the memory, for so long."""
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            await asyncio.sleep(min(self.chance.uniform(0.2, 2), max(0.1, seconds / 5)))
            await self.trouble()
            self.resident.append((time.monotonic(), self.server.resident()))

    async def unfinished(self) -> int:
        """Hands that do not end although nobody disturbs them."""
        for process in self.guests:
            process.send_signal(signal.SIGUSR2)
        ends = time.monotonic() + END_SECONDS
        while left := await asyncio.to_thread(self.hands_running):
            if time.monotonic() >= ends:
                break
            await asyncio.sleep(0.5)
        return left

    def hands_running(self) -> int:
        """How many tables the lobby shows in a hand."""
        host, _, port = self.server.address.rpartition(":")
        with socket.create_connection((host, int(port)), 10) as stranger:
            stranger.sendall(framed({"t": "hello", "versions": [1, 1], "name": "Watchman"}))
            stranger.sendall(framed({"t": "list", "id": 1}))
            reader = stranger.makefile("rb")
            while True:
                body = reader.read(HEADER.unpack(reader.read(4))[0])
                message = msgpack.unpackb(body)
                if message["t"] == "lobby":
                    tables = message.get("tables", [])
                    return sum(table["state"] == "hand" for table in tables)

    def slope(self) -> float:
        """KiB a minute in the second half."""
        late = self.resident[len(self.resident) // 2 :]
        if len(late) < 2 or late[0][0] == late[-1][0]:
            return 0.0
        times, sizes = zip(*late, strict=True)
        return 60 * statistics.linear_regression(times, sizes).slope

    def curve(self) -> list[int]:
        """The least resident KiB of each minute: what stays when a burst of messages is over."""
        begun = self.resident[0][0] if self.resident else 0.0
        minutes: dict[int, int] = {}
        for when, size in self.resident:
            minute = int((when - begun) // 60)
            minutes[minute] = min(size, minutes.get(minute, size))
        return list(minutes.values())

    def end(self) -> tuple[int, int]:
        """Stops everything; error lines of the server, and hands that were played."""
        for process in self.guests:
            process.kill()
            process.wait()
        died = self.server.process.poll() is not None
        self.server.process.terminate()
        try:
            code = self.server.process.wait(20)
        except subprocess.TimeoutExpired:
            self.server.process.kill()
            code = self.server.process.wait()
        lines = self.log.read_text().splitlines()
        bad = sum(line.startswith("Traceback") or '"level": "error"' in line for line in lines)
        for line in lines:
            if '"level": "error"' in line:
                print(line, file=sys.stderr)
        hands = sum('"event": "hand_over"' in line for line in lines)
        return bad + died + (code != 0), hands


async def soak(minutes: float, tables: int, seed: int) -> dict[str, Any]:
    """The whole night."""
    with tempfile.TemporaryDirectory() as name:
        night = Night(Path(name), tables, seed)
        try:
            night.start()
            await night.last(60 * minutes)
            left = await night.unfinished()
        finally:
            unhandled, hands = night.end()
    return {
        "unhandled": unhandled,
        "hands": hands,
        "unfinished": left,
        "rss_kib_per_minute": round(night.slope(), 1),
        "rss_kib_by_minute": night.curve(),
        "rss_kib": night.resident[-1][1] if night.resident else 0,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description="Plays among kills, stops, resets and garbage.")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--tables", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    found = asyncio.run(soak(given.minutes, given.tables, given.seed))
    if given.json:
        print(json.dumps(found))
    else:
        for key, value in found.items():
            print(f"{key}: {value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
