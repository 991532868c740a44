"""The wide form of the table: everybody at a place around it, the set to beat in the middle.

Drawn where a window is wide and tall; elsewhere `play.table_screen` lists the players. The own
hand has the same rows at the bottom in both, and the log stays on the right, below the trick.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dalmuti.client import words
from dalmuti.client.i18n import tr, tr_in
from dalmuti.client.tui import labels, placetexts, tabletexts
from dalmuti.client.tui.canvas import Frame, Line, Span, cells, column, cut_line, line, piece, span
from dalmuti.client.tui.screens.base import (
    Keys,
    Scene,
    body,
    chat_row,
    key_bar,
    last_act,
    log_title,
    player_label,
    title_bar,
)
from dalmuti.client.tui.screens.cards import big_cards, pictures, play_words
from dalmuti.client.tui.screens.seating import around, plan
from dalmuti.core.cards import Play
from dalmuti.core.events import Act
from dalmuti.core.titles import Title, title_of
from dalmuti.protocol.text import width

HAND_ROWS: Final = 6
"""Cards, and up to three rows of numbers."""

Section = tuple[str, Sequence[Line]]
"""A title and the lines below it."""


def split_at(scene: Scene) -> int:
    """Where the border between the table and the log is."""
    return scene.cols - max(28, scene.cols * 27 // 100) - 4


def inside(scene: Scene) -> int:
    """Cells of a line in the middle of the table."""
    return plan(split_at(scene) - 3).inside


def court_screen(
    scene: Scene,
    *,
    parts: Sequence[str],
    title: str,
    notes: Sequence[Line],
    middle: Sequence[Line],
    above_log: Section | None,
    waiting: Sequence[Line],
    hand: Section,
    choice: Section,
    does: str = "",
    mine: bool,
    keys: Keys,
) -> list[Line]:
    """The frame of all scenes of a hand in a window that is wide and tall.

    `notes` has the last line of each place, `above_log` what stands above the log, and `waiting`
    who sits at the table without a part in the hand.
    """
    split = split_at(scene)
    frame = Frame(scene.cols)
    if scene.hand.seat is not None:  # taxes need a row more: the hand does not jump for it
        empty = HAND_ROWS + (2 if scene.large else 0) - len(hand[1])
        hand = hand[0], [*hand[1], *([line()] * empty)]
    rows = scene.rows - 7 - len(hand[1]) - len(choice[1])
    waiting = waiting[:2]
    short = any(width(words.title(each)) + 5 > _words(scene) for each in Title)
    places = [
        _place(scene, seat, _with_presence(scene, seat, note), short)
        for seat, note in enumerate(notes)
    ]
    left = around(places, middle, split - 3, rows - len(waiting))
    left += waiting
    head, above = above_log or (log_title(scene), ())
    right = scene.cols - split - 4
    frame.rule(
        "┌┐", title, split=split, joint="┬", second=head, remark=placetexts.order_of_places()
    )
    body(frame, scene, left, rows, split, [cut_line(spans, right) for spans in above])
    frame.section(*hand, split=split)
    frame.section(*choice, accent=mine, right=does)
    frame.rule("└┘")
    return [title_bar(scene, *parts), *frame.rows, chat_row(scene), key_bar(scene, keys)]


def _place(scene: Scene, seat: int, note: Line, short: bool) -> list[Line]:
    """A place: who sits there, with which title and how many cards, and what he did last."""
    hand = scene.hand
    player = hand.order[seat]
    size = _words(scene)
    is_out = seat in hand.finished
    turn = hand.turn.seats if hand.turn and hand.phase == "tricks" else ()
    now = seat in turn and not is_out
    mine = player == scene.table.you
    style = "dim" if is_out else "you" if mine else "accent" if now else "bold"
    title = title_of(seat, len(hand.order))
    left = "" if is_out or seat >= len(hand.sizes) else f" · {hand.sizes[seat]:<2}"
    named = words.short_title(title) if short else words.title(title)
    name = player_label(scene, player, size)
    return [
        [Span("accent", "▶ ") if now else Span("", "  "), *cut_line([span(name, style)], size)],
        [Span("", "  "), span(named, "dim" if is_out else ""), span(left, "bold")],
        [Span("", "  "), *cut_line(note, size)],
    ]


# -- the middle and the trick ---------------------------------------------------------------------


def pile(scene: Scene, note: str) -> list[Line]:
    """What lies in the middle: the set to beat as cards, whose it is, and what beats it."""
    hand, trick = scene.hand, scene.hand.trick
    said = [line(), line(span(note, "note"))] if note else []
    if trick.top is None or trick.owner is None:
        leader = hand.turn.seats[0] if hand.turn and hand.turn.seats else None
        if leader is None:
            return said
        who = labels.leads(scene.seat_name(leader), scene.ui.selector is not None)
        return [line(span(who, "bold")), *said]
    room, cards = inside(scene), trick.top.cards()
    small = pictures([(cards, "pick")], room) if note and scene.rows < 38 else []
    return [
        *(small or big_cards(cards, room, "pick")),
        play_words(trick.top),
        line(span(labels.by(scene.seat_name(trick.owner)))),
        line(),
        line(span(labels.beaten_by(trick.top), "dim")),
        *said,
    ]


def trick_list(scene: Scene) -> Section:
    """This trick, a line a play; while nothing is led, the one before."""
    hand = scene.hand
    acts, number = hand.trick.acts, hand.tricks + 1
    head = placetexts.this_trick(number)
    if not acts and hand.last_trick:
        acts, head = hand.last_trick, tr(labels.LAST_TRICK)
    rows = 8 if scene.rows < 38 else 10 if scene.rows < 56 else 16
    lines = _told(scene, acts)
    if len(lines) > rows:
        gone = len(lines) - rows + 1
        lines = [line(span(placetexts.earlier(gone), "dim")), *lines[gone:]]
    lines += [line()] * (rows - len(lines))
    return head, lines + (_scores(scene) if scene.large else [])


def _told(scene: Scene, acts: Sequence[Act]) -> list[Line]:
    """A line for each set that was played, and one for all who passed after it."""
    room = scene.cols - split_at(scene) - 4
    name = min(room - 12, max(width(scene.who(player)) for player in scene.hand.order))
    lines: list[Line] = []
    passed: list[str] = []

    def tell_passes() -> None:
        if passed:
            who = f"  {placetexts.passed(words.listed(passed))}"
            if width(who) > room:
                who = f"  {labels.passes(len(passed))}"
            lines.append(line(span(who, "dim")))
            passed.clear()

    best = next((act for act in reversed(acts) if act.play is not None), None)
    for act in acts:
        if act.play is None:
            passed.append(scene.seat_name(act.seat))
            continue
        tell_passes()
        style = "accent" if act is best else "bold"
        mine = act.seat == scene.hand.seat
        lines.append(
            [
                column(scene.seat_name(act.seat), name, "you" if mine else ""),
                Span("", "  "),
                *_told_play(act.play, style, room - name - 2),
            ]
        )
    tell_passes()
    return lines


def _scores(scene: Scene) -> list[Line]:
    """What everybody has won so far, below the trick, where a window is large."""
    table = scene.table
    points = table.options.scoring == "points"
    if not table.scores or not table.hands_played:
        return []
    head = tr_in("heading", tabletexts.POINTS if points else tabletexts.HANDS_WON)
    lines = [line(), line(span(labels.first_capital(head), "head"))]
    for score in table.scores:
        has = str(score.points if points else score.hands_won)
        style = "you" if score.player == table.you else ""
        lines.append([column(scene.who(score.player), 22, style), column(has, 4, right=True)])
    return lines


def _told_play(play: Play, style: str, room: int) -> Line:
    """A set, with the name of its rank where that fits and says more than the figures."""
    figures = span(str(play), style)
    if play.jesters and play.naturals:
        return [figures]
    told = [figures, *play_words(play)[1:]]
    return told if cells(told) <= room else [figures]


def note_of(scene: Scene, seat: int) -> Line:
    """The last line of a place: what its player did in this trick, or that it is his turn."""
    hand = scene.hand
    if seat in hand.finished:
        return line(span(labels.out(hand.finished.index(seat) + 1), "dim"))
    if hand.turn and seat in hand.turn.seats and seat == hand.seat and scene.ui.selector:
        return line(span(f" {tr(labels.YOUR_TURN)} ", "turn"))
    act = last_act(hand, seat)
    if act is None:
        return []
    if act.play is None:
        return line(span(tr_in("note", labels.PASSES), "dim"))
    presence = scene.presence(hand.order[seat])
    return _told_play(act.play, "bold", _words(scene) - (width(presence) + 1 if presence else 0))


def _words(scene: Scene) -> int:
    """Cells for the words of a place, between the mark of whose turn it is and the table."""
    return plan(split_at(scene) - 3).side - 3


def _with_presence(scene: Scene, seat: int, note: Line) -> Line:
    """What is said of a seat and, which goes first, whether its player is there."""
    presence = scene.presence(scene.hand.order[seat])
    if not presence:
        return note
    room = _words(scene) - width(presence) - 1
    kept = piece(note, 0, room)
    return [*kept, Span("", " " if kept else ""), span(presence, "warn")]
