"""The words of the full screen: headings, key bars, help, and short sentences in the panes.

Beside `client.words`, which has the sentences that every client says: this is what only a screen
has, but for the time between hands, which is in `tabletexts`. Another language is other files like
these. Widths are tight: a key bar has 80 cells, a note beside a player 15.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalmuti.client import words
from dalmuti.client.i18n import tr
from dalmuti.core.cards import JESTER, Play
from dalmuti.core.moves import Call, Decline

# -- everywhere --------------------------------------------------------------------------------

HELP = "help"
CHAT_LINE = "t or Tab to talk, / for commands"
COMMAND_LINE = "/ for commands"
CHAT_PROMPT = "chat> "
LOG = "Log"
CHAT = "Chat"
LOG_BACK = "Log (older lines, PgDn for newer)"
PLAYERS = "Players"
WAITING = "Waiting"
PASS = "Pass"
PASSES = "pass"
ESC_CLOSES = "Esc closes this"
LOG_FOOT = "PgUp PgDn scroll, Esc closes this"
TOO_FAST = "That key came with the turn and did nothing; press it again."
SCORE = "Score"


def too_small(cols: int, rows: int, need_cols: int, need_rows: int) -> list[str]:
    """What a terminal shows that is too small."""
    return [
        "This window is too small.",
        f"Dalmuti needs {need_cols} x {need_rows}, here are {cols} x {rows}.",
        "Make it larger, or start with --plain.",
    ]


def clock(seconds: int) -> str:
    """The time that is left: 0:38 left."""
    return f"{seconds // 60}:{seconds % 60:02} left"


def first_upper(text: str) -> str:
    """The text as a sentence: `you` becomes `You`, a name stays as it is written."""
    return "Y" + text[1:] if text.startswith(("you ", "you,")) else text


def first_capital(text: str) -> str:
    """A heading."""
    return text[:1].upper() + text[1:]


def presence(value: str, seconds: int | None) -> str:
    """A word about a player who is not simply here; empty for one who is."""
    if value == "lost":
        return "lost" if seconds is None else f"lost {seconds}s"
    return {"away": "away", "standin": "stand-in", "left": "left"}.get(value, "")


def players(number: int) -> str:
    """How many play."""
    return f"{number} players"


def hand_number(number: int) -> str:
    """Which hand."""
    return f"hand {number}"


def trick_number(number: int) -> str:
    """Which trick."""
    return f"trick {number}"


def waits(name: str) -> str:
    """Somebody who sits at the table, not in the hand."""
    return f"{name} {'play' if name == 'you' else 'plays'} from the next hand on"


def a_bot(name: str) -> str:
    """A bot in the list of players."""
    return f"{name} (bot)"


def passes(number: int) -> str:
    """Several passes in a row."""
    return f"{number} pass"


def out(place: int) -> str:
    """Beside a player who has no cards left."""
    return f"out, {words.ordinal(place)}"


# -- decisions ---------------------------------------------------------------------------------

YOUR_TURN = "YOUR TURN"
MUST_LEAD = "You lead: play any set, you cannot pass."
NUMBER_FIRST = "Type how many first: 3x9 is three 9s, 3x three of the chosen rank."
NO_MORE = "That is as many as you can play of this rank."
NO_FEWER = "That is as few as you can play of this rank."
NO_JESTER = "No Jester can be added or taken away here."
NO_CALL = "Only who was dealt both Jesters can call a revolution."
CALL_AGAIN = "Press r once more, or Enter, to call a revolution. Esc for not."
ENTER_DECLINES = "Press Enter to go on without a revolution."
ENTER_GIVES = "Enter gives what is marked; digits mark, - takes one back."
SIZES = "Up/Down "
TYPED = "typed"


def no_such_play(typed_text: str) -> str:
    """Enter on something that is no legal play."""
    return f"{typed_text} is no play that you can make now."


def typed_no_play(typed_text: str) -> str:
    """While what was typed is no legal play, or not yet."""
    return f"typed {typed_text}: no such play yet; Backspace forgets it"


def not_because(typed_text: str, reason: str) -> str:
    """While what was typed is a set that cannot be played."""
    return tr("typed {typed}: {reason}", typed=typed_text, reason=reason)


def typed(typed_text: str) -> str:
    """What was typed so far."""
    return f"   typed {typed_text}"


def enter_plays(play: Play | None) -> str:
    """What Enter does now."""
    return "Enter passes" if play is None else f"Enter plays {words.play(play)}"


ONLY_PASS = "Enter passes; you hold nothing that beats it."
LOCKED_OUT = "You have passed, and who passes here is out of the trick."
STANDIN_PLAYS = "The stand-in plays for you; /back takes your seat back."


def sent(what: str) -> str:
    """The answer is on its way."""
    return f"{what}: sent"


def waits_for(name: str) -> str:
    """Whose turn it is."""
    return "It is your turn." if name == "you" else f"It is {name}'s turn."


WHY_WAITING: Mapping[str, str] = {
    "lost": "The connection is lost; the stand-in plays when the time is up.",
    "standin": "The stand-in plays.",
    "away": "Away: the stand-in plays.",
    "left": "Has left: the stand-in plays to the end of the hand.",
}


def mark_more(missing: int, due: int) -> str:
    """The marks are not complete."""
    if missing <= 0:
        return f"Exactly {words.count(due)} must be marked."
    return f"Mark {words.count(missing)} more, then Enter gives."


def no_more_of(rank: int) -> str:
    """Nothing of this rank is left to be marked."""
    return f"You have no more {_rank_short(rank)} to mark."


def not_marked(rank: int) -> str:
    """There is no mark to take back."""
    return f"No {_rank_short(rank)} is marked."


def _rank_short(rank: int) -> str:
    return "Jester" if rank == JESTER else str(rank)


# -- the hand ----------------------------------------------------------------------------------

GRID_RANK, GRID_HAVE, GRID_GIVE = "rank", "have", "give"
TO_BEAT, THIS_TRICK, LAST_TRICK = "To beat", "This trick", "Last trick"
WATCHING_TITLE, WATCHING_HAND = (
    "Watching",
    "You are watching: everybody's cards are hidden from you.",
)
YOU_LEAD = "Your turn: you lead"
OUT_TITLE = "You are out"


def your_hand(number: int) -> str:
    """Above the hand."""
    return f"Your hand: {words.count(number)}"


def your_hand_give(number: int, due: int) -> str:
    """Above the hand of one who gives cards back."""
    return f"Your hand: {words.count(number)}, give {due} back"


def beat(play: str) -> str:
    """Above the choice of one who follows."""
    return f"Your turn: beat {play}, or pass"


def by(name: str) -> str:
    """Whose set it is."""
    return f"by {name}"


def beaten_by(play: Play) -> str:
    """What beats a set."""
    if play.rank == 1:
        return "nothing beats it"
    below = {2: "rank 1", 3: "rank 1 or 2"}.get(play.rank, f"rank 1 to {play.rank - 1}")
    return f"{words.count(play.count)} of {below} beat{'s' if play.count == 1 else ''} it"


def with_jesters(number: int) -> str:
    """A set whose count includes Jesters."""
    return ", with a Jester" if number == 1 else ", with both Jesters"


def leads(name: str, deciding: bool) -> str:
    """A trick begins; `deciding` where it is for us to choose with what."""
    if deciding:
        return "You lead: any number of cards of one rank."
    return "You lead." if name == "you" else f"{name} leads."


def you_are_out(place: int, title: str) -> str:
    """What one waits for who has no cards left."""
    return f"You are out, {words.ordinal(place)}: {title} in the next hand. The others play on."


def revolution_called(name: str, greater: bool) -> str:
    """A revolution, while it is new."""
    called = f"{name} called" if name != "you" else "You called"
    if greater:
        return f"{called} a Greater Revolution: all titles turned round, no taxes."
    return f"{called} a revolution: no taxes in this hand."


def you_paid(name: str, paid: str, returned: str) -> str:
    """The tax as the payer knows it."""
    return f"Taxes: you paid {name} {paid} and got {returned} back."


def you_got(name: str, paid: str, returned: str) -> str:
    """The tax as the receiver knows it."""
    return f"Taxes: {name} paid you {paid} and got {returned} back."


# -- before play -------------------------------------------------------------------------------

REVOLUTION, TAXES = "revolution", "taxes"
REVOLUTION_TITLE, TAXES_TITLE = "Revolution", "Taxes"
REVOLUTION_IS = (
    "Whoever was dealt both Jesters may call a revolution: no taxes this hand.",
    "Everyone is asked, and nobody hears who could have called and did not.",
)
CALL_TITLE = "Your decision: a revolution?"
GO_ON = "No revolution"
NO_REVOLUTION, CALL, CALL_GREATER = "No revolution", "Call a revolution", "Greater Revolution"
NO_BOTH_JESTERS = "You were not dealt both Jesters, so you cannot call. Enter goes on."
WINDOW_OPEN = "The players are being asked."
WINDOW_ANSWERED = "You call nothing. The others are being asked."


def calling(choice: Call | Decline) -> str:
    """What a choice in the revolution window means."""
    if isinstance(choice, Decline):
        return "Enter goes on without a revolution; nobody hears of it."
    if choice.greater:
        return "You show both Jesters: no taxes, and all titles turn round; you lead."
    return "You show both Jesters: no taxes in this hand. All titles stay."


GIVE_TITLE = "Your decision: what you give back"
GIVING = "Giving"
NOTHING_MARKED = "Nothing is marked yet."
SUGGESTED = "(suggested: your worst)"
TAX_HELP = "Digits mark one more of a rank, - takes one back, Enter gives."
MERCHANTS_FREE = "Merchants pay nothing and get nothing."
TAXES_SEALED = "Choices are sealed: all cards move at once when everyone has chosen."


def pays(number: int, short: bool) -> str:
    """Beside a Peon."""
    if short:
        return f"pays {number}"
    return "pays best card" if number == 1 else f"pays {number} best"


def gives_back(number: int, short: bool) -> str:
    """Beside a Dalmuti."""
    return f"gives {number}" if short else f"gives {number} back"


def owes(payer: str, receiver: str, number: int) -> str:
    """A tax that is due."""
    verb = "pay" if payer == "you" else "pays"
    best = "best card" if number == 1 else f"{number} best cards"
    return f"{payer} {verb} {receiver} the {best}"


def all_owed(owed: Sequence[str]) -> str:
    """All taxes that are due as one sentence."""
    return first_upper("; ".join(owed) + ".")


def paid_to_you(payer: str, number: int) -> str:
    """For one who chooses what to give back."""
    best = "best card" if number == 1 else f"{number} best cards"
    back, them = ("one card", "it") if number == 1 else (f"{number} cards", "them")
    return f"{payer} pays you the {best}. Give any {back} back before you see {them}."


def you_will_pay(cards: str, number: int) -> str:
    """For one who pays: which cards go is no choice."""
    best = "best card is" if number == 1 else f"{number} best cards are"
    return f"Your {best} {cards}."


def choosing(names: str) -> str:
    """Who has to choose."""
    verb = "are choosing" if " and " in names else "is choosing"
    return f"{names} {verb} what to give back."


def you_give(cards: str) -> str:
    """What we have chosen."""
    return f"You give back {cards}."


def sealed_until(names: str) -> str:
    """What we wait for after choosing."""
    return (
        f"It moves when {names} {'have' if ' and ' in names else 'has'} chosen too."
        if (names)
        else "The cards are moving."
    )


# -- the first draw ----------------------------------------------------------------------------

FIRST_TITLES = "first titles"
DRAW_TITLE = "The first titles: everyone draws a card, the lowest is Greater Dalmuti"
NAME, TITLE, KIND = "name", "title", "kind"
TIE_MARK = " tie"
EVERYONE_DRAWS = "Everyone has drawn a card."
NO_TIES = "No two cards are alike here."
DRAW_DONE = "The order is settled."
TITLES_GIVEN = "The titles are given without a draw."


def draw_round(number: int) -> str:
    """The heading of a round of drawing."""
    return f"draw {number + 1}"


def draw_step(number: int, done: bool) -> str:
    """Which step is shown."""
    return "The titles" if done else f"Draw {number}"


def tie(names: str, card: int) -> str:
    """Some drew the same card and draw again for their places."""
    same = words.rank(card) if card == JESTER else card
    return first_upper(f"{names} tie with {same} and draw again.")


def redraw(names: str) -> str:
    """Who draws again."""
    return first_upper(f"{names} have drawn again, for their own places.")


def you_are(a_title: str) -> str:
    """The own title."""
    return f"You are {a_title}."
