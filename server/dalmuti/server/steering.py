"""What whoever runs the server may see and do in the lobby: no card, and no move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from dalmuti.protocol import messages as msg
from dalmuti.protocol.errors import ByeReason
from dalmuti.protocol.text import skeleton
from dalmuti.server.lobby import Lobby
from dalmuti.server.peer import Peer

SENT_AWAY = "whoever runs this server has sent you away"


class Steering:
    """The lobby, seen by whoever runs the server."""

    def __init__(self, lobby: Lobby) -> None:
        self.lobby = lobby

    @property
    def plays(self) -> bool:
        """Whether a hand is played by somebody who is connected and no house bot."""
        return any(
            room.table.play.match.hand is not None
            and any(p.conn is not None and not p.is_house for p in room.table.people.seated())
            for room in self.lobby.rooms.values()
        )

    def drain(self, seconds: float) -> None:
        """Opens no more tables, and tells everyone that the server stops soon."""
        self.lobby.draining = True
        self._tell(msg.Draining(ms=round(seconds * 1000)))

    def tell_all(self, text: str) -> int:
        """Says something to everybody who is connected; returns how many that are."""
        return self._tell(msg.Notice(text=text))

    def _tell(self, message: msg.ServerMessage) -> int:
        peers = list(self.lobby.peers.values())
        for peer in peers:
            peer.post(message)
        return len(peers)

    async def send_away(self, name: str) -> list[str]:
        """Takes the seat and the connection from everybody of this name; returns who that was."""
        gone: list[str] = []
        wanted = skeleton(name)
        connected = [peer for peer in self.lobby.peers.values() if _called(peer, wanted)]
        for room in list(self.lobby.rooms.values()):
            if await room.send_away(name):
                gone.append(f"{name} at {room.table.name}")
        for peer in connected:
            peer.end(ByeReason.REFUSED, SENT_AWAY)
            gone.append(f"connection {peer.conn}")
        return gone

    def send_away_addresses(self, matches: Callable[[str], bool]) -> list[str]:
        """Ends all connections from addresses that match; their seats are played by stand-ins."""
        found = [peer for peer in self.lobby.peers.values() if matches(peer.address)]
        for peer in found:
            peer.end(ByeReason.REFUSED, SENT_AWAY)
        return [f"{'' if p.caller is None else p.caller.name} (connection {p.conn})" for p in found]

    def figures(self) -> str:
        """The page for Prometheus."""
        lobby = self.lobby
        enlisted = [peer for peer in lobby.peers.values() if peer.entrant is not None]
        playing = sum(peer.room is not None for peer in enlisted)
        lobby.metrics.entrants["playing"] = playing
        lobby.metrics.entrants["waiting"] = len(enlisted) - playing
        kinds = Counter({"human": 0, "bot": 0})
        kinds.update(peer.caller.kind for peer in lobby.peers.values() if peer.caller is not None)
        hands = sum(room.table.play.match.hand is not None for room in lobby.rooms.values())
        return lobby.metrics.text(kinds, len(lobby.rooms), hands)


def _called(peer: Peer, wanted: str) -> bool:
    return peer.caller is not None and skeleton(peer.caller.name) == wanted
