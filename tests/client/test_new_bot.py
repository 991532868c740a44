"""`dalmuti bot new`: a file that plays, and that is never overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest

from dalmuti.client.bot import Bot, choice_of
from dalmuti.client.bots.load import load_bot
from dalmuti.client.bots.new import class_name
from dalmuti.client.bots.simple import GreedyBot
from dalmuti.client.cli import main
from dalmuti.core import deal
from dalmuti.core.cards import Cards
from dalmuti.core.hand import Hand, Phase
from dalmuti.core.options import TableOptions
from dalmuti.core.views import HandView, TableView, TrickView
from dalmuti.protocol.messages import Decision

DEALS, SEATS = 60, 6


def test_it_writes_a_short_bot_with_comments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["bot", "new", "my_first.py"]) == 0
    said = capsys.readouterr().out
    assert "my_first.py holds a bot that plays: MyFirst" in said
    assert "dalmuti bot my_first.py HOST --table NAME" in said
    text = Path("my_first.py").read_text()
    assert 25 <= len(text.splitlines()) <= 35 and text.count("#") >= 6
    assert "dalmuti arena my_first.py greedy" in text
    assert load_bot("my_first.py") is not None
    assert main(["bot", "new", "my_first.py"]) == 2
    assert "there is a file my_first.py already" in capsys.readouterr().err
    assert Path("my_first.py").read_text() == text


def test_what_it_says_to_type_can_be_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["bot", "new", "my bot.py"]) == 0
    assert "  dalmuti arena 'my bot.py' greedy\n" in capsys.readouterr().out
    assert "dalmuti arena 'my bot.py' greedy" in Path("my bot.py").read_text()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], "such as `dalmuti bot new mybot.py`, found nothing"),
        (["mybot"], "found 'mybot'"),
        (["_.py"], "found '_.py'"),
        (["nowhere/mybot.py"], "nowhere/mybot.py cannot be written: No such file or directory"),
    ],
)
def test_what_it_cannot_write(
    arguments: list[str],
    why: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["bot", "new", *arguments]) == 2
    assert why in capsys.readouterr().err and not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("mybot.py", "Mybot"),
        ("here/my-bot_2.py", "MyBot2"),
        ("3.py", "My3"),
        ("bot.py", "MyBot"),
        ("none.py", "MyNone"),
        ("äöü.py", ""),
    ],
)
def test_classes_are_called_like_their_files(file: str, name: str) -> None:
    assert class_name(file) == name


def test_what_it_writes_beats_the_greedy_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In every seat of known deals, against a table of greedy bots, without a fault."""
    monkeypatch.chdir(tmp_path)
    assert main(["bot", "new", "mybot.py"]) == 0
    mine, greedy = load_bot("mybot.py")(), GreedyBot()
    above = 0.0
    for number in range(DEALS):
        cards = deal.hands_of(deal.fixed_seed(number, 1), {}, SEATS)
        for seat in range(SEATS):
            bots: list[Bot] = [mine if at == seat else greedy for at in range(SEATS)]
            above += SEATS - 1 - finished(bots, cards).index(seat) - (SEATS - 1) / 2
    assert above / (DEALS * SEATS) > 0.2  # 0.45 over many deals


def finished(bots: list[Bot], cards: list[Cards]) -> list[int]:
    """The seats in the order in which they go out."""
    hand = Hand(cards, TableOptions(revolution="off"), taxes=False)
    hand.begin()
    while hand.phase is not Phase.OVER:
        seat, choices = hand.turn, tuple(hand.legal(hand.turn))
        move = choices[0]
        if len(choices) > 1:
            decision = Decision(
                decision=1,
                kind=hand.question,
                choices=choices,
                default=hand.default(seat),
            )
            view = HandView(
                number=1,
                order=(),
                seat=seat,
                cards=hand.cards(seat),
                sizes=tuple(hand.sizes),
                trick=TrickView(hand.top, hand.owner),
                played=hand.played(),
            )
            table = TableView(table="T", options=hand.options, state="hand", hand=view)
            move, fault = choice_of(bots[seat], table, decision)
            assert fault is None
        hand.apply(seat, move)
    return hand.finished
