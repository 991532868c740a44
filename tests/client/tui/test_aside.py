"""Beside the game: hidden cards, passing by itself, the bell and the title, advice, switches.

That hiding hides is tested by what it means: with other cards in our hand, and so with other
choices, marks and typed numbers, not one cell of the screen is another.
"""

from __future__ import annotations

import io
from typing import Any

import pytest
from msgspec.structs import replace
from prompt_toolkit.data_structures import Size
from prompt_toolkit.output.vt100 import Vt100_Output

from client.tui.tables import Stage, somebody_else, taxes_due, you_follow, you_lead, your_turn
from client.tui.test_control import Player
from dalmuti.client import autopass
from dalmuti.client.advice import Worth
from dalmuti.client.model import Model
from dalmuti.client.tui.attention import PUT_ASIDE, TAKE_BACK, Attention
from dalmuti.client.tui.canvas import text_of
from dalmuti.client.tui.commands import completions, say
from dalmuti.client.tui.screens import render
from dalmuti.client.tui.selector import PlaySelector, TaxSelector
from dalmuti.client.tui.style import THEMES
from dalmuti.core import events as ev
from dalmuti.core.cards import Cards, Play, counts_of
from dalmuti.core.moves import (
    DECLINE,
    PASS,
    Call,
    Give,
    default_give,
    legal_follows,
    legal_gives,
    legal_leads,
)
from dalmuti.core.options import TableOptions
from dalmuti.protocol.messages import Act, Decision

SIZES = ((80, 24), (120, 40))


def look(player: Player, cols: int = 80, rows: int = 24) -> str:
    return text_of(render(player.control.model, player.control.ui, cols, rows, player.now))


def quiet(stage: Stage, **options: Any) -> Player:
    return Player(stage, watch_draw=False, **options)


# -- hidden cards -----------------------------------------------------------------------------


def with_cards(model: Model, cards: Cards) -> Model:
    """The same table for one who holds other cards, and is asked about these."""
    table, decision = model.table, model.decision
    assert table is not None and table.hand is not None
    hand, held = table.hand, counts_of(cards)
    if decision is not None and decision.kind in ("lead", "follow"):
        top = hand.trick.top
        choices = [*legal_follows(held, top), PASS] if top else [*legal_leads(held)]
        default = PASS if top else choices[0]
        decision = replace(decision, choices=tuple(choices), default=default)
    elif decision is not None and decision.kind == "tax":
        due = next(due.count for due in hand.dues if due.receiver == hand.seat)
        choices_ = tuple(legal_gives(held, due))
        decision = replace(decision, choices=choices_, default=default_give(held, due))
    elif decision is not None:
        both = held[13] == 2
        decision = replace(decision, choices=(DECLINE, Call()) if both else (DECLINE,))
    dealt = [f"You are dealt {cards}." if line.kind == "own" else line.text for line in model.log]
    log = tuple(replace(line, text=text) for line, text in zip(model.log, dealt, strict=True))
    hand = replace(hand, cards=cards, dealt=cards)
    return replace(model, table=replace(table, hand=hand), decision=decision, log=log)


def hidden(model: Model, now: float, keys: str) -> Player:
    """Somebody who hides his cards and then presses keys that decide nothing."""
    player = Player(None, watch_draw=False)
    player.now = now
    player.learn(model)
    player.now += 1.0
    player.press("h")
    for key in keys:
        player.press({"<": "left", ">": "right", "^": "up"}.get(key, key))
    return player


def moments() -> list[tuple[str, Stage]]:
    order = Stage(4, seed=3).deal().match.order
    top = Stage(4, seed=3, you=order[0])
    return [
        ("revolution", Stage(4, seed=3).deal()),
        ("taxes", top.deal().run(taxes_due)),
        ("paying", Stage(4, seed=3, you=order[-1]).deal().run(taxes_due)),
        ("follow", Stage(4, seed=3).deal().run(you_follow)),
        ("lead", Stage(4, seed=7).deal().run(you_lead)),
        ("waiting", Stage(4, seed=3).deal().run(somebody_else)),
        ("ten", Stage(10, seed=3).deal().run(your_turn)),
    ]


