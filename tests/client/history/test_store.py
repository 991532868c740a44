"""The file of hands: lines that only grow, whoever dies or writes beside us."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.history.hands import a_hand
from dalmuti.client.history import store
from dalmuti.client.history.store import History


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "dalmuti" / "history.jsonl"


def test_what_is_added_is_read_again(file: Path) -> None:
    assert store.read(file) == History()
    hands = [a_hand(hand=1), a_hand(hand=2, points=3, standin=True, fair=False, table="王 \u202e")]
    for hand in hands:
        store.append(hand, file)
    assert store.read(file) == History(tuple(hands))


@pytest.mark.skipif(sys.platform == "win32", reason="no such modes there")
def test_only_its_owner_can_read_it(file: Path) -> None:
    store.append(a_hand(), file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("cut", [1, 2, 40, 150])
def test_a_writer_that_died_costs_its_own_line_only(file: Path, cut: int) -> None:
    store.append(a_hand(hand=1), file)
    store.append(a_hand(hand=2), file)
    whole = file.read_bytes()
    file.write_bytes(whole[:-cut])
    store.append(a_hand(hand=3), file)
    found = store.read(file)
    kept = [1, 2, 3] if cut == 1 else [1, 3]  # one byte less is the line without its end
    assert [hand.hand for hand in found.hands] == kept
    assert found.damaged == (cut > 1)


def test_a_full_disk_is_an_error_and_the_next_line_is_whole(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.append(a_hand(hand=1), file)
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, bytes(data)[:20]))
    with pytest.raises(OSError) as error:
        store.append(a_hand(hand=2), file)
    assert error.value.errno == errno.ENOSPC
    monkeypatch.undo()
    store.append(a_hand(hand=3), file)
    found = store.read(file)
    assert [hand.hand for hand in found.hands] == [1, 3] and found.damaged == 1


WRITER = """
import sys
from pathlib import Path
from client.history.hands import a_hand
from dalmuti.client.history import store
for number in range(1, 301):
    store.append(a_hand(match=sys.argv[2], hand=number), Path(sys.argv[1]))
"""


def test_clients_that_write_at_once_lose_nothing(file: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(file), name], env=env)
        for name in ("one", "two", "three")
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    found = store.read(file)
    assert found.damaged == 0
    for name in ("one", "two", "three"):
        numbers = [hand.hand for hand in found.hands if hand.match == name]
        assert numbers == list(range(1, 301))


def test_a_lock_that_somebody_holds_does_not_stop_us(file: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    store.append(a_hand(hand=1), file)
    with file.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        store.append(a_hand(hand=2), file)
    assert len(store.read(file).hands) == 2


def test_a_later_version_is_read_over_not_damaged() -> None:
    more = msgspec.json.encode({**msgspec.to_builtins(a_hand()), "weather": [1, {"a": None}]})
    later = msgspec.json.encode({"v": 2, "hands": "all"})
    found = store.from_lines([more, b"\n", later])
    assert found == History((a_hand(),), damaged=0, newer=1)


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"v":1}',
        b"[" * 4000,
        b"{}" + b" " * 5000 + b"x",
        msgspec.json.encode(a_hand(place=5)),
        msgspec.json.encode(a_hand(people=3, bots=3)),
        msgspec.json.encode(a_hand(seats=11)),
        msgspec.json.encode(a_hand(at="yesterday")),
        msgspec.json.encode(a_hand(how="arena")),
    ],
)
def test_damaged_lines_are_counted(line: bytes) -> None:
    good = msgspec.json.encode(a_hand())
    assert store.from_lines([good, line, good]) == History((a_hand(), a_hand()), damaged=1)


@given(st.lists(st.binary(max_size=60), max_size=5))
def test_any_bytes_may_be_in_it(lines: list[bytes]) -> None:
    found = store.from_lines(lines)
    assert found.damaged + found.newer + len(found.hands) <= len(lines)


def test_forgetting(file: Path) -> None:
    store.append(a_hand(), file)
    assert store.forget(file) and not file.exists()
    assert not store.forget(file)
    store.append(a_hand(hand=7), file)
    assert [hand.hand for hand in store.read(file).hands] == [7]
