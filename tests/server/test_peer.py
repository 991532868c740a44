"""One connection: its clocks, its bounds, and that what goes wrong in it stays in it."""

from __future__ import annotations

import json
from typing import Any

import pytest
import trio

from dalmuti.core import events as ev
from dalmuti.core.moves import DECLINE
from dalmuti.protocol import messages as msg
from dalmuti.protocol.connection import Connection
from dalmuti.protocol.framing import frame
from dalmuti.server.config import Config
from dalmuti.server.limits import Limits
from dalmuti.server.peer import Peer
from dalmuti.server.sessions import Caller
from dalmuti.server.table.table import Table
from server.wire import Client, MemoryServer

Nursery = trio.Nursery
Clock = trio.testing.MockClock


async def test_I71_no_hello_in_time(nursery: Nursery, autojump_clock: Clock) -> None:
    client = MemoryServer(nursery).connect()
    began = trio.current_time()
    (bye,) = await client.rest()
    assert isinstance(bye, msg.Bye) and bye.reason == "hello_timeout"
    assert trio.current_time() - began == pytest.approx(5)


async def test_half_a_hello_does_not_hold_the_door(nursery: Nursery, autojump_clock: Clock) -> None:
    client = MemoryServer(nursery).connect()
    await client.stream.send_all(b"\x00\x00")
    (bye,) = await client.rest()
    assert bye.reason == "hello_timeout"


@pytest.mark.parametrize(
    ("hello", "reason"),
    [
        ({"versions": (2, 9), "name": "Ada"}, "version_unsupported"),
        ({"versions": (1, 1), "name": "\x1b[31m"}, "bad_name"),
        ({"versions": (1, 1), "name": "Server"}, "bad_name"),
        ({"versions": (1, 1), "name": "Ada"}, "wrong_password"),
        ({"versions": (1, 1), "name": "Ada", "password": "nope"}, "wrong_password"),
    ],
)
async def test_a_hello_that_is_refused(
    nursery: Nursery, autojump_clock: Clock, hello: dict[str, Any], reason: str
) -> None:
    config = Config(password="sesame" if reason == "wrong_password" else None)
    client = MemoryServer(nursery, config).connect()
    await client.send(msg.Hello(**hello))
    (bye,) = await client.rest()
    assert bye.reason == reason
    assert (bye.versions == (1, 1)) == (reason == "version_unsupported")


async def test_the_first_message_must_be_a_hello(nursery: Nursery, autojump_clock: Clock) -> None:
    client = MemoryServer(nursery).connect()
    await client.stream.send_all(frame(b"\x82\xa1t\xa4list\xa2id\x01"))
    (bye,) = await client.rest()
    assert bye.reason == "bad_hello"


async def test_names_that_are_taken_get_a_number(nursery: Nursery, autojump_clock: Clock) -> None:
    server = MemoryServer(nursery)
    names = [
        (await server.connect().hello(name)).name for name in ("Ada", "ada", "\u0410da", "Bob")
    ]
    assert names == ["Ada", "ada-2", "\u0410da-3", "Bob"]


async def test_I52_the_welcome_announces_the_limits(
    nursery: Nursery, autojump_clock: Clock
) -> None:
    limits = Limits(grace_seconds=7, ping_seconds=3)
    server = MemoryServer(nursery, Config(limits=limits, greeting="Hello, world"))
    welcome = await server.connect().hello("Ada")
    assert welcome.limits.grace_ms == 7000 and welcome.limits.ping_after_ms == 3000
    assert welcome.limits.resume_events == 512 and welcome.message == "Hello, world"
    assert welcome.instance and welcome.bots == ("careful", "expert", "greedy", "easy", "random")


async def test_I12_a_silent_client_is_pinged_and_given_up(
    nursery: Nursery, autojump_clock: Clock
) -> None:
    server = MemoryServer(nursery)
    ada, bob = await server.table("Ada", "Bob")
    nursery.start_soon(stay_awake, bob)
    began = trio.current_time()
    rest = await ada.rest()
    assert trio.current_time() - began == pytest.approx(45)
    assert [type(m) for m in rest if not isinstance(m, msg.EventMessage)] == [
        msg.Ping,
        msg.Ping,
        msg.Bye,
    ]
    assert rest[-1].reason == "idle"
    (room,) = server.lobby.rooms.values()
    await trio.testing.wait_all_tasks_blocked()
    assert room.table.people.players[1].presence == "lost"


