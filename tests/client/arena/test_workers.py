"""Strangers' bots in processes of their own: whatever they do, the arena ends and says so."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from uuid import uuid4

import pytest
from msgspec.structs import replace

from dalmuti.client.arena import workers
from dalmuti.client.arena.plan import STRIKES, Contestant, Outcome, Setup, Tally, Times
from dalmuti.client.arena.schedule import OUT, Schedule, drive, items_of
from dalmuti.client.start import Refusal
from dalmuti.core.options import TableOptions

WRONGDOERS = Path(__file__).parent / "wrongdoers.py"
MARK = "DALMUTI_TEST_MARK"
SHORT = 0.3
"""Seconds for those who take too long; all others have more than even a busy machine needs."""

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="it looks for processes there")


def setup_of(*bots: str, seats: int = 3, seconds: float = 20.0) -> Setup:
    return Setup(
        contestants=tuple(Contestant(f"{bot}#{n}", bot) for n, bot in enumerate(bots)),
        options=TableOptions(seats=seats, first_titles="order_of_arrival", turn_seconds=5),
        turn_seconds=seconds,
    )


def wrong(name: str) -> str:
    return f"{WRONGDOERS}:{name}"


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Marks all processes that are started now; fails if one of them is left."""
    mark = str(uuid4())
    monkeypatch.setenv(MARK, mark)
    yield mark
    wait_for(lambda: not marked(mark))  # what was killed takes a moment to be gone


