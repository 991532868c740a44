"""After a hand: who moved up and down, points, the check of the deal. After a match: who won it."""

from __future__ import annotations

from typing import Final

from dalmuti.client import words
from dalmuti.client.i18n import tr, tr_in
from dalmuti.client.tui import keytexts, labels, placetexts, tabletexts
from dalmuti.client.tui.canvas import Frame, Line, Span, cells, column, line, safe, span, wrap
from dalmuti.client.tui.screens.base import (
    Scene,
    chat_row,
    key_bar,
    log_pane,
    log_title,
    title_bar,
)
from dalmuti.client.tui.screens.room import host_keys, next_step
from dalmuti.core.events import HandEnded, Result, Score
from dalmuti.core.titles import title_of
from dalmuti.protocol.text import cut, width

STEPS: Final[tuple[tuple[int, int, str], ...]] = ((1, 3, "2"), (0, 5, "1"), (2, 2, "3"))
"""The podium from left to right: place in the standing, height, and what is written on it."""
STEP: Final = 22
"""Cells of a step: the longest name has room on it."""


def result(scene: Scene) -> list[Line]:
    """The result of the last hand, or of the match when that is over."""
    table = scene.table
    ended = table.result
    assert ended is not None
    frame = Frame(scene.cols)
    over = table.state == "over"
    title = tr(tabletexts.MATCH_RESULT) if over else tabletexts.hand_result(ended.hand)
    frame.rule("┌┐", title, accent=True, right=tabletexts.hands_so_far(table.hands_played))
    told = [line(span(_headline(scene, ended), "accent"))]
    if over:
        told += _podium(scene) + _spaced(scene)
        told += _standing(scene, ended)
    else:
        told += _spaced(scene) + _places(scene, ended)
    for row in [*_spaced(scene), *told, *_spaced(scene)]:
        frame.row(row)
    frame.section("", _remarks(scene, ended))
    frame.rule("├┤", log_title(scene))
    above = {*words.places(ended, table), words.verified(ended.hand, ())}  # is no news here
    log = [entry for entry in scene.model.log if entry.text not in above]
    lines, thumb = log_pane(scene, scene.cols - 4, scene.rows - len(frame.rows) - 4, log)
    for number, row in enumerate(lines):
        frame.row(row, thumb=number in thumb)
    frame.rule("└┘")
    parts = [table.table, tr(tabletexts.RESULT), labels.players(len(ended.places))]
    return [
        title_bar(scene, *parts),
        *frame.rows,
        chat_row(scene),
        key_bar(scene, _keys(scene)),
    ]


def _keys(scene: Scene) -> keytexts.Keys:
    """The keys between hands; for the scores, which stand here, that for the hand once more."""
    (again,) = keytexts.KEYS_RESULT
    return [again if key == "s" else (key, what) for key, what in host_keys(scene)]


def _spaced(scene: Scene) -> list[Line]:
    """An empty line where there is room for air."""
    return [[]] if scene.tall else []


def _headline(scene: Scene, ended: HandEnded) -> str:
    """What matters most: who won the match, or what we are now."""
    table = scene.table
    if table.state == "over":
        number = len(table.winners)
        you = table.winners == (table.you,)
        names = words.listed(scene.who(player) for player in table.winners)
        if table.options.scoring != "points":
            return tabletexts.match_won(names, you, number)
        best = max((score.points for score in table.scores), default=0)
        return placetexts.won_with(names, you, number, best)
    seats = len(ended.places)
    for place, each in enumerate(ended.places):
        if each.player == table.you:
            now = words.a_title(title_of(place, seats))
            return placetexts.you_are_now(now, each.seat - place)
    if not ended.places:
        return ""
    first = words.a_title(title_of(0, seats))
    return placetexts.is_now(scene.who(ended.places[0].player), first)


def _points(scene: Scene) -> bool:
    return scene.table.options.scoring == "points"


# -- a hand ---------------------------------------------------------------------------------------


def _places(scene: Scene, ended: HandEnded) -> list[Line]:
    """A heading and a line a place: who, how far up or down, from which title to which."""
    wide = scene.wide
    name, moved, title, number = (28, 14, 20, 9) if wide else (21, 4, 16, 6)
    last = number if wide else number + 2  # 106 cells in all, or 76
    scores = {score.player: score for score in scene.table.scores}
    head = line(
        Span("", "     "),
        column(tr_in("heading", labels.NAME), name, "dim"),
        column(placetexts.moved_head() if wide else "", moved, "dim"),
        column(tr_in("heading", tabletexts.WAS), title, "dim"),
        column(tr_in("heading", tabletexts.NOW), title, "dim"),
    )
    if _points(scene):
        head.append(column(tr_in("heading", tabletexts.POINTS), number, "dim", right=True))
        head.append(column(tr_in("heading", tabletexts.TOTAL), last, "dim", right=True))
    else:
        head.append(column(tr_in("heading", tabletexts.HANDS_WON), 12, "dim", right=True))
    lines = [head]
    seats = len(ended.places)
    for place, each in enumerate(ended.places):
        style = "you" if each.player == scene.table.you else ""
        row: Line = [
            column(f"{place + 1:3}", 5, "dim"),
            column(_name(scene, each, name - 1), name - 1, style),
            Span("", " "),
            column(placetexts.moved(each.seat - place, not wide), moved - 1, style or "bold"),
            Span("", " "),
            column(words.fitting_title(title_of(each.seat, seats), title - 1), title - 1, "dim"),
            Span("", " "),
            column(
                words.fitting_title(title_of(place, seats), title - 1),
                title - 1,
                style or "bold",
            ),
            Span("", " "),
        ]
        score = scores.get(each.player)
        if _points(scene):
            row.append(column(str(each.points), number, right=True))
            total = str(score.points) if score else "-"
            row.append(column(total, last, "bold", right=True))
        else:
            row.append(column(str(score.hands_won) if score else "-", 12, "bold", right=True))
        lines.append(row)
    return lines


