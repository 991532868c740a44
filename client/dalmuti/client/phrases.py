"""What plain and line mode say when asked: the table, the hand, the score, who sits, the lobby.

The companion of `words`, with the same promise: pure, whole sentences, one thing a line.
"""

from __future__ import annotations

from dalmuti.client import words
from dalmuti.client.i18n import LANGUAGES, mark, tr, tr_in, tr_n
from dalmuti.client.model import Model
from dalmuti.core.events import PlayerInfo, Presence
from dalmuti.core.moves import Move, Pass
from dalmuti.core.titles import title_of
from dalmuti.core.views import HandView, TableView
from dalmuti.protocol.messages import Decision, Lobby, TableInfo

HELP = (
    mark(
        "When it is your turn: the number of a choice, or the play itself, such as 3x9 or 2xJ; a"
        " rank alone, such as 9, where no choice has that number; pass; or an empty line for the"
        " default."
    ),
    mark("3x9 is three cards of rank 9. 3x9+1J is three cards too, and one of them is a Jester."),
    mark(
        "On 3x9 you may play 3x8, or 3x7+1J with a Jester, but not 2x8 (too few), 3x9 (no better),"
        " 3x10 (worse) or 2xJ (Jesters alone are 13s)."
    ),
    mark(
        "hand, table, score, who, time, log: what you hold, what is on the table, the scores, who"
        " sits here, what is left of the clock, what was said last."
    ),
    mark("say TEXT: chat. rules: how to play, and the rules of this table."),
    mark(
        "hide, show: say nothing of your cards while somebody looks on or listens; say it again."
        " autopass: pass by itself until the trick is over. bell: on your turn, or none. advice:"
        " what the expert bot would do, in a game that was begun with --advice."
    ),
    mark("away, back: let the stand-in play for you, and take your seat back."),
    mark(
        "For the host: deal, add [BOT], kick NAME, allow (who was kicked may come"
        " back), host NAME to hand over the role, close."
    ),
    mark("In the lobby: tables, join NAME, watch NAME, open NAME."),
    mark(
        "leave: get up from the table for good. quit: go, and find your seat again with dalmuti"
        " join."
    ),
)
"""A translation says the words of its own language, which `talk` knows; the English ones do too."""

WHAT_TO_TYPE = mark("Type help to hear what you can type, or rules to hear how to play.")

HIDES = mark("What only you may see is not said any more; show says it again.")
HIDDEN_HAND = mark("Your cards are hidden; show says what you hold.")
HIDDEN_LINE = mark("(Hidden: what only you may see.)")
HIDDEN_REASON = mark("That cannot be done now; show says what you hold, and why not.")
LESSON_HIDDEN = mark("The lesson is silent while your cards are hidden; show says them again.")
BELL_ON = mark("The bell rings when it is your turn.")
BELL_OFF = mark("No bell any more.")
NO_LOG = mark("Nothing has happened yet.")


def help_lines() -> tuple[str, ...]:
    """What can be typed."""
    known = ", ".join(LANGUAGES)
    return (*map(tr, HELP), tr("lang {languages}: another language.", languages=known))


def presence(value: Presence) -> str:
    """Why a player is not simply here; empty for one who is."""
    return {
        "here": "",
        "lost": tr("connection lost"),
        "away": tr("away"),
        "standin": tr("played by the stand-in"),
        "left": tr("has left"),
    }[value]


def question(view: TableView, decision: Decision) -> str:
    """What is to be decided, with the default and the own cards."""
    hand = view.hand
    default = words.move(decision.default)
    text = _question(view, decision, default, only_pass=len(decision.choices) == 1)
    if decision.kind != "revolution" and len(decision.choices) > 1 and hand and hand.cards:
        return f"{text} {tr('You hold {hand}.', hand=words.hand(hand.cards))}"
    return text  # there is nothing to choose from the hand


def hidden_question(view: TableView, decision: Decision) -> str:
    """What is to be decided, without a word that depends on the own cards."""
    text = _question(view, decision, tr("the default"), only_pass=False)
    return f"{text} {tr('Your cards are hidden; show says them.')}"


