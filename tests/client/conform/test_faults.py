"""The kit can fail: faults that are planted in a copy of a client are found, each by its check."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from functools import partial
from pathlib import Path

import pytest
import trio

from dalmuti.client.conform import entrance
from dalmuti.client.conform.checks import Outcome, chosen, run_all
from dalmuti.client.conform.clients.catalogue import all_checks
from dalmuti.client.conform.stand import standing

ROOT = Path(__file__).parents[3]
BOT = ROOT / "examples" / "minimal_bot.py"
ACT = 'say(t="act", id=3, decision=number, choice=random.choice(choices))'
PONG = 'say(t="pong", n=message.get("n", 0))'
READ = (
    '        while size := int.from_bytes(stream.read(4), "big"):\n'
    '            body = stream.read(size) if size <= LARGEST else b""\n'
)
BREAKS = "expected the connection to stay, found that the client"
COMES_AGAIN = "found a new connection instead, with the old one still open"
"""The example keeps its old connection in the error that it has ended with."""
Replaced = tuple[tuple[str, str], ...]

FAULTS: list[tuple[str, Replaced, str, str]] = [
    (
        "answers with the wrong number",
        ((ACT, ACT.replace("=number", "=number + 1")),),
        "C-401",
        "found one to decision 2, which is not asked",
    ),
    (
        "answers twice",
        ((ACT, f"{ACT}; {ACT}"),),
        "C-401",
        "expected one answer a decision, found two",
    ),
    (
        "answers what it may not",
        ((ACT, ACT.replace("random.choice(choices)", '{"do": "play", "rank": 1, "count": 14}')),),
        "C-401",
        "choices of decision 1, found {'do': 'play', 'rank': 1, 'count': 14, 'jesters': 0}",
    ),
    (
        "dies at an event that it does not know",
        (
            (
                '                if event["e"] == "hand_prepared":\n',
                '                seat_of = {"passed": 1, "hand_prepared": 0, "player_joined": 0}\n'
                '                seat_of[event["e"]] if event["e"][0] in "gp" else 0\n'
                '                if event["e"] == "hand_prepared":\n',
            ),
        ),
        "C-304",
        COMES_AGAIN,
    ),
    (
        "takes what one read gives for all that was asked for",
        (('connection.makefile("rb")', 'connection.makefile("rb", buffering=0)'),),
        "C-202",
        BREAKS,
    ),
    (
        "takes what one read gives for one frame",
        (
            (
                READ,
                "        while data := connection.recv(65536):\n"
                '            size, body = int.from_bytes(data[:4], "big"), data[4:]\n'
                "            body = body[:size]\n",
            ),
        ),
        "C-203",
        "found",
    ),
    ("answers no ping", ((PONG, "pass"),), "C-107", "expected `pong`"),
    (
        "needs a field that may be left out",
        ((PONG, PONG.replace('.get("n", 0)', '["n"]')),),
        "C-107",
        COMES_AGAIN,
    ),
    (
        "needs a field of a choice that may be left out",
        ((ACT, f"[each['jesters'] for each in choices if each['do'] == 'play']; {ACT}"),),
        "C-303",
        COMES_AGAIN,
    ),
    (
        "gives up at any error",
        (('{"t": "error", "re": 1, "code"', '{"t": "error", "code"'),),
        "C-402",
        COMES_AGAIN,
    ),
    (
        "ends well although it was not let in",
        (('sys.exit(f"the server said bye: {reason}")', 'raise Over("bye")'),),
        "C-102",
        "expected an exit code other than 0 when no common version is spoken, found 0",
    ),
    (
        "says hello without what must be there",
        (("versions=[1, 1], ", ""),),
        "C-101",
        "expected `versions`, the lowest and the highest version that you speak",
    ),
    (
        "asks without end",
        (
            (
                'sys.exit(f"cannot sit down: {text}")',
                'return say(t="join", id=1, table=self.table)',
            ),
        ),
        "C-104",
        "expected at most a few tries to join within 2 s, found 20",
    ),
    (
        "stays when the server stops",
        (('raise OSError("the server hung up")', "time.sleep(100)"),),
        "C-703",
        "expected the client to end or to try again",
    ),
    (
        "comes back with an old token",
        (("self.token, self.failed = token, 0", "self.token = self.token or token"),),
        "C-601",
        "expected `resume` with the newest token and its table, found an older one",
    ),
    (
        "comes back by `join`",
        (('                if self.token:\n                    say(t="resume"',
          '                if self.token == 1:\n                    say(t="resume"'),),
        "C-605",
        "expected `resume` after a lost connection, found `join`",
    ),
    (
        "fights for its seat",
        (
            ('"refused", "replaced"}', '"refused"}'),
            ('case {"t": "unseated", "reason": reason}:', 'case {"t": "u", "reason": reason}:'),
        ),
        "C-611",
        "expected no new connection after `bye` `replaced`, found one",
    ),
    (
        "does not wait before it comes back",
        (
            ("time.sleep(min(8, 0.25 * 2**self.failed) * random.uniform(0.75, 1.25))", "pass"),
        ),
        "C-612",
        "expected at most 8 connections in 3 s, found 9",
    ),
    (
        "does not see that an event is missing, and asks for events that never were",
        (('self.seen = {} if missing else {"seq": seq,', 'self.seen = {"seq": seq + 1,'),),
        "C-605",
        "expected `resume` with a `seq` of",
    ),
    (
        "takes an old number for one of the new server's",
        (
            (
                "**self.seen)\n",
                "**self.seen | ({'instance': self.instance} if self.seen else {}))\n",
            ),
        ),
        "C-609",
        "expected a `seq` with the `instance` in which it was counted, or none",
    ),
]  # fmt: skip  # the replaced lines stay as they are


JOIN = 'say(t="join", id=1, table=self.table)'
TELLS: list[tuple[str, Replaced, str, str, dict[str, str]]] = [
    (
        "dies in the middle of the game: its last lines, and what led to it",
        ((ACT, "None + number"),),
        "C-401",
        f"{BREAKS} closed it",
        {
            "sent": "`decision` 1",
            "program": "the client ended with exit code 1",
            "words": "TypeError: unsupported operand",
            "link": "#decisions",
        },
    ),
    (
        "answers twice: a fault of decisions, whatever was tried",
        ((ACT, f"{ACT}; {ACT}"),),
        "C-502",
        "expected one answer a decision, found two",
        {"program": "the client still runs", "link": "#decisions"},
    ),
    (
        "comes back by `join`: a fault of coming back, though it was about a `bye`",
        (('                if self.token:\n                    say(t="resume"',
          '                if self.token == 1:\n                    say(t="resume"'),),
        "C-613",
        "expected `resume` after a lost connection, found `join`",
        {"link": "#when-you-disconnect"},
    ),
    (
        "says fields that no message has",
        (("versions=[1, 1], ", "versions=[1, 1], nickname='x', "),),
        "C-101",
        "",
        {"warnings": "hello: no field of it is called 'nickname'"},
    ),
    (
        "asks for the tables without end",
        ((JOIN, f"{JOIN}; [say(t='list', id=7) for _ in range(40)]"),),
        "C-502",
        "found a flood of 31 `list` requests on one connection",
        {"link": "#lobby-and-tables"},
    ),
    (
        "sends half a frame and waits",
        ((ACT, 'self.out.sendall(b"\\0\\0\\0\\x30\\x85")'),
         ("        stream = connection.makefile", "        self.out = connection\n"
          "        stream = connection.makefile")),
        "C-608",
        "within 6 s, found bytes that make no whole frame: ",
        {"link": "#decisions"},
    ),
]  # fmt: skip


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is waited for as long as a stranger would be."""
    for name in ("HELLO_SECONDS", "ANSWER_SECONDS"):
        monkeypatch.setattr(entrance, name, 6.0)


