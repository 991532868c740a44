"""A connection that breaks in the middle of a hand: the client says so, and is back by itself."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from pathlib import Path

from end_to_end.spoken import Spoken
from end_to_end.terminal import clean_environment


class Cable:
    """A way to a server that can be cut, and holds until it is cut again."""

    def __init__(self, target: tuple[str, int]) -> None:
        self.target = target
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        self._ends: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                far = socket.create_connection(self.target)
                self._ends += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65536):
                other.sendall(data)
        self._shut(one)
        self._shut(other)

    @staticmethod
    def _shut(end: socket.socket) -> None:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)

    def cut(self) -> None:
        for end in self._ends:
            self._shut(end)
            end.close()
        self._ends.clear()

    def close(self) -> None:
        self._shut(self.listener)
        self.listener.close()
        self.cut()


def test_I07_a_cable_that_is_cut_twice(tmp_path: Path) -> None:
    env = clean_environment(tmp_path)
    host = (
        "host --plain --bind 127.0.0.1 --port 0 --bot-delay 0 --bots 1 --seats 3 --hands 1"
        " --table Kitchen --name Ada --rules turn_seconds=0"
    ).split()
    with Spoken(host, env) as ada:
        name, _, port = ada.until("Others join with: ").rpartition(" ")[2].rpartition(":")
        ada.until("You sit at table Kitchen")
        cable = Cable((name, int(port)))
        with Spoken(["join", cable.address, "--plain", "--name", "Zoe"], env) as zoe:
            host_plays = threading.Thread(target=ada.play_on, args=([""],))
            host_plays.start()
            for _ in range(2):
                zoe.until("Your turn: ")
                cable.cut()
                assert "Trying again in" in zoe.until("The ")
                zoe.until("Connected again.")
                zoe.until("Your turn: ")
                zoe.answer("")
            zoe.play_on([""], "Hand 1: deal verified.")
            host_plays.join()
            for each in (ada, zoe):
                assert "Hand 1 is over." in each.said
                assert "Hand 1: deal verified." in each.said
            assert "Zoe is back." in ada.said
        cable.close()
