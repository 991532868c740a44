"""`dalmuti replay` and `dalmuti verify`: a saved match told move by move, and its deals proved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dalmuti.client import words
from dalmuti.client.fold import fold
from dalmuti.client.i18n import tr
from dalmuti.core import events as ev
from dalmuti.core.events import Event, PlayerInfo
from dalmuti.core.match import Left, Sat
from dalmuti.core.record import Record, loads, steps, verify
from dalmuti.core.views import TableView, see
from dalmuti.protocol.text import safe_text


class RecordError(Exception):
    """The file is no record, or has no such player; the sentence says so."""


def read(file: Path) -> Record:
    """The match in a file. Raises RecordError."""
    try:
        return loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RecordError(tr("there is no file {file}", file=file)) from None
    except OSError as error:
        raise RecordError(
            tr("{file} cannot be read: {reason}", file=file, reason=error.strerror)
        ) from None
    except UnicodeError:
        raise RecordError(tr("{file} is no record of a match: it is not text", file=file)) from None
    except ValueError as error:
        raise RecordError(
            tr("{file} is no record of a match: {reason}", file=file, reason=error)
        ) from None


def player_of(record: Record, text: str) -> int:
    """The player that `--as` names, by number in order of arrival or by name."""
    for number, who in record.players.items():
        if text in (str(number), who.name) or text.casefold() == who.name.casefold():
            return number
    known = ", ".join(f"{number} {who.name}" for number, who in record.players.items())
    raise RecordError(
        tr("expected a player of this match ({known}), found {text!r}", known=known, text=text)
    )


def tell(record: Record, you: int | None) -> Iterator[str]:
    """The match as sentences: as one player saw it, or with all cards open.

    A record that stops making sense is told as far as it goes, and then why.
    """
    view = TableView(table=record.table, options=record.options, you=you, fair=record.fair)
    yield safe_text(
        tr("Table {table}: {rules}.", table=record.table, rules=words.rules(record.options))
    )
    seating: tuple[int, ...] = ()
    try:
        for entry, events in steps(record):
            more: list[Event] = [*events]
            if isinstance(entry, Sat) and (who := record.players.get(entry.player)) is not None:
                info = PlayerInfo(player=entry.player, name=who.name, kind=who.kind)
                more.insert(0, ev.PlayerJoined(info))
            elif isinstance(entry, Left):
                more.insert(0, _left(view, entry.player))
            for event in more:
                if isinstance(event, ev.HandStarted):
                    seating = event.order
                yield from map(safe_text, _open(event, view, seating) if you is None else ())
                seen = see(event, seating.index(you) if you in seating else None)
                before, view = view, fold(view, seen)
                if you is None and isinstance(event, ev.HandsDealt | ev.TaxesExchanged):
                    continue
                sentence = words.sentence(seen, before, view)
                if sentence:
                    yield safe_text(sentence)
                if isinstance(event, ev.HandEnded):
                    yield from map(safe_text, words.places(event, view))
                if isinstance(event, ev.RevolutionCalled) and event.greater:
                    seating = seating[::-1]
    except ValueError as error:
        yield safe_text(tr("Here the record cannot be followed any more: {reason}.", reason=error))


def _left(view: TableView, player: int) -> Event:
    """In a hand the seat is played on; between hands it is free at once."""
    if view.hand is not None and player in view.hand.order:
        return ev.PresenceChanged(player, "left")
    return ev.PlayerLeft(player)


def _open(event: Event, view: TableView, seating: tuple[int, ...]) -> Iterator[str]:
    """What only a reader of the record sees: everybody's cards, and all taxes."""
    if isinstance(event, ev.HandsDealt):
        for player, cards in zip(seating, event.hands, strict=True):
            who = words.name(view, player)
            yield tr("{who} is dealt {hand}.", who=who, hand=words.hand(cards))
    elif isinstance(event, ev.TaxesExchanged):
        for exchange in event.exchanges:
            payer = words.name(view, seating[exchange.payer])
            receiver = words.name(view, seating[exchange.receiver])
            yield tr(
                "{payer} pays {receiver} {paid} and gets {returned} back.",
                payer=payer,
                receiver=receiver,
                paid=words.cards(exchange.paid or ()),
                returned=words.cards(exchange.returned or ()),
            )


def verdicts(record: Record) -> tuple[list[str], bool]:
    """One line per hand, and whether all of it is true."""
    found = verify(record)
    if not found:
        return [tr("There is no hand in this record.")], True
    lines = [safe_text(verdict.text) for verdict in found]
    if not record.fair:
        lines[:0] = [words.not_fair()]
    return lines, all(verdict.ok for verdict in found)
