"""Who may come in, as whom, and whose seat is whose."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import asyncssh
import pytest
from asyncssh.channel import SSHClientChannel
from asyncssh.packet import String

from client.ssh.stand import Stand, connect, run, seated, sit, standing, until
from dalmuti.client.ssh.door import Door
from dalmuti.client.ssh.gateway import Gateway
from dalmuti.client.ssh.limits import Limits

MINE = asyncssh.generate_private_key("ssh-ed25519")
HERS = asyncssh.generate_private_key("ssh-ed25519")


class NoAnswers(asyncssh.SSHClient):
    """Somebody without a key, who is asked nothing."""

    def __init__(self) -> None:
        self.questions: list[object] = []

    def kbdint_auth_requested(self) -> str:
        return ""

    def kbdint_challenge_received(self, *challenge: Any) -> list[str]:
        self.questions.append(challenge[-1])
        return []


# -- ways in ----------------------------------------------------------------------------------


def test_none_lets_everybody_in(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with standing(tmp_path, auth="none") as stand:
            await seated(stand, "Ada Lovelace")
            assert stand.only().identity.nick == "Ada Lovelace"
            assert stand.only().identity.key is None

    run(scenario)


def test_a_password_lets_in_who_knows_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong ones wait, each twice as long as the last, and so does the right one behind them."""
    waited: list[float] = []
    true_sleep = asyncio.sleep

    async def sleep(seconds: float) -> None:
        waited.append(seconds)
        await true_sleep(0)

    monkeypatch.setattr("dalmuti.client.ssh.door.asyncio.sleep", sleep)

    async def scenario() -> None:
        async with standing(tmp_path, auth="password", guest_password="cards tonight") as stand:
            for wrong in ("", "cards", "cards tonight ", "carte s\u00f6ir"):
                with pytest.raises(asyncssh.PermissionDenied):
                    await connect(stand, password=wrong, preferred_auth="password")
            with pytest.raises(asyncssh.PermissionDenied):
                await connect(stand, client_keys=[MINE], preferred_auth="publickey")
            connection = await connect(stand, password="cards tonight", client_keys=[MINE])
            eye = await sit(connection)
            await eye.until("YOUR TURN")
            assert stand.only().identity.key is None, "a key was not asked for"
            assert [each for each in waited if each >= 0.5] == [0.5, 1.0, 2.0, 4.0, 8.0]
            assert stand.patience.seconds("127.0.0.1", stand.now) == 0.5
            assert "wrong password  address=127.0.0.1  user=ada" in stand.said.text()
            assert "tonight" not in stand.said.text()

    run(scenario)


