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
        "write a bot, look whether a server will do, seat bots at a table",
        "dalmuti bot new mybot.py                    writes a bot that plays, to begin with",
        "dalmuti bot doctor 192.168.1.20             says what is wrong, and what to do",
        "dalmuti bot greedy 127.0.0.1",
        "dalmuti bot mybot.py 192.168.1.20 --table Kitchen",
        "dalmuti bot mybot.py:Cautious 127.0.0.1 --count 3 --seed 1 --strict",
        action="dalmuti.client.bots.command:bot",
    )
    made.add_argument(
        "bot",
        metavar="NAME_OR_FILE",
        help="random, greedy, mybot.py or mybot.py:Class; or `new` and a file, or `doctor`",
    )
    where(made)
    made.add_argument(
        "--seed",
        type=whole(0, 2**53 - 10),
        metavar="N",
        help="what the bot's own chance begins with",
    )
    made.add_argument(
        "--strict",
        action="store_true",
        help="the server says what it ignores otherwise, such as missing answers",
    )
    made.add_argument("--count", type=whole(1, 10), default=1, metavar="N", help="how many (1)")
    made.add_argument("--name", metavar="NICK", help="its name; else the bot's")
    made.add_argument(
        "--bot-delay", type=seconds, default=0.0, metavar="SECONDS", help="time for a move (0)"
    )
