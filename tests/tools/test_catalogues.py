"""The catalogues: complete, true to the code, and the same whenever they are made."""

from __future__ import annotations

import gettext
import io

import pytest
from babel.messages.catalog import Catalog
from tools.catalogues import Texts, as_mo, as_po, faults, fields, merged, missing

from dalmuti.client import i18n
from tools import catalogues


@pytest.fixture(scope="module")
def template() -> Catalog:
    return catalogues.extracted()


def one(text: str | tuple[str, str], translated: str | tuple[str, str]) -> Texts:
    """A catalogue with one message."""
    catalogue = Texts(locale="de")
    catalogue.add(text, translated)
    return catalogue


@pytest.mark.parametrize("language", catalogues.TRANSLATED)
def test_catalogue_is_complete_and_current(language: str, template: Catalog) -> None:
    assert catalogues.problems(language, template) == []


def test_every_language_has_a_catalogue() -> None:
    assert {path.name for path in catalogues.LOCALE.iterdir()} == set(catalogues.TRANSLATED)


@pytest.mark.parametrize("language", i18n.LANGUAGES)
@pytest.mark.parametrize("number,form", [(0, 1), (1, 0), (2, 1), (5, 1), (1_000_000, 1)])
def test_plural_forms(language: str, number: int, form: int) -> None:
    if language == "fr" and number == 0:
        form = 0  # "0 carte"
    if language == "en":
        assert gettext.NullTranslations().ngettext("0", "1", number) == str(form)
        return
    catalogue = Texts(locale=language)
    catalogue.add(("one", "many"), ("0", "1"))
    translations = gettext.GNUTranslations(io.BytesIO(as_mo(catalogue)))
    assert translations.ngettext("one", "many", number) == str(form)


def test_texts_are_found_with_their_context(template: Catalog) -> None:
    assert template.get("Your turn: lead any set (an empty line: {default}).") is not None
    assert template.get("rank", "grid") is not None  # marked where it stands, shown elsewhere
    assert template.get("Arrows", "keyboard") is not None  # of a table of keys
    assert template.get("the scores", "commands") is not None
    counted = template.get("{number} card")
    assert counted is not None and counted.id == ("{number} card", "{number} cards")


def test_texts_are_found_wherever_they_are_said() -> None:
    """Within an f-string too, which Babel's own reader does not see in every Python."""
    source = b"""said = f"{over} {tr('You win.')}"; i18n.tr("one" " and two", one=1); tr(said)"""
    found = [texts for _, _, texts, _ in catalogues.calls_in(io.BytesIO(source), {"tr": None})]
    assert found == [("You win.",), ("one and two",), (None,)]


@pytest.mark.parametrize("text", ['f"{a}"', '"a" + b', '"a" if c else "b"'])
def test_a_text_that_is_put_together_is_refused(text: str) -> None:
    source = io.BytesIO(f"tr({text})".encode())
    with pytest.raises(ValueError, match="can be translated as it stands"):
        list(catalogues.calls_in(source, {"tr": None}))


def test_faults_are_found() -> None:
    assert faults(one("{who} leads.", "{wer} spielt aus."))
    assert faults(one("{who} leads.", "{who spielt aus."))
    assert faults(one("{who!r} leads.", "{who} spielt aus."))
    assert faults(one("chat ", "Chat"))
    assert faults(one(("{number} card", "{number} cards"), ("{number} Karte", "Karten")))
    assert not faults(one("{who} leads {play}.", "{play} spielt {who} aus."))
    assert not faults(one("{who} leads.", ""))  # that is missing, not wrong


def test_what_is_missing_is_listed() -> None:
    assert missing(one("yes", "")) == ["yes"]
    assert missing(one(("a", "b"), ("x", ""))) == ["('a', 'b')"]
    assert missing(one("yes", "ja")) == []


def test_what_nobody_uses_goes_and_what_stays_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    old = one("stays", "bleibt")
    old.add("goes", "geht")
    monkeypatch.setattr(catalogues, "read", lambda language: old)
    template = one("stays", "")
    template.add("comes", "")
    new = merged("de", template)
    assert {str(m.id): m.string for m in new if m.id} == {"stays": "bleibt", "comes": ""}
    assert missing(new) == ["comes"]


def test_files_are_the_same_whenever_they_are_made() -> None:
    twice = [one("yes", "ja") for _ in range(2)]
    assert as_po(twice[0]) == as_po(twice[1])
    assert as_mo(twice[0]) == as_mo(twice[1])
    assert b"Date" not in as_po(twice[0]) + as_mo(twice[0])


def test_fields() -> None:
    assert fields("{a} {b!r} and {{not}}") == {"a", "b!r"}
