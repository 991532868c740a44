"""The command `dalmuti-server admin`: says one command to the running server, prints its answer.

Plain blocking sockets: it is there before an event loop would be.
"""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path
from typing import Final

from dalmuti.protocol.text import safe_text

SECONDS: Final = 15.0
MOST_BYTES: Final = 4_000_000


class AdminError(Exception):
    """The server cannot be asked; the sentence says why."""


def ask(folder: Path, do: str, what: str = "") -> tuple[bool, list[str]]:
    """Says a command to the server of this data folder. Raises AdminError."""
    path = folder / "admin.sock"
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as own:
            own.settimeout(SECONDS)
            own.connect(str(path))
            own.sendall(json.dumps({"do": do, "what": what}).encode() + b"\n")
            data = b""
            while not data.endswith(b"\n") and len(data) < MOST_BYTES:
                some = own.recv(65536)
                if not some:
                    break
                data += some
        answer = json.loads(data)
        return bool(answer["ok"]), [str(line) for line in answer["lines"]]
    except (FileNotFoundError, ConnectionRefusedError):
        raise AdminError(f"no server runs on the data folder {folder}") from None
    except (AttributeError, OSError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise AdminError(f"cannot ask the server at {path}: {reason}") from None
    except (ValueError, KeyError, TypeError):
        raise AdminError("the server gave no answer; its log may say why") from None


def run(folder: Path, do: str, what: str) -> int:
    """Prints what the server answers. Returns the exit code. Raises AdminError."""
    ok, lines = ask(folder, do, what)
    for line in lines:
        print(safe_text(line) if ok else f"dalmuti-server admin: {safe_text(line)}",
              file=sys.stdout if ok else sys.stderr)  # fmt: skip
    return 0 if ok else 4