async def tried(command: str, *ids: str) -> list[Outcome]:
    checks = chosen(all_checks(), ",".join(ids))
    return await run_all(checks, lambda: standing(command), 4, lambda outcome: None)


def planted(folder: Path, replaced: Replaced) -> str:
    """The command of a copy of the minimal bot with these replacements."""
    source = BOT.read_text()
    for old, new in replaced:
        assert source.count(old) == 1, f"{old!r} is in the example {source.count(old)} times"
        source = source.replace(old, new)
    folder.mkdir()
    file = folder / "faulty_bot.py"
    file.write_text(source)
    return shlex.join([sys.executable, str(file)])


async def test_planted_faults_are_found(tmp_path: Path, quick: None) -> None:
    """All at once, since most of them are found by waiting for what never comes."""
    wrong: dict[str, Outcome] = {}

    async def one(folder: Path, what: str, replaced: Replaced, id: str, why: str) -> None:
        (outcome,) = await tried(planted(folder, replaced), id)
        if outcome.result != "FAIL" or why not in outcome.why:
            wrong[what] = outcome

    async with trio.open_nursery() as nursery:
        for at, fault in enumerate(FAULTS):
            nursery.start_soon(one, tmp_path / str(at), *fault)
    assert wrong == {}


async def test_what_is_told_of_a_fault_beside_what_was_expected(
    tmp_path: Path, quick: None
) -> None:
    found: dict[str, Outcome] = {}

    async def one(folder: Path, what: str, replaced: Replaced, id: str) -> None:
        (found[what],) = await tried(planted(folder, replaced), id)

    async with trio.open_nursery() as nursery:
        for at, fault in enumerate(TELLS):
            nursery.start_soon(one, tmp_path / str(at), *fault[:3])
    for what, _, _, why, told in TELLS:
        outcome = found[what]
        said = {
            "link": outcome.link,
            "sent": outcome.evidence.sent,
            "program": outcome.evidence.program,
            "words": " ".join(outcome.evidence.words),
            "warnings": " ".join(outcome.warnings),
        }
        assert why in outcome.why and (outcome.result == "FAIL") == bool(why), (what, outcome)
        for key, part in told.items():
            assert part in said[key], (what, key, outcome)


