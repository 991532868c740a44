"""What keys, clicks and the passing of time do: everything of the screen but prompt_toolkit.

`Control` owns the model and the state of the screen. Requests go out through a callable, the time
comes in with every call, so that tests play whole evenings by keys without a terminal or a loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from dalmuti.client import words
from dalmuti.client.advice import Advise, fits
from dalmuti.client.autopass import AutoPass, person
from dalmuti.client.i18n import tr
from dalmuti.client.model import Line, Model
from dalmuti.client.steward import Steward, usual_bot
from dalmuti.client.tui import asidetexts, labels, switches, tabletexts
from dalmuti.client.tui.selector import (
    COMMIT_KEYS,
    DEAF_SECONDS,
    PlaySelector,
    RevolutionSelector,
    Step,
    TaxSelector,
    select,
)
from dalmuti.client.tui.state import Ui, scene_of
from dalmuti.client.words.lesson import Course
from dalmuti.core.cards import parse_play
from dalmuti.core.moves import PASS
from dalmuti.core.views import TableView
from dalmuti.protocol.messages import (
    Act,
    AddBot,
    Deal,
    Decision,
    JoinTable,
    Kick,
    Leave,
    Request,
    TableInfo,
)

DRAW_SECONDS: Final = 1.8
"""How long each step of the first draw is shown."""
LESSON_DRAW_SECONDS: Final = 60.0
"""The same where somebody reads for the first time what it is about."""
HURRY_SECONDS: Final = 4.0
"""With less than this left for our decision the draw is not shown any longer."""
RESULT_SECONDS: Final = 3.0
"""How long a result is shown before the next hand is dealt by itself."""
PAGE: Final = 8
"""Lines of the log that PgUp and PgDn go."""
HERE_SECONDS: Final = 1.0
"""Whoever pressed a key so short a time ago looks at the screen, and no bell has to call him."""


class Options(Struct, frozen=True, kw_only=True):
    """What the command line asked of the screen."""

    join_lines: tuple[str, ...] = ()
    """What others type to join, shown while the table waits."""
    stay: bool = False
    """Leaving a table leads to the lobby, not to the end."""
    ascii: bool = False
    theme: str = "default"
    mouse: bool = True
    watch_draw: bool = True
    """Show the first draw step by step; without it only the log tells of it."""
    learn: bool = False
    """A lesson: what comes up is explained above the table."""
    hidden: bool = False
    """Begin with the own cards hidden."""
    bell: bool = True
    """Ring when it is our turn."""
    title: bool = True
    """Say in the title of the window when it is our turn."""
    cursor: bool = False
    """Put the terminal's cursor on what is chosen, for screen magnifiers."""


