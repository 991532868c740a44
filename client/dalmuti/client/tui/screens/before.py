"""Before the first trick: the revolution window and the taxes."""

from __future__ import annotations

from dalmuti.client import words
from dalmuti.client.i18n import tr, tr_in
from dalmuti.client.tui import keytexts, labels
from dalmuti.client.tui.canvas import Line, Span, line, span
from dalmuti.client.tui.screens.base import (
    NARROW_SPLIT,
    WIDE_SPLIT,
    Scene,
    how_to_play,
)
from dalmuti.client.tui.screens.cards import grid, hand_pictures
from dalmuti.client.tui.screens.play import hand_parts, table_screen
from dalmuti.client.tui.selector import RevolutionSelector, TaxSelector
from dalmuti.core.cards import counts_of
from dalmuti.core.events import Due
from dalmuti.core.moves import Call, Give, best_cards


def _rules_below(scene: Scene) -> list[Line]:
    """In a tall window that is not wide, below the players of the first hand: how it is played."""
    if not scene.tall or scene.round or scene.hand.number > 1:
        return []
    split = WIDE_SPLIT if scene.wide else NARROW_SPLIT
    return how_to_play(scene, split - 3, scene.rows - 20 - len(scene.hand.order))


def _own_hand(scene: Scene) -> tuple[str, list[Line]]:
    cards = scene.hand.cards
    if cards is None:
        return tr(labels.WATCHING_TITLE), [[], line(span(tr(labels.WATCHING_HAND), "dim"))]
    lines = grid(scene, counts_of(cards))
    if scene.tall:
        lines = hand_pictures(scene, None) + lines
    return labels.your_hand(len(cards)), lines


# -- the revolution window ------------------------------------------------------------------------


def revolution(scene: Scene) -> list[Line]:
    """The window in which whoever was dealt both Jesters may call."""
    selector = scene.ui.selector if isinstance(scene.ui.selector, RevolutionSelector) else None
    return table_screen(
        scene,
        parts=hand_parts(scene, tr(labels.REVOLUTION)),
        left_title=tr(labels.PLAYERS),
        notes=[[] for _ in scene.hand.order],
        extra=_rules_below(scene),
        middle=(
            tr(labels.REVOLUTION_TITLE),
            [line(span(tr(text))) for text in labels.REVOLUTION_IS],
        ),
        hand=_own_hand(scene),
        choice=_calling(scene, selector),
        mine=selector is not None,
        keys=_revolution_keys(scene, selector),
    )


def _revolution_keys(scene: Scene, selector: RevolutionSelector | None) -> keytexts.Keys:
    if selector is None:
        return keytexts.KEYS_WATCH if scene.table.you is None else keytexts.KEYS_WAIT
    return keytexts.KEYS_CALL if selector.may_call else keytexts.KEYS_NO_CALL


def _calling(scene: Scene, selector: RevolutionSelector | None) -> tuple[str, list[Line]]:
    if selector is None:
        text = tr(labels.WINDOW_OPEN) if scene.hand.seat is None else tr(labels.WINDOW_ANSWERED)
        return tr(labels.WAITING), [line(span(text)), []]
    if not selector.may_call:
        return tr(labels.CALL_TITLE), [
            line(span(f"[{tr(labels.GO_ON)}]", "sel", "call:0")),
            line(span(tr(labels.NO_BOTH_JESTERS), "dim")),
        ]
    row: Line = []
    for number, choice in enumerate(selector.choices):
        text = tr(labels.NO_REVOLUTION)
        if isinstance(choice, Call):
            text = tr(labels.CALL_GREATER) if choice.greater else tr(labels.CALL)
        if number == selector.index:
            row.append(Span("sel", f"[{text}]", f"call:{number}"))
        else:
            row.append(Span("", f" {text} ", f"call:{number}"))
        row.append(Span("", " "))
    chosen = selector.choices[selector.index]
    return tr(labels.CALL_TITLE), [row, line(span(labels.calling(chosen), "dim"))]


# -- taxes ----------------------------------------------------------------------------------------