async def test_a_client_that_never_comes_ends_it_all_with_one_sentence(
    tmp_path: Path,
) -> None:
    script = tmp_path / "client.py"
    script.write_text("import sys\nprint('hm')\nsys.exit('one\\ntwo\\nthree\\nfour')\n")
    command = shlex.join([sys.executable, str(script)])
    kit = [sys.executable, "-m", "dalmuti.client.cli", "conform", "--client", command]
    done = await trio.run_process(kit, capture_stdout=True, check=False)
    said = done.stdout.decode().splitlines()
    assert done.returncode == 1 and said[0].startswith("FAIL  C-101  ")
    assert said[1:-1] == [
        "",
        "C-101: expected a connection, found none",
        "      the client ended with exit code 1 and said last:",
        "        | two",
        "        | three",
        "        | four",
        "      see docs/protocol.md#hello-and-versions",
    ]
    left = len(all_checks()) - 1
    assert said[-1].endswith(f" Not run: {left} more, which would fail for the same reason.")


def stubborn(pids: Path) -> str:
    """A client that says nothing, ignores SIGTERM, and starts somebody else who does as well."""
    script = f"trap '' TERM; echo $$ >> {pids}; (echo $BASHPID >> {pids}; sleep 100) & sleep 100"
    return f"bash -c {shlex.quote(script)}"


async def test_a_client_that_hangs_fails_its_own_check_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entrance, "HELLO_SECONDS", 1.0)
    pids = tmp_path / "pids"
    (outcome,) = await tried(stubborn(pids), "C-101")
    assert outcome.result == "FAIL"
    assert outcome.why.startswith("expected a connection, found none")
    assert [_runs(pid) for pid in _read(pids)] == [False, False]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_kit_that_is_stopped_leaves_nothing_behind(
    number: signal.Signals, tmp_path: Path
) -> None:
    pids = tmp_path / "pids"
    kit = [sys.executable, "-m", "dalmuti.client.cli", "conform", "--only", "C-101"]
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            process: trio.Process = await nursery.start(
                partial(
                    trio.run_process,
                    [*kit, "--client", stubborn(pids)],
                    capture_stdout=True,
                    capture_stderr=True,
                    check=False,
                )
            )
            while not pids.exists() or len(_read(pids)) < 2:  # noqa: ASYNC110  # it is a file
                await trio.sleep(0.02)
            process.send_signal(number)
    assert process.returncode == 128 + number
    assert [_runs(pid) for pid in _read(pids)] == [False, False]


def _read(pids: Path) -> list[int]:
    return [int(line) for line in pids.read_text().split()]


def _runs(pid: int) -> bool:
    """Whether this process is there; one that has ended and waits to be reaped is not."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return False
    return state not in "ZX"
