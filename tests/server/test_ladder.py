"""The ladder of a server: names and their keys, who is seated, what is rated and shown."""

from __future__ import annotations

import itertools
import random
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import trio
from trio import Nursery
from trio.testing import wait_all_tasks_blocked

from dalmuti.core import events as ev
from dalmuti.protocol import messages as msg
from dalmuti.server.admin import Admin
from dalmuti.server.bans import Bans
from dalmuti.server.config import Config, ConfigError, config_from
from dalmuti.server.ladder import ratings
from dalmuti.server.ladder.ladder import drawn
from dalmuti.server.limits import Limits
from dalmuti.server.steering import Steering
from dalmuti.server.store.store import Statement
from server.ladder import LadderServer, play_match, play_on
from server.wire import Client, MemoryServer, running


async def enlist(client: Client, name: str, key: str | None = None) -> str:
    return await client.ask(msg.Enlist, name=name, key=key)


async def key_of(client: Client) -> str:
    key = (await client.next(msg.Enlisted)).key
    assert key is not None
    return key


# -- names and keys ---------------------------------------------------------------------------


async def test_a_name_is_its_first_owner_s_who_shows_the_key(
    nursery: Nursery, tmp_path: Path
) -> None:
    server = LadderServer(nursery, tmp_path)
    ours = await server.bot("whoever")
    assert await enlist(ours, "Alpha") == "ok"
    key = await key_of(ours)
    theirs = await server.bot("Eve")
    assert await enlist(theirs, "Alpha") == "name_taken"
    assert await enlist(theirs, "ALPHA", "A" * 26) == "wrong_key"
    assert await enlist(theirs, "Alpna") == "ok", "a letter that looks like no other"
    again = await server.bot("whoever")
    assert await enlist(again, "alpha", key) == "ok"
    assert await again.next(msg.Enlisted) == msg.Enlisted(name="Alpha"), "no second key"
    assert (await ours.next(msg.Bye)).reason == "replaced"
    assert key not in server.log_text.getvalue()
    for name in ("journal.db", "journal.db-wal"):
        assert key.encode() not in (tmp_path / name).read_bytes()
    nursery.cancel_scope.cancel()


async def test_wrong_keys_are_counted_like_wrong_passwords_and_the_right_one_always_fits(
    nursery: Nursery, tmp_path: Path
) -> None:
    server = LadderServer(nursery, tmp_path, Limits(secret_burst=3, secret_seconds=600))
    owner = await server.bot("Owner")
    assert await enlist(owner, "Alpha") == "ok"
    key = await key_of(owner)
    answers = [await enlist(await server.bot(f"Eve{n}"), "Alpha", f"{n}" * 26) for n in range(5)]
    assert answers == ["wrong_key"] * 3 + ["rate_limited"] * 2
    error = await enlist_error(server, "Alpha", "X" * 26)
    assert error.bucket == "secret" and (error.retry_after_ms or 0) > 0
    assert await enlist(await server.bot("Owner"), "Alpha", key) == "ok"
    nursery.cancel_scope.cancel()


async def enlist_error(server: LadderServer, name: str, key: str | None = None) -> msg.Error:
    client = await server.bot("somebody")
    assert await enlist(client, name, key) != "ok"
    return client.last(msg.Error)


async def test_names_are_cleaned_and_none_looks_like_another_or_a_house_bot(
    nursery: Nursery, tmp_path: Path
) -> None:
    server = LadderServer(nursery, tmp_path)
    assert await enlist(await server.bot("x"), "  Löwe  ") == "ok"
    for name, code in (
        ("lowe", "name_taken"),
        ("L\u043ewe", "name_taken"),
        ("Greedy", "name_taken"),
        ("house", "bad_name"),
        ("a\u202eb", "bad_name"),
        ("very long indeed, this name", "bad_name"),
    ):
        assert (await enlist_error(server, name)).code == code, name
    nursery.cancel_scope.cancel()


