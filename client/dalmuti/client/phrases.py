"""What plain and line mode say when asked: the table, the hand, the score, who sits, the lobby.

The companion of `words`, with the same promise: pure, whole sentences, one thing a line.
"""

from __future__ import annotations

from dalmuti.client import words
from dalmuti.client.i18n import mark, tr
from dalmuti.client.model import Model
from dalmuti.core.events import PlayerInfo
from dalmuti.core.moves import Move, Pass
from dalmuti.core.titles import title_of
from dalmuti.core.views import HandView, TableView
from dalmuti.protocol.messages import Decision, Lobby, TableInfo

HELP = (
    "When it is your turn: the number of a choice, or the play itself, such as 3x9 or 2xJ; a rank"
    " alone, such as 9, where no choice has that number; pass; or an empty line for the default.",
    "3x9 is three cards of rank 9. 3x9+1J is three cards too, and one of them is a Jester.",
    "hand, table, score, who, time, log: what you hold, what is on the table, the scores, who sits"
    " here, what is left of the clock, what was said last.",
    "say TEXT: chat. rules: how to play, and the rules of this table.",
    mark(
        "hide, show: say nothing of your cards while somebody looks on or listens; say it again."
        " autopass: pass by itself until the trick is over. bell: on your turn, or none. advice:"
        " what the expert bot would do, in a game that was begun with --advice."
    ),
    "away, back: let the stand-in play for you, and take your seat back.",
    "For the host: deal, add [BOT], kick NAME, allow (who was kicked may come"
    " back), host NAME to hand over the role, close.",
    "In the lobby: tables, join NAME, watch NAME, open NAME.",
    "leave: get up from the table for good. quit: go, and find your seat again with dalmuti join.",
)

WHAT_TO_TYPE = "Type help to hear what you can type, or rules to hear how to play."

HIDES = mark("What only you may see is not said any more; show says it again.")
HIDDEN_HAND = mark("Your cards are hidden; show says what you hold.")
HIDDEN_LINE = mark("(Hidden: what only you may see.)")
HIDDEN_REASON = mark("That cannot be done now; show says what you hold, and why not.")
LESSON_HIDDEN = mark("The lesson is silent while your cards are hidden; show says them again.")
BELL_ON = mark("The bell rings when it is your turn.")
BELL_OFF = mark("No bell any more.")
NO_LOG = "Nothing has happened yet."

PRESENCE = {
    "here": "",
    "lost": "connection lost",
    "away": "away",
    "standin": "played by the stand-in",
    "left": "has left",
}


def question(view: TableView, decision: Decision) -> str:
    """What is to be decided, with the default and the own cards."""
    hand = view.hand
    held = ""
    if decision.kind != "revolution" and len(decision.choices) > 1 and hand and hand.cards:
        held = f" You hold {words.hand(hand.cards)}."  # else there is nothing to choose from it
    what = _asked(view, decision, len(decision.choices) == 1)
    return f"Your turn: {what} (an empty line: {words.move(decision.default)}).{held}"


def hidden_question(view: TableView, decision: Decision) -> str:
    """What is to be decided, without a word that depends on the own cards."""
    return tr(
        "Your turn: {what}. Your cards are hidden; show says them.",
        what=_asked(view, decision, False),
    )


def _asked(view: TableView, decision: Decision, only_pass: bool) -> str:
    hand = view.hand
    top = hand.trick.top if hand else None
    match decision.kind:
        case "lead":
            return "lead any set"
        case "follow" if hand is not None and top is not None and hand.trick.owner is not None:
            owner = words.name(view, hand.order[hand.trick.owner])
            if only_pass:
                return f"you can only pass on {owner}'s {words.play(top)}"
            return f"beat {owner}'s {words.play(top)}, or pass"
        case "follow":
            return "play a better set, or pass"
        case "tax":
            return _tax(view, hand)
        case "revolution":
            return "a revolution? Only who was dealt both Jesters may call one"


def _tax(view: TableView, hand: HandView | None) -> str:
    due = next((due for due in hand.dues if due.receiver == hand.seat), None) if hand else None
    if hand is None or due is None:
        return "give cards back"
    payer = words.name(view, hand.order[due.payer])
    best = "best card" if due.count == 1 else f"{due.count} best cards"
    return (
        f"give {words.count(due.count)} back to {payer}, who pays you the {best};"
        " you choose before you see what comes"
    )


def choices(decision: Decision) -> list[str]:
    """One line per choice, numbered from 1, and `0. pass` where passing is legal."""
    lines = [f"{number}. {words.move(move)}" for number, move in numbered(decision)]
    return [*lines, "0. pass"] if Pass() in decision.choices else lines


def numbered(decision: Decision) -> list[tuple[int, Move]]:
    """The choices but passing, with their numbers."""
    return list(enumerate((c for c in decision.choices if not isinstance(c, Pass)), start=1))


def hand_line(view: TableView | None) -> str:
    """The own cards."""
    if view is None or view.hand is None:
        return "No hand is being played."
    if view.hand.cards is None:
        return "You hold no cards: you are not in this hand."
    return f"You hold {words.hand(view.hand.cards)}."


