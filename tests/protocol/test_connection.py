"""The connection as a state machine: the table, versions, and how it ends."""

from __future__ import annotations

from itertools import product
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalmuti.protocol.codec import Unknown
from dalmuti.protocol.connection import (
    NEED_DATA,
    TRANSITIONS,
    ClientConnection,
    Connection,
    ServerConnection,
    State,
    bye_for,
    error_for,
)
from dalmuti.protocol.errors import (
    BadRequest,
    ByeReason,
    ErrorCode,
    LocalProtocolError,
    RemoteProtocolError,
)
from dalmuti.protocol.framing import (
    HELLO_LIMIT,
    TO_CLIENT_LIMIT,
    TO_SERVER_LIMIT,
    frame,
)
from dalmuti.protocol.messages import (
    Bye,
    Chat,
    Error,
    Hello,
    Leave,
    Limits,
    ListTables,
    Lobby,
    Ok,
    Ping,
    Pong,
    Welcome,
)

HELLO = Hello(versions=(1, 1), name="Ada")
BYE = Bye(reason="leaving")


def welcome(version: int = 1, to_server: int = TO_SERVER_LIMIT) -> Welcome:
    limits = Limits(
        frame_to_server=to_server,
        frame_to_client=TO_CLIENT_LIMIT,
        chat_length=200,
        name_width=20,
        ping_after_ms=1,
        dead_after_ms=1,
        grace_ms=1,
        resume_events=1,
    )
    return Welcome(version=version, server="s", instance="i", name="Ada", limits=limits)


def pair() -> tuple[ClientConnection, ServerConnection]:
    client, server = Connection("client"), Connection("server")
    server.receive_data(client.send(HELLO))
    assert server.next_message() == HELLO
    client.receive_data(server.send(welcome()))
    assert client.next_message() == welcome()
    return client, server


def raw(**fields: Any) -> bytes:
    return frame(msgpack.packb(fields))


def test_a_whole_conversation() -> None:
    client, server = Connection("client"), Connection("server")
    states = [(client.state, server.state)]
    assert server.next_message() is NEED_DATA
    server.receive_data(client.send(HELLO))
    assert server.next_message() == HELLO
    states.append((client.state, server.state))
    assert server.version == 1 and client.version is None
    client.receive_data(server.send(welcome()))
    assert client.next_message() == welcome()
    states.append((client.state, server.state))
    assert client.version == 1
    server.receive_data(client.send(ListTables(id=1)) + client.send(Ping(n=4)))
    assert [server.next_message() for _ in range(3)] == [ListTables(id=1), Ping(n=4), NEED_DATA]
    client.receive_data(server.send(Ok(re=1)) + server.send(Lobby()) + server.send(Pong(n=4)))
    heard = [client.next_message() for _ in range(4)]
    assert heard == [Ok(re=1), Lobby(), Pong(n=4), NEED_DATA]
    client.receive_data(server.send(Bye(reason="shutdown")))
    assert client.next_message() == Bye(reason="shutdown")
    states.append((client.state, server.state))
    assert states == [(state, state) for state in State]


@pytest.mark.parametrize("role", ["client", "server"])
def test_nothing_is_sent_that_the_table_does_not_have(role: str) -> None:
    """Every state with every kind of message, in the order of the table."""
    kinds: dict[str, Any] = {
        "client": {"hello": HELLO, "other": Ping(), "bye": BYE},
        "server": {"welcome": welcome(), "other": Ping(), "bye": BYE},
    }[role]
    for state, (kind, message) in product(State, kinds.items()):
        connection: Any = Connection("client") if role == "client" else Connection("server")
        connection.state = state
        after = TRANSITIONS[state].get((connection.role, kind))
        if after is None:
            with pytest.raises(LocalProtocolError, match=f"in state {state.value}"):
                connection.send(message)
            assert connection.state is state
        else:
            connection.send(message)
            assert connection.state is after


def test_nobody_sends_the_words_of_the_other_side() -> None:
    client, server = pair()
    with pytest.raises(LocalProtocolError, match="a client never sends Ok"):
        client.send(Ok(re=1))  # type: ignore[arg-type]  # that is what is tested
    with pytest.raises(LocalProtocolError, match="a server never sends Leave"):
        server.send(Leave(id=1))  # type: ignore[arg-type]  # that is what is tested


def test_requests_behind_the_hello_wait_for_the_welcome() -> None:
    server = Connection("server")
    server.receive_data(raw(t="hello", versions=[1, 1], name="Ada") + raw(t="list", id=1))
    assert server.next_message() == HELLO
    assert server.next_message() is NEED_DATA
    server.send(welcome())
    assert server.next_message() == ListTables(id=1)


