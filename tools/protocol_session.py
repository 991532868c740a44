"""A session of the real server over TCP, recorded message by message for docs/protocol.md.

The clients here know the protocol as the document has it: a length, msgpack, maps. Chance is fixed
(seeds, tokens), so that a recording is the same each time but for the clock and the instance;
everything else is the server that people play on. What `SCENES` does makes every message and event
appear that a server sends by itself; the rest is `MADE_UP`, and short.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator
from itertools import count
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgpack
import trio

from dalmuti.core import deal
from dalmuti.server.app import App
from dalmuti.server.config import Config
from dalmuti.server.ladder.settings import LadderSettings
from dalmuti.server.limits import Limits
from dalmuti.server.log import Log
from dalmuti.server.table.dealer import Dealer
from dalmuti.server.table.table import Table

Wire = dict[str, Any]

MADE_UP: Final[dict[str, Wire]] = {
    "to_client draining": {"t": "draining", "ms": 60000},
    "to_client notice": {"t": "notice", "text": "New decks at eight o'clock."},
    "to_client standings": {
        "t": "standings",
        "ranks": [
            {
                "name": "Alpha",
                "mu": 31234,
                "sigma": 1904,
                "matches": 120,
                "hands": 1200,
                "points": 4113,
                "firsts": 371,
                "here": True,
            },
            {
                "name": "greedy",
                "mu": 24018,
                "sigma": 1801,
                "matches": 131,
                "hands": 2620,
                "points": 6412,
                "firsts": 430,
                "house": True,
            },
        ],
        "total": 2,
        "seats": 6,
        "hands": 10,
    },
}
"""What no server sends in the ordinary course of an evening, or before many evenings."""


class Recording:
    """All messages of a session, in order, with their direction."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, Wire]] = []
        self.by_client: list[tuple[str, str, Wire]] = []
        """The same, with the name of the client first."""

    def note(self, client: str, direction: str, message: Wire) -> None:
        """Keeps a message."""
        self.messages.append((direction, message))
        self.by_client.append((client, direction, message))

    def examples(self) -> dict[str, Wire]:
        """One message for each key of `describe.example_keys`, the most telling one."""
        found: dict[str, list[Wire]] = {}
        for direction, message in self.messages:
            found.setdefault(f"{direction} {message['t']}", []).append(message)
            if message["t"] == "event":
                found.setdefault(f"event {message['event']['e']}", []).append(message)
        return {key: max(several, key=_telling(key)) for key, several in found.items()} | MADE_UP


def _telling(key: str) -> Any:
    """How much a message says of its type; of those that say as much, `max` takes the first."""

    def length(message: Wire) -> int:
        return len(json.dumps(message))

    def short(message: Wire) -> int:
        """Something between nothing and too much."""
        return 20 * int(message["kind"] == "follow") - abs(len(message["choices"]) - 5)

    def shows_a_set(message: Wire) -> bool:
        return int(message["choice"].get("rank", 99)) < 12

    def plain(message: Wire) -> bool:
        return str(message["event"]["e"]) == "chatted"

    def first(message: Wire) -> int:
        return 0

    by_key: dict[str, Any] = {
        "to_server hello": lambda message: message.get("kind") == "bot",
        "to_client welcome": first,
        "to_client ok": first,
        "to_client seated": first,
        "to_client error": first,
        "to_server act": shows_a_set,
        "to_client decision": short,
        "to_client event": plain,
        "to_client ping": first,
        "to_server deal": first,
        "to_server leave": first,
        "to_server add_bot": first,
        "event turn": lambda message: message["event"]["kind"] == "follow",
        "event played": lambda message: message["event"]["play"].get("jesters", 0),
        "event presence_changed": lambda message: "ms" in message["event"],
    }
    return by_key.get(key, length)


class KnownDealer(Dealer):
    """Deals that are the same in every recording, at a table that says nothing of it."""

    @property
    def fair(self) -> bool:
        return True