async def stay_awake(client: Client) -> None:
    """Answers pings, as every client does."""
    while (message := await client.receive()) is not None:
        if isinstance(message, msg.Ping):
            await client.send(msg.Pong(n=message.n))


async def test_I57_who_answers_pings_stays(nursery: Nursery, autojump_clock: Clock) -> None:
    server = MemoryServer(nursery)
    ada = await server.person("Ada")
    nursery.start_soon(stay_awake, ada)
    await trio.sleep(500)
    assert [peer.caller.name for peer in server.lobby.peers.values() if peer.caller] == ["Ada"]
    assert sum(isinstance(message, msg.Ping) for message in ada.seen) > 30
    await ada.stream.aclose()


async def test_ping_is_answered(nursery: Nursery, autojump_clock: Clock) -> None:
    ada = await MemoryServer(nursery).person("Ada")
    await ada.send(msg.Ping(n=17))
    assert (await ada.next(msg.Pong)).n == 17


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\x00\x00\x00",
        b"\xff\xff\xff\xff",
        (4097).to_bytes(4, "big"),
        frame(b"\xc1"),
        frame(b"\x93\x01\x02\x03"),
        frame(b"\xdd\xff\xff\xff\xff" * 100),
        frame(b"\x81\x01\x02"),
    ],
)
async def test_I02_I75_a_bad_frame_ends_the_connection_and_keeps_the_seat(
    nursery: Nursery, autojump_clock: Clock, data: bytes
) -> None:
    server = MemoryServer(nursery)
    ada, bob = await server.table("Ada", "Bob")
    token = bob.last(msg.Seated).token
    assert await ada.ask(msg.Deal) == "ok"
    await bob.next(msg.Decision)
    await bob.stream.send_all(data)
    assert (await bob.rest())[-1].reason == "bad_frame"
    lost = await ada.event(ev.PresenceChanged)
    assert (lost.player, lost.presence) == (2, "lost")
    back = await server.person("Bob")
    assert await back.ask(msg.Resume, table="Kitchen", token=token) == "ok"
    assert (await back.next(msg.Seated)).player == 2
    decision = await back.next(msg.Decision)
    assert await back.ask(msg.Act, decision=decision.decision, choice=DECLINE) == "ok"
    assert "crash" not in server.log_text.getvalue()


async def test_a_bad_request_is_answered_and_the_connection_goes_on(
    nursery: Nursery, autojump_clock: Clock
) -> None:
    ada = await MemoryServer(nursery).person("Ada")
    await ada.stream.send_all(frame(b"\x82\xa1t\xa5dance\xa2id\x07"))
    error = await ada.next(msg.Error)
    assert (error.re, error.code) == (7, "unknown_type")
    await ada.stream.send_all(frame(b"\x82\xa1t\xa3act\xa2id\x08"))
    error = await ada.next(msg.Error)
    assert (error.re, error.code) == (8, "bad_request")
    assert await ada.ask(msg.Leave) == "ok"


async def test_I06_bye_and_the_end_of_the_stream_hold_the_seat(
    nursery: Nursery, autojump_clock: Clock
) -> None:
    server = MemoryServer(nursery)
    ada, bob, cleo = await server.table("Ada", "Bob", "Cleo")
    await bob.send(msg.Bye(reason="leaving"))
    assert (await ada.event(ev.PresenceChanged)).player == 2
    await cleo.stream.aclose()
    assert (await ada.event(ev.PresenceChanged)).player == 3
    await bob.rest()


# -- slow clients -----------------------------------------------------------------------------


