"""Finding bots: a house bot by its name, or a class in somebody's file."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path

from dalmuti.client.bot import Bot, is_ctrl_c, shown


class BotError(Exception):
    """A bot cannot be loaded; the text says why, for people."""


def load_bot(text: str) -> Callable[[], Bot]:
    """What makes bots of a kind: a house bot's name, `mybot.py`, or `mybot.py:Class`.

    Raises BotError with a sentence.
    """
    from dalmuti.client.bots.simple import HOUSE_BOTS

    if text in HOUSE_BOTS:
        HOUSE_BOTS[text]()  # the expert says here what is wrong with its weights
        return HOUSE_BOTS[text]
    path, _, name = text.partition(":")
    if not path.endswith(".py"):
        raise BotError(
            f"expected a house bot ({', '.join(HOUSE_BOTS)}) or a file such as mybot.py,"
            f" found {text!r}"
        )
    file = Path(path)
    if not file.is_file():
        raise BotError(f"there is no file {path}; `dalmuti bot new {path}` writes one")
    return _bot_in(file, name)


def made(make: Callable[[], Bot]) -> Bot:
    """A bot of this kind. Raises BotError with a sentence when it cannot be made."""
    try:
        return make()
    except BotError:
        raise
    except BaseException as error:  # whatever a stranger's class raises
        if is_ctrl_c(error):
            raise
        kind = getattr(make, "__name__", "the bot")
        raise BotError(f"{kind} cannot be made: {shown(error)}") from error


def _bot_in(file: Path, name: str) -> Callable[[], Bot]:
    """The class `name` in this file, or its only bot."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise BotError(f"{file} cannot be loaded as Python")
    module = importlib.util.module_from_spec(spec)
    folder = str(file.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)  # a bot may be more than one file
    try:
        spec.loader.exec_module(module)
    except BaseException as error:  # whatever a stranger's file raises
        if is_ctrl_c(error):
            raise
        raise BotError(f"{file} cannot be loaded: {shown(error)}") from error
    found = {
        each.__name__: each
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Bot) and each.__module__ == module.__name__
    }
    names = ", ".join(found) or "none"
    if name:
        if name not in found:
            raise BotError(f"{file} has no bot {name!r}; its bots are: {names}")
        return found[name]
    if len(found) != 1:
        raise BotError(f"expected one bot in {file}, found {names}; name one: {file}:Class")
    return next(iter(found.values()))
