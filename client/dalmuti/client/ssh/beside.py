"""The gateway that `dalmuti host --ssh` starts beside its server, and that ends with the server.

It is a child like the server, in a session of its own, so that it outlives the host. Its standard
input is a pipe of which the server holds the other end: however the server ends, the pipe closes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from typing import Final

import platformdirs
from msgspec import Struct

from dalmuti.client import i18n
from dalmuti.client.start import Refusal

START_SECONDS: Final = 20.0
"""How long it may take to listen."""


class Beside(Struct, frozen=True):
    """A gateway that listens: what guests type, and the fingerprint of its key."""

    lines: list[str]
    host_key: str


def start(
    server: str,
    bind: str,
    port: int,
    *,
    lifeline: int,
    password: str | None,
    lan_only: bool,
) -> Beside:
    """Starts it; `lifeline` is the end of the server's pipe, and is closed. Raises Refusal.

    With a password guests have to give it as well. Passwords go by the environment: other users of
    this machine can read command lines.
    """
    log = platformdirs.user_log_path("dalmuti") / "ssh.log"
    command = [sys.executable, "-m", "dalmuti.client.cli", "ssh", server, "--json", "--lifeline"]
    command += ["--listen", bind or "0.0.0.0", "--port", str(port), "--log", str(log)]
    command += ["--lang", i18n.language()]
    command += ["--auth", "anykey" if password is None else "password"]
    command += ["--lan-only"] if lan_only else []
    secret = {"DALMUTI_PASSWORD": password, "DALMUTI_GUEST_PASSWORD": password}
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command,
            stdin=lifeline,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=os.environ | {name: value for name, value in secret.items() if value is not None},
            start_new_session=True,
        )
        os.close(lifeline)
        assert process.stdout is not None
        with process.stdout as output:
            first = output.readline()
        if first:
            told = json.loads(first)
            return Beside(told["lines"], told["host_key"])
        process.wait(START_SECONDS)
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip().splitlines()
    text = said[-1].removeprefix("dalmuti ssh: ").removesuffix(".") if said else "it says nothing"
    raise Refusal(f"the way in by ssh cannot be opened: {text}")


def among(joins: list[str], guests: list[str]) -> list[str]:
    """All lines that others may type, the most useful first: a screen has room for four."""
    return joins[:1] + guests[:1] + joins[1:] + guests[1:]
