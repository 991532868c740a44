"""Whole evenings by keys, without a terminal: what they ask of the server, and what they show."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from client.tui.tables import WELCOME, Stage, somebody_else, taxes_due, you_lead, your_turn
from dalmuti.client.i18n import tr
from dalmuti.client.model import Line, LinkChanged, Model, reduce
from dalmuti.client.steward import Steward
from dalmuti.client.tui import tabletexts
from dalmuti.client.tui.commands import IN_LOBBY, completions, offered, say
from dalmuti.client.tui.control import RESULT_SECONDS, Control, Options
from dalmuti.client.tui.keytexts import COMMANDS
from dalmuti.client.tui.selector import PlaySelector
from dalmuti.client.tui.state import scene_of
from dalmuti.core.cards import Play
from dalmuti.core.moves import DECLINE, PASS, Give
from dalmuti.core.options import TableOptions
from dalmuti.protocol.messages import (
    Act,
    AddBot,
    Away,
    Chat,
    Close,
    CreateTable,
    Deal,
    Error,
    GiveHost,
    JoinTable,
    Kick,
    Leave,
    Lobby,
    Request,
    TableInfo,
)


class Player:
    """A control in front of a stage; `asked` is what it asked of the server."""

    def __init__(self, stage: Stage | None = None, **options: Any) -> None:
        self.asked: list[tuple[type[Request], dict[str, Any]]] = []
        self.quits: list[bool] = []
        self.chats: list[str] = []
        self.rings = 0
        steward = options.pop("steward", Steward())
        wait, advise = options.pop("wait", lambda: 2.0), options.pop("advise", None)
        self.control = Control(
            Options(**options),
            steward,
            self.ask,
            self.quits.append,
            self.chats.append,
            self.ring,
            wait,
            advise,
        )
        self.now = 0.0
        self.stage = stage
        if stage is not None:
            self.look()

    def ask(self, request: type[Request], **fields: Any) -> int:
        self.asked.append((request, fields))
        if request is Act:  # the session echoes it as it is sent
            self.learn(reduce(self.control.model, Act(id=len(self.asked), **fields), self.now))
        return len(self.asked)

    def ring(self) -> None:
        self.rings += 1

    def learn(self, model: Model) -> None:
        self.control.update(model, self.now)

    def look(self, seconds: float = 1.0) -> None:
        """Sees the stage as it is now, some time later."""
        assert self.stage is not None
        self.now += seconds
        self.learn(self.stage.model)
        self.now += 1.0

    def press(self, *keys: str) -> Player:
        for key in keys:
            self.control.press(key, self.now)
        return self

    @property
    def scene(self) -> str:
        return scene_of(self.control.model, self.control.ui)

    @property
    def hint(self) -> str:
        return self.control.ui.hint


def quiet(stage: Stage, **options: Any) -> Player:
    """A player who does not want to see the first draw."""
    return Player(stage, watch_draw=False, **options)


# -- decisions --------------------------------------------------------------------------------


def test_a_play_by_keys() -> None:
    stage = Stage(4, seed=3).deal().run(your_turn)
    player = quiet(stage)
    decision = stage.model.decision
    assert decision is not None and isinstance(player.control.ui.selector, PlaySelector)
    chosen = player.control.ui.selector.chosen
    player.press("enter")
    assert player.asked == [
        (Act, {"decision": decision.decision, "choice": PASS if chosen is None else chosen})
    ]
    assert player.control.ui.selector is None and player.control.ui.sent is not None
    player.press("enter", "space")
    assert len(player.asked) == 1


def test_a_whole_match_by_the_enter_key() -> None:
    options = TableOptions(seats=4, match_end="hands:3")
    stage = Stage(4, seed=11, options=options)
    player = quiet(stage)
    for _ in range(3):
        stage.deal()
        while stage.match.hand is not None:
            player.look()
            seat = stage.your_seat
            if seat is not None and seat in stage.hand.to_act:
                before = len(player.asked)
                player.press("enter")
                assert len(player.asked) == before + 1
                request, fields = player.asked[-1]
                assert request is Act
                stage.move(seat, fields["choice"])
            else:
                stage.step()
        player.look()
        assert player.scene == "result"
        player.press("space")
        assert player.asked[-1][0] is Deal
    assert stage.match.state == "over"
    kinds = {type(fields["choice"]) for request, fields in player.asked if request is Act}
    assert {Play} < kinds and type(DECLINE) in kinds


def test_a_refused_answer_can_be_given_again() -> None:
    stage = Stage(4, seed=3).deal().run(your_turn)
    player = quiet(stage)
    player.press("enter")
    refused = Error(re=1, code="not_lower", message="it is not lower")
    player.learn(reduce(player.control.model, refused, player.now))
    assert player.control.ui.selector is not None and player.control.ui.sent is None
    player.now += 1.0
    player.press("enter")
    assert [request for request, _ in player.asked] == [Act, Act]


def test_an_enter_in_flight_plays_nothing() -> None:
    stage = Stage(4, seed=3).deal().run(your_turn)
    player = quiet(stage)
    player.now -= 0.9  # a tenth of a second after the turn came
    player.press("enter")
    assert not player.asked and player.hint
    player.now += 0.2
    player.press("enter")
    assert len(player.asked) == 1


def test_while_away_the_stand_in_decides() -> None:
    stage = Stage(4, seed=3).deal().run(your_turn)
    player = quiet(stage)
    stage.presence(1, "away")
    player.look()
    player.press("enter", "space")
    assert player.control.ui.selector is None and not player.asked
    stage.presence(1, "here")
    player.look()
    player.press("enter")
    assert len(player.asked) == 1


def test_taxes_by_keys() -> None:
    order = Stage(4, seed=3).deal().match.order
    stage = Stage(4, seed=3, you=order[0]).deal().run(taxes_due)
    player = quiet(stage)
    player.press("-")
    player.press("enter")
    assert not player.asked and "1" in player.hint
    player.press("up", "enter")
    request, fields = player.asked[0]
    assert request is Act and isinstance(fields["choice"], Give)


def test_clicks_choose_and_then_decide() -> None:
    stage = Stage(4, seed=7).deal().run(you_lead)
    player = quiet(stage)
    selector = player.control.ui.selector
    assert isinstance(selector, PlaySelector)
    last = selector.plays[-1]
    player.control.click(f"play:{last}", player.now)
    assert not player.asked
    player.control.click(f"rank:{last.rank}", player.now)
    assert player.asked[0][1]["choice"] == last
    player.control.click("pass", player.now)
    assert len(player.asked) == 1


# -- the first draw ---------------------------------------------------------------------------


def test_the_draw_is_shown_step_by_step_and_then_the_game() -> None:
    stage = Stage(8)
    player = Player(stage)
    stage.deal()
    player.look()
    draw = stage.match.draw
    assert draw is not None and len(draw.rounds) == 3
    seen = []
    while player.scene == "draw":
        seen.append(player.control.ui.draw_step)
        delay = player.control.next_tick(player.now)
        assert delay is not None
        player.now += delay + 0.01
        player.control.tick(player.now)
    assert sorted(set(seen), key=lambda n: n or 0) == [0, 1, 2, 3]
    assert player.scene == "revolution" and not player.asked
    player.press("enter")
    assert not player.asked  # this Enter was meant for the draw
    player.now += 1
    player.press("enter")
    assert player.asked[0][1]["choice"] == DECLINE


@pytest.mark.parametrize("keys", [["enter"] * 4, ["space"] * 4, ["escape"], ["enter", "escape"]])
def test_the_draw_goes_on_by_keys(keys: list[str]) -> None:
    stage = Stage(8)
    player = Player(stage)
    stage.deal()
    player.look()
    player.press(*keys)
    assert player.scene == "revolution" and not player.asked


def test_the_draw_gives_way_to_a_decision_that_hurries() -> None:
    stage = Stage(8)
    player = Player(stage)
    stage.now = player.now
    stage.deal()
    stage.model = replace(stage.model, ends_at=player.now + 10)
    player.look()
    assert player.scene == "draw"
    player.now += 6
    player.control.tick(player.now)
    assert player.scene == "revolution"


def test_the_draw_gives_way_to_tricks() -> None:
    stage = Stage(8, you=None)
    player = Player(stage)
    stage.deal()
    player.look()
    assert player.scene == "draw"
    stage.run(somebody_else)
    player.look()
    assert player.scene == "play"


def test_who_comes_later_sees_no_draw() -> None:
    assert Player(Stage(8).deal()).scene == "revolution"


# -- between hands ----------------------------------------------------------------------------


def test_the_host_deals_adds_and_removes_bots() -> None:
    player = Player(Stage(3, options=TableOptions(seats=8)))
    player.press("b", "k", "space")
    assert player.asked == [(AddBot, {"bot": "careful"}), (Kick, {"player": 3}), (Deal, {})]


def test_a_guest_does_not() -> None:
    player = Player(Stage(3, you=2))
    for key in ("b", "k", "space", "enter"):
        player.press(key)
        assert player.hint
    assert not player.asked


def test_the_steward_leaves_time_to_read_a_result() -> None:
    stage = Stage(4)
    player = quiet(stage, steward=Steward(hands=2))
    for hand in (1, 2):
        stage.deal()
        player.look()
        stage.finish()
        stage.model = replace(
            stage.model,
            table=replace(stage.model.table, next_commitment="aa"),  # type: ignore[type-var]
        )
        player.look(0.0)
        before = len(player.asked)
        player.control.tick(player.now)
        assert len(player.asked) == before and not player.quits
        assert ("last hand" in player.control.ui.next_step) == (hand == 2)
        player.now += RESULT_SECONDS
        player.control.tick(player.now)
        if hand == 1:
            assert player.asked[before:] == [(Deal, {})]
    assert player.quits == [True]


# -- overlays, leaving, losing ----------------------------------------------------------------


def test_overlays_swallow_the_keys_of_the_game() -> None:
    stage = Stage(4, seed=3).deal().run(your_turn)
    player = quiet(stage)
    for key in ("?", "s", "l"):
        player.press(key, "space", "9")
        assert player.control.ui.overlay and not player.asked
        player.press("enter")
        assert not player.control.ui.overlay and not player.asked
    player.press("?", "s")
    assert player.control.ui.overlay == "scores"


def test_the_help_has_the_rules_on_a_second_page() -> None:
    player = quiet(Stage(4, seed=3).deal().run(your_turn))
    pages = [player.press("?").control.ui.overlay for _ in range(3)]
    assert pages == ["help", "rules", ""] and not player.asked


def test_a_word_about_whose_turn_it_is_goes_with_the_turn() -> None:
    stage = Stage(4, seed=3).deal().run(somebody_else)
    player = quiet(stage)
    player.press("enter")
    said = player.hint
    assert said
    player.look()
    assert player.hint == said  # nothing has happened
    stage.step()
    assert said != tr(tabletexts.UNKNOWN_KEY)
    player.look()
    assert not player.hint


def test_leaving_asks_first() -> None:
    stage = Stage(4, seed=3).deal().run(your_turn)
    player = quiet(stage)
    player.press("q", "enter", "space")
    assert player.control.ui.overlay == "leave"
    player.press("n")
    assert not player.control.ui.overlay and not player.quits
    player.press("q", "y")
    assert player.quits == [True]


def test_leaving_leads_to_the_lobby_where_there_is_one() -> None:
    player = Player(Stage(4), stay=True)
    player.press("q", "y")
    assert player.asked == [(Leave, {})] and not player.quits


def test_nothing_is_played_while_the_connection_is_lost() -> None:
    stage = Stage(4, seed=3).deal().run(your_turn)
    player = quiet(stage)
    stage.tell(LinkChanged("lost", "Gone.", stage.now + 5))
    player.look()
    player.press("enter", "space", "9")
    player.control.click("pass", player.now)
    assert not player.asked
    assert player.control.next_tick(player.now) is not None
    player.press("q")
    assert player.control.ui.overlay == "leave"


def test_colours_go_round_and_change_the_signs() -> None:
    player = Player(Stage(4))
    seen = set()
    for _ in range(10):
        seen.add((player.control.ui.theme, player.control.ui.ascii))
        player.press("c")
    assert len(seen) == 10 and (player.control.ui.theme, player.control.ui.ascii) in seen
    player.press("m")
    assert not player.control.ui.mouse and player.hint


def test_the_log_scrolls_and_comes_back() -> None:
    player = Player(Stage(4).deal().finish())
    player.press("pageup", "pageup")
    assert player.control.ui.log_back == 16
    player.control.wheel(False)
    player.press("pagedown", "pagedown", "pagedown")
    assert player.control.ui.log_back == 0


def test_who_reads_older_lines_goes_on_reading_them_when_something_happens() -> None:
    player = Player(Stage(4).deal().finish())
    player.press("pageup")
    player.control.notice("a word of our own, which is at the end and out of sight")
    back, logged = player.control.ui.log_back, player.control.model.logged
    model = player.control.model
    for text in ("one", "two", "three"):
        model = replace(model, log=(*model.log, Line("chat", text)), logged=model.logged + 1)
    player.learn(model)
    assert player.control.ui.log_back == back + model.logged - logged == back + 3
    player.press("pagedown", "pagedown").learn(replace(model, logged=model.logged + 1))
    assert player.control.ui.log_back == 0  # at the end: what is new is seen


def test_a_lost_connection_counts_down_how_long_the_table_waits() -> None:
    player = Player(Stage(4, seed=3).deal().run(your_turn))
    open_link = player.control.model
    lost = LinkChanged("lost", "gone", None)
    player.learn(replace(open_link, link=lost))
    assert open_link.welcome is not None
    waits = open_link.welcome.limits.grace_ms / 1000
    held_until = player.control.ui.held_until
    assert held_until == player.now + waits
    tick = player.control.next_tick(player.now)
    assert tick is not None and 0 < tick <= 1.0
    player.now += 5
    player.learn(replace(open_link, link=LinkChanged("connecting")))
    player.learn(replace(open_link, link=lost))
    assert player.control.ui.held_until == held_until  # counted from the first loss
    player.learn(open_link)
    assert player.control.ui.held_until is None


# -- the lobby --------------------------------------------------------------------------------


def in_lobby() -> Player:
    player = Player()
    tables = (
        TableInfo(table="Kitchen", options=TableOptions(), state="waiting"),
        TableInfo(table="Night owls", options=TableOptions(), state="waiting", locked=True),
    )
    player.learn(Model(welcome=WELCOME, lobby=Lobby(tables=tables)))
    return player


def test_tables_are_joined_watched_and_made() -> None:
    player = in_lobby()
    player.press("enter", "w", "down", "enter", "n")
    assert player.asked == [
        (JoinTable, {"table": "Kitchen", "watch": False}),
        (JoinTable, {"table": "Kitchen", "watch": True}),
    ]
    assert player.chats == ["/join Night owls password=", "/create "]
    player.control.click("table:0", player.now)
    player.control.click("table:0", player.now)
    assert player.asked[-1] == (JoinTable, {"table": "Kitchen", "watch": False})


def test_commands_of_the_lobby() -> None:
    player = in_lobby()
    say(player.control, "/create My table passing=locked, seats=6 password=x", player.now)
    say(player.control, "/join Night owls password=secret", player.now)
    say(player.control, "/watch Kitchen", player.now)
    assert player.asked == [
        (
            CreateTable,
            {"table": "My table", "options": {"passing": "locked", "seats": "6"}, "password": "x"},
        ),
        (JoinTable, {"table": "Night owls", "watch": False, "password": "secret"}),
        (JoinTable, {"table": "Kitchen", "watch": True, "password": None}),
    ]
    say(player.control, "hello", player.now)
    assert player.hint
    say(player.control, "/deal", player.now)
    assert len(player.asked) == 3 and player.hint
    assert completions(player.control, "/join n") == ["/join Night owls"]


# -- commands at a table ----------------------------------------------------------------------


def test_commands_of_a_table() -> None:
    player = Player(Stage(4, options=TableOptions(seats=8)))
    for text in (
        "good  evening\n all",
        "/add random",
        "/kick max",
        "/host Grace",
        "/deal",
        "/away",
        "/back",
        "/close",
    ):
        say(player.control, text, player.now)
    assert (
        player.asked
        == [
            (Chat, {"text": "good evening all"}),
            (AddBot, {"bot": "random"}),
            (Kick, {"player": 3}),
            (GiveHost, {"player": 2}),
            (Deal, {}),
            (Away, {"away": True}),
            (Away, {"away": False}),
            (Close, {}),
        ]
        or player.hint
    )
    for text, overlay in (("/help", "help"), ("/score", "scores"), ("/quit", "leave")):
        say(player.control, text, player.now)
        assert player.control.ui.overlay == overlay
    for text in ("/who", "/rules"):
        logged = player.control.model.logged
        say(player.control, text, player.now)
        assert player.control.model.logged == logged + 1
    for text in ("/nonsense", "/kick", "/kick nobody"):
        player.control.ui.hint = ""
        say(player.control, text, player.now)
        assert player.hint
    say(player.control, "/leave", player.now)
    assert player.quits == [True]


def test_completion() -> None:
    control = Player(Stage(4)).control
    assert completions(control, "/sc") == ["/score "]
    assert completions(control, "/kick m") == ["/kick Max"]
    bots = ("careful", "expert", "greedy", "easy", "random")
    assert completions(control, "/add ") == [f"/add {bot}" for bot in bots]
    assert completions(control, "/host A") == []  # oneself is no choice
    assert completions(control, "hello") == []


def test_what_is_typed_shows_what_it_may_become() -> None:
    control = Player(Stage(4)).control
    assert offered(control, "/") == tuple(sorted(COMMANDS.keys() - IN_LOBBY, key=[*COMMANDS].index))
    assert offered(control, "/sc") == ("/score",)
    assert offered(control, "/host ") == ("Grace", "Max", "王小明")
    assert offered(control, "/create Attic passing=") == ("/create",)
    assert offered(control, "/nonsense") == ()
    assert offered(control, "hello") == ()


def test_a_key_that_does_nothing_says_so_in_our_turn_too() -> None:
    player = quiet(Stage(4, seed=3).deal().run(your_turn))
    player.press("z")
    assert player.control.ui.hint == tabletexts.UNKNOWN_KEY
    player.press("escape", "left")
    assert player.control.ui.hint == ""
