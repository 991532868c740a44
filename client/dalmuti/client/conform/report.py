"""What came of the checks, for people and for programs.

One fault of a client often fails many checks. While they run a line each says which; the faults
come behind, each said once with the checks that found it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import groupby
from textwrap import wrap
from typing import Any, Final

from dalmuti.client.conform.checks import Check, Outcome
from dalmuti.client.out import counted

CELLS: Final = 80
"""Of the longest line of a list."""

MOST_LINKS: Final = 3


def line(outcome: Outcome) -> str:
    """One check."""
    text = f"{outcome.result}  {outcome.check.id}  {outcome.check.says}"
    return f"{text} ({outcome.why})" if outcome.result == "skip" else text


def listed(check: Check) -> str:
    """A check that is not run."""
    indent = " " * len(f"{check.id}  ")
    says = wrap(check.says, CELLS, initial_indent=f"{check.id}  ", subsequent_indent=indent)
    return "\n".join([*says, f"{indent}{check.link}"])


def faults(outcomes: Sequence[Outcome]) -> list[list[Outcome]]:
    """What failed, by what is the same fault: alike but for numbers, and ended alike.

    A fault that has no section of its own, such as a crash, is the same in whichever check.
    """
    found: dict[tuple[str, ...], list[Outcome]] = {}
    for each in outcomes:
        if each.result == "FAIL":
            words = (each.why, each.anchor, each.evidence.program, *each.evidence.words[-1:])
            found.setdefault(tuple(re.sub(r"\d+", "#", word) for word in words), []).append(each)
    return list(found.values())


def findings(outcomes: Sequence[Outcome]) -> list[str]:
    """Each fault once, in some lines, and each warning."""
    ids = [each.check.id for each in outcomes]
    out = []
    for alike in faults(outcomes):
        first = alike[0]
        evidence = first.evidence
        lines = [f"{_named(ids, [each.check.id for each in alike])}: {first.why}"]
        where = f" (in {first.check.id})" if len(alike) > 1 else ""
        if evidence.sent:
            lines.append(f"sent last{where}: {evidence.sent}")
        if evidence.program:
            lines.append(evidence.program + (" and said last:" if evidence.words else ""))
            lines += [f"  | {word}" for word in evidence.words]
        links = [*dict.fromkeys(each.link for each in alike)]
        more = ", ..." if len(links) > MOST_LINKS else ""
        out.append("\n      ".join([*lines, f"see {', '.join(links[:MOST_LINKS])}{more}"]))
    for text, where_found in _warnings(outcomes).items():
        out.append(f"warning, {_named(ids, where_found)}: {text}; servers ignore it")
    return out


def summary(outcomes: Sequence[Outcome], left: int = 0) -> str:
    """The last line; `left` checks were not run, since nobody is there."""
    counts = _counts(outcomes)
    text = (
        f"{counted(len(outcomes), 'check')}: {counts['passed']} passed, {counts['failed']} failed,"
        f" {counts['skipped']} skipped."
    )
    if not left:
        return text
    return f"{text} Not run: {left} more, which would fail for the same reason."


def as_json(side: str, outcomes: Sequence[Outcome], left: int = 0) -> str:
    """Everything, for a program."""
    rows = [
        {
            "id": each.check.id,
            "says": each.check.says,
            "link": each.link,
            "result": each.result.lower(),
            "why": each.why,
            "sent": each.evidence.sent,
            "program": each.evidence.program,
            "words": each.evidence.words,
            "ms": round(each.seconds * 1000),
        }
        for each in outcomes
    ]
    whole: dict[str, Any] = {"against": side, **_counts(outcomes), "not_run": left}
    whole["faults"] = [
        {"why": alike[0].why, "link": alike[0].link, "ids": [each.check.id for each in alike]}
        for alike in faults(outcomes)
    ]
    whole["warnings"] = [{"text": text, "ids": ids} for text, ids in _warnings(outcomes).items()]
    return json.dumps({**whole, "checks": rows}, ensure_ascii=False)


def _warnings(outcomes: Sequence[Outcome]) -> dict[str, list[str]]:
    """What was warned of, alike but for numbers, and in which checks."""
    found: dict[str, tuple[str, list[str]]] = {}
    for each in outcomes:
        for text in each.warnings:
            ids = found.setdefault(re.sub(r"\d+", "#", text), (text, []))[1]
            if each.check.id not in ids:
                ids.append(each.check.id)
    return dict(found.values())


def _named(order: Sequence[str], ids: Sequence[str]) -> str:
    """`C-201`, `C-201, C-205`, or `C-201 to C-303 (6 checks)`: in the order of those that ran."""
    runs = []
    places = [order.index(id) for id in ids]
    for _, group in groupby(enumerate(places), key=lambda pair: pair[1] - pair[0]):
        run = [order[place] for _, place in group]
        runs.append(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(run))
    return ", ".join(runs) + (f" ({len(ids)} checks)" if len(ids) > 2 else "")


def _counts(outcomes: Sequence[Outcome]) -> dict[str, int]:
    results = [each.result for each in outcomes]
    return {
        "passed": results.count("pass"),
        "failed": results.count("FAIL"),
        "skipped": results.count("skip"),
    }
