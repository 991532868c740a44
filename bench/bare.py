"""The ceiling: a Trio server that moves the same frames as a table, with no game behind them.

For each answer that it reads it packs and writes what a table would: the play and the next turn to
each of the group, the next decision to the next, `ok` to whoever answered. One task and one send
per connection, no journal, no checks. The frames are samples of the real server's, so that bytes
and their number are the same. Started by bench/server.py: `python bench/bare.py SEATS FRAMES.json`.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import msgpack
import trio
from load import HEADER, framed

Message = dict[str, Any]


class Ceiling:
    """All groups. Connections form groups in the order in which they come."""

    def __init__(self, seats: int, samples: dict[str, Message]) -> None:
        self.seats, self.samples = seats, samples
        self.groups: list[list[trio.SocketStream]] = []
        self.seqs: list[int] = []

    async def serve(self, stream: trio.SocketStream) -> None:
        if not self.groups or len(self.groups[-1]) == self.seats:
            self.groups.append([])
            self.seqs.append(0)
        number, place = len(self.groups) - 1, len(self.groups[-1])
        self.groups[number].append(stream)
        data = bytearray()
        try:
            while more := await stream.receive_some(8192):
                data += more
                while len(data) >= 4 and len(data) >= (end := 4 + HEADER.unpack_from(data)[0]):
                    message = msgpack.unpackb(bytes(data[4:end]))
                    del data[:end]
                    await self.answer(stream, number, place, message)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return

    async def answer(
        self, stream: trio.SocketStream, number: int, place: int, message: Message
    ) -> None:
        match message["t"]:
            case "hello":
                await stream.send_all(framed({"t": "welcome"}))
            case "create" | "join":
                await stream.send_all(framed({"t": "snapshot"}))
            case "deal":
                await stream.send_all(framed(self.samples["decision"]))
            case "act":
                await self.play(number, place, message["id"])

    async def play(self, number: int, place: int, request: int) -> None:
        """What a table says after a play: 2 frames to each, and 2 more."""
        self.seqs[number] += 2
        seq, samples = self.seqs[number], self.samples
        following = (place + 1) % self.seats
        order = [*range(following + 1, self.seats), *range(following + 1)]  # who is next comes last
        for other in order:
            frames = []
            if other == place:
                frames.append(framed({"t": "ok", "re": request}))
            frames.append(framed({**samples["played"], "seq": seq}))
            frames.append(framed({**samples["turn"], "seq": seq + 1}))
            if other == following:
                frames.append(framed(samples["decision"]))
            await self.groups[number][other].send_all(b"".join(frames))


async def main(seats: int, samples: dict[str, Message]) -> None:
    """Says its address on standard output, then serves until it is killed."""
    ceiling = Ceiling(seats, samples)
    async with trio.open_nursery() as nursery:
        serve = partial(trio.serve_tcp, ceiling.serve, 0, host="127.0.0.1")
        listeners = await nursery.start(serve)
        port = listeners[0].socket.getsockname()[1]
        print(json.dumps({"event": "listening", "addresses": [f"127.0.0.1:{port}"]}), flush=True)


if __name__ == "__main__":
    trio.run(main, int(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text()))
