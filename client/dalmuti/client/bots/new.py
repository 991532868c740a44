"""`dalmuti bot new`: a bot to begin with, which its author then changes line by line."""

from __future__ import annotations

import argparse
import keyword
import re
import shlex
from pathlib import Path
from typing import Final

from dalmuti.client import out
from dalmuti.client.commands.parts import OK
from dalmuti.client.start import Refusal

TEMPLATE: Final = '''\
"""A bot for Dalmuti.  Try it:  dalmuti arena FILE greedy"""

from dalmuti.client.bot import Bot
from dalmuti.core.cards import Play
from dalmuti.core.moves import PASS

FEW = 8  # with so few cards left I split groups and spend Jesters


class NAME(Bot):
    def decide(self, view, decision):
        """Return one of decision.choices: all that is legal, the weakest first."""
        mine = view.hand.cards  # 1 is the best rank, 12 the worst, 13 a Jester
        sets = [choice for choice in decision.choices if isinstance(choice, Play)]
        if decision.kind in ("revolution", "tax"):
            return decision.default  # no revolution; taxes: the worst cards go back
        for play in sets:
            if play.count == len(mine):
                return play  # all my cards at once: I am out
        whole = [p for p in sets if not p.jesters and p.count == mine.count(p.rank)]
        if decision.kind == "lead":
            return max(whole or sets, key=lambda play: play.rank)  # all of my worst rank
        # Follow: `view.hand.trick.top` is the set to beat; `view.hand.played` counts what is gone.
        whole = [p for p in whole if p.rank > 2 or len(mine) <= FEW]
        if whole:
            return whole[0]  # a whole group, the worst that beats it
        if len(mine) > FEW:
            sets = [p for p in sets if p.rank > 7 and not p.jesters]  # only bad groups are split
        return sets[0] if sets else PASS
'''


def command(given: argparse.Namespace) -> int:
    """`dalmuti bot new FILE`. Raises Refusal."""
    return new(given.file)


def new(text: str | None) -> int:
    """Writes a bot into a file that is not there yet. Raises Refusal."""
    if text is None or not text.endswith(".py") or not class_name(text):
        found = "nothing" if text is None else repr(text)
        raise Refusal(
            f"expected the name of the file to write, such as `dalmuti bot new mybot.py`, found"
            f" {found}"
        )
    path, name = Path(text), class_name(text)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(TEMPLATE.replace("NAME", name).replace("FILE", shlex.quote(path.name)))
    except FileExistsError:
        raise Refusal(
            f"there is a file {text} already, and it is not overwritten; choose another name"
        ) from None
    except OSError as error:
        raise Refusal(f"{text} cannot be written: {error.strerror}") from None
    out.say(f"{text} holds a bot that plays: {name}. Change it, and try:")
    typed = shlex.quote(text)
    out.say(f"  dalmuti arena {typed} greedy")
    out.say(f"  dalmuti bot {typed} HOST --table NAME")
    return OK


def class_name(text: str) -> str:
    """`my_bot.py` holds MyBot; "" if a class cannot be called anything like the file."""
    words = re.findall(r"[A-Za-z0-9]+", Path(text).stem)
    name = "".join(word[0].upper() + word[1:] for word in words)
    if not name:
        return ""
    if not name.isidentifier() or keyword.iskeyword(name) or name in ("Bot", "Play"):
        name = f"My{name}"
    return name
