"""TLS in the client: whom it believes, what it remembers, and what it refuses."""

from __future__ import annotations

import os
import ssl
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import trio
import trustme

from dalmuti.client.link import Untrusted
from dalmuti.client.model import Input, LinkChanged
from dalmuti.client.session import Ended, Session
from dalmuti.client.trust import FingerprintError, Known, Trust, fingerprint_from
from dalmuti.protocol.messages import Welcome
from server.certs import Certificates, port_of, running_tls
from server.wire import TcpServer, running


@pytest.fixture
def certificates(tmp_path: Path) -> Certificates:
    return Certificates(tmp_path)


@pytest.fixture
def known(tmp_path: Path) -> Known:
    return Known(tmp_path / "state" / "known_servers.json")


def trust(server: TcpServer, known: Known, fingerprint: str | None = None) -> Trust:
    return Trust("localhost", port_of(server), fingerprint, known)


async def meet(trust: Trust) -> tuple[Ended, str]:
    """Connects, is welcomed, and leaves; how it ended, and what there was to read."""
    read: list[str] = []

    def take(message: Input) -> None:
        if isinstance(message, LinkChanged) and message.state == "open":
            read.append(message.text)
        elif isinstance(message, Welcome):
            session.close()

    session = Session(trust.connect, name="Ada", address=trust.address, note=trust.note)
    with trio.fail_after(30):
        ended = await session.run(take)
    return ended, " ".join(read)


async def test_a_certificate_that_nobody_vouches_for_is_shown_and_remembered(
    certificates: Certificates, known: Known, tmp_path: Path
) -> None:
    async with running_tls(certificates) as server:
        ended, read = await meet(trust(server, known))
        assert ended.code == 0
        assert certificates.fingerprint in read and "remembered" in read
        ended, read = await meet(trust(server, known))
        assert (ended.code, read) == (0, "")
        address = f"localhost:{port_of(server)}"
        assert known.get(address) == certificates.fingerprint
    file = tmp_path / "state" / "known_servers.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


async def test_a_changed_certificate_is_refused_with_exit_code_4(
    certificates: Certificates, known: Known
) -> None:
    async with running_tls(certificates) as server:
        await meet(trust(server, known))
        old = certificates.fingerprint
        certificates.issue()
        assert server.app.operations is not None
        server.app.operations.reload()
        ended, _ = await meet(trust(server, known))
        assert ended.code == 4
        assert "has changed" in ended.text
        assert old in ended.text and certificates.fingerprint in ended.text
        ended, _ = await meet(trust(server, known, certificates.fingerprint))
        assert ended.code == 0
        ended, _ = await meet(trust(server, known))
        assert ended.code == 0, "the one that was given is remembered"


async def test_a_fingerprint_that_is_given_beforehand(
    certificates: Certificates, known: Known
) -> None:
    async with running_tls(certificates) as server:
        ended, _ = await meet(trust(server, known, "00:" * 31 + "00"))
        assert ended.code == 4 and "not the one you asked for" in ended.text
        assert known.get(f"localhost:{port_of(server)}") is None
        ended, read = await meet(trust(server, known, certificates.fingerprint))
        assert (ended.code, read) == (0, "")


async def test_whom_the_store_vouched_for_is_never_taken_by_fingerprint(
    certificates: Certificates, known: Known
) -> None:
    """Else whoever sits in between had only to show a certificate of his own."""

    def store() -> ssl.SSLContext:
        return certificates.trusted()

    async with running_tls(certificates) as server:
        first = Trust("localhost", port_of(server), None, known, store)
        ended, read = await meet(first)
        assert (ended.code, read) == (0, "")
        certificates.issue()
        assert server.app.operations is not None
        server.app.operations.reload()
        renewed = Trust("localhost", port_of(server), None, known, store)
        assert (await meet(renewed))[0].code == 0, "a renewed one of the same authority is good"
        certificates.issue(trustme.CA())
        server.app.operations.reload()
        ended, _ = await meet(Trust("localhost", port_of(server), None, known, store))
        assert ended.code == 4 and "vouched" in ended.text


async def test_a_server_without_tls(known: Known) -> None:
    async with running() as server:
        ended, _ = await meet(trust(server, known))
        assert ended.code == 4 and "without --tls" in ended.text


async def test_nobody_there(known: Known) -> None:
    async with running() as server:
        port = port_of(server)
    ended, _ = await meet(Trust("localhost", port, None, known))
    assert ended.code == 3


async def test_known_servers_that_cannot_be_read_are_no_reason_to_trust(
    certificates: Certificates, tmp_path: Path
) -> None:
    file = tmp_path / "known.json"
    file.write_text("{")
    async with running_tls(certificates) as server:
        with pytest.raises(Untrusted, match="cannot be read"):
            await trust(server, Known(file)).connect()


async def test_where_nothing_can_be_kept_it_says_so(
    certificates: Certificates, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    async with running_tls(certificates) as server:
        _, read = await meet(trust(server, Known(tmp_path / "file" / "known.json")))
        assert "cannot be remembered" in read


def test_how_people_write_fingerprints() -> None:
    plain = "0a" * 32
    shown = fingerprint_from(plain)
    assert shown == ":".join(["0A"] * 32)
    for text in (shown, f"SHA256:{plain}", f" sha256={plain} ", f"SHA256 {shown}"[7:]):
        assert fingerprint_from(text) == shown
    for text in ("", "0a", plain + "0a", "zz" * 32):
        with pytest.raises(FingerprintError, match="64 hexadecimal digits"):
            fingerprint_from(text)


@pytest.mark.parametrize("command", [("join",), ("bot", "greedy")])
async def test_the_commands_speak_tls(
    certificates: Certificates, tmp_path: Path, command: tuple[str, ...]
) -> None:
    """There is no table, so the command comes in, is greeted, and ends."""
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path)}
    async with running_tls(certificates) as server:
        arguments = [f"localhost:{port_of(server)}", "--tls"]
        run = [sys.executable, "-m", "dalmuti.client.cli", *command, *arguments]
        wrong = [*run, "--fingerprint", "00" * 32]

        async def output(call: list[str], until: bytes) -> tuple[int, str]:
            with trio.fail_after(30):
                process = await trio.lowlevel.open_process(
                    call,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    env=environment,
                )
                assert process.stdout is not None and process.stdin is not None
                text = b""
                while until not in text:
                    some = await process.stdout.receive_some(4096)
                    if not some:
                        break
                    text += some
                await process.stdin.aclose()
                if process.poll() is None and until in text:
                    process.terminate()
                async for some in process.stdout:
                    text += some
                return await process.wait(), text.decode()

        code, text = await output(wrong, b"nothing that is said")
        assert code == 4 and "not the one you asked for" in text
        _, text = await output(run, b"remembered from now on")
        assert certificates.fingerprint in text.replace("\n", "")
