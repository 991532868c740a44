"""What others say in English, said again in the language of the reader."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from client.languages import accented, speaking
from dalmuti.client import words
from dalmuti.client.foreign import KNOWN, said
from dalmuti.core import moves
from dalmuti.core.cards import Play, counts_of
from dalmuti.core.moves import Give
from dalmuti.core.options import options_from
from dalmuti.protocol.errors import ByeReason, ErrorCode
from dalmuti.protocol.text import clean_name, clean_table_name

HAND = counts_of((1, 9, 9, 12, 13))


def check(play: Play, top: Play | None = None) -> Callable[[], None]:
    return lambda: moves.check_play(HAND, top, play)


REFUSALS: list[Callable[[], object]] = [
    check(Play(14, 1, 0)),
    check(Play(9, 1, 1)),
    check(Play(9, 3, 0)),
    check(Play(9, 2, 0), Play(10, 1, 0)),
    check(Play(12, 1, 0), Play(9, 1, 0)),
    lambda: moves.check_give(HAND, 2, Give((9,))),
    lambda: moves.check_give(HAND, 1, Give((11,))),
    lambda: options_from({"turn_seconds": 3}),
    lambda: options_from({"match_end": "points:3"}),
    lambda: options_from({"greater_revolution": "choice", "revolution": "off"}),
    lambda: options_from({"jokers": 1}),
    lambda: options_from({"passing": "later"}),
    lambda: clean_name("host"),
    lambda: clean_name(" "),
    lambda: clean_name("a\x1b"),
    lambda: clean_name("long" * 9),
    lambda: clean_table_name(""),
    lambda: clean_table_name("a\x1b"),
    lambda: clean_table_name("long" * 9),
]


@pytest.mark.parametrize("number", range(len(REFUSALS)))
def test_every_refusal_is_known(number: int) -> None:
    with pytest.raises(ValueError) as caught:
        REFUSALS[number]()
    text = str(caught.value)
    assert said(text) == text  # in English it stays as it is
    with speaking("pseudo"):
        assert said(text) != text
        assert said(f"{text}.") == f"{said(text)}."


def test_its_fields_stay() -> None:
    with speaking("pseudo"):
        assert said("you do not hold 3x9") == accented("you do not hold {play}").format(play="3x9")


def test_a_reason_within_a_reason() -> None:
    text = "seat 2 may not move '3x9': you do not hold 3x9"
    with speaking("pseudo"):
        assert said("you do not hold 3x9") in said(text)


def test_what_nobody_knows_stays_as_it_is() -> None:
    with speaking("pseudo"):
        assert said("the moon is full") == "the moon is full"


def test_no_form_hides_another() -> None:
    """Each form is found as itself: one that fits as well must not stand before it."""
    with speaking("pseudo"):
        for text in KNOWN:
            assert said(text) == accented(text).format_map(_Names())


class _Names(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return f"{{{name}}}"


def test_a_refusal_of_a_server_is_said_in_the_language_of_the_reader() -> None:
    english = words.error("refused", "a house bot cannot be the host")
    assert english == "A house bot cannot be the host."
    with speaking("pseudo"):
        assert words.error("refused", "a house bot cannot be the host") != english
        assert words.error("not_host", "only the host may do this") == accented(
            "Only the host may do that."
        )


# -- what servers say -------------------------------------------------------------------------

SERVER = Path(__file__).parents[2] / "server" / "dalmuti" / "server"
FOR_PROGRAMS = {"BAD_REQUEST", "UNKNOWN_TYPE", "STRICT", "NO_NONCE_NOW"}
"""What only a program of another's making can be told."""


def refusals_of_servers() -> Iterator[tuple[str, str]]:
    """Each code and sentence in the server's source; fields of the sentence are 7."""
    for file in sorted(SERVER.rglob("*.py")):
        if file.parent.name == "ladder":
            continue  # for bots
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or getattr(node.func, "id", "") != "Refused":
                continue
            code, text = node.args
            if not isinstance(code, ast.Attribute):
                continue  # an error of the rules, whose code it takes over
            if isinstance(text, ast.JoinedStr):
                parts = [p.value if isinstance(p, ast.Constant) else 7 for p in text.values]
                yield code.attr, "".join(map(str, parts))
            elif isinstance(text, ast.Constant):
                yield code.attr, str(text.value)


def test_whatever_a_server_refuses_is_said_in_the_language_of_the_reader() -> None:
    """By its code, or by the form of its sentence: no sentence of the wire is shown as it is."""
    said_by_servers = [each for each in refusals_of_servers() if each[0] not in FOR_PROGRAMS]
    assert len(said_by_servers) > 20
    with speaking("pseudo"):
        for code, text in said_by_servers:
            shown = words.error(ErrorCode[code].value, text)
            assert not set(re.findall("[a-z]{2,}", shown)) & set(re.findall("[a-z]{2,}", text)), (
                code,
                text,
            )


@pytest.mark.parametrize("reason", ByeReason)
def test_a_goodbye_needs_no_sentence_of_the_server(reason: ByeReason) -> None:
    with speaking("pseudo"):
        assert words.bye(reason.value, "") != ""
