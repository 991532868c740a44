"""Advice is what the expert bot does, in points, and only where nobody else plays."""

from __future__ import annotations

import subprocess
import sys

import pytest
from msgspec.structs import replace

from client.tui.tables import Stage
from dalmuti.client import words
from dalmuti.client.advice import Worth, fits
from dalmuti.client.bots.advisor import SHOWN, Advisor
from dalmuti.client.bots.expert import ExpertBot
from dalmuti.core.cards import Play
from dalmuti.core.moves import PASS, Give
from dalmuti.core.views import TableView


def solo(table: TableView) -> TableView:
    """The same table as one of our own, against house bots."""
    players = tuple(
        replace(info, kind="human" if info.player == table.you else "house")
        for info in table.players
    )
    return replace(table, solo=True, host=table.you, players=players)


@pytest.mark.parametrize("seats", [2, 4, 8])
def test_the_first_advice_is_what_the_expert_does(seats: int) -> None:
    """At every decision of some hands: taxes, revolutions, leads and follows."""
    advisor, expert = Advisor(), ExpertBot()
    kinds = set()
    for seed in range(3):
        stage = Stage(seats, seed=seed).deal(jesters_to=1 if seed == 1 else None)
        while stage.match.hand is not None:
            model = stage.model
            seat = stage.hand.to_act[0]
            if model.decision is None or seat != stage.your_seat or model.table is None:
                stage.step()
                continue
            table = solo(model.table)
            found = advisor(table, model.decision)
            assert 1 <= len(found) <= min(SHOWN, len(model.decision.choices))
            assert found[0].choice == expert.decide(table, model.decision)
            assert len({worth.choice for worth in found}) == len(found)
            rest = [worth.points for worth in found[1:]]
            assert rest == sorted(rest, reverse=True)
            for worth in found:
                assert worth.choice in model.decision.choices
                assert -0.5 <= worth.points <= seats - 0.5
            kinds.add(model.decision.kind)
            stage.move(seat, found[0].choice)
    assert {"revolution", "lead", "follow"} <= kinds


def test_a_play_that_empties_the_hand_is_worth_every_place_that_is_left() -> None:
    advisor = Advisor()
    for seed in range(20):
        stage = Stage(4, seed=seed).deal()
        while stage.match.hand is not None:
            model, seat = stage.model, stage.hand.to_act[0]
            if seat != stage.your_seat or model.decision is None or model.table is None:
                stage.step()
                continue
            best = advisor(solo(model.table), model.decision)[0]
            size, still = stage.hand.sizes[seat], 4 - len(stage.hand.finished)
            if isinstance(best.choice, Play) and best.choice.count == size:
                assert best.points == still - 1
                return
            stage.move(seat, best.choice)
    raise AssertionError("we were never out before the last")


@pytest.mark.parametrize(
    "what", ["watcher", "person", "bot", "no solo", "another host", "watching"]
)
def test_it_is_silent_with_other_people(what: str) -> None:
    stage = Stage(4, seed=3).deal()
    assert stage.model.table is not None and stage.model.decision is not None
    table = solo(stage.model.table)
    assert fits(table) and Advisor()(table, stage.model.decision)
    others = table.players[1:]
    table = {
        "watcher": replace(table, watchers=("Eve",)),
        "person": replace(table, players=(replace(others[0], kind="human"), *others[1:])),
        "bot": replace(table, players=(replace(others[0], kind="bot"), *others[1:])),
        "no solo": replace(table, solo=False),
        "another host": replace(table, host=2),
        "watching": replace(table, you=None),
    }[what]
    assert not fits(table) and Advisor()(table, stage.model.decision) == ()


def test_advice_in_words() -> None:
    three = (Worth(Give((11, 12)), 1.875), Worth(Give((12, 12)), 1.5), Worth(PASS, 0.25))
    assert words.advice(three) == (
        "The expert: give back 1x11 and 1x12, for 1.88 points; give back 2x12 1.50; pass 0.25."
    )
    assert words.advice(three[2:]) == "The expert: pass."
    assert words.advice(()) == ""


def test_weights_are_loaded_for_those_who_ask_only() -> None:
    """Neither the screen nor plain mode imports the expert by itself."""
    code = (
        "import sys; import dalmuti.client.tui.app, dalmuti.client.plain, dalmuti.client.line;"
        "print([name for name in sys.modules if 'expert' in name or 'advisor' in name])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
