"""The waiting room: who sits here, the rules of the table, and how others join."""

from __future__ import annotations

from dalmuti.client import words
from dalmuti.client.i18n import tr, tr_in
from dalmuti.client.tui import keytexts, labels, tabletexts
from dalmuti.client.tui.canvas import Frame, Line, column, line, span, wrap
from dalmuti.client.tui.screens.base import (
    Keys,
    Scene,
    body,
    chat_row,
    how_to_play,
    key_bar,
    title_bar,
)


def room(scene: Scene) -> list[Line]:
    """The screen of a table that waits for its first hand, or after an abandoned one."""
    table = scene.table
    split = 66 if scene.wide else 43
    frame = Frame(scene.cols)
    sitting = [info for info in table.players if info.presence != "left"]
    seats = tabletexts.seats_title(len(sitting), table.options.seats)
    frame.rule("┌┐", seats, split=split, joint="┬", second=tr(tabletexts.RULES))
    below = _below(scene)
    rows = scene.rows - 6 - len(below)
    left = _seats(scene, split - 3)
    left += how_to_play(scene, split - 3, rows - len(left))
    body(frame, scene, left, rows, split, upper=_rules(scene, split))
    frame.section(tr(tabletexts.JOIN_TITLE) if _joinable(scene) else "", below, split=split)
    frame.rule("└┘")
    state = tr(tabletexts.WAITING_ROOM) if not table.hands_played else tr(tabletexts.BETWEEN_HANDS)
    bar = key_bar(scene, host_keys(scene))
    return [title_bar(scene, table.table, state), *frame.rows, chat_row(scene), bar]


def _seats(scene: Scene, room: int) -> list[Line]:
    """A line for each seat, the free ones too."""
    table = scene.table
    sitting = [info for info in table.players if info.presence != "left"]
    full = room >= 50
    lines = [
        line(
            span("     ", "dim"),
            column(tr_in("heading", labels.NAME), 21 if full else 14, "dim"),
            column(tr_in("heading", labels.KIND), 12 if full else 10, "dim"),
        )
    ]
    for number in range(table.options.seats):
        if number >= len(sitting):
            lines.append(line(span(f"{number + 1:3}  {tr(tabletexts.FREE_SEAT)}", "dim")))
            continue
        info = sitting[number]
        mine = info.player == table.you
        note = tr(tabletexts.HOST) if info.player == table.host else ""
        lines.append(
            line(
                span(f"{number + 1:3}  ", "dim"),
                column(
                    info.name,
                    20 if full else 13,
                    "you" if mine else "",
                ),
                span(" "),
                column(
                    words.you() if mine else words.short_kind(info.kind),
                    11 if full else 9,
                    "you" if mine else "dim",
                ),
                span(" "),
                span(note, "accent"),
                span(" " if note else ""),
                span(scene.presence(info.player), "warn"),
            )
        )
    return lines


def _rules(scene: Scene, split: int) -> list[Line]:
    """The rules of this table in a few lines."""
    cells = scene.cols - split - 4
    table = scene.table
    lines: list[Line] = []
    for text in tabletexts.rules_of(table.options):
        lines += [line(span(part)) for part in wrap(text, cells)]
    if not table.fair:
        lines.append(line(span(tr(tabletexts.NOT_FAIR), "warn")))
    if table.watchers:
        watching = tabletexts.watchers(words.listed(table.watchers))
        lines += [line(span(part, "dim")) for part in wrap(watching, cells)]
    return lines


def _joinable(scene: Scene) -> bool:
    return bool(scene.ui.join_lines) and not scene.table.solo


def _below(scene: Scene) -> list[Line]:
    """How others join, and what happens next."""
    rows: list[Line] = []
    if _joinable(scene):
        for text in scene.ui.join_lines[:4]:
            rows += [line(span(f"  {text}", "accent"))]
    rows.append(line(span(next_step(scene), "bold")))
    return rows


def next_step(scene: Scene) -> str:
    """Who deals the next hand, and what keeps him from it."""
    table = scene.table
    if scene.ui.next_step:
        return scene.ui.next_step
    sitting = sum(info.presence != "left" for info in table.players)
    if sitting < 2:
        return tr(tabletexts.NEED_TWO_HOST) if scene.is_host else tr(tabletexts.NEED_TWO)
    if scene.is_host and table.state == "over":
        return tr(tabletexts.YOU_DEAL_NEW)
    if scene.is_host and table.solo:
        return tr(tabletexts.YOU_GO_ON)
    if scene.is_host:
        return tr(tabletexts.YOU_DEAL) if table.result else tr(tabletexts.YOU_DEAL_FIRST)
    host = table.host and scene.who(table.host)
    waits = tabletexts.host_begins if table.state == "over" else tabletexts.host_deals
    return waits(host or tr(tabletexts.THE_HOST))


def host_keys(scene: Scene) -> Keys:
    """The keys between hands."""
    if scene.is_host:
        return keytexts.KEYS_ALONE if scene.table.solo else keytexts.KEYS_HOST
    return keytexts.KEYS_WATCH if scene.table.you is None else keytexts.KEYS_GUEST
