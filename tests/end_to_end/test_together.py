"""Two players in plain mode and one in full screen, at one table, to the end of a match.

What a plain player reads is enough to follow the game: everything that was played, by whom and in
which order, is rebuilt from her lines alone, and is what the match's record says.
"""

from __future__ import annotations

import re
import sys
import threading
from pathlib import Path

from dalmuti.core.events import HandStarted, Passed, Played
from dalmuti.core.record import loads, steps
from end_to_end.spoken import Spoken
from end_to_end.terminal import Terminal, clean_environment
from end_to_end.test_screen import press_enter_until

RULES = "match_end=hands:2,scoring=points,turn_seconds=0"
HOST = f"host --plain --bind 127.0.0.1 --port 0 --seats 3 --hands 2 --table Kitchen --rules {RULES}"
OVER = "The match is over."
PLAYED = re.compile(r"(\w+) (?:leads?|plays?) (\d+x(?:\d+|J)(?:\+\dJ)?)\b")
PASSED = re.compile(r"(\w+) pass(?:es)?\b")
JOIN = [sys.executable, "-m", "dalmuti.client.cli", "join"]


def told(said: list[str], name: str) -> list[list[tuple[str, str]]]:
    """Who played or passed what in each hand, as somebody's lines say it."""
    hands: list[list[tuple[str, str]]] = []
    for line in said:
        if re.match(r"Hand \d+ begins", line):
            hands.append([])
        elif match := PLAYED.match(line):
            hands[-1].append((match[1], match[2]))
        elif match := PASSED.match(line):
            hands[-1].append((match[1], "pass"))
    return [[(name if who == "You" else who, what) for who, what in hand] for hand in hands]


def recorded(file: Path) -> list[list[tuple[str, str]]]:
    """The same, as the record of the match has it."""
    record = loads(file.read_text())
    hands: list[list[tuple[str, str]]] = []
    order: tuple[int, ...] = ()
    for _, events in steps(record):
        for event in events:
            match event:
                case HandStarted():
                    order = event.order
                    hands.append([])
                case Played(seat=seat, play=play):
                    hands[-1].append((record.players[order[seat]].name, str(play)))
                case Passed(seat=seat):
                    hands[-1].append((record.players[order[seat]].name, "pass"))
    return hands


def test_plain_and_full_screen_at_one_table(tmp_path: Path) -> None:
    env = clean_environment(tmp_path)
    with Spoken([*HOST.split(), "--name", "Ada"], env) as ada:
        address = ada.until("Others join with: ").rpartition(" ")[2]
        ada.until("You sit at table Kitchen")
        zoe_joins = ["join", address, "--table", "Kitchen", "--plain", "--name", "Zoe"]
        max_joins = [*JOIN, address, "--table", "Kitchen", "--name", "Max"]
        with Spoken(zoe_joins, env) as zoe, Terminal(max_joins, env) as terminal:
            terminal.until("Zoe")
            ada.until("Max")
            ada.answer("deal")
            plain = [
                threading.Thread(target=each.play_on, args=([""], OVER)) for each in (ada, zoe)
            ]
            for thread in plain:
                thread.start()
            press_enter_until(terminal, "The match is over")
            terminal.send("\x03")
            assert terminal.wait() == 0 and terminal.left_on() == []
            for thread in plain:
                thread.join()
            assert ada.wait() == 0
    assert b"\x1b" not in ada.raw + zoe.raw
    saved = next(line for line in ada.said if line.startswith("The match so far was saved: "))
    truth = recorded(Path(saved.rpartition(" ")[2]))
    assert len(truth) == 2 and all(truth)
    assert told(ada.said, "Ada") == told(zoe.said, "Zoe") == truth
