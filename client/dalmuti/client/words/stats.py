"""The history of the local player as a page of 80 cells: a chart, figures, the last matches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from dalmuti.client.history.summary import Group, MatchRow, Summary
from dalmuti.client.i18n import mark, mark_in, tr, tr_in, tr_n
from dalmuti.client.tui.canvas import wrap
from dalmuti.client.words.names import title
from dalmuti.core.titles import Title
from dalmuti.protocol.text import cut, safe_text, width

COLUMNS: Final = 80
BAR_UNICODE, BAR_ASCII = "█", "#"
NAME_CELLS: Final = 22

NOTHING = mark(
    "No hand is in your history yet: play one to its end with dalmuti play, host or join."
)
TITLES = mark("Titles at the end of a hand")
LAST_MATCHES = mark("Last matches")
STANDING_IS = mark(
    "standing: 100 % is always first, 0 % always last. Points: players ranked below you."
)
ALL_HANDS = mark("all hands")
AGAINST: Mapping[str, str] = {
    "bots": mark("against bots only"),
    "both": mark("people and bots"),
    "people": mark("people only"),
}
HEADS = (
    mark_in("stats", "hands"),
    mark_in("stats", "mean place"),
    mark_in("stats", "points"),
    mark_in("stats", "a hand"),
    mark_in("stats", "standing"),
    mark_in("stats", "first"),
    mark_in("stats", "last"),
)
MATCH_HEADS = (
    mark_in("stats", "ended"),
    mark_in("stats", "table"),
    mark_in("stats", "players"),
    *HEADS[:3],
    HEADS[4],
)
WITHHELD = mark("Nothing is kept any more: the setting history is off.")


def page(found: Summary, file: str, bar: str) -> list[str]:
    """The lines of the page. `bar` is the sign that bars are made of; without one there are none,
    and numbers and sentences say it all."""
    if found.all is None:
        return [*wrap(tr(NOTHING), COLUMNS, 0), *_troubles(found)]
    lines = [*wrap(_head(found), COLUMNS, 0), "", tr(TITLES), *_chart(found, bar)]
    lines += [*wrap(_runs(found), COLUMNS, 0), "", *_table(_rows(found))]
    lines += wrap(tr(STANDING_IS), COLUMNS, 0)
    if found.recent:
        lines += ["", tr(LAST_MATCHES), *_table(_match_rows(found.recent))]
    lines += ["", *_troubles(found), tr("Kept in {file}; it is sent nowhere.", file=file)]
    return [safe_text(line) for line in lines]


def forgotten(there: bool) -> str:
    """After `--forget`."""
    return tr("Your history is deleted.") if there else tr("There was no history to delete.")


def not_kept(problem: str) -> str:
    """At the end of a session, where the file could not be written."""
    return tr("Your history could not be kept: {problem}.", problem=problem)


def cannot_read(file: str, problem: str) -> str:
    """The file is there, and closed to us; without its dot."""
    return tr("your history {file} cannot be read: {problem}", file=file, problem=problem)


def cannot_delete(file: str, problem: str) -> str:
    """It cannot be deleted; without its dot."""
    return tr("your history {file} cannot be deleted: {problem}", file=file, problem=problem)


# -- the parts --------------------------------------------------------------------------------


def _head(found: Summary) -> str:
    hands = tr_n("{number} hand", "{number} hands", found.hands)
    matches = tr_n("{number} match", "{number} matches", found.matches)
    since, until = found.since[:10], found.until[:10]
    if since == until:
        return tr(
            "You have played {hands} in {matches}, on {day}.",
            hands=hands,
            matches=matches,
            day=since,
        )
    return tr(
        "You have played {hands} in {matches}, from {since} to {until}.",
        hands=hands,
        matches=matches,
        since=since,
        until=until,
    )


def _troubles(found: Summary) -> list[str]:
    """What is in the file and not in the figures."""
    lines: list[str] = []
    if found.standin:
        lines.append(
            tr_n(
                "{number} hand that the stand-in finished for you is not counted.",
                "{number} hands that the stand-in finished for you are not counted.",
                found.standin,
            )
        )
    if found.damaged:
        lines.append(
            tr_n(
                "{number} line of the history is damaged and was left out.",
                "{number} lines of the history are damaged and were left out.",
                found.damaged,
            )
        )
    if found.newer:
        lines.append(
            tr_n(
                "{number} line was written by a newer version and left out.",
                "{number} lines were written by a newer version and left out.",
                found.newer,
            )
        )
    return [part for line in lines for part in wrap(line, COLUMNS, 0)]


def _chart(found: Summary, bar: str) -> list[str]:
    names = {each: title(each) for each in Title}
    name_cells = max(map(width, names.values()))
    number_cells = len(str(max(found.titles.values())))
    lines = []
    for each in Title:
        number = found.titles[each.value]
        share = 100 * number / found.hands
        head = f"  {_left(names[each], name_cells)}  {number:{number_cells}}  {share:3.0f} %"
        room = COLUMNS - width(head) - 2
        cells = round(room * number / max(found.titles.values()))
        lines.append(f"{head}  {bar * (max(1, cells) if number else 0)}".rstrip())
    return lines


def _runs(found: Summary) -> str:
    assert found.now is not None
    top, bottom = Title.GREATER_DALMUTI, Title.GREATER_PEON
    return tr(
        "Most in a row: {best} {most}, {worst} {least}. Now {title}: {hands}.",
        best=title(top),
        most=found.longest[top.value],
        worst=title(bottom),
        least=found.longest[bottom.value],
        title=title(Title(found.now.title)),
        hands=tr_n("{number} hand", "{number} hands", found.now.hands),
    )


def _rows(found: Summary) -> list[tuple[str, ...]]:
    assert found.all is not None
    rows = [("", *map(_heading, HEADS)), _row(tr(ALL_HANDS), found.all)]
    if len(found.by_seats) > 1:
        for seats, group in found.by_seats.items():
            rows.append(_row(tr("{seats} players", seats=seats), group))
    else:
        only = next(iter(found.by_seats))
        rows[-1] = (tr("all, {seats} players", seats=only), *rows[-1][1:])
    if len(found.against) > 1:
        rows += [_row(tr(AGAINST[who]), group) for who, group in found.against.items()]
    return rows


def _row(name: str, group: Group) -> tuple[str, ...]:
    return (
        name,
        str(group.hands),
        f"{group.mean_place:.2f}",
        str(group.points),
        f"{group.points_per_hand:.2f}",
        f"{100 * group.standing:.0f} %",
        str(group.first),
        str(group.last),
    )


def _match_rows(matches: Iterable[MatchRow]) -> list[tuple[str, ...]]:
    rows = [tuple(map(_heading, MATCH_HEADS))]
    for each in matches:
        group = each.played
        rows.append(
            (
                f"{each.at[:10]} {each.at[11:16]}",
                cut(safe_text(each.table), NAME_CELLS),
                str(each.seats),
                str(group.hands),
                f"{group.mean_place:.2f}",
                str(group.points),
                f"{100 * group.standing:.0f} %",
            )
        )
    return rows


def _heading(text: str) -> str:
    return tr_in("stats", text)


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of words at the left and numbers at the right, a heading on top."""
    words_end = next(
        (n for n, text in enumerate(rows[-1]) if text and text.isdecimal()), len(rows[-1])
    )
    gap = "  "
    widths = [max(width(row[n]) for row in rows) for n in range(len(rows[0]))]
    needed = [max(width(row[n]) for row in rows[1:]) for n in range(len(rows[0]))]
    while sum(widths) + len(gap) * (len(widths) - 1) > COLUMNS:
        # The longest heading gives way first, then the words.
        widest = max(range(len(widths)), key=lambda n: widths[n] - needed[n])
        if widths[widest] == needed[widest]:
            widest = words_end - 1
        widths[widest] -= 1
    return [
        gap.join(
            _left(text, cells) if n < words_end else _right(text, cells)
            for n, (text, cells) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _left(text: str, cells: int) -> str:
    text = cut(text, cells)
    return text + " " * (cells - width(text))


def _right(text: str, cells: int) -> str:
    text = cut(text, cells)
    return " " * (cells - width(text)) + text
