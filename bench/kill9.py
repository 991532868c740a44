"""Kills a server again and again, and looks for what it lost or did twice (server.md I-87).

    python bench/kill9.py [--kills N] [--tables T] [--seats S] [--seed X] [--json]

A server with a data folder runs as a child process; here are its clients, all of them the library
that `dalmuti bot` uses, which come back by themselves. Each writes down which of its answers were
acknowledged and every move it was told of. The server is killed (SIGKILL) at random moments, at
some of them while it is still starting, and started again on the same folder. At the end the
transcripts must tell the same story: every acknowledged answer and every move that anyone heard of
is in them, no answer is in them twice, and every deal is proved.

`lost` counts answers, moves and seats that are missing, `doubled` moves that nobody sent,
`unverified` hands that do not verify. Exits with 0 whatever the figures.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import trio
from msgspec import Struct

from dalmuti.client import session as sessions
from dalmuti.client.link import tcp
from dalmuti.client.model import Input, Model, reduce
from dalmuti.client.session import Ended, Session
from dalmuti.core.events import Passed, Played
from dalmuti.core.match import Began, Match, Moved
from dalmuti.core.moves import PASS, Call, Decline, Move
from dalmuti.core.record import Record, loads, steps, verify
from dalmuti.protocol import messages as msg

PATIENCE = 60.0
"""Seconds in which every table must have gone on after a restart."""


class Answer(Struct):
    """The last answer to one decision; an earlier one was not taken, or we were not asked again."""

    hand: int
    choice: Move
    known: bool = False
    """Whether the server acknowledged it."""


class Client:
    """A bot that answers at once, by chance, and keeps account."""

    def __init__(self, name: str, port: int, entry: Any, seats: int, chance: random.Random) -> None:
        self.session = Session(
            tcp("127.0.0.1", port), name=name, kind="bot", entry=entry, chance=chance
        )
        self.dealing = True
        self.player = 0
        self.answers: dict[int, Answer] = {}
        self.heard: dict[int, list[tuple[int, Move]]] = defaultdict(list)
        """Moves that it was told of, by hand: player and move."""
        self.known = 0
        """How many of its answers were acknowledged."""
        self.backwards = 0
        """How often the table stood before what it had been told."""
        self.ended: Ended | None = None
        self.model = Model()
        self._seats, self._chance = seats, chance
        self._sent: dict[int, int] = {}
        self._asked_to_deal = -1
        self._seq = 0

    async def run(self) -> None:
        self.ended = await self.session.run(self.hear)

    @property
    def in_hand(self) -> bool:
        table = self.model.table
        return table is not None and table.state == "hand"

    def hear(self, message: Input) -> None:
        """Takes what the session says."""
        before = self.model.table
        self.model = reduce(self.model, message, trio.current_time())
        match message:
            case msg.Seated():
                self.player = message.player
            case msg.Snapshot():
                self.backwards += message.seq < self._seq
                self._seq = message.seq
                self._asked_to_deal = -1
            case msg.EventMessage():
                self._seq = message.seq
                if isinstance(message.event, Played | Passed):
                    assert before is not None and before.hand is not None
                    event, hand = message.event, before.hand
                    move: Move = PASS if isinstance(event, Passed) else event.play
                    self.heard[hand.number].append((hand.order[event.seat], move))
            case msg.Decision():
                choice = self._chance.choice(message.choices)
                self.session.request(msg.Act, decision=message.decision, choice=choice)
            case msg.Act():
                self._note(message)
            case msg.Ok() if message.re in self._sent:
                self.answers[self._sent.pop(message.re)].known = True
                self.known += 1
            case _:
                pass
        self._maybe_deal()

    def _note(self, act: msg.Act) -> None:
        table = self.model.table
        assert table is not None and table.hand is not None
        self._sent[act.id] = act.decision
        self.answers[act.decision] = Answer(table.hand.number, act.choice)

    def _maybe_deal(self) -> None:
        table = self.model.table
        if not self.dealing or table is None or table.you is None or table.host != table.you:
            return
        ready = table.state != "hand" and table.next_commitment
        if ready and len(table.order) == self._seats and self._asked_to_deal != table.next_hand:
            self._asked_to_deal = table.next_hand
            self.session.request(msg.Deal)


class Server:
    """The child process."""

    def __init__(self, folder: Path) -> None:
        self.port = 0
        self._folder = folder
        self._process: trio.Process | None = None

    async def start(self) -> None:
        """Starts it; returns at once."""
        command = [sys.executable, "-m", "dalmuti.server.cli", "--data", str(self._folder)]
        command += ["--listen", f"127.0.0.1:{self.port}", "--bot-delay", "0"]
        self._process = await trio.lowlevel.open_process(
            [*command, "--log-format", "json"],
            stdout=subprocess.PIPE,
            stderr=(self._folder / "log").open("ab"),
        )

    async def listening(self) -> None:
        """Waits until it listens."""
        assert self._process is not None and self._process.stdout is not None
        line = b""
        with trio.fail_after(PATIENCE):
            while not line.endswith(b"\n"):
                some = await self._process.stdout.receive_some(1000)
                if not some:
                    raise SystemExit(f"the server does not start; see {self._folder / 'log'}")
                line += some
        self.port = int(json.loads(line)["addresses"][0].rpartition(":")[2])

    async def kill(self) -> None:
        """SIGKILL."""
        assert self._process is not None
        self._process.kill()
        await self._gone()

    async def stop(self) -> int:
        """SIGTERM; returns what it exits with."""
        assert self._process is not None
        self._process.terminate()
        return await self._gone()

    async def _gone(self) -> int:
        assert self._process is not None
        with trio.fail_after(PATIENCE):
            code = await self._process.wait()
        if self._process.stdout is not None:
            await self._process.stdout.aclose()
        return code


class Run:
    """One run of the program. `tables` by name."""

    def __init__(self, tables: int, seats: int, seed: int, folder: Path) -> None:
        self.server = Server(folder)
        self.folder = folder
        self.chance = random.Random(seed)
        self.names = [f"Table {number}" for number in range(1, tables + 1)]
        self.seats = seats
        self.clients: dict[str, list[Client]] = {}

    async def play(self, kills: int) -> None:
        """Everything but the count."""
        await self.server.start()
        await self.server.listening()
        async with trio.open_nursery() as nursery:
            for name in self.names:
                await self._seat(name, nursery)
            await self._all_go_on()
            for number in range(1, kills + 1):
                await self._kill()
                if number % 10 == 0 or number == kills:
                    print(f"killed {number} times", file=sys.stderr, flush=True)
            await self._finish()
        code = await self.server.stop()
        if code:
            print(f"the server ended with {code}", file=sys.stderr)

    async def _seat(self, table: str, nursery: trio.Nursery) -> None:
        seated = self.clients[table] = []
        for number in range(1, self.seats + 1):
            entry: Any = msg.JoinTable(id=0, table=table)
            if number == 1:
                entry = msg.CreateTable(id=0, table=table, options={"seats": self.seats})
            name = f"Bot {table.removeprefix('Table ')}.{number}"
            chance = random.Random(self.chance.random())
            client = Client(name, self.server.port, entry, self.seats, chance)
            seated.append(client)
            nursery.start_soon(client.run)
            await _until(lambda client=client: client.model.table or client.ended)

    async def _kill(self) -> None:
        """Lets it play for a moment and kills it, one time in five again while it starts."""
        await trio.sleep(self.chance.uniform(0, 0.5))
        await self.server.kill()
        while self.chance.random() < 0.2:
            await self.server.start()
            await trio.sleep(self.chance.uniform(0, 1))
            await self.server.kill()
        await self.server.start()
        await self.server.listening()
        await self._all_go_on()

    async def _all_go_on(self) -> None:
        """Waits until at every table someone was acknowledged anew."""
        before = {name: self._acknowledged(name) for name in self.names}
        for name in self.names:
            await _until(lambda name=name: self._acknowledged(name) > before[name])

    def _acknowledged(self, table: str) -> int:
        for client in self.clients[table]:
            if client.ended is not None:
                raise SystemExit(f"a client at {table} was sent away: {client.ended.text}")
        return sum(client.known for client in self.clients[table])

    async def _finish(self) -> None:
        """The hands that are played are played to their end; then everybody leaves."""
        everyone = [client for clients in self.clients.values() for client in clients]
        for client in everyone:
            client.dealing = False
        for client in everyone:
            await _until(lambda client=client: not client.in_hand)
        for client in everyone:
            client.session.close(leave=True)

    # -- the count ----------------------------------------------------------------------------

    def count(self) -> dict[str, int]:
        """Compares what the clients were told with the transcripts."""
        found = {"lost": 0, "doubled": 0, "unverified": 0, "hands": 0, "moves": 0}
        records: dict[str, Record] = {}
        for path in sorted((self.folder / "matches").glob("*.txt")):
            record = loads(path.read_text(encoding="utf-8"))
            found["doubled"] += record.table in records
            records[record.table] = record
        for name, clients in self.clients.items():
            found["lost"] += sum(client.backwards for client in clients)
            told = max((max(client.heard, default=0) for client in clients), default=0)
            if name not in records:
                found["lost"] += told
                continue
            verdicts = verify(records[name])
            found["hands"] += len(verdicts)
            found["unverified"] += sum(not v.ok or not v.proved for v in verdicts)
            moves = moves_of(records[name])
            found["moves"] += sum(map(len, moves.values()))
            for client in clients:
                lost, doubled = _compare(client, moves)
                found["lost"] += lost
                found["doubled"] += doubled
        return found


def moves_of(record: Record) -> dict[int, list[tuple[int, Moved]]]:
    """Every move by hand, with the player who made it."""
    moves: dict[int, list[tuple[int, Moved]]] = defaultdict(list)
    match, hand = Match(record.options), 0
    played = steps(record, match)
    for entry in record.entries:
        if isinstance(entry, Moved):
            moves[hand].append((match.order[entry.seat], entry))
        next(played)
        if isinstance(entry, Began):
            hand = entry.hand
    return moves


def _compare(client: Client, moves: dict[int, list[tuple[int, Moved]]]) -> tuple[int, int]:
    """How many answers and moves of one client are not in the transcript, and how many too many."""
    lost = doubled = 0
    for hand in {answer.hand for answer in client.answers.values()} | set(moves):
        made = [
            entry.move
            for player, entry in moves[hand]
            if player == client.player and entry.by == "player"
        ]
        called = any(isinstance(entry.move, Call) for _, entry in moves[hand])
        at = 0
        for _, answer in sorted(client.answers.items()):
            if answer.hand != hand:
                continue
            if at < len(made) and made[at] == answer.choice:
                at += 1
            elif answer.known and not (called and isinstance(answer.choice, Decline)):
                lost += 1  # a call ends the window, and who had declined stays under seal
        doubled += len(made) - at
    for hand, heard in client.heard.items():
        public = iter([(player, entry.move) for player, entry in moves[hand]])
        lost += sum(each not in public for each in heard)  # in this order, with gaps
    return lost, doubled


async def _until(condition: Any) -> None:
    with trio.fail_after(PATIENCE):
        while not condition():  # noqa: ASYNC110 (the clients tell nobody what they wait for)
            await trio.sleep(0.005)


def main(arguments: list[str] | None = None) -> int:
    """Runs the program."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    sessions.FIRST_DELAY, sessions.LAST_DELAY = 0.05, 0.4  # people can wait longer
    with tempfile.TemporaryDirectory(prefix="dalmuti-kill9-") as folder:
        run = Run(given.tables, given.seats, given.seed, Path(folder))
        trio.run(run.play, given.kills)
        found = {"kills": given.kills, **run.count()}
    if given.json:
        print(json.dumps(found))
    else:
        for key, value in found.items():
            print(f"{key:>12} {value:8}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
