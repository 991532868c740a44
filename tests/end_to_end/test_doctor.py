"""`dalmuti bot doctor`: at a server that is well, and at all that is none."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
import trustme
from msgspec.structs import replace

from dalmuti.client.bots import doctor, probe
from dalmuti.client.bots.doctor import Doctor
from dalmuti.client.trust import Known, Trust
from dalmuti.core import events as ev
from dalmuti.core.record import Verdict
from dalmuti.core.witness import Witness
from dalmuti.protocol import messages as msg
from dalmuti.protocol.codec import encode
from dalmuti.protocol.framing import frame
from dalmuti.protocol.messages import Bye
from dalmuti.server.limits import Limits
from server.certs import Certificates, running_tls
from server.wire import running

Said = pytest.CaptureFixture[str]
REFUSES = Bye(reason="version_unsupported", message="this server speaks version 7", versions=(7, 7))


async def seen(port: int, trust: Trust | None = None, password: str | None = None) -> int:
    with trio.fail_after(60):
        return await Doctor("127.0.0.1", port, trust, password).run()


def port_of(address: str) -> int:
    return int(address.rpartition(":")[2])


def trusting(port: int, folder: Path) -> Trust:
    return Trust("127.0.0.1", port, known=Known(folder / "known.json"))


async def test_a_server_that_is_well(capsys: Said) -> None:
    async with running() as server:
        assert await seen(port_of(server.app.addresses[0])) == 0
        assert server.app.lobby is not None
        with trio.fail_after(10):
            while server.app.lobby.rooms:  # noqa: ASYNC110  # its table is closed
                await trio.sleep(0.01)
    lines = capsys.readouterr().out.splitlines()
    assert all(line.startswith(("ok     ", "       ")) for line in lines[:-1]), lines
    for part in (
        "answers without TLS",
        "speaks version 1 of the protocol",
        "A message goes there and back in",
        "was resumed; nothing was missed",
        "The server's clock and this one agree",
        "A whole hand:",
        "The deal is what the server was bound to before.",
    ):
        assert sum(part in line for line in lines) == 1, part
    assert lines[-1] == "All is well: a bot can play here."


async def test_a_deal_that_is_not_as_promised(
    capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = Witness.watch

    def doubts(self: Witness, event: object) -> Verdict | None:
        verdict = watch(self, event)  # type: ignore[arg-type]  # any event
        return verdict and replace(verdict, ok=False, reasons=("it is another deal",))

    monkeypatch.setattr(Witness, "watch", doubts)
    async with running() as server:
        assert await seen(port_of(server.app.addresses[0])) == 1
    assert "WRONG  The deal is not what the server was bound to: it is another" in (
        capsys.readouterr().out
    )


async def test_the_table_that_is_named(capsys: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "PAUSE", 0.05)
    async with running() as server:
        port = port_of(server.app.addresses[0])

        async def seen_at(table: str, password: str | None = None) -> tuple[int, str]:
            with trio.fail_after(60):
                code = await Doctor("127.0.0.1", port, None, password, table).run()
            *_, last = capsys.readouterr().out.splitlines()
            return code, last

        code, last = await seen_at("Kitchen")
        assert code == 4 and last == "WRONG  There is no table 'Kitchen' here, and no other."
        ada = await server.person("Ada")
        options = {"turn_seconds": 30}
        assert await ada.ask(msg.CreateTable, table="Kitchen", options=options) == "ok"
        with trio.fail_after(60):
            assert await Doctor("127.0.0.1", port, None, None, "Kitchen").run() == 0
        assert "Table Kitchen takes a bot, which has 30 s for a decision there" in (
            capsys.readouterr().out
        )
        assert (await ada.event(ev.PlayerJoined)).who.name == "doctor"
        await ada.event(ev.PlayerLeft)
        code, last = await seen_at("Cellar")
        assert last == "WRONG  There is no table 'Cellar' here; the tables here: Kitchen."
        bea = await server.person("Bea")
        private = {"table": "Attic", "options": {"bots_may_join": "no"}}
        assert await bea.ask(msg.CreateTable, **private) == "ok"
        code, last = await seen_at("Attic")
        assert code == 4 and "refused `join`: Bots may not sit down at this table." in last


async def test_a_slow_server_is_noted(capsys: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "SLOW_SECONDS", 0.0)
    monkeypatch.setattr(doctor, "CLOCKS_AGREE", -1.0)
    async with running() as server:
        assert await seen(port_of(server.app.addresses[0])) == 0
    said = capsys.readouterr().out
    assert "note   A message goes there" in said and "That is slow" in said
    assert "note   The clock of a decision fell by" in said and "begin with `note`" in said


async def test_servers_that_let_nobody_in(capsys: Said) -> None:
    async with running(password="sesame") as server:
        port = port_of(server.app.addresses[0])
        assert await seen(port) == 4
        assert "give the right one with --password" in capsys.readouterr().out
    async with running(limits=Limits(house_bots=0)) as server:
        assert await seen(port_of(server.app.addresses[0])) == 4
        assert "The server refused `add_bot`: " in capsys.readouterr().out


async def test_tls_where_plain_was_expected_and_the_reverse(capsys: Said, tmp_path: Path) -> None:
    async with running_tls(Certificates(tmp_path)) as server:
        port = port_of(server.app.addresses[0])
        assert await seen(port) == 4
        assert "--tls" in capsys.readouterr().out.splitlines()[-1]
        assert await seen(port, trusting(port, tmp_path)) == 0
        said = capsys.readouterr().out
        assert "answers with TLS" in said and "note   Nobody vouches for the certificate" in said
    async with running() as server:
        port = port_of(server.app.addresses[0])
        assert await seen(port, trusting(port, tmp_path)) == 4
        assert "speaks without TLS: leave --tls" in capsys.readouterr().out


@asynccontextmanager
async def saying(data: bytes | None) -> AsyncIterator[int]:
    """Something that listens, reads, says this, and hangs up; None: it never says anything."""

    async def answer(stream: trio.SocketStream) -> None:
        async with stream:
            await stream.receive_some(1000)
            if data is None:
                await trio.sleep_forever()
            await stream.send_all(data)

    async with trio.open_nursery() as nursery:
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(trio.serve_listeners, answer, [listener])
        yield listener.socket.getsockname()[1]
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("data", "code", "why"),
    [
        (
            b"HTTP/1.1 400 Bad Request\r\n\r\n",
            3,
            "is no Dalmuti server: a web server answers there (HTTP)",
        ),
        (b"SSH-2.0-OpenSSH_9.2\r\n", 3, "an SSH server answers there"),
        (
            b"220 mail.example ESMTP\r\n",
            3,
            "something else answers there, with '220 mail.example ESMTP'",
        ),
        (b"", 3, "hung up without a word"),
        (None, 3, "no welcome came within 0.2 s: it is no Dalmuti server, or it hangs"),
        (frame(encode(REFUSES)), 4, "This server speaks version 7"),
    ],
)
async def test_what_is_no_server_of_ours(
    data: bytes | None, code: int, why: str, capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "PATIENCE", 0.2)
    monkeypatch.setattr(probe, "CONNECT_SECONDS", 0.5)
    async with saying(data) as port:
        assert await seen(port) == code
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("WRONG  ") and why in line


async def test_any_other_server_with_tls(capsys: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)

    async def answer(stream: trio.SSLStream[trio.SocketStream]) -> None:
        try:
            await stream.do_handshake()
        except trio.BrokenResourceError:
            await trio.aclose_forcefully(stream)

    async with trio.open_nursery() as nursery:
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        port = listener.socket.getsockname()[1]
        secure = trio.SSLListener(listener, context)
        nursery.start_soon(trio.serve_listeners, answer, [secure])
        assert await seen(port) == 3
        nursery.cancel_scope.cancel()
    assert "add --tls" in capsys.readouterr().out


async def test_nobody_there(capsys: Said) -> None:
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listener.socket.getsockname()[1]
    await listener.aclose()
    assert await seen(port) == 3
    assert "nothing listens at 127.0.0.1 port" in capsys.readouterr().out
    with trio.fail_after(60):
        assert await Doctor("no such name", port, None, None).run() == 3
    assert "No computer is known here as 'no such name'" in capsys.readouterr().out
