"""Themes: legible on black and on white, also for eyes that miss a colour; nothing blinks."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import msgspec
import pytest
from msgspec.structs import replace

from client.tui.colours import DEUTERANOPIA, TRITANOPIA, XTERM, contrast, difference, mixed, seen
from client.tui.tables import Stage, first_such, you_follow
from client.tui.test_screens import PICTURES, on
from dalmuti.client.model import Line, LinkChanged
from dalmuti.client.settings import Settings
from dalmuti.client.tui.canvas import text_of
from dalmuti.client.tui.screens import render
from dalmuti.client.tui.style import THEMES, style_of

GROUNDS = {"dark": ("#000000", "#e5e5e5"), "light": ("#ffffff", "#000000")}
"""Background and usual text of xterm, and of xterm turned round."""
EYES = {"deuteranopia": DEUTERANOPIA, "tritanopia": TRITANOPIA}


class Look(NamedTuple):
    """What a role looks like on a ground."""

    ink: str
    paper: str
    shape: tuple[bool, ...]
    """Bold, underlined, reversed, slanted: what is left where there are no colours."""


def look(theme: str, role: str, ground: str) -> Look:
    back, front = GROUNDS[ground]
    attrs = style_of(theme).get_attrs_for_style_str(f"class:{role}")
    ink = XTERM[attrs.color] if attrs.color else front
    paper = XTERM[attrs.bgcolor] if attrs.bgcolor else back
    if attrs.reverse:
        ink, paper = paper, ink
    if attrs.dim:
        ink = mixed(ink, paper)
    shape = (attrs.bold, attrs.underline, attrs.reverse, attrs.italic)
    return Look(ink, paper, tuple(map(bool, shape)))


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("theme", THEMES)
def test_everything_can_be_read_on_dark_and_on_light(theme: str, ground: str) -> None:
    least = 7.0 if theme == "high-contrast" else 3.0
    for role in THEMES[theme]:
        seen_as = look(theme, role, ground)
        assert contrast(seen_as.ink, seen_as.paper) >= least, role


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("theme", THEMES)
def test_what_matters_and_what_is_wrong_differ_for_whoever_the_theme_is_for(
    theme: str, ground: str
) -> None:
    """By shape, or by a colour that these eyes tell apart; the words say it in any case."""
    eyes = EYES.get(theme)
    for role, wrong in itertools.product(("accent", "key", "pick", "turn"), ("warn", "alarm")):
        one, other = look(theme, role, ground), look(theme, wrong, ground)
        if one.shape != other.shape or theme == "mono":
            continue
        apart = max(
            difference(seen(one.ink, eyes), seen(other.ink, eyes)),
            difference(seen(one.paper, eyes), seen(other.paper, eyes)),
        )
        assert apart > 20 or theme == "high-contrast", (role, wrong)


def test_all_themes_have_the_same_roles_and_settings_know_them() -> None:
    assert len({frozenset(roles) for roles in THEMES.values()}) == 1
    for theme in THEMES:
        assert msgspec.convert({"theme": theme}, Settings).theme == theme
    assert next(iter(THEMES)) == Settings().theme


def test_nothing_blinks_and_nothing_is_dark_blue() -> None:
    for theme, roles in THEMES.items():
        for role in roles:
            attrs = style_of(theme).get_attrs_for_style_str(f"class:{role}")
            assert not attrs.blink and "ansiblue" not in (attrs.color, attrs.bgcolor)
            assert not attrs.color or attrs.color.startswith("ansi")


@pytest.mark.parametrize("cols,rows", [(80, 24), (120, 40)])
@pytest.mark.parametrize("name", PICTURES)
def test_grounds_and_lines_lie_only_under_text(name: str, cols: int, rows: int) -> None:
    """What is reversed, underlined or coloured behind begins and ends with its words.

    But for a space on either side of a badge, and for what is chosen in a list.
    """
    behind = set()
    for theme, roles in THEMES.items():
        for role in roles:
            attrs = style_of(theme).get_attrs_for_style_str(f"class:{role}")
            if attrs.bgcolor or attrs.reverse or attrs.underline:
                behind.add(role)
    model, ui, now = PICTURES[name](8)
    for spans in render(model, ui, cols, rows, now):
        for part in spans:
            assert part.style in THEMES["mono"] or not part.style
            if part.style in behind - {"sel", "pick"}:
                assert part.text.strip() or not part.text
                assert len(part.text) - len(part.text.strip()) <= 2, part


@pytest.mark.parametrize("cols,rows", [(80, 24), (120, 40)])
def test_nothing_is_said_by_a_colour_alone(cols: int, rows: int) -> None:
    """Whatever changes on the table changes the text: turn, choice, presence, trouble."""

    def can_choose(stage: Stage) -> bool:
        decision = stage.model.decision
        return you_follow(stage) and decision is not None and len(decision.choices) > 3

    stage = first_such(6, can_choose)
    seen_texts = []

    def text() -> str:
        model, ui, now = on(stage)
        return text_of(render(model, ui, cols, rows, now))

    seen_texts.append(text())
    for key in ("right", "1"):
        model, ui, now = on(stage, key)
        seen_texts.append(text_of(render(model, ui, cols, rows, now)))
    for player, presence in ((2, "away"), (2, "standin"), (3, "lost")):
        stage.presence(player, presence)  # type: ignore[arg-type]
        stage.model = replace(stage.model, log=())
        seen_texts.append(text())
    stage.tell(LinkChanged("open", "Some trouble."))
    seen_texts.append(text())
    stage.model = replace(stage.model, log=(Line("warning", "Some trouble."),))
    seen_texts.append(text())
    for _ in range(3):
        stage.step()
        stage.model = replace(stage.model, log=())
        seen_texts.append(text())
    assert all(one != other for one, other in itertools.combinations(seen_texts, 2))
