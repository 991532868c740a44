"""Keys and commands in words: the key bar of every phase, the help, the list of commands.

The tables are in English, and what is drawn of them goes through `key_name`, `key_does` and
`command_help`. `tools/catalogues.py` reads the tables themselves: a `mark` around each of their
words would be all that one sees here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from dalmuti.client.i18n import tr_in

Keys = Sequence[tuple[str, str]]
"""Keys as people call them, and what they do."""

KEYS_FOLLOW: Final[Keys] = (
    ("Arrows", "choose"),
    ("Enter", "play"),
    ("Space", "pass"),
    ("9", "type a rank"),
    ("j", "Jester"),
    ("t", "chat"),
    ("a", "auto-pass"),
    ("h", "hide"),
    ("q", "leave"),
    ("s", "scores"),
    ("l", "log"),
)
KEYS_PASS: Final[Keys] = (
    ("Enter", "pass"),
    ("t", "chat"),
    ("a", "auto-pass"),
    ("h", "hide"),
    ("q", "leave"),
    ("s", "scores"),
    ("l", "log"),
)
KEYS_LEAD: Final[Keys] = (
    ("Left Right", "rank"),
    ("Enter", "play"),
    ("3x9", "type"),
    ("Up Down", "size"),
    ("j", "Jester"),
    ("t", "chat"),
    ("h", "hide"),
    ("q", "leave"),
    ("s", "scores"),
    ("l", "log"),
)
KEYS_WAIT: Final[Keys] = (
    ("t", "chat"),
    ("a", "auto-pass"),
    ("h", "hide"),
    ("q", "leave"),
    ("s", "scores"),
    ("l", "log"),
    ("PgUp", "older"),
    ("m", "mouse"),
    ("c", "colours"),
)
KEYS_HIDDEN: Final[Keys] = (
    ("h", "show your cards"),
    ("Enter", "do it"),
    ("Esc", "suggestion"),
    ("t", "chat"),
    ("l", "log"),
    ("q", "leave"),
)
KEYS_HIDDEN_WAIT: Final[Keys] = (
    ("h", "show your cards"),
    ("t", "chat"),
    ("s", "scores"),
    ("l", "log"),
    ("q", "leave"),
)
KEYS_WATCH: Final[Keys] = (
    ("t", "chat"),
    ("s", "scores"),
    ("l", "log"),
    ("PgUp", "older"),
    ("q", "leave"),
)
KEYS_CALL: Final[Keys] = (
    ("Enter", "no revolution"),
    ("r", "call"),
    ("Arrows", "choose"),
    ("t", "chat"),
    ("h", "hide"),
    ("q", "leave"),
    ("s", "scores"),
    ("l", "log"),
)
KEYS_NO_CALL: Final[Keys] = (
    ("Enter", "go on"),
    ("t", "chat"),
    ("h", "hide"),
    ("q", "leave"),
    ("s", "scores"),
    ("l", "log"),
)
KEYS_TAX: Final[Keys] = (
    ("Enter", "give"),
    ("9", "mark"),
    ("-", "unmark"),
    ("Arrows", "choose"),
    ("j", "Jester"),
    ("Esc", "suggestion"),
    ("t", "chat"),
    ("h", "hide"),
    ("q", "leave"),
    ("s", "scores"),
    ("l", "log"),
)
KEYS_DRAW: Final[Keys] = (("Enter", "go on"), ("Esc", "skip"), ("t", "chat"), ("q", "leave"))
KEYS_HOST: Final[Keys] = (
    ("Space", "deal"),
    ("b", "add bot"),
    ("k", "remove bot"),
    ("t", "chat"),
    ("s", "scores"),
    ("q", "leave"),
)
KEYS_ALONE: Final[Keys] = (
    ("Space", "next hand"),
    ("t", "chat"),
    ("s", "scores"),
    ("l", "log"),
    ("c", "colours"),
    ("q", "leave"),
)
KEYS_GUEST: Final[Keys] = (
    ("t", "chat"),
    ("s", "scores"),
    ("l", "log"),
    ("m", "mouse"),
    ("c", "colours"),
    ("q", "leave"),
)
KEYS_CHAT: Final[Keys] = (("Enter", "say it"), ("Esc", "back to the game"), ("/", "commands"))
KEYS_IN_HELP: Final[Keys] = (("Esc", "close"), ("?", "rules"), ("s", "scores"), ("l", "log"))
KEYS_IN_RULES: Final[Keys] = (("Esc", "close"), ("s", "scores"), ("l", "log"))
KEYS_IN_SCORES: Final[Keys] = (("Esc", "close"), ("l", "log"), ("?", "help"))
KEYS_IN_LOG: Final[Keys] = (
    ("PgUp PgDn", "scroll"),
    ("Esc", "close"),
    ("s", "scores"),
    ("?", "help"),
)
KEYS_LEAVING: Final[Keys] = (("y", "leave"), ("Esc", "stay"))
KEYS_LOST: Final[Keys] = (("q", "leave"), ("Ctrl-C", "quit"), ("c", "colours"))
KEYS_LOBBY: Final[Keys] = (
    ("Arrows", "choose"),
    ("Enter", "join"),
    ("w", "watch"),
    ("n", "new table"),
    ("q", "quit"),
)
KEYS_REPLAY: Final[Keys] = (
    ("Arrows", "move, trick"),
    ("Space", "run"),
    ("g", "go to"),
    ("1-9", "seat"),
    ("o", "open"),
    ("q", "quit"),
    ("n p", "hand"),
    ("+ -", "speed"),
)
KEYS_PLAYING: Final[Keys] = (("Space", "pause"),)
KEYS_GO_TO: Final[Keys] = (("Enter", "go to"), ("Esc", "stay"))
HELP_REPLAY: Final[Keys] = (
    ("Left Right", "a move back, a move on"),
    ("Up Down, [ ]", "to the trick before, to the next trick"),
    ("p n, { }", "to the hand before, to the next hand"),
    ("< >", "to the beginning of this hand, to its end"),
    ("g", "go to a move: 57; to a trick: t5; to a hand: h3"),
    ("Space", "play on by itself, or stop"),
    ("+ -", "faster, slower"),
    ("1 to 9, 0", "with the eyes of this seat: 1 is the highest, 0 the tenth"),
    ("o", "all cards open"),
    ("PgUp PgDn, l, s", "scroll the log, larger log, scores"),
    ("m, c", "mouse on or off, colours"),
    ("mouse", "click the bar, a key below, or a player among all cards"),
    ("q, Ctrl-C", "quit"),
)
KEYS_RESULT: Final[Keys] = (("r", "replay"),)
KEY_HELP: Final = ("?", "help")
KEYS_INSTEAD: Final[Keys] = (
    ("Enter", "pass"),
    ("Backspace", "forget typing"),
    ("a", "choose again"),
    ("Space", "new match"),
    ("Enter", "call"),
)
"""What keys of the tables do at times instead, or others in their places."""
PASS, FORGET, CHOOSE_AGAIN, NEW_MATCH, CALL = (what for _key, what in KEYS_INSTEAD)

KEYS_NO_TABLES: Final[Keys] = (("n", "new table"), ("l", "log"), ("c", "colours"), ("q", "quit"))

KEY_OF: Mapping[str, str] = {
    "Enter": "enter",
    "Space": "space",
    "Esc": "escape",
    "t": "t",
    "s": "s",
    "l": "l",
    "h": "h",
    "a": "a",
    "m": "m",
    "c": "c",
    "q": "q",
    "b": "b",
    "k": "k",
    "n": "n",
    "w": "w",
    "r": "r",
    "j": "j",
    "g": "g",
    "o": "o",
    "-": "-",
    "?": "?",
    "PgUp": "pageup",
    "Backspace": "backspace",
    "y": "y",
}
"""The key that a click on its name in the key bar presses."""

HELP_ALWAYS: Final[Keys] = (
    ("t or Tab", "chat (Esc back)"),
    ("/", "commands, Tab completes"),
    ("PgUp PgDn", "scroll the log"),
    ("l", "larger log"),
    ("h", "hide your cards"),
    ("s", "scores"),
    ("m", "mouse on or off"),
    ("c", "colours"),
    ("Ctrl-L", "draw again"),
    ("q", "leave"),
    ("Ctrl-C", "quit, seat kept"),
    ("Ctrl-Z", "stop; fg goes on"),
)
HELP_ALONE: Final[Keys] = tuple(
    (key, "quit" if key == "Ctrl-C" else what) for key, what in HELP_ALWAYS
)
"""The same in a game against bots alone, where no seat outlives the program."""
HELP_PASSING: Final[Keys] = (("Space or p", "pass"), ("a", "pass for this trick"))
"""What who leads cannot do."""
_HELP_WAIT: Final[Keys] = (
    ("Space", "deal (host)"),
    ("b", "add a house bot"),
    ("k", "remove a bot"),
)
HELP_KEYS: Mapping[str, Keys] = {
    "play": (
        ("Left Right", "choose a rank"),
        ("Up Down", "more or fewer"),
        ("Enter", "play what is in [ ]"),
        ("9", "all your 9s"),
        ("12", "type 1 then 2; 0 is 10"),
        ("3x9", "three 9s"),
        ("3x", "three of this rank"),
        ("j   J", "Jesters: one, or both"),
        ("3x9+1J", "two 9s and a Jester"),
        *HELP_PASSING,
        ("Backspace", "forget typing"),
    ),
    "taxes": (
        ("digits", "mark one more of a rank"),
        ("12", "type 1 then 2; 0 is 10"),
        ("j", "mark a Jester"),
        ("- Backspace", "take one back"),
        ("Left Right", "choose a rank"),
        ("Up Down", "mark, unmark"),
        ("Esc", "the suggestion again"),
        ("Enter", "give what is marked"),
    ),
    "revolution": (
        ("Enter", "no revolution"),
        ("r r", "call a revolution"),
        ("r Enter", "the same"),
        ("g", "choose a Greater one"),
        ("Esc", "not after all"),
    ),
    "draw": (("Enter", "the next step"), ("Esc", "to the end")),
    "room": _HELP_WAIT,
    "result": (*_HELP_WAIT, ("r", "see this hand again")),
    "lobby": (
        ("Up Down", "choose a table"),
        ("Enter", "sit down there"),
        ("w", "watch"),
        ("n", "open a new table"),
    ),
}


COMMANDS: Mapping[str, str] = {
    "/help": "keys and rules",
    "/who": "who sits and watches here",
    "/score": "the scores",
    "/rules": "the rules of this table",
    "/add": "/add [BOT]: seat a house bot",
    "/kick": "/kick NAME: free a seat",
    "/allow": "who was kicked may come back",
    "/host": "/host NAME: make somebody else the host",
    "/deal": "deal the next hand",
    "/away": "the stand-in plays for you",
    "/back": "play yourself again",
    "/leave": "leave the table",
    "/hide": "hide your cards; again shows them",
    "/pass": "pass until this trick ends; again stops it",
    "/theme": "/theme NAME: other colours",
    "/ascii": "draw with ASCII characters, or not",
    "/mouse": "mouse on or off",
    "/bell": "the bell on your turn, or none",
    "/title": "the window's title on your turn, or not",
    "/close": "close the table for everyone",
    "/create": "/create NAME [RULE=VALUE ...]: open a table",
    "/join": "/join NAME [password=...]: sit down",
    "/watch": "/watch NAME [password=...]: watch",
    "/lang": "/lang en, fr, nl or de: the language of all texts",
    "/quit": "quit the program",
}


def command_help(command: str) -> str:
    """What one command does, while it is typed."""
    what = tr_in("commands", COMMANDS[command])
    return what if what.startswith("/") else f"{command}: {what}"


def key_name(key: str) -> str:
    """A key, or what is to be typed, as people call it."""
    return tr_in("keyboard", key)


def key_does(what: str) -> str:
    """What a key does."""
    return tr_in("key", what)
