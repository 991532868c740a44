"""What all screens share: the title and key bars, the log, names, and the pane of players."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dalmuti.client import words
from dalmuti.client.i18n import tr
from dalmuti.client.model import Line as LogLine
from dalmuti.client.model import Model
from dalmuti.client.tui import keytexts, labels, placetexts, tabletexts
from dalmuti.client.tui.canvas import (
    Frame,
    Line,
    Span,
    cells,
    column,
    fit,
    line,
    piece,
    safe,
    span,
    wrap,
)
from dalmuti.client.tui.screens import keybar
from dalmuti.client.tui.state import Ui
from dalmuti.core.events import Act, PlayerInfo
from dalmuti.core.titles import title_of
from dalmuti.core.views import HandView, TableView
from dalmuti.protocol.text import width

WIDE, TALL, LARGE = 110, 34, 48
"""From here on there is room for full titles, for pictures of cards, and for large ones."""
NARROW_SPLIT, WIDE_SPLIT = 48, 71
"""Where the border between the players and the log is."""
NARROW_NOTE, WIDE_NOTE = NARROW_SPLIT - 32, WIDE_SPLIT - 47
"""Cells for what is said beside a player."""
ROOMY = 62
"""Cells from which on names and titles of players are written in full."""

Keys = Sequence[tuple[str, str]]


class Scene:
    """All that a screen may look at, and what most of them ask of it."""

    def __init__(self, model: Model, ui: Ui, cols: int, rows: int, now: float) -> None:
        self.model = model
        self.ui = ui
        self.cols = cols
        self.rows = rows
        self.now = now
        self.log_back = ui.log_back
        """How far the log is scrolled back; the pane that shows it knows where the log ends."""
        self.log_is_longer: bool = False
        """Whether there is more of it than its pane shows, which knows that as well."""

    @property
    def wide(self) -> bool:
        return self.cols >= WIDE

    @property
    def tall(self) -> bool:
        return self.rows >= TALL

    @property
    def large(self) -> bool:
        """Whether even the cards of the own hand are drawn large."""
        return self.wide and self.rows >= LARGE

    @property
    def round(self) -> bool:
        """Whether everybody has a place around a table, or a line in a list."""
        return self.wide and self.tall

    @property
    def table(self) -> TableView:
        assert self.model.table is not None
        return self.model.table

    @property
    def hand(self) -> HandView:
        assert self.table.hand is not None
        return self.table.hand

    @property
    def is_host(self) -> bool:
        """Whether we deal, add bots and close the table."""
        return self.table.you is not None and self.table.host == self.table.you

    def who(self, player: int) -> str:
        """A player's name as it may be shown, or `you`."""
        name = words.who(self.table, player)
        return name if isinstance(name, words.You) else safe(name)

    def seat_name(self, seat: int) -> str:
        """Who sits in a seat of the hand."""
        return self.who(self.hand.order[seat])

    def info(self, player: int) -> PlayerInfo:
        """The player behind a number."""
        return words.info_of(self.table, player) or PlayerInfo(player=player, name=f"#{player}")

    def left_of(self, moment: float | None) -> int | None:
        """Whole seconds until a moment; None where there is none."""
        return None if moment is None else max(0, math.ceil(moment - self.now))

    def presence(self, player: int) -> str:
        """A word about a player who is not simply here."""
        left = self.left_of(self.model.countdowns.get(player))
        return labels.presence(self.info(player).presence, left)


# -- bars -------------------------------------------------------------------------------------


def title_bar(scene: Scene, *parts: str) -> Line:
    """The first line: where we are, and the clock. The way to help stands in the last line."""
    left = [Span("title", " Dalmuti ")]
    for part in parts:
        left += [Span("dim", " · "), span(part)]
    right: Line = []
    seconds = scene.left_of(scene.model.ends_at)
    if seconds is not None and scene.model.table is not None and scene.model.table.hand:
        style = "warn" if seconds <= 10 and scene.model.decision else "bold"
        right += [Span(style, labels.clock(seconds)), Span("", " ")]
    room = scene.cols - cells(right) - 1
    return [*fit(left, room), Span("", " "), *right]


