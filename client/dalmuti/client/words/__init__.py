"""Every sentence that people read in the client: titles, ranks, moves, events, errors.

Pure, and in one place, so that another language is another folder like this one. A name is used as
it stands, and "you" where it is you; sentences are whole, so that they can be read aloud.
"""

from dalmuti.client.words.events import places, sentence, verified
from dalmuti.client.words.houserules import HOW_TO_PLAY, option, rules
from dalmuti.client.words.names import (
    KINDS,
    cards,
    count,
    hand,
    info_of,
    listed,
    move,
    name,
    ordinal,
    play,
    rank,
    ranks,
    seat_title,
    short_title,
    title,
    who,
)
from dalmuti.client.words.troubles import (
    BYES,
    ERRORS,
    bye,
    draining,
    error,
    reconnected,
    reconnecting,
    renamed,
    unreachable,
    unseated,
    which_table,
)

__all__ = [
    "BYES",
    "ERRORS",
    "HOW_TO_PLAY",
    "KINDS",
    "bye",
    "cards",
    "count",
    "draining",
    "error",
    "hand",
    "info_of",
    "listed",
    "move",
    "name",
    "option",
    "ordinal",
    "places",
    "play",
    "rank",
    "ranks",
    "reconnected",
    "reconnecting",
    "renamed",
    "rules",
    "seat_title",
    "sentence",
    "short_title",
    "title",
    "unreachable",
    "unseated",
    "verified",
    "which_table",
    "who",
]
