"""Whole evenings in plain mode: real processes, a real server, real sockets on loopback."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from end_to_end.spoken import Spoken
from end_to_end.terminal import clean_environment

TITLES = {
    2: ["Greater Dalmuti", "Greater Peon"],
    3: ["Greater Dalmuti", "Merchant", "Greater Peon"],
    4: ["Greater Dalmuti", "Lesser Dalmuti", "Lesser Peon", "Greater Peon"],
}


def titles(seats: int) -> list[str]:
    if seats in TITLES:
        return TITLES[seats]
    top, bottom = TITLES[4][:2], TITLES[4][2:]
    return [*top, *["Merchant"] * (seats - 4), *bottom]


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return clean_environment(tmp_path)


@pytest.fixture
def port() -> Iterator[int]:
    """A port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number = probe.getsockname()[1]
    yield number


@pytest.mark.parametrize(
    ("seats", "answers"), [(2, ["1"]), (3, [""]), (4, ["1"]), (4, [""]), (7, ["1", ""]), (10, [""])]
)
def test_a_hand_alone(seats: int, answers: list[str], env: dict[str, str], tmp_path: Path) -> None:
    """`dalmuti play --plain --hands 1` by pressing Enter or answering 1: every place, a title."""
    arguments = f"play --plain --seats {seats} --hands 1 --bot-delay 0 --name Ada".split()
    with Spoken(arguments, env) as ada:
        assert ada.play_on(answers, "Hand 1 is over.")
        places = [ada.next() for _ in range(seats)]
        found = [re.fullmatch(r"(\d+)\. (.+), (.+)", line or "") for line in places]
        assert [match and int(match[1]) for match in found] == list(range(1, seats + 1))
        assert [match and match[3] for match in found] == titles(seats)
        assert sum(match is not None and match[2] == "Ada" for match in found) == 1
        assert ada.until("Hand 1: deal verified.")
        saved = ada.until("The match was saved: dalmuti replay ")
        assert ada.wait() == 0
        assert b"\x1b" not in ada.raw
    file = saved.removeprefix("The match was saved: dalmuti replay ")
    assert file.startswith(str(tmp_path))
    with Spoken(["verify", file], env) as proof:
        assert proof.wait() == 0
        assert proof.said == ["Hand 1 is true."]
    with Spoken(["replay", file, "--as", "Ada"], env) as told:
        assert told.wait() == 0
        assert "Hand 1 is over." in told.said


def test_a_seed_fixes_the_deals(env: dict[str, str]) -> None:
    """And the table says that it is no fair one."""
    dealt = []
    for _ in range(2):
        with Spoken("play --plain --seed 5 --hands 1 --bot-delay 0 --name Ada".split(), env) as ada:
            assert ada.until("This table plays known deals")
            dealt.append((ada.until("Everyone draws"), ada.until("You are dealt")))
    assert dealt[0] == dealt[1]


def test_an_altered_match_is_not_true(env: dict[str, str]) -> None:
    with Spoken("play --plain --seats 2 --hands 1 --bot-delay 0 --name Ada".split(), env) as ada:
        ada.play_on([""])
        assert ada.process.wait() == 0
        file = Path(ada.said[-1].removeprefix("The match was saved: dalmuti replay "))
    text = file.read_text()
    line = next(line for line in text.splitlines() if line.startswith("deal "))
    altered = text.replace(line, line.replace(",12", ",11", 1))
    assert altered != text
    file.write_text(altered)
    with Spoken(["verify", str(file)], env) as proof:
        assert proof.wait() == 1
        assert any("NOT true" in said for said in proof.said)


def test_an_evening_with_a_killed_guest(env: dict[str, str], port: int) -> None:
    """A host, two guests, two bots: three hands; Zoe is killed in the middle of one, the stand-in
    plays for her, and she is back in her seat by the same command."""
    rules = "turn_seconds=0"
    host_arguments = (
        f"host --plain --bind 127.0.0.1 --port {port} --seats 5 --bots 2 --hands 3 --bot-delay 0.1"
        f" --table Kitchen --name Ada --rules {rules}"
    ).split()
    join = ["join", f"127.0.0.1:{port}", "--plain", "--name"]
    with Spoken(host_arguments, env) as ada:
        assert ada.until("Others join with: ") == f"Others join with: dalmuti join 127.0.0.1:{port}"
        ada.until("You sit at table Kitchen")
        with Spoken([*join, "Zoe"], env) as zoe, Spoken([*join, "Yan"], env) as yan:
            zoe.until("You sit at table Kitchen")
            yan.until("You sit at table Kitchen")
            zoe.until("Your turn: ")
            zoe.kill()
            with Spoken([*join[:3]], env) as again:
                line = again.until("You sit at table Kitchen")
                assert "Zoe" not in line and "you" in line.split(": ")[-1]  # who Zoe is
                assert again.until("Table Kitchen, hand 1")
                done: list[str] = []
                players = {"Ada": ada, "Yan": yan, "Zoe": again}
                finish(players, done)
                assert sorted(done) == ["Ada", "Yan", "Zoe"]
                assert "Zoe has lost the connection" in " ".join(ada.said)
                assert "Zoe is back." in ada.said
                for name, player in players.items():
                    said = player.said
                    assert [line for line in said if line.endswith("deal verified.")] == [
                        f"Hand {number}: deal verified." for number in (1, 2, 3)
                    ], name
                    assert any(line.startswith("Taxes: ") for line in said)


