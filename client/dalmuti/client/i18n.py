"""The language of every text that people read: gettext catalogues beside this file.

A text stands in the code in English, whole, with named fields, and goes through `tr` where it is
shown, so that a translator sees sentences and never pieces of one. What is bound when a module is
imported is only marked, with `mark`, and goes through `tr` later: the language is known after the
imports. Texts on the wire are codes and ids, never sentences.

The language belongs to the context, not to the process: the guests of one gateway may each read
their own. All tasks and callbacks that come of one `use` share it, and `switch` changes it for all
of them; a thread has to be started with a copy of the context. The catalogues are made by
`tools/catalogues.py`.
"""

from __future__ import annotations

import gettext
import os
import unicodedata
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Final

LANGUAGES: Final = ("en", "fr", "nl", "de")
"""What `--lang` takes. English needs no catalogue: it is what stands in the code."""

NAMES: Final = {"en": "English", "fr": "Français", "nl": "Nederlands", "de": "Deutsch"}
"""What each language calls itself."""

CATALOGUES: Final = os.path.join(os.path.dirname(__file__), "locale")
DOMAIN: Final = "dalmuti"

_ENGLISH: Final = gettext.NullTranslations()
_SIGNS: Final = str.maketrans(
    {"ß": "ss", "œ": "oe", "Œ": "OE", "Ø": "O", "↑": "^", "↓": "v", "←": "<", "→": ">", "·": "."}
)
"""What has no plain letter beneath an accent."""


def bare(text: str) -> str:
    """The text in ASCII, its letters without their accents."""
    plain = unicodedata.normalize("NFKD", text.translate(_SIGNS))
    return plain.encode("ascii", "ignore").decode()


class _Bare(gettext.NullTranslations):
    """A catalogue for outputs that have no accents, which would be question marks there."""

    def __init__(self, catalogue: gettext.NullTranslations) -> None:
        super().__init__()
        self._catalogue = catalogue

    def gettext(self, message: str) -> str:
        return bare(self._catalogue.gettext(message))

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return bare(self._catalogue.ngettext(msgid1, msgid2, n))

    def pgettext(self, context: str, message: str) -> str:
        return bare(self._catalogue.pgettext(context, message))


class _Language:
    """What a context and all that come of it read from."""

    def __init__(
        self, name: str, catalogue: gettext.NullTranslations, accents: bool = True
    ) -> None:
        self.name = name
        self.catalogue = catalogue
        self.accents = accents


_language: ContextVar[_Language | None] = ContextVar("language", default=None)


def _catalogue() -> gettext.NullTranslations:
    language = _language.get()
    return _ENGLISH if language is None else language.catalogue


def tr(text: str, /, **fields: object) -> str:
    """The text in the language of this context, its `{fields}` filled in.

    An empty text stays empty: in a catalogue it stands for the header.
    """
    translated = _catalogue().gettext(text) if text else ""
    return translated.format(**fields) if fields else translated


def tr_in(context: str, text: str, /, **fields: object) -> str:
    """As `tr`, for a word whose translation depends on where it stands (`verb`, `heading`)."""
    translated = _catalogue().pgettext(context, text)
    return translated.format(**fields) if fields else translated


def tr_n(one: str, many: str, number: int, /, **fields: object) -> str:
    """As `tr`, for a text that counts something; `{number}` is filled in by itself."""
    translated = _catalogue().ngettext(one, many, number)
    return translated.format(number=number, **fields)


def mark(text: str, /) -> str:
    """The text itself; the catalogues get it, and `tr` is called where it is shown."""
    return text


def mark_in(context: str, text: str, /) -> str:
    """As `mark`, for what goes through `tr_in` with the same context where it is shown."""
    return text


def use(language: str, *, accents: bool = True) -> None:
    """Sets the language of this context, and of all that will come of it.

    Without `accents` all texts are ASCII, for an output that is. Raises `ValueError` for a
    language that is not in `LANGUAGES`.
    """
    _language.set(_Language(language, _load(language, accents), accents))


def switch(language: str) -> None:
    """Changes the language for all that came of the `use` that holds here. Raises as `use` does."""
    held = _language.get()
    if held is None:
        use(language)
    else:
        held.name, held.catalogue = language, _load(language, held.accents)


def use_catalogue(catalogue: gettext.NullTranslations, name: str = "en") -> None:
    """Sets what this context reads from; for tests that need a language of their own."""
    _language.set(_Language(name, catalogue))


def language() -> str:
    """The language of this context."""
    held = _language.get()
    return "en" if held is None else held.name


def decimal(value: float) -> str:
    """A number with two digits after the point, which is a comma in all languages but English."""
    text = f"{value:.2f}"
    return text if language() == "en" else text.replace(".", ",")


def _load(language: str, accents: bool) -> gettext.NullTranslations:
    if language not in LANGUAGES:
        raise ValueError(f"{language!r} is none of {', '.join(LANGUAGES)}")
    if language == "en":
        return _ENGLISH
    catalogue = gettext.translation(DOMAIN, CATALOGUES, [language])
    return catalogue if accents else _Bare(catalogue)


def language_of(environment: Mapping[str, str] = os.environ) -> str:
    """The language that the locale asks for, by gettext's own variables; English if we have none.

    `LANGUAGE` may list several, best first. `C` and `POSIX` say nothing about a language.
    """
    locale = next(
        (environment[key] for key in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(key)), ""
    )
    listed = environment.get("LANGUAGE", "").split(":") if locale not in ("C", "POSIX") else []
    for wish in [*listed, locale]:
        language = wish.replace("-", "_").split("_")[0].split(".")[0].lower()
        if language in LANGUAGES:
            return language
    return "en"
