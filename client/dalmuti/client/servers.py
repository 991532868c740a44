"""Servers that `play` and `host` start: a child process, and what others type to join.

The server is started by its command line, and nothing of it is imported. It runs in a session of
its own, so that Ctrl-C at the terminal reaches the client only: `play` holds it by a lifeline, its
standard input, which closes however the client ends; `host` lets it live on for the others.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final

import platformdirs

from dalmuti.client.i18n import tr

DEFAULT_PORT: Final = 12013
STOP_SECONDS: Final = 6.0
"""How long a server has for its orderly stop."""
EMPTY_SECONDS: Final = 15.0
"""After so long without anyone a host's server stops."""


class ServerError(Exception):
    """The server does not start; the sentence says why, and what to do."""


def matches_folder() -> Path:
    """Where matches are saved."""
    return platformdirs.user_data_path("dalmuti") / "matches"


class Server:
    """A server that we started. `port` is where it listens."""

    def __init__(
        self,
        arguments: list[str],
        *,
        lifeline: bool,
        records: Path | None,
        password: str | None = None,
        tells_end: bool = False,
    ) -> None:
        """Starts it and waits for its first line. Raises ServerError.

        Without `records` it saves no matches. With `tells_end` there is `end`, a pipe that closes
        when the server ends. The password goes by the environment: other users of this machine can
        read command lines.
        """
        self._errors: IO[bytes] = tempfile.TemporaryFile()
        self.unsaved = "" if records is None else _cannot_write(records)
        """Why matches cannot be saved; empty if they can."""
        self._records = records
        self._known = set(self._files())
        command = [sys.executable, "-m", "dalmuti.server.cli", "--log-format", "json"]
        if records is not None and not self.unsaved:
            command += ["--records", str(records)]
        command += arguments
        apart: dict[str, Any] = {"start_new_session": True}
        self.end: int | None = None
        if tells_end:
            self.end, held = os.pipe()
            apart["pass_fds"] = (held,)
        if sys.platform == "win32":
            apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        self.process = subprocess.Popen(
            [*command, "--lifeline"] if lifeline else command,
            stdin=subprocess.PIPE if lifeline else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=os.environ | ({} if password is None else {"DALMUTI_PASSWORD": password}),
            **apart,
        )
        if tells_end:
            os.close(held)
        self.port = self._first_line()

    def _first_line(self) -> int:
        assert self.process.stdout is not None
        try:
            with self.process.stdout as output:
                addresses = json.loads(output.readline())["addresses"]
            return int(addresses[0].rpartition(":")[2])
        except (ValueError, KeyError, IndexError):
            self._end()
            with self._errors as errors:
                errors.seek(0)
                said = errors.read().decode(errors="replace").strip()
            lines = said.splitlines() or [tr("it ended without a word")]
            text = lines[-1].removeprefix("dalmuti-server: ")
            raise ServerError(tr("the server cannot start: {reason}", reason=text)) from None

    def stop(self) -> None:
        """Closes the lifeline and waits for the end; one that does not end is killed."""
        self._end()
        self._errors.close()

    def _end(self) -> None:
        if self.process.stdin is not None:
            with suppress(OSError):
                self.process.stdin.close()
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.poll()

    def saved(self, commitments: Collection[str]) -> list[Path]:
        """The matches that were written since the start, and hold one of these deals: other servers
        may have written into the same folder meanwhile."""
        new = set(self._files()) - self._known
        return sorted(file for file in new if holds_a_deal(file, commitments))

    def _files(self) -> list[Path]:
        return [] if self._records is None else [*self._records.glob("*.txt")]


def _cannot_write(folder: Path) -> str:
    """Why no file can be made in this folder; empty if one can."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return tr("{folder} cannot be written to ({reason})", folder=folder, reason=error.strerror)


def holds_a_deal(file: Path, commitments: Collection[str]) -> bool:
    """Whether one of these deals was played in the match that is saved there."""
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return any(f"commitment {each}" in text for each in commitments)


def start_private(delay: float | None, records: Path) -> Server:
    """A server for one person: on loopback, on any free port, ending with us."""
    arguments = ["--listen", "127.0.0.1:0", *_pace(delay)]
    return Server(arguments, lifeline=True, records=records)


def _pace(delay: float | None) -> list[str]:
    return [] if delay is None else ["--bot-delay", str(delay)]


def start_public(
    bind: str,
    port: int,
    password: str | None,
    delay: float | None,
    records: Path,
    *,
    insecure: bool = False,
    found_as: str | None = None,
    tells_end: bool = False,
) -> Server:
    """A server for the networks of this machine. Raises ServerError, also for a taken port.

    `insecure` lets in people of the internet as well: nothing is encrypted. `found_as` is the name
    by which `dalmuti join` finds it, else that of the machine: no player's name is announced.
    """
    if port and _taken(bind, port):
        here = "127.0.0.1" if port == DEFAULT_PORT else f"127.0.0.1:{port}"
        raise ServerError(
            tr(
                "port {port} is in use; if a Dalmuti server runs here already, join it with"
                " `dalmuti join {address}`, or choose another port with --port",
                port=port,
                address=here,
            )
        )
    arguments = ["--listen", f"{bind}:{port}", "--until-empty", str(EMPTY_SECONDS)]
    arguments.append("--insecure" if insecure else "--lan-only")
    if not bind.startswith("127.") and bind not in ("localhost", "::1"):
        arguments.append("--announce")
        arguments += [f"--announce-name={found_as}"] if found_as else []
    arguments += _pace(delay)
    return Server(
        arguments, lifeline=False, records=records, password=password, tells_end=tells_end
    )


def _taken(bind: str, port: int) -> bool:
    """Whether somebody listens on this port. Asked beforehand for the sake of a clear sentence."""
    with socket.socket() as probe:
        if sys.platform != "win32":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((bind, port))
        except OSError as error:
            return error.errno == errno.EADDRINUSE
    return False


# -- what others type -------------------------------------------------------------------------


def join_lines(bind: str, port: int) -> list[str]:
    """The commands with which others join, one for each address of this machine."""
    hosts = own_addresses() if bind in ("0.0.0.0", "") else [bind]
    suffix = "" if port == DEFAULT_PORT else f":{port}"
    return [f"dalmuti join {host}{suffix}" for host in hosts or ["127.0.0.1"]]


def own_addresses() -> list[str]:
    """This machine's IPv4 addresses but loopback, the one towards the world first.

    No packet is sent: "connecting" a datagram socket only chooses the way, and the interfaces are
    asked of the kernel where it can be (Linux).
    """
    found: list[str] = []
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        found.append(probe.getsockname()[0])
    with suppress(OSError):
        found += _interface_addresses()
    if not found:  # last, since a name that no file knows is asked of the network
        with suppress(OSError):
            found += socket.gethostbyname_ex(socket.gethostname())[2]
    return [each for each in dict.fromkeys(found) if not each.startswith(("127.", "0."))]


def _interface_addresses() -> list[str]:
    if sys.platform != "linux":
        return []
    import fcntl
    import struct

    get_address = 0x8915  # SIOCGIFADDR
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        for _, name in socket.if_nameindex():
            with suppress(OSError):
                request = struct.pack("256s", name.encode()[:15])
                answer = fcntl.ioctl(asking.fileno(), get_address, request)
                found.append(socket.inet_ntoa(answer[20:24]))
    return found
