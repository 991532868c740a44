"""The key by which guests know the gateway again: made once, kept, readable by its owner only."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import asyncssh
import platformdirs


class HostKeyError(ValueError):
    """The key cannot be had; the sentence says why, and what to do."""


def usual_path() -> Path:
    """Where the key is."""
    return platformdirs.user_data_path("dalmuti") / "ssh_host_ed25519_key"


def host_key(path: Path) -> asyncssh.SSHKey:
    """The key in this file, which is made if there is none. Raises HostKeyError.

    It is made with O_EXCL: no link that somebody put there is followed, and of two gateways that
    start at once, one makes it and the other reads it.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not os.path.lexists(path):
            _make(path)
        mode = path.stat().st_mode
        if mode & 0o077:
            raise HostKeyError(
                f"expected {path} to be readable by you alone, found mode {mode & 0o777:o};"
                f" chmod 600 {path}, or remove it if others may have read it"
            )
        return asyncssh.read_private_key(path)
    except OSError as error:
        raise HostKeyError(f"the host key {path} cannot be had: {error.strerror}") from None
    except asyncssh.KeyImportError as error:
        raise HostKeyError(
            f"expected an ed25519 key in {path}, found something else ({error}); remove the file,"
            " and a new key is made, about which every guest's ssh will warn"
        ) from None


def _make(path: Path) -> None:
    """Writes a whole key beside the path and links it there: nobody ever reads half a key."""
    descriptor, name = tempfile.mkstemp(".new", f"{path.name}.", path.parent)
    new = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(asyncssh.generate_private_key("ssh-ed25519").export_private_key())
        try:
            os.link(new, path)
        except FileExistsError:
            return  # another gateway was faster
    finally:
        new.unlink()
