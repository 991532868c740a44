"""What a client takes from a server that is none, or means harm."""

from __future__ import annotations

import msgspec
import pytest

from dalmuti.protocol.connection import NEED_DATA, Connection
from dalmuti.protocol.errors import RemoteProtocolError
from dalmuti.protocol.framing import HELLO_LIMIT, frame
from dalmuti.protocol.messages import Hello, ListTables

LIMITS = {
    "frame_to_server": 4096,
    "frame_to_client": 262_144,
    "chat_length": 200,
    "name_width": 20,
    "ping_after_ms": 15_000,
    "dead_after_ms": 45_000,
    "grace_ms": 20_000,
    "resume_events": 512,
}


@pytest.mark.parametrize("number", [-5, 0, 1, HELLO_LIMIT - 1])
@pytest.mark.parametrize("limit", ["frame_to_server", "frame_to_client"])
def test_limits_within_which_nothing_can_be_said_are_refused(limit: str, number: int) -> None:
    """They are the server's fault, and not found out with our next message."""
    client = greeted({limit: number})
    with pytest.raises(RemoteProtocolError, match=f"{limit}.*{number}"):
        client.next_message()


def test_limits_that_are_small_are_kept() -> None:
    client = greeted({"frame_to_server": HELLO_LIMIT, "frame_to_client": HELLO_LIMIT})
    assert client.next_message() is not NEED_DATA
    assert client.send(ListTables(id=1))


def greeted(changed: dict[str, int]) -> Connection:  # type: ignore[type-arg]
    client = Connection("client")
    client.send(Hello(versions=(1, 1), name="Ada"))
    welcome = {
        "t": "welcome",
        "version": 1,
        "server": "s",
        "instance": "i",
        "name": "Ada",
        "limits": {**LIMITS, **changed},
    }
    client.receive_data(frame(msgspec.msgpack.encode(welcome)))
    return client
