"""The session against a scripted server over memory streams, on Trio's mock clock."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio
import pytest
import trio
from msgspec.structs import replace

from dalmuti.client.model import Input, LinkChanged, Model, reduce
from dalmuti.client.session import Ended, Held, Session
from dalmuti.core.events import Chatted, HandPrepared, PlayerInfo
from dalmuti.core.moves import PASS
from dalmuti.core.options import TableOptions
from dalmuti.core.views import TableView
from dalmuti.protocol.connection import NEED_DATA, Connection
from dalmuti.protocol.framing import frame
from dalmuti.protocol.messages import (
    Act,
    Bye,
    Chat,
    ClientMessage,
    CreateTable,
    Decision,
    Error,
    EventMessage,
    Hello,
    JoinTable,
    Leave,
    Limits,
    ListTables,
    Lobby,
    Message,
    Nonce,
    Ok,
    Ping,
    Pong,
    Resume,
    Seated,
    Snapshot,
    TableInfo,
    Unseated,
    Welcome,
)

LIMITS = Limits(
    frame_to_server=4096,
    frame_to_client=262144,
    chat_length=200,
    name_width=20,
    ping_after_ms=15000,
    dead_after_ms=45000,
    grace_ms=20000,
    resume_events=500,
)


class Pipe:
    """One end of a byte stream in memory."""

    def __init__(self, out: trio.MemorySendChannel[bytes], into: trio.MemoryReceiveChannel[bytes]):
        self.out, self.into = out, into

    async def send(self, item: bytes, /) -> None:
        try:
            await self.out.send(item)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise anyio.BrokenResourceError from None

    async def receive(self, max_bytes: int = 65536, /) -> bytes:
        try:
            return await self.into.receive()
        except trio.EndOfChannel:
            raise anyio.EndOfStream from None
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise anyio.ClosedResourceError from None

    async def aclose(self) -> None:
        self.out.close()
        self.into.close()


class Peer:
    """The server's end of one connection, in the hands of a test."""

    def __init__(self, pipe: Pipe) -> None:
        self.pipe = pipe
        self.connection = Connection("server")

    async def get(self) -> ClientMessage:
        while (message := self.connection.next_message()) is NEED_DATA:
            self.connection.receive_data(await self.pipe.receive())
        return message

    async def say(self, *messages: Message) -> None:
        for message in messages:
            await self.pipe.send(self.connection.send(message))  # type: ignore[arg-type]

    async def greet(self, name: str = "", instance: str = "one") -> Hello:
        hello = await self.get()
        assert isinstance(hello, Hello)
        await self.say(
            Welcome(
                version=1, server="test", instance=instance, name=name or hello.name, limits=LIMITS
            )
        )
        return hello


class World:
    """A server that accepts when told to, and a client that talks to it."""

    def __init__(self, **options: object) -> None:
        self.refuse: list[OSError] = []
        self.peers_in, self.peers = trio.open_memory_channel[Peer](10)
        self.heard: list[Input] = []
        self.model = Model()
        self.ended: Ended | None = None
        self.attempts: list[float] = []
        self.saved: list[str | None] = []
        fields = {"name": "Ada", "chance": random.Random(1), "store": self, **options}
        self.session = Session(self.connect, **fields)  # type: ignore[arg-type]

    def save(self, table: str, token: str, name: str) -> None:
        self.saved.append(token)

    def forget(self) -> None:
        self.saved.append(None)

    async def connect(self) -> Pipe:
        self.attempts.append(trio.current_time())
        if self.refuse:
            raise self.refuse.pop(0)
        there, back = trio.open_memory_channel[bytes](1000), trio.open_memory_channel[bytes](1000)
        await self.peers_in.send(Peer(Pipe(back[0], there[1])))
        return Pipe(there[0], back[1])

    def hear(self, message: Input) -> None:
        self.heard.append(message)
        self.model = reduce(self.model, message, trio.current_time())

    def links(self) -> list[str]:
        return [each.state for each in self.heard if isinstance(each, LinkChanged)]

    async def run(self) -> None:
        self.ended = await self.session.run(self.hear)


@asynccontextmanager
async def world(**options: object) -> AsyncIterator[World]:
    made = World(**options)
    with trio.fail_after(1000):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(made.run)
            yield made
            nursery.cancel_scope.cancel()


