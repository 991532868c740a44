"""`dalmuti bot`: bots of one kind at one table, all on one Trio loop."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from typing import Final

import trio

from dalmuti.client import out
from dalmuti.client.bot import Bot
from dalmuti.client.bots.faults import Faults
from dalmuti.client.bots.player import Player
from dalmuti.client.link import tcp
from dalmuti.client.seats import Seat, SeatFile
from dalmuti.client.session import Ended, Held, LadderName, Session
from dalmuti.client.trust import Trust
from dalmuti.protocol.messages import JoinTable
from dalmuti.protocol.text import cut

FAULTY: Final = 1
"""The exit code when all went well, but for something that a bot did wrong."""
Claim = tuple[SeatFile, Seat | None]
"""A file for a seat, and the seat that is in it."""


def seat_bots(
    bots: Sequence[Bot],
    name: str,
    host: str,
    port: int,
    *,
    table: str | None,
    password: str | None,
    delay: float,
    number_name: bool,
    trust: Trust | None = None,
    claim: Callable[[], Claim | None] = lambda: None,
    seed: int | None = None,
    strict: bool = False,
    threaded: bool = False,
    ladder: Callable[[str], LadderName] | None = None,
) -> int:
    """Plays these bots until they have left. Returns the exit code: the worst that happened.

    A bot that was illegal, late, or crashed makes it FAULTY where it would be 0.

    With a `trust` they connect over TLS. `claim` gives each a file for its seat, and the seat that
    an earlier bot, which was killed, still holds (server.md I-22). The first bot begins with
    `seed`, the next with `seed + 1`, and so on. With a `ladder`, which has the keys of our names,
    they enlist there instead, each under a name of its own.
    """
    entry = JoinTable(id=0, table=table or "?", password=password)

    def note() -> str:
        if trust is not None and (text := trust.note()):
            complain(text)
        return ""

    claims = [None if ladder else claim() for _ in bots]
    names = [name, *(cut(name, 18 - n // 10, "") + f"-{n}" for n in range(2, len(bots) + 1))]
    seats = [each[1] if each else None for each in claims]
    sessions = [
        Session(
            tcp(host, port) if trust is None else trust.connect,
            note=note,
            name=seat.name if seat else name,
            number_name=number_name,
            held=Held(seat.table, seat.token, seat.name) if seat else None,
            store=each[0] if each else None,
            address=f"{host}:{port}",
            kind="bot",
            strict=strict,
            password=password,
            entry=entry if table and not ladder else None,
            join_only=None if table or ladder else entry,
            ladder=ladder(rated) if ladder else None,
        )
        for each, seat, rated in zip(claims, seats, names, strict=True)
    ]
    ends: list[Ended] = []
    caught: list[int] = []
    faults = Faults(complain)

    players = [
        Player(
            session,
            bot,
            delay=delay,
            faults=faults,
            news=out.say,
            seed=None if seed is None else seed + number,
            threaded=threaded,
        )
        for number, (session, bot) in enumerate(zip(sessions, bots, strict=True))
    ]

    async def one(player: Player) -> None:
        ended = await player.run()
        ends.append(ended)
        name = player.session.name
        if ended.text and not caught:
            complain(f"{name}: {ended.text}")

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
                for player in players:
                    playing.start_soon(one, player)
            waiting.cancel_scope.cancel()

    try:
        trio.run(all_of_them)
    finally:
        for each in claims:
            if each is not None:
                each[0].close()
    for line in faults.summary():
        complain(line)
    faulty = [player for player in players if player.wrong]
    for player in faulty:
        complain(
            f"{player.session.name}: {player.illegal} illegal, {player.late} late and"
            f" {player.crashed} crashed; it was asked for {out.counted(player.asked, 'decision')}."
            " Where one was due, the default was taken."
        )
    if caught:
        return 128 + caught[0]
    code = max((ended.code for ended in ends), default=0)
    if code == 0 and faulty:
        complain(f"the exit code is {FAULTY}, since not all was well with the bot")
        return FAULTY
    return code


def complain(text: str) -> None:
    """One line on standard error."""
    out.complain(f"dalmuti bot: {text}")
