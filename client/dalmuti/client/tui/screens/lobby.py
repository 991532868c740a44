"""The lobby: the tables of the server, and who is at none of them."""

from __future__ import annotations

from dalmuti.client import words
from dalmuti.client.i18n import tr, tr_in
from dalmuti.client.tui import keytexts, placetexts, tabletexts
from dalmuti.client.tui.canvas import Frame, Line, Span, column, line, span, wrap
from dalmuti.client.tui.screens.base import (
    Scene,
    body,
    chat_row,
    how_to_play,
    key_bar,
    title_bar,
)
from dalmuti.protocol.messages import TableInfo


def lobby(scene: Scene) -> list[Line]:
    """The screen of one who sits at no table."""
    lobby = scene.model.lobby
    tables = lobby.tables if lobby else ()
    people = lobby.people if lobby else ()
    split = 84 if scene.wide else 58
    frame = Frame(scene.cols)
    frame.rule(
        "┌┐",
        tabletexts.tables_title(len(tables)),
        split=split,
        joint="┬",
        second=tr(tabletexts.PEOPLE),
    )
    about = _about(scene, tables)
    rows = scene.rows - 6 - len(about)
    names = [line(span(f"{name}")) for name in people]
    most = max(1, rows // 2)
    if len(names) > most:
        more = placetexts.more(len(names) - most + 1)
        names = [*names[: most - 1], line(span(more, "dim"))]
    upper = names or [[]]
    left = _tables(scene, tables, split - 3, rows)
    left += how_to_play(scene, split - 3, rows - len(left))
    body(frame, scene, left, rows, split, upper)
    frame.section("", about, split=split)
    frame.rule("└┘")
    parts = [tr(tabletexts.LOBBY)]
    if scene.model.welcome is not None:
        parts.append(tabletexts.you_are_called(scene.model.welcome.name))
    bar = key_bar(scene, keytexts.KEYS_LOBBY if tables else keytexts.KEYS_NO_TABLES)
    return [title_bar(scene, *parts), *frame.rows, chat_row(scene), bar]


def _tables(scene: Scene, tables: tuple[TableInfo, ...], room: int, rows: int) -> list[Line]:
    """The list, scrolled so that the chosen table is in it."""
    if not tables:
        text = tr(tabletexts.NO_TABLES) if scene.model.lobby else tr(tabletexts.CONNECTING)
        return [[], *(line(span(f"  {part}")) for part in wrap(text, room - 2, 0))]
    full = room >= 70
    name = 26 if full else 20
    head = line(
        span("  "),
        column(tr_in("heading", tabletexts.TABLE), name, "dim"),
        column(tr_in("heading", tabletexts.SEATED), 7, "dim"),
        column(tr_in("heading", tabletexts.STATE), 11, "dim"),
        column(tr_in("heading", tabletexts.HOUSE_RULES), max(0, room - name - 20), "dim"),
    )
    chosen = min(scene.ui.lobby_index, len(tables) - 1)
    first = max(0, min(chosen - rows // 2, len(tables) - rows + 1))
    lines = [head]
    for number, info in list(enumerate(tables))[first : first + rows - 1]:
        target = f"table:{number}"
        style = "sel" if number == chosen else ""
        seats = f"{info.people + info.bots}/{info.options.seats}"
        house = tabletexts.table_rules(info)
        lines.append(
            [
                Span(
                    "accent" if number == chosen else "", "▶ " if number == chosen else "  ", target
                ),
                column(info.table, name - 1, style, target=target),
                Span("", " "),
                column(seats, 7, target=target),
                column(tabletexts.table_state(info), 11, target=target),
                column(house, max(0, room - name - 20), "dim", target=target),
            ]
        )
    return lines


def _about(scene: Scene, tables: tuple[TableInfo, ...]) -> list[Line]:
    """Two lines about the chosen table, or three where it has many rules."""
    if not tables:
        return [line(span(tr(tabletexts.NEW_TABLE_HELP))), []]
    info = tables[min(scene.ui.lobby_index, len(tables) - 1)]
    told = wrap(f"{info.table}: {words.rules(info.options)}", scene.cols - 4)[:4]
    return [*(line(span(part)) for part in told), line(span(tabletexts.table_note(info), "dim"))]
