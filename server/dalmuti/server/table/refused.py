"""The answer to a request that cannot be done."""

from __future__ import annotations

from dalmuti.protocol.errors import ErrorCode


class Refused(Exception):
    """A request was refused, and nothing has changed; the sentence is for people."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code