async def test_the_names_of_one_address_and_of_all_are_bounded(
    nursery: Nursery, tmp_path: Path
) -> None:
    server = LadderServer(nursery, tmp_path, names=3, address_names=2)
    assert [await enlist(await server.bot("x"), name) for name in ("Ab", "Cd")] == ["ok", "ok"]
    error = await enlist_error(server, "Ef")
    assert (error.code, "from your address" in error.message) == ("refused", True)
    for name, code in (("Ef", "ok"), ("Gh", "refused")):
        home = await server.bot("x")
        server.lobby.peers[max(server.lobby.peers)].address = "127.0.0.1"
        assert await enlist(home, name) == code
    assert "no room for more names" in home.last(msg.Error).message
    nursery.cancel_scope.cancel()


async def test_a_name_under_which_nobody_played_is_forgotten_here_and_in_the_journal(
    nursery: Nursery, tmp_path: Path
) -> None:
    server = LadderServer(nursery, tmp_path, seats=4, min_entrants=4, unplayed_hours=1.0)
    ladder, now = server.lobby.ladder, [1_000_000.0]
    ladder._wall = lambda: now[0]
    old = await server.entrant("Old")
    here = await server.entrant("Here")
    assert await old.ask(msg.Leave) == "ok"
    now[0] += 3601
    assert await enlist(await server.bot("x"), "New") == "ok"
    assert ladder.entrants.find("Old") is None and ladder.entrants.find("Here") is not None
    rows = await server.writer.read(lambda store: store.entrants())
    assert sorted(row.name for row in rows) == ["Here", "New"]
    assert await here.ask(msg.Leave) == "ok"
    nursery.cancel_scope.cancel()


async def test_a_banned_name_is_neither_let_in_nor_shown(nursery: Nursery, tmp_path: Path) -> None:
    server = LadderServer(nursery, tmp_path)
    await two_play(server, nursery)
    await server.until_rated(1)
    bans: Bans = server.lobby._bans
    bans.add("Alpha")
    assert [each.name for each in server.lobby.ladder.book.standings()] == ["Beta"]
    assert (await enlist_error(server, "alpha")).code == "refused"
    nursery.cancel_scope.cancel()


# -- who may ask ------------------------------------------------------------------------------

ROLES = ("person", "bot", "seated", "watching", "enlisted", "playing")
ENLIST = {
    "person": "refused",
    "bot": "ok",
    "seated": "already_seated",
    "watching": "already_seated",
    "enlisted": "already_seated",
    "playing": "already_seated",
}
FREE = {"person": "ok", "bot": "ok", "seated": "already_seated", "watching": "already_seated"}
NEVER_HOST = {"person": "not_seated", "bot": "not_seated", "watching": "not_host"}
MATRIX: list[tuple[type[msg.Request], dict[str, Any], dict[str, str]]] = [
    (msg.Enlist, {"name": "Gamma"}, ENLIST),
    (msg.ListLadder, {}, dict.fromkeys(ROLES, "ok")),
    (msg.CreateTable, {"table": "Attic"}, {**FREE, "enlisted": "already_seated"}),
    (msg.CreateTable, {"table": "Attic", "seed": 5}, {**FREE, "enlisted": "already_seated"}),
    (msg.JoinTable, {"table": "Kitchen"}, {**FREE, "enlisted": "already_seated"}),
    (msg.JoinTable, {"table": "Ladder 1"}, {"person": "refused", "bot": "refused"}),
    (msg.JoinTable, {"table": "Ladder 1", "watch": True}, {"person": "ok", "bot": "ok"}),
    (msg.Leave, {}, dict.fromkeys(ROLES, "ok")),
    (msg.Chat, {"text": "hello"}, {"enlisted": "not_seated", "playing": "refused"}),
    (msg.Deal, {}, {**NEVER_HOST, "playing": "not_host"}),
    (msg.Close, {}, {**NEVER_HOST, "playing": "not_host"}),
    (msg.Kick, {"player": 2}, {**NEVER_HOST, "playing": "not_host"}),
    (msg.AddBot, {"bot": "greedy"}, {**NEVER_HOST, "playing": "not_host"}),
]


