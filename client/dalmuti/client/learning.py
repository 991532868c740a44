"""`dalmuti play --learn`: the table of the lesson, and its deal, which is known beforehand.

The deal is one in which everything comes up within one hand: the learner draws the best title, is
dealt both Jesters and may call a revolution, is paid taxes, leads, has to follow and to pass. The
bots are such as always do the same, so whoever does what the lesson says sees all of it.
"""

from __future__ import annotations

import argparse
from typing import Final

from dalmuti.client import start
from dalmuti.client.i18n import tr

SEED: Final = 27688
"""Of `core.deal.fixed_seed`: the first draw and the deal of the lesson."""
SEATS: Final = 4
BOT: Final = "greedy"
"""It leaves nothing to chance."""
DELAY: Final = 1.6
"""Seconds for a bot's move; whoever reads along needs more time than whoever plays."""


def prepare(given: argparse.Namespace) -> None:
    """Makes the command line that of the lesson. Raises start.Refusal where it asks for another."""
    if (given.seats, given.seed, given.rules, given.level) != (SEATS, None, "", ["normal"]):
        raise start.Refusal(
            tr("--learn: expected no --seats, --seed, --rules or --level: the lesson has its own")
        )
    given.seed = SEED
    if given.bot_delay is None:
        given.bot_delay = DELAY
