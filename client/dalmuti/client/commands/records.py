"""The commands about what is kept, here or at a server, and about the protocol itself."""

from __future__ import annotations

from typing import Any

from dalmuti.client.commands.parts import command, encryption, language


def add(commands: Any) -> None:
    """Adds the commands of this module."""
    for each in (_replay, _verify, _export, _ladder, _describe):
        each(commands)


def _replay(commands: Any) -> None:
    made = command(
        commands,
        "replay",
        "tell a saved match move by move",
        "dalmuti replay match.txt",
        "dalmuti replay match.txt --as Ada",
        action="dalmuti.client.start:replay",
    )
    made.add_argument("file", metavar="FILE")
    made.add_argument(
        "--as",
        dest="viewer",
        metavar="SEAT",
        help="only what this player saw, by number or name; else all cards are open",
    )
    made.add_argument("--plain", action="store_true", help="sentences only")
    language(made)


def _verify(commands: Any) -> None:
    made = command(
        commands,
        "verify",
        "prove every deal of a saved match",
        "dalmuti verify match.txt",
        action="dalmuti.client.start:verify",
    )
    made.add_argument("file", metavar="FILE")
    language(made)


def _export(commands: Any) -> None:
    made = command(
        commands,
        "export",
        "write what players saw, could do and did, for who learns from it",
        "dalmuti export match.txt --as Ada > ada.jsonl",
        "dalmuti export games/*.txt > all.jsonl",
        action="dalmuti.client.export:export",
        more="One line of JSON for each decision; docs/records.md tells what is in it.",
    )
    made.add_argument("files", nargs="+", metavar="FILE")
    made.add_argument(
        "--as",
        dest="viewer",
        metavar="SEAT",
        help="the decisions of this player only, by number or name; else of all, each as he saw it",
    )


def _ladder(commands: Any) -> None:
    made = command(
        commands,
        "ladder",
        "show how strong the rated bots of a server are",
        "dalmuti ladder cards.example.org --tls",
        "dalmuti ladder 127.0.0.1 --json",
        action="dalmuti.client.standings:ladder",
        more="`dalmuti bot mybot.py HOST --ladder` plays rated matches there.",
    )
    made.add_argument("address", metavar="HOST[:PORT]", help="where the server is")
    made.add_argument("--password", help="the password of the server")
    encryption(made)
    made.add_argument("--json", action="store_true", help="as JSON")


def _describe(commands: Any) -> None:
    made = command(
        commands,
        "describe",
        "describe the protocol, for whoever writes a client",
        "dalmuti describe",
        "dalmuti describe --json > schema.json",
        action="dalmuti.client.start:describe",
    )
    made.add_argument("--json", action="store_true", help="as a JSON Schema")