@pytest.mark.parametrize("role", ROLES)
async def test_I39_requests_by_role(nursery: Nursery, tmp_path: Path, role: str) -> None:
    """Each of them in a server where a rated match is played."""
    for number, (kind, fields, expected) in enumerate(MATRIX):
        if role not in expected:
            continue
        async with trio.open_nursery() as inner:
            server = LadderServer(inner, tmp_path / str(number))
            people = await server.table("Ada", "Bob")
            first, second = await server.entrant("Alpha"), await server.entrant("Beta")
            for each in (first, second):
                await each.next(msg.Snapshot)
            clients = {
                "person": await server.person("Eve"),
                "bot": await server.bot("Robo"),
                "seated": people[1],
                "watching": await server.person("Zoe"),
                "enlisted": await server.entrant("Delta"),
                "playing": first,
            }
            assert await clients["watching"].ask(msg.JoinTable, table="Kitchen", watch=True) == "ok"
            answer = await clients[role].ask(kind, **fields)
            assert answer == expected[role], (kind, fields)
            inner.cancel_scope.cancel()


async def test_a_server_without_a_ladder_says_so(nursery: Nursery) -> None:
    server = MemoryServer(nursery, Config(bot_delay=0))
    bot, person = await server.person("Robo", kind="bot"), await server.person("Ada")
    assert await bot.ask(msg.Enlist, name="Robo") == "no_ladder"
    assert await person.ask(msg.ListLadder) == "no_ladder"
    nursery.cancel_scope.cancel()


async def test_nobody_enlists_while_the_server_drains(nursery: Nursery, tmp_path: Path) -> None:
    server = LadderServer(nursery, tmp_path)
    waiting = await server.entrant("Alpha")
    Steering(server.lobby).drain(60)
    assert (await enlist_error(server, "Beta")).code == "draining"
    assert (await waiting.next(msg.Draining)).ms == 60_000
    nursery.cancel_scope.cancel()


# -- matches ----------------------------------------------------------------------------------


async def two_play(server: LadderServer, nursery: Nursery) -> tuple[Client, Client]:
    """Two bots play for as long as the test runs."""
    alpha, beta = await server.entrant("Alpha"), await server.entrant("Beta")
    nursery.start_soon(play_on, alpha)
    nursery.start_soon(play_on, beta)
    return alpha, beta


async def test_match_after_match_is_rated_logged_shown_and_computed_again(
    nursery: Nursery, tmp_path: Path
) -> None:
    server = LadderServer(nursery, tmp_path, hands=2)
    await two_play(server, nursery)
    results = await server.until_rated(4)
    assert [each.number for each in results[:4]] == [1, 2, 3, 4]
    for each in results:
        assert sorted(line.name for line in each.lines) == ["Alpha", "Beta"]
        assert [(line.hands, line.helped) for line in each.lines] == [(2, 0), (2, 0)]
        assert sum(line.points for line in each.lines) == 2
    logged = server.lines("match_rated")
    assert [line["match"] for line in logged][:4] == [1, 2, 3, 4]
    assert logged[0]["points"] == [f"{line.name} {line.points}" for line in results[0].lines]
    matches, wrong = await server.lobby.ladder.book.differences()
    assert matches >= 4 and wrong == []
    ladder = server.lobby.ladder
    person = await server.person("Ada")
    assert await person.ask(msg.ListLadder) == "ok"
    told = await person.next(msg.Ladder)
    assert (told.total, told.seats, told.hands) == (2, 2, 2)
    assert all(rank.here and not rank.house and rank.hands >= 8 for rank in told.ranks)
    assert told.ranks[0].mu - 3 * told.ranks[0].sigma >= told.ranks[1].mu - 3 * told.ranks[1].sigma
    figures = Steering(server.lobby).figures()
    rated = int(figures.partition('rated_matches_total{result="rated"} ')[2].split()[0])
    assert rated >= 4 and 'ladder_entrants{state="playing"}' in figures
    admin = Admin(Steering(server.lobby), Bans(None), server.log, lambda seconds, why: None)
    answer = await admin.answer(b'{"do": "ladder"}')
    assert answer.ok and answer.lines[-1].endswith("matches: the same")
    assert {line.split()[0] for line in answer.lines[1:3]} == {"Alpha", "Beta"}
    old = ladder.entrants.records()["Alpha"]
    found = ladder.entrants.find("Alpha")
    assert found is not None
    found.record = type(old)("Alpha", matches=1)
    assert (await ladder.book.differences())[1] == ["Alpha"], "a check that can fail"
    nursery.cancel_scope.cancel()