HANDS: dict[str, Cards] = {
    "good": (1, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 5, 6, 6, 7, 8, 9, 13, 13),
    "bad": (7, 8, 8, 9, 9, 10, 10, 10, 11, 11, 11, 11, 12, 12, 12, 12, 12, 12, 12, 12),
}


@pytest.mark.parametrize("keys", ["", "3", "9x", "2x8", "j", "<", ">>^", "1", "x", "r"])
@pytest.mark.parametrize(("name", "stage"), moments(), ids=[name for name, _ in moments()])
def test_nothing_hidden_depends_on_the_cards(name: str, stage: Stage, keys: str) -> None:
    table = stage.model.table
    assert table is not None and table.hand is not None and table.hand.cards is not None
    size = len(table.hand.cards)
    hands = [table.hand.cards, HANDS["good"][:size], HANDS["bad"][-size:]]
    for cols, rows in SIZES:
        players = [hidden(with_cards(stage.model, cards), stage.now, keys) for cards in hands]
        seen = {look(player, cols, rows) for player in players}
        assert len(seen) == 1, "\n".join(seen)
        players[0].press("h")
        assert look(players[0], cols, rows) not in seen  # and there was something to hide


def test_what_is_hidden_says_so_and_comes_back() -> None:
    player = quiet(Stage(4, seed=3).deal().run(you_follow))
    before = look(player)
    player.press("h")
    assert "hidden" in player.hint and "Hidden, so that nobody sees them" in look(player)
    player.press("l")
    assert "You are dealt" not in look(player)
    player.press("h", "l", "escape")
    assert look(player) == before


def test_one_may_begin_with_hidden_cards() -> None:
    player = quiet(Stage(4, seed=3).deal().run(you_follow), hidden=True)
    assert "Hidden, so that nobody sees them" in look(player)
    assert "have " in look(player.press("h"))


def test_keys_work_while_hidden() -> None:
    stage = Stage(4, seed=3).deal().run(you_follow)
    player = quiet(stage)
    selector = player.control.ui.selector
    assert isinstance(selector, PlaySelector)
    wanted = selector.press("left", player.now).selector
    assert isinstance(wanted, PlaySelector)
    player.press("h", "left", "enter")
    (request, fields), *_ = player.asked
    assert request is Act
    assert fields["choice"] == (PASS if wanted.chosen is None else wanted.chosen)


def test_a_sealed_gift_is_hidden_too() -> None:
    order = Stage(4, seed=3).deal().match.order
    player = quiet(Stage(4, seed=3, you=order[0]).deal().run(taxes_due))
    player.press("h", "enter")
    sent = player.control.ui.sent
    assert isinstance(sent, Give) and "You give back" not in look(player)
    player.press("h")
    assert "You give back" in look(player)


def test_a_lesson_and_advice_are_hidden_too() -> None:
    stage = Stage(4, seed=3).deal().run(you_follow)
    player = quiet(stage, learn=True)
    player.control.ui.advice = "The expert: 1x9."
    player.press("h", "escape")
    assert "The expert" not in look(player) and "The lesson goes on when" in look(player)
    player.press("h", "escape")
    assert "The expert: 1x9." in look(player)


# -- taxes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("undo", [["escape"], ["-", "-", "escape"], ["backspace"] * 5 + ["escape"]])
def test_a_tax_choice_can_be_undone_until_it_is_sent(undo: list[str]) -> None:
    order = Stage(4, seed=3).deal().match.order
    player = quiet(Stage(4, seed=3, you=order[0]).deal().run(taxes_due))
    selector = player.control.ui.selector
    assert isinstance(selector, TaxSelector)
    ranks = [rank for rank in range(1, 13) if selector.held[rank]][:2]
    player.press(*"".join(str(rank) for rank in ranks if rank < 10), *undo)
    assert not player.asked
    assert isinstance(player.control.ui.selector, TaxSelector)
    assert player.control.ui.selector.marks == selector.suggestion
    player.press("enter", "escape", "-", "enter")
    assert [fields["choice"] for _, fields in player.asked] == [
        Give(tuple(sorted(selector.suggestion)))
    ]


# -- passing by itself --------------------------------------------------------------------------


def passing(stage: Stage) -> Player:
    player = Player(None, watch_draw=False, wait=lambda: 2.0)
    player.stage = stage
    player.look()
    player.press("a")
    return player


