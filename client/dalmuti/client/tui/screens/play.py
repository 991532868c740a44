"""The table while a hand is played: players, log, the set to beat, the hand, the choice."""

from __future__ import annotations

from collections.abc import Sequence

from dalmuti.client import words
from dalmuti.client.i18n import tr, tr_in
from dalmuti.client.tui import keytexts, labels, placetexts, tabletexts
from dalmuti.client.tui.canvas import Frame, Line, Span, cells, flow, line, span
from dalmuti.client.tui.screens import hiding
from dalmuti.client.tui.screens.base import (
    NARROW_NOTE,
    NARROW_SPLIT,
    WIDE_NOTE,
    WIDE_SPLIT,
    Keys,
    Scene,
    body,
    chat_row,
    column_of_titles,
    key_bar,
    last_act,
    log_title,
    player_rows,
    title_bar,
    with_presence,
)
from dalmuti.client.tui.screens.cards import (
    choice_rows,
    grid,
    hand_pictures,
    pictures,
    play_words,
    trick_chain,
)
from dalmuti.client.tui.screens.court import court_screen, note_of, pile, trick_list
from dalmuti.client.tui.selector import PlaySelector
from dalmuti.core.cards import Counts, Play, counts_of
from dalmuti.core.events import Act, Exchange
from dalmuti.core.titles import title_of


def table_screen(
    scene: Scene,
    *,
    parts: Sequence[str],
    left_title: str,
    notes: Sequence[Line],
    extra: Sequence[Line] = (),
    middle: tuple[str, Sequence[Line]],
    hand: tuple[str, Sequence[Line]],
    choice: tuple[str, Sequence[Line]],
    does: str = "",
    mine: bool,
    keys: Keys,
    above_log: tuple[str, Sequence[Line]] | None = None,
) -> list[Line]:
    """The frame of all scenes of a hand; each section is its title and its lines.

    `notes` say something of each player, beside which stands whether he is there. In a window that
    is wide and tall everybody sits around a table (`court`): `middle` lies on it, and `above_log`
    stands above the log, where the list has `extra` below the players.

    The middle, the hand and the choice have the height of their lines; players and log have
    the rest, so that ten players fit into 24 rows when the sections have six lines in all.
    `does` says what Enter does where the lines of the choice have no room for it.
    """
    hand, choice = hiding.hand_section(scene, hand), hiding.choice_section(scene, choice)
    does, keys = "" if scene.ui.hidden else does, hiding.keys_of(scene, keys)
    if scene.ui.told is not None:
        choice, does, mine = _told_last(*scene.ui.told, len(choice[1])), "", True
    if scene.round:
        heading = [line(span(middle[0], "head")), line()] if middle[0] else []
        return court_screen(
            scene,
            parts=parts,
            title=left_title,
            notes=notes,
            middle=[*heading, *middle[1]],
            above_log=above_log,
            waiting=_waiting(scene),
            hand=hand,
            choice=choice,
            does=does,
            mine=mine,
            keys=keys,
        )
    split = WIDE_SPLIT if scene.wide else NARROW_SPLIT
    frame = Frame(scene.cols)
    frame.rule(
        "┌┐",
        left_title,
        split=split,
        joint="┬",
        second=log_title(scene),
        remark=placetexts.columns_of_players(),
        above=column_of_titles(split - 3),
    )
    sections = (middle, hand, choice)
    rows = scene.rows - 8 - sum(len(lines) for _, lines in sections)
    told = [with_presence(scene, seat, note) for seat, note in enumerate(notes)]
    left = player_rows(scene, split - 3, told)
    left += _waiting(scene)
    left += extra if len(left) + 2 < rows else ()
    body(frame, scene, left, rows, split)
    frame.section(*middle, split=split)
    frame.section(*hand)
    frame.section(*choice, accent=mine, right=does)
    frame.rule("└┘")
    return [title_bar(scene, *parts), *frame.rows, chat_row(scene), key_bar(scene, keys)]


def _told_last(title: str, texts: Sequence[str], rows: int) -> tuple[str, list[Line]]:
    """In a replay, in the place of a choice: what happened last."""
    lines = [line(span(text)) for text in texts[:rows]]
    return title, lines + [[] for _ in range(rows - len(lines))]


def hand_parts(scene: Scene, *more: str) -> list[str]:
    """What the title bar says in a hand."""
    size = labels.players(len(scene.hand.order))
    return [scene.table.table, labels.hand_number(scene.hand.number), *more, size]


def _waiting(scene: Scene) -> list[Line]:
    """Who sits down for the next hand."""
    return [
        line(span(f"  {labels.waits(scene.who(info.player))}", "dim"))
        for info in scene.table.players
        if info.player not in scene.hand.order and info.presence != "left"
    ]


# -- tricks ---------------------------------------------------------------------------------------


