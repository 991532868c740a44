"""The rooms of the house and the doors between them (CONTRIBUTING.md): who may import whom."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAY_IMPORT = {
    "core": set[str](),
    "protocol": {"core"},
    "server": {"core", "protocol"},
    "client": {"core", "protocol"},
}
NO_CHANCE_NO_CLOCK = {"random", "secrets", "time", "datetime", "uuid", "os", "socket", "asyncio"}
LONGEST_MODULE = 600


def modules(folder: str) -> list[Path]:
    found = sorted((ROOT / folder).rglob("*.py"))
    assert found, folder
    return found


def names(path: Path) -> Iterator[str]:
    """Every absolute name that one file imports; `from a import b` gives `a.b`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def rooms(path: Path) -> set[str]:
    """The packages of dalmuti that one file imports."""
    return {name.split(".")[1] for name in names(path) if name.startswith("dalmuti.")}


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_imports_point_inward(folder: str) -> None:
    for path in modules(folder):
        assert rooms(path) <= MAY_IMPORT[folder] | {folder}, path


def test_the_namespace_has_no_init() -> None:
    """One in any root would hide the other three."""
    assert not list(ROOT.glob("*/dalmuti/__init__.py"))
    for folder in MAY_IMPORT:
        assert (ROOT / folder / "dalmuti" / folder / "py.typed").exists()


def test_core_needs_msgspec_and_the_standard_library_only() -> None:
    for path in modules("core"):
        outside = {name.split(".")[0] for name in names(path)} - {"dalmuti", "msgspec"}
        assert outside <= sys.stdlib_module_names, path


def test_core_has_no_chance_no_clock_and_no_system_of_its_own() -> None:
    for path in modules("core"):
        assert not {name.split(".")[0] for name in names(path)} & NO_CHANCE_NO_CLOCK, path


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_no_module_outgrows_its_reader(folder: str) -> None:
    for path in modules(folder):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        assert lines <= LONGEST_MODULE, f"{path} has {lines} lines"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from dalmuti import server", {"server"}),
        ("import dalmuti.client.cli", {"client"}),
        ("from dalmuti.core.cards import DECK as D", {"core"}),
        ("if True:\n    from dalmuti.protocol import codec", {"protocol"}),
    ],
)
def test_the_test_sees_every_form_of_import(tmp_path: Path, text: str, found: set[str]) -> None:
    path = tmp_path / "module.py"
    path.write_text(text, encoding="utf-8")
    assert rooms(path) == found
