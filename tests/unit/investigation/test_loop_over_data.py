"""How the memory loop goes over small data: what it finds decides what is tried next, and why it
ends."""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache

import numpy as np
import pyarrow as pa

from services.planner.domain.investigation.hypothesis import HypothesisStatus, Test
from services.planner.domain.investigation.iteration import MAX_ITERATIONS, ExitReason, Move
from tests.unit.investigation.playing import Played, ground_of_rows, played

_FIRST = date(2024, 1, 1)
_DAYS = 28
_BASELINE = (_FIRST, _FIRST + timedelta(days=_DAYS - 1))
_COMPARISON = (_FIRST + timedelta(days=_DAYS), _FIRST + timedelta(days=2 * _DAYS - 1))
_SIZES = {"region": 3, "product": 16, "channel": 2}
_LEVEL = 60.0

Factors = tuple[tuple[tuple[tuple[str, int], ...], float], ...]
"""Segments, as values of dimensions by number, and what each is multiplied by in the comparison."""


def _facts(factors: Factors, seed: int) -> pa.Table:
    """A row for each day and combination of values, about as large each, with little noise."""
    random = np.random.default_rng(seed)
    names = list(_SIZES)
    grid = np.indices(tuple(_SIZES.values())).reshape(len(names), -1)
    days = np.arange(2 * _DAYS)
    amount = _LEVEL * (1 + 0.05 * random.standard_normal((len(days), grid.shape[1])))
    amount *= 1 + 0.01 * random.standard_normal((len(days), 1))
    for segment, factor in factors:
        inside = np.ones(grid.shape[1], dtype=bool)
        for name, value in segment:
            inside &= grid[names.index(name)] == value
        amount[np.ix_(days >= _DAYS, inside)] *= factor
    columns = {
        name: [f"{name} {code}" for code in np.tile(grid[place], len(days))]
        for place, name in enumerate(names)
    }
    dates = [_FIRST + timedelta(days=int(day)) for day in np.repeat(days, grid.shape[1])]
    return pa.table({"day": dates, "numerator": amount.ravel(), **columns})


@cache
def _loop(factors: Factors, suspected: tuple[str, ...] = (), seed: int = 6) -> Played:
    ground = ground_of_rows(tuple(_SIZES), _BASELINE, _COMPARISON, suspected=suspected)
    return played(ground, _facts(factors, seed))


def _tried(loop: Played, move: Move) -> list[Test | None]:
    return [test for made, test in loop.moves if made is move]


_ONE: Factors = (((("region", 1), ("channel", 0)), 0.5),)
_FIVE: Factors = tuple(
    ((("product", number),), factor)
    for number, factor in enumerate((0.2, 2.6, 0.4, 2.2, 0.6))
)  # fmt: skip
_NESTED: Factors = tuple(
    (inside[:depth], factor)
    for number in range(7)
    for inside in ((("product", number), ("region", number % 3), ("channel", number % 2)),)
    for depth, factor in enumerate((2.0, 1.5, 1.5) if number % 2 else (0.5, 0.6, 0.6), 1)
)


def test_what_stands_out_is_looked_into_and_then_it_concludes_with_its_grounds() -> None:
    loop = _loop(_ONE)

    assert loop.moves == [
        (Move.ANALYZE, Test.QUALITY), (Move.ANALYZE, Test.CHANGE), (Move.ANALYZE, Test.SEARCH),
        (Move.DRILL_DOWN, Test.WITHIN), (Move.CONCLUDE, None),
    ]  # fmt: skip
    last = loop.state.iterations[-1]
    assert last.decision is Move.CONCLUDE and last.iteration == 5
    assert "confirmed or ruled out: 3 borne out, 5 ruled out" in last.compressed_summary
    assert loop.state.ledger(last.timestamp).total_iterations == 5


def test_what_was_suspected_and_showed_nothing_is_left_for_the_search() -> None:
    loop = _loop(_ONE, ("product",))

    assert loop.moves[2:4] == [(Move.ANALYZE, Test.DIMENSION), (Move.PIVOT, Test.SEARCH)]
    assert "showed nothing" in loop.steps[3].reason


def test_what_was_suspected_and_moved_leads_on_without_a_change_of_course() -> None:
    assert _tried(_loop(_ONE, ("region",)), Move.PIVOT) == []


def test_segments_that_have_no_parts_of_their_own_are_a_stall() -> None:
    loop = _loop(_FIVE)

    assert loop.ended is ExitReason.STALL_DETECTED
    assert _tried(loop, Move.DRILL_DOWN) == [Test.WITHIN] * 3
    assert "not looked at: within product product 2" in loop.grounds
    assert [log.decision for log in loop.state.iterations].count(Move.CONCLUDE) == 0
    left = [h for h in loop.state.hypotheses if h.status is HypothesisStatus.PENDING]
    assert [h.test for h in left] == [Test.QUALITY, Test.WITHIN, Test.WITHIN]


def test_as_long_as_each_look_shows_something_it_goes_on_to_the_last_iteration() -> None:
    loop = _loop(_NESTED)

    assert loop.ended is ExitReason.MAX_ITERATIONS
    assert len(loop.state.iterations) == MAX_ITERATIONS
    assert _tried(loop, Move.DRILL_DOWN) == [Test.WITHIN] * 12
    assert "not looked at: within product" in loop.grounds


def test_parts_that_are_found_inside_are_looked_into_in_turn() -> None:
    loop = _loop(_NESTED[:3])

    inside = [h.segment for h in loop.state.hypotheses if h.test is Test.WITHIN]
    assert [len(segment) for segment in inside] == [1, 2]
    confirmed = [h for h in loop.state.hypotheses if h.status is HypothesisStatus.CONFIRMED]
    assert sum(h.test is Test.WITHIN for h in confirmed) == 2


def test_where_the_search_finds_nothing_what_came_closest_is_looked_at_by_itself() -> None:
    loop = _loop(())

    assert loop.moves[2:5] == [
        (Move.ANALYZE, Test.SEARCH), (Move.PIVOT, Test.DIMENSION), (Move.ANALYZE, Test.DIMENSION),
    ]  # fmt: skip
    assert "the search over everything showed nothing" in loop.steps[3].reason
    assert loop.ended is ExitReason.CONCLUDE
    of = {h.dimensions: h.status for h in loop.state.hypotheses if h.test is Test.DIMENSION}
    assert set(of.values()) == {HypothesisStatus.RULED_OUT}


def test_a_value_that_stands_out_only_by_itself_is_a_hint_and_is_looked_into() -> None:
    loop = _loop((), seed=7)

    assert loop.moves[3:5] == [(Move.PIVOT, Test.DIMENSION), (Move.DRILL_DOWN, Test.WITHIN)]
    [open_one] = [h for h in loop.state.hypotheses if h.status is HypothesisStatus.PENDING]
    assert open_one.dimensions == ("channel",)
    assert "Among all that was searched it does not stand out" in loop.state.findings[3].summary
    assert "leave some open" in loop.grounds


def test_a_search_that_gives_nothing_is_left_for_one_dimension_at_a_time() -> None:
    ground = ground_of_rows(tuple(_SIZES), _BASELINE, _COMPARISON)

    loop = played(ground, _facts(_ONE, 6), lambda task: task.tool_name == "metric.search")

    assert (Move.PIVOT, Test.DIMENSION) in loop.moves
    assert loop.ended is ExitReason.CONCLUDE
