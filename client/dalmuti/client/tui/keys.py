"""Which key of the terminal is which key of the game: prompt_toolkit's bindings, and nothing else.

Ctrl-C is bound twice, as a key and as the signal: prompt_toolkit takes SIGINT over and would
swallow it. Esc is eager, or it would wait for what might be the rest of an escape sequence.
"""

from __future__ import annotations

import signal
from typing import Final, Protocol

from prompt_toolkit.filters import Condition, Filter
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.key_binding.key_processor import KeyPressEvent
from prompt_toolkit.keys import Keys

NAMED: Final = {
    "left": "left",
    "right": "right",
    "up": "up",
    "down": "down",
    "enter": "enter",
    "escape": "escape",
    "backspace": "backspace",
    "delete": "backspace",
    "pageup": "pageup",
    "pagedown": "pagedown",
    "f1": "f1",
    " ": "space",
}


class Skin(Protocol):
    """What keys do to the screen."""

    @property
    def chatting(self) -> bool:
        """Whether keys go to the chat line."""

    def press(self, key: str) -> None:
        """A key for the game."""

    def open_chat(self, text: str = "") -> None:
        """Goes to the chat line."""

    def close_chat(self) -> None:
        """Goes back to the game."""

    def send_chat(self) -> None:
        """Says, or does, what is in the chat line."""

    def complete(self) -> None:
        """Completes a command."""

    def interrupt(self) -> None:
        """Ctrl-C."""

    def suspend(self) -> None:
        """Ctrl-Z."""

    def repaint(self) -> None:
        """Draws everything again."""


def bindings(skin: Skin) -> KeyBindings:
    """All keys."""
    keys = KeyBindings()
    chatting = Condition(lambda: skin.chatting)

    @keys.add("c-c", eager=True)
    @keys.add("<sigint>", eager=True)
    def _(event: KeyPressEvent) -> None:
        skin.interrupt()

    @keys.add("c-l")
    def _(event: KeyPressEvent) -> None:
        skin.repaint()

    if hasattr(signal, "SIGTSTP"):

        @keys.add("c-z")
        def _(event: KeyPressEvent) -> None:
            skin.suspend()

    @keys.add("c-x", eager=True)
    def nothing(event: KeyPressEvent) -> None:
        """What Emacs has behind this key records all others, without an end."""

    _game_keys(keys, skin, ~chatting)
    _chat_keys(keys, skin, chatting)
    return keys


def _game_keys(keys: KeyBindings, skin: Skin, playing: Filter) -> None:
    def name(key: str, meaning: str) -> None:
        @keys.add(key, filter=playing, eager=key == "escape")
        def _(event: KeyPressEvent) -> None:
            skin.press(meaning)

    for key, meaning in NAMED.items():
        name(key, meaning)

    @keys.add("t", filter=playing)
    @keys.add("tab", filter=playing)
    def _(event: KeyPressEvent) -> None:
        skin.open_chat()

    @keys.add("/", filter=playing)
    def _(event: KeyPressEvent) -> None:
        skin.open_chat("/")

    @keys.add(Keys.Any, filter=playing)
    def _(event: KeyPressEvent) -> None:
        if len(event.data) == 1 and event.data.isprintable():
            skin.press(event.data)


def _chat_keys(keys: KeyBindings, skin: Skin, chatting: Filter) -> None:
    @keys.add("escape", filter=chatting, eager=True)
    def _(event: KeyPressEvent) -> None:
        skin.close_chat()

    @keys.add("enter", filter=chatting)
    def _(event: KeyPressEvent) -> None:
        skin.send_chat()

    @keys.add("tab", filter=chatting)
    def _(event: KeyPressEvent) -> None:
        skin.complete()
