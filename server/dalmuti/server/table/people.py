"""Who is at a table: players with their tokens and presence, those who watch, tickets for bots.

Plain bookkeeping without rules of its own; `Table` decides what may be done with it.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from dalmuti.core.events import Kind, PlayerInfo, Presence
from dalmuti.core.moves import Move
from dalmuti.protocol.text import skeleton
from dalmuti.server.doors import HOME
from dalmuti.server.sessions import Caller, digest

MOST_KICKED = 100
"""People that a table remembers as kicked."""


def _stem(name: str) -> str:
    """What is left of a name without signs and digits at its ends: `Bob` of `_bob-2`."""
    return skeleton(name.strip("0123456789-_.,'!?*+~ ") or name)


class Player(Struct, eq=False):
    """Somebody who sits here. `conn` is the connection that plays for him, if there is one."""

    number: int
    name: str
    kind: Kind
    conn: int | None = None
    presence: Presence = "here"
    tokens: tuple[bytes, ...] = ()
    """Digests of what gives the seat back: the last token given, and until he shows that he
    received it, the one before and the one that he came back with last."""
    grace_ends: float | None = None
    """When the stand-in takes over from a lost player."""
    left_as: int | None = None
    """The connection that left during this hand, and may sit down again in the same seat."""
    left_because: Literal["left", "lost"] = "left"
    answered: tuple[int, Move] | None = None
    """The last decision he answered, so that an answer sent again after a resume is no error."""
    bot: str = ""
    """What a house bot plays like."""
    address: str = ""
    """Where he came from last, as `address.counted_as` has it."""
    active: bool = True
    """False from a deal on until he decides something himself."""
    idle_hands: int = 0
    """How many whole hands in a row others decided for him."""
    retries: int = 0
    """How often a house bot was sent for since it last played."""
    helped: bool = False
    """Whether the stand-in has moved for him in this hand."""
    late: int = 0
    """How many decisions in a row the clock made for him."""

    @property
    def seated(self) -> bool:
        """False for one who is listed until the next hand although his seat is free."""
        return bool(self.tokens)

    @property
    def is_house(self) -> bool:
        return self.kind == "house"

    @property
    def stood_in(self) -> bool:
        """Whether the stand-in plays for him."""
        return self.presence in ("standin", "away", "left")

    def info(self) -> PlayerInfo:
        """What everyone may know of him."""
        return PlayerInfo(
            player=self.number, name=self.name, kind=self.kind, presence=self.presence
        )


class Ticket(Struct, frozen=True):
    """A seat that a house bot is about to take, or (`player`) to take back."""

    digest: bytes
    bot: str
    name: str
    expires: float
    player: int | None = None


class Kicked(Struct, frozen=True):
    """Somebody who was sent away and may not come back."""

    name: str
    """The skeleton of his name, without what he may put behind it."""
    address: str
    conn: int | None


class PeopleState(Struct, frozen=True, omit_defaults=True):
    """Everyone at one table as plain data."""

    players: tuple[Player, ...]
    last_number: int
    watchers: dict[int, str] = {}
    tickets: tuple[Ticket, ...] = ()
    kicked: tuple[Kicked, ...] = ()


class People:
    """Everyone at one table."""

    def __init__(self) -> None:
        self.players: dict[int, Player] = {}
        """By number, in the order in which they sat down."""
        self.watchers: dict[int, str] = {}
        """Names by connection."""
        self.tickets: list[Ticket] = []
        self.kicked: list[Kicked] = []
        self._conns: dict[int, Player] = {}
        self._last_number = 0

    def __contains__(self, conn: int) -> bool:
        return conn in self._conns or conn in self.watchers

    def add(self, name: str, kind: Kind) -> Player:
        """A new player, not connected and without a token yet."""
        self._last_number += 1
        player = Player(self._last_number, name, kind)
        self.players[player.number] = player
        return player

    def attach(self, player: Player, conn: int) -> None:
        """Lets a connection play for `player`."""
        self.detach(player)
        player.conn = conn
        player.grace_ends = None
        self._conns[conn] = player

    def detach(self, player: Player) -> None:
        """Takes his connection from a player, if he has one."""
        if player.conn is not None:
            del self._conns[player.conn]
            player.conn = None

    def player_at(self, conn: int) -> Player | None:
        """The player that a connection plays for."""
        return self._conns.get(conn)

    def connected(self) -> Iterator[tuple[int, Player | None]]:
        """Every connection with its player, None for those who watch."""
        yield from self._conns.items()
        for conn in self.watchers:
            yield conn, None

    @property
    def audience(self) -> tuple[int, ...]:
        """All of these connections."""
        return (*self._conns, *self.watchers)

    def by_token(self, token: str) -> Player | None:
        """Whose seat this token gives back. All are compared, in constant time."""
        wanted, found = digest(token), None
        for player in self.players.values():
            for known in player.tokens:
                if hmac.compare_digest(wanted, known):
                    found = player
        return found

    def take_ticket(self, text: str) -> Ticket | None:
        """Uses up the ticket that was given to a house bot."""
        wanted = digest(text)
        found = [t for t in self.tickets if hmac.compare_digest(wanted, t.digest)]
        self.tickets = [ticket for ticket in self.tickets if ticket not in found]
        return found[0] if found else None

    def state(self) -> PeopleState:
        """What is to be kept. It shares the players with this object: encode it at once."""
        return PeopleState(
            tuple(self.players.values()),
            self._last_number,
            self.watchers,
            tuple(self.tickets),
            tuple(self.kicked),
        )

    def load(self, kept: PeopleState) -> None:
        """Everyone is here as they were, by the same connections."""
        self.players = {player.number: player for player in kept.players}
        self.watchers, self.tickets = dict(kept.watchers), list(kept.tickets)
        self.kicked = list(kept.kicked)
        self._last_number = kept.last_number
        self._conns = {p.conn: p for p in kept.players if p.conn is not None}

    def send_away(self, player: Player) -> None:
        """Remembers somebody who is kicked, so that he does not come back under another name.

        His address counts unless others come from there: whoever else is at the table, or home,
        where everybody on this machine is. Then it is his connection, and names that are his but
        for what stands behind them.
        """
        others = {p.address for p in self.seated() if p is not player}
        shared = player.address in others or player.address in HOME
        self.kicked.append(
            Kicked(_stem(player.name), "" if shared else player.address, player.conn)
        )
        del self.kicked[:-MOST_KICKED]

    def forget_connections(self) -> None:
        """In a new run of the server the same number is another one's connection."""
        for player in self.players.values():
            player.left_as = None
        self.kicked = [Kicked(each.name, each.address, None) for each in self.kicked]

    def is_kicked(self, caller: Caller) -> bool:
        """Whether this is somebody who was kicked."""
        return any(
            caller.conn == kicked.conn
            or _stem(caller.name) == kicked.name
            or (caller.address and caller.address == kicked.address)
            for kicked in self.kicked
        )

    def drop_left(self) -> None:
        """Forgets the players who left before this hand."""
        self.players = {n: p for n, p in self.players.items() if p.presence != "left"}

    def seated(self) -> list[Player]:
        """Everyone who holds a seat."""
        return [player for player in self.players.values() if player.seated]

    def next_host(self, old: int | None) -> Player | None:
        """Who is host when `old` cannot be: the longest present human, else a guest's bot.

        A person who is lost stays host until somebody else's person is there, since bots do not
        deal. With nobody connected it stays with `old`, or goes to whoever still holds a seat; to
        a house bot never.
        """
        guests = [p for p in self.seated() if not p.is_house and p.presence != "left"]
        for candidates in (
            [p for p in guests if p.conn is not None and p.kind == "human"],
            [p for p in guests if p.number == old and p.kind == "human"],
            [p for p in guests if p.kind == "human"],
            [p for p in guests if p.conn is not None],
            [p for p in guests if p.number == old],
            guests,
        ):
            if candidates:
                return candidates[0]
        return None
