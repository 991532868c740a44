"""What came of the checks, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from textwrap import wrap
from typing import Final

from dalmuti.client.conform.checks import Check, Outcome
from dalmuti.client.out import counted

CELLS: Final = 80
"""Of the longest line of a list."""


def line(outcome: Outcome) -> str:
    """One check."""
    check = outcome.check
    text = f"{outcome.result}  {check.id}  {check.says}"
    if outcome.result == "FAIL":
        return f"{text}\n      {outcome.why}\n      see {check.link}"
    return f"{text} ({outcome.why})" if outcome.why else text


def listed(check: Check) -> str:
    """A check that is not run."""
    indent = " " * len(f"{check.id}  ")
    says = wrap(check.says, CELLS, initial_indent=f"{check.id}  ", subsequent_indent=indent)
    return "\n".join([*says, f"{indent}{check.link}"])


def summary(outcomes: Sequence[Outcome]) -> str:
    """The last line."""
    counts = _counts(outcomes)
    return (
        f"{counted(len(outcomes), 'check')}: {counts['passed']} passed, {counts['failed']} failed,"
        f" {counts['skipped']} skipped."
    )


def as_json(side: str, outcomes: Sequence[Outcome]) -> str:
    """Everything, for a program."""
    rows = [
        {
            "id": each.check.id,
            "says": each.check.says,
            "link": each.check.link,
            "result": each.result.lower(),
            "why": each.why,
            "ms": round(each.seconds * 1000),
        }
        for each in outcomes
    ]
    return json.dumps({"against": side, **_counts(outcomes), "checks": rows}, ensure_ascii=False)


def _counts(outcomes: Sequence[Outcome]) -> dict[str, int]:
    results = [each.result for each in outcomes]
    return {
        "passed": results.count("pass"),
        "failed": results.count("FAIL"),
        "skipped": results.count("skip"),
    }
