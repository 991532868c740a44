"""Telling this network by mDNS that a server is here, so that nobody has to type an address.

`zeroconf` brings a thread of its own; it is loaded, asked and closed in worker threads, since all
of that blocks for up to two seconds. Nothing that goes wrong with it is worth more than one line in
the log: people can always type the address. What is said is what anybody would learn who knocks:
the protocol's version, a name that whoever runs the server chose (else the machine's), whether a
password is needed and whether TLS is spoken; never who plays.

The announcement is made once: a password that a reload changes is not told until the next start.
"""

from __future__ import annotations

import ipaddress
import logging
import os
import secrets
import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import trio
from msgspec import Struct

from dalmuti.protocol.messages import MAX_TABLE_WIDTH, PROTOCOL_VERSION
from dalmuti.protocol.text import cut, safe_text
from dalmuti.server.config import DEFAULT_PORT, Config
from dalmuti.server.entrance import Entrance
from dalmuti.server.log import Log

if TYPE_CHECKING:
    from zeroconf import ServiceInfo, Zeroconf

SERVICE: Final = "_dalmuti._tcp.local."
INTERFACES: Final = "DALMUTI_MDNS_INTERFACES"
"""The environment may name the addresses whose interfaces are used, with commas between; for tests,
which keep to loopback. Only then is a server on loopback announced."""
NAME_BYTES: Final = 50
"""A label of DNS has 63 bytes; the port and, for a name that is taken, a number come behind it."""
WITHDRAW_SECONDS: Final = 1.5
"""How long an orderly stop waits at most until the announcement is taken back."""


class Facts(Struct, frozen=True):
    """What is announced."""

    name: str
    addresses: tuple[str, ...]
    """What people can reach, the way to the world first."""
    port: int
    password: bool
    tls: bool
    interfaces: tuple[str, ...]
    """The IPv4 addresses of the interfaces on which it is said."""

    def properties(self) -> dict[str, str]:
        """The public facts beside address and port."""
        return {
            "v": str(PROTOCOL_VERSION),
            "name": self.name,
            "password": str(int(self.password)),
            "tls": str(int(self.tls)),
        }


def facts_of(config: Config, entrances: list[Entrance]) -> Facts | None:
    """What is to be said of these listeners; None if nobody else can reach them.

    The port is that of the first listener that others can reach.
    """
    told = _told()
    own = told or tuple(own_addresses())
    port, tls = 0, False
    addresses: list[str] = []
    for entrance in entrances:
        found = [each for each in _reachable(entrance, own) if each in told or not _is_local(each)]
        if not found or (port and (port, tls) != (entrance.port, entrance.certificate is not None)):
            continue
        port, tls = entrance.port, entrance.certificate is not None
        addresses += found
    if not addresses:
        return None
    addresses = list(dict.fromkeys(addresses))
    only = tuple(each for each in addresses if ipaddress.ip_address(each).version == 4)
    return Facts(
        name=name_of(config.announce_name),
        addresses=tuple(addresses),
        port=port,
        password=config.password is not None,
        tls=tls,
        interfaces=told or only or own,
    )


def name_of(wanted: str | None) -> str:
    """The name as it is announced: safe to show, and short enough for a label of DNS."""
    text = safe_text(wanted or socket.gethostname().partition(".")[0]).strip()
    text = cut(text, MAX_TABLE_WIDTH)
    return text.encode()[:NAME_BYTES].decode(errors="ignore").strip() or "Dalmuti"


def own_addresses() -> list[str]:
    """The IPv4 addresses of this machine but loopback, the one towards the world first."""
    import ifaddr

    found: list[str] = []
    # No packet is sent: "connecting" a datagram socket only chooses the way.
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        found.append(probe.getsockname()[0])
    for adapter in ifaddr.get_adapters():
        found += [str(each.ip) for each in adapter.ips if each.is_IPv4]
    return [each for each in dict.fromkeys(found) if not _is_local(each)]


def _told() -> tuple[str, ...]:
    return tuple(filter(None, os.environ.get(INTERFACES, "").replace(" ", "").split(",")))


def _is_local(address: str) -> bool:
    read = ipaddress.ip_address(address)
    return read.is_loopback or read.is_unspecified


def _reachable(entrance: Entrance, own: tuple[str, ...]) -> list[str]:
    """The addresses behind a listener. One on all of IPv6 has none that mDNS over IPv4 needs;
    link-local ones mean nothing without the name of an interface on the other machine."""
    address = ipaddress.ip_address(entrance.host.partition("%")[0])
    if address.is_unspecified:
        return list(own) if address.version == 4 else []
    return [] if address.version == 6 and address.is_link_local else [str(address)]


class Announcement:
    """One announcement. Both methods block, and may be called in different threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._zeroconf: Zeroconf | None = None
        self._withdrawn = False

    def make(self, facts: Facts) -> str:
        """Says it; returns the name under which, which has a number if the first was taken.

        Raises whatever zeroconf and the system raise: there is no end of kinds.
        """
        import zeroconf

        _hush("zeroconf")
        made = zeroconf.Zeroconf(
            interfaces=list(facts.interfaces), ip_version=zeroconf.IPVersion.V4Only
        )
        with self._lock:
            self._zeroconf = made
            withdrawn = self._withdrawn
        try:
            info = _service(facts)
            if not withdrawn:
                made.register_service(info, allow_name_change=True)
        except BaseException:
            self.withdraw()
            raise
        if self._withdrawn:  # meanwhile
            made.close()
        return info.name.removesuffix(f".{SERVICE}")

    def withdraw(self) -> None:
        """Takes it back, and says so to the network."""
        with self._lock:
            self._withdrawn = True
            made, self._zeroconf = self._zeroconf, None
        if made is not None:
            made.close()


def _service(facts: Facts) -> ServiceInfo:
    import zeroconf

    label = facts.name.replace(".", " ").strip() or "Dalmuti"
    if facts.port != DEFAULT_PORT:  # zeroconf notices a taken name on another machine only
        label += f" {facts.port}"
    return zeroconf.ServiceInfo(
        SERVICE,
        f"{label}.{SERVICE}",
        port=facts.port,
        properties=facts.properties(),
        parsed_addresses=list(facts.addresses),
        server=f"dalmuti-{secrets.token_hex(4)}.local.",  # not the machine's: no clash, no leak
    )


def _hush(name: str) -> None:
    """Keeps a library from writing tracebacks of its own: what matters is one line in our log."""
    logger = logging.getLogger(name)
    logger.propagate = False
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())


async def announce(config: Config, entrances: list[Entrance], log: Log) -> None:
    """Announces the server until it is cancelled, and takes it back then. Never raises Exception.

    A thread that hangs is left behind; it ends with the process.
    """
    announcement = Announcement()
    try:
        try:
            facts = await trio.to_thread.run_sync(
                facts_of, config, entrances, abandon_on_cancel=True
            )
            if facts is None:
                log.info("not_announced", why="nobody but this machine can reach the server")
                return
            name = await trio.to_thread.run_sync(announcement.make, facts, abandon_on_cancel=True)
        except Exception as error:
            log.warning("not_announced", why=f"{type(error).__name__}: {error}")
            return
        addresses = [f"{each}:{facts.port}" for each in facts.addresses]
        log.info("announced", name=name, addresses=addresses)
        await trio.sleep_forever()
    finally:
        with trio.move_on_after(WITHDRAW_SECONDS, shield=True), suppress(Exception):
            await trio.to_thread.run_sync(announcement.withdraw, abandon_on_cancel=True)
