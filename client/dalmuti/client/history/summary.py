"""What a history comes to: titles, mean places, points, runs, matches (pure).

A hand counts by its place and the size of its table. `points` are the players ranked below, as the
points of rules.md C2, whether or not the table counted them; `standing` is the same between 0 for
the last and 1 for the first place, so that tables of all sizes can be put together. Hands that the
stand-in finished are counted apart and enter nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from msgspec import Struct, to_builtins

from dalmuti.client.history.store import Hand, History
from dalmuti.core.titles import Title, title_of

COMPANY: Final = ("bots", "both", "people")
"""Against whom: bots alone, both, people alone."""


class Group(Struct, frozen=True, kw_only=True):
    """Some hands put together."""

    hands: int
    mean_place: float
    points: int
    points_per_hand: float
    standing: float
    first: int
    """Hands won: first places."""
    last: int


class Run(Struct, frozen=True):
    """Hands in a row with one title at their end."""

    title: str
    hands: int


class MatchRow(Struct, frozen=True, kw_only=True):
    """One match, or as much of it as was played in one sitting."""

    at: str
    """When its last hand ended."""
    how: str
    table: str
    seats: int
    """Of its last hand."""
    played: Group


class Summary(Struct, frozen=True, kw_only=True):
    """All of it."""

    hands: int
    matches: int
    standin: int
    damaged: int
    newer: int
    since: str
    until: str
    all: Group | None
    titles: dict[str, int]
    """How often a hand ended with each title."""
    by_seats: dict[str, Group]
    against: dict[str, Group]
    longest: dict[str, int]
    """The longest run of hands that ended with each title."""
    now: Run | None
    """The run that goes on."""
    recent: tuple[MatchRow, ...]
    """The last matches, newest first."""


def title_after(hand: Hand) -> Title:
    """The title that a hand ended with."""
    return title_of(hand.place - 1, hand.seats)


def summary(history: History, recent: int) -> Summary:
    """What the history comes to, with so many of the last matches."""
    hands = [hand for hand in history.hands if not hand.standin]
    matches = _matches(hands)
    titles = Counter(title_after(hand) for hand in hands)
    runs = list(_runs(hands))
    longest = {title.value: 0 for title in Title}
    for run in runs:
        longest[run.title] = max(longest[run.title], run.hands)
    return Summary(
        hands=len(hands),
        matches=len(matches),
        standin=len(history.hands) - len(hands),
        damaged=history.damaged,
        newer=history.newer,
        since=hands[0].at if hands else "",
        until=hands[-1].at if hands else "",
        all=_group(hands) if hands else None,
        titles={title.value: titles[title] for title in Title},
        by_seats=_groups(hands, lambda hand: hand.seats),
        against=_groups(hands, lambda hand: COMPANY.index(_company(hand)), COMPANY),
        longest=longest,
        now=runs[-1] if runs else None,
        recent=tuple(matches[: -recent - 1 : -1]) if recent else (),
    )


def values(found: Summary) -> dict[str, Any]:
    """The same for programs."""
    made: dict[str, Any] = to_builtins(found)
    return made


def _company(hand: Hand) -> str:
    if not hand.people:
        return "bots"
    return "both" if hand.bots else "people"


def _group(hands: Sequence[Hand]) -> Group:
    points = sum(hand.seats - hand.place for hand in hands)
    return Group(
        hands=len(hands),
        mean_place=sum(hand.place for hand in hands) / len(hands),
        points=points,
        points_per_hand=points / len(hands),
        standing=sum((h.seats - h.place) / (h.seats - 1) for h in hands) / len(hands),
        first=sum(hand.place == 1 for hand in hands),
        last=sum(hand.place == hand.seats for hand in hands),
    )


def _groups(
    hands: Sequence[Hand], key: Callable[[Hand], int], names: Sequence[str] = ()
) -> dict[str, Group]:
    """The hands by a number, in its order."""
    ordered = sorted(hands, key=key)
    return {
        names[number] if names else str(number): _group(list(some))
        for number, some in groupby(ordered, key)
    }


def _runs(hands: Iterable[Hand]) -> Iterator[Run]:
    for title, some in groupby(hands, title_after):
        yield Run(title.value, len(list(some)))


def _matches(hands: Iterable[Hand]) -> list[MatchRow]:
    """The matches, in the order in which they ended."""
    by_match: dict[str, list[Hand]] = {}
    for hand in hands:
        by_match.setdefault(hand.match, []).append(hand)
    rows = [
        MatchRow(
            at=some[-1].at,
            how=some[-1].how,
            table=some[-1].table,
            seats=some[-1].seats,
            played=_group(some),
        )
        for some in by_match.values()
    ]
    return sorted(rows, key=lambda row: row.at)
