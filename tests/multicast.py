"""Whether this machine carries multicast over loopback, as the tests with real mDNS need it."""

from __future__ import annotations

import socket
from functools import cache


@cache
def missing() -> str:
    """Why real mDNS cannot be tried here; empty if it can. No packet leaves this machine."""
    here, group = socket.inet_aton("127.0.0.1"), "239.255.77.77"
    try:
        with (
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as hears,
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as says,
        ):
            hears.bind(("", 0))
            hears.setsockopt(
                socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(group) + here
            )
            hears.settimeout(2)
            says.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, here)
            says.sendto(b"?", (group, hears.getsockname()[1]))
            hears.recv(1)
    except OSError as error:
        return f"this machine carries no multicast over loopback: {error}"
    return ""
