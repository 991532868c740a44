"""What a table does by the rules of joining, leaving, time and secrecy (rules.md J, X, I, C3)."""

from __future__ import annotations

import random

import pytest

from dalmuti.core import events as ev
from dalmuti.core.cards import Play
from dalmuti.core.moves import DECLINE, PASS, Call, Move
from dalmuti.core.record import loads, replay, verify
from dalmuti.protocol import messages as msg
from dalmuti.server.limits import Limits
from server.sim import NAME, Sim, deck_with

QUICK: dict[str, str | int] = {"revolution": "off", "first_hand_taxes": "off"}


def table_of(number: int, **fields: object) -> tuple[Sim, list[int]]:
    """A table with `number` people, the first of them the host."""
    sim = Sim(**fields)  # type: ignore[arg-type]
    conns = [sim.host, *(sim.join(f"Guest{n}") for n in range(2, number + 1))]
    return sim, conns


def order(sim: Sim) -> list[int]:
    return list(sim.table.play.match.order)


def conn_of_seat(sim: Sim, seat: int) -> int:
    conn = sim.table.people.players[order(sim)[seat]].conn
    assert conn is not None
    return conn


@pytest.mark.parametrize("number", range(2, 11))
def test_a_whole_hand_with_every_number_of_seats(number: int) -> None:
    sim, conns = table_of(number, options={"seats": number})
    watcher = sim.watch("Zoe")
    for _ in range(2):
        sim.hand()
        for conn in (*conns, watcher):
            ended = sim.viewers[conn].events(ev.HandEnded)[-1]
            assert sorted(line.player for line in ended.places) == list(range(1, number + 1))
    assert all(v.ok and v.proved for v in verify(loads(sim.transcript())))
    assert sim.table.play.match.log == []


def test_the_record_leads_to_the_same_events() -> None:
    sim, conns = table_of(4)
    sim.hand()
    sim.ask(sim.host, msg.Deal)
    sim.ask(conns[2], msg.Leave)
    sim.play_on()
    again = replay(loads(sim.transcript()))
    told = sim.viewers[sim.host]
    assert told.moves() == [e for e in again if isinstance(e, ev.Played | ev.Passed)]
    assert told.events(ev.HandEnded) == [e for e in again if isinstance(e, ev.HandEnded)]


# -- J: joining and leaving -------------------------------------------------------------------


def test_J1_a_newcomer_waits_and_is_then_the_lowest_merchant() -> None:
    sim, _ = table_of(4, options={"seats": 6})
    assert sim.ask(sim.host, msg.Deal) == "ok"
    late, later = sim.join("Late"), sim.join("Later")
    assert sim.viewers[late].view is not None and 5 not in order(sim)
    sim.play_on()
    assert order(sim)[2:4] == [5, 6]
    assert sim.ask(late, msg.Act, decision=1, choice=PASS) == "stale_decision"
    assert sim.viewers[later].events(ev.TitlesChanged)[-1].order[2:4] == (5, 6)


@pytest.mark.parametrize(("number", "seat"), [(2, 1), (3, 2), (4, 2)])
def test_J1_at_small_tables(number: int, seat: int) -> None:
    sim, _ = table_of(number)
    sim.hand()
    sim.join("New")
    assert order(sim).index(number + 1) == seat


def test_J2_leaving_between_hands_closes_the_order_up() -> None:
    sim, conns = table_of(4)
    sim.hand()
    before = order(sim)
    assert sim.ask(conns[1], msg.Leave) == "ok"
    assert order(sim) == [player for player in before if player != 2]
    assert sim.viewers[sim.host].events(ev.PlayerLeft)[-1] == ev.PlayerLeft(2, "left")
    assert sim.viewers[conns[1]].messages[-1] == msg.Unseated(table=NAME, reason="left")


