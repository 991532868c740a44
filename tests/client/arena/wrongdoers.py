"""Bots that do what no bot should, each in its own way. Loaded by workers as a stranger's file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from dalmuti.client.bot import Bot
from dalmuti.core.events import Seen
from dalmuti.core.views import TableView
from dalmuti.protocol.messages import Choice, Decision


class First(Bot):
    """Does nothing wrong: the first choice there is."""

    def decide(self, view: TableView, decision: Decision) -> Choice:
        return decision.choices[0]


class Sleeps(Bot):
    def decide(self, view: TableView, decision: Decision) -> Choice:
        time.sleep(1000)
        return decision.choices[0]


class Swallows(Bot):
    """Does not let itself be interrupted."""

    def decide(self, view: TableView, decision: Decision) -> Choice:
        while True:
            try:
                time.sleep(1000)
            except BaseException:
                continue


class Raises(Bot):
    def decide(self, view: TableView, decision: Decision) -> Choice:
        raise ValueError("no idea")


class Exits(Bot):
    def decide(self, view: TableView, decision: Decision) -> Choice:
        sys.exit(3)


class Recurses(Bot):
    def decide(self, view: TableView, decision: Decision) -> Choice:
        return self.decide(view, decision)


class Nonsense(Bot):
    def decide(self, view: TableView, decision: Decision) -> Any:
        return "a 13"


class EqualToAll:
    """Is equal to whatever it is compared with, and cannot be shown."""

    def __eq__(self, other: object) -> bool:
        return True

    def __repr__(self) -> str:
        raise KeyboardInterrupt

    def __hash__(self) -> int:
        return 0


class Cunning(Bot):
    def decide(self, view: TableView, decision: Decision) -> Any:
        return EqualToAll()


class Killed(First):
    """Its process is gone in the third decision of a match."""

    decisions = 0

    def decide(self, view: TableView, decision: Decision) -> Choice:
        self.decisions += 1
        if self.decisions == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return decision.choices[0]


class KilledByNews(First):
    """The same, but not in a decision."""

    heard = 0

    def on_event(self, view: TableView, event: Seen) -> None:
        self.heard += 1
        if self.heard == 20:
            os._exit(5)


class Vandal(First):
    """Writes over all files that are open, and closes them."""

    def decide(self, view: TableView, decision: Decision) -> Choice:
        for number in range(3, 256):
            with suppress(OSError):
                os.write(number, b"x" * 5000)
        os.closerange(3, 256)
        return decision.choices[0]


class NeverBegins(First):
    def begin(self, seed: int) -> None:
        raise RuntimeError("not today")


class Forks(First):
    def decide(self, view: TableView, decision: Decision) -> Choice:
        os.fork()
        return decision.choices[0]


class Litters(First):
    """Leaves a process and a thread in each decision, and prints."""

    def decide(self, view: TableView, decision: Decision) -> Choice:
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
        print("x" * 1000)
        return decision.choices[0]