def _question(view: TableView, decision: Decision, default: str, *, only_pass: bool) -> str:
    hand = view.hand
    top = hand.trick.top if hand else None
    match decision.kind:
        case "lead":
            return tr("Your turn: lead any set (an empty line: {default}).", default=default)
        case "follow" if hand is not None and top is not None and hand.trick.owner is not None:
            owner = words.name(view, hand.order[hand.trick.owner])
            if only_pass:
                return tr(
                    "Your turn: you can only pass on {owner}'s {play} (an empty line: {default}).",
                    owner=owner,
                    play=words.play(top),
                    default=default,
                )
            return tr(
                "Your turn: beat {owner}'s {play}, or pass (an empty line: {default}).",
                owner=owner,
                play=words.play(top),
                default=default,
            )
        case "follow":
            return tr(
                "Your turn: play a better set, or pass (an empty line: {default}).",
                default=default,
            )
        case "tax":
            return _tax(view, hand, default)
        case "revolution":
            return tr(
                "Your turn: a revolution? Only who was dealt both Jesters may call one (an empty"
                " line: {default}).",
                default=default,
            )


def _tax(view: TableView, hand: HandView | None, default: str) -> str:
    due = next((due for due in hand.dues if due.receiver == hand.seat), None) if hand else None
    if hand is None or due is None:
        return tr("Your turn: give cards back (an empty line: {default}).", default=default)
    return tr_n(
        "Your turn: give {number} card back to {payer}, who pays you the best card; you choose"
        " before you see what comes (an empty line: {default}).",
        "Your turn: give {number} cards back to {payer}, who pays you the {number} best cards; you"
        " choose before you see what comes (an empty line: {default}).",
        due.count,
        payer=words.name(view, hand.order[due.payer]),
        default=default,
    )


def choices(decision: Decision) -> list[str]:
    """One line per choice, numbered from 1, and `0. pass` where passing is legal."""
    lines = [f"{number}. {words.move(move)}" for number, move in numbered(decision)]
    return [*lines, f"0. {words.move(Pass())}"] if Pass() in decision.choices else lines


def numbered(decision: Decision) -> list[tuple[int, Move]]:
    """The choices but passing, with their numbers."""
    return list(enumerate((c for c in decision.choices if not isinstance(c, Pass)), start=1))


def hand_line(view: TableView | None) -> str:
    """The own cards."""
    if view is None or view.hand is None:
        return tr("No hand is being played.")
    if view.hand.cards is None:
        return tr("You hold no cards: you are not in this hand.")
    return tr("You hold {hand}.", hand=words.hand(view.hand.cards))


def table_lines(view: TableView | None) -> list[str]:
    """What everybody at the table can see, one player a line, in the order of the seats."""
    if view is None:
        return [tr("You are at no table.")]
    if view.hand is None:
        order = [words.name(view, player) for player in view.order]
        line = tr(
            "Table {table}: {rules}. No hand is being played.",
            table=view.table,
            rules=words.rules(view.options),
        )
        if order:
            seats = tr("Next to sit down, from the top: {names}.", names=words.listed(order))
            line = f"{line} {seats}"
        return [line]
    hand = view.hand
    lines = [
        tr(
            "Table {table}, hand {hand}, trick {trick}.",
            table=view.table,
            hand=hand.number,
            trick=hand.tricks + 1,
        )
    ]
    for seat, player in enumerate(hand.order):
        title = words.title(title_of(seat, len(hand.order)))
        who = words.first_upper(words.who(view, player))
        lines.append(tr("{who}, {title}: {about}.", who=who, title=title, about=_seat(hand, seat)))
    top, owner = hand.trick.top, hand.trick.owner
    if top is not None and owner is not None:
        by = words.who(view, hand.order[owner])
        if isinstance(by, words.You):
            lines.append(tr("On the table: {play} by you.", play=words.play(top)))
        else:
            lines.append(tr("On the table: {play} by {who}.", play=words.play(top), who=by))
    else:
        lines.append(tr("Nothing is on the table."))
    return lines


def _seat(hand: HandView, seat: int) -> str:
    if seat in hand.finished:
        return tr("out, {place}", place=words.ordinal(hand.finished.index(seat) + 1))
    parts = [words.count(hand.sizes[seat])] if hand.sizes else []
    act = next((act for act in reversed(hand.trick.acts) if act.seat == seat), None)
    if act is not None:
        parts.append(tr("passed") if act.play is None else tr("played {play}", play=act.play))
    if hand.turn is not None and seat in hand.turn.seats:
        parts.append(tr("to move"))
    return ", ".join(parts)


