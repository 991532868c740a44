"""A rated table without a network: who deals, who may do what, and what counts for whom."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from dalmuti.core import events as ev
from dalmuti.core.match import Began, Ended, Moved
from dalmuti.core.moves import Call, Move
from dalmuti.protocol import messages as msg
from dalmuti.server.ladder.settings import LadderSettings
from dalmuti.server.limits import Limits
from dalmuti.server.sessions import Caller
from dalmuti.server.table.rated import NONCE_SECONDS, Rated, Tally
from server.kept import KeptSim
from server.sim import NAME


class RatedSim(KeptSim):
    """A rated table of bots, kept and compared after every step as `KeptSim` does it."""

    def __init__(
        self,
        *names: str,
        hands: int = 2,
        house: tuple[str, ...] = (),
        seed: int | None = None,
    ) -> None:
        """With a `seed` the deals are known, so that a test shows the same each time."""
        self.names_given, self.house = names, house
        self.silent: int | None = None
        self.answers_after = 99
        settings = LadderSettings(seats=len(names) + len(house), hands=hands)
        options = {
            name: getattr(settings.options(), name) for name in settings.options().__struct_fields__
        }
        self.bots: list[int] = []
        super().__init__(
            options=options,
            limits=Limits(window_seconds=0),
            fair=seed is None,
            seed=seed or 0,
            pace=0,
            rated=Rated(7),
        )

    def open(self, *_: object) -> int:
        self.bots = [self.connect(name, "bot") for name in self.names_given]
        callers = [self.viewers[conn].caller for conn in self.bots]
        self.table.open_rated(callers, self.house, self.now)
        return self.bots[0]

    def built(self, saved: Any) -> Any:
        assert saved.header.rated == 7
        return super().built(saved)

    @property
    def tally(self) -> dict[int, Tally]:
        assert self.table.rated is not None
        return self.table.rated.tally

    def asked(self) -> list[int]:
        """As usual, but for one bot that answers only after the clock did so a few times."""
        return [conn for conn in super().asked() if conn != self.silent or self._late(conn)]

    def _late(self, conn: int) -> bool:
        player = self.table.people.player_at(conn)
        return player is not None and player.late >= self.answers_after

    def play(self) -> None:
        """Plays the match to its end."""
        self.play_on(until=lambda: self.table.closed)

    def begin_hand(self) -> None:
        """Waits for the next deal."""
        self.play_on(until=lambda: self.table.play.match.hand is not None)


def points(sim: RatedSim) -> dict[int, int]:
    """What everybody has according to the events of the hands."""
    found: dict[int, int] = {}
    for each in sim.viewers[sim.bots[0]].events(ev.HandEnded):
        for line in each.places:
            found[line.player] = found.get(line.player, 0) + line.points
    return found


def test_the_server_deals_hand_after_hand_and_closes_the_table_with_the_match() -> None:
    sim = RatedSim("A", "B", "C", hands=3)
    assert sim.table.seating.host is None and sim.table.info().rated
    sim.play()
    viewer = sim.viewers[sim.bots[0]]
    assert [each.hand for each in viewer.events(ev.HandEnded)] == [1, 2, 3]
    assert len(viewer.events(ev.MatchEnded)) == 1
    assert viewer.messages[-1] == msg.Unseated(table=NAME, reason="closed")
    assert {n: each.points for n, each in sim.tally.items()} == points(sim)
    assert all((each.hands, each.helped) == (3, 0) for each in sim.tally.values())
    assert sum(each.firsts for each in sim.tally.values()) == 3
    assert sim.compared > 50


def test_titles_are_inherited_and_the_commitments_are_the_usual_ones() -> None:
    sim = RatedSim("A", "B", "C")
    sim.play()
    viewer = sim.viewers[sim.bots[0]]
    first = viewer.events(ev.HandEnded)[0]
    order = viewer.events(ev.HandStarted)[1].order
    assert order == tuple(line.player for line in first.places)
    (snapshot,) = [each for each in viewer.messages if isinstance(each, msg.Snapshot)]
    prepared = [each.commitment for each in viewer.events(ev.HandPrepared)]
    started = [each.commitment for each in viewer.events(ev.HandStarted)]
    assert started == [snapshot.table.next_commitment, prepared[0]]
    assert len(viewer.events(ev.DealRevealed)) == 2


def test_a_hand_is_dealt_at_once_when_all_gave_nonces_else_after_a_moment() -> None:
    sim = RatedSim("A", "B")
    assert sim.table.next_deadline() == sim.now + NONCE_SECONDS
    for conn in sim.bots:
        assert sim.table.play.match.hand is None
        assert sim.ask(conn, msg.Nonce, hand=1, nonce="ab" * 16) == "ok"
    sim.advance(0)
    assert sim.table.play.match.hand is not None
    assert len(sim.viewers[sim.bots[0]].events(ev.HandStarted)[0].nonces) == 2


REFUSED: list[tuple[type[msg.Request], dict[str, Any], str]] = [
    (msg.Deal, {}, "not_host"),
    (msg.AddBot, {"bot": "greedy"}, "not_host"),
    (msg.Kick, {"player": 2}, "not_host"),
    (msg.Allow, {}, "not_host"),
    (msg.GiveHost, {"player": 1}, "not_host"),
    (msg.Close, {}, "not_host"),
    (msg.Chat, {"text": "lead your Jesters"}, "refused"),
]


@pytest.mark.parametrize(("kind", "fields", "code"), REFUSED)
@pytest.mark.parametrize("running", [False, True])
@pytest.mark.parametrize("watches", [False, True])
def test_nobody_has_the_powers_of_a_host_and_nobody_talks(
    kind: type[msg.Request], fields: dict[str, Any], code: str, running: bool, watches: bool
) -> None:
    sim = RatedSim("A", "B")
    if running:
        sim.advance(NONCE_SECONDS)
        assert sim.table.play.match.hand is not None
    conn = sim.watch("Zoe") if watches else sim.bots[0]
    assert sim.ask(conn, kind, **fields) == code


def test_others_watch_and_do_not_sit_down() -> None:
    sim = RatedSim("A", "B", house=("greedy",))
    for kind in ("human", "bot"):
        stranger = sim.connect("Stranger", kind)
        assert sim.ask(stranger, msg.JoinTable, table=NAME) == "refused"
        assert sim.ask(stranger, msg.JoinTable, table=NAME, watch=True) == "ok"
        assert sim.table.seating.host is None


def test_it_waits_for_its_house_bots_and_they_are_named_by_their_kind() -> None:
    sim = RatedSim("A", house=("greedy", "random", "greedy"))
    jobs = sim.take_jobs()
    assert [(job.bot, job.name) for job in jobs] == [
        ("greedy", "greedy"),
        ("random", "random"),
        ("greedy", "greedy-2"),
    ]
    sim.advance(5)
    assert sim.table.play.match.hand is None
    sim.bots += [sim.join(job.name, "bot", ticket=job.ticket) for job in jobs]
    sim.play()
    assert [sim.tally[n].hands for n in (1, 2, 3, 4)] == [2] * 4


def test_without_its_house_bots_a_match_is_void() -> None:
    sim = RatedSim("A", "B", house=("greedy",))
    sim.advance(Limits().bot_seconds + 1)
    assert sim.table.closed and sim.table.play.match.state != "over"
    assert sim.viewers[sim.bots[0]].events(ev.TableClosed) == [ev.TableClosed("error")]


@pytest.mark.parametrize("how", ["leave", "lose", "away"])
def test_whoever_goes_gets_nothing_for_the_hands_of_the_stand_in(how: str) -> None:
    """And the match goes on with all of them, to its end."""
    sim = RatedSim("A", "B", "C", hands=4)
    sim.play_on(until=lambda: len(sim.viewers[sim.bots[0]].events(ev.HandEnded)) == 1)
    before = sim.tally[2].points
    gone = sim.bots[1]
    if how == "leave":
        assert sim.ask(gone, msg.Leave) == "ok"
    elif how == "lose":
        sim.lose(gone)
        sim.advance(Limits().grace_seconds + 1)
    else:
        assert sim.ask(gone, msg.Away) == "ok"
        sim.silent = gone
    sim.play()
    assert [each.hands for each in sim.tally.values()] == [4, 4, 4]
    assert sim.tally[2].helped == 3 and sim.tally[2].points == before
    assert sim.tally[1].points == points(sim)[1], "the others count as they came out"
    assert not sim.viewers[sim.bots[0]].events(ev.PlayerLeft)


def test_leaving_never_pays_whatever_the_stand_in_makes_of_the_hand() -> None:
    """It may well win the hand; the points of that are nobody's."""
    won = 0
    for seed in range(12):
        sim = RatedSim("A", "B", hands=1, seed=seed)
        sim.begin_hand()
        sim.ask(sim.bots[1], msg.Leave)
        sim.play()
        places = sim.viewers[sim.bots[0]].events(ev.HandEnded)[0].places
        won += places[0].player == 2
        assert sim.tally[2] == Tally(hands=1, points=0, firsts=0, helped=1)
    assert won, "else this shows nothing"


