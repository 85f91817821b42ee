"""A causal job from its first dispatch to its last: who runs, what is concluded or refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mesh.errors import AssayError
from services.planner.causal.caveats import caveats_of
from services.planner.domain.causal.contracts import ORCHESTRATOR, WRITES
from services.planner.domain.causal.effects import calibration_of, spoken_for
from services.planner.domain.causal.knowledge import Knowledge
from services.planner.domain.causal.notebook import sections_of
from services.planner.domain.causal.results import CritiqueDecision
from services.planner.domain.causal.scoring import newest_tests, scores_of
from services.planner.domain.causal.status import JobStatus
from tests.unit.causal.frames_of_study import (
    BRIEF,
    World,
    begun,
    estimate_row,
    finished,
    profile_row,
)


def test_every_agent_that_is_needed_does_its_part_and_a_sound_study_is_approved() -> None:
    world = World()

    run = finished(world, begun())

    assert set(run.done) == set(WRITES) - {"effect_estimator_react"}  # nothing was in doubt
    assert run.done[:4] == (ORCHESTRATOR, "data_profiler", "domain_knowledge", "data_repair")
    assert run.state.is_approved()
    effect = spoken_for(run.state.treatment_effects, calibration_of(world.seen))
    assert effect is not None and (effect.method, effect.estimate) == ("AIPW", 4.0)
    assert run.state.get_primary_pair() == ("promo", "spend")
    assert run.state.mark_completed(run.state.updated_at).progress_percentage == 100


@pytest.mark.parametrize("failed, method", [(21, "AIPW"), (4, "stratification")])
def test_a_method_that_declined_most_planted_effects_does_not_speak_by_the_few(
    failed: int, method: str
) -> None:
    few = {
        "method": "stratification",
        "repetitions": 25,
        "failed": failed,
        "bias": 0.0,
        "rmse": 0.05,
        "coverage": 1.0,
    }
    others = [{**row, "failed": 0} for row in World().told["calibrate"]]
    world = World({"calibrate": [*others, few]})

    run = finished(world, begun())

    effect = spoken_for(run.state.treatment_effects, calibration_of(world.seen))
    assert effect is not None and effect.method == method


def test_what_could_shake_the_estimate_is_tried_before_it_is_approved() -> None:
    world = World(
        {
            "confounders": [
                {"column": "age", "verdict": "confounder", "reason": "moves both"},
                {"column": "income", "verdict": "irrelevant", "reason": "moves neither"},
            ]
        }
    )

    run = finished(world, begun())

    assert [critique.decision.value for critique in run.state.critique_history] == [
        "ITERATE",
        "APPROVE",
    ]
    assert run.state.iteration_count == 1
    tried = [e.details["variant"] for e in run.state.treatment_effects if e.details["variant"]]
    assert "the graph alone asks for age, income" in tried


@pytest.mark.parametrize(
    ("effect", "with_outcome", "change", "doubted"),
    [
        (4.0, 0.15, 0.3, True),  # half as much with the outcome
        (4.0, 0.4, 0.3, True),  # and more than half, where it moves the effect away from nought
        (4.0, 0.4, -0.3, False),
        (-4.0, 0.4, -0.3, True),
        (-4.0, 0.4, 0.3, False),
    ],
)
def test_the_effect_is_tried_without_what_may_be_an_instrument(
    effect: float, with_outcome: float, change: float, doubted: bool
) -> None:
    tied = {
        "column": "income",
        "verdict": "confounder",
        "reason": "goes with both",
        "with_treatment": 0.5,
        "with_outcome": with_outcome,
        "change_in_estimate": change,
    }
    age = {"column": "age", "verdict": "confounder", "reason": "moves both"}
    methods = ("OLS", "IPW", "AIPW", "PSM", "stratification", "DML", "causal_forest")
    told = {f"estimate:{name}": [estimate_row(name, effect)] for name in methods}
    world = World({"confounders": [tied, age], **told})

    finished(world, begun())

    tried = [c for c in world.calls if c.task_id.endswith("react_amplified")]
    assert [c.arguments["adjustment"] for c in tried] == ([["age"]] if doubted else [])


@pytest.mark.parametrize(("without", "approved"), [(3.95, True), (3.6, False)])
def test_a_difference_that_same_rows_cannot_make_by_chance_is_no_agreement(
    without: float, approved: bool
) -> None:
    """Errors of 0.2 each would allow 0.57 between estimates of different rows."""
    tied: dict[str, Any] = {
        "column": "income",
        "verdict": "confounder",
        "reason": "goes with both",
        "with_treatment": 0.5,
        "with_outcome": 0.15,
        "change_in_estimate": 0.3,
    }
    age = {"column": "age", "verdict": "confounder", "reason": "moves both"}
    told = {"confounders": [tied, age], "r1_react_amplified": [estimate_row("AIPW", without)]}

    assert finished(World(told), begun()).state.is_approved() is approved


def test_estimates_that_disagree_are_never_approved() -> None:
    world = World({"estimate:DML": [estimate_row("DML", 8.0)]})

    run = finished(world, begun())

    newest = run.state.newest_critique
    assert newest is not None and newest.decision is CritiqueDecision.ITERATE
    assert "DML: 8" in newest.reasoning
    tried = [d for d in run.done if d == "effect_estimator_react"]
    assert len(tried) == run.state.iteration_count == 1, "no round is made again to no end"


def test_an_outcome_whose_mean_hangs_on_few_rows_is_not_settled() -> None:
    told = World().told["explore"]
    heavy = {
        "section": "distribution",
        "name": "spend",
        "other": "",
        "statistic": "kurtosis",
        "value": 400.0,
        "text": "",
    }

    run = finished(World({"explore": [*told, heavy]}), begun())
    calm = finished(World({"explore": [*told, {**heavy, "value": 40.0}]}), begun())

    newest = run.state.newest_critique
    assert newest is not None and newest.decision is CritiqueDecision.ITERATE
    assert "spreads lies with 2 of its 1,000 rows" in newest.reasoning
    assert any("spend capped, ranked" in text for text in newest.improvements)
    assert calm.state.is_approved()


def test_a_placebo_that_moves_the_outcome_rejects() -> None:
    placebo = {
        "method": "placebo_treatment",
        "robustness_value": 3.0,
        "passes": False,
        "interpretation": "A made-up treatment moves it.",
        "details": "{}",
    }

    run = finished(World({"sensitivity:placebo_treatment": [placebo]}), begun())

    assert run.state.newest_critique is not None
    assert run.state.newest_critique.decision is CritiqueDecision.REJECT
    assert "made-up" in run.state.newest_critique.reasoning
    assert any("Take no number" in text for text in run.state.recommendations)


def test_no_overlap_leaves_no_estimate_and_rejects() -> None:
    told: dict[str, Any] = {"status": "rejected", "reason": "there is no overlap"}
    rejected = {
        f"estimate:{name}": [estimate_row(name, 4.0, **told)]
        for name in ("OLS", "IPW", "AIPW", "PSM", "stratification", "DML", "causal_forest")
    }

    run = finished(World(rejected), begun())

    assert run.state.newest_critique is not None
    assert run.state.newest_critique.decision is CritiqueDecision.REJECT
    assert "there is no overlap" in run.state.newest_critique.reasoning
    assert spoken_for(run.state.treatment_effects, {}) is None


def test_the_likeliest_pair_is_studied_where_none_is_named() -> None:
    run = finished(World(), begun(treatment_variable=None, outcome_variable=None))

    assert (run.state.treatment_variable, run.state.outcome_variable) == ("promo", "spend")


def test_a_notebook_that_gives_other_figures_takes_the_approval_back() -> None:
    same = {"name": "AIPW ATE, estimate", "expected": 4.0, "seen": 4.0, "same": True}
    other = {"name": "IPW ATE, estimate", "expected": 4.3, "seen": 4.1, "same": False}
    world = World({"notebook": [same, other]})

    run = finished(world, begun())

    told = "Run again, 1 of 2 figures of the notebook are not those of the study"
    newest = run.state.newest_critique
    assert [c.decision.value for c in run.state.critique_history] == ["APPROVE", "ITERATE"]
    assert newest is not None and newest.scores["robustness"] == 2
    assert newest.reasoning == f"{told}: IPW ATE, estimate."
    assert any("why the notebook differs" in text for text in run.state.recommendations)
    assert not any("Before much rests on it" in text for text in run.state.recommendations)
    assert f"{told}: IPW ATE, estimate." in caveats_of(world.seen, run.state)
    assert run.state.status is JobStatus.GENERATING_NOTEBOOK

    alike = finished(World({"notebook": [same]}), begun())
    assert alike.state.is_approved() and alike.done[-1] == "notebook_generator"


def test_data_without_anything_like_a_treatment_are_refused() -> None:
    world = World({"profile": [profile_row("age"), profile_row("spend", outcome_score=0.9)]})

    with pytest.raises(AssayError, match="no column looks like a treatment"):
        finished(world, begun(treatment_variable=None, outcome_variable=None))


def test_progress_never_goes_back_and_every_status_is_passed() -> None:
    world = World({"estimate:DML": [estimate_row("DML", 8.0)]})

    run = finished(world, begun())

    assert run.state.status is JobStatus.GENERATING_NOTEBOOK
    assert run.state.progress_percentage == 86.0


def test_the_same_frames_give_the_same_state() -> None:
    assert finished(World(), begun()).state == finished(World(), begun(), BRIEF).state


def test_the_notebook_tells_each_test_once_however_many_rounds_made_it() -> None:
    world = World({"estimate:DML": [estimate_row("DML", 8.0)]})  # so that a second round is made
    state = finished(world, begun()).state

    sections = sections_of(state, spoken_for(state.treatment_effects, calibration_of(world.seen)))
    told = {section["heading"]: section["markdown"] for section in sections}

    assert len({int(test.details["round"]) for test in state.sensitivity_results}) == 2
    assert told["How fragile it is"].splitlines() == ["- It holds."] * len(newest_tests(state))
    assert told["The estimate that speaks for the study"].endswith(
        "It rests on: overlap (held): groups overlap."
    )


@pytest.mark.parametrize(
    ("known", "method"),
    [
        (Knowledge(instruments=("distance",)), "IV"),
        (Knowledge(running="distance", cutoff=2.0), "RDD"),
    ],
)
def test_adjusting_does_not_take_the_place_of_a_named_design_that_was_rejected(
    known: Knowledge, method: str
) -> None:
    why = "the effective F is 3.1, below 10"
    told: dict[str, Any] = {"status": "rejected", "reason": why, "estimand": "LATE"}
    profile = [*World().told["profile"], profile_row("distance")]
    rows = {"profile": profile, f"estimate:{method}": [estimate_row(method, 9.0, **told)]}

    brief = replace(BRIEF, knowledge=known)
    newest = finished(World(rows), begun(), brief).state.newest_critique
    by_chance = replace(BRIEF, knowledge=known.model_copy(update={"randomised": True}))

    assert newest is not None and newest.decision is CritiqueDecision.ITERATE
    assert f"{method} does not stand: {why}. distance was named as" in newest.reasoning
    assert finished(World(rows), begun(), by_chance).state.is_approved()


def test_a_column_that_each_treatment_has_one_value_of_is_named_where_nothing_can_be_told() -> None:
    tied = "the treatment determines it: nothing is left of one given the other"
    world = World(
        {
            "confounders": [{"column": "region", "verdict": "unclear", "reason": tied}],
            "estimate": [],
        }
    )
    state = finished(world, begun()).state.model_copy(update={"treatment_effects": ()})

    [identified] = [one for one in scores_of(state, {}) if one.dimension == "identification"]

    assert identified.objection.startswith(
        "No estimate stands: each value of promo has one value of "
    )
    assert "region" in identified.objection and "Only rows in which" in identified.improvement
