"""The SDK at a real server in strict sessions: no cause for reports, but for bots that are late."""

from __future__ import annotations

import threading

import trio

from dalmuti.client.bots.player import Player
from dalmuti.client.bots.simple import RandomBot
from dalmuti.client.link import tcp
from dalmuti.client.session import Ended, Session
from dalmuti.core import events as ev
from dalmuti.core.views import TableView
from dalmuti.protocol import messages as msg
from server.wire import running


class Dreams(RandomBot):
    """Thinks about its first decision until it is woken."""

    def __init__(self) -> None:
        super().__init__()
        self.woken = threading.Event()

    def decide(self, view: TableView, decision: msg.Decision) -> msg.Choice:
        self.woken.wait(60)
        return super().decide(view, decision)


async def test_a_late_bot_gets_the_default_and_its_author_hears_of_it() -> None:
    """Its clock runs out once; bots beside it in the same process play on, and so does it."""
    reports: list[str] = []
    dreamer = Dreams()
    players: list[Player] = []

    def report(text: str) -> None:
        reports.append(text)
        dreamer.woken.set()

    with trio.fail_after(120):
        async with running() as server:
            port = int(server.app.addresses[0].rpartition(":")[2])
            host = await server.person("Watcher")
            options: dict[str, str | int] = {"seats": 3, "match_end": "hands:1", "turn_seconds": 5}
            options |= {"revolution": "off", "first_hand_taxes": "off"}
            assert await host.ask(msg.CreateTable, table="T", options=options, watch=True) == "ok"
            async with trio.open_nursery() as playing:
                for bot in (dreamer, RandomBot(), RandomBot()):
                    session = Session(
                        tcp("127.0.0.1", port),
                        name=f"Bot no {len(players)}",
                        kind="bot",
                        strict=True,
                        entry=msg.JoinTable(id=0, table="T"),
                    )
                    player = Player(session, bot, report=report, seed=1, threaded=True)
                    players.append(player)
                    playing.start_soon(player.run)
                    await host.event(ev.PlayerJoined)
                assert await host.ask(msg.Deal) == "ok"
                by = []
                event: object = None
                while not isinstance(event, ev.HandEnded):
                    event = (await host.next(msg.EventMessage)).event
                    if isinstance(event, ev.Played | ev.Passed):
                        by.append(event.by)
                for player in players:
                    player.session.close()
    assert by.count("clock") == 1 and by.count("player") == len(by) - 1 > 20
    assert [(each.illegal, each.late, each.crashed) for each in players] == [
        (0, 1, 0),
        (0, 0, 0),
        (0, 0, 0),
    ]
    texts = " ".join(reports)
    assert "Dreams is late: 5." in texts and ", for which it had 5.0 s; the default" in texts
    assert '"cards":[' in texts and "the server says: decision " in texts
    assert "had 5000 ms and got no answer in time" in texts and "Dreams took " in texts
    assert len(reports) == 3


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
    assert reports[0] == "the server says: a pong came without a ping."
    assert [end.why for end in ends] == ["left", "left"]
