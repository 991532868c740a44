"""The client's one connection: hello, enter, resume, back-off, nonces; typed messages in and out.

anyio, so that the same class runs on asyncio under the full screen and on Trio under bots and
tests. What the bytes mean is `protocol.connection`; what the messages mean is `client.model`; what
is here is when to connect, how long to wait, and what to say first. The clock is that of
`anyio.current_time()`.

    session = Session(connect, name="Ada", entry=JoinTable(id=0, table="Kitchen"))
    ended = await session.run(on_message)     # until closed, kicked, refused or lost for good
    session.request(Chat, text="hello")       # from anywhere in the loop: never blocks

`on_message` gets what the server says, `LinkChanged` about the link, `DealChecked` behind each
revealed deal, and each `Act` of our own as it is sent.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final, Literal, Protocol

import anyio
from msgspec import Struct
from msgspec.structs import replace

from dalmuti.client import words
from dalmuti.client.i18n import tr
from dalmuti.client.link import (
    DEAD_SECONDS,
    Link,
    Lost,
    Message,
    Nonsense,
    Over,
    Stream,
    Unanswered,
    Untrusted,
    patience_for,
)
from dalmuti.client.model import DealChecked, Input, LinkChanged
from dalmuti.client.plausible import Impossible
from dalmuti.core.events import HandPrepared, HandStarted
from dalmuti.core.witness import Witness
from dalmuti.protocol.codec import UnknownEvent
from dalmuti.protocol.errors import LocalProtocolError
from dalmuti.protocol.messages import (
    VERSIONS,
    Act,
    Bye,
    ClientMessage,
    CreateTable,
    Enlist,
    Enlisted,
    Error,
    EventMessage,
    Hello,
    JoinTable,
    Leave,
    ListTables,
    Lobby,
    Nonce,
    Ok,
    Request,
    Resume,
    Seated,
    Snapshot,
    Unseated,
    Welcome,
)
from dalmuti.protocol.text import cut, safe_text

FIRST_DELAY, LAST_DELAY = 0.5, 8.0
"""Seconds before the first new attempt, and at most; each is twice the last, give or take."""
GIVE_UP_SECONDS: Final = 180.0
"""How long a lost connection is tried again."""
LEFT_BECAUSE: Final[dict[str, End]] = {"kicked": "kicked", "closed": "closed", "left": "left"}
SEAT_IS_GONE: Final = frozenset({"bad_token", "no_such_table"})
"""What ends the claim to a seat; after any other refusal of a resume it is tried again."""
FINAL_BYES = ("version_unsupported", "wrong_password", "bad_name", "bad_hello", "refused")

End = Literal["left", "closed", "kicked", "refused", "lost", "unreachable"]
EXIT_CODES: Final[dict[End, int]] = {
    "left": 0,
    "closed": 0,
    "kicked": 4,
    "refused": 4,
    "lost": 3,
    "unreachable": 3,
}
"""What the commands exit with (cli.md)."""


class Ended(Struct, frozen=True):
    """Why a session is over, as a sentence, and as the exit code of a command."""

    why: End
    text: str = ""

    @property
    def code(self) -> int:
        """The exit code that cli.md gives it."""
        return EXIT_CODES[self.why]


class Held(Struct, frozen=True):
    """A seat that is ours: what a later connection needs to have it back."""

    table: str
    token: str
    name: str = ""
    """Under which name we sit there."""


class SeatStore(Protocol):
    """Where the token of our seat outlives this process (`seats.SeatFile`)."""

    def save(self, table: str, token: str, name: str) -> None:
        """Keeps the newest token, and the name that sits there."""

    def forget(self) -> None:
        """The seat is not ours any more."""


class LadderName(Protocol):
    """Under which name we are rated, and its key, which outlives us (`ladderkeys.KeyFile`)."""

    name: str
    key: str | None

    @property
    def where(self) -> str:
        """Where the key is kept, for people."""

    def save(self, name: str, key: str) -> None:
        """Keeps the key that the server gave us with a new name."""


def _client() -> str:
    """What we say we are. The import takes longer than a screen, and can wait for the first."""
    from importlib.metadata import version

    return f"dalmuti {version('dalmuti')}"


class _Again(Over):
    """Connect again at once, under another name."""


class _End(Over):
    """The session is over."""

    def __init__(self, ended: Ended) -> None:
        super().__init__(ended.text)
        self.ended = ended


class Session:
    """One client at one server, over as many connections as it takes."""

    link_type: Callable[[Stream, Callable[[Message], None]], Link] = Link
    """What a connection is made of."""

    def __init__(
        self,
        connect: Callable[[], Awaitable[Stream]],
        *,
        name: str,
        address: str = "",
        number_name: bool = False,
        kind: Literal["human", "bot"] = "human",
        password: str | None = None,
        entry: JoinTable | CreateTable | None = None,
        join_only: JoinTable | None = None,
        lobby: bool = False,
        stay: bool = False,
        held: Held | None = None,
        store: SeatStore | None = None,
        ladder: LadderName | None = None,
        chance: random.Random | None = None,
        note: Callable[[], str] = str,
        strict: bool = False,
    ) -> None:
        """Nothing happens before `run`.

        `entry` is asked once we are greeted, unless `held` gives a seat back; without one the
        lobby is asked for. With `join_only` (its table's name does not matter) the only table is
        joined; where there are none or several it is the end, unless `lobby` lets us wait there.
        `stay` goes back to the lobby when a table is left or cannot be joined; else that is
        the end. With a `ladder` nothing is joined: the server seats us, match after match, and
        gives us our seat back when we enlist again. `number_name` makes `ada-2` of a name that is
        taken. `note` has something to read about the connection just opened, or nothing. A `strict`
        session is told of what is ignored otherwise, as an `error` of the code `strict`.
        """
        self._note = note
        self.connect = connect
        self.address = address or tr("the server")
        self.name = name
        self.seated: Held | None = held
        """The seat that is ours, with its newest token."""
        self._base, self._number_name, self._number = name, number_name, 1
        self._kind: Literal["human", "bot"] = kind
        self._password = password
        self._strict = strict
        self._entry = entry
        self._join_only = join_only
        self._lobby, self.stay = lobby or stay, stay
        self._store = store
        self._ladder = ladder
        self._chance = chance or random.Random()
        self._was_seated = False
        self._opened_at: float | None = None
        self._seq: int | None = None
        self._instance: str | None = None
        self._seq_instance: str | None = None
        self._next_id = 1
        self._enter_id: int | None = None
        self._nonces: dict[int, Nonce] = {}
        self._nonce_for = ""
        self.commitments: set[str] = set()
        """Of all deals that we saw."""
        self._witness: Witness | None = None
        self._link: Link | None = None
        self._waiting: anyio.CancelScope | None = None
        """Where we are while there is no link: connecting, or waiting to try again."""
        self._closing: Ended | None = None
        self._on_message: Callable[[Input], None] = lambda message: None
        self.overhear: Callable[[Input], None] | None = None
        """Hears what the server says, after `on_message` has believed it."""

    # -- what screens and bots call -----------------------------------------------------------

    def request(self, message_type: type[Request], **fields: Any) -> int:
        """Sends a request and returns its id; never blocks.

        Where it cannot be sent, an `error` comes back as if the server had said it.
        """
        request: Any = message_type(id=self._next_id, **fields)
        self._next_id += 1
        if isinstance(request, Act):
            self._on_message(request)
        try:
            if self._link is None or not self._link.is_open:
                raise LocalProtocolError(tr("you are not connected at the moment"))
            self._link.send(request)
        except LocalProtocolError as error:
            self._on_message(Error(re=request.id, code="refused", message=str(error)))
            return int(request.id)
        if isinstance(request, JoinTable | CreateTable):
            self._entry = request
        return int(request.id)

    def close(self, leave: bool = True, ended: Ended | None = None) -> None:
        """Ends the session: gets up from the table if `leave`, else the seat is held for us."""
        if self._closing is not None:
            return
        self._closing = ended or Ended("left")
        if self._link is not None and self._link.is_open:
            with suppress(LocalProtocolError):
                if leave and (self.seated or self._entry or self._ladder):
                    self._link.send(Leave(id=self._next_id))
                self._link.goodbye()
                if leave:
                    self._forget()
                return
        if self._link is not None:
            self._link.drop()
        elif self._waiting is not None:
            self._waiting.cancel()

    async def run(self, on_message: Callable[[Input], None]) -> Ended:
        """Connects and stays connected; returns when all is over. Cancel it to drop everything."""
        self._on_message = on_message
        delay = FIRST_DELAY
        lost_since: float | None = None
        while self._closing is None:
            self._opened_at = None
            if self._instance is None:
                self._on_message(LinkChanged("connecting"))
            try:
                await self._one_connection()
            except _End as end:
                return self._finish(end.ended)
            except Untrusted as problem:
                return self._finish(Ended("refused", str(problem)))
            except _Again:
                continue
            except Lost as lost:
                now = anyio.current_time()
                if self._instance is None:
                    return self._finish(self._no_server(lost))
                if lost_since is None or self._lasted(now):
                    delay, lost_since = FIRST_DELAY, now
                elif now - lost_since > GIVE_UP_SECONDS:
                    return self._finish(Ended("lost", tr("{reason} Giving up.", reason=lost)))
                await self._back_off(str(lost), delay)
                delay = min(LAST_DELAY, delay * 2)
        return self._finish(self._closing)

    def _no_server(self, lost: Lost) -> Ended:
        """Why we never were connected at all."""
        if isinstance(lost, Nonsense):
            return Ended("refused", words.no_server(self.address, lost.first, str(lost)))
        if isinstance(lost, Unanswered):
            known = self._password is not None
            text = words.silent(self.address, lost.seconds, with_password=known)
            return Ended("unreachable", text)
        return Ended("unreachable", str(lost))

    def _lasted(self, now: float) -> bool:
        """Whether the last connection was a good one, and not one of many that break at once."""
        return self._opened_at is not None and now - self._opened_at > LAST_DELAY

    def _finish(self, ended: Ended) -> Ended:
        """What was asked for by `close` goes before what came of it."""
        ended = self._closing or ended
        ended = replace(ended, text=safe_text(ended.text))  # often the server's own words
        self._closing = ended
        self._on_message(LinkChanged("ended", ended.text))
        return ended

    async def _back_off(self, lost: str, delay: float) -> None:
        if self._closing is not None:
            return
        seconds = delay * self._chance.uniform(0.75, 1.25)
        retry_at = anyio.current_time() + seconds
        text = words.reconnecting(lost, seconds)
        self._on_message(LinkChanged("lost", text, retry_at, why=lost))
        with anyio.CancelScope() as self._waiting:
            await anyio.sleep(seconds)
        self._waiting = None

    async def _one_connection(self) -> None:
        """From connecting to the end of it. Always raises an Over."""
        self._link = self.link_type(await self._open(), self._take)
        hello = Hello(
            versions=VERSIONS,
            name=self.name,
            kind=self._kind,
            client=_client(),
            password=self._password,
            strict=self._strict,
        )
        try:
            first = self._instance is None
            await self._link.run(hello, patience_for(self._password) if first else DEAD_SECONDS)
        finally:
            self._link = None

    async def _open(self) -> Stream:
        with anyio.CancelScope() as self._waiting:
            try:
                return await self.connect()
            except TimeoutError:
                raise Lost(tr("{address} does not answer.", address=self.address)) from None
            except OSError as error:
                raise Lost(words.unreachable(self.address, error)) from None
            finally:
                self._waiting = None
        raise Lost(tr("Closed while connecting."))

    def _post(self, message: ClientMessage) -> None:
        """Sends a message of our own accord; after the goodbye there are no more."""
        if self._link is not None and self._link.is_open:
            self._link.send(message)

    # -- messages -----------------------------------------------------------------------------

    def _take(self, message: Message) -> None:
        """What concerns the session itself; all else is passed on."""
        match message:
            case Ok(re=re) | Error(re=re) if re in self._nonces:
                nonce = self._nonces.pop(re)
                if isinstance(message, Ok) and self._witness is not None:
                    self._witness.gave_nonce(nonce.hand, nonce.nonce)
                return
            case Bye():
                self._bye(message)
            case Error() if message.re is not None and message.re == self._enter_id:
                if self._refused_entry(message):
                    return
            case EventMessage() | UnknownEvent():
                if not self._in_order(message.seq):
                    return
            case Lobby():
                if self._pick(message):
                    return
            case Snapshot():
                self._seq, self._seq_instance = message.seq, self._instance
                self._witness = Witness(message.table, self._witness)
            case Seated():
                name = self.seated.name if self.seated is not None else self.name
                self.seated = Held(message.table, message.token, name)
                self._was_seated = True
                self._join_only = None  # whoever leaves has left
                if self._store is not None:
                    self._store.save(message.table, message.token, name)
            case Welcome():
                self._welcome(message)
                return
            case Enlisted() if self._ladder is not None:
                self.name = safe_text(message.name)
                if message.key is not None:
                    self._ladder.save(message.name, message.key)
            case _:
                pass
        if isinstance(message, EventMessage) and isinstance(message.event, HandStarted):
            self.commitments.add(message.event.commitment)
        if isinstance(message, EventMessage) and isinstance(message.event, HandPrepared):
            self._add_nonce(message.event.hand, message.event.commitment)  # before a host deals
        elif isinstance(message, Snapshot) and message.table.next_commitment:
            self._add_nonce(message.table.next_hand, message.table.next_commitment)
        try:
            self._on_message(message)
        except Impossible as what:  # the table as it is now, if the server can tell it
            self._seq = None
            raise Lost(words.impossible(str(what))) from None
        if self.overhear is not None:
            self.overhear(message)
        if isinstance(message, EventMessage) and self._witness is not None:
            verdict = self._witness.watch(message.event)
            if verdict is not None:
                self._on_message(DealChecked(verdict.hand, () if verdict.ok else verdict.reasons))
        match message:
            case Unseated():
                self._unseated(message)
            case _:
                pass

    def _welcome(self, message: Welcome) -> None:
        """The link is open: enter where we want to be."""
        again = self._instance is not None and self._number == 1
        self._opened_at = anyio.current_time()
        self._instance = message.instance
        text = words.reconnected() if again else ""
        if message.name != self._base and self.seated is None:
            text = words.renamed(message.name)
        self.name = safe_text(message.name)
        self._on_message(LinkChanged("open", " ".join(filter(None, (self._note(), text)))))
        self._on_message(message)
        self._enter()

    def _enter(self) -> None:
        request: Resume | JoinTable | CreateTable | ListTables | Enlist
        number = self._next_id
        if self._ladder is not None:
            self.seated = self._seq = None
            request = Enlist(id=number, name=self._ladder.name, key=self._ladder.key)
        elif self.seated is not None:
            request = Resume(
                id=number,
                table=self.seated.table,
                token=self.seated.token,
                seq=self._seq,
                instance=self._seq_instance if self._seq is not None else None,
            )
        elif self._entry is not None:
            request = replace(self._entry, id=number)
        else:
            request = ListTables(id=number)
        self._next_id += 1
        self._enter_id = number
        self._post(request)

    def _refused_entry(self, message: Error) -> bool:
        """The way in is closed: try another, or it is the end. True if it was dealt with."""
        self._enter_id = None
        if self.seated is not None:
            if message.code not in SEAT_IS_GONE:
                raise Lost(words.error(message.code, message.message))
            self._forget()
            if self._was_seated and not self.stay:
                raise _End(Ended("lost", words.error(message.code, message.message)))
            if self._was_seated:
                self._entry = None
                self._on_message(Unseated(table="", reason="lost"))
            self._enter()
            return True
        if message.code == "name_taken" and self._number_name and self._ladder is None:
            self._next_name()
        text = words.error(message.code, message.message)
        if self._ladder is not None:
            text = self._refused_in_ladder(self._ladder, message, text)
        if not self.stay:
            raise _End(Ended("refused", text))
        self._entry = None
        if self._seq is not None:  # we watched this table, and it is not there any more
            self._seq = None
            self._on_message(Unseated(table="", reason="closed"))
        else:
            self._on_message(message)
        self._enter()
        return True

    @staticmethod
    def _refused_in_ladder(ladder: LadderName, message: Error, text: str) -> str:
        """Why we are not enlisted. Raises Lost where it may be tried again."""
        match message.code:
            case "draining" | "rate_limited":
                raise Lost(text)
            case "unknown_type":
                return words.error("no_ladder", "")  # the server is older than the ladder
            case "name_taken":
                return words.ladder_name_taken(ladder.name, ladder.where)
            case "wrong_key":
                return words.ladder_key_wrong(ladder.name, ladder.where)
        return text

    def _next_name(self) -> None:
        """`ada` is taken: come again as `ada-2`."""
        self._number += 1
        if self._number > 20:
            return
        end = f"-{self._number}"
        self.name = cut(self._base, 20 - len(end), "") + end
        raise _Again

    def _bye(self, message: Bye) -> None:
        text = words.bye(message.reason, message.message)
        if message.reason == "bad_name" and self._number_name and "taken" in message.message:
            self._next_name()
        if message.reason in FINAL_BYES or (
            message.reason == "too_many_connections" and self._instance is None
        ):
            raise _End(Ended("refused", text))
        if message.reason == "replaced":
            self._store = None  # the file is the newer one's
            raise _End(Ended("lost", text))
        raise Lost(text)

    def _in_order(self, seq: int) -> bool:
        """Whether an event is the next one; after a gap the connection is made anew to resume."""
        if self._seq is None or seq <= self._seq:
            return False
        if seq != self._seq + 1:
            self._seq = None
            raise Lost(tr("An event was missed."))
        self._seq, self._seq_instance = seq, self._instance
        return True

    def _unseated(self, message: Unseated) -> None:
        if message.reason != "replaced":
            self._forget()
        self._seq, self._entry, self._was_seated = None, None, False
        self._witness = None
        if self._ladder is not None and message.reason == "closed":
            return  # the next match will come
        if not self.stay or message.reason == "replaced":
            why = LEFT_BECAUSE.get(message.reason, "lost")
            raise _End(Ended(why, words.unseated(message.reason)))
        self._enter()

    def _forget(self) -> None:
        self.seated = None
        if self._store is not None:
            self._store.forget()

    def _pick(self, lobby: Lobby) -> bool:
        """Joins the only table there is, once, where that was asked for; then nobody need choose.

        As long as there is none it waits for the first.
        """
        if self._join_only is None:
            return False
        watch = self._join_only.watch
        tables = [t.table for t in lobby.tables if not t.solo and (watch or not t.rated)]
        if self._lobby and not tables:
            return False
        template, self._join_only = self._join_only, None
        if len(tables) == 1:
            self._entry = replace(template, table=tables[0])
            self._enter()
            return True
        if not self._lobby:
            raise _End(Ended("refused", words.which_table(tables)))
        return False

    def _add_nonce(self, hand: int, commitment: str) -> None:
        """Our own randomness for the next deal, once for each commitment."""
        if self.seated is None or commitment == self._nonce_for:
            return
        self._nonce_for = commitment
        nonce = Nonce(id=self._next_id, hand=hand, nonce=secrets.token_hex(16))
        self._next_id += 1
        self._nonces[nonce.id] = nonce
        self._post(nonce)
