"""The journal's file: who may open it, old versions, copies, a full disk, commits, what was won."""

from __future__ import annotations

import io
import os
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from dalmuti.core.options import TableOptions
from dalmuti.protocol import messages as msg
from dalmuti.server.cli import main
from dalmuti.server.clock import Clock
from dalmuti.server.config import Config
from dalmuti.server.limits import Limits
from dalmuti.server.log import Log
from dalmuti.server.records import Place
from dalmuti.server.sessions import Caller
from dalmuti.server.store import schema, writer
from dalmuti.server.store.journal import Journal, read
from dalmuti.server.store.keeping import Keeping
from dalmuti.server.store.store import APPEND, FILE, PUT, Statement, Store, StoreError, Won
from dalmuti.server.store.writer import Writer
from dalmuti.server.table.dealer import Dealer
from dalmuti.server.table.room import NotKept
from dalmuti.server.table.table import Table
from server.kept import KeptSim

OLD = Path(__file__).parent / "journals"
SERVER = (sys.executable, "-m", "dalmuti.server.cli", "--listen", "127.0.0.1:0")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(tmp_path)
    yield opened
    opened.close()


def counts(number: int = 1) -> tuple[Statement, ...]:
    """Something to write."""
    sql = "INSERT INTO people VALUES (?1, ?1, 1, 0, 0) ON CONFLICT DO UPDATE SET hands = hands + 1"
    return tuple((sql, (f"somebody {n}",)) for n in range(number))


# -- the folder -------------------------------------------------------------------------------


