"""Plays items on the machines of a Dask scheduler (extra `cluster`).

Each task is some items, and plays them as `workers` does, in a process of its own on the machine
where it comes to be: bots are strangers' code there as well. A bot's file goes along with the task.
So the moves are the same as on one machine.
"""

from __future__ import annotations

import tempfile
from collections.abc import Generator, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from dalmuti.client.arena import workers
from dalmuti.client.arena.plan import Contestant, Item, Outcome, Runner, Setup
from dalmuti.client.commands.parts import NO_CONNECTION
from dalmuti.client.start import Refusal

CONNECT_SECONDS: Final = 10
ITEMS: Final = 32
"""In one task."""
AHEAD: Final = 3
"""Tasks that are on their way for each thread of the cluster."""


def runner_at(address: str) -> Runner:
    """Connects to a scheduler. Raises Refusal."""
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise Refusal(
            "--cluster needs the library distributed: pip install 'dalmuti[cluster]'"
        ) from None
    try:
        client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise Refusal(
            f"no Dask scheduler answers at {address}: {str(error) or 'it took too long'}",
            NO_CONNECTION,
        ) from None

    def play(setup: Setup, items: Iterator[Item], jobs: int) -> Generator[Outcome, None, None]:
        yield from spread(client, setup, items)

    return play


def spread(client: Any, setup: Setup, items: Iterator[Item]) -> Generator[Outcome, None, None]:
    """Plays with a `distributed.Client`; how many at once is for its machines to say.

    Raises Refusal for a bot that cannot be loaded, and where a machine is lost for good.
    """
    tasks: Any = import_module("distributed").as_completed(loop=client.loop)
    files = _files(setup)
    packed = msgspec.msgpack.encode(setup)
    waiting: set[Any] = set()

    def submit() -> None:
        some = [item for _, item in zip(range(ITEMS), items, strict=False)]
        if some:
            data = msgspec.msgpack.encode(some)
            future = client.submit(play_there, packed, files, data, pure=False)
            waiting.add(future)
            tasks.add(future)

    try:
        for _ in range(AHEAD * max(1, sum(client.nthreads().values()))):
            submit()
        for future in tasks:
            waiting.discard(future)
            try:
                data = future.result()
            except Exception as error:  # whatever becomes of a machine
                raise Refusal(
                    f"the cluster could not play: {type(error).__name__}: {error}", NO_CONNECTION
                ) from None
            found = msgspec.msgpack.decode(data, type=list[Outcome] | str)
            if isinstance(found, str):
                raise Refusal(found)
            submit()
            yield from found
    finally:
        client.cancel(list(waiting))


def _files(setup: Setup) -> dict[str, str]:
    """The files of bots, by their paths."""
    found = {}
    for contestant in setup.contestants:
        path = file_of(contestant)
        if path is not None:
            try:
                found[path] = Path(path).read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                raise Refusal(f"{path} is no file that can be read") from None
    return found


def play_there(setup: bytes, files: dict[str, str], items: bytes) -> bytes:
    """Plays items on this machine; gives the outcomes, or why there are none. Run by Dask."""
    wanted = msgspec.msgpack.decode(setup, type=Setup)
    todo = msgspec.msgpack.decode(items, type=list[Item])
    with tempfile.TemporaryDirectory(prefix="dalmuti-arena-") as folder:
        places: dict[str, str] = {}
        for number, (path, text) in enumerate(files.items()):
            place = Path(folder, str(number), Path(path).name)
            place.parent.mkdir()
            place.write_text(text, encoding="utf-8")
            places[path] = str(place)
        here = replace(
            wanted, contestants=tuple(_placed(each, places) for each in wanted.contestants)
        )
        try:
            return msgspec.msgpack.encode(list(workers.play(here, iter(todo), 1)))
        except Refusal as refusal:
            return msgspec.msgpack.encode(str(refusal))


def _placed(contestant: Contestant, places: dict[str, str]) -> Contestant:
    path = file_of(contestant)
    if path is None:
        return contestant
    return replace(contestant, bot=places[path] + contestant.bot.removeprefix(path))


def file_of(contestant: Contestant) -> str | None:
    """The file that a bot is in; None for one of the house."""
    path = contestant.bot.partition(":")[0]
    return path if path.endswith(".py") else None
