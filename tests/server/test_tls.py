"""TLS and who may come in without it."""

from __future__ import annotations

import ssl
from pathlib import Path
from random import Random

import pytest
import trio
import trustme

from dalmuti.core import events as ev
from dalmuti.protocol import messages as msg
from dalmuti.protocol.connection import Connection
from dalmuti.server import entrance
from dalmuti.server.app import App, StartError
from dalmuti.server.config import Config
from dalmuti.server.limits import Limits
from dalmuti.server.log import Log
from server.certs import Certificates, connect, port_of, running_tls
from server.wire import running


@pytest.fixture
def certificates(tmp_path: Path) -> Certificates:
    return Certificates(tmp_path)


async def test_a_hand_over_tls_with_a_house_bot(certificates: Certificates) -> None:
    """The bot comes without TLS over a listener that only this machine can reach."""
    with trio.fail_after(60):
        async with running_tls(certificates, password="sesame") as server:
            ada = await connect(server, certificates.trusted())
            await ada.hello("Ada", password="sesame")
            assert await ada.ask(msg.CreateTable, table="Kitchen", solo=True) == "ok"
            assert await ada.ask(msg.AddBot, bot="greedy") == "ok"
            await ada.event(ev.PlayerJoined)
            assert await ada.ask(msg.Deal) == "ok"
            await ada.play_until(ev.HandEnded)
            assert len(server.app.addresses) == 1
            await trio.aclose_forcefully(ada.stream)


async def test_who_speaks_no_tls_is_told_so(certificates: Certificates) -> None:
    async with running_tls(certificates) as server:
        plain = await server.connect()
        await plain.send(msg.Hello(versions=(1, 1), name="Ada"))
        (bye,) = await plain.rest()
        assert bye.reason == "refused" and "--tls" in bye.message


async def test_a_silent_client_has_no_time_for_a_handshake(certificates: Certificates) -> None:
    limits = Limits(handshake_seconds=0.1)
    async with running_tls(certificates, limits=limits) as server:
        silent = await server.connect()
        half = await server.connect()
        await half.stream.send_all(b"\x16\x03\x01\x02\x00")
        for client in (silent, half):
            assert await client.rest() == []
        ada = await connect(server, certificates.trusted())
        await ada.hello("Ada")
        lobby = server.app.lobby
        assert lobby is not None and lobby.metrics.handshakes_failed == 2
        await trio.aclose_forcefully(ada.stream)


async def test_a_client_that_does_not_like_the_certificate_hurts_nobody(
    certificates: Certificates,
) -> None:
    async with running_tls(certificates) as server:
        with pytest.raises(trio.BrokenResourceError) as error:
            await connect(server, ssl.create_default_context())
        assert isinstance(error.value.__cause__, ssl.SSLCertVerificationError)
        ada = await connect(server, certificates.trusted())
        await ada.hello("Ada")
        await trio.aclose_forcefully(ada.stream)
        assert "crashed" not in server.log_text.getvalue()


async def test_nonsense_in_a_handshake_hurts_nobody(certificates: Certificates) -> None:
    chance = Random(1)
    limits = Limits(handshake_seconds=0.5)
    async with running_tls(certificates, limits=limits) as server:
        for size in (1, 4, 5, 6, 60, 300, 2000, 20_000):
            client = await server.connect()
            await client.stream.send_all(b"\x16\x03\x01" + chance.randbytes(size))
            if size % 2:
                await trio.aclose_forcefully(client.stream)
        ada = await connect(server, certificates.trusted())
        await ada.hello("Ada")
        await ada.stream.send_all(b"\xff" * 100)
        assert (await ada.rest())[-1].reason == "bad_frame"
        await trio.aclose_forcefully(ada.stream)
        assert "crashed" not in server.log_text.getvalue()


async def test_a_plain_listener_beside_one_with_tls(certificates: Certificates) -> None:
    listen = ("127.0.0.1:0", "tcp://127.0.0.1:0")
    async with running_tls(certificates, listen=listen) as server:
        assert [each.certificate is None for each in server.app.entrances] == [False, True]
        host, port = server.app.addresses[1].split(":")
        stream = await trio.open_tcp_stream(host, int(port))
        await stream.send_all(hello_of_bob())
        assert await stream.receive_some(4096)
        await stream.aclose()


def hello_of_bob() -> bytes:
    return Connection("client").send(msg.Hello(versions=(1, 1), name="Bob"))


async def test_a_renewed_certificate_is_shown_after_a_reload(certificates: Certificates) -> None:
    async with running_tls(certificates) as server:
        assert server.app.operations is not None
        other = trustme.CA()
        certificates.issue(other)
        context = ssl.create_default_context()
        other.configure_trust(context)
        with pytest.raises(trio.BrokenResourceError):
            await connect(server, context)
        server.app.operations.reload()
        client = await connect(server, context)
        await client.hello("Ada")
        await trio.aclose_forcefully(client.stream)
        certificates.key.write_text("nonsense")
        server.app.operations.reload()
        assert "not_reloaded" in server.log_text.getvalue()
        again = await connect(server, context)
        await again.hello("Bob")
        await trio.aclose_forcefully(again.stream)


@pytest.mark.parametrize("broken", ["cert", "key", "missing"])
async def test_a_certificate_that_cannot_be_used(certificates: Certificates, broken: str) -> None:
    if broken == "missing":
        certificates.cert.unlink()
    else:
        getattr(certificates, broken).write_text("nonsense")
    app = App(Config(listen=("127.0.0.1:0",), **certificates.files), Log())
    with pytest.raises(StartError, match=r"the certificate .* cannot be used"):
        await app.run()


# -- without TLS ------------------------------------------------------------------------------


@pytest.mark.parametrize("listen", ["0.0.0.0:0", "[::]:0", ":0"])
async def test_an_address_of_the_internet_needs_tls_or_a_word(listen: str) -> None:
    with pytest.raises(StartError, match=r"can be overheard.*--insecure"):
        await App(Config(listen=(listen,)), Log()).run()
    async with running(listen=(listen,), insecure=True) as server:
        assert server.app.entrances[0].is_insecure
        assert '"insecure"' in server.log_text.getvalue()
    async with running(listen=(listen,), lan_only=True) as server:
        assert '"insecure"' not in server.log_text.getvalue()


async def test_with_tls_every_address_will_do(certificates: Certificates) -> None:
    async with running_tls(certificates, listen=("0.0.0.0:0",)) as server:
        assert not server.app.entrances[0].is_insecure
        assert port_of(server)


async def test_lan_only_sends_strangers_away(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(listen=("0.0.0.0:0",), lan_only=True) as server:
        server.app.addresses[0] = server.app.addresses[0].replace("0.0.0.0", "127.0.0.1")
        near = await server.connect()
        await near.hello("Ada")
        monkeypatch.setattr(entrance, "is_near", lambda host: False)
        far = await server.connect()
        await far.send(msg.Hello(versions=(1, 1), name="Eve"))
        (bye,) = await far.rest()
        assert bye.reason == "refused" and "TLS" in bye.message
