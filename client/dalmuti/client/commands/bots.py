"""The commands of those who write bots."""

from __future__ import annotations

from typing import Any

from dalmuti.client.commands.parts import command, seconds, where, whole


def add(commands: Any) -> None:
    """Adds the commands of this module."""
    _bot(commands)


def _bot(commands: Any) -> None:
    made = command(
        commands,
        "bot",
        "seat a bot at a table",
        "dalmuti bot greedy 127.0.0.1",
        "dalmuti bot mybot.py 192.168.1.20 --table Kitchen",
        "dalmuti bot mybot.py:Cautious 127.0.0.1 --count 3",
        "dalmuti bot mybot.py cards.example.org --tls --ladder --name Cautious",
        action="dalmuti.client.start:bot",
    )
    made.add_argument(
        "bot", metavar="NAME_OR_FILE", help="random, greedy, mybot.py or mybot.py:Class"
    )
    where(made)
    made.add_argument("--count", type=whole(1, 10), default=1, metavar="N", help="how many (1)")
    made.add_argument("--name", metavar="NICK", help="its name; else the bot's")
    made.add_argument(
        "--ladder",
        action="store_true",
        help="play rated matches, one after the other; `dalmuti ladder` shows what came of them",
    )
    made.add_argument(
        "--bot-delay", type=seconds, default=0.0, metavar="SECONDS", help="time for a move (0)"
    )
