"""`dalmuti replay`: tells a saved match, or lets a person step through it in any mode.

No server and no network: everything is read from the file before the first line is said. Without a
terminal, or with `--plain` alone, all of it is told at once, as scripts expect; `--plain --step`
waits for commands, on a pipe as well.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Iterable
from pathlib import Path

from dalmuti.client import out, settings
from dalmuti.client.commands.parts import OK
from dalmuti.client.replay.cursor import Cursor
from dalmuti.client.replay.script import Script
from dalmuti.client.replay.talk import COMMANDS, ReplayTalk
from dalmuti.client.replay.telling import RecordError, player_of, read, tell
from dalmuti.client.start import Refusal, ascii_wanted, at_terminal, mode_of


def replay(given: argparse.Namespace) -> int:
    """Shows the record in the way that was asked for. Raises Refusal."""
    try:
        record = read(Path(given.file))
        viewer = None if given.viewer is None else player_of(record, given.viewer)
    except RecordError as error:
        raise Refusal(str(error)) from None
    if not given.step and (given.mode == "plain" or not at_terminal()):
        for line in tell(record, viewer):
            out.say(line)
        return OK
    wishes = settings.load()
    mode = mode_of(given, wishes)
    cursor = Cursor.at_start(Script(record), viewer)
    if mode == "plain":
        return converse(ReplayTalk(cursor, record), _typed())
    if mode == "line":
        return _prompt(ReplayTalk(cursor, record))
    import anyio

    from dalmuti.client.tui.control import Options
    from dalmuti.client.tui.rewind import verified
    from dalmuti.client.tui.viewer import run_replay

    options = Options(
        ascii=ascii_wanted(given, wishes), theme=given.theme or wishes.theme, watch_draw=False
    )
    return anyio.run(run_replay, cursor, options, verified(record))


def converse(talk: ReplayTalk, lines: Iterable[str]) -> int:
    """Answers each line until `quit`, or until there are no more."""
    for sentence in talk.greeting():
        out.say(sentence)
    for line in lines:
        reply = talk.read(line)
        for sentence in reply.lines:
            out.say(sentence)
        if reply.end:
            break
    return OK


def _typed() -> Iterable[str]:
    """The lines of standard input; what is no text there is not worth an error."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    return sys.stdin or ()


def _prompt(talk: ReplayTalk) -> int:
    """The same at a prompt with history and completion. Ctrl-D is the end, too."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter

    prompt: PromptSession[str] = PromptSession("> ", completer=WordCompleter(list(COMMANDS)))

    def lines() -> Iterable[str]:
        while True:
            try:
                yield prompt.prompt()
            except EOFError:
                return

    return converse(talk, lines())
