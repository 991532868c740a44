"""Servers: chat and its rate, those who watch, and those who are away."""

from __future__ import annotations

from typing import Final

import trio

from dalmuti.client.conform.caller import Caller
from dalmuti.client.conform.checks import Failed, Skipped
from dalmuti.client.conform.servers.catalogue import check
from dalmuti.client.conform.visit import Visit, limits_of
from dalmuti.core import events as ev
from dalmuti.protocol import messages as msg

LIST_COSTS: Final = 5
"""What a `list` takes of the rate of the lobby."""


@check(
    "S-314",
    "`chat` comes to everybody, the sender and spectators included, cleaned; what cannot be shown"
    " is `bad_text`.",
    "chat",
)
async def chat(visit: Visit) -> None:
    host, guest, watcher = await visit.table(2, watchers=1)
    await guest.must(msg.Chat, text="Good\x1b[31m evening\u202e!")
    for caller in (host, guest, watcher):
        said = await caller.event(ev.Chatted)
        if said.player != guest.player or said.name != guest.name:
            raise Failed(f"expected a chat of {guest.name}, found {said.name}'s")
        if not said.text.isprintable() or "evening" not in said.text:
            raise Failed(f"expected cleaned text, found {said.text!r}")
    await watcher.must(msg.Chat, text="hello from the side")
    if (await host.event(ev.Chatted)).player is not None:
        raise Failed("expected no player number in the chat of a spectator, found one")
    await guest.must_not("bad_text", msg.Chat, text="\u200b\x07")


@check(
    "S-315",
    "Who watches gets a `snapshot` without `you`, no `seated`; the others hear of it.",
    "join",
)
async def watch(visit: Visit) -> None:
    host, watcher = await visit.table(1, watchers=1)
    assert watcher.view is not None
    if watcher.view.you is not None or watcher.token:
        raise Failed("expected no `you` and no `seated` for a spectator, found them")
    if (await host.event(ev.WatchersChanged)).names != (watcher.name,):
        raise Failed("expected `watchers_changed` with the spectator's name, found another")
    await watcher.must_not(("not_seated", "no_decision"), msg.Nonce, hand=1, nonce="00")
    await watcher.must(msg.Leave)
    if (await host.event(ev.WatchersChanged)).names != ():
        raise Failed("expected `watchers_changed` without names, found some")


@check(
    "S-316",
    "Chat keeps to its announced rate: so many at once are taken, then `rate_limited` says when to"
    " try again, and that is true.",
    "limits-and-time",
)
async def chat_rate(visit: Visit) -> None:
    (host,) = await visit.table(1)
    rate = limits_of(host).rates.get("chat")
    if rate is None or rate.limit > 100:
        raise Skipped("the server announces no rate of `chat` that could be reached")
    numbers = [await host.request(msg.Chat, text=f"chat {n}") for n in range(rate.limit + 3)]
    answers = [await host.answer_to(number) for number in numbers]
    taken = [each for each in answers if isinstance(each, msg.Ok)]
    refused = [each for each in answers if isinstance(each, msg.Error)]
    if len(taken) < rate.limit or any(
        isinstance(each, msg.Error) for each in answers[: rate.limit]
    ):
        raise Failed(f"expected {rate.limit} chats to be taken at once, found {len(taken)}")
    if not refused:
        raise Failed(f"expected some of {len(answers)} chats to be `rate_limited`, found none")
    _told(refused[-1], "chat", rate)
    await trio.sleep((refused[-1].retry_after_ms or 0) / 1000 + 0.05)
    answer = await host.answer_to(await host.request(msg.Chat, text="later"))
    if isinstance(answer, msg.Error):
        raise Failed(f"expected `ok` after `retry_after_ms`, found `{answer.code}`")


def _told(error: msg.Error, bucket: str, rate: msg.Rate) -> None:
    if error.code != "rate_limited" or error.retry_after_ms is None:
        raise Failed(f"expected `rate_limited` with `retry_after_ms`, found {error}")
    if (error.bucket, error.limit, error.window_ms) != (bucket, rate.limit, rate.window_ms):
        raise Failed(f"expected the rate of {bucket!r} as `welcome` has it, found {error}")


@check(
    "S-318",
    "The lobby keeps to its announced rate; `leave` is always answered.",
    "limits-and-time",
)
async def lobby_rate(visit: Visit) -> None:
    caller = await visit.caller()
    rate = limits_of(caller).rates.get("lobby")
    if rate is None or rate.limit > 200:
        raise Skipped("the server announces no rate of `lobby` that could be reached")
    lists = rate.limit // LIST_COSTS
    numbers = [await caller.request(msg.ListTables) for _ in range(lists + 3)]
    answers = [await caller.answer_to(number) for number in numbers]
    early = [each for each in answers[:lists] if isinstance(each, msg.Error)]
    refused = [each for each in answers if isinstance(each, msg.Error)]
    if early or not refused:
        raise Failed(
            f"expected {lists} lists to be taken at once and some more to be `rate_limited`, found"
            f" {len(answers) - len(refused)} of {len(answers)} taken"
        )
    _told(refused[-1], "lobby", rate)
    await caller.must(msg.Leave)


@check(
    "S-317",
    "`away` lets the stand-in play, and an answer, or `away: false`, takes the seat back.",
    "away",
)
async def away(visit: Visit) -> None:
    host, guest = await visit.table(2, revolution="off")
    await guest.must(msg.Away)
    await _presence(host, guest, "away")
    await host.must(msg.Deal)
    while not any(each.by == "standin" for each in _moves(host)):
        if host.decision is not None:
            await host.act()
        await host.receive("a move by the stand-in", 20)
    await guest.must(msg.Away, away=False)
    await _presence(host, guest, "here")
    await visit.meanwhile([host, guest])


def _moves(caller: Caller) -> list[ev.Played | ev.Passed]:
    return [*caller.events(ev.Played), *caller.events(ev.Passed)]


async def _presence(host: Caller, guest: Caller, presence: str) -> None:
    def now() -> str | None:
        infos = host.view.players if host.view else ()
        return next((each.presence for each in infos if each.player == guest.player), None)

    while now() != presence:
        if host.decision is not None:
            await host.act()
        else:
            await host.receive(f"`presence_changed` to `{presence}`", 20)
