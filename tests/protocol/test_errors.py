"""The closed lists of codes."""

from __future__ import annotations

from dalmuti.core.moves import MoveCode
from dalmuti.protocol.errors import BYE_MEANINGS, ERROR_MEANINGS, ByeReason, ErrorCode


def test_every_code_has_one_sentence() -> None:
    assert list(ERROR_MEANINGS) == list(ErrorCode)
    assert list(BYE_MEANINGS) == list(ByeReason)
    for meaning in [*ERROR_MEANINGS.values(), *BYE_MEANINGS.values()]:
        assert meaning[0].isupper() and meaning.endswith(".")


def test_every_code_of_the_rules_is_a_code_of_the_protocol() -> None:
    assert {code.value for code in MoveCode} <= {code.value for code in ErrorCode}