async def test_nobody_waits_for_long(nursery: Nursery, tmp_path: Path) -> None:
    """Who sat out the last match plays in the next one; three wait for two seats."""
    server = LadderServer(nursery, tmp_path, pause=0.02)
    for name in ("Alpha", "Beta", "Gamma"):
        nursery.start_soon(play_on, await server.entrant(name))
    results = await server.until_rated(8)
    players = [{line.name for line in each.lines} for each in results[1:]]
    for one, other in itertools.pairwise(players):
        assert one | other == {"Alpha", "Beta", "Gamma"}
    assert not any(line.helped for each in results for line in each.lines)
    nursery.cancel_scope.cancel()


def test_with_many_who_wait_all_meet_all_and_play_about_as_often() -> None:
    """Taking turns strictly would make two groups of six that never meet."""
    chance, last = random.Random(1), dict[str, int]()
    names = [f"bot{n}" for n in range(12)]
    played, met = Counter[str](), set[frozenset[str]]()
    for number in range(1, 101):
        players = drawn(names, last, 6, chance)
        assert len(set(players)) == 6
        last.update(dict.fromkeys(players, number))
        played.update(players)
        met.update(map(frozenset, itertools.combinations(players, 2)))
    assert len(met) == 12 * 11 / 2
    assert all(40 <= played[name] <= 60 for name in names), played
    assert sorted(drawn(names[:4], {}, 6, chance)) == names[:4]


async def test_several_tables_at_once_and_no_more(nursery: Nursery, tmp_path: Path) -> None:
    server = LadderServer(nursery, tmp_path, tables=2)
    bots = [await server.entrant(f"Bot{letter}") for letter in "abcdef"]
    for bot in bots[:4]:
        await bot.next(msg.Snapshot)
    await wait_all_tasks_blocked()
    assert len(server.lobby.rooms) == 2
    assert not any(isinstance(each, msg.Seated) for bot in bots[4:] for each in bot.seen)
    nursery.cancel_scope.cancel()


async def test_house_bots_take_the_other_seats_in_turn(nursery: Nursery, tmp_path: Path) -> None:
    server = LadderServer(nursery, tmp_path, seats=4, house=("greedy", "random"))
    nursery.start_soon(server.house)
    nursery.start_soon(play_on, await server.entrant("Alpha"))
    results = await server.until_rated(2)
    houses = [sorted(line.name for line in each.lines if line.house) for each in results[:2]]
    assert houses == [["greedy", "greedy", "random"], ["greedy", "random", "random"]]
    assert all(job["name"].startswith(("greedy", "random")) for job in server.lines("bot_sent_for"))
    records = {each.name: each for each in server.lobby.ladder.book.standings()}
    assert records["greedy"].house and records["greedy"].hands > records["greedy"].matches
    assert (await server.lobby.ladder.book.differences())[1] == []
    nursery.cancel_scope.cancel()


