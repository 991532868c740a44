"""The house: one process that plays all house bots of a server, as ordinary clients.

The server starts `python -m dalmuti.client.bots.house` and writes one JSON object a line:

    {"address": "127.0.0.1:12013", "table": "Kitchen", "bot": "greedy", "name": "Bea",
     "ticket": "...", "delay": 0.8}

Each makes one bot connect over TCP and sit down with its ticket. Nothing else comes from the
server but what it tells any client in that seat. The process ends when its input does. What goes
wrong is one line on standard error, without any card: who runs the server plays as well (I4).
"""

from __future__ import annotations

import random
import signal
import sys

import msgspec
import trio
from msgspec import Struct

from dalmuti.client import out
from dalmuti.client.bots.load import BotError, load_bot
from dalmuti.client.bots.player import Player
from dalmuti.client.link import tcp
from dalmuti.client.session import Session
from dalmuti.protocol.messages import JoinTable


class Job(Struct, frozen=True, kw_only=True):
    """One bot at one table."""

    address: str
    table: str
    bot: str
    name: str
    ticket: str
    delay: float = 0.0
    password: str | None = None
    """The server's, where it has one."""


async def play(job: Job) -> None:
    """One bot from its first connection to its last; nothing that it does ends the others."""
    try:
        host, _, port = job.address.rpartition(":")
        session = Session(
            tcp(host.strip("[]"), int(port)),
            name=job.name,
            address=job.address,
            kind="bot",
            password=job.password,
            entry=JoinTable(id=0, table=job.table, ticket=job.ticket),
        )
        player = Player(session, load_bot(job.bot)(), delay=job.delay, chance=random.Random())
        ended = await player.run()
        if ended.code:
            complain(f"{job.name} at {job.table}: {ended.text}")
        if player.wrong:
            complain(f"{job.name} at {job.table}: {out.counted(player.wrong, 'fault')}")
    except BotError as error:
        complain(f"{job.name} at {job.table}: {error}")
    except Exception as error:  # a bug in one bot is not the end of the house
        complain(f"{job.name} at {job.table}: {type(error).__name__}")


def complain(text: str) -> None:
    """One line for the server's log."""
    out.complain(text)


async def house() -> None:
    """Takes jobs until the input ends, then drops everything."""
    async with trio.open_nursery() as nursery:
        while line := await trio.to_thread.run_sync(
            sys.stdin.buffer.readline, abandon_on_cancel=True
        ):
            try:
                job = msgspec.json.decode(line, type=Job)
            except msgspec.DecodeError as error:
                complain(f"this is no job: {error}")
                continue
            nursery.start_soon(play, job)
        nursery.cancel_scope.cancel()


def main() -> None:
    """Ctrl-C at the terminal is for the server, which then closes our input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    trio.run(house)


if __name__ == "__main__":
    main()
