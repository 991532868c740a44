"""Looking for servers on this network by mDNS, for `dalmuti join` without an address.

Answers come from strangers. A name is shown cleaned and cut, an address is one only if it reads as
one, and it is shown before anything is connected to. Only this command loads `zeroconf`, which
takes a while, and only for as long as it looks; all of this blocks, before any loop runs.
"""

from __future__ import annotations

import ipaddress
import logging
import os
import queue
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Final, NamedTuple

from dalmuti.client.i18n import tr
from dalmuti.protocol.messages import MAX_TABLE_WIDTH, VERSIONS
from dalmuti.protocol.text import cut, safe_text

SERVICE: Final = "_dalmuti._tcp.local."
INTERFACES: Final = "DALMUTI_MDNS_INTERFACES"
"""The environment may name the addresses whose interfaces are used; for tests, on loopback."""
LOOK_SECONDS: Final = 2.0
"""So long we look when nobody answers."""
MORE_SECONDS: Final = 0.8
"""So long we wait for others after the first that answered."""
ASK_SECONDS: Final = 0.5
"""So long one server has to tell its address, which usually comes with its name."""
MOST: Final = 30
"""More servers than a list can show are a joke of somebody's."""


class LookError(Exception):
    """This machine cannot look; the text says why."""


class Found(NamedTuple):
    """A server that was announced."""

    name: str
    """Safe to show."""
    address: str
    """HOST:PORT as `dalmuti join` takes it: of several addresses the nearest."""
    password: bool
    tls: bool
    strange: bool
    """Whether it speaks a version of the protocol that we do not know."""

    def __str__(self) -> str:
        marks = [
            *([tr("password needed")] if self.password else []),
            *(["TLS"] if self.tls else []),
            *([tr("another version of Dalmuti")] if self.strange else []),
        ]
        return f"{self.name}, {self.address}" + (f" ({', '.join(marks)})" if marks else "")


def find(seconds: float = LOOK_SECONDS) -> list[Found]:
    """The servers of this network, by name. Blocks for `seconds` at most, or a little less when
    some are found. Raises LookError."""
    import zeroconf

    logger = logging.getLogger("zeroconf")
    logger.propagate = False  # a network that is not there is one sentence, not a traceback
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    names: queue.SimpleQueue[str] = queue.SimpleQueue()

    def changed(
        zeroconf: zeroconf.Zeroconf,
        service_type: str,
        name: str,
        state_change: zeroconf.ServiceStateChange,
    ) -> None:
        if state_change.name != "Removed":
            names.put(name)

    told, own = _told(), _own_networks()
    interfaces = told or [str(each.ip) for each in own]
    if not interfaces:
        raise LookError(tr("it is on no network"))
    try:
        looking = zeroconf.Zeroconf(interfaces=interfaces, ip_version=zeroconf.IPVersion.V4Only)
    except Exception as error:  # of the system and of zeroconf; there is no end of kinds
        raise LookError(str(error) or type(error).__name__) from None
    try:
        zeroconf.ServiceBrowser(looking, SERVICE, handlers=[changed])

        def ask(name: str, most: float) -> Found | None:
            info = zeroconf.ServiceInfo(SERVICE, name)
            if not info.request(looking, most * 1000):
                return None
            addresses = info.parsed_addresses()
            return found_of(name, addresses, info.port, info.properties, own, bool(told))

        return _gather(names, ask, seconds)
    finally:
        with suppress(Exception):
            looking.close()


def _gather(
    names: queue.SimpleQueue[str], ask: Callable[[str, float], Found | None], seconds: float
) -> list[Found]:
    end = time.monotonic() + seconds
    found: dict[str, Found] = {}
    seen: set[str] = set()
    while len(seen) < MOST and (left := end - time.monotonic()) > 0:
        try:
            name = names.get(timeout=left)
        except queue.Empty:
            break
        if name in seen:
            continue
        seen.add(name)
        server = None
        with suppress(Exception):  # what a stranger sent could not even be read
            server = ask(name, min(ASK_SECONDS, left))
        if server is not None:
            if not found:
                end = min(end, time.monotonic() + MORE_SECONDS)
            found.setdefault(server.address, server)
    return sorted(found.values())


def found_of(
    service: str,
    addresses: Iterable[str],
    port: int | None,
    properties: Mapping[bytes, bytes | None],
    own: list[ipaddress.IPv4Interface],
    loopback: bool = False,
) -> Found | None:
    """What a stranger's answer says; None if nobody can connect to it.

    `own` are the addresses of this machine; `loopback` takes those as well.
    """
    usable = [each for each in addresses if _usable(each, loopback)]
    if not usable or not port or not 0 < port < 65536:
        return None
    host = min(usable, key=lambda each: _distance(each, own))  # of equals the first: its order
    said = properties.get(b"name") or service.removesuffix(f".{SERVICE}").encode(errors="replace")
    name = cut(" ".join(safe_text(said.decode(errors="replace")).split()), MAX_TABLE_WIDTH)
    version = (properties.get(b"v") or b"").decode(errors="replace")
    known = {str(each) for each in range(VERSIONS[0], VERSIONS[1] + 1)}
    return Found(
        name=name or tr("a server without a name"),
        address=f"[{host}]:{port}" if ":" in host else f"{host}:{port}",
        password=properties.get(b"password") == b"1",
        tls=properties.get(b"tls") == b"1",
        strange=version not in known,
    )


def _usable(text: str, loopback: bool) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    if address.is_unspecified or address.is_multicast or text == "255.255.255.255":
        return False
    if isinstance(address, ipaddress.IPv6Address) and address.is_link_local:
        return False  # means nothing without the name of an interface
    return loopback or not address.is_loopback


def _distance(text: str, own: list[ipaddress.IPv4Interface]) -> int:
    """0 on a network of ours, 1 this machine, 2 elsewhere. Ours last but one: every machine with
    Docker has 172.17.0.1, so that address of another machine would lead to ourselves."""
    address = ipaddress.ip_address(text)
    if any(address == each.ip for each in own):
        return 1
    return 0 if any(address in each.network for each in own if address.version == 4) else 2


def _told() -> list[str]:
    return [each for each in os.environ.get(INTERFACES, "").replace(" ", "").split(",") if each]


def _own_networks() -> list[ipaddress.IPv4Interface]:
    """The IPv4 addresses of this machine with their networks, but loopback."""
    import ifaddr

    found = [
        ipaddress.IPv4Interface(f"{each.ip}/{each.network_prefix}")
        for adapter in ifaddr.get_adapters()
        for each in adapter.ips
        if each.is_IPv4
    ]
    return [each for each in found if not each.is_loopback]