async def test_a_match_whose_house_bots_do_not_come_is_void(
    nursery: Nursery, tmp_path: Path
) -> None:
    limits = Limits(bot_seconds=0.02)
    server = LadderServer(nursery, tmp_path, limits, house=("greedy",), pause=5.0)
    alpha = await server.entrant("Alpha")
    with trio.fail_after(60):
        assert (await alpha.next(msg.Unseated)).reason == "closed"
    await wait_all_tasks_blocked()
    assert [line["match"] for line in server.lines("match_void")] == [1]
    assert server.lobby.metrics.rated_matches == {"void": 1}
    assert await server.rated() == [] and server.lobby.ladder.book.standings() == []
    assert await alpha.ask(msg.Leave) == "ok"
    nursery.cancel_scope.cancel()


async def test_who_enlists_again_in_a_match_has_his_seat_back(
    nursery: Nursery, tmp_path: Path
) -> None:
    """On a new connection, after the old one was lost, and even after leaving."""
    server = LadderServer(nursery, tmp_path)
    alpha = await server.bot("Alpha")
    assert await enlist(alpha, "Alpha") == "ok"
    key = await key_of(alpha)
    beta = await server.entrant("Beta")
    seat = (await alpha.next(msg.Seated)).player
    await alpha.next(msg.Decision)
    again = await server.bot("Alpha")
    assert await enlist(again, "Alpha", key) == "ok"
    assert (await again.next(msg.Seated)).player == seat
    assert (await again.next(msg.Decision)).choices
    assert (await alpha.next(msg.Bye)).reason == "replaced"
    assert await again.ask(msg.Leave) == "ok"
    assert await again.ask(msg.CreateTable, table="Attic") == "ok", "out of the ladder"
    third = await server.bot("Alpha")
    assert await enlist(third, "Alpha", key) == "ok"
    assert (await third.next(msg.Seated)).player == seat
    nursery.start_soon(play_match, third)
    nursery.start_soon(play_match, beta)
    (result, *_) = await server.until_rated(1)
    assert {line.name: line.helped for line in result.lines} == {"Alpha": 1, "Beta": 0}
    nursery.cancel_scope.cancel()


async def test_a_match_that_stand_ins_end_is_rated_once_and_the_next_one_comes(
    nursery: Nursery, tmp_path: Path
) -> None:
    """The last move is then nobody's request but the time's."""
    server = LadderServer(nursery, tmp_path)
    alpha, beta = await server.entrant("Alpha"), await server.entrant("Beta")
    for each in (alpha, beta):
        await each.next(msg.Decision)
    for each in (alpha, beta):
        assert await each.ask(msg.Leave) == "ok"
    (result,) = await server.until_rated(1)
    assert [(line.points, line.helped) for line in result.lines] == [(0, 1), (0, 1)]
    nursery.start_soon(play_on, await server.entrant("Gamma"))
    nursery.start_soon(play_on, await server.entrant("Delta"))
    assert [each.number for each in (await server.until_rated(2))[:2]] == [1, 2]
    assert (await server.lobby.ladder.book.differences())[1] == [] and not server.keeping.stuck
    nursery.cancel_scope.cancel()


async def test_a_match_goes_on_and_is_rated_where_the_ladder_was_closed_meanwhile(
    tmp_path: Path,
) -> None:
    tokens: list[str] = []
    async with trio.open_nursery() as nursery:
        server = LadderServer(nursery, tmp_path)
        bots = [await server.entrant("Alpha"), await server.entrant("Beta")]
        for each in bots:
            tokens.append((await each.next(msg.Seated)).token)
            await each.next(msg.Decision)
        nursery.cancel_scope.cancel()
    async with trio.open_nursery() as nursery:
        server = LadderServer(nursery, tmp_path, enabled=False)
        server.lobby.restore()
        for token in tokens:
            bot = await server.bot("somebody")
            assert await bot.ask(msg.ListLadder) == "no_ladder"
            assert await bot.ask(msg.Resume, table="Ladder 1", token=token) == "ok"
            nursery.start_soon(play_match, bot)
        (result,) = await server.until_rated(1)
        assert [(line.hands, line.helped) for line in result.lines] == [(1, 0), (1, 0)]
        nursery.cancel_scope.cancel()
    async with trio.open_nursery() as nursery:
        server = LadderServer(nursery, tmp_path)
        server.lobby.restore()
        assert not server.lobby.rooms
        alpha = await server.bot("somebody")
        assert await enlist(alpha, "Alpha") == "name_taken"
        assert [each.matches for each in server.lobby.ladder.book.standings()] == [1, 1]
        for name in ("Gamma", "Delta"):
            nursery.start_soon(play_on, await server.entrant(name))
        assert [each.number for each in await server.until_rated(2)][:2] == [1, 2]
        nursery.cancel_scope.cancel()