async def test_I76_a_client_that_does_not_read_is_given_up_and_delays_nobody(
    nursery: Nursery, autojump_clock: Clock
) -> None:
    limits = Limits(
        outbox_items=600,
        write_seconds=1000,
        ping_seconds=500,
        dead_seconds=600,
        chat_burst=1000,
    )
    server = MemoryServer(nursery, Config(limits=limits))
    ada, bob = await server.table("Ada", "Bob")
    slow = server.connect(lockstep=True)
    await slow.hello("Slow")
    assert await slow.ask(msg.JoinTable, table="Kitchen") == "ok"
    nursery.start_soon(stay_awake, bob)
    began = trio.current_time()
    for _ in range(700):
        assert await ada.ask(msg.Chat, text="x") == "ok"
    assert trio.current_time() == began, "nobody waited"
    lost = next(
        m.event
        for m in ada.seen
        if isinstance(m, msg.EventMessage) and isinstance(m.event, ev.PresenceChanged)
    )
    assert (lost.player, lost.presence) == (3, "lost")
    assert "slow_consumer" in server.log_text.getvalue()


async def test_a_write_that_takes_too_long_ends_the_connection(
    nursery: Nursery, autojump_clock: Clock
) -> None:
    server = MemoryServer(nursery)
    slow = server.connect(lockstep=True)
    await slow.hello("Slow")
    assert await slow.ask(msg.CreateTable, table="Kitchen") == "ok"
    bob = await server.person("Bob")
    assert await bob.ask(msg.JoinTable, table="Kitchen") == "ok"
    await bob.next(msg.Snapshot)
    began = trio.current_time()
    assert (await bob.event(ev.PresenceChanged)).player == 1
    assert trio.current_time() - began == pytest.approx(10)


# -- bugs -------------------------------------------------------------------------------------


class BrokenTable(Table):
    """A table with a bug."""

    def handle(self, caller: Caller, request: msg.Request, now: float) -> None:
        if isinstance(request, msg.Chat) and request.text == "boom":
            raise KeyError("a bug")
        super().handle(caller, request, now)


async def test_a_bug_in_one_table_closes_that_table_and_nothing_else(
    nursery: Nursery, autojump_clock: Clock
) -> None:
    server = MemoryServer(nursery, make_table=BrokenTable)
    ada, bob = await server.table("Ada", "Bob")
    cleo, dan = await server.table("Cleo", "Dan", table="Parlour")
    assert await ada.ask(msg.Chat, text="boom") == "no_such_table"
    for client in (ada, bob):
        assert (
            any(isinstance(m, msg.Unseated) for m in client.seen)
            or (await client.next(msg.Unseated)).reason == "closed"
        )
    assert await cleo.ask(msg.Chat, text="still here") == "ok"
    assert (await dan.event(ev.Chatted)).text == "still here"
    assert await bob.ask(msg.JoinTable, table="Parlour") == "ok"
    assert await ada.ask(msg.CreateTable, table="Kitchen") == "ok"
    text = server.log_text.getvalue()
    assert "table_crashed" in text and "KeyError" in text and "a bug" not in text


