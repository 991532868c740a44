"""What hidden cards and passing by itself change on a screen of a hand.

Hiding is done in two places. What a model tells in words is taken out of the model before anything
is drawn, and the sections that show the hand and the choice are put in place of the others by the
frame that all scenes of a hand have in common. Nothing hidden may depend on the cards: neither a
line more or less, nor a key in the bar.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from dalmuti.client.i18n import tr
from dalmuti.client.model import Line as LogLine
from dalmuti.client.model import Model
from dalmuti.client.tui import asidetexts, keytexts, labels
from dalmuti.client.tui.canvas import Line, line, span
from dalmuti.client.tui.screens.base import Keys, Scene
from dalmuti.client.tui.selector import PlaySelector
from dalmuti.core.moves import Give

Section = tuple[str, Sequence[Line]]


def masked(model: Model) -> Model:
    """The model without what only we may know, but for the cards themselves and our decision."""
    log = tuple(
        LogLine(line.kind, tr(asidetexts.HIDDEN_LINE)) if line.kind == "own" else line
        for line in model.log
    )
    table = model.table
    if table is not None and table.hand is not None and table.hand.exchanges:
        bare = tuple(replace(each, paid=None, returned=None) for each in table.hand.exchanges)
        table = replace(table, hand=replace(table.hand, exchanges=bare))
    refusal = tr(asidetexts.HIDDEN_HINT) if model.refusal else ""
    return replace(model, log=log, table=table, refusal=refusal)


def hand_section(scene: Scene, hand: Section) -> Section:
    """The section of the own cards: as it is, or hidden at the same height."""
    cards = scene.hand.cards
    if not scene.ui.hidden or cards is None:
        return hand
    rows = [line() for _ in hand[1]]
    rows[min(1, len(rows) - 1)] = line(span(tr(asidetexts.HIDDEN_HAND), "note"))
    return labels.your_hand(len(cards)), rows


def choice_section(scene: Scene, choice: Section) -> Section:
    """The section of the choice: hidden where it tells of cards, and whether we pass by ourselves.

    Whose turn it is stays.
    """
    title, rows = choice
    if scene.ui.hidden and scene.ui.selector is not None:
        passes = isinstance(scene.ui.selector, PlaySelector) and scene.ui.selector.can_pass
        text = asidetexts.HIDDEN_CHOICE if passes else asidetexts.HIDDEN_OTHER
        return title, [line(span(tr(text), "note")), *(line() for _ in rows[1:])]
    if scene.ui.hidden and isinstance(scene.ui.sent, Give):
        return title, [line(span(tr(asidetexts.HIDDEN_MARK), "note")), *rows[1:]]
    if scene.ui.passing:
        return title, [rows[0], line(span(tr(asidetexts.PASSING_NOW), "note"))]
    return choice


def keys_of(scene: Scene, keys: Keys) -> Keys:
    """The keys of the bar; while cards are hidden they do not tell what could be played."""
    if not scene.ui.hidden:
        return keys
    return keytexts.KEYS_HIDDEN if scene.ui.selector is not None else keytexts.KEYS_HIDDEN_WAIT