class Control:
    """The screen's mind. `ask` sends a request; `quit` ends everything, giving the seat up or not;
    `open_chat` puts the cursor into the chat line, with some text in it; `ring` rings the bell;
    `wait` draws the seconds before a pass that is made by itself; `advise` is the expert bot."""

    def __init__(
        self,
        options: Options,
        steward: Steward,
        ask: Callable[..., Any],
        quit: Callable[[bool], None],
        open_chat: Callable[[str], None] = lambda text: None,
        ring: Callable[[], None] = lambda: None,
        wait: Callable[[], float] = person,
        advise: Advise | None = None,
    ) -> None:
        self.options = options
        self.ui = Ui(
            join_lines=options.join_lines,
            ascii=options.ascii,
            theme=options.theme,
            mouse=options.mouse,
            hidden=options.hidden,
            bell=options.bell,
            title=options.title,
            course=Course() if options.learn else None,
        )
        self.model = Model()
        self._steward = steward
        self._ask = ask
        self._quit = quit
        self._open_chat = open_chat
        self._ring = ring
        self._autopass = AutoPass(wait)
        self._advise = advise
        self._pressed_at = float("-inf")
        self._deaf_until = 0.0
        self._draw_at = 0.0
        self._result_until: float | None = None

    # -- the model ------------------------------------------------------------------------------

    @property
    def table(self) -> TableView | None:
        return self.model.table

    @property
    def is_host(self) -> bool:
        table = self.table
        return table is not None and table.you is not None and table.host == table.you

    def update(self, model: Model, now: float) -> None:
        """The model has changed: what is to decide, which screen, what happens by itself."""
        before, self.model = self.model, model
        scene = scene_of(before, self.ui)
        self._autopass.update(model, now)
        self.ui.passing = self._autopass.on
        if _ours(model) is not _ours(before):
            self._ask_anew(now)
        table = model.table
        if table is None or table.hand is None:
            self.ui.sent = None
        was = before.table.draw if before.table else None
        if table and table.draw and before.table and table.draw != was and self.options.watch_draw:
            self.ui.draw_step = 0
            self._draw_at = now + self._draw_seconds
        if table is None or table.draw is None or self._game_calls(now):
            self.ui.draw_step = None
        self._hold(before, now)
        if self.ui.log_back:  # who reads what was said before goes on reading there
            self.ui.log_back += max(0, model.logged - before.logged)
        if scene_of(model, self.ui) != scene:
            self.ui.hint = ""
            self._deaf_until = now + DEAF_SECONDS
        if table is not None and not fits(table):
            self.ui.advice = ""  # somebody has come in
        self._chores(now)
        self._teach()

    def _teach(self) -> None:
        """The lesson looks at what is on the screen."""
        if self.ui.course is not None:
            shown = replace(self.model, decision=_ours(self.model))
            self.ui.course = self.ui.course.see(shown, self.ui.draw_step)

    def _hold(self, before: Model, now: float) -> None:
        """Once the connection is lost the table waits as long as the server has said."""
        if self.model.link.state == "open":
            self.ui.held_until = None
        elif before.link.state == "open" and self.model.welcome is not None:
            self.ui.held_until = now + self.model.welcome.limits.grace_ms / 1000

    def _game_calls(self, now: float) -> bool:
        """The game cannot wait for the end of the draw: tricks are played, or time runs out."""
        table, decision = self.model.table, self.model.decision
        if table is not None and table.hand is not None and table.hand.trick.acts:
            return True
        if decision is None:
            return False
        ends_at = self.model.ends_at
        return decision.kind in ("lead", "follow") or (
            ends_at is not None and ends_at - now < HURRY_SECONDS
        )

    def _ask_anew(self, now: float) -> None:
        """Another decision is ours to make, or none."""
        self.ui.selector = None
        self.ui.advice = ""
        decision, table = _ours(self.model), self.model.table
        if decision is not None and table is not None and table.hand is not None:
            self.ui.sent = None
            if self._advise is not None:
                self.ui.advice = words.advice(self._advise(table, decision))
            if self.ui.passing:
                return
            hand = table.hand
            self.ui.selector = select(decision, hand.cards or (), now, hand.trick.top)
            self.ui.hint = ""
            if self.ui.bell and now - self._pressed_at > HERE_SECONDS:
                self._ring()

    def _chores(self, now: float) -> None:
        """What the steward does by itself; people get some time first to read a result."""
        table = self.model.table
        if table is None or table.result is None:
            self._result_until = None
        elif self._result_until is None:
            self._result_until = now + RESULT_SECONDS
        self.ui.next_step = ""
        if self._steward.done(self.model):
            self.ui.next_step = tr(tabletexts.LAST_HAND)
        elif self.is_host and self._steward.hands is not None and table and table.result:
            self.ui.next_step = tr(tabletexts.DEALS_ITSELF)
        if self._result_until is not None and now < self._result_until:
            return
        if self._steward.done(self.model):
            self._quit(True)
        else:
            for request, fields in self._steward.react(self.model):
                self._ask(request, **fields)

    def notice(self, text: str) -> None:
        """A word of the client itself, in the log."""
        line = Line("notice", text)
        model = self.model
        self.model = replace(model, log=(*model.log, line), logged=model.logged + 1)

    # -- time -----------------------------------------------------------------------------------

    def next_tick(self, now: float) -> float | None:
        """Seconds until the screen changes by time alone, a second at most; None: it does not."""
        model = self.model
        moments = [self._draw_at] if self.ui.draw_step is not None else []
        if self._result_until is not None and now < self._result_until:
            moments.append(self._result_until)
        if self._autopass.at is not None:
            moments.append(self._autopass.at)
        clocks = (
            model.ends_at,
            model.link.retry_at,
            self.ui.held_until,
            *model.countdowns.values(),
        )
        if any(clock is not None and clock > now for clock in clocks):
            moments.append(now + 1.0)
        return min(1.0, max(0.0, min(moments) - now)) if moments else None

    def tick(self, now: float) -> None:
        """Time has passed."""
        if self.ui.draw_step is not None and self._game_calls(now):
            self.ui.draw_step = None
            self._awake(now)
        elif self.ui.draw_step is not None and now >= self._draw_at:
            self._draw_on(now)
        if self._result_until is not None and now >= self._result_until:
            self._chores(now)
        decision = self._autopass.due(self.model, now)
        if decision is not None:
            self.ui.sent = PASS
            self._ask(Act, decision=decision.decision, choice=PASS)

    def _draw_on(self, now: float) -> None:
        """The next step of the first draw; after the titles it is over."""
        draw = self.table.draw if self.table else None
        step = self.ui.draw_step
        if draw is None or step is None or step >= len(draw.rounds):
            self.ui.draw_step = None
            self._deaf_until = now + DEAF_SECONDS
            self._awake(now)
            return
        self.ui.draw_step = step + 1
        self._draw_at = now + self._draw_seconds
        self._teach()

    @property
    def _draw_seconds(self) -> float:
        return DRAW_SECONDS if self.ui.course is None else LESSON_DRAW_SECONDS

    def _awake(self, now: float) -> None:
        """A decision that was hidden behind the draw begins for us now."""
        self._teach()
        if self.ui.selector is not None:
            self.ui.selector = replace(self.ui.selector, awake_at=now + DEAF_SECONDS)

    # -- keys -----------------------------------------------------------------------------------

    def press(self, key: str, now: float) -> None:
        """One key that was not for the chat line."""
        self.ui.hint = ""
        self._pressed_at = now
        if key == "h":
            switches.hide(self.ui, not self.ui.hidden)
            return
        if self.ui.overlay and self._in_overlay(key):
            return
        if self.model.link.state == "lost" and key in ("?", "f1", "s", "l"):
            return  # what the box of the lost connection would cover
        if self._anywhere(key):
            return
        if self.model.link.state == "lost":
            return
        match scene_of(self.model, self.ui):
            case "lobby":
                self._in_lobby(key)
            case "draw":
                self._in_draw(key, now)
            case "room" | "result":
                self._between(key, now)
            case _:
                self._in_hand(key, now)

    def _in_overlay(self, key: str) -> bool:
        """Keys while a box lies over the screen; scrolling goes on to the log."""
        if self.ui.overlay == "leave":
            if key == "y":
                self.ui.overlay = ""
                self.leave()
            elif key in ("n", "escape", "q"):
                self.ui.overlay = ""
            return True
        if key in ("pageup", "pagedown", "up", "down"):
            self._scroll({"up": 1, "down": -1, "pageup": PAGE, "pagedown": -PAGE}[key])
            return True
        own = {"help": ("?", "f1"), "scores": ("s",), "log": ("l",)}[self.ui.overlay]
        if key in ("escape", "enter", "q", *own):
            self.ui.overlay = ""
            self.ui.log_back = 0
        elif key in ("?", "f1", "s", "l"):
            self.ui.overlay = ""
            return False
        return True

    def _anywhere(self, key: str) -> bool:
        """Keys that do the same on every screen."""
        match key:
            case "?" | "f1":
                self.ui.overlay = "help"
            case "s":
                self.ui.overlay = "scores"
            case "l":
                self.ui.overlay = "log"
            case "q":
                self.ui.overlay = "leave"
            case "c":
                switches.next_theme(self.ui)
            case "m":
                switches.toggle(self.ui, "mouse")
            case "pageup":
                self._scroll(PAGE)
            case "pagedown":
                self._scroll(-PAGE)
            case _:
                return False
        return True

    def _scroll(self, lines: int) -> None:
        """The log goes back or on; where it ends only the screen knows (`screens.scrolled`)."""
        self.ui.log_back = max(0, self.ui.log_back + lines)

    # -- keys of one scene ------------------------------------------------------------------------

    def _in_lobby(self, key: str) -> None:
        tables = self.model.lobby.tables if self.model.lobby else ()
        chosen = min(self.ui.lobby_index, max(0, len(tables) - 1))
        match key:
            case "up" | "down" if tables:
                self.ui.lobby_index = (chosen + (1 if key == "down" else -1)) % len(tables)
            case "enter" | "w" if tables:
                self._enter_table(tables[chosen], watch=key == "w")
            case "n":
                self._open_chat("/create ")
            case _:
                self.ui.hint = tr(tabletexts.UNKNOWN_KEY)

    def _enter_table(self, info: TableInfo, *, watch: bool) -> None:
        """Sits down or watches; where a password is needed it is asked for in the chat line."""
        if info.locked:
            self._open_chat(f"/{'watch' if watch else 'join'} {info.table} password=")
        else:
            self._ask(JoinTable, table=info.table, watch=watch)

    def _in_draw(self, key: str, now: float) -> None:
        if key == "escape":
            self.ui.draw_step = None
            self._awake(now)
        elif key in ("enter", "space"):
            self._draw_on(now)

    def _between(self, key: str, now: float) -> None:
        """Waiting room and result: the host deals, adds bots and removes them."""
        table = self.table
        assert table is not None
        if key in COMMIT_KEYS and now < self._deaf_until:
            self.ui.hint = tr(labels.TOO_FAST)
        elif key not in ("space", "enter", "b", "k"):
            self.ui.hint = "" if key == "escape" else tr(tabletexts.UNKNOWN_KEY)
        elif not self.is_host:
            self.ui.hint = tr(tabletexts.NOT_HOST)
        elif key == "b":
            self.add_bot()
        elif key == "k":
            self._remove_bot()
        elif self._steward.done(self.model):
            self._quit(True)
        else:
            self._ask(Deal)

    def _in_hand(self, key: str, now: float) -> None:
        selector = self.ui.selector
        if key == "a":
            self.pass_on(now)
        elif selector is not None:
            step = selector.press(key, now)
            self._take(step, deciding=key in ("enter", "space", "p"))
            if len(key) == 1 and key not in selector.KEYS:
                self.ui.hint = tr(tabletexts.UNKNOWN_KEY)
        elif self.ui.passing and key in COMMIT_KEYS:
            self.ui.hint = tr(asidetexts.PASSING_HINT)
        elif key in ("enter", "space") or key in PlaySelector.KEYS:
            self.ui.hint = self._why_not_now()
        elif key != "escape":
            self.ui.hint = tr(tabletexts.UNKNOWN_KEY)

    def _why_not_now(self) -> str:
        """Why a key that decides does nothing; empty where the screen says it already."""
        hand = self.table.hand if self.table is not None else None
        if self.table is None or hand is None or hand.phase != "tricks" or hand.turn is None:
            return ""
        if self.table.options.passing == "locked" and hand.seat in hand.trick.passed:
            return tr(labels.LOCKED_OUT)
        if hand.seat is None or hand.seat in hand.finished or hand.seat in hand.turn.seats:
            return ""
        return labels.waits_for(words.who(self.table, hand.order[hand.turn.seats[0]]))

    def pass_on(self, now: float) -> None:
        """Passes by itself for the rest of this trick, or not any more."""
        said = self._autopass.switch(self.model, now)
        self.ui.passing = self._autopass.on
        if not self.ui.passing and self.ui.selector is None and self.ui.sent is None:
            self._ask_anew(now)
        elif self.ui.passing:
            self.ui.selector = None
        self.ui.hint = said

    @property
    def title(self) -> str:
        """What the title of the window says; empty where it is to say nothing."""
        return switches.title(self.ui)

    def _take(self, step: Step, *, deciding: bool = False) -> None:
        """What a key or click did to the decision; a move goes to the server.

        While cards are hidden nobody hears why something cannot be, only that nothing was decided.
        """
        decision = self.model.decision
        self.ui.selector = step.selector
        self.ui.hint = step.hint
        if self.ui.hidden:
            self.ui.hint = switches.hint_while_hidden(step.hint, deciding=deciding)
        if step.move is not None and decision is not None:
            self.ui.sent = step.move
            self.ui.selector = None
            self._ask(Act, decision=decision.decision, choice=step.move)

    # -- clicks -----------------------------------------------------------------------------------

    def click(self, target: str, now: float) -> None:
        """A click on something that has a name."""
        kind, _, what = target.partition(":")
        selector = self.ui.selector
        if kind == "key":
            self.press(what, now)
        elif self.ui.overlay or self.model.link.state == "lost":
            return
        elif kind == "table":
            if int(what) == self.ui.lobby_index:
                self._in_lobby("enter")
            self.ui.lobby_index = int(what)
        elif isinstance(selector, PlaySelector):
            if kind == "rank":
                self._take(selector.choose_rank(int(what), now))
            elif kind in ("play", "pass"):
                play = parse_play(what) if kind == "play" else None
                self._take(selector.choose(play, now))
        elif isinstance(selector, TaxSelector) and kind == "rank":
            self._take(selector.click(int(what)))
        elif isinstance(selector, RevolutionSelector) and kind == "call":
            self._take(selector.choose(int(what), now))

    def wheel(self, up: bool) -> None:
        """The wheel scrolls the log."""
        self._scroll(3 if up else -3)

    # -- what people ask for ----------------------------------------------------------------------

    def leave(self) -> None:
        """Gets up from the table; or ends the program, where there is no lobby to go back to."""
        if self.table is not None and self.options.stay:
            self._ask(Leave)
        else:
            self._quit(True)

    def ask(self, request: type[Request], **fields: Any) -> None:
        """Sends a request; what comes of it is told by the model."""
        self._ask(request, **fields)

    def add_bot(self, bot: str = "") -> None:
        """Seats a house bot: the one that was named, or the best that the server names."""
        table, welcome = self.table, self.model.welcome
        known = welcome.bots if welcome else ()
        if table is None:
            self.ui.hint = tr(tabletexts.NEED_TABLE)
        elif not known:
            self.ui.hint = tr(tabletexts.NO_BOTS_KNOWN)
        elif sum(info.presence != "left" for info in table.players) >= table.options.seats:
            self.ui.hint = tr(tabletexts.TABLE_IS_FULL)
        else:
            self._ask(AddBot, bot=bot or usual_bot(known))

    def _remove_bot(self) -> None:
        """Removes the bot that sat down last."""
        bots = [
            info
            for info in (self.table.players if self.table else ())
            if info.kind != "human" and info.presence != "left"
        ]
        if bots:
            self._ask(Kick, player=bots[-1].player)
        else:
            self.ui.hint = tr(tabletexts.NO_BOT_HERE)


def _ours(model: Model) -> Decision | None:
    """The decision that we make; while we are away the stand-in makes it."""
    return None if model.table is not None and words.is_away(model.table) else model.decision
