"""The house bots of one table: asking for them, and what is done when they do not come.

A bot gets a ticket for one seat and comes as a client like any other; the table knows it by the
ticket and by nothing else.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from dalmuti.protocol.errors import ErrorCode
from dalmuti.server.limits import Limits
from dalmuti.server.sessions import Caller, TokenSource, digest
from dalmuti.server.table.people import People, Player, Ticket
from dalmuti.server.table.refused import Refused
from dalmuti.server.table.seating import Seating

HOUSE_BOTS: Final = ("careful", "expert", "greedy", "easy", "random")
"""The house bots that can be asked for; the first is the usual one."""
HOUSE_NAMES: Final = (
    *("Bea", "Cid", "Dora", "Emil", "Fay", "Gus", "Hedy", "Ivo", "June", "Kurt", "Lola", "Max"),
    *("Nell", "Otto", "Pia", "Quin", "Rosa", "Sven", "Tess", "Ugo", "Vera", "Wim", "Xena", "Yuri"),
)


class BotJob(Struct, frozen=True):
    """A house bot that is to connect and take the seat that its ticket is for."""

    table: str
    bot: str
    name: str
    ticket: str
    delay: float | None = None
    """Seconds that it takes for a move; None: what is usual here."""


class House:
    """The seats that house bots take."""

    def __init__(
        self, table: str, people: People, seating: Seating, limits: Limits, tokens: TokenSource
    ) -> None:
        self.jobs: list[BotJob] = []
        """Bots that are wanted; the loop around the table takes them."""
        self.given_up: list[str] = []
        """Names of bots that did not come (back); for the log."""
        self._table, self._people, self._seating = table, people, seating
        self._limits, self._tokens = limits, tokens

    def add(self, bot: str, now: float, name: str = "") -> None:
        """Asks for a bot; the caller has made sure of a free seat. `name`: else one of a person."""
        if bot not in HOUSE_BOTS:
            raise Refused(
                ErrorCode.UNKNOWN_BOT,
                f"no house bot is called that; there are {', '.join(HOUSE_BOTS)}",
            )
        known = [p.name for p in self._people.seated()] + [t.name for t in self._people.tickets]
        taken = {name.partition("-")[0] for name in known}
        name = name or next((each for each in HOUSE_NAMES if each not in taken), HOUSE_NAMES[0])
        self._issue(bot, name, None, now)

    @property
    def expected(self) -> int:
        """How many new seats are promised."""
        return sum(ticket.player is None for ticket in self._people.tickets)

    @property
    def number(self) -> int:
        """How many bots sit here, or are to come."""
        return self.expected + sum(player.is_house for player in self._people.seated())

    def arrive(self, caller: Caller, text: str, now: float) -> None:
        """A bot is here with its ticket."""
        ticket = self._people.take_ticket(text)
        if ticket is None:
            raise Refused(ErrorCode.BAD_TOKEN, "this ticket is unknown, used, or too old")
        player = None if ticket.player is None else self._people.players.get(ticket.player)
        if player is not None and player.seated:
            self._seating.take_back(player, caller.conn, now)
        else:
            self._seating.sit(caller, "house", now).bot = ticket.bot

    def lost(self, player: Player, now: float) -> None:
        """Sends for a lost bot again, or frees its seat when that did not help."""
        if player.retries >= self._limits.bot_retries:
            self.given_up.append(player.name)
            self._seating.free(player, "lost", now)
            return
        player.retries += 1
        self._issue(player.bot, player.name, player.number, now)

    def send_again(self, now: float) -> None:
        """After a restart nobody is on the way any more: new tickets for all who were."""
        coming, self._people.tickets = self._people.tickets, []
        for ticket in coming:
            if ticket.player is None:
                self._issue(ticket.bot, ticket.name, None, now)
        for player in self._people.seated():
            if player.is_house and player.presence != "left":
                player.retries = 0
                self.lost(player, now)

    def expire(self, now: float) -> None:
        """Deals with the bots that did not come in time."""
        late = [ticket for ticket in self._people.tickets if ticket.expires <= now]
        for ticket in late:
            self._people.tickets.remove(ticket)
            player = None if ticket.player is None else self._people.players.get(ticket.player)
            if player is None:
                self.given_up.append(ticket.name)
            elif player.seated and player.conn is None:
                self.lost(player, now)

    def _issue(self, bot: str, name: str, player: int | None, now: float) -> None:
        text = self._tokens()
        expires = now + self._limits.bot_seconds
        self._people.tickets.append(Ticket(digest(text), bot, name, expires, player))
        self.jobs.append(BotJob(self._table, bot, name, text))
