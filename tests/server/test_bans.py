"""Who is not let in, and how that is kept."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from trio import Nursery

from dalmuti.protocol import messages as msg
from dalmuti.server.bans import BanError, Bans
from server.wire import MemoryServer


def test_addresses_networks_and_names(tmp_path: Path) -> None:
    bans = Bans(tmp_path)
    assert bans.add("203.0.113.7") == "203.0.113.7/32"
    assert bans.add("198.51.100.0/24") == "198.51.100.0/24"
    assert bans.add("2001:db8::5") == "2001:db8::/64"
    assert bans.add("Mallory") == "Mallory"
    for host in ("203.0.113.7", "198.51.100.200", "2001:db8::99", "2001:db8::/64"):
        assert bans.has_address(host), host
    assert bans.has_address("::ffff:203.0.113.7")
    for host in ("203.0.113.8", "2001:db8:0:1::5", "", "fe80::1%eth0", "elsewhere"):
        assert not bans.has_address(host), host
    assert bans.has_name("MALLORY") and bans.has_name("ma11ory".replace("1", "l"))
    assert not bans.has_name("Mallorca")


def test_they_are_kept_for_the_owner_only(tmp_path: Path) -> None:
    Bans(tmp_path).add("Mallory")
    file = tmp_path / "bans.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    again = Bans(tmp_path)
    again.add("203.0.113.7")
    assert Bans(tmp_path).listed() == ["203.0.113.7/32", "Mallory"]
    assert again.remove("mallory") and not again.remove("mallory")
    assert again.remove("203.0.113.7")
    assert Bans(tmp_path).listed() == []


def test_a_broken_file_is_told_and_what_was_known_stays(tmp_path: Path) -> None:
    bans = Bans(tmp_path)
    bans.add("Mallory")
    for text in ("{", '{"addresses": ["nowhere/99"]}', '{"people": []}'):
        (tmp_path / "bans.json").write_text(text)
        with pytest.raises(BanError, match="cannot be used"):
            bans.reload()
        assert bans.has_name("Mallory")
        with pytest.raises(BanError):
            Bans(tmp_path)
    (tmp_path / "bans.json").write_text('{"names": ["Trudy"]}')
    assert bans.reload() and bans.has_name("Trudy") and not bans.has_name("Mallory")
    assert not bans.reload(), "nothing has changed since"


@pytest.mark.parametrize("text", ["0.0.0.0/0", "10.0.0.0/7", "::/0", "\x1b[2J", "a" * 300])
def test_what_cannot_be_banned(text: str) -> None:
    with pytest.raises(BanError):
        Bans(None).add(text)


async def test_a_banned_name_is_not_let_in(nursery: Nursery) -> None:
    server = MemoryServer(nursery)
    server.lobby._bans.add("Mallory")
    client = server.connect()
    await client.send(msg.Hello(versions=(1, 1), name="MALLORY"))
    (bye,) = await client.rest()
    assert bye.reason == "refused"
    await server.person("Mallorca")
