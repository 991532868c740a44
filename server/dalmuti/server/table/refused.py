"""A request that is refused, from wherever it is done."""

from __future__ import annotations

import math

from dalmuti.protocol.errors import ErrorCode
from dalmuti.protocol.messages import Error


class Refused(Exception):
    """A request that is answered with `error`: a code of the list, and a sentence."""

    def __init__(self, code: ErrorCode, message: str, retry_after: float | None = None) -> None:
        """`retry_after` is in seconds, where it is worth trying again."""
        super().__init__(message)
        self.code = code
        self.retry_after = retry_after

    def answer(self, request: int) -> Error:
        """The `error` that answers the request with this number."""
        wait = self.retry_after
        return Error(
            re=request,
            code=self.code.value,
            message=str(self),
            retry_after_ms=None if wait is None else math.ceil(wait * 1000),
        )


def too_fast(seconds: float) -> Refused:
    """There were too many requests of a kind; in so many seconds there may be another."""
    text = f"not so fast; try again in {seconds:.1f} seconds"
    return Refused(ErrorCode.RATE_LIMITED, text, seconds)
