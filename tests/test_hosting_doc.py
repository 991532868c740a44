"""docs/hosting.md is current and complete; its unit file is one that systemd takes."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dalmuti.server import cli
from dalmuti.server.config import SECTIONS, Config, config_from
from dalmuti.server.limits import Limits

DOCS = Path(__file__).parents[1] / "docs"
TEXT = (DOCS / "hosting.md").read_text(encoding="utf-8")
UNIT = DOCS / "dalmuti-server.service"


def test_the_generated_parts_are_current() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tools.hosting_doc", "--check"],
        cwd=DOCS.parent,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_key_is_in_the_table() -> None:
    for key in Config.__struct_fields__:
        assert key in SECTIONS or f"| `{key}` |" in TEXT, key
    for section, form in SECTIONS.items():
        for key in form.__struct_fields__:
            assert f"| `{section}.{key}` |" in TEXT, key


def test_I17_what_happens_when_you_disconnect_has_the_values_of_the_limits() -> None:
    """The same numbers as a client is told in `welcome.limits`."""
    limits = Limits().announce()
    part = TEXT.partition("<!-- begin disconnect -->")[2].partition("<!-- end -->")[0]
    text = " ".join(part.split())
    assert f"countdown of {limits.grace_ms // 1000} s" in text
    assert f"nothing is heard for {limits.dead_after_ms // 1000} s" in text
    assert f"up to {limits.resume_events} events" in text


def test_the_examples_of_the_configuration_are_right() -> None:
    import tomllib

    found = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    assert len(found) >= 2
    for example in found:
        config_from(tomllib.loads(example))


def test_every_order_of_the_administrator_is_told() -> None:
    orders = {"tables", "players", "kick", "ban", "unban", "bans", "announce", "drain", "log-level"}
    orders.add("ladder")
    part = TEXT.partition("\n## Administration\n")[2].partition("\n## ")[0]
    for order in orders:
        assert f"`{order}" in part
        what = [] if order in ("tables", "players", "bans", "drain", "ladder") else ["x"]
        given = cli.parser().parse_args(["admin", order, *what])
        assert given.order == order


def test_links_lead_somewhere() -> None:
    heads = {
        re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-")
        for head in re.findall(r"^##+ (.*)$", TEXT, re.MULTILINE)
    }
    for target in re.findall(r"\]\(#([\w-]+)\)", TEXT):
        assert target in heads, target
    for target in re.findall(r"\]\(([\w.-]+\.\w+)\)", TEXT):
        assert (DOCS / target).exists(), target


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    text = re.sub(r"^ExecStart=\S+", f"ExecStart={sys.executable}", UNIT.read_text(), flags=re.M)
    copy = tmp_path / UNIT.name
    copy.write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", str(copy)], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_unit_stops_and_reloads_as_the_server_does() -> None:
    unit = dict(
        line.split("=", 1) for line in UNIT.read_text().splitlines() if re.match(r"\w+=", line)
    )
    assert unit["Type"] == "notify" and unit["KillMode"] == "mixed"
    limits = Limits()
    assert int(unit["TimeoutStopSec"]) > limits.drain_seconds + limits.stop_seconds
    assert int(unit["LimitNOFILE"]) > limits.connections + 64
    assert "-HUP" in unit["ExecReload"]
