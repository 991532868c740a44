"""The commands about what is kept, here or at a server, and about the protocol itself."""

from __future__ import annotations

from dalmuti.client.commands.parts import encryption, language, shown, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dalmuti.client.commands.book import Book


def add(book: Book) -> None:
    """Has the commands of this module described."""
    book.describe(_replay, _verify, _export, _stats, _ladder, _describe)


def _replay(book: Book) -> None:
    made = book.command(
        "replay",
        "step through a saved match, or have it told",
        "dalmuti replay match.txt              step through it on the full screen",
        "dalmuti replay match.txt --as Ada     with Ada's eyes; else all cards are open",
        "dalmuti replay match.txt --plain      all of it in sentences",
        "dalmuti replay match.txt --plain --step",
        action="dalmuti.client.replay.command:replay",
        more="Without a terminal all of it is told at once. ? or help says what can be done.",
    )
    made.add_argument("file", metavar="FILE")
    made.add_argument(
        "--as",
        dest="viewer",
        metavar="SEAT",
        help="only what this player saw, by number or name; else all cards are open",
    )
    made.add_argument(
        "--step",
        action="store_true",
        help="with --plain, or without a terminal: wait for commands, and do not tell it all",
    )
    shown(made)


def _verify(book: Book) -> None:
    made = book.command(
        "verify",
        "prove every deal of a saved match",
        "dalmuti verify match.txt",
        action="dalmuti.client.start:verify",
    )
    made.add_argument("file", metavar="FILE")
    language(made)


def _export(book: Book) -> None:
    made = book.command(
        "export",
        "write what players saw, could do and did, to learn from",
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


def _stats(book: Book) -> None:
    made = book.command(
        "stats",
        "show what you have played: titles, places, points",
        "dalmuti stats",
        "dalmuti stats --last 20",
        "dalmuti stats --json",
        "dalmuti stats --forget                delete your history",
        action="dalmuti.client.history.command:stats",
        more="The history is a file on this machine; `history = false` in settings.toml stops it.",
    )
    made.add_argument(
        "--last", type=whole(0, 1000), default=5, metavar="N", help="list the last N matches (5)"
    )
    made.add_argument("--json", action="store_true", help="as JSON")
    made.add_argument("--forget", action="store_true", help="delete the history, and show nothing")
    made.add_argument("--plain", action="store_true", help="numbers and sentences, without bars")
    made.add_argument(
        "--ascii", action="store_true", default=None, help="draw with ASCII characters only"
    )
    language(made)


def _ladder(book: Book) -> None:
    made = book.command(
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


def _describe(book: Book) -> None:
    made = book.command(
        "describe",
        "describe the protocol, for whoever writes a client",
        "dalmuti describe",
        "dalmuti describe --json > schema.json",
        action="dalmuti.client.start:describe",
    )
    made.add_argument("--json", action="store_true", help="as a JSON Schema")
