"""Processes that end with the one that started them, whatever they do and however it ends.

Who starts a process keeps the writing end of a pipe and never writes; the process holds the other
end with `hold`. When the starter is gone, be it by SIGKILL, the kernel closes the pipe, and the
process is killed with everything that it has started, although it may hang in a loop in C that
lets no thread and no signal handler run. Linux sends the signal itself; elsewhere a thread does,
which such a loop can keep from it.
"""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import IO


def hold(pipe: int) -> None:
    """Ties this process, which leads a group of its own, to whoever has the other end."""
    tie(pipe, os.getpgrp())
    threading.Thread(target=_wait, args=(pipe,), name="leash", daemon=True).start()


def tie(pipe: int, group: int) -> None:
    """Lets the kernel kill a group of processes when the other end of its pipe is closed (Linux).

    The pipe does that as long as one of them has it open.
    """
    if sys.platform == "linux":
        fcntl.fcntl(pipe, fcntl.F_SETOWN, -group)
        fcntl.fcntl(pipe, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)


def kill_group(group: int) -> None:
    """Kills what is left of a group of processes."""
    with suppress(ProcessLookupError, PermissionError):  # macOS says the latter of zombies
        os.killpg(group, signal.SIGKILL)


def _wait(pipe: int) -> None:
    """Also for a pipe that was closed before the kernel was told."""
    os.read(pipe, 1)
    os.killpg(os.getpgrp(), signal.SIGKILL)


class Leashed:
    """A process that was started so, in a group of its own. It is given the pipe as an argument."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        stdin: int | IO[bytes] = subprocess.DEVNULL,
        stdout: int | IO[bytes] | None = None,
        pass_fds: Sequence[int] = (),
    ) -> None:
        """`command` gets the number of the pipe as its last argument."""
        pipe, self._leash = os.pipe()
        try:
            self.process = subprocess.Popen(
                [*command, str(pipe)],
                stdin=stdin,
                stdout=stdout,
                pass_fds=[pipe, *pass_fds],
                start_new_session=True,
            )
        except BaseException:
            os.close(self._leash)
            raise
        finally:
            os.close(pipe)

    def kill(self) -> int:
        """Ends the process and all that it has started; returns its exit code. May be repeated."""
        if self._leash >= 0:
            kill_group(self.process.pid)
            os.close(self._leash)
            self._leash = -1
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()
        return self.process.wait()
