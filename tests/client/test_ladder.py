"""Keys in files, and the table that `dalmuti ladder` shows."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from msgspec.structs import replace

from dalmuti.client.ladderkeys import KeyFile
from dalmuti.client.words.standings import standings
from dalmuti.protocol.messages import Rank
from dalmuti.protocol.text import width


def test_a_key_is_found_again_by_server_and_name_and_readable_by_its_owner_only(
    tmp_path: Path,
) -> None:
    file = KeyFile("h:1", "Alpha", tmp_path / "ladder")
    assert file.key is None
    file.save("Alpha", "SECRET")
    assert file.key == "SECRET"
    assert stat.S_IMODE(os.stat(file.path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(file.path.parent).st_mode) == 0o700
    assert KeyFile("h:1", "Alpha", tmp_path / "ladder").key == "SECRET"
    for address, name in (("h:2", "Alpha"), ("tls://h:1", "Alpha"), ("h:1", "Al/pha")):
        assert KeyFile(address, name, tmp_path / "ladder").key is None


def test_a_broken_file_is_no_key_and_one_that_cannot_be_written_no_error(tmp_path: Path) -> None:
    file = KeyFile("h:1", "Alpha", tmp_path)
    file.path.write_text("{not json")
    assert KeyFile("h:1", "Alpha", tmp_path).key is None
    (tmp_path / "file").touch()
    nowhere = KeyFile("h:1", "Alpha", tmp_path / "file")
    nowhere.save("Alpha", "SECRET")
    assert nowhere.key == "SECRET"


def row(name: str, mu: int, sigma: int, **more: bool) -> Rank:
    return Rank(name=name, mu=mu, sigma=sigma, matches=12, hands=120, points=354, firsts=33, **more)


def test_the_table() -> None:
    rows = [row("expert", 31234, 1904, house=True), row("Löwe\x1b[31m", -1500, 8333, here=True)]
    assert standings("h:1", rows, 6, 10) == [
        "The ladder of h:1: 6 seats, 10 hands a match.",
        "   name         mu  sigma  ordinal  matches  points  firsts",
        "1  expert    31.23   1.90    25.52       12    2.95   27.5%  house",
        "2  Löwe[31m  -1.50   8.33   -26.50       12    2.95   27.5%  here",
        "ordinal: mu - 3 sigma. points: by hands; where the stand-in played it is none.",
    ]


def test_the_table_fits_80_cells() -> None:
    one = row("王小明王小明王小明王", -12345, 8333, here=True)
    rows = [replace(one, matches=9_999_999, hands=10, points=90, firsts=10)] * 100
    assert max(map(width, standings("h:1", rows, 10, 10))) <= 80


def test_nobody_was_rated_yet() -> None:
    assert standings("h:1", [], 6, 10) == ["Nobody has finished a rated match at h:1 yet."]
