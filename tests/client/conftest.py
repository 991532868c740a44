"""For all tests of the client: texts are in English, but where a test asks for `language`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from client.languages import LANGUAGES, speaking


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    """Every language of the client and the pseudo-locale, one after the other."""
    name: str = request.param
    with speaking(name):
        yield name
