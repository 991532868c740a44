"""Items played over core: what bots see there, and what is counted of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from dalmuti.client.arena import core
from dalmuti.client.arena.plan import Contestant, Item, Outcome, Setup, Stop, digest
from dalmuti.client.arena.save import transcript
from dalmuti.client.arena.schedule import items_of
from dalmuti.client.arena.seats import Seated
from dalmuti.client.bot import Bot
from dalmuti.client.bots.simple import HOUSE_BOTS, RandomBot
from dalmuti.core import deal, record
from dalmuti.core.events import HandEnded, Seen, Turn
from dalmuti.core.match import Moved
from dalmuti.core.moves import DECLINE, PASS, Give
from dalmuti.core.options import options_from
from dalmuti.core.views import TableView
from dalmuti.protocol.messages import Choice, Decision


def setup_of(*bots: str, seats: int = 4, hands: int = 1, **rules: str | int) -> Setup:
    return Setup(
        contestants=tuple(Contestant(f"{bot}#{n}", bot) for n, bot in enumerate(bots)),
        options=options_from(
            {
                "seats": seats,
                "first_titles": "order_of_arrival",
                "scoring": "points",
                "match_end": f"hands:{hands}",
                **rules,
            }
        ),
        hands=hands,
    )


def played(setup: Setup, item: Item, make: Callable[[], Bot] | None = None) -> Outcome:
    """The item with its house bots; `make` makes the one of player 0, if given."""
    makes = [HOUSE_BOTS.get(contestant.bot, RandomBot) for contestant in setup.contestants]
    seats = [
        Seated(make if make and not player else makes[player], item.seeds[seat])
        for seat, player in enumerate(item.lineup)
    ]
    return core.play(setup, item, seats)[0]


class Looks(RandomBot):
    """Keeps what it is shown when it is asked."""

    def __init__(self, seen: list[tuple[TableView, Decision]]) -> None:
        super().__init__()
        self.seen = seen

    def decide(self, view: TableView, decision: Decision) -> Choice:
        self.seen.append((view, decision))
        return super().decide(view, decision)


class Listens(Looks):
    """The same, and hears what happens."""

    def __init__(
        self,
        seen: list[tuple[TableView, Decision]],
        heard: list[tuple[TableView, Seen]],
    ) -> None:
        super().__init__(seen)
        self.heard = heard

    def on_event(self, view: TableView, event: Seen) -> None:
        self.heard.append((view, event))


RULES = [
    {},
    {"revolution": "off", "first_hand_taxes": "off"},
    {"passing": "locked", "greater_revolution": "choice"},
    {"revolution": "automatic"},
]


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 8, 10])
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_what_is_made_for_a_decision_is_what_events_lead_to(
    seats: int, rules: dict[str, str | int]
) -> None:
    """Who only looks sees the same as who listens, whose view is folded as his client folds it."""
    setup = setup_of("random", "random", seats=seats, hands=3, **rules)
    for item in items_of(setup, 2, 5):
        looked: list[tuple[TableView, Decision]] = []
        listened: list[tuple[TableView, Decision]] = []
        one = played(setup, item, partial(Looks, looked))
        other = played(setup, item, partial(Listens, listened, []))
        assert one.moves == other.moves and one.places == other.places
        assert looked == listened and looked


def test_a_bot_hears_all_that_happens_in_its_order() -> None:
    setup = setup_of("random", "greedy", seats=3, hands=2)
    item = next(iter(items_of(setup, 1, 1)))
    heard: list[tuple[TableView, Seen]] = []
    played(setup, item, partial(Listens, [], heard))
    kinds = [type(event).__name__ for _, event in heard]
    assert kinds[: kinds.index("Turn")] == [
        "PlayerJoined", "TitlesChanged", "PlayerJoined", "TitlesChanged",
        "TitlesDrawn", "HandStarted", "Dealt", "RevolutionOpened",
    ]  # fmt: skip
    assert kinds[-1] == "HandPrepared"
    turns = [event.decision for _, event in heard if isinstance(event, Turn)]
    assert turns == list(range(1, len(turns) + 1))
    ends = [event.hand for _, event in heard if isinstance(event, HandEnded)]
    assert ends == [1, 2]
    assert all(view.you == 1 and view.players[0].name == "Player 1" for view, _ in heard)


def test_the_cards_are_those_of_the_deal() -> None:
    """So that the same deal may be played anywhere (`fixed_seed`)."""
    setup = setup_of("random", "greedy", hands=2)
    item = list(items_of(setup, 1, 1))[2]
    heard: list[tuple[TableView, Seen]] = []
    played(setup, item, partial(Listens, [], heard))
    seen: set[int] = set()
    for view, event in heard:
        if isinstance(event, Turn) and view.hand is not None:
            seed = deal.fixed_seed(item.number, view.hand.number)
            hands = deal.hands_of(seed, {}, 4)
            order, you = view.hand.order, view.you
            assert you is not None
            if view.hand.revolution is None:
                assert view.hand.dealt == hands[order.index(you)]
                seen.add(view.hand.number)
    assert seen == {1, 2}


def test_a_house_bot_that_fails_is_counted_and_does_the_default() -> None:
    class Fails(Bot):
        def decide(self, view: TableView, decision: Decision) -> Choice:
            if decision.kind == "lead":
                raise ValueError("no")
            return DECLINE if decision.kind == "follow" else decision.choices[0]

    setup = setup_of("random", "greedy", seats=3)
    item = next(iter(items_of(setup, 1, 1)))
    tally = played(setup, item, Fails).tallies[0]
    assert tally.crashed and tally.illegal
    assert tally.first_fault.startswith("raised ValueError: no (test_core.py, line ")


def test_a_stopped_seat_plays_the_default_and_the_others_do_not_notice() -> None:
    """The same as a bot that always chooses it."""

    class Defaults(Bot):
        def decide(self, view: TableView, decision: Decision) -> Choice:
            return decision.default

    setup = setup_of("random", "random", seats=4, hands=2)
    item = next(iter(items_of(setup, 1, 1)))
    seats = [
        Seated(RandomBot, seed, stop=Stop(n, 0, "was out") if n == 0 else None)
        for n, seed in enumerate(item.seeds)
    ]
    stopped, _ = core.play(setup, item, seats)
    assert stopped.moves == played(setup, item, Defaults).moves
    tally = stopped.tallies[0]
    assert tally.defaults and tally.given_up == "was out" and not tally.times.count


def test_transcripts_are_records() -> None:
    setup = setup_of("random", "greedy", seats=5, hands=2)
    for item in items_of(setup, 1, 1):
        seats = [Seated(RandomBot, seed) for seed in item.seeds]
        outcome, log = core.play(setup, item, seats)
        found = record.loads(transcript(setup, item, log))
        assert all(verdict.ok and verdict.proved for verdict in record.verify(found))
        record.replay(found)
        assert digest(found.entries) == outcome.moves
        names = [who.name for who in found.players.values()]
        assert len(set(names)) == 5 and names[item.lineup.index(0)] == "random#0"


def test_the_digest_is_of_what_was_done_not_of_when() -> None:
    one, other = Moved(0, Give((9, 12)), "player"), Moved(1, Give((10,)), "player")
    rest = [Moved(0, PASS, "player")]
    assert digest([one, other, *rest]) == digest([other, one, *rest])
    assert digest([Moved(3, DECLINE, "player"), one]) == digest([one])
    assert digest([one, Moved(0, PASS, "clock")]) == digest([one, *rest])
    assert digest([one, Moved(1, PASS, "player")]) != digest([one, *rest])
