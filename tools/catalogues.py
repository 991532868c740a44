"""Makes the catalogues of the client's texts: extracts, merges, compiles, and checks them.

    python -m tools.catalogues             brings the .po files up to the code and compiles them
    python -m tools.catalogues --check     writes nothing; exit code 1 if anything is not current
    python -m tools.catalogues --missing   writes nothing; lists what is not translated yet

The translations are the `msgstr` lines of client/dalmuti/client/locale/*/LC_MESSAGES/dalmuti.po, to
be edited by hand; all else in these files is written from the code. The .mo files beside them are
what is installed. Both are the same byte for byte whenever and wherever they are made, so their
headers have no dates.

Texts are found where they are handed to `tr` and its kin in `client.i18n`; those of the tables of
keys and commands in `tui.keytexts` are read from the tables themselves.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import string
import sys
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, Final

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from dalmuti.client.i18n import LANGUAGES
from dalmuti.client.tui import keytexts

ROOT: Final = Path(__file__).parents[1]
CLIENT: Final = ROOT / "client" / "dalmuti" / "client"
LOCALE: Final = CLIENT / "locale"
TRANSLATED: Final = tuple(language for language in LANGUAGES if language != "en")
KEYWORDS: Final = {
    "tr": None,
    "mark": None,
    "tr_in": ((1, "c"), 2),
    "mark_in": ((1, "c"), 2),
    "tr_n": (1, 2),
}
HEADER: Final = """\
# The texts of Dalmuti. Translate the msgstr lines; `python -m tools.catalogues` writes the rest.
#"""

PLURALS: Final = {"fr": (2, "(n > 1)"), "nl": (2, "(n != 1)"), "de": (2, "(n != 1)")}
"""As gettext has them everywhere; Babel's French has a third form, for millions."""

Key = tuple[str | None, str]
"""What sets a message apart: its context and its id, or the first of its two."""


class Texts(Catalog):
    """A catalogue whose header says only what programs need."""

    @property
    def num_plurals(self) -> int:
        """How many forms there are."""
        return PLURALS[str(self.locale)][0] if self.locale else 2

    @property
    def plural_expr(self) -> str:
        """Which one a number takes."""
        return PLURALS[str(self.locale)][1] if self.locale else "(n != 1)"

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        """Language, plural forms and encoding: nothing that changes by itself."""
        headers = [
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "8bit"),
        ]
        if self.locale is not None:
            forms = f"nplurals={self.num_plurals}; plural={self.plural_expr};"
            headers = [("Language", str(self.locale)), ("Plural-Forms", forms), *headers]
        return headers

    @mime_headers.setter
    def mime_headers(self, headers: Iterable[tuple[str, str]]) -> None:
        raise AttributeError("the header follows from the language")


# -- extraction -------------------------------------------------------------------------------


def extracted() -> Texts:
    """All texts of the client, in the order of the files."""
    found = Texts()
    for file in sorted(CLIENT.rglob("*.py")):
        where = str(file.relative_to(ROOT))
        for _, message, _, context in extract_from_file(READER, file, keywords=KEYWORDS):
            found.add(message, locations=[(where, 0)], context=context)
    where = str(Path(keytexts.__file__ or "").relative_to(ROOT))
    for context, text in _of_tables():
        found.add(text, locations=[(where, 0)], context=context)
    return found


