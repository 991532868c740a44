"""What is said to guests who come with nothing but ssh, and to whoever lets them in."""

from __future__ import annotations

from collections.abc import Sequence

from dalmuti.client.i18n import tr, tr_n


def no_terminal() -> str:
    """`ssh -T`, or ssh in a pipe."""
    return tr("This is a card table and needs a terminal; use ssh without -T, or with -t.")


def cannot_draw(term: str) -> str:
    """A terminal that only takes lines."""
    return tr(
        "Your terminal (TERM={term}) draws no screens; `dalmuti join --plain` speaks in sentences.",
        term=term or "''",
    )


def no_commands() -> str:
    """`ssh HOST ls`."""
    return tr("No commands are run here; leave yours out, and you sit down at the card table.")


def no_files() -> str:
    """sftp, or another subsystem."""
    return tr("There are no files here; this is a card table, for ssh alone.")


def no_forwarding() -> str:
    """`ssh -L` and the like."""
    return tr("Nothing is forwarded here; this is a card table.")


def one_at_a_time() -> str:
    """Many sessions over one connection."""
    return tr("One connection is one guest; open another connection.")


def too_many_guests() -> str:
    """The gateway is full."""
    return tr("There are as many guests as may come in; try again later.")


def too_many_from_you() -> str:
    """Too many guests come from one address."""
    return tr("There are as many guests from your address as may come in; try again later.")


def name_is_here(name: str) -> str:
    """Without a key nobody can show that the seat is his while somebody is on it."""
    return tr(
        "{name} is here already, from your address. If that is you, and your line broke, come again"
        " in a minute; if not, take another name: ssh NAME@...",
        name=name,
    )


def came_again() -> str:
    """The same key came over a newer connection."""
    return tr("Your seat was taken over by a newer connection of yours.")


def gateway_stops() -> str:
    """The gateway was told to stop."""
    return tr("The way in for ssh is closed now. Your seat is held; come again when it is back.")


def no_key(minutes: int) -> str:
    """The guest has not touched a key for long."""
    return tr_n(
        "You pressed no key for {number} minute. Your seat is held for a while; come again.",
        "You pressed no key for {number} minutes. Your seat is held for a while; come again.",
        minutes,
    )


def our_bug() -> str:
    """Something that should not happen. What it was is for the log."""
    return tr("That was a bug in Dalmuti; the host's log has it. Come again, your seat is held.")


def guests_type(line: str) -> str:
    """The line for those who have ssh only, for the host to tell them."""
    return tr("Guests with nothing but ssh type: {line}", line=line)


def host_key(fingerprint: str) -> str:
    """What ssh asks about when somebody comes for the first time."""
    return tr("ssh asks them about this key: {fingerprint}", fingerprint=fingerprint)


def open_to_all(address: str) -> str:
    """Listening on more than this machine."""
    return tr("Everybody who reaches {address} can come in.", address=address)


def not_as_root() -> str:
    """The gateway runs as root."""
    return tr("This runs as root, and should not: a fault in it would be root's. Use another user.")


def ssh_lines(hosts: Sequence[str], port: int) -> list[str]:
    """What guests type, one line for each address. NAME is theirs to choose."""
    name = tr("NAME")
    return [
        f"ssh {name}@{host}" if port == 22 else f"ssh -p {port} {name}@{host}" for host in hosts
    ]