def test_a_trick_is_passed_after_a_wait() -> None:
    player = passing(Stage(4, seed=3).deal().run(you_follow))
    assert player.hint == autopass.ON and "until this trick is over; a stops that" in look(player)
    assert player.control.next_tick(player.now) == 1.0
    player.now += 1.9
    player.control.tick(player.now)
    assert not player.asked
    player.now += 0.2
    player.control.tick(player.now)
    assert [fields["choice"] for _, fields in player.asked] == [PASS]
    player.control.tick(player.now + 9)
    assert len(player.asked) == 1


def test_while_it_passes_only_a_gives_the_choice_back() -> None:
    player = passing(Stage(4, seed=3).deal().run(you_follow))
    player.press("enter", "9", "space", "p")
    assert not player.asked and player.control.ui.selector is None and player.hint
    player.press("a")
    assert player.hint == autopass.OFF and player.control.ui.selector is not None
    player.now += 5
    player.control.tick(player.now)
    assert not player.asked
    player.press("space")
    assert len(player.asked) == 1


def test_it_is_told_while_others_play_and_ends_with_the_trick() -> None:
    stage = Stage(4, seed=3).deal().run(somebody_else)
    player = passing(stage)
    assert "until this trick is over" in look(player)
    tricks = stage.hand.tricks
    stage.run(lambda stage: stage.hand.tricks > tricks)
    player.look()
    assert not player.control.ui.passing and "until this trick is over" not in look(player)


def test_it_never_leads() -> None:
    player = passing(Stage(4, seed=7).deal().run(you_lead))
    assert player.hint == autopass.YOU_LEAD and not player.control.ui.passing
    player.now += 60
    player.control.tick(player.now)
    assert not player.asked and player.control.ui.selector is not None


def test_the_command_does_the_same() -> None:
    player = quiet(Stage(4, seed=3).deal().run(you_follow))
    say(player.control, "/pass", player.now)
    assert player.control.ui.passing
    say(player.control, "/pass", player.now)
    assert not player.control.ui.passing and player.control.ui.selector is not None


# -- keys while somebody else decides -----------------------------------------------------------


@pytest.mark.parametrize("key", ["enter", "space", "9", "x", "j", "p"])
def test_a_key_that_plays_says_whose_turn_it_is(key: str) -> None:
    stage = Stage(4, seed=3).deal().run(somebody_else)
    player = quiet(stage).press(key)
    who = stage.names[stage.match.order[stage.hand.to_act[0]] - 1]
    assert player.hint == f"It is {who}'s turn." and not player.asked


def test_who_is_out_of_a_locked_trick_is_told_why() -> None:
    options = TableOptions(seats=4, passing="locked")
    stage = Stage(4, seed=3, options=options).deal().run(you_follow)
    assert stage.your_seat is not None
    stage.move(stage.your_seat, PASS)
    player = quiet(stage).press("9")
    assert player.hint == "You have passed, and who passes here is out of the trick."


# -- bell and title -----------------------------------------------------------------------------


def test_the_bell_rings_when_a_decision_arrives() -> None:
    stage = Stage(4, seed=3).deal().run(somebody_else)
    player = quiet(stage)
    assert player.rings == 0 and player.control.title == "Dalmuti"
    stage.run(your_turn)
    player.look()
    assert player.rings == 1 and player.control.title == "Your turn - Dalmuti"
    player.look()
    assert player.rings == 1
    player.press("enter")
    assert player.control.title == "Dalmuti"


def test_no_bell_for_one_who_is_just_pressing_keys() -> None:
    stage = Stage(4, seed=3).deal().run(somebody_else)
    player = quiet(stage)
    stage.run(your_turn)
    player.press("s", "s")
    player.look(0.5)
    assert player.rings == 0


def test_no_bell_for_a_turn_that_is_passed_by_itself() -> None:
    stage = Stage(4, seed=3).deal().run(lambda s: somebody_else(s) and not s.hand.passed)
    player = passing(stage)
    rang = player.rings
    stage.run(lambda stage: your_turn(stage) or stage.hand.top is None)
    player.look(5.0)
    assert stage.hand.top is not None and player.rings == rang


