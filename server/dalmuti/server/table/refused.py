"""A request that is refused, from wherever it is done."""

from __future__ import annotations

import math

from dalmuti.protocol.errors import ErrorCode
from dalmuti.protocol.messages import Bucket, Error
from dalmuti.server.limits import Limits


class Refused(Exception):
    """A request that is answered with `error`: a code of the list, and a sentence."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code

    def answer(self, request: int) -> Error:
        """The `error` that answers the request with this number."""
        return Error(re=request, code=self.code.value, message=str(self))


class TooFast(Refused):
    """There were too many requests of a kind; `seconds` later there may be another."""

    def __init__(self, seconds: float, bucket: Bucket, limits: Limits) -> None:
        super().__init__(ErrorCode.RATE_LIMITED, f"not so fast; try again in {seconds:.1f} seconds")
        self._seconds, self._bucket, self._rate = seconds, bucket, limits.told(bucket)

    def answer(self, request: int) -> Error:
        """Says what is limited, and how (server.md I-51)."""
        return Error(
            re=request,
            code=self.code.value,
            message=str(self),
            retry_after_ms=math.ceil(self._seconds * 1000),
            bucket=self._bucket,
            limit=self._rate.limit,
            window_ms=self._rate.window_ms,
        )
