"""What a check is, and how many of them are run: each by itself, under a time of its own.

A check is a coroutine that is given its surroundings (a `Stand` with a client program, a `Visit`
to a server) and returns when all is well. `Failed` says what was expected and what was found, and
which section demands it where that is not the check's own; `Skipped` why nothing can be said.
Whatever else it raises is a bug of the kit, and is not caught.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, Generic, Literal, Protocol, TypeVar

import trio
from msgspec import Struct

from dalmuti.protocol.errors import BadRequest, ByeReason, RemoteProtocolError

PROTOCOL: Final = "docs/protocol.md"
"""Where the sections are that checks stand on."""
SECONDS: Final = 60.0
"""How long a check may take unless it says otherwise. Only one that fails takes so long."""


class Failed(Exception):
    """The other side did not do what it must; the text is `expected ..., found ...`."""

    def __init__(self, text: str, anchor: str = "") -> None:
        """`anchor` is the section of docs/protocol.md that demands it, if not the check's."""
        super().__init__(text)
        self.anchor = anchor


class Hopeless(Failed):
    """Nobody is there who speaks the protocol: no other check would find anything else."""


def nonsense(error: BadRequest | RemoteProtocolError) -> Failed:
    """The other side sent what is no message of the protocol."""
    if isinstance(error, BadRequest):
        anchor = "requests-and-answers"
    else:
        anchor = "bytes" if error.reason is ByeReason.BAD_FRAME else "hello-and-versions"
    return Failed(f"expected messages of the protocol, found one that is none: {error}", anchor)


class Skipped(Exception):
    """The check says nothing about the other side; the text says why."""


class Evidence(Struct, frozen=True):
    """What else is known of a check that failed."""

    sent: str = ""
    """What the kit had sent last."""
    program: str = ""
    """Whether the client still runs, or how it ended."""
    words: tuple[str, ...] = ()
    """The last lines of a client that ended by itself."""


class Surroundings(Protocol):
    """What every check is given, whatever else it has."""

    @property
    def waits_for(self) -> str:
        """What is waited for just now, for the report of a check whose time is up."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the other side does that is no fault, but hardly meant."""

    async def evidence(self) -> Evidence:
        """What else is known; a program that is about to end is waited for."""


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
    anchor: str = ""
    """The section that demands it, where it is not the check's own."""
    evidence: Evidence = Evidence()
    warnings: tuple[str, ...] = ()
    hopeless: bool = False
    """Whether all other checks would fail for the same reason."""

    @property
    def link(self) -> str:
        """Where it is written what was not done."""
        return f"{PROTOCOL}#{self.anchor}" if self.anchor else self.check.link


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
    warnings: tuple[str, ...] = ()
    result: Result = "pass"
    why = anchor = ""
    evidence, hopeless = Evidence(), False
    try:
        with trio.move_on_after(check.seconds) as scope:
            async with make() as stand:
                try:
                    await check.run(stand)
                except BaseException:
                    waits_for = stand.waits_for
                    with trio.CancelScope(shield=True):
                        evidence = await stand.evidence()
                    raise
                finally:
                    warnings = stand.warnings
        if scope.cancelled_caught:
            what = waits_for or "the end of the check"
            result, why = "FAIL", f"expected {what} within {check.seconds:g} s, found nothing"
    except* Failed as group:
        failed = _first(group, Failed)
        result, why, anchor = "FAIL", str(failed), failed.anchor
        hopeless = isinstance(failed, Hopeless)
    except* Skipped as group:
        if result == "pass":
            result, why = "skip", str(_first(group, Skipped))
    seconds = trio.current_time() - began
    return Outcome(check, result, why, seconds, anchor, evidence, warnings, hopeless)


async def run_all(
    checks: Sequence[Check],
    make: Callable[[], AbstractAsyncContextManager[S]],
    at_once: int,
    tell: Callable[[Outcome], None],
) -> list[Outcome]:
    """Runs checks, some at a time, and tells each outcome in the order of the checks.

    The first goes ahead: if nobody is there at all, the others are not run. Of them those that may
    take long begin first, so that nobody waits for them alone at the end.
    """
    found: dict[str, Outcome] = {}
    told: list[Outcome] = []
    for check in checks[:1]:
        told.append(await run_one(check, make))
        tell(told[0])
        if told[0].hopeless:
            return told
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
        for check in sorted(checks[1:], key=lambda check: -check.seconds):
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
