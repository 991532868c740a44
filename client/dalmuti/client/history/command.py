"""`dalmuti stats`: what the local player has played, as a page, or as JSON."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from dalmuti.client import out, settings
from dalmuti.client.commands.parts import OK
from dalmuti.client.history import store
from dalmuti.client.history.summary import summary, values
from dalmuti.client.i18n import tr
from dalmuti.client.start import Refusal, ascii_wanted
from dalmuti.client.words import stats as words


def stats(given: argparse.Namespace, file: Path | None = None) -> int:
    """Shows the history, or deletes it. Raises Refusal."""
    file = file or store.path()
    if given.forget:
        try:
            there = store.forget(file)
        except OSError as error:
            problem = error.strerror or str(error)
            raise Refusal(words.cannot_delete(str(file), problem)) from None
        out.say(words.forgotten(there))
        return OK
    wishes = settings.load()
    try:
        history = store.read(file)
    except OSError as error:
        raise Refusal(words.cannot_read(str(file), error.strerror or str(error))) from None
    found = summary(history, given.last)
    if given.json:
        out.say(json.dumps(values(found)))
        return OK
    bar = words.BAR_ASCII if ascii_wanted(given, wishes) else words.BAR_UNICODE
    for line in words.page(found, str(file), "" if given.plain else bar):
        out.say(line)
    if not wishes.history:
        out.say(tr(words.WITHHELD))
    return OK
