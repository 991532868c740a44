"""Who comes in, how often who may ask, and how much of it the log tells: without a network."""

from __future__ import annotations

import io
import json
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalmuti.core.moves import DECLINE
from dalmuti.protocol import messages as msg
from dalmuti.protocol.address import counted_as
from dalmuti.server.doors import HOME, ByAddress, Doors, Place
from dalmuti.server.gate import COSTS, Gate, Rates
from dalmuti.server.incidents import MOST, Incidents
from dalmuti.server.limits import Bucket, Limits
from dalmuti.server.log import Log
from dalmuti.server.table.refused import Refused, TooFast


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("127.0.0.1", "127.0.0.1"),
        ("127.0.0.2", "127.0.0.2"),
        ("::1", "::1"),
        ("", ""),
    ],
)
def test_an_address_is_what_one_subscriber_has(host: str, address: str) -> None:
    assert counted_as(host) == address
    assert (address in HOME) == (host in ("127.0.0.1", "::1"))


def entered(doors: Doors, host: str, gone: list[Place] | None = None) -> Place:
    place = doors.enter(host, 0.0)
    assert place is not None
    if gone is not None:
        place.shut = lambda: gone.append(place)
    return place


def test_I71_a_thousand_who_say_nothing_make_room_for_the_next_one() -> None:
    doors = Doors(Limits(address_waiting=8, connect_burst=10_000), most=500)
    gone: list[Place] = []
    silent = [entered(doors, "192.0.2.1", gone)]
    for _ in range(999):
        silent.append(entered(doors, "192.0.2.1", gone))
        for place in gone[len(gone) - 1 :]:
            if place in silent:
                place.leave()
                silent.remove(place)
    assert len(gone) == 992 and doors.open == 8
    friend = entered(doors, "192.0.2.1", gone)
    friend.greeted()
    for _ in range(50):
        entered(doors, "192.0.2.1", gone)
    assert friend not in gone, "who said hello is in"


def test_I75_a_full_server_sends_away_who_said_nothing_and_nobody_else() -> None:
    doors = Doors(Limits(address_waiting=100), most=4)
    gone: list[Place] = []
    inside = [entered(doors, f"192.0.2.{n}", gone) for n in (1, 2)]
    for place in inside:
        place.greeted()
    crowd = [entered(doors, "198.51.100.1", gone) for _ in range(2)]
    late = entered(doors, "192.0.2.3", gone)
    assert gone == [crowd[0]]
    crowd[0].leave()
    late.greeted()
    crowd[1].greeted()
    assert doors.enter("192.0.2.4", 0.0) is None, "all who are here have said hello"
    inside[0].leave()
    assert doors.enter("192.0.2.4", 0.0) is not None


def test_one_address_has_a_bound_and_home_has_none() -> None:
    doors = Doors(Limits(address_connections=3, address_waiting=100), most=100)
    for _ in range(3):
        entered(doors, "192.0.2.1").greeted()
    assert doors.enter("192.0.2.1", 0.0) is None
    assert doors.enter("192.0.2.2", 0.0) is not None
    assert all(doors.enter("127.0.0.1", 0.0) for _ in range(50))


def test_I71_home_has_half_of_all_places_in_the_doorway() -> None:
    doors = Doors(Limits(address_waiting=2), most=20)
    gone: list[Place] = []
    places = [entered(doors, "127.0.0.1", gone) for _ in range(12)]
    assert gone == places[:2]


def test_I77_connects_of_one_address_are_bounded_in_time() -> None:
    limits = Limits(connect_burst=5, connect_per_second=1, address_waiting=100)
    doors = Doors(limits, most=100)
    assert [doors.enter("192.0.2.1", 0.0) is None for _ in range(7)] == [False] * 5 + [True] * 2
    assert doors.enter("192.0.2.1", 1.0) is not None and doors.enter("192.0.2.2", 1.0) is not None


def end(here: list[Place], place: Place) -> None:
    here.remove(place)
    place.leave()


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("enter greet leave".split()))))
def test_what_is_counted_is_what_is_there(steps: list[tuple[str, str]]) -> None:
    doors = Doors(Limits(address_waiting=2, address_connections=4), most=6)
    here: list[Place] = []
    for host, step in steps:
        mine = [place for place in here if place.address == host]
        if step == "enter":
            place = doors.enter(host, 0.0)
            if place is not None:
                place.shut = partial(end, here, place)
                here.append(place)
        elif mine and step == "greet":
            mine[0].greeted()
        elif mine:
            here.remove(mine[0])
            mine[0].leave()
        assert doors.open == len(here) <= 6
        assert doors._by_address == {
            each: count for each in "abc" if (count := sum(place.address == each for place in here))
        }
        assert all(len(waiting) <= 2 for waiting in doors._doorway.values())


# -- buckets ----------------------------------------------------------------------------------