def test_J3_who_leaves_in_a_hand_is_played_by_the_stand_in_and_freed_after_it() -> None:
    sim, conns = table_of(4, options=QUICK)
    sim.ask(sim.host, msg.Deal)
    leaver = conns[1]
    assert sim.ask(leaver, msg.Leave) == "ok"
    assert sim.presence(2) == "left"
    sim.play_on()
    watched = sim.viewers[sim.host]
    moves = watched.moves()
    seat = watched.events(ev.HandStarted)[-1].order.index(2)
    assert {e.by for e in moves if e.seat == seat} == {"standin"}
    assert {e.by for e in moves if e.seat != seat} == {"player"}
    places = watched.events(ev.HandEnded)[-1].places
    assert [line.player for line in places if line.standin] == [2]
    assert len(places) == 4 and 2 not in order(sim)
    assert watched.events(ev.PlayerLeft) == [ev.PlayerLeft(2, "left")]
    token = sim.viewers[leaver].token
    stranger = sim.connect("Guest2")
    assert sim.ask(stranger, msg.Resume, table=NAME, token=token) == "bad_token"


def test_J3_a_seat_that_was_left_may_be_taken_back_in_the_hand() -> None:
    sim, conns = table_of(3, options={**QUICK, "seats": 3})
    sim.ask(sim.host, msg.Deal)
    sim.ask(conns[1], msg.Leave)
    stranger = sim.connect("New")
    assert sim.ask(stranger, msg.JoinTable, table=NAME) == "table_full"
    assert sim.ask(conns[1], msg.JoinTable, table=NAME) == "ok"
    assert sim.presence(2) == "here" and sim.viewers[conns[1]].number == 2
    sim.ask(conns[2], msg.Leave)
    back = sim.resume(sim.viewers[conns[2]].token)
    assert sim.viewers[back].number == 3 and sim.presence(3) == "here"
    sim.play_on()
    assert sorted(order(sim)) == [1, 2, 3]
    assert sim.viewers[sim.host].events(ev.PlayerLeft) == []


def test_J4_I03_a_lost_seat_waits_then_the_stand_in_plays_until_the_player_is_back() -> None:
    sim, conns = table_of(2, options={**QUICK, "turn_seconds": 0})
    sim.ask(sim.host, msg.Deal)
    sim.play_on(until=lambda: sim.asked() == [conns[1]])
    sim.lose(conns[1])
    watched = sim.viewers[sim.host]
    assert watched.events(ev.PresenceChanged)[-1] == ev.PresenceChanged(2, "lost", 20_000)
    sim.advance(19.9)
    assert sim.presence(2) == "lost"
    before = len(watched.moves())
    sim.advance(0.2)
    assert sim.presence(2) == "standin"
    sim.advance(1.7)
    acted = watched.moves()
    assert len(acted) == before + 1 and sum(e.by == "standin" for e in acted) == 1
    back = sim.resume(sim.viewers[conns[1]].token, old=conns[1])
    assert sim.presence(2) == "here"
    assert not any(isinstance(m, msg.Snapshot) for m in sim.viewers[back].messages)


def test_J4_I19_back_within_the_grace_no_stand_in_has_moved() -> None:
    sim, conns = table_of(2, options={**QUICK, "turn_seconds": 0})
    sim.ask(sim.host, msg.Deal)
    sim.play_on(until=lambda: sim.asked() == [conns[1]])
    sim.lose(conns[1])
    sim.advance(8)
    back = sim.resume(sim.viewers[conns[1]].token)
    decision = sim.viewers[back].decision
    assert decision is not None
    sim.advance(60)
    assert sim.viewers[back].decision is decision and sim.asked() == [back]
    assert all(move.by == "player" for move in sim.viewers[sim.host].moves())


def test_grace_of_nothing_gives_the_seat_to_the_stand_in_at_once() -> None:
    sim, conns = table_of(2, limits=Limits(grace_seconds=0))
    sim.lose(conns[1])
    assert sim.presence(2) == "standin"


def test_J5_small_and_large_tables_pay_what_they_should() -> None:
    for number, exchanges in ((2, 1), (3, 1), (4, 2), (9, 2)):
        sim, _ = table_of(number, options={"seats": number, "revolution": "off"})
        sim.hand()
        paid = sim.viewers[sim.host].events(ev.TaxesPaid)[0]
        assert len(paid.exchanges) == exchanges


# -- away -------------------------------------------------------------------------------------


