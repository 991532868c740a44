"""Every message there and back, through the codec and through a connected pair."""

from __future__ import annotations

import random
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import inspect

from dalmuti.core.cards import DECK
from dalmuti.core.events import PlayerInfo, Seen, Turn
from dalmuti.core.match import Match
from dalmuti.core.options import OptionError, TableOptions
from dalmuti.core.views import see, view_table
from dalmuti.protocol import codec
from dalmuti.protocol.connection import NEED_DATA, ClientConnection, Connection, ServerConnection
from dalmuti.protocol.framing import TO_CLIENT_LIMIT, TO_SERVER_LIMIT
from dalmuti.protocol.messages import (
    ClientMessage,
    Decision,
    EventMessage,
    Hello,
    Limits,
    Message,
    ServerMessage,
    Snapshot,
    Welcome,
)

LIMITS = Limits(
    frame_to_server=TO_SERVER_LIMIT,
    frame_to_client=TO_CLIENT_LIMIT,
    chat_length=200,
    name_width=20,
    ping_after_ms=15000,
    dead_after_ms=45000,
    grace_ms=20000,
    resume_events=512,
)
HELLO = Hello(versions=(1, 1), name="Ada")
WELCOME = Welcome(version=1, server="dalmuti 0.1.0", instance="i", name="Ada", limits=LIMITS)


def values(info: inspect.Type) -> st.SearchStrategy[Any]:
    """Valid values of a field, as msgspec knows its type."""
    match info:
        case inspect.Metadata(type=inner):
            return values(inner)
        case inspect.IntType(ge=low, le=high):
            return st.integers(-(2**53) if low is None else low, 2**53 if high is None else high)
        case inspect.StrType(pattern=str(pattern)):
            return st.from_regex(pattern, fullmatch=True).filter(lambda text: len(text) <= 64)
        case inspect.StrType(min_length=low, max_length=high):
            return st.text(
                st.characters(codec="utf-8"), min_size=low or 0, max_size=min(high or 20, 60)
            )
        case inspect.BoolType():
            return st.booleans()
        case inspect.NoneType():
            return st.none()
        case inspect.LiteralType(values=allowed):
            return st.sampled_from(allowed)
        case inspect.UnionType(types=types):
            return st.one_of([values(each) for each in types])
        case inspect.TupleType(item_types=types):
            return st.tuples(*map(values, types))
        case inspect.VarTupleType(item_type=item, min_length=low, max_length=high):
            most = max(low or 0, min(high or 4, 4))
            many = st.lists(values(item), min_size=low or 0, max_size=most)
            return many.map(tuple)
        case inspect.DictType(key_type=key, value_type=value):
            return st.dictionaries(values(key), values(value), max_size=4)
        case inspect.StructType(cls=cls):
            return structs(cls)
    raise AssertionError(f"no strategy for {info}")


def structs(cls: type) -> st.SearchStrategy[Any]:
    """Instances of a message or a part of one, with and without their optional fields."""
    info = inspect.type_info(cls)
    assert isinstance(info, inspect.StructType)
    required = {f.name: values(f.type) for f in info.fields if f.required}
    optional = {f.name: values(f.type) for f in info.fields if not f.required}
    fields = st.fixed_dictionaries(required, optional=optional)
    if cls is TableOptions:
        return fields.map(options_or_default)
    return fields.map(lambda given: cls(**given))


def options_or_default(fields: dict[str, Any]) -> TableOptions:
    try:
        return TableOptions(**fields)
    except OptionError:
        return TableOptions()


from_clients = st.lists(st.one_of(list(map(structs, get_args(ClientMessage)))), max_size=4)
from_servers = st.lists(st.one_of(list(map(structs, get_args(ServerMessage)))), max_size=4)


def pair() -> tuple[ClientConnection, ServerConnection]:
    """Both sides, open."""
    client, server = Connection("client"), Connection("server")
    server.receive_data(client.send(HELLO))
    assert server.next_message() == HELLO
    client.receive_data(server.send(WELCOME))
    assert client.next_message() == WELCOME
    return client, server


client_classes = pytest.mark.parametrize(
    "cls", get_args(ClientMessage), ids=lambda cls: cls.__name__
)
server_classes = pytest.mark.parametrize(
    "cls", get_args(ServerMessage), ids=lambda cls: cls.__name__
)


