"""Who may do what, and when: requests by role and phase, hosts, passwords, tokens, tickets."""

from __future__ import annotations

from typing import Any

import pytest
import trio
from msgspec.structs import replace

from dalmuti.core import events as ev
from dalmuti.core.moves import DECLINE
from dalmuti.protocol import messages as msg
from dalmuti.server.config import Config
from dalmuti.server.limits import Limits
from server.sim import NAME, Sim
from server.wire import MemoryServer

PHASES = ("waiting", "hand", "between", "over")
ROLES = ("stranger", "spectator", "player", "bot", "kicked", "host")


def at_phase(phase: str, role: str) -> tuple[Sim, int]:
    """A table in a phase, and a connection in a role."""
    options: dict[str, str | int] = {"match_end": "hands:1"} if phase == "over" else {}
    sim = Sim(options=options, pace=0)
    sim.table.dealer.fixed = None
    player, watcher = sim.join("Bob"), sim.watch("Zoe")
    sim.join("Cleo")
    bot, kicked = sim.join("Robo", "bot"), sim.join("Kurt")
    assert sim.ask(sim.host, msg.Kick, player=sim.viewers[kicked].number) == "ok"
    if phase != "waiting":
        sim.ask(sim.host, msg.Deal)
    if phase in ("between", "over"):
        sim.play_on()
    assert sim.table.play.match.state == phase
    stranger = sim.connect("Stranger")
    roles = {
        "stranger": stranger,
        "spectator": watcher,
        "player": player,
        "bot": bot,
        "kicked": kicked,
        "host": sim.host,
    }
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


def expected(kind: type[msg.Request], role: str, phase: str) -> str:
    """A bot may do what a person may; who was kicked is a stranger who may not come back."""
    if role == "kicked" and kind is msg.JoinTable:
        return "kicked"
    found = MATRIX[kind][{"bot": "player", "kicked": "stranger"}.get(role, role)]
    return found if isinstance(found, str) else found[phase]


