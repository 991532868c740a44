"""What a check of a server stands on: callers with names of their own, and tables that go again.

A server may have strangers on it, so all that a visit does is at its own tables, whose names say
what they are for, and everybody leaves at the end. Names are drawn for each visit, so that visits
side by side, or one after another that was cut short, are not in each other's way.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import count
from typing import Any, Final

import trio
from msgspec import Struct

from dalmuti.client.commands.parts import NO_CONNECTION, OK, REFUSED
from dalmuti.client.conform import wire
from dalmuti.client.conform.caller import ANSWER_SECONDS, Caller
from dalmuti.client.conform.checks import Evidence, Failed, Skipped
from dalmuti.client.conform.encrypted import encrypted
from dalmuti.client.link import Over
from dalmuti.client.trust import Trust
from dalmuti.client.words.troubles import no_server, silent, unreachable
from dalmuti.core import events as ev
from dalmuti.core.events import Event
from dalmuti.protocol import messages as msg
from dalmuti.protocol.errors import LocalProtocolError
from dalmuti.protocol.text import safe_text

LEAVE_SECONDS: Final = 3.0
CROWDED_SECONDS: Final = (0.5, 1, 2, 4, 8)
CONNECT_SECONDS: Final = 8.0


class Place(Struct, frozen=True):
    """A server, and what it wants to know of everybody."""

    host: str
    port: int
    password: str | None = None
    trust: Trust | None = None
    """Whom to trust, where the server is reached with TLS."""

    async def connect(self, room: int = 0) -> Caller:
        """A connection on which nothing was said. Raises Failed.

        With `room` about so many bytes wait on our side for one who does not read; not with TLS.
        """
        try:
            with trio.fail_after(CONNECT_SECONDS):
                if self.trust is not None:
                    return Caller(await encrypted(self.trust))
                if room:
                    return Caller(await _narrow(self.host, self.port, room))
                return Caller(await trio.open_tcp_stream(self.host, self.port))
        except (trio.TooSlowError, TimeoutError):
            raise Failed(f"nobody answers within {CONNECT_SECONDS:g} s") from None
        except Over as error:
            raise Failed(str(error).removesuffix(".")) from None
        except OSError as error:
            raise Failed(unreachable(f"{self.host}:{self.port}", error).removesuffix(".")) from None

    async def greeted(self) -> tuple[str, int]:
        """Why nobody gets in here, a sentence without its dot, and an exit code; "" if one does."""
        caller: Caller | None = None
        try:
            caller = await self.connect()
            await caller.hello(_name(), kind="bot", password=self.password)
        except Failed as failed:
            if caller is None:
                return str(failed), NO_CONNECTION
            if caller.bye is None:
                return self._instead(caller, failed).removesuffix("."), NO_CONNECTION
            text = safe_text(caller.bye.message or caller.bye.reason).removesuffix(".")
            return f"the server does not let us in: {text}", REFUSED
        finally:
            if caller is not None:
                await caller.close()
        return "", OK

    def _instead(self, caller: Caller, failed: Failed) -> str:
        """What it may be that does not greet a caller."""
        where = f"{self.host}:{self.port}"
        if caller.first:
            return no_server(where, caller.first, str(failed))
        if caller.ended:
            return str(failed)
        return silent(where, ANSWER_SECONDS, with_password=self.password is not None)


class Visit:
    """The surroundings of one check of a server."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._callers: list[Caller] = []
        self._tables = count(1)
        self._stem = _name()

    @property
    def waits_for(self) -> str:
        """What the last caller waits for."""
        return next((each.waits_for for each in reversed(self._callers) if each.waits_for), "")

    @property
    def warnings(self) -> tuple[str, ...]:
        """None: a server may say more than the protocol has."""
        return ()

    async def evidence(self) -> Evidence:
        """What any of the callers had sent last."""
        sent = [each.sent for each in self._callers if each.sent]
        latest = max(sent, key=lambda each: each[-1][0], default=())
        return Evidence(wire.last_of([what for _, what in latest]))

    async def connect(self, room: int = 0) -> Caller:
        """A connection on which nothing was said; `room` as in `Place`."""
        caller = await self.place.connect(room)
        self._callers.append(caller)
        return caller

    async def caller(self, room: int = 0, **fields: Any) -> Caller:
        """Somebody who is welcome. Where a server has too many at once it is tried again."""
        given = {"kind": "bot", "password": self.place.password, **fields}
        name = given.pop("name", self.person_name())
        for wait in CROWDED_SECONDS:
            caller = await self.connect(room)
            if await caller.is_welcome(name, **given):
                return caller
            await trio.sleep(wait)
        raise Skipped("the server takes no more connections now")

    @staticmethod
    def person_name() -> str:
        """A name that nobody has yet."""
        return _name()

    def table_name(self) -> str:
        """The name of a table that nobody has yet."""
        return f"{self._stem} {next(self._tables)}"

    async def table(
        self,
        people: int,
        *,
        watchers: int = 0,
        fields: dict[str, Any] | None = None,
        **options: Any,
    ) -> list[Caller]:
        """A table with so many, the first as host, and who watches behind them.

        Nobody waits for a clock unless it is asked for.
        """
        name = self.table_name()
        callers = [await self.caller() for _ in range(people + watchers)]
        given = {"seats": max(2, people), "turn_seconds": 0, **options}
        await callers[0].must(msg.CreateTable, table=name, options=given, **(fields or {}))
        for at, caller in enumerate(callers[1:], start=1):
            await caller.must(msg.JoinTable, table=name, watch=at >= people)
        for caller in callers:
            while caller.view is None:
                await caller.receive("`snapshot`")
        return callers

    async def meanwhile(self, callers: Sequence[Caller], until: type[Event] = ev.HandEnded) -> None:
        """Everybody plays, or looks on, until something happens."""
        async with trio.open_nursery() as nursery:
            for caller in callers:
                nursery.start_soon(caller.play, until)

    async def hand(self, callers: Sequence[Caller], until: type[Event] = ev.HandEnded) -> None:
        """The first of them deals, and a hand is played."""
        await callers[0].must(msg.Deal)
        await self.meanwhile(callers, until)

    async def back(self, caller: Caller, *, seq: int | None = None, **fields: Any) -> Caller:
        """A new connection that resumes the seat of `caller`, whose last event was `seq`."""
        again = await self.caller()
        assert caller.view is not None and caller.welcome is not None
        if seq is not None:
            again.view, again.seq = caller.view, seq
        given = {
            "table": caller.view.table,
            "token": caller.token,
            "seq": seq,
            "instance": caller.welcome.instance if seq is not None else None,
            **fields,
        }
        await again.must(msg.Resume, **given)
        await again.hear(msg.Seated)
        return again

    async def leave(self) -> None:
        """Everybody goes for good, so that nothing of this visit stays."""
        with trio.move_on_after(LEAVE_SECONDS):
            async with trio.open_nursery() as nursery:
                for caller in self._callers:
                    nursery.start_soon(_say_goodbye, caller)
        for caller in self._callers:
            await caller.close()


