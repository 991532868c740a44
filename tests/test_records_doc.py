"""docs/records.md: its programs run as written, and its tables name what there is."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from core.evening import evening
from dalmuti.client.export import Sample, line, samples
from dalmuti.client.history.store import Hand
from dalmuti.client.history.summary import Group, Summary
from dalmuti.client.replay.talk import COMMANDS
from dalmuti.client.tui.keytexts import HELP_REPLAY
from dalmuti.core.record import dumps

TEXT = (Path(__file__).parents[1] / "docs" / "records.md").read_text(encoding="utf-8")


def test_the_programs_run_as_written(tmp_path: Path) -> None:
    table = evening(4, seed=1, scoring="points")
    table.deal()
    table.play_out()
    (tmp_path / "match.txt").write_text(dumps(table.record()), encoding="utf-8")
    decisions = [line(sample) for sample in samples(table.record())]
    (tmp_path / "all.jsonl").write_text("\n".join(decisions))
    programs = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert len(programs) == 2
    outputs = [
        subprocess.run(
            [sys.executable, "-X", "utf8", "-c", program],
            cwd=tmp_path,
            capture_output=True,
            check=True,
            encoding="utf-8",
        ).stdout.splitlines()
        for program in programs
    ]
    assert outputs[0][0].startswith("4 ['Ada', ") and outputs[0][1] == "True"
    assert len(outputs[0]) > 60 and len(outputs[1]) == len(decisions) > 20


def table(section: str) -> str:
    """The first table below a heading."""
    return TEXT.partition(f"\n## {section}\n")[2].partition("\n|")[2].partition("\n\n")[0]


def test_the_keys_of_a_line_are_those_that_are_told() -> None:
    keys = re.findall(r"^\| `(\w+)` \| ", table("Decisions to learn from"), re.MULTILINE)
    assert tuple(keys) == Sample.__struct_fields__


def test_the_keys_of_the_history_are_those_that_are_told() -> None:
    rows = re.findall(r"^\| (.+?) \| ", table("Your own history"), re.MULTILINE)
    assert re.findall(r"`(\w+)`", " ".join(rows)) == list(Hand.__struct_fields__)
    told = TEXT.partition("`dalmuti stats --json` has ")[2]
    assert set(re.findall(r"`(\w+)`", told)) >= {
        *Summary.__struct_fields__,
        *Group.__struct_fields__,
    }


def test_the_keys_and_commands_of_a_replay_are_told() -> None:
    rows = table("Looking at it again")
    for keys, _ in HELP_REPLAY:
        for key in re.split(r",? (?:to )?", keys.partition(", Ctrl")[0]):
            assert key in rows or key in ("PgUp", "PgDn", "l", "s", "m", "c", "mouse"), key
    section = TEXT.partition("\n## Looking at it again\n")[2].partition("\n## ")[0]
    for command in COMMANDS:
        assert re.search(rf"`{command}[`\s]", section), command


def test_every_line_of_a_record_is_told() -> None:
    """The words that the reader of records names when it finds another one."""
    told = re.findall(r"^    ([a-z-]+) ", TEXT, re.MULTILINE)
    table = TEXT.partition("| line |")[2].partition("\n\n")[0]
    told += re.findall(r"`([a-z]+)[ `]", table)
    assert {"sit", "leave", "back", "titles", "hand", "deal", "move", "places"} <= set(told)
    assert {"abandon", "restart", "seed", "sum", "table", "fair", "rules"} <= set(told)