def test_I26_I33_away_the_stand_in_plays_and_an_answer_takes_the_seat_back() -> None:
    sim, conns = table_of(2, options={**QUICK, "turn_seconds": 0})
    assert sim.ask(conns[1], msg.Away) == "ok"
    sim.ask(sim.host, msg.Deal)
    sim.play_on(until=lambda: sim.asked() == [conns[1]])
    sim.advance(1.7)
    assert [e.by for e in sim.viewers[sim.host].moves() if e.by != "player"] == ["standin"]
    sim.play_on(until=lambda: sim.asked() == [conns[1]])
    assert sim.act(conns[1]) == "ok"
    assert sim.presence(2) == "here"
    assert sim.ask(conns[1], msg.Away, away=True) == "ok"
    assert sim.ask(conns[1], msg.Away, away=False) == "ok"
    assert sim.presence(2) == "here"


def test_who_is_away_and_lost_is_played_by_the_stand_in_without_grace() -> None:
    sim, conns = table_of(2)
    sim.ask(conns[1], msg.Away)
    sim.lose(conns[1])
    assert sim.presence(2) == "standin"
    sim.resume(sim.viewers[conns[1]].token)
    assert sim.presence(2) == "here"


# -- X: time ----------------------------------------------------------------------------------


def test_X1_I30_I35_every_decision_runs_out_into_its_default() -> None:
    sim, conns = table_of(4, options={"turn_seconds": 5})
    sim.ask(sim.host, msg.Deal)
    seen: dict[str, msg.Decision] = {}
    for _ in range(400):
        if sim.table.play.match.hand is None:
            break
        for conn in sim.asked():
            decision = sim.viewers[conn].decision
            assert decision is not None and decision.ms == 5000
            assert decision.default in decision.choices
            seen[decision.kind] = decision
        sim.advance(5)
    assert sim.table.play.match.hand is None, "with nobody ever acting the hand still ends"
    assert set(seen) == {"revolution", "tax", "lead", "follow"}
    watched = sim.viewers[conns[1]]
    assert {e.by for e in watched.events(ev.Played)} == {"clock"}
    assert seen["revolution"].default == DECLINE and seen["follow"].default == PASS


def test_I56_a_late_answer_is_stale_and_changes_nothing() -> None:
    sim, conns = table_of(2, options={**QUICK, "turn_seconds": 5})
    sim.ask(sim.host, msg.Deal)
    first = sim.asked()[0]
    decision = sim.viewers[first].decision
    assert decision is not None
    sim.advance(5)
    assert sim.ask(first, msg.Act, decision=decision.decision, choice=decision.default) == (
        "stale_decision"
    )
    assert sim.ask(first, msg.Act, decision=999, choice=PASS) == "no_decision"
    other = next(conn for conn in conns if conn != sim.asked()[0])
    now = sim.viewers[sim.asked()[0]].decision
    assert now is not None
    assert sim.ask(other, msg.Act, decision=now.decision, choice=PASS) == "not_your_turn"


def test_an_answer_sent_again_after_a_resume_is_no_error() -> None:
    sim, _ = table_of(2, options=QUICK)
    sim.ask(sim.host, msg.Deal)
    first = sim.asked()[0]
    decision, token = sim.viewers[first].decision, sim.viewers[first].token
    assert decision is not None
    assert sim.act(first) == "ok"
    sim.lose(first)
    back = sim.resume(token)
    again = {"decision": decision.decision, "choice": decision.default}
    assert sim.ask(back, msg.Act, **again) == "ok"
    assert len(sim.viewers[back].events(ev.Played)) == 0
    other = next(c for c in decision.choices if c != decision.default)
    assert sim.ask(back, msg.Act, decision=decision.decision, choice=other) == "stale_decision"


@pytest.mark.parametrize(
    ("choice", "code"),
    [
        (Play(13, 9, 9), "not_held"),
        (Play(12, 14, 0), "not_held"),
        (Play(5, 1, 1), "not_a_set"),
        (PASS, "must_lead"),
        (DECLINE, "wrong_phase"),
        (Call(), "wrong_phase"),
    ],
)
def test_an_illegal_choice_is_refused_with_its_code(choice: Move, code: str) -> None:
    sim, _ = table_of(4, options=QUICK)
    sim.ask(sim.host, msg.Deal)
    leader = sim.asked()[0]
    assert sim.act(leader, choice) == code
    assert sim.asked() == [leader]
    assert sim.act(leader) == "ok"


# -- the revolution window --------------------------------------------------------------------


