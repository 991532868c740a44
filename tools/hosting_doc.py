"""Writes the generated parts of docs/hosting.md, and checks that they are current.

    python -m tools.hosting_doc            writes the document
    python -m tools.hosting_doc --check    writes nothing; exit code 1 if it is not current

Parts between `<!-- begin NAME -->` and `<!-- end -->` come from the classes of the configuration,
from its defaults, and from the page of the figures.
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
from pathlib import Path
from typing import Annotated, Final, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

from dalmuti.core.options import TableOptions
from dalmuti.server.config import Config
from dalmuti.server.ladder.settings import LadderSettings
from dalmuti.server.limits import Limits
from dalmuti.server.metrics import Metrics
from dalmuti.server.operations import RELOADED
from dalmuti.server.passwords import FIRST_SECONDS, HELD_AT_ONCE, MOST_SECONDS

DOCUMENT: Final = Path(__file__).parents[1] / "docs" / "hosting.md"


def written(old: str) -> str:
    """The document with its generated parts made new."""
    parts = {
        "keys": _table(Config, ""),
        "limits": _table(Limits, "limits."),
        "ladder": _table(LadderSettings, "ladder."),
        "metrics": _metrics(),
        "disconnect": _disconnect(),
        "password": _password(),
    }
    text = old
    for name in re.findall(r"<!-- begin (.*?) -->", old):
        begin, end = f"<!-- begin {name} -->", "<!-- end -->"
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}\n{parts.pop(name)}\n{end}{rest.partition(end)[2]}"
    if parts:
        raise SystemExit(f"{DOCUMENT.name} has no place for {', '.join(sorted(parts))}")
    return text


def _table(form: type[Struct], prefix: str) -> str:
    lines = ["| key | default | meaning |", "|---|---|---|"]
    hints = get_type_hints(form, include_extras=True)
    for field in msgspec.structs.fields(form):
        hint = hints[field.name]
        if get_origin(hint) is not Annotated:
            continue
        kind = get_args(hint)[0]
        if isinstance(kind, type) and issubclass(kind, Struct):
            continue
        meta = next(each for each in get_args(hint) if isinstance(each, Meta))
        meaning = str(meta.description)
        if get_origin(kind) is Literal:
            meaning += f" One of `{'`, `'.join(get_args(kind))}`."
        default = "" if field.default is None else field.default
        lines.append(f"| `{prefix}{field.name}` | `{json.dumps(default)}` | {meaning} |")
    if form is Config:
        lines += ["", f"`SIGHUP` puts into force: {', '.join(f'`{k}`' for k in sorted(RELOADED))}."]
    return "\n".join(lines)


def _metrics() -> str:
    lines = ["| figure | kind | meaning |", "|---|---|---|"]
    about = ""
    for line in Metrics().text({}, 0, 0).splitlines():
        if line.startswith("# HELP "):
            about = line.split(" ", 3)[3]
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split()
            lines.append(f"| `{name}` | {kind} | {about} |")
    return "\n".join(lines)


def _disconnect() -> str:
    limits, options = Limits(), TableOptions()
    points = (
        f"A connection on which nothing is heard for {limits.dead_seconds:g} s is given up; after"
        f" {limits.ping_seconds:g} s of silence the server asks.",
        "The seat of a lost player is shown as `lost`, with a countdown of"
        f" {limits.grace_seconds:g} s. If he is to decide in that time, the clock of the table runs"
        f" as usual ({options.turn_seconds} s unless the host chose otherwise).",
        "Then the stand-in plays for him, at a person's pace. The cards stay his, and so does the"
        " seat.",
        "Whoever comes back has the seat and the cards at once, in the middle of a hand as well:"
        " the client does that by itself for three minutes, and `dalmuti join` on the same machine"
        " does it after that. What he missed is told in order (up to"
        f" {limits.resume_events} events), else the whole table is shown anew. No password is asked"
        " for at the table, and it does not matter that it is full.",
        "The newest connection has the seat. An old one that still hangs is closed.",
        "A seat for which the stand-in or the clock decided"
        f" {limits.standin_hands} whole hands in a row is freed between hands.",
        f"A table whose people are all gone waits {limits.table_seconds / 60:g} minutes, then it is"
        " closed.",
        "When the server itself is killed and started again on the same data folder, every table"
        f" goes on where it was; a running clock gets {limits.restart_bonus:g} s more.",
    )
    return "\n".join(_wrapped(f"- {point}", "  ") for point in points)


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(
        text, 100, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    )


def _password() -> str:
    return _wrapped(
        f"A wrong one is answered after {FIRST_SECONDS:g} s, the next from the same address after"
        f" twice the time, up to {MOST_SECONDS:g} s; the right one is never kept waiting. While"
        f" {HELD_AT_ONCE} answers are held back for one address, more from there are not looked at."
    )


def main() -> int:
    """Writes or checks. Returns the exit code."""
    old = DOCUMENT.read_text(encoding="utf-8")
    new = written(old)
    if "--check" in sys.argv[1:]:
        if new != old:
            print(f"{DOCUMENT.name} is not current: run `python -m tools.hosting_doc`")
        return int(new != old)
    DOCUMENT.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
