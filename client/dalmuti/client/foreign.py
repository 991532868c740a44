"""What the rules, the protocol and servers say, in the language of who reads it.

`core` and `protocol` know no language, and a server does not know ours: what they say when they
refuse something, or find a deal untrue, is English. The client says all it can by the code alone
(`words.troubles`); where the sentence knows more than its code, it is known here by its form, and
said again in another language. One that is not known stays as it is: better English than nothing.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from dalmuti.client import i18n
from dalmuti.client.i18n import mark, tr

KNOWN: Final = (
    # moves (core.moves, core.hand)
    mark("{play} is not a set: ranks go from 1 to 13"),
    mark("{play} is not a set: it needs a card of its own rank, or Jesters alone"),
    mark("you do not hold the cards that you want to give"),
    mark("you do not hold {play}"),
    mark("{play} has {cards}; to follow {top} you need exactly {count}"),
    mark("{play} does not beat {top}: it needs a rank lower than {rank}"),
    mark("give back exactly {cards}, not {found}"),
    mark("play a set or pass; tricks are being played"),
    mark("you lead this trick and cannot pass"),
    mark("it is not your turn"),
    mark("choose the cards you give back; taxes are due"),
    mark("call a revolution or decline; nobody plays yet"),
    mark("only a player who was dealt both Jesters may call"),
    mark("here you may {choices}"),
    # table options (core.options)
    mark("turn_seconds: expected 0 (no clock) or 5 to 600, found {found}"),
    mark(
        "match_end={value} needs scoring=points; with scoring=titles nobody gets points, so the"
        " match would never end"
    ),
    mark(
        "greater_revolution=choice needs revolution=optional, found revolution={found}, which"
        " leaves the Greater Peon no choice"
    ),
    mark("unknown option {name}; the options are {names}"),
    mark("line {line}: expected {expected}, found {found}"),
    mark("{name}: expected {expected}, found {found}"),
    # names (protocol.text)
    mark("the name {name} is reserved; please take another"),
    mark("a name needs at least one letter, found nothing"),
    mark("the name of a table needs at least one letter, found nothing"),
    mark("a name may hold letters, digits, signs and single spaces, found {found}"),
    mark("the name of a table may hold letters, digits, signs and single spaces, found {found}"),
    mark("a name may be {most} cells wide, found {found}"),
    mark("the name of a table may be {most} cells wide, found {found}"),
    # deals (core.witness, core.record)
    mark("the hand began with another commitment than was announced for it"),
    mark("the seed is not the one that the server was bound to"),
    mark("your nonce was taken, but not used for the deal"),
    mark("the first titles are not those that the seed leads to"),
    mark("{play} was played for you, which you did not hold"),
    mark("the hands had other sizes than the rules say"),
    mark("you were dealt other cards than the seed leads to"),
    mark("the caller of the revolution was not dealt both Jesters"),
    mark("the taxes were not those of the rules"),
    mark("seat {seat} played, which is not at this table"),
    mark("the tax between {one} and {other} was not the best cards of the payer"),
    mark("the return between {one} and {other} had cards that the seed did not deal"),
    mark("{one} and {other} had cards that the seed did not deal, whatever they exchanged"),
    mark("{who} had cards that the seed did not deal: {cards}"),
    mark("its places are missing"),
    mark("it ended, but its seed was not revealed"),
    mark("it is not over, so its deal is unproved"),
    mark("it was abandoned and its seed not revealed, so its deal is unproved"),
    mark("without a seed its deal is unproved"),
    mark("its moves follow on hand {hand}, which cannot be replayed"),
    mark("there is a seed for hand {hand}, but no such hand"),
    mark("there are two hands of this number"),
    mark("the first titles are missing"),
    mark("a seed is given, but no commitment to it"),
    mark("the seed is not the one that the commitment is for"),
    mark("the cards dealt are not those that the seed leads to"),
    # records (core.record, core.transcript)
    mark("line {line}: the sum does not fit the lines before it"),
    mark("the last lines have no sum"),
    mark("hand {hand}, entry {entry}: {reason}"),
    mark("a record has at most {most} characters, found {found}"),
    mark("seat {seat} may not move {move}: {reason}"),
    mark("the places {places} are not those that the moves lead to"),
    mark("the hand is for the players {expected}, here sit {found}"),
    mark("expected hand {expected}, found hand {found}"),
    mark("the cards dealt are not the 80 cards of the deck"),
    mark("seat {seat} has {found} cards, not {expected}"),
    # servers
    mark("the host cannot kick himself; leave instead"),
    mark("a house bot cannot be the host"),
    mark("nobody talks at a rated table"),
    mark("nothing of this text can be shown"),
    mark("no house bot is called that; there are {names}"),
    mark("at a rated table those sit who enlist in the ladder; watch it"),
    mark("the server has no more house bots now"),
    mark("the server can keep no new table at the moment"),
    mark("the table could not be opened"),
    mark("this name is not welcome here"),
    mark("this is not for a table"),
    mark("version {version}"),
    mark("versions {low} to {high}"),
    mark("this server speaks protocol {its}, your client {ours}: the client needs an update"),
    mark("this server speaks protocol {its}, your client {ours}: the server needs an update"),
)
"""The more special forms before those that would fit as well."""

_FIELD: Final = re.compile(r"\\\{(\w+)\\\}")


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (text, re.compile(_FIELD.sub(r"(?P<\1>.+?)", re.escape(text)), re.DOTALL)) for text in KNOWN
    )


def said(text: str) -> str:
    """A sentence, or part of one, of somebody who speaks English only."""
    if i18n.language() == "en":
        return text
    bare = text.removesuffix(".")
    for known, pattern in _patterns():
        if found := pattern.fullmatch(bare):
            fields = {name: said(value) for name, value in found.groupdict().items()}
            return tr(known, **fields) + text[len(bare) :]
    return text
