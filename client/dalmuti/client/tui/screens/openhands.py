"""Everybody's cards at once, for a replay: one row a player, a column a rank.

The grid is what `cards.grid` is for one hand, narrower, so that ten hands fit into 80 columns with
what each player did last, and the log below.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from dalmuti.client import words
from dalmuti.client.i18n import tr, tr_in
from dalmuti.client.tui import labels
from dalmuti.client.tui.canvas import Frame, Line, Span, cells, column, line, span
from dalmuti.client.tui.screens.base import Scene, last_act, log_lines, log_title
from dalmuti.client.tui.screens.cards import play_words, trick_chain
from dalmuti.client.words import rewindtexts
from dalmuti.core.cards import JESTER, Cards, counts_of
from dalmuti.core.titles import title_of

RANKS: Final = range(1, JESTER + 1)


def open_hands(
    scene: Scene, hands: Mapping[int, Cards], told: tuple[str, Sequence[str]]
) -> list[Line]:
    """The screen but for its first line and its last two, which are the replay's.

    `told` is what happened last: a title and at most two lines.
    """
    frame = Frame(scene.cols)
    frame.rule("┌┐", tr(rewindtexts.ALL_CARDS))
    for row in _rows(scene, hands):
        frame.row(row)
    frame.section("", _pile(scene))
    room = scene.rows - len(frame.rows) - 7 - 1
    if room > 0:
        log = log_lines(scene.model.log, scene.cols - 4, room, scene.ui.log_back)
        frame.section(log_title(scene), log)
    title, lines = told
    frame.section(title, [line(span(text)) for text in (*lines, "", "")[:2]], accent=True)
    frame.rule("└┘")
    return frame.rows


def _rows(scene: Scene, hands: Mapping[int, Cards]) -> list[Line]:
    """A heading and a line a player: turn, name, title, cards left, the cards, the last act."""
    hand = scene.hand
    seats = len(hand.order)
    names, titles, each = (20, 16, 4) if scene.wide else (12, 10, 3)
    head: Line = [Span("", " " * (2 + names + 1 + titles + 4))]
    head += [Span("dim", ("J" if rank == JESTER else str(rank)).rjust(each)) for rank in RANKS]
    lines = [head]
    turn = hand.turn.seats if hand.turn and hand.phase == "tricks" else ()
    for seat, player in enumerate(hand.order):
        out = seat in hand.finished
        counts = counts_of(hands.get(player, ()))
        target = f"row:{seat + 1}"
        title = title_of(seat, seats)
        named = words.title(title) if scene.wide else words.short_title(title)
        style = "dim" if out else ""
        row: Line = [
            Span("accent", "▶ " if seat in turn and not out else "  "),
            column(scene.who(player), names, style, target=target),
            Span("", " "),
            column(named, titles, style, target=target),
            column("" if out else str(sum(counts)), 3, "bold", right=True),
            Span("", " "),
        ]
        if out:
            place = labels.out(hand.finished.index(seat) + 1)
            lines.append([*row, Span("", "  "), span(place, "dim", target)])
            continue
        for rank in RANKS:
            text = str(counts[rank]) if counts[rank] else "·"
            row.append(Span("bold" if counts[rank] else "dim", text.rjust(each), target))
        lines.append([*row, Span("", "  "), _act(scene, seat)])
    return lines


def _act(scene: Scene, seat: int) -> Span:
    act = last_act(scene.hand, seat)
    if act is None:
        return span("")
    return span(str(act.play), "bold") if act.play else span(tr_in("note", labels.PASSES), "dim")


def _pile(scene: Scene) -> list[Line]:
    """The set to beat, and how the trick came there; between tricks the last one."""
    hand, trick = scene.hand, scene.hand.trick
    room = scene.cols - 4
    if trick.top is None or trick.owner is None:
        acts, label, first = hand.last_trick, tr(labels.LAST_TRICK), line()
    else:
        acts, label = trick.acts, tr(labels.THIS_TRICK)
        first = [
            *line(span(f"{tr(labels.TO_BEAT)}  ", "dim")),
            *play_words(trick.top),
            span(f"  {labels.by(scene.seat_name(trick.owner))}"),
        ]
    told = [(scene.seat_name(act.seat), act.play) for act in acts]
    if not told:
        return [first, []]
    head = Span("dim", f"{label}  ")
    return [first, [head, *trick_chain(scene, told, room - cells([head]))]]
