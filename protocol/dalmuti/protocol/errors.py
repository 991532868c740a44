"""The closed list of error codes, and the two kinds of protocol error."""

from __future__ import annotations

from enum import StrEnum

from dalmuti.core.moves import MoveCode


class ErrorCode(StrEnum):
    """Why a request was refused. New codes may be added; treat an unknown one as `refused`."""

    # the request itself
    BAD_REQUEST = "bad_request"
    UNKNOWN_TYPE = "unknown_type"
    RATE_LIMITED = "rate_limited"
    # the lobby
    NO_SUCH_TABLE = "no_such_table"
    TABLE_EXISTS = "table_exists"
    TOO_MANY_TABLES = "too_many_tables"
    BAD_OPTIONS = "bad_options"
    BAD_NAME = "bad_name"
    NAME_TAKEN = "name_taken"
    WRONG_PASSWORD = "wrong_password"
    TABLE_FULL = "table_full"
    BOTS_REFUSED = "bots_refused"
    SPECTATORS_REFUSED = "spectators_refused"
    SOLO_TABLE = "solo_table"
    ALREADY_SEATED = "already_seated"
    BAD_TOKEN = "bad_token"
    DRAINING = "draining"
    # the table
    NOT_SEATED = "not_seated"
    NOT_HOST = "not_host"
    NO_SUCH_PLAYER = "no_such_player"
    HAND_RUNNING = "hand_running"
    TOO_FEW_PLAYERS = "too_few_players"
    UNKNOWN_BOT = "unknown_bot"
    NO_NONCE_NOW = "no_nonce_now"
    BAD_TEXT = "bad_text"
    # the game; the last ones are the rules' own
    NO_DECISION = "no_decision"
    STALE_DECISION = "stale_decision"
    NOT_YOUR_TURN = MoveCode.NOT_YOUR_TURN.value
    WRONG_PHASE = MoveCode.WRONG_PHASE.value
    NOT_A_SET = MoveCode.NOT_A_SET.value
    NOT_HELD = MoveCode.NOT_HELD.value
    WRONG_COUNT = MoveCode.WRONG_COUNT.value
    NOT_LOWER = MoveCode.NOT_LOWER.value
    MUST_LEAD = MoveCode.MUST_LEAD.value
    WRONG_RETURN = MoveCode.WRONG_RETURN.value
    NO_REVOLUTION = MoveCode.NO_REVOLUTION.value
    REFUSED = "refused"


class ByeReason(StrEnum):
    """Why a connection ends. Nothing follows a `bye`."""

    BAD_FRAME = "bad_frame"
    BAD_HELLO = "bad_hello"
    VERSION_UNSUPPORTED = "version_unsupported"
    WRONG_PASSWORD = "wrong_password"
    BAD_NAME = "bad_name"
    HELLO_TIMEOUT = "hello_timeout"
    IDLE = "idle"
    SLOW_CONSUMER = "slow_consumer"
    REPLACED = "replaced"
    TOO_MANY = "too_many_connections"
    SHUTDOWN = "shutdown"
    LEAVING = "leaving"
    ERROR = "internal_error"


class ProtocolError(Exception):
    """The bytes do not follow the protocol. `reason` is what a `bye` would say."""

    def __init__(self, message: str, reason: ByeReason = ByeReason.BAD_FRAME) -> None:
        super().__init__(message)
        self.reason = reason


class LocalProtocolError(ProtocolError):
    """We were about to break the protocol: a message too large, or sent at the wrong time."""


class RemoteProtocolError(ProtocolError):
    """The other side broke the protocol; the connection cannot go on."""


class BadRequest(Exception):
    """A frame of sound bytes that is no valid request: it is answered, the connection goes on.

    `request` is the number the sender gave it, if that much could be read.
    """

    def __init__(self, code: ErrorCode, message: str, request: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.request = request
