"""What a check is, and how many of them are run: each by itself, under a time of its own.

A check is a coroutine that is given its surroundings (a `Stand` with a client program, a `Visit`
to a server) and returns when all is well. `Failed` says what was expected and what was found,
`Skipped` why nothing can be said. Whatever else it raises is a bug of the kit, and is not caught.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, Generic, Literal, Protocol, TypeVar

import trio
from msgspec import Struct

PROTOCOL: Final = "docs/protocol.md"
"""Where the sections are that checks stand on."""
SECONDS: Final = 60.0
"""How long a check may take unless it says otherwise. Only one that fails takes so long."""


class Failed(Exception):
    """The other side did not do what it must; the text is `expected ..., found ...`."""


def nonsense(error: Exception) -> Failed:
    """The other side sent what is no message of the protocol."""
    return Failed(f"expected messages of the protocol, found one that is none: {error}")


class Skipped(Exception):
    """The check says nothing about the other side; the text says why."""


class Surroundings(Protocol):
    """What every check is given, whatever else it has."""

    @property
    def waits_for(self) -> str:
        """What is waited for just now, for the report of a check whose time is up."""


S = TypeVar("S", bound=Surroundings)
T = TypeVar("T")
Result = Literal["pass", "FAIL", "skip"]


class Check(Struct, frozen=True, kw_only=True, eq=False):
    """One thing that is found out about a client or a server."""

    id: str
    says: str
    """What is true when it passes, as a sentence."""
    anchor: str
    """The section of docs/protocol.md that demands it."""
    run: Callable[[Any], Awaitable[None]]
    seconds: float = SECONDS
    """How long it may take; more than usual where it has to wait for a clock of the server."""

    @property
    def link(self) -> str:
        """Where the demand is written."""
        return f"{PROTOCOL}#{self.anchor}"


class Outcome(Struct, frozen=True):
    """What came of one check."""

    check: Check
    result: Result
    why: str = ""
    """What was expected and found, or why it was skipped."""
    seconds: float = 0.0


class Catalogue(Generic[S]):
    """The checks of one side, in the order in which they are told."""

    def __init__(self) -> None:
        self.checks: list[Check] = []

    def check(
        self, id: str, says: str, anchor: str, seconds: float = SECONDS
    ) -> Callable[[Callable[[S], Awaitable[None]]], Callable[[S], Awaitable[None]]]:
        """Makes a check of a coroutine function."""

        def add(run: Callable[[S], Awaitable[None]]) -> Callable[[S], Awaitable[None]]:
            self.add(Check(id=id, says=says, anchor=anchor, run=run, seconds=seconds))
            return run

        return add

    def add(self, check: Check) -> None:
        """Adds one, under an id that no other has."""
        assert all(each.id != check.id for each in self.checks), check.id
        self.checks.append(check)

    def sorted(self) -> list[Check]:
        """All of them by id."""
        return sorted(self.checks, key=lambda check: check.id)


async def run_one(check: Check, make: Callable[[], AbstractAsyncContextManager[S]]) -> Outcome:
    """Runs a check in surroundings of its own."""
    began = trio.current_time()
    waits_for = ""
    result: Result = "pass"
    why = ""
    try:
        with trio.move_on_after(check.seconds) as scope:
            async with make() as stand:
                try:
                    await check.run(stand)
                finally:
                    waits_for = stand.waits_for
        if scope.cancelled_caught:
            what = waits_for or "the end of the check"
            result, why = "FAIL", f"expected {what} within {check.seconds:g} s, found nothing"
    except* Failed as group:
        result, why = "FAIL", str(_first(group, Failed))
    except* Skipped as group:
        if result == "pass":
            result, why = "skip", str(_first(group, Skipped))
    return Outcome(check, result, why, trio.current_time() - began)


async def run_all(
    checks: Sequence[Check],
    make: Callable[[], AbstractAsyncContextManager[S]],
    at_once: int,
    tell: Callable[[Outcome], None],
) -> list[Outcome]:
    """Runs checks, some at a time, and tells each outcome in the order of the checks.

    Those that may take long begin first, so that nobody waits for them alone at the end.
    """
    found: dict[str, Outcome] = {}
    told: list[Outcome] = []
    places = trio.Semaphore(at_once)

    async def one(check: Check) -> None:
        try:
            found[check.id] = await run_one(check, make)
        finally:
            places.release()
        while len(told) < len(checks) and checks[len(told)].id in found:
            told.append(found[checks[len(told)].id])
            tell(told[-1])

    async with trio.open_nursery() as nursery:
        for check in sorted(checks, key=lambda check: -check.seconds):
            await places.acquire()
            nursery.start_soon(one, check)
    return told


def chosen(checks: Iterable[Check], only: str | None) -> list[Check]:
    """The checks of these ids, all without any. Raises KeyError with an id that no check has."""
    known = {check.id: check for check in checks}
    if only is None:
        return list(known.values())
    wanted = [part.strip().upper() for part in only.split(",") if part.strip()]
    for each in wanted:
        if each not in known:
            raise KeyError(each)
    return [check for id, check in known.items() if id in wanted]


def _first(group: BaseExceptionGroup[Any], kind: type[T]) -> T:
    """The first exception of a kind in a group of groups."""
    for each in group.exceptions:
        if isinstance(each, BaseExceptionGroup):
            return _first(each, kind)
        if isinstance(each, kind):
            return each
    raise AssertionError("an empty group")