async def test_a_bug_in_one_connection_ends_that_connection_and_nothing_else(
    nursery: Nursery, autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = MemoryServer(nursery)
    ada, bob = await server.table("Ada", "Bob")
    view = server.lobby.board.view

    def broken() -> msg.Lobby:
        raise ZeroDivisionError

    monkeypatch.setattr(server.lobby.board, "view", broken)
    await bob.send(msg.ListTables(id=1))
    await bob.rest()
    monkeypatch.setattr(server.lobby.board, "view", view)
    assert (await ada.event(ev.PresenceChanged)).player == 2
    assert await ada.ask(msg.ListTables) == "ok"
    assert "connection_crashed" in server.log_text.getvalue()


async def test_I4_the_log_has_no_cards_tokens_passwords_or_seeds(
    nursery: Nursery, autojump_clock: Clock
) -> None:
    server = MemoryServer(nursery, Config(password="sesame", bot_delay=0))
    ada, bob = [await server.person(name, password="sesame") for name in ("Ada", "Bob")]
    assert await ada.ask(msg.CreateTable, table="Kitchen", password="parsley") == "ok"
    assert await bob.ask(msg.JoinTable, table="Kitchen", password="parsley") == "ok"
    assert await ada.ask(msg.AddBot, bot="greedy") == "ok"
    assert await ada.ask(msg.Deal) == "ok"
    async with trio.open_nursery() as playing:
        playing.start_soon(bob.play_until, ev.HandEnded)
        revealed = await ada.play_until(ev.DealRevealed)
    text = server.log_text.getvalue()
    secrets = [ada.last(msg.Seated).token, bob.last(msg.Seated).token, server.jobs[0].ticket]
    for secret in (*secrets, "sesame", "parsley", revealed.seed, server.lobby.instance):
        assert secret and secret not in text
    for line in map(json.loads, text.splitlines()):
        assert set(line) <= {
            *("ts", "level", "event", "conn", "table", "hand", "address"),
            *("name", "kind", "client", "bot", "reason", "error", "at"),
        }


# -- the lobby --------------------------------------------------------------------------------


async def test_requests_away_from_a_table(nursery: Nursery, autojump_clock: Clock) -> None:
    server = MemoryServer(nursery, Config(limits=Limits(tables=1)))
    ada = await server.person("Ada")
    assert await ada.ask(msg.Deal) == "not_seated"
    assert await ada.ask(msg.Chat, text="hello?") == "not_seated"
    assert await ada.ask(msg.Leave) == "ok"
    assert await ada.ask(msg.JoinTable, table="Nowhere") == "no_such_table"
    assert await ada.ask(msg.Resume, table="Nowhere", token="x") == "no_such_table"
    assert await ada.ask(msg.CreateTable, table="\x07") == "bad_name"
    assert await ada.ask(msg.CreateTable, table="T", options={"seats": 99}) == "bad_options"
    assert await ada.ask(msg.CreateTable, table="T", options={"jokers": 2}) == "bad_options"
    assert await ada.ask(msg.CreateTable, table="T") == "ok"
    assert await ada.ask(msg.CreateTable, table="U") == "already_seated"
    assert await ada.ask(msg.JoinTable, table="T") == "already_seated"
    bob = await server.person("Bob")
    assert await bob.ask(msg.CreateTable, table="U") == "too_many_tables"
    assert await ada.ask(msg.Leave) == "ok"
    assert await ada.ask(msg.Leave) == "ok", "leaving always works"
    assert await bob.ask(msg.CreateTable, table="U") == "ok"
    assert server.lobby.rooms.keys() == {"u"}


async def test_I51_I72_I73_too_much_chat_is_refused_for_a_while_and_the_game_is_not(
    nursery: Nursery, autojump_clock: Clock
) -> None:
    server = MemoryServer(nursery)
    ada, _ = await server.table("Ada", "Bob")
    answers = [await ada.ask(msg.Chat, text="spam") for _ in range(30)]
    assert answers == ["ok"] * 10 + ["rate_limited"] * 20
    refused = ada.last(msg.Error)
    assert refused.bucket == "chat" and (refused.limit, refused.window_ms) == (10, 10_000)
    assert refused.retry_after_ms and refused.retry_after_ms < 1000, "it does not grow"
    assert await ada.ask(msg.Deal) == "ok"
    for _ in range(90):
        assert await ada.ask(msg.Act, decision=9, choice=DECLINE) == "no_decision"
    await trio.sleep(1)
    assert await ada.ask(msg.Chat, text="sorry") == "ok"
    for _ in range(60):
        answer = await ada.ask(msg.Away, away=True)
    assert answer == "rate_limited"
    assert await ada.ask(msg.Leave) == "ok"


async def test_two_tables_cannot_look_alike(nursery: Nursery, autojump_clock: Clock) -> None:
    server = MemoryServer(nursery)
    await server.table("Ada")
    bob = await server.person("Bob")
    assert await bob.ask(msg.CreateTable, table="kitchen ") == "table_exists"
    assert await bob.ask(msg.JoinTable, table="KITCHEN") == "ok"


async def test_the_lobby_is_pushed_to_those_who_asked_and_sit_nowhere(
    nursery: Nursery, autojump_clock: Clock
) -> None:
    server = MemoryServer(nursery)
    zoe = await server.person("Zoe")
    assert await zoe.ask(msg.ListTables) == "ok"
    assert (await zoe.next(msg.Lobby)).tables == ()
    ada, bob = await server.table("Ada", "Bob")
    pushed = await zoe.next(msg.Lobby)
    while not pushed.tables or pushed.tables[0].people < 2:
        pushed = await zoe.next(msg.Lobby)
    info = pushed.tables[0]
    assert (info.table, info.host, info.people, info.state) == ("Kitchen", "Ada", 2, "waiting")
    assert pushed.people == ("Zoe",)
    await ada.ask(msg.Deal)
    assert (await zoe.next(msg.Lobby)).tables[0].state == "hand"
    heard = sum(isinstance(message, msg.Lobby) for message in zoe.seen)
    assert heard <= 4, "changes that follow each other are told together"
    assert not any(isinstance(message, msg.Lobby) for message in (*ada.seen, *bob.seen))


async def test_shutting_down_tells_everyone(nursery: Nursery, autojump_clock: Clock) -> None:
    server = MemoryServer(nursery)
    ada, bob = await server.table("Ada", "Bob")
    zoe = await server.person("Zoe")
    await ada.ask(msg.Deal)
    await server.lobby.close_tables()
    await server.lobby.say_bye()
    for client in (ada, bob):
        rest = await client.rest()
        assert ev.TableClosed("shutdown") in [
            m.event for m in rest if isinstance(m, msg.EventMessage)
        ]
        assert isinstance(rest[-2], msg.Unseated) and rest[-1].reason == "shutdown"
    assert (await zoe.rest())[-1].reason == "shutdown"
    assert server.lobby.deserted


async def test_I11_a_name_is_kept_for_a_lost_player_who_gets_it_back_with_the_seat(
    nursery: Nursery, autojump_clock: Clock
) -> None:
    server = MemoryServer(nursery)
    ada, bob = await server.table("Ada", "Bob")
    token = bob.last(msg.Seated).token
    await bob.stream.aclose()
    await ada.event(ev.PresenceChanged)
    back = server.connect()
    assert (await back.hello("Bob")).name == "Bob-2"
    assert await back.ask(msg.Resume, table="Kitchen", token=token) == "ok"
    assert await back.ask(msg.Chat, text="it is me") == "ok"
    assert (await ada.event(ev.Chatted)).name == "Bob"
    await back.ask(msg.Leave)
    late = server.connect()
    assert (await late.hello("Bob")).name == "Bob-2"


async def test_draining_opens_no_new_table(nursery: Nursery, autojump_clock: Clock) -> None:
    server = MemoryServer(nursery)
    ada = await server.person("Ada")
    server.lobby.draining = True
    assert await ada.ask(msg.CreateTable, table="T") == "draining"


async def test_version_ranges_overlap(nursery: Nursery, autojump_clock: Clock) -> None:
    client = MemoryServer(nursery).connect()
    client.connection = Connection("client", versions=(1, 5))
    await client.send(msg.Hello(versions=(1, 5), name="Ada"))
    assert (await client.next(msg.Welcome)).version == 1


async def test_no_frame_is_cut_in_half_for_who_does_not_read(nursery: Nursery) -> None:
    """Of the last frame that went out at once the system took only a part; then he is too slow."""
    server = MemoryServer(nursery, Config(limits=Limits(outbox_bytes=100_000)))
    ours, theirs = trio.socket.socketpair()
    theirs.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_SNDBUF, 4096)
    peer = Peer(7, trio.SocketStream(theirs), server.lobby, server.config.limits, server.log)
    nursery.start_soon(peer.run)
    told = msg.EventMessage(seq=1, event=ev.Chatted("Ada", "x" * 200))
    async with trio.SocketStream(ours) as stream:
        slow = Client(stream)
        await slow.hello("Slow")
        await trio.testing.wait_all_tasks_blocked()
        while not peer.behind:
            for _ in range(99):
                peer.put((told,))
            peer.flush()
        while "slow_consumer" not in server.log_text.getvalue():
            peer.put((told,))
        peer.flush()
        *rest, bye = await slow.rest()
    assert all(message == told for message in rest)
    assert isinstance(bye, msg.Bye) and bye.reason == "slow_consumer"
