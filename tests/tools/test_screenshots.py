"""The pictures of the README: made from the running client, readable, and there."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tools.screenshots import GROUNDS, MOMENTS, PICTURES, Recorded, main, photograph, svg

from client.tui.colours import contrast
from dalmuti.client.tui.control import Options

SVG = "{http://www.w3.org/2000/svg}"


def words_of(picture: str) -> str:
    """All the text of a picture, in order, a space between what is drawn apart."""
    return " ".join(text.text or "" for text in ElementTree.fromstring(picture).iter(f"{SVG}text"))


def test_it_writes_every_moment_on_every_ground(tmp_path: Path) -> None:
    assert main(["--to", str(tmp_path)]) == 0
    made = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert set(made) == {f"{name}-{ground}.svg" for name in MOMENTS for ground in GROUNDS}
    for name, wanted in (
        ("lobby-dark.svg", "Kitchen"),
        ("play-light.svg", "YOUR TURN"),
        ("result-dark.svg", "Greater Dalmuti"),
    ):
        assert wanted in words_of(made[name])


def test_the_readme_shows_pictures_that_are_there() -> None:
    readme = (PICTURES.parents[1] / "README.md").read_text()
    shown = set(re.findall(r"docs/pictures/([\w-]+\.svg)", readme))
    assert shown == {f"{name}-{ground}.svg" for name in MOMENTS for ground in GROUNDS}
    for name in shown:
        ElementTree.parse(PICTURES / name)


@pytest.mark.parametrize("ground", GROUNDS)
def test_a_picture_says_what_the_screen_says_where_it_says_it(ground: str) -> None:
    stage = Recorded(2, seed=1)
    stage.chat(2, "<&> 王")
    grid = asyncio.run(photograph(stage.said, Options(), 80, 24))
    assert len(grid) == 24 and {len(row) for row in grid} == {80}
    picture = svg(grid, ground, "a & b")
    said = words_of(picture)
    assert "Grace says: <&> 王".replace(" ", "") in said.replace(" ", "")
    back, front = GROUNDS[ground]
    assert contrast(back, front) > 12
    # One column: what stands in the same cell of two rows begins at the same place.
    texts = [text for text in ElementTree.fromstring(picture).iter(f"{SVG}text")]
    at = {text.text: text.get("x") for text in texts}
    assert at["Ada"] == at["Grace"]
