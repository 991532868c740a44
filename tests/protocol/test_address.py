"""How connections are counted, and which addresses are near."""

from __future__ import annotations

import pytest

from dalmuti.protocol.address import counted_as, is_near


@pytest.mark.parametrize(
    ("host", "near"),
    [
        ("127.0.0.1", True),
        ("192.168.1.7", True),
        ("10.0.0.1", True),
        ("172.16.3.4", True),
        ("169.254.1.1", True),
        ("100.64.0.9", True),
        ("fe80::1%eth0", True),
        ("fd00::1", True),
        ("::ffff:192.168.1.7", True),
        ("8.8.8.8", False),
        ("::ffff:8.8.8.8", False),
        ("2a00:1450::1", False),
        ("elsewhere", False),
    ],
)
def test_who_is_near(host: str, near: bool) -> None:
    assert is_near(host) is near


@pytest.mark.parametrize(
    ("host", "counted", "near"),
    [
        ("192.168.1.20", "192.168.1.20", True),
        ("127.0.0.1", "127.0.0.1", True),
        ("::1", "::1", True),
        ("8.8.8.8", "8.8.8.8", False),
        ("::ffff:8.8.8.8", "8.8.8.8", False),
        ("::ffff:10.0.0.1", "10.0.0.1", True),
        ("2a00:1450::1", "2a00:1450::/64", False),
        ("fe80::1%eth0", "fe80::/64", True),
        ("nonsense", "nonsense", False),
    ],
)
def test_of_guests_by_ssh_too(host: str, counted: str, near: bool) -> None:
    assert counted_as(host) == counted and is_near(host) is near
