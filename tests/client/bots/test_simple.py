"""The easy bot, and the lists of house bots that have to agree."""

from __future__ import annotations

from dalmuti.client.bots.simple import HOUSE_BOTS, SLIPS, EasyBot, GreedyBot
from dalmuti.client.commands.tables import LEVELS
from dalmuti.core.cards import counts_of
from dalmuti.core.moves import legal_leads
from dalmuti.core.options import TableOptions
from dalmuti.core.views import HandView, TableView
from dalmuti.protocol.messages import Choice, Decision
from dalmuti.server.table.house import HOUSE_BOTS as SERVERS

CARDS = (1, 4, 4, 7, 9, 9, 9, 12, 12, 13)
CHOICES = tuple(legal_leads(counts_of(CARDS)))
VIEW = TableView(
    table="Kitchen",
    options=TableOptions(),
    hand=HandView(number=1, order=(1, 2), sizes=(10, 10), seat=0, cards=CARDS, dealt=CARDS),
)
DECISION = Decision(decision=1, kind="lead", choices=CHOICES, default=CHOICES[0])


def choices_of(seed: int, times: int) -> list[Choice]:
    bot = EasyBot()
    bot.begin(seed)
    return [bot.decide(VIEW, DECISION) for _ in range(times)]


def test_easy_slips_once_in_ten_and_the_same_way_with_one_seed() -> None:
    found, usual = choices_of(1, 2000), GreedyBot().decide(VIEW, DECISION)
    slips = [choice for choice in found if choice != usual]
    expected = 2000 * SLIPS * (1 - 1 / len(CHOICES))
    assert 0.7 * expected < len(slips) < 1.3 * expected
    assert len(set(slips)) == len(CHOICES) - 1, "any other choice comes up"
    assert choices_of(1, 50) == choices_of(1, 50) != choices_of(2, 50)


def test_everybody_knows_the_same_house_bots() -> None:
    assert set(SERVERS) == set(HOUSE_BOTS)
    assert [LEVELS[level] for level in ("easy", "normal", "hard")] == ["easy", "careful", "expert"]
    assert set(LEVELS.values()) <= set(HOUSE_BOTS)
