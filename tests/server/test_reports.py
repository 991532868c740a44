"""Rows of the table of reports that no other test shows (server.md 6)."""

from __future__ import annotations

import gc
import random
import weakref
from typing import Any

import pytest
import trio

from dalmuti.core import events as ev
from dalmuti.protocol import messages as msg
from dalmuti.server import app as app_module
from dalmuti.server.app import App
from dalmuti.server.config import Config, config_from
from dalmuti.server.limits import Limits
from dalmuti.server.log import Log
from dalmuti.server.table.table import Table
from server.sim import NAME, Sim
from server.wire import MemoryServer, running


def test_I21_seats_and_tables_are_held_for_days_where_that_is_wanted() -> None:
    config = config_from({"limits": {"grace_seconds": 86_400, "table_seconds": 864_000}})
    sim = Sim(limits=config.limits)
    bob = sim.join("Bob")
    sim.lose(bob)
    sim.lose(sim.host)
    sim.advance(86_000)
    assert sim.presence(2) == "lost" and not sim.table.closed
    sim.advance(777_000)
    assert not sim.table.closed
    assert sim.viewers[sim.resume(sim.viewers[bob].token)].number == 2


def test_I27_leaving_joining_and_dealing_in_any_order() -> None:
    """A thousand orders; every viewer's fold is compared with a snapshot after each step."""
    chance = random.Random(27)
    for _ in range(1000):
        sim = Sim(options={"revolution": "off", "first_hand_taxes": "off"})
        bob, cleo = sim.join("Bob"), sim.join("Cleo")
        dora = sim.connect("Dora")
        steps: list[tuple[int, type[msg.Request], dict[str, Any]]] = [
            (sim.host, msg.Deal, {}),
            (bob, msg.Leave, {}),
            (cleo, msg.Leave, {}),
            (dora, msg.JoinTable, {"table": NAME}),
            (sim.host, msg.GiveHost, {"player": 3}),
        ]
        chance.shuffle(steps)
        answers = {kind: sim.ask(conn, kind, **fields) for conn, kind, fields in steps}
        hand = sim.table.play.match.hand
        seated = {player.number for player in sim.table.people.seated()}
        assert answers[msg.JoinTable] == answers[msg.Leave] == "ok"
        if hand is not None:
            assert answers[msg.Deal] == "ok"
            assert set(sim.table.play.match.order) >= seated - {4}, "who was there has cards"
        else:
            assert answers[msg.Deal] in ("too_few_players", "not_host")


def test_I28_I32_there_is_no_clock_for_who_has_nothing_to_decide() -> None:
    sim = Sim()
    bob = sim.join("Bob")
    assert sim.table.next_deadline() is None, "between hands nobody is waited for"
    sim.advance(100_000)
    assert sim.presence(1) == sim.presence(2) == "here"
    assert sim.ask(sim.host, msg.Deal) == "ok"
    for _ in range(50):
        asked = sim.asked()
        if not asked:
            sim.advance(1)
        elif asked[0] == bob:
            sim.advance(70)
        else:
            sim.act(asked[0])
    assert sim.presence(2) == "here", "a clock that runs out plays one decision, and that is all"


def test_I41_who_watches_watches_on_after_the_hand() -> None:
    sim = Sim(pace=0)
    sim.join("Bob")
    zoe = sim.watch("Zoe")
    for _ in range(2):
        sim.hand()
    assert len(sim.viewers[zoe].events(ev.HandEnded)) == 2
    assert sim.table.people.watchers[zoe] == "Zoe"


def test_I62_an_answer_is_for_the_seat_of_its_connection() -> None:
    """Two of one name do not happen by the lobby; the table would not confuse them either."""
    sim = Sim(options={"revolution": "off", "first_hand_taxes": "off"}, name="Bob")
    other = sim.join("Bob")
    assert sim.ask(sim.host, msg.Deal) == "ok"
    (asked,) = sim.asked()
    decision = sim.viewers[asked].decision
    assert decision is not None
    idle = other if asked == sim.host else sim.host
    fields = {"decision": decision.decision, "choice": decision.default}
    assert sim.ask(idle, msg.Act, **fields) == "not_your_turn"
    assert sim.act(asked) == "ok"
    assert len(sim.viewers[idle].events(ev.Played)) == 1


def test_I75_the_bound_is_below_what_the_system_lets_a_process_open(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(app_module, "descriptors", lambda: 100)
    app = App(Config(limits=Limits(connections=5000)), Log("json"))
    assert app._doors._most == 100 - 64
    assert "fewer connections" in capsys.readouterr().err.replace("_", " ")
    app = App(Config(limits=Limits(connections=20)), Log("json"))
    assert app._doors._most == 20 and not capsys.readouterr().err


async def test_I76_tables_that_are_closed_leave_nothing(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    tables: list[weakref.ref[Table]] = []

    class Noted(Table):
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            tables.append(weakref.ref(self))

    server = MemoryServer(nursery, make_table=Noted)
    ada = await server.person("Ada")
    for number in range(300):
        assert await ada.ask(msg.CreateTable, table=f"Table {number}") == "ok"
        assert await ada.ask(msg.Leave) == "ok"
        ada.seen.clear()
        await trio.sleep(2)
    await ada.stream.aclose()
    await trio.sleep(1)
    assert len(tables) == 300 and not server.lobby.rooms and not server.lobby.peers
    gc.collect()
    assert sum(table() is not None for table in tables) <= 1
    nursery.cancel_scope.cancel()


async def test_I11_I16_a_name_is_free_again_when_its_owner_is_gone() -> None:
    async with running() as server:
        for _ in range(3):
            ada = await server.connect()
            assert (await ada.hello("Ada")).name == "Ada"
            await ada.send(msg.Bye(reason="leaving"))
            await ada.rest()
