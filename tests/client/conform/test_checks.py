"""How checks are run and told, whatever they are about."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio

from dalmuti.client.cli import main
from dalmuti.client.conform import report, wire
from dalmuti.client.conform.checks import (
    Catalogue,
    Check,
    Evidence,
    Failed,
    Hopeless,
    Outcome,
    Skipped,
    chosen,
    run_all,
    run_one,
)
from dalmuti.client.conform.clients.catalogue import all_checks as of_clients
from dalmuti.client.conform.program import CommandError, command_of
from dalmuti.client.conform.servers.catalogue import all_checks as of_servers
from dalmuti.protocol import messages as msg
from dalmuti.protocol.text import width


class Nothing:
    waits_for = "rain"
    warnings = ("clouds",)

    async def evidence(self) -> Evidence:
        return Evidence("a wish", "the sky ended with exit code 1", ("thunder", "lightning"))


@asynccontextmanager
async def nothing() -> AsyncIterator[Nothing]:
    """Behind a nursery, as in earnest: what is raised comes out in a group."""
    async with trio.open_nursery():
        yield Nothing()


def some_checks() -> list[Check]:
    catalogue: Catalogue[Nothing] = Catalogue()

    @catalogue.check("X-3", "It passes.", "bytes")
    async def passes(stand: Nothing) -> None:
        await trio.sleep(3)

    @catalogue.check("X-1", "It fails.", "bytes")
    async def fails(stand: Nothing) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(raises, Failed("expected rain, found sun"))

    @catalogue.check("X-2", "It is skipped.", "bytes")
    async def skips(stand: Nothing) -> None:
        raise Skipped("no weather here")

    @catalogue.check("X-4", "It never ends.", "bytes", seconds=70)
    async def hangs(stand: Nothing) -> None:
        await trio.sleep_forever()

    return catalogue.sorted()


async def raises(error: Exception) -> None:
    raise error


async def test_each_check_has_an_outcome_of_its_own(autojump_clock: object) -> None:
    told: list[Outcome] = []
    outcomes = await run_all(some_checks(), nothing, 2, told.append)
    assert outcomes == told
    assert [(each.check.id, each.result, each.why) for each in outcomes] == [
        ("X-1", "FAIL", "expected rain, found sun"),
        ("X-2", "skip", "no weather here"),
        ("X-3", "pass", ""),
        ("X-4", "FAIL", "expected rain within 70 s, found nothing"),
    ]
    assert report.summary(outcomes) == "4 checks: 1 passed, 2 failed, 1 skipped."
    assert report.summary(outcomes[:1]).startswith("1 check: ")
    found = json.loads(report.as_json("client", outcomes))
    assert (found["passed"], found["failed"], found["skipped"]) == (1, 2, 1)
    assert found["checks"][0]["link"] == "docs/protocol.md#bytes"
    assert report.line(outcomes[0]) == "FAIL  X-1  It fails."
    assert report.findings(outcomes)[0].splitlines() == [
        "X-1: expected rain, found sun",
        "      sent last: a wish",
        "      the sky ended with exit code 1 and said last:",
        "        | thunder",
        "        | lightning",
        "      see docs/protocol.md#bytes",
    ]
    assert report.findings(outcomes)[2:] == [
        "warning, X-1 to X-4 (4 checks): clouds; servers ignore it"
    ]


def failed(id: str, why: str, anchor: str = "", check_anchor: str = "bytes") -> Outcome:
    async def never(stand: Nothing) -> None:
        raise AssertionError

    check = Check(id=id, says="It is so.", anchor=check_anchor, run=never)
    return Outcome(check, "FAIL", why, anchor=anchor)


def test_one_fault_is_said_once_with_all_that_found_it() -> None:
    """Alike but for numbers is the same; the section is that of the fault, where it has one."""
    outcomes = [
        failed("X-1", "expected an answer to decision 1, found nothing", "decisions"),
        failed("X-2", "expected `pong`, found nothing"),
        failed("X-3", "expected an answer to decision 14, found nothing", "decisions"),
        failed("X-4", "expected an answer to decision 2, found nothing", "decisions"),
        failed("X-5", "expected an answer to decision 3, found nothing", "decisions"),
        failed("X-6", "expected an answer to decision 3, found nothing"),
        failed("Y-1", "expected the connection to stay"),
        failed("Y-2", "expected the connection to stay", check_anchor="hello"),
    ]
    assert report.findings(outcomes) == [
        "X-1, X-3 to X-5 (4 checks): expected an answer to decision 1, found nothing\n"
        "      see docs/protocol.md#decisions",
        "X-2: expected `pong`, found nothing\n      see docs/protocol.md#bytes",
        "X-6: expected an answer to decision 3, found nothing\n      see docs/protocol.md#bytes",
        "Y-1, Y-2: expected the connection to stay\n"
        "      see docs/protocol.md#bytes, docs/protocol.md#hello",
    ]
    found = json.loads(report.as_json("client", outcomes))
    assert [fault["ids"] for fault in found["faults"]] == [
        ["X-1", "X-3", "X-4", "X-5"],
        ["X-2"],
        ["X-6"],
        ["Y-1", "Y-2"],
    ]


async def test_where_nobody_is_there_the_other_checks_are_not_run(autojump_clock: object) -> None:
    catalogue: Catalogue[Nothing] = Catalogue()

    @catalogue.check("X-1", "Somebody is there.", "bytes")
    async def nobody(stand: Nothing) -> None:
        raise Hopeless("expected a connection, found none")

    @catalogue.check("X-2", "It is not run.", "bytes")
    async def not_run(stand: Nothing) -> None:
        raise AssertionError

    outcomes = await run_all(catalogue.checks, nothing, 2, lambda outcome: None)
    assert [(each.check.id, each.hopeless) for each in outcomes] == [("X-1", True)]
    assert report.summary(outcomes, 1) == (
        "1 check: 0 passed, 1 failed, 0 skipped."
        " Not run: 1 more, which would fail for the same reason."
    )
    assert json.loads(report.as_json("client", outcomes, 1))["not_run"] == 1


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (msg.Ok(re=4), "`ok` (to request 4)"),
        (msg.Pong(n=3), "`pong`"),
        ({"t": "weather", "id": 3, "re": 1}, "`weather` (to request 1)"),
        ({"t": "event", "seq": 8, "event": {"e": "glass_raised"}}, "event `glass_raised` (seq 8)"),
        (b"\x00\x01", "2 bytes (00 01)"),
        (bytes(99), f"99 bytes ({' '.join(['00'] * 16)} ...)"),
    ],
)
def test_what_was_sent_last_is_named_by_its_type_and_number(sent: Any, said: str) -> None:
    assert wire.named(sent) == said


async def test_a_bug_of_the_kit_is_no_fault_of_the_other_side() -> None:
    catalogue: Catalogue[Nothing] = Catalogue()

    @catalogue.check("X-1", "It is a bug.", "bytes")
    async def bug(stand: Nothing) -> None:
        raise KeyError("oops")

    with pytest.raises(BaseExceptionGroup) as caught:
        await run_one(catalogue.checks[0], nothing)
    assert caught.group_contains(KeyError)


def test_ids_and_sentences() -> None:
    for letter, checks in (("C", of_clients()), ("S", of_servers())):
        ids = [check.id for check in checks]
        assert ids == sorted(set(ids))
        for check in checks:
            assert check.id[:2] == f"{letter}-" and check.id[2:].isdecimal()
            assert check.says.endswith(".") and "\n" not in check.says and "  " not in check.says
    assert [check.id for check in chosen(of_clients(), "c-101, C-201")] == ["C-101", "C-201"]


def test_the_places_of_a_command() -> None:
    assert command_of("sh a {port} -n{name}", "h", 1, "T t", "N") == ["sh", "a", "1", "-nN"]
    assert command_of("sh 'a b'", "h", 1, "T t", "N") == ["sh", "a b", "h", "1", "T t", "N"]
    for wrong in ("", "sh 'a", "no-such-program-here"):
        with pytest.raises(CommandError):
            command_of(wrong, "h", 1, "T", "N")


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        ([], 2, 'expected one of --client "COMMAND" and --server HOST:PORT'),
        (["--client", "sh", "--server", "127.0.0.1:1"], 2, "expected one of"),
        (["--client", "sh", "--only", "C-999"], 2, "there is no check 'C-999' here"),
        (["--client", "no-such-program-here"], 2, "no program 'no-such-program-here'"),
        (["--server", "127.0.0.1:1"], 3, "Nobody answers at 127.0.0.1:1"),
        (["--server", "127.0.0.1:1", "--tls"], 3, "Nobody answers at 127.0.0.1:1"),
        (["--server", "127.0.0.1:1", "--fingerprint", "x"], 2, "expected a SHA-256 fingerprint"),
    ],
)
def test_wrong_use_is_a_sentence(
    arguments: list[str], code: int, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["conform", *arguments]) == code
    error = capsys.readouterr().err
    assert text in error and len(error.splitlines()) == 1


def test_the_list_runs_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conform", "--list"]) == 0
    first_lines = [line for line in capsys.readouterr().out.splitlines() if line[0] != " "]
    assert len(first_lines) == len(of_clients()) + len(of_servers())
    assert main(["conform", "--list", "--server", "x", "--only", "S-101"]) == 0
    assert capsys.readouterr().out.startswith("S-101  ")


def test_help_loads_nothing() -> None:
    script = (
        "import sys; from dalmuti.client.cli import main\n"
        "try: main(['conform', '--help'])\n"
        "except SystemExit: pass\n"
        "print('IMPORTED', sorted({'trio', 'msgspec', 'msgpack'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "example" in done.stdout and "IMPORTED []" in done.stdout


def test_the_list_fits_80_cells() -> None:
    for check in (*of_clients(), *of_servers()):
        first, *more, link = report.listed(check).splitlines()
        assert first.startswith(f"{check.id}  ") and link.strip() == check.link
        assert " ".join([first[len(check.id) :], *more]).split() == check.says.split()
        assert all(width(line) <= 80 for line in (first, *more, link)), check.id