def key_bar(scene: Scene, keys: Keys, *, alone: bool = False) -> Line:
    """The last line: the keys of the moment; those at the end go first where room is short.

    Leaving the help key out would leave people with nothing, so it always stays where it helps;
    where the keys are `alone`, it does not.
    """
    if scene.ui.chatting and scene.ui.offered:
        return _offer(scene)
    shown, helps = (list(keys), ()) if alone else keybar.of_moment(scene, keys)
    while True:
        bar: Line = [Span("", " ")]
        for key, what in [*shown, *helps]:
            target = f"key:{keytexts.KEY_OF[key]}" if key in keytexts.KEY_OF else ""
            bar += [
                Span("key", keytexts.key_name(key), target),
                Span("", f" {keytexts.key_does(what)}", target),
                Span("", "   "),
            ]
        if cells(bar[:-1]) <= scene.cols or not shown:
            return fit(bar[:-1], scene.cols)
        shown.pop()


def _offer(scene: Scene) -> Line:
    """In the place of the keys: what the command in the chat line may become, or what it does."""
    offered = scene.ui.offered
    if len(offered) == 1 and offered[0] in keytexts.COMMANDS:
        text = keytexts.command_help(offered[0])
    else:
        text = " ".join(each.removeprefix("/") for each in offered)
    return fit(line(span(" "), span("Tab", "key"), span(f"  {text}")), scene.cols)


def chat_row(scene: Scene) -> Line:
    """The line above it: a word about the last key or request, or the way to the chat."""
    if scene.ui.chatting:
        return fit(line(span(labels.CHAT_PROMPT, "accent")), scene.cols)
    hint = scene.ui.hint or scene.model.refusal
    if hint:
        return fit(line(span(" ! ", "warn"), span(hint, "bold")), scene.cols)
    if keybar.is_advised(scene):
        return fit(line(span(f" {scene.ui.advice}", "note")), scene.cols)
    return fit(line(span(f" {keybar.way_to_talk(scene)}", "dim")), scene.cols)


# -- the log ------------------------------------------------------------------------------------

LOG_STYLES = {
    "event": "",
    "own": "",
    "pass": "dim",
    "chat": "chat",
    "notice": "dim",
    "warning": "warn",
}


def log_lines(log: Sequence[LogLine], room: int, rows: int, back: int) -> list[Line]:
    """The last `rows` lines of the log, or those `back` lines before; the newest at the bottom."""
    return _log_part(log, room, rows, back)[0]


def log_pane(
    scene: Scene, room: int, rows: int, log: Sequence[LogLine] | None = None
) -> tuple[list[Line], range]:
    """The log as it is scrolled, and the rows of its scroll bar, if it is longer than the pane."""
    log = scene.model.log if log is None else log
    lines, bar, scene.log_back = _log_part(log, room, rows, scene.ui.log_back)
    scene.log_is_longer = bool(bar)
    return lines, bar


