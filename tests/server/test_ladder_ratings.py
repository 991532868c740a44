"""Ratings from results: ties, house bots that sit twice, and the same again from what is kept."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalmuti.protocol.text import likenesses, skeleton
from dalmuti.server.ladder.entrants import Entrants
from dalmuti.server.ladder.ratings import (
    Line,
    Rating,
    Record,
    Result,
    by_rank,
    counted,
    rated,
    recomputed,
)
from dalmuti.server.sessions import digest

NEW = Rating()


def line(name: str, points: int, house: bool = False) -> Line:
    return Line(name, house, points, points // 3, 10, 0)


def result(number: int, *lines: Line) -> Result:
    return Result(number, 1000.0 + number, lines)


def test_two_new_players_are_rated_as_the_model_has_it() -> None:
    """Plackett-Luce by hand, for two players of the same strength: the winner's chance was 1/2."""
    sigma, beta = math.hypot(25 / 3, 25 / 300), 25 / 6  # all are a little less sure than before
    c = (2 * (sigma**2 + beta**2)) ** 0.5
    won, lost = rated([NEW, NEW], [9, 1])
    assert won.mu == pytest.approx(25 + sigma**2 / c / 2)
    assert lost.mu == pytest.approx(25 - sigma**2 / c / 2)
    gamma = (sigma**2) ** 0.5 / c
    assert won.sigma == pytest.approx(sigma * (1 - sigma**2 / c**2 * gamma / 4) ** 0.5, rel=1e-3)


def test_more_points_are_better_whatever_the_order_of_the_players() -> None:
    points = [12, 30, 7, 25]
    expected = dict(zip(points, rated([NEW] * 4, points), strict=True))
    for order in itertools.permutations(points):
        assert dict(zip(order, rated([NEW] * 4, order), strict=True)) == expected
    best = sorted(points, reverse=True)
    mus = [expected[each].mu for each in best]
    assert mus == sorted(mus, reverse=True) and len(set(mus)) == 4
    assert all(each.sigma < NEW.sigma for each in expected.values())


@pytest.mark.parametrize("points", [[5, 5, 5, 2, 1, 0], [9, 5, 5, 5, 1, 0], [9, 8, 1, 1, 1, 1]])
def test_who_shares_a_place_is_rated_alike_and_between_his_neighbours(points: list[int]) -> None:
    """OpenSkill's own ties would put the three that share the first place below the fourth."""
    after = rated([NEW] * 6, points)
    for (a, ours), (b, theirs) in itertools.pairwise(zip(points, after, strict=True)):
        if a == b:
            assert ours.mu == pytest.approx(theirs.mu) and ours.sigma == pytest.approx(theirs.sigma)
        else:
            assert ours.mu > theirs.mu


def test_a_match_in_which_all_are_equal_changes_no_mu() -> None:
    assert all(each.mu == pytest.approx(25) for each in rated([NEW] * 5, [3] * 5))


def test_a_house_bot_with_several_seats_gets_the_mean_and_all_its_hands() -> None:
    alone = rated([NEW] * 3, [20, 10, 5])
    changed = counted({}, result(1, line("house", 20, True), line("A", 10), line("house", 5, True)))
    assert changed["house"] == Record(
        "house",
        True,
        Rating((alone[0].mu + alone[2].mu) / 2, (alone[0].sigma + alone[2].sigma) / 2),
        matches=1,
        hands=20,
        points=25,
        firsts=7,
    )
    assert changed["A"] == Record("A", False, alone[1], 1, 10, 10, 3)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from("ABCDE"), st.integers(0, 40)), min_size=2, max_size=6),
        max_size=12,
    )
)
def test_the_same_results_give_the_same_records_and_only_those_who_played_change(
    matches: list[list[tuple[str, int]]],
) -> None:
    results = [
        result(n, *(line(name, points, name == "E") for name, points in lines))
        for n, lines in enumerate(matches, start=1)
    ]
    records: dict[str, Record] = {}
    for each in results:
        changed = counted(records, each)
        assert changed.keys() == {one.name for one in each.lines}
        records.update(changed)
    assert recomputed(results) == records
    assert sum(record.hands for record in records.values()) == sum(
        one.hands for each in results for one in each.lines
    )
    ordinals = [record.rating.ordinal for record in sorted(records.values(), key=by_rank)]
    assert ordinals == sorted(ordinals, reverse=True)


def test_the_stronger_of_two_is_found_in_spite_of_chance() -> None:
    """One that wins two matches of three ends on top, and its uncertainty shrinks."""
    wins = [True, True, False] * 20
    results = [
        result(n, line("strong", 20 if won else 10), line("weak", 15), line("x", 15, True))
        for n, won in enumerate(wins)
    ]
    records = recomputed(results)
    assert records["strong"].rating.ordinal > records["weak"].rating.ordinal
    assert records["strong"].rating.sigma < 4


# -- names ------------------------------------------------------------------------------------


def test_a_name_is_found_by_what_it_looks_like_and_opened_by_its_key_only() -> None:
    entrants = Entrants(keys=lambda: "THEKEY")
    entrant, key = entrants.add("Löwe", "192.0.2.1", 5.0)
    assert key == "THEKEY" and entrant.key == digest(key)
    assert entrants.find("lowe") is entrant
    assert entrant.fits("thekey ") and not entrant.fits("THEKEX") and not entrant.fits("")
    assert "THEKEY" not in repr(entrant.statement())


