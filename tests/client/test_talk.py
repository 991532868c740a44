"""Plain and line mode's conversation: what lines mean, and what is said."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from dalmuti.client.answers import answer
from dalmuti.client.model import LinkChanged, Model
from dalmuti.client.talk import Reply, Talk
from dalmuti.core import events as ev
from dalmuti.core.cards import Play, counts_of
from dalmuti.core.events import Due, PlayerInfo, Result, Score
from dalmuti.core.moves import DECLINE, PASS, Call, Give, legal_follows, legal_gives, legal_leads
from dalmuti.core.options import TableOptions
from dalmuti.core.views import HandView, TableView, TrickView
from dalmuti.protocol.messages import (
    Act,
    AddBot,
    Away,
    Chat,
    Choice,
    CreateTable,
    Deal,
    Decision,
    Error,
    EventMessage,
    GiveHost,
    JoinTable,
    Kick,
    Lobby,
    Snapshot,
    TableInfo,
)

CARDS = (5, 8, 8, 8, 9, 9, 11, 12, 12, 12, 12, 13)
HAND = HandView(
    number=3,
    order=(2, 1, 3, 4),
    sizes=(10, 12, 9, 8),
    seat=1,
    cards=CARDS,
    dealt=CARDS,
    dues=(Due(3, 0, 2), Due(2, 1, 1)),
)
TABLE = TableView(
    table="Kitchen",
    options=TableOptions(seats=4),
    state="hand",
    you=1,
    host=1,
    players=(
        PlayerInfo(player=1, name="Ada"),
        PlayerInfo(player=2, name="Bea", kind="house"),
        PlayerInfo(player=3, name="Cem", presence="standin"),
        PlayerInfo(player=4, name="Dan"),
    ),
    order=(2, 1, 3, 4),
    hand=HAND,
)


def leading() -> tuple[TableView, Decision]:
    choices = tuple(legal_leads(counts_of(CARDS)))
    return TABLE, Decision(decision=5, kind="lead", choices=choices, default=Play(12, 1))


def following(top: Play) -> tuple[TableView, Decision]:
    trick = TrickView(top=top, owner=0)
    choices: tuple[Choice, ...] = (*legal_follows(counts_of(CARDS), top), PASS)
    table = replace(TABLE, hand=replace(HAND, trick=trick))
    return table, Decision(decision=6, kind="follow", choices=choices, default=PASS)


def taxed(due: int) -> tuple[TableView, Decision]:
    gives = tuple(legal_gives(counts_of(CARDS), due))
    hand = replace(HAND, phase="taxes", dues=(Due(3, 1, due),))
    table = replace(TABLE, hand=hand)
    return table, Decision(decision=7, kind="tax", choices=gives, default=gives[0])


def asked(table: TableView, decision: Decision) -> tuple[Talk, list[str]]:
    talk = Talk()
    talk.hear(Snapshot(seq=1, table=table), 0.0)
    return talk, talk.hear(decision, 0.0)


def test_who_has_left_is_not_said_to_be_at_the_table() -> None:
    """During a hand the table still lists those who left."""
    gone = replace(TABLE.players[1], presence="left")
    table = replace(TABLE, players=(TABLE.players[0], gone, *TABLE.players[2:]))
    first = Talk().hear(Snapshot(seq=1, table=table), 0.0)[0]
    assert "At the table: you," in first and gone.name not in first


# -- questions --------------------------------------------------------------------------------


def test_a_lead_is_asked_with_every_choice() -> None:
    _, lines = asked(*leading())
    assert lines[0] == (
        "Your turn: lead any set (an empty line: 1x12)."
        " You hold 12 cards: 1x5, 3x8, 2x9, 1x11, 4x12, 1xJ."
    )
    assert lines[1:4] == ["1. 1xJ", "2. 1x12", "3. 2x12"]
    assert "0. pass" not in lines


def test_a_follow_is_asked_with_pass() -> None:
    _, lines = asked(*following(Play(11, 2)))
    assert lines[0].startswith("Your turn: beat Bea's 2x11 Stonecutters, or pass (an empty line:")
    assert lines[1:] == ["1. 2x9", "2. 2x9+1J", "3. 2x8", "4. 2x8+1J", "5. 2x5+1J", "0. pass"]


def test_nothing_but_passing() -> None:
    table, decision = following(Play(5, 1))
    _, lines = asked(table, decision)
    assert lines[0].startswith("Your turn: you can only pass on Bea's 1x5 Abbess")
    assert lines[1:] == ["0. pass"]
    assert answer(Model(table=table), decision, "1") == PASS


def test_a_tax_is_asked() -> None:
    _, lines = asked(*taxed(2))
    assert lines[0].startswith("Your turn: give 2 cards back to Dan, who pays you the 2 best cards")
    assert lines[1] == "1. give back 2x12"


def test_what_to_type_is_said_once() -> None:
    talk = Talk()
    first = talk.hear(Snapshot(seq=1, table=TABLE), 0.0)
    again = talk.hear(Snapshot(seq=9, table=TABLE), 0.0)
    assert [any("Type help" in line for line in lines) for lines in (first, again)] == [True, False]


def test_nothing_is_asked_while_we_are_away() -> None:
    table, decision = following(Play(11, 2))
    talk = Talk()
    talk.hear(Snapshot(seq=1, table=table), 0.0)
    talk.hear(EventMessage(seq=2, event=ev.PresenceChanged(1, "away")), 0.0)
    assert talk.hear(decision, 0.0) == []
    lines = talk.hear(EventMessage(seq=3, event=ev.PresenceChanged(1, "here")), 0.0)
    assert lines[0] == "You are back."
    assert lines[1].startswith("Your turn: beat Bea's 2x11")


def test_a_revolution_is_asked() -> None:
    decision = Decision(
        decision=1, kind="revolution", choices=(DECLINE, Call(greater=True)), default=DECLINE
    )
    _, lines = asked(TABLE, decision)
    assert lines[1:] == [
        "1. call no revolution",
        "2. show both Jesters and call a Greater Revolution",
    ]


def test_asked_once_and_again_after_a_refusal() -> None:
    talk, lines = asked(*leading())
    assert lines
    assert talk.hear(Act(id=9, decision=5, choice=Play(12, 1)), 0.0) == []
    again = talk.hear(Error(re=9, code="not_held", message="you do not hold 1x12"), 0.0)
    assert again[0] == "You do not hold those cards."
    assert again[1].startswith("Your turn: ")


# -- answers ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("", PASS),
        ("0", PASS),
        ("pass", PASS),
        ("PASS", PASS),
        ("1", Play(9, 2)),
        ("2x9", Play(9, 2)),
        ("2X8", Play(8, 2)),
        (" 2x8 ", Play(8, 2)),
        ("2x8+1J", Play(8, 2, 1)),
        ("2x5+j", Play(5, 2, 1)),
        ("9", Play(9, 2)),
        ("8", Play(8, 2)),
    ],
)
def test_answers_when_following(text: str, choice: object) -> None:
    table, decision = following(Play(11, 2))
    assert answer(Model(table=table), decision, text) == choice


@pytest.mark.parametrize(
    ("text", "choice"),
    [("", Play(12, 1)), ("4x12", Play(12, 4)), ("j", Play(13, 1, 1)), ("1xj", Play(13, 1, 1))],
)
def test_answers_when_leading(text: str, choice: object) -> None:
    table, decision = leading()
    assert answer(Model(table=table), decision, text) == choice


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("", Give((12, 12))),
        ("1", Give((12, 12))),
        ("9,12", Give((9, 12))),
        ("give 12 9", Give((9, 12))),
        ("5 J", Give((5, 13))),
        ("2x12", Give((12, 12))),
        ("give back 1x9 and 1xJ", Give((9, 13))),
    ],
)
def test_answers_to_a_tax(text: str, choice: object) -> None:
    table, decision = taxed(2)
    assert answer(Model(table=table), decision, text) == choice


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("3x8", "To follow 2x11 you need exactly 2 cards; 3x8 has 3."),
        ("2x12", "12 does not beat 11: only a lower number does."),
        ("2x11", "An equal number does not beat 11"),
        ("2x3", "You hold no card of rank 3."),
        ("2x9+2J", "That is no set: it needs a card of its own rank"),
        ("3x14", "That is no set"),
        ("2xJ", "Jesters alone count as 13 and beat nothing"),
        ("7", "You hold no card of rank 7."),
        ("12", "12 does not beat 11"),
        ("77", "77 is neither the number of a choice nor a rank that you can play"),
        ("decline", "That is not what is asked for now."),
        ("2x", "cannot be read"),
        ("99999999999999999999", "cannot be read"),
        ("call", "both Jesters may call"),
    ],
)
def test_wrong_answers_say_what_was_expected(text: str, why: str) -> None:
    table, decision = following(Play(11, 2))
    talk, _ = asked(table, decision)
    reply = talk.read(text, 0.0)
    assert reply.request is None and not reply.early
    assert why in reply.lines[0]
    assert (
        "Type the number of a choice, a set such as 2x9, pass, or an empty line for pass."
        in (reply.lines[0])
    )


def test_a_rank_that_needs_a_jester_says_so() -> None:
    table, decision = following(Play(11, 4))
    with pytest.raises(ValueError, match=r"need a Jester; type 4x8\+1J"):
        answer(Model(table=table), decision, "8")


def test_passing_a_lead_is_refused() -> None:
    table, decision = leading()
    with pytest.raises(ValueError, match="You lead this trick and cannot pass"):
        answer(Model(table=table), decision, "pass")


@pytest.mark.parametrize("text", ["12", "9", "9,9,9", "3,4", "give"])
def test_wrong_returns_are_refused(text: str) -> None:
    table, decision = taxed(2)
    too_large = len(decision.choices) + 1
    wrong = text if text not in ("12", "9") else str(too_large)
    with pytest.raises(ValueError, match=r".+\."):
        answer(Model(table=table), decision, wrong)


def test_an_answer_is_a_request() -> None:
    talk, _ = asked(*following(Play(11, 2)))
    reply = talk.read("2x9", 0.0)
    assert reply == Reply(request=Act, fields={"decision": 6, "choice": Play(9, 2)})


def test_answers_without_a_question_are_early() -> None:
    talk = Talk()
    talk.hear(Snapshot(seq=1, table=TABLE), 0.0)
    for text in ("", "3", "2x9", "pass", "give 9,12", "decline"):
        assert talk.read(text, 0.0).early, text
    assert not talk.read("pas", 0.0).early


# -- commands ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "request_type", "fields"),
    [
        ("say  hello all", Chat, {"text": "hello all"}),
        ("deal", Deal, {}),
        ("add random", AddBot, {"bot": "random"}),
        ("add", AddBot, {"bot": "careful"}),
        ("kick bea", Kick, {"player": 2}),
        ("host Cem", GiveHost, {"player": 3}),
        ("away", Away, {"away": True}),
        ("back", Away, {"away": False}),
        ("open Attic", CreateTable, {"table": "Attic"}),
        ("join Garage", JoinTable, {"table": "Garage"}),
        ("watch Garage", JoinTable, {"table": "Garage", "watch": True}),
    ],
)
def test_requests(text: str, request_type: object, fields: dict[str, object]) -> None:
    talk = Talk()
    talk.hear(Snapshot(seq=1, table=TABLE), 0.0)
    reply = talk.read(text, 0.0)
    assert (reply.request, reply.fields) == (request_type, fields)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hand", "You hold 12 cards: 1x5, 3x8, 2x9, 1x11, 4x12, 1xJ."),
        ("table", "Bea, Greater Dalmuti: 10 cards."),
        ("who", "Cem: Lesser Peon, played by the stand-in."),
        ("score", "No hand has been finished yet."),
        ("time", "No clock is running."),
        ("log", "Nothing has happened yet."),
        ("rules", "At this table: 4 seats, classic rules."),
        ("help", "say TEXT: chat."),
        ("say", "Say what?"),
        ("kick Zoe", "At the table: Ada, Bea, Cem and Dan."),
        ("join", "Which table?"),
        ("frobnicate", "'frobnicate' is no command; help lists them."),
    ],
)
def test_things_said_on_demand(text: str, said: str) -> None:
    talk = Talk()
    talk.hear(Snapshot(seq=1, table=TABLE), 0.0)
    reply = talk.read(text, 0.0)
    assert reply.request is None
    assert any(said in line for line in reply.lines), reply.lines


def test_leave_and_quit() -> None:
    assert Talk().read("leave", 0.0).end == "leave"
    assert Talk().read(" QUIT ", 0.0).end == "quit"


def test_commands_without_a_table() -> None:
    for text in ("hand", "table", "who", "score", "rules", "tables"):
        assert Talk().read(text, 0.0).lines


# -- what is said by itself -------------------------------------------------------------------


def test_the_end_of_a_hand_is_a_line_a_place() -> None:
    talk = Talk()
    talk.hear(Snapshot(seq=1, table=TABLE), 0.0)
    places = tuple(Result(seat, player, 0) for seat, player in enumerate((2, 1, 3, 4)))
    lines = talk.hear(EventMessage(seq=2, event=ev.HandEnded(3, places)), 0.0)
    assert lines == [
        "Hand 3 is over.",
        "1. Bea, Greater Dalmuti",
        "2. Ada, Lesser Dalmuti",
        "3. Cem, Lesser Peon",
        "4. Dan, Greater Peon",
        "You keep your place: you are the Lesser Dalmuti again.",
    ]
    scored = ev.Scored((Score(2, 0, 1), Score(1, 0, 0)))
    assert talk.hear(EventMessage(seq=3, event=scored), 0.0) == ["Hands won: Bea 1."]
    hint = talk.hear(EventMessage(seq=4, event=ev.HandPrepared(4, "aa")), 0.0)
    assert hint == ["You are the host: deal deals the next hand."]


def test_no_escape_byte_ever_comes_out() -> None:
    talk = Talk()
    talk.hear(Snapshot(seq=1, table=TABLE), 0.0)
    lines = talk.hear(EventMessage(seq=2, event=ev.Chatted("B\x1b[1m", "\x1b[31mred\x07\n")), 0.0)
    assert lines and not any(char in line for line in lines for char in "\x1b\x07\n")
    assert "\x1b" not in "".join(talk.read("\x1b[31mx", 0.0).lines)


def test_the_lobby_is_told_when_it_changes() -> None:
    talk = Talk()
    info = TableInfo(table="Kitchen", options=TableOptions(), state="hand", hand=2, people=3)
    lines = talk.hear(Lobby(tables=(info,)), 0.0)
    assert lines[0] == "Table Kitchen: 3 of 8 seats taken, playing hand 2."
    assert talk.hear(Lobby(tables=(replace(info, people=4),)), 0.0) == []
    assert talk.read("join", 0.0).fields == {"table": "Kitchen"}


def test_an_empty_line_goes_on_at_a_table_of_ones_own() -> None:
    """Once for each hand, and only after the first."""
    between = replace(
        TABLE, solo=True, state="between", hand=None, next_hand=4, result=ev.HandEnded(3, ())
    )
    talk = Talk()
    talk.hear(Snapshot(seq=1, table=between), 0.0)
    assert talk.read("", 0.0).request is Deal
    assert talk.read("", 0.0).early
    first = Talk()
    first.hear(Snapshot(seq=1, table=replace(between, result=None)), 0.0)
    assert first.read("", 0.0).early


def test_the_end_is_left_to_the_command() -> None:
    assert Talk().hear(LinkChanged("ended", "The table is closed."), 0.0) == []
    assert Talk().hear(LinkChanged("lost", "Trying again in 1 s.", 3.0), 0.0) == [
        "Trying again in 1 s."
    ]
