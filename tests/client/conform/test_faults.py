"""The kit can fail: faults that are planted in a copy of a client are found, each by its check."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest
import trio

from dalmuti.client.conform import stand
from dalmuti.client.conform.checks import Outcome, chosen, run_all
from dalmuti.client.conform.clients.catalogue import all_checks
from dalmuti.client.conform.stand import standing

ROOT = Path(__file__).parents[3]
BOT = ROOT / "examples" / "minimal_bot.py"
ACT = 'say(t="act", id=3, decision=number, choice=random.choice(choices))'
PONG = 'say(t="pong", n=message.get("n", 0))'
MATCH = "            match message:\n"
EVENTS = "played passed turn dealt hand_started hand_prepared titles_drawn revolution_opened"

FAULTS: list[tuple[str, str, str, str, str]] = [
    (
        "answers with the wrong number",
        ACT,
        ACT.replace("=number", "=number + 1"),
        "C-401",
        "found one to decision 2, which is not asked",
    ),
    (
        "answers twice",
        ACT,
        f"{ACT}; {ACT}",
        "C-401",
        "expected one answer a decision, found two",
    ),
    (
        "answers what it may not",
        ACT,
        'say(t="act", id=3, decision=number, choice={"do": "play", "rank": 1, "count": 14})',
        "C-401",
        "choices of decision 1, found {'do': 'play', 'rank': 1, 'count': 14, 'jesters': 0}",
    ),
    (
        "dies at an event that it does not know",
        MATCH,
        f'            if "event" in message and message["event"]["e"] not in {EVENTS!r}:\n'
        f'                raise KeyError(message["event"]["e"])\n{MATCH}',
        "C-304",
        "expected the connection to stay, found that the client",
    ),
    (
        "takes what one read gives for a whole frame",
        'connection.makefile("rb")',
        'connection.makefile("rb", buffering=0)',
        "C-202",
        "expected the connection to stay, found that the client",
    ),
    (
        "takes what one read gives for one frame",
        "        while len(header := stream.read(4)) == 4:\n"
        '            message = msgpack.unpackb(stream.read(int.from_bytes(header, "big")))\n',
        "        while data := connection.recv(65536):\n"
        "            message = msgpack.unpackb(\n"
        '                data[4 : 4 + int.from_bytes(data[:4], "big")], strict_map_key=False\n'
        "            )\n",
        "C-203",
        "found",
    ),
    ("answers no ping", PONG, "pass", "C-107", "expected `pong`"),
    (
        "needs a field that may be left out",
        PONG,
        PONG.replace('.get("n", 0)', '["n"]'),
        "C-107",
        "its last words: KeyError: 'n'",
    ),
    (
        "needs a field of a choice that may be left out",
        ACT,
        f"[each['jesters'] for each in choices if each['do'] == 'play']; {ACT}",
        "C-303",
        "its last words: KeyError: 'jesters'",
    ),
    (
        "ends at any error",
        '"error", "re": 1, ',
        '"error", ',
        "C-402",
        "its last words: cannot sit down: ",
    ),
    (
        "ends well although it was not let in",
        'sys.exit(f"the server says goodbye: {reason}")',
        'return f"the server says goodbye: {reason}"',
        "C-102",
        "expected an exit code other than 0 when no common version is spoken, found 0",
    ),
    (
        "says hello without what must be there",
        "versions=[1, 1], ",
        "",
        "C-101",
        "expected `versions`, the lowest and the highest version that you speak",
    ),
    (
        "asks without end",
        'sys.exit(f"cannot sit down: {sentence}")',
        'say(t="join", id=1, table=table)',
        "C-104",
        "expected at most a few tries to join within 2 s, found 20",
    ),
    (
        "stays when the server stops",
        'sys.exit(f"the server says goodbye: {reason}")',
        "__import__('time').sleep(100)",
        "C-703",
        "expected the client to end or to try again",
    ),
]
OLD_TOKEN = """
from dalmuti.client import session
seated = session.Session._take
def take(self, message):
    held = self.seated
    seated(self, message)
    if held is not None and isinstance(message, session.Seated):
        self.seated = held
