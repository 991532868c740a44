"""Every sentence that people read in the client: titles, ranks, moves, events, errors.

Pure, and in one place, so that another language is another file like this one. A name is used as
it stands, and "you" where it is you; sentences are whole, so that they can be read aloud.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dalmuti.core import events as ev
from dalmuti.core.cards import JESTER, Play, counts_of
from dalmuti.core.events import By, Exchange, PlayerInfo, Seen
from dalmuti.core.moves import Call, Decline, Give, Move, Pass
from dalmuti.core.options import CLASSIC_SEATS, TableOptions
from dalmuti.core.titles import Title, title_of
from dalmuti.core.views import TableView

TITLES = {
    Title.GREATER_DALMUTI: "Greater Dalmuti",
    Title.LESSER_DALMUTI: "Lesser Dalmuti",
    Title.MERCHANT: "Merchant",
    Title.LESSER_PEON: "Lesser Peon",
    Title.GREATER_PEON: "Greater Peon",
}
SHORT_TITLES = {
    Title.GREATER_DALMUTI: "G.Dalmuti",
    Title.LESSER_DALMUTI: "L.Dalmuti",
    Title.MERCHANT: "Merchant",
    Title.LESSER_PEON: "L.Peon",
    Title.GREATER_PEON: "G.Peon",
}
RANKS = (
    "",
    "Dalmuti",
    "Archbishop",
    "Earl Marshal",
    "Baroness",
    "Abbess",
    "Knight",
    "Seamstress",
    "Mason",
    "Cook",
    "Shepherdess",
    "Stonecutter",
    "Peasant",
    "Jester",
)
PLURALS = {
    4: "Baronesses",
    5: "Abbesses",
    7: "Seamstresses",
    10: "Shepherdesses",
    1: "Dalmutis",
}
ORDINALS = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
BY = {"player": "", "standin": " (stand-in)", "clock": " (time was up)"}
KINDS = {"human": "", "bot": " (bot)", "house": " (house bot)"}


# -- cards, moves, titles ---------------------------------------------------------------------


def title(value: Title) -> str:
    """A title in full."""
    return TITLES[value]


def short_title(value: Title) -> str:
    """A title in at most nine cells."""
    return SHORT_TITLES[value]


def rank(value: int) -> str:
    """The name of one card of a rank; 13 is the Jester."""
    return RANKS[value]


def ranks(value: int) -> str:
    """The name of several cards of a rank."""
    return PLURALS.get(value, RANKS[value] + "s")


def play(value: Play) -> str:
    """A set with the name of its rank: `3x9+1J Cooks`."""
    return f"{value} {rank(value.rank) if value.count == 1 else ranks(value.rank)}"


def move(value: Move) -> str:
    """A move as a choice that is offered to a person."""
    match value:
        case Play():
            return str(value)
        case Pass():
            return "pass"
        case Give(cards=given):
            return f"give back {cards(given)}"
        case Call(greater=True):
            return "show both Jesters and call a Greater Revolution"
        case Call():
            return "show both Jesters and call a revolution"
        case Decline():
            return "call no revolution"


def cards(values: Sequence[int]) -> str:
    """A few cards one by one: `9, 12 and Jester`."""
    return listed("Jester" if value == JESTER else str(value) for value in values)


def hand(values: Sequence[int]) -> str:
    """All the cards of a hand: `20 cards: 1x1, 2x3, 4x12, 1xJ`."""
    groups = [
        f"{n}x{'J' if value == JESTER else value}" for value, n in enumerate(counts_of(values)) if n
    ]
    return f"{count(len(values))}: {', '.join(groups)}" if groups else "no cards"


def count(number: int) -> str:
    """A number of cards."""
    return "1 card" if number == 1 else f"{number} cards"


def ordinal(number: int) -> str:
    """First, second and so on, up to the ten places of a table."""
    return ORDINALS[number] if number < len(ORDINALS) else f"{number}th"


def listed(words: Iterable[str]) -> str:
    """Words in a row: `Ada, Bea and Cas`."""
    *most, last = [*words] or [""]
    return f"{', '.join(most)} and {last}" if most else last


# -- who --------------------------------------------------------------------------------------


def info_of(view: TableView, player: int) -> PlayerInfo | None:
    """Who sits here under this number."""
    return next((info for info in view.players if info.player == player), None)


def name(view: TableView, player: int) -> str:
    """A player's name, whoever is looking."""
    info = info_of(view, player)
    return info.name if info else f"player {player}"


