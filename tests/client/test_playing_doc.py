"""docs/playing.md names every setting, every command and every key of the help."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from dalmuti.client.autopass import WAIT_SECONDS
from dalmuti.client.commands.parts import THEMES
from dalmuti.client.settings import Mode, Settings
from dalmuti.client.tui import keytexts
from dalmuti.client.typed import COMMANDS

TEXT = (Path(__file__).parents[2] / "docs" / "playing.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("key", Settings.__struct_fields__)
def test_every_setting(key: str) -> None:
    assert f"\n| `{key}` | " in TEXT


@pytest.mark.parametrize("command", [*keytexts.COMMANDS, *COMMANDS])
def test_every_command(command: str) -> None:
    assert f"`{command}`" in TEXT or f"`{command} " in TEXT


@pytest.mark.parametrize("key", [key for key, _ in keytexts.HELP_ALWAYS])
def test_every_key_of_every_screen(key: str) -> None:
    for part in key.replace(" or ", " ").split():
        assert f"`{part}`" in TEXT or part in TEXT


def test_values_are_those_of_the_program() -> None:
    for value in (*THEMES, *get_args(Mode)):
        assert f'`"{value}"`' in TEXT
    assert WAIT_SECONDS == (1.0, 3.5)  # which the text says in words
