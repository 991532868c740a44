"""The words that people type where they type lines: those of their language, and the English ones.

The rest of the client knows the English words only; what was typed in another language becomes
those here. A test sees to it that no word means one thing in a language and another in English.
"""

from __future__ import annotations

from collections.abc import Collection

from dalmuti.client.i18n import mark_in, tr_in
from dalmuti.client.words.names import move
from dalmuti.core.moves import PASS

COMMANDS = (
    mark_in("command", "hand"),
    mark_in("command", "hide"),
    mark_in("command", "show"),
    mark_in("command", "autopass"),
    mark_in("command", "bell"),
    mark_in("command", "advice"),
    mark_in("command", "table"),
    mark_in("command", "score"),
    mark_in("command", "who"),
    mark_in("command", "time"),
    mark_in("command", "log"),
    mark_in("command", "say"),
    mark_in("command", "rules"),
    mark_in("command", "away"),
    mark_in("command", "back"),
    mark_in("command", "deal"),
    mark_in("command", "add"),
    mark_in("command", "kick"),
    mark_in("command", "host"),
    mark_in("command", "allow"),
    mark_in("command", "close"),
    mark_in("command", "tables"),
    mark_in("command", "join"),
    mark_in("command", "watch"),
    mark_in("command", "open"),
    mark_in("command", "leave"),
    mark_in("command", "quit"),
    mark_in("command", "help"),
    mark_in("command", "lang"),
)
ANSWERS = (
    mark_in("command", "pass"),
    mark_in("command", "decline"),
    mark_in("command", "call"),
    mark_in("command", "give"),
    mark_in("command", "call greater"),
)


def commands(known: Collection[str] = COMMANDS) -> list[str]:
    """What may be typed as a command: the words of this language, and English everywhere."""
    return list(dict.fromkeys((*(tr_in("command", each) for each in known), *known)))


def in_english(text: str, known: Collection[str] = (*COMMANDS, *ANSWERS)) -> str:
    """What was typed, its first word (or all of it) in English where this language has another."""
    own = {tr_in("command", each).casefold(): each for each in known}
    own.setdefault(move(PASS), "pass")  # as it stands among the choices
    whole = text.casefold()
    if whole in own:
        return own[whole]
    word, space, rest = text.partition(" ")
    plain = word.casefold().removeprefix("/")
    return plain + space + rest if plain in known else own.get(plain, word) + space + rest