@pytest.mark.parametrize(
    "first",
    [
        raw(t="list", id=1),
        raw(t="ping"),
        raw(t="welcome"),
        raw(t="dance"),
        raw(),
        raw(t="hello"),
        raw(t="hello", versions=[1, 1]),
        raw(t="hello", versions=[1, 1], name=""),
        raw(t="hello", versions=[1, 1], name=5),
        raw(t="hello", versions=[1, 1], name="Ada", kind="cat"),
        raw(t="hello", versions=[2, 1], name="Ada"),
        raw(t="hello", versions=[-1, 1], name="Ada"),
        raw(t="hello", versions=[True, True], name="Ada"),
        raw(t="hello", versions=[1, 1.5], name="Ada"),
        raw(t="hello", versions=[1], name="Ada"),
        raw(t="hello", versions=1, name="Ada"),
    ],
)
def test_whatever_comes_instead_of_a_hello_is_refused(first: bytes) -> None:
    server = Connection("server")
    server.receive_data(first)
    for _ in range(2):
        with pytest.raises(RemoteProtocolError) as error:
            server.next_message()
        assert error.value.reason is ByeReason.BAD_HELLO
    with pytest.raises(LocalProtocolError, match="in state failed"):
        server.send(welcome())
    assert server.send(bye_for(error.value))
    assert server.state is State.CLOSED


def test_a_second_hello_is_refused() -> None:
    _, server = pair()
    server.receive_data(raw(t="hello", versions=[1, 1], name="Ada"))
    with pytest.raises(RemoteProtocolError, match="cannot come now") as error:
        server.next_message()
    assert error.value.reason is ByeReason.BAD_HELLO


@pytest.mark.parametrize(
    ("ours", "theirs", "spoken"),
    [
        ((1, 1), (1, 1), 1),
        ((1, 1), (1, 9), 1),
        ((1, 3), (2, 9), 3),
        ((1, 3), (1, 2), 2),
        ((2, 3), (0, 2), 2),
        ((1, 1), (2, 9), None),
        ((3, 4), (1, 2), None),
    ],
)
def test_I61_the_highest_common_version_is_spoken(
    ours: tuple[int, int], theirs: tuple[int, int], spoken: int | None
) -> None:
    server = Connection("server", versions=ours)
    server.receive_data(raw(t="hello", versions=theirs, name="Ada"))
    if spoken is None:
        with pytest.raises(RemoteProtocolError, match="needs an update") as error:
            server.next_message()
        assert error.value.reason is ByeReason.VERSION_UNSUPPORTED
    else:
        server.next_message()
        assert server.version == spoken


def test_I61_a_hello_of_the_future_is_told_what_is_spoken_here() -> None:
    server = Connection("server")
    server.receive_data(raw(t="hello", versions=[4, 6], name={"given": "Ada"}, kind=3, x=[1.5]))
    with pytest.raises(RemoteProtocolError, match="the server needs an update") as error:
        server.next_message()
    client = Connection("client")
    client.send(Hello(versions=(4, 6), name="Ada"))
    client.receive_data(server.send(bye_for(error.value)))
    bye = client.next_message()
    assert isinstance(bye, Bye)
    assert (bye.reason, bye.versions) == ("version_unsupported", (1, 1))
    assert "version 1" in bye.message and "versions 4 to 6" in bye.message


def test_a_client_refuses_a_version_it_did_not_offer() -> None:
    client, server = Connection("client"), Connection("server")
    server.receive_data(client.send(HELLO))
    server.next_message()
    client.receive_data(server.send(welcome(version=2)))
    with pytest.raises(RemoteProtocolError, match="protocol version 1, found 2") as error:
        client.next_message()
    assert error.value.reason is ByeReason.VERSION_UNSUPPORTED


@pytest.mark.parametrize("first", [Ping(), Ok(re=1), Lobby()])
def test_a_client_expects_a_welcome_first(first: Ping | Ok | Lobby) -> None:
    client = Connection("client")
    client.send(HELLO)
    client.receive_data(raw(t=type(first).__struct_config__.tag, re=1))
    with pytest.raises(RemoteProtocolError, match="cannot come now"):
        client.next_message()


def test_a_bad_request_is_answered_and_the_connection_goes_on() -> None:
    client, server = pair()
    server.receive_data(raw(t="chat", id=3, text="") + raw(t="dance", id=4) + raw(t="list", id=5))
    answers = []
    for _ in range(2):
        with pytest.raises(BadRequest) as error:
            server.next_message()
        answers.append(error_for(error.value))
    assert server.next_message() == ListTables(id=5)
    client.receive_data(b"".join(map(server.send, answers)))
    heard = [client.next_message(), client.next_message()]
    assert heard == answers
    first, second = answers
    assert first.re == 3 and first.code == ErrorCode.BAD_REQUEST and "$.text" in first.message
    assert second == Error(re=4, code=ErrorCode.UNKNOWN_TYPE, message=second.message)


