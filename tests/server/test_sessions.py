"""Names, tokens, and what the log shows of them."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalmuti.protocol.text import likenesses, width
from dalmuti.server.log import Log
from dalmuti.server.sessions import digest, new_token, same_secret, unique_name


def test_I81_a_taken_name_gets_the_next_number() -> None:
    taken: list[str] = []
    for expected in ("Ada", "Ada-2", "Ada-3"):
        name = unique_name("Ada", taken)
        assert name == expected
        taken.append(name)


def test_a_long_name_makes_room_for_its_number() -> None:
    name = "A" * 20
    assert unique_name(name, [name]) == "A" * 18 + "-2"
    wide = "大" * 10
    assert unique_name(wide, [wide]) == "大" * 9 + "-2"


@given(st.text(max_size=30), st.integers(0, 12))
def test_every_name_is_new_and_fits(wanted: str, others: int) -> None:
    taken: set[str] = set()
    for _ in range(others + 1):
        try:
            name = unique_name(wanted, taken)
        except ValueError as error:
            assert str(error)
            return
        assert all(likenesses(name).isdisjoint(likenesses(other)) for other in taken)
        assert 0 < width(name) <= 20
        taken.add(name)


def test_tokens_are_random_and_easy_to_type() -> None:
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100 and all(len(token) == 26 for token in tokens)
    token = tokens.pop()
    assert digest(token) == digest(f" {token.lower()}\n")
    assert token.encode() not in digest(token)


@pytest.mark.parametrize(
    ("given_", "expected", "same"),
    [("a", "a", True), ("a", "b", False), (None, "a", False), ("x", None, True), ("ä", "ä", True)],
)
def test_passwords(given_: str | None, expected: str | None, same: bool) -> None:
    assert same_secret(given_, expected) == same


def test_the_log_has_lines_for_people_and_for_programs() -> None:
    people, programs = io.StringIO(), io.StringIO()
    for form, stream in (("text", people), ("json", programs)):
        log = Log(form, stream).bind(conn=7)  # type: ignore[arg-type]
        log.info("connected", name="\x1b[31mEve", kind="human")
    assert "connected  conn=7  name=[31mEve  kind=human\n" in people.getvalue()
    line = json.loads(programs.getvalue())
    assert (line["event"], line["conn"], line["level"]) == ("connected", 7, "info")


def test_a_crash_is_logged_by_type_and_place_and_without_values() -> None:
    stream = io.StringIO()
    try:
        raise ValueError("the secret seed")
    except ValueError:
        Log("json", stream).crash("table_crashed")
    line = json.loads(stream.getvalue())
    assert line["error"] == "ValueError" and "test_sessions.py" in line["at"][-1]
    assert "secret" not in stream.getvalue()


def test_a_log_that_nobody_reads_stops_nothing() -> None:
    stream = io.StringIO()
    stream.close()
    Log("text", stream).info("connected")