async def until(condition: Callable[[], bool]) -> None:
    """Waits, in steps of the mock clock's time, for ten minutes at most."""
    for _ in range(12_000):
        if condition():
            return
        await trio.sleep(0.05)
    raise AssertionError("it never came true")


JOIN = JoinTable(id=0, table="Kitchen")
SNAPSHOT = Snapshot(
    seq=7,
    table=TableView(
        table="Kitchen",
        options=TableOptions(),
        you=1,
        players=(PlayerInfo(player=1, name="Ada"),),
        order=(1,),
    ),
)
DECISION = Decision(decision=3, kind="follow", choices=(PASS,), default=PASS)


async def sit(w: World) -> Peer:
    peer = await w.peers.receive()
    await peer.greet()
    join = await peer.get()
    assert isinstance(join, JoinTable) and join.table == "Kitchen"
    await peer.say(Seated(table="Kitchen", player=1, token="TOK1"), SNAPSHOT, Ok(re=join.id))
    await until(lambda: w.model.table is not None)
    return peer


def chat(seq: int) -> EventMessage:
    return EventMessage(seq=seq, event=Chatted("Bea", f"line {seq}"))


async def test_I54_hello_then_the_entry(autojump_clock: trio.testing.MockClock) -> None:
    async with world(entry=JOIN) as w:
        await sit(w)
        assert w.saved == ["TOK1"]
        assert w.links() == ["connecting", "open"]
        assert w.session.seated == Held("Kitchen", "TOK1", "Ada")


