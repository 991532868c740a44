"""The words of the full screen: headings, key bars, help, and short sentences in the panes.

Beside `client.words`, which has the sentences that every client says: this is what only a screen
has, but for the time between hands, which is in `tabletexts`. A constant goes through `tr` where it
is drawn, and so is in the language of that moment. Widths are tight: a key bar has 80 cells, a note
beside a player 15.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalmuti.client import words
from dalmuti.client.i18n import mark, mark_in, tr, tr_in, tr_n
from dalmuti.client.words import You
from dalmuti.core.cards import JESTER, Play
from dalmuti.core.moves import Call, Decline

# -- everywhere --------------------------------------------------------------------------------

CHAT_LINE = mark("t or Tab to talk, / for commands")
COMMAND_LINE = mark("/ for commands")
CHAT_PROMPT = "chat> "
LOG = mark("Log")
CHAT = mark("Chat")
PLAYERS = mark("Players")
WAITING = mark("Waiting")
PASS = mark_in("choice", "Pass")
PASSES = mark_in("note", "pass")
ESC_CLOSES = mark("Esc closes this")
LOG_FOOT = mark("PgUp PgDn scroll, Esc closes this")
TOO_FAST = mark("That key came with the turn and did nothing; press it again.")
SCORE = mark("Score")


def too_small(cols: int, rows: int, need_cols: int, need_rows: int) -> list[str]:
    """What a terminal shows that is too small."""
    return [
        tr("This window is too small."),
        tr(
            "Dalmuti needs {need_cols} x {need_rows}, here are {cols} x {rows}.",
            need_cols=need_cols,
            need_rows=need_rows,
            cols=cols,
            rows=rows,
        ),
        tr("Make it larger, or start with --plain."),
    ]


def clock(seconds: int) -> str:
    """The time that is left: 0:38 left."""
    time = f"{seconds // 60}:{seconds % 60:02}"
    return tr("{time} left", time=time)


def first_capital(text: str) -> str:
    """A heading."""
    return text[:1].upper() + text[1:]


def presence(value: str, seconds: int | None) -> str:
    """A word about a player who is not simply here; empty for one who is."""
    if value == "lost":
        if seconds is None:
            return tr_in("note", "lost")
        return tr_in("note", "lost {seconds}s", seconds=seconds)
    return {
        "away": tr_in("note", "away"),
        "standin": tr_in("note", "stand-in"),
        "left": tr_in("note", "left"),
    }.get(value, "")


def players(number: int) -> str:
    """How many play."""
    return tr_n("{number} player", "{number} players", number)


def hand_number(number: int) -> str:
    """Which hand."""
    return tr("hand {hand}", hand=number)


def trick_number(number: int) -> str:
    """Which trick."""
    return tr("trick {trick}", trick=number)


def waits(name: str) -> str:
    """Somebody who sits at the table, not in the hand."""
    if isinstance(name, You):
        return tr("you play from the next hand on")
    return tr("{name} plays from the next hand on", name=name)


def a_bot(name: str) -> str:
    """A bot in the list of players."""
    return tr("{name} ({kind})", name=name, kind=tr("bot"))


def passes(number: int) -> str:
    """Several passes in a row."""
    return tr_n("{number} passes", "{number} pass", number)


def out(place: int) -> str:
    """Beside a player who has no cards left."""
    return tr("out, {place}", place=words.ordinal(place))


# -- decisions ---------------------------------------------------------------------------------

YOUR_TURN = mark("YOUR TURN")
MUST_LEAD = mark("You lead: play any set, you cannot pass.")
NUMBER_FIRST = mark("Type how many first: 3x9 is three 9s, 3x three of the chosen rank.")
NO_MORE = mark("That is as many as you can play of this rank.")
NO_FEWER = mark("That is as few as you can play of this rank.")
NO_JESTER = mark("No Jester can be added or taken away here.")
NO_CALL = mark("Only who was dealt both Jesters can call a revolution.")
CALL_AGAIN = mark("Press r once more, or Enter, to call a revolution. Esc for not.")
ENTER_DECLINES = mark("Press Enter to go on without a revolution.")
ENTER_GIVES = mark("Enter gives what is marked; digits mark, - takes one back.")
SIZES, SIZES_AND_JESTERS = mark("Up/Down"), mark("Up/Down, j")


def no_such_play(typed_text: str) -> str:
    """Enter on something that is no legal play."""
    return tr("{typed} is no play that you can make now.", typed=typed_text)


def typed_no_play(typed_text: str) -> str:
    """While what was typed is no legal play, or not yet."""
    return tr("typed {typed}: no such play yet; Backspace forgets it", typed=typed_text)


def not_because(typed_text: str, reason: str) -> str:
    """While what was typed is a set that cannot be played."""
    return tr("typed {typed}: {reason}", typed=typed_text, reason=reason)


def typed(typed_text: str) -> str:
    """What was typed so far."""
    return f"   {tr('typed {typed}', typed=typed_text)}"


def enter_plays(play: Play | None) -> str:
    """What Enter does now."""
    if play is None:
        return tr("Enter passes")
    return tr("Enter plays {play}", play=words.play(play))


ONLY_PASS = mark("Enter passes; you hold nothing that beats it.")
LOCKED_OUT = mark("You have passed, and who passes here is out of the trick.")
STANDIN_PLAYS = mark("The stand-in plays for you; /back takes your seat back.")


def sent(what: str) -> str:
    """The answer is on its way."""
    return tr("{what}: sent", what=what)


def waits_for(name: str) -> str:
    """Whose turn it is."""
    if isinstance(name, You):
        return tr("It is your turn.")
    return tr("It is {name}'s turn.", name=name)


WHY_WAITING: Mapping[str, str] = {
    "lost": mark("The connection is lost; the stand-in plays when the time is up."),
    "standin": mark("The stand-in plays."),
    "away": mark("Away: the stand-in plays."),
    "left": mark("Has left: the stand-in plays to the end of the hand."),
}


def mark_more(missing: int, due: int) -> str:
    """The marks are not complete."""
    if missing <= 0:
        return tr_n(
            "Exactly {number} card must be marked.", "Exactly {number} cards must be marked.", due
        )
    return tr_n(
        "Mark {number} card more, then Enter gives.",
        "Mark {number} cards more, then Enter gives.",
        missing,
    )


def no_more_of(rank: int) -> str:
    """Nothing of this rank is left to be marked."""
    if rank == JESTER:
        return tr("You have no more Jester to mark.")
    return tr("You have no more {rank} to mark.", rank=rank)


def not_marked(rank: int) -> str:
    """There is no mark to take back."""
    if rank == JESTER:
        return tr("No Jester is marked.")
    return tr("No {rank} is marked.", rank=rank)


# -- the hand ----------------------------------------------------------------------------------

GRID_RANK, GRID_HAVE = mark_in("grid", "rank"), mark_in("grid", "have")
GRID_GIVE = mark_in("grid", "give")
TO_BEAT, THIS_TRICK, LAST_TRICK = mark("To beat"), mark("This trick"), mark("Last trick")
WATCHING_TITLE = mark("Watching")
WATCHING_HAND = mark("You are watching: everybody's cards are hidden from you.")
YOU_LEAD = mark("Your turn: you lead")
OUT_TITLE = mark("You are out")


def your_hand(number: int) -> str:
    """Above the hand."""
    return tr_n("Your hand: {number} card", "Your hand: {number} cards", number)


def your_hand_give(number: int, due: int) -> str:
    """Above the hand of one who gives cards back."""
    return tr_n(
        "Your hand: {number} card, give {due} back",
        "Your hand: {number} cards, give {due} back",
        number,
        due=due,
    )


def beat(play: str) -> str:
    """Above the choice of one who follows."""
    return tr("Your turn: beat {play}, or pass", play=play)


def by(name: str) -> str:
    """Whose set it is."""
    return tr("by you") if isinstance(name, You) else tr("by {name}", name=name)


def beaten_by(play: Play) -> str:
    """What beats a set."""
    if play.rank == 1:
        return tr("nothing beats it")
    ranks = {2: tr("rank 1"), 3: tr("rank 1 or 2")}.get(
        play.rank, tr("rank 1 to {last}", last=play.rank - 1)
    )
    return tr_n(
        "{number} card of {ranks} beats it",
        "{number} cards of {ranks} beat it",
        play.count,
        ranks=ranks,
    )


def with_jesters(number: int) -> str:
    """A set whose count includes Jesters."""
    return tr(", with a Jester") if number == 1 else tr(", with both Jesters")


def leads(name: str, deciding: bool) -> str:
    """A trick begins; `deciding` where it is for us to choose with what."""
    if deciding:
        return tr("You lead: any number of cards of one rank.")
    return tr("You lead.") if isinstance(name, You) else tr("{name} leads.", name=name)


def you_are_out(place: int, title: str) -> str:
    """What one waits for who has no cards left."""
    return tr(
        "You are out, {place}: {title} in the next hand. The others play on.",
        place=words.ordinal(place),
        title=title,
    )


def revolution_called(name: str, greater: bool) -> str:
    """A revolution, while it is new."""
    if isinstance(name, You):
        if greater:
            return tr("You called a Greater Revolution: all titles turned round, no taxes.")
        return tr("You called a revolution: no taxes in this hand.")
    if greater:
        return tr(
            "{name} called a Greater Revolution: all titles turned round, no taxes.", name=name
        )
    return tr("{name} called a revolution: no taxes in this hand.", name=name)


def you_paid(name: str, paid: str, returned: str) -> str:
    """The tax as the payer knows it."""
    return tr(
        "Taxes: you paid {name} {paid} and got {returned} back.",
        name=name,
        paid=paid,
        returned=returned,
    )


def you_got(name: str, paid: str, returned: str) -> str:
    """The tax as the receiver knows it."""
    return tr(
        "Taxes: {name} paid you {paid} and got {returned} back.",
        name=name,
        paid=paid,
        returned=returned,
    )


# -- before play -------------------------------------------------------------------------------

REVOLUTION, TAXES = mark("revolution"), mark("taxes")
REVOLUTION_TITLE, TAXES_TITLE = mark("Revolution"), mark("Taxes")
REVOLUTION_IS = (
    mark("Whoever was dealt both Jesters may call a revolution: no taxes this hand."),
    mark("Everyone is asked, and nobody hears who could have called and did not."),
)
CALL_TITLE = mark("Your decision: a revolution?")
GO_ON = mark("No revolution")
NO_REVOLUTION, CALL, CALL_GREATER = (
    mark("No revolution"),
    mark("Call a revolution"),
    mark("Greater Revolution"),
)
NO_BOTH_JESTERS = mark("You were not dealt both Jesters, so you cannot call. Enter goes on.")
WINDOW_OPEN = mark("The players are being asked.")
WINDOW_ANSWERED = mark("You call nothing. The others are being asked.")


def calling(choice: Call | Decline) -> str:
    """What a choice in the revolution window means."""
    if isinstance(choice, Decline):
        return tr("Enter goes on without a revolution; nobody hears of it.")
    if choice.greater:
        return tr("You show both Jesters: no taxes, and all titles turn round; you lead.")
    return tr("You show both Jesters: no taxes in this hand. All titles stay.")


GIVE_TITLE = mark("Your decision: what you give back")
GIVING = mark("Giving")
NOTHING_MARKED = mark("Nothing is marked yet.")
SUGGESTED = mark("(suggested: your worst)")
TAX_HELP = mark("Digits mark one more of a rank, - takes one back, Enter gives.")
MERCHANTS_FREE = mark("Merchants pay nothing and get nothing.")
TAXES_SEALED = mark("Choices are sealed: all cards move at once when everyone has chosen.")


def pays(number: int, short: bool) -> str:
    """Beside a Peon."""
    if short:
        return tr_in("note", "pays {number}", number=number)
    if number == 1:
        return tr_in("note", "pays best card")
    return tr_in("note", "pays {number} best", number=number)


def gives_back(number: int, short: bool) -> str:
    """Beside a Dalmuti."""
    if short:
        return tr_in("note", "gives {number}", number=number)
    return tr_in("note", "gives {number} back", number=number)


def _owes(payer: str, receiver: str, number: int) -> str:
    if isinstance(payer, You):
        return tr_n(
            "you pay {receiver} the best card",
            "you pay {receiver} the {number} best cards",
            number,
            receiver=receiver,
        )
    if isinstance(receiver, You):
        return tr_n(
            "{payer} pays you the best card",
            "{payer} pays you the {number} best cards",
            number,
            payer=payer,
        )
    return tr_n(
        "{payer} pays {receiver} the best card",
        "{payer} pays {receiver} the {number} best cards",
        number,
        payer=payer,
        receiver=receiver,
    )


def all_owed(owed: Sequence[tuple[str, str, int]]) -> str:
    """All taxes that are due as one sentence: who pays whom how many cards."""
    text = "; ".join(_owes(*each) for each in owed) + "."
    yours = owed and isinstance(owed[0][0], You)
    return text[:1].upper() + text[1:] if yours else text


def paid_to_you(payer: str, number: int) -> str:
    """For one who chooses what to give back."""
    return tr_n(
        "{payer} pays you the best card. Give any one card back before you see it.",
        "{payer} pays you the {number} best cards. Give any {number} cards back before you see"
        " them.",
        number,
        payer=payer,
    )


def you_will_pay(cards: str, number: int) -> str:
    """For one who pays: which cards go is no choice."""
    return tr_n(
        "Your best card is {cards}.", "Your {number} best cards are {cards}.", number, cards=cards
    )


def choosing(names: Sequence[str]) -> str:
    """Who has to choose."""
    return tr_n(
        "{names} is choosing what to give back.",
        "{names} are choosing what to give back.",
        len(names),
        names=words.listed(names),
    )


def you_give(cards: str) -> str:
    """What we have chosen."""
    return tr("You give back {cards}.", cards=cards)


def sealed_until(names: Sequence[str]) -> str:
    """What we wait for after choosing."""
    if not names:
        return tr("The cards are moving.")
    return tr_n(
        "It moves when {names} has chosen too.",
        "It moves when {names} have chosen too.",
        len(names),
        names=words.listed(names),
    )


# -- the first draw ----------------------------------------------------------------------------

FIRST_TITLES = mark("first titles")
DRAW_TITLE = mark("The first titles: everyone draws a card, the lowest is Greater Dalmuti")
NAME, TITLE = mark_in("heading", "name"), mark_in("heading", "title")
KIND = mark_in("heading", "kind")
TIE_MARK = mark_in("note", "tie")
EVERYONE_DRAWS = mark("Everyone has drawn a card.")
NO_TIES = mark("No two cards are alike here.")
DRAW_DONE = mark("The order is settled.")
TITLES_GIVEN = mark("The titles are given without a draw.")


def draw_round(number: int) -> str:
    """The heading of a round of drawing."""
    return tr_in("heading", "draw {number}", number=number + 1)


def draw_step(number: int, done: bool) -> str:
    """Which step is shown."""
    return tr("The titles") if done else tr("Draw {number}", number=number)


def tie(names: str, card: int) -> str:
    """Some drew the same card and draw again for their places."""
    same = words.rank(card) if card == JESTER else card
    return words.first_upper(tr("{names} tie with {card} and draw again.", names=names, card=same))


def redraw(names: str) -> str:
    """Who draws again."""
    return words.first_upper(tr("{names} have drawn again, for their own places.", names=names))


def you_are(a_title: str) -> str:
    """The own title."""
    return tr("You are {title}.", title=a_title)
