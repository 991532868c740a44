"""Clients: the first message, and what is answered to it instead of a welcome."""

from __future__ import annotations

from typing import Final

import trio
from msgspec.structs import replace

from dalmuti.client.conform.checks import Failed
from dalmuti.client.conform.clients.catalogue import check
from dalmuti.client.conform.entrance import LIMITS, NAME, SETTLE_SECONDS
from dalmuti.client.conform.stand import Stand
from dalmuti.protocol import messages as msg
from dalmuti.protocol.codec import encode
from dalmuti.protocol.text import clean_name

HELLO_WITHIN: Final = 5.0
"""Seconds that a server waits for the `hello` of a new connection."""


@check(
    "C-101",
    "The first frame is a well-formed `hello` that offers version 1, within 5 seconds.",
    "hello-and-versions",
)
async def hello(stand: Stand) -> None:
    await stand.accept()
    connected = trio.current_time()
    said = await stand.expect(msg.Hello)
    if trio.current_time() - connected > HELLO_WITHIN:
        raise Failed(f"expected `hello` within {HELLO_WITHIN:g} s, found it later")
    low, high = said.versions
    if not low <= 1 <= high:
        raise Failed(f"expected `versions` with 1 among them, found {list(said.versions)}")
    try:
        clean_name(said.name)
    except ValueError as error:
        raise Failed(f"expected a name that a server takes, found {said.name!r}: {error}") from None


@check(
    "C-102",
    "A server that speaks another version ends the client: with a sentence, and not with exit code"
    " 0.",
    "hello-and-versions",
)
async def version_skew(stand: Stand) -> None:
    guest = await stand.accept()
    await stand.expect(msg.Hello)
    text = "this server speaks protocol versions 2 to 3, your client version 1"
    await guest.hang_up(msg.Bye(reason="version_unsupported", message=text, versions=(2, 3)))
    await stand.must_end("when no common version is spoken", code=True)


@check(
    "C-103",
    "A server that lets nobody in ends the client: with a sentence, and not with exit code 0.",
    "hello-and-versions",
)
async def refused(stand: Stand) -> None:
    guest = await stand.accept()
    await stand.expect(msg.Hello)
    await guest.hang_up(msg.Bye(reason="refused", message="not today"))
    await stand.must_end("when it is not let in", code=True)


@check(
    "C-104",
    "Refused at the table, the client does not hang: it ends, not with exit code 0, or asks again"
    " at a bearable rate.",
    "requests-and-answers",
)
async def no_such_table(stand: Stand) -> None:
    guest = await stand.greet()
    stand.waits_for = "`join`"
    asked = lists = 0
    ends = trio.current_time() + 2
    while max(asked, lists) < 20 and trio.current_time() < ends:
        message = await stand.read_or_end(ends - trio.current_time())
        if message is None:
            break
        if isinstance(message, msg.JoinTable):
            asked += 1
            text = "there is no such table (any more)"
            await guest.send(msg.Error(re=message.id, code="no_such_table", message=text))
        elif isinstance(message, msg.ListTables):
            lists += 1
            await guest.send(msg.Ok(re=message.id), msg.Lobby())
        elif not isinstance(message, msg.Leave | msg.Bye):
            await stand.serve(message)
    if asked >= 20:
        raise Failed("expected at most a few tries to join within 2 s, found 20")
    if lists >= 20:
        raise Failed(
            "expected at most a few questions for the tables within 2 s, found a flood of 20 `list`"
            " requests",
            "lobby-and-tables",
        )
    found = await stand.client.ended(SETTLE_SECONDS)
    if found == 0:
        raise Failed("expected an exit code other than 0 when there is no such table, found 0")
    if found is not None and not stand.client.last_words:
        raise Failed("expected the client to say in a sentence why it does not play, found none")


@check(
    "C-105",
    "The client joins the table that it was told, and plays under the name that `welcome` gave it.",
    "hello-and-versions",
)
async def renamed(stand: Stand) -> None:
    stand.set_table(seats=3)
    stand.welcome = replace(stand.welcome, name=f"{NAME}-2")
    await stand.enter()
    await stand.play_hand()
    await stand.settle()


@check(
    "C-106",
    "The client keeps within the limits of `welcome`, however narrow: sizes of frames, and how"
    " often it asks.",
    "limits-and-time",
)
async def limits(stand: Stand) -> None:
    """A lobby bucket of six is a list (five) and one join."""
    narrow = replace(
        LIMITS,
        frame_to_server=1024,
        chat_length=20,
        resume_events=8,
        rates={
            "chat": msg.Rate(limit=3, window_ms=60000),
            "lobby": msg.Rate(limit=6, window_ms=60000),
            "game": msg.Rate(limit=5, window_ms=60000),
            "nonce": msg.Rate(limit=5, window_ms=60000),
        },
    )
    stand.welcome = replace(stand.welcome, limits=narrow)
    stand.set_table(seats=3)
    guest = await stand.enter()
    for _ in range(2):
        await stand.play_hand()
        await stand.settle()
    chats = [each for each in guest.heard if isinstance(each, msg.Chat)]
    if len(chats) > 3:
        raise Failed(f"expected at most the 3 chats of `welcome`, found {len(chats)}")
    long = max((len(chat.text) for chat in chats), default=0)
    if long > 20:
        raise Failed(f"expected at most the 20 characters of chat of `welcome`, found {long}")
    costs = {msg.ListTables: 5, msg.CreateTable: 5, msg.JoinTable: 1, msg.Resume: 1, msg.Away: 1}
    asked = sum(costs.get(type(each), 0) for each in guest.heard)
    if asked > 6:
        raise Failed(f"expected lobby requests that cost at most 6, found {asked}")
    largest = max((len(encode(each)) for each in guest.heard), default=0)
    if largest > 1024:
        raise Failed(f"expected frames of at most 1024 bytes, found one of {largest}")


@check(
    "C-107",
    "`ping` is answered with `pong` and the same `n`: at the table, in the middle of a decision,"
    " and with `n` left out.",
    "limits-and-time",
)
async def ping(stand: Stand) -> None:
    stand.set_table(seats=3)
    guest = await stand.enter()
    await stand.settle()
    stand.table.deal()
    await stand.play_to_question()
    await guest.send(msg.Ping(), msg.Ping(n=2**31 - 1))
    stand.waits_for = "`pong`"
    found: list[int] = []
    while len(found) < 2:
        message = await stand.read()
        if isinstance(message, msg.Pong):
            found.append(message.n)
        elif isinstance(message, msg.Act):
            await stand.take_act(message)
        else:
            await stand.serve(message)
    if found != [0, 2**31 - 1]:
        raise Failed(f"expected `pong` with 0 and 2147483647, found {found}")
