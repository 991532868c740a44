"""Languages for tests: each of the client's, and one that nobody speaks.

The pseudo-locale shows what is not translated and what has too little room: every text is 40 %
longer and has no plain letter left, but in its fields. Only words that have to fit into a column
(`SHORT`) keep their length, as a translator has to find short ones.
"""

from __future__ import annotations

import gettext
import re
from collections.abc import Iterator
from contextlib import contextmanager

from dalmuti.client import i18n

LANGUAGES = (*i18n.LANGUAGES, "pseudo")
LONGER = 0.4
SHORT = ("short", "grid", "note", "heading", "keyboard")
"""The contexts of words that have to fit into a column."""

_ACCENTED = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "åƀçđéƒğħíĵķłɱñöþɋřšŧúṽŵẋýžÅƁÇĐÉƑĞĦÍĴĶŁṀÑÖÞɊŘŠŦÚṼŴẊÝŽ",
)
_FIELD = re.compile(r"(\{[^{}]*\})")


def accented(text: str, longer: float = LONGER) -> str:
    """The text in the pseudo-locale, its fields as they are."""
    parts = _FIELD.split(text)
    owed = 0.0
    for at in range(0, len(parts), 2):
        words = []
        for word in parts[at].split(" "):
            owed += (len(word) + 1) * longer
            more = int(owed) if any(char.isalpha() for char in word) else 0
            owed -= more
            words.append(_stretched(word.translate(_ACCENTED), more))
        parts[at] = " ".join(words)
    return "".join(parts)


def _stretched(word: str, more: int) -> str:
    """The word with its last letter said so many times more."""
    at = max((n for n, char in enumerate(word) if char.isalpha()), default=0)
    return word[:at] + word[at : at + 1] * (more + 1) + word[at + 1 :]


class Pseudo(gettext.NullTranslations):
    """The catalogue of the pseudo-locale."""

    def gettext(self, message: str) -> str:
        return accented(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return accented(msgid1 if n == 1 else msgid2)

    def pgettext(self, context: str, message: str) -> str:
        return accented(message, 0 if context in SHORT else LONGER)


class Strict(gettext.NullTranslations):
    """Behind a catalogue: whatever it lacks is an error. Signs and digits need no translation."""

    def gettext(self, message: str) -> str:
        if re.search("[A-Za-z]{2}", _FIELD.sub("", message)):
            raise AssertionError(f"no catalogue has {message!r}; see tools/catalogues.py")
        return message

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)

    def pgettext(self, context: str, message: str) -> str:
        return self.gettext(message)


def use(language: str, *, strict: bool = False) -> None:
    """Sets the language of this context, which may be `pseudo`. A `strict` one lacks no text."""
    if language == "pseudo":
        i18n.use_catalogue(Pseudo(), "pseudo")
    elif strict and language != "en":
        catalogue = gettext.translation(i18n.DOMAIN, i18n.CATALOGUES, [language])
        catalogue.add_fallback(Strict())
        i18n.use_catalogue(catalogue, language)
    else:
        i18n.use(language)


@contextmanager
def speaking(language: str, *, strict: bool = False) -> Iterator[None]:
    """All texts in this language, then in English again."""
    use(language, strict=strict)
    try:
        yield
    finally:
        i18n.use("en")
