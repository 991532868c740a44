"""How fast the server is, and how much memory it takes, over real TCP from a second process.

    python bench/server.py [--tables 1,10,50,200] [--seconds 5] [--rounds 2] [--json]

Tables of six bots that answer at once play as fast as they can; for each number of tables, with and
without journal, it counts the plays that all six have heard of, and the time from sending an answer
until the last of them heard. Beside it, in the same run, the ceiling: `bare.py`, a Trio server that
moves the same frames with no game behind it. They take turns, and of each the best round counts, as
other programs only ever take time away. Ratios of one run on one machine mean something; the
absolute numbers are of this machine, which the bots share.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from load import Group, Results, framed, seat

HERE = Path(__file__).parent
SEATS = 6
LIMITS = {"connections": 10_000, "tables": 1000, "write_seconds": 60, "log_seconds": 3600}
"""Nothing that plays by the rules meets any other limit."""
WARM_SECONDS = 1.0


class Server:
    """A server process, and what the system knows of it."""

    def __init__(self, process: subprocess.Popen[str], told: dict[str, Any]) -> None:
        self.process, self.told = process, told
        self.address: str = told.get("addresses", [""])[0]

    def cpu(self) -> float:
        """Seconds of processor time so far, all threads together."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident(self) -> int:
        """Resident memory in KiB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0])


@contextmanager
def running(*command: str) -> Iterator[Server]:
    """A process that says where it listens on its first line."""
    process = subprocess.Popen(
        [sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout is not None
        yield Server(process, json.loads(process.stdout.readline()))
    finally:
        process.kill()
        process.wait()


@contextmanager
def serving(folder: Path, journal: bool) -> Iterator[Server]:
    """The real server."""
    config = folder / "server.toml"
    lines = ["[limits]", *(f"{key} = {value}" for key, value in LIMITS.items())]
    config.write_text("\n".join(lines) + "\n")
    command = ["-m", "dalmuti.server.cli", "--config", str(config), "--listen", "127.0.0.1:0"]
    command += ["--log-format", "json", "--bot-delay", "0"]
    with tempfile.TemporaryDirectory(dir=folder) as data:
        with running(*command, *(["--data", data] if journal else [])) as server:
            yield server


@contextmanager
def bare(folder: Path, samples: dict[str, Any]) -> Iterator[Server]:
    """The server with no game behind it."""
    file = folder / "frames.json"
    file.write_text(json.dumps(samples))
    with running(str(HERE / "bare.py"), str(SEATS), str(file)) as server:
        yield server


@dataclass
class Measured:
    """What one server did for a while."""

    results: Results
    seconds: float
    cost: float
    """Processor time of the server for a play, in seconds."""

    @property
    def rate(self) -> float:
        """Plays a second."""
        return self.results.plays / self.seconds


async def measure(server: Server, tables: int, seconds: float, stalled: bool = False) -> Measured:
    """Plays for a while."""
    results = Results()
    groups = await seat(server.address, tables, SEATS, results)
    idlers = [stall(server.address, bots[0].group) for bots in groups] if stalled else []
    await asyncio.sleep(0.5 if stalled else 0)
    for bots in groups:
        bots[0].ask(t="deal")
    await asyncio.sleep(min(WARM_SECONDS, seconds))
    results.on, before, began = True, server.cpu(), time.perf_counter()
    await asyncio.sleep(seconds)
    results.on = False
    spent, cost = time.perf_counter() - began, server.cpu() - before
    for bot in (bot for bots in groups for bot in bots):
        if bot.errors:
            raise SystemExit(f"the server refused something: {bot.errors[0]}")
        bot.close()
    for idler in idlers:
        idler.close()
    return Measured(results, spent, cost / max(1, results.plays))


def stall(address: str, group: Group) -> socket.socket:
    """Somebody who watches and never reads, with the smallest buffer there is."""
    host, _, port = address.rpartition(":")
    idler = socket.socket()
    idler.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    idler.connect((host, int(port)))
    idler.sendall(framed({"t": "hello", "versions": [1, 1], "name": f"S{group.name[6:]}"}))
    idler.sendall(framed({"t": "join", "id": 1, "table": group.name, "watch": True}))
    return idler


async def resident(folder: Path, tables: int, seats: int) -> int:
    """KiB of a server after so many tables of so many bots have each played a hand."""
    with serving(folder, journal=False) as server:
        results = Results()
        groups = await seat(server.address, tables, seats, results)
        for bots in groups:
            bots[0].group.dealing = False
            bots[0].ask(t="deal")
        while any(bots[0].group.hands < 1 for bots in groups):  # noqa: ASYNC110  # groups tell nobody
            await asyncio.sleep(0.1)
        await asyncio.sleep(0.5)
        kib = server.resident()
        for bot in (bot for bots in groups for bot in bots):
            bot.close()
    return kib


async def memory(folder: Path, tables: int) -> tuple[float, float]:
    """KiB for each seated connection, and for each table beside its connections."""
    one = await resident(folder, 1, 2)
    few, many = await resident(folder, tables, 2), await resident(folder, tables, 10)
    connection = (many - few) / (tables * 8)
    return connection, (few - one) / (tables - 1) - 2 * connection


async def bench(counts: list[int], seconds: float, rounds: int) -> dict[str, Any]:
    """Everything, one after the other; what is compared runs in turns."""
    rows: list[dict[str, Any]] = []
    costs: dict[str, dict[int, float]] = {"journal": {}, "ceiling": {}}
    most = 50 if 50 in counts else counts[-1]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for tables in counts:
            say(f"{tables} tables")
            found: dict[str, list[Measured]] = {"plain": [], "ceiling": [], "journal": []}
            for _ in range(rounds):
                with serving(folder, journal=False) as server:
                    found["plain"].append(await measure(server, tables, seconds))
                with bare(folder, found["plain"][-1].results.frames) as server:
                    found["ceiling"].append(await measure(server, tables, seconds))
                with serving(folder, journal=True) as server:
                    found["journal"].append(await measure(server, tables, seconds))
            top = {kind: max(each, key=lambda one: one.rate) for kind, each in found.items()}
            for kind, cost in costs.items():
                cost[tables] = min(each.cost for each in found[kind])
            for kind in ("plain", "journal"):
                rows.append(row(tables, kind == "journal", top[kind], top["ceiling"]))
        say(f"{most} tables with a stalled client each")
        with serving(folder, journal=True) as server:
            stalled = await measure(server, most, seconds, stalled=True)
        say("memory")
        per_connection, per_table = await memory(folder, 60 if most >= 10 else 10)
    usual = next(each for each in rows if each["tables"] == most and each["journal"])
    p99 = stalled.results.quantile(0.99)
    return {
        "rows": rows,
        "cost_200_over_10": growth(costs["journal"]),
        "ceiling_200_over_10": growth(costs["ceiling"]),
        "kib_per_connection": round(per_connection, 1),
        "kib_per_table": round(per_table, 1),
        "p99_stalled_ratio": round(p99 / max(usual["p99_ms"], 0.001), 3),
    }


def growth(costs: dict[int, float]) -> float | None:
    """What a play costs at 200 tables, by what it costs at 10; None where these are not measured.

    The ceiling has one too, since a processor's caches hold ten tables and not two hundred.
    """
    return round(costs[200] / costs[10], 3) if {10, 200} <= costs.keys() else None


def row(tables: int, journal: bool, found: Measured, ceiling: Measured) -> dict[str, Any]:
    """One line of the table."""
    return {
        "tables": tables,
        "seats": SEATS,
        "journal": journal,
        "plays_per_s": round(found.rate, 1),
        "ceiling_per_s": round(ceiling.rate, 1),
        "ceiling_ratio": round(found.rate / max(ceiling.rate, 0.001), 3),
        "cpu_us": round(found.cost * 1e6, 1),
        "ceiling_cpu_us": round(ceiling.cost * 1e6, 1),
        "p50_ms": round(found.results.quantile(0.5), 2),
        "p99_ms": round(found.results.quantile(0.99), 2),
    }


def show(found: dict[str, Any]) -> None:
    """The table for people."""
    show_rows(found["rows"])
    for key, value in found.items():
        if key != "rows":
            print(f"{key}: {value}")


def show_rows(rows: list[dict[str, Any]]) -> None:
    """Rows with their keys above them."""
    keys = list(rows[0])
    print("  ".join(f"{key:>15}" for key in keys))
    for each in rows:
        print("  ".join(f"{each[key]!s:>15}" for key in keys))


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures the server over TCP.")
    parser.add_argument("--tables", default="1,10,50,200", help="numbers of tables: 1,10,50,200")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=2, help="of which the best counts")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    counts = [int(text) for text in given.tables.split(",")]
    found = asyncio.run(bench(counts, given.seconds, given.rounds))
    if given.json:
        print(json.dumps(found))
    else:
        show(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
