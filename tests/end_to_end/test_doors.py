"""Who gets in, who does not, and what is left behind: exit codes and sentences of cli.md."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from end_to_end.spoken import PATIENCE, Spoken
from end_to_end.terminal import clean_environment


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return clean_environment(tmp_path)


@contextmanager
def hosted(env: dict[str, str], *more: str) -> Iterator[tuple[Spoken, str]]:
    """A host in plain mode, and the address that others join."""
    arguments = ["host", "--plain", "--bind", "127.0.0.1", "--port", "0", "--bot-delay", "0"]
    with Spoken([*arguments, "--table", "Kitchen", "--name", "Ada", *more], env) as ada:
        address = ada.until("Others join with: ").rpartition(" ")[2]
        ada.until("You sit at table Kitchen")
        yield ada, address


def joined(env: dict[str, str], address: str, *more: str) -> Spoken:
    return Spoken(["join", address, "--plain", *more], env)


def ended(spoken: Spoken) -> tuple[int, str]:
    code = spoken.wait()
    return code, spoken.said[-1]


def test_a_password(env: dict[str, str]) -> None:
    with hosted(env, "--password", "swordfish") as (ada, address):
        for given in ([], ["--password", "tunafish"]):
            with joined(env, address, "--name", "Zoe", *given) as zoe:
                code, text = ended(zoe)
                assert code == 4 and "password" in text
        with joined(env, address, "--name", "Zoe", "--password", "swordfish") as zoe:
            zoe.until("You sit at table Kitchen")
            ada.until("Zoe sits down.")


def test_a_full_table_and_a_table_that_is_not_there(env: dict[str, str]) -> None:
    with hosted(env, "--seats", "2", "--bots", "1") as (ada, address):
        ada.until("Bea (house bot) sits down.")
        with joined(env, address, "--name", "Zoe") as zoe:
            code, text = ended(zoe)
            assert code == 4 and "full" in text
        with joined(env, address, "--name", "Zoe", "--table", "Attic") as zoe:
            code, text = ended(zoe)
            assert code == 4 and "no such table" in text
        with joined(env, address, "--name", "Zoe", "--watch") as zoe:
            zoe.until("You watch table Kitchen")
            ada.until("Zoe watches.")
            ada.answer("deal")
            ada.until("Your turn: ")
            zoe.until("Everybody is dealt")
            zoe.answer("hand")
            zoe.until("You hold no cards: you are not in this hand.")


def test_sent_away(env: dict[str, str]) -> None:
    with hosted(env) as (ada, address), joined(env, address, "--name", "Zoe") as zoe:
        zoe.until("You sit at table Kitchen")
        ada.until("Zoe sits down.")
        ada.answer("kick zoe")
        ada.until("Zoe is sent away.")
        code, text = ended(zoe)
        assert code == 4 and "been sent away" in text


def test_the_table_is_closed(env: dict[str, str]) -> None:
    with hosted(env) as (ada, address), joined(env, address, "--name", "Zoe") as zoe:
        zoe.until("You sit at table Kitchen")
        ada.answer("close")
        assert ended(zoe)[0] == 0
        assert ada.wait() == 0


def test_a_taken_name_gets_a_number_and_is_told_so(env: dict[str, str]) -> None:
    with hosted(env) as (ada, address), joined(env, address, "--name", "Ada") as other:
        assert other.until("That name is taken here; you are ").endswith("Ada-2.")
        ada.until("Ada-2 sits down.")


def test_a_second_client_leaves_the_first_one_its_seat(env: dict[str, str]) -> None:
    with hosted(env) as (ada, address):
        with joined(env, address, "--name", "Zoe") as zoe:
            zoe.until("You sit at table Kitchen")
            with joined(env, address) as other:
                other.until("You sit at table Kitchen")
                ada.until("Zoe sits down.")
                other.answer("leave")
                assert other.wait() == 0
            zoe.answer("say still here")
            ada.until("Zoe says: still here")


def test_quit_keeps_the_seat_and_leave_does_not(env: dict[str, str]) -> None:
    with hosted(env) as (ada, address):
        for word in ("quit", "leave"):
            with joined(env, address, "--name", "Zoe") as zoe:
                zoe.until("You sit at table Kitchen")
                zoe.answer(word)
                assert zoe.wait() == 0
            ada.until("Zoe has lost the connection" if word == "quit" else "Zoe leaves the table.")


def test_a_lost_server_is_tried_again(env: dict[str, str]) -> None:
    """A connection that cannot be had is 3 at once; a lost one is told and tried again."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        with joined(env, address, "--name", "Zoe") as zoe:
            connection, _ = listener.accept()
            assert connection.recv(4096)  # unread, the hello would make this a reset
            connection.close()
            code, text = ended(zoe)
            assert code == 3 and "closed the connection" in text


@pytest.mark.skipif(sys.platform != "linux", reason="looks for the child in /proc")
def test_a_killed_player_leaves_no_server(env: dict[str, str]) -> None:
    """`play` holds its server by a lifeline, and the server its bots."""
    with Spoken("play --plain --bot-delay 0 --name Ada".split(), env) as ada:
        ada.until("Your turn: ")
        family = descendants(ada.process.pid)
        assert len(family) == 2
        ada.kill()
    deadline = time.monotonic() + PATIENCE
    while any(alive(pid) for pid in family):
        assert time.monotonic() < deadline, family
        time.sleep(0.02)


def descendants(pid: int) -> list[int]:
    """The processes that it started, and theirs."""
    threads = Path(f"/proc/{pid}/task").glob("*/children")
    children = [int(each) for file in threads for each in file.read_text().split()]
    return children + [each for child in children for each in descendants(child)]


def alive(pid: int) -> bool:
    """Running; a zombie that nobody has waited for yet is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_killed_host_finds_the_table_again(env: dict[str, str]) -> None:
    """The server lives on for the others, and holds the host's seat as anybody's."""
    with hosted(env, "--bots", "2", "--rules", "turn_seconds=0") as (ada, address):
        ada.until("Cid (house bot) sits down.")
        with joined(env, address, "--name", "Zoe") as zoe:
            zoe.until("You sit at table Kitchen")
            ada.until("Zoe sits down.")
            ada.answer("deal")
            ada.until("Your turn: ")
            zoe.until("Your turn: ")
            ada.kill()
            zoe.until("Ada has lost the connection")
            with joined(env, address) as again:
                again.until("You sit at table Kitchen")
                zoe.until("Ada is back.")
                for _ in range(30):  # a bot may have called a revolution: then the game goes on
                    zoe.answer("")
                again.until("Your turn: ")
                again.answer("who")
                assert "you" in again.until("Ada: ")
