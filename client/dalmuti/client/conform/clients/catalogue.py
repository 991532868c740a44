"""All checks of clients: the modules beside this one fill the catalogue when they are imported."""

from __future__ import annotations

from dalmuti.client.conform.checks import Catalogue, Check
from dalmuti.client.conform.stand import Stand

CLIENTS: Catalogue[Stand] = Catalogue()
check = CLIENTS.check


def all_checks() -> list[Check]:
    """Every check of a client, by id."""
    from dalmuti.client.conform.clients import again, hello, play, tables, wire  # noqa: F401  # they register

    return CLIENTS.sorted()
