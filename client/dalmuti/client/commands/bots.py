"""The commands of those who write bots."""

from __future__ import annotations

from dalmuti.client.commands.parts import encryption, seconds, where, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dalmuti.client.commands.book import Book


def add(book: Book) -> None:
    """Has the commands of this module described."""
    book.describe(_bot, _new, _doctor, _arena, _conform)


def _bot(book: Book) -> None:
    made = book.command(
        "bot",
        "seat bots at a table, or let them play in the ladder",
        "dalmuti bot greedy 127.0.0.1",
        "dalmuti bot mybot.py 192.168.1.20 --table Kitchen",
        "dalmuti bot mybot.py:Cautious 127.0.0.1 --count 3 --seed 1 --strict",
        "dalmuti bot mybot.py cards.example.org --tls --ladder --name Cautious",
        action="dalmuti.client.bots.command:bot",
        more=BOT,
    )
    made.add_argument(
        "bot",
        metavar="NAME_OR_FILE",
        help="a house bot (careful, ...), mybot.py or mybot.py:Class",
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
        "--ladder",
        action="store_true",
        help="play rated matches, one after the other; `dalmuti ladder` shows what came of them",
    )
    made.add_argument(
        "--bot-delay", type=seconds, default=0.0, metavar="SECONDS", help="time for a move (0)"
    )


BOT = """\
`dalmuti bot new FILE` writes a bot to begin with, and `dalmuti bot doctor HOST`
says whether a bot can play at a server; each has a --help of its own.

exit codes:
  0   it played to the end, and nothing was wrong with it
  1   it played to the end, and was illegal, late, or crashed at least once
  2   wrong use, or its file cannot be loaded
  3   no server answers, or the connection was lost for good
  4   the server or the table refused it, or sent it away
  130 and 143: stopped by Ctrl-C or SIGTERM"""


def _new(book: Book) -> None:
    made = book.command(
        "bot new",
        "write a bot that plays, to begin with",
        "dalmuti bot new mybot.py",
        action="dalmuti.client.bots.new:command",
        more="The class in it is called like the file: mybot.py holds Mybot. A file that\n"
        "is there already is left as it is.",
    )
    made.add_argument("file", nargs="?", metavar="FILE", help="what to write, such as mybot.py")


def _doctor(book: Book) -> None:
    made = book.command(
        "bot doctor",
        "say whether a bot can play at a server, and what to do if not",
        "dalmuti bot doctor 192.168.1.20",
        "dalmuti bot doctor 192.168.1.20 --table Kitchen",
        "dalmuti bot doctor cards.example.org --tls",
        action="dalmuti.client.bots.doctor:command",
        more=DOCTOR,
    )
    made.add_argument("address", metavar="HOST[:PORT]", help="where the server is")
    made.add_argument(
        "--table", metavar="NAME", help="sit down at this table as well, and get up again"
    )
    made.add_argument("--password", help="the password of the server or the table")
    encryption(made)


DOCTOR = """\
It plays a hand with house bots at a table of its own, where nobody else sits.

exit codes:
  0   a bot can play there
  1   the server does not do what it should
  2   wrong use
  3   it cannot connect
  4   it is refused, by the server or at the table"""


def _arena(book: Book) -> None:
    made = book.command(
        "arena",
        "play many hands between bots, and tell what they prove",
        "dalmuti arena mybot.py greedy",
        "dalmuti arena mybot.py careful expert --seats 6 --deals 500 --jobs 2",
        "dalmuti arena mybot.py greedy --half --json",
        "dalmuti arena 'cmd:node bot.js {host} {port} {table} {name}' greedy --over tcp",
        "dalmuti arena --trial mybot.py --jobs 2",
        more=ARENA,
        action="dalmuti.client.arena.command:arena",
    )
    made.add_argument(
        "players",
        nargs="*",
        metavar="PLAYER",
        help="house bots, files such as mybot.py or mybot.py:Class, or cmd:COMMAND",
    )
    for flag, least, most, usual, about in (
        ("--seats", 2, 10, None, "seats of a table (6)"),
        ("--deals", 1, 1_000_000, None, "deals, each played in all rotations (200)"),
        ("--hands", 1, 1000, 1, "hands of a match; titles are kept in it (1)"),
        ("--seed", 0, 2**53, 1, "chooses all chance there is (1)"),
        ("--jobs", 1, 256, 1, "processes that play at the same time (1)"),
    ):
        made.add_argument(flag, type=whole(least, most), default=usual, metavar="N", help=about)
    made.add_argument("--over", choices=["core", "tcp"], default="core", help="how to play (core)")
    made.add_argument(
        "--half",
        action="store_true",
        help="two players on half the seats each; then they change all seats",
    )
    made.add_argument(
        "--no-taxes", action="store_true", help="neither taxes nor revolutions; single hands only"
    )
    made.add_argument("--rules", metavar="NAME=VALUE,...", default="", help=RULES)
    made.add_argument(
        "--turn-seconds",
        type=seconds,
        default=5.0,
        metavar="SECONDS",
        help="what a bot may take for a decision (5); 0: as long as it likes",
    )
    made.add_argument("--save", metavar="FOLDER", help="write a transcript of each match there")
    made.add_argument("--cluster", metavar="ADDRESS", help="play on a Dask scheduler's machines")
    made.add_argument("--json", action="store_true", help="the result as JSON")
    trial = made.add_argument_group("the court trial")
    trial.add_argument(
        "--trial", metavar="PLAYER", help="try this player on the published deals, and no others"
    )
    trial.add_argument(
        "--references",
        metavar="PLAYER,...",
        default="greedy,careful,expert",
        help="who fills the tables in turn (greedy,careful,expert)",
    )
    trial.add_argument(
        "--taxed", action="store_true", help="with taxes and revolutions, 200 deals a table"
    )


RULES = "house rules, such as passing=locked; the end of `dalmuti host --help` lists them"
ARENA = """\
With fewer players than seats the first is the candidate: in each deal he sits
in every seat once, and the others fill the rest in turn. With as many players
as seats, every rotation is played. The same seed gives the same moves, whatever
--jobs and --over. Ctrl-C ends it, and tells what there is so far.

exit codes:
  0   it was played to the end, whatever the bots did
  2   wrong use, or a bot cannot be loaded
  3   no cluster answers
  130 and 143: stopped by Ctrl-C or SIGTERM"""


def _conform(book: Book) -> None:
    made = book.command(
        "conform",
        "try somebody's client, or somebody's server, against the protocol",
        'dalmuti conform --client "node bot.js {host} {port} {table} {name}"',
        'dalmuti conform --client "python minimal_bot.py" --only C-201,C-202',
        "dalmuti conform --server 127.0.0.1:12013 --json",
        "dalmuti conform --server cards.example.org:12013 --tls",
        "dalmuti conform --list",
        action="dalmuti.client.conform.command:run",
        more="Without any of {host} {port} {table} {name} all four are added to the command.",
    )
    made.add_argument("--client", metavar="COMMAND", help="starts the client that is tried")
    made.add_argument("--server", metavar="HOST:PORT", help="the server that is tried")
    made.add_argument("--password", help="the server's password, where it has one")
    encryption(made)
    made.add_argument("--only", metavar="ID,...", help="these checks and no others")
    made.add_argument("--list", action="store_true", help="tell the checks, and run none")
    made.add_argument("--json", action="store_true", help="one JSON object instead of lines")