def who(view: TableView, player: int) -> str:
    """A player as the viewer calls him: his name, or `you`."""
    return "you" if player == view.you else name(view, player)


def seat_title(view: TableView, player: int) -> Title | None:
    """The title of a player in this hand, or in the next one; None for one who waits."""
    order = view.hand.order if view.hand else view.order
    return title_of(order.index(player), len(order)) if player in order else None


class _Speaker:
    """Makes sentences about one viewer's table: knows names, `you`, and the verb that fits."""

    def __init__(self, view: TableView) -> None:
        self.view = view

    def seat(self, seat: int) -> int:
        """The player in a seat of the hand."""
        assert self.view.hand is not None
        return self.view.hand.order[seat]

    def who(self, player: int) -> str:
        return who(self.view, player)

    def does(self, player: int, verb: str, yours: str = "") -> str:
        """Subject and verb: `Ada plays`, `You play`; `yours` where the verb is irregular."""
        if player != self.view.you:
            return f"{self.who(player)} {verb}"
        if not yours:
            yours = verb.removesuffix("s") if not verb.endswith("sses") else verb.removesuffix("es")
        return f"You {yours}"

    def whose(self, player: int) -> str:
        return "yours" if player == self.view.you else f"{self.who(player)}'s"


# -- events -----------------------------------------------------------------------------------


def sentence(event: Seen, before: TableView, after: TableView) -> str | None:
    """What happened, as a person at the table would say it; None for what nobody would mention.

    `before` and `after` are the table without and with the event. Silent are: the preparation of
    a deal and its reveal (what the client found is said instead), whose turn it is, and the
    order of seats, which the next hand announces.
    """
    say = _Speaker(before)
    match event:
        case ev.HandPrepared() | ev.DealRevealed() | ev.Turn() | ev.TitlesChanged():
            return None
        case ev.RevolutionClosed():
            return "Nobody calls a revolution."
        case ev.RevolutionOpened():
            return "Whoever was dealt both Jesters may call a revolution now."
        case ev.RevolutionCalled(seat=seat, greater=greater):
            who_calls = say.does(
                say.seat(seat), "shows both Jesters and calls", "show both Jesters and call"
            )
            if greater:
                return f"{who_calls} a Greater Revolution: all titles turn round, and no taxes."
            return f"{who_calls} a revolution: no taxes in this hand."
        case ev.Played(seat=seat, play=played, left=left, by=by):
            assert before.hand is not None
            verb = "plays" if before.hand.trick.top else "leads"
            few = f", {left} left" if 0 < left <= 3 else ""
            return f"{say.does(say.seat(seat), verb)} {play(played)}{few}{BY[by]}."
        case ev.Passed(seat=seat, by=by):
            return _passed(say, seat, by)
        case ev.WentOut(seat=seat, place=place):
            assert before.hand is not None
            player = say.seat(seat)
            if place == len(before.hand.order):
                return f"{say.does(player, 'is', 'are')} the last with cards."
            return f"{say.does(player, 'is', 'are')} out, {ordinal(place)}!"
        case ev.TrickEnded(owner=owner, leader=leader):
            lead = say.does(say.seat(leader), "leads")
            out = ""
            if owner != leader:
                out = ", who is out" if say.seat(owner) != before.you else ", and you are out"
            return f"The trick is {say.whose(say.seat(owner))}{out}; {_lower(lead)}."
        case ev.TaxesDue(dues=dues):
            owed = (
                f"{say.does(say.seat(due.payer), 'owes')} {say.who(say.seat(due.receiver))}"
                f" {count(due.count)}"
                for due in dues
            )
            return f"Taxes: {', '.join(map(_lower, owed))}."
        case ev.TaxesPaid(exchanges=exchanges):
            return " ".join(_paid(say, exchange) for exchange in exchanges)
        case ev.TitlesDrawn():
            return _drawn(_Speaker(after), event)
        case ev.HandStarted(hand=number, order=order):
            if before.you not in order:
                return f"Hand {number} begins. {_watching(before)}"
            own = title(title_of(order.index(before.you), len(order)))
            return f"Hand {number} begins. You are {own}."
        case ev.Dealt(sizes=sizes, cards=own_cards):
            if own_cards is not None:
                return f"You are dealt {hand(own_cards)}."
            return f"The cards are dealt: {max(sizes)} to the first."
        case ev.HandEnded(hand=number):
            return f"Hand {number} is over."
        case ev.HandAbandoned(hand=number):
            return f"Hand {number} is given up and scores nothing."
        case ev.Scored(scores=scores):
            return _scored(say, before.options, scores)
        case ev.MatchEnded(winners=winners):
            verb = "win" if len(winners) > 1 or winners == (before.you,) else "wins"
            subject = _upper(listed(say.who(player) for player in winners))
            return f"The match is over. {subject} {verb}." if winners else "The match is over."
        case ev.MatchRestarted():
            return "A new match begins."
        case _:
            return _table_sentence(event, before, after)


