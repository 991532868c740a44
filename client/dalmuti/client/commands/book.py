"""All commands: a line about each, and the whole command line of the one that was asked for.

argparse takes as long to be loaded as a bare interpreter needs to start, so `dalmuti --help`, which
shows the lines alone, does without it; so does whatever is imported here and in the modules that
describe the commands. They name their types in annotations only.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dalmuti.client.commands.parser import Parser

OVERVIEW = """\
usage: dalmuti [-h] [--version] COMMAND ...

The Great Dalmuti over the network, in your terminal.

commands:
{commands}

options:
  -h, --help    show this help, or with a command that of the command
  --version     show the version

example:
  dalmuti play            a table of your own, against house bots"""


class NotAsked(Exception):
    """Another command was asked for: this one need not be described any further."""


class Book:
    """What `words`, the command line, asks for.

    A command has one word or two (`bot new`); of two that fit, the last to be described is meant.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = list(words)
        self.about: dict[str, str] = {}
        self.parser: Parser | None = None
        """That of the command, once it is described; None for a command that there is not."""
        self.rest: list[str] = []
        """What stands behind the command."""

    def describe(self, *commands: Callable[[Book], None]) -> None:
        """Has commands described: each by its line, and by all of it if it was asked for."""
        for each in commands:
            try:
                each(self)
            except NotAsked:
                continue

    def command(self, name: str, about: str, *examples: str, action: str, more: str = "") -> Parser:
        """The command line of a command with its examples; `action` does it, as `module:function`.

        Raises NotAsked where another command was asked for.
        """
        self.about[name] = about
        length = len(name.split())
        if self.words[:length] != name.split():
            raise NotAsked
        from dalmuti.client.commands.parser import Parser

        self.rest = self.words[length:]
        self.parser = Parser.of(name, about, examples, more)
        self.parser.set_defaults(action=action, command=name)
        return self.parser

    def overview(self) -> str:
        """What `dalmuti --help` says."""
        lines = (f"  {name:<11} {about}" for name, about in self.about.items())
        return OVERVIEW.format(commands="\n".join(lines))

    def names(self) -> str:
        """The commands, for a sentence."""
        return ", ".join(self.about)