@pytest.mark.parametrize("kind", MATRIX, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("phase", PHASES)
def test_I39_I43_I47_request_by_role_and_phase(
    kind: type[msg.Request], role: str, phase: str
) -> None:
    sim, conn = at_phase(phase, role)
    assert sim.ask(conn, kind, **fields_of(sim, kind)) == expected(kind, role, phase)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("phase", PHASES)
async def test_I39_requests_to_the_lobby_by_role_and_phase(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock, role: str, phase: str
) -> None:
    server = MemoryServer(nursery, Config(bot_delay=0))
    options: dict[str, str | int] = {"match_end": "hands:1"} if phase == "over" else {}
    options["revolution"] = "off"
    ada, bob, kurt = await server.table("Ada", "Bob", "Kurt", options=options)
    robo = await server.person("Robo", kind="bot")
    assert await robo.ask(msg.JoinTable, table="Kitchen") == "ok"
    zoe, stranger = await server.person("Zoe"), await server.person("Stranger")
    assert await zoe.ask(msg.JoinTable, table="Kitchen", watch=True) == "ok"
    assert await ada.ask(msg.Kick, player=kurt.last(msg.Seated).player) == "ok"
    await kurt.next(msg.Unseated)
    if phase != "waiting":
        assert await ada.ask(msg.Deal) == "ok"
    if phase in ("between", "over"):
        async with trio.open_nursery() as playing:
            for client in (bob, robo):
                playing.start_soon(client.play_until, ev.HandEnded)
            await ada.play_until(ev.HandPrepared)
    (room,) = server.lobby.rooms.values()
    assert room.table.play.match.state == phase
    roles = {
        "stranger": stranger,
        "spectator": zoe,
        "player": bob,
        "bot": robo,
        "kicked": kurt,
        "host": ada,
    }
    client = roles[role]
    outside = role in ("stranger", "kicked")
    assert await client.ask(msg.ListTables) == "ok"
    new = await client.ask(msg.CreateTable, table="Parlour")
    assert new == ("ok" if outside else "already_seated")
    if outside:
        assert await client.ask(msg.Leave) == "ok"
    nursery.cancel_scope.cancel()


def test_every_request_to_a_table_is_in_the_matrix() -> None:
    elsewhere = {msg.ListTables, msg.CreateTable, msg.Enlist, msg.ListLadder}
    assert set(msg.Request.__subclasses__()) == {*MATRIX, *elsewhere}


def test_one_player_is_too_few() -> None:
    sim = Sim()
    assert sim.ask(sim.host, msg.Deal) == "too_few_players"


# -- the host ---------------------------------------------------------------------------------


def host(sim: Sim) -> int | None:
    return sim.table.seating.host


def test_I25_I38_the_host_role_moves_to_the_longest_present_human_when_the_host_leaves() -> None:
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


def test_I25_it_moves_when_the_host_is_lost_past_the_grace_and_not_before() -> None:
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


def test_a_lost_host_among_bots_is_host_still_when_he_is_back() -> None:
    """A guest's bot never deals, so the table would stand still for good."""
    sim = Sim()
    sim.join("Robot", "bot")
    token = sim.viewers[sim.host].token
    sim.lose(sim.host)
    sim.advance(30)
    conn = sim.resume(token)
    assert host(sim) == 1
    assert sim.ask(conn, msg.Deal) == "ok"


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


def test_I44_I45_a_host_who_only_watches_deals_and_sees_no_cards() -> None:
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


def test_I06_the_host_kicks_between_hands_and_not_himself() -> None:
    sim = Sim()
    bob = sim.join("Bob")
    assert sim.ask(sim.host, msg.Kick, player=1) == "refused"
    assert sim.ask(sim.host, msg.Kick, player=2) == "ok"
    assert sim.viewers[bob].messages[-1] == msg.Unseated(table=NAME, reason="kicked")
    assert sim.viewers[sim.host].events(ev.PlayerLeft) == [ev.PlayerLeft(2, "kicked")]
    stranger = sim.connect("Bob")
    token = sim.viewers[bob].token
    assert sim.ask(stranger, msg.Resume, table=NAME, token=token) == "bad_token"


def test_I40_close_tells_everyone() -> None:
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


def test_I34_I76_coming_and_going_cannot_grow_the_table_without_end() -> None:
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


def test_I80_chat_is_made_safe_and_says_who_speaks() -> None:
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


def test_I09_I11_the_newest_connection_wins() -> None:
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


# -- who was kicked ---------------------------------------------------------------------------


def kick(sim: Sim, conn: int) -> None:
    number = sim.viewers[conn].number
    assert sim.ask(sim.host, msg.Kick, player=number) == "ok"


def at(sim: Sim, name: str, address: str) -> int:
    """Somebody who comes from an address."""
    conn = sim.connect(name)
    sim.viewers[conn].caller = replace(sim.viewers[conn].caller, address=address)
    return conn


def join(sim: Sim, conn: int, watch: bool = False) -> str:
    return sim.ask(conn, msg.JoinTable, table=NAME, watch=watch)


@pytest.mark.parametrize("name", ["Bob", "bob", "B0b", "Bob-2", "_Bob_", "Bob99", "B\u043eb"])
def test_I42_a_kicked_player_does_not_come_back_under_a_slightly_different_name(name: str) -> None:
    sim = Sim()
    bob = sim.join("Bob")
    token = sim.viewers[bob].token
    kick(sim, bob)
    assert join(sim, bob) == "kicked", "the same connection"
    back = sim.connect(name)
    assert join(sim, back) == join(sim, back, watch=True) == "kicked"
    assert sim.ask(back, msg.Resume, table=NAME, token=token) == "bad_token"
    assert join(sim, sim.connect("Rob")) == "ok"
    assert sim.ask(sim.host, msg.Allow) == "ok"
    assert join(sim, back) == "ok"


def test_I42_nor_from_the_same_address_unless_others_come_from_there() -> None:
    sim = Sim()
    bob, cleo = at(sim, "Bob", "192.0.2.1"), at(sim, "Cleo", "192.0.2.2")
    dora = at(sim, "Dora", "192.0.2.2")
    for conn in (bob, cleo, dora):
        assert join(sim, conn) == "ok"
    kick(sim, bob)
    kick(sim, cleo)
    assert join(sim, at(sim, "Robert", "192.0.2.1")) == "kicked"
    assert join(sim, at(sim, "Emil", "192.0.2.2")) == "ok", "Dora's house"
    home = at(sim, "Gus", "127.0.0.1")
    assert join(sim, home) == "ok"
    kick(sim, home)
    assert join(sim, at(sim, "Hedy", "127.0.0.1")) == "ok", "everybody on this machine"


def test_I42_a_house_bot_that_was_kicked_bans_nobody() -> None:
    sim = Sim()
    (bea,) = sim.seat_bots(1)
    name = sim.viewers[bea].caller.name
    kick(sim, bea)
    assert sim.table.people.kicked == []
    assert join(sim, sim.connect(name)) == "ok"


def test_I05_I08_a_token_gets_past_password_full_started_and_no_spectators() -> None:
    options: dict[str, str | int] = {"seats": 4, "spectators": "refused"}
    sim = Sim(password="sesame", options=options)
    bob = sim.join("Bob", password="sesame")
    for name in ("Cleo", "Dora"):
        sim.join(name, password="sesame")
    assert sim.ask(sim.host, msg.Deal) == "ok"
    sim.lose(bob)
    late = sim.connect("Late")
    assert sim.ask(late, msg.JoinTable, table=NAME, password="sesame") == "table_full"
    back = sim.resume(sim.viewers[bob].token)
    assert sim.viewers[back].number == 2 and sim.presence(2) == "here"


def test_I10_I13_identity_is_the_token_and_nothing_else() -> None:
    sim = Sim()
    bob = at(sim, "Bob", "192.0.2.1")
    assert join(sim, bob) == "ok"
    sim.lose(bob)
    stranger = at(sim, "Somebody", "198.51.100.9")
    fields = {"table": NAME, "token": sim.viewers[bob].token}
    assert sim.ask(stranger, msg.Resume, **fields) == "ok"
    snapshot = next(m for m in sim.viewers[stranger].messages if isinstance(m, msg.Snapshot))
    assert snapshot.table.you == sim.viewers[bob].number, "his seat, and not as a spectator"


def test_I15_one_role_at_a_table() -> None:
    sim = Sim()
    bob, zoe = sim.join("Bob"), sim.watch("Zoe")
    for conn in (bob, zoe):
        assert join(sim, conn) == join(sim, conn, watch=True) == "already_seated"
    assert len(sim.table.people.players) == 2 and len(sim.table.people.watchers) == 1


def test_I16_leaving_works_from_everywhere_and_twice() -> None:
    sim = Sim()
    bob, zoe = sim.join("Bob"), sim.watch("Zoe")
    for conn in (bob, bob, zoe, zoe, sim.connect("Nobody")):
        assert sim.ask(conn, msg.Leave) == "ok"


# -- seats whose players do not play ----------------------------------------------------------


def hands_of(sim: Sim, number: int, plays: set[int]) -> None:
    """So many hands, in which these connections answer and all others do not."""
    for _ in range(number):
        assert sim.ask(sim.host, msg.Deal) == "ok"
        for _ in range(3000):
            if sim.table.play.match.hand is None:
                break
            asked = [conn for conn in sim.asked() if conn in plays]
            if asked:
                sim.act(asked[0])
            else:
                due = sim.table.next_deadline()
                assert due is not None
                sim.advance(max(0.0, due - sim.now))
        assert sim.table.play.match.hand is None


@pytest.mark.parametrize("how", ["lost", "away", "clock"])
def test_I31_I36_a_seat_that_others_play_for_three_hands_is_freed_between_hands(how: str) -> None:
    sim = Sim()
    bob, cleo = sim.join("Bob"), sim.join("Cleo")
    if how == "lost":
        sim.lose(bob)
    elif how == "away":
        assert sim.ask(bob, msg.Away, away=True) == "ok"
    hands_of(sim, 2, {sim.host, cleo})
    assert sim.table.people.players[2].seated
    hands_of(sim, 1, {sim.host, cleo})
    left = sim.viewers[cleo].events(ev.PlayerLeft)
    assert left == [ev.PlayerLeft(2, "lost")]
    if how != "lost":
        unseated = [m for m in sim.viewers[bob].messages if isinstance(m, msg.Unseated)]
        assert [message.reason for message in unseated] == ["lost"]
    hands_of(sim, 1, {sim.host, cleo})


def test_I29_I31_who_decides_once_in_three_hands_or_comes_back_stays() -> None:
    sim = Sim()
    bob, cleo = sim.join("Bob"), sim.join("Cleo")
    sim.lose(bob)
    for _ in range(3):
        hands_of(sim, 2, {sim.host, cleo})
        bob = sim.resume(sim.viewers[bob].token)
        sim.lose(bob)
    assert sim.table.people.players[2].seated
    bob = sim.resume(sim.viewers[bob].token)
    hands_of(sim, 2, {sim.host, cleo})
    hands_of(sim, 1, {sim.host, bob, cleo})
    hands_of(sim, 2, {sim.host, cleo})
    assert sim.table.people.players[2].seated


def test_I31_the_number_of_hands_can_be_set_and_zero_is_never() -> None:
    for hands, freed in ((1, True), (0, False)):
        sim = Sim(limits=Limits(standin_hands=hands))
        bob, cleo = sim.join("Bob"), sim.join("Cleo")
        sim.lose(bob)
        hands_of(sim, 4 if not freed else 1, {sim.host, cleo})
        assert sim.table.people.players[2].seated is not freed


def test_a_person_who_sits_down_relieves_a_bot_that_became_host_for_want_of_people() -> None:
    """A guest's bot does not deal; but one that opened the table means to be its host."""
    sim = Sim()
    bot = sim.join("Robo", "bot")
    assert sim.ask(sim.host, msg.Leave) == "ok"
    assert sim.table.seating.is_host(bot)
    ada = sim.join("Ada")
    assert sim.table.seating.is_host(ada)
    assert sim.ask(ada, msg.Deal) == "ok"
