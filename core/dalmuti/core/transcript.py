"""The text form of a match: one line an input, in the order in which the match took it.

A person can read it, and a program in any language can parse it:

    dalmuti-match 1
    table Kitchen
    fair yes
    rules seats=4,first_titles=draw,first_hand_taxes=on,...
    sit 1 human Ada
    titles 3,1,2,4 draws 1:12,2:6,3:1,4:12 / 1:5,4:J
    hand 1 order 3,1,2,4 commitment 5f2c.. nonces 1:77ab..,3:90cd..
    deal 1,2,2,9,.. / 3,3,12,J,.. / ..
    move 0 decline
    move 1 give 9,12
    move 0 3x9+1J standin
    leave 2
    back 2
    places 3,1,4,2
    seed 1 83af..
    sum 90d1..
    abandon
    restart

`sit`, `leave` and `back` name players, `move` a seat; who moved for it (`standin`, `clock`) ends
the line. `hand` and `deal` belong together. `places` are players, first out first. `-` stands for
nothing: no draws, no commitment, no nonces. A name is the rest of its line.

`sum` is the SHA-256 of every line since the last `sum`, that one included, each with a line feed:
a chain, so that a line that was changed, dropped or moved is found even where the rules alone
could not tell. Whoever computes the sums again can still change what nothing else depends on; the
deal he cannot, because of the commitment (`record.verify`).
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, NoReturn, TypeVar, get_args

from msgspec import Struct

from dalmuti.core.cards import JESTER, Cards
from dalmuti.core.events import By, Kind, Nonce
from dalmuti.core.match import (
    Abandoned,
    Began,
    Ended,
    Entry,
    Left,
    Moved,
    Restarted,
    Returned,
    Sat,
    Titled,
)
from dalmuti.core.moves import parse_move
from dalmuti.core.options import TableOptions, options_from
from dalmuti.core.titles import Draw, DrawRound

FIRST_LINE: Final = "dalmuti-match 1"
MAX_TEXT: Final = 64 * 1024 * 1024
"""Characters of the longest transcript that is read: some 20,000 hands."""
MAX_LINE: Final = 4096
"""The longest line by far is `hand` with ten nonces of 32 bytes: below 1000 characters."""

T = TypeVar("T")


class Who(NamedTuple):
    """A player of a record."""

    kind: Kind
    name: str


class Flaw(Struct, frozen=True, gc=False):
    """What is wrong with the lines themselves; `hand` is the last one begun before, or 0."""

    hand: int
    text: str


class Record(Struct, frozen=True, gc=False, kw_only=True):
    """A match, or as much of it as there is yet."""

    table: str
    options: TableOptions
    fair: bool = True
    players: dict[int, Who]
    entries: tuple[Entry, ...]
    seeds: dict[int, str] = {}
    """The revealed seeds in hexadecimal, by number of hand."""
    flaws: tuple[Flaw, ...] = ()
    """Wrong sums that `loads` found. The entries are as they were read."""


# -- writing ----------------------------------------------------------------------------------


class Mark(Struct, frozen=True, gc=False):
    """How far a transcript is written, for a writer that goes on with it."""

    hand: int = 0
    last_sum: str = ""
    """The sum that the last part ends with; empty before the first."""


class RecordWriter:
    """Turns the log of a match into lines, part by part, so that a file can be appended to.

    `take` is for a server: it leaves alone what is not over, so that no card of a live hand reaches
    a disk (rules.md I4), and takes off the log what it wrote. The parts joined are one transcript.
    """

    def __init__(
        self, table: str, options: TableOptions, *, fair: bool = True, after: Mark | None = None
    ) -> None:
        """Goes on `after` what another writer wrote, else begins.

        Raises ValueError for a table whose name does not fit into a line.
        """
        rules = ",".join(f"{name}={getattr(options, name)}" for name in options.__struct_fields__)
        self._head = [
            FIRST_LINE,
            f"table {_in_line(table)}",
            f"fair {'yes' if fair else 'no'}",
            f"rules {rules}",
        ]
        self._last_sum: list[str] = []
        self._hand = 0
        self._revealed: set[int] = set()
        if after is not None and after.last_sum:
            self._head, self._last_sum, self._hand = [], [after.last_sum], after.hand

    @property
    def mark(self) -> Mark:
        """How far it is."""
        return Mark(self._hand, self._last_sum[0] if self._last_sum else "")

    def take(
        self, log: list[Entry], players: Mapping[int, tuple[Kind, str]], seeds: Mapping[int, str]
    ) -> str:
        """The lines of everything up to the last hand that is over; they are deleted from `log`.

        `players` holds (kind, name) of at least everybody who sat down in this part, `seeds` the
        seeds that were revealed. Returns "" if there is nothing to write.
        """
        begun = [place for place, entry in enumerate(log) if isinstance(entry, Began)]
        over = not begun or any(isinstance(e, Ended | Abandoned) for e in log[begun[-1] :])
        count = len(log) if over else begun[-1]
        text = self.add(log[:count], players, seeds)
        del log[:count]
        return text

    def add(
        self,
        entries: Iterable[Entry],
        players: Mapping[int, tuple[Kind, str]],
        seeds: Mapping[int, str],
    ) -> str:
        """The lines of all `entries`. Raises ValueError for a name that does not fit in a line."""
        text = ""
        lines: list[str] = []
        for entry in entries:
            lines += self._lines(entry, players)
            if isinstance(entry, Ended | Abandoned):
                text += self._summed([*lines, *self._reveal(seeds)])
                lines = []
        lines += self._reveal(seeds)
        return text + self._summed(lines)

    def _lines(self, entry: Entry, players: Mapping[int, tuple[Kind, str]]) -> list[str]:
        match entry:
            case Sat(player):
                kind, name = players[player]
                return [f"sit {player} {kind} {_in_line(name)}"]
            case Left(player):
                return [f"leave {player}"]
            case Returned(player):
                return [f"back {player}"]
            case Titled(rounds, order):
                draws = " / ".join(
                    ",".join(f"{draw.player}:{_rank(draw.card)}" for draw in each.draws)
                    for each in rounds
                )
                return [f"titles {_numbers(order)} draws {draws or '-'}"]
            case Began(hand, order, hands, commitment, nonces):
                self._hand = hand
                added = ",".join(f"{nonce.player}:{nonce.nonce}" for nonce in nonces)
                return [
                    f"hand {hand} order {_numbers(order)}"
                    f" commitment {commitment or '-'} nonces {added or '-'}",
                    "deal " + " / ".join(",".join(map(_rank, cards)) for cards in hands),
                ]
            case Moved(seat, move, by):
                return [f"move {seat} {move}" + ("" if by == "player" else f" {by}")]
            case Ended(places):
                return [f"places {_numbers(places)}"]
            case Abandoned():
                return ["abandon"]
            case Restarted():
                return ["restart"]

    def _reveal(self, seeds: Mapping[int, str]) -> list[str]:
        """Seeds that are not written yet, of hands that are."""
        new = [hand for hand in sorted(seeds) if hand <= self._hand and hand not in self._revealed]
        self._revealed.update(new)
        return [f"seed {hand} {seeds[hand]}" for hand in new]

    def _summed(self, lines: list[str]) -> str:
        """The lines as text, closed by their sum; nothing for no lines."""
        if not lines:
            return ""
        lines = [*self._head, *lines]
        self._head = []
        closing = f"sum {sum_of([*self._last_sum, *lines])}"
        self._last_sum = [closing]
        return "".join(f"{line}\n" for line in (*lines, closing))


def dumps(record: Record) -> str:
    """The whole record as text; the opposite of `loads`."""
    writer = RecordWriter(record.table, record.options, fair=record.fair)
    return writer.add(record.entries, record.players, record.seeds)


def sum_of(lines: Sequence[str]) -> str:
    """The sum that closes `lines`, of which the first is the last `sum` line, if there is one."""
    return hashlib.sha256(
        "".join(f"{line}\n" for line in lines).encode(errors="surrogatepass")
    ).hexdigest()


def _in_line(name: str) -> str:
    """A name as the rest of a line."""
    bad = [c for c in name if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")]
    if bad:
        raise ValueError(f"a name in a record has no control characters, found {bad[0]!r}")
    return name


def _numbers(numbers: Iterable[int]) -> str:
    return ",".join(map(str, numbers)) or "-"


def _rank(card: int) -> str:
    return "J" if card == JESTER else str(card)


# -- reading ----------------------------------------------------------------------------------


def loads(text: str) -> Record:
    """Reads a transcript. Whether it is true is not asked here, only whether it can be read.

    Raises ValueError with the number of the line, what was expected and what was found. Wrong sums
    are no error but `flaws` of the record.
    """
    if len(text) > MAX_TEXT:
        raise ValueError(f"a record has at most {MAX_TEXT} characters, found {len(text)}")
    return _Reader(text).record()


class _Reader:
    """Goes through the lines once."""

    def __init__(self, text: str) -> None:
        self.number = 0
        self._lines = self._numbered(text.removeprefix("\ufeff"))
        self._summed: list[str] = []
        self._line = ""

    def _numbered(self, text: str) -> Iterator[str]:
        for self.number, row in enumerate(text.rstrip("\r\n").split("\n"), start=1):
            line = row.removesuffix("\r")
            self._line = line
            if not line or len(line) > MAX_LINE:
                self.fail(f"a line of 1 to {MAX_LINE} characters")
            yield line
        self.number += 1
        self._line = "the end"

    def fail(self, expected: str) -> NoReturn:
        """Raises the error about this line."""
        found = self._line if len(self._line) <= 60 else self._line[:57] + "..."
        raise ValueError(f"line {self.number}: expected {expected}, found {found!r}")

    def record(self) -> Record:
        if self._next() != FIRST_LINE:
            self.fail(f"{FIRST_LINE!r} as the first line of a record")
        table = self._name(self._head("table", "NAME"))
        fair = self._head("fair", "yes or no")
        if fair not in ("yes", "no"):
            self.fail("'fair yes' or 'fair no'")
        options = self._options(self._head("rules", "NAME=VALUE,..."))
        players: dict[int, Who] = {}
        entries: list[Entry] = []
        seeds: dict[int, str] = {}
        flaws: list[Flaw] = []
        hand = 0
        while line := self._next():
            word, _, rest = line.partition(" ")
            if word == "sum":
                if rest != sum_of(self._summed[:-1]):
                    flaws.append(
                        Flaw(hand, f"line {self.number}: the sum does not fit the lines before it")
                    )
                self._summed = [line]
            elif word == "seed":
                self._seed(rest, seeds)
            else:
                entry = self._entry(word, rest, players)
                hand = entry.hand if isinstance(entry, Began) else hand
                entries.append(entry)
        if len(self._summed) != 1 or not self._summed[0].startswith("sum "):
            flaws.append(Flaw(hand, "the last lines have no sum"))
        return Record(
            table=table,
            options=options,
            fair=fair == "yes",
            players=players,
            entries=tuple(entries),
            seeds=seeds,
            flaws=tuple(flaws),
        )

    def _next(self) -> str:
        """The next line, or "" after the last."""
        line = next(self._lines, "")
        if line:
            self._summed.append(line)
        return line

    def _head(self, word: str, value: str) -> str:
        first, _, rest = self._next().partition(" ")
        if first != word:
            self.fail(f"'{word} {value}'")
        return rest

    def _name(self, text: str) -> str:
        try:
            return _in_line(text)
        except ValueError:
            self.fail("a name without control characters")

    def _options(self, text: str) -> TableOptions:
        pairs = [pair.partition("=")[::2] for pair in text.split(",")]
        try:
            return options_from(dict(pairs))
        except ValueError as error:
            raise ValueError(f"line {self.number}: {error}") from None

    def _seed(self, rest: str, seeds: dict[int, str]) -> None:
        found = re.fullmatch(r"([1-9][0-9]{0,8}) ([0-9a-f]{2,128})", rest)
        if found is None or len(found[2]) % 2:
            self.fail("'seed HAND HEX'")
        if seeds.setdefault(int(found[1]), found[2]) != found[2]:
            self.fail(f"one seed for hand {found[1]}")

    def _entry(self, word: str, rest: str, players: dict[int, Who]) -> Entry:
        match word:
            case "sit":
                return self._sit(rest, players)
            case "leave":
                return Left(self._number(rest, "leave PLAYER"))
            case "back":
                return Returned(self._number(rest, "back PLAYER"))
            case "titles":
                return self._titles(rest)
            case "hand":
                return self._hand(rest)
            case "move":
                return self._move(rest)
            case "places":
                return Ended(self._list(rest, "places PLAYER,PLAYER,..."))
            case "abandon" if not rest:
                return Abandoned()
            case "restart" if not rest:
                return Restarted()
            case _:
                self.fail(
                    "a line that begins with sit, leave, back, titles, hand, move, places, abandon,"
                    " restart, seed or sum"
                )

    def _sit(self, rest: str, players: dict[int, Who]) -> Sat:
        words = rest.split(" ", 2)
        if len(words) < 3 or words[1] not in get_args(Kind):
            self.fail("'sit PLAYER KIND NAME' with the kind human, bot or house")
        player = self._number(words[0], "sit PLAYER KIND NAME")
        name = self._name(words[2])
        kind: Kind = next(kind for kind in get_args(Kind) if kind == words[1])
        if players.setdefault(player, Who(kind, name)) != (kind, name):
            self.fail(f"player {player} to be the same as before, {players[player].name!r}")
        return Sat(player)

    def _titles(self, rest: str) -> Titled:
        usage = "titles PLAYER,... draws PLAYER:CARD,... / ..."
        order, draws = self._fields(rest, f"({_LIST}|-) draws (.+)", usage)
        rounds = []
        for part in () if draws == "-" else draws.split(" / "):
            pairs = [
                self._fields(pair, f"({_NUMBER}):({_CARD})", usage) for pair in part.split(",")
            ]
            rounds.append(DrawRound(tuple(Draw(int(p), _card(card)) for p, card in pairs)))
        return Titled(tuple(rounds), self._list(order, usage))

    def _hand(self, rest: str) -> Began:
        usage = "hand NUMBER order PLAYER,... commitment HEX nonces PLAYER:HEX,..."
        number, order, commitment, added = self._fields(
            rest,
            f"({_NUMBER}) order ({_LIST}) commitment ([0-9a-f]{{64}}|-) nonces (.+)",
            usage,
        )
        nonces = []
        for pair in () if added == "-" else added.split(","):
            player, nonce = self._fields(pair, f"({_NUMBER}):((?:[0-9a-f]{{2}}){{0,32}})", usage)
            nonces.append(Nonce(int(player), nonce))
        word, _, rest = self._next().partition(" ")
        hands = [part.split(",") for part in rest.split(" / ")]
        if word != "deal" or not all(re.fullmatch(_CARD, c) for cards in hands for c in cards):
            self.fail("'deal CARD,CARD,... / ...' after the line of the hand")
        seats = self._list(order, usage)
        if len(hands) != len(seats):
            self.fail(f"cards for {len(seats)} seats")
        dealt: tuple[Cards, ...] = tuple(tuple(map(_card, cards)) for cards in hands)
        commitment = commitment.removeprefix("-")
        return Began(int(number), seats, dealt, commitment, tuple(nonces))

    def _move(self, rest: str) -> Moved:
        usage = "move SEAT MOVE"
        seat, text, named = self._fields(rest, "([0-9]) (.+?)(?: (standin|clock))?", usage)
        by: By = next((by for by in get_args(By) if by == named), "player")
        try:
            return Moved(int(seat), parse_move(text), by)
        except ValueError as error:
            raise ValueError(f"line {self.number}: {error}") from None

    def _fields(self, text: str, pattern: str, usage: str) -> tuple[str, ...]:
        found = re.fullmatch(pattern, text)
        if found is None:
            self.fail(f"'{usage}'")
        return tuple(group or "" for group in found.groups())

    def _number(self, text: str, usage: str) -> int:
        return int(self._fields(text, f"({_NUMBER})", usage)[0])

    def _list(self, text: str, usage: str) -> tuple[int, ...]:
        if text == "-":
            return ()
        return tuple(map(int, self._fields(text, f"({_LIST})", usage)[0].split(",")))


_NUMBER = "[1-9][0-9]{0,8}"
_LIST = f"{_NUMBER}(?:,{_NUMBER}){{0,9}}"
_CARD = "[1-9]|1[0-2]|J"


def _card(text: str) -> int:
    return JESTER if text == "J" else int(text)