async def test_known_deals_are_never_rated(nursery: Nursery, tmp_path: Path) -> None:
    """A table that somebody opens is no table of the ladder, whatever it is called."""
    server = LadderServer(nursery, tmp_path)
    robo, other = await server.bot("Robo"), await server.bot("Other")
    options = {"seats": 2, "match_end": "hands:1", "scoring": "points"}
    assert await robo.ask(msg.CreateTable, table="Ladder 1", options=options, seed=5) == "ok"
    assert await other.ask(msg.JoinTable, table="Ladder 1") == "ok"
    assert await robo.ask(msg.Deal) == "ok"
    async with trio.open_nursery() as playing:
        playing.start_soon(other.play_until, ev.MatchEnded)
        await robo.play_until(ev.MatchEnded)
    (info,) = server.lobby.board.view().tables
    assert not info.rated and not info.fair
    await two_play(server, nursery)
    results = await server.until_rated(1)
    assert {line.name for each in results for line in each.lines} == {"Alpha", "Beta"}
    rooms = server.lobby.rooms.values()
    assert all(room.table.dealer.fair for room in rooms if room.table.rated is not None)
    assert {room.table.name for room in rooms if room.table.rated} & {"Ladder 1-2", "Ladder 2"}
    nursery.cancel_scope.cancel()