class Client:
    """One connection, one message at a time."""

    def __init__(self, name: str, stream: trio.abc.Stream, recording: Recording) -> None:
        self.name = name
        self.player = 0
        self.token = ""
        self.seq = 0
        self.instance = ""
        self.away = False
        self._stream, self._recording = stream, recording
        self._data = bytearray()
        self._ids = count(1)

    async def say(self, **message: Any) -> None:
        """Sends a message."""
        self._recording.note(self.name, "to_server", message)
        body = msgpack.packb(message)
        await self._stream.send_all(len(body).to_bytes(4, "big") + body)

    async def hear(self) -> Wire:
        """The next message."""
        while True:
            size = int.from_bytes(self._data[:4], "big") + 4
            if len(self._data) >= max(size, 5):
                message: Wire = msgpack.unpackb(self._data[4:size])
                del self._data[:size]
                self._recording.note(self.name, "to_client", message)
                self.seq = message.get("seq", self.seq)
                if message["t"] == "seated":
                    self.player, self.token = message["player"], message["token"]
                return message
            data = await self._stream.receive_some(65536)
            if not data:
                raise EOFError(f"the server hung up on {self.name}")
            self._data += data

    async def until(self, *kinds: str) -> Wire:
        """Hears messages until one is of one of these types, or such an event."""
        while True:
            message = await self.hear()
            if message["t"] in kinds or (
                message["t"] == "event" and message["event"]["e"] in kinds
            ):
                return message

    async def ask(self, t: str, **fields: Any) -> Wire:
        """Makes a request and hears everything up to its answer."""
        number = next(self._ids)
        await self.say(t=t, id=number, **fields)
        while (message := await self.hear()).get("re") != number or message["t"] == "event":
            pass
        if message["t"] == "ok" and t in ("create", "join"):
            await self.until("snapshot")
        return message

    async def close(self) -> None:
        """Hangs up."""
        await self._stream.aclose()


class Session:
    """A server with its clients."""

    def __init__(self, address: str, recording: Recording) -> None:
        self.address, self.recording = address, recording

    async def connect(self, name: str, kind: str = "human") -> Client:
        """A client that has said hello."""
        client = await self.open(name)
        await client.say(
            t="hello", versions=[1, 1], name=name, kind=kind, client="walk-through 1.0"
        )
        client.instance = (await client.until("welcome"))["instance"]
        return client

    async def open(self, name: str) -> Client:
        """A client that has said nothing yet."""
        host, _, port = self.address.rpartition(":")
        stream = await trio.open_tcp_stream(host, int(port))
        return Client(name, stream, self.recording)

    async def play(self, clients: list[Client], call: int | None = None) -> None:
        """Plays a hand to its end: always the weakest choice. The first client must be in it."""
        watcher = clients[0]
        order: list[int] = []
        while True:
            heard = await watcher.until("hand_started", "turn", "revolution_called", "hand_ended")
            event = heard["event"]
            if event["e"] == "hand_started":
                order = event["order"]
            elif event["e"] == "revolution_called" and event.get("greater"):
                order = order[::-1]
            elif event["e"] == "hand_ended":
                await watcher.until("hand_prepared")
                return
            elif event["e"] == "turn":
                for seat in event["seats"]:
                    client = next(c for c in clients if c.player == order[seat])
                    if not client.away:
                        await self.decide(client, event["decision"], call)

    async def decide(self, client: Client, number: int, call: int | None = None) -> None:
        """Answers a decision with the weakest choice, or with a call."""
        decision = await client.until("decision")
        while decision["decision"] != number:
            decision = await client.until("decision")
        pick = decision["choices"][0]
        if decision["kind"] == "revolution" and client.player == call:
            pick = decision["choices"][-1]
        await client.say(t="act", id=next(client._ids), decision=decision["decision"], choice=pick)


