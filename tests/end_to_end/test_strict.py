"""The SDK in a strict session: it gives no cause for a report, and shows those it is given."""

from __future__ import annotations

import trio

from dalmuti.client.bots.player import Player
from dalmuti.client.bots.simple import RandomBot
from dalmuti.client.link import tcp
from dalmuti.client.session import Ended, Session
from dalmuti.core import events as ev
from dalmuti.protocol import messages as msg
from server.wire import running


async def test_the_sdk_does_nothing_that_is_ignored() -> None:
    """A match with a resume in it; then a pong that nobody asked for, to see a report."""
    reports: list[str] = []
    ends: list[Ended] = []
    with trio.fail_after(60):
        async with running() as server:
            port = int(server.app.addresses[0].rpartition(":")[2])
            host = await server.person("Watcher")
            options = {"seats": 2, "match_end": "hands:2"}
            assert await host.ask(msg.CreateTable, table="T", options=options, watch=True) == "ok"
            sessions = [
                Session(
                    tcp("127.0.0.1", port),
                    name=name,
                    kind="bot",
                    strict=True,
                    entry=msg.JoinTable(id=0, table="T"),
                )
                for name in ("Ada", "Bob")
            ]

            async def play(session: Session) -> None:
                player = Player(session, RandomBot(), report=reports.append, threaded=True)
                ends.append(await player.run())

            async with trio.open_nursery() as playing:
                for session in sessions:
                    playing.start_soon(play, session)
                    await host.event(ev.PlayerJoined)
                assert await host.ask(msg.Deal) == "ok"
                await host.event(ev.HandStarted)
                link = sessions[0]._link
                assert link is not None
                link.drop()
                await host.event(ev.HandEnded)
                assert await host.ask(msg.Deal) == "ok"
                await host.event(ev.MatchEnded)
                assert reports == []
                link = sessions[0]._link
                assert link is not None
                link.send(msg.Pong())
                link.send(msg.Pong())
                while not reports:  # noqa: ASYNC110  # the report is on its way
                    await trio.sleep(0.01)
                for session in sessions:
                    session.close()
    assert reports[0] == "the server says: a pong came without a ping"
    assert [end.why for end in ends] == ["left", "left"]
