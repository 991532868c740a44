"""`dalmuti ssh`: what was asked for, checked; then the gateway, until something ends it.

Nothing here needs asyncssh before it is known to be there.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dalmuti.client import i18n, out, servers, settings
from dalmuti.client.commands.parts import OK, REFUSED
from dalmuti.client.start import Refusal, address_of, trust_of
from dalmuti.client.words import guests as texts

if TYPE_CHECKING:
    from dalmuti.client.link import Stream
    from dalmuti.client.ssh.gateway import Gateway

LOWEST_PORT: Final = 1025
"""Ports below are for root, and the gateway is not."""


def run(given: argparse.Namespace) -> int:
    """Opens the gateway. Returns 128+n after signal n, 0 when its server has ended."""
    check()
    if 0 < given.port < LOWEST_PORT:
        raise Refusal(f"expected port 0 or {LOWEST_PORT} to 65535 for guests, found {given.port}")
    wishes = settings.load()
    guest_password = _guest_password(given)
    host, port = address_of(given.address or "127.0.0.1")
    from dalmuti.client.link import tcp
    from dalmuti.client.ssh import gateway, hostkey, log
    from dalmuti.client.ssh.limits import limits_for

    try:
        key = hostkey.host_key(hostkey.usual_path())
        logger = log.to(Path(given.log) if given.log else None)
    except hostkey.HostKeyError as error:
        raise Refusal(str(error)) from None
    except OSError as error:
        raise Refusal(f"--log: {given.log} cannot be written: {error.strerror}") from None
    trust = trust_of(given, host, port)
    connect = tcp(host, port) if trust is None else trust.connect
    server = f"{host}:{port}"
    config = gateway.Config(
        connect=connect,
        server=server,
        host_key=key,
        log=log.Log(logger),
        listen=given.listen,
        port=given.port,
        auth=given.auth,
        guest_password=guest_password,
        server_password=given.password or os.environ.get("DALMUTI_PASSWORD"),
        table=given.table,
        tls=trust is not None,
        lan_only=given.lan_only,
        language=i18n.language(),
        theme=wishes.theme,
        limits=limits_for(given.guests, given.guests_from_one),
    )

    def ready(port: int) -> None:
        _tell(given, port, key.get_fingerprint())

    async def main() -> int:
        await _try_server(connect, server)
        if trust is not None and (note := trust.note()):
            out.complain(note)
        try:
            return await _until_the_end(gateway.Gateway(config), ready, given.lifeline)
        except gateway.CannotListen as error:
            raise Refusal(f"{error}; choose another address or port") from None

    return gateway.run(main)


def check() -> None:
    """Refuses where there can be no gateway."""
    if sys.platform == "win32":
        raise Refusal("expected Linux, BSD or macOS for the way in by ssh, found Windows")
    if find_spec("asyncssh") is None:
        raise Refusal(
            "expected asyncssh to be installed for the way in by ssh, and it is not;"
            " it comes with the extra: pip install 'dalmuti[ssh]'"
        )


def _guest_password(given: argparse.Namespace) -> str:
    password: str = given.guest_password or os.environ.get("DALMUTI_GUEST_PASSWORD", "")
    if given.auth == "password" and not password:
        raise Refusal(
            "--auth password: expected the password of the guests in the environment, as"
            " DALMUTI_GUEST_PASSWORD, or with --guest-password, found none"
        )
    if given.guest_password and given.auth != "password":
        raise Refusal(f"--guest-password: expected --auth password, found --auth {given.auth}")
    return password


async def _try_server(connect: Callable[[], Awaitable[Stream]], server: str) -> None:
    """Says at once what guests would only be told when they come. Raises Refusal for a server that
    is not the one it should be."""
    from dalmuti.client.link import Over, Untrusted

    try:
        stream = await connect()
        await stream.aclose()
    except Untrusted as error:
        raise Refusal(str(error).removesuffix("."), REFUSED) from None
    except (OSError, TimeoutError, Over):
        out.complain(f"dalmuti ssh: nobody answers at {server} yet; guests are told so.")


def _tell(given: argparse.Namespace, port: int, fingerprint: str) -> None:
    """How guests come in, and what their ssh will ask them."""
    everywhere = given.listen in ("0.0.0.0", "", "::")
    hosts = servers.own_addresses() if everywhere else [given.listen]
    lines = texts.ssh_lines(hosts or ["127.0.0.1"], port)
    if given.json:
        told = {"event": "listening", "port": port, "lines": lines, "host_key": fingerprint}
        out.say(json.dumps(told))
        return
    for line in lines:
        out.say(texts.guests_type(line))
    out.say(texts.host_key(fingerprint))
    if everywhere and given.auth == "none" and not given.lan_only:
        out.say(texts.open_to_all(f"{given.listen} port {port}"))
    if os.geteuid() == 0:
        out.complain(texts.not_as_root())


async def _until_the_end(gateway: Gateway, ready: Callable[[int], None], lifeline: bool) -> int:
    """Runs until a signal comes, or with a lifeline until standard input closes."""
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    codes = [OK]

    def end(code: int) -> None:
        codes[0] = code
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, partial(end, 128 + number))

    def heard() -> None:
        if not os.read(0, 4096):
            end(OK)

    if lifeline:
        loop.add_reader(0, heard)
    await gateway.run(ready, stop)
    return codes[0]
