"""Who may do what, and when: requests by role and phase, hosts, passwords, tokens, tickets."""

from __future__ import annotations

from typing import Any

import pytest

from dalmuti.core import events as ev
from dalmuti.core.moves import DECLINE
from dalmuti.protocol import messages as msg
from dalmuti.server.limits import Limits
from server.sim import NAME, Sim

PHASES = ("waiting", "hand", "between", "over")
ROLES = ("stranger", "spectator", "player", "host")


def at_phase(phase: str, role: str) -> tuple[Sim, int]:
    """A table in a phase, and a connection in a role."""
    options: dict[str, str | int] = {"match_end": "hands:1"} if phase == "over" else {}
    sim = Sim(options=options, pace=0)
    sim.table.dealer.fixed = None
    player, watcher = sim.join("Bob"), sim.watch("Zoe")
    sim.join("Cleo")
    if phase != "waiting":
        sim.ask(sim.host, msg.Deal)
    if phase in ("between", "over"):
        sim.play_on()
    assert sim.table.play.match.state == phase
    stranger = sim.connect("Stranger")
    roles = {"stranger": stranger, "spectator": watcher, "player": player, "host": sim.host}
    return sim, roles[role]


def fields_of(sim: Sim, kind: type[msg.Request]) -> dict[str, Any]:
    asking = sim.table.play.asking
    number = 1 if asking is None else asking.decision
    fields: dict[type[msg.Request], dict[str, Any]] = {
        msg.Act: {"decision": number, "choice": DECLINE},
        msg.Nonce: {"hand": sim.table.play.match.hands_begun + 1, "nonce": "ab" * 16},
        msg.Chat: {"text": "hello"},
        msg.AddBot: {"bot": "greedy"},
        msg.Kick: {"player": 3},
        msg.GiveHost: {"player": 2},
        msg.JoinTable: {"table": NAME},
        msg.Resume: {"table": NAME, "token": "none such"},
    }
    return fields.get(kind, {})


ALWAYS = dict.fromkeys(PHASES, "ok")
NOT_IN_HAND = {**ALWAYS, "hand": "hand_running"}
SEATED = {"stranger": "not_seated", "spectator": "not_seated"}
NOT_HOST = {"stranger": "not_seated", "spectator": "not_host", "player": "not_host"}
DECIDES = {
    "waiting": "no_decision",
    "hand": "ok",
    "between": "stale_decision",
    "over": "stale_decision",
}
NONCE = {**ALWAYS, "hand": "no_nonce_now"}
AT_TABLE = dict.fromkeys(("spectator", "player", "host"), "already_seated")
MATRIX: dict[type[msg.Request], dict[str, str | dict[str, str]]] = {
    msg.Chat: {"stranger": "not_seated", "spectator": ALWAYS, "player": ALWAYS, "host": ALWAYS},
    msg.Act: {**SEATED, "player": DECIDES, "host": DECIDES},
    msg.Nonce: {**SEATED, "player": NONCE, "host": NONCE},
    msg.Away: {**SEATED, "player": ALWAYS, "host": ALWAYS},
    msg.Deal: {**NOT_HOST, "host": NOT_IN_HAND},
    msg.AddBot: {**NOT_HOST, "host": NOT_IN_HAND},
    msg.Kick: {**NOT_HOST, "host": NOT_IN_HAND},
    msg.Close: {**NOT_HOST, "host": NOT_IN_HAND},
    msg.GiveHost: {**NOT_HOST, "host": ALWAYS},
    msg.Allow: {**NOT_HOST, "host": ALWAYS},
    msg.Leave: dict.fromkeys(ROLES, "ok"),
    msg.JoinTable: {"stranger": ALWAYS, **AT_TABLE},
    msg.Resume: {"stranger": "bad_token", **AT_TABLE},
}