@pytest.mark.parametrize("name", ["lowe", "L-o-w-e", "Greedy", "random", "Ran dom", "gre\u0435dy"])
def test_names_that_look_like_another_s_or_a_house_bot_s(name: str) -> None:
    entrants = Entrants()
    entrants.add("Löwe", "", 0.0)
    assert entrants.is_like_another(name)


def test_a_name_unlike_all_others() -> None:
    entrants = Entrants()
    entrants.add("Löwe", "", 0.0)
    assert not entrants.is_like_another("Tiger")
    assert likenesses("Tiger").isdisjoint(likenesses("Löwe"))


def test_house_bots_are_nobody_s_and_count_as_no_names() -> None:
    entrants = Entrants()
    entrants.add("A", "", 0.0)
    entrants.update(counted({}, result(1, line("greedy", 3, True), line("A", 1))), 9.0)
    assert entrants.find("greedy") is None and len(entrants) == 1
    assert entrants.records()["greedy"].matches == 1


def test_names_under_which_nobody_played_are_free_again() -> None:
    entrants = Entrants()
    for name, since in (("Old", 10.0), ("Here", 10.0), ("Played", 10.0), ("New", 50.0)):
        entrants.add(name, "192.0.2.1", since)
    entrants.update(counted({}, result(1, line("Played", 3), line("greedy", 1, True))), 11.0)
    assert entrants.of_address("192.0.2.1") == 4
    statements = entrants.forget_unplayed(40.0, {"Here"})
    assert [values for _, values in statements] == [("Old",)]
    assert entrants.find("Old") is None and entrants.of_address("192.0.2.1") == 3


NAMES = (
    "Ian",
    "lan",
    "1an",
    "Löwe",
    "lowe",
    "Tiger",
    "t-iger",
    "Rn",
    "m",
    "greedy ",
    "Wolf",
    "vvolf",
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from(NAMES), st.sampled_from("AB")),
        st.tuples(st.just("play"), st.lists(st.sampled_from(NAMES), min_size=1, max_size=3)),
        st.tuples(st.just("tell"), st.integers(0, 3)),
        st.tuples(st.just("forget"), st.integers(0, 9)),
    ),
    max_size=25,
)


@settings(max_examples=150)
@given(STEPS, st.sets(st.sampled_from(NAMES), max_size=2))
def test_what_is_kept_ready_is_what_a_look_at_all_names_finds(
    steps: list[tuple[Any, ...]], banned: set[str]
) -> None:
    """Matches are told in any order; what is shown has those alone."""
    entrants, number = Entrants(), 0
    names: dict[str, str] = {}
    untold: list[dict[str, Record]] = []
    shown: dict[str, Record] = {}
    for step in steps:
        number += 1
        match step:
            case "add", name, address:
                like = likenesses(name)
                others = [*names, "greedy", "random", "careful", "expert"]
                taken = any(not like.isdisjoint(likenesses(each)) for each in others)
                assert entrants.is_like_another(name) == taken
                if not taken:
                    entrants.add(name, address, float(number))
                    names[name] = address
            case "play", players:
                bots = [line(each, n) for n, each in enumerate(set(players) & names.keys())]
                if bots:
                    known = entrants.records()
                    played = result(number, *bots, line("greedy", 1, True))
                    untold.append(counted(known, played))
                    entrants.update(untold[-1], float(number))
            case "tell", which if untold:
                changed = untold.pop(which % len(untold))
                entrants.tell(changed)
                for name, record in changed.items():
                    if record.matches > shown.get(name, Record(name)).matches:
                        shown[name] = record
            case "forget", age:
                for _, (name,) in entrants.forget_unplayed(float(number - age), {"Wolf"}):
                    assert name != "Wolf" and entrants.find(str(name)) is None
                    del names[str(name)]
        ranked = sorted(shown.values(), key=by_rank)
        assert list(entrants.standings()) == ranked
        hidden = {skeleton(name) for name in banned}
        seen = [each for each in ranked if skeleton(each.name) not in hidden]
        assert list(entrants.standings(hidden)) == seen
        assert len(entrants) == len(names)
        by_address = Counter(names.values())
        assert all(entrants.of_address(each) == by_address[each] for each in "AB")


def test_with_many_names_nobody_s_question_looks_at_all_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entrants, looks = Entrants(), Counter[str]()
    for number in range(500):
        entrants.add(f"Bot {number}", "192.0.2.1", float(number))
    changed = counted({}, result(1, *(line(f"Bot {number}", number) for number in range(9))))
    entrants.update(changed, 600.0)
    entrants.tell(changed)

    def counting(name: str, call: Any) -> None:
        def counted_call(*given: Any) -> Any:
            looks[name] += 1
            return call(*given)

        monkeypatch.setattr(f"dalmuti.server.ladder.entrants.{name}", counted_call)

    for name, call in (("likenesses", likenesses), ("skeleton", skeleton), ("by_rank", by_rank)):
        counting(name, call)
    assert entrants.is_like_another("bot 77") and not entrants.is_like_another("Tiger")
    assert len(entrants.standings()) == 9
    assert entrants.forget_unplayed(5.0, {f"Bot {n}" for n in range(500)}) == []
    assert looks == {"likenesses": 2}
