"""About the table itself: who comes, goes, watches and talks."""

from __future__ import annotations

from dalmuti.client.i18n import tr, tr_n
from dalmuti.client.words.houserules import rules
from dalmuti.client.words.names import You, listed, who, with_kind
from dalmuti.core import events as ev
from dalmuti.core.events import Seen
from dalmuti.core.views import TableView


def about_table(event: Seen, before: TableView, after: TableView) -> str | None:
    """What happened at the table, as `events.sentence` says it; None for what is not said."""
    match event:
        case ev.PlayerJoined(who=info):
            waits = before.state == "hand"
            if isinstance(who(after, info.player), You):
                return _you_sit_down(waits)
            if waits:
                return tr(
                    "{who} sits down and will play from the next hand on.", who=with_kind(info)
                )
            return tr("{who} sits down.", who=with_kind(info))
        case ev.PlayerLeft(player=player, reason=reason):
            return _player_left(who(after, player), reason)
        case ev.PresenceChanged(player=player, presence=presence, ms=ms):
            return _presence(who(after, player), presence, ms)
        case ev.HostChanged(player=player):
            if isinstance(who(after, player), You):
                return tr("You are the host now.")
            return tr("{who} is the host now.", who=who(after, player))
        case ev.WatchersChanged(names=names):
            come = [each for each in names if each not in before.watchers]
            gone = [each for each in before.watchers if each not in names]
            parts = []
            if come:
                text = tr_n("{names} watches.", "{names} watch.", len(come), names=listed(come))
                parts.append(text)
            if gone:
                text = tr_n(
                    "{names} no longer watches.",
                    "{names} no longer watch.",
                    len(gone),
                    names=listed(gone),
                )
                parts.append(text)
            return " ".join(parts) or None
        case ev.Chatted(name=speaker, text=text):
            return tr("{who} says: {text}", who=speaker, text=text)
        case ev.TableClosed(reason=reason):
            return {
                "host": tr("The host has closed the table."),
                "empty": tr("The table is closed: nobody is left."),
                "shutdown": tr("The table is closed: the server stops."),
                "error": tr("The table is closed: something went wrong in the server."),
                "admin": tr("The table was closed by whoever runs the server."),
            }[reason]
        case ev.TableOpened(table=table, options=options):
            return tr("Table {table} is open, {rules}.", table=table, rules=rules(options))
        case _:
            return None


def _you_sit_down(waits: bool) -> str:
    if waits:
        return tr("You sit down and will play from the next hand on.")
    return tr("You sit down.")


def _player_left(player: str, reason: str) -> str:
    if isinstance(player, You):
        return {
            "left": tr("You leave the table."),
            "kicked": tr("You are sent away."),
            "lost": tr("You are gone for good; the seat is free."),
            "closed": tr("You get up: the table is closed."),
        }[reason]
    return {
        "left": tr("{who} leaves the table.", who=player),
        "kicked": tr("{who} is sent away.", who=player),
        "lost": tr("{who} is gone for good; the seat is free.", who=player),
        "closed": tr("{who} gets up: the table is closed.", who=player),
    }[reason]


def _presence(player: str, presence: str, ms: int | None) -> str:
    seconds = ms // 1000 if ms else None
    if isinstance(player, You):
        lost = tr("You have lost the connection.")
        if seconds is not None:
            lost = tr(
                "You have lost the connection; the stand-in plays in {seconds} s.", seconds=seconds
            )
        return {
            "here": tr("You are back."),
            "lost": lost,
            "away": tr("You are away; the stand-in plays."),
            "standin": tr("The stand-in plays for you now."),
            "left": tr("You have left; the stand-in plays to the end of the hand."),
        }[presence]
    lost = tr("{who} has lost the connection.", who=player)
    if seconds is not None:
        lost = tr(
            "{who} has lost the connection; the stand-in plays in {seconds} s.",
            who=player,
            seconds=seconds,
        )
    return {
        "here": tr("{who} is back.", who=player),
        "lost": lost,
        "away": tr("{who} is away; the stand-in plays.", who=player),
        "standin": tr("The stand-in plays for {who} now.", who=player),
        "left": tr("{who} has left; the stand-in plays to the end of the hand.", who=player),
    }[presence]
