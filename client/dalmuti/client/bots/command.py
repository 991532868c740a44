"""`dalmuti bot`: bots at a table, or in the ladder."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from dalmuti.client import settings
from dalmuti.client.settings import Settings
from dalmuti.client.start import Refusal, address_of, claim_seat, trust_of
from dalmuti.protocol.text import cut

if TYPE_CHECKING:
    from dalmuti.client.ladderkeys import KeyFile

NEED_ADDRESS: Final = (
    "expected the address of a server, such as `dalmuti bot {} 192.168.1.20`; the host's screen"
    " shows it"
)


def bot(given: argparse.Namespace) -> int:
    """`dalmuti bot NAME_OR_FILE HOST`. Raises Refusal."""
    if given.bot in ("new", "doctor"):  # behind an option
        raise Refusal(f"expected `{given.bot}` as the first word behind `dalmuti bot`")
    if given.address is None:
        raise Refusal(NEED_ADDRESS.format(given.bot))
    target, port = address_of(given.address)
    trust = trust_of(given, target, port)
    from dalmuti.client.bots.load import BotError, load_bot, made
    from dalmuti.client.bots.seat import seat_bots

    if given.ladder and given.table is not None:
        raise Refusal("expected --ladder or --table, found both: the server seats who is rated")
    is_file = given.bot.endswith(".py") or ":" in given.bot
    try:
        make = load_bot(given.bot)
        bots = [made(make) for _ in range(given.count)]
    except BotError as error:
        raise Refusal(str(error)) from None
    usual = make.__name__ if is_file else given.bot
    name = settings.chosen_name(given.name or cut(usual, 20, ""), Settings())[0]
    return seat_bots(
        bots,
        name,
        target,
        port,
        table=given.table,
        password=given.password,
        delay=given.bot_delay,
        number_name=given.name is None or given.count > 1,
        trust=trust,
        claim=lambda: claim_seat(f"bot {usual} at {target}:{port}", None, given.table),
        seed=given.seed,
        strict=given.strict,
        threaded=is_file,
        ladder=_keys(f"{target}:{port}", trust is not None) if given.ladder else None,
    )


def _keys(address: str, tls: bool) -> Callable[[str], KeyFile]:
    """What finds the keys of our names in a ladder. One that was had over TLS is for TLS alone."""
    from dalmuti.client.ladderkeys import KeyFile

    return lambda name: KeyFile(f"tls://{address}" if tls else address, name)
