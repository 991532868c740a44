"""Boxes over a screen: help, scores, the whole log, leaving, and a lost connection."""

from __future__ import annotations

from collections.abc import Sequence

from dalmuti.client import words
from dalmuti.client.i18n import tr, tr_in
from dalmuti.client.tui import keytexts, labels, placetexts, tabletexts
from dalmuti.client.tui.canvas import Line, Span, box, cells, column, line, span, wrap
from dalmuti.client.tui.screens import examples, keybar
from dalmuti.client.tui.screens.base import Scene, log_pane, log_title
from dalmuti.client.tui.state import scene_of
from dalmuti.core.titles import title_of


def over(scene: Scene) -> list[Line]:
    """The box that lies over the screen now; empty for none. A lost connection goes first."""
    if scene.ui.overlay == "leave":
        return leaving(scene)
    if keybar.is_lost(scene):
        return lost(scene)
    match scene.ui.overlay:
        case "help":
            return help_box(scene)
        case "scores":
            return scores(scene)
        case "log":
            return whole_log(scene)
    return []


def lost(scene: Scene) -> list[Line]:
    """The connection is gone: what the client does about it, and what becomes of the seat."""
    room = 56
    seconds = scene.left_of(scene.model.link.retry_at)
    lines: list[Line] = [[]]
    lines += [
        line(span(part, "bold"))
        for part in wrap(scene.model.link.why or scene.model.link.text, room, 0)
    ]
    lines += [[], line(span(tabletexts.retry(seconds)))]
    for text in _seat_held(scene):
        lines += [[], *(line(span(part)) for part in wrap(text, room, 0))]
    return box(tr(tabletexts.LOST_TITLE), [*lines, []], room, tr(tabletexts.LOST_FOOT))


def _seat_held(scene: Scene) -> list[str]:
    """How long the table waits for us, and how long the seat is ours."""
    table, welcome = scene.model.table, scene.model.welcome
    if table is None:
        return []
    if table.you is None:
        return [placetexts.watch_again()]
    hands = welcome.limits.standin_hands if welcome else None
    kept = placetexts.held_for_hands(hands) if hands else placetexts.held()
    seconds = scene.left_of(scene.ui.held_until)
    if table.hand is None or table.hand.seat is None or seconds is None:
        return [kept]
    return [placetexts.standin_in(seconds) if seconds else placetexts.standin_plays(), kept]


def leaving(scene: Scene) -> list[Line]:
    """Asks before leaving."""
    table = scene.model.table
    room = 50
    text = tr(tabletexts.LEAVE_PROGRAM)
    if table is not None:
        text = tr(tabletexts.LEAVE_WATCHING) if table.you is None else tr(tabletexts.LEAVE_TABLE)
        if table.hand is not None and table.hand.seat is not None:
            text = tr(tabletexts.LEAVE_ALONE) if table.solo else tr(tabletexts.LEAVE_HAND)
    lines: list[Line] = [[], *(line(span(part)) for part in wrap(text, room, 0)), []]
    stay = tr_in("key", tabletexts.NO_STAY)
    lines.append(
        line(
            span(f"[y] {tr_in('key', tabletexts.YES_LEAVE)}", "key", "key:y"),
            span("   "),
            span(f"[{keytexts.key_name('Esc')}] {stay}", "key", "key:escape"),
        )
    )
    return box(tr(tabletexts.LEAVE_TITLE), [*lines, []], room)


def scores(scene: Scene) -> list[Line]:
    """The scores of the match."""
    table = scene.model.table
    room = 52
    if table is None or not table.scores:
        said: list[Line] = [[], line(span(tr(tabletexts.NO_SCORES))), []]
        return box(tr(labels.SCORE), said, room, tr(labels.ESC_CLOSES))
    points = table.options.scoring == "points"
    head = line(
        column("", 4),
        column(tr_in("heading", labels.NAME), 24, "dim"),
        column(tr_in("heading", tabletexts.POINTS) if points else "", 10, "dim", right=True),
        column(tr_in("heading", tabletexts.HANDS_WON), 12, "dim", right=True),
    )
    lines: list[Line] = [[], head]
    for place, score in enumerate(table.scores, start=1):
        style = "you" if score.player == table.you else ""
        lines.append(
            line(
                column(f"{place:2}", 4, "dim"),
                column(scene.who(score.player), 24, style),
                column(str(score.points) if points else "", 10, "bold", right=True),
                column(str(score.hands_won), 12, "bold", right=True),
            )
        )
    foot = tabletexts.match_ends(table.options)
    lines += [[], line(span(foot, "dim"))]
    return box(tabletexts.score_title(table.hands_played), lines, room, tr(labels.ESC_CLOSES))


def whole_log(scene: Scene) -> list[Line]:
    """The log over most of the screen."""
    room, rows = scene.cols - 12, scene.rows - 6
    lines, thumb = log_pane(scene, room, rows)
    return box(log_title(scene), lines, room, tr(labels.LOG_FOOT), thumb)


def help_box(scene: Scene) -> list[Line]:
    """The keys of this screen and of all screens side by side, and the rules below."""
    room = 100 if scene.wide else 72
    here = keytexts.HELP_KEYS[scene_of(scene.model, scene.ui)]
    half = room // 2
    heads = tr(tabletexts.HELP_HERE), tr(tabletexts.HELP_ANYWHERE)
    lines: list[Line] = [_halves(*heads, half, "head")]
    for number in range(max(len(here), len(keytexts.HELP_ALWAYS))):
        left = _key_line(here, number, half)
        lines.append([*left, *_key_line(keytexts.HELP_ALWAYS, number, room - half)])
    shown = examples.lines(scene, room)
    lines += [[], *(shown if scene.tall else shown[:-1])]
    table = scene.model.table
    options = table.options if table else None
    rules = words.how_to_play(options) if scene.tall else words.rules_short(options)
    for text in rules:
        part = [line(span(part)) for part in wrap(text, room, 2)]
        if len(lines) + len(part) <= scene.rows - 5:
            lines += part
    if scene.tall and scene.model.table is not None and scene.model.table.order:
        lines += [[], line(span(_titles(scene), "dim"))]
    return box(tr(tabletexts.HELP_TITLE), lines, room, tr(labels.ESC_CLOSES))


def _titles(scene: Scene) -> str:
    table = scene.table
    seats = len(table.order)
    names = (words.title(title_of(seat, seats)) for seat in (0, seats - 1))
    return tabletexts.titles_go(*names)


def _halves(left: str, right: str, half: int, style: str) -> Line:
    return [column(left, half, style), Span(style, right)]


def _key_line(keys: Sequence[tuple[str, str]], number: int, room: int) -> Line:
    if number >= len(keys):
        return [column("", room)]
    key, what = keys[number]
    named = span(keytexts.key_name(key), "key")
    gap = Span("", " " * max(0, 12 - cells([named])))
    return [named, gap, column(keytexts.key_does(what), room - 12)]