@client_classes
@given(data=st.data())
def test_round_trip_of_what_a_client_says(cls: type[ClientMessage], data: st.DataObject) -> None:
    message = data.draw(structs(cls))
    assert codec.decode_client(codec.encode(message)) == message


@server_classes
@settings(max_examples=50)
@given(data=st.data())
def test_round_trip_of_what_a_server_says(cls: type[ServerMessage], data: st.DataObject) -> None:
    message = data.draw(structs(cls))
    assert codec.decode_server(codec.encode(message)) == message


@pytest.mark.parametrize("cls", get_args(Seen), ids=lambda cls: cls.__name__)
@given(data=st.data())
def test_round_trip_of_every_event(cls: type, data: st.DataObject) -> None:
    message = EventMessage(seq=data.draw(st.integers(1, 2**31)), event=data.draw(structs(cls)))
    assert codec.decode_server(codec.encode(message)) == message


@given(
    st.lists(st.one_of([structs(cls) for cls in get_args(ClientMessage)]), max_size=4), st.data()
)
def test_a_client_is_heard_however_its_bytes_are_cut(
    messages: list[ClientMessage], data: st.DataObject
) -> None:
    client, server = pair()
    messages = [each for each in messages if type(each).__name__ not in ("Hello", "Bye")]
    stream = b"".join(map(client.send, messages))
    heard: list[Any] = []
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        server.receive_data(stream[:size])
        stream = stream[size:]
        while (message := server.next_message()) is not NEED_DATA:
            heard.append(message)
    assert heard == messages


@given(from_servers)
def test_a_server_is_heard_byte_by_byte(messages: list[ServerMessage]) -> None:
    client, server = pair()
    messages = [each for each in messages if type(each).__name__ not in ("Welcome", "Bye")]
    heard: list[Any] = []
    for byte in b"".join(map(server.send, messages)):
        client.receive_data(bytes([byte]))
        while (message := client.next_message()) is not NEED_DATA:
            heard.append(message)
    assert heard == messages


@settings(max_examples=30)
@given(st.data())
def test_I50_names_and_types_on_the_wire_are_plain(data: st.DataObject) -> None:
    """What a client in another language sees: maps, arrays, text, whole numbers, booleans, nil."""
    message = data.draw(st.one_of([structs(cls) for cls in get_args(ServerMessage)]))
    raw = codec.unpack(codec.encode(message), codec.TO_CLIENT)
    assert raw == msgspec.json.decode(msgspec.json.encode(message))
    assert raw["t"] == type(message).__struct_config__.tag


def one_hand(seats: int, chance: random.Random) -> list[Message]:
    """Everything that the viewers of one hand are told, with a snapshot after every move."""
    match, seq = Match(TableOptions(seats=seats)), 0
    sent: list[Message] = []
    events = [event for player in range(1, seats + 1) for event in match.sit(player)]
    deck = list(DECK)
    chance.shuffle(deck)
    events += match.find_titles(deck)
    chance.shuffle(deck)
    events += match.start(deck, commitment="00" * 32)
    players = [PlayerInfo(player=n, name="王" * 10) for n in range(1, seats + 1)]
    while match.hand is not None:
        hand = match.hand
        for event in events:
            seq += 1
            sent += [
                EventMessage(seq=seq, event=see(event, viewer)) for viewer in (None, 0, seats - 1)
            ]
        turn = Turn(kind="lead", seats=hand.to_act, decision=seq, ms=60000)
        you = chance.choice([None, *range(1, seats + 1)])
        view = view_table(match, table="x" * 24, players=players, you=you, turn=turn)
        sent.append(Snapshot(seq=seq, table=view))
        seat = chance.choice(hand.to_act)
        choices = hand.legal(seat)
        sent.append(
            Decision(
                decision=seq,
                kind="follow",
                choices=tuple(choices),
                default=hand.default(seat),
                ms=60000,
            )
        )
        events = match.apply(seat, chance.choice(choices))
    return sent


@pytest.mark.parametrize("seats", range(2, 11))
def test_whole_hands_are_within_the_limits(seats: int) -> None:
    chance = random.Random(seats)
    messages = [message for _ in range(3) for message in one_hand(seats, chance)]
    assert len(messages) > 100
    for message in messages:
        body = codec.encode(message)
        assert codec.decode_server(body) == message
        assert len(body) < TO_CLIENT_LIMIT // 8
