"""One connection of a client, seen from the server: what comes is held to the protocol."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from typing import Final

import trio
from msgspec import Struct

from dalmuti.client.conform import wire
from dalmuti.client.conform.checks import Failed, nonsense
from dalmuti.client.conform.table import Out
from dalmuti.protocol import messages as msg
from dalmuti.protocol.connection import NEED_DATA, Connection
from dalmuti.protocol.errors import BadRequest, RemoteProtocolError
from dalmuti.protocol.framing import HEADER

HANG_UP_SECONDS: Final = 1.0
LAST: Final = 3
"""So many messages are remembered as what was sent last."""
STAYS: Final = "expected the connection to stay, found that the client"


class Gone(Failed):
    """The client closed the connection where it should not."""


class Guest:
    """One connection of the client, seen from the server."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream
        self.connection = Connection("server")
        self.connection.strict = True  # so that it remarks on fields that no message has
        self.shape: wire.Shape = wire.usual
        self.cut: wire.Cut = wire.whole
        self.heard: list[msg.ClientMessage] = []
        """Everything that it sent."""
        self.remarks: dict[str, None] = {}
        """What it sent that every server ignores."""
        self.sent: deque[Out | bytes] = deque(maxlen=LAST)
        self._loose = b""
        """What came since the last whole message."""

    async def read(self) -> msg.ClientMessage:
        """The next message. Raises Failed for what no server understands, Gone at the end."""
        try:
            while (message := self.connection.next_message()) is NEED_DATA:
                data = await self.stream.receive_some(65536)
                if not data:
                    inside = f" after {self.found}" if self._loose else ""
                    raise Gone(f"{STAYS} closed it{inside}")
                self._loose += data
                self.connection.receive_data(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise Gone(f"{STAYS} closed it") from None
        except (BadRequest, RemoteProtocolError) as error:
            raise nonsense(error) from None
        self._loose = self._loose[HEADER + int.from_bytes(self._loose[:HEADER]) :]
        self.heard.append(message)
        if self.connection.remark:
            self.remarks[self.connection.remark] = None
        return message

    @property
    def found(self) -> str:
        """What came that is no whole message."""
        if not self._loose:
            return "nothing"
        return f"bytes that make no whole frame: {wire.named(self._loose)}"

    async def send_bytes(self, data: bytes) -> None:
        """Sends whatever bytes."""
        self.sent.append(data)
        try:
            await self.stream.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise Gone(f"{STAYS} closed it") from None

    async def send(self, *messages: Out) -> None:
        """Sends messages in the shape and the cut that this connection has."""
        if not messages:
            return
        frames = []
        for each in messages:
            if isinstance(each, Struct):
                self.connection.send(each)  # for its state: what may be said when
                frames.append(wire.frame(self.shape(each)))
            else:
                frames.append(wire.frame(each))
        self.sent.extend(messages)
        try:
            await self.cut(self.stream, frames)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise Gone(f"{STAYS} closed it") from None

    async def hang_up(self, *last: Out) -> None:
        """Says these last words and closes. What the client still sends is taken first: a close
        with something unread would take back what it has not read yet."""
        with suppress(Gone):
            await self.send(*last)
        with (
            trio.move_on_after(HANG_UP_SECONDS),
            suppress(trio.BrokenResourceError, trio.ClosedResourceError),
        ):
            await self.stream.send_eof()
            while await self.stream.receive_some(65536):
                pass
        await self.close()

    async def close(self) -> None:
        """Closes it without a word."""
        await trio.aclose_forcefully(self.stream)
