"""A server that means harm: what it says never reaches a terminal as it is (server.md I-80)."""

from __future__ import annotations

import pytest

from client.test_session import LIMITS, until, world
from dalmuti.client.bots import house, seat
from dalmuti.protocol.messages import Bye, Error, JoinTable, Welcome
from dalmuti.protocol.text import safe_text

EVIL = "\x1b[31mred\x1b]0;title\x07\u202e\x9b31m\u200b\r\nnext"


@pytest.mark.parametrize("reason", ["version_unsupported", "whatever"])
async def test_I80_a_bye_ends_in_clean_words(autojump_clock: object, reason: str) -> None:
    async with world() as here:
        peer = await here.peers.receive()
        await peer.get()
        await peer.say(Bye(reason=reason, message=EVIL))
        await until(lambda: here.ended is not None)
        assert here.ended is not None and "red" in here.ended.text
        assert safe_text(here.ended.text) == here.ended.text


async def test_I80_a_refusal_and_a_name_are_clean(autojump_clock: object) -> None:
    async with world(entry=JoinTable(id=0, table="Kitchen")) as here:
        peer = await here.peers.receive()
        await peer.get()
        await peer.say(
            Welcome(version=1, server=EVIL, instance=EVIL, name=EVIL, limits=LIMITS, message=EVIL)
        )
        join = await peer.get()
        assert isinstance(join, JoinTable)
        await peer.say(Error(re=join.id, code=EVIL, message=EVIL))
        await until(lambda: here.ended is not None)
        assert here.ended is not None and "red" in here.ended.text
        assert safe_text(here.ended.text) == here.ended.text
        assert safe_text(here.session.name) == here.session.name != ""


@pytest.mark.parametrize("complain", [house.complain, seat.complain])
def test_I80_what_a_bot_complains_of_is_one_clean_line(
    complain: object, capsys: pytest.CaptureFixture[str]
) -> None:
    assert callable(complain)
    complain(EVIL)
    line = capsys.readouterr().err
    assert line.endswith("next\n")
    assert safe_text(line[:-1]) == line[:-1]
