"""A killed server goes on where it was: tables, hands, clocks, tokens, house bots."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from dalmuti.core import deal
from dalmuti.core import events as ev
from dalmuti.core.hand import Phase
from dalmuti.core.record import loads, verify
from dalmuti.protocol import messages as msg
from dalmuti.server.limits import Limits
from dalmuti.server.sessions import Caller
from server.kept import NEXT_INSTANCE, KeptSim
from server.sim import NAME


@contextmanager
def kept(*names: str, **given: Any) -> Iterator[tuple[KeptSim, list[int]]]:
    """A table that is kept, and the connections of Ada and these people."""
    sim = KeptSim(**given)
    try:
        yield sim, [sim.host, *(sim.join(name) for name in names)]
    finally:
        sim.close()


def come_back(sim: KeptSim, old: int) -> int:
    """Resumes as a client does that was in the last run."""
    return sim.resume(sim.viewers[old].token, old)


def play_to(sim: KeptSim, phase: Phase) -> None:
    """Plays until the hand is in a phase and somebody can be asked."""

    def there() -> bool:
        hand = sim.table.play.match.hand
        return hand is not None and hand.phase is phase

    sim.play_on(until=there)


@pytest.mark.parametrize("revolution", ["optional", "automatic"])
@pytest.mark.parametrize("passing", ["open", "locked"])
def test_I87_after_every_step_of_an_evening_the_journal_gives_the_same_table(
    revolution: str, passing: str
) -> None:
    """`KeptSim` restores the table behind every step and compares all of it."""
    options: dict[str, str | int] = {
        "revolution": revolution,
        "passing": passing,
        "scoring": "points",
        "match_end": "hands:3",
        "seats": 6,
    }
    chance = random.Random(passing + revolution)
    with kept("Bob", "Cid", fair=True, options=options, password=None) as (sim, (ada, bob, cid)):
        dora = sim.watch("Dora")
        assert sim.ask(bob, msg.Nonce, hand=1, nonce="0b" * 16) == "ok"
        sim.hand(pick=lambda decision: chance.choice(decision.choices))
        sim.seat_bots(1)
        assert sim.ask(ada, msg.Chat, text="and another one") == "ok"
        assert sim.ask(ada, msg.Deal) == "ok"
        assert sim.ask(cid, msg.Leave) == "ok"
        sim.lose(bob)
        sim.join("Emil")
        sim.advance(25)
        bob = come_back(sim, bob)
        assert sim.ask(bob, msg.Away, away=True) == "ok"
        sim.play_on(pick=lambda decision: chance.choice(decision.choices))
        assert sim.ask(ada, msg.GiveHost, player=2) == "ok"
        assert sim.ask(bob, msg.Kick, player=4) == "ok"
        sim.lose(dora)
        assert sim.ask(bob, msg.Deal) == "ok"
        sim.play_on(pick=lambda decision: chance.choice(decision.choices))
        assert sim.table.play.match.state == "over"
        assert sim.ask(bob, msg.Deal) == "ok"
        assert sim.compared > 150
        assert sim.ask(bob, msg.Leave) == "ok"
        sim.play_on()
        for verdict in verify(loads(sim.transcript())):
            assert verdict.ok and verdict.proved


@pytest.mark.parametrize("phase", [Phase.REVOLUTION, Phase.TAXES, Phase.TRICKS])
def test_I88_the_same_hands_seeds_and_commitments_in_every_phase(phase: Phase) -> None:
    options: dict[str, str | int] = {"revolution": "optional"}
    with kept("Bob", "Cid", "Dora", fair=True, options=options) as (sim, people):
        sim.hand()
        before = sim.viewers[sim.host].events(ev.HandPrepared)[-1].commitment
        assert sim.ask(people[1], msg.Nonce, hand=2, nonce="1f" * 16) == "ok"
        assert sim.ask(sim.host, msg.Deal) == "ok"
        play_to(sim, phase)
        if phase is not Phase.TRICKS:  # one answer is under seal
            assert sim.act(sim.asked()[0]) == "ok"
        views = [sim.viewers[conn].view for conn in people]
        waiting = [sim.viewers[conn].decision for conn in sim.asked()]
        sim.kill()
        people = [come_back(sim, conn) for conn in people]
        for old, conn in zip(views, people, strict=True):
            new = sim.viewers[conn].view
            assert new is not None and old is not None
            assert new.hand == old.hand
        asked = [sim.viewers[conn].decision for conn in sim.asked()]
        assert len(asked) == len(waiting)
        for was, is_now in zip(waiting, asked, strict=True):
            assert was is not None and is_now is not None
            assert (is_now.decision, is_now.choices) == (was.decision, was.choices)
        sim.host = people[0]
        sim.play_on()
        revealed = sim.viewers[people[1]].events(ev.DealRevealed)[-1]
        assert deal.commitment(NAME, 2, bytes.fromhex(revealed.seed)) == before
        for verdict in verify(loads(sim.transcript())):
            assert verdict.ok and verdict.proved


def test_I90_the_clock_goes_on_with_twenty_seconds_more() -> None:
    with kept("Bob", options={"turn_seconds": 60, "revolution": "off"}) as (sim, people):
        assert sim.ask(sim.host, msg.Deal) == "ok"
        sim.advance(37)
        assert sim.ask(sim.host, msg.Chat, text="tick") == "ok"
        sim.kill()
        people = [come_back(sim, conn) for conn in people]
        decision = sim.viewers[sim.asked()[0]].decision
        assert decision is not None and decision.ms == (60 - 37 + 20) * 1000
        snapshot = next(m for m in sim.viewers[people[0]].messages if isinstance(m, msg.Snapshot))
        assert snapshot.ms == decision.ms
        sim.advance(42.9)
        assert sim.table.play.asking is not None
        assert sim.table.play.asking.decision == decision.decision
        sim.advance(0.2)
        assert sim.table.play.asking.decision == decision.decision + 1


def test_a_clock_that_had_run_out_gets_the_bonus_as_well() -> None:
    with kept("Bob", options={"turn_seconds": 10, "revolution": "off"}) as (sim, people):
        assert sim.ask(sim.host, msg.Deal) == "ok"
        sim.now += 500  # the server was busy with something else when it was killed
        sim.kill()
        assert sim.table.play.asking is not None
        assert sim.table.play.asking.ms_left(sim.now) == 0
        sim.advance(0)
        assert sim.table.play.match.hand is not None
        assert [come_back(sim, conn) for conn in people]


def test_everybody_is_lost_with_a_fresh_grace_until_he_comes_back() -> None:
    with kept("Bob", "Cid", "Dora", limits=Limits(grace_seconds=20)) as (sim, people):
        ada, bob, cid, dora = people
        assert sim.ask(ada, msg.Deal) == "ok"
        sim.lose(bob)
        sim.advance(15)
        assert sim.ask(cid, msg.Away, away=True) == "ok"
        assert sim.ask(dora, msg.Leave) == "ok"
        sim.kill()
        assert [sim.presence(n) for n in (1, 2, 3, 4)] == ["lost", "lost", "standin", "left"]
        sim.advance(19)
        assert sim.presence(2) == "lost"
        come_back(sim, bob)
        assert sim.presence(2) == "here"
        sim.advance(2)
        assert sim.presence(1) == "standin"
        come_back(sim, cid)
        assert sim.presence(3) == "here"
        come_back(sim, dora)
        assert sim.presence(4) == "here"


def test_a_table_to_which_nobody_returns_is_closed() -> None:
    with kept("Bob", limits=Limits(table_seconds=600)) as (sim, _):
        assert sim.ask(sim.host, msg.Deal) == "ok"
        sim.kill()
        sim.advance(599)
        assert not sim.table.closed
        sim.advance(2)
        assert sim.table.closed and sim.store.tables() == []


def test_I94_sessions_and_tickets_of_the_last_run_are_over() -> None:
    with kept("Bob") as (sim, (ada, bob)):
        zoe = sim.watch("Zoe")
        assert sim.ask(ada, msg.AddBot, bot="greedy") == "ok"
        (old,) = sim.jobs
        sim.kill()
        assert list(sim.table.people.connected()) == []
        assert sim.table.info().watchers == 0
        for conn in (ada, bob, zoe):
            assert sim.ask(conn, msg.Chat, text="still here?") == "not_seated"
        stranger = sim.connect(old.name, "bot")
        assert sim.ask(stranger, msg.JoinTable, table=NAME, ticket=old.ticket) == "bad_token"
        (new,) = sim.take_jobs()
        assert sim.ask(stranger, msg.JoinTable, table=NAME, ticket=new.ticket) == "ok"


def test_a_connection_that_left_is_another_one_in_the_next_run() -> None:
    """Connections are counted anew: somebody else may have the number of one who left his seat."""
    with kept("Bob", "Cid") as (sim, (ada, bob, cid)):
        assert sim.ask(ada, msg.Deal) == "ok"
        assert sim.ask(bob, msg.Leave) == "ok"
        sim.kill()
        assert sim.ask(bob, msg.JoinTable, table=NAME) == "ok"
        assert sim.viewers[bob].number == 4 and sim.presence(2) == "left"
        assert come_back(sim, cid)


def test_who_was_kicked_is_still_kicked_and_nobody_else() -> None:
    with kept("Bob") as (sim, (ada, bob)):
        assert sim.ask(ada, msg.Kick, player=2) == "ok"
        sim.kill()
        assert sim.ask(sim.connect("Bob-2"), msg.JoinTable, table=NAME) == "kicked"
        sim.viewers[bob].caller = Caller(bob, "Eve", "human")
        assert sim.ask(bob, msg.JoinTable, table=NAME) == "ok"


def test_house_bots_are_sent_for_again() -> None:
    with kept() as (sim, _):
        bots = sim.seat_bots(3)
        assert sim.ask(sim.host, msg.Deal) == "ok"
        sim.kill()
        jobs = sim.take_jobs()
        assert sorted(job.name for job in jobs) == sorted(
            player.name for player in sim.table.people.players.values() if player.is_house
        )
        for job in jobs:
            conn = sim.connect(job.name, "bot")
            assert sim.ask(conn, msg.JoinTable, table=NAME, ticket=job.ticket) == "ok"
        assert len(sim.table.people.seated()) == 1 + len(bots)
        sim.host = come_back(sim, sim.host)
        sim.play_on()
        assert sim.table.play.match.hands_played == 1


def test_I24_a_client_of_the_last_run_gets_a_snapshot_with_numbers_that_go_on() -> None:
    with kept("Bob") as (sim, people):
        sim.hand()
        told = sim.viewers[people[1]].seq
        sim.kill()
        bob = come_back(sim, people[1])
        snapshot = next(m for m in sim.viewers[bob].messages if isinstance(m, msg.Snapshot))
        assert snapshot.seq > told
        sim.lose(bob)
        again = sim.resume(sim.viewers[bob].token, bob, NEXT_INSTANCE)
        assert not any(isinstance(m, msg.Snapshot) for m in sim.viewers[again].messages)


def test_an_answer_whose_ok_was_lost_may_be_sent_again() -> None:
    with kept("Bob", options={"revolution": "off"}) as (sim, people):
        assert sim.ask(sim.host, msg.Deal) == "ok"
        actor = sim.asked()[0]
        decision = sim.viewers[actor].decision
        assert decision is not None and sim.act(actor) == "ok"
        sim.kill()
        back = come_back(sim, actor)
        answer = {"decision": decision.decision, "choice": decision.default}
        before = sim.table.feed.seq
        assert sim.ask(back, msg.Act, **answer) == "ok"
        assert sim.table.feed.seq == before, "it was done once"
        assert people


def test_a_password_is_kept_and_is_not_readable() -> None:
    with kept(password="sesame") as (sim, _):
        (rows,) = sim.store.tables()
        assert b"sesame" not in rows.header
        sim.kill()
        bob = sim.connect("Bob")
        assert sim.ask(bob, msg.JoinTable, table=NAME) == "wrong_password"
        assert sim.ask(bob, msg.JoinTable, table=NAME, password="Sesame") == "wrong_password"
        assert sim.ask(bob, msg.JoinTable, table=NAME, password="sesame") == "ok"


def test_no_token_is_in_the_journal() -> None:
    with kept("Bob", fair=True) as (sim, people):
        assert sim.ask(sim.host, msg.AddBot, bot="greedy") == "ok"
        (rows,) = sim.store.tables()
        secret = [sim.viewers[conn].token for conn in people] + [job.ticket for job in sim.jobs]
        assert all(token.encode() not in rows.state for token in secret)


def test_a_host_who_only_watched_is_not_the_host_any_more() -> None:
    sim = KeptSim(watch=True)
    bob = sim.join("Bob")
    sim.kill()
    assert sim.table.seating.host == sim.viewers[bob].number
    sim.close()


def test_what_is_kept_between_hands_holds_no_moves() -> None:
    with kept("Bob", "Cid") as (sim, _):
        assert sim.names_kept() == {
            1: ("human", "Ada"),
            2: ("human", "Bob"),
            3: ("human", "Cid"),
        }
        sim.hand()
        assert sim.saved().steps == () and sim.saved().match.hands_played == 1
        assert sim.ask(sim.host, msg.Deal) == "ok"
        assert len(sim.saved().steps) == 1
