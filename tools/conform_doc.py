"""Writes the tables of checks in docs/conformance.md, and checks that they are current.

    python -m tools.conform_doc            writes the tables
    python -m tools.conform_doc --check    writes nothing; exit code 1 if anything is not current

The tables are made from the checks themselves. Each check stands on a section of docs/protocol.md,
and so may a fault that belongs to another one; a link to no section there is an error.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from dalmuti.client.conform import entrance
from dalmuti.client.conform.checks import Check
from dalmuti.client.conform.clients.catalogue import all_checks as of_clients
from dalmuti.client.conform.entrance import SECTIONS
from dalmuti.client.conform.servers.catalogue import all_checks as of_servers

DOCS: Final = Path(__file__).parents[1] / "docs"
DOCUMENT: Final = DOCS / "conformance.md"
PROTOCOL: Final = DOCS / "protocol.md"


def anchors(text: str) -> set[str]:
    """The anchors of the headings of a page, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def table(checks: Sequence[Check]) -> str:
    """One row a check."""
    rows = [f"| {c.id} | {c.says} | [{c.anchor}](protocol.md#{c.anchor}) |" for c in checks]
    return "\n".join(["| id | what is true when it passes | because of |", "|---|---|---|", *rows])


def written(old: str) -> str:
    """The document with its tables made new."""
    for name, checks in (("clients", of_clients()), ("servers", of_servers())):
        begin, end = f"<!-- begin {name} -->", "<!-- end -->"
        if begin not in old:
            raise SystemExit(f"{DOCUMENT.name} has no place for {name}")
        before, _, rest = old.partition(begin)
        old = f"{before}{begin}\n{table(checks)}\n{end}{rest.partition(end)[2]}"
    return old


def fault_anchors() -> Iterator[tuple[str, str]]:
    """The sections that faults name, each with the place in the source where it does."""
    yield from (("SECTIONS", anchor) for anchor in SECTIONS.values())
    for file in sorted(Path(entrance.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Name(id="Failed" | "Hopeless" | "kind"),
                    args=[_, ast.Constant(value=str(anchor))],
                ):
                    yield f"{file.name}:{node.lineno}", anchor


def wrong() -> list[str]:
    """What is not as it should be; empty if all is."""
    known = anchors(PROTOCOL.read_text(encoding="utf-8"))
    found = [
        f"{check.id} links to #{check.anchor}, which is no section of {PROTOCOL.name}"
        for check in (*of_clients(), *of_servers())
        if check.anchor not in known
    ]
    found += [
        f"{where} links to #{anchor}, which is no section of {PROTOCOL.name}"
        for where, anchor in fault_anchors()
        if anchor not in known
    ]
    old = DOCUMENT.read_text(encoding="utf-8")
    if written(old) != old:
        found.append(f"{DOCUMENT.name} is not current; run: python -m tools.conform_doc")
    return found


def main(arguments: list[str]) -> int:
    """Runs the command; returns its exit code."""
    if arguments == ["--check"]:
        found = wrong()
        print("\n".join(found) or "the tables of checks are current")
        return 1 if found else 0
    if arguments:
        print("usage: python -m tools.conform_doc [--check]", file=sys.stderr)
        return 2
    DOCUMENT.write_text(written(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
