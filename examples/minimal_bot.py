"""A bot that needs nothing but Python and msgpack, written from docs/protocol.md alone.

    python examples/minimal_bot.py HOST PORT TABLE [NAME]

It sits down at a table and answers every question with any legal choice, until the match ends.
"""

from __future__ import annotations

import random
import secrets
import socket
import sys
from typing import Any

import msgpack


def play(host: str, port: int, table: str, name: str) -> str:
    """Plays a match and returns how it ended."""
    with socket.create_connection((host, port)) as connection:
        stream = connection.makefile("rb")

        def say(**message: Any) -> None:
            body = msgpack.packb(message)
            connection.sendall(len(body).to_bytes(4, "big") + body)

        say(t="hello", versions=[1, 1], name=name, kind="bot", client="minimal_bot")
        while len(header := stream.read(4)) == 4:
            message = msgpack.unpackb(stream.read(int.from_bytes(header, "big")))
            match message:
                case {"t": "welcome"}:
                    say(t="join", id=1, table=table)
                case {"t": "snapshot", "table": {"next_hand": hand}} | {
                    "t": "event",
                    "event": {"e": "hand_prepared", "hand": hand},
                }:
                    say(t="nonce", id=2, hand=hand, nonce=secrets.token_hex(16))
                case {"t": "decision", "decision": number, "choices": choices}:
                    say(t="act", id=3, decision=number, choice=random.choice(choices))
                case {"t": "ping"}:
                    say(t="pong", n=message.get("n", 0))
                case {"t": "event", "event": {"e": "match_ended", "winners": winners}}:
                    return f"the match is over, won by player {' and '.join(map(str, winners))}"
                case {"t": "bye" | "unseated", "reason": reason}:
                    return f"no longer at the table: {reason}"
                case {"t": "error", "re": 1, "message": sentence}:
                    return f"cannot sit down: {sentence}"
        return "the server hung up"


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit("usage: minimal_bot.py HOST PORT TABLE [NAME]")
    print(play(sys.argv[1], int(sys.argv[2]), sys.argv[3], (*sys.argv, "Mini")[4]))
