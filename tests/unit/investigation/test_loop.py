"""The memory loop: hypotheses move as the specification draws it, and it ends for a reason."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.planner.domain.decision import Decision
from services.planner.domain.investigation.explanation import Likelihood, likelihood_of
from services.planner.domain.investigation.grounding import ground_of
from services.planner.domain.investigation.history import CUBE, HISTORY, MARGINS
from services.planner.domain.investigation.hypothesis import (
    HYPOTHESIS_TRANSITIONS,
    Approach,
    Hypothesis,
    HypothesisStatus,
    Test,
)
from services.planner.domain.investigation.hypothesising import (
    Segment,
    first_hypotheses,
    within_hypothesis,
)
from services.planner.domain.investigation.iteration import (
    MAX_ITERATIONS,
    ExitReason,
    Move,
    NextStep,
)
from services.planner.domain.investigation.judgement import Judgement, change_of
from services.planner.domain.investigation.judging import judged
from services.planner.domain.investigation.modelling import analysis_plan_of, data_model_of
from services.planner.domain.investigation.next_step import next_step
from services.planner.domain.investigation.outcome import conclusion_of, found_of
from services.planner.domain.investigation.state import (
    FOUND,
    GROUNDED,
    NEXT,
    Grounded,
    Investigation,
    folded,
)
from services.planner.domain.investigation.step_calls import StepInput
from services.planner.domain.reporting.evidence import EvidenceTable
from tests.thorough import times
from tests.unit.investigation.shop import NOW, asked, shop

PENDING, INVESTIGATING = HypothesisStatus.PENDING, HypothesisStatus.INVESTIGATING
_SHOWING = (Approach.SEARCH, Approach.INSIDE)
CONFIRMED, RULED_OUT = HypothesisStatus.CONFIRMED, HypothesisStatus.RULED_OUT


def _decision(kind: Any, decided: Any, number: int = 0) -> Decision:
    return Decision(
        decision_id=f"{kind}{number}",
        job_id="1" * 32,
        kind=kind,
        reasoner="rules",
        reason="because",
        given={},
        decided=decided.model_dump(mode="json"),
        timestamp=NOW,
    )


def _grounded(focus: str = "") -> Decision:
    request, catalogue = asked(investigation_prompt=focus), shop()
    ground = ground_of(request, catalogue)
    assert ground is not None
    return _decision(
        GROUNDED,
        Grounded(
            ground=ground,
            data_model=data_model_of(catalogue, ground, request.data_sources, NOW),
            analysis_plan=analysis_plan_of(ground, NOW),
            hypotheses=first_hypotheses(ground, NOW),
        ),
    )


def _found(
    state: Investigation, status: HypothesisStatus, parts: Sequence[Segment] = ()
) -> Decision:
    """What an iteration found that leaves its hypothesis so, and the segments that stood out."""
    step = state.open_step
    assert step is not None
    about = state.hypothesis(step.hypothesis)
    judgement = Judgement(
        "looked", (change_of(about, status),), tuple(parts), showed=status is CONFIRMED
    )
    found = found_of(state, step, judgement, "", f"output_{state.next_iteration:03d}.txt", NOW)
    return _decision(FOUND, found, state.next_iteration)


def _played(
    outcomes: Sequence[HypothesisStatus], drill: bool, focus: str = ""
) -> tuple[Investigation, list[Decision]]:
    """The loop to its end, where each iteration leaves its hypothesis as the outcomes say; `drill`
    says that each search shows a segment."""
    decisions = [_grounded(focus)]
    state = folded(decisions)
    planned: set[str] = set()
    fates = iter(outcomes)
    while state.concluded is None:
        step = next_step(StepInput(state=state, planned=frozenset(planned), now=NOW))
        planned |= {task.task_id for task in step.subtasks}
        decisions.append(_decision(NEXT, step, state.next_iteration))
        state = state.after(decisions[-1])
        if state.concluded is None:
            parts: tuple[Segment, ...] = ()
            if drill and state.hypothesis(step.hypothesis).approach in _SHOWING:
                parts = ((("region", f"r{len(state.iterations)}"),),)
            decisions.append(_found(state, next(fates, RULED_OUT), parts))
            state = state.after(decisions[-1])
        elif state.concluded is ExitReason.CONCLUDE:
            decisions.append(_decision(FOUND, conclusion_of(state, step, "", "output", NOW), 99))
            state = state.after(decisions[-1])
    return state, decisions


@pytest.mark.parametrize("before", HypothesisStatus)
@pytest.mark.parametrize("after", HypothesisStatus)
def test_a_hypothesis_makes_the_drawn_transitions_and_no_other(
    before: HypothesisStatus, after: HypothesisStatus
) -> None:
    drawn = {
        (PENDING, INVESTIGATING),
        (INVESTIGATING, CONFIRMED),
        (INVESTIGATING, RULED_OUT),
        (INVESTIGATING, PENDING),
    }
    hypothesis = first_hypotheses(_ground(), NOW)[0].model_copy(update={"status": before})

    assert (after in HYPOTHESIS_TRANSITIONS[before]) == ((before, after) in drawn)
    if (before, after) in drawn:
        assert hypothesis.moved(after).status is after
    else:
        with pytest.raises(ValueError, match="cannot become"):
            hypothesis.moved(after)


def _ground() -> Any:
    return Grounded.model_validate(_grounded().decided).ground


def test_hypotheses_have_ids_in_order_and_suspicions_go_first() -> None:
    state = folded([_grounded("the channel")])

    ids = [h.hypothesis_id for h in state.hypotheses]
    assert ids == [f"hyp_{number:03d}" for number in range(1, len(ids) + 1)]
    assert all(1 <= h.priority <= 10 and len(h.title) <= 100 for h in state.hypotheses)
    [suspected] = [h for h in state.hypotheses if h.suspected]
    assert suspected.dimensions == ("channel",) and suspected.priority == 2


@settings(max_examples=times(25, 60), deadline=timedelta(seconds=5))
@given(
    outcomes=st.lists(st.sampled_from([CONFIRMED, RULED_OUT, PENDING]), max_size=20),
    drill=st.booleans(),
)
def test_the_loop_ends_within_its_iterations_and_its_ledger_has_everything(
    outcomes: list[HypothesisStatus], drill: bool
) -> None:
    state, decisions = _played(outcomes, drill)

    ledger = state.ledger(NOW)
    concluded = ledger.exit_reason is ExitReason.CONCLUDE
    assert ledger.total_iterations == len(state.iterations) == len(state.findings) + concluded
    assert concluded == (state.iterations[-1].decision is Move.CONCLUDE)
    assert ledger.total_iterations <= MAX_ITERATIONS
    assert set(ledger.hypothesis_outcomes) == {h.hypothesis_id for h in state.hypotheses}
    assert INVESTIGATING not in ledger.hypothesis_outcomes.values()
    left = [h for h in state.hypotheses if h.status is PENDING]
    if ledger.exit_reason is ExitReason.CONCLUDE:
        looked_at = {finding.hypothesis_affected for finding in state.findings}
        assert {h.hypothesis_id for h in left} <= looked_at, "what stays open was looked at"
    elif ledger.exit_reason is ExitReason.STALL_DETECTED:
        assert any(map(state.stalled, Approach)) and state.untried
    else:
        assert ledger.total_iterations == MAX_ITERATIONS
    assert folded(decisions) == state, "whoever goes on has the same"


@given(cut=st.integers(0, 100), outcomes=st.lists(st.sampled_from([CONFIRMED, RULED_OUT])))
@settings(max_examples=25, deadline=timedelta(seconds=5))
def test_whoever_takes_over_decides_the_same(cut: int, outcomes: list[HypothesisStatus]) -> None:
    _, decisions = _played(outcomes, False)
    kept = decisions[: 1 + cut % len(decisions)]
    state = folded(kept)
    following = decisions[len(kept)] if len(kept) < len(decisions) else None
    if following is None or following.kind != NEXT:
        return
    steps = [NextStep.model_validate(d.decided) for d in kept if d.kind == NEXT]
    planned = frozenset(task.task_id for step in steps for task in step.subtasks)

    again = next_step(StepInput(state=state, planned=planned, now=NOW))

    assert again == NextStep.model_validate(following.decided)


def test_the_tables_are_made_once_and_everything_works_on_them() -> None:
    _, decisions = _played([], False)

    steps = [NextStep.model_validate(d.decided) for d in decisions if d.kind == NEXT]
    tasks = [task for step in steps for task in step.subtasks]
    names = [task.task_id for task in tasks]
    assert names.count(MARGINS) == names.count(CUBE) == 1 and names.count(HISTORY) <= 1
    assert len(names) == len(set(names))
    for task in tasks:
        assert set(task.dependencies) <= set(names[: names.index(task.task_id)])
    assert all(step.reason for step in steps)


def test_three_looks_of_a_kind_without_anything_new_and_no_other_kind_left_are_a_stall() -> None:
    first = folded([_grounded()])
    searched = {h.hypothesis_id for h in first.hypotheses if h.test is Test.SEARCH}
    segments = tuple((("region", f"r{number}"),) for number in range(5))
    state, steps = first, []
    while state.concluded is None:
        step = next_step(StepInput(state=state, planned=frozenset({CUBE}), now=NOW))
        steps.append(step)
        state = state.after(_decision(NEXT, step, len(steps)))
        if state.concluded is None:
            shows = step.hypothesis in searched
            state = state.after(
                _found(state, CONFIRMED if shows else RULED_OUT, segments if shows else ())
            )

    assert [step.move for step in steps].count(Move.DRILL_DOWN) == 3
    assert state.concluded is ExitReason.STALL_DETECTED
    assert "not looked at: within region r3" in steps[-1].reason


def test_a_segment_that_stands_out_is_drilled_into() -> None:
    segment = (("region", "North"), ("channel", None))
    state = folded([_grounded()])
    step = next_step(StepInput(state=state, now=NOW))
    while step.move is Move.ANALYZE:
        state = state.after(_decision(NEXT, step, state.next_iteration))
        shows = state.hypothesis(step.hypothesis).test is Test.SEARCH
        state = state.after(_found(state, CONFIRMED, (segment, segment) if shows else ()))
        step = next_step(StepInput(state=state, now=NOW))

    assert step.move is Move.DRILL_DOWN and "channel (missing)" in step.reason
    [made] = [h for h in state.hypotheses if h.test is Test.WITHIN]
    assert made.dimensions == ("segment",) and step.hypothesis == made.hypothesis_id


@pytest.mark.parametrize(
    ("rank", "likelihood"),
    [
        (1, Likelihood.MOST_LIKELY),
        (2, Likelihood.LIKELY),
        (3, Likelihood.LIKELY),
        (4, Likelihood.POSSIBLE),
        (5, Likelihood.POSSIBLE),
        (6, Likelihood.LESS_LIKELY),
        (10, Likelihood.LESS_LIKELY),
    ],
)
def test_likelihood_is_by_rank(rank: int, likelihood: Likelihood) -> None:
    assert likelihood_of(rank) is likelihood


def _table(task: str, rows: list[dict[str, Any]]) -> dict[str, EvidenceTable]:
    table = EvidenceTable(task, "call", "d" * 64, pa.Table.from_pylist(rows))
    return {task: table}


def _of(test: Test) -> tuple[Hypothesis, tuple[Hypothesis, ...]]:
    hypotheses = folded([_grounded()]).hypotheses
    return next(h for h in hypotheses if h.test is test), hypotheses


@pytest.mark.parametrize(("p", "after"), [(0.4, CONFIRMED), (0.01, RULED_OUT), (None, PENDING)])
def test_a_change_within_the_usual_needs_no_cause_and_without_history_nobody_knows(
    p: float | None, after: HypothesisStatus
) -> None:
    chance, everything = _of(Test.CHANGE)
    rows: list[dict[str, Any]] = [
        {"statistic": "difference", "value": -5.0},
        {"statistic": "p_value", "value": p},
    ]

    told = judged(chance, everything, _table("i02_change", rows), _ground())

    assert told.changes[0].after is after and len(told.summary) <= 500


def test_a_fault_confirms_that_the_data_changed_and_a_doubt_leaves_it_open() -> None:
    data, everything = _of(Test.QUALITY)
    row = {
        "check": "missing_days",
        "column": "",
        "segment_dimension": "",
        "segment_value": "",
        "bucket": "2024-02-03",
        "severity": "fault",
        "detail": "no rows on 2024-02-03; days before and after have rows",
    }

    fault = judged(data, everything, _table("i01_quality", [row]), _ground())
    doubt = judged(
        data, everything, _table("i01_quality", [{**row, "severity": "doubt"}]), _ground()
    )

    assert fault.changes[0].after is CONFIRMED and "no rows on 3 February 2024." in fault.summary
    assert doubt.changes[0].after is PENDING and "In doubt: no rows" in doubt.summary
    assert fault.notes == ("no rows on 3 February 2024; days before and after have rows",)


def test_dimensions_that_no_finding_has_are_ruled_out_unless_they_were_suspected() -> None:
    search, everything = _of(Test.SEARCH)
    row = {
        "kind": "segment",
        "segment": '{"region": "North"}',
        "effect": -9.0,
        "p_corrected": 0.005,
        "p_at_most": True,
    }

    told = judged(search, everything, _table("i03_search", [row]), _ground())

    after = {change.hypothesis: change.after for change in told.changes}
    of = {h.dimensions: h.hypothesis_id for h in everything if h.test is Test.DIMENSION}
    assert after[search.hypothesis_id] is CONFIRMED
    assert after[of[("region",)]] is CONFIRMED
    assert after[of[("channel",)]] is after[of[("segment",)]] is RULED_OUT
    assert told.standing_out == ((("region", "North"),),)


@pytest.mark.parametrize(
    ("alike", "unusual", "after"),
    [(0.01, True, CONFIRMED), (0.3, True, PENDING), (0.3, False, RULED_OUT)],
)
def test_whether_everything_moved_alike_is_told_by_the_search(
    alike: float, unusual: bool, after: HypothesisStatus
) -> None:
    search, everything = _of(Test.SEARCH)
    if unusual:
        everything = tuple(
            h.model_copy(update={"status": RULED_OUT}) if h.test is Test.CHANGE else h
            for h in everything
        )
    row = {
        "kind": "alike",
        "segment": "{}",
        "effect": -9.0,
        "p_corrected": alike,
        "p_at_most": False,
    }

    told = judged(search, everything, _table("i03_search", [row]), _ground())

    [of_all] = [h for h in everything if h.test is Test.ALIKE]
    assert {c.hypothesis: c.after for c in told.changes}[of_all.hypothesis_id] is after
    assert ("Everything moved alike: -9" in told.summary) == (after is CONFIRMED)


def test_within_a_segment_values_that_were_folded_together_are_no_part_of_it() -> None:
    segment = (("channel", "web"),)
    made = within_hypothesis(20, segment, ["region"], NOW)
    row = {
        "kind": "segment",
        "segment": '{"channel": "web", "region": "(other)"}',
        "effect": 4.0,
        "p_corrected": 0.01,
        "p_at_most": False,
    }

    told = judged(made, (), _table("i04_within", [row]), _ground())

    assert told.changes[0].after is RULED_OUT and "(other)" not in told.summary


def test_nothing_is_looked_at_twice() -> None:
    state, decisions = _played([PENDING, RULED_OUT, PENDING, RULED_OUT], False)

    about = [finding.hypothesis_affected for finding in state.findings]
    assert len(about) == len(set(about)) and state.concluded is ExitReason.CONCLUDE
    assert "leave some open" in NextStep.model_validate(decisions[-2].decided).reason


def test_from_what_was_suspected_to_everything_is_a_change_of_course() -> None:
    state, planned = folded([_grounded("the channel")]), frozenset[str]()
    moves = []
    while state.concluded is None:
        step = next_step(StepInput(state=state, planned=planned, now=NOW))
        planned |= {task.task_id for task in step.subtasks}
        state = state.after(_decision(NEXT, step, state.next_iteration))
        if state.concluded is None:
            moves.append((state.hypothesis(step.hypothesis).test, step.move))
            state = state.after(_found(state, RULED_OUT))

    assert moves[2:4] == [(Test.DIMENSION, Move.ANALYZE), (Test.SEARCH, Move.PIVOT)]


def test_what_could_not_be_run_stays_open_and_says_why() -> None:
    search, everything = _of(Test.SEARCH)

    told = judged(search, everything, {}, _ground(), "the engine was away")

    assert told.changes[0].after is PENDING and "the engine was away" in told.summary
