"""`dalmuti conform`: which checks, against whom, and what came of it."""

from __future__ import annotations

import argparse
import signal
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

import trio

from dalmuti.client import out
from dalmuti.client.commands.parts import OK
from dalmuti.client.conform import report
from dalmuti.client.conform.checks import Check, Outcome, chosen, run_all
from dalmuti.client.conform.program import CommandError, command_of
from dalmuti.client.start import Refusal, address_of, trust_of

NOT_ALL: Final = 1
"""The exit code when a check failed."""
CLIENTS_AT_ONCE: Final = 12
SERVERS_AT_ONCE: Final = 16


def run(given: argparse.Namespace) -> int:
    """Runs or lists the checks. Raises Refusal."""
    if given.list:
        return _list(given)
    if (given.client is None) == (given.server is None):
        raise Refusal('expected one of --client "COMMAND" and --server HOST:PORT')
    if given.client is not None:
        from dalmuti.client.conform.stand import standing

        try:
            command_of(given.client, "127.0.0.1", 1, "Table", "Name")
        except CommandError as error:
            raise Refusal(f"--client: {error}") from None
        checks = _chosen(_clients(), given.only)
        return _run("client", checks, lambda: standing(given.client), CLIENTS_AT_ONCE, given.json)
    from dalmuti.client.conform.visit import Place, visiting

    host, port = address_of(given.server)
    place = Place(host, port, given.password, trust_of(given, host, port))
    problem, code = trio.run(place.greeted)
    if problem:
        raise Refusal(problem, code)
    if place.trust is not None and (note := place.trust.note()):
        out.complain(note)
    checks = _chosen(_servers(), given.only)
    return _run("server", checks, lambda: visiting(place), SERVERS_AT_ONCE, given.json)


def _list(given: argparse.Namespace) -> int:
    checks = [] if given.server is not None else _clients()
    checks += [] if given.client is not None else _servers()
    for check in _chosen(checks, given.only):
        out.say(report.listed(check))
    return OK


def _run(
    side: str,
    checks: list[Check],
    make: Callable[[], AbstractAsyncContextManager[Any]],
    at_once: int,
    json: bool,
) -> int:
    """Stopped by a signal it ends all that it started first, and tells nothing more."""

    def tell(outcome: Outcome) -> None:
        if not json:
            out.say(report.line(outcome))

    outcomes: list[Outcome] = []
    caught: list[int] = []

    async def until_signal(nursery: trio.Nursery) -> None:
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async for number in signals:
                caught.append(int(number))
                nursery.cancel_scope.cancel()

    async def all_of_them() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(until_signal, nursery)
            outcomes.extend(await run_all(checks, make, at_once, tell))
            nursery.cancel_scope.cancel()

    trio.run(all_of_them)
    if caught:
        return 128 + caught[0]
    left = len(checks) - len(outcomes)
    if json:
        out.say(report.as_json(side, outcomes, left))
    else:
        for text in report.findings(outcomes):
            out.say(f"\n{text}")
        out.say(("" if len(outcomes) < 2 else "\n") + report.summary(outcomes, left))
    return NOT_ALL if any(each.result == "FAIL" for each in outcomes) else OK


def _chosen(checks: list[Check], only: str | None) -> list[Check]:
    try:
        return chosen(checks, only)
    except KeyError as error:
        ids = f"{checks[0].id} to {checks[-1].id}"
        raise Refusal(
            f"--only: there is no check {error.args[0]!r} here; they go from {ids}, see --list"
        ) from None


def _clients() -> list[Check]:
    from dalmuti.client.conform.clients.catalogue import all_checks

    return all_checks()


def _servers() -> list[Check]:
    from dalmuti.client.conform.servers.catalogue import all_checks

    return all_checks()