def tricks(scene: Scene) -> list[Line]:
    """The screen while tricks are played."""
    hand = scene.hand
    selector = scene.ui.selector if isinstance(scene.ui.selector, PlaySelector) else None
    leaving = None
    if selector and selector.chosen and selector.armed:
        leaving = counts_of(selector.chosen.cards())
    return table_screen(
        scene,
        parts=hand_parts(scene, labels.trick_number(hand.tricks + 1)),
        left_title=tr(labels.PLAYERS),
        notes=[(note_of if scene.round else _act_note)(scene, seat) for seat in _seats(scene)],
        extra=() if scene.round else _history(scene),
        middle=("", pile(scene, _opening_note(scene)) if scene.round else _pile(scene)),
        above_log=trick_list(scene) if scene.round else None,
        hand=_hand_section(scene, selector, leaving),
        choice=_choice(scene, selector),
        does=_does(selector),
        mine=selector is not None,
        keys=_keys(scene, selector),
    )


def _seats(scene: Scene) -> range:
    return range(len(scene.hand.order))


def _act_note(scene: Scene, seat: int) -> Line:
    """What the row of a player says about him."""
    hand = scene.hand
    if seat in hand.finished:
        return line(span(labels.out(hand.finished.index(seat) + 1), "dim"))
    act = last_act(hand, seat)
    if hand.turn and seat in hand.turn.seats and seat == hand.seat and scene.ui.selector:
        return line(span(tr(labels.YOUR_TURN), "accent"))
    if act is None:
        return []
    if act.play is None:
        return line(span(tr_in("note", labels.PASSES), "dim"))
    alone = scene.wide or not scene.presence(hand.order[seat])
    if hand.trick.owner != seat or act.play != hand.trick.top:
        return line(span(str(act.play)))
    told = play_words(act.play)
    fits = cells(told) <= (WIDE_NOTE if scene.wide else NARROW_NOTE)
    return told if alone and fits and not act.play.jesters else told[:1]


def _pile(scene: Scene) -> list[Line]:
    """The set to beat and how the trick came there; in a tall window the cards of the set too."""
    hand, trick = scene.hand, scene.hand.trick
    room = scene.cols - 4
    note = _opening_note(scene)
    if trick.top is not None and trick.owner is not None:
        first = [
            *line(span(f"{tr(labels.TO_BEAT)}  ", "dim")),
            *play_words(trick.top),
            span(f"  {labels.by(scene.seat_name(trick.owner))}"),
        ]
        beaten = span(labels.beaten_by(trick.top), "dim")
        acts = [(scene.seat_name(act.seat), act.play) for act in trick.acts]
        head = span(f"{tr(labels.THIS_TRICK)}  ", "dim")
        second = [head, *trick_chain(scene, acts, room - cells([head]))]
    else:
        leader = hand.turn.seats[0] if hand.turn and hand.turn.seats else None
        mine = scene.ui.selector is not None
        said = "" if leader is None else labels.leads(scene.seat_name(leader), mine)
        first = line(span(said, "bold"))
        beaten = span("")
        acts = [(scene.seat_name(act.seat), act.play) for act in hand.last_trick]
        head = span(f"{tr(labels.LAST_TRICK)}  ", "dim")
        second = [head, *trick_chain(scene, acts, room - cells([head]))]
        second = second if acts else []
    told = line(span(note, "note")) if note else second
    if not scene.tall:
        whole = [*first, span("   "), beaten]
        return [whole if cells(whole) <= room else first, told]
    drawn = pictures([(trick.top.cards(), "pick")], room - 46) if trick.top else []
    beside = [first, [beaten], line(span(note, "note"))]
    if not drawn:
        return [first, line(span(note, "note")), []]
    return [[*row, span("  "), *text] for row, text in zip(drawn, beside, strict=True)]


def _opening_note(scene: Scene) -> str:
    """In the first trick: a revolution, or what we paid or got in taxes, for we alone know."""
    hand = scene.hand
    if hand.tricks:
        return ""
    if hand.revolution is not None:
        # The seat of a caller is told as it was; a Greater Revolution has turned the seats since.
        seat, greater = hand.revolution.seat, hand.revolution.greater
        return labels.revolution_called(
            scene.seat_name(len(hand.order) - 1 - seat if greater else seat), greater
        )
    for exchange in hand.exchanges:
        if hand.seat in (exchange.payer, exchange.receiver) and exchange.paid is not None:
            return _moved(scene, exchange)
    return ""


def _moved(scene: Scene, exchange: Exchange) -> str:
    paid = words.cards(exchange.paid or ())
    returned = words.cards(exchange.returned or ())
    if exchange.payer == scene.hand.seat:
        return labels.you_paid(scene.seat_name(exchange.receiver), paid, returned)
    return labels.you_got(scene.seat_name(exchange.payer), paid, returned)


