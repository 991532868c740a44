"""The arena over TCP: the same as over core, whoever plays; and nobody is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest
from msgspec.structs import replace

from dalmuti.client.arena import tcp, workers
from dalmuti.client.arena.plan import Contestant, Item, Outcome, Setup, Stop, Tally, Times
from dalmuti.client.arena.schedule import items_of
from dalmuti.client.start import Refusal
from dalmuti.core.options import options_from

STRANGERS = Path(__file__).parent / "strangers.py"
EXAMPLE = Path(__file__).parents[3] / "examples" / "minimal_bot.py"
MARK = "DALMUTI_TEST_MARK"

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="it looks for processes there")


def setup_of(
    *bots: str, seats: int = 3, hands: int = 1, seconds: float = 5.0, **more: bool
) -> Setup:
    """An arena of these bots."""
    options = {
        "seats": seats,
        "first_titles": "order_of_arrival",
        "scoring": "points",
        "match_end": f"hands:{hands}",
        "turn_seconds": 5,
    }
    return Setup(
        contestants=tuple(Contestant(f"{n} {bot}", bot) for n, bot in enumerate(bots)),
        options=options_from(options),
        hands=hands,
        turn_seconds=seconds,
        **more,
    )


def stranger(name: str) -> str:
    return f"{STRANGERS}:{name}"


def command(how: str) -> str:
    return f"cmd:{sys.executable} {STRANGERS} {how} {{host}} {{port}} {{table}} {{name}}"


def untimed(outcomes: Iterator[Outcome]) -> dict[int, Outcome]:
    """The outcomes by item, without times."""
    return {
        each.index: replace(
            each, tallies=tuple(replace(tally, times=Times()) for tally in each.tallies)
        )
        for each in outcomes
    }


def over_tcp(setup: Setup, items: list[Item], jobs: int = 1) -> dict[int, Outcome]:
    """The same played over TCP, after which no process is left."""
    mark = str(uuid4())
    os.environ[MARK] = mark
    try:
        found = untimed(tcp.play(setup, iter(items), jobs))
    finally:
        del os.environ[MARK]
    assert not marked(mark)
    return found


def marked(mark: str) -> dict[int, str]:
    """The command lines of all processes, but this one, that were started with this mark."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal() or int(entry.name) == os.getpid():
            continue
        try:
            if f"{MARK}={mark}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                found[int(entry.name)] = (entry / "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue  # it is gone, or another's
    return found


def wait_for_strangers(mark: str) -> None:
    """Waits until all kinds of processes are there."""
    deadline = time.monotonic() + 30
    wanted = ("dalmuti.server.cli", "arena.program", "strangers.py deaf")
    while not all(any(want in each for each in marked(mark).values()) for want in wanted):
        assert time.monotonic() < deadline, marked(mark)
        time.sleep(0.05)


def wait_until_gone(mark: str) -> None:
    """Fails if processes with this mark are there for much longer."""
    deadline = time.monotonic() + 20
    while found := marked(mark):
        assert time.monotonic() < deadline, found
        time.sleep(0.05)


def of(outcomes: dict[int, Outcome], items: list[Item], player: int) -> list[Tally]:
    """The tallies of a player."""
    return [
        outcomes[item.index].tallies[seat]
        for item in items
        for seat, who in enumerate(item.lineup)
        if who == player
    ]


def test_the_same_as_over_core_however_many_jobs() -> None:
    """Bots that see and hear everything, whole matches, taxes, transcripts and all."""
    bots = (stranger("Listens"), stranger("Looks"), "greedy", "random")
    setup = setup_of(*bots, seats=4, hands=3, save=True)
    items = list(items_of(setup, 2, 1))
    core = untimed(workers.play(setup, iter(items), 1))
    assert over_tcp(setup, items, jobs=1) == core
    assert over_tcp(setup, items, jobs=2) == core