session.Session._take = take
"""
WAR = """
from dalmuti.client import session
def bye(self, message):
    raise session.Lost("again")
session.Session._bye = bye
session.Session._unseated = lambda self, message: None
"""
HURRY = """
from dalmuti.client import session
session.FIRST_DELAY = session.LAST_DELAY = 0.0
"""
JOINS_ANEW = """
from dalmuti.client import session
enter = session.Session._enter
def anew(self):
    self.seated = None
    enter(self)
session.Session._enter = anew
"""
SDK_FAULTS: list[tuple[str, str, str, str]] = [
    ("comes back with an old token", OLD_TOKEN, "C-601", "found an older one"),
    ("comes back by `join`", JOINS_ANEW, "C-605", "expected `resume` after a lost connection"),
    ("fights for its seat", WAR, "C-611", "expected no new connection after `bye` `replaced`"),
    ("does not wait", HURRY, "C-612", "expected at most 8 connections in 3 s, found 9"),
]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is waited for as long as a stranger would be."""
    for name in ("HELLO_SECONDS", "ANSWER_SECONDS"):
        monkeypatch.setattr(stand, name, 6.0)


async def tried(command: str, *ids: str) -> list[Outcome]:
    checks = chosen(all_checks(), ",".join(ids))
    return await run_all(checks, lambda: standing(command), 4, lambda outcome: None)


def planted(tmp_path: Path, old: str, new: str) -> str:
    """The command of a copy of the minimal bot with this replacement."""
    source = BOT.read_text()
    assert source.count(old) == 1, f"{old!r} is in the example {source.count(old)} times"
    file = tmp_path / "faulty_bot.py"
    file.write_text(source.replace(old, new))
    return shlex.join([sys.executable, str(file)])


def patched(tmp_path: Path, patch: str) -> str:
    """The command of our own client with a fault patched in."""
    file = tmp_path / "faulty.py"
    run = "sys.exit(main(['bot', 'greedy', *sys.argv[1:]]))"
    file.write_text(f"import sys\nfrom dalmuti.client.cli import main\n{patch}\n{run}\n")
    command = shlex.join([sys.executable, str(file)])
    return f"{command} {{host}}:{{port}} --table {{table}} --name {{name}}"


async def test_planted_faults_are_found(tmp_path: Path, quick: None) -> None:
    """All at once, since most of them are found by waiting for what never comes."""
    wrong: dict[str, Outcome] = {}

    async def one(
        at: int, what: str, old_or_patch: str, new: str | None, id: str, why: str
    ) -> None:
        folder = tmp_path / str(at)
        folder.mkdir()
        if new is None:
            command = patched(folder, old_or_patch)
        else:
            command = planted(folder, old_or_patch, new)
        (outcome,) = await tried(command, id)
        if outcome.result != "FAIL" or why not in outcome.why:
            wrong[what] = outcome

    async with trio.open_nursery() as nursery:
        for at, (what, old, new, id, why) in enumerate(FAULTS):
            nursery.start_soon(one, at, what, old, new, id, why)
        for at, (what, patch, id, why) in enumerate(SDK_FAULTS, start=len(FAULTS)):
            nursery.start_soon(one, at, what, patch, None, id, why)
    assert wrong == {}


async def test_a_client_that_hangs_fails_its_own_check_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ignores SIGTERM, and has started somebody else who does as well."""
    monkeypatch.setattr(stand, "HELLO_SECONDS", 1.0)
    pids = tmp_path / "pids"
    script = f"trap '' TERM; echo $$ >> {pids}; (echo $BASHPID >> {pids}; sleep 100) & sleep 100"
    (outcome,) = await tried(f"bash -c {shlex.quote(script)}", "C-101")
    assert outcome.result == "FAIL"
    assert outcome.why.startswith("expected a connection, found none")
    found = [int(line) for line in pids.read_text().split()]
    assert len(found) == 2
    for pid in found:
        assert not _runs(pid)


def _runs(pid: int) -> bool:
    """Whether this process is there; one that has ended and waits to be reaped is not."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return False
    return state not in "ZX"