def _name(scene: Scene, each: Result, room: int) -> str:
    """A player's name, cut where that makes room for who played for him, or that he is away."""
    name, presence = scene.who(each.player), scene.presence(each.player)
    mark = tr(tabletexts.BY_STANDIN) if each.standin else f"({presence})" if presence else ""
    return f"{cut(safe(name), room - width(mark) - 1)} {mark}" if mark else name


# -- a match --------------------------------------------------------------------------------------


def _podium(scene: Scene) -> list[Line]:
    """The first three on their steps, where there is room, and one alone has won."""
    scores = scene.table.scores
    if not scene.round or len(scores) < 3 or len(scene.table.winners) != 1:
        return []
    if scene.rows < len(scores) + 28:
        return []
    high = max(height for _, height, _ in STEPS)
    columns = [_step(scene, scores[place], height, sign) for place, height, sign in STEPS]
    margin = Span("", " " * ((scene.cols - 6 - 3 * STEP) // 2))
    rows = []
    for number in range(high + 2):
        row = [margin]
        for each in columns:
            row += [each[number], Span("", " ")]
        rows.append(row)
    return [[], *rows]


def _step(scene: Scene, score: Score, height: int, place: str) -> list[Span]:
    """One step of the podium from top to bottom, with its player on it; all are equally high."""
    high = max(each for _, each, _ in STEPS)
    first = place == "1"
    name = "you" if score.player == scene.table.you else "accent" if first else "bold"
    edge = "accent" if first else "frame"
    wide = STEP - 2
    lines = [Span("", " " * STEP)] * (high - height)
    lines.append(_centred(scene.who(score.player), STEP, name))
    lines.append(Span(edge, f"┌{'─' * wide}┐"))
    lines.append(Span(edge, f"│{place:^{wide}}│"))
    lines += [Span(edge, f"│{' ' * wide}│")] * (height - 2)
    return [*lines, Span(edge, f"└{'─' * wide}┘")]


def _centred(text: str, room: int, style: str) -> Span:
    cut = column(text, min(room, cells([span(text)])), style)
    before = (room - cells([cut])) // 2
    return Span(style, " " * before + cut.text + " " * (room - before - cells([cut])))


def _standing(scene: Scene, ended: HandEnded) -> list[Line]:
    """The final standing: a line a player with a bar as long as what he has."""
    table = scene.table
    points = _points(scene)
    name, title, number = (24, 20, 9) if scene.wide else (21, 16, 7)
    bar = scene.cols - 4 - 5 - name - title - 2 * number - 4
    order = {each.player: place for place, each in enumerate(ended.places)}
    what = tabletexts.POINTS if points else tabletexts.HANDS_WON
    head = line(
        Span("", "     "),
        column(tr_in("heading", labels.NAME), name, "dim"),
        column(tr_in("heading", tabletexts.NOW), title, "dim"),
        column(tr_in("heading", what), number + 2, "dim", right=True),
    )
    lines = [head]
    most = max((score.points if points else score.hands_won for score in table.scores), default=0)
    for place, score in enumerate(table.scores, start=1):
        style = "you" if score.player == table.you else ""
        has = score.points if points else score.hands_won
        now = order.get(score.player)
        wins = score.player in table.winners
        lines.append(
            line(
                column(f"{place:3}", 5, "dim"),
                column(scene.who(score.player), name - 1, style or ("bold" if wins else "")),
                Span("", " "),
                column(
                    "-" if now is None else words.fitting_title(title_of(now, len(order)), title),
                    title,
                ),
                column(str(has), number + 2, "bold", right=True),
                Span("", "  "),
                span("█" * (has * bar // most if most else 0), "bar" if wins else "dim"),
            )
        )
    return lines


# -- below ----------------------------------------------------------------------------------------


def _remarks(scene: Scene, ended: HandEnded) -> list[Line]:
    """What the check of the deal found, who joins, and what comes next: five lines at most."""
    ends = tabletexts.match_ends(scene.table.options)
    if scene.ui.told is not None and scene.table.state != "over":
        ends = ""  # a replay: whatever was agreed, it ended where the record does
    second = ends if scene.table.state == "over" else _joins(scene, ended) or ends
    told = [_verified(scene, ended.hand), (second, ""), (next_step(scene), "bold")]
    lines = [
        line(span(part, style))
        for text, style in told
        if text
        for part in wrap(text, scene.cols - 4, 0)
    ]
    return lines[:5]


def _verified(scene: Scene, hand: int) -> tuple[str, str]:
    """What the check found, and how it is shown."""
    found = scene.model.verified.get(hand)
    if found is None:
        return tr(tabletexts.NOT_VERIFIED), "dim"
    if found and not scene.table.fair:
        return tr(tabletexts.VERIFIED_KNOWN), "good"
    if found:
        return tr(tabletexts.VERIFIED), "good"
    return tr(tabletexts.WRONG_DEAL), "alarm"


def _joins(scene: Scene, ended: HandEnded) -> str:
    """Who waits for the next hand."""
    played = {each.player for each in ended.places}
    waiting = [
        scene.who(info.player)
        for info in scene.table.players
        if info.presence != "left" and info.player not in played
    ]
    return tabletexts.joins_next(words.listed(waiting)) if waiting else ""
