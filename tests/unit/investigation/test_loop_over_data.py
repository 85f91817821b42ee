"""How the memory loop goes over small data: what it finds decides what is tried next, and why it
ends."""

from __future__ import annotations

from services.planner.domain.investigation.hypothesis import HypothesisStatus, Test
from services.planner.domain.investigation.iteration import MAX_ITERATIONS, ExitReason, Move
from services.planner.domain.investigation.proceedings import hints_of
from tests.unit.investigation.moved import (
    BASELINE,
    COMPARISON,
    FIVE,
    NESTED,
    ONE,
    SIZES,
    facts_of,
    loop_of,
)
from tests.unit.investigation.playing import Played, explanations_of, ground_of_rows, played


def _tried(loop: Played, move: Move) -> list[Test | None]:
    return [test for made, test in loop.moves if made is move]


def test_what_stands_out_is_looked_into_and_then_it_concludes_with_its_grounds() -> None:
    loop = loop_of(ONE)

    assert loop.moves == [
        (Move.ANALYZE, Test.QUALITY),
        (Move.ANALYZE, Test.CHANGE),
        (Move.ANALYZE, Test.SEARCH),
        (Move.DRILL_DOWN, Test.WITHIN),
        (Move.CONCLUDE, None),
    ]
    last = loop.state.iterations[-1]
    assert last.decision is Move.CONCLUDE and last.iteration == 5
    assert "confirmed or ruled out: 3 borne out, 5 ruled out" in last.compressed_summary
    assert loop.state.ledger(last.timestamp).total_iterations == 5


def test_what_was_suspected_and_showed_nothing_is_left_for_the_search() -> None:
    loop = loop_of(ONE, ("product",))

    assert loop.moves[2:4] == [(Move.ANALYZE, Test.DIMENSION), (Move.PIVOT, Test.SEARCH)]
    assert "showed nothing" in loop.steps[3].reason


def test_what_was_suspected_and_moved_leads_on_without_a_change_of_course() -> None:
    assert _tried(loop_of(ONE, ("region",)), Move.PIVOT) == []


def test_segments_that_have_no_parts_of_their_own_are_a_stall() -> None:
    loop = loop_of(FIVE)

    assert loop.ended is ExitReason.STALL_DETECTED
    assert _tried(loop, Move.DRILL_DOWN) == [Test.WITHIN] * 3
    assert "not looked at: within product product 2" in loop.grounds
    assert [log.decision for log in loop.state.iterations].count(Move.CONCLUDE) == 0
    left = [h for h in loop.state.hypotheses if h.status is HypothesisStatus.PENDING]
    assert [h.test for h in left] == [Test.QUALITY, Test.WITHIN, Test.WITHIN]


def test_as_long_as_each_look_shows_something_it_goes_on_to_the_last_iteration() -> None:
    loop = loop_of(NESTED)

    assert loop.ended is ExitReason.MAX_ITERATIONS
    assert len(loop.state.iterations) == MAX_ITERATIONS
    assert _tried(loop, Move.DRILL_DOWN) == [Test.WITHIN] * 12
    assert "not looked at: within product" in loop.grounds


def test_parts_that_are_found_inside_are_looked_into_in_turn() -> None:
    loop = loop_of(NESTED[:3])

    inside = [h.segment for h in loop.state.hypotheses if h.test is Test.WITHIN]
    assert [len(segment) for segment in inside] == [1, 2]
    confirmed = [h for h in loop.state.hypotheses if h.status is HypothesisStatus.CONFIRMED]
    assert sum(h.test is Test.WITHIN for h in confirmed) == 2


def test_where_the_search_finds_nothing_what_came_closest_is_looked_at_by_itself() -> None:
    loop = loop_of(())

    assert loop.moves[2:5] == [
        (Move.ANALYZE, Test.SEARCH),
        (Move.PIVOT, Test.DIMENSION),
        (Move.ANALYZE, Test.DIMENSION),
    ]
    assert "the search over everything showed nothing" in loop.steps[3].reason
    assert loop.ended is ExitReason.CONCLUDE
    of = {h.dimensions: h.status for h in loop.state.hypotheses if h.test is Test.DIMENSION}
    assert set(of.values()) == {HypothesisStatus.RULED_OUT}


def test_a_value_that_stands_out_only_by_itself_is_a_hint_and_is_looked_into() -> None:
    loop = loop_of((), seed=7)

    assert loop.moves[3:5] == [(Move.PIVOT, Test.DIMENSION), (Move.DRILL_DOWN, Test.WITHIN)]
    [open_one] = [h for h in loop.state.hypotheses if h.status is HypothesisStatus.PENDING]
    assert open_one.dimensions == ("channel",)
    assert "Among all that was searched it does not stand out" in loop.state.findings[3].summary
    assert hints_of(loop.state) == (
        "a hint, and no explanation: channel looked at by itself stands out: channel channel 1; "
        "among all that was searched it does not",
    )
    assert explanations_of(loop) == () and hints_of(loop_of(ONE).state) == ()
    assert "leave some open" in loop.grounds


def test_a_search_that_gives_nothing_is_left_for_one_dimension_at_a_time() -> None:
    ground = ground_of_rows(tuple(SIZES), BASELINE, COMPARISON)

    loop = played(ground, facts_of(ONE, 6), lambda task: task.tool_name == "metric.search")

    assert (Move.PIVOT, Test.DIMENSION) in loop.moves
    assert loop.ended is ExitReason.CONCLUDE
