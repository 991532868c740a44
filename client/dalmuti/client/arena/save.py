"""Transcripts of the matches of an arena, as `dalmuti replay` and `dalmuti verify` read them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dalmuti.client.arena.plan import Item, Outcome, Setup
from dalmuti.core import deal
from dalmuti.core.events import Kind
from dalmuti.core.match import Entry
from dalmuti.core.record import RecordWriter


def transcript(setup: Setup, item: Item, log: Sequence[Entry]) -> str:
    """The transcript of a match that was played over core, with the names of its players.

    Those who play may not know who the others are; who reads it later may. Several seats of one
    player have numbers.
    """
    seeds = {hand: deal.fixed_seed(item.number, hand).hex() for hand in range(1, setup.hands + 1)}
    names = names_of(setup, item)
    kind: Kind = "bot"
    players = {number: (kind, name) for number, name in enumerate(names, start=1)}
    return RecordWriter(item.table, setup.options, fair=False).add(log, players, seeds)


def names_of(setup: Setup, item: Item) -> list[str]:
    """The names of the players by seat of the line-up, each of them different."""
    counts: dict[int, int] = {}
    names = []
    for player in item.lineup:
        copy = counts[player] = counts.get(player, 0) + 1
        name = setup.contestants[player].name
        names.append(name if item.lineup.count(player) == 1 else f"{name} ({copy})")
    return names


def save(folder: Path, item: Item, outcome: Outcome) -> None:
    """Writes the transcript of one match. Raises OSError."""
    name = f"deal-{item.deal + 1:05}-{item.index + 1:06}.txt"
    (folder / name).write_text(outcome.transcript, encoding="utf-8", newline="\n")
