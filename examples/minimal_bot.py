"""A bot that needs nothing but Python and msgpack, written from docs/protocol.md alone.

    python examples/minimal_bot.py HOST PORT TABLE [NAME]

It sits down at a table and answers every question with any legal choice, until the match ends.
When the connection breaks it comes back to its seat.
"""

from __future__ import annotations

import random
import secrets
import socket
import sys
import time
from typing import Any

import msgpack

SILENCE = 45  # seconds after which the server is taken for gone; it pings every 15
ATTEMPTS = 25  # to come back, one after the other, within some three minutes
LARGEST = 262144  # bytes of a frame
FINAL = {"version_unsupported", "bad_hello", "bad_name", "wrong_password", "refused", "replaced"}


class Over(Exception):
    """The evening is at its end; the text says how."""


class MinimalBot:
    """One seat, over as many connections as it takes."""

    def __init__(self, table: str, name: str) -> None:
        self.table, self.name = table, name
        self.token = ""  # the seat is ours for as long as we have it
        self.seen: dict[str, Any] = {}  # `seq` of the last event, `instance` of the server
        self.failed = 0

    def run(self, host: str, port: int) -> str:
        """Plays a match and returns how it ended; where it cannot play, that is the exit."""
        while self.failed == 0 or (self.token and self.failed < ATTEMPTS):
            try:
                with socket.create_connection((host, port), SILENCE) as connection:
                    self.talk(connection)
                raise OSError("the server hung up")
            except Over as over:
                return str(over)
            except (OSError, ValueError, LookupError) as error:
                problem, self.failed = error, self.failed + 1
            time.sleep(min(8, 0.25 * 2**self.failed) * random.uniform(0.75, 1.25))
        sys.exit(f"cannot play: {problem}")

    def talk(self, connection: socket.socket) -> None:
        """Answers one message after the other until the server hangs up."""

        def say(**message: Any) -> None:
            body = msgpack.packb(message)
            connection.sendall(len(body).to_bytes(4, "big") + body)

        stream = connection.makefile("rb")
        say(t="hello", versions=[1, 1], name=self.name, kind="bot", client="minimal_bot")
        while size := int.from_bytes(stream.read(4), "big"):
            body = stream.read(size) if size <= LARGEST else b""
            if len(body) < size:
                return
            self.answer(msgpack.unpackb(body), say)

    def answer(self, message: Any, say: Any) -> None:
        """Does what one message asks for; what it does not know it leaves alone."""
        match message:
            case {"t": "welcome", "instance": instance}:
                self.instance = instance
                if self.token:
                    say(t="resume", id=1, table=self.table, token=self.token, **self.seen)
                else:
                    say(t="join", id=1, table=self.table)
            case {"t": "seated", "token": token}:
                self.token, self.failed = token, 0
            case {"t": "snapshot", "seq": seq, "table": table}:
                self.seen = {"seq": seq, "instance": self.instance}
                if table.get("next_commitment"):
                    say(t="nonce", id=2, hand=table.get("next_hand", 1), nonce=secrets.token_hex(8))
            case {"t": "event", "seq": seq, "event": event}:
                missing = bool(self.seen) and seq > self.seen["seq"] + 1
                self.seen = {} if missing else {"seq": seq, "instance": self.instance}
                if missing:
                    raise OSError("an event is missing")  # come again, for a snapshot
                if event["e"] == "hand_prepared":
                    say(t="nonce", id=2, hand=event["hand"], nonce=secrets.token_hex(8))
                elif event["e"] == "match_ended":
                    say(t="leave", id=4)
                    say(t="bye", reason="leaving")
                    winners = " and ".join(map(str, event["winners"]))
                    raise Over(f"the match is over, won by player {winners}")
            case {"t": "decision", "decision": number, "choices": choices}:
                say(t="act", id=3, decision=number, choice=random.choice(choices))
            case {"t": "ping"}:
                say(t="pong", n=message.get("n", 0))
            case {"t": "error", "re": 1, "code": code, "message": text}:
                if not self.token:
                    sys.exit(f"cannot sit down: {text}")
                if code in ("bad_token", "no_such_table"):
                    sys.exit(f"the seat is gone: {text}")
                raise OSError(text)
            case {"t": "unseated", "reason": reason}:
                raise Over(f"no longer at the table: {reason}")
            case {"t": "bye", "reason": reason} if reason in FINAL or not self.token:
                sys.exit(f"the server said bye: {reason}")


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit("usage: minimal_bot.py HOST PORT TABLE [NAME]")
    bot = MinimalBot(sys.argv[3], (*sys.argv, "Mini")[4])
    print(bot.run(sys.argv[1], int(sys.argv[2])))
