"""Errors, refusals, and the state of the connection."""

from __future__ import annotations

from collections.abc import Sequence

from dalmuti.client import i18n
from dalmuti.client.foreign import said
from dalmuti.client.i18n import mark, tr, tr_n
from dalmuti.client.words.names import listed
from dalmuti.client.words.reasons import CODES

ERRORS = {
    "no_such_table": mark("There is no such table here; it may have been closed."),
    "table_exists": mark("There is a table of that name already; choose another name."),
    "too_many_tables": mark("The server has as many tables as it takes; join one of them."),
    "name_taken": mark("Somebody here has that name already; choose another with --name."),
    "wrong_password": mark("The password is wrong; give the right one with --password."),
    "table_full": mark("The table is full; you can watch it."),
    "bots_refused": mark("Bots may not sit down at this table."),
    "spectators_refused": mark("Nobody may watch this table."),
    "solo_table": mark("This table is for one person and house bots; you can watch it."),
    "already_seated": mark("You sit at a table already; leave it first."),
    "bad_token": mark("Your seat is not held any more."),
    "kicked": mark("You have been sent away from this table."),
    "no_ladder": mark("This server keeps no ladder."),
    "wrong_key": mark("This is not the key of that name in the ladder."),
    "draining": mark("The server is about to stop and opens no new tables."),
    "not_seated": mark("You sit at no table."),
    "not_host": mark("Only the host may do that."),
    "no_such_player": mark("Nobody of that name sits here."),
    "hand_running": mark("That has to wait for the end of this hand."),
    "too_few_players": mark("A hand needs two players at least; the host can add a house bot."),
    "no_decision": mark("There is nothing for you to decide now."),
    "stale_decision": mark("Too late: the game has gone on."),
    "rate_limited": mark("That was too much at once; wait a moment and try again."),
}


def error(code: str, message: str) -> str:
    """Why the server refused something. Where it knows more than the code says, it speaks."""
    if code in CODES or code in ERRORS:
        return tr(CODES.get(code) or ERRORS[code])
    return _whole(said(message)) if message else tr("The server refused.")


BYES = {
    "bad_frame": mark("The server found nonsense in what we sent and hung up."),
    "wrong_password": mark("The server wants its password; give the right one with --password."),
    "hello_timeout": mark("The server waited too long for our first message and hung up."),
    "frame_timeout": mark("Our connection was too slow, and the server hung up."),
    "idle": mark("The server heard nothing from us for too long and hung up."),
    "slow_consumer": mark("We read too slowly, and the server hung up."),
    "replaced": mark("Your seat was taken over by a newer connection of yours."),
    "too_many_connections": mark(
        "The server has as many connections as it takes; try again later."
    ),
    "shutdown": mark("The server has stopped."),
}


def bye(reason: str, message: str) -> str:
    """Why the server ended the connection."""
    if reason in BYES:
        return tr(BYES[reason])
    return _whole(said(message)) if message else tr("The server hung up: {reason}.", reason=reason)


def unseated(reason: str) -> str:
    """Why we sit at no table any more."""
    return {
        "left": tr("You have left the table."),
        "kicked": tr("You have been sent away from the table."),
        "lost": tr("Your seat is free again: you were gone for too long, or the server was."),
        "closed": tr("The table is closed."),
        "replaced": tr(BYES["replaced"]),
    }.get(reason, tr("You sit at no table any more."))


