"""What a server can be told that plays many hands between bots: the hands are the same ones."""

from __future__ import annotations

import pytest
import trio

from dalmuti.core.events import HandEnded, Passed, Played
from dalmuti.protocol import messages as msg
from dalmuti.server.config import Config
from dalmuti.server.limits import Limits
from dalmuti.server.table.table import Table
from server.sim import Sim
from server.wire import Client, MemoryServer


@pytest.mark.parametrize("names", [("Bob",), ("Bob", "Cleo", "Dan")])
@pytest.mark.parametrize("revolution", ["optional", "off"])
def test_forced_moves_are_the_moves_that_are_made_anyway(
    names: tuple[str, ...], revolution: str
) -> None:
    """Nobody is asked where there is no choice, and the transcript is the same to the letter."""
    options: dict[str, str | int] = {"revolution": revolution}
    sims = [
        Sim(seed=8, options=options, limits=Limits(forced_moves=forced)) for forced in (False, True)
    ]
    for sim in sims:
        for name in names:
            sim.join(name)
        for _ in range(5):
            sim.hand(pick=lambda decision: decision.choices[len(decision.choices) // 2])
    usual, forced = sims
    assert forced.transcript() == usual.transcript()
    choices = [
        len(message.choices)
        for viewer in forced.viewers.values()
        for message in viewer.messages
        if isinstance(message, msg.Decision)
    ]
    assert len(choices) > 50 and min(choices) > 1


async def test_events_wait_for_more_but_nobody_waits_who_has_to_decide(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    """And the end of a hand is heard by all at once, although nobody has to decide then."""
    server = MemoryServer(nursery, Config(limits=Limits(gather_seconds=1)))
    nursery.start_soon(server.lobby.send_gathered)
    options = {"first_titles": "order_of_arrival", "revolution": "off", "first_hand_taxes": "off"}
    ada, bob, cleo = await server.table("Ada", "Bob", "Cleo", options=options)
    await ada.send(msg.Deal(id=100))
    decision = await ada.next(msg.Decision)
    began = trio.current_time()
    await ada.send(msg.Act(id=101, decision=decision.decision, choice=decision.default))
    await bob.event(Played)
    assert trio.current_time() == began
    await cleo.event(Played)
    assert trio.current_time() == began + 1
    ends: list[float] = []

    async def note_the_end(person: Client) -> None:
        await person.play_until(HandEnded)
        ends.append(trio.current_time())

    async with trio.open_nursery() as playing:
        for person in (ada, bob, cleo):
            playing.start_soon(note_the_end, person)
    assert len(ends) == 3 and len(set(ends)) == 1


@pytest.mark.parametrize("is_stopped", [False, True])
async def test_a_table_that_breaks_under_a_request_ends_alone(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock, is_stopped: bool
) -> None:
    """The one who asked has done its work for it, and goes on. A stop hides no bug."""

    class Broken(Table):
        def handle(self, *given: object) -> None:
            if is_stopped:
                [room] = server.lobby.rooms.values()
                room.stop("admin")
            raise RuntimeError("a bug")

    server = MemoryServer(nursery, make_table=Broken)
    (ada,) = await server.table("Ada")
    await ada.send(msg.Chat(id=7, text="hello"))
    assert (await ada.next(msg.Unseated)).reason == "closed"
    assert await ada.ask(msg.ListTables) == "ok"
    assert "table_crashed" in server.log_text.getvalue()
    assert not server.lobby.rooms


@pytest.mark.parametrize("lag", [0, 3])
async def test_a_clock_runs_although_the_table_is_not_woken(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock, lag: float
) -> None:
    """Where each question has its clock, and who asks does the table's work. It may be patient."""
    server = MemoryServer(nursery, Config(limits=Limits(lag_seconds=lag)))
    options: dict[str, str | int] = {
        "first_titles": "order_of_arrival",
        "revolution": "off",
        "first_hand_taxes": "off",
        "turn_seconds": 10,
    }
    ada, bob = await server.table("Ada", "Bob", options=options)
    await ada.send(msg.Deal(id=100))
    decision = await ada.next(msg.Decision)
    await trio.sleep(5)
    await ada.send(msg.Act(id=101, decision=decision.decision, choice=decision.default))
    assert (await bob.next(msg.Decision)).ms == 10_000
    began = trio.current_time()
    assert (await bob.event(Passed)).by == "clock"
    assert trio.current_time() == began + 10 + lag
