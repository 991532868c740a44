"""Which server of this network to join, when `dalmuti join` was given no address.

Every server is shown with its address before anything is connected to.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Final

from dalmuti.client import discovery, out
from dalmuti.client.commands.parts import NO_CONNECTION, WRONG_USE
from dalmuti.client.discovery import Found
from dalmuti.client.start import Refusal, say

WHAT_TO_DO: Final = (
    "type `dalmuti join ADDRESS`, the host's screen shows the line; to play alone: `dalmuti play`"
)


def choose() -> Found:
    """The only server there is, or the one that the person chooses. Raises Refusal."""
    try:
        found = discovery.find()
    except discovery.LookError as error:
        raise Refusal(
            f"this machine cannot look for servers ({error}); {WHAT_TO_DO}", NO_CONNECTION
        ) from None
    if not found:
        raise Refusal(f"no server was found on this network; {WHAT_TO_DO}", NO_CONNECTION)
    if len(found) == 1:
        say(f"Found one server: {found[0]}. Joining it.")
        return found[0]
    say(f"Found {len(found)} servers:")
    for number, server in enumerate(found, 1):
        say(f"{number}. {server}")
    if sys.stdin is None or not sys.stdin.isatty():
        example = f"dalmuti join {found[0].address}"
        raise Refusal(f"several servers were found; name one, such as `{example}`")
    return found[_ask(len(found)) - 1]


def _ask(most: int) -> int:
    """A number of the list. Raises Refusal when there is no answer."""
    while True:
        say(f"Which one? Type its number, 1 to {most}.")
        with suppress(UnicodeDecodeError):
            line = sys.stdin.readline()
            answer = line.strip()
            if not answer:
                raise Refusal("no server was chosen", WRONG_USE)
            if answer in map(str, range(1, most + 1)):
                return int(answer)
        out.complain(f"That is not a number from 1 to {most}; an empty line ends this.")
