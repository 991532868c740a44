"""What a rated match has that others have not: the server deals, and counts for the ladder.

Nobody is host at a rated table, and all who sat down in the beginning have their seats to the end
of the match. A hand in which the stand-in moved for somebody counts no points for him, whatever
came of it: so nobody can gain by leaving, by hanging up, or by letting the stand-in play a bad
hand. The others count as they came out.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from dalmuti.core.events import HandEnded
from dalmuti.core.match import Match
from dalmuti.server.table.people import People

NONCE_SECONDS: Final = 1.0
"""After a commitment nonces are waited for at most so long, until the hand is dealt."""
MOST_LATE: Final = 3
"""Who let the clock decide so often in a row is played by the stand-in, so that one bot that is
stuck does not hold up all others."""


class Tally(Struct):
    """What one player has in this match."""

    hands: int = 0
    points: int = 0
    firsts: int = 0
    helped: int = 0
    """Hands in which the stand-in moved for him."""


class Rated:
    """The rated match of one table. `number` is that of no other, ever."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.tally: dict[int, Tally] = {}
        """By number of player."""
        self.deal_at: float | None = None
        """When the next hand is dealt."""

    def count(self, match: Match, people: People) -> None:
        """Counts the hand that has ended, if it is not counted yet."""
        counted = max((each.hands for each in self.tally.values()), default=0)
        if match.result is not None and match.hands_played > counted:
            self._count(match.result, people)

    def _count(self, result: HandEnded, people: People) -> None:
        for place, line in enumerate(result.places, start=1):
            tally = self.tally.setdefault(line.player, Tally())
            tally.hands += 1
            if people.players[line.player].helped:
                tally.helped += 1
            else:
                tally.points += line.points
                tally.firsts += int(place == 1)

    def wait_for_deal(self, match: Match, people: People, gave: set[int], now: float) -> None:
        """Sets the time of the next deal, once all who are to play have sat down.

        `gave` are those whose nonces are there; nobody waits for those who cannot give one.
        """
        if match.hand is not None:
            self.deal_at = None
        elif all(people.players[n].conn is not None and n in gave for n in match.order):
            self.deal_at = now
        elif self.deal_at is None:
            self.deal_at = now + NONCE_SECONDS