def _table_sentence(event: Seen, before: TableView, after: TableView) -> str | None:
    """About the table itself: who comes, goes, watches and talks."""
    say = _Speaker(after)
    match event:
        case ev.PlayerJoined(who=info):
            waits = " and will play from the next hand on" if before.state == "hand" else ""
            verb = say.does(info.player, f"{KINDS[info.kind]} sits down".strip(), "sit down")
            return f"{verb}{waits}."
        case ev.PlayerLeft(player=player, reason=reason):
            return {
                "left": f"{say.does(player, 'leaves')} the table.",
                "kicked": f"{say.does(player, 'is', 'are')} sent away by the host.",
                "lost": f"{say.does(player, 'is', 'are')} gone for good; the seat is free.",
                "closed": f"{say.does(player, 'gets up', 'get up')}: the table is closed.",
            }[reason]
        case ev.PresenceChanged(player=player, presence=presence, ms=ms):
            soon = f"; the stand-in plays in {ms // 1000} s" if ms else ""
            return {
                "here": f"{say.does(player, 'is', 'are')} back.",
                "lost": f"{say.does(player, 'has', 'have')} lost the connection{soon}.",
                "away": f"{say.does(player, 'is', 'are')} away; the stand-in plays.",
                "standin": f"The stand-in plays for {say.who(player)} now.",
                "left": f"{say.does(player, 'has', 'have')} left;"
                " the stand-in plays to the end of the hand.",
            }[presence]
        case ev.HostChanged(player=player):
            return f"{say.does(player, 'is', 'are')} the host now."
        case ev.WatchersChanged(names=names):
            come = [each for each in names if each not in before.watchers]
            gone = [each for each in before.watchers if each not in names]
            parts = [f"{listed(come)} {'watch' if come[1:] else 'watches'}."] if come else []
            parts += [f"{listed(gone)} no longer {'watch' if gone[1:] else 'watches'}."] * bool(
                gone
            )
            return " ".join(parts) or None
        case ev.Chatted(name=speaker, text=text):
            return f"{speaker} says: {text}"
        case ev.TableClosed(reason=reason):
            return {
                "host": "The host has closed the table.",
                "empty": "The table is closed: nobody is left.",
                "shutdown": "The table is closed: the server stops.",
                "error": "The table is closed: something went wrong in the server.",
                "admin": "The table was closed by whoever runs the server.",
            }[reason]
        case ev.TableOpened(table=table, options=options):
            return f"Table {table} is open, {rules(options)}."
        case _:
            return None


def _passed(say: _Speaker, seat: int, by: By) -> str:
    return f"{say.does(say.seat(seat), 'passes', 'pass')}{BY[by]}."


def _paid(say: _Speaker, exchange: Exchange) -> str:
    payer, receiver = say.seat(exchange.payer), say.seat(exchange.receiver)
    if exchange.paid is None or exchange.returned is None:
        return (
            f"{say.does(payer, 'pays', 'pay')} {say.who(receiver)} {count(exchange.count)}"
            " and gets as many back."
        )
    paid, returned = cards(exchange.paid), cards(exchange.returned)
    if payer == say.view.you:
        return f"You pay {say.who(receiver)} {paid} and get back {returned}."
    return f"{say.who(payer)} pays you {paid} and gets back {returned}."


