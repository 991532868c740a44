"""How a bot fares, in sentences for whoever has started it: seats, hands, matches, the ladder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from dalmuti.client import out
from dalmuti.client.model import Input, LinkChanged
from dalmuti.client.session import Session
from dalmuti.client.words import listed
from dalmuti.core.events import HandEnded, HandStarted, MatchEnded, Seen
from dalmuti.core.views import TableView
from dalmuti.protocol.messages import Enlisted, Ladder, ListLadder, Seated, Unseated
from dalmuti.protocol.text import safe_text

RANKS: Final = 100
"""Rows of the ladder that are looked at for others who are there; the most in one answer."""


class News:
    """Says what there is to say about one bot."""

    def __init__(self, session: Session, say: Callable[[str], None]) -> None:
        self._session, self._say = session, say
        self._rated = False
        self._others: tuple[str, ...] | None = None
        """Who was in the ladder when it was last said."""
        self._is_lost = False

    def hear(self, message: Input) -> None:
        """What the server says, but for events."""
        session = self._session
        match message:
            case Seated():
                seat = session.seated  # its name; the connection's may have a number
                name = session.name if seat is None else seat.name or session.name
                self._say(f"{name} sits at table {message.table}.")
            case Enlisted():
                self._rated = True
                self._say(f"{session.name} is enlisted in the ladder, and waits for a match.")
                session.request(ListLadder, most=RANKS)
            case Unseated() if self._rated:
                self._say(f"{session.name} waits for the next match.")
                session.request(ListLadder, most=RANKS)
            case Ladder():
                self._tell_others(message)
            case LinkChanged(state="lost") if not self._is_lost:  # once, however often it is tried
                self._is_lost = True
                self._say(f"{session.name}: {message.text}")
            case LinkChanged(state="open") if self._is_lost:
                self._is_lost = False
                self._say(f"{session.name} is connected again.")
            case _:
                pass

    def event(self, table: TableView, event: Seen) -> None:
        """An event, with the table after it."""
        you, name = table.you, self._session.name
        match event:
            case HandStarted(hand=1):
                players = [who for who in table.players if who.player in event.order]
                others = [safe_text(who.name) for who in players if who.player != you]
                if you in event.order:
                    self._say(f"{name}: a match begins, with {listed(others)}.")
            case HandEnded():
                places = [line.player for line in event.places]
                if you in places:
                    place = places.index(you) + 1
                    self._say(f"{name}: hand {event.hand}, place {place} of {len(places)}.")
            case MatchEnded():
                self._tell_end(table, event)
            case _:
                pass

    def _tell_end(self, table: TableView, ended: MatchEnded) -> None:
        by_points = table.options.scoring == "points"  # else the hands won count (C1)
        scores = {s.player: s.points if by_points else s.hands_won for s in ended.scores}
        mine = scores.get(table.you or 0)
        if mine is not None:
            place = 1 + sum(score > mine for score in scores.values())
            what = out.counted(mine, "point") if by_points else f"{out.counted(mine, 'hand')} won"
            name = self._session.name
            self._say(f"{name}: the match is over, place {place} of {len(scores)} with {what}.")

    def _tell_others(self, ladder: Ladder) -> None:
        """Who else is there, as far as the standings have them; not again if it is the same."""
        here = [safe_text(rank.name) for rank in ladder.ranks if rank.here]
        others = tuple(sorted(name for name in here if name != self._session.name))
        if others == self._others:
            return
        self._others = others
        about = f"{out.counted(ladder.seats, 'seat')}, {out.counted(ladder.hands, 'hand')} a match"
        if others:
            self._say(f"In the ladder now ({about}): {listed(others)}.")
        else:
            self._say(f"Nobody else of the standings is there now ({about}).")
