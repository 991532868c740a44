"""docs/bots.md: its bot plays as written, and what it names is there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from dalmuti.client.bots import seat
from dalmuti.client.cli import main
from dalmuti.client.commands import parts
from dalmuti.client.commands.bots import BOT
from dalmuti.core.views import HandView, TableView, TrickView
from dalmuti.protocol.messages import Decision

TEXT = (Path(__file__).parents[1] / "docs" / "bots.md").read_text(encoding="utf-8")
SECTION = TEXT.partition("## A bot of your own\n")[2].partition("\n## ")[0]


def test_the_bot_plays_as_written(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)
    file = tmp_path / "gambler.py"
    file.write_text(code)
    arguments = [str(file), "greedy", "--seats", "4", "--deals", "6", "--hands", "2", "--json"]
    assert main(["arena", *arguments]) == 0
    mine = json.loads(capfd.readouterr().out)["players"][str(file)]
    assert mine["decisions"] > 100 and not mine["first_fault"]


def test_what_it_names_is_there() -> None:
    kinds = {"decision": Decision, "view": TableView, "view.hand": HandView}
    named = set(re.findall(r"`((?:decision|view\.hand|view)\.)(\w+)`", SECTION))
    assert len(named) > 12
    for where, field in named:
        assert field in kinds[where.rstrip(".")].__struct_fields__, field
    assert {"top", "owner", "passed", "acts"} == set(TrickView.__struct_fields__)


def test_the_exit_codes_are_those_of_the_help() -> None:
    told = re.findall(r"^\| ([\d, ]+) \|", SECTION, re.MULTILINE)
    codes = [parts.OK, seat.FAULTY, parts.WRONG_USE, parts.NO_CONNECTION, parts.REFUSED]
    assert told == [*map(str, codes), "130, 143"]
    assert [line.split()[0] for line in BOT.splitlines()[-6:]] == [*map(str, codes), "130"]
