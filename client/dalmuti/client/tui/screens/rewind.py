"""The replay: the screens of play over a table of the past, with a bar in the place of the chat.

The first line and the last two are the replay's own; what lies between is drawn by the same code
as in play, which has no decision to show, or by `openhands` while all cards are open.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from dalmuti.client.i18n import tr
from dalmuti.client.model import LinkChanged, Model
from dalmuti.client.replay.cursor import Cursor
from dalmuti.client.tui import keytexts, labels, screens, tabletexts
from dalmuti.client.tui.canvas import (
    Line,
    Span,
    box,
    cells,
    column,
    fit,
    line,
    overlay,
    span,
    to_ascii,
    wrap,
)
from dalmuti.client.tui.screens import overlays
from dalmuti.client.tui.screens.base import Keys, Scene, key_bar, title_bar
from dalmuti.client.tui.screens.openhands import open_hands
from dalmuti.client.tui.state import Ui
from dalmuti.client.words import rewindtexts
from dalmuti.core.events import TitlesDrawn
from dalmuti.protocol.text import cut

Told = tuple[str, tuple[str, ...]]
"""What happened last: a title, and lines."""


class Deck(Struct, frozen=True, kw_only=True):
    """What the replay shows of itself, beside the table."""

    speed: str
    """Moves a second, as it is shown."""
    playing: bool = False
    typed: str | None = None
    """What was typed of the place to go to; None while nobody asks for one."""
    helping: bool = False


def model_of(cursor: Cursor, verified: Mapping[int, bool]) -> Model:
    """The model that a client of that time would have had."""
    moment = cursor.moment
    return Model(
        link=LinkChanged("open"),
        table=moment.table,
        log=moment.log,
        logged=len(moment.log),
        verified=dict(verified),
    )


def set_scene(cursor: Cursor, ui: Ui, cols: int) -> None:
    """Tells the screens of play what stands here in the place of decisions and chores."""
    ui.told = told(cursor, cols - 4)
    ui.next_step = tr(rewindtexts.AT_END if cursor.at_end else rewindtexts.NEXT_HAND)
    drawn = cursor.moment.table.draw
    steps = cursor.chapter.steps
    here = steps[cursor.step - 1].events if cursor.step else ()
    ui.draw_step = None
    if drawn is not None and any(isinstance(event, TitlesDrawn) for event in here):
        ui.draw_step = len(drawn.rounds)


def draw(cursor: Cursor, model: Model, ui: Ui, deck: Deck, size: tuple[int, int]) -> list[Line]:
    """The whole screen: exactly as many lines and cells as the (columns, rows) of `size`."""
    cols, rows = size
    if screens.too_small(cols, rows):
        return screens.render(model, ui, cols, rows, 0.0)
    set_scene(cursor, ui, cols)
    scene = Scene(model, ui, cols, rows, 0.0)
    hands = cursor.moment.hands
    if hands and ui.draw_step is None:
        body = open_hands(scene, hands, told(cursor, cols - 4))
        whole = [fit(each, cols) for each in ([], *body, [], [])]
        over = overlays.over(scene)
        whole = overlay(whole, over) if over else whole
    else:
        whole = screens.render(model, ui, cols, rows, 0.0)
    screen = [
        title_bar(scene, *_parts(cursor)),
        *whole[1 : rows - 2],
        *([] for _ in range(rows - len(whole))),
        _status(cursor, scene, deck),
        _key_bar(cursor, scene, deck),
    ]
    screen = [fit(each, cols) for each in screen]
    if deck.helping:
        screen = overlay(screen, _help(cursor))
    return to_ascii(screen) if ui.ascii else screen


def told(cursor: Cursor, room: int) -> Told:
    """What this move led to, on at most two lines of `room` cells."""
    moment = cursor.moment
    texts = [each.text for each in moment.news if each.kind != "notice"]
    lines = wrap(" ".join(texts), room, 0)
    if len(lines) > 2:
        lines = [lines[0], cut(f"{lines[1]} …", room)]
    return rewindtexts.move_of(cursor.step, cursor.steps), tuple(lines)


def _parts(cursor: Cursor) -> list[str]:
    """What the first line says: which hand of which record, and who looks."""
    script = cursor.script
    hand = rewindtexts.hand_of(cursor.index, script.hands)
    if cursor.chapter.number != cursor.index:  # a hand of our own, not the first
        hand = labels.hand_number(cursor.chapter.number)
    if not cursor.chapter.over or (cursor.you is None and not script.has_all_cards):
        eyes = tr(rewindtexts.HIDDEN)
    elif cursor.you is None:
        eyes = tr(rewindtexts.OPEN)
    else:
        eyes = rewindtexts.seen_by(script.players[cursor.you].name)
    where = hand if cursor.index else rewindtexts.before_first()
    return [tr(rewindtexts.REPLAY), script.table, where, eyes]


def _status(cursor: Cursor, scene: Scene, deck: Deck) -> Line:
    """Where in the hand we are, as a bar that can be clicked; or a word about the last key."""
    if deck.typed is not None:
        return [
            span(f" {tr(rewindtexts.GO_TO)}", "accent"),
            span(f"{deck.typed}_", "bold"),
            span(f"   {tr(rewindtexts.GO_TO_HELP)}", "dim"),
        ]
    if scene.ui.hint:
        return line(span(" ! ", "warn"), span(scene.ui.hint, "bold"))
    left = f"{cursor.step}/{cursor.steps} ".rjust(2 * len(str(cursor.steps)) + 3)
    tricks = len(cursor.chapter.leads)
    right = f" {rewindtexts.trick_of(cursor.trick, tricks)}" if tricks else ""
    right += " " * (len(str(tricks)) - len(str(cursor.trick)))  # a bar that keeps its length
    shown = rewindtexts.playing(deck.speed) if deck.playing else tr(rewindtexts.PAUSED)
    right += f"  {shown}"
    ends = [span(left, "bold"), span(f"{right} ", "accent" if deck.playing else "dim")]
    return [ends[0], *_bar(cursor, scene.cols - cells(ends)), ends[1]]


def _bar(cursor: Cursor, room: int) -> Line:
    """The hand from its beginning to its end in `room` cells."""
    inside = max(1, room - 4)
    steps = max(1, cursor.steps)
    at = cursor.step * (inside - 1) // steps
    row = [Span("key", "|<", "key:<")]
    for cell in range(inside):
        text, style = ("O", "accent") if cell == at else ("=" if cell < at else "-", "frame")
        row.append(Span(style, text, f"at:{-(-cell * steps // max(1, inside - 1))}"))
    return [*row, Span("key", ">|", "key:>")]


def _key_bar(cursor: Cursor, scene: Scene, deck: Deck) -> Line:
    """The keys of the moment: the help and the place that is typed take them for themselves."""
    if deck.helping:
        return key_bar(scene, keytexts.KEYS_IN_HELP[:1], alone=True)
    if deck.typed is not None:
        return key_bar(scene, keytexts.KEYS_GO_TO, alone=True)
    (pause,) = keytexts.KEYS_PLAYING
    keys = [
        each
        for each in _keys(cursor, keytexts.KEYS_REPLAY)
        if each[0] != "o" or cursor.you is not None
    ]
    return key_bar(scene, [pause if deck.playing and k == "Space" else (k, w) for k, w in keys])


def _keys(cursor: Cursor, keys: Keys) -> Keys:
    """The keys; where no other cards are known, without those that show them."""
    eyes = () if cursor.script.has_all_cards else ("1", "o")
    return [(key, what) for key, what in keys if key[:1] not in eyes]


def _help(cursor: Cursor) -> list[Line]:
    room = 72
    lines: list[Line] = [[]]
    for keys, what in _keys(cursor, keytexts.HELP_REPLAY):
        first, *more = wrap(keytexts.key_does(what), room - 16, 0)
        lines.append([column(keytexts.key_name(keys), 16, "key"), span(first)])
        lines += [[column("", 16), span(each)] for each in more]
    return box(tr(tabletexts.HELP_TITLE), [*lines, []], room, tr(labels.ESC_CLOSES))