def wait_for(condition: Callable[[], bool]) -> None:
    """Fails if it does not become true for a long time."""
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def marked(mark: str) -> list[str]:
    """The command lines of all processes with this mark that still run, but for this one."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal() or int(entry.name) == os.getpid():
            continue
        try:
            if f"{MARK}={mark}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                found.append((entry / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue  # it is gone, or another's
    return found


def played(setup: Setup, deals: int = 1, jobs: int = 1) -> dict[int, Outcome]:
    """The outcomes by item, without times."""
    with closing(workers.play(setup, items_of(setup, deals, 1), jobs)) as outcomes:
        return {
            each.index: replace(
                each, tallies=tuple(replace(tally, times=Times()) for tally in each.tallies)
            )
            for each in outcomes
        }


def first(outcome: Outcome) -> Tally:
    """The tally of the only seat that did something wrong."""
    [tally] = [tally for tally in outcome.tallies if tally.first_fault]
    return tally


def test_the_same_however_many_jobs(mark: str) -> None:
    """Also where a bot ends its process time and again."""
    setup = setup_of("random", wrong("First"), wrong("Killed"), seats=4)
    one, two = played(setup, 1, 1), played(setup, 1, 2)
    assert one == two and len({outcome.moves for outcome in one.values()}) == 4


@pytest.mark.parametrize(
    ("bot", "counted", "fault"),
    [
        ("Raises", "crashed", "raised ValueError: no idea"),
        ("Exits", "crashed", "raised SystemExit: 3"),
        ("Recurses", "crashed", "raised RecursionError: maximum recursion depth exceeded"),
        ("Nonsense", "illegal", "chose 'a 13', which is not one of its choices"),
        ("Cunning", "crashed", "raised KeyboardInterrupt: "),
    ],
)
def test_what_is_wrong_is_counted_decision_by_decision(
    bot: str, counted: str, fault: str, mark: str
) -> None:
    for outcome in played(setup_of(wrong(bot), "greedy")).values():
        tally = first(outcome)
        assert tally.first_fault.startswith(fault)
        assert getattr(tally, counted) > 3 and not tally.given_up and not tally.defaults
        assert tally.illegal + tally.crashed + tally.late == getattr(tally, counted)


def test_a_bot_that_sleeps_is_late_and_then_given_up(mark: str) -> None:
    for outcome in played(setup_of(wrong("Sleeps"), "greedy", seats=2, seconds=SHORT)).values():
        tally = first(outcome)
        assert tally.late == STRIKES and tally.defaults > 0
        assert tally.given_up == f"took too long {STRIKES} times"


@pytest.mark.parametrize(
    ("bot", "late", "fault"),
    [
        ("Swallows", 1, "did not stop when its time was up"),
        ("Killed", 0, "ended its process (signal 9)"),
        ("KilledByNews", 0, "ended its process (exit code 5)"),
        ("Vandal", 0, "ended its process"),
        ("NeverBegins", 0, "raised RuntimeError: not today (wrongdoers.py, line "),
    ],
)
def test_a_seat_is_given_up_where_its_bot_is_lost(
    bot: str, late: int, fault: str, mark: str
) -> None:
    seconds = SHORT if late else 20.0
    outcomes = played(setup_of(wrong(bot), "greedy", seats=2, seconds=seconds))
    assert len(outcomes) == 2
    for outcome in outcomes.values():
        tally = first(outcome)
        assert (tally.late, tally.crashed) == (late, 1 - late)
        assert tally.first_fault == tally.given_up and tally.given_up.startswith(fault)
        assert tally.defaults > 0


def test_what_was_decided_before_it_was_lost_counts(mark: str) -> None:
    """Killed plays its first two decisions as First does."""
    killed = played(setup_of(wrong("Killed"), "greedy", seats=2))
    fine = played(setup_of(wrong("First"), "greedy", seats=2))
    assert {each.moves for each in killed.values()} != {each.moves for each in fine.values()}
    assert all(each.turns for each in killed.values())


@pytest.mark.parametrize("bot", ["Forks", "Litters"])
def test_who_makes_processes_and_noise_plays_on(
    bot: str, mark: str, capfd: pytest.CaptureFixture[str]
) -> None:
    setup = setup_of(wrong(bot), "greedy", seats=2)
    assert played(setup) == played(setup_of(wrong("First"), "greedy", seats=2))
    out, err = capfd.readouterr()
    assert not out and (bot == "Forks" or "xxx" in err)


def test_who_is_lost_again_and_again_is_out(mark: str) -> None:
    setup = setup_of(wrong("Killed"), "greedy", seats=2)
    schedule = Schedule(items_of(setup, 5, 1))
    found = list(drive(setup, schedule, workers.play, 2))
    assert schedule.out == {0: OUT}
    crashes = [sum(tally.crashed for tally in outcome.tallies) for _, outcome in found]
    assert crashes == [1] * OUT + [0] * (10 - OUT)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("raise SystemExit(3)", "none.py cannot be loaded: SystemExit: 3"),
        ("import os\nos._exit(3)", "ended the process"),
        ("x = 1", "expected one bot"),
    ],
)
def test_a_file_without_a_bot_is_refused(text: str, said: str, tmp_path: Path, mark: str) -> None:
    file = tmp_path / "none.py"
    file.write_text(text)
    with pytest.raises(Refusal, match=said):
        played(setup_of(str(file), "greedy"))


class Together(selectors.DefaultSelector):
    """At first one process is heard, and later all that there are at once, the first one first."""

    asked = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.asked += 1
        wanted = 1 if self.asked == 1 else len(self.get_map())
        found = super().select(0)
        while len(found) < wanted:
            time.sleep(0.01)
            found = super().select(0)
        first = min(key.fd for key in self.get_map().values())
        found = sorted(found, key=lambda each: each[0].fd != first)
        return found[:1] if self.asked == 1 else found


def test_what_is_heard_at_once_with_the_end_of_all_is_passed_over(mark: str) -> None:
    """The last item is done at the moment at which another worker says that it is there."""
    setup = setup_of("greedy", "greedy", seats=2)
    pool = workers.Pool(setup, islice(items_of(setup, 1, 1), 1))
    pool._selector = Together()
    with closing(pool):
        assert len(list(pool.play(2))) == 1


def test_nothing_is_left_when_somebody_stops_listening(mark: str) -> None:
    setup = setup_of(wrong("Litters"), "greedy", seats=2)
    with closing(workers.play(setup, items_of(setup, 100, 1), 2)) as outcomes:
        next(outcomes)
        assert marked(mark)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a loop in C may outlive it")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_when_the_arena_is_ended(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even what hangs where nothing can interrupt it, and what that has started."""
    mark, file = str(uuid4()), tmp_path / "hangs.py"
    file.write_text(
        "import subprocess\n"
        "from dalmuti.client.bot import Bot\n"
        "class Hangs(Bot):\n"
        "    def decide(self, view, decision):\n"
        "        subprocess.Popen(['sleep', '1000'])\n"
        "        return 10 ** (10 ** 9)\n"
    )
    command = [sys.executable, "-m", "dalmuti.client.cli", "arena", str(file), "greedy"]
    process = subprocess.Popen(
        [*command, "--turn-seconds", "0"],
        env={**os.environ, MARK: mark},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        wait_for(lambda: any("sleep" in line for line in marked(mark)))
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
        assert process.returncode == (130 if number == signal.SIGINT else -signal.SIGKILL)
        nothing = b"Unfinished: stopped before one of 200 deals was played in all seats.\n"
        assert (out, err) == (b"" if number == signal.SIGKILL else nothing, b"")
        wait_for(lambda: not marked(mark))
    finally:
        process.kill()
