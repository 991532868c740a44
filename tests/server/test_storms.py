"""Storms: what a few busy or hostile connections may not do to everybody else (server.md I-77)."""

from __future__ import annotations

import msgspec
import trio

from dalmuti.core import events as ev
from dalmuti.core.events import PlayerInfo
from dalmuti.core.options import TableOptions
from dalmuti.core.views import TableView
from dalmuti.protocol import messages as msg
from dalmuti.protocol.codec import encode
from dalmuti.protocol.framing import TO_CLIENT_LIMIT
from dalmuti.protocol.text import clean_name, clean_table_name
from dalmuti.server.board import SHOWN
from dalmuti.server.config import Config
from dalmuti.server.limits import Limits
from server.sim import NAME, Sim
from server.wire import MemoryServer

Nursery = trio.Nursery
Clock = trio.testing.MockClock


async def test_I34_leaving_and_coming_back_in_a_hand_is_limited(
    nursery: Nursery, autojump_clock: Clock
) -> None:
    """Everyone hears of each time: thousands a second would make them slow consumers."""
    server = MemoryServer(nursery)
    ada, bob = await server.table("Ada", "Bob")
    assert await ada.ask(msg.Deal) == "ok"
    answers: list[str] = []
    for _ in range(100):
        assert await bob.ask(msg.Leave) == "ok", "leaving always works"
        token = bob.last(msg.Seated).token
        answers.append(await bob.ask(msg.Resume, table="Kitchen", token=token))
        if answers[-1] != "ok":
            break
        await bob.next(msg.Seated)
    assert len(answers) < 60 and answers[-1] == "rate_limited"
    await trio.sleep(1)
    assert await bob.ask(msg.Resume, table="Kitchen", token=token) == "ok"


def test_I77_a_crowd_that_comes_and_goes_to_watch_is_limited_and_the_seats_are_not() -> None:
    """Each event has the names of all who watch: the table limits them, whoever they are."""
    sim = Sim(limits=Limits(watchers=50))
    answers: list[str] = []
    for number in range(300):
        conn = sim.connect(f"Guest{number}")
        answers.append(sim.ask(conn, msg.JoinTable, table=NAME, watch=True))
        if answers[-1] == "ok":
            assert sim.ask(conn, msg.Leave) == "ok"
    assert answers.count("ok") < 100 and set(answers) == {"ok", "rate_limited"}
    error = sim.viewers[conn].messages[-1]
    assert isinstance(error, msg.Error) and error.retry_after_ms
    sim.join("Bob")
    assert sim.ask(sim.host, msg.Deal) == "ok"
    sim.advance(error.retry_after_ms / 1000)
    assert sim.ask(conn, msg.JoinTable, table=NAME, watch=True) == "ok"


async def test_I77_who_has_not_read_the_last_lobby_gets_no_further_one(
    nursery: Nursery, autojump_clock: Clock
) -> None:
    """A lobby is complete and may be large, so the last one is enough for a slow line."""
    config = Config(limits=Limits(write_seconds=600, ping_seconds=500, dead_seconds=600))
    server = MemoryServer(nursery, config)
    slow = server.connect(lockstep=True)
    await slow.hello("Slow")
    assert await slow.ask(msg.ListTables) == "ok"
    await slow.next(msg.Lobby)
    ada = await server.person("Ada")
    for number in range(50):
        assert await ada.ask(msg.CreateTable, table=f"Table {number}") == "ok"
        await trio.sleep(1)
        assert await ada.ask(msg.Leave) == "ok"
        await trio.sleep(1)
    assert await ada.ask(msg.CreateTable, table="The last") == "ok"
    await trio.sleep(1)
    heard = 1
    while [info.table for info in (await slow.next(msg.Lobby)).tables] != ["The last"]:
        heard += 1
    assert heard < 5


async def test_a_slow_consumer_is_told_why(nursery: Nursery, autojump_clock: Clock) -> None:
    """Also when it is the bytes that are too many: nothing is left in the outbox but the bye."""
    limits = Limits(outbox_bytes=300_000, outbox_items=100_000, chat_burst=10_000)
    server = MemoryServer(nursery, Config(limits=limits))
    (ada,) = await server.table("Ada")
    slow = server.connect(lockstep=True)
    await slow.hello("Slow")
    assert await slow.ask(msg.JoinTable, table="Kitchen") == "ok"
    await slow.next(msg.Snapshot)
    while "slow_consumer" not in server.log_text.getvalue():
        assert await ada.ask(msg.Chat, text="x") == "ok"
    assert server.log_text.getvalue().count("slow_consumer") == 1
    *_, bye = await slow.rest()
    assert isinstance(bye, msg.Bye) and bye.reason == "slow_consumer"
    assert (await ada.event(ev.PresenceChanged)).presence == "lost"


async def test_house_bots_do_not_take_the_connections_of_people(
    nursery: Nursery, autojump_clock: Clock
) -> None:
    """They are connections, up to nine a table, and stay for a while when their host is gone."""
    server = MemoryServer(nursery, Config(limits=Limits(house_bots=3)))
    (ada,) = await server.table("Ada")
    bob = await server.person("Bob")
    assert await bob.ask(msg.CreateTable, table="Garden") == "ok"
    for host in (ada, bob, ada):
        assert await host.ask(msg.AddBot, bot="greedy") == "ok"
    assert await bob.ask(msg.AddBot, bot="greedy") == "refused"
    assert "house bots" in bob.last(msg.Error).message
    assert await ada.ask(msg.Close) == "ok"
    assert await bob.ask(msg.AddBot, bot="greedy") == "ok"
    assert Limits().house_bots <= Limits().connections // 2


LONG = "\U00010330\U00010a0f\U00010a0f"
"""A letter with two marks: one cell of twelve bytes."""
LONG_NAME, LONG_TABLE = clean_name(LONG * 20), clean_table_name(LONG * 20)
OPTIONS = TableOptions(
    first_titles="order_of_arrival",
    revolution="automatic",
    scoring="points",
    match_end="points:100000",
    turn_seconds=600,
)


def test_the_fullest_lobby_of_the_longest_names_fits_into_a_frame() -> None:
    """Else everyone who asks for the list of tables would be sent away."""
    info = msg.TableInfo(
        table=LONG_TABLE,
        options=OPTIONS,
        state="waiting",
        people=10,
        bots=10,
        watchers=10_000,
        hand=100_000,
        host=LONG_NAME,
        locked=True,
        solo=True,
        fair=False,
    )
    lobby = msg.Lobby(tables=(info,) * SHOWN, people=(LONG_NAME,) * SHOWN)
    assert len(encode(lobby)) <= TO_CLIENT_LIMIT


def test_the_snapshot_of_the_fullest_table_fits_into_a_frame() -> None:
    """With as many watchers and listed players as a configuration can allow."""
    fields = msgspec.json.schema(Limits)["$defs"]["Limits"]["properties"]
    player = PlayerInfo(player=100_000, name=LONG_NAME, kind="house", presence="standin")
    view = TableView(
        table=LONG_TABLE,
        options=OPTIONS,
        players=(player,) * fields["listed"]["maximum"],
        watchers=(LONG_NAME,) * fields["watchers"]["maximum"],
    )
    countdowns = (msg.Countdown(100_000, 100_000),) * 10
    snapshot = msg.Snapshot(seq=2**31, table=view, countdowns=countdowns)
    hand = 50_000  # bytes that the cards and tricks of ten players take at most, and more
    assert len(encode(snapshot)) + hand <= TO_CLIENT_LIMIT
