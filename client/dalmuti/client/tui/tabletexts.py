"""The words of the full screen between hands: waiting room, lobby, results, boxes, requests.

The companion of `labels`, which has those of a hand and of every screen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalmuti.client import words
from dalmuti.client.tui import labels
from dalmuti.client.tui.keytexts import COMMANDS
from dalmuti.core.options import TableOptions
from dalmuti.protocol.messages import TableInfo

# -- the waiting room and the lobby ------------------------------------------------------------

RULES, JOIN_TITLE = "Rules", "Others join with"
HOUSE_RULES, HOW_TO_PLAY = "rules", "How it is played"
FREE_SEAT, HOST, THE_HOST = "(free)", "host", "the host"
KINDS: Mapping[str, str] = {"human": "person", "bot": "bot", "house": "house bot"}
YOU = "you"
WAITING_ROOM, BETWEEN_HANDS = "waiting for players", "between hands"
NOT_FAIR = "The deals are known beforehand (a fixed seed)."
NEED_TWO = "A hand needs two players or more; the host can add house bots."
NEED_TWO_HOST = "A hand needs two players: wait for others, or press b for a house bot."
YOU_DEAL = "You are the host: Space deals the next hand."
YOU_DEAL_FIRST = "You are the host: Space deals the first hand, b adds a house bot."
YOU_GO_ON = "Space deals the next hand."
YOU_DEAL_NEW = "You are the host: Space begins a new match."
LAST_HAND = "That was the last hand. The table closes by itself; Space closes it at once."
DEALS_ITSELF = "The next hand is dealt by itself; Space deals it at once."
LOBBY, PEOPLE, TABLE, SEATED, STATE = "lobby", "In the lobby", "table", "seats", "state"
CONNECTING = "Connecting..."
NO_TABLES = "There is no table yet. Open one: press n, type a name, Enter."
NEW_TABLE_HELP = "n opens a table: type its name, and rules if you like: passing=locked"


def seats_title(taken: int, seats: int) -> str:
    """Above the seats."""
    return f"Seats {taken} of {seats}"


def rules_of(options: TableOptions) -> list[str]:
    """The rules of a table, one phrase a line."""
    lines = [words.option("seats", options.seats)]
    changed = options.changed()
    lines += [words.option(name, value) for name, value in changed.items()] or ["classic rules"]
    if "turn_seconds" not in changed:
        lines.append(words.option("turn_seconds", options.turn_seconds))
    return lines


def watchers(names: str) -> str:
    """Who watches."""
    return f"watching: {names}"


def host_deals(name: str) -> str:
    """Whom everyone waits for."""
    return f"Waiting for {name} to deal."


def host_begins(name: str) -> str:
    """Whom everyone waits for when the match is over."""
    return f"Waiting for {name} to begin a new match."


def tables_title(number: int) -> str:
    """Above the list of tables."""
    return f"Tables ({number})"


def you_are_called(name: str) -> str:
    """The own name, as the server knows it."""
    return f"you are {name}"


def table_state(info: TableInfo) -> str:
    """What a table does."""
    if info.state == "hand":
        return labels.hand_number(info.hand)
    return {"waiting": "waiting", "between": "between", "over": "match over"}[info.state]


def table_rules(info: TableInfo) -> str:
    """The rules of a table in a word or two."""
    kind = "house" if info.options.changed() else "classic"
    marks = [kind]
    if info.locked:
        marks.append("password")
    if info.solo:
        marks.append("solo")
    if info.rated:
        marks.append("rated")
    return ", ".join(marks)


def table_note(info: TableInfo) -> str:
    """What can be done at a table."""
    if info.solo:
        return "One person against house bots: w watches."
    if info.rated:
        return "A rated match between bots: w watches."
    if info.people + info.bots >= info.options.seats:
        return "All seats are taken: w watches."
    lock = " It asks for a password." if info.locked else ""
    return f"Enter sits down, w watches.{lock}"


# -- results -----------------------------------------------------------------------------------

RESULT, MATCH_RESULT = "result", "The match is over"
PLACE, WAS, NOW, POINTS, TOTAL, HANDS_WON = "place", "was", "now", "points", "total", "hands won"
BY_STANDIN = "(stand-in)"
VERIFIED = "Deal verified: these cards are what the server was bound to before the deal."
VERIFIED_KNOWN = "Deal verified, but not fair: with a fixed seed it is known beforehand."
NOT_VERIFIED = "The deal is not verified yet."
WRONG_DEAL = "WARNING: THE DEAL IS NOT WHAT THE SERVER WAS BOUND TO. DO NOT TRUST IT."
NO_SCORES = "No hand has been finished yet."


def hand_result(number: int) -> str:
    """Above the result."""
    return f"Hand {number} is over"


def hands_so_far(number: int) -> str:
    """How long the match is."""
    return "1 hand played" if number == 1 else f"{number} hands played"


def score_title(number: int) -> str:
    """Above the scores."""
    return f"{labels.SCORE} after {'1 hand' if number == 1 else f'{number} hands'}"


def moved(places: int) -> str:
    """How a player did in a hand; positive is up."""
    if places == 0:
        return "You keep your place."
    direction = "up" if places > 0 else "down"
    return f"You go {direction} {'1 place' if abs(places) == 1 else f'{abs(places)} places'}."


def joins_next(names: str) -> str:
    """Who comes in."""
    return f"In the next hand: {names}."


def match_won(names: str, you: bool, number: int) -> str:
    """Who won the match."""
    if you:
        return "You win the match!"
    return f"{names} {'win' if number > 1 else 'wins'} the match."


def match_ends(options: TableOptions) -> str:
    """When the match is over."""
    if options.match_end == "open":
        return "The match goes on for as long as you like."
    return f"A {words.option('match_end', options.match_end)}."


# -- overlays ----------------------------------------------------------------------------------

LOST_TITLE, LOST_FOOT = "Connection lost", "Ctrl-C quits"
SEAT_IS_KEPT = "Your seat is kept. While you are away the stand-in may play for you."
LEAVE_TITLE = "Leave?"
LEAVE_PROGRAM = "Quit Dalmuti?"
LEAVE_TABLE = "Leave the table? Your seat becomes free."
LEAVE_WATCHING = "Stop watching?"
LEAVE_ALONE = "End this game? The bots go home, and the hand counts for nothing."
LEAVE_HAND = "Leave in the middle of a hand? The stand-in plays it to the end."
YES_LEAVE, NO_STAY = "leave", "stay"
HELP_TITLE, HELP_HERE, HELP_ANYWHERE = "Help", "HERE", "ANY TIME"


def retry(seconds: int | None) -> str:
    """When the next attempt is."""
    if seconds is None:
        return "Trying to connect..."
    return "Trying again now..." if seconds == 0 else f"Trying again in {seconds} s."


def titles_go(best: str, worst: str) -> str:
    """The order of the titles."""
    return f"Players are listed in the order of turns, from {best} to {worst}."


# -- requests and commands ---------------------------------------------------------------------

NOT_HOST = "Only the host can do that."
NOT_IN_HAND = "That has to wait for the end of this hand."
NO_BOT_HERE = "There is no bot to remove."
NO_BOTS_KNOWN = "This server has no house bots."
TABLE_IS_FULL = "All seats are taken."
NEED_TABLE = "Join a table first."
MOUSE_ON = "The mouse works here; Shift and drag selects text."
MOUSE_OFF = "The mouse is left to your terminal; m gives it back."
UNKNOWN_KEY = "That key does nothing here; ? shows the keys."


def theme_is(name: str) -> str:
    """After changing the colours."""
    return f"Colours: {name}."


def unknown_command(name: str) -> str:
    """There is no such command."""
    return f"There is no command {name}; / shows them all."


def needs_name(command: str) -> str:
    """A command lacks its name."""
    return f"{command} needs a name: {COMMANDS[command]}."


def nobody_called(name: str) -> str:
    """A name that nobody here has."""
    return f"Nobody here is called {name}."


def who_is_here(sitting: Sequence[str], watching: Sequence[str]) -> str:
    """Who sits and watches."""
    seen = f" Watching: {words.listed(watching)}." if watching else ""
    return f"At the table: {words.listed(sitting)}.{seen}"
