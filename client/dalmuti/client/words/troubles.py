"""Errors, refusals, and the state of the connection."""

from __future__ import annotations

from collections.abc import Sequence

from dalmuti.client.i18n import tr
from dalmuti.client.words.names import listed

ERRORS = {
    "no_such_table": "There is no such table here; it may have been closed.",
    "table_exists": "There is a table of that name already; choose another name.",
    "too_many_tables": "The server has as many tables as it takes; join one of them.",
    "name_taken": "Somebody here has that name already; choose another with --name.",
    "wrong_password": "The password is wrong; give the right one with --password.",
    "table_full": "The table is full; you can watch it.",
    "bots_refused": "Bots may not sit down at this table.",
    "spectators_refused": "Nobody may watch this table.",
    "solo_table": "This table is for one person and house bots; you can watch it.",
    "already_seated": "You sit at a table already; leave it first.",
    "bad_token": "Your seat is not held any more.",
    "kicked": "You have been sent away from this table.",
    "no_ladder": "This server keeps no ladder.",
    "wrong_key": "This is not the key of that name in the ladder.",
    "draining": "The server is about to stop and opens no new tables.",
    "not_seated": "You sit at no table.",
    "not_host": "Only the host may do that.",
    "no_such_player": "Nobody of that name sits here.",
    "hand_running": "That has to wait for the end of this hand.",
    "too_few_players": "A hand needs two players at least; the host can add a house bot.",
    "no_decision": "There is nothing for you to decide now.",
    "stale_decision": "Too late: the game has gone on.",
    "not_your_turn": "It is not your turn.",
    "must_lead": "You lead this trick and cannot pass; play any set.",
    "rate_limited": "That was too much at once; wait a moment and try again.",
}


def error(code: str, message: str) -> str:
    """Why the server refused something. Where it knows more than the code says, it speaks."""
    return ERRORS.get(code) or _whole(message or "the server refused")


BYES = {
    "bad_frame": "The server found nonsense in what we sent and hung up.",
    "wrong_password": "The server wants its password; give the right one with --password.",
    "hello_timeout": "The server waited too long for our first message and hung up.",
    "frame_timeout": "Our connection was too slow, and the server hung up.",
    "idle": "The server heard nothing from us for too long and hung up.",
    "slow_consumer": "We read too slowly, and the server hung up.",
    "replaced": "Your seat was taken over by a newer connection of yours.",
    "too_many_connections": "The server has as many connections as it takes; try again later.",
    "shutdown": "The server has stopped.",
}


def bye(reason: str, message: str) -> str:
    """Why the server ended the connection."""
    return BYES.get(reason) or _whole(message or f"the server hung up: {reason}")


def unseated(reason: str) -> str:
    """Why we sit at no table any more."""
    return {
        "left": "You have left the table.",
        "kicked": "You have been sent away from the table.",
        "lost": "Your seat is free again: you were gone for too long, or the server was.",
        "closed": "The table is closed.",
        "replaced": BYES["replaced"],
    }.get(reason, "You sit at no table any more.")


def draining(ms: int) -> str:
    """The server will stop."""
    return f"The server stops in {max(1, ms // 1000)} s; this hand goes on until then."


def notice(text: str) -> str:
    """Whoever runs the server says something to everybody."""
    return f"The server says: {text}"


def unreachable(address: str, problem: OSError) -> str:
    """No connection can be made. What went wrong may be behind a general error of all attempts."""
    causes = [problem, problem.__cause__]
    if isinstance(problem.__cause__, BaseExceptionGroup):
        causes += problem.__cause__.exceptions
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return f"Nobody answers at {address}: is the server running, and the port right?"
    text = next((cause.strerror for cause in causes if isinstance(cause, OSError)), None)
    return f"Cannot connect to {address}: {text or problem}."


def no_welcome(seconds: float) -> str:
    """Somebody takes the connection, and does not speak as a server of ours would."""
    return tr("No welcome came within {seconds} s: is it a Dalmuti server?", seconds=f"{seconds:g}")