@pytest.mark.parametrize("kind", MATRIX, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("phase", PHASES)
def test_request_by_role_and_phase(kind: type[msg.Request], role: str, phase: str) -> None:
    sim, conn = at_phase(phase, role)
    expected = MATRIX[kind][role]
    if not isinstance(expected, str):
        expected = expected[phase]
    assert sim.ask(conn, kind, **fields_of(sim, kind)) == expected


def test_every_request_to_a_table_is_in_the_matrix() -> None:
    elsewhere = {msg.ListTables, msg.CreateTable}
    assert set(msg.Request.__subclasses__()) == {*MATRIX, *elsewhere}


def test_one_player_is_too_few() -> None:
    sim = Sim()
    assert sim.ask(sim.host, msg.Deal) == "too_few_players"


# -- the host ---------------------------------------------------------------------------------


def host(sim: Sim) -> int | None:
    return sim.table.seating.host


def test_the_host_role_moves_to_the_longest_present_human_when_the_host_leaves() -> None:
    sim = Sim()
    sim.join("Robot", "bot")
    sim.seat_bots(1)
    sim.join("Bob")
    sim.join("Cleo")
    sim.ask(sim.host, msg.Leave)
    assert host(sim) == 4


def test_it_moves_to_a_guest_s_bot_when_no_human_is_left_and_never_to_a_house_bot() -> None:
    sim = Sim()
    sim.seat_bots(1)
    robot = sim.join("Robot", "bot")
    sim.ask(sim.host, msg.Leave)
    assert host(sim) == 3
    sim.ask(robot, msg.Leave)
    assert sim.table.closed, "only house bots remain"


def test_it_moves_when_the_host_is_lost_past_the_grace_and_not_before() -> None:
    sim = Sim()
    bob = sim.join("Bob")
    token = sim.viewers[sim.host].token
    sim.lose(sim.host)
    sim.advance(19.9)
    assert host(sim) == 1
    sim.advance(0.2)
    assert host(sim) == 2
    sim.resume(token)
    assert host(sim) == 2
    assert sim.viewers[bob].events(ev.HostChanged) == [ev.HostChanged(2)]


def test_with_everybody_lost_the_first_to_come_back_is_host() -> None:
    sim = Sim()
    bob = sim.join("Bob")
    sim.lose(bob)
    sim.lose(sim.host)
    sim.advance(30)
    assert host(sim) == 1, "nobody is better"
    sim.resume(sim.viewers[bob].token)
    assert host(sim) == 2


def test_it_moves_in_a_hand_as_well() -> None:
    sim = Sim()
    sim.join("Bob")
    sim.join("Cleo")
    sim.ask(sim.host, msg.Deal)
    sim.ask(sim.host, msg.Leave)
    assert host(sim) == 2


def test_give_host() -> None:
    sim = Sim()
    bob = sim.join("Bob")
    sim.seat_bots(1)
    assert sim.ask(sim.host, msg.GiveHost, player=3) == "refused"
    assert sim.ask(sim.host, msg.GiveHost, player=9) == "no_such_player"
    assert sim.ask(sim.host, msg.GiveHost, player=2) == "ok"
    assert sim.ask(sim.host, msg.Deal) == "not_host"
    assert sim.ask(bob, msg.Deal) == "ok"


def test_a_host_who_only_watches_deals_and_sees_no_cards() -> None:
    sim = Sim(watch=True)
    assert sim.viewers[sim.host].number == 0
    robots = [sim.join(f"Robot{n}", "bot") for n in range(3)]
    assert host(sim) is None and sim.table.info().host == "Ada"
    sim.hand()
    dealt = sim.viewers[sim.host].events(ev.Dealt)
    assert dealt[0].cards is None and len(dealt[0].sizes) == 3
    assert sim.ask(robots[0], msg.Deal) == "not_host"
    sim.lose(sim.host)
    assert host(sim) == 1
    for robot in robots:
        sim.ask(robot, msg.Leave)
    assert sim.table.closed


def test_the_host_kicks_between_hands_and_not_himself() -> None:
    sim = Sim()
    bob = sim.join("Bob")
    assert sim.ask(sim.host, msg.Kick, player=1) == "refused"
    assert sim.ask(sim.host, msg.Kick, player=2) == "ok"
    assert sim.viewers[bob].messages[-1] == msg.Unseated(table=NAME, reason="kicked")
    assert sim.viewers[sim.host].events(ev.PlayerLeft) == [ev.PlayerLeft(2, "kicked")]
    stranger = sim.connect("Bob")
    token = sim.viewers[bob].token
    assert sim.ask(stranger, msg.Resume, table=NAME, token=token) == "bad_token"


def test_close_tells_everyone() -> None:
    sim = Sim()
    bob, zoe = sim.join("Bob"), sim.watch("Zoe")
    assert sim.ask(sim.host, msg.Close) == "ok"
    for conn in (sim.host, bob, zoe):
        assert sim.viewers[conn].events(ev.TableClosed) == [ev.TableClosed("host")]
        assert sim.viewers[conn].messages[-1] == msg.Unseated(table=NAME, reason="closed")


# -- coming in --------------------------------------------------------------------------------


def test_a_table_with_a_password() -> None:
    sim = Sim(password="sésame")
    bob = sim.connect("Bob")
    assert sim.table.info().locked
    assert sim.ask(bob, msg.JoinTable, table=NAME) == "wrong_password"
    assert sim.ask(bob, msg.JoinTable, table=NAME, password="sesame") == "wrong_password"
    assert sim.ask(bob, msg.JoinTable, table=NAME, watch=True) == "wrong_password"
    assert sim.ask(bob, msg.JoinTable, table=NAME, password="sésame") == "ok"
    sim.lose(bob)
    sim.resume(sim.viewers[bob].token)


def test_a_solo_table_can_be_watched_but_nobody_else_sits_down() -> None:
    sim = Sim(solo=True)
    sim.seat_bots(3)
    bob = sim.connect("Bob")
    assert sim.ask(bob, msg.JoinTable, table=NAME) == "solo_table"
    assert sim.ask(bob, msg.JoinTable, table=NAME, watch=True) == "ok"
    assert sim.table.info().solo
    private = Sim(solo=True, options={"spectators": "refused"})
    bob = private.connect("Bob")
    assert private.ask(bob, msg.JoinTable, table=NAME, watch=True) == "spectators_refused"


def test_a_full_table_and_one_without_bots() -> None:
    sim = Sim(options={"seats": 2, "bots_may_join": "no"})
    robot = sim.connect("Robot", "bot")
    assert sim.ask(robot, msg.JoinTable, table=NAME) == "bots_refused"
    assert sim.ask(robot, msg.JoinTable, table=NAME, watch=True) == "ok"
    assert sim.ask(sim.host, msg.AddBot, bot="greedy") == "ok"
    assert sim.ask(sim.host, msg.AddBot, bot="greedy") == "table_full", "a seat is promised"
    late = sim.connect("Late")
    assert sim.ask(late, msg.JoinTable, table=NAME) == "table_full"
    sim.join("Bea", "bot", ticket=sim.take_jobs()[0].ticket)
    assert sim.ask(late, msg.JoinTable, table=NAME) == "table_full"


def test_coming_and_going_cannot_grow_the_table_without_end() -> None:
    """Who left stays listed until the next hand, so there is a bound (server.md I-76)."""
    sim = Sim(limits=Limits(listed=20))
    sim.join("Bob")
    for number in range(18):
        assert sim.ask(sim.join(f"Guest{number}"), msg.Leave) == "ok"
    late = sim.connect("Late")
    assert sim.ask(late, msg.JoinTable, table=NAME) == "table_full"
    sim.ask(sim.host, msg.Deal)
    assert sim.ask(late, msg.JoinTable, table=NAME) == "ok"
    assert len(sim.table.people.players) == 3


def test_watchers_are_bounded_and_named() -> None:
    sim = Sim(limits=Limits(watchers=1))
    zoe, late = sim.watch("Zoe"), sim.connect("Late")
    assert sim.ask(late, msg.JoinTable, table=NAME, watch=True) == "table_full"
    sim.lose(zoe)
    assert sim.viewers[sim.host].events(ev.WatchersChanged)[-1].names == ()
    assert sim.ask(late, msg.JoinTable, table=NAME, watch=True) == "ok"


def test_chat_is_made_safe_and_says_who_speaks() -> None:
    sim = Sim()
    zoe = sim.watch("Zoe")
    assert sim.ask(sim.host, msg.Chat, text="hi \x1b[31mred\u202e") == "ok"
    assert sim.ask(zoe, msg.Chat, text="from the side") == "ok"
    assert sim.ask(zoe, msg.Chat, text="\x1b\u202e") == "bad_text"
    said = sim.viewers[sim.host].events(ev.Chatted)
    assert said == [ev.Chatted("Ada", "hi [31mred", 1), ev.Chatted("Zoe", "from the side")]


# -- tokens -----------------------------------------------------------------------------------


def test_a_token_is_good_until_its_successor_is_known_to_have_arrived() -> None:
    sim = Sim()
    first = sim.viewers[sim.host].token
    second = sim.viewers[sim.resume(first)].token
    third = sim.viewers[sim.resume(first)].token
    stranger = sim.connect("x")
    assert sim.ask(stranger, msg.Resume, table=NAME, token=second) == "ok", (
        "the answer to the resume before may have been lost"
    )
    assert sim.ask(stranger, msg.Away, away=False) == "ok"
    newest = sim.viewers[stranger].token
    other = sim.connect("y")
    for old in (first, second, third):
        assert sim.ask(other, msg.Resume, table=NAME, token=old) == "bad_token"
    assert sim.ask(other, msg.Resume, table=NAME, token=newest) == "ok"


def test_a_token_is_good_however_often_its_successors_get_lost() -> None:
    """As with a server that is killed again and again before its answer is out."""
    sim = Sim()
    first = sim.viewers[sim.host].token
    for _ in range(5):
        sim.resume(first)


def test_the_newest_connection_wins() -> None:
    sim = Sim()
    bob = sim.join("Bob")
    back = sim.resume(sim.viewers[bob].token, old=None)
    assert sim.viewers[bob].messages[-2] == msg.Unseated(table=NAME, reason="replaced")
    assert sim.viewers[bob].messages[-1].reason == "replaced"
    assert sim.viewers[sim.host].events(ev.PresenceChanged) == []
    assert sim.ask(bob, msg.Chat, text="still here?") == "not_seated"
    assert sim.ask(back, msg.Chat, text="yes") == "ok"


# -- house bots -------------------------------------------------------------------------------


def test_a_ticket_seats_one_house_bot_once() -> None:
    sim = Sim(solo=True, password="secret", options={"bots_may_join": "no"})
    assert sim.ask(sim.host, msg.AddBot, bot="clever") == "unknown_bot"
    assert sim.ask(sim.host, msg.AddBot, bot="greedy") == "ok"
    (job,) = sim.take_jobs()
    bea = sim.join(job.name, "bot", ticket=job.ticket)
    assert sim.viewers[sim.host].events(ev.PlayerJoined)[-1].who.kind == "house"
    thief = sim.connect("Thief", "bot")
    assert sim.ask(thief, msg.JoinTable, table=NAME, ticket=job.ticket) == "bad_token"
    assert sim.ask(thief, msg.JoinTable, table=NAME, ticket="") == "bad_token"
    assert sim.viewers[bea].view is not None


def test_house_bots_have_different_names() -> None:
    sim = Sim(options={"seats": 10})
    sim.seat_bots(9)
    names = [player.name for player in sim.table.people.seated()]
    assert len(set(names)) == 10


def test_a_house_bot_that_never_comes_gives_the_seat_free() -> None:
    sim = Sim(options={"seats": 2})
    sim.ask(sim.host, msg.AddBot, bot="greedy")
    sim.advance(16)
    sim.join("Bob")


def test_a_lost_house_bot_is_sent_for_again_and_its_seat_freed_in_the_end() -> None:
    sim = Sim(limits=Limits(bot_retries=2))
    (bea,) = sim.seat_bots(1)
    sim.lose(bea)
    (job,) = sim.take_jobs()
    assert job.name == "Bea" and job.bot == "greedy"
    bea = sim.join("Bea", "bot", ticket=job.ticket)
    assert sim.viewers[bea].number == 2 and sim.presence(2) == "here"
    sim.lose(bea)
    sim.advance(16)
    assert sim.presence(2) == "left"
    assert sim.viewers[sim.host].events(ev.PlayerLeft) == [ev.PlayerLeft(2, "lost")]
