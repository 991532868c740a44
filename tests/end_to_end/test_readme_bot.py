"""The README's section on bots, run as it is written."""

from __future__ import annotations

import os
import re
import shlex
import signal
import sys
from pathlib import Path

import trio

from dalmuti.core import events as ev
from dalmuti.protocol import messages as msg
from server.wire import running

README = Path(__file__).parents[2] / "README.md"


def section() -> str:
    text = README.read_text().partition("## Write a bot\n")[2]
    return text.partition("\n## ")[0]


def commands() -> list[list[str]]:
    """What one types, in order; every one begins with `dalmuti`."""
    lines = "".join(re.findall(r"```sh\n(.*?)```", section(), re.DOTALL)).splitlines()
    typed = [shlex.split(line) for line in lines]
    assert all(words[0] == "dalmuti" for words in typed)
    return [words[1:] for words in typed]


def edit() -> tuple[str, str]:
    """The line that is changed, and to what."""
    ((before, after),) = re.findall(r"change a line, for instance `(.+?)` to `(.+?)`", section())
    return before, after


async def test_as_it_is_written(tmp_path: Path) -> None:
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state"), "NO_COLOR": "1"}
    dalmuti = [sys.executable, "-m", "dalmuti.client.cli"]
    new, arena, sit = commands()

    async def done(words: list[str]) -> str:
        run = await trio.run_process(
            [*dalmuti, *words],
            cwd=tmp_path,
            env=env,
            capture_stdout=True,
            capture_stderr=True,
            check=False,
        )
        assert run.returncode == 0, run.stderr.decode()
        return run.stdout.decode()

    with trio.fail_after(300):
        assert "mybot.py" in await done(new)
        file = tmp_path / "mybot.py"
        before, after = edit()
        text = file.read_text()
        assert sum(line.startswith(before) for line in text.splitlines()) == 1
        file.write_text(text.replace(before, after))
        table = await done(arena)
        assert "mybot" in table.lower() and "greedy" in table
        async with running() as server:
            ada = await server.person("Ada")
            assert await ada.ask(msg.CreateTable, table="Kitchen", options={"seats": 4}) == "ok"
            sit = [server.app.addresses[0] if word == "127.0.0.1" else word for word in sit]
            bots = await trio.lowlevel.open_process([*dalmuti, *sit], cwd=tmp_path, env=env)
            try:
                names = {(await ada.event(ev.PlayerJoined)).who.name for _ in range(3)}
                assert names == {"Mybot", "Mybot-2", "Mybot-3"}
                assert await ada.ask(msg.Deal) == "ok"
                ended = await ada.play_until(ev.HandEnded)
                assert len(ended.places) == 4
            finally:
                bots.send_signal(signal.SIGTERM)
                code = await bots.wait()
            assert code == 128 + signal.SIGTERM