def silent(address: str, seconds: float, *, with_password: bool) -> str:
    """The same, where nobody has been greeted there yet."""
    if with_password:
        return tr(
            "{address} takes the connection, but no welcome came within {seconds} s: it is no"
            " Dalmuti server, or it hangs.",
            address=address,
            seconds=f"{seconds:g}",
        )
    return tr(
        "{address} takes the connection, but no welcome came within {seconds} s: it is no Dalmuti"
        " server, or it hangs. If it wants a password and wrong ones came before, it answers"
        " late: give the right one with --password.",
        address=address,
        seconds=f"{seconds:g}",
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
    """The ladder knows the name, or one like it, and we have no key for it."""
    return tr(
        "The name {name} in this ladder belongs to somebody, or looks like one that does, or like a"
        " house bot. If it is yours, its key is not here: copy the key from where you played"
        " before to {file}. Else choose another name with --name.",
        name=name,
        file=key_file,
    )


def ladder_key_wrong(name: str, key_file: str) -> str:
    """We have a key for the name in the ladder, and it is not the one that the server knows."""
    return tr(
        "The name {name} in this ladder has another key than the one in {file}. A name that"
        " nobody plays under is free after a while, so that it may be somebody else's by now."
        " Choose another name with --name, or copy the right key to that file.",
        name=name,
        file=key_file,
    )


def first_use(address: str, fingerprint: str, kept: bool) -> str:
    """A certificate that nobody vouches for is taken at first use."""
    then = "It is remembered from now on." if kept else "It cannot be remembered here."
    return (
        f"Nobody vouches for the certificate of {address}, which you have not met before; compare"
        f" its SHA-256 fingerprint with what whoever runs the server tells you: {fingerprint}."
        f" {then}"
    )


def other_certificate(address: str, expected: str, found: str, *, given: bool) -> str:
    """The certificate is not the one that was asked for, or remembered."""
    what = (
        f"The certificate of {address} is not the one you asked for"
        if given
        else f"The certificate of {address} has changed since you were there last"
    )
    return (
        f"{what}: expected SHA-256 {expected}, found {found}. Somebody may be in between. If"
        " whoever runs the server says that the new one is right, join with --fingerprint and"
        " that number."
    )


def not_vouched_any_more(address: str, reason: str) -> str:
    """The system's store knew the certificate, and does not know this one."""
    return (
        f"Your system vouched for the certificate of {address} before and does not for the one it"
        f" shows now ({reason}). Somebody may be in between. If whoever runs the server says that"
        " it is right, join with --fingerprint and the number he tells you."
    )


def no_tls(address: str) -> str:
    """The other side does not speak TLS."""
    return f"{address} does not speak TLS; if that is meant to be so, join without --tls."


def known_servers_unreadable(path: str, reason: str) -> str:
    """What is known of servers cannot be read, and nothing can be trusted on first use again."""
    return f"The file of known servers, {path}, cannot be read: {reason}."


def which_table(tables: Sequence[str]) -> str:
    """There is not exactly one table to join."""
    if not tables:
        return "There is no table here yet; open one with `dalmuti host`."
    return f"There are {len(tables)} tables here: {listed(tables)}. Choose one with --table."


def reconnecting(why: str, seconds: float) -> str:
    """The connection is gone and will be tried again."""
    return f"{why} Trying again in {max(1, round(seconds))} s, and until it works."


def impossible(what: str) -> str:
    """The server said what no game can lead to; it is asked again."""
    return f"The server said something that cannot be: {what}."


def renamed(name: str) -> str:
    """The name that was wanted is somebody else's here."""
    return f"That name is taken here; you are {name}."


def reconnected() -> str:
    """The connection is back, and the seat with it."""
    return "Connected again."


def _whole(text: str) -> str:
    """Somebody else's words as a whole sentence."""
    return text[:1].upper() + text[1:].rstrip(".") + "."