def finish(players: dict[str, Spoken], done: list[str]) -> None:
    """Plays all of them to the end of the third hand, each in a thread of his own."""
    import threading

    def play(name: str) -> None:
        players[name].play_on([""], "Hand 3: deal verified.")
        done.append(name)

    threads = [threading.Thread(target=play, args=(name,)) for name in players]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_bots_from_outside(env: dict[str, str], port: int, tmp_path: Path) -> None:
    """`dalmuti bot` with a house bot and with a file, at a table that somebody hosts."""
    file = tmp_path / "mybot.py"
    file.write_text(
        "from dalmuti.client.bot import Bot\n"
        "class Cautious(Bot):\n"
        "    asked = 0\n"
        "    def decide(self, view, decision):\n"
        "        print('I think')\n"
        "        self.asked += 1\n"
        "        if self.asked > 2:\n"
        "            raise SystemExit('enough')\n"
        "        return 'nonsense' if self.asked == 1 else decision.choices[-1]\n"
    )
    host_arguments = (
        f"host --plain --bind 127.0.0.1 --port {port} --seats 4 --hands 1 --name Ada"
    ).split()
    address = f"127.0.0.1:{port}"
    with Spoken(host_arguments, env) as ada:
        ada.until("You sit at table Ada's table")
        with (
            Spoken(["bot", "greedy", address, "--count", "2"], env) as greedy,
            Spoken(["bot", f"{file}:Cautious", address], env) as mine,
        ):
            assert ada.play_on([""], "Hand 1 is over.")
            assert ada.wait() == 0
            names = " ".join(line for line in ada.said if line.endswith("sits down."))
            assert "greedy (bot)" in names and "greedy-2 (bot)" in names
            assert "Cautious (bot)" in names
            greedy.process.terminate()
            mine.process.terminate()
            assert greedy.wait() == 128 + 15
            assert mine.wait() == 128 + 15
            assert any("Cautious chose 'nonsense'" in line for line in mine.said)
            assert any("Cautious raised SystemExit: enough" in line for line in mine.said)
            assert "I think" in mine.said
            assert " illegal, 0 late and " in mine.said[-1]
            assert " and 0 crashed" not in mine.said[-1]


def test_I22_a_killed_bot_finds_its_seat_again(env: dict[str, str], port: int) -> None:
    """SIGKILL, and the same command once more: the same seat, and the hand goes on."""
    arguments = f"host --plain --bind 127.0.0.1 --port {port} --seats 4 --name Ada".split()
    command = ["bot", "greedy", f"127.0.0.1:{port}"]
    with Spoken(arguments, env) as ada:
        ada.until("You sit at table Ada's table")
        with Spoken(command, env) as first:
            ada.until("greedy (bot) sits down.")
            first.until("greedy sits at table Ada's table.")  # it has kept its token by now
            first.process.kill()
            first.wait()
        ada.until("greedy has lost the connection")
        with Spoken(command, env) as again:
            ada.until("greedy is back.")
            again.process.terminate()
            assert again.wait() == 128 + 15
        assert sum(line.endswith("sits down.") for line in ada.said) <= 2


def test_answers_before_their_questions(env: dict[str, str]) -> None:
    """A script that writes all at once: answers wait for their questions, commands do not."""
    with Spoken("play --plain --seats 2 --hands 1 --bot-delay 0 --name Ada".split(), env) as ada:
        for _ in range(300):
            ada.answer("")
        assert ada.until("Hand 1 is over.")
        assert ada.wait() == 0


def test_the_end_of_the_input_leaves(env: dict[str, str]) -> None:
    with Spoken("play --plain --bot-delay 0 --name Ada".split(), env) as ada:
        ada.until("Your turn: ")
        assert ada.process.stdin is not None
        ada.process.stdin.close()
        assert ada.wait() == 0


@pytest.mark.parametrize("number", [2, 15])
def test_signals(number: int, env: dict[str, str]) -> None:
    """128+n, and the server that was started ends as well."""
    with Spoken("play --plain --bot-delay 0 --name Ada".split(), env) as ada:
        ada.until("Your turn: ")
        ada.process.send_signal(number)
        assert ada.wait() == 128 + number


def test_nobody_reads(env: dict[str, str]) -> None:
    """A reader that goes away ends the game quietly."""
    with Spoken("play --plain --seats 3 --bot-delay 0 --name Ada".split(), env) as ada:
        ada.until("Your turn: ")
        assert ada.process.stdout is not None
        for _ in range(50):
            ada.answer("table")
        ada.answer("quit")
        assert ada.wait() == 0
