"""A hand alone in another language, from the command line to the last sentence."""

from __future__ import annotations

import gettext
import re
from pathlib import Path

import pytest

from dalmuti.client import i18n
from end_to_end.spoken import Spoken
from end_to_end.terminal import clean_environment

TURN = {"de": "Du bist dran: ", "fr": "À toi : "}
OVER = {"de": "Runde 1 ist vorbei.", "fr": "La manche 1 est finie."}
SAVED = {"de": "Die Partie wurde gespeichert: ", "fr": "La partie est enregistrée : "}
TITLES = {
    "de": ["Großer Dalmuti", "Kleiner Dalmuti", "Kleiner Diener", "Großer Diener"],
    "fr": ["Grand Dalmuti", "Petit Dalmuti", "Petit Bouffon", "Gros Bouffon"],
}


def english_forms(language: str) -> list[re.Pattern[str]]:
    """What each translated sentence would look like in English; fields may be anything."""
    translations = gettext.translation(i18n.DOMAIN, i18n.CATALOGUES, [language])
    catalogue: dict[object, str] = translations._catalog  # type: ignore[attr-defined]  # private
    forms = []
    for key, translated in catalogue.items():
        text = str(key[0] if isinstance(key, tuple) else key).partition("\x04")[2] or str(key)
        bare = re.sub(r"\{[^}]*\}", "", text)
        if len(re.findall("[A-Za-z]{2,}", bare)) > 1 and text != translated:
            known = re.sub(r"\\\{[^}]*\\\}", ".+", re.escape(text))
            forms.append(re.compile(known))
    return forms


@pytest.mark.parametrize("language", OVER)
def test_a_hand_alone(language: str, tmp_path: Path) -> None:
    arguments = "play --plain --seats 4 --hands 1 --bot-delay 0 --name Ada --lang".split()
    with Spoken([*arguments, language], clean_environment(tmp_path)) as ada:
        while (line := ada.next()) != OVER[language]:
            assert line is not None, ada.said
            if line.startswith(TURN[language]):
                ada.answer("")
        places = [ada.next() or "" for _ in range(4)]
        assert [line.rpartition(", ")[2] for line in places] == TITLES[language]
        assert ada.until(f"{SAVED[language]}dalmuti replay ")
        assert ada.wait() == 0
        lines = ada.raw.decode().splitlines()
    assert len(lines) > 30
    forms = english_forms(language)
    left = [line for line in lines if any(form.fullmatch(line) for form in forms)]
    assert not left