def test_one_who_is_there_and_lets_the_clock_decide_is_played_by_the_stand_in() -> None:
    """So that he holds up the others for three decisions, and not for a match."""
    sim = RatedSim("A", "B", "C", hands=2)
    began = sim.now
    sim.silent = sim.bots[1]
    sim.play_on(until=lambda: sim.presence(2) == "away")
    assert sim.table.people.players[2].late == 3
    assert 30 <= sim.now - began < 32
    sim.play_on(until=lambda: sim.table.play.match.hands_played == 1)
    assert sim.now - began < 40
    sim.silent = None
    assert sim.ask(sim.bots[1], msg.Away, away=False) == "ok"
    assert sim.presence(2) == "here"
    sim.play()
    assert sim.tally[2].helped == 1


def test_one_who_is_late_now_and_then_plays_on() -> None:
    sim = RatedSim("A", "B", hands=2)
    sim.silent, sim.answers_after = sim.bots[1], 2
    sim.play()
    made = [entry.by for entry in sim.log if isinstance(entry, Moved)]
    assert made.count("clock") > 5 and "standin" not in made
    assert sim.tally[2].helped == 0


def test_a_seat_is_given_back_by_name_and_by_token_in_the_middle_of_a_hand() -> None:
    sim = RatedSim("Alpha", "B", hands=2)
    token = sim.viewers[sim.bots[1]].token
    sim.begin_hand()
    assert sim.ask(sim.bots[0], msg.Leave) == "ok"
    back = sim.connect("somebody")
    assert not sim.table.seat_again(Caller(back, "Gamma", "bot"), sim.now)
    assert sim.table.seat_again(Caller(back, "alpha", "bot"), sim.now)
    sim._deliver()
    assert sim.viewers[back].number == 1 and sim.presence(1) == "here"
    sim.lose(sim.bots[1])
    sim.resume(token)
    sim.play()
    assert sim.tally[1].hands == 2


