"""The closed list of error codes, and the two kinds of protocol error."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from dalmuti.core.moves import MoveCode


class ErrorCode(StrEnum):
    """Why a request was refused. New codes may be added; treat an unknown one as `refused`."""

    # the request itself
    BAD_REQUEST = "bad_request"
    UNKNOWN_TYPE = "unknown_type"
    RATE_LIMITED = "rate_limited"
    STRICT = "strict"
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
    KICKED = "kicked"
    NO_LADDER = "no_ladder"
    WRONG_KEY = "wrong_key"
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


ERROR_MEANINGS: Final[Mapping[ErrorCode, str]] = {
    ErrorCode.BAD_REQUEST: "A field is missing, or has a value it cannot have.",
    ErrorCode.UNKNOWN_TYPE: "No message has this type in the version that is spoken.",
    ErrorCode.RATE_LIMITED: "Too many requests; `retry_after_ms` says when to try again.",
    ErrorCode.STRICT: "In a strict session: what is otherwise ignored. Nothing was refused.",
    ErrorCode.NO_SUCH_TABLE: "No table has this name.",
    ErrorCode.TABLE_EXISTS: "A table of this name, or one that looks like it, is open already.",
    ErrorCode.TOO_MANY_TABLES: "The server has as many tables as it takes.",
    ErrorCode.BAD_OPTIONS: "A table option is unknown, or has a value it cannot have.",
    ErrorCode.BAD_NAME: "The name of the table cannot be shown as it is.",
    ErrorCode.NAME_TAKEN: "Somebody at the table, or in the ladder, has this name or one like it.",
    ErrorCode.WRONG_PASSWORD: "The table has a password, and it is not this one.",
    ErrorCode.TABLE_FULL: "All seats are taken.",
    ErrorCode.BOTS_REFUSED: "Bots cannot sit down at this table by themselves.",
    ErrorCode.SPECTATORS_REFUSED: "Nobody may watch this table.",
    ErrorCode.SOLO_TABLE: "Its other seats are for house bots only; it can be watched.",
    ErrorCode.ALREADY_SEATED: "You are at a table already; leave it first.",
    ErrorCode.BAD_TOKEN: "No seat of this table has this token (any more).",
    ErrorCode.DRAINING: "The server will stop soon and opens no more tables.",
    ErrorCode.KICKED: "You were kicked from this table, and its host has not allowed you back.",
    ErrorCode.NO_LADDER: "This server keeps no ladder.",
    ErrorCode.WRONG_KEY: "The name belongs to somebody in the ladder, and this is not its key.",
    ErrorCode.NOT_SEATED: "This needs a table, or a seat at it, and you have none.",
    ErrorCode.NOT_HOST: "Only the host of the table may do this.",
    ErrorCode.NO_SUCH_PLAYER: "Nobody at the table has this number, or not one it can be done to.",
    ErrorCode.HAND_RUNNING: "This can be done between hands only.",
    ErrorCode.TOO_FEW_PLAYERS: "A hand needs at least two players.",
    ErrorCode.UNKNOWN_BOT: "The server has no house bot of this name.",
    ErrorCode.NO_NONCE_NOW: "Nonces are taken for the hand that is prepared, before it is dealt.",
    ErrorCode.BAD_TEXT: "Nothing of the text can be shown.",
    ErrorCode.NO_DECISION: "You are not asked anything now.",
    ErrorCode.STALE_DECISION: "The decision is over: answered, timed out, or from another turn.",
    ErrorCode.NOT_YOUR_TURN: "Somebody else is to act.",
    ErrorCode.WRONG_PHASE: "A choice of this kind does not answer what is asked.",
    ErrorCode.NOT_A_SET: "These are no cards of one rank, with Jesters or without.",
    ErrorCode.NOT_HELD: "You do not hold these cards.",
    ErrorCode.WRONG_COUNT: "To follow, play exactly as many cards as the set on the table has.",
    ErrorCode.NOT_LOWER: "To follow, play a strictly lower rank than that on the table.",
    ErrorCode.MUST_LEAD: "Who leads a trick cannot pass.",
    ErrorCode.WRONG_RETURN: "Give back exactly as many cards as the tax has.",
    ErrorCode.NO_REVOLUTION: "Only who was dealt both Jesters may call, and only this revolution.",
    ErrorCode.REFUSED: "Anything else; the message says what.",
}
"""One sentence for each code, for docs/protocol.md."""


class ByeReason(StrEnum):
    """Why a connection ends. Nothing follows a `bye`."""

    BAD_FRAME = "bad_frame"
    BAD_HELLO = "bad_hello"
    VERSION_UNSUPPORTED = "version_unsupported"
    WRONG_PASSWORD = "wrong_password"
    BAD_NAME = "bad_name"
    HELLO_TIMEOUT = "hello_timeout"
    FRAME_TIMEOUT = "frame_timeout"
    IDLE = "idle"
    SLOW_CONSUMER = "slow_consumer"
    REPLACED = "replaced"
    TOO_MANY = "too_many_connections"
    REFUSED = "refused"
    SHUTDOWN = "shutdown"
    LEAVING = "leaving"
    ERROR = "internal_error"


BYE_MEANINGS: Final[Mapping[ByeReason, str]] = {
    ByeReason.BAD_FRAME: "A frame was empty, too long, or could not be decoded.",
    ByeReason.BAD_HELLO: "The first message was no valid `hello`, or a second one came.",
    ByeReason.VERSION_UNSUPPORTED: "No common protocol version; `versions` is the server's range.",
    ByeReason.WRONG_PASSWORD: "The server has a password, and it is not the one in `hello`.",
    ByeReason.BAD_NAME: "The name cannot be shown as it is, or is reserved.",
    ByeReason.HELLO_TIMEOUT: "No `hello` came in time.",
    ByeReason.FRAME_TIMEOUT: "A frame was begun and not completed in time.",
    ByeReason.IDLE: "Nothing was heard for longer than `dead_after_ms`.",
    ByeReason.SLOW_CONSUMER: "The client does not read fast enough; resume when it can.",
    ByeReason.REPLACED: "The seat was resumed on another connection.",
    ByeReason.TOO_MANY: "The server, or your address, has as many connections as it may.",
    ByeReason.REFUSED: "Who runs the server does not let you in, or not this way; `message` says.",
    ByeReason.SHUTDOWN: "The server stops.",
    ByeReason.LEAVING: "The sender is done; what a client says when it ends.",
    ByeReason.ERROR: "A fault of the server. The seat is kept: resume.",
}
"""One sentence for each reason, for docs/protocol.md."""


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
