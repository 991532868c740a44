"""All checks of servers: the modules beside this one fill the catalogue when they are imported."""

from __future__ import annotations

from dalmuti.client.conform.checks import Catalogue, Check
from dalmuti.client.conform.visit import Visit

SERVERS: Catalogue[Visit] = Catalogue()
check = SERVERS.check


def all_checks() -> list[Check]:
    """Every check of a server, by id."""
    from dalmuti.client.conform.servers import (  # noqa: F401  # they register
        again,
        ends,
        hello,
        lobby,
        manners,
        play,
        rules,
        wire,
    )

    return SERVERS.sorted()