def score_lines(view: TableView | None) -> list[str]:
    """The last result, and the scores of the match."""
    if view is None:
        return [tr("You are at no table.")]
    lines = []
    if view.result is not None:
        lines.append(tr("Hand {hand}:", hand=view.result.hand))
        lines += words.places(view.result, view)
    points = view.options.scoring == "points"
    for score in view.scores:
        earned = tr_n("{number} hand won", "{number} hands won", score.hands_won)
        if points:
            earned = tr("{points} points, {won}", points=score.points, won=earned)
        who = words.name(view, score.player)
        lines.append(tr("{who}: {about}.", who=who, about=earned))
    return lines or [tr("No hand has been finished yet.")]


def who_lines(view: TableView | None) -> list[str]:
    """Everybody at the table, with what sets them apart."""
    if view is None:
        return [tr("You are at no table.")]
    lines = [_who(view, info) for info in view.players]
    if view.watchers:
        lines.append(tr("Watching: {names}.", names=words.listed(view.watchers)))
    return lines


def _who(view: TableView, info: PlayerInfo) -> str:
    parts: list[str] = [words.you()] if info.player == view.you else []
    parts += [tr("host")] if info.player == view.host else []
    parts += [words.kind(info.kind)] if info.kind != "human" else []
    title = words.seat_title(view, info.player)
    if title is None:
        parts.append(tr("waits for the next hand"))
    elif view.hand is not None or view.hands_played or view.draw is not None:
        parts.append(words.title(title))
    parts += [presence(info.presence)] if info.presence != "here" else []
    if not parts:
        return f"{info.name}."
    return tr("{who}: {about}.", who=info.name, about=", ".join(parts))


def time_line(model: Model, now: float) -> str:
    """What is left of the clock of the turn."""
    if model.ends_at is None:
        return tr("No clock is running.")
    seconds = max(0, round(model.ends_at - now))
    return tr_n("{number} s are left.", "{number} s are left.", seconds)


def rule_lines(view: TableView | None) -> list[str]:
    """How to play, and what was agreed on here."""
    if view is None:
        return [*words.how_to_play(None)]
    here = tr("At this table: {rules}.", rules=words.rules(view.options))
    return [*words.how_to_play(view.options), here]


def seated_lines(view: TableView) -> list[str]:
    """Where we are, when we come to a table or back to it."""
    names = [words.who(view, info.player) for info in view.players if info.presence != "left"]
    where = {"table": view.table, "rules": words.rules(view.options)}
    seated = words.listed(names) or tr("nobody yet")
    lines = [
        tr("You watch table {table}: {rules}. At the table: {names}.", **where, names=seated)
        if view.you is None
        else tr("You sit at table {table}: {rules}. At the table: {names}.", **where, names=seated)
    ]
    if view.state != "hand" and view.host not in (None, view.you):
        lines.append(tr("{who} is the host and deals the hands.", who=words.name(view, view.host)))
    if not view.fair:
        lines.append(tr("This table plays known deals, so it is not a fair one."))
    return lines + (table_lines(view) if view.hand is not None else [])


def lobby_lines(lobby: Lobby | None) -> list[str]:
    """The tables of a server."""
    if lobby is None or not lobby.tables:
        return [tr("There is no table here yet; open NAME opens one.")]
    return [
        *(_table(info) for info in lobby.tables),
        tr("join NAME sits down at a table, watch NAME watches it, open NAME opens another."),
    ]


def _table(info: TableInfo) -> str:
    state = {
        "waiting": tr_in("table", "waiting"),
        "hand": tr("playing hand {hand}", hand=info.hand),
        "between": tr("after hand {hand}", hand=info.hand),
        "over": tr("match over"),
    }[info.state]
    taken = tr_n(
        "{taken} of {number} seat taken",
        "{taken} of {number} seats taken",
        info.options.seats,
        taken=info.people + info.bots,
    )
    parts = [taken, state]
    parts += [tr("password needed")] if info.locked else []
    parts += [tr("for one person and bots")] if info.solo else []
    parts += [tr("a rated match between bots")] if info.rated else []
    parts += [tr("known deals")] if not info.fair else []
    about = ", ".join(parts)
    changed = [words.option(name, value) for name, value in info.options.changed().items()]
    if changed:
        about = tr("{about}; house rules: {rules}", about=about, rules=", ".join(changed))
    return tr("Table {table}: {about}.", table=info.table, about=about)