@pytest.mark.parametrize("seats", [2, 10])
def test_the_same_at_other_tables(seats: int) -> None:
    """With revolutions, which come often enough in so many deals."""
    setup = setup_of("random", "greedy", seats=seats)
    items = list(items_of(setup, 40 // seats, 7))
    core = untimed(workers.play(setup, iter(items), 1))
    assert over_tcp(setup, items) == core


def test_bots_that_do_wrong_have_the_same_rows_as_over_core() -> None:
    bots = [stranger(bot) for bot in ("Raises", "Nonsense", "Exits")]
    setup = setup_of(*bots, "greedy", seats=4)
    items = list(items_of(setup, 1, 3))
    core = untimed(workers.play(setup, iter(items), 1))
    assert all(tally.first_fault for who in range(3) for tally in of(core, items, who))
    assert over_tcp(setup, items) == core


@pytest.mark.parametrize("bot", ["Sleeps", "Hangs"])
def test_a_bot_that_does_not_answer_has_the_same_row_as_over_core(bot: str) -> None:
    setup = setup_of(stranger(bot), "greedy", seats=2, seconds=0.5)
    items = list(items_of(setup, 1, 3))
    core = untimed(workers.play(setup, iter(items), 1))
    assert all(tally.late for tally in of(core, items, 0))
    assert over_tcp(setup, items) == core


def test_a_bot_whose_socket_is_closed_is_given_up() -> None:
    setup = setup_of(stranger("Closes"), "greedy", seats=3)
    items = list(items_of(setup, 1, 3))
    for tally in of(over_tcp(setup, items), items, 0):
        assert tally.crashed == 1 and tally.given_up and tally.defaults


FAULTS = {
    "well": (Tally(), ""),
    "illegal": (Tally(illegal=1), "chose 9x1, which is not one of its choices"),
    "nonsense": (Tally(illegal=1), "sent what is no message: act: "),
    "garbage": (Tally(crashed=1), "sent what is no message: expected a frame"),
    "floods": (Tally(crashed=1), "flooded its connection: more than 1000 messages"),
    "closes": (Tally(crashed=1), "closed its connection"),
    "forks": (Tally(crashed=1), "ended its process (exit code 3)"),
}


def test_programs_are_counted_by_what_they_do() -> None:
    """Never replaced in silence: what was decided for them is counted, too."""
    setup = setup_of(*map(command, FAULTS), "greedy", seats=3, seconds=30)
    greedy = len(FAULTS)
    first, *_ = items_of(setup_of("random", "greedy", seats=3), 1, 5)
    items = [replace(first, index=who, lineup=(who, greedy, greedy)) for who in range(len(FAULTS))]
    outcomes = over_tcp(setup, items)
    for who, (how, (expected, fault)) in enumerate(FAULTS.items()):
        (tally,) = of(outcomes, items, who)
        counted = (tally.illegal, tally.late, tally.crashed)
        assert counted == (expected.illegal, expected.late, expected.crashed), how
        assert tally.first_fault.startswith(fault) and bool(tally.first_fault) == bool(fault)
        assert bool(tally.given_up) == bool(tally.defaults) == bool(expected.crashed), how


def test_a_program_that_never_reads_is_late_and_given_up() -> None:
    setup = setup_of(command("deaf"), "greedy", "greedy", seats=3, seconds=0.5)
    items = list(items_of(setup, 1, 5))[:1]
    (tally,) = of(over_tcp(setup, items), items, 0)
    assert (tally.illegal, tally.late, tally.crashed) == (0, 3, 0)
    assert tally.given_up == "took too long 3 times" and tally.defaults


def test_a_program_that_cannot_play_is_a_row_as_well() -> None:
    setup = setup_of("cmd:/nonexistent/bot {port}", "cmd:false {port}", "greedy", seats=3)
    items = list(items_of(setup, 1, 5))[:1]
    outcomes = over_tcp(setup, items)
    (missing,), (ended,), _ = (of(outcomes, items, player) for player in range(3))
    assert missing.given_up == "cannot be started: No such file or directory: /nonexistent/bot"
    assert ended.given_up == "ended its process (exit code 1)"
    assert missing.crashed == ended.crashed == 1 and missing.defaults and ended.defaults


def test_the_example_in_another_program_plays_whole_matches() -> None:
    line = f"cmd:{sys.executable} {EXAMPLE} {{host}} {{port}} {{table}} {{name}}"
    setup = setup_of(line, "greedy", "random", seats=4, hands=2)
    items = list(items_of(setup, 1, 5))
    outcomes = over_tcp(setup, items)
    assert len(outcomes) == 4
    for tally in of(outcomes, items, 0):
        assert replace(tally, times=Times()) == Tally() and not tally.given_up


def test_who_is_out_is_not_started() -> None:
    setup = setup_of(command("mute"), "greedy", seats=2)
    first, *_ = items_of(setup, 1, 5)
    item = replace(first, stops=(Stop(first.lineup.index(0), 0, "was out"),))
    (tally,) = of(over_tcp(setup, [item]), [item], 0)
    assert tally.given_up == "was out" and tally.defaults and not tally.times.count


@pytest.mark.parametrize(
    ("bot", "text"),
    [("cmd:node bot.js", r"expected \{port\} in "), ("cmd:node 'bot.js", "no closing quotation")],
)
def test_what_is_no_command_line_is_refused(bot: str, text: str) -> None:
    with pytest.raises(Refusal, match=text):
        over_tcp(setup_of(bot, "greedy"), [])


def test_a_bot_that_cannot_be_loaded_is_refused() -> None:
    setup = setup_of(stranger("Nobody"), "greedy", seats=3)
    with pytest.raises(Refusal, match="has no bot 'Nobody'"):
        over_tcp(setup, list(items_of(setup, 1, 3)))


def test_an_arena_whose_server_dies_says_so_and_ends() -> None:
    mark = str(uuid4())
    os.environ[MARK] = mark
    setup = setup_of("random", "greedy", seats=3)
    outcomes = tcp.play(setup, items_of(setup, 10_000, 3), 1)
    try:
        next(outcomes)
        for number, line in marked(mark).items():
            if "dalmuti.server.cli" in line:
                os.kill(number, signal.SIGKILL)
        with pytest.raises(Refusal, match="connection"):
            list(outcomes)
    finally:
        del os.environ[MARK]
    assert not marked(mark)


def test_nothing_is_left_of_an_arena_that_is_closed() -> None:
    """In the middle of it, with a bot that hangs and a program that sleeps."""
    mark = str(uuid4())
    os.environ[MARK] = mark
    setup = setup_of(stranger("Hangs"), command("deaf"), "greedy", seats=3, seconds=60)
    items = list(items_of(setup, 2, 3))
    items[0] = replace(items[0], lineup=(2, 2, 2))
    try:
        with closing(tcp.play(setup, iter(items), 2)) as outcomes:
            assert next(outcomes).index == 0
            wait_for_strangers(mark)
    finally:
        del os.environ[MARK]
    assert not marked(mark)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_of_an_arena_that_is_ended(number: signal.Signals) -> None:
    """However that was done, and whatever its bots are doing."""
    mark = str(uuid4())
    line = [sys.executable, "-m", "dalmuti.client.cli", "arena", stranger("Hangs")]
    line += [command("deaf"), "greedy", "--seats", "3", "--over", "tcp", "--turn-seconds", "60"]
    arena = subprocess.Popen(
        line,
        env=os.environ | {MARK: mark},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        wait_for_strangers(mark)
        assert arena.poll() is None
        arena.send_signal(number)
        assert arena.wait(20) in (128 + number, -number)
    finally:
        arena.kill()
        arena.wait()
    wait_until_gone(mark)
