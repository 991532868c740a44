"""Servers: the list of tables, who may do what at a table, and how people come and go."""

from __future__ import annotations

from typing import Any

import trio

from dalmuti.client.conform.checks import Failed, Skipped
from dalmuti.client.conform.servers.catalogue import check
from dalmuti.client.conform.visit import Visit
from dalmuti.core import events as ev
from dalmuti.protocol import messages as msg

BAD_OPTIONS: list[dict[str, str | int]] = [
    {"moon": "full"},
    {"seats": 11},
    {"seats": 1},
    {"passing": "sometimes"},
    {"turn_seconds": 4},
    {"match_end": "points:10"},
    {"match_end": "hands:0"},
    {"greater_revolution": "choice", "revolution": "off"},
]


@check(
    "S-301", "`list` is answered with `ok` and then a `lobby`, and again when it changes.", "list"
)
async def lobby(visit: Visit) -> None:
    reader = await visit.caller()
    await reader.must(msg.ListTables)
    await reader.hear(msg.Lobby)
    host = (await visit.table(1, seats=3))[0]
    assert host.view is not None
    while True:
        found = await reader.hear(msg.Lobby)
        mine = [each for each in found.tables if each.table == host.view.table]
        if mine and mine[0].host == host.name:
            break
    if mine[0].options.seats != 3 or mine[0].bots + mine[0].people != 1:
        raise Failed(f"expected the table with 3 seats and one at it, found {mine[0]}")
    await host.must(msg.Close)
    while any(each.table == host.view_name for each in (await reader.hear(msg.Lobby)).tables):
        pass


@check(
    "S-302",
    "`create` is answered with `ok`, `seated` and a `snapshot`, in this order, with the options"
    " asked for.",
    "lobby-and-tables",
)
async def create(visit: Visit) -> None:
    caller = await visit.caller()
    options: dict[str, str | int] = {"seats": "5", "passing": "locked", "turn_seconds": 30}
    name = visit.table_name()
    await caller.must(msg.CreateTable, table=name, options=options)
    await caller.hear(msg.Snapshot)
    kinds = [type(each) for each in caller.seen[-3:]]
    if kinds != [msg.Ok, msg.Seated, msg.Snapshot] or caller.view is None:
        raise Failed(f"expected ok, seated, snapshot, found {[each.__name__ for each in kinds]}")
    found = caller.view.options
    if (found.seats, found.passing, found.turn_seconds) != (5, "locked", 30):
        raise Failed(f"expected the options {options}, found {found}")
    if caller.view.you != caller.player or caller.view.host != caller.player:
        raise Failed("expected the creator to be the host, and `you`, found others")
    if caller.view.table != name or not caller.view.next_commitment:
        raise Failed("expected the table's name and a commitment to its first hand, found others")


@check(
    "S-303", "Options that do not exist or make no sense are refused with `bad_options`.", "create"
)
async def bad_options(visit: Visit) -> None:
    caller = await visit.caller()
    for options in BAD_OPTIONS:
        table = visit.table_name()
        await caller.must_not("bad_options", msg.CreateTable, table=table, options=options)


@check(
    "S-304",
    "A second table of a name, or of one that looks like it, is refused with `table_exists`, one"
    " that cannot be shown with `bad_name`.",
    "create",
)
async def table_names(visit: Visit) -> None:
    (host,) = await visit.table(1)
    other = await visit.caller()
    for name in (host.view_name, host.view_name.upper()):
        await other.must_not("table_exists", msg.CreateTable, table=name)
    for name in ("w" * 25, "a\u202eb"):
        await other.must_not("bad_name", msg.CreateTable, table=name)
    await host.must_not("already_seated", msg.CreateTable, table=visit.table_name())


@check(
    "S-305",
    "Who joins gets `seated` and a `snapshot`, the others `player_joined`; a full table, or one"
    " that is not there, is refused.",
    "join",
)
async def join(visit: Visit) -> None:
    host, guest = await visit.table(2)
    joined = await host.event(ev.PlayerJoined)
    if joined.who.player != guest.player or joined.who.name != guest.name:
        raise Failed(f"expected {guest.name} as player {guest.player}, found {joined.who}")
    third = await visit.caller()
    await third.must_not("table_full", msg.JoinTable, table=host.view_name)
    await third.must_not("no_such_table", msg.JoinTable, table=visit.table_name())
    await guest.must_not("already_seated", msg.JoinTable, table=host.view_name)
    await guest.must(msg.Leave)
    await third.must(msg.JoinTable, table=host.view_name.upper())


@check(
    "S-306",
    "Tables keep to what they were opened with: password, `spectators`, `bots_may_join`, solo.",
    "join",
)
async def closed_tables(visit: Visit) -> None:
    guest = await visit.caller()
    cases: list[tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]] = [
        ("wrong_password", {"password": "sesame"}, {}, {}),
        ("spectators_refused", {}, {"spectators": "refused"}, {"watch": True}),
        ("bots_refused", {}, {"bots_may_join": "no"}, {}),
        ("solo_table", {"solo": True}, {}, {}),
    ]
    for code, fields, options, how in cases:
        (host,) = await visit.table(1, fields=fields, seats=3, **options)
        await guest.must_not(code, msg.JoinTable, table=host.view_name, **how)
        if code == "wrong_password":
            await guest.must(msg.JoinTable, table=host.view_name, password="sesame")
            await guest.must(msg.Leave)
            await guest.hear(msg.Unseated)


