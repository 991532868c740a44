"""A saved match read from its file, told move by move, and its deals proved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dalmuti.client import words
from dalmuti.client.i18n import tr
from dalmuti.client.replay.reel import unroll
from dalmuti.client.replay.script import NAME_CELLS, Script
from dalmuti.client.words import replaying
from dalmuti.core.record import Record, loads, verify
from dalmuti.core.transcript import MAX_TEXT
from dalmuti.protocol.text import cut, safe_text

NAMED = 20
"""Players that are named to who asked for another one."""


class RecordError(Exception):
    """The file is no record, or has no such player; the sentence says so."""


def read(file: Path) -> Record:
    """The match in a file. Raises RecordError."""
    try:
        if file.is_file() and file.stat().st_size > 4 * MAX_TEXT:
            raise RecordError(replaying.too_large(str(file)))
        with file.open(encoding="utf-8") as opened:
            return loads(opened.read(MAX_TEXT + 1))
    except FileNotFoundError:
        raise RecordError(replaying.no_file(str(file))) from None
    except OSError as error:
        raise RecordError(replaying.unreadable(str(file), error.strerror or str(error))) from None
    except UnicodeError:
        raise RecordError(replaying.not_text(str(file))) from None
    except ValueError as error:
        raise RecordError(replaying.no_record(str(file), str(error))) from None


def player_of(record: Record, text: str) -> int:
    """The player that `--as` names, by number in order of arrival or by name."""
    for number, who in record.players.items():
        if text in (str(number), who.name) or text.casefold() == who.name.casefold():
            return number
    first = list(record.players.items())[:NAMED]
    known = ", ".join(f"{number} {cut(who.name, NAME_CELLS)}" for number, who in first)
    if len(record.players) > NAMED:
        known += ", ..."
    raise RecordError(replaying.no_such_player(known, text))


def tell(record: Record, you: int | None) -> Iterator[str]:
    """The match as sentences: as one player saw it, or with all cards open.

    A record that stops making sense is told as far as it goes, and then why. A hand that is not
    over is told as a spectator saw it.
    """
    script = Script(record)
    yield safe_text(replaying.table_is(script.table, words.rules(record.options)))
    for index in range(len(script)):
        for moment in unroll(script.chapter(index), you, opened=you is None):
            yield from (line.text for line in moment.news)
    if script.problem:
        yield replaying.stops(script.problem)


def verdicts(record: Record) -> tuple[list[str], bool]:
    """One line per hand, and whether all of it is true."""
    found = verify(record)
    if not found:
        return [tr(replaying.NO_HANDS)], True
    lines = [safe_text(verdict.text) for verdict in found]
    if not record.fair:
        lines[:0] = [words.not_fair()]
    return lines, all(verdict.ok for verdict in found)
