"""What a person typed, as the answer to a decision; or a sentence why it is none (pure)."""

from __future__ import annotations

import re

from dalmuti.client import phrases, words
from dalmuti.client.i18n import tr
from dalmuti.client.model import Model
from dalmuti.core import moves
from dalmuti.core.cards import JESTER, Play, counts_of
from dalmuti.core.moves import Call, Decline, Give, Pass
from dalmuti.protocol.messages import Choice, Decision

_ANSWER = re.compile(r"|[0-9jJ][0-9xX*+jJ, ]*|pass|decline|call( greater)?|give .*", re.IGNORECASE)


def looks_like_an_answer(text: str) -> bool:
    """Whether somebody who typed this meant to answer, and not to give a command."""
    return _ANSWER.fullmatch(text) is not None


def answer(model: Model, decision: Decision, text: str) -> Choice:
    """The choice that `text` means. Raises ValueError, with a sentence why it is none.

    A number is the number of a choice; where there is no such choice it is a rank.
    """
    text = text.strip().lower()
    if not text:
        return decision.default
    listed = dict(phrases.numbered(decision))
    if text.isdecimal() and len(text) < 5:
        number = int(text)
        if number in listed:
            return listed[number]
        if number == 1 and not listed:
            return decision.default  # nothing but passing: the first choice is the only one
        if number:
            return _by_rank(model, decision, number)
        text = "pass"
    choice = _parsed(decision, text)
    if choice not in decision.choices:
        raise ValueError(_why_not(model, decision, choice))
    return choice


def _by_rank(model: Model, decision: Decision, rank: int) -> Play:
    """A rank alone: all its naturals when leading, exactly what is needed when following."""
    plays = [play for play in decision.choices if isinstance(play, Play) and play.rank == rank]
    pure = [play for play in plays if not play.jesters or rank == JESTER]
    if pure:
        return pure[-1]
    if plays:
        raise ValueError(
            tr(
                "With the cards of rank {rank} you need a Jester; type {play}.",
                rank=rank,
                play=plays[0],
            )
        )
    if decision.kind in ("lead", "follow") and 1 <= rank <= JESTER:
        held, top = _sight(model)
        usual = top.count if top else max(1, held[rank])
        wish = Play(rank, usual, usual if rank == JESTER else 0)
        raise ValueError(words.why_not(held, top, wish))
    raise ValueError(
        tr("{rank} is neither the number of a choice nor a rank that you can play.", rank=rank)
    )


def _sight(model: Model) -> tuple[list[int], Play | None]:
    """Our own cards by rank, and the set to beat."""
    hand = model.table.hand if model.table else None
    return (counts_of(hand.cards or ()), hand.trick.top) if hand else ([0] * 14, None)


def _parsed(decision: Decision, text: str) -> Choice:
    """Any way to write a choice. Cards to give are ranks or sets: `9 12`, `2x12`, `1x9 and 1xJ`."""
    if decision.kind == "tax":
        found = re.findall(r"(?:([0-9]{1,2})[x*])?([0-9]+|j)", text.removeprefix("give"))
        ranks = [rank for number, rank in found for _ in range(int(number or 1))]
        text = "give " + ",".join(ranks)
    elif text in ("j", "jester"):
        jesters = [play for play in decision.choices if isinstance(play, Play) and play.rank == 13]
        text = str(jesters[-1]) if jesters else "1xj"
    try:
        return moves.parse_move(text)
    except ValueError:
        if re.fullmatch(r"[0-9]+[x*]([0-9]+|j)(\+[0-9]?j)?", text):
            raise ValueError(tr(words.CODES["not_a_set"])) from None
        raise ValueError(tr("{typed!r} cannot be read.", typed=text[:40])) from None


def _why_not(model: Model, decision: Decision, choice: Choice) -> str:
    """Why a choice is not among those of the decision."""
    held, top = _sight(model)
    if isinstance(choice, Play) and decision.kind in ("lead", "follow"):
        return words.why_not(held, top, choice)
    wanted = {"tax": Give, "revolution": Call | Decline}.get(decision.kind, Play | Pass)
    if not isinstance(choice, wanted | Call):
        return tr(words.CODES["wrong_phase"])
    if isinstance(choice, Give) and any(
        held[rank] < choice.cards.count(rank) for rank in choice.cards if 1 <= rank <= JESTER
    ):
        return tr(words.CODES["not_held"])
    return words.unasked(choice)


def expected(decision: Decision) -> str:
    """What may be typed instead."""
    default = words.move(decision.default)
    if decision.kind == "tax":
        return tr(
            "Type the number of a choice, cards such as 9,12, or an empty line for {default}.",
            default=default,
        )
    if decision.kind == "revolution":
        return tr(
            "Type the number of a choice, call or decline, or an empty line for {default}.",
            default=default,
        )
    if Pass() in decision.choices:
        return tr(
            "Type the number of a choice, a set such as 2x9, pass, or an empty line for {default}.",
            default=default,
        )
    return tr(
        "Type the number of a choice, a set such as 2x9, or an empty line for {default}.",
        default=default,
    )