def taxes(scene: Scene) -> list[Line]:
    """Taxes are due: who has to choose chooses, the others wait."""
    selector = scene.ui.selector if isinstance(scene.ui.selector, TaxSelector) else None
    return table_screen(
        scene,
        parts=hand_parts(scene, tr(labels.TAXES)),
        left_title=tr(labels.PLAYERS),
        notes=[_due_note(scene, seat) for seat in range(len(scene.hand.order))],
        extra=_rules_below(scene),
        middle=(tr(labels.TAXES_TITLE), _explained(scene, selector)),
        hand=_own_hand(scene) if selector is None else _giving_hand(scene, selector),
        choice=_giving(scene, selector),
        mine=selector is not None,
        keys=_tax_keys(scene, selector),
    )


def _tax_keys(scene: Scene, selector: TaxSelector | None) -> keytexts.Keys:
    if selector is None:
        return keytexts.KEYS_WATCH if scene.table.you is None else keytexts.KEYS_WAIT
    return keytexts.KEYS_TAX


def _due_note(scene: Scene, seat: int) -> Line:
    short = bool(scene.presence(scene.hand.order[seat])) and (scene.round or not scene.wide)
    for due in scene.hand.dues:
        if due.payer == seat:
            return line(span(labels.pays(due.count, short)))
        if due.receiver == seat:
            return line(span(labels.gives_back(due.count, short)))
    return []


def _own_due(scene: Scene) -> Due | None:
    seat = scene.hand.seat
    return next((due for due in scene.hand.dues if seat in (due.payer, due.receiver)), None)


def _explained(scene: Scene, selector: TaxSelector | None) -> list[Line]:
    """Who owes whom; for one who chooses, one line, since the grid needs one more."""
    due = _own_due(scene)
    if selector is not None and due is not None:
        payer = scene.seat_name(due.payer)
        lines = [line(span(labels.paid_to_you(payer, due.count)))]
    else:
        owed = [
            (scene.seat_name(due.payer), scene.seat_name(due.receiver), due.count)
            for due in scene.hand.dues
        ]
        lines = [line(span(labels.all_owed(owed))), _own_tax(scene, due)]
    return [*lines, *([[]] if scene.tall else [])]


def _own_tax(scene: Scene, due: Due | None) -> Line:
    hand = scene.hand
    if hand.seat is None or hand.cards is None or scene.ui.hidden:
        return line(span(tr(labels.TAXES_SEALED), "dim"))
    if due is None:
        return line(span(tr(labels.MERCHANTS_FREE), "dim"))
    if due.payer == hand.seat:
        best = words.cards(best_cards(counts_of(hand.cards), due.count))
        return line(span(labels.you_will_pay(best, due.count), "bold"))
    return line(span(tr(labels.TAXES_SEALED), "dim"))


def _giving_hand(scene: Scene, selector: TaxSelector) -> tuple[str, list[Line]]:
    marked = counts_of(selector.marks)
    lines = grid(
        scene,
        list(selector.held),
        cursor=selector.cursor,
        rows=[(tr_in("grid", labels.GRID_GIVE), marked)],
    )
    if scene.tall:
        lines = hand_pictures(scene, marked) + lines
    return labels.your_hand_give(sum(selector.held), selector.due), lines


def _giving(scene: Scene, selector: TaxSelector | None) -> tuple[str, list[Line]]:
    if selector is None:
        choosing = [
            scene.seat_name(due.receiver)
            for due in scene.hand.dues
            if due.receiver != scene.hand.seat
        ]
        own = scene.ui.sent
        if isinstance(own, Give):
            given = line(span(labels.you_give(words.cards(own.cards)), "bold"))
            return tr(labels.WAITING), [given, line(span(labels.sealed_until(choosing), "dim"))]
        return tr(labels.WAITING), [line(span(labels.choosing(choosing))), []]
    if not selector.marks:
        given = line(span(tr(labels.NOTHING_MARKED)))
    else:
        note = tr(labels.SUGGESTED) if selector.marks == selector.suggestion else ""
        given = line(
            span(f"{tr(labels.GIVING)}  "),
            span(words.cards(sorted(selector.marks)), "bold"),
            span(f"   {note}", "dim"),
        )
    if selector.missing:
        text = labels.mark_more(selector.missing, selector.due)
        return tr(labels.GIVE_TITLE), [given, line(span(text, "warn"))]
    return tr(labels.GIVE_TITLE), [given, line(span(tr(labels.TAX_HELP), "dim"))]