def test_a_restart_between_two_hands_gives_everybody_time_to_come_back() -> None:
    sim = RatedSim("A", "B", hands=2)
    sim.play_on(until=lambda: sim.table.play.match.state == "between")
    tally, tokens = sim.tally, [sim.viewers[conn].token for conn in sim.bots]
    sim.kill()
    assert sim.tally == tally and sim.tally[1].hands == 1
    assert sim.table.next_deadline() == sim.now + Limits().restart_bonus
    sim.bots = [sim.resume(token) for token in tokens]
    sim.play()
    assert [each.hands for each in sim.tally.values()] == [2, 2]


def test_a_restart_in_the_middle_of_a_hand_remembers_whom_the_stand_in_helped() -> None:
    sim = RatedSim("A", "B", "C", hands=1)
    sim.begin_hand()
    tokens = [sim.viewers[conn].token for conn in sim.bots]
    sim.ask(sim.bots[2], msg.Away)
    sim.silent = sim.bots[2]
    sim.play_on(until=lambda: sim.table.people.players[3].helped)
    sim.kill()
    sim.bots = [sim.resume(token) for token in tokens]
    sim.play()
    assert [sim.tally[n].helped for n in (1, 2, 3)] == [0, 0, 1]


def counted_by_the_book(sim: RatedSim) -> dict[int, Tally]:
    """The same from the entries of the match, by another way."""
    found: dict[int, Tally] = {}
    order: list[int] = []
    helped: set[int] = set()
    for entry in sim.log:
        match entry:
            case Began():
                order, helped = list(entry.order), set()
            case Moved():
                if entry.by == "standin":
                    helped.add(order[entry.seat])
                if entry.move == Call(greater=True):
                    order.reverse()
            case Ended():
                for place, player in enumerate(entry.places, start=1):
                    tally = found.setdefault(player, Tally())
                    tally.hands += 1
                    tally.helped += player in helped
                    tally.points += 0 if player in helped else len(order) - place
                    tally.firsts += place == 1 and player not in helped
    return found


@pytest.mark.parametrize("seed", range(10))
def test_whatever_happens_all_hands_are_played_and_counted_as_they_were(seed: int) -> None:
    """Bots leave, are lost, stay away and come back, and the server is killed."""
    chance = random.Random(seed)
    sim = RatedSim("A", "B", "C", "D", hands=3)
    tokens = {n: sim.viewers[conn].token for n, conn in enumerate(sim.bots, start=1)}
    conns = dict(enumerate(sim.bots, start=1))

    def over(steps: Iterator[int]) -> bool:
        return sim.table.closed or next(steps, None) is None

    def pick(decision: msg.Decision) -> Move:
        """Any choice, so that there are revolutions as well."""
        return chance.choice(decision.choices)

    def come_back(player: int) -> None:
        conns[player] = sim.resume(tokens[player])
        tokens[player] = sim.viewers[conns[player]].token

    for _ in range(12):
        steps = iter(range(chance.randrange(40)))
        sim.play_on(partial(over, steps), pick)
        if sim.table.closed:
            break
        player, what = (
            chance.randint(1, 4),
            chance.choice(["leave", "lose", "away", "back", "kill"]),
        )
        here = conns[player] in sim.table.people
        if what == "kill":
            sim.kill()
        elif what == "back" or not here:
            come_back(player)
        elif what == "lose":
            sim.lose(conns[player])
        else:
            sim.ask(conns[player], msg.Leave if what == "leave" else msg.Away)
    sim.play()
    assert [sim.tally[n].hands for n in (1, 2, 3, 4)] == [3] * 4
    assert sim.tally == counted_by_the_book(sim)
