"""Anything in any order: a Hypothesis state machine over the requests, losses and time of a table.

The simulation itself checks after each step that every request has one answer, that refusals leave
no trace, that event numbers have no gaps, and that each viewer's fold is the server's snapshot.
"""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from dalmuti.core.cards import Play
from dalmuti.core.moves import DECLINE, PASS, Call, Give
from dalmuti.core.record import loads, verify
from dalmuti.protocol import messages as msg
from server.sim import NAME, Sim

ANY = st.integers(0, 10**6)


class TableMachine(RuleBasedStateMachine):
    """Each rule is something that a person, a program or the network may do."""

    make: type[Sim] = Sim

    @initialize(
        seed=ANY,
        seats=st.integers(2, 6),
        turn_seconds=st.sampled_from([0, 5]),
        revolution=st.sampled_from(["optional", "automatic", "off"]),
        match_end=st.sampled_from(["open", "hands:1"]),
        passing=st.sampled_from(["open", "locked"]),
        pace=st.sampled_from([0.0, 1.0]),
        watch=st.booleans(),
    )
    def open(self, seed: int, pace: float, watch: bool, **options: Any) -> None:
        self.sim = self.make(options=options, seed=seed, pace=pace, watch=watch)
        self.names = 0
        for _ in range(3):
            self.join(watch=False, kind="human")

    def someone(self, pick: int) -> int:
        """Any connection that ever was, so strangers and the departed ask as well."""
        conns = list(self.sim.viewers)
        return conns[pick % len(conns)]

    def present(self, pick: int) -> int | None:
        conns = [conn for conn, _ in self.sim.table.people.connected()]
        return conns[pick % len(conns)] if conns else None

    def ask(self, conn: int, kind: type[msg.Request], **fields: Any) -> str:
        if self.sim.table.closed:
            return "closed"
        return self.sim.ask(conn, kind, **fields)

    @rule(watch=st.booleans(), kind=st.sampled_from(["human", "bot"]))
    def join(self, watch: bool, kind: Any) -> None:
        self.names += 1
        conn = self.sim.connect(f"Guest {self.names}", kind)
        self.ask(conn, msg.JoinTable, table=NAME, watch=watch)

    @rule(pick=ANY)
    def join_again(self, pick: int) -> None:
        conn = self.someone(pick)
        if conn not in self.sim.table.people:
            self.ask(conn, msg.JoinTable, table=NAME)

    @rule(pick=ANY)
    def leave(self, pick: int) -> None:
        conn = self.someone(pick)
        if conn not in self.sim.table.people or pick % 3 == 0:
            assert self.ask(conn, msg.Leave) in ("ok", "closed")

    @rule(pick=ANY)
    def lose(self, pick: int) -> None:
        conn = self.present(pick)
        if conn is not None:
            self.sim.lose(conn)

    @rule(pick=ANY)
    def resume(self, pick: int) -> None:
        old = self.someone(pick)
        conn = self.sim.connect("back")
        token = self.sim.viewers[old].token
        self.ask(conn, msg.Resume, table=NAME, token=token)

    @rule()
    def deal(self) -> None:
        for conn, _ in list(self.sim.table.people.connected()):
            if self.sim.table.seating.is_host(conn):
                self.ask(conn, msg.Deal)
                return

    @rule(pick=ANY)
    def act(self, pick: int) -> None:
        for _ in range(pick % 80 + 1):
            asked = self.sim.asked()
            if not asked or self.sim.table.closed:
                return
            conn = asked[pick % len(asked)]
            decision = self.sim.viewers[conn].decision
            assert decision is not None
            assert self.sim.act(conn, decision.choices[pick % len(decision.choices)]) == "ok"

    @rule(
        pick=ANY,
        decision=st.integers(0, 30),
        choice=st.sampled_from(
            [PASS, DECLINE, Call(), Call(True), Give((1,)), Give((12, 12)), Play(12, 1), Play(1, 9)]
        ),
    )
    def act_somehow(self, pick: int, decision: int, choice: Any) -> None:
        self.ask(self.someone(pick), msg.Act, decision=decision, choice=choice)

    @rule(pick=ANY, away=st.booleans())
    def away(self, pick: int, away: bool) -> None:
        self.ask(self.someone(pick), msg.Away, away=away)

    @rule(pick=ANY, number=st.integers(1, 8), kind=st.sampled_from([msg.Kick, msg.GiveHost]))
    def host_someone(self, pick: int, number: int, kind: type[msg.Request]) -> None:
        self.ask(self.someone(pick), kind, player=number)

    @rule(pick=ANY, comes=st.booleans())
    def add_bot(self, pick: int, comes: bool) -> None:
        self.ask(self.someone(pick), msg.AddBot, bot="greedy")
        for job in self.sim.take_jobs() if comes else ():
            conn = self.sim.connect(job.name, "bot")
            self.ask(conn, msg.JoinTable, table=NAME, ticket=job.ticket)

    @rule(seconds=st.sampled_from([0.1, 1.0, 6.0, 25.0]))
    def wait(self, seconds: float) -> None:
        self.sim.advance(seconds)

    @invariant()
    def the_hand_never_waits_for_nobody(self) -> None:
        table = getattr(self, "sim", None) and self.sim.table
        if table and not table.closed and table.play.match.hand is not None:
            assert self.sim.asked() or table.next_deadline() is not None

    @invariant()
    def the_host_is_somebody_who_may_be(self) -> None:
        table = getattr(self, "sim", None) and self.sim.table
        if table and not table.closed and table.seating.host is not None:
            host = table.people.players[table.seating.host]
            assert not host.is_house and host.seated

    def teardown(self) -> None:
        if getattr(self, "sim", None):
            self.sim.advance(5000)
            if not self.sim.log:
                return  # nobody ever sat down
            assert all(verdict.ok for verdict in verify(loads(self.sim.transcript())))


TableMachine.TestCase.settings = settings(max_examples=100, stateful_step_count=60)
TestTable = TableMachine.TestCase
