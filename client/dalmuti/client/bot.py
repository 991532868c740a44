"""Bots: one class with one method.

    from dalmuti.client.bot import Bot

    class Cautious(Bot):
        def decide(self, view, decision):
            return decision.choices[0]

`dalmuti bot cautious.py HOST` sits it down. A bot knows what a person at its seat would know:
`view` is the table as the server shows it to this seat, `decision.choices` is every legal choice,
the weakest set first. It runs in one thread with its connection, so it should answer within some
ten seconds; who thinks longer than the table's clock is answered for.
"""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Callable
from pathlib import Path

import anyio
import msgspec

from dalmuti.client.model import Input, Model, reduce
from dalmuti.client.session import Ended, Session
from dalmuti.core.events import HandEnded, Seen
from dalmuti.core.views import TableView
from dalmuti.protocol.messages import Act, Choice, Decision, EventMessage, Seated


class Bot:
    """Somebody who decides by himself. One object plays one seat, hand after hand."""

    def begin(self, seed: int) -> None:
        """Called once, before anything else, with the seed of this bot's own chance.

        A bot that draws its numbers from `random.Random(seed)`, and from nothing else, plays the
        same again when everything else is the same. May be left out.
        """

    def decide(self, view: TableView, decision: Decision) -> Choice:
        """One of `decision.choices`; asked only where there is more than one.

        Anything else, or an exception, means `decision.default`.
        """
        raise NotImplementedError(f"{type(self).__name__} has no method `decide`")

    def on_event(self, view: TableView, event: Seen) -> None:
        """What just happened, with the table after it. May be left out."""


class BotError(Exception):
    """A bot cannot be loaded; the text says why, for people."""


def pause(mean: float, chance: random.Random) -> float:
    """Seconds that a bot waits before it answers, about `mean`, as a person would.

    Drawn from one distribution whatever it holds and however many choices there are, so that the
    time tells nothing (rules.md I3).
    """
    return mean * chance.triangular(0.3, 1.9, 0.8) if mean > 0 else 0.0


class Player:
    """Plays a bot over a session, and says on `report` what it does wrong."""

    def __init__(
        self,
        session: Session,
        bot: Bot,
        *,
        delay: float = 0.0,
        report: Callable[[str], None] = lambda text: None,
        news: Callable[[str], None] = lambda text: None,
        chance: random.Random | None = None,
    ) -> None:
        """`delay` is the mean of the pause before each answer, in seconds.

        `chance` is for the pauses, and for the seed with which the bot begins.

        `report` is told what the bot did wrong, `news` where it sits down and how its hands end.
        """
        self.session = session
        self.bot = bot
        self.delay = delay
        self.report, self.news = report, news
        self.chance = chance or random.Random()
        bot.begin(self.chance.getrandbits(53))
        self.model = Model()
        self.faults = 0
        """How often the bot raised, or chose what it may not."""

    async def run(self) -> Ended:
        """Plays until the session ends."""
        async with anyio.create_task_group() as tasks:

            def hear(message: Input) -> None:
                before = self.model.table
                self.model = reduce(self.model, message, anyio.current_time())
                table = self.model.table
                if isinstance(message, Seated):
                    seat = self.session.seated  # its name; the connection's may have a number
                    name = self.session.name if seat is None else seat.name
                    self.news(f"{name} sits at table {message.table}.")
                if isinstance(message, EventMessage) and table is not None and table is not before:
                    self._tell(table, message.event)
                if isinstance(message, Decision) and table is not None:
                    if self.delay > 0:
                        tasks.start_soon(self._answer_later, message)
                    else:
                        self._answer(table, message)

            ended = await self.session.run(hear)
            tasks.cancel_scope.cancel()
        return ended

    async def _answer_later(self, decision: Decision) -> None:
        await anyio.sleep(pause(self.delay, self.chance))
        if self.model.decision is decision and self.model.table is not None:
            self._answer(self.model.table, decision)

    def _answer(self, table: TableView, decision: Decision) -> None:
        if len(decision.choices) == 1:
            self.session.request(Act, decision=decision.decision, choice=decision.choices[0])
            return
        choice = decision.default
        try:
            wanted = self.bot.decide(table, decision)
            if wanted in decision.choices:
                choice = wanted
            else:
                self._fault(f"chose {wanted!r}, which is not one of its choices", table, decision)
        except Exception as error:  # whatever a stranger's bot raises
            self._fault(f"raised {type(error).__name__}: {error}", table, decision)
        self.session.request(Act, decision=decision.decision, choice=choice)

    def _tell(self, table: TableView, event: Seen) -> None:
        if isinstance(event, HandEnded):
            for place, line in enumerate(event.places, start=1):
                if line.player == table.you:
                    places = len(event.places)
                    self.news(f"{self.session.name}: hand {event.hand}, place {place} of {places}.")
        try:
            self.bot.on_event(table, event)
        except Exception as error:  # whatever a stranger's bot raises
            self._fault(f"raised {type(error).__name__} in on_event: {error}", table, None)

    def _fault(self, what: str, table: TableView, decision: Decision | None) -> None:
        self.faults += 1
        seen = {"view": table, "decision": decision}
        self.report(
            f"{type(self.bot).__name__} {what}; the default was taken."
            f" It saw {msgspec.json.encode(seen).decode()}"
        )


# -- finding bots -----------------------------------------------------------------------------


def load_bot(text: str) -> Callable[[], Bot]:
    """What makes bots of a kind: a house bot's name, `mybot.py`, or `mybot.py:Class`.

    Raises BotError with a sentence.
    """
    from dalmuti.client.bots.simple import HOUSE_BOTS

    if text in HOUSE_BOTS:
        HOUSE_BOTS[text]()  # the expert says here what is wrong with its weights
        return HOUSE_BOTS[text]
    path, _, name = text.partition(":")
    if not path.endswith(".py"):
        raise BotError(
            f"expected a house bot ({', '.join(HOUSE_BOTS)}) or a file such as mybot.py,"
            f" found {text!r}"
        )
    file = Path(path)
    if not file.is_file():
        raise BotError(f"there is no file {path}")
    return _bot_in(file, name)


def _bot_in(file: Path, name: str) -> Callable[[], Bot]:
    """The class `name` in this file, or its only bot."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise BotError(f"{file} cannot be loaded as Python")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever a stranger's file raises
        raise BotError(f"{file} cannot be loaded: {type(error).__name__}: {error}") from error
    found = {
        each.__name__: each
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Bot) and each.__module__ == module.__name__
    }
    names = ", ".join(found) or "none"
    if name:
        if name not in found:
            raise BotError(f"{file} has no bot {name!r}; its bots are: {names}")
        return found[name]
    if len(found) != 1:
        raise BotError(f"expected one bot in {file}, found {names}; name one: {file}:Class")
    return next(iter(found.values()))
