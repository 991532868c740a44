"""Files that only their owner can read, such as those that hold tokens and keys."""

from __future__ import annotations

import os
from pathlib import Path


def write(path: Path, data: bytes) -> None:
    """Replaces a file at once: whoever reads it finds the old one or the new one. Raises OSError.

    Its folder is made if need be.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = path.with_suffix(f".{os.getpid()}.new")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    os.replace(new, path)
