"""Why a move is refused, in the words of the rule, for the person who wanted to make it.

The wire carries a code; what the sentence needs beside it (the cards that are held, the set to
beat) the client knows as well as the server. So a set that was typed and one that a server refused
are answered by the same sentence, in the language of the person.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from dalmuti.client.i18n import mark, tr, tr_n
from dalmuti.client.words import names
from dalmuti.core.cards import JESTER, Play
from dalmuti.core.moves import Call, Decline, Give, IllegalMove, Move, Pass, check_play

CODES: Final[Mapping[str, str]] = {
    "not_a_set": mark("That is no set: it needs a card of its own rank, or Jesters alone."),
    "not_held": mark("You do not hold those cards."),
    "wrong_count": mark("Whoever follows plays exactly as many cards as the leader did."),
    "not_lower": mark("That does not beat what is on the table: only a lower number does."),
    "wrong_return": mark("Give back exactly as many cards as you are paid."),
    "wrong_phase": mark("That is not what is asked for now."),
    "no_revolution": mark("Only a player who was dealt both Jesters may call a revolution."),
    "must_lead": mark("You lead this trick and cannot pass; play any set."),
    "not_your_turn": mark("It is not your turn."),
}
"""A sentence for each code that refuses a move, where no more is known."""


def why_not(held: Sequence[int], top: Play | None, play: Play) -> str:
    """Why a set cannot be played; `held` is how many there are of each rank, `top` what to beat.

    Of several reasons it says the one that no other cards would put right (rules.md S1 to S4).
    """
    if top is not None and 1 <= play.rank <= JESTER:
        if play.rank == JESTER:
            return tr("Jesters alone count as 13 and beat nothing; they help beside another card.")
        if play.rank == top.rank:
            return tr("An equal number does not beat {rank}: it needs a lower one.", rank=top.rank)
        if play.rank > top.rank:
            if top.rank == 1:
                return tr("Nothing beats a 1.")
            return tr(
                "{rank} does not beat {top}: only a lower number does.",
                rank=play.rank,
                top=_short(top.rank),
            )
        if play.count != top.count:
            return tr(
                "To follow {top} you need exactly {needed}; {play} has {number}.",
                top=top,
                needed=names.count(top.count),
                play=play,
                number=play.count,
            )
    try:
        check_play(held, top, play)
    except IllegalMove as error:
        if error.code.value == "not_held":
            return _not_held(held, play)
        return tr(CODES[error.code.value])
    return tr("{move} is not possible now.", move=play)


def _not_held(held: Sequence[int], play: Play) -> str:
    if play.jesters > held[JESTER]:
        if not held[JESTER]:
            return tr("You hold no Jester.")
        return tr_n(
            "You hold only {number} Jester.", "You hold only {number} Jesters.", held[JESTER]
        )
    has, wanted = held[play.rank], play.count - play.jesters
    if not has:
        return tr("You hold no card of rank {rank}.", rank=play.rank)
    only = tr_n(
        "You hold only {number} card of rank {rank}.",
        "You hold only {number} cards of rank {rank}.",
        has,
        rank=play.rank,
    )
    jesters = play.jesters + wanted - has
    if jesters > held[JESTER]:
        return only
    filled = Play(play.rank, play.count, jesters)
    return tr("{only} A Jester helps: {play}.", only=only, play=filled)


def refused(code: str, move: Move, held: Sequence[int], top: Play | None) -> str:
    """Why the server refused a move, as exactly as we can tell; empty for a code unknown here."""
    if isinstance(move, Play) and code in ("not_a_set", "not_held", "wrong_count", "not_lower"):
        try:
            check_play(held, top, move)
        except IllegalMove:
            return why_not(held, top, move)
    return tr(CODES[code]) if code in CODES else ""


def unasked(move: Move) -> str:
    """Why a move that is no set is none of the choices."""
    match move:
        case Pass():
            return tr(CODES["must_lead"])
        case Call() | Decline():
            return tr(CODES["no_revolution"])
        case Give():
            return tr(CODES["wrong_return"])
        case _:
            return tr("{move} is not possible now.", move=move)


def _short(rank: int) -> str:
    return names.rank(rank) if rank == JESTER else str(rank)
