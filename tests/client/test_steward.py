"""What play and host do by themselves."""

from __future__ import annotations

from msgspec.structs import replace

from dalmuti.client.model import Model
from dalmuti.client.steward import Steward
from dalmuti.core.events import PlayerInfo
from dalmuti.core.options import TableOptions
from dalmuti.core.views import HandView, TableView
from dalmuti.protocol.messages import AddBot, Deal


def waiting(players: int, *, seats: int = 4, next_hand: int = 1, host: int = 1) -> Model:
    numbers = tuple(range(1, players + 1))
    return Model(
        table=TableView(
            table="Kitchen",
            options=TableOptions(seats=seats),
            you=1,
            host=host,
            players=tuple(
                PlayerInfo(
                    player=number, name=f"P{number}", kind="house" if number > 1 else "human"
                )
                for number in numbers
            ),
            order=numbers,
            next_hand=next_hand,
            next_commitment="aa",
        )
    )


def playing(number: int) -> Model:
    model = waiting(4, next_hand=number + 1)
    assert model.table is not None
    hand = HandView(number=number, order=(1, 2, 3, 4))
    return replace(model, table=replace(model.table, state="hand", hand=hand, next_commitment=""))


def test_play_seats_its_bots_and_deals_once() -> None:
    steward = Steward(("random", "greedy"), deal_first=True)
    assert steward.react(Model()) == []
    assert steward.react(waiting(1)) == [(AddBot, {"bot": "random"})]
    assert steward.react(waiting(1)) == []
    assert steward.react(waiting(2)) == [(AddBot, {"bot": "greedy"})]
    assert steward.react(waiting(2)) == []
    assert steward.react(waiting(3)) == [(Deal, {})]
    assert steward.react(waiting(3)) == []
    assert steward.react(playing(1)) == []
    assert steward.react(waiting(3, next_hand=2)) == []  # the player deals the next one
    assert not steward.done(waiting(3, next_hand=2))


def test_so_many_hands_then_the_end() -> None:
    steward = Steward(("greedy",), hands=2, deal_first=True)
    steward.react(waiting(1))
    assert steward.react(waiting(2)) == [(Deal, {})]
    steward.react(playing(1))
    assert not steward.done(playing(1))
    assert steward.react(waiting(2, next_hand=2)) == [(Deal, {})]
    steward.react(playing(2))
    assert steward.react(waiting(2, next_hand=3)) == []
    assert steward.done(waiting(2, next_hand=3))


def test_the_end_waits_for_what_is_still_said_about_the_hand() -> None:
    steward = Steward(hands=1, deal_first=True)
    steward.react(playing(1))
    model = waiting(4, next_hand=2)
    assert model.table is not None
    assert not steward.done(replace(model, table=replace(model.table, next_commitment="")))
    assert steward.done(model)


def test_a_host_waits_for_a_full_table() -> None:
    steward = Steward(hands=2)
    assert steward.react(waiting(3)) == []
    assert steward.react(waiting(4)) == [(Deal, {})]
    by_hand = Steward()
    assert by_hand.react(waiting(4)) == []


def test_who_is_not_host_does_nothing() -> None:
    steward = Steward(("greedy",), hands=1, deal_first=True)
    assert steward.react(waiting(4, host=2)) == []
