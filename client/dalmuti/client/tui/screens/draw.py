"""The first draw, step by step: a column for each round, then the titles (rules.md F1, F2)."""

from __future__ import annotations

from dalmuti.client import words
from dalmuti.client.i18n import tr, tr_in
from dalmuti.client.tui import keytexts, labels
from dalmuti.client.tui.canvas import Frame, Line, Span, column, line, span, wrap
from dalmuti.client.tui.screens.base import (
    Scene,
    chat_row,
    key_bar,
    log_pane,
    title_bar,
)
from dalmuti.core.cards import JESTER
from dalmuti.core.events import TitlesDrawn
from dalmuti.core.titles import DrawRound, title_of


def draw(scene: Scene) -> list[Line]:
    """The rounds so far; after the last one everybody in the order of the titles."""
    drawn = scene.table.draw
    assert drawn is not None and scene.ui.draw_step is not None
    step = min(scene.ui.draw_step, len(drawn.rounds))
    done = step >= len(drawn.rounds)
    shown = drawn.rounds[: step + 1]
    frame = Frame(scene.cols)
    frame.rule("┌┐", tr(labels.DRAW_TITLE), accent=True)
    for row in _rows(scene, drawn, shown, done):
        frame.row(row)
    frame.rule("├┤", labels.draw_step(len(shown), done))
    told = [wrap(text, scene.cols - 4) for text in _told(scene, drawn, shown, done)]
    for text in [part for parts in told for part in parts][:5]:
        frame.row(line(span(text)))
    frame.rule("├┤", tr(labels.CHAT))
    # Only what people say: the log knows the outcome already.
    chat = [entry for entry in scene.model.log if entry.kind == "chat"]
    room = scene.rows - len(frame.rows) - 4
    lines, thumb = log_pane(scene, scene.cols - 4, room, chat)
    for number, row in enumerate(lines):
        frame.row(row, thumb=number in thumb)
    frame.rule("└┘")
    parts = [scene.table.table, tr(labels.FIRST_TITLES), labels.players(len(drawn.order))]
    bar = key_bar(scene, keytexts.KEYS_DRAW)
    return [title_bar(scene, *parts), *frame.rows, chat_row(scene), bar]


def _rows(scene: Scene, drawn: TitlesDrawn, shown: tuple[DrawRound, ...], done: bool) -> list[Line]:
    """A heading and a line a player: a column a round, as many of the last as there is room for."""
    each = 22 if scene.wide else 9
    title = 18
    names = 22 if scene.wide else 16
    fits = max(1, (scene.cols - 4 - names - title - 4) // each)
    first = max(0, len(shown) - fits)
    columns = list(enumerate(shown))[first:]
    head: Line = [Span("", "    "), column(tr_in("heading", labels.NAME), names, "dim")]
    head += [column(labels.draw_round(number), each, "dim") for number, _ in columns]
    head += [column(tr_in("heading", labels.TITLE) if done else "", title, "dim")]
    order = list(drawn.order)
    if not done and drawn.rounds:
        order = [each_draw.player for each_draw in drawn.rounds[0].draws]
    lines = [head]
    drawn_large = scene.wide and scene.rows >= 3 * len(order) + 14
    for place, player in enumerate(order, start=1):
        style = "you" if player == scene.table.you else ""
        row: Line = [
            span(f"{place:2}  " if done else "    ", "dim"),
            column(scene.who(player), names - 1, style),
            Span("", " "),
        ]
        above: Line = [Span("", " " * (4 + names))]
        below = list(above)
        for _, round_ in columns:
            card = _card_of(round_, player)
            edges = ("┌──┐", "└──┘") if card else ("", "")
            row.append(_card(scene, round_, player, each, framed=drawn_large))
            above.append(column(edges[0], each, "dim"))
            below.append(column(edges[1], each, "dim"))
        if done:
            name = words.fitting_title(title_of(place - 1, len(order)), title)
            row.append(column(name, title, "accent" if style else "bold"))
        lines += [above, row, below] if drawn_large else [row]
    if not drawn_large and scene.tall and scene.rows >= 2 * len(order) + 16:
        lines = [part for row in lines for part in (row, [])]
    return lines


def _card_of(round_: DrawRound, player: int) -> int | None:
    return next((draw.card for draw in round_.draws if draw.player == player), None)


def _card(scene: Scene, round_: DrawRound, player: int, room: int, *, framed: bool) -> Span:
    """What a player drew in a round, in the frame of a card or not; a tie says so."""
    card = _card_of(round_, player)
    if card is None:
        return column(" ·" if framed else "·", room, "dim")
    tied = [draw.card for draw in round_.draws].count(card) > 1
    sign = "J" if card == JESTER else str(card)
    name = words.rank(card)
    if framed:
        text = f"│{sign:>2}│ {name}"
    elif scene.wide:
        text = name if card == JESTER else f"{sign} {name}"
    else:
        text = name if card == JESTER else sign
    if tied:
        return column(f"{text} {tr_in('note', labels.TIE_MARK)}", room, "accent")
    return column(text, room, "bold")


def _told(scene: Scene, drawn: TitlesDrawn, shown: tuple[DrawRound, ...], done: bool) -> list[str]:
    """What is to say about the newest step."""
    if done:
        own = ""
        if scene.table.you in drawn.order:
            title = title_of(drawn.order.index(scene.table.you), len(drawn.order))
            own = labels.you_are(words.a_title(title))
        return [tr(labels.DRAW_DONE) if drawn.rounds else tr(labels.TITLES_GIVEN), own]
    newest = shown[-1]
    cards: dict[int, list[str]] = {}
    for each in newest.draws:
        cards.setdefault(each.card, []).append(scene.who(each.player))
    tied = [
        labels.tie(words.listed(who), card) for card, who in sorted(cards.items()) if len(who) > 1
    ]
    first = tr(labels.EVERYONE_DRAWS) if len(shown) == 1 else labels.redraw(_names(scene, newest))
    return [first, *(tied or [tr(labels.NO_TIES)])]


def _names(scene: Scene, round_: DrawRound) -> str:
    return words.listed(scene.who(draw.player) for draw in round_.draws)