async def record() -> Recording:
    """Runs everything against a server of its own."""
    recording = Recording()
    tokens = _tokens()

    def make_table(name: str, *args: Any, dealer: Dealer, **more: Any) -> Table:
        known = dealer if dealer.fixed is not None else KnownDealer(name, 20260)
        return Table(name, *args, dealer=known, tokens=lambda: next(tokens), **more)

    config = Config(listen=("127.0.0.1:0",), bot_delay=0, greeting="Welcome to the evening.")
    nowhere = io.StringIO()
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            app = App(config, Log(stream=nowhere), make_table=make_table)
            addresses = await nursery.start(app.run)
            session = Session(addresses[0], recording)
            await _evening(session)
            await _revolution(session)
            await _strangers(session)
            await _shutdown(session, app)
        async with trio.open_nursery() as nursery:
            hasty = Config(listen=("127.0.0.1:0",), limits=Limits(ping_seconds=0.05))
            app = App(hasty, Log(stream=nowhere))
            await _pinged(Session((await nursery.start(app.run))[0], Recording()), recording)
            app.stopping.set()
        with TemporaryDirectory() as folder:
            async with trio.open_nursery() as nursery:
                rated = LadderSettings(enabled=True, min_entrants=2)
                config = Config(listen=("127.0.0.1:0",), bot_delay=0, data=folder, ladder=rated)
                app = App(config, Log(stream=nowhere), make_table=make_table)
                await _rated(Session((await nursery.start(app.run))[0], recording))
                app.stopping.set()
    return recording


def _tokens() -> Iterator[str]:
    """Like the server's own, but known."""
    for number in count(1):
        yield hashlib.sha256(f"token {number}".encode()).hexdigest()[:26].upper()


async def _evening(session: Session) -> None:
    """A table with four players: two hands, with all that happens around them."""
    ada = await session.connect("Ada")
    await ada.ask("list")
    await ada.ask(
        "create",
        table="Kitchen",
        options={"seats": 5, "scoring": "points", "match_end": "hands:2"},
    )
    bob = await session.connect("Bob", kind="bot")
    await bob.ask("list")
    await bob.until("lobby")
    await bob.ask("join", table="Kitchen")
    cid, dora = await session.connect("Cid"), await session.connect("Dora")
    eve = await session.connect("Eve")
    for client in (cid, dora):
        await client.ask("join", table="Kitchen")
    await eve.ask("join", table="Kitchen", watch=True)
    await ada.ask("chat", text="Good evening, everybody.")
    await bob.ask("deal")  # refused: he is not the host
    players = [ada, bob, cid, dora]
    for client, nonce in zip(players, ("a1", "b2", "c3", "d4"), strict=True):
        await client.ask("nonce", hand=1, nonce=nonce * 8)
    await dora.ask("away", away=True)
    dora.away = True
    await ada.ask("deal")
    await session.play(players)
    await dora.ask("away", away=False)
    dora.away = False
    # Cid's connection breaks in the second hand, and he comes back.
    await ada.ask("deal")
    started = await ada.until("hand_started")
    await ada.until("turn")
    await cid.until("decision")
    await cid.close()
    await ada.until("presence_changed")
    again = await session.connect("Cid")
    await again.ask("resume", table="Kitchen", token=cid.token, seq=cid.seq, instance=cid.instance)
    await again.until("decision")
    for client in (ada, bob, again, dora):
        await client.say(
            t="act",
            id=next(client._ids),
            decision=_decision_of(session.recording),
            choice={"do": "decline"},
        )
    await _rest_of_hand(session, [ada, bob, again, dora], started["event"]["order"])
    await ada.ask("give_host", player=bob.player)
    await bob.ask("give_host", player=ada.player)
    await ada.ask("kick", player=dora.player)
    await dora.until("unseated")
    await ada.ask("allow")
    await eve.ask("leave")
    await again.ask("leave")
    await ada.ask("deal")  # a new match
    await session.play([ada, bob])
    await ada.ask("add_bot", bot="greedy")
    await ada.until("player_joined")
    await ada.ask("close")
    for client in (ada, bob):
        await client.until("unseated")
        await client.say(t="bye", reason="leaving")
    for client in (eve, again, dora):
        await client.close()


