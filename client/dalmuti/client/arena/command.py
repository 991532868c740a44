"""`dalmuti arena`: what the command line asks for, played, and told."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from dalmuti.client import out
from dalmuti.client.arena import report
from dalmuti.client.arena.plan import COMMAND, Contestant, Item, Outcome, Runner, Setup
from dalmuti.client.arena.ratings import ratings
from dalmuti.client.arena.save import save
from dalmuti.client.arena.schedule import Schedule, drive, items_of
from dalmuti.client.arena.statistics import Ledger
from dalmuti.client.arena.stopping import Stopped, Stops
from dalmuti.client.commands.parts import OK
from dalmuti.client.start import Refusal, options_given
from dalmuti.core.options import MAX_SEATS, TableOptions

USUAL_SEATS: Final = 6
USUAL_DEALS: Final = 200
RUNNERS: Final = {
    "core": "dalmuti.client.arena.workers",
    "tcp": "dalmuti.client.arena.tcp",
}


def arena(given: argparse.Namespace) -> int:
    """Plays what was asked for, and tells the result. Raises Refusal."""
    if given.trial is not None:
        from dalmuti.client.arena.trial import trial

        return trial(given)
    if len(given.players) < 2:
        raise Refusal("expected two players or more, such as `dalmuti arena mybot.py greedy`")
    contestants = contestants_of(given.players)
    seats = given.seats or max(USUAL_SEATS, len(contestants))
    if len(contestants) > seats or seats > MAX_SEATS:
        raise Refusal(
            f"expected at most as many players as seats ({min(seats, MAX_SEATS)}),"
            f" found {len(contestants)}"
        )
    if given.half and len(contestants) != 2:
        raise Refusal(f"--half is for two players, found {len(contestants)}")
    setup = Setup(
        contestants=contestants,
        options=options_of(given, seats, taxes=not given.no_taxes),
        hands=given.hands,
        turn_seconds=given.turn_seconds,
        save=given.save is not None,
    )
    wanted = given.deals or USUAL_DEALS
    runner, folder = runner_of(given, contestants), folder_of(given)
    items = items_of(setup, wanted, given.seed, half=given.half)
    of_deal = 2 if given.half else seats
    with Stops() as stops:
        played = run(setup, items, wanted, of_deal, runner, given.jobs, stops, folder=folder)
    ledger, deals = played.ledger, played.deals
    rated = ratings(len(contestants), ledger.order)
    if given.json:
        found = report.as_json(
            ledger,
            rated,
            deals=deals,
            seed=given.seed,
            half=given.half,
            hands_per_second=played.hands_per_second,
            unfinished=deals < wanted,
        )
        out.say(msgspec.json.format(msgspec.json.encode(found)).decode())
    else:
        out.say(
            report.table(
                ledger, rated, deals=deals, seed=given.seed, half=given.half, wanted=wanted
            )
        )
    return played.code()


def contestants_of(players: Sequence[str]) -> tuple[Contestant, ...]:
    """The players as listed; one who is listed again is told apart by a number."""
    counts: dict[str, int] = {}
    found = []
    for player in players:
        count = counts[player] = counts.get(player, 0) + 1
        found.append(Contestant(player if count == 1 else f"{player}#{count}", player))
    return tuple(found)


def options_of(given: argparse.Namespace, seats: int, *, taxes: bool) -> TableOptions:
    """The options of the tables. Raises Refusal."""
    usual: dict[str, str | int] = {
        "seats": seats,
        "first_titles": "order_of_arrival",
        "scoring": "points",
        "match_end": f"hands:{given.hands}",
        "turn_seconds": table_seconds(given.turn_seconds),
    }
    if not taxes:
        if given.hands > 1:
            raise Refusal(
                "--no-taxes is for single hands: a match has taxes from its second hand on"
            )
        usual |= {"first_hand_taxes": "off", "revolution": "off"}
    for fixed, flag in (
        ("first_titles", "the arena decides who sits where"),
        ("match_end", "say with --hands how long a match is"),
        ("turn_seconds", "say with --turn-seconds what a bot may take"),
        ("scoring", "the arena counts points"),
    ):
        if f"{fixed}=" in given.rules.replace(" ", ""):
            raise Refusal(f"--rules: {fixed} cannot be given: {flag}")
    return options_given(given.rules, usual)


def table_seconds(turn_seconds: float) -> int:
    """The clock of a table that is not shorter than what a bot may take; 0: none."""
    return max(5, -int(-turn_seconds // 1)) if turn_seconds else 0


def runner_of(given: argparse.Namespace, contestants: Iterable[Contestant]) -> Runner:
    """What plays the items. Raises Refusal."""
    for contestant in contestants:
        if contestant.command is not None and given.over != "tcp":
            raise Refusal(f"{contestant.name!r} is a program: it takes part with --over tcp only")
        if contestant.bot.startswith(COMMAND) and not contestant.bot.removeprefix(COMMAND).strip():
            raise Refusal("expected a command line after cmd:, such as 'cmd:node bot.js {host}'")
    if given.cluster is not None:
        if given.over == "tcp":
            raise Refusal("--cluster plays over core, not over tcp")
        from dalmuti.client.arena.cluster import runner_at

        return runner_at(given.cluster)
    runner: Runner = import_module(RUNNERS[given.over]).play
    return runner


def folder_of(given: argparse.Namespace) -> Path | None:
    """The folder for transcripts, made if need be. Raises Refusal."""
    if given.save is None:
        return None
    folder = Path(given.save)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Refusal(f"--save: {folder} cannot be a folder: {error.strerror}") from None
    return folder


class Played(Struct, frozen=True):
    """What came of the items of an arena, or of as many as were played."""

    ledger: Ledger
    deals: int
    """Those of which every match was played."""
    hands_per_second: float
    signal: int = 0
    """What stopped it: a signal, by its number, or a `refusal` on the way."""
    refusal: Refusal | None = None

    def code(self) -> int:
        """What to exit with once all is told. Raises Refusal."""
        if self.refusal is not None:
            raise self.refusal
        return 128 + self.signal if self.signal else OK


def run(
    setup: Setup,
    items: Iterable[Item],
    deals: int,
    of_deal: int,
    runner: Runner,
    jobs: int,
    stops: Stops,
    *,
    folder: Path | None = None,
    what: str = "",
) -> Played:
    """Plays all items, `of_deal` for each of so many deals, or until it is stopped.

    The clock starts with the first outcome: to start a process takes as long as many hands. Raises
    Refusal where nothing was played.
    """
    schedule, ledger = Schedule(items), Ledger(setup)
    progress = report.Progress(deals * of_deal, what)
    start, now, done = 0.0, 0.0, 0
    refusal: Refusal | None = None
    try:
        with closing(drive(setup, schedule, runner, jobs)) as played:
            while (found := stops.next(played)) is not None:
                item, outcome = found
                if folder is not None:
                    _save(folder, item, outcome)
                ledger.add(item, outcome)
                for player, first in schedule.out.items():
                    if first == item.index:
                        ledger.out[player] = item.deal + 1
                done += 1
                now = time.monotonic()
                start = start or now
                progress.show(done)
    except Stopped:
        pass
    except Refusal as error:
        if not done:
            raise
        refusal = error
    finally:
        progress.close()
    whole = ledger.finish(of_deal)
    speed = max(done - 1, 0) * setup.hands / max(now - start, 1e-9)
    return Played(ledger, whole, speed, stops.caught, refusal)


def _save(folder: Path, item: Item, outcome: Outcome) -> None:
    """Keeps a transcript. Raises Refusal."""
    try:
        save(folder, item, outcome)
    except OSError as error:
        text = f"--save: nothing more can be written to {folder}: {error.strerror}"
        raise Refusal(text) from None
