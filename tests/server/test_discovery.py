"""The announcement: what is said and where, and that nothing that goes wrong with it matters."""

from __future__ import annotations

import io
import json
import threading
from typing import Any

import pytest
import trio

from dalmuti.server import discovery
from dalmuti.server.app import App
from dalmuti.server.config import Config
from dalmuti.server.discovery import NAME_BYTES, Announcement, Facts, facts_of, name_of
from dalmuti.server.entrance import open_entrances
from dalmuti.server.log import Log

FACTS = Facts("Kitchen", ("127.0.0.1",), 12013, False, False, ("127.0.0.1",))


class Fake:
    """Stands in for zeroconf.Zeroconf."""

    def __init__(self, interfaces: list[str], ip_version: object) -> None:
        self.interfaces, self.closed = interfaces, 0
        self.said: list[Any] = []
        made.append(self)

    def register_service(self, info: Any, allow_name_change: bool = False) -> None:
        assert allow_name_change
        self.said.append(info)

    def close(self) -> None:
        self.closed += 1


made: list[Fake] = []


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> list[Fake]:
    made.clear()
    monkeypatch.setattr("zeroconf.Zeroconf", Fake)
    return made


async def facts(*listen: str, **more: Any) -> Facts | None:
    config = Config(listen=listen, lan_only=True, announce=True, **more)
    entrances = await open_entrances(config, None)
    try:
        return facts_of(config, entrances)
    finally:
        for entrance in entrances:
            await entrance.listener.aclose()


@pytest.fixture
def lan(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with two networks, as it is outside of tests; nothing is sent there."""
    monkeypatch.delenv(discovery.INTERFACES)
    monkeypatch.setattr(discovery, "own_addresses", lambda: ["192.168.7.2", "10.0.0.2"])


async def test_I86_what_all_networks_reach_is_announced_on_all(lan: None) -> None:
    said = await facts("0.0.0.0:0", password="secret", announce_name="Kitchen")
    assert said is not None and said.port > 0
    assert said.addresses == said.interfaces == ("192.168.7.2", "10.0.0.2")
    assert said.properties() == {"v": "1", "name": "Kitchen", "password": "1", "tls": "0"}


async def test_I86_loopback_is_not_announced(lan: None) -> None:
    assert await facts("127.0.0.1:0", "[::1]:0") is None
    both = await facts("127.0.0.1:0", "0.0.0.0:0")
    assert both is not None and both.addresses == ("192.168.7.2", "10.0.0.2")


async def test_I86_loopback_is_announced_on_loopback_when_told() -> None:
    for listen in ("127.0.0.1:0", "0.0.0.0:0"):
        said = await facts(listen)
        assert said is not None
        assert said.addresses == said.interfaces == ("127.0.0.1",)


def test_I86_own_addresses_have_no_loopback() -> None:
    assert all(not each.startswith(("127.", "0.")) for each in discovery.own_addresses())


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("Kitchen", "Kitchen"),
        ("a\x1b[31mb\u202ec", "a[31mbc"),
        ("\x1b", "Dalmuti"),
        ("x" * 100, "x" * 23 + "…"),
    ],
)
def test_I86_a_name_is_made_fit_to_show(wanted: str, name: str) -> None:
    assert name_of(wanted) == name


@pytest.mark.parametrize("wanted", ["e\u0301\u0302" * 90, "大" * 90, "a.b..c", "...", "-x", ""])
def test_I86_a_name_is_never_too_long_for_dns(wanted: str, fake: list[Fake]) -> None:
    name = name_of(wanted)
    assert 0 < len(name.encode()) <= NAME_BYTES
    label = Announcement().make(Facts(name, ("127.0.0.1",), 1, False, False, ("127.0.0.1",)))
    assert label and "." not in label
    (info,) = fake[0].said
    assert info.properties[b"name"] == name.encode()


def test_I86_only_the_named_interfaces_are_used(fake: list[Fake]) -> None:
    announcement = Announcement()
    assert announcement.make(FACTS) == "Kitchen"
    announcement.withdraw()
    announcement.withdraw()
    assert fake[0].interfaces == ["127.0.0.1"] and fake[0].closed == 1
    (info,) = fake[0].said
    assert (info.port, info.parsed_addresses()) == (12013, ["127.0.0.1"])


def test_I86_what_is_withdrawn_before_it_is_made_is_not_said(fake: list[Fake]) -> None:
    announcement = Announcement()
    announcement.withdraw()
    announcement.make(FACTS)
    assert fake[0].said == [] and fake[0].closed == 1


# -- in a server ------------------------------------------------------------------------------


async def until(log: io.StringIO, *events: str) -> dict[str, Any]:
    """The first line of the log that is about one of these."""
    with trio.fail_after(20):
        while True:
            for line in log.getvalue().splitlines():
                values: dict[str, Any] = json.loads(line)
                if values["event"] in events:
                    return values
            await trio.sleep(0.01)


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("No interfaces to listen on"),
        OSError(19, "No such device"),
        ValueError("too long"),
        ImportError("no zeroconf"),
    ],
)
async def test_I86_what_goes_wrong_is_one_line(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(**_: object) -> None:
        raise error

    monkeypatch.setattr("zeroconf.Zeroconf", broken)
    said = io.StringIO()
    app = App(Config(listen=("127.0.0.1:0",), announce=True), Log("json", said))
    async with trio.open_nursery() as nursery:
        (address,) = await nursery.start(app.run)
        line = await until(said, "announced", "not_announced")
        assert line["event"] == "not_announced" and line["level"] == "warning"
        assert str(error) in line["why"]
        host, _, port = address.rpartition(":")
        await (await trio.open_tcp_stream(host, int(port))).aclose()
        app.stopping.set()
    assert said.getvalue().count("announced") == 1


async def test_I86_a_network_that_hangs_delays_neither_start_nor_stop(
    fake: list[Fake], monkeypatch: pytest.MonkeyPatch
) -> None:
    hangs, begun = threading.Event(), threading.Event()

    def stuck(self: Fake, info: Any, allow_name_change: bool = False) -> None:
        begun.set()
        hangs.wait(60)

    monkeypatch.setattr(Fake, "register_service", stuck)
    monkeypatch.setattr(Fake, "close", stuck)
    said = io.StringIO()
    app = App(Config(listen=("127.0.0.1:0",), announce=True), Log("json", said))
    try:
        with trio.fail_after(20):
            async with trio.open_nursery() as nursery:
                await nursery.start(app.run)
                await trio.to_thread.run_sync(begun.wait)
                app.stopping.set()
        assert "announced" not in said.getvalue()
    finally:
        hangs.set()


async def test_I86_an_orderly_stop_withdraws(fake: list[Fake]) -> None:
    said = io.StringIO()
    config = Config(listen=("127.0.0.1:0",), announce=True, announce_name="Kitchen")
    app = App(config, Log("json", said))
    async with trio.open_nursery() as nursery:
        addresses = await nursery.start(app.run)
        line = await until(said, "announced", "not_announced")
        assert line["name"].startswith("Kitchen ") and line["addresses"] == addresses
        assert fake[0].closed == 0
        app.stopping.set()
    assert fake[0].closed == 1


async def test_I86_nothing_is_announced_unasked(fake: list[Fake]) -> None:
    said = io.StringIO()
    app = App(Config(listen=("127.0.0.1:0",)), Log("json", said))
    async with trio.open_nursery() as nursery:
        await nursery.start(app.run)
        app.stopping.set()
    assert fake == [] and "announced" not in said.getvalue()
