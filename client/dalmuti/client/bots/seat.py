"""`dalmuti bot`: bots of one kind at one table, all on one Trio loop."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable

import trio

from dalmuti.client.bot import Bot, Player
from dalmuti.client.link import tcp
from dalmuti.client.session import Ended, Session
from dalmuti.protocol.messages import JoinTable
from dalmuti.protocol.text import safe_text


def seat_bots(
    make: Callable[[], Bot],
    name: str,
    host: str,
    port: int,
    *,
    count: int,
    table: str | None,
    password: str | None,
    delay: float,
    number_name: bool,
) -> int:
    """Plays `count` bots until they have left. Returns the exit code: the worst that happened."""
    entry = JoinTable(id=0, table=table or "?", password=password)
    sessions = [
        Session(
            tcp(host, port),
            name=name,
            number_name=number_name,
            address=f"{host}:{port}",
            kind="bot",
            password=password,
            entry=entry if table else None,
            join_only=None if table else entry,
        )
        for _ in range(count)
    ]
    ends: list[Ended] = []
    caught: list[int] = []

    async def one(session: Session) -> None:
        ended = await Player(session, make(), delay=delay, report=complain, news=tell).run()
        ends.append(ended)
        if ended.text and not caught:
            complain(f"{session.name}: {ended.text}")

    async def stop_on_signal(nursery: trio.Nursery) -> None:
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async for number in signals:
                if caught:
                    nursery.cancel_scope.cancel()
                caught.append(int(number))
                for session in sessions:
                    session.close(leave=True)

    async def all_of_them() -> None:
        async with trio.open_nursery() as waiting:
            waiting.start_soon(stop_on_signal, waiting)
            async with trio.open_nursery() as playing:
                for session in sessions:
                    playing.start_soon(one, session)
            waiting.cancel_scope.cancel()

    trio.run(all_of_them)
    return 128 + caught[0] if caught else max((ended.code for ended in ends), default=0)


def tell(text: str) -> None:
    """One line on standard output."""
    print(safe_text(text), flush=True)


def complain(text: str) -> None:
    """One line on standard error."""
    print(f"dalmuti bot: {safe_text(text)}", file=sys.stderr, flush=True)
