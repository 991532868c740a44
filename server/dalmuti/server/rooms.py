"""How tables come to be: opened by somebody, for a rated match, or kept from an earlier run.

A room is made complete here, with what keeps it and what tells of it. Whether one may be opened
at all, and its life from then on, is the lobby's.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from dalmuti.core.options import OptionError, TableOptions, options_from
from dalmuti.protocol import messages as msg
from dalmuti.protocol.errors import ErrorCode
from dalmuti.protocol.text import clean_table_name, skeleton
from dalmuti.server.config import Config
from dalmuti.server.ladder.settings import LadderSettings
from dalmuti.server.limits import HUMAN_DELAY
from dalmuti.server.log import Log
from dalmuti.server.metrics import Metrics
from dalmuti.server.sessions import Secret
from dalmuti.server.store.keeping import Keeping, Kept
from dalmuti.server.table.dealer import Dealer
from dalmuti.server.table.house import BotJob
from dalmuti.server.table.rated import Rated
from dalmuti.server.table.refused import Refused
from dalmuti.server.table.room import Room
from dalmuti.server.table.table import Table


class Surroundings(Struct, frozen=True):
    """What every room of this run has around it."""

    instance: str
    deliver: Callable[[tuple[int, ...], tuple[msg.ServerMessage, ...]], None]
    flush: Callable[[], None]
    send_for_bot: Callable[[BotJob], None]
    changed: Callable[[], None]
    metrics: Metrics


class RoomMaker:
    """Makes rooms. `config` is what is in force, for those to come."""

    def __init__(
        self,
        config: Config,
        log: Log,
        keeping: Keeping,
        ladder: LadderSettings,
        taken: Collection[str],
        around: Surroundings,
        make_table: Callable[..., Table],
    ) -> None:
        """`taken` are the skeletons of the names of all tables there are."""
        self.config = config
        self._log, self._keeping, self._ladder = log, keeping, ladder
        self._taken, self._around, self._make_table = taken, around, make_table

    def wanted(self, request: msg.CreateTable) -> Room:
        """The table that somebody asks for. Raises Refused."""
        try:
            name = clean_table_name(request.table)
        except ValueError as error:
            raise Refused(ErrorCode.BAD_NAME, str(error)) from None
        if skeleton(name) in self._taken:
            raise Refused(ErrorCode.TABLE_EXISTS, f"there is a table {name!r}, or much like it")
        try:
            options = options_from(request.options)
        except OptionError as error:
            raise Refused(ErrorCode.BAD_OPTIONS, str(error)) from None
        table = self._table(
            name,
            options,
            password=Secret.of(request.password) if request.password else None,
            solo=request.solo,
            dealer=Dealer(name, request.seed),
        )
        return self._room(table, self._keeping.new(table))

    def rated(self, number: int, seats: int) -> Room:
        """The table of a rated match of the ladder."""
        name = f"Ladder {number}"
        while skeleton(name) in self._taken:
            name += "-2"
        options = replace(self._ladder.options(), seats=seats)
        table = self._table(name, options, dealer=Dealer(name), rated=Rated(number))
        return self._room(table, self._keeping.new(table))

    def restored(self) -> Iterator[Room]:
        """Every table that was kept, as it was. One that cannot be had again is told of."""
        for saved in self._keeping.saved():
            header = saved.header
            try:
                table = self._table(
                    header.name,
                    header.options,
                    password=header.password,
                    solo=header.solo,
                    dealer=Dealer(header.name, header.seed),
                    rated=None if header.rated is None else Rated(header.rated),
                )
                kept = self._keeping.restored(table, saved)
                table.restart(self._keeping.clock.now(), self.config.limits.restart_bonus)
            except Exception:
                self._log.bind(table=header.name).crash("table_not_restored")
                continue
            yield self._room(table, kept)

    def _table(
        self, name: str, options: TableOptions, rated: Rated | None = None, **given: Any
    ) -> Table:
        pace = self.config.pace
        if rated is not None:
            pace = self._ladder.bot_delay / HUMAN_DELAY
        return self._make_table(
            name,
            options,
            self.config.limits,
            instance=self._around.instance,
            pace=pace,
            rated=rated,
            **given,
        )

    def _send_for_rated_bot(self, job: BotJob) -> None:
        self._around.send_for_bot(replace(job, delay=self._ladder.bot_delay))

    def _room(self, table: Table, kept: Kept) -> Room:
        around = self._around
        return Room(
            table,
            self._log,
            deliver=around.deliver,
            flush=around.flush,
            send_for_bot=around.send_for_bot if table.rated is None else self._send_for_rated_bot,
            changed=around.changed,
            recorder=kept.recorder,
            keeper=kept.journal,
            clock=self._keeping.clock,
            metrics=around.metrics,
        )
