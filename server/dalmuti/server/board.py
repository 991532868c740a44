"""The board: the open tables and the people at none, for those who asked to hear of changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import trio

from dalmuti.protocol import messages as msg
from dalmuti.server.limits import Limits
from dalmuti.server.peer import Peer
from dalmuti.server.table.room import Room

SHOWN = 250
"""Tables, and people, that the lobby shows at most."""

LATE_SECONDS = 0.1
"""Between two looks at least, whether who was behind with reading still is."""


class Board:
    """What the lobby shows. It only looks at who is here and which tables there are."""

    def __init__(
        self, peers: Mapping[int, Peer], rooms: Mapping[str, Room], limits: Callable[[], Limits]
    ) -> None:
        self._peers, self._rooms, self._limits = peers, rooms, limits
        self._changed = trio.Event()

    def view(self) -> msg.Lobby:
        """The open tables, and who is at none."""
        rooms = list(self._rooms.values())[:SHOWN]
        free = [peer.caller.name for peer in self._peers.values() if peer.caller and not peer.room]
        return msg.Lobby(
            tables=tuple(room.table.info() for room in rooms if not room.table.closed),
            people=tuple(free[:SHOWN]),
        )

    def note_change(self) -> None:
        """Something of it may have changed."""
        self._changed.set()

    async def push_changes(self) -> None:
        """Sends the lobby to those who asked for it and sit nowhere, not too often. Runs on.

        Each is complete, so who has not taken all that was sent to him gets a later one.
        """
        last: msg.Lobby | None = None
        late: set[int] = set()
        """Connections that have not got `last`."""
        while True:
            await self._changed.wait()
            seconds = self._limits().lobby_seconds
            await trio.sleep(max(seconds, LATE_SECONDS) if late else seconds)
            self._changed = trio.Event()
            readers = [p for p in self._peers.values() if p.listing and p.room is None]
            view = self.view() if readers else None
            if view is not None:
                wanting = [p for p in readers if view != last or p.conn in late]
                late = {peer.conn for peer in wanting if peer.behind}
                for peer in wanting:
                    if not peer.behind:
                        peer.post(view)
            last = view
            if late:
                self.note_change()
