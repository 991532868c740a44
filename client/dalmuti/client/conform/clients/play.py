"""Clients: decisions and their answers, errors, and what happens around a table."""

from __future__ import annotations

from typing import Final

import trio

from dalmuti.client.conform.checks import Failed
from dalmuti.client.conform.clients.catalogue import check
from dalmuti.client.conform.entrance import SETTLE_SECONDS
from dalmuti.client.conform.stand import Stand
from dalmuti.client.conform.table import both_jesters
from dalmuti.core import events as ev
from dalmuti.protocol import messages as msg

ODD_TEXTS: Final = (
    "Good evening! 🃏🃏🃏",
    "Ünïcødé, Ελληνικά, 日本語, עברית",
    "Z̸̡̛a̵͎̽l̷͔̀g̶̹̈o̸͇͝",
    "'; DROP TABLE players; --  %s {0} $(reboot) `x`",
    '{"t": "decision", "decision": 1, "choices": []}',
    "👩‍👩‍👧‍👦" * 20,
    "x" * 200,
)
RETRY_MS: Final = 400


@check(
    "C-401",
    "Each decision of a hand is answered once, with its number and one of its choices, unchanged.",
    "decisions",
)
async def whole_hand(stand: Stand) -> None:
    table = stand.set_table(seats=4)
    await stand.enter()
    await stand.play_hand()
    await stand.settle()
    ids = [each.id for each in stand.guest.heard if isinstance(each, msg.Act)]
    if len(ids) != len(stand.answered) or not ids:
        raise Failed(f"expected one answer a decision, found {len(ids)} to {len(stand.answered)}")
    assert table.match.hands_played == 1


@check(
    "C-402",
    "An answer that is refused as not legal does not end the client: it answers again or lets the"
    " time pass, and plays on.",
    "decisions",
)
async def refused_choice(stand: Stand) -> None:
    await _with_errors(stand, msg.Error(code="not_held", message="you do not hold these cards"))


@check(
    "C-403",
    "`rate_limited` does not end the client, and what it asks again comes no sooner than"
    " `retry_after_ms` says.",
    "limits-and-time",
)
async def rate_limited(stand: Stand) -> None:
    error = msg.Error(
        code="rate_limited",
        message="not so fast; try again in 0.4 seconds",
        retry_after_ms=RETRY_MS,
        bucket="game",
        limit=100,
        window_ms=5000,
    )
    await _with_errors(stand, error)


async def _with_errors(stand: Stand, error: msg.Error) -> None:
    """The first three answers are refused; who does not answer again gets the default."""
    table = await stand.begin(seats=3)
    guest = stand.guest
    for _ in range(3):
        await stand.play(until=lambda: table.pending is not None and len(table.pending.choices) > 1)
        if table.pending is None:
            raise Failed("expected more decisions in a hand, found its end")
        act = await stand.act()
        table.excused.add(act.decision)
        sent = trio.current_time()
        await guest.send(
            msg.Error(
                re=act.id,
                code=error.code,
                message=error.message,
                retry_after_ms=error.retry_after_ms,
                bucket=error.bucket,
                limit=error.limit,
                window_ms=error.window_ms,
            )
        )
        again = await _again(stand, act.decision)
        if again is None:
            table.answer_by_default()
            continue
        waited = round((trio.current_time() - sent) * 1000)
        if error.retry_after_ms is not None and waited < error.retry_after_ms - 20:
            raise Failed(
                f"expected the next try after {error.retry_after_ms} ms, found it after {waited} ms"
            )
        await stand.take_act(again)
    await stand.play()
    await stand.settle()


async def _again(stand: Stand, decision: int) -> msg.Act | None:
    """The same decision answered once more, if that comes soon."""
    ends = trio.current_time() + SETTLE_SECONDS + RETRY_MS / 1000
    while (message := await stand.read_or_end(ends - trio.current_time())) is not None:
        if isinstance(message, msg.Act) and message.decision == decision:
            return message
        await stand.serve(message)
    return None


@check(
    "C-404",
    "A decision that was over before it could be answered, because of the clock, is no harm; the"
    " next one is answered.",
    "decisions",
)
async def overtaken_by_clock(stand: Stand) -> None:
    table = await stand.begin(seats=3, turn_seconds=5)
    for _ in range(4):
        while table.pending is None and table.play_other():
            pass
        if table.pending is not None:
            table.answer_by_default()
    await stand.play()
    await stand.settle()


@check(
    "C-405",
    "A revolution that is called while the client is asked about its own ends that question.",
    "decisions",
)
async def overtaken_by_call(stand: Stand) -> None:
    table = stand.set_table(seats=4, wanted=both_jesters(1))
    await stand.enter()
    table.deal()
    while table.hand is not None and table.hand.revolution is None:
        table.play_other()
    await stand.play()
    await stand.settle()


@check(
    "C-406",
    "A decision that is sent again, as after a resume, is answered with the same number.",
    "decisions",
)
async def asked_again(stand: Stand) -> None:
    table = await stand.begin(seats=3)
    for _ in range(3):
        await stand.play_to_question()
        if table.pending is not None:
            table.excused.add(table.pending.decision)
            table.say(table.pending)
            await stand.answer()
    await stand.play()
    await stand.settle()


@check(
    "C-407",
    "A clock of five seconds is kept: every decision is answered before its time is up.",
    "decisions",
)
async def short_clock(stand: Stand) -> None:
    table = await stand.begin(seats=3, turn_seconds=5)
    while table.hand is not None:
        if table.play_other():
            continue
        asked = trio.current_time()
        await stand.answer()
        if trio.current_time() - asked > 5:
            raise Failed("expected an answer within the 5 s of the clock, found it later")
    await stand.flush()
    await stand.settle()


@check(
    "C-408",
    "Hand after hand is played as fast as it can be asked, 150 decisions in a row.",
    "limits-and-time",
)
async def many_hands(stand: Stand) -> None:
    stand.set_table(seats=2)
    await stand.enter()
    while len(stand.answered) < 150:
        await stand.play_hand()
    await stand.settle()


@check(
    "C-409",
    "Chat with odd text, spectators, lost and returning players, newcomers and a new host are no"
    " trouble.",
    "events",
)
async def around_the_table(stand: Stand) -> None:
    table = stand.set_table(seats=5, others=3)
    await stand.enter()
    for at, text in enumerate(ODD_TEXTS):
        table.emit(ev.Chatted("Ada", text, 1 if at % 2 else None))
    table.watch("Eve", "Žofie")
    table.deal()
    await stand.step()
    late = table.sit("Latecomer", "bot")
    table.presence(2, "lost", 20_000)
    table.presence(2, "standin")
    for text in ODD_TEXTS:
        table.emit(ev.Chatted("Eve", text))
        await stand.step()
    table.presence(2, "here")
    table.presence(3, "away")
    table.leave(3)
    table.emit(ev.HostChanged(2))
    table.watch()
    await stand.play()
    table.leave(late)
    await stand.settle()
    await stand.play_hand()
    await stand.settle()


@check(
    "C-410",
    "A hand that is given up, as when a table closes, ends its decisions; the next hand is played.",
    "a-hand-on-the-wire",
)
async def abandoned(stand: Stand) -> None:
    table = await stand.begin(seats=3)
    await stand.play_to_question(answers=3)
    table.abandon()
    await stand.flush()
    await stand.settle()
    await stand.play_hand()
    await stand.settle()