def _history(scene: Scene) -> list[Line]:
    """Below the players, where there is room: this trick, the one before, and the score."""
    hand = scene.hand
    room = (WIDE_SPLIT if scene.wide else NARROW_SPLIT) - 3
    lines: list[Line] = []
    # Beside the set to beat a low window shows this trick, a tall one the pictures.
    this = hand.trick.acts if scene.tall else ()
    for title, acts in ((tr(labels.THIS_TRICK), this), (tr(labels.LAST_TRICK), hand.last_trick)):
        if acts and (scene.tall or hand.trick.acts):
            lines += [line(), line(span(f"  {title}", "head"))]
            lines += [line(span(f"  {text}")) for text in flow(_told(scene, acts), room - 2)]
    if scene.table.scores:
        lines += [line(), line(span(f"  {_score_head(scene)}", "head"))]
        lines += [line(span(f"  {text}")) for text in flow(_scores(scene), room - 2)]
    return lines


def _score_head(scene: Scene) -> str:
    points = scene.table.options.scoring == "points"
    return labels.first_capital(
        tr_in("heading", tabletexts.POINTS if points else tabletexts.HANDS_WON)
    )


def _told(scene: Scene, acts: Sequence[Act]) -> list[str]:
    passes = tr_in("note", labels.PASSES)
    return [f"{scene.seat_name(act.seat)} {act.play or passes}" for act in acts]


def _scores(scene: Scene) -> list[str]:
    points = scene.table.options.scoring == "points"
    return [
        f"{scene.who(s.player)} {s.points if points else s.hands_won}" for s in scene.table.scores
    ]


def _hand_section(
    scene: Scene, selector: PlaySelector | None, leaving: Counts | None
) -> tuple[str, list[Line]]:
    hand = scene.hand
    if hand.cards is None:
        return tr(labels.WATCHING_TITLE), [[], line(span(tr(labels.WATCHING_HAND), "dim"))]
    playable = None if selector is None else {play.rank for play in selector.plays}
    lines = grid(scene, counts_of(hand.cards), playable=playable, leaving=leaving)
    if scene.tall:
        lines = hand_pictures(scene, leaving) + lines
    return labels.your_hand(len(hand.cards)), lines


def _choice(scene: Scene, selector: PlaySelector | None) -> tuple[str, list[Line]]:
    hand = scene.hand
    room = scene.cols - 4
    if selector is not None:
        top = hand.trick.top
        title = tr(labels.YOU_LEAD) if top is None else labels.beat(str(top))
        return title, choice_rows(selector, room)
    if hand.seat is not None and hand.seat in hand.finished:
        place = hand.finished.index(hand.seat)
        title_word = words.title(title_of(place, len(hand.order)))
        return tr(labels.OUT_TITLE), [line(span(labels.you_are_out(place + 1, title_word))), []]
    if hand.seat is not None and scene.info(hand.order[hand.seat]).presence in ("away", "standin"):
        return tr(labels.WAITING), [line(span(tr(labels.STANDIN_PLAYS), "bold")), []]
    turn = hand.turn.seats if hand.turn else ()
    if hand.seat is not None and hand.seat in turn and scene.ui.sent is not None:
        sent = scene.ui.sent
        text = labels.sent(str(sent) if isinstance(sent, Play) else tr_in("choice", labels.PASS))
        return tr(labels.WAITING), [line(span(text, "dim")), []]
    if turn:
        who = scene.seat_name(turn[0])
        said = line(span(labels.waits_for(who)))
        return tr(labels.WAITING), [said, line(_absent(scene, turn[0]))]
    return tr(labels.WAITING), [[], []]


def _does(selector: PlaySelector | None) -> str:
    """What Enter does for a leader, whose two lines are ranks and sizes."""
    if selector is None or not selector.armed or len(selector.variants) < 2:
        return ""
    return labels.enter_plays(selector.chosen)


def _absent(scene: Scene, seat: int) -> Span:
    """Why it may take a while, or why it is not our turn any more."""
    presence = scene.info(scene.hand.order[seat]).presence
    locked = scene.table.options.passing == "locked" and scene.hand.seat in scene.hand.trick.passed
    if presence in labels.WHY_WAITING:
        return span(tr(labels.WHY_WAITING[presence]), "dim")
    return span(tr(labels.LOCKED_OUT) if locked else "", "dim")


def _keys(scene: Scene, selector: PlaySelector | None) -> Keys:
    if selector is None:
        return keytexts.KEYS_WATCH if scene.table.you is None else keytexts.KEYS_WAIT
    if not selector.plays:
        return keytexts.KEYS_PASS
    return keytexts.KEYS_FOLLOW if selector.can_pass else keytexts.KEYS_LEAD