def test_R2_the_window_is_never_shorter_than_its_minimum_and_declines_are_silent() -> None:
    sim, conns = table_of(4)
    sim.ask(sim.host, msg.Deal)
    opened = sim.viewers[sim.host].seq
    for conn in conns:
        assert sim.act(conn, DECLINE) == "ok"
        assert sim.viewers[sim.host].seq == opened
    sim.advance(0.9)
    assert sim.viewers[sim.host].seq == opened
    sim.advance(0.2)
    assert sim.viewers[sim.host].events(ev.RevolutionClosed)


def test_R2_the_window_ends_after_twenty_seconds_at_most() -> None:
    sim, conns = table_of(4, options={"turn_seconds": 600})
    sim.ask(sim.host, msg.Deal)
    decision = sim.viewers[conns[2]].decision
    assert decision is not None and decision.ms == 20_000
    sim.advance(20)
    assert sim.viewers[sim.host].events(ev.RevolutionClosed)


def test_R3_a_call_ends_the_window_at_once_whoever_has_answered() -> None:
    sim, _ = table_of(4, decks=[deck_with([], [13, 13], seats=4)])
    sim.ask(sim.host, msg.Deal)
    sim.act(conn_of_seat(sim, 3), DECLINE)
    caller = conn_of_seat(sim, 1)
    assert sim.act(conn_of_seat(sim, 0), Call()) == "no_revolution"
    assert sim.act(caller, Call()) == "ok"
    assert sim.viewers[sim.host].events(ev.RevolutionCalled) == [ev.RevolutionCalled(1)]
    assert sim.asked() == [conn_of_seat(sim, 0)]
    sim.play_on()


@pytest.mark.parametrize("revolution", ["optional", "automatic"])
def test_R4_a_greater_revolution_turns_everybody_s_view(revolution: str) -> None:
    sim, _ = table_of(
        4, decks=[deck_with([], [], [], [13, 13], seats=4)], options={"revolution": revolution}
    )
    sim.ask(sim.host, msg.Deal)
    peon = sim.table.people.players[4]
    assert peon.conn is not None
    if revolution == "optional":
        assert sim.act(peon.conn, Call(greater=True)) == "ok"
    assert order(sim) == [4, 3, 2, 1]
    assert sim.asked() == [peon.conn]
    view = sim.viewers[peon.conn].view
    assert view is not None and view.hand is not None and view.hand.seat == 0
    assert view.hand.cards is not None and view.hand.cards.count(13) == 2
    sim.play_on()


# -- C3 and the end of a table ----------------------------------------------------------------


def test_C3_when_all_people_leave_in_a_hand_it_is_abandoned_and_the_table_closes() -> None:
    sim = Sim(options=QUICK)
    sim.seat_bots(3)
    watcher = sim.watch("Zoe")
    sim.ask(sim.host, msg.Deal)
    assert sim.ask(sim.host, msg.Leave) == "ok"
    assert sim.table.closed
    told = sim.viewers[watcher]
    assert told.events(ev.HandAbandoned) == [ev.HandAbandoned(1)]
    assert told.events(ev.HandEnded) == []
    assert len(told.events(ev.DealRevealed)) == 1
    assert told.events(ev.TableClosed) == [ev.TableClosed("empty")]
    assert told.messages[-1] == msg.Unseated(table=NAME, reason="closed")
    assert "abandon" in sim.transcript()


def test_I04_I18_a_table_waits_for_its_lost_people_and_then_closes() -> None:
    sim, conns = table_of(2, options=QUICK, limits=Limits(table_seconds=240))
    sim.ask(sim.host, msg.Deal)
    tokens = [sim.viewers[conn].token for conn in conns]
    for conn in conns:
        sim.lose(conn)
    sim.advance(239)
    assert sim.table.play.match.hands_played == 1, "the stand-ins played the hand to its end"
    back = sim.resume(tokens[0])
    sim.advance(1000)
    assert not sim.table.closed
    sim.lose(back)
    sim.advance(241)
    assert sim.table.closed


def test_match_end_and_a_new_match() -> None:
    sim, _ = table_of(3, options={**QUICK, "match_end": "hands:2"})
    sim.hand()
    sim.hand()
    view = sim.viewers[sim.host].view
    assert view is not None and view.state == "over" and view.winners
    sim.hand()
    assert view.winners and sim.viewers[sim.host].events(ev.MatchRestarted)
    view = sim.viewers[sim.host].view
    assert view is not None and view.state == "between" and view.hands_played == 1
    assert all(v.ok and v.proved for v in verify(loads(sim.transcript())))


