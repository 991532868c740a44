"""After a hand: titles as they were and as they are now, points, the check of the deal."""

from __future__ import annotations

from dalmuti.client import words
from dalmuti.client.i18n import tr, tr_in
from dalmuti.client.tui import labels, tabletexts
from dalmuti.client.tui.canvas import Frame, Line, Span, column, line, span
from dalmuti.client.tui.screens.base import (
    Scene,
    chat_row,
    key_bar,
    log_lines,
    log_title,
    title_bar,
)
from dalmuti.client.tui.screens.room import host_keys, next_step
from dalmuti.core.events import HandEnded, Result
from dalmuti.core.titles import title_of


def result(scene: Scene) -> list[Line]:
    """The result of the last hand, or of the match when that is over."""
    table = scene.table
    ended = table.result
    assert ended is not None
    frame = Frame(scene.cols)
    over = table.state == "over"
    title = tr(tabletexts.MATCH_RESULT) if over else tabletexts.hand_result(ended.hand)
    frame.rule("┌┐", title, accent=True, right=tabletexts.hands_so_far(table.hands_played))
    if scene.tall:
        frame.row([])
    for row in _places(scene, ended):
        frame.row(row)
    if scene.tall:
        frame.row([])
    frame.rule("├┤")
    for row in _remarks(scene, ended):
        frame.row(row)
    frame.rule("├┤", log_title(scene))
    room = scene.rows - len(frame.rows) - 4
    above = words.places(ended, table)  # is no news here
    log = [entry for entry in scene.model.log if entry.text not in above]
    for row in log_lines(log, scene.cols - 4, room, scene.ui.log_back):
        frame.row(row)
    frame.rule("└┘")
    parts = [table.table, tr(tabletexts.RESULT), labels.players(len(ended.places))]
    return [
        title_bar(scene, *parts),
        *frame.rows,
        chat_row(scene),
        key_bar(scene, host_keys(scene)),
    ]


def _places(scene: Scene, ended: HandEnded) -> list[Line]:
    """A heading and a line a place."""
    points = scene.table.options.scoring == "points"
    scores = {score.player: score for score in scene.table.scores}
    wide = scene.wide
    head = line(
        column(tr_in("heading", tabletexts.PLACE), 7, "dim"),
        column(tr_in("heading", labels.NAME), 32 if wide else 21, "dim"),
        column(tr_in("heading", tabletexts.WAS), 22 if wide else 16, "dim"),
        column(tr_in("heading", tabletexts.NOW), 22 if wide else 16, "dim"),
    )
    if points:
        head.append(column(tr_in("heading", tabletexts.POINTS), 6, "dim", right=True))
        head.append(
            column(tr_in("heading", tabletexts.TOTAL), 10 if wide else 6, "dim", right=True)
        )
    else:
        head.append(column(tr_in("heading", tabletexts.HANDS_WON), 10, "dim", right=True))
    lines = [head]
    seats = len(ended.places)
    for place, each in enumerate(ended.places, start=1):
        mine = each.player == scene.table.you
        style = "you" if mine else ""
        row: Line = [
            column(f"{place:3}", 7, "dim"),
            column(_name(scene, each), 31 if wide else 20, style),
            Span("", " "),
            column(words.title(title_of(each.seat, seats)), 22 if wide else 16),
            column(words.title(title_of(place - 1, seats)), 22 if wide else 16, style or "bold"),
        ]
        score = scores.get(each.player)
        if points:
            row.append(column(str(each.points), 6, right=True))
            total = str(score.points) if score else "-"
            row.append(column(total, 10 if wide else 6, "bold", right=True))
        else:
            row.append(column(str(score.hands_won) if score else "-", 10, "bold", right=True))
        lines.append(row)
    return lines


def _name(scene: Scene, each: Result) -> str:
    name = scene.who(each.player)
    if each.standin:
        return f"{name} {tr(tabletexts.BY_STANDIN)}"
    presence = scene.presence(each.player)
    return f"{name} ({presence})" if presence else name


def _remarks(scene: Scene, ended: HandEnded) -> list[Line]:
    """What the check of the deal found, how we did, and what comes next."""
    rows = [_verified(scene, ended.hand)]
    if scene.table.state == "over":
        winners = words.listed(scene.who(player) for player in scene.table.winners)
        you = scene.table.winners == (scene.table.you,)
        rows.append(
            line(span(tabletexts.match_won(winners, you, len(scene.table.winners)), "accent"))
        )
    else:
        rows.append(line(span(_moved(scene, ended))))
    rows.append(line(span(next_step(scene), "bold")))
    return rows


def _verified(scene: Scene, hand: int) -> Line:
    found = scene.model.verified.get(hand)
    if found is None:
        return line(span(tr(tabletexts.NOT_VERIFIED), "dim"))
    if found and not scene.table.fair:
        return line(span(tr(tabletexts.VERIFIED_KNOWN), "good"))
    if found:
        return line(span(tr(tabletexts.VERIFIED), "good"))
    return line(span(f" {tr(tabletexts.WRONG_DEAL)} ", "alarm"))


def _moved(scene: Scene, ended: HandEnded) -> str:
    """How far we went up or down, and who waits for the next hand."""
    table = scene.table
    waiting = [
        scene.who(info.player)
        for info in table.players
        if info.presence != "left" and info.player not in {each.player for each in ended.places}
    ]
    joins = tabletexts.joins_next(words.listed(waiting)) if waiting else ""
    for place, each in enumerate(ended.places):
        if each.player == table.you:
            return f"{tabletexts.moved(each.seat - place)} {joins}".strip()
    return joins
