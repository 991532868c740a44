"""Who is not let in: addresses, networks, and names with all that look like them.

Kept in `bans.json` in the data folder, which its owner may edit as well; without a data folder they
last as long as the server runs.
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Collection
from pathlib import Path

import msgspec
from msgspec import Struct

from dalmuti.protocol.text import clean_name, skeleton

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class BanError(ValueError):
    """Something that cannot be banned, or a file that cannot be used; the text is a sentence."""


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    addresses: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


class Bans:
    """The list. Every change is in the file before the call returns."""

    def __init__(self, folder: Path | None) -> None:
        """Reads the file, if there is one. Raises BanError."""
        self._path = None if folder is None else folder / "bans.json"
        self._networks: list[Network] = []
        self._names: dict[str, str] = {}
        """As they were given, by their skeletons."""
        self.reload()

    def reload(self) -> bool:
        """Reads the file again; whether that changed anything. Raises BanError, and keeps all."""
        if self._path is None or not self._path.exists():
            return False
        try:
            file = msgspec.json.decode(self._path.read_bytes(), type=_File)
            networks = [_network(text) for text in file.addresses]
        except (OSError, msgspec.DecodeError, ValueError) as error:
            raise BanError(f"{self._path} cannot be used: {error}") from None
        names = {skeleton(name): name for name in file.names}
        changed = (networks, names) != (self._networks, self._names)
        self._networks, self._names = networks, names
        return changed

    def has_address(self, host: str) -> bool:
        """Whether a connection from here, or from this /64 network, is refused."""
        if not self._networks:
            return False
        try:
            address = ipaddress.ip_address(re.split("[%/]", host)[0])
        except ValueError:
            return False
        if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
            address = address.ipv4_mapped
        return any(address in network for network in self._networks)

    @property
    def names(self) -> Collection[str]:
        """The skeletons of the names that are refused."""
        return self._names.keys()

    def has_name(self, name: str) -> bool:
        """Whether this name, or one that looks like it, is refused."""
        return skeleton(name) in self._names

    def add(self, text: str) -> str:
        """Bans an address (of IPv6 its /64), a network or a name; returns what it was taken for.

        Raises BanError for what is none of these, and for a file that cannot be written.
        """
        try:
            network = _network(text)
        except ValueError:
            try:
                name = clean_name(text)
            except ValueError as error:
                raise BanError(str(error)) from None
            self._names[skeleton(name)] = name
            self._save()
            return name
        least = 8 if network.version == 4 else 16
        if network.prefixlen < least:
            raise BanError(f"expected a network of /{least} or smaller, found {network}")
        if network not in self._networks:
            self._networks.append(network)
        self._save()
        return str(network)

    def remove(self, text: str) -> bool:
        """Lifts a ban, given as it was; False if there is none like that. Raises BanError."""
        try:
            self._networks.remove(_network(text))
        except ValueError:
            if self._names.pop(skeleton(text), None) is None:
                return False
        self._save()
        return True

    def listed(self) -> list[str]:
        """All bans as text, networks first."""
        return [*map(str, self._networks), *self._names.values()]

    def _save(self) -> None:
        if self._path is None:
            return
        file = _File(tuple(map(str, self._networks)), tuple(self._names.values()))
        new = self._path.with_suffix(".new")
        try:
            descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as out:
                out.write(msgspec.json.format(msgspec.json.encode(file)) + b"\n")
            os.replace(new, self._path)
        except OSError as error:
            raise BanError(f"{self._path} cannot be written: {error.strerror}") from None


def _network(text: str) -> Network:
    """An address or network. Raises ValueError."""
    network = ipaddress.ip_network(text.strip().strip("[]"), strict=False)
    if network.version == 6 and "/" not in text and not network.network_address.is_loopback:
        return ipaddress.ip_network(f"{network.network_address}/64", strict=False)
    return network