def _decision_of(recording: Recording) -> int:
    """The number of the last decision that anyone was asked for."""
    return next(
        int(message["decision"])
        for _, message in reversed(recording.messages)
        if message["t"] == "decision"
    )


async def _rest_of_hand(session: Session, clients: list[Client], order: list[int]) -> None:
    """The second hand from after the revolution window, in which Ada asks for a snapshot."""
    ada = clients[0]
    moves = 0
    while True:
        event = (await ada.until("turn", "hand_ended"))["event"]
        if event["e"] == "hand_ended":
            await ada.until("hand_prepared")
            return
        if event["kind"] == "revolution":
            continue
        moves += 1
        if moves == 12:  # a snapshot in the middle of a trick
            elsewhere = await session.connect("Ada")
            await elsewhere.ask("resume", table="Kitchen", token=ada.token)
            await elsewhere.until("snapshot")
            await ada.until("bye")
            ada._stream, elsewhere._stream = elsewhere._stream, ada._stream
            ada._data, elsewhere._data = elsewhere._data, ada._data
            ada.token = elsewhere.token
            await elsewhere.close()
        for seat in event["seats"]:
            client = next(c for c in clients if c.player == order[seat])
            await session.decide(client, event["decision"])


async def _revolution(session: Session) -> None:
    """Two players and a known deal: the Greater Peon has both Jesters."""
    number, caller = _deal_with_both_jesters()
    ada, bob = await session.connect("Ada"), await session.connect("Bob")
    options = {"first_titles": "order_of_arrival", "seats": 2}
    await ada.ask("create", table="Attic", options=options, seed=number)
    await bob.ask("join", table="Attic")
    await ada.ask("deal")
    await session.play([ada, bob], call=caller)
    elsewhere = await session.connect("Ada")
    await elsewhere.ask("resume", table="Attic", token=ada.token, seq=0, instance=ada.instance)
    await elsewhere.until("hand_prepared")
    for client in (elsewhere, bob):
        await client.say(t="bye", reason="leaving")
        await client.close()


def _deal_with_both_jesters() -> tuple[int, int]:
    """A seed with which the second of two players holds both Jesters in the first hand."""
    for number in count(1):
        deck = deal.deck_of(deal.fixed_seed(number, 1), {})
        if deck[1::2].count(13) == 2:
            return number, 2
    raise AssertionError("numbers do not end")


async def _strangers(session: Session) -> None:
    """A client from the future."""
    client = await session.open("Zoe")
    await client.say(t="hello", versions=[4, 6], name="Zoe")
    await client.until("bye")
    await client.close()


async def _shutdown(session: Session, app: App) -> None:
    """The server stops in the middle of a hand."""
    ada, bob = await session.connect("Ada"), await session.connect("Bob")
    await ada.ask("create", table="Cellar", options={"seats": 2})
    await bob.ask("join", table="Cellar")
    await ada.say(t="ping", n=7)
    await ada.until("pong")
    await ada.ask("deal")
    await ada.until("decision")
    app.stopping.set()
    await ada.until("bye")


async def _rated(session: Session) -> None:
    """A bot enlists. Its key is the only one that is not known before."""
    alpha = await session.connect("Alpha", kind="bot")
    await alpha.ask("enlist", name="Alpha")
    await alpha.until("enlisted")
    await alpha.ask("ladder", most=10)
    await alpha.until("standings")
    await alpha.close()


async def _pinged(session: Session, recording: Recording) -> None:
    """A silent client is pinged."""
    client = await session.connect("Ada")
    client._recording = recording
    ping = await client.until("ping")
    await client.say(t="pong", n=ping.get("n", 0))
    await client.close()