def test_a_bad_frame_ends_it_but_a_bye_can_still_be_said() -> None:
    client, server = pair()
    server.receive_data(client.send(Ping()) + b"\x00\x00\x00\x01\xc1" + b"more")
    assert server.next_message() == Ping()
    for _ in range(2):
        with pytest.raises(RemoteProtocolError) as error:
            server.next_message()
    with pytest.raises(LocalProtocolError):
        server.send(Pong())
    server.receive_data(client.send(Ping()))
    with pytest.raises(RemoteProtocolError):
        server.next_message()
    client.receive_data(server.send(bye_for(error.value)))
    bye = client.next_message()
    assert isinstance(bye, Bye) and bye.reason == "bad_frame" and bye.versions is None


def test_frames_are_smaller_before_the_hello_than_after_it() -> None:
    server = Connection("server")
    server.receive_data((HELLO_LIMIT + 1).to_bytes(4, "big"))
    with pytest.raises(RemoteProtocolError, match=f"1 to {HELLO_LIMIT} bytes"):
        server.next_message()
    _, server = pair()
    body = msgpack.packb({"t": "ping", "a": "x" * 1000, "b": "x" * 1000, "c": "x" * 1000})
    assert HELLO_LIMIT < len(body) < TO_SERVER_LIMIT
    server.receive_data(frame(body))
    assert server.next_message() == Ping()
    server.receive_data((TO_SERVER_LIMIT + 1).to_bytes(4, "big"))
    with pytest.raises(RemoteProtocolError, match=f"1 to {TO_SERVER_LIMIT} bytes"):
        server.next_message()
    client, _ = pair()
    client.receive_data((TO_CLIENT_LIMIT + 1).to_bytes(4, "big"))
    with pytest.raises(RemoteProtocolError, match=f"1 to {TO_CLIENT_LIMIT} bytes"):
        client.next_message()


def test_a_client_keeps_to_what_the_server_announces() -> None:
    client, server = Connection("client"), Connection("server")
    server.receive_data(client.send(HELLO))
    server.next_message()
    client.receive_data(server.send(welcome(to_server=HELLO_LIMIT)))
    client.next_message()
    client.send(Chat(id=1, text="x" * 900))
    with pytest.raises(LocalProtocolError, match="1 to 1024 bytes"):
        client.send(Chat(id=1, text="x" * 1024))
    client.send(Chat(id=1, text="x" * 900))


@pytest.mark.parametrize("role", ["client", "server"])
def test_nothing_follows_a_bye(role: str) -> None:
    client, server = pair()
    near: Any = client if role == "client" else server
    far: Any = server if role == "client" else client
    far.receive_data(near.send(BYE) + raw(t="ping"))
    assert far.next_message() == BYE
    assert far.next_message() is NEED_DATA
    far.receive_data(raw(t="ping"))
    assert far.next_message() is NEED_DATA
    for side in (near, far):
        with pytest.raises(LocalProtocolError, match="in state closed"):
            side.send(BYE)


def test_what_is_said_to_several_is_said_to_each() -> None:
    """The frames of a tuple are made once, but a bye ends every connection that says it."""
    pairs = [pair() for _ in range(3)]
    told = (Ping(n=1), Ping(n=2))
    (frames,) = {server.send_all(told) for _, server in pairs}
    assert b"".join(frames[0]) == b"".join(map(pairs[0][1].send, told))
    last = (Ping(n=3), BYE)
    for _, server in pairs:
        server.send_all(last)
        assert server.state is State.CLOSED
    with pytest.raises(LocalProtocolError):
        pairs[0][1].send_all(last)


def test_a_client_may_say_bye_instead_of_hello() -> None:
    client, server = Connection("client"), Connection("server")
    server.receive_data(client.send(BYE))
    assert server.next_message() == BYE
    assert server.state is State.CLOSED


def test_unknown_messages_of_a_server_are_no_error() -> None:
    client, _ = pair()
    client.receive_data(raw(t="fireworks", size=3))
    assert client.next_message() == Unknown("fireworks")
    assert client.next_message() is NEED_DATA


@given(st.lists(st.binary(max_size=60), max_size=5), st.booleans(), st.booleans())
def test_arbitrary_bytes_raise_nothing_else(
    chunks: list[bytes], opened: bool, framed: bool
) -> None:
    sides: list[Any] = [*pair()] if opened else [Connection("client"), Connection("server")]
    for side in sides:
        for chunk in chunks:
            side.receive_data(len(chunk).to_bytes(4, "big") + chunk if framed else chunk)
            for _ in range(len(chunk) + 1):
                try:
                    if side.next_message() is NEED_DATA:
                        break
                except (BadRequest, RemoteProtocolError):
                    pass