def _drawn(say: _Speaker, event: ev.TitlesDrawn) -> str:
    """The first titles with every redraw, which most tables have and wonder about (F2)."""
    parts = []
    for number, each in enumerate(event.rounds):
        drawn = ", ".join(
            f"{say.who(draw.player)} {'Jester' if draw.card == JESTER else draw.card}"
            for draw in each.draws
        )
        if number:
            tied = listed(say.who(draw.player) for draw in each.draws)
            parts.append(f"{_upper(tied)} tie and draw again: {drawn}.")
        else:
            parts.append(f"Everyone draws a card: {drawn}.")
    ranking = ", ".join(say.who(player) for player in event.order)
    return " ".join([*parts, f"The order is {ranking}."])


def _watching(view: TableView) -> str:
    return "You are watching." if view.you is None else "You play from the next hand on."


def _scored(say: _Speaker, options: TableOptions, scores: Sequence[ev.Score]) -> str | None:
    if options.scoring == "points":
        return f"Points: {', '.join(f'{say.who(s.player)} {s.points}' for s in scores)}."
    won = [f"{say.who(s.player)} {s.hands_won}" for s in scores if s.hands_won]
    return f"Hands won: {', '.join(won)}." if won else None


def places(event: ev.HandEnded, view: TableView) -> list[str]:
    """One line per place of a hand that ended: `1. Ada, Greater Dalmuti`."""
    seats = len(event.places)
    return [
        f"{place}. {name(view, line.player)}, {title(title_of(place - 1, seats))}"
        + (" (stand-in)" if line.standin else "")
        for place, line in enumerate(event.places, start=1)
    ]


def verified(number: int, problems: Sequence[str]) -> str:
    """What the check of a revealed deal found; no problems where all is as committed."""
    if not problems:
        return f"Hand {number}: deal verified."
    return (
        f"WARNING: the deal of hand {number} is NOT what the server was bound to:"
        f" {'; '.join(problems)}. Somebody has cheated, or the server is broken."
    )


# -- rules ------------------------------------------------------------------------------------

RULES = {
    ("first_titles", "random"): "first titles at random",
    ("first_titles", "order_of_arrival"): "first titles by arrival",
    ("first_hand_taxes", "off"): "no taxes in the first hand",
    ("revolution", "automatic"): "revolutions happen by themselves",
    ("revolution", "off"): "no revolutions",
    ("greater_revolution", "choice"): "the Greater Peon chooses which revolution",
    ("greater_revolution", "off"): "no Greater Revolution",
    ("passing", "locked"): "who passes is out of the trick",
    ("scoring", "points"): "points",
    ("spectators", "refused"): "no spectators",
    ("bots_may_join", "no"): "no bots from outside",
}


def option(option_name: str, value: str | int) -> str:
    """A table option in words; only what differs from the default needs any."""
    if option_name == "seats":
        outside = "" if value in CLASSIC_SEATS else ", outside the classic 4 to 8"
        return f"{value} seats{outside}"
    if option_name == "turn_seconds":
        return f"{value} s a turn" if int(value) else "no clock"
    kind, _, number = str(value).partition(":")
    if option_name == "match_end" and number:
        return (
            f"match of {number} {'hand' if number == '1' else kind}"
            if kind == "hands"
            else (f"match to {number} points")
        )
    return RULES.get((option_name, str(value)), f"{option_name}={value}")


def rules(options: TableOptions) -> str:
    """The seats and house rules of a table in one phrase."""
    changed = [option(each, value) for each, value in options.changed().items()]
    return ", ".join([option("seats", options.seats), *(changed or ["classic rules"])])


HOW_TO_PLAY = (
    "The lower the number, the better the card: 1 Dalmuti is best, 12 Peasant is worst, and there"
    " are as many cards of a rank as its number says, and two Jesters.",
    "The leader plays any number of cards of one rank. Whoever follows plays the same number of"
    " cards of a lower rank, or passes; passing does not keep you from playing later in the trick.",
    "When everyone else has passed, the last who played leads the next trick.",
    "A Jester counts as any rank beside a natural card; alone it is a 13.",
    "Who is rid of all cards first is Greater Dalmuti in the next hand; the last is Greater Peon.",
    "Before play the Greater Peon gives his two best cards to the Greater Dalmuti, who gives any"
    " two back; with 4 players or more the Lesser Peon and the Lesser Dalmuti do so with one.",
    "Who is dealt both Jesters may call a revolution: then there are no taxes. If it is the"
    " Greater Peon, all titles turn round as well.",
)


