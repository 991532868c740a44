"""Clients: frames however TCP cuts them, and what a later version may add."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from dalmuti.client.conform import wire
from dalmuti.client.conform.checks import Check, Failed
from dalmuti.client.conform.clients.catalogue import CLIENTS, check
from dalmuti.client.conform.entrance import LIMITS
from dalmuti.client.conform.stand import Stand
from dalmuti.client.conform.table import Table
from dalmuti.core import events as ev
from dalmuti.protocol import messages as msg
from dalmuti.protocol.codec import TO_CLIENT, encode

BYTES, FRAMES = 2500, 40
"""How much of a hand is cut: the greeting, the snapshot, and the first decisions."""

CUTS: list[tuple[str, str, Callable[[], wire.Cut]]] = [
    ("C-201", "Frames that come one byte at a time are read", lambda: wire.byte_by_byte(BYTES)),
    (
        "C-202",
        "Frames that are cut inside the length, behind it and in the body are read",
        lambda: wire.in_pieces(FRAMES),
    ),
    (
        "C-203",
        "Many frames in one write, the last of them incomplete, are all read",
        lambda: wire.merged,
    ),
    ("C-204", "Frames that drip in slowly are read", lambda: wire.dripping(5)),
]
SHAPES: list[tuple[str, str, wire.Shape]] = [
    ("C-301", "Fields that nobody knows yet are ignored", wire.roomy),
    (
        "C-302",
        "Fields that are spelled out although they are the default are read",
        wire.full,
    ),
    ("C-303", "Fields that are left out are the default", wire.bare),
]


def _cut_check(make: Callable[[], wire.Cut]) -> Callable[[Stand], Awaitable[None]]:
    async def run(stand: Stand) -> None:
        stand.cut = make()
        stand.set_table(seats=3)
        await stand.enter()
        await stand.play_hand()
        await stand.settle()

    return run


def _shape_check(shape: wire.Shape) -> Callable[[Stand], Awaitable[None]]:
    async def run(stand: Stand) -> None:
        stand.shape = shape
        stand.set_table(seats=4, scoring="points")
        await stand.enter()
        await stand.play_hand()
        await stand.settle()
        await stand.play_hand()

    return run


for _id, _says, _make in CUTS:
    CLIENTS.add(
        Check(id=_id, says=f"{_says}, and a hand is played.", anchor="bytes", run=_cut_check(_make))
    )
for _id, _says, _shape in SHAPES:
    CLIENTS.add(
        Check(id=_id, says=f"{_says}: hands are played.", anchor="bytes", run=_shape_check(_shape))
    )


@check("C-205", "A frame of exactly the largest size that `welcome` announces is read.", "bytes")
async def largest(stand: Stand) -> None:
    table = await stand.begin(seats=3)
    event = _crowd(table.seq + 1, LIMITS.frame_to_client)
    table.watch(*event.names)
    await stand.flush()
    table.watch()
    await stand.play()
    await stand.settle()


def _crowd(seq: int, size: int) -> ev.WatchersChanged:
    """As many spectators as make a body of this size, and as the limits of arrays allow."""

    def body(names: list[str]) -> int:
        event = ev.WatchersChanged(tuple(names))
        return len(encode(msg.EventMessage(seq=seq, event=event)))

    names = ["w" * 60] * TO_CLIENT.array
    missing = size - body(names)
    each, more = divmod(missing, len(names))
    names = ["w" * (60 + each + (at < more)) for at in range(len(names))]
    assert body(names) == size
    return ev.WatchersChanged(tuple(names))


@check(
    "C-304",
    "Messages and events of types that nobody knows yet are ignored; the numbers of the events"
    " count.",
    "how-versions-change",
)
async def unknown_types(stand: Stand) -> None:
    table = stand.set_table(seats=3)
    await stand.enter()
    _unknown(table)
    table.deal()
    while table.hand is not None:
        _unknown(table)
        await stand.step()
    _unknown(table)
    await stand.flush()
    await stand.settle()


def _unknown(table: Table) -> None:
    table.say({"t": "weather", "id": 3, "re": 1, "sky": {"clouds": [1, 2, None]}})
    table.emit({"e": "glass_raised", "seat": 0, "to": ["Ada", {"deep": [True]}]})
    table.say({"t": "toast", "text": "to the Greater Peon", "decision": 99999})


@check(
    "C-305",
    "Messages that a client need not understand change nothing: lobby, notice, draining, pong.",
    "messages-to-the-client",
)
async def optional_messages(stand: Stand) -> None:
    table = await stand.begin(seats=3)
    while table.hand is not None:
        table.say(msg.Notice(text="New decks at eight o'clock."))
        table.say(msg.Draining(ms=600_000))
        table.say(msg.Lobby(people=("Eve",)))
        table.say(msg.Pong(n=5))
        await stand.step()
    await stand.flush()
    await stand.settle()


@check(
    "C-306",
    "An error that answers nothing, with a code that nobody knows yet, changes nothing.",
    "error-codes",
)
async def unknown_error(stand: Stand) -> None:
    table = stand.set_table(seats=3)
    await stand.enter()
    table.say(msg.Error(code="moon_is_full", message="a code of a later version"))
    table.deal()
    table.say(msg.Error(re=2**31 - 1, code="moon_is_full", message="a code of a later version"))
    await stand.play()
    await stand.settle()
    if not stand.answered:
        raise Failed("expected decisions to be answered, found none")