@given(
    st.integers(1, 20),
    st.floats(0.1, 50),
    st.lists(st.tuples(st.floats(0, 5), st.integers(1, 6)), max_size=60),
)
def test_I73_a_wait_never_grows_by_asking_and_is_enough(
    burst: int, rate: float, asks: list[tuple[float, int]]
) -> None:
    bucket, now = Bucket(burst, rate), 1_234_567.8
    for pause, cost in asks:
        now += pause
        wait = bucket.wait(now, cost)
        if wait:
            again = bucket.wait(now, cost)
            assert again == pytest.approx(wait), "what is refused costs nothing"
            now += wait
            assert bucket.wait(now, cost) == 0, "who waits as long as he is told may"


def ask(rates: Rates, request: msg.Request, now: float = 0.0) -> bool:
    try:
        rates.take(request, now)
    except TooFast:
        return False
    return True


def test_I74_the_list_of_tables_costs_five() -> None:
    limits = Limits(lobby_burst=20, lobby_per_second=1)
    lists = Rates(limits)
    assert sum(ask(lists, msg.ListTables(id=1)) for _ in range(50)) == 4
    aways = Rates(limits)
    assert sum(ask(aways, msg.Away(id=1)) for _ in range(50)) == 20


def test_I72_each_kind_has_its_own_bucket() -> None:
    limits = Limits()
    rates = Rates(limits)
    act = msg.Act(id=1, decision=1, choice=DECLINE)
    kinds: dict[str, msg.Request] = {
        "chat": msg.Chat(id=1, text="x"),
        "lobby": msg.Away(id=1),
        "game": act,
        "nonce": msg.Nonce(id=1, hand=1, nonce="ab"),
    }
    for name, request in kinds.items():
        let_through = 0
        while ask(rates, request):
            let_through += 1
        assert let_through == limits.rate(name)[0], name  # type: ignore[arg-type]
    assert ask(rates, msg.Leave(id=1)), "leaving always works"


def test_I53_what_the_game_takes_is_free() -> None:
    rates = Rates(Limits())
    act = msg.Act(id=1, decision=1, choice=DECLINE)
    for _ in range(10_000):
        assert ask(rates, act)
        rates.done(act)


def test_every_request_has_its_price() -> None:
    assert set(COSTS) == set(msg.Request.__subclasses__())


def test_I51_I52_the_error_says_which_limit_and_the_welcome_all_of_them() -> None:
    limits = Limits(chat_burst=7, chat_per_second=2)
    error = TooFast(1.25, "chat", limits).answer(3)
    assert (error.re, error.code, error.bucket) == (3, "rate_limited", "chat")
    assert (error.retry_after_ms, error.limit, error.window_ms) == (1250, 7, 3500)
    announced = limits.announce()
    assert announced.rates["chat"] == msg.Rate(limit=7, window_ms=3500)
    assert set(announced.rates) == {"chat", "lobby", "game", "nonce", "join", "watch", "secret"}


def test_wrong_tokens_are_counted_by_address_and_ten_minutes() -> None:
    gate = Gate(Limits())
    answers = [gate.wrong_token("192.0.2.1", 0.0) for _ in range(12)]
    assert [each.code.value for each in answers] == ["bad_token"] * 10 + ["rate_limited"] * 2
    assert gate.wrong_token("192.0.2.2", 0.0).code.value == "bad_token"
    assert gate.wrong_token("192.0.2.1", 60.0).code.value == "bad_token"
    with pytest.raises(Refused):
        gate.password("192.0.2.1", 60.0)
    assert answers[-1].answer(1).retry_after_ms == 60_000


def test_I34_seats_from_one_address_are_bounded_and_home_is_not() -> None:
    gate = Gate(Limits(join_burst=3, join_per_second=1))
    for _ in range(3):
        gate.join("192.0.2.1", 0.0)
    with pytest.raises(TooFast):
        gate.join("192.0.2.1", 0.0)
    gate.join("192.0.2.1", 1.0)
    for _ in range(100):
        gate.join("127.0.0.1", 0.0)


def test_addresses_are_forgotten_in_the_end() -> None:
    rates = ByAddress((1, 0.001))
    assert rates.wait("first", 0.0) == 0 and rates.wait("first", 0.0) > 0
    for number in range(5000):
        rates.wait(f"address {number}", 0.0)
    assert len(rates._buckets) == 4096 and rates.wait("first", 0.0) == 0


# -- the log ----------------------------------------------------------------------------------


def test_I92_one_line_per_kind_address_and_period() -> None:
    text = io.StringIO()
    log, incidents = Log("json", text), Incidents(60.0)
    for number in range(1000):
        for address in ("192.0.2.1", "192.0.2.2"):
            for kind in ("bad_frame", "slow_consumer"):
                incidents.note(log.warning, kind, address, number * 0.01)
    lines = [json.loads(line) for line in text.getvalue().splitlines()]
    assert len(lines) == 4 and not any("more" in line for line in lines)
    incidents.note(log.warning, "bad_frame", "192.0.2.9", 61.0)
    lines = [json.loads(line) for line in text.getvalue().splitlines()]
    assert sum(line.get("more", 0) for line in lines) == 4 * 999
    assert len(lines) == 9


def test_incidents_do_not_fill_the_memory() -> None:
    log, incidents = Log("json", io.StringIO()), Incidents(60.0)
    for number in range(MOST + 500):
        incidents.note(log.info, "bad_frame", f"address {number}", 0.0)
    assert len(incidents._counts) <= MOST