# -- errors -----------------------------------------------------------------------------------

ERRORS = {
    "no_such_table": "There is no such table here; it may have been closed.",
    "table_exists": "There is a table of that name already; choose another name.",
    "too_many_tables": "The server has as many tables as it takes; join one of them.",
    "name_taken": "Somebody here has that name already; choose another with --name.",
    "wrong_password": "The password is wrong; give the right one with --password.",
    "table_full": "The table is full; you can watch it.",
    "bots_refused": "Bots may not sit down at this table.",
    "spectators_refused": "Nobody may watch this table.",
    "solo_table": "This table is for one person and house bots; you can watch it.",
    "already_seated": "You sit at a table already; leave it first.",
    "bad_token": "Your seat is not held any more.",
    "draining": "The server is about to stop and opens no new tables.",
    "not_seated": "You sit at no table.",
    "not_host": "Only the host may do that.",
    "no_such_player": "Nobody of that name sits here.",
    "hand_running": "That has to wait for the end of this hand.",
    "too_few_players": "A hand needs two players at least; the host can add a house bot.",
    "no_decision": "There is nothing for you to decide now.",
    "stale_decision": "Too late: the game has gone on.",
    "not_your_turn": "It is not your turn.",
    "must_lead": "You lead this trick and cannot pass; play any set.",
    "rate_limited": "That was too much at once; wait a moment and try again.",
}


def error(code: str, message: str) -> str:
    """Why the server refused something. Where it knows more than the code says, it speaks."""
    return ERRORS.get(code) or _whole(message or "the server refused")


BYES = {
    "bad_frame": "The server found nonsense in what we sent and hung up.",
    "wrong_password": "The server wants a password; give it with --password.",
    "hello_timeout": "The server waited too long for our first message and hung up.",
    "idle": "The server heard nothing from us for too long and hung up.",
    "slow_consumer": "We read too slowly, and the server hung up.",
    "replaced": "Your seat was taken over by a newer connection of yours.",
    "too_many_connections": "The server has as many connections as it takes; try again later.",
    "shutdown": "The server has stopped.",
}


def bye(reason: str, message: str) -> str:
    """Why the server ended the connection."""
    return BYES.get(reason) or _whole(message or f"the server hung up: {reason}")


def unseated(reason: str) -> str:
    """Why we sit at no table any more."""
    return {
        "left": "You have left the table.",
        "kicked": "The host has sent you away from the table.",
        "lost": "Your seat was given up, since you were gone for too long.",
        "closed": "The table is closed.",
        "replaced": BYES["replaced"],
    }.get(reason, "You sit at no table any more.")


def draining(ms: int) -> str:
    """The server will stop."""
    return f"The server stops in {max(1, ms // 1000)} s; this hand goes on until then."


def unreachable(address: str, problem: OSError) -> str:
    """No connection can be made. What went wrong may be behind a general error of all attempts."""
    causes = [problem, problem.__cause__]
    if isinstance(problem.__cause__, BaseExceptionGroup):
        causes += problem.__cause__.exceptions
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return f"Nobody answers at {address}: is the server running, and the port right?"
    text = next((cause.strerror for cause in causes if isinstance(cause, OSError)), None)
    return f"Cannot connect to {address}: {text or problem}."


def which_table(tables: Sequence[str]) -> str:
    """There is not exactly one table to join."""
    if not tables:
        return "There is no table here yet; open one with `dalmuti host`."
    return f"There are {len(tables)} tables here: {listed(tables)}. Choose one with --table."


def reconnecting(why: str, seconds: float) -> str:
    """The connection is gone and will be tried again."""
    return f"{why} Trying again in {max(1, round(seconds))} s."


def renamed(name: str) -> str:
    """The name that was wanted is somebody else's here."""
    return f"That name is taken here; you are {name}."


def reconnected() -> str:
    """The connection is back, and the seat with it."""
    return "Connected again."


def _whole(text: str) -> str:
    """Somebody else's words as a whole sentence."""
    return text[:1].upper() + text[1:].rstrip(".") + "."


def _upper(text: str) -> str:
    """The text as the beginning of a sentence; a name stays as it is written."""
    return "Y" + text[1:] if text.startswith(("you ", "you,")) or text == "you" else text


def _lower(text: str) -> str:
    return "y" + text[1:] if text.startswith("You ") else text