def calls_in(
    file: IO[bytes], keywords: Collection[str], *_: object, **__: object
) -> Iterator[tuple[int, str, tuple[str | None, ...], list[str]]]:
    """Every call of a keyword, in the order of the file, as Babel wants it of an extractor.
    Raises ValueError for a text that is put together.

    Babel's own reads tokens, and before Python 3.12 those do not show what is within an f-string.
    """
    calls = []
    for node in ast.walk(ast.parse(file.read())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            if name in keywords:
                texts = tuple(map(_literal, node.args))
                calls.append((node.lineno, node.col_offset, name, texts))
    for line, _column, name, texts in sorted(calls, key=lambda call: call[:2]):
        yield line, name, texts, []


READER: Final[Any] = calls_in
"""Babel's types of an extractor are not those that it calls it with."""


def _literal(node: ast.expr) -> str | None:
    """The text itself; None for a name, whose text is marked elsewhere. Raises ValueError."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr | ast.BinOp) or (
        isinstance(node, ast.IfExp)
        and any(isinstance(part, ast.Constant) for part in (node.body, node.orelse))
    ):
        raise ValueError(f"{ast.unparse(node)} is no text that can be translated as it stands")
    return None


def _of_tables() -> Iterator[tuple[str, str]]:
    """The words of the tables of keys: how the key is called, and what it does."""
    for value in vars(keytexts).values():
        if value is keytexts.COMMANDS:
            yield from (("commands", text) for text in keytexts.COMMANDS.values())
        elif value is keytexts.HELP_KEYS:
            for keys in keytexts.HELP_KEYS.values():
                yield from _of_keys(keys)
        elif isinstance(value, tuple):
            yield from _of_keys([value] if value is keytexts.KEY_HELP else value)


def _of_keys(keys: keytexts.Keys) -> Iterator[tuple[str, str]]:
    for key, what in keys:
        if re.search("[A-Za-z]{2}", key):  # else it is typed as it stands
            yield "keyboard", key
        yield "key", what


def key_of(message: Message) -> Key:
    """What sets a message apart from all others."""
    return message.context, message.id if isinstance(message.id, str) else message.id[0]


# -- files ------------------------------------------------------------------------------------


def po_of(language: str) -> Path:
    """The file of a language that people edit."""
    return LOCALE / language / "LC_MESSAGES" / "dalmuti.po"


def read(language: str) -> Catalog:
    """The catalogue as it lies there; an empty one where there is none yet."""
    try:
        with po_of(language).open("rb") as file:
            return read_po(file, locale=language)
    except FileNotFoundError:
        return Catalog(locale=language)


def merged(language: str, template: Catalog) -> Texts:
    """The texts of the code with the translations that are there; what nothing uses is gone."""
    old = {key_of(message): message for message in read(language) if message.id}
    new = Texts(locale=language, header_comment=HEADER, fuzzy=False)
    for message in template:
        if not message.id:
            continue
        known = old.get(key_of(message))
        empty = ("",) * new.num_plurals if message.pluralizable else ""
        if known and isinstance(known.string, str) != isinstance(empty, str):
            known = None  # it counts now, or does so no longer
        if known and len(known.string or "") != len(empty) and message.pluralizable:
            known = None
        new.add(
            message.id,
            known.string if known else empty,
            locations=message.locations,
            flags=({"fuzzy"} if known and known.fuzzy else set()) | message.flags,
            user_comments=known.user_comments if known else (),
            context=message.context,
        )
    return new


def as_po(catalogue: Catalog) -> bytes:
    """The file that people edit."""
    file = io.BytesIO()
    write_po(file, catalogue, width=100, include_lineno=False, sort_by_file=True)
    return file.getvalue()


def as_mo(catalogue: Catalog) -> bytes:
    """The file that is installed."""
    file = io.BytesIO()
    write_mo(file, catalogue)
    return file.getvalue()


# -- checks -----------------------------------------------------------------------------------


def fields(text: str) -> set[str]:
    """The named fields of a text, as `{name}` or `{name!r}`. Raises ValueError for a broken one."""
    return {
        name + (f"!{conversion}" if conversion else "")
        for _, name, _, conversion in string.Formatter().parse(text)
        if name is not None
    }


def forms(message: Message) -> list[tuple[str, str]]:
    """Each text that is shown of a message, with the one it is translated from."""
    if isinstance(message.id, str) or isinstance(message.string, str | None):
        return [(str(message.id), str(message.string or ""))]
    one, many = message.id
    first, *others = message.string
    return [(one, first), *((many, other) for other in others)]


def missing(catalogue: Catalog) -> list[str]:
    """What is not translated."""
    return [
        str(message.id)
        for message in catalogue
        if message.id and (message.fuzzy or not all(text for _, text in forms(message)))
    ]


def faults(catalogue: Catalog) -> list[str]:
    """What is wrong with the translations that are there, a sentence each."""
    found = []
    for message in catalogue:
        if not message.id:
            continue
        for text, translated in forms(message):
            if not translated:
                continue
            try:
                same = fields(text) == fields(translated)
            except ValueError as error:
                found.append(f"{translated!r} is broken: {error}")
                continue
            if not same:
                found.append(f"{translated!r} has not the fields of {text!r}")
            if re.findall(r"^\s*|\s*$", text) != re.findall(r"^\s*|\s*$", translated):
                found.append(f"{translated!r} has other spaces around it than {text!r}")
    return found


def problems(language: str, template: Catalog) -> list[str]:
    """Why a language is not ready to be installed, a sentence each."""
    file = po_of(language)
    new = merged(language, template)
    found = [f"not translated: {text}" for text in missing(new)]
    found += faults(new)
    po = file.read_bytes() if file.exists() else b""
    if po != as_po(new):
        found.append("the .po file is not what the code and its translations lead to")
    mo = file.with_suffix(".mo")
    if not mo.exists() or mo.read_bytes() != as_mo(new):
        found.append("the .mo file is not made of the .po file")
    return [f"{language}: {text}" for text in found]


def main(arguments: list[str] | None = None) -> int:
    """Writes the catalogues, or says what is wrong with them."""
    parser = argparse.ArgumentParser(description="The catalogues of the client's texts.")
    parser.add_argument("--check", action="store_true", help="write nothing, say what is wrong")
    parser.add_argument(
        "--missing", action="store_true", help="write nothing, list what is missing"
    )
    given = parser.parse_args(arguments)
    template = extracted()
    found = []
    for language in TRANSLATED:
        new = merged(language, template)
        if given.check:
            found += problems(language, template)
            continue
        found += [f"{language}: not translated: {text}" for text in missing(new)]
        if not given.missing:
            file = po_of(language)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(as_po(new))
            file.with_suffix(".mo").write_bytes(as_mo(new))
            found += [f"{language}: {text}" for text in faults(new)]
    for text in found:
        print(text)
    return 1 if found and not given.missing else 0


if __name__ == "__main__":
    sys.exit(main())
