"""Finding bots: a house bot by its name, or a class in somebody's file.

What can be known of a class without a game is looked at here, so that its author reads of it before
anything is played: whether it can be made, and whether its methods can be called as they will be.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from dalmuti.client.bot import Bot, is_ctrl_c, shown

CALLS: Final = {"decide": ("view", "decision"), "on_event": ("view", "event"), "begin": ("seed",)}
"""With what the methods of a bot are called."""


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
    # A name of its own: `random.py` must not stand where everybody looks for the library's.
    mark = hashlib.sha256(str(file.resolve()).encode()).hexdigest()[:8]
    spec = importlib.util.spec_from_file_location(f"{file.stem}_{mark}", file)
    if spec is None or spec.loader is None:
        raise BotError(f"{file} cannot be loaded as Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module  # where dataclasses, for one, look a class's module up
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
    if name:
        if name not in found:
            names = ", ".join(found) or "none"
            raise BotError(f"{file} has no bot {name!r}; its bots are: {names}")
        return _sound(found[name], file)
    # A class without `decide` beside one that has it is what several bots have in common.
    bots = [each for each in found.values() if _decides(each)] or list(found.values())
    if not bots:
        raise BotError(
            f"expected one bot in {file}, found none; a bot is a class such as"
            " `class Cautious(Bot):` with a method `decide`"
        )
    if len(bots) > 1:
        names = ", ".join(each.__name__ for each in bots)
        raise BotError(f"expected one bot in {file}, found {names}; name one: {file}:Class")
    return _sound(bots[0], file)


def _decides(kind: type[Bot]) -> bool:
    return kind.decide is not Bot.decide and not inspect.isabstract(kind)


def _sound(kind: type[Bot], file: Path) -> type[Bot]:
    """The class, if its methods can be called. Raises BotError."""
    where = f"{kind.__name__} in {file}"
    if kind.decide is Bot.decide:
        raise BotError(f"{where} has no method `decide`; write `def decide(self, view, decision):`")
    if inspect.isabstract(kind):
        missing = ", ".join(sorted(getattr(kind, "__abstractmethods__", ())))
        raise BotError(f"{where} is abstract, and cannot be made: it lacks {missing}")
    if not _takes(kind.__init__, 1) or not _takes(kind.__new__, 1):
        raise BotError(f"{where} wants arguments to be made, and is made without any")
    for name, given in CALLS.items():
        _look_at(kind, name, given, where)
    return kind


def _look_at(kind: type[Bot], name: str, given: tuple[str, ...], where: str) -> None:
    """Whether this method can be called with what it will be given. Raises BotError."""
    wanted = f"write `def {name}({', '.join(('self', *given))}):`"
    method = inspect.getattr_static(kind, name)
    bound = not isinstance(method, staticmethod)
    function = method.__func__ if isinstance(method, staticmethod | classmethod) else method
    if not callable(function):
        raise BotError(f"`{name}` of {where} is no method; {wanted}")
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise BotError(f"`{name}` of {where} is async, and a bot is called plainly; {wanted}")
    if inspect.isgeneratorfunction(function):
        raise BotError(f"`{name}` of {where} has a `yield`, so that it only begins when called")
    if inspect.isfunction(function) and not _takes(function, bound + len(given)):
        raise BotError(
            f"`{name}` of {where} cannot be called: expected `{name}({', '.join(given)})`, found"
            f" `{name}{_shown_signature(function, bound)}`; {wanted}"
        )


def _takes(function: Callable[..., object], number: int) -> bool:
    """Whether it can be called with so many arguments; what cannot be known is not held against."""
    try:
        inspect.signature(function).bind(*range(number))  # or TypeError
    except TypeError:
        return False
    except ValueError:  # it has no signature, as some that are written in C
        return True
    return True


def _shown_signature(function: Callable[..., object], bound: bool) -> str:
    """The parameters without `self`, as its author has written them."""
    found = list(inspect.signature(function).parameters.values())
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    names = [
        f"{stars[each.kind]}{each.name}" if each.kind in stars else each.name for each in found
    ]
    return f"({', '.join(names[bound:])})"
