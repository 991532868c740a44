"""Which server of this network to join, when `dalmuti join` was given no address.

Every server is shown with its address before anything is connected to.
"""

from __future__ import annotations

import sys
from contextlib import suppress

from dalmuti.client import discovery, out
from dalmuti.client.commands.parts import NO_CONNECTION, WRONG_USE
from dalmuti.client.discovery import Found
from dalmuti.client.i18n import tr, tr_n
from dalmuti.client.start import Refusal, say


def choose() -> Found:
    """The only server there is, or the one that the person chooses. Raises Refusal."""
    try:
        found = discovery.find()
    except discovery.LookError as error:
        raise Refusal(
            tr(
                "this machine cannot look for servers ({reason}); type `dalmuti join ADDRESS`, the"
                " host's screen shows the line; to play alone: `dalmuti play`",
                reason=error,
            ),
            NO_CONNECTION,
        ) from None
    if not found:
        raise Refusal(
            tr(
                "no server was found on this network; type `dalmuti join ADDRESS`, the host's"
                " screen shows the line; to play alone: `dalmuti play`"
            ),
            NO_CONNECTION,
        )
    if len(found) == 1:
        say(tr("Found one server: {server}. Joining it.", server=found[0]))
        return found[0]
    say(tr_n("Found {number} server:", "Found {number} servers:", len(found)))
    for number, server in enumerate(found, 1):
        say(f"{number}. {server}")
    if sys.stdin is None or not sys.stdin.isatty():
        example = f"dalmuti join {found[0].address}"
        raise Refusal(
            tr("several servers were found; name one, such as `{example}`", example=example)
        )
    return found[_ask(len(found)) - 1]


def _ask(most: int) -> int:
    """A number of the list. Raises Refusal when there is no answer."""
    while True:
        say(tr("Which one? Type its number, 1 to {most}.", most=most))
        with suppress(UnicodeDecodeError):
            line = sys.stdin.readline()
            answer = line.strip()
            if not answer:
                raise Refusal(tr("no server was chosen"), WRONG_USE)
            if answer in map(str, range(1, most + 1)):
                return int(answer)
        out.complain(
            tr("That is not a number from 1 to {most}; an empty line ends this.", most=most)
        )
