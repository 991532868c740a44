"""Cards on the screen: the grid of the hand, pictures of cards, and the choices as a list.

The grid has thirteen columns whatever the hand, so that a rank is always found at the same place.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from dalmuti.client import words
from dalmuti.client.i18n import tr, tr_in
from dalmuti.client.tui import labels
from dalmuti.client.tui.canvas import Line, Span, cells, fit, line, span, window
from dalmuti.client.tui.screens.base import Scene
from dalmuti.client.tui.selector import PlaySelector
from dalmuti.core.cards import JESTER, Counts, Play, counts_of

LABEL = 6


def grid(
    scene: Scene,
    held: Counts,
    *,
    playable: Collection[int] | None = None,
    leaving: Counts | None = None,
    cursor: int | None = None,
    rows: Sequence[tuple[str, Counts]] = (),
) -> list[Line]:
    """The hand: a row of ranks, a row of how many there are, and further `rows` of numbers.

    `leaving` cards are in brackets; ranks that are not `playable` are dim.
    """
    room = scene.cols - 4
    each = min(8, (room - LABEL) // 13)
    before, after = (each - 5) // 2, each - 5 - (each - 5) // 2

    def cell(text: str, style: str, rank: int, *, mark: bool = False) -> Line:
        inner = f"[{text}]".rjust(4) + " " if mark else text.rjust(3) + "  "
        whole, target = " " * before + inner + " " * after, f"rank:{rank}"
        if style in ("bold", "dim"):
            return [Span(style, whole, target)]
        core = whole.strip()
        lead = whole.index(core)
        rest = whole[lead + len(core) :]
        return [Span("", whole[:lead], target), Span(style, core, target), Span("", rest, target)]

    def style_of(rank: int) -> str:
        if not held[rank] or (playable is not None and rank not in playable):
            return "dim"
        return "bold"

    names: Line = [Span("dim", tr_in("grid", labels.GRID_RANK).ljust(LABEL))]
    have: Line = [Span("dim", tr_in("grid", labels.GRID_HAVE).ljust(LABEL))]
    for rank in range(1, 14):
        head = "J" if rank == JESTER else str(rank)
        names += cell(head, "cursor" if rank == cursor else style_of(rank), rank)
        marked = bool(leaving and leaving[rank])
        have += cell(
            str(held[rank]) if held[rank] else "·",
            "sel" if marked else style_of(rank),
            rank,
            mark=marked,
        )
    lines = [names, have]
    for label, counts in rows:
        more: Line = [Span("dim", label.ljust(LABEL))]
        for rank in range(1, 14):
            number = counts[rank]
            more += cell(
                str(number) if number else "·",
                "sel" if number else "dim",
                rank,
                mark=number > 0,
            )
        lines.append(more)
    return lines


def pictures(groups: Sequence[tuple[Sequence[int], str]], room: int) -> list[Line]:
    """Three lines with cards drawn in groups, each a few cards and a style.

    Cards lie side by side where there is room, else one over the other; without room for that
    either there are no pictures, and the list is empty.
    """
    for draw in (_side_by_side, _stacked):
        lines: list[Line] = [[], [], []]
        for ranks, style in groups:
            for row, text in zip(lines, draw(ranks), strict=True):
                row.append(Span(style or "card", text, f"rank:{ranks[0]}"))
                row.append(Span("", " "))
        if cells(lines[0]) - 1 <= room:
            return lines
    return []


def big_cards(ranks: Sequence[int], room: int, style: str = "") -> list[Line]:
    """Five lines with cards drawn large, one over the other, as far apart as there is room."""
    apart = next((each for each in (6, 4, 3, 2) if each * (len(ranks) - 1) + 7 <= room), 1)
    return [[Span(style or "card", text)] for text in _large(ranks, apart)]


def _large(ranks: Sequence[int], apart: int) -> Sequence[str]:
    rest = len(ranks) - 1
    edge = "─" * (apart - 1)
    signs = ["J" if rank == JESTER else str(rank) for rank in ranks]
    under = "".join(f"│{sign:{apart - 1}}"[:apart] for sign in signs[:-1])
    bare = ("│" + " " * (apart - 1)) * rest
    return (
        "┌" + (edge + "┬") * rest + "─────┐",
        f"{under}│{signs[-1]:5}│",
        f"{bare}│     │",
        f"{bare}│{signs[-1]:>5}│",
        "└" + (edge + "┴") * rest + "─────┘",
    )


def _sign(rank: int) -> str:
    return " J" if rank == JESTER else f"{rank:2}"


def _side_by_side(ranks: Sequence[int]) -> tuple[str, str, str]:
    middle = "│".join(_sign(rank) for rank in ranks)
    bars = ["──"] * len(ranks)
    return f"┌{'┬'.join(bars)}┐", f"│{middle}│", f"└{'┴'.join(bars)}┘"


def _stacked(ranks: Sequence[int]) -> tuple[str, str, str]:
    rest = len(ranks) - 1
    return f"┌──{'┬' * rest}┐", f"│{_sign(ranks[0])}{'│' * rest}│", f"└──{'┴' * rest}┘"


def hand_pictures(scene: Scene, leaving: Counts | None) -> list[Line]:
    """The own cards, drawn; the ranks that are chosen stand out.

    Three lines, or five in a large window; they are empty where there is no room for the cards.
    """
    groups = []
    held = counts_of(scene.hand.cards or ())
    for rank in range(1, 14):
        if held[rank]:
            style = "pick" if leaving and leaving[rank] else "card"
            groups.append(((rank,) * held[rank], style))
    room = scene.cols - 4
    small = pictures(groups, room) or [[], [], []]
    if not scene.large:
        return small
    piled = sum(len(ranks) - 1 for ranks, _ in groups)
    apart = next((each for each in (4, 3, 2, 1) if 8 * len(groups) + piled * each <= room), 0)
    if not apart:
        return [*small, [], []]
    lines: list[Line] = [[] for _ in range(5)]
    for ranks, style in groups:
        for row, text in zip(lines, _large(ranks, apart), strict=True):
            row += [Span(style, text, f"rank:{ranks[0]}"), Span("", " ")]
    return lines


# -- the list of plays ----------------------------------------------------------------------------


def choice_rows(selector: PlaySelector, room: int) -> list[Line]:
    """Two lines: the list of plays with the chosen one in brackets, and what Enter does now."""
    entries = selector.groups
    chosen = entries.index(selector.chosen) if selector.chosen in entries else 0
    first = window(
        [_entry(entry, selector.armed and n == chosen) for n, entry in enumerate(entries)],
        chosen,
        room,
        gap=1,
    )
    return [first, fit(_second_row(selector, room), room)]


def _entry(play: Play | None, chosen: bool) -> Line:
    text = tr_in("choice", labels.PASS) if play is None else str(play)
    target = "pass" if play is None else f"play:{play}"
    if chosen:
        return [Span("sel", f"[{text}]", target)]
    return [Span("", f" {text} ", target)]


def _second_row(selector: PlaySelector, room: int) -> Line:
    if not selector.armed:
        reason = "" if selector.unfinished else selector.reason
        why = labels.not_because(selector.typed, reason) if reason else ""
        return line(span(why or labels.typed_no_play(selector.typed), "warn"))
    if not selector.plays:
        return line(span(tr(labels.ONLY_PASS), "dim"))
    says = span(labels.enter_plays(selector.chosen), "dim")
    typed = span(labels.typed(selector.typed), "dim") if selector.typed else span("")
    variants = selector.variants
    if len(variants) < 2 or selector.chosen is None:
        return [says, typed]
    head: Line = [Span("dim", f"{_ways(selector.chosen, variants)} ")]
    at = variants.index(selector.chosen)
    entries = [_entry(play, n == at) for n, play in enumerate(variants)]
    return [*head, *window(entries, at, room - cells(head), gap=0)]


def _ways(chosen: Play, variants: Sequence[Play]) -> str:
    """The keys that lead from the chosen set to the others of its rank."""
    if chosen.rank == JESTER or all(play.jesters == chosen.jesters for play in variants):
        return tr(labels.SIZES)
    sizes = sum(play.jesters == chosen.jesters for play in variants) > 1
    return tr(labels.SIZES_AND_JESTERS) if sizes else "j"


def joined(parts: Sequence[Line], between: Callable[[], Line]) -> Line:
    """Lines one after the other, with something between them."""
    row: Line = []
    for part in parts:
        row += ([] if not row else between()) + part
    return row


def trick_chain(scene: Scene, acts: Sequence[tuple[str, Play | None]], room: int) -> Line:
    """Who did what in a trick, in order; when it is long, the newest part of it.

    Of several passes in a row only the number is said: the rows of the players say whose.
    """
    parts: list[Line] = []
    at = 0
    while at < len(acts):
        who, play = acts[at]
        run = at + 1
        while play is None and run < len(acts) and acts[run][1] is None:
            run += 1
        if run - at > 1:
            parts.append(line(span(labels.passes(run - at), "dim")))
        else:
            done = span(str(play), "bold") if play else span(tr_in("note", labels.PASSES), "dim")
            parts.append(line(span(f"{who} "), done))
        at = run
    row = joined(parts, lambda: [Span("dim", " → ")])
    cut = False
    while cells(row) > room - (2 if cut else 0) and len(parts) > 1:
        parts = parts[1:]
        row, cut = joined(parts, lambda: [Span("dim", " → ")]), True
    return [Span("dim", "… "), *row] if cut else row


def play_words(play: Play) -> Line:
    """A set in bold with the name of its rank, or with its Jesters."""
    if play.jesters and play.naturals:
        return line(span(str(play), "bold"), span(labels.with_jesters(play.jesters)))
    return line(span(str(play), "bold"), span(f" {words.several(play.count, play.rank)}"))