@check("S-307", "What needs a table, or a seat at it, is refused with `not_seated`.", "error-codes")
async def not_seated(visit: Visit) -> None:
    caller = await visit.caller()
    for kind, fields in (
        (msg.Chat, {"text": "hello"}),
        (msg.Deal, {}),
        (msg.Close, {}),
        (msg.Away, {}),
        (msg.Nonce, {"hand": 1, "nonce": "00"}),
    ):
        await caller.must_not("not_seated", kind, **fields)
    await caller.must(msg.Leave)


@check(
    "S-308",
    "Only the host may deal, close, kick, seat bots and hand over: others get `not_host`.",
    "lobby-and-tables",
)
async def not_host(visit: Visit) -> None:
    host, guest = await visit.table(2)
    for kind, fields in (
        (msg.Deal, {}),
        (msg.Close, {}),
        (msg.Allow, {}),
        (msg.Kick, {"player": host.player}),
        (msg.AddBot, {"bot": "greedy"}),
        (msg.GiveHost, {"player": guest.player}),
    ):
        await guest.must_not("not_host", kind, **fields)
    await host.must_not("no_such_player", msg.Kick, player=99)
    await host.must(msg.GiveHost, player=guest.player)
    await host.must_not("not_host", msg.Deal)
    if (await guest.event(ev.HostChanged)).player != guest.player:
        raise Failed("expected `host_changed` to the new host, found another")


@check(
    "S-309",
    "A hand needs two players (`too_few_players`), and while it runs nothing is dealt, closed or"
    " kicked (`hand_running`).",
    "deal",
)
async def when_to_deal(visit: Visit) -> None:
    (alone,) = await visit.table(1)
    await alone.must_not("too_few_players", msg.Deal)
    host, guest = await visit.table(2)
    await host.must(msg.Deal)
    for kind, fields in ((msg.Deal, {}), (msg.Close, {}), (msg.Kick, {"player": guest.player})):
        await host.must_not("hand_running", kind, **fields)


@check(
    "S-310",
    "Who is kicked gets `unseated` with `kicked`, and cannot join until the host allows it.",
    "kick",
)
async def kick(visit: Visit) -> None:
    host, guest = await visit.table(2)
    await host.must(msg.Kick, player=guest.player)
    gone = await guest.hear(msg.Unseated)
    if gone.reason != "kicked":
        raise Failed(f"expected `unseated` with `kicked`, found {gone.reason}")
    if (await host.event(ev.PlayerLeft)).reason != "kicked":
        raise Failed("expected `player_left` with `kicked`, found another reason")
    await guest.must_not("kicked", msg.JoinTable, table=host.view_name)
    await host.must(msg.Allow)
    await guest.must(msg.JoinTable, table=host.view_name)


@check(
    "S-311",
    "House bots of `welcome.bots` sit down by themselves; others are refused with `unknown_bot`.",
    "add_bot",
)
async def house_bots(visit: Visit) -> None:
    (host,) = await visit.table(1, seats=2)
    await host.must_not("unknown_bot", msg.AddBot, bot="nobody's bot")
    assert host.welcome is not None
    if not host.welcome.bots:
        raise Skipped("this server has no house bots")
    await host.must(msg.AddBot, bot=host.welcome.bots[0])
    joined = await host.event(ev.PlayerJoined, seconds=20)
    if joined.who.kind != "house":
        raise Failed(f"expected a player of kind `house`, found {joined.who}")
    await host.must(msg.Deal)
    await host.play()


@check(
    "S-312",
    "`leave` between hands frees the seat at once, another becomes host, and the empty table"
    " closes.",
    "leave",
)
async def leave(visit: Visit) -> None:
    host, guest = await visit.table(2)
    name = host.view_name
    await host.must(msg.Leave)
    if (await host.hear(msg.Unseated)).reason != "left":
        raise Failed("expected `unseated` with `left`, found another reason")
    if (await guest.event(ev.PlayerLeft)).player != host.player:
        raise Failed("expected `player_left` of the host, found another's")
    while guest.view is not None and guest.view.host != guest.player:
        await guest.receive("`host_changed`")
    await guest.must(msg.Leave)
    for _ in range(20):
        answer = await host.ask(msg.JoinTable, table=name)
        if isinstance(answer, msg.Error) and answer.code == "no_such_table":
            return
        await trio.sleep(0.1)
    raise Failed("expected the table to close when nobody is left, found it open")


@check(
    "S-313",
    "`close` ends the table for everybody: `table_closed`, then `unseated` with `closed`.",
    "close",
)
async def close(visit: Visit) -> None:
    callers = await visit.table(2, watchers=1)
    await callers[0].must(msg.Close)
    for caller in callers:
        if (await caller.event(ev.TableClosed)).reason != "host":
            raise Failed("expected `table_closed` with `host`, found another reason")
        if (await caller.hear(msg.Unseated)).reason != "closed":
            raise Failed("expected `unseated` with `closed`, found another reason")
        await caller.settle()
