"""argparse, with sentences that say what to do."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from dalmuti.client.commands.parts import HIDDEN, WRONG_USE


class Parser(argparse.ArgumentParser):
    """The command line of one command."""

    @classmethod
    def of(cls, name: str, about: str, examples: Sequence[str], more: str) -> Parser:
        """A parser whose help shows examples, and says `more` at the end."""
        return cls(
            prog=f"dalmuti {name}",
            description=about[:1].upper() + about[1:] + ".",
            epilog="\n".join(["examples:", *(f"  {example}" for example in examples), "", more]),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    def add_argument(self, *names: Any, **settings: Any) -> argparse.Action:
        """The same; argparse knows its own word for what no help shows by identity alone."""
        if settings.get("help") == HIDDEN:
            settings["help"] = argparse.SUPPRESS
        return super().add_argument(*names, **settings)

    def error(self, message: str) -> NoReturn:
        """One sentence on standard error; exits with 2."""
        text = message[:1].lower() + message[1:]
        self.exit(WRONG_USE, f"{self.prog}: {text}. See `{self.prog} --help`.\n")