@pytest.mark.parametrize("what", ["bell", "title", "mouse", "ascii"])
def test_what_can_be_switched_off_and_on_again(what: str) -> None:
    stage = Stage(4, seed=3).deal().run(somebody_else)
    player = quiet(stage)
    usual = getattr(player.control.ui, what)
    said = []
    for expected in (not usual, usual):
        say(player.control, f"/{what}", player.now)
        assert getattr(player.control.ui, what) is expected
        said.append(player.hint)
    assert len(set(said)) == 2 and all(said)


def test_switched_off_there_is_no_bell_and_no_title() -> None:
    stage = Stage(4, seed=3).deal().run(somebody_else)
    player = quiet(stage, bell=False, title=False)
    stage.run(your_turn)
    player.look()
    assert player.rings == 0 and player.control.title == ""


def test_themes_by_name() -> None:
    player = quiet(Stage(4, seed=3))
    for name in THEMES:
        say(player.control, f"/theme {name}", player.now)
        assert player.control.ui.theme == name and name in player.hint
    say(player.control, "/theme pink", player.now)
    assert player.control.ui.theme == name and "high-contrast" in player.hint
    assert completions(player.control, "/theme d") == ["/theme default", "/theme deuteranopia"]


class Tube(io.StringIO):
    """What a terminal is told. `broken`: nobody is there any more."""

    encoding = "utf-8"
    broken = False

    def flush(self) -> None:
        if self.broken:
            raise OSError(5, "gone")


def attention(term: str = "xterm") -> tuple[Tube, Attention]:
    tube = Tube()
    output = Vt100_Output(tube, lambda: Size(rows=24, columns=80), term=term, enable_cpr=False)
    return tube, Attention(output)


def test_a_title_is_set_once_and_taken_back() -> None:
    tube, at = attention()
    at.title("Dalmuti")
    at.title("Dalmuti")
    at.title("Your turn\x1b]2;evil\x07")
    at.title("")
    at.title("")
    assert tube.getvalue() == (
        f"{PUT_ASIDE}\x1b]2;Dalmuti\x07\x1b]2;Your turn]2;evil\x07\x1b]2;\x07{TAKE_BACK}"
    )


def test_where_nothing_was_set_nothing_is_taken_back() -> None:
    tube, at = attention()
    at.title("")
    assert tube.getvalue() == ""


@pytest.mark.parametrize("term", ["linux", "dumb", "unknown", "eterm-color"])
def test_a_terminal_without_titles_gets_none(term: str) -> None:
    tube, at = attention(term)
    at.title("Dalmuti")
    at.title("")
    at.ring()
    assert tube.getvalue() == "\a"


def test_a_terminal_that_is_gone_is_no_error_of_the_bell() -> None:
    tube, at = attention()
    tube.broken = True
    at.ring()
    at.title("Dalmuti")


# -- advice -------------------------------------------------------------------------------------


def solo(stage: Stage) -> Stage:
    """The same table as one of our own, with house bots alone."""
    for player, info in stage.infos.items():
        if player != 1:
            stage.infos[player] = replace(info, kind="house")
    stage.solo = True
    stage.snapshot()
    return stage


def told(table: Any, decision: Decision) -> tuple[Worth, ...]:
    return (Worth(decision.default, 1.5), Worth(Play(9, 2), 1.25))


def test_advice_is_a_quiet_line_with_points() -> None:
    stage = solo(Stage(4, seed=3)).deal().run(your_turn)
    player = Player(stage, watch_draw=False, advise=told)
    assert "for 1.50 points; 2x9 1.25." in look(player)
    player.press("x")
    assert "for 1.50 points" not in look(player)  # a word about a key goes first
    player.press("escape")
    assert "for 1.50 points" in look(player)
    player.press("enter")
    assert "points" not in look(player)


def test_advice_falls_silent_when_somebody_comes() -> None:
    stage = solo(Stage(4, seed=3)).deal().run(your_turn)
    player = Player(stage, watch_draw=False, advise=told)
    assert player.control.ui.advice
    stage.emit([ev.WatchersChanged(("Eve",))])
    player.look()
    assert player.control.ui.advice == ""


def test_the_usual_table_has_no_advice() -> None:
    options = TableOptions(seats=4)
    player = Player(Stage(4, seed=3, options=options).deal().run(your_turn), watch_draw=False)
    assert player.control.ui.advice == ""
