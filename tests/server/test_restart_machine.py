"""Anything in any order at a table that is kept, with a server that is killed at any moment.

Behind every step the journal is read and compared with the table (`server.kept`).
"""

from __future__ import annotations

from hypothesis import settings
from hypothesis.stateful import precondition, rule

from server.kept import KeptSim
from server.test_table_machine import ANY, TableMachine


class KilledTableMachine(TableMachine):
    """The table machine, and death."""

    make = KeptSim

    @precondition(lambda self: not self.sim.table.closed)
    @rule(back=ANY)
    def kill(self, back: int) -> None:
        """Some come back at once: bit n of `back` says whether the n-th does."""
        sim = self.sim
        assert isinstance(sim, KeptSim)
        before = [conn for conn, player in sim.table.people.connected() if player is not None]
        sim.kill()
        if sim.table.closed:
            return  # nobody but house bots and a host who watched was here
        for place, conn in enumerate(before):
            player = sim.table.people.by_token(sim.viewers[conn].token)
            if back >> place & 1 and player is not None and player.kind != "house":
                sim.resume(sim.viewers[conn].token, conn)

    def teardown(self) -> None:
        super().teardown()
        sim = getattr(self, "sim", None)
        if isinstance(sim, KeptSim):
            sim.close()


KilledTableMachine.TestCase.settings = settings(
    max_examples=40, stateful_step_count=40, deadline=None
)
TestKilledTable = KilledTableMachine.TestCase
