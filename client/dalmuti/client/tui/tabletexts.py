"""The words of the full screen between hands: waiting room, lobby, results, boxes, requests.

The companion of `labels`, which has those of a hand and of every screen.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalmuti.client import words
from dalmuti.client.i18n import mark, mark_in, tr, tr_in, tr_n
from dalmuti.client.tui import labels
from dalmuti.client.tui.keytexts import COMMANDS
from dalmuti.core.options import TableOptions
from dalmuti.protocol.messages import TableInfo

# -- the waiting room and the lobby ------------------------------------------------------------

RULES, JOIN_TITLE = mark("Rules"), mark("Others join with")
HOUSE_RULES, HOW_TO_PLAY = mark_in("heading", "rules"), mark("How it is played")
FREE_SEAT, HOST, THE_HOST = mark("(free)"), mark("host"), mark("the host")
WAITING_ROOM, BETWEEN_HANDS = mark("waiting for players"), mark("between hands")
NOT_FAIR = mark("The deals are known beforehand (a fixed seed).")
NEED_TWO = mark("A hand needs two players or more; the host can add house bots.")
NEED_TWO_HOST = mark("A hand needs two players: wait for others, or press b for a house bot.")
YOU_DEAL = mark("You are the host: Space deals the next hand.")
YOU_DEAL_FIRST = mark("You are the host: Space deals the first hand, b adds a house bot.")
YOU_GO_ON = mark("Space deals the next hand.")
YOU_DEAL_NEW = mark("You are the host: Space begins a new match.")
LAST_HAND = mark("That was the last hand. The table closes by itself; Space closes it at once.")
DEALS_ITSELF = mark("The next hand is dealt by itself; Space deals it at once.")
LOBBY, PEOPLE = mark("lobby"), mark("In the lobby")
TABLE, SEATED = mark_in("heading", "table"), mark_in("heading", "seats")
STATE = mark_in("heading", "state")
CONNECTING = mark("Connecting...")
NO_TABLES = mark("There is no table yet. Open one: press n, type a name, Enter.")
NEW_TABLE_HELP = mark("n opens a table: type its name, and rules if you like: passing=locked")


def seats_title(taken: int, seats: int) -> str:
    """Above the seats."""
    return tr("Seats {taken} of {seats}", taken=taken, seats=seats)


def rules_of(options: TableOptions) -> list[str]:
    """The rules of a table, one phrase a line."""
    lines = [words.option("seats", options.seats)]
    changed = options.changed()
    lines += [words.option(name, value) for name, value in changed.items()] or [tr("classic rules")]
    if "turn_seconds" not in changed:
        lines.append(words.option("turn_seconds", options.turn_seconds))
    return lines


def watchers(names: str) -> str:
    """Who watches."""
    return tr("watching: {names}", names=names)


def host_deals(name: str) -> str:
    """Whom everyone waits for."""
    return tr("Waiting for {name} to deal.", name=name)


def host_begins(name: str) -> str:
    """Whom everyone waits for when the match is over."""
    return tr("Waiting for {name} to begin a new match.", name=name)


def tables_title(number: int) -> str:
    """Above the list of tables."""
    return tr("Tables ({number})", number=number)


def you_are_called(name: str) -> str:
    """The own name, as the server knows it."""
    return tr("you are {name}", name=name)


def table_state(info: TableInfo) -> str:
    """What a table does."""
    if info.state == "hand":
        return labels.hand_number(info.hand)
    return {
        "waiting": tr_in("table", "waiting"),
        "between": tr_in("table", "between"),
        "over": tr("match over"),
    }[info.state]


def table_rules(info: TableInfo) -> str:
    """The rules of a table in a word or two."""
    marks = [tr_in("rules", "house") if info.options.changed() else tr_in("rules", "classic")]
    if info.locked:
        marks.append(tr("password"))
    if info.solo:
        marks.append(tr("solo"))
    if info.rated:
        marks.append(tr("rated"))
    return ", ".join(marks)


def has_seat(info: TableInfo) -> bool:
    """Whether one more person can sit down at a table."""
    return not (info.solo or info.rated) and info.people + info.bots < info.options.seats


def table_note(info: TableInfo) -> str:
    """What can be done at a table."""
    if info.solo:
        return tr("One person against house bots: w watches.")
    if info.rated:
        return tr("A rated match between bots: w watches.")
    if not has_seat(info):
        return tr("All seats are taken: w watches.")
    if info.locked:
        return tr("Enter sits down, w watches. It asks for a password.")
    return tr("Enter sits down, w watches.")


# -- results -----------------------------------------------------------------------------------

RESULT, MATCH_RESULT = mark("result"), mark("The match is over")
WAS, NOW = mark_in("heading", "was"), mark_in("heading", "now")
POINTS, TOTAL = mark_in("heading", "points"), mark_in("heading", "total")
HANDS_WON = mark_in("heading", "hands won")
BY_STANDIN = mark("(stand-in)")
VERIFIED = mark("Deal verified: these cards are what the server was bound to before the deal.")
VERIFIED_KNOWN = mark("Deal verified, but not fair: with a fixed seed it is known beforehand.")
NOT_VERIFIED = mark("The deal is not verified yet.")
WRONG_DEAL = mark("WARNING: THE DEAL IS NOT WHAT THE SERVER WAS BOUND TO. DO NOT TRUST IT.")
NO_SCORES = mark("No hand has been finished yet.")


def hand_result(number: int) -> str:
    """Above the result."""
    return tr("Hand {hand} is over", hand=number)


def hands_so_far(number: int) -> str:
    """How long the match is."""
    return tr_n("{number} hand played", "{number} hands played", number)


def score_title(number: int) -> str:
    """Above the scores."""
    return tr_n("Score after {number} hand", "Score after {number} hands", number)


def joins_next(names: str) -> str:
    """Who comes in."""
    return tr("In the next hand: {names}.", names=names)


def match_won(names: str, you: bool, number: int) -> str:
    """Who won the match."""
    if you:
        return tr("You win the match!")
    return words.first_upper(
        tr_n("{names} wins the match.", "{names} win the match.", number, names=names)
    )


def match_ends(options: TableOptions) -> str:
    """When the match is over."""
    if options.match_end == "open":
        return tr("The match goes on for as long as you like.")
    kind, _, number = options.match_end.partition(":")
    if kind == "points":
        return tr("A match to {points} points.", points=number)
    return tr_n("A match of {number} hand.", "A match of {number} hands.", int(number))


# -- overlays ----------------------------------------------------------------------------------

LOST_TITLE, LOST_FOOT = mark("Connection lost"), mark("Ctrl-C quits")
LEAVE_TITLE = mark("Leave?")
LEAVE_PROGRAM = mark("Quit Dalmuti?")
LEAVE_TABLE = mark("Leave the table? Your seat becomes free.")
LEAVE_WATCHING = mark("Stop watching?")
LEAVE_ALONE = mark("End this game? The bots go home, and the hand counts for nothing.")
LEAVE_HAND = mark("Leave in the middle of a hand? The stand-in plays it to the end.")
YES_LEAVE, NO_STAY = mark_in("key", "leave"), mark_in("key", "stay")
HELP_TITLE, HELP_HERE, HELP_ANYWHERE = mark("Help"), mark("HERE"), mark("ANY TIME")


def retry(seconds: int | None) -> str:
    """When the next attempt is."""
    if seconds is None:
        return tr("Trying to connect...")
    if seconds == 0:
        return tr("Trying again now...")
    return tr("Trying again in {seconds} s.", seconds=seconds)


def titles_go(best: str, worst: str) -> str:
    """The order of the titles."""
    return tr(
        "Players are listed in the order of turns, from {best} to {worst}.", best=best, worst=worst
    )


# -- requests and commands ---------------------------------------------------------------------

NOT_HOST = mark("Only the host can do that.")
NOT_IN_HAND = mark("That has to wait for the end of this hand.")
NO_BOT_HERE = mark("There is no bot to remove.")
NO_BOTS_KNOWN = mark("This server has no house bots.")
TABLE_IS_FULL = mark("All seats are taken.")
NEED_TABLE = mark("Join a table first.")
MOUSE_ON = mark("The mouse works here; Shift and drag selects text.")
MOUSE_OFF = mark("The mouse is left to your terminal; m gives it back.")
UNKNOWN_KEY = mark("That key does nothing here; ? shows the keys.")


def theme_is(name: str) -> str:
    """After changing the colours."""
    return tr("Colours: {name}.", name=name)


def unknown_command(name: str) -> str:
    """There is no such command."""
    return tr("There is no command {name}; / shows them all.", name=name)


def needs_name(command: str) -> str:
    """A command lacks its name."""
    return tr(
        "{command} needs a name: {what}.",
        command=command,
        what=tr_in("commands", COMMANDS[command]),
    )


def nobody_called(name: str) -> str:
    """A name that nobody here has."""
    return tr("Nobody here is called {name}.", name=name)


def who_is_here(sitting: Sequence[str], watching: Sequence[str]) -> str:
    """Who sits and watches."""
    here = tr("At the table: {names}.", names=words.listed(sitting))
    if not watching:
        return here
    return f"{here} {tr('Watching: {names}.', names=words.listed(watching))}"
