"""Line mode: the conversation of plain mode at a prompt with history and completion.

Completion offers the choices of the pending decision and the commands. The prompt stays below
while sentences appear above it.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterable

import anyio
from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.patch_stdout import patch_stdout

from dalmuti.client import out
from dalmuti.client.i18n import tr
from dalmuti.client.plain import catch_signals, converse, exit_code
from dalmuti.client.session import Session
from dalmuti.client.steward import Steward
from dalmuti.client.talk import Talk
from dalmuti.client.tui import asidetexts
from dalmuti.client.tui.attention import Attention
from dalmuti.client.typed import commands


class Choices(Completer):
    """The legal choices first, then the commands."""

    def __init__(self, talk: Talk) -> None:
        self.talk = talk

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        typed = document.text_before_cursor.lstrip()
        decision = self.talk.model.decision
        shown = decision.choices if decision is not None and not self.talk.hidden else ()
        choices = map(str, shown)
        for word in (*choices, *commands()):
            if word.startswith(typed):
                yield Completion(word, start_position=-len(typed))


class Lines(AsyncIterator[str]):
    """What is typed at the prompt. Ctrl-D leaves the table, Ctrl-C only goes."""

    def __init__(self, session: Session, prompt: PromptSession[str]) -> None:
        self._session, self._prompt = session, prompt

    async def __anext__(self) -> str:
        try:
            return await self._prompt.prompt_async()
        except EOFError:
            raise StopAsyncIteration from None
        except KeyboardInterrupt:
            self._session.close(leave=False)
            raise StopAsyncIteration from None


async def run_line(
    session: Session, steward: Steward, talk: Talk | None = None, title: bool = False
) -> int:
    """Plays in line mode on a terminal. Returns the exit code.

    With `title` the title of the window says when it is our turn.
    """
    talk = talk or Talk(deals_itself=steward.hands is not None)
    prompt: PromptSession[str] = PromptSession("> ", completer=Choices(talk))
    caught: list[int] = []
    attention = Attention(prompt.output)

    def told() -> None:
        if talk.rings:
            attention.ring()
        if title:
            asked = talk.model.decision is not None
            attention.title(tr(asidetexts.TITLE_TURN if asked else asidetexts.TITLE))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(catch_signals, session, caught)
        with patch_stdout():
            ended = await converse(
                session,
                talk,
                steward,
                Lines(session, prompt),
                out.say,
                patient=False,
                told=told,
            )
        attention.close()
        if ended.text and not ended.code and not caught:
            out.say(ended.text)
        sys.stdout.flush()
        tasks.cancel_scope.cancel()
    return exit_code(ended, caught)