async def test_without_entry_the_lobby_is_asked_for(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as w:
        peer = await w.peers.receive()
        await peer.greet("Ada")
        assert isinstance(await peer.get(), ListTables)


async def test_the_only_table_is_joined(autojump_clock: trio.testing.MockClock) -> None:
    async with world(join_only=JOIN, lobby=True) as w:
        peer = await w.peers.receive()
        await peer.greet()
        await peer.get()
        solo = TableInfo(table="mine", options=TableOptions(), state="hand", solo=True)
        await peer.say(
            Lobby(tables=(solo, TableInfo(table="K", options=TableOptions(), state="waiting")))
        )
        join = await peer.get()
        assert isinstance(join, JoinTable) and join.table == "K"


async def test_who_came_back_and_leaves_has_left(autojump_clock: trio.testing.MockClock) -> None:
    """The only table is joined once, be it by a seat that was held."""
    held = Held("Kitchen", "TOK0", "Ada")
    async with world(join_only=JOIN, lobby=True, stay=True, held=held) as w:
        peer = await w.peers.receive()
        await peer.greet()
        resume = await peer.get()
        assert isinstance(resume, Resume)
        seated = Seated(table="Kitchen", player=1, token="TOK1")
        await peer.say(seated, SNAPSHOT, Ok(re=resume.id))
        await until(lambda: w.model.table is not None)
        await peer.say(Unseated(table="Kitchen", reason="left"))
        assert isinstance(await peer.get(), ListTables)
        kitchen = TableInfo(table="Kitchen", options=TableOptions(), state="hand")
        await peer.say(Lobby(tables=(kitchen,)))
        await until(lambda: w.model.lobby is not None)
        assert w.session.seated is None and w.model.table is None


async def test_frames_may_come_in_pieces(autojump_clock: trio.testing.MockClock) -> None:
    async with world(entry=JOIN) as w:
        peer = await sit(w)
        data = peer.connection.send(chat(8)) + peer.connection.send(chat(9))
        for byte in data:
            await peer.pipe.send(bytes([byte]))
        await until(lambda: w.model.seq == 9)
        assert [line.text for line in w.model.log] == ["Bea says: line 8", "Bea says: line 9"]


async def test_I07_lost_and_resumed_with_back_off(autojump_clock: trio.testing.MockClock) -> None:
    """The seat comes back by its token, after the last event that was seen."""
    async with world(entry=JOIN) as w:
        peer = await sit(w)
        await peer.say(chat(8))
        await until(lambda: w.model.seq == 8)
        w.refuse = [ConnectionRefusedError() for _ in range(6)]
        await peer.pipe.aclose()
        again = await w.peers.receive()
        waits = [b - a for a, b in zip(w.attempts[1:], w.attempts[2:], strict=False)]
        assert len(waits) == 6
        for wait, nominal in zip(waits, [1, 2, 4, 8, 8, 8], strict=True):
            assert 0.75 * nominal <= wait <= 1.25 * nominal + 0.01
        assert w.model.link.state == "lost"
        assert "Trying again in" in w.model.link.text
        await again.greet()
        resume = await again.get()
        assert resume == Resume(
            id=resume.id if isinstance(resume, Resume) else -1,
            table="Kitchen",
            token="TOK1",
            seq=8,
            instance="one",
        )
        await again.say(Seated(table="Kitchen", player=1, token="TOK2"), chat(9))
        await until(lambda: w.model.seq == 9)
        assert w.saved == ["TOK1", "TOK2"]
        assert w.model.link == LinkChanged("open", "Connected again.")


async def test_retry_at_is_on_the_clock_of_the_loop(autojump_clock: trio.testing.MockClock) -> None:
    async with world(entry=JOIN) as w:
        peer = await sit(w)
        await peer.pipe.aclose()
        again = await w.peers.receive()
        retry = [each.retry_at for each in w.heard if isinstance(each, LinkChanged)][-1]
        assert retry == pytest.approx(w.attempts[1], abs=0.01)
        await again.greet()


async def test_gives_up_after_a_while(autojump_clock: trio.testing.MockClock) -> None:
    async with world(entry=JOIN) as w:
        peer = await sit(w)
        w.refuse = [ConnectionRefusedError() for _ in range(100)]
        await peer.pipe.aclose()
        await until(lambda: w.ended is not None)
        assert w.ended is not None and w.ended.why == "lost" and w.ended.code == 3
        assert w.saved == ["TOK1"]  # the seat may still be had by a later process


async def test_nobody_there(autojump_clock: trio.testing.MockClock) -> None:
    w = World(entry=JOIN, address="127.0.0.1:9")
    w.refuse = [ConnectionRefusedError()]
    await w.run()
    assert w.ended == Ended(
        "unreachable",
        "Nobody answers at 127.0.0.1:9: is the server running, and the port right?",
    )
    assert w.ended.code == 3


async def test_silence_is_asked_then_given_up(autojump_clock: trio.testing.MockClock) -> None:
    async with world(entry=JOIN) as w:
        peer = await sit(w)
        begun = trio.current_time()
        assert isinstance(await peer.get(), Ping)
        assert isinstance(await peer.get(), Ping)
        again = await w.peers.receive()
        assert 44 < trio.current_time() - begun < 47
        await again.greet()
        assert isinstance(await again.get(), Resume)


async def test_pings_are_answered(autojump_clock: trio.testing.MockClock) -> None:
    async with world(entry=JOIN) as w:
        peer = await sit(w)
        await peer.say(Ping(n=5))
        assert await peer.get() == Pong(n=5)


async def test_a_gap_makes_a_new_connection_and_a_snapshot(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with world(entry=JOIN) as w:
        peer = await sit(w)
        await peer.say(chat(8), chat(10))
        again = await w.peers.receive()
        await again.greet()
        resume = await again.get()
        assert isinstance(resume, Resume) and resume.seq is None
        assert w.model.seq == 8


async def test_a_nonce_for_every_commitment(autojump_clock: trio.testing.MockClock) -> None:
    """Once for each deal; what became of it is nobody else's business."""
    async with world(entry=JOIN) as w:
        peer = await sit(w)
        await peer.say(EventMessage(seq=8, event=HandPrepared(1, "aa")))
        first = await peer.get()
        assert isinstance(first, Nonce) and first.hand == 1 and len(first.nonce) == 32
        await peer.say(Ok(re=first.id), EventMessage(seq=9, event=HandPrepared(2, "bb")))
        second = await peer.get()
        assert isinstance(second, Nonce) and second.nonce != first.nonce
        await peer.say(Error(re=second.id, code="no_nonce_now", message="dealt"), chat(10))
        await until(lambda: w.model.seq == 10)
        assert not any(isinstance(each, Error | Nonce) for each in w.heard)


async def test_an_answer_is_pending_until_refused(autojump_clock: trio.testing.MockClock) -> None:
    async with world(entry=JOIN) as w:
        peer = await sit(w)
        await peer.say(DECISION)
        await until(lambda: w.model.decision is not None)
        number = w.session.request(Act, decision=3, choice=PASS)
        assert w.model.decision is None and w.model.answer is not None
        act = await peer.get()
        assert act == Act(id=number, decision=3, choice=PASS)
        await peer.say(Error(re=number, code="not_held", message="you do not hold 3x9"))
        await until(lambda: w.model.decision is not None)
        assert w.model.decision == DECISION
        assert w.model.refusal == "You do not hold those cards."


async def test_requests_while_disconnected_are_refused_at_once(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with world(entry=JOIN) as w:
        peer = await sit(w)
        w.refuse = [ConnectionRefusedError()]
        await peer.pipe.aclose()
        await until(lambda: w.model.link.state == "lost")
        number = w.session.request(Chat, text="hi")
        assert w.heard[-1] == Error(
            re=number, code="refused", message="you are not connected at the moment"
        )


@pytest.mark.parametrize(
    ("reason", "why", "code"),
    [("kicked", "kicked", 4), ("closed", "closed", 0), ("lost", "lost", 3)],
)
async def test_unseated_is_the_end(
    reason: str, why: str, code: int, autojump_clock: trio.testing.MockClock
) -> None:
    async with world(entry=JOIN) as w:
        peer = await sit(w)
        await peer.say(Unseated(table="Kitchen", reason=reason))  # type: ignore[arg-type]
        await until(lambda: w.ended is not None)
        assert w.ended is not None and (w.ended.why, w.ended.code) == (why, code)
        assert w.saved == ["TOK1", None]


async def test_unseated_back_to_the_lobby(autojump_clock: trio.testing.MockClock) -> None:
    async with world(entry=JOIN, stay=True) as w:
        peer = await sit(w)
        await peer.say(Unseated(table="Kitchen", reason="closed"))
        assert isinstance(await peer.get(), ListTables)
        assert w.model.table is None


async def test_a_table_that_cannot_be_watched_again_is_left(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """The server began anew; a picture of the old table would be a lie."""
    async with world(entry=JoinTable(id=0, table="Kitchen", watch=True), stay=True) as w:
        peer = await w.peers.receive()
        await peer.greet()
        join = await peer.get()
        assert isinstance(join, JoinTable) and join.watch
        watched = replace(SNAPSHOT, table=replace(SNAPSHOT.table, you=None))
        await peer.say(watched, Ok(re=join.id))
        await until(lambda: w.model.table is not None)
        await peer.pipe.aclose()
        peer = await w.peers.receive()
        await peer.greet(instance="two")
        again = await peer.get()
        assert isinstance(again, JoinTable) and again.watch
        await peer.say(Error(re=again.id, code="no_such_table", message="gone"))
        assert isinstance(await peer.get(), ListTables)
        assert w.model.table is None
        assert w.model.log[-1].text == "The table is closed."


async def test_I09_replaced_leaves_the_token_to_the_newer_one(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with world(entry=JOIN) as w:
        peer = await sit(w)
        await peer.say(Bye(reason="replaced"))
        await until(lambda: w.ended is not None)
        assert w.ended is not None and w.ended.code == 3
        assert w.saved == ["TOK1"]


@pytest.mark.parametrize("reason", ["wrong_password", "version_unsupported", "bad_name"])
async def test_refused_at_the_door(reason: str, autojump_clock: trio.testing.MockClock) -> None:
    async with world(entry=JOIN) as w:
        peer = await w.peers.receive()
        await peer.get()
        await peer.say(Bye(reason=reason, message="no"))
        await until(lambda: w.ended is not None)
        assert w.ended is not None and w.ended.why == "refused" and w.ended.code == 4


async def test_no_dalmuti_server(autojump_clock: trio.testing.MockClock) -> None:
    async with world(entry=JOIN, address="box:80") as w:
        peer = await w.peers.receive()
        await peer.pipe.send(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await until(lambda: w.ended is not None)
        assert w.ended is not None and w.ended.why == "refused"
        assert w.ended.text.startswith("box:80 is no Dalmuti server")


async def test_nonsense_in_mid_session_is_a_lost_connection(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with world(entry=JOIN) as w:
        peer = await sit(w)
        await peer.pipe.send(frame(b"\xc1", 4096))
        again = await w.peers.receive()
        await again.greet()
        assert isinstance(await again.get(), Resume)


async def test_a_taken_login_name_gets_a_number(autojump_clock: trio.testing.MockClock) -> None:
    async with world(entry=JOIN, number_name=True, name="ada") as w:
        peer = await w.peers.receive()
        await peer.greet()
        join = await peer.get()
        assert isinstance(join, JoinTable)
        await peer.say(Error(re=join.id, code="name_taken", message="taken"))
        again = await w.peers.receive()
        assert (await again.greet()).name == "ada-2"
        assert isinstance(await again.get(), JoinTable)


async def test_a_chosen_name_that_is_taken_is_refused(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with world(entry=JOIN) as w:
        peer = await w.peers.receive()
        await peer.greet()
        join = await peer.get()
        assert isinstance(join, JoinTable)
        await peer.say(Error(re=join.id, code="name_taken", message="taken"))
        await until(lambda: w.ended is not None)
        assert w.ended is not None and w.ended.code == 4 and "--name" in w.ended.text


async def test_a_held_seat_first_then_the_entry(autojump_clock: trio.testing.MockClock) -> None:
    create = CreateTable(id=0, table="Mine")
    async with world(entry=create, held=Held("Kitchen", "OLD")) as w:
        peer = await w.peers.receive()
        await peer.greet()
        resume = await peer.get()
        assert isinstance(resume, Resume) and (resume.token, resume.seq) == ("OLD", None)
        await peer.say(Error(re=resume.id, code="bad_token", message="no"))
        opened = await peer.get()
        assert isinstance(opened, CreateTable) and opened.table == "Mine"
        assert w.saved == [None]


async def test_a_resume_that_is_refused_for_now_is_tried_again(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """Only a server that does not know the seat any more makes us forget it."""
    async with world(entry=JOIN, held=Held("Kitchen", "OLD")) as w:
        peer = await w.peers.receive()
        await peer.greet()
        resume = await peer.get()
        assert isinstance(resume, Resume)
        await peer.say(Error(re=resume.id, code="rate_limited", message="wait"))
        again = await w.peers.receive()
        await again.greet()
        second = await again.get()
        assert isinstance(second, Resume) and second.token == "OLD"
        assert w.saved == [] and w.ended is None


async def test_close_leaves_and_says_goodbye(autojump_clock: trio.testing.MockClock) -> None:
    async with world(entry=JOIN) as w:
        peer = await sit(w)
        w.session.close(leave=True)
        assert isinstance(await peer.get(), Leave)
        assert await peer.get() == Bye(reason="leaving")
        await peer.pipe.aclose()
        await until(lambda: w.ended is not None)
        assert w.ended == Ended("left")
        assert w.saved == ["TOK1", None]


async def test_close_without_leaving_keeps_the_seat(autojump_clock: trio.testing.MockClock) -> None:
    """And ends although the server never closes its side."""
    async with world(entry=JOIN) as w:
        peer = await sit(w)
        w.session.close(leave=False)
        assert await peer.get() == Bye(reason="leaving")
        await until(lambda: w.ended is not None)
        assert w.saved == ["TOK1"]


async def test_close_during_back_off(autojump_clock: trio.testing.MockClock) -> None:
    async with world(entry=JOIN) as w:
        peer = await sit(w)
        w.refuse = [ConnectionRefusedError() for _ in range(9)]
        await peer.pipe.aclose()
        await until(lambda: w.model.link.state == "lost")
        w.session.close()
        await until(lambda: w.ended is not None)
        assert w.ended == Ended("left")


def test_the_same_class_on_asyncio() -> None:
    """Over a real socket on loopback, as under the full screen."""
    heard: list[Input] = []

    async def serve(stream: anyio.abc.SocketStream) -> None:
        connection = Connection("server")
        async with stream:
            async for data in stream:
                connection.receive_data(data)
                while (message := connection.next_message()) is not NEED_DATA:
                    if isinstance(message, Hello):
                        answer = Welcome(
                            version=1, server="t", instance="i", name="Ada", limits=LIMITS
                        )
                        await stream.send(connection.send(answer))
                    elif isinstance(message, Bye):
                        return

    async def main() -> Ended:
        listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
        port = listener.extra(anyio.abc.SocketAttribute.local_port)

        async def connect() -> anyio.abc.SocketStream:
            return await anyio.connect_tcp("127.0.0.1", port)

        session = Session(connect, name="Ada")

        def hear(message: Input) -> None:
            heard.append(message)
            if isinstance(message, Welcome):
                session.close()

        async with listener, anyio.create_task_group() as tasks:
            tasks.start_soon(listener.serve, serve)
            with anyio.fail_after(10):
                ended = await session.run(hear)
            tasks.cancel_scope.cancel()
        return ended

    assert anyio.run(main, backend="asyncio") == Ended("left")
    assert any(isinstance(each, Welcome) for each in heard)