def _log_part(
    log: Sequence[LogLine], room: int, rows: int, back: int
) -> tuple[list[Line], range, int]:
    """A part of the log, the rows of the bar, and how many lines it is really scrolled back.

    The bar counts entries, not lines, since not all of them are broken into lines for every
    picture. Passes in a row share lines, or they would drown what was played.
    """
    newest: list[tuple[int, str, str]] = []
    at = len(log)
    while at and len(newest) < rows + back:
        at -= 1
        entry, kind = at, log[at].kind
        text = f"! {log[at].text}" if kind == "warning" else log[at].text
        while kind == "pass" and at and log[at - 1].kind == "pass":
            at -= 1
            text = f"{log[at].text} {text}"
        newest += [(entry, kind, part) for part in reversed(wrap(text, room))]
    back = min(back, max(0, len(newest) - rows))
    seen = newest[back : back + rows][::-1]
    lines = [[span(text, LOG_STYLES[kind])] for _, kind, text in seen]
    lines = [line() for _ in range(rows - len(lines))] + lines
    if not seen or rows < 3 or (at == 0 and len(newest) <= rows):
        return lines, range(0), back
    first, last = seen[0][0], seen[-1][0]
    size = max(1, min(rows - 1, (last + 1 - first) * rows // len(log)))
    top = min(rows - size, first * rows // len(log)) if back else rows - size
    return lines, range(top, top + size), back


def log_title(scene: Scene) -> str:
    """What stands above the log."""
    return placetexts.older_log() if scene.ui.log_back else tr(labels.LOG)


def body(
    frame: Frame,
    scene: Scene,
    left: Sequence[Line],
    rows: int,
    split: int,
    upper: Sequence[Line] = (),
) -> None:
    """A pane beside the log, both `rows` high; `upper` stays above the log."""
    room = scene.cols - split - 4
    upper = list(upper)[: max(0, rows - 4)]
    above = len(upper) + (1 if upper else 0)
    log, thumb = log_pane(scene, room, rows - above)
    for number in range(rows):
        beside = left[number] if number < len(left) else []
        if number < len(upper):
            frame.pair(beside, upper[number], split)
        elif number < above:
            frame.half_rule(beside, split, log_title(scene))
        else:
            frame.pair(beside, log[number - above], split, thumb=number - above in thumb)


# -- players ------------------------------------------------------------------------------------


def last_act(hand: HandView, seat: int) -> Act | None:
    """What a seat did last in this trick."""
    return next((act for act in reversed(hand.trick.acts) if act.seat == seat), None)


def column_of_titles(room: int) -> int:
    """The cell of the screen at which the titles of `player_rows` begin."""
    return 2 + 2 + (20 if room >= ROOMY else 12) + 1


def player_rows(scene: Scene, room: int, notes: Sequence[Line]) -> list[Line]:
    """One line a seat in the order of turns: title, cards left, and what `notes` says of it."""
    hand = scene.hand
    seats = len(hand.order)
    full = room >= ROOMY
    turn = hand.turn.seats if hand.turn and hand.phase == "tricks" else ()
    lines = []
    for seat, player in enumerate(hand.order):
        title = title_of(seat, seats)
        mine = player == scene.table.you
        style = "you" if mine else ""
        is_out = seat in hand.finished
        size = hand.sizes[seat] if seat < len(hand.sizes) else 0
        lines.append(
            [
                Span("accent", "▶ ") if seat in turn and not is_out else Span("", "  "),
                column(
                    player_label(scene, player, 20 if full else 12),
                    20 if full else 12,
                    "dim" if is_out else style,
                ),
                Span("", " "),
                column(
                    words.fitting_title(title, 15 if full else 9),
                    15 if full else 9,
                    "dim" if is_out else style,
                ),
                Span("", " "),
                column("-" if is_out else str(size), 2, "dim" if is_out else "bold", right=True),
                Span("", "   " if full else "  "),
                *notes[seat],
            ]
        )
    return lines


def player_label(scene: Scene, player: int, room: int) -> str:
    """A player's name, with a word for a bot where there is room for it."""
    name = scene.who(player)
    if player == scene.table.you or scene.info(player).kind == "human":
        return name
    marked = labels.a_bot(name)
    return marked if width(marked) <= room else name


def with_presence(scene: Scene, seat: int, note: Line) -> Line:
    """What a seat did, and whether its player is there; where room is short, all of the latter."""
    presence = scene.presence(scene.hand.order[seat])
    if not presence or not note:
        return note or line(span(presence, "warn"))
    room = WIDE_NOTE if scene.wide else NARROW_NOTE
    kept = piece(note, 0, room - width(presence) - 1)
    return [*kept, Span("", " "), span(presence, "warn")]


def how_to_play(scene: Scene, room: int, rows: int) -> list[Line]:
    """The rules of the game below something else, as many whole paragraphs as there is room for."""
    table = scene.model.table
    lines: list[Line] = [[], line(span(f"  {tr(tabletexts.HOW_TO_PLAY)}", "head"))]
    for text in words.how_to_play(table.options if table else None):
        part = [line(span(f"  {each}", "dim")) for each in wrap(text, room - 4, 0)]
        if len(lines) + len(part) + 1 > rows:
            break
        lines += [[], *part]
    return lines if len(lines) > 2 else []