def test_a_folder_in_use_is_refused_with_one_sentence(
    tmp_path: Path, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(StoreError, match=f"in use by another server .process {os.getpid()}."):
        Store.open(tmp_path)
    assert main(["--listen", "127.0.0.1:0", "--data", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "in use" in said and said.count("\n") == 1


def test_a_folder_is_free_again_when_its_server_was_killed(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*SERVER, "--data", str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None and b"listens" in process.stdout.readline()
        with pytest.raises(StoreError, match=f"process {process.pid}"):
            Store.open(tmp_path)
        process.kill()
        process.wait()
    Store.open(tmp_path).close()


def test_a_folder_that_cannot_be_made_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert main(["--listen", "127.0.0.1:0", "--data", str(tmp_path / "file" / "x")]) == 2
    said = capsys.readouterr().err
    assert "Not a directory" in said and said.count("\n") == 1


def test_a_file_that_is_no_journal_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"this is a letter to my mother" * 100)
    with pytest.raises(StoreError, match="cannot be used: file is not a database"):
        Store.open(tmp_path)
    Store.open(tmp_path / "other").close()
    assert (tmp_path / FILE).read_bytes().startswith(b"this is a letter")


@pytest.mark.skipif(os.name != "posix", reason="there are no such modes")
def test_nobody_else_can_read_the_journal(tmp_path: Path) -> None:
    Store.open(tmp_path / "data").close()
    assert (tmp_path / "data").stat().st_mode & 0o077 == 0
    assert (tmp_path / "data" / FILE).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(("durable", "level"), [(False, 1), (True, 2)])
def test_commits_wait_for_the_disk_when_they_are_to(
    tmp_path: Path, durable: bool, level: int
) -> None:
    store = Store.open(tmp_path, durable=durable)
    assert store._db.execute("PRAGMA synchronous").fetchone() == (level,)
    assert store._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    store.close()


# -- versions ---------------------------------------------------------------------------------


def from_text(folder: Path, version: int) -> None:
    """An old journal as it was dumped then."""
    with closing(sqlite3.connect(folder / FILE)) as db:
        db.executescript((OLD / f"version{version}.sql").read_text(encoding="utf-8"))


@pytest.mark.parametrize("version", range(1, schema.VERSION + 1))
async def test_a_journal_of_every_version_is_gone_on_with(tmp_path: Path, version: int) -> None:
    from_text(tmp_path, version)
    store = Store.open(tmp_path)
    assert store._db.execute("PRAGMA user_version").fetchone() == (schema.VERSION,)
    keeping = Keeping(Config(data=str(tmp_path)), Log("json", io.StringIO()), store)
    (saved,) = keeping.saved()
    header = saved.header
    dealer = Dealer(header.name, header.seed)
    table = Table(header.name, header.options, Config().limits, dealer=dealer)
    keeping.restored(table, saved)
    assert table.play.match.hands_begun == 2 and table.play.match.hand is not None
    assert [player.name for player in table.people.seated()] == ["Ada", "Bob", "Cid"]
    assert all(table.people.by_token(f"TOKEN{number}") for number in (1, 2, 3))
    table.restart(keeping.clock.now(), 20)
    while table.play.match.hand is not None and (due := table.next_deadline()) is not None:
        table.tick(due)
    assert table.play.match.hands_played > 1, "the stand-ins played it to its end"
    store.close()


def test_every_migration_is_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Store.open(tmp_path).close()
    broken = "CREATE TABLE extra (x); CREATE TABLE people (y)"
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, broken))
    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
    with pytest.raises(StoreError, match="table people already exists"):
        Store.open(tmp_path)
    monkeypatch.undo()
    store = Store.open(tmp_path)
    assert store._db.execute("SELECT name FROM sqlite_master WHERE name = 'extra'").fetchall() == []
    store.close()


def test_a_journal_of_a_newer_server_is_left_alone(tmp_path: Path) -> None:
    Store.open(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match=r"of version 99, and this server knows version \d"):
        Store.open(tmp_path)


# -- copies -----------------------------------------------------------------------------------


def test_a_backup_is_taken_while_the_server_runs_and_can_be_served(
    tmp_path: Path, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    sim = KeptSim(store)
    sim.join("Bob")
    sim.hand()
    copy = tmp_path / "copy.db"
    assert main(["--data", str(tmp_path), "backup", str(copy)]) == 0
    assert str(copy) in capsys.readouterr().out
    (rows,) = store.tables()
    assert sim.ask(sim.host, msg.Deal) == "ok"
    new = tmp_path / "new"
    new.mkdir()
    copy.rename(new / FILE)
    other = Store.open(new)
    assert other.tables() == [rows]
    assert read(rows).match.hands_played == 1
    assert other.won_by("ada") == store.won_by("ada")
    other.close()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["backup", "x"], "Name the server's folder with --data"),
        (["--data", "{}/none", "backup", "{}/x"], "there is no journal in the data folder"),
        (["--data", "{}", "backup", "{}/there"], "exists already"),
        (["--data", "{}", "backup", "{}/no/folder"], "cannot be written: No such file"),
    ],
)
def test_a_backup_that_cannot_be_is_one_sentence(
    tmp_path: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Store.open(tmp_path).close()
    (tmp_path / "there").touch()
    assert main([each.format(tmp_path) for each in arguments]) == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1


# -- the writer -------------------------------------------------------------------------------


class Told(io.StringIO):
    """What the log says."""

    def __init__(self) -> None:
        super().__init__()
        self.anything = trio.Event()

    def write(self, text: str) -> int:
        self.anything.set()
        return super().write(text)


class Running:
    """A writer with its log, and what became of what it was given."""

    def __init__(self, store: Store, nursery: trio.Nursery) -> None:
        self.text = Told()
        self.writer = Writer(store, Clock(5.0), Log("json", self.text))
        self.kept: list[bool] = []
        self.changed = trio.Event()
        self._nursery = nursery

    def keep(self, *statements: Statement) -> None:
        """Gives it something."""
        self._nursery.start_soon(self._keep, list(statements))

    async def _keep(self, statements: list[Statement]) -> None:
        try:
            await self.writer.keep(statements)
            self.kept.append(True)
        except NotKept:
            self.kept.append(False)
        self.changed.set()


@asynccontextmanager
async def writing(store: Store, *first: Statement) -> AsyncIterator[Running]:
    """A writer at work, which is given each of `first` before it begins."""
    async with trio.open_nursery() as nursery:
        running = Running(store, nursery)
        for statement in first:
            running.keep(statement)
        await wait_all_tasks_blocked()
        nursery.start_soon(running.writer.run)
        try:
            yield running
        finally:
            running.writer.end()


async def test_what_waits_is_committed_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store.open(tmp_path)
    sizes: list[int] = []
    found: list[Won] = []
    commit: Callable[[list[Statement], float], None] = store.commit

    def counted(statements: list[Statement], clock: float) -> None:
        sizes.append(len(statements))
        commit(statements, clock)
        found[:] = store.best()

    monkeypatch.setattr(store, "commit", counted)
    (statement,) = counts()
    async with writing(store, *[statement] * 20) as running:
        await running.changed.wait()
        assert found == [Won("somebody 0", 20, 0, 0)]
    assert sizes == [20] and running.kept == [True] * 20


def test_the_steps_of_any_number_of_tables_are_one_commit(store: Store) -> None:
    numbers = range(1, 150)
    for step in (b"first", b"second"):
        statements: list[Statement] = []
        for n in numbers:
            if step == b"first":
                values = (n, b"header", b"match", b"place")
                statements.append(("INSERT INTO tables VALUES (?, ?, ?, ?)", values))
            statements += [(APPEND, (n, len(step), step)), (PUT, (n, b"%d" % n + step))]
        store.commit(statements, 1.0)
    rows = store.tables()
    assert [each.id for each in rows] == [*numbers]
    assert all(each.entries == (b"first", b"second") for each in rows)
    assert [each.state for each in rows] == [b"%dsecond" % n for n in numbers]


async def test_a_table_cannot_be_made_not_to_wait_for_the_journal(tmp_path: Path) -> None:
    async with writing(Store.open(tmp_path), *counts(2)) as running:
        running._nursery.cancel_scope.cancel()
    assert running.kept == [True, True]


async def test_a_full_disk_makes_tables_wait_and_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "AGAIN_SECONDS", 0.01)
    store = Store.open(tmp_path)
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages}")
    async with writing(store) as running:
        running.keep(*counts(2000))
        await running.text.anything.wait()
        assert running.writer.stuck and running.kept == []
        assert store.best() == [], "nothing of it is there"
        assert running.text.getvalue().count("journal_cannot_be_written") == 1
        store._db.execute("PRAGMA max_page_count = 1000000")
        await running.changed.wait()
        assert running.kept == [True]
        assert not running.writer.stuck and len(store.best(5000)) == 2000
        assert running.text.getvalue().count("journal_can_be_written_again") == 1