def draining(ms: int) -> str:
    """The server will stop."""
    return tr(
        "The server stops in {seconds} s; this hand goes on until then.",
        seconds=max(1, ms // 1000),
    )


def notice(text: str) -> str:
    """Whoever runs the server says something to everybody."""
    return tr("The server says: {text}", text=text)


def unreachable(address: str, problem: OSError) -> str:
    """No connection can be made. What went wrong may be behind a general error of all attempts."""
    causes = [problem, problem.__cause__]
    if isinstance(problem.__cause__, BaseExceptionGroup):
        causes += problem.__cause__.exceptions
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return tr(
            "Nobody answers at {address}: is the server running, and the port right?",
            address=address,
        )
    text = next((cause.strerror for cause in causes if isinstance(cause, OSError)), None)
    return tr("Cannot connect to {address}: {reason}.", address=address, reason=text or problem)


def _seconds(seconds: float) -> str:
    return f"{seconds:g}"


def no_welcome(seconds: float) -> str:
    """Somebody takes the connection, and does not speak as a server of ours would."""
    return tr(
        "No welcome came within {seconds} s: is it a Dalmuti server?", seconds=_seconds(seconds)
    )


def silent(address: str, seconds: float, *, with_password: bool) -> str:
    """The same, where nobody has been greeted there yet."""
    if with_password:
        return tr(
            "{address} takes the connection, but no welcome came within {seconds} s: it is no"
            " Dalmuti server, or it hangs.",
            address=address,
            seconds=_seconds(seconds),
        )
    return tr(
        "{address} takes the connection, but no welcome came within {seconds} s: it is no Dalmuti"
        " server, or it hangs. If it wants a password and wrong ones came before, it answers"
        " late: give the right one with --password.",
        address=address,
        seconds=_seconds(seconds),
    )


def no_server(address: str, first: bytes, problem: str) -> str:
    """What answers there is something else, by how it begins, or by what is wrong with it."""
    if first.startswith(b"\x15\x03"):
        return tr("{address} speaks TLS: add --tls.", address=address)
    if first.startswith(b"HTTP/"):
        return tr(
            "{address} is no Dalmuti server: a web server answers there (HTTP). Take the port of"
            " the game, 12013 unless its host says otherwise.",
            address=address,
        )
    if first.startswith(b"SSH-"):
        return tr(
            "{address} is no Dalmuti server: an SSH server answers there. Take the port of the"
            " game, 12013 unless its host says otherwise.",
            address=address,
        )
    line = first.split(b"\n")[0].strip()
    if line.isascii() and len(line) > 3 and line.decode().isprintable():
        return tr(
            "{address} is no Dalmuti server: something else answers there, with {text}.",
            address=address,
            text=repr(line.decode()),
        )
    return tr(
        "{address} is no Dalmuti server: {problem}.", address=address, problem=problem.rstrip(".")
    )


def ladder_name_taken(name: str, key_file: str) -> str:
    """The ladder knows the name, or one like it, and we have no key for it. For bots: English."""
    return (
        f"The name {name} in this ladder belongs to somebody, or looks like one that does, or like"
        " a house bot. If it is yours, its key is not here: copy the key from where you played"
        f" before to {key_file}. Else choose another name with --name."
    )


def ladder_key_wrong(name: str, key_file: str) -> str:
    """We have a key for the name in the ladder, and the server knows another. For bots: English."""
    return (
        f"The name {name} in this ladder has another key than the one in {key_file}. A name that"
        " nobody plays under is free after a while, so that it may be somebody else's by now."
        " Choose another name with --name, or copy the right key to that file."
    )


def first_use(address: str, fingerprint: str, kept: bool) -> str:
    """A certificate that nobody vouches for is taken at first use."""
    met = tr(
        "Nobody vouches for the certificate of {address}, which you have not met before; compare"
        " its SHA-256 fingerprint with what whoever runs the server tells you: {fingerprint}.",
        address=address,
        fingerprint=fingerprint,
    )
    then = tr("It is remembered from now on.") if kept else tr("It cannot be remembered here.")
    return f"{met} {then}"


def other_certificate(address: str, expected: str, found: str, *, given: bool) -> str:
    """The certificate is not the one that was asked for, or remembered."""
    if given:
        return tr(
            "The certificate of {address} is not the one you asked for: expected SHA-256"
            " {expected}, found {found}. Somebody may be in between. If whoever runs the server"
            " says that the new one is right, join with --fingerprint and that number.",
            address=address,
            expected=expected,
            found=found,
        )
    return tr(
        "The certificate of {address} has changed since you were there last: expected SHA-256"
        " {expected}, found {found}. Somebody may be in between. If whoever runs the server says"
        " that the new one is right, join with --fingerprint and that number.",
        address=address,
        expected=expected,
        found=found,
    )


def not_vouched_any_more(address: str, reason: str) -> str:
    """The system's store knew the certificate, and does not know this one."""
    return tr(
        "Your system vouched for the certificate of {address} before and does not for the one it"
        " shows now ({reason}). Somebody may be in between. If whoever runs the server says that"
        " it is right, join with --fingerprint and the number he tells you.",
        address=address,
        reason=reason,
    )


def no_tls(address: str) -> str:
    """The other side does not speak TLS."""
    return tr(
        "{address} does not speak TLS; if that is meant to be so, join without --tls.",
        address=address,
    )


def known_servers_unreadable(path: str, reason: str) -> str:
    """What is known of servers cannot be read, and nothing can be trusted on first use again."""
    return tr(
        "The file of known servers, {path}, cannot be read: {reason}.", path=path, reason=reason
    )


def which_table(tables: Sequence[str]) -> str:
    """There is not exactly one table to join."""
    if not tables:
        return tr("There is no table here yet; open one with `dalmuti host`.")
    return tr_n(
        "There is {number} table here: {tables}. Choose it with --table.",
        "There are {number} tables here: {tables}. Choose one with --table.",
        len(tables),
        tables=listed(tables),
    )


def reconnecting(why: str, seconds: float) -> str:
    """The connection is gone and will be tried again."""
    return tr(
        "{why} Trying again in {seconds} s, and until it works.",
        why=why,
        seconds=max(1, round(seconds)),
    )


def impossible(what: str) -> str:
    """The server said what no game can lead to; it is asked again."""
    return tr("The server said something that cannot be: {what}.", what=what)


def renamed(name: str) -> str:
    """The name that was wanted is somebody else's here."""
    return tr("That name is taken here; you are {name}.", name=name)


def reconnected() -> str:
    """The connection is back, and the seat with it."""
    return tr("Connected again.")


def switched(language: str) -> str:
    """Changes the language, and says so in the new one; or says which there are."""
    try:
        i18n.switch(language.casefold())
    except ValueError:
        known = ", ".join(f"{each} ({name})" for each, name in i18n.NAMES.items())
        return tr("Which language? There are {languages}.", languages=known)
    return tr("This is English from now on.")


def _whole(text: str) -> str:
    """Somebody else's words as a whole sentence."""
    return text[:1].upper() + text[1:].rstrip(".") + "."