async def _say_goodbye(caller: Caller) -> None:
    if caller.ended or caller.welcome is None:
        return
    try:
        await caller.send(msg.Leave(id=next(caller.ids)), msg.Bye(reason="leaving"))
        while await caller.stream.receive_some(65536):
            pass
    except (trio.BrokenResourceError, trio.ClosedResourceError, LocalProtocolError):
        return


@asynccontextmanager
async def visiting(place: Place) -> AsyncIterator[Visit]:
    """A visit, and the end of it."""
    visit = Visit(place)
    try:
        yield visit
    finally:
        with trio.CancelScope(shield=True):
            await visit.leave()


def limits_of(caller: Caller) -> msg.Limits:
    """What the server announced to a caller."""
    assert caller.welcome is not None
    return caller.welcome.limits


def wait_for(ms: int | None, what: str, most: float) -> float:
    """Seconds until something that the server announced has to have come. Raises Skipped.

    `most` is how many seconds are worth waiting for.
    """
    if ms is None:
        raise Skipped(f"the server does not announce {what}")
    if ms / 1000 > most:
        raise Skipped(f"{what} of this server is {ms} ms; more than {most:g} s are not waited for")
    return ms / 1000 + ANSWER_SECONDS / 2


async def _narrow(host: str, port: int, room: int) -> trio.SocketStream:
    """A connection whose buffer is small from the beginning: one that shrinks later stalls.

    Raises OSError.
    """
    found = await trio.socket.getaddrinfo(host, port, type=trio.socket.SOCK_STREAM)
    family, kind, number, _, address = found[0]
    socket = trio.socket.socket(family, kind, number)
    try:
        socket.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_RCVBUF, room)
        await socket.connect(address)
    except BaseException:
        socket.close()
        raise
    return trio.SocketStream(socket)


def _name() -> str:
    return f"conform-{secrets.token_hex(4)}"