async def test_what_contradicts_the_journal_is_refused_alone(tmp_path: Path) -> None:
    """A bug of one table: the others, whose steps came with it, are kept."""
    async with writing(Store.open(tmp_path)) as running:
        wrong: Statement = (APPEND, (7, 1, b"of no table"))
        for lot in (counts(1), (wrong,), counts(2), counts(3)):
            running.keep(*lot)
        await running.text.anything.wait()
        while len(running.kept) < 4:
            await running.changed.wait()
        assert sorted(running.kept) == [False, True, True, True]  # Trio starts tasks in any order
        assert running.text.getvalue().count("journal_contradicted") == 1
        assert not running.writer.stuck
        assert {won.name: won.hands for won in running.writer.store.best()} == {
            "somebody 0": 3,
            "somebody 1": 2,
            "somebody 2": 1,
        }


async def test_a_server_that_ends_with_a_full_disk_tells_nobody_what_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "AGAIN_SECONDS", 0.01)
    store = Store.open(tmp_path)
    store._db.execute("PRAGMA query_only = ON")
    async with writing(store) as running:
        running.keep(*counts())
        await running.text.anything.wait()
        assert running.kept == []
    assert running.kept == [False]
    assert "readonly" in running.text.getvalue()


# -- what was won -----------------------------------------------------------------------------


def test_hands_won_and_points_are_counted_by_name_once() -> None:
    sim = KeptSim(options={"scoring": "points", "revolution": "off", "seats": 4})
    sim.join("Bob")
    (bot,) = sim.seat_bots(1)
    for _ in range(2):
        sim.hand()
    scores = {sim.table.people.players[s.player].name: s for s in sim.table.play.match.standings()}
    for name in ("Ada", "Bob"):
        score = scores[name]
        assert sim.store.won_by(name.upper()) == Won(name, 2, score.hands_won, score.points)
    assert sim.store.won_by(sim.table.people.players[3].name) is None, "house bots win nothing"
    best = sim.store.best()
    assert [won.name for won in best] == sorted(("Ada", "Bob"), key=lambda n: -scores[n].points)
    assert sim.store.won_by("nobody") is None and bot
    sim.kill()
    assert sim.store.best() == best
    sim.close()


def test_a_hand_that_the_standin_played_is_not_won() -> None:
    sim = KeptSim(options={"revolution": "off"})
    bob = sim.join("Bob")
    assert sim.ask(sim.host, msg.Deal) == "ok"
    assert sim.ask(bob, msg.Leave) == "ok"
    sim.play_on()
    won = sim.store.won_by("Ada")
    assert won is not None and won.hands == 1
    assert sim.store.won_by("Bob") is None
    sim.close()


async def test_a_table_that_breaks_while_its_moves_wait_does_not_stand_in_the_way_of_others(
    tmp_path: Path,
) -> None:
    """What it has handed in and that it is no more come into one commit, in which steps go last."""
    table = Table("Kitchen", TableOptions(), Limits())
    table.open(Caller(1, "Ada", "human"), msg.CreateTable(id=1, table="Kitchen"), 0.0)
    store = Store.open(tmp_path)
    async with writing(store) as running:
        journal = Journal(1, running.writer)
        await journal.keep(table, table.take(), Place())
        table.handle(Caller(2, "Bob", "human"), msg.JoinTable(id=1, table="Kitchen"), 1.0)
        told: list[bool] = []
        journal.hand_in(table, table.take(), Place(), told.append)
        with trio.fail_after(60):
            await journal.forget()
        assert told == [True]
        assert not running.writer.stuck and store.tables() == []
