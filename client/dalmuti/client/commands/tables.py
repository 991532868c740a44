"""The commands that sit people down: play, host, join, and ssh for those who have nothing else."""

from __future__ import annotations

from dalmuti.client.commands.parts import (
    HIDDEN,
    language,
    seconds,
    shared,
    where,
    whole,
    wrong,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dalmuti.client.commands.book import Book
    from dalmuti.client.commands.parser import Parser

LEVELS = {"easy": "easy", "normal": "careful", "hard": "expert"}
"""Which house bot plays a level."""

HOUSE_RULES = """\
house rules (the first value is the default):
  first_titles        draw, random, order_of_arrival
  first_hand_taxes    on, off
  revolution          optional, automatic, off
  greater_revolution  always, choice, off
  passing             open, locked (out until the trick ends)
  scoring             titles, points
  match_end           open, points:N, hands:N
  turn_seconds        60, or 5 to 600, or 0 (no clock)
  spectators          allowed, refused
  bots_may_join       yes, no"""
"""A copy for --help, which loads nothing; a test holds it to `core.options`."""


def add(book: Book) -> None:
    """Has the commands of this module described."""
    book.describe(_play, _host, _join, _ssh)


def _play(book: Book) -> None:
    made = book.command(
        "play",
        "play alone against house bots",
        "dalmuti play",
        "dalmuti play --learn            a hand in which everything is explained",
        "dalmuti play --seats 6 --level easy,hard --bot-delay 0.3",
        "dalmuti play --plain --hands 1",
        action="dalmuti.client.start:play",
    )
    made.add_argument("--seats", type=whole(2, 10), default=4, metavar="N", help="2 to 10 (4)")
    made.add_argument(
        "--level",
        type=_levels,
        default=["normal"],
        metavar="LEVEL",
        help="easy, normal or hard (normal); several, with commas, take turns over the seats",
    )
    made.add_argument(
        "--seed",
        type=whole(0, 2**53),
        metavar="N",
        help="play known deals; the table is marked as not fair",
    )
    made.add_argument(
        "--learn",
        action="store_true",
        help="a lesson: one hand, known beforehand, in which all that comes up is explained",
    )
    made.add_argument(
        "--advice",
        action="store_true",
        help="show what the expert bot would do, with the points that it expects",
    )
    _rules_and_hands(made, "the end of `dalmuti host --help` lists them")
    shared(made)


def _host(book: Book) -> None:
    made = book.command(
        "host",
        "open a table for others on your network, and sit down at it",
        "dalmuti host",
        "dalmuti host --seats 6 --bots 2 --rules passing=locked,scoring=points",
        "dalmuti host --port 12014 --table Kitchen",
        "dalmuti host --ssh              for guests with nothing but ssh, too",
        more=HOUSE_RULES,
        action="dalmuti.client.start:host",
    )
    made.add_argument(
        "--port",
        type=whole(0, 65535),
        default=12013,
        metavar="PORT",
        help="where to listen (12013); 0: any free port",
    )
    made.add_argument(
        "--bind",
        default="0.0.0.0",
        metavar="ADDRESS",
        help="the address of this machine to listen on; 127.0.0.1: this machine only",
    )
    made.add_argument(
        "--insecure",
        action="store_true",
        help="let people of the internet in as well; without encryption, all can be overheard",
    )
    made.add_argument("--table", metavar="NAME", help="the name of the table; else after you")
    made.add_argument("--seats", type=whole(2, 10), default=8, metavar="N", help="2 to 10 (8)")
    made.add_argument(
        "--bots", type=whole(0, 9), default=0, metavar="N", help="house bots to seat (0)"
    )
    made.add_argument("--password", help="what everybody must give who joins")
    made.add_argument(
        "--ssh",
        type=whole(0, 65535),
        nargs="?",
        const=2222,
        metavar="PORT",
        help="let people in who have nothing but ssh, on this port (2222); needs dalmuti[ssh]",
    )
    made.add_argument("--advice", action="store_true", help=HIDDEN)  # is refused
    _rules_and_hands(made, "they are listed at the end of this help")
    shared(made)


def _rules_and_hands(made: Parser, rules: str) -> None:
    """`rules` says where the house rules are listed."""
    made.add_argument(
        "--bot-delay",
        type=seconds,
        metavar="SECONDS",
        help="how long house bots take for a move (0.8); 0: no time",
    )
    made.add_argument(
        "--rules",
        metavar="NAME=VALUE,...",
        default="",
        help=f"house rules, such as passing=locked,scoring=points; {rules}",
    )
    made.add_argument(
        "--hands",
        type=whole(1, 10_000),
        metavar="N",
        help="deal by itself, and end after so many hands",
    )


def _join(book: Book) -> None:
    made = book.command(
        "join",
        "join a table, or take your seat back",
        "dalmuti join                    a server that is found on your network",
        "dalmuti join 192.168.1.20",
        "dalmuti join 192.168.1.20:12014 --table Kitchen",
        "dalmuti join 192.168.1.20 --watch",
        "dalmuti join --tls cards.example.org",
        action="dalmuti.client.start:join",
    )
    where(made)
    made.add_argument("--watch", action="store_true", help="watch, and do not play")
    made.add_argument("--advice", action="store_true", help=HIDDEN)  # is refused
    shared(made)


def _ssh(book: Book) -> None:
    made = book.command(
        "ssh",
        "let people in who have nothing but ssh",
        "dalmuti ssh                       on this machine only, for the server here",
        "dalmuti ssh --listen 0.0.0.0 --auth anykey",
        "dalmuti ssh 192.168.1.20 --table Kitchen --port 2223",
        more="Guests type `ssh -p 2222 NAME@HOST`. The extra is needed:\n"
        "pip install 'dalmuti[ssh]'. docs/hosting.md says what each --auth means,\n"
        "and to whom a guest's seat belongs.",
        action="dalmuti.client.ssh.command:run",
    )
    where(made)
    made.add_argument(
        "--port",
        type=whole(0, 65535),
        default=2222,
        metavar="PORT",
        help="where guests come in (2222), above 1024; 0: any free port",
    )
    made.add_argument(
        "--listen",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="the address of this machine to listen on (127.0.0.1, this machine only);"
        " 0.0.0.0: all, for your network",
    )
    made.add_argument(
        "--auth",
        choices=["none", "password", "anykey"],
        default="none",
        help="none: everybody comes in; password: who knows it; anykey: everybody, and whoever has"
        " a key is known by it (none)",
    )
    made.add_argument(
        "--guest-password",
        metavar="PASSWORD",
        help="with --auth password; better DALMUTI_GUEST_PASSWORD in the environment",
    )
    made.add_argument(
        "--lan-only", action="store_true", help="send away who does not come from a private network"
    )
    made.add_argument(
        "--guests", type=whole(1, 1000), default=64, metavar="N", help="guests at once (64)"
    )
    made.add_argument(
        "--guests-from-one",
        type=whole(1, 1000),
        default=12,
        metavar="N",
        help="guests at once from one address (12)",
    )
    language(made)
    made.add_argument("--log", metavar="FILE", help="write the log there, not on standard error")
    made.add_argument(
        "--json", action="store_true", help="say where guests come in as one line of JSON"
    )
    made.add_argument("--lifeline", action="store_true", help="end when standard input closes")


def _levels(text: str) -> list[str]:
    levels = text.split(",")
    for level in levels:
        if level not in LEVELS:
            raise wrong(f"expected {', '.join(LEVELS)}, or several with commas, found {level!r}")
    return levels
