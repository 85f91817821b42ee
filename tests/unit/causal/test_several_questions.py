"""Treatments of several values, and further pairs: what is judged, and what is told beside it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from mesh.errors import AssayError
from services.planner.domain.causal.contrasts import contrasts
from services.planner.domain.causal.data_models import DataProfile
from services.planner.domain.causal.effects import calibration_of, spoken_for
from services.planner.domain.causal.graph import CausalPair
from services.planner.domain.causal.telling import conclusion, describe_treatment
from tests.unit.causal.frames_of_study import (
    BRIEF,
    World,
    begun,
    estimate_row,
    finished,
    profile_row,
)


def profile(**rows: int) -> DataProfile:
    return DataProfile(
        n_samples=1000,
        n_features=1,
        feature_names=("plan",),
        feature_types={"plan": "categorical"},
        missing_values={},
        numeric_stats={},
        categorical_stats={"plan": rows},
    )


def labels(found: DataProfile, **named: str) -> list[str]:
    return [one.label for one in contrasts(found, "plan", **named)]


def test_every_value_is_held_against_the_one_that_says_none_else_the_most_frequent() -> None:
    assert labels(profile(low=300, control=100, high=200)) == [
        "low against control",
        "high against control",
    ]
    assert labels(profile(basic=300, free=400, pro=200)) == [
        "basic against free",
        "pro against free",
    ]


def test_what_is_named_is_judged_and_held_against() -> None:
    plans = profile(basic=300, free=400, pro=200)

    assert labels(plans, treated="Pro")[0] == "pro against free"
    assert labels(plans, treated="free", reference="basic") == [
        "free against basic",
        "pro against basic",
    ]
    assert labels(plans, treated="free")[0] == "free against basic"


def test_two_values_and_amounts_are_no_contrasts_and_few_rows_are_left_out() -> None:
    assert labels(profile(yes=10, no=30)) == []
    assert labels(profile(yes=300, no=400), treated="yes") == ["yes against no"], "as was named"
    assert labels(profile(A=300, B=200), treated="A", reference="B") == ["A against B"]
    assert labels(profile(**{"0": 300, "1": 300, "2": 300})) == []
    assert labels(profile(**{"0": 300, "1": 300, "2": 300}), treated="2") == [
        "2 against 0",
        "1 against 0",
    ]
    assert labels(profile(basic=300, free=400, odd=3)) == ["basic against free"]


def test_a_value_that_never_occurs_is_refused_with_those_that_do() -> None:
    with pytest.raises(AssayError, match="never has the value 'gold'; its values are basic, free"):
        contrasts(profile(basic=300, free=400, pro=200), "plan", treated="gold")


def _world(told: dict[str, list[dict[str, Any]]] | None = None) -> World:
    plans = json.dumps({"free": 400, "basic": 350, "pro": 250})
    columns = [
        profile_row("age"),
        profile_row("income"),
        profile_row(
            "promo",
            "categorical",
            treatment_score=0.9,
            confounder_score=0.0,
            values=plans,
            distinct=3,
        ),
        profile_row("spend", outcome_score=0.9, confounder_score=0.0),
        profile_row("visits", outcome_score=0.8, confounder_score=0.0),
    ]
    return World({"profile": columns, **(told or {})})


def test_one_value_is_judged_by_every_method_and_the_others_are_told_beside() -> None:
    world = _world({"beside_level0": [estimate_row("AIPW", 9.0)]})

    run = finished(world, begun())

    estimates = [t for t in world.calls if t.tool_name == "causal.estimate"]
    judged = [t for t in estimates if not t.task_id.startswith("beside_")]
    assert {t.arguments["method"] for t in judged} > {"AIPW", "PSM", "IPW"}, "two groups, as asked"
    assert {(t.arguments["treated"], t.arguments["reference"]) for t in judged} == {
        ("basic", "free")
    }
    [other] = [t for t in estimates if t.task_id.startswith("beside_")]
    assert (other.arguments["treated"], other.arguments["reference"]) == ("pro", "free")
    tools = {t.tool_name for t in world.calls if t.arguments.get("reference") == "free"}
    assert tools >= {"causal.overlap", "causal.calibrate", "causal.sensitivity", "causal.notebook"}

    effect = spoken_for(run.state.treatment_effects, calibration_of(world.seen))
    assert effect is not None and effect.estimate == 4.0, "what is beside never speaks"
    assert run.state.is_approved(), "nor does it disagree"
    [beside] = [e for e in run.state.treatment_effects if e.details.get("beside")]
    assert beside.details["contrast"] == "pro against free"
    assert beside.details["compared"] == 2
    assert describe_treatment(run.state) == "promo (basic against free)"
    assert conclusion(run.state) == ""


def test_further_pairs_have_effects_of_their_own_and_are_not_judged() -> None:
    world = World(
        {
            "beside_pair0": [estimate_row("OLS", 0.5, p_value=0.03)],
            "beside_pair1": [estimate_row("AIPW", 2.0, p_value=0.001)],
        }
    )
    pairs = (
        CausalPair(treatment="income", outcome="spend", priority=2),
        CausalPair(treatment="promo", outcome="age", priority=3),
    )

    run = finished(world, begun(), replace(BRIEF, pairs=pairs))

    assert run.state.get_all_pairs() == [("promo", "spend"), ("income", "spend"), ("promo", "age")]
    assert [p.priority for p in run.state.analyzed_pairs] == [1, 2, 3]
    [second] = run.state.get_effects_for_pair("income", "spend")
    assert second.details["p_corrected_beside"] == pytest.approx(0.06), "for both that are beside"
    calls = {t.task_id: t.arguments for t in world.calls if t.task_id.startswith("beside_")}
    assert calls["beside_pair0"]["adjustment"] == ["age"], "not for what the pair is made of"
    assert calls["beside_pair1"]["adjustment"] == ["income"]
    assert run.state.get_primary_pair() == ("promo", "spend") and run.state.is_approved()
