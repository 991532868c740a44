"""Which language is spoken, and where: by the locale, by `--lang`, in tasks and threads."""

from __future__ import annotations

import asyncio
import gettext
from collections.abc import Iterator
from contextvars import Context, copy_context
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from client.languages import LONGER, accented, speaking
from dalmuti.client import cli, i18n, words
from dalmuti.client.advice import Worth
from dalmuti.client.settings import Settings
from dalmuti.client.talk import Talk
from dalmuti.client.words import names
from dalmuti.core.cards import JESTER, Play
from dalmuti.core.moves import PASS
from dalmuti.core.titles import Title
from dalmuti.protocol.text import width

Environment = dict[str, str]


@pytest.fixture(autouse=True)
def english_after() -> Iterator[None]:
    yield
    i18n.use("en")


@pytest.mark.parametrize(
    "environment,language",
    [
        ({}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "de"),
        ({"LANG": "fr"}, "fr"),
        ({"LANG": "nl-BE"}, "nl"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8", "LC_MESSAGES": "fr_FR.UTF-8"}, "fr"),
        ({"LANG": "en_GB.UTF-8", "LANGUAGE": "ja:nl:de"}, "nl"),
        ({"LANG": "C", "LANGUAGE": "de"}, "en"),
        ({"LANG": "pt_BR.UTF-8"}, "en"),
    ],
)
def test_the_locale_says_which(environment: Environment, language: str) -> None:
    assert i18n.language_of(environment) == language


def test_no_other_language() -> None:
    for change in (i18n.use, i18n.switch):
        with pytest.raises(ValueError, match="'eo' is none of en, fr, nl, de"):
            change("eo")


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_all_can_be_used_and_know_their_own_name(language: str) -> None:
    i18n.use(language)
    assert i18n.language() == language
    assert i18n.NAMES[language]


def test_the_settings_take_the_same_languages() -> None:
    hint = get_type_hints(Settings)["lang"]
    assert get_args(get_args(hint)[0]) == i18n.LANGUAGES == tuple(i18n.NAMES)


@pytest.mark.parametrize(
    "language,titles,jester",
    [
        ("en", "Greater Dalmuti, Lesser Dalmuti, Merchant, Lesser Peon, Greater Peon", "Jester"),
        ("fr", "Grand Dalmuti, Petit Dalmuti, Marchand, Petit Bouffon, Gros Bouffon", "Joker"),
        ("nl", "Grote Dalmuti, Kleine Dalmuti, Koopman, Kleine Dienaar, Grote Dienaar", "Nar"),
        ("de", "Großer Dalmuti, Kleiner Dalmuti, Kaufmann, Kleiner Diener, Großer Diener", "Narr"),
    ],
)
def test_titles_are_those_of_the_published_editions(
    language: str, titles: str, jester: str
) -> None:
    i18n.use(language)
    assert ", ".join(map(words.title, Title)) == titles
    assert words.rank(JESTER) == jester
    assert len({*map(words.rank, range(1, 14))}) == 13


def test_a_switch_is_seen_by_all_that_came_of_one_use() -> None:
    """As in a screen: its callbacks, and the session that runs beside it."""
    i18n.use("en")
    callback, other = copy_context(), Context()
    other.run(i18n.use, "en")
    callback.run(i18n.switch, "de")
    assert i18n.language() == callback.run(i18n.language) == "de"
    assert other.run(i18n.language) == "en"  # another guest


def test_guests_have_their_own() -> None:
    said: dict[str, list[str]] = {}

    def guest(language: str) -> None:
        i18n.use(language)

        async def session() -> None:
            said[language] = [i18n.language()]
            await asyncio.sleep(0)
            said[language].append(i18n.language())

        asyncio.run(session())

    for language in ("fr", "nl"):
        copy_context().run(guest, language)
    assert said == {"fr": ["fr", "fr"], "nl": ["nl", "nl"]}
    assert i18n.language() == "en"


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_an_output_without_accents_gets_none(language: str) -> None:
    """Every text of a catalogue can be said in ASCII, as in a terminal without UTF-8."""
    i18n.use(language, accents=False)
    i18n.switch("fr")
    assert i18n.tr_in("command", "rules") == "regles"
    i18n.switch(language)
    for text in (*names.TITLES.values(), *names.RANKS, words.reconnected()):
        assert i18n.tr(text).isascii()
    if language != "en":
        catalogue = gettext.translation(i18n.DOMAIN, i18n.CATALOGUES, [language])
        for text in vars(catalogue)["_catalog"].values():
            assert len(i18n.bare(text)) >= len(text), text  # no letter is lost


def test_a_text_is_looked_up_when_it_is_shown() -> None:
    before = words.reconnected()
    with speaking("pseudo"):
        assert words.reconnected() == accented(before) != before
    assert words.reconnected() == before


def test_no_text_stays_no_text(language: str) -> None:
    assert i18n.tr("") == ""


def test_the_pseudo_locale_is_longer_and_keeps_its_fields() -> None:
    text = "The server stops in {seconds} s; this hand goes on until {when!r}."
    longer = accented(text)
    assert "{seconds}" in longer and "{when!r}" in longer
    bare = len(text) - len("{seconds}{when!r}")
    assert width(longer) - len(text) == pytest.approx(LONGER * bare, abs=1)
    assert not [
        char
        for char in longer.replace("{seconds}", "").replace("{when!r}", "")
        if char.isascii() and char.isalpha()
    ]


def test_lang_switches_in_a_conversation() -> None:
    talk = Talk()
    assert "en (English), fr (Français)" in talk.read("lang", 0.0).lines[0]
    assert talk.read("lang klingon", 0.0).lines == talk.read("lang", 0.0).lines
    talk.read("/lang nl", 0.0)
    assert i18n.language() == "nl"
    assert talk.read("lang EN", 0.0).lines == ("This is English from now on.",)


@pytest.mark.parametrize(
    "arguments,settings,locale,language",
    [
        ([], "", "fr_FR.UTF-8", "fr"),
        ([], 'lang = "nl"', "fr_FR.UTF-8", "nl"),
        (["--lang", "de"], 'lang = "nl"', "fr_FR.UTF-8", "de"),
        (["--lang", "en"], 'lang = "nl"', "fr_FR.UTF-8", "en"),
    ],
)
def test_the_command_line_goes_before_the_settings_and_those_before_the_locale(
    arguments: list[str],
    settings: str,
    locale: str,
    language: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "settings.toml").write_text(settings)
    monkeypatch.setattr("dalmuti.client.settings.path", lambda: tmp_path / "settings.toml")
    monkeypatch.setenv("LC_ALL", locale)
    assert cli.main(["verify", str(tmp_path / "none.txt"), *arguments]) == 2
    assert i18n.language() == language


def test_a_tool_speaks_english_whatever_the_locale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert cli.main(["export", str(tmp_path / "none.txt")]) == 2
    assert "there is no file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "The expert: pass, for 1.50 points; 2x9 1.25; 2x4 1.00."),
        ("nl", "2x9 1,25; 2x4 1,00"),
    ],
)
def test_numbers_have_the_point_of_the_language(language: str, said: str) -> None:
    choices = (Worth(PASS, 1.5), Worth(Play(9, 2), 1.25), Worth(Play(4, 2), 1.0))
    with speaking(language):
        assert said in words.advice(choices)
