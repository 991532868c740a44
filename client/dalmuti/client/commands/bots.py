"""The commands of those who write bots."""

from __future__ import annotations

from typing import Any

from dalmuti.client.commands.parts import command, seconds, where, whole


def add(commands: Any) -> None:
    """Adds the commands of this module."""
    _bot(commands)
    _conform(commands)


def _bot(commands: Any) -> None:
    made = command(
        commands,
        "bot",
        "seat a bot at a table",
        "dalmuti bot greedy 127.0.0.1",
        "dalmuti bot mybot.py 192.168.1.20 --table Kitchen",
        "dalmuti bot mybot.py:Cautious 127.0.0.1 --count 3",
        action="dalmuti.client.start:bot",
    )
    made.add_argument(
        "bot", metavar="NAME_OR_FILE", help="random, greedy, mybot.py or mybot.py:Class"
    )
    where(made)
    made.add_argument("--count", type=whole(1, 10), default=1, metavar="N", help="how many (1)")
    made.add_argument("--name", metavar="NICK", help="its name; else the bot's")
    made.add_argument(
        "--bot-delay", type=seconds, default=0.0, metavar="SECONDS", help="time for a move (0)"
    )


def _conform(commands: Any) -> None:
    made = command(
        commands,
        "conform",
        "try somebody's client, or somebody's server, against the protocol",
        'dalmuti conform --client "node bot.js {host} {port} {table} {name}"',
        'dalmuti conform --client "python minimal_bot.py" --only C-201,C-202',
        "dalmuti conform --server 127.0.0.1:12013 --json",
        "dalmuti conform --list",
        action="dalmuti.client.conform.command:run",
        more="Without any of {host} {port} {table} {name} all four are added to the command.",
    )
    made.add_argument("--client", metavar="COMMAND", help="starts the client that is tried")
    made.add_argument("--server", metavar="HOST:PORT", help="the server that is tried")
    made.add_argument("--password", help="the server's password, where it has one")
    made.add_argument("--only", metavar="ID,...", help="these checks and no others")
    made.add_argument("--list", action="store_true", help="tell the checks, and run none")
    made.add_argument("--json", action="store_true", help="one JSON object instead of lines")
