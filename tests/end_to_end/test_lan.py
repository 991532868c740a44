"""Real mDNS, on loopback only: a server is announced, found, joined, and gone again.

Others may announce on this loopback at the same time, so each test looks for its own server.
"""

from __future__ import annotations

import io
import json
import queue
import secrets
from typing import Any

import pytest
import trio

from dalmuti.client import discovery as finding
from dalmuti.client.discovery import Found
from dalmuti.server.app import App
from dalmuti.server.config import Config
from dalmuti.server.discovery import SERVICE, Announcement, Facts
from dalmuti.server.log import Log
from multicast import missing

LOOPBACK = "127.0.0.1"


@pytest.fixture(autouse=True)
def multicast() -> None:
    if why := missing():
        pytest.skip(why)


async def until_announced(log: io.StringIO) -> dict[str, Any]:
    with trio.fail_after(30):
        while True:
            for line in log.getvalue().splitlines():
                values: dict[str, Any] = json.loads(line)
                if values["event"].endswith("announced"):
                    return values
            await trio.sleep(0.02)


async def test_I86_a_server_is_found_and_is_gone_after_its_stop() -> None:
    import zeroconf

    name = f"Küche {secrets.token_hex(4)}"
    log = io.StringIO()
    config = Config(
        listen=(f"{LOOPBACK}:0",), announce=True, announce_name=name, password="not told"
    )
    app = App(config, Log("json", log))
    gone: queue.SimpleQueue[str] = queue.SimpleQueue()

    def changed(**change: Any) -> None:
        if change["state_change"] is zeroconf.ServiceStateChange.Removed:
            gone.put(change["name"])

    watching = await trio.to_thread.run_sync(lambda: zeroconf.Zeroconf(interfaces=[LOOPBACK]))
    zeroconf.ServiceBrowser(watching, SERVICE, handlers=[changed])
    try:
        async with trio.open_nursery() as nursery:
            (address,) = await nursery.start(app.run)
            line = await until_announced(log)
            assert line["event"] == "announced", line
            service = f"{name} {address.rpartition(':')[2]}"
            assert (line["name"], line["addresses"]) == (service, [address])
            found = await trio.to_thread.run_sync(finding.find)
            assert Found(name, address, True, False, False) in found
            app.stopping.set()
        seen = ""
        while seen != f"{service}.{SERVICE}":
            seen = await trio.to_thread.run_sync(gone.get, True, 20)
    finally:
        await trio.to_thread.run_sync(watching.close)


def found_as(name: str, wanted: int) -> set[str]:
    """The addresses of servers of this name. A look is short, and a busy machine is late."""
    for _ in range(10):
        found = {each.address for each in finding.find() if each.name == name}
        if len(found) >= wanted:
            break
    return found


def test_I86_two_servers_of_one_machine_may_have_one_name() -> None:
    name = f"Kitchen {secrets.token_hex(4)}"
    made = [Announcement(), Announcement()]
    try:
        for port, announcement in zip((12013, 12014), made, strict=True):
            announcement.make(Facts(name, (LOOPBACK,), port, False, False, (LOOPBACK,)))
        assert found_as(name, 2) == {f"{LOOPBACK}:12013", f"{LOOPBACK}:12014"}
    finally:
        for announcement in made:
            announcement.withdraw()


def test_I86_a_name_that_is_taken_gets_a_number() -> None:
    name = f"Kitchen {secrets.token_hex(4)}"
    first, second = Announcement(), Announcement()
    try:
        facts = [
            Facts(name, (here,), 12013, False, False, (here,)) for here in (LOOPBACK, "127.0.0.2")
        ]
        assert first.make(facts[0]) == name
        assert second.make(facts[1]) == f"{name}-2"
        assert found_as(name, 2) == {f"{LOOPBACK}:12013", "127.0.0.2:12013"}
    finally:
        first.withdraw()
        second.withdraw()
