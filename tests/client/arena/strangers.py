"""Bots and clients as an arena meets them: Python classes, and a program with a way to misbehave.

python strangers.py HOW HOST PORT TABLE NAME
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import random
import socket
import subprocess
import sys
import time
from typing import Any

import msgpack

from dalmuti.client.bot import Bot
from dalmuti.core.events import Seen
from dalmuti.core.views import TableView
from dalmuti.protocol.messages import Choice, Decision


class Listens(Bot):
    """Its choices depend on all that it ever saw, down to the last field."""

    def begin(self, seed: int) -> None:
        self.seen = hashlib.sha256(str(seed).encode())

    def decide(self, view: TableView, decision: Decision) -> Choice:
        self.seen.update(repr((view, decision)).encode())
        return decision.choices[self.seen.digest()[0] % len(decision.choices)]

    def on_event(self, view: TableView, event: Seen) -> None:
        self.seen.update(repr((view, event)).encode())


class Looks(Bot):
    """The same for one who is told of no events."""

    def begin(self, seed: int) -> None:
        self.seen = hashlib.sha256(str(seed).encode())

    def decide(self, view: TableView, decision: Decision) -> Choice:
        self.seen.update(repr((view, decision)).encode())
        return decision.choices[self.seen.digest()[0] % len(decision.choices)]


class Third(Bot):
    """Does something with its third decision, and takes the first choice elsewhere."""

    def begin(self, seed: int) -> None:
        self.asked = 0

    def decide(self, view: TableView, decision: Decision) -> Choice:
        self.asked += 1
        return self.third() if self.asked == 3 else decision.choices[0]

    def third(self) -> Any:
        raise NotImplementedError  # each of the bots below has its own


class Raises(Third):
    def third(self) -> Any:
        raise RuntimeError("the third")


class Nonsense(Third):
    def third(self) -> Any:
        return "seven"


class Sleeps(Third):
    def third(self) -> Any:
        time.sleep(60)


class Hangs(Third):
    def third(self) -> Any:
        ctypes.PyDLL(None).sleep(
            60
        )  # it holds on to the interpreter: no thread and no handler runs


class Exits(Third):
    def third(self) -> Any:
        subprocess.Popen(["sleep", "60"])
        os._exit(7)


class Closes(Third):
    """As far as a Python bot can: its process finds its socket closed."""

    def third(self) -> Any:
        for number in os.listdir("/proc/self/fd"):
            try:
                if os.readlink(f"/proc/self/fd/{number}").startswith("socket:"):
                    os.close(int(number))
            except OSError:
                pass


class Client:
    """A client that plays at random, until it does not."""

    def __init__(self, how: str, host: str, port: str, table: str, name: str) -> None:
        self.how, self.table, self.name = how, table, name
        self.socket = socket.create_connection((host, int(port)))
        self.stream = self.socket.makefile("rb")
        self.asked = 0

    def say(self, **message: Any) -> None:
        body = msgpack.packb(message)
        self.socket.sendall(len(body).to_bytes(4, "big") + body)

    def play(self) -> None:
        if self.how == "mute":
            time.sleep(60)
        self.say(t="hello", versions=[1, 1], name=self.name, kind="bot")
        while len(header := self.stream.read(4)) == 4:
            message = msgpack.unpackb(self.stream.read(int.from_bytes(header, "big")))
            match message["t"]:
                case "welcome":
                    self.say(t="join", id=1, table=self.table)
                case "decision":
                    self.asked += 1
                    if self.asked == 3:
                        self.misbehave(message)
                    else:
                        self.act(message, random.choice(message["choices"]))
                case "unseated":
                    return

    def act(self, decision: dict[str, Any], choice: Any) -> None:
        self.say(t="act", id=2, decision=decision["decision"], choice=choice)

    def misbehave(self, decision: dict[str, Any]) -> None:
        match self.how:
            case "illegal":
                self.act(decision, {"do": "play", "rank": 1, "count": 9, "jesters": 0})
            case "nonsense":
                self.act(decision, {"do": "fly"})
            case "garbage":
                self.socket.sendall(bytes(range(200)))
            case "floods":
                while True:
                    self.say(t="ping", n=1)
            case "deaf":  # it never reads again
                time.sleep(60)
            case "closes":
                self.socket.shutdown(socket.SHUT_RDWR)
                time.sleep(60)
            case "forks":
                subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
                sys.exit(3)
            case _:
                self.act(decision, decision["default"])


if __name__ == "__main__":
    Client(*sys.argv[1:6]).play()