def table_lines(view: TableView | None) -> list[str]:
    """What everybody at the table can see, one player a line, in the order of the seats."""
    if view is None:
        return ["You are at no table."]
    if view.hand is None:
        order = [words.name(view, player) for player in view.order]
        seats = f" Next to sit down, from the top: {words.listed(order)}." if order else ""
        return [f"Table {view.table}: {words.rules(view.options)}. No hand is being played.{seats}"]
    hand = view.hand
    lines = [f"Table {view.table}, hand {hand.number}, trick {hand.tricks + 1}."]
    for seat, player in enumerate(hand.order):
        title = words.title(title_of(seat, len(hand.order)))
        who = "You" if player == view.you else words.name(view, player)
        lines.append(f"{who}, {title}: {_seat(hand, seat)}.")
    top, owner = hand.trick.top, hand.trick.owner
    if top is not None and owner is not None:
        owner_name = words.who(view, hand.order[owner])
        lines.append(f"On the table: {words.play(top)} by {owner_name}.")
    else:
        lines.append("Nothing is on the table.")
    return lines


def _seat(hand: HandView, seat: int) -> str:
    if seat in hand.finished:
        return f"out, {words.ordinal(hand.finished.index(seat) + 1)}"
    parts = [words.count(hand.sizes[seat])] if hand.sizes else []
    act = next((act for act in reversed(hand.trick.acts) if act.seat == seat), None)
    if act is not None:
        parts.append("passed" if act.play is None else f"played {act.play}")
    if hand.turn is not None and seat in hand.turn.seats:
        parts.append("to move")
    return ", ".join(parts)


def score_lines(view: TableView | None) -> list[str]:
    """The last result, and the scores of the match."""
    if view is None:
        return ["You are at no table."]
    lines = []
    if view.result is not None:
        lines.append(f"Hand {view.result.hand}:")
        lines += words.places(view.result, view)
    points = view.options.scoring == "points"
    for score in view.scores:
        won = "1 hand won" if score.hands_won == 1 else f"{score.hands_won} hands won"
        earned = f"{score.points} points, {won}" if points else won
        lines.append(f"{words.name(view, score.player)}: {earned}.")
    return lines or ["No hand has been finished yet."]


def who_lines(view: TableView | None) -> list[str]:
    """Everybody at the table, with what sets them apart."""
    if view is None:
        return ["You are at no table."]
    lines = [_who(view, info) for info in view.players]
    if view.watchers:
        lines.append(f"Watching: {words.listed(view.watchers)}.")
    return lines


def _who(view: TableView, info: PlayerInfo) -> str:
    parts = ["you"] if info.player == view.you else []
    parts += ["host"] if info.player == view.host else []
    parts += [words.KINDS[info.kind].strip(" ()")] if info.kind != "human" else []
    title = words.seat_title(view, info.player)
    if title is None:
        parts.append("waits for the next hand")
    elif view.hand is not None or view.hands_played or view.draw is not None:
        parts.append(words.title(title))
    parts += [PRESENCE[info.presence]] if info.presence != "here" else []
    return f"{info.name}: {', '.join(parts)}." if parts else f"{info.name}."


def time_line(model: Model, now: float) -> str:
    """What is left of the clock of the turn."""
    if model.ends_at is None:
        return "No clock is running."
    return f"{max(0, round(model.ends_at - now))} s are left."


def rule_lines(view: TableView | None) -> list[str]:
    """How to play, and what was agreed on here."""
    here = [f"At this table: {words.rules(view.options)}."] if view is not None else []
    return [*words.how_to_play(view.options if view else None), *here]


def seated_lines(view: TableView) -> list[str]:
    """Where we are, when we come to a table or back to it."""
    names = [words.who(view, info.player) for info in view.players if info.presence != "left"]
    lines = [
        f"You {'watch' if view.you is None else 'sit at'} table {view.table}:"
        f" {words.rules(view.options)}. At the table: {words.listed(names) or 'nobody yet'}."
    ]
    if view.state != "hand" and view.host not in (None, view.you):
        lines.append(f"{words.name(view, view.host)} is the host and deals the hands.")
    if not view.fair:
        lines.append("This table plays known deals, so it is not a fair one.")
    return lines + (table_lines(view) if view.hand is not None else [])


def lobby_lines(lobby: Lobby | None) -> list[str]:
    """The tables of a server."""
    if lobby is None or not lobby.tables:
        return ["There is no table here yet; open NAME opens one."]
    return [
        *(f"Table {_table(info)}." for info in lobby.tables),
        "join NAME sits down at a table, watch NAME watches it, open NAME opens another.",
    ]


def _table(info: TableInfo) -> str:
    state = {
        "waiting": "waiting",
        "hand": f"playing hand {info.hand}",
        "between": f"after hand {info.hand}",
        "over": "match over",
    }[info.state]
    parts = [f"{info.people + info.bots} of {info.options.seats} seats taken", state]
    parts += ["password needed"] if info.locked else []
    parts += ["for one person and bots"] if info.solo else []
    parts += ["a rated match between bots"] if info.rated else []
    parts += ["known deals"] if not info.fair else []
    changed = [words.option(name, value) for name, value in info.options.changed().items()]
    rules = f"; house rules: {', '.join(changed)}" if changed else ""
    return f"{info.table}: {', '.join(parts)}{rules}"
