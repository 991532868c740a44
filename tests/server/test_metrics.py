"""The figures, the page they are on, and the watch over the event loop."""

from __future__ import annotations

import re
import time

import pytest
import trio

from dalmuti.core import events as ev
from dalmuti.protocol import messages as msg
from dalmuti.server.brief import AT_ONCE
from dalmuti.server.config import ConfigError, config_from
from dalmuti.server.metrics import Histogram, Metrics, resident_bytes
from dalmuti.server.watchdog import SLOW_SECONDS
from server.wire import TcpServer, running

SAMPLE = re.compile(r'^(dalmuti_\w+)(\{\w+="[\w+.]+"\})? (\d+(\.\d+)?(e-?\d+)?)$')


def samples(text: str) -> dict[str, float]:
    """Every figure of a page; the page is what Prometheus' text format wants."""
    found: dict[str, float] = {}
    kinds: dict[str, str] = {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split()
            kinds[name] = kind
        elif not line.startswith("# HELP "):
            match = SAMPLE.match(line)
            assert match, line
            name = re.sub("_(bucket|sum|count)$", "", match[1])
            assert match[1] in kinds or kinds[name] == "histogram", line
            assert match[1] + (match[2] or "") not in found, line
            found[match[1] + (match[2] or "")] = float(match[3])
    return found


async def page(server: TcpServer, request: bytes = b"GET /metrics HTTP/1.1\r\n\r\n") -> str:
    """What the page answers, all of it."""
    operations = server.app.operations
    assert operations is not None and operations.metrics_address is not None
    host, _, port = operations.metrics_address.rpartition(":")
    data = b""
    with trio.fail_after(10):
        stream = await trio.open_tcp_stream(host, int(port))
        async with stream:
            await stream.send_all(request)
            async for some in stream:
                data += some
    return data.decode()


async def test_the_page_has_all_figures_of_an_evening() -> None:
    async with running(metrics="127.0.0.1:0") as server:
        ada, bob = await server.person("Ada"), await server.person("Bob")
        assert await ada.ask(msg.CreateTable, table="Kitchen") == "ok"
        assert await bob.ask(msg.JoinTable, table="Kitchen") == "ok"
        token = (await bob.next(msg.Seated)).token
        assert await bob.ask(msg.Deal) == "not_host"
        assert await ada.ask(msg.Deal) == "ok"
        async with trio.open_nursery() as nursery:
            nursery.start_soon(bob.play_until, ev.HandEnded)
            await ada.play_until(ev.HandEnded)
        back = await server.connect()
        await back.hello("Eve", kind="bot")
        assert await back.ask(msg.Resume, table="Kitchen", token="nonsense") == "bad_token"
        assert await back.ask(msg.Resume, table="Kitchen", token=token) == "ok"
        await bob.rest()
        answer = await page(server)
        head, _, body = answer.partition("\r\n\r\n")
        assert head.startswith("HTTP/1.1 200 OK") and "text/plain; version=0.0.4" in head
        found = samples(body)
    assert found['dalmuti_connections{kind="human"}'] == 1
    assert found['dalmuti_connections{kind="bot"}'] == 1
    assert found["dalmuti_tables"] == 1
    assert found['dalmuti_decisions_total{by="player"}'] > 20
    assert found["dalmuti_standin_moves_total"] == 0
    assert found["dalmuti_decision_seconds_count"] > 20
    assert (
        found['dalmuti_decision_seconds_bucket{le="+Inf"}']
        == found["dalmuti_decision_seconds_count"]
    )
    assert found['dalmuti_refused_total{code="not_host"}'] == 1
    assert found['dalmuti_resumes_total{result="ok"}'] == 1
    assert found['dalmuti_resumes_total{result="failed"}'] == 1
    assert found['dalmuti_byes_total{reason="replaced"}'] == 1
    assert found["dalmuti_outbox_peak_items"] >= 1
    assert found["dalmuti_outbox_peak_bytes"] > 100
    assert found["dalmuti_slow_consumers_total"] == 0
    assert found["dalmuti_loop_lag_seconds"] > 0
    assert found["dalmuti_resident_bytes"] == pytest.approx(resident_bytes(), rel=0.5)
    assert "Ada" not in body and "Kitchen" not in body and "127.0.0.1" not in body


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"POST /metrics HTTP/1.1\r\n\r\n", "405"),
        (b"GET / HTTP/1.1\r\n\r\n", "404"),
        (b"GET /metrics HTTP/1.0\r\nHost: x\r\n\r\n", "200"),
        (b"nonsense\r\n\r\n", "400"),
        (b"\x00\x00\x00\x05\x81\xa1t\xa1x\r\n\r\n", "400"),
        (b"GET /metrics HTTP/1.1\r\n" + b"X: " + b"y" * 6000, "431"),
    ],
)
async def test_nothing_but_reading_figures(request_: bytes, status: str) -> None:
    async with running(metrics="127.0.0.1:0") as server:
        assert (await page(server, request_)).startswith(f"HTTP/1.1 {status} ")


async def test_readers_that_hang_do_not_pile_up() -> None:
    async with running(metrics="127.0.0.1:0") as server:
        operations = server.app.operations
        assert operations is not None and operations.metrics_address is not None
        host, _, port = operations.metrics_address.rpartition(":")
        hanging = [await trio.open_tcp_stream(host, int(port)) for _ in range(AT_ONCE)]
        with trio.fail_after(10):
            one_more = await trio.open_tcp_stream(host, int(port))
            assert await one_more.receive_some() == b""
        for stream in (*hanging, one_more):
            await trio.aclose_forcefully(stream)
        await server.person("Ada")


@pytest.mark.parametrize("address", ["0.0.0.0:9464", "192.168.1.1:9464", ":9464", "example.org:1"])
def test_the_page_is_for_this_machine_only(address: str) -> None:
    with pytest.raises(ConfigError, match="of this machine only"):
        config_from({"metrics": address})


async def test_I93_a_step_that_holds_up_everybody_is_told() -> None:
    async with running() as server:
        lobby = server.app.lobby
        assert lobby is not None

        async def hogs() -> None:
            await trio.lowlevel.checkpoint()
            ends = time.perf_counter() + 1.2 * SLOW_SECONDS
            while time.perf_counter() < ends:
                pass

        async with trio.open_nursery() as nursery:
            nursery.start_soon(hogs)
            nursery.start_soon(hogs)
        await trio.lowlevel.checkpoint()
        assert lobby.metrics.slow_steps >= 2
        assert lobby.metrics.longest_step > SLOW_SECONDS
        text = server.log_text.getvalue()
        assert text.count('"slow_step"') == 1, "a line now and then, and a count of the others"
        assert "hogs" in text


def test_a_histogram_counts_up() -> None:
    values = Histogram((1.0, 2.0))
    for seconds in (0.5, 1.0, 1.5, 9.0):
        values.observe(seconds)
    assert (values.counts, values.total) == ([2, 1, 1], 12.0)
    metrics = Metrics()
    metrics.decision_seconds.observe(0.0015)
    found = samples(metrics.text({"human": 2}, 1, 0))
    assert found['dalmuti_decision_seconds_bucket{le="0.001"}'] == 0
    assert found['dalmuti_decision_seconds_bucket{le="0.002"}'] == 1
    assert found["dalmuti_decision_seconds_sum"] == 0.0015
