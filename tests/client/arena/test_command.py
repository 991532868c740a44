"""`dalmuti arena`, from the command line to what it prints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dalmuti.client.arena import trial
from dalmuti.client.arena.plan import Item, Outcome
from dalmuti.client.arena.report import Progress, shown_names
from dalmuti.client.arena.statistics import FEW_DEALS
from dalmuti.client.cli import main
from dalmuti.core import record
from dalmuti.protocol.text import width

BOT = """
from dalmuti.client.bot import Bot

class First(Bot):
    def decide(self, view, decision):
        print("thinking", flush=True)
        return decision.choices[0]
"""


def found(capfd: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """The result as JSON."""
    assert main(["arena", *arguments, "--json"]) == 0
    out, _ = capfd.readouterr()
    value: dict[str, Any] = json.loads(out)
    return value


def untimed(value: Any) -> Any:
    """Without all that depends on the machine."""
    if isinstance(value, dict):
        return {
            key: untimed(each)
            for key, each in value.items()
            if key != "hands_per_second" and not key.startswith("ms_")
        }
    return value


def test_the_keys_are_those_of_the_contract(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mybot.py"
    file.write_text(BOT)
    result = found(capfd, str(file), "random", "--seats", "4", "--deals", "5", "--seed", "3")
    assert (result["seats"], result["deals"], result["seed"]) == (4, 5, 3)
    assert result["hands"] == 20 and result["hands_per_second"] > 0
    assert len(result["moves"]) == 64
    assert list(result["players"]) == [str(file), "random"]
    mine = result["players"][str(file)]
    assert mine["points_per_hand"] - mine["above_par"] == pytest.approx(1.5)
    assert mine["ci95"][0] < mine["above_par"] < mine["ci95"][1]
    assert mine["mean_place"] == pytest.approx(4 - mine["points_per_hand"])
    for key in ("first", "last", "illegal", "late", "crashed", "ms_mean", "ms_p99"):
        assert mine[key] >= 0
    theirs = result["players"]["random"]
    assert theirs["hands"] == 60
    assert mine["above_par"] + 3 * theirs["above_par"] == pytest.approx(0, abs=1e-5)
    assert result["pairs"][0]["difference"] == pytest.approx(
        mine["above_par"] - theirs["above_par"], abs=1e-5
    )
    assert theirs["rating"]["sigma"] > 0


def test_the_same_seed_gives_the_same_figures(capfd: pytest.CaptureFixture[str]) -> None:
    players = ("greedy", "random", "random", "--seats", "5", "--deals", "6")
    one = untimed(found(capfd, *players))
    assert untimed(found(capfd, *players, "--jobs", "2")) == one
    assert found(capfd, *players, "--seed", "2")["moves"] != one["moves"]


def test_the_same_over_tcp(capfd: pytest.CaptureFixture[str]) -> None:
    """Every figure but times, the number of decisions with them."""
    players = ("greedy", "random", "--seats", "3", "--deals", "2", "--hands", "2")
    over_core = untimed(found(capfd, *players))
    assert untimed(found(capfd, *players, "--over", "tcp")) == over_core
    assert all(player["decisions"] for player in over_core["players"].values())


def test_two_alike_differ_by_exactly_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """Half tables with the seats changed: the arena tests itself."""
    for seats, hands in (("6", "1"), ("5", "3")):
        result = found(
            capfd, "greedy", "greedy", "--half", "--deals", "8", "--seats", seats, "--hands", hands
        )
        assert list(result["players"]) == ["greedy", "greedy#2"]
        assert result["pairs"][0]["difference"] == 0
        assert result["pairs"][0]["ci95"] == [0, 0] and result["pairs"][0]["deals_needed"] is None
        assert result["hands"] == 16 * int(hands)


def test_greedy_is_better_than_random_and_the_table_says_so(
    capfd: pytest.CaptureFixture[str],
) -> None:
    arguments = ["greedy", "random", "--no-taxes", "--deals", "20"]
    assert main(["arena", *arguments]) == 0
    out, _ = capfd.readouterr()
    assert "120 hands: 20 deals with 6 seats, in 6 rotations; seed 1." in out
    assert "greedy is better than random by" in out
    result = found(capfd, *arguments)
    assert result["players"]["greedy"]["ci95"][0] > 1.4  # bots.md has +1.87
    assert result["rules"]["revolution"] == "off"


def test_a_terminal_has_a_bar_and_nobody_else(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bar = Progress(4)
    bar.show(1)
    bar.close()
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("dalmuti.client.arena.report.BAR_SECONDS", 0)
    bar = Progress(4, "trial ")
    bar.show(1)
    bar.show(4)
    bar.close()
    out, err = capsys.readouterr()
    lines = [line for line in err.split("\r") if line.strip()]
    assert not out and "\n" not in err and "\x1b" not in err
    assert [line.rstrip() for line in lines] == [
        lines[0].rstrip(),
        f"trial [{'#' * 30}] 4 of 4 matches, 0 s left",
    ]
    assert lines[0].startswith(f"trial [{'#' * 7}{'.' * 23}] 1 of 4 matches, ")


def test_what_a_bot_does_wrong_is_told(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mybot.py"
    file.write_text(BOT.replace("decision.choices[0]", "1 / 0"))
    assert main(["arena", str(file), "greedy", "--seats", "3", "--deals", "1"]) == 0
    out, _ = capfd.readouterr()
    assert "crashed. Where a decision was due, the default was played." in out
    assert ": 1 deal with 3 seats, " in out
    assert "The first time it raised ZeroDivisionError: division by zero (mybot.py, line " in out
    assert "thinking" not in out


def longest_line(text: str) -> int:
    """Of the tables: what is no sentence."""
    return max(width(line) for line in text.splitlines() if not line.endswith("."))


@pytest.mark.parametrize("arguments", [(), ("--half",), ("--seats", "10", "--hands", "2")])
def test_tables_fit_80_cells_whatever_the_names(
    arguments: tuple[str, ...], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    names = ("a_bot_with_a_long_na.py", "王小明王小明王小明.py")
    for name in names:
        (tmp_path / name).write_text(BOT)
    players = [f"{tmp_path}/{name}:First" for name in names]
    assert main(["arena", *players, "--deals", "2", *arguments]) == 0
    out, _ = capfd.readouterr()
    assert 60 < longest_line(out) <= 80
    short = shown_names(players)[players[0]]
    assert short.startswith("...") and short.endswith("_long_na.py:First")
    lines = [line for line in out.splitlines() if line.startswith(f"{short} ")]
    assert len(lines) >= 3  # two tables and a legend
    assert f"{short} is {players[0]}." in out
    trial = ["--trial", players[1], "--references", f"{players[0]},greedy", "--seats", "8"]
    assert main(["arena", *trial, "--deals", "1"]) == 0
    out, _ = capfd.readouterr()
    assert 60 < longest_line(out) <= 80 and f"{short} is {players[0]}." in out


def test_names_in_tables_are_short_and_differ() -> None:
    names = [
        "greedy",
        "a/" + "x" * 30 + ".py",
        "b/" + "x" * 30 + ".py",
        "cmd:node a/b.js {host} {p}",
    ]
    shown = list(shown_names(names).values())
    assert shown == [
        "greedy",
        "...xxxxxxxxxxxxxx.py",
        "...xxxxxxxxxxxxxx~2",
        "cmd:node a/b.js {...",
    ]
    assert all(width(name) <= 20 for name in shown)


def test_the_bar_fits_its_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("dalmuti.client.arena.report.BAR_SECONDS", 0)
    for columns in (40, 60, 80):
        monkeypatch.setenv("COLUMNS", str(columns))
        bar = Progress(8000, "8 seats against careful ")
        bar.show(7999)
        bar.close()
        lines = capsys.readouterr().err.split("\r")
        assert 30 < max(map(len, lines)) < columns


def test_few_deals_prove_nothing_and_say_so(capfd: pytest.CaptureFixture[str]) -> None:
    for deals in (1, 3, FEW_DEALS - 1):
        assert main(["arena", "greedy", "random", "--seats", "3", "--deals", str(deals)]) == 0
        out, _ = capfd.readouterr()
        few = f"it stands on {deals} deal{'s' * (deals > 1)}, and takes {FEW_DEALS} at least"
        assert few in out and "is better than" not in out and " that." not in out
    result = found(capfd, "greedy", "random", "--seats", "3", "--deals", str(FEW_DEALS - 1))
    assert result["pairs"][0]["deals_needed"] is None
    result = found(capfd, "greedy", "random", "--seats", "3", "--deals", str(FEW_DEALS))
    assert result["pairs"][0]["deals_needed"] > 1
    trial = ["--trial", "greedy", "--references", "random", "--seats", "4", "--deals", "3"]
    assert main(["arena", *trial]) == 0
    assert "This says little: it stands on 3 deals" in capfd.readouterr().out


def test_what_is_played_before_something_fails_is_not_lost(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    saved: list[Path] = []

    def save(folder: Path, item: Item, outcome: Outcome) -> None:
        if item.index == 10:  # the second match of the fourth deal
            raise OSError(28, "No space left on device")
        saved.append(folder)

    monkeypatch.setattr("dalmuti.client.arena.command.save", save)
    arguments = ["arena", "greedy", "random", "--seats", "3", "--save", str(tmp_path)]
    assert main(arguments) == 2
    out, err = capfd.readouterr()
    assert "Unfinished: stopped after 3 of 200 deals. These are the figures so far." in out
    assert "9 hands: 3 deals" in out and len(saved) == 10
    assert f"--save: nothing more can be written to {tmp_path}: No space left on device." in err
    assert main([*arguments, "--json"]) == 2
    result = json.loads(capfd.readouterr().out)
    assert result["unfinished"] is True and (result["deals"], result["hands"]) == (3, 9)


def test_transcripts_are_saved(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "matches"
    result = found(
        capfd, "greedy", "random", "--seats", "3", "--deals", "2", "--hands", "2",
        "--save", str(folder),
    )  # fmt: skip
    files = sorted(folder.iterdir())
    assert len(files) == 6 and result["hands"] == 12
    for file in files:
        kept = record.loads(file.read_text(encoding="utf-8"))
        assert all(verdict.proved for verdict in record.verify(kept) if verdict.hand)
        assert sorted(who.name for who in kept.players.values()) == [
            "greedy", "random (1)", "random (2)",
        ]  # fmt: skip
    assert main(["verify", str(files[0])]) == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["greedy"], "expected two players or more"),
        (["greedy", "nobody"], "expected a house bot"),
        (["greedy"] * 4 + ["--seats", "3"], "at most as many players as seats (3), found 4"),
        (["greedy", "random", "random", "--half"], "--half is for two players, found 3"),
        (["greedy", "random", "--no-taxes", "--hands", "2"], "--no-taxes is for single hands"),
        (["greedy", "cmd:node bot.js"], "takes part with --over tcp only"),
        (["greedy", "random", "--rules", "seats=4"], "with --seats"),
        (["greedy", "random", "--rules", "match_end=open"], "match_end cannot be given"),
        (["greedy", "random", "--rules", "passing=never"], "--rules: passing"),
        (["--trial", "greedy", "--seats", "5"], "the trial is for 4, 6, 8 seats"),
        (["--trial", "greedy", "random"], "--trial takes one player"),
        (["greedy", "random", "--cluster", "x", "--over", "tcp"], "over core, not over tcp"),
    ],
)
def test_wrong_use_is_a_sentence(
    arguments: list[str], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["arena", *arguments]) == 2
    out, err = capfd.readouterr()
    assert not out and said in err and err.count("\n") == 1


def test_the_published_deals_are_what_they_were() -> None:
    """Whoever changes them makes all published results worthless: make a new file instead."""
    deals = trial.published()
    assert deals.name == "court trial 1"
    assert {size: len(set(numbers)) for size, numbers in deals.numbers.items()} == {
        "4": 1000, "6": 1000, "8": 1000,
    }  # fmt: skip
    for size, numbers in deals.numbers.items():
        assert trial.hash_of(numbers) == deals.sha256[size]
    assert deals.sha256["6"].startswith("73decdf39222")


def test_a_trial_takes_the_minimum_over_all_tables(capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ["--trial", "greedy", "--references", "random,greedy", "--deals", "4"]
    assert main(["arena", *arguments, "--seats", "4"]) == 0
    out, _ = capfd.readouterr()
    assert "The minimum is +0.000 (+0.000 to +0.000), against greedy at 4 seats." in out
    result = found(capfd, *arguments)
    fields = [(field["seats"], field["reference"], field["hands"]) for field in result["fields"]]
    assert fields == [
        (seats, reference, 4 * seats) for seats in (4, 6, 8) for reference in ("random", "greedy")
    ]
    assert result["minimum"] == 0 and result["minimum_ci95"] == [0, 0]
    assert result["fields"][0]["ci95"][0] > 0.5
    taxed = found(capfd, *arguments, "--taxed", "--seats", "4", "--hands", "2")
    assert taxed["kind"] == "matches of 2 hands" and taxed["fields"][0]["hands"] == 32
