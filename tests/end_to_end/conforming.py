"""Runs `dalmuti conform` against a client, as its author would."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any


def conform(command: str) -> dict[str, Any]:
    """What the kit says of a client; the exit code must fit it."""
    run = subprocess.run(
        [sys.executable, "-m", "dalmuti.client.cli", "conform", "--client", command, "--json"],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert run.stderr == ""
    found: dict[str, Any] = json.loads(run.stdout)
    assert run.returncode == (1 if found["failed"] else 0)
    return found


def not_passed(found: dict[str, Any]) -> list[str]:
    """The checks that failed or were skipped, and why."""
    return [f"{c['id']}: {c['why']}" for c in found["checks"] if c["result"] != "pass"]
