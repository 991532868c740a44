"""Addresses that connections come from: how they are counted, and which are near.

Both ways in have to ask, the server's and the gateway's for guests by ssh, and both have to come to
the same answer: a limit that one of them counts otherwise is none.
"""

from __future__ import annotations

import ipaddress


def counted_as(host: str) -> str:
    """How a connection from `host` is counted: IPv4 as it is, of IPv6 the /64 network."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    if address.is_loopback:
        return str(address)
    return str(ipaddress.ip_network((address, 64), strict=False))


def is_near(host: str) -> bool:
    """Whether an address is this machine's or a private network's; what is none is not."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return not address.ipv4_mapped.is_global
    return not address.is_global