async def test_a_table_that_crashes_lets_its_bots_wait_for_the_next(
    nursery: Nursery, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the match that came to nothing is not waited for."""
    server = LadderServer(nursery, tmp_path)
    calls = []

    def counted(known: Any, result: Any) -> Any:
        calls.append(result)
        if len(calls) == 1:
            raise ZeroDivisionError
        return ratings.counted(known, result)

    monkeypatch.setattr("dalmuti.server.ladder.book.counted", counted)
    await two_play(server, nursery)
    results = await server.until_rated(1)
    assert results[0].number == 2 and len(server.lines("table_crashed")) == 1
    with trio.fail_after(1000):
        assert (await server.lobby.ladder.book.differences())[1] == []
    nursery.cancel_scope.cancel()


async def test_a_match_is_shown_when_the_journal_has_it_and_not_before(
    nursery: Nursery, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = LadderServer(nursery, tmp_path)
    await two_play(server, nursery)
    await server.until_rated(2)
    ada = await server.person("Ada")
    commit, full = server.store.commit, [True]

    def failing(statements: list[Statement], now: float) -> None:
        if full[0] and any(
            statement.startswith("INSERT INTO rated") for statement, _ in statements
        ):
            raise sqlite3.OperationalError("the disk is full")
        commit(statements, now)

    monkeypatch.setattr(server.store, "commit", failing)
    with trio.fail_after(1000):
        while not server.keeping.stuck:  # noqa: ASYNC110  # told by a thread
            await trio.sleep(0.01)
    kept = ratings.recomputed(await server.rated())
    decided = server.lobby.ladder.entrants.records()
    shown = {rank.name: rank.matches for rank in (await part(ada)).ranks}
    assert shown == {name: record.matches for name, record in kept.items()}
    assert {name: record.matches - 1 for name, record in decided.items()} == shown
    full[0] = False
    await server.until_rated(len(await server.rated()) + 1)
    matches, wrong = await server.lobby.ladder.book.differences()
    assert wrong == [] and all(rank.matches >= matches for rank in (await part(ada)).ranks)
    nursery.cancel_scope.cancel()


async def test_a_part_of_the_standings(nursery: Nursery, tmp_path: Path) -> None:
    server = LadderServer(nursery, tmp_path, pause=0.02)
    for name in ("Alpha", "Beta", "Gamma"):
        nursery.start_soon(play_on, await server.entrant(name))
    await server.until_rated(3)
    server.lobby.draining = True
    ada = await server.person("Ada")
    whole = await part(ada)
    assert whole.total == len(whole.ranks) == 3
    assert (await part(ada, after=1, most=1)).ranks == whole.ranks[1:2]
    assert (await part(ada, after=3)).ranks == ()
    assert await ada.ask(msg.ListLadder, most=101) == "bad_request"
    nursery.cancel_scope.cancel()


async def part(client: Client, **fields: int) -> msg.Ladder:
    assert await client.ask(msg.ListLadder, **fields) == "ok"
    return await client.next(msg.Ladder)


def test_the_longest_standings_fit_into_a_frame() -> None:
    from dalmuti.protocol import codec, framing

    row = msg.Rank(
        name="\U0001f98a" * 10, house=True, here=True, mu=-(10**6), sigma=10**6,
        matches=2**40, hands=2**40, points=2**40, firsts=2**40,
    )  # fmt: skip
    ladder = msg.Ladder(ranks=(row,) * 100, total=10**5, seats=10, hands=9999)
    data = codec.encode(ladder)
    assert len(data) < framing.TO_CLIENT_LIMIT
    assert codec.decode_server(data) == ladder


async def test_asking_too_often_is_limited(nursery: Nursery, tmp_path: Path) -> None:
    server = LadderServer(nursery, tmp_path, Limits(lobby_burst=10, lobby_per_second=0.001))
    ada = await server.person("Ada")
    answers = [await ada.ask(msg.ListLadder) for _ in range(3)]
    assert answers == ["ok", "ok", "rate_limited"] and ada.last(msg.Error).bucket == "lobby"
    nursery.cancel_scope.cancel()


# -- the configuration ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("section", "problem"),
    [
        ({"seat": 4}, "unknown key ladder.seat; did you mean ladder.seats?"),
        ({"seats": 11}, "ladder.seats: expected `int` <= 10"),
        ({"house": ["gredy"]}, "ladder.house: expected some of "),
        ({"seats": 4, "min_entrants": 5}, "ladder.min_entrants: expected at most ladder.seats (4)"),
        ({"house": []}, "ladder.min_entrants: expected 2 or more"),
        ({"turn_seconds": 0}, "ladder.turn_seconds: expected `int` >= 5"),
    ],
)
def test_a_wrong_section_is_refused_with_a_sentence(section: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError) as error:
        config_from({"ladder": section})
    assert str(error.value).startswith(problem)


async def test_a_ladder_needs_a_data_folder() -> None:
    from dalmuti.server.app import App, StartError
    from dalmuti.server.log import Log

    config = config_from({"listen": ["127.0.0.1:0"], "ladder": {"enabled": True}})
    with pytest.raises(StartError, match="the ladder keeps its ratings in a data folder"):
        await App(config, Log()).run()


async def test_over_tcp_with_the_house_s_own_process(tmp_path: Path) -> None:
    """One bot among house bots that the server starts itself."""
    ladder = config_from({"ladder": {"enabled": True, "seats": 3, "hands": 1, "pause": 0}}).ladder
    async with running(data=str(tmp_path), ladder=ladder) as server:
        alpha = await server.connect()
        await alpha.hello("Alpha", kind="bot")
        assert await enlist(alpha, "Alpha") == "ok"
        with trio.fail_after(60):
            await play_match(alpha)
            await alpha.next(msg.Seated)
        assert server.app.lobby is not None
        records = server.app.lobby.ladder.book.standings()
        assert {each.name for each in records} == {"Alpha", *ladder.house[:2]}