# -- the deal ---------------------------------------------------------------------------------


def test_nonces_are_taken_between_commitment_and_deal_only() -> None:
    sim, conns = table_of(3)
    fair = Sim()
    fair.table.dealer.fixed = None
    assert sim.ask(conns[1], msg.Nonce, hand=1, nonce="aa" * 16) == "no_nonce_now"
    guest = fair.join("Guest")
    assert fair.ask(guest, msg.Nonce, hand=2, nonce="aa" * 16) == "no_nonce_now"
    assert fair.ask(guest, msg.Nonce, hand=1, nonce="aa" * 16) == "ok"
    watcher = fair.watch("Zoe")
    assert fair.ask(watcher, msg.Nonce, hand=1, nonce="aa" * 16) == "not_seated"
    fair.ask(fair.host, msg.Deal)
    assert fair.ask(guest, msg.Nonce, hand=1, nonce="bb" * 16) == "no_nonce_now"
    assert fair.ask(guest, msg.Nonce, hand=2, nonce="bb" * 16) == "no_nonce_now"
    started = fair.viewers[guest].events(ev.HandStarted)[0]
    assert started.nonces == (ev.Nonce(2, "aa" * 16),)


def test_a_table_with_a_seed_says_that_it_is_not_fair_and_plays_the_same_deals() -> None:
    first, second = Sim(seed=7), Sim(seed=7)
    for sim in (first, second):
        sim.join("Guest")
        sim.ask(sim.host, msg.Deal)
    assert first.table.info().fair is False
    cards = [sim.viewers[sim.host].events(ev.Dealt) for sim in (first, second)]
    assert cards[0] == cards[1]
    view = first.viewers[first.host].view
    assert view is not None and not view.fair


@pytest.mark.parametrize("titles", ["draw", "random", "order_of_arrival"])
def test_first_titles(titles: str) -> None:
    sim, conns = table_of(5, options={"first_titles": titles})
    sim.ask(sim.host, msg.Deal)
    drawn = sim.viewers[conns[3]].events(ev.TitlesDrawn)[0]
    assert sorted(drawn.order) == [1, 2, 3, 4, 5]
    assert bool(drawn.rounds) == (titles == "draw")
    if titles == "order_of_arrival":
        assert drawn.order == (1, 2, 3, 4, 5)


# -- a long random evening --------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_a_random_evening_with_comings_and_goings(seed: int) -> None:
    """Every step compares each viewer's fold with the server's snapshot (see sim)."""
    chance = random.Random(seed)
    sim, _ = table_of(3, seed=seed, options={"turn_seconds": 5, "seats": 7})
    names = iter(range(10, 1000))
    lost: list[str] = []

    def something() -> None:
        present = [c for c, p in sim.table.people.connected() if p is not None and c != sim.host]
        what = chance.randrange(9)
        if what == 0 and present:
            sim.ask(chance.choice(present), msg.Leave)
        elif what == 1 and len(sim.table.people.seated()) < 7:
            sim.join(f"New{next(names)}")
        elif what == 2 and present:
            gone = chance.choice(present)
            lost.append(sim.viewers[gone].token)
            sim.lose(gone)
        elif what == 3 and lost:
            conn = sim.connect("back")
            token = lost.pop(chance.randrange(len(lost)))
            sim.ask(conn, msg.Resume, table=NAME, token=token)
        elif what == 4 and present:
            sim.ask(chance.choice(present), msg.Away, away=chance.random() < 0.7)
        elif what == 5:
            sim.watch(f"Watcher{next(names)}")
        else:
            sim.advance(chance.uniform(0.1, 3))

    for _ in range(3):
        while len(sim.table.play.match.order) < 2:
            sim.join(f"New{next(names)}")
        assert sim.ask(sim.host, msg.Deal) == "ok"
        for _ in range(300):
            if sim.table.play.match.hand is None:
                break
            if chance.random() < 0.2:
                something()
            asked = sim.asked()
            if asked and chance.random() < 0.8:
                sim.act(asked[0])
            else:
                sim.advance(1)
    sim.play_on()
    assert all(verdict.ok for verdict in verify(loads(sim.transcript())))