def test_any_key_is_welcome_and_no_key_is_as_well(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with standing(tmp_path, auth="anykey") as stand:
            await (await sit(await connect(stand, client_keys=[MINE]))).until("YOUR TURN")
            assert stand.only().identity.key == MINE.get_fingerprint()
            client = NoAnswers()
            keyless = await connect(stand, "grace", client_factory=lambda: client)
            await (await sit(keyless)).until("YOUR TURN")
            assert client.questions == [[]]
            assert {guest.identity.key for guest in stand.guests} == {MINE.get_fingerprint(), None}

    run(scenario)


class Thief(asyncssh.SSHClient):
    """Asks whether somebody else's key would do, then comes in as he can."""

    def __init__(self, other: asyncssh.SSHKey, signs: bool) -> None:
        self.conn: asyncssh.SSHClientConnection
        self.other, self.signs = other, signs
        self.tried = False

    def connection_made(self, conn: asyncssh.SSHClientConnection) -> None:
        self.conn = conn

    async def public_key_auth_requested(self) -> Any:
        if not self.tried:
            self.tried = True
            return Unproved(self.other) if self.signs else None
        return None

    def kbdint_auth_requested(self) -> str:
        return ""

    def kbdint_challenge_received(self, *_: Any) -> list[str]:
        return []


class Unproved(asyncssh.SSHKeyPair):
    """A public key of somebody else's, with a signature that is none."""

    _key_type = "stolen"

    def __init__(self, key: asyncssh.SSHKey) -> None:
        algorithm = key.algorithm
        super().__init__(
            algorithm, algorithm, key.sig_algorithms, key.sig_algorithms, key.public_data, b""
        )

    def sign(self, data: bytes) -> bytes:
        return String(self.sig_algorithm) + String(b"\0" * 64)


def test_a_key_that_was_only_asked_about_is_nobodys(tmp_path: Path) -> None:
    """ssh tells of a key before it is proved: whoever shows hers and comes in without one is not
    she, and neither is he whose proof is wrong."""

    async def scenario() -> None:
        async with standing(tmp_path, auth="anykey") as stand:
            hers = await sit(await connect(stand, "grace", client_keys=[HERS]))
            await hers.until("YOUR TURN")
            thief = await connect(stand, "grace", client_factory=lambda: Thief(HERS, signs=True))
            eye = await sit(thief)
            await eye.until("YOUR TURN")
            assert hers.chan.get_exit_status() is None and not hers.closed.is_set()
            keys = sorted(str(guest.identity.key) for guest in stand.guests)
            assert keys == sorted([HERS.get_fingerprint(), "None"])

    run(scenario)


def test_the_last_key_that_was_shown_counts(tmp_path: Path) -> None:
    """The one that let him in: after it nothing is asked any more. Without one there is none."""

    async def scenario() -> None:
        async with standing(tmp_path, auth="anykey") as stand:
            door = Door(stand)
            assert door.begin_auth("ada")
            for key in (HERS, MINE):
                assert door.validate_public_key("ada", key)
            assert door._identity().key == MINE.get_fingerprint()
            assert door.get_kbdint_challenge("ada", "", "")[3] == []
            assert door._identity().key is None

    run(scenario)


def test_hostile_user_names(tmp_path: Path) -> None:
    """What they are called is clean on the screen, in the log, and names no file."""

    async def scenario() -> None:
        names = ["../../etc/passwd", "x\u202egnp", "root", "  ", "a" * 500, "$(reboot)", "\u200b"]
        async with standing(tmp_path, Limits(address_guests=20)) as stand:
            came = 0
            for name in names:
                try:
                    connection = await connect(stand, name)
                except (asyncssh.Error, OSError, ValueError):
                    continue  # ssh itself refuses some
                came += 1
                eye = await sit(connection)
                await eye.until("YOUR TURN")
            assert came >= 4
            nicks = [guest.identity.nick for guest in stand.guests]
            assert "root" not in nicks and all(len(nick) <= 20 for nick in nicks)
            assert nicks.count("Guest") >= 2, "all who have no name of their own come in"
            files = [file.name for file in (tmp_path / "seats").iterdir()]
            assert files and all(name.split(".")[0].isalnum() for name in files)
            assert all(line.isprintable() for line in stand.said.text().splitlines())
            for door in [*stand.doors]:
                door.connection.abort()

    run(scenario)


# -- how many ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        (Limits(guests=1), "as many guests as may come in"),
        (Limits(address_guests=1), "as many guests from your address"),
    ],
)
def test_more_guests_than_may_come(limits: Limits, sentence: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with standing(tmp_path, limits) as stand:
            first = await seated(stand, "ada")
            second = await sit(await connect(stand, "grace"))
            assert await second.over() == 4 and sentence in second.errors
            await first.type("\x03", first.closed.is_set)
            await until(lambda: not stand.guests)
            await seated(stand, "grace")

    run(scenario)


def test_connections_that_never_say_who_they_are(tmp_path: Path) -> None:
    """There is room for some, and for a moment; then others come in again."""

    async def scenario() -> None:
        limits = Limits(address_connections=5, login_seconds=0.3)
        async with standing(tmp_path, limits) as stand:
            silent = [await asyncio.open_connection("127.0.0.1", stand.port) for _ in range(9)]
            await until(lambda: "too many connections from there" in stand.said.text())
            await until(lambda: not stand.doors)
            for reader, writer in silent:
                await reader.read()
                writer.close()
                await writer.wait_closed()
            assert "Login timeout expired" in stand.said.text()
            await seated(stand)

    run(scenario)


def test_who_connects_again_and_again_is_kept_out(tmp_path: Path) -> None:
    """Before it costs any cryptography; and only from that address."""

    async def scenario() -> None:
        limits = Limits(connect_burst=4, connect_per_second=0.0)
        async with standing(tmp_path, limits) as stand:
            for _ in range(4):
                (await connect(stand)).abort()
            for _ in range(3):
                with pytest.raises((asyncssh.Error, OSError)):
                    await connect(stand)
            assert "connection refused  address=127.0.0.1  why='too often'" in stand.said.text()
            await until(lambda: not stand.doors)

    run(scenario)


def test_a_connection_without_a_session_is_closed(tmp_path: Path) -> None:
    """`ssh -N`."""

    async def scenario() -> None:
        async with standing(tmp_path, Limits(empty_seconds=0.01)) as stand:
            connection = await connect(stand)
            await connection.wait_closed()
            await until(lambda: not stand.doors)

    run(scenario)


def test_a_session_in_which_nothing_is_asked_for_is_closed(tmp_path: Path) -> None:
    """Else it would hold its place in the doorway for ever."""

    async def scenario() -> None:
        async with standing(tmp_path, Limits(empty_seconds=0.5)) as stand:
            playing = await seated(stand)
            connection = await connect(stand, "grace")
            loop = asyncio.get_running_loop()
            chan: SSHClientChannel[str] = SSHClientChannel(
                connection, loop, "strict", "utf-8", "strict", 65536, 32768
            )
            await chan._open(b"session")
            await connection.wait_closed()
            await playing.type("?", "ANY TIME")

    run(scenario)


def test_strangers_from_the_internet_are_kept_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with standing(tmp_path, lan_only=True) as stand:
            await seated(stand)
            monkeypatch.setattr("dalmuti.client.ssh.gateway.is_near", lambda host: False)
            with pytest.raises((asyncssh.Error, OSError)):
                await connect(stand, "grace")
            assert "not from a private network" in stand.said.text()

    run(scenario)


def test_nothing_is_compressed(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with standing(tmp_path) as stand:
            with pytest.raises(asyncssh.Error):
                await connect(stand, compression_algs=["zlib@openssh.com"])
            connection = await connect(stand)
            assert connection.get_extra_info("recv_compression") == "none"
            assert connection.get_extra_info("send_compression") == "none"
            connection.abort()

    run(scenario)


@pytest.mark.parametrize(
    "kex", ["diffie-hellman-group18-sha512", "diffie-hellman-group14-sha256", "rsa2048-sha256"]
)
def test_no_way_to_agree_on_a_key_costs_more_than_some_milliseconds(
    kex: str, tmp_path: Path
) -> None:
    """A guest chooses it, and may choose again and again; everybody waits meanwhile."""

    async def scenario() -> None:
        async with standing(tmp_path) as stand:
            with pytest.raises(asyncssh.KeyExchangeFailed):
                await connect(stand, kex_algs=[kex])
            connection = await connect(stand, kex_algs=["ecdh-sha2-nistp256"])
            connection.abort()

    run(scenario)


# -- seats ------------------------------------------------------------------------------------


async def takes_a_seat(stand: Stand, token: str) -> None:
    """What the server's answer does to the newest guest's file."""
    store = stand.stores[-1]
    assert store is not None
    store.save("Kitchen", token, "ada")


def seat_of(stand: Stand) -> str | None:
    """The token that the newest guest found in his file."""
    store = stand.stores[-1]
    seat = None if store is None else store.load()
    return None if seat is None else seat.token


async def leave(stand: Stand, connection: asyncssh.SSHClientConnection) -> None:
    connection.abort()
    await until(lambda: not stand.guests)


def test_a_key_has_its_seat_again_under_any_name(tmp_path: Path) -> None:
    """Also at a gateway that was started anew, and while an old connection of his still hangs."""

    async def scenario() -> None:
        async with standing(tmp_path, auth="anykey") as stand:
            first = await connect(stand, "ada", client_keys=[MINE])
            old = await sit(first)
            await old.until("YOUR TURN")
            await takes_a_seat(stand, "t1")
            again = await connect(stand, "lovelace", client_keys=[MINE])
            eye = await sit(again)
            await eye.until("YOUR TURN")
            assert seat_of(stand) == "t1"
            assert await old.over() == 3 and "newer connection of yours" in old.errors
            await leave(stand, again)
        async with standing(tmp_path, auth="anykey") as stand:
            await (await sit(await connect(stand, "x", client_keys=[MINE]))).until("YOUR TURN")
            assert seat_of(stand) == "t1"
            await (await sit(await connect(stand, "ada", client_keys=[HERS]))).until("YOUR TURN")
            assert seat_of(stand) is None

    run(scenario)


def test_three_at_once_with_one_key(tmp_path: Path) -> None:
    """The last of them has the seat, and the others are told."""

    async def scenario() -> None:
        async with standing(tmp_path, auth="anykey") as stand:
            eyes = [await sit(await connect(stand, client_keys=[MINE])) for _ in range(3)]
            await until(lambda: len(stand.guests) == 1 and eyes[2].raw)
            await eyes[2].until("YOUR TURN")
            assert [await eye.over() for eye in eyes[:2]] == [3, 3]
            assert stand.stores[-1] is not None

    run(scenario)


def test_without_a_key_the_name_and_the_address_have_the_seat(tmp_path: Path) -> None:
    """But only when nobody is on it, for nobody can show that it is his."""

    async def scenario() -> None:
        async with standing(tmp_path) as stand:
            connection = await connect(stand, "ada")
            eye = await sit(connection)
            await eye.until("YOUR TURN")
            await takes_a_seat(stand, "t1")
            stranger = await sit(await connect(stand, "ADA"))
            assert await stranger.over() == 4
            assert "is here already" in stranger.errors and len(stand.sessions) == 1
            assert not eye.closed.is_set()
            await leave(stand, connection)
            connection = await connect(stand, "grace")
            await (await sit(connection)).until("YOUR TURN")
            assert seat_of(stand) is None, "another name"
            await leave(stand, connection)
            connection = await connect(stand, "ada")
            await (await sit(connection)).until("YOUR TURN")
            assert seat_of(stand) == "t1"
            await leave(stand, connection)

    run(scenario)


def test_from_elsewhere_a_name_is_somebody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with standing(tmp_path) as stand:
            connection = await connect(stand, "ada")
            await (await sit(connection)).until("YOUR TURN")
            await takes_a_seat(stand, "t1")
            await leave(stand, connection)
            await until(lambda: not stand.doors)
            whole = await sit(connection := await connect(stand, "ada"))
            await whole.until("YOUR TURN")
            assert seat_of(stand) == "t1"
            await leave(stand, connection)
            monkeypatch.setattr(asyncssh.SSHServerConnection, "get_extra_info", elsewhere)
            await (await sit(await connect(stand, "ada"))).until("YOUR TURN")
            assert stand.only().identity.address == "10.0.0.9" and seat_of(stand) is None

    run(scenario)


_true_info = asyncssh.SSHServerConnection.get_extra_info


def elsewhere(self: asyncssh.SSHServerConnection, name: str, default: Any = None) -> Any:
    return ("10.0.0.9", 1) if name == "peername" else _true_info(self, name, default)


# -- the end ----------------------------------------------------------------------------------


def test_when_the_gateway_stops_everybody_is_told(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with standing(tmp_path) as stand:
            eyes = [await seated(stand, name) for name in ("ada", "grace")]
        for eye in eyes:
            assert await eye.over() == 3
            assert eye.restored() and "way in for ssh is closed" in eye.errors
        assert [session.closed[0] for session in stand.sessions] == [False, False]

    run(scenario)


def test_who_presses_no_key_is_sent_away_and_keeps_his_seat(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with standing(tmp_path, Limits(idle_seconds=600)) as stand:
            eye = await seated(stand)
            stand.only().pressed_at -= 601
            assert await eye.over() == 3
            assert eye.restored() and "no key for 10 minutes" in eye.errors
            assert stand.sessions[0].closed[0] is False
            assert "guest left  name=ada  why='no key'" in stand.said.text()

    run(scenario)


def test_each_guest_reads_his_own_language(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with standing(tmp_path, language="nl") as stand:
            german = await sit(await connect(stand, "a"), env={"LANG": "de_DE.UTF-8"})
            french = await sit(await connect(stand, "b"), env={"LC_ALL": "fr_FR.ISO-8859-1"})
            dutch = await sit(await connect(stand, "c"))
            english = await sit(await connect(stand, "d"), env={"LANG": "en_GB.UTF-8"})
            await german.until("DU BIST DRAN")
            await french.until("A TOI")
            await dutch.until("JOUW BEURT")
            await english.until("YOUR TURN")
            await german.type("t", "Enter sagen")
            await german.type("\x1b", "DU BIST DRAN")
            again = await sit(await connect(stand, "a"), env={"LANG": "fr_FR.UTF-8"})
            assert await again.over() == 4 and again.errors
            assert "guest refused  address=127.0.0.1  why='name is here'" in stand.said.text()
            assert french.raw.isascii() and not german.raw.isascii()

    run(scenario)


def test_a_clean_gateway_leaves_nothing(tmp_path: Path) -> None:
    """Six guests come and go; no task, door or seat file of theirs stays."""

    async def scenario() -> None:
        async with standing(tmp_path, Limits(empty_seconds=0.01)) as stand:
            tasks = len(asyncio.all_tasks())  # the gateway's own, and this one
            for _ in range(3):
                eye = await seated(stand)
                eye.chan.write("\x03")
                await eye.over()
                connection = await connect(stand)
                await (await sit(connection)).until("YOUR TURN")
                connection.abort()
                await until(lambda: not stand.guests)
            await until(lambda: not stand.doors and not stand._on_seats)
            await until(lambda: len(asyncio.all_tasks()) <= tasks)
            assert list((tmp_path / "seats").iterdir()) == []
            Gateway.look_after(stand)
            assert not stand.closing

    run(scenario)
