"""`dalmuti ladder`: asks a server for its standings, in parts, and shows them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import Any, Final

import anyio

from dalmuti.client import out, settings, start, words
from dalmuti.client.commands.parts import NO_CONNECTION, OK, REFUSED
from dalmuti.client.link import (
    Link,
    Lost,
    Message,
    Nonsense,
    Over,
    Stream,
    Unanswered,
    Untrusted,
    patience_for,
    tcp,
)
from dalmuti.client.words.standings import standings
from dalmuti.protocol.messages import VERSIONS, Bye, Error, Hello, Ladder, ListLadder, Rank, Welcome

PART: Final = 100
"""Rows that are asked for at once; the most that the protocol allows."""


def ladder(given: argparse.Namespace) -> int:
    """Shows the ladder of a server. Raises start.Refusal."""
    host, port = start.address_of(given.address)
    trust = start.trust_of(given, host, port)
    name, _ = settings.chosen_name(None, settings.Settings())
    address = f"{host}:{port}"
    look = Look(address, name, given.password)
    anyio.run(look.run, tcp(host, port) if trust is None else trust.connect)
    if trust is not None and (note := trust.note()):
        out.complain(f"dalmuti ladder: {note}")
    if given.json:
        out.say(json.dumps(look.values()))
    else:
        for line in standings(address, look.ranks, look.seats, look.hands):
            out.say(line)
    return OK


class _Done(Over):
    """All rows are there, or (with a `text`) there is nothing to be had."""

    def __init__(self, text: str = "", code: int = REFUSED) -> None:
        super().__init__(text)
        self.code = code


class Look:
    """One look at the ladder of a server."""

    def __init__(self, address: str, name: str, password: str | None = None) -> None:
        self.ranks: list[Rank] = []
        self.seats = self.hands = 0
        self._address, self._name, self._password = address, name, password
        self._link: Link | None = None

    async def run(self, connect: Callable[[], Awaitable[Stream]]) -> None:
        """Asks until all rows are there. Raises start.Refusal with the reason why they are not."""
        hello = Hello(
            versions=VERSIONS,
            name=self._name,
            client=f"dalmuti {version('dalmuti')}",
            password=self._password,
        )
        try:
            self._link = Link(await connect(), self._take)
            await self._link.run(hello, patience_for(self._password))
        except _Done as done:
            if str(done):
                raise _refusal(str(done), done.code) from None
        except TimeoutError:
            raise _refusal(f"{self._address} does not answer", NO_CONNECTION) from None
        except OSError as error:
            raise _refusal(words.unreachable(self._address, error), NO_CONNECTION) from None
        except Nonsense as problem:
            text = words.no_server(self._address, problem.first, str(problem))
            raise _refusal(text, REFUSED) from None
        except Unanswered as silence:
            known = self._password is not None
            text = words.silent(self._address, silence.seconds, with_password=known)
            raise _refusal(text, NO_CONNECTION) from None
        except Lost as lost:
            raise _refusal(str(lost), NO_CONNECTION) from None
        except Untrusted as problem:
            raise _refusal(str(problem), REFUSED) from None

    def _take(self, message: Message) -> None:
        match message:
            case Welcome():
                self._ask()
            case Ladder():
                self.ranks += message.ranks
                self.seats, self.hands = message.seats, message.hands
                if not message.ranks or len(self.ranks) >= message.total:
                    raise _Done
                self._ask()
            case Error():
                old = message.code == "unknown_type"
                code = "no_ladder" if old else message.code
                raise _Done(words.error(code, message.message))
            case Bye():
                raise _Done(words.bye(message.reason, message.message))
            case _:
                pass

    def _ask(self) -> None:
        assert self._link is not None
        after = len(self.ranks)
        self._link.send(ListLadder(id=after, after=after, most=PART))

    def values(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            "address": self._address,
            "seats": self.seats,
            "hands": self.hands,
            "players": [_values(place, rank) for place, rank in enumerate(self.ranks, start=1)],
        }


def _values(place: int, rank: Rank) -> dict[str, Any]:
    hands = max(rank.hands, 1)
    return {
        "rank": place,
        "name": rank.name,
        "house": rank.house,
        "here": rank.here,
        "mu": rank.mu / 1000,
        "sigma": rank.sigma / 1000,
        "ordinal": (rank.mu - 3 * rank.sigma) / 1000,
        "matches": rank.matches,
        "hands": rank.hands,
        "points_per_hand": rank.points / hands,
        "first": rank.firsts / hands,
    }


def _refusal(text: str, code: int) -> start.Refusal:
    """A sentence without its dot, which `start.run` adds."""
    return start.Refusal(text.removesuffix("."), code)
