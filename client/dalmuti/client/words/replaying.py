"""What a replay says in whole sentences, whatever it is shown on."""

from __future__ import annotations

from dalmuti.client.i18n import mark, tr, tr_n

HELP = (
    mark("next or an empty line, next 10: one move on, or ten. back, back 10: the same backwards."),
    mark("trick: to the next trick. trick 5: to the fifth trick of this hand. move 12: to a move."),
    mark("hand 3: to the third hand. next trick, back trick, next hand, back hand work as well."),
    mark("play: tells this hand to its end."),
    mark("as NAME: only what this player saw, by name or number. all: with all cards open."),
    mark(
        "cards, table, score, who, log: what was held, what was on the table, the scores,"
        " who sat there, what was said last."
    ),
    mark("where: which move this is. help: this. quit: the end."),
)
NO_CARDS = mark("No cards are held here.")
WHAT_TO_TYPE = mark("Type next, or an empty line, to go on; help to hear what else you can type.")
NOTHING_FURTHER = mark("The record ends here.")
NOTHING_BEFORE = mark("The record begins here.")
ALL_OPEN = mark("All cards are open.")


def not_over(hand: int) -> str:
    """Why the cards of a hand stay hidden."""
    return tr(
        "Hand {hand} has no end in this record, so its cards stay hidden: it is told as a"
        " spectator saw it.",
        hand=hand,
    )


def is_dealt(who: str, hand: str) -> str:
    """Somebody's cards, for who may see all of them."""
    return tr("{who} is dealt {hand}.", who=who, hand=hand)


def pays(payer: str, receiver: str, paid: str, returned: str) -> str:
    """A tax, for who may see all cards."""
    return tr(
        "{payer} pays {receiver} {paid} and gets {returned} back.",
        payer=payer,
        receiver=receiver,
        paid=paid,
        returned=returned,
    )


def table_is(table: str, rules: str) -> str:
    """The first sentence of a record."""
    return tr("Table {table}: {rules}.", table=table, rules=rules)


def stops(problem: str) -> str:
    """The record makes no sense from here on."""
    return tr("Here the record cannot be followed any more: {reason}.", reason=problem)


def seen_by(name: str) -> str:
    """With whose eyes it is told now."""
    return tr("Told as {name} saw it.", name=name)


def holds(name: str, cards: str) -> str:
    """What somebody holds, with open cards."""
    return tr("{name} holds {cards}.", name=name, cards=cards)


def where(hand: int, hands: int, move: int, moves: int, trick: int) -> str:
    """Which move this is."""
    if not hand:
        return tr("Before the first hand, {move} of {moves}.", move=move, moves=moves)
    if not trick:
        return tr(
            "Hand {hand} of {hands}, move {move} of {moves}, before the first trick.",
            hand=hand,
            hands=hands,
            move=move,
            moves=moves,
        )
    return tr(
        "Hand {hand} of {hands}, move {move} of {moves}, trick {trick}.",
        hand=hand,
        hands=hands,
        move=move,
        moves=moves,
        trick=trick,
    )


def record_has(table: str, hands: int) -> str:
    """What a record holds, when it is opened."""
    return tr_n(
        "A record of table {table} with {number} hand.",
        "A record of table {table} with {number} hands.",
        hands,
        table=table,
    )


def number_needed(command: str, found: str) -> str:
    """A command wants a number."""
    return tr("{command}: expected a number, found {found!r}.", command=command, found=found)


def no_hand(number: int, hands: int) -> str:
    """There is no such hand."""
    return tr_n(
        "There is no hand {wanted} here: this record has {number} hand.",
        "There is no hand {wanted} here: this record has {number} hands.",
        hands,
        wanted=number,
    )


def no_trick(number: int, tricks: int) -> str:
    """There is no such trick in this hand."""
    return tr_n(
        "There is no trick {wanted} here: this hand has {number} trick.",
        "There is no trick {wanted} here: this hand has {number} tricks.",
        tricks,
        wanted=number,
    )


def unknown(text: str) -> str:
    """What was typed is nothing that can be done here."""
    return tr("{text!r} is no command here; help lists them.", text=text)


# -- the file ---------------------------------------------------------------------------------


def no_file(file: str) -> str:
    """There is nothing to read."""
    return tr("there is no file {file}", file=file)


def unreadable(file: str, reason: str) -> str:
    """The system does not let us read it."""
    return tr("{file} cannot be read: {reason}", file=file, reason=reason)


def not_text(file: str) -> str:
    """Bytes that are no text."""
    return tr("{file} is no record of a match: it is not text", file=file)


def no_record(file: str, problem: str) -> str:
    """Text that is no record."""
    return tr("{file} is no record of a match: {reason}", file=file, reason=problem)


def too_large(file: str) -> str:
    """More than any match is long."""
    return tr("{file} is no record of a match: it is too large for one", file=file)


def no_such_player(known: str, found: str) -> str:
    """`--as` or `as` names nobody."""
    return tr("expected a player of this match ({known}), found {text!r}", known=known, text=found)


NO_HANDS = mark("There is no hand in this record.")
